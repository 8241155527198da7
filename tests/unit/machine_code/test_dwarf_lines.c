#include "image.h"

#include "machine_code/dwarf_lines.h"

static const char *const directories[] = {"/src/project/kernels/gemm", "kernels", NULL};
static const char *const files[] = {"1one.cu", "2sum.h", "0alone.h", "1/opt/include/far.h", NULL};

enum { FILE_ONE = 1, FILE_SUM, FILE_ALONE, FILE_FAR };

static struct dwarf_lines table; /* until the next one, as the reason */
static char reason[LINE_REASON];

/* Reads the table of a kernel in an image that is freed here; returns the status of
 * dwarf_lines_read. */
static int read_image(struct text image, const char *kernel)
{
    struct cubin cubin;
    dwarf_lines_free(&table);
    snprintf(reason, sizeof reason, "(none)");
    assert_true(cubin_open(&cubin, (const unsigned char *)image.data, image.length));
    const int result = dwarf_lines_read(&table, &cubin, kernel, reason);
    text_free(&image);
    return result;
}

/* Asserts that there is no table, for this reason. */
static void has_none(struct text image, const char *kernel, const char *expected)
{
    assert_int_equal(read_image(image, kernel), FAIL_INPUT);
    assert_string_equal(reason, expected);
    assert_int_equal(table.path_count + table.row_count + table.location_count, 0);
}

/* Returns "path:line path:line", innermost first; "-" if there is no location. */
static const char *chain(unsigned pc)
{
    static struct text text;
    text_free(&text);
    const struct line_row *row = dwarf_lines_at(&table, pc);
    for (int i = 0; row && i < row->location_count; i++) {
        const struct line_location *location = &table.location[row->first_location + i];
        text_format(&text, "%s%s:%u", i ? " " : "", table.path[location->path], location->line);
    }
    return row ? text_string(&text) : "-";
}

#define CHAIN(pc, expected) assert_string_equal(chain(pc), (expected))

/* ---- sound tables ---------------------------------------------------------------------------- */

/* A table with both kernels and with calls that were inlined, as nvcc writes it. */
static struct lines two_kernels(void)
{
    struct lines lines = {0};
    lines_begin(&lines, directories, files);
    lines_address(&lines, SYMBOL_ONE, 0);
    BYTES(&lines, SOURCE(FILE_ONE), LINE(10), ROW); /* row 1: at 0x00, line 11 */
    BYTES(&lines, U(0xF2));                         /* row 2: 16 bytes and 3 lines on in one byte */
    BYTES(&lines, SOURCE(FILE_SUM), 0, 4, U(0x90), 2, U(0x80),
          1);                     /* inlined at row 2; the name takes two bytes */
    BYTES(&lines, LINE(15), ROW); /* row 3: at 0x10, sum.h:29 */
    BYTES(&lines, SOURCE(FILE_FAR), CALL(3), LINE(-28), ROW); /* row 4: at 0x10, far.h:1 */
    BYTES(&lines, PC(16), LINE(2), ROW); /* row 5: at 0x20, far.h:3, of the same call */
    BYTES(&lines, SOURCE(FILE_ONE), CALL(0), LINE(46), PC(32),
          ROW); /* row 6: at 0x40, one.cu:49, of no call */
    BYTES(&lines, PC(64), END);
    lines_address(&lines, SYMBOL_TWO, 16);
    BYTES(&lines, ROW); /* row 1 of this kernel: at 0x10, one.cu:1 */
    BYTES(&lines, SOURCE(FILE_SUM), CALL(1), LINE(4), ROW);
    BYTES(&lines, PC(32), END);
    lines_end(&lines);
    return lines;
}

TEST(locations_are_chains)
{
    for (int addends_in_table = 0; addends_in_table < 2; addends_in_table++) {
        OWNED_BY(lines_free) struct lines lines = two_kernels();
        assert_int_equal(read_image(image_make(&lines, addends_in_table), "one"), 0);
        assert_int_equal(table.row_count, 5); /* four addresses, and the end */
        CHAIN(0x00, "/src/project/kernels/gemm/one.cu:11");
        CHAIN(0x10, "/opt/include/far.h:1 kernels/sum.h:29 /src/project/kernels/gemm/one.cu:14");
        CHAIN(0x20, "/opt/include/far.h:3 kernels/sum.h:29 /src/project/kernels/gemm/one.cu:14");
        CHAIN(0x30, "/opt/include/far.h:3 kernels/sum.h:29 /src/project/kernels/gemm/one.cu:14");
        CHAIN(0x40, "/src/project/kernels/gemm/one.cu:49");
        CHAIN(0x70, "/src/project/kernels/gemm/one.cu:49");
        CHAIN(0x80, "-"); /* after the end */
        assert_int_equal(read_image(image_make(&lines, addends_in_table), "two"), 0);
        CHAIN(0x00, "-"); /* before the sequence */
        CHAIN(0x10, "kernels/sum.h:5 /src/project/kernels/gemm/one.cu:1");
        CHAIN(0x20, "kernels/sum.h:5 /src/project/kernels/gemm/one.cu:1");
        CHAIN(0x30, "-");
    }
}

