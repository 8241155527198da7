#include "fixture.h"

#include "catalog/registry.h"
#include "run/table_rows.h"

TEST(parses_shapes)
{
    static const struct {
        const char *text;
        int rank;
        uint64_t dim[3];
    } right[] = {{"1", 1, {1}},
                 {"4194304", 1, {4194304}},
                 {"2^22", 1, {4194304}},
                 {"2^0", 1, {1}},
                 {"2^62", 1, {UINT64_C(1) << 62}},
                 {"8x2^3", 2, {8, 8}},
                 {"4096^3", 3, {4096, 4096, 4096}},
                 {"3^2", 2, {3, 3}},
                 {"1024x2^10x3", 3, {1024, 1024, 3}}};
    static const struct {
        const char *text;
        int rank;
    } wrong[] = {{"", 1},       {"0", 1},    {"-1", 1},
                 {"2^63", 1},   {"3^2", 1},  {"2^", 1},
                 {"2^-1", 1},   {"1x2", 1},  {"4096^3", 2},
                 {"4096^4", 3}, {"-4^2", 2}, {"99999999999999999999^2", 2},
                 {"1", 2},      {"1x", 2},   {"1x2x", 2},
                 {"1x2x3", 2},  {"x1", 2},   {"4 ", 1},
                 {" 4", 1},     {"1e3", 1},  {"99999999999999999999", 1},
                 {"1x0x1", 3},  {"1X1", 2}};
    struct shape shape;
    char text[72];
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        assert_int_equal(shape_parse(&shape, right[i].text, right[i].rank), 0);
        assert_int_equal(shape.rank, right[i].rank);
        assert_memory_equal(shape.dim, right[i].dim, sizeof shape.dim);
    }
    assert_string_equal(shape_text(&shape, text), "1024x1024x3");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        FAILS(shape_parse(&shape, wrong[i].text, wrong[i].rank), FAIL_USAGE, "expected");
    FAILS(shape_parse(&shape, "a", 2), FAIL_USAGE, "size 'a': expected two whole numbers");
}

TEST(rungs)
{
    assert_int_equal(variant_rung("07_many_per_thread"), 7);
    assert_int_equal(variant_rung("12_x"), 12);
    assert_int_equal(variant_rung("cublas"), 0);
}

static struct selection selection; /* until the next one */

static int select_by(const struct selection_options *options)
{
    selection_free(&selection);
    return selection_make(&selection, options);
}

static int select_run(const struct run *run)
{
    selection_free(&selection);
    return selection_of_run(&selection, run);
}

static int select_points(const char *pattern, const char *size, int block, int sweep)
{
    const struct selection_options options = {.patterns = &pattern,
                                              .pattern_count = pattern != NULL,
                                              .sizes = &size,
                                              .size_count = size != NULL,
                                              .block = block,
                                              .sweep = sweep};
    return select_by(&options);
}

/* Asserts that so many points are selected. */
static void selects(int count, const char *pattern, const char *size, int block, int sweep)
{
    assert_int_equal(select_points(pattern, size, block, sweep), 0);
    assert_int_equal(selection.count, count);
}

/* Counts the variants of the family, or of all families, whose name begins so. */
static int count_variants(const char *family, const char *beginning)
{
    int count = 0;
    for (int i = 0; registry_variants[i]; i++)
        count += (!family || !strcmp(registry_variants[i]->family, family)) &&
                 !strncmp(registry_variants[i]->name, beginning, strlen(beginning));
    return count;
}

TEST(a_size_named_twice_is_one)
{
    static const char *const sizes[] = {"4096", "2^12", "5"};
    const char *const pattern = "reduce/01*";
    const struct selection_options options = {
        .patterns = &pattern, .pattern_count = 1, .sizes = sizes, .size_count = 3};
    assert_int_equal(select_by(&options), 0);
    assert_int_equal(selection.count, 2);
}

