#include "user_kernels/kernel_source.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "user_kernels/own_compile.h"

/* Returns 1 for a kernel of a library of the toolkit, which the file only calls, and for one that a
 * lambda makes, which no expression can name. */
static int is_left_out(const struct kernel_signature *kernel)
{
    return !strncmp(kernel->name, "cub::", 5) || !strncmp(kernel->name, "thrust::", 8) ||
           strchr(kernel->name, '{');
}

int kernel_source_select(struct kernel_source *source)
{
    struct kernel_signature *kernel = source->kernels.kernel;
    for (int i = 0; i < source->kernels.count; i++) {
        const struct kernel_signature next = kernel[i];
        if (is_left_out(&next)) continue;
        kernel[i] = kernel[source->count];
        kernel[source->count++] = next;
        for (int p = 0; p < next.parameter_count; p++)
            if (!*next.parameter[p].type)
                return error(FAIL_INPUT,
                             "%s: the parameters of %s have no types; declare it without extern "
                             "\"C\" or outside of namespaces",
                             source->path, next.name);
    }
    if (source->count) return 0;
    return error(FAIL_INPUT,
                 "%s has no code of a __global__ function; a template has code only for arguments "
                 "that the file uses: instantiate it explicitly, as in 'template __global__ void "
                 "scale<float>(float *);'",
                 source->path);
}

int kernel_source_read(struct kernel_source *source, const char *path)
{
    *source = (struct kernel_source){.path = path};
    FILE *file = text_open_file(path);
    if (!file)
        return error(FAIL_INPUT, "%s: cannot read: %s; it must be a CUDA file", path,
                     strerror(errno));
    fclose(file);
    const int result = own_compile_object(path, &source->object, &source->bytes);
    return result ? result
                  : kernel_signatures_read(&source->kernels, source->object, source->bytes);
}

void kernel_source_free(struct kernel_source *source)
{
    kernel_signatures_free(&source->kernels);
    free(source->object);
    memset(source, 0, sizeof *source);
}

/* Returns the bytes of a section of the object, or NULL if they are not in it. */
static const char *section_of(const struct kernel_source *source, unsigned number, size_t *bytes)
{
    Elf64_Ehdr header;
    Elf64_Shdr section;
    if (source->bytes < sizeof header) return NULL;
    memcpy(&header, source->object, sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) || number >= header.e_shnum ||
        header.e_shoff > source->bytes ||
        (source->bytes - header.e_shoff) / sizeof section <= number)
        return NULL;
    memcpy(&section, source->object + header.e_shoff + number * sizeof section, sizeof section);
    if (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_STRTAB) return NULL;
    if (section.sh_offset > source->bytes || section.sh_size > source->bytes - section.sh_offset)
        return NULL;
    *bytes = section.sh_size;
    return source->object + section.sh_offset;
}

int kernel_source_has_main(const struct kernel_source *source)
{
    static const char name[] = "main";
    Elf64_Ehdr header = {0};
    Elf64_Shdr section;
    if (source->bytes >= sizeof header) memcpy(&header, source->object, sizeof header);
    for (unsigned i = 0; i < header.e_shnum; i++) {
        size_t bytes, name_bytes;
        const char *symbols = section_of(source, i, &bytes);
        if (!symbols) continue;
        memcpy(&section, source->object + header.e_shoff + i * sizeof section, sizeof section);
        const char *names =
            section.sh_type == SHT_SYMTAB ? section_of(source, section.sh_link, &name_bytes) : NULL;
        for (size_t at = 0; names && at + sizeof(Elf64_Sym) <= bytes; at += sizeof(Elf64_Sym)) {
            Elf64_Sym symbol;
            memcpy(&symbol, symbols + at, sizeof symbol);
            if (symbol.st_shndx != SHN_UNDEF && symbol.st_name < name_bytes &&
                name_bytes - symbol.st_name >= sizeof name &&
                !memcmp(names + symbol.st_name, name, sizeof name))
                return 1;
        }
    }
    return 0;
}

int kernel_type_points(const char *type)
{
    static const char constant[] = " const";
    const char *end = strstr(type, " (*)");
    if (!end && *type) end = type + strlen(type) - 1;
    if (!end || strstr(type, "*)(") || (*end != '*' && *end != ' ')) return 0;
    const size_t length = strlen(constant);
    return end - type > (int)length && !strncmp(end - length, constant, length) ? 1 : -1;
}

void kernel_code_append(struct text *out, const char *code)
{
    static const char unnamed[] = "(anonymous namespace)::";
    for (const char *found; (found = strstr(code, unnamed)); code = found + strlen(unnamed))
        text_append_bytes(out, code, (size_t)(found - code));
    text_append(out, code);
}