/* Every operation of DWARF 2 has its effect, or is skipped by its declared number of operands. */
TEST(operations_are_followed)
{
    OWNED_BY(lines_free) struct lines lines = {0};
    lines_begin(&lines, directories, files);
    lines_address(&lines, SYMBOL_TWO, 0);
    BYTES(&lines, SOURCE(FILE_ALONE), LINE(19), ROW); /* line 20 */
    BYTES(&lines, 5, U(0x89), 1, 6, 7, 8, LINE(-1),
          ROW); /* column, statement, block; (255 - 10) / 14 = 17 bytes */
    BYTES(&lines, 9, 15, 0, 3, U(0xAC), 2, ROW); /* 15 bytes, 300 lines */
    BYTES(&lines, 3, U(0xD4), U(0x7D),
          U(0xFF)); /* 300 lines back; 245 = 17 * 14 + 7: 17 bytes, 7 - 5 lines */
    BYTES(&lines, 0, 8, 3, 'n', 'e', 'w', 0, 2, 0, 0, SOURCE(5), 9, 15, 0,
          ROW); /* file 5 is made here, in directory 2 */
    BYTES(&lines, 0, 4, U(0x91), 1, 2, 3, 0, 1, 0x77, PC(16), LINE(-20),
          ROW); /* extended operations that are not used here */
    BYTES(&lines, PC(16), LINE(-1), ROW, PC(16), LINE(1), ROW); /* line 0: from nowhere */
    BYTES(&lines, PC(16), END);
    lines_end(&lines);
    assert_int_equal(read_image(image_make(&lines, 0), "two"), 0);
    CHAIN(0x00, "alone.h:20");
    CHAIN(0x10, "alone.h:20");
    CHAIN(0x11, "alone.h:19");
    CHAIN(0x20, "alone.h:319");
    CHAIN(0x31, "alone.h:21");
    CHAIN(0x40, "kernels/new:21");
    CHAIN(0x50, "kernels/new:1");
    CHAIN(0x60, "-");
    CHAIN(0x70, "kernels/new:1");
    CHAIN(0x80, "-");
}

/* Sequences may come in any order, in several programs, and at a function within the kernel; each
 * numbers its rows and files anew. */
TEST(sequences_are_put_in_order)
{
    static const char *const other_files[] = {"0other.cu", NULL}, *const no_directories[] = {NULL};
    OWNED_BY(lines_free) struct lines lines = {0};
    lines_begin(&lines, directories, files);
    lines_address(&lines, SYMBOL_INNER, 0x20);
    BYTES(&lines, LINE(1), ROW, SOURCE(FILE_SUM), CALL(1), LINE(1), ROW, PC(32), END);
    lines_address(&lines, SYMBOL_INNER, 0);
    BYTES(&lines, LINE(4), ROW, PC(32), END); /* ends where the first one begins */
    lines_end(&lines);
    lines_begin(&lines, no_directories, other_files);
    lines_address(&lines, SYMBOL_TWO, 0);
    BYTES(&lines, LINE(6), ROW, LINE(1), CALL(1), ROW, PC(32), END);
    lines_end(&lines);
    for (int addends_in_table = 0; addends_in_table < 2; addends_in_table++) {
        assert_int_equal(read_image(image_make(&lines, addends_in_table), "two"), 0);
        CHAIN(0x00, "other.cu:8 other.cu:7");
        CHAIN(0x20, "-");
        CHAIN(0x40, "/src/project/kernels/gemm/one.cu:5");
        CHAIN(0x60, "kernels/sum.h:3 /src/project/kernels/gemm/one.cu:2");
        CHAIN(0x80, "-");
    }
    has_none(image_make(&lines, 0), "one", "the cubin's line table has no entry for this kernel");
}

/* ---- malformed tables ------------------------------------------------------------------------ */

#define NOTHING "the cubin's line table has no entry for this kernel"
#define DAMAGED "the cubin's line table is damaged"

/* A program of these bytes after its header and its address. */
static void refused(const char *bytes, size_t count, const char *expected)
{
    OWNED_BY(lines_free) struct lines lines = {0};
    lines_begin(&lines, directories, files);
    lines_address(&lines, SYMBOL_ONE, 0);
    text_append_bytes(&lines.bytes, bytes, count);
    lines_end(&lines);
    has_none(image_make(&lines, 0), "one", expected);
}

#define REFUSED(expected, ...)                                                                     \
    refused((const char[]){__VA_ARGS__}, sizeof((const char[]){__VA_ARGS__}), (expected))

