#include "machine_code/cubin.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "base/text.h"

enum { MACHINE_CUDA = 190 };

static const char code_prefix[] = ".text.";

/* The objects that were added, the last one first, and the program. */
static char **objects;
static size_t object_count;

static const char *file_of(size_t index)
{
    return index < object_count ? objects[object_count - 1 - index] : "/proc/self/exe";
}

int executable_add(const char *object)
{
    char *copy = ARRAY_GROWS(objects, object_count) ? strdup(object) : NULL;
    if (!copy) return error_memory();
    objects[object_count++] = copy;
    return 0;
}

/* Maps a file at the address, or anywhere if that is NULL. Returns the bytes of its pages, or 0. */
static size_t map_file(const char *path, unsigned char *at, void **data)
{
    struct stat status;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    *data = MAP_FAILED;
    if (file < 0) return 0;
    if (fstat(file, &status) == 0 && status.st_size > 0)
        *data = mmap(at, (size_t)status.st_size, PROT_READ, MAP_PRIVATE | (at ? MAP_FIXED : 0),
                     file, 0);
    close(file);
    return *data == MAP_FAILED ? 0 : ((size_t)status.st_size + page - 1) / page * page;
}

/* Maps each file alone for its size, then all of them one after another. */
int executable_open(struct executable *executable)
{
    size_t size = 0, end = 0;
    void *data;
    memset(executable, 0, sizeof *executable);
    for (size_t i = 0; i <= object_count; i++) {
        const size_t bytes = map_file(file_of(i), NULL, &data);
        if (!bytes) return 0;
        munmap(data, bytes);
        size += bytes;
    }
    unsigned char *all = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) return 0;
    *executable = (struct executable){all, size};
    for (size_t i = 0; i <= object_count; i++) {
        const size_t bytes = map_file(file_of(i), all + end, &data);
        if (!bytes) {
            executable_close(executable);
            return 0;
        }
        end += bytes;
    }
    return 1;
}

int executable_open_file(struct executable *executable, const char *path)
{
    void *data;
    executable->size = map_file(path, NULL, &data);
    executable->data = executable->size ? data : NULL;
    return executable->size > 0;
}

void executable_close(struct executable *executable)
{
    if (executable->data) munmap((void *)(uintptr_t)executable->data, executable->size);
    memset(executable, 0, sizeof *executable);
}

int cubin_open(struct cubin *cubin, const unsigned char *data, size_t size)
{
    memset(cubin, 0, sizeof *cubin);
    if (size < sizeof cubin->header || memcmp(data, ELFMAG, SELFMAG) != 0) return 0;
    memcpy(&cubin->header, data, sizeof cubin->header);
    cubin->data = data;
    cubin->size = size;
    return cubin->header.e_machine == MACHINE_CUDA &&
           cubin->header.e_shentsize == sizeof(Elf64_Shdr);
}

/* Bits 8 to 15 of e_flags since CUDA 13 (ABI version 8), bits 0 to 7 before. */
int cubin_architecture(const struct cubin *cubin)
{
    const unsigned abi = cubin->header.e_ident[EI_ABIVERSION];
    return (int)(abi >= 8 ? cubin->header.e_flags >> 8 & 0xFF : cubin->header.e_flags & 0xFF);
}

/* No other image begins before the section headers, which are behind the sections. */
static size_t bytes_to_skip(const struct cubin *cubin)
{
    return cubin->header.e_shoff < cubin->size ? cubin->header.e_shoff : 0;
}

int cubin_next(const struct executable *executable, int architecture, struct cubin *cubin)
{
    /* The executable itself begins with ELFMAG. */
    size_t at = cubin->data ? cubin->before + bytes_to_skip(cubin) : 0;
    while (++at < executable->size) {
        const unsigned char *found =
            memmem(executable->data + at, executable->size - at, ELFMAG, SELFMAG);
        if (!found) return 0;
        at = (size_t)(found - executable->data);
        if (!cubin_open(cubin, found, executable->size - at)) continue;
        cubin->before = at;
        if (architecture == ANY_ARCHITECTURE || cubin_architecture(cubin) == architecture) return 1;
        at += bytes_to_skip(cubin);
    }
    return 0;
}