TEST(a_range_of_sizes_is_a_grid)
{
    static const char *const sizes[] = {"64..300x2^5..2^6x7", "64x64x7", "1x2x3"};
    static const char *const grid[] = {"64x32x7",  "64x64x7",  "128x32x7", "128x64x7",
                                       "256x32x7", "256x64x7", "1x2x3"};
    static const char *const wrong[] = {"8..4",     "4..",       "..4",        "4..x4x4",
                                        "4...8",    "1..2x3..",  "1..2x2x2x2", "4..8^3",
                                        "a..2^3x4", "2..4..8x1", "1..2x"};
    const char *const pattern = "gemm/01*", *const reduce = "reduce/01*";
    const struct selection_options options = {
        .patterns = &pattern, .pattern_count = 1, .sizes = sizes, .size_count = 3};
    char size[72];
    assert_int_equal(select_by(&options), 0);
    assert_int_equal(selection.count, sizeof grid / sizeof *grid);
    for (int i = 0; i < selection.count; i++)
        assert_string_equal(shape_text(&selection.points[i].point.shape, size), grid[i]);
    selects(2, reduce, "2^43..2^44", 128, 0);
    selects(2, pattern, "8..16", 0, 0); /* cubes */
    assert_string_equal(shape_text(&selection.points[1].point.shape, size), "16x16x16");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        FAILS(select_points(pattern, wrong[i], 0, 0), FAIL_USAGE, "LOW..HIGH");
    FAILS(select_points(pattern, "1..2^30x1..2^30x1..2^30", 0, 0), FAIL_USAGE,
          "more than 4096 sizes");
}

/* Each size is measured by some family, or refused. */
TEST(no_size_is_dropped)
{
    static const char *const patterns[] = {"gemm/01*", "reduce/01*"};
    static const char *const sizes[] = {"8", "1x2x3"}, *const none[] = {"1x2x3", "8x8"};
    struct selection_options options = {
        .patterns = patterns, .pattern_count = 1, .sizes = sizes, .size_count = 2};
    char size[72];
    assert_int_equal(select_by(&options), 0);
    assert_int_equal(selection.count, 2);
    assert_string_equal(shape_text(&selection.points[0].point.shape, size), "8x8x8");
    options.pattern_count = 2; /* the single number is a size of the second family */
    assert_int_equal(select_by(&options), 0);
    assert_int_equal(selection.count, 2);
    assert_string_equal(shape_text(&selection.points[0].point.shape, size), "1x2x3");
    assert_string_equal(shape_text(&selection.points[1].point.shape, size), "8");
    options.sizes = none;
    FAILS(select_by(&options), FAIL_USAGE, "size '8x8'");
}

