/*
 * Builds cubins by hand: two kernels, "one" and "two", and a line table written operation by
 * operation. A struct lines owns its bytes until lines_free; an image is a text that the caller
 * frees.
 */
#ifndef TESTS_UNIT_IMAGE_H
#define TESTS_UNIT_IMAGE_H

#include <elf.h>

#include "fixture.h"

enum { IMAGE_MACHINE = 190, ONE_BYTES = 0x80, TWO_BYTES = 0x200, MOST_RELOCATIONS = 8 };

/* Symbols: the two kernels, and a function within the second one. */
enum { SYMBOL_ONE = 1, SYMBOL_TWO, SYMBOL_INNER, SYMBOL_COUNT, INNER_AT = 0x40 };
enum {
    SECTION_NAMES = 1,
    SECTION_SYMBOLS,
    SECTION_ONE,
    SECTION_TWO,
    SECTION_LINES,
    SECTION_RELOCATIONS,
    SECTION_COUNT
};

struct lines {
    struct text bytes;
    Elf64_Rela relocation[MOST_RELOCATIONS];
    int relocation_count;
    size_t unit; /* the start of the current program */
};

#define BYTES(lines, ...)                                                                          \
    text_append_bytes(&(lines)->bytes, (const char[]){__VA_ARGS__},                                \
                      sizeof((const char[]){__VA_ARGS__}))

/* Operations, to be listed in BYTES: advance the line by -64 to 63, advance the address by 0 to 127
 * bytes, and set the row of the inlined call, 0 to 127. */
#define U(byte) ((char)(unsigned char)(byte))
#define ROW 1
#define PC(by) 2, (by)
#define LINE(by) 3, (by)&0x7F
#define SOURCE(file) 4, (file)
#define CALL(row) 0, 3, U(0x90), (row), 0
#define END 0, 1, 1

UNUSED_IS_FINE static void put_number(struct text *text, size_t at, uint32_t value)
{
    memcpy(text->data + at, &value, sizeof value);
}

/* The header of a program as nvcc writes it, with these directories and files; an empty string ends
 * each list, and a file begins with its directory's number as a byte. */
UNUSED_IS_FINE static void lines_begin(struct lines *lines, const char *const *directories,
                                       const char *const *files)
{
    lines->unit = lines->bytes.length;
    BYTES(lines, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 1, 1, -5, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1);
    for (; *directories; directories++)
        text_append_bytes(&lines->bytes, *directories, strlen(*directories) + 1);
    BYTES(lines, 0);
    for (; *files; files++) {
        text_append_bytes(&lines->bytes, *files + 1, strlen(*files + 1) + 1);
        BYTES(lines, **files - '0', U(0x80), 1,
              7); /* the directory; when it was written, and its bytes */
    }
    BYTES(lines, 0, 0, 0, 0, 0); /* NVIDIA's four bytes after the last file */
    put_number(&lines->bytes, lines->unit + 6, (uint32_t)(lines->bytes.length - lines->unit - 10));
}

UNUSED_IS_FINE static void lines_end(struct lines *lines)
{
    put_number(&lines->bytes, lines->unit, (uint32_t)(lines->bytes.length - lines->unit - 4));
}

/* The address of a symbol: 0 in the table, and a relocation. */
UNUSED_IS_FINE static void lines_address(struct lines *lines, int symbol, int64_t addend)
{
    BYTES(lines, 0, 9, 2);
    assert_true(lines->relocation_count < MOST_RELOCATIONS);
    lines->relocation[lines->relocation_count++] =
        (Elf64_Rela){.r_offset = lines->bytes.length,
                     .r_info = ELF64_R_INFO((uint64_t)symbol, 2),
                     .r_addend = addend};
    BYTES(lines, 0, 0, 0, 0, 0, 0, 0, 0);
}

UNUSED_IS_FINE static void lines_free(struct lines *lines)
{
    text_free(&lines->bytes);
}

UNUSED_IS_FINE static void put_section(struct text *image, Elf64_Shdr *section, const void *bytes,
                                       size_t count)
{
    section->sh_offset = image->length;
    section->sh_size = count;
    text_append_bytes(image, bytes, count);
}

/* Builds the image with this table. With `addends_in_table` its relocations are of the kind without
 * addends of their own. */
UNUSED_IS_FINE static struct text image_make(const struct lines *lines, int addends_in_table)
{
    static const char names[] =
        "\0.shstrtab\0.symtab\0.text.one\0.text.two\0.debug_line\0.rela.debug_line";
    static const Elf64_Sym symbols[SYMBOL_COUNT] = {
        [SYMBOL_ONE] = {.st_shndx = SECTION_ONE},
        [SYMBOL_TWO] = {.st_shndx = SECTION_TWO},
        [SYMBOL_INNER] = {.st_shndx = SECTION_TWO, .st_value = INNER_AT},
    };
    static const char code[TWO_BYTES];
    Elf64_Shdr section[SECTION_COUNT] = {
        [SECTION_NAMES] = {.sh_name = 1, .sh_type = SHT_STRTAB},
        [SECTION_SYMBOLS] = {.sh_name = 11, .sh_type = SHT_SYMTAB},
        [SECTION_ONE] = {.sh_name = 19, .sh_type = SHT_PROGBITS},
        [SECTION_TWO] = {.sh_name = 29, .sh_type = SHT_PROGBITS},
        [SECTION_LINES] = {.sh_name = 39, .sh_type = SHT_PROGBITS},
        [SECTION_RELOCATIONS] = {.sh_name = 51,
                                 .sh_type = SHT_RELA,
                                 .sh_link = SECTION_SYMBOLS,
                                 .sh_info = SECTION_LINES},
    };
    Elf64_Ehdr header = {
        .e_ident = {0x7F, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT, 0x41, 8},
        .e_type = ET_EXEC,
        .e_machine = IMAGE_MACHINE,
        .e_flags = 90 << 8,
        .e_ehsize = sizeof header,
        .e_shentsize = sizeof section[0],
        .e_shnum = SECTION_COUNT,
        .e_shstrndx = SECTION_NAMES};
    struct text image = {0}, relocations = {0};
    text_append_bytes(&image, (const char *)&header, sizeof header);
    put_section(&image, &section[SECTION_NAMES], names, sizeof names);
    put_section(&image, &section[SECTION_SYMBOLS], symbols, sizeof symbols);
    put_section(&image, &section[SECTION_ONE], code, ONE_BYTES);
    put_section(&image, &section[SECTION_TWO], code, TWO_BYTES);
    put_section(&image, &section[SECTION_LINES], text_string(&lines->bytes), lines->bytes.length);
    for (int i = 0; i < lines->relocation_count; i++) {
        const Elf64_Rela *relocation = &lines->relocation[i];
        text_append_bytes(&relocations, (const char *)relocation,
                          addends_in_table ? sizeof(Elf64_Rel) : sizeof(Elf64_Rela));
        if (addends_in_table)
            memcpy(image.data + section[SECTION_LINES].sh_offset + relocation->r_offset,
                   &relocation->r_addend, sizeof relocation->r_addend);
    }
    if (addends_in_table) section[SECTION_RELOCATIONS].sh_type = SHT_REL;
    put_section(&image, &section[SECTION_RELOCATIONS], text_string(&relocations),
                relocations.length);
    text_free(&relocations);
    header.e_shoff = image.length;
    memcpy(image.data, &header, sizeof header);
    text_append_bytes(&image, (const char *)section, sizeof section);
    assert_false(image.failed);
    return image;
}

#endif