int cubin_find(const struct executable *executable, const char *file, const char *kernel,
               int architecture, struct cubin *cubin)
{
    Elf64_Shdr section;
    memset(cubin, 0, sizeof *cubin);
    while (cubin_next(executable, architecture, cubin))
        if (cubin_kernel_find(cubin, kernel, &section) &&
            (cubin_is_of_file(cubin, file) || cubin_is_of_unit(cubin, file)))
            return 1;
    return 0;
}

static int in_bounds(const struct cubin *cubin, uint64_t offset, uint64_t length)
{
    return offset <= cubin->size && length <= cubin->size - offset;
}

/* Reads the header without checking it. */
static int section_header(const struct cubin *cubin, unsigned index, Elf64_Shdr *section)
{
    if (index >= cubin->header.e_shnum ||
        !in_bounds(cubin, cubin->header.e_shoff, (uint64_t)cubin->header.e_shnum * sizeof *section))
        return 0;
    memcpy(section, cubin->data + cubin->header.e_shoff + (size_t)index * sizeof *section,
           sizeof *section);
    return 1;
}

int cubin_section(const struct cubin *cubin, unsigned index, Elf64_Shdr *section)
{
    return index > SHN_UNDEF && section_header(cubin, index, section) &&
           section->sh_type != SHT_NOBITS && in_bounds(cubin, section->sh_offset, section->sh_size);
}

const unsigned char *cubin_section_data(const struct cubin *cubin, const Elf64_Shdr *section)
{
    return cubin->data + section->sh_offset;
}

const char *cubin_section_name(const struct cubin *cubin, const Elf64_Shdr *section)
{
    Elf64_Shdr strings;
    if (!cubin_section(cubin, cubin->header.e_shstrndx, &strings) ||
        section->sh_name >= strings.sh_size)
        return "";
    const char *name = (const char *)cubin_section_data(cubin, &strings) + section->sh_name;
    return memchr(name, 0, strings.sh_size - section->sh_name) ? name : "";
}

const char *cubin_section_name_at(const struct cubin *cubin, unsigned index)
{
    Elf64_Shdr section;
    return section_header(cubin, index, &section) ? cubin_section_name(cubin, &section) : "";
}

/* Finds the first section whose name is `prefix` and then `name`. */
static unsigned find_section(const struct cubin *cubin, const char *prefix, const char *name,
                             Elf64_Shdr *section)
{
    const size_t length = strlen(prefix);
    for (unsigned i = 1; i < cubin->header.e_shnum; i++) {
        if (!cubin_section(cubin, i, section)) continue;
        const char *found = cubin_section_name(cubin, section);
        if (!strncmp(found, prefix, length) && !strcmp(found + length, name)) return i;
    }
    return 0;
}

unsigned cubin_section_find(const struct cubin *cubin, const char *name, Elf64_Shdr *section)
{
    return find_section(cubin, "", name, section);
}

const char *cubin_kernel(const struct cubin *cubin, const Elf64_Shdr *section)
{
    const char *name = cubin_section_name(cubin, section);
    return strncmp(name, code_prefix, sizeof code_prefix - 1) ? NULL
                                                              : name + sizeof code_prefix - 1;
}

unsigned cubin_kernel_find(const struct cubin *cubin, const char *kernel, Elf64_Shdr *section)
{
    return find_section(cubin, code_prefix, kernel, section);
}

size_t cubin_shared_bytes(const struct cubin *cubin, const char *kernel)
{
    static const char prefix[] = ".nv.shared.";
    Elf64_Shdr section;
    for (unsigned i = 1; section_header(cubin, i, &section); i++) {
        const char *name = cubin_section_name(cubin, &section);
        if (!strncmp(name, prefix, sizeof prefix - 1) && !strcmp(name + sizeof prefix - 1, kernel))
            return section.sh_size;
    }
    return 0;
}

