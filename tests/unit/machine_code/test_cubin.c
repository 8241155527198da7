#include "image.h"

#include "machine_code/cubin.h"

static struct text plain_image(void)
{
    const struct lines none = {0};
    return image_make(&none, 0);
}

static struct cubin opened(const struct text *image)
{
    struct cubin cubin;
    assert_true(cubin_open(&cubin, (const unsigned char *)image->data, image->length));
    return cubin;
}

TEST(sections_are_found)
{
    struct text image = plain_image();
    const struct cubin cubin = opened(&image);
    Elf64_Shdr section;
    assert_int_equal(cubin_architecture(&cubin), 90);
    assert_int_equal(cubin_section_find(&cubin, ".text.two", &section), SECTION_TWO);
    assert_int_equal(section.sh_size, TWO_BYTES);
    assert_string_equal(cubin_kernel(&cubin, &section), "two");
    assert_int_equal(cubin_kernel_find(&cubin, "one", &section), SECTION_ONE);
    assert_ptr_equal(cubin_section_data(&cubin, &section), image.data + section.sh_offset);
    assert_int_equal(cubin_kernel_find(&cubin, ".text.one", &section), 0);
    assert_int_equal(cubin_kernel_find(&cubin, "on", &section), 0);
    assert_int_equal(cubin_section_find(&cubin, ".text", &section), 0);
    assert_true(cubin_section(&cubin, SECTION_SYMBOLS, &section));
    assert_null(cubin_kernel(&cubin, &section));
    assert_false(cubin_section(&cubin, SECTION_COUNT, &section));
    text_free(&image);
}

/* The bytes after the image are not part of it, and a program header may cover more than the
 * sections. */
TEST(the_size_is_exact)
{
    struct text image = plain_image();
    const size_t bytes = image.length;
    Elf64_Phdr segment = {.p_type = PT_LOAD, .p_offset = 64, .p_filesz = bytes - 64};
    struct cubin cubin = opened(&image);
    assert_int_equal(cubin_bytes(&cubin), bytes);
    Elf64_Ehdr *header = &cubin.header;
    header->e_phoff = bytes;
    header->e_phnum = 1;
    header->e_phentsize = sizeof segment;
    memcpy(image.data, header, sizeof *header);
    text_append_bytes(&image, (const char *)&segment, sizeof segment);
    text_append(&image, "what comes next");
    cubin = opened(&image);
    assert_int_equal(cubin_bytes(&cubin), bytes + sizeof segment);
    segment.p_filesz = bytes - 64 + sizeof segment + 4;
    memcpy(image.data + bytes, &segment, sizeof segment);
    assert_int_equal(cubin_bytes(&cubin), bytes + sizeof segment + 4);
    segment.p_filesz = bytes * 2;
    memcpy(image.data + bytes, &segment, sizeof segment);
    assert_int_equal(cubin_bytes(&cubin), 0);
    text_free(&image);
}

static void set_section(struct text *image, const struct cubin *cubin, unsigned index,
                        const Elf64_Shdr *section)
{
    memcpy(image->data + cubin->header.e_shoff + index * sizeof *section, section, sizeof *section);
}