TEST(a_size_must_fit_into_memory)
{
    static const char *const wrong[][2] = {
        {"reduce/01*", "2^45"},
        {"reduce/01*", "2^62"}, /* whose bytes are 0 in 64 bits */
        {"reduce/01*", "18446744073709551615"},
        {"gemm/01*", "2^31x2^31x2^31"}, /* the same */
        {"gemm/01*", "1x2^62x1"},
        {"reduce_batched/01*", "2^32x2^32"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        FAILS(select_points(wrong[i][0], wrong[i][1], 0, 0), FAIL_USAGE,
              "fits into no memory: its arrays take at least ");
    FAILS(select_points("reduce/01*", "2^62", 0, 0), FAIL_USAGE,
          "size 4611686018427387904 of reduce fits into no memory: its arrays take at least "
          "1.7e+07 TiB");
    assert_int_equal(select_points("gemm/01*", "2^17x2^17x2^17", 0, 0), 0);
}

TEST(a_pattern_may_name_a_setting)
{
    static const char *const patterns[] = {"reduce/07_many_per_thread@16", "reduce/09_last*@16",
                                           "reduce/01*"};
    const char *const size = "4096";
    const struct selection_options options = {
        .patterns = patterns, .pattern_count = 3, .sizes = &size, .size_count = 1};
    assert_int_equal(select_by(&options), 0);
    assert_int_equal(selection.count, 3);
    assert_int_equal(selection.points[0].point.sweep, 0);
    assert_int_equal(selection.points[1].point.sweep, 16);
    assert_int_equal(selection.points[2].point.sweep, 16);
    FAILS(select_points("reduce/07_many_per_thread@17", NULL, 0, 0), FAIL_USAGE,
          "no family or variant matches 'reduce/07_many_per_thread@17'");
    FAILS(select_points("reduce/01_interleaved_modulo@1", NULL, 0, 0), FAIL_USAGE,
          "no family or variant matches"); /* it has no settings */
    FAILS(select_points("reduce/07_many_per_thread@", NULL, 0, 0), FAIL_USAGE,
          "no family or variant matches");
}

TEST(patterns_select)
{
    selects(3, "reduce/0[1-3]*", "2^10", 0, 0);
    assert_string_equal(selection.points[1].variant->name, "02_interleaved_strided");
    assert_int_equal(selection.points[0].point.block, registry_family("reduce")->block_preset);
    assert_int_equal(selection.points[0].point.shape.dim[0], 1024);
    selects(count_variants(NULL, "02_interleaved_strided"), "02_interleaved_strided", "5", 128,
            0); /* the name alone */
    assert_int_equal(selection.points[0].point.block, 128);
    selects(7, "reduce/0[1-7]*", "5", 0, 16);
    assert_int_equal(selection.points[5].point.sweep, 0);
    assert_int_equal(selection.points[6].point.sweep, 16);
    WORKS(
        select_points("reduce", "5", 0, 0)); /* the family alone, not those whose names begin so */
    assert_true(selection.count >= count_variants("reduce", ""));
    for (int i = 0; i < selection.count; i++)
        assert_string_equal(selection.points[i].variant->family, "reduce");
    assert_int_equal(select_points(NULL, NULL, 0, 0), 0);
    assert_true(selection.count >= 2 * count_variants("reduce", ""));
    for (int start = 0, end; start < selection.count; start = end) {
        end = selection_group_end(&selection, start);
        assert_true(end > start);
        for (int i = start; i < end; i++)
            assert_memory_equal(&selection.points[i].point.shape,
                                &selection.points[start].point.shape, sizeof(struct shape));
        if (end < selection.count)
            assert_true(selection.points[end].family != selection.points[start].family ||
                        memcmp(&selection.points[end].point.shape,
                               &selection.points[start].point.shape, sizeof(struct shape)));
    }
}

TEST(a_size_has_a_rank)
{
    assert_int_equal(size_rank("4096"), 1);
    assert_int_equal(size_rank("2^22"), 1);
    assert_int_equal(size_rank("2^3"), 1);
    assert_int_equal(size_rank("64x2^10"), 2);
    assert_int_equal(size_rank("4096^3"), 3);
    assert_int_equal(size_rank("many"), 1);
}

/* Expects that the word selects one variant. */
static void expect_variant(const char *word, const char *size, const char *name, uint64_t edge)
{
    SUCCEEDS(select_points(word, size, 0, 0), "");
    assert_int_equal(selection.count, 1);
    assert_string_equal(selection.points[0].variant->name, name);
    for (int i = 0; i < selection.points[0].point.shape.rank; i++)
        assert_int_equal(selection.points[0].point.shape.dim[i], edge);
}

TEST(words_that_are_no_patterns_mean_variants)
{
    expect_variant("gemm/8", "512", "08_double_buffer", 512);
    expect_variant("GEMM/08_Double", "512^3", "08_double_buffer", 512);
    expect_variant("gemm/8", "2^9", "08_double_buffer", 512);
    expect_variant("reduce/3", "1024", "03_sequential", 1024);
    SUCCEEDS(select_points("DOT", "1024", 0, 0), "");
    assert_string_equal(selection.points[0].family->name, "dot");
    FAILS(select_points("gemm/0", NULL, 0, 0), FAIL_USAGE,
          "'gemm/0' matches several variants: gemm/01_naive, ");
    FAILS(select_points("gemm/8", "512^2", 0, 0), FAIL_USAGE, "size '512^2'");
    assert_null(selection.points);
}

TEST(typos_are_told)
{
    FAILS(select_points("reduse", NULL, 0, 0), FAIL_USAGE,
          "no family or variant matches 'reduse'; did you mean 'reduce'?");
    FAILS(select_points("reduce/03_sequental", NULL, 0, 0), FAIL_USAGE,
          "did you mean 'reduce/03_sequential'?");
    FAILS(select_points("xyzzy/*", NULL, 0, 0), FAIL_USAGE, "'whyfast list' names them all");
    FAILS(select_points(NULL, "2^99", 0, 0), FAIL_USAGE, "size '2^99'");
    FAILS(select_points("reduce/0*", "3x5", 0, 0), FAIL_USAGE,
          "size '3x5': sizes of reduce have one dimension");
    FAILS(select_points("reduce", NULL, 100, 0), FAIL_USAGE,
          "family reduce has no block size 100; it offers 128, 256");
    FAILS(select_points("reduce/07*", NULL, 0, 3), FAIL_USAGE,
          "variant reduce/07_many_per_thread has no setting 3: loading steps per thread");
    assert_null(selection.points);
}

/* Counts the families, variants and settings of a selection. */
static int of_family(const char *family)
{
    int count = 0;
    for (int i = 0; i < selection.count; i++)
        count += !strcmp(selection.points[i].family->name, family);
    return count;
}

/* A choice for everything applies to the variants that take it; the others are left out, not
 * refused. */
TEST(what_is_asked_is_for_those_that_take_it)
{
    assert_int_equal(select_points(NULL, "1000", 0, 0), 0);
    assert_true(of_family("reduce") > 0 && of_family("dot") > 0);
    assert_int_equal(of_family("reduce_batched"), 0);
    assert_int_equal(select_points(NULL, "3x5", 0, 0), 0);
    assert_int_equal(of_family("reduce_batched") + of_family("split"), selection.count);
    assert_true(of_family("reduce_batched") > 0 && of_family("split") > 0);
    assert_int_equal(select_points(NULL, NULL, 128, 0), 0);
    assert_true(of_family("reduce") == selection.count && selection.count > 0);
    for (int i = 0; i < selection.count; i++)
        assert_int_equal(selection.points[i].point.block, 128);
    assert_int_equal(select_points(NULL, "1000", 0, 16), 0);
    assert_int_equal(of_family("parallelism"), 0);
    for (int i = 0; i < selection.count; i++)
        assert_int_equal(selection.points[i].point.sweep,
                         selection.points[i].variant->sweep_name ? 16 : 0);
    assert_int_equal(select_points(NULL, "3x5x7", 0, 0), 0);
    assert_true(of_family("gemm") > 0 && of_family("reduce") == 0);
    FAILS(select_points(NULL, "3x5x7x9", 0, 0), FAIL_USAGE, "size '3x5x7x9': expected");
    FAILS(select_points(NULL, NULL, 77, 0), FAIL_USAGE, "has no block size 77; it offers");
    FAILS(select_points("parallelism", NULL, 0, 3), FAIL_USAGE,
          "variant parallelism/01_threads has no setting 3: threads of the grid, P");
    FAILS(select_points("reduce_batched", "1000", 0, 0), FAIL_USAGE,
          "size '1000': expected two whole numbers");
}

/* The slides' figures are of blocks of 128 threads at 2^22. */
TEST(published_block_sizes_are_measured_too)
{
    selects(2, "reduce/01*", "2^22", 0, 0);
    assert_int_equal(selection.points[0].point.block, registry_family("reduce")->block_preset);
    assert_int_equal(selection.points[1].point.block, 128);
    selects(1, "reduce/01*", "2^22", 256, 0);
    selects(1, "reduce/01*", "2^20", 0, 0);
}

TEST(a_quick_report_leaves_out_what_only_a_full_one_has)
{
    const char *const pattern = "reduce/17_unsynchronised";
    struct selection_options options = {.primary = 1};
    assert_int_equal(select_by(&options), 0);
    for (int i = 0; i < selection.count; i++) assert_false(selection.points[i].variant->full_only);
    assert_true(selection.count > 0);
    options.patterns = &pattern;
    options.pattern_count = 1;
    assert_int_equal(select_by(&options), 0);
    assert_int_equal(selection.count, 1);
}

TEST(points_of_a_run)
{
    char path[] = "unused";
    make_run("r");
    struct run run = {.path = path, .directory = (char *)(uintptr_t)place("r")};
    char directory[512];
    snprintf(directory, sizeof directory, "%s", place("r"));
    run.directory = directory;
    write_table("r", TABLE_POINTS,
                "reduce,03_sequential,1000,256,0,ok\nreduce,02_interleaved_strided,1000,256,0,"
                "skipped,why\nreduce,07_many_per_thread,1000,"
                "128,4,ok\n");
    assert_int_equal(select_run(&run), 0);
    assert_int_equal(selection.count, 2);
    assert_string_equal(selection.points[1].variant->name, "07_many_per_thread");
    assert_int_equal(selection.points[1].point.block, 128);
    assert_int_equal(selection.points[1].point.sweep, 4);
    write_table("r", TABLE_POINTS, "reduce,99_unknown,1000,256,0,ok\n");
    FAILS(select_run(&run), FAIL_INPUT,
          "points.csv:2: this program has no variant reduce/99_unknown");
    write_table("r", TABLE_POINTS, "reduce,03_sequential,many,256,0,ok\n");
    FAILS(select_run(&run), FAIL_INPUT, "points.csv:2: expected a size");
    write_text("r/points.csv", "family\nreduce\n");
    FAILS(select_run(&run), FAIL_INPUT, "points.csv:1: 1 columns; expected");
}

static int close_all(void **state)
{
    selection_free(&selection);
    return fixture_close(state);
}

RUN_TESTS(fixture_open, close_all)
