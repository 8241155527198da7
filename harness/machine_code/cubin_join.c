#include "machine_code/cubin_join.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"

/* The first sections of an image; then come those of the cubins. */
enum { NO_SECTION, SECTION_NAMES, STRINGS, SYMBOLS, FIRST_SECTIONS };
enum { MOST_SECTIONS = SHN_LORESERVE - 1, MOST_SYMBOLS = 1 << 20, MOST_BYTES = 64 << 20 };
enum { ALIGNMENT = 128 };

struct join {
    struct text names, strings, symbols, bytes, headers;
    unsigned sections, symbol_count;
};

/* A cubin, with the index that each of its sections has in the image, or 0. */
struct part {
    const struct cubin *cubin;
    int number;
    unsigned *section;
    unsigned first_symbol;
};

int cubin_joins(const struct cubin *a, const struct cubin *b)
{
    return cubin_bytes(a) && cubin_bytes(b) &&
           !memcmp(a->header.e_ident, b->header.e_ident, EI_NIDENT) &&
           a->header.e_type == b->header.e_type && a->header.e_version == b->header.e_version &&
           cubin_architecture(a) == cubin_architecture(b);
}

static void align(struct text *text)
{
    static const char zeros[ALIGNMENT] = "";
    const size_t end = sizeof(Elf64_Ehdr) + text->length; /* behind the header of the image */
    text_append_bytes(text, zeros, (ALIGNMENT - end % ALIGNMENT) % ALIGNMENT);
}

/* Places the bytes of a section, and completes its header. */
static void place(struct join *join, Elf64_Shdr *header, const char *name, const struct text *bytes)
{
    align(&join->bytes);
    header->sh_name = name ? (Elf64_Word)join->names.length : 0; /* "" */
    header->sh_offset = sizeof(Elf64_Ehdr) + join->bytes.length;
    header->sh_size = bytes->length;
    if (name) text_append_bytes(&join->names, name, strlen(name) + 1);
    text_append_bytes(&join->bytes, text_string(bytes), bytes->length);
}

static void add_section(struct join *join, Elf64_Shdr header, const char *name,
                        const struct text *bytes)
{
    place(join, &header, name, bytes);
    text_append_bytes(&join->headers, &header, sizeof header);
}

/* Does the same for a section whose header has its room already. */
static void set_section(struct join *join, unsigned index, Elf64_Shdr header, const char *name,
                        const struct text *bytes)
{
    place(join, &header, name, bytes);
    if (!join->headers.failed)
        memcpy(join->headers.data + index * sizeof header, &header, sizeof header);
}

/* Returns the name of the kernel whose code a section holds, or has the places that the linker
 * changes in it, and what is before the name; or NULL. */
static const char *code_of(const struct cubin *cubin, const Elf64_Shdr *section,
                           const char **prefix)
{
    static const char *const prefixes[] = {".text.", ".rela.text.", ".rel.text."};
    const char *name = cubin_section_name(cubin, section);
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        *prefix = prefixes[i];
        if (!strncmp(name, *prefix, strlen(*prefix))) return name + strlen(*prefix);
    }
    return NULL;
}

/* Symbols outside of the code are not defined in the image. */
static int add_symbols(struct join *join, const struct part *part)
{
    Elf64_Shdr table, strings;
    Elf64_Sym symbol;
    if (!cubin_section_find(part->cubin, ".symtab", &table) || table.sh_type != SHT_SYMTAB ||
        !cubin_section(part->cubin, table.sh_link, &strings))
        return FAIL_INPUT;
    const size_t count = table.sh_size / sizeof symbol, base = join->strings.length;
    for (size_t i = 0; i < count; i++) {
        memcpy(&symbol, cubin_section_data(part->cubin, &table) + i * sizeof symbol, sizeof symbol);
        if (symbol.st_name >= strings.sh_size) return FAIL_INPUT;
        symbol.st_name += (Elf64_Word)base;
        if (symbol.st_shndx < SHN_LORESERVE)
            symbol.st_shndx = symbol.st_shndx < part->cubin->header.e_shnum
                                  ? (Elf64_Section)part->section[symbol.st_shndx]
                                  : SHN_UNDEF;
        text_append_bytes(&join->symbols, &symbol, sizeof symbol);
    }
    text_append_bytes(&join->strings, cubin_section_data(part->cubin, &strings), strings.sh_size);
    text_append_bytes(&join->strings, "", 1);
    join->symbol_count += (unsigned)count;
    return 0;
}