TEST(sections_out_of_bounds_are_not_found)
{
    struct text image = plain_image();
    struct cubin cubin = opened(&image);
    Elf64_Shdr section, changed;
    assert_true(cubin_section(&cubin, SECTION_ONE, &section));
    const struct {
        uint32_t type;
        uint64_t offset, size;
        int counts; /* as bytes of the image */
    } rows[] = {{SHT_PROGBITS, image.length, 1, 1},
                {SHT_PROGBITS, 0, image.length + 1, 1},
                {SHT_PROGBITS, UINT64_MAX - 7, 16, 1},
                {SHT_PROGBITS, 16, UINT64_MAX - 7, 1},
                {SHT_NOBITS, 0, UINT64_MAX, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        changed = section;
        changed.sh_type = rows[i].type;
        changed.sh_offset = rows[i].offset;
        changed.sh_size = rows[i].size;
        set_section(&image, &cubin, SECTION_ONE, &changed);
        Elf64_Shdr got;
        if (cubin_section(&cubin, SECTION_ONE, &got) || cubin_kernel_find(&cubin, "one", &got))
            fail_msg("row %zu is found", i);
        if ((cubin_bytes(&cubin) == 0) != rows[i].counts)
            fail_msg("row %zu: %zu bytes", i, cubin_bytes(&cubin));
    }
    changed = section;
    changed.sh_name = UINT32_MAX; /* a name out of bounds */
    set_section(&image, &cubin, SECTION_ONE, &changed);
    assert_string_equal(cubin_section_name(&cubin, &changed), "");
    set_section(&image, &cubin, SECTION_ONE, &section);
    cubin.header.e_shoff = UINT64_MAX - 63;
    assert_false(cubin_section(&cubin, SECTION_ONE, &section));
    assert_int_equal(cubin_bytes(&cubin), 0);
    text_free(&image);
}

/* Section 0 is reserved, even if its header describes a kernel or the names. */
TEST(section_zero_is_reserved)
{
    struct text image = plain_image();
    struct cubin cubin = opened(&image);
    Elf64_Shdr one, section;
    assert_int_equal(cubin_kernel_find(&cubin, "one", &one), SECTION_ONE);
    set_section(&image, &cubin, 0, &one);
    assert_false(cubin_section(&cubin, 0, &section));
    assert_int_equal(cubin_kernel_find(&cubin, "one", &section), SECTION_ONE);
    assert_true(cubin_section(&cubin, cubin.header.e_shstrndx, &section));
    set_section(&image, &cubin, 0, &section);
    cubin.header.e_shstrndx = 0;
    assert_string_equal(cubin_section_name(&cubin, &one), "");
    text_free(&image);
}

TEST(other_images_are_no_cubins)
{
    OWNED_BY(text_free) struct text image = plain_image();
    struct cubin cubin;
    Elf64_Ehdr header;
    assert_false(cubin_open(&cubin, (const unsigned char *)image.data, sizeof header - 1));
    memcpy(&header, image.data, sizeof header);
    header.e_machine = EM_X86_64;
    memcpy(image.data, &header, sizeof header);
    assert_false(cubin_open(&cubin, (const unsigned char *)image.data, image.length));
    header.e_machine = IMAGE_MACHINE;
    header.e_shentsize = sizeof(Elf32_Shdr);
    memcpy(image.data, &header, sizeof header);
    assert_false(cubin_open(&cubin, (const unsigned char *)image.data, image.length));
    image.data[1] = 'e';
    assert_false(cubin_open(&cubin, (const unsigned char *)image.data, image.length));
}

/* The line table tells the source file; its directories may be as the compiler was given them. */
TEST(the_source_file_is_known)
{
    static const char *const directories[] = {"/src/kernels/gemm", NULL}, *const files[] = {
                                                                              "101_x.cu", NULL};
    struct lines lines = {0};
    lines_begin(&lines, directories, files);
    lines_end(&lines);
    struct text image = image_make(&lines, 0);
    const struct cubin cubin = opened(&image);
    assert_true(cubin_is_of_file(&cubin, "kernels/gemm/01_x.cu"));
    assert_false(cubin_is_of_file(&cubin, "kernels/gemm/02_x.cu"));
    assert_false(cubin_is_of_file(&cubin, "kernels/reduce/01_x.cu"));
    assert_false(cubin_is_of_file(&cubin, "kernels/01_x.cu"));
    text_free(&image);
    lines_free(&lines);
}

/* The folder of a unit has the name of its source file. */
TEST(a_unit_is_known_by_its_folder)
{
    static const char *const directories[] = {"kernels/gemm/01_x", NULL}, *const files[] = {
                                                                              "1unit.cu", NULL};
    struct lines lines = {0};
    lines_begin(&lines, directories, files);
    lines_end(&lines);
    struct text image = image_make(&lines, 0);
    const struct cubin cubin = opened(&image);
    assert_true(cubin_is_of_unit(&cubin, "kernels/gemm/01_x.cu"));
    assert_false(cubin_is_of_file(&cubin, "kernels/gemm/01_x.cu"));
    assert_false(cubin_is_of_unit(&cubin, "kernels/gemm/01.cu"));
    assert_false(cubin_is_of_unit(&cubin, "kernels/gemm/01_x"));
    text_free(&image);
    lines_free(&lines);
}

TEST(the_executable_can_be_read)
{
    struct executable executable;
    struct cubin cubin;
    assert_true(executable_open(&executable));
    assert_memory_equal(executable.data, ELFMAG, SELFMAG);
    assert_false(cubin_find(&executable, "kernels/gemm/99_none.cu", "none", 90, &cubin));
    executable_close(&executable);
    assert_null(executable.data);
}

RUN_TESTS(fixture_open, fixture_close)