TEST(damaged_programs_are_refused)
{
    REFUSED(NOTHING, PC(16));
    REFUSED(NOTHING, PC(16), END);
    REFUSED(NOTHING, LINE(-1), ROW);      /* line 0 */
    REFUSED(NOTHING, 2, U(0x81), 1, ROW); /* after the kernel's code */
    REFUSED(NOTHING, 0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0, ROW,
            END); /* an address without a relocation */
    REFUSED(DAMAGED, SOURCE(0), ROW);
    REFUSED(DAMAGED, SOURCE(5), ROW);
    REFUSED(DAMAGED, CALL(1), ROW); /* the first row cannot be inlined at itself */
    REFUSED(DAMAGED, ROW, CALL(2), ROW);
    REFUSED(DAMAGED, ROW, END, CALL(1), ROW); /* of the previous sequence */
    REFUSED(DAMAGED, ROW, 2);                 /* cut short */
    REFUSED(DAMAGED, ROW, 2, U(0x80));
    REFUSED(DAMAGED, ROW, 9, 1);
    REFUSED(DAMAGED, ROW, 0);
    REFUSED(DAMAGED, ROW, 0, 2, 1);
    REFUSED(DAMAGED, ROW, 0, 0);                /* an extended operation without its number */
    REFUSED(DAMAGED, ROW, 0, 5, 2, 0, 0, 0, 0); /* an address of four bytes */
    REFUSED(DAMAGED, ROW, 0, 2, U(0x90), U(0x80));
    REFUSED(DAMAGED, ROW, 0, 3, 3, 'a', 'b');        /* a file whose name does not end */
    REFUSED(DAMAGED, ROW, 0, 6, 3, 'a', 0, 3, 0, 0); /* in the third directory of two */
}

/* Each row is inlined in the previous one, 300 times. */
TEST(chains_have_an_end)
{
    OWNED_BY(text_free) struct text bytes = {0};
    for (int i = 0; i < 300; i++) {
        const char operation[] = {0, 4, U(0x90), U((i & 0x7F) | 0x80), (char)(i >> 7), 0, ROW};
        text_append_bytes(&bytes, operation, sizeof operation);
    }
    refused(bytes.data, bytes.length, DAMAGED);
}

/* Returns the message for the sound table with one byte of its header replaced. */
TEST(damaged_headers_are_refused)
{
    static const struct {
        size_t at;
        int byte;
        const char *reason;
    } rows[] = {
        {3, 0x01, DAMAGED}, /* longer than the section */
        {0, 3, DAMAGED},    /* too short for its own header */
        {4, 3, "the cubin's line table is DWARF version 3, not 2"},
        {4, 5, "the cubin's line table is DWARF version 5, not 2"},
        {9, 0x7F, DAMAGED}, /* a header that is longer than the program */
        {6, 2, DAMAGED},    /* one that ends in the middle */
        {13, 0, DAMAGED},   /* lines divided by zero */
        {14, 0, DAMAGED},   /* special operations from 0 on */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWNED_BY(lines_free) struct lines lines = two_kernels();
        lines.bytes.data[rows[i].at] = (char)rows[i].byte;
        const int result = read_image(image_make(&lines, 0), "one");
        if (result != FAIL_INPUT || strcmp(reason, rows[i].reason))
            fail_msg("byte %zu: %d, %s", rows[i].at, result, reason);
    }
}

TEST(what_is_not_there_has_a_reason)
{
    struct lines lines = two_kernels(), none = {0};
    has_none(image_make(&lines, 0), "three", "the cubin has no such kernel");
    has_none(image_make(&none, 0), "one", NOTHING);
    struct text image = image_make(&lines, 0);
    char *name = memmem(image.data, image.length, ".debug_line", sizeof ".debug_line");
    name[1] = 'x';
    has_none(image, "one", "the cubin has no line table");
    lines_free(&lines);
}

/* Whatever byte is wrong and wherever the image ends, the reader returns, and its locations are
 * within the table. */
TEST(any_damage_is_survived)
{
    static const unsigned char wrong[] = {0x00, 0x01, 0x7F, 0x80, 0xFF};
    struct lines lines = two_kernels();
    OWNED_BY(text_free) struct text image = image_make(&lines, 0);
    int read = 0, refusals = 0;
    for (size_t i = 0; i < image.length * (sizeof wrong + 1); i++) {
        const size_t at = i / (sizeof wrong + 1), kind = i % (sizeof wrong + 1),
                     length = kind < sizeof wrong ? image.length : at;
        unsigned char *copy = malloc(length + 1); /* of its own size, for the address sanitizer */
        struct cubin cubin;
        assert_non_null(copy);
        dwarf_lines_free(&table);
        memcpy(copy, image.data, length);
        if (kind < sizeof wrong) copy[at] = wrong[kind];
        if (cubin_open(&cubin, copy, length)) {
            const int result = dwarf_lines_read(&table, &cubin, "one", reason);
            assert_true(result == 0 || (result == FAIL_INPUT && *reason));
            for (int k = 0; k < table.location_count; k++)
                assert_in_range(table.location[k].path, 0, table.path_count - 1);
            for (int k = 0; k < table.row_count; k++)
                assert_in_range(table.row[k].first_location + table.row[k].location_count, 0,
                                table.location_count);
            read += result == 0;
            refusals += result != 0;
        }
        free(copy);
    }
    assert_true(read > 100 && refusals > 100);
    lines_free(&lines);
}

static int close_all(void **state)
{
    dwarf_lines_free(&table);
    return fixture_close(state);
}

RUN_TESTS(fixture_open, close_all)