unsigned cubin_function_in(const struct cubin *cubin, unsigned section)
{
    Elf64_Shdr symbols;
    Elf64_Sym symbol;
    if (!cubin_section_find(cubin, ".symtab", &symbols)) return 0;
    const unsigned char *data = cubin_section_data(cubin, &symbols);
    for (unsigned i = 1; i < symbols.sh_size / sizeof symbol; i++) {
        memcpy(&symbol, data + i * sizeof symbol, sizeof symbol);
        if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx == section) return i;
    }
    return 0;
}

/* Extends *end to the end of a table or a section. Returns 0 if that lies out of bounds. */
static int extend(const struct cubin *cubin, uint64_t offset, uint64_t length, uint64_t *end)
{
    if (!in_bounds(cubin, offset, length)) return 0;
    if (offset + length > *end) *end = offset + length;
    return 1;
}

size_t cubin_bytes(const struct cubin *cubin)
{
    const Elf64_Ehdr *header = &cubin->header;
    uint64_t end = sizeof *header;
    if (!extend(cubin, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr), &end))
        return 0;
    if (header->e_phnum > 0 && header->e_phentsize != sizeof(Elf64_Phdr)) return 0;
    if (!extend(cubin, header->e_phoff, (uint64_t)header->e_phnum * sizeof(Elf64_Phdr), &end))
        return 0;
    for (unsigned i = 0; i < header->e_shnum; i++) {
        Elf64_Shdr section;
        if (!section_header(cubin, i, &section)) return 0;
        if (section.sh_type != SHT_NOBITS &&
            !extend(cubin, section.sh_offset, section.sh_size, &end))
            return 0;
    }
    for (unsigned i = 0; i < header->e_phnum; i++) {
        Elf64_Phdr segment;
        memcpy(&segment, cubin->data + header->e_phoff + i * sizeof segment, sizeof segment);
        if (!extend(cubin, segment.p_offset, segment.p_filesz, &end)) return 0;
    }
    return (size_t)end;
}

/* nvcc writes the name of the source right before the image. If all kernels come from a library's
 * headers, there is no other trace of the file. */
static int is_labelled(const struct cubin *cubin, const char *file)
{
    const size_t length = strlen(file) + 1;
    size_t padding = 0;
    while (padding < 8 && cubin->before >= length + padding &&
           cubin->data[-1 - (ptrdiff_t)padding] == 0)
        padding++;
    return padding > 0 && cubin->before >= length + padding &&
           !memcmp(cubin->data - padding - length + 1, file, length);
}

/* Whether the line table names the first `length` bytes of a text, as a file or a directory. */
static int line_table_names(const struct cubin *cubin, const char *text, size_t length)
{
    char name[256] = "";
    Elf64_Shdr section;
    if (length + 1 >= sizeof name || !cubin_section_find(cubin, ".debug_line", &section)) return 0;
    memcpy(name, text, length);
    return memmem(cubin_section_data(cubin, &section), section.sh_size, name, length + 1) != NULL;
}

/* The line table lists directories, as full paths or as the compiler was given them, separately
 * from names. */
static int is_in_line_table(const struct cubin *cubin, const char *file)
{
    const char *base = text_base_name(file);
    const size_t directory_length = base > file ? (size_t)(base - 1 - file) : 0;
    return line_table_names(cubin, base, strlen(base)) &&
           line_table_names(cubin, file, directory_length);
}

int cubin_is_of_file(const struct cubin *cubin, const char *file)
{
    return is_in_line_table(cubin, file) || is_labelled(cubin, file);
}

int cubin_is_of_unit(const struct cubin *cubin, const char *file)
{
    const char *ending = strrchr(file, '.');
    return ending && line_table_names(cubin, file, (size_t)(ending - file));
}