/* Adds the code of a kernel, or the places in it that the linker changes. */
static int add_code(struct join *join, const struct part *part, Elf64_Shdr section)
{
    const char *prefix, *kernel = code_of(part->cubin, &section, &prefix);
    const int is_code = section.sh_type != SHT_RELA && section.sh_type != SHT_REL;
    const size_t each = section.sh_type == SHT_REL ? sizeof(Elf64_Rel) : sizeof(Elf64_Rela);
    struct text bytes = {0};
    Elf64_Rel change; /* begins like the other */
    if (!is_code && section.sh_info >= part->cubin->header.e_shnum) return FAIL_INPUT;
    text_append_bytes(&bytes, cubin_section_data(part->cubin, &section), section.sh_size);
    for (size_t at = 0; !is_code && !bytes.failed && at + each <= bytes.length; at += each) {
        memcpy(&change, bytes.data + at, sizeof change);
        change.r_info += (uint64_t)part->first_symbol << 32;
        memcpy(bytes.data + at, &change, sizeof change);
    }
    section.sh_link = SYMBOLS;
    section.sh_info = is_code ? section.sh_info + part->first_symbol /* the kernel's */
                              : (Elf64_Word)part->section[section.sh_info];
    char *name = text_new("%s%d.%s", prefix, part->number, kernel);
    if (name) add_section(join, section, name, &bytes);
    if (!name) join->names.failed = 1;
    free(name);
    text_free_piece(&bytes, &join->bytes);
    return 0;
}

static int add_part(struct join *join, const struct part *part)
{
    const unsigned count = part->cubin->header.e_shnum;
    const char *prefix;
    Elf64_Shdr section;
    for (unsigned i = 1; i < count; i++)
        if (cubin_section(part->cubin, i, &section) && code_of(part->cubin, &section, &prefix))
            part->section[i] = join->sections++;
    if (join->sections > MOST_SECTIONS || join->symbol_count > MOST_SYMBOLS) return FAIL_INPUT;
    int result = add_symbols(join, part);
    for (unsigned i = 1; i < count && !result; i++) {
        if (!part->section[i] || !cubin_section(part->cubin, i, &section)) continue;
        result = add_code(join, part, section);
        if (join->bytes.length > MOST_BYTES) result = FAIL_INPUT; /* sections may overlap */
    }
    return result;
}

/* Adds the tables, and writes all behind a header like that of a cubin. */
static void write_image(struct text *image, struct join *join, const struct cubin *first)
{
    Elf64_Ehdr header = first->header;
    set_section(join, STRINGS, (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_addralign = 1}, ".strtab",
                &join->strings);
    set_section(join, SYMBOLS,
                (Elf64_Shdr){.sh_type = SHT_SYMTAB,
                             .sh_link = STRINGS,
                             .sh_info = join->symbol_count,
                             .sh_addralign = 8,
                             .sh_entsize = sizeof(Elf64_Sym)},
                ".symtab", &join->symbols);
    set_section(join, SECTION_NAMES, (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_addralign = 1}, NULL,
                &join->names);
    align(&join->bytes);
    header.e_entry = header.e_phoff = 0;
    header.e_phentsize = header.e_phnum = 0;
    header.e_shoff = sizeof header + join->bytes.length;
    header.e_shnum = (Elf64_Half)join->sections;
    header.e_shstrndx = SECTION_NAMES;
    text_append_bytes(image, &header, sizeof header);
    text_append_bytes(image, text_string(&join->bytes), join->bytes.length);
    text_append_bytes(image, text_string(&join->headers), join->headers.length);
    image->failed |= join->bytes.failed | join->headers.failed | join->names.failed |
                     join->strings.failed | join->symbols.failed;
}

int cubin_join(struct text *image, const struct cubin *const *cubin, int count,
               unsigned *first_symbol)
{
    static const Elf64_Shdr none[FIRST_SECTIONS];
    static const Elf64_Sym no_symbol;
    struct join join = {.sections = FIRST_SECTIONS, .symbol_count = 1};
    int result = 0;
    text_append_bytes(&join.headers, none, sizeof none);
    text_append_bytes(&join.symbols, &no_symbol, sizeof no_symbol);
    text_append_bytes(&join.names, "", 1);
    text_append_bytes(&join.strings, "", 1);
    for (int i = 0; i < count && !result; i++) {
        struct part part = {cubin[i], i, calloc(cubin[i]->header.e_shnum + 1u, sizeof(unsigned)),
                            join.symbol_count};
        first_symbol[i] = join.symbol_count;
        result = part.section ? add_part(&join, &part) : error_memory();
        free(part.section);
    }
    if (!result) write_image(image, &join, cubin[0]);
    if (!result && image->failed) result = error_memory();
    text_free(&join.names);
    text_free(&join.strings);
    text_free(&join.symbols);
    text_free(&join.bytes);
    text_free(&join.headers);
    return result;
}
