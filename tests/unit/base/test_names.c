#include "base/names.h"

#include "base/text.h"

#include "fixture.h"

static const char *const names[] = {"gemm/01_naive",  "gemm/08_double_buffer",
                                    "gemm/10_warp",   "gemm/11_zigzag",
                                    "gemm/12_Upper",  "gemm_abl/08_b",
                                    "gemm_abl/09_a",  "reduce/01_naive",
                                    "reduce/100_x",   "reduce_batched/01_a",
                                    "reduce/library", "app/sum.2",
                                    "app/sum_all.2",  "app/max.2",
                                    "app/max.3"};
enum { COUNT = sizeof names / sizeof *names };

/* Returns the marked names, separated by blanks. */
static const char *listed(const char *found, size_t marked)
{
    static char list[500];
    *list = 0;
    for (int i = 0; i < COUNT; i++)
        if (found[i]) {
            strcat(list, *list ? " " : "");
            strcat(list, names[i]);
            marked--;
        }
    assert_int_equal(marked, 0);
    return list;
}

/* Returns the names that a word means. */
static const char *meant(const char *word)
{
    char found[COUNT];
    const size_t marked = names_find(word, names, COUNT, found);
    return listed(found, marked);
}

/* Returns the names that a word selects, or "several". */
static const char *selected(const char *word)
{
    char found[COUNT];
    const int marked = names_select(word, names, COUNT, found);
    return marked < 0 ? "several" : listed(found, (size_t)marked);
}

TEST(a_name_in_full_or_by_a_pattern)
{
    assert_string_equal(meant("gemm/11_zigzag"), "gemm/11_zigzag");
    assert_string_equal(meant("11_zigzag"), "gemm/11_zigzag");
    assert_string_equal(meant("01_naive"), "gemm/01_naive reduce/01_naive");
    assert_string_equal(meant("gemm/1*"), "gemm/10_warp gemm/11_zigzag gemm/12_Upper");
    assert_string_equal(meant("*zig*"), "gemm/11_zigzag");
}

TEST(a_kernel_without_its_mark)
{
    assert_string_equal(meant("app/sum"), "app/sum.2");
    assert_string_equal(meant("SUM"), "app/sum.2");
    assert_string_equal(meant("app/su"), "app/sum.2 app/sum_all.2");
    assert_string_equal(meant("max"), "app/max.2 app/max.3");
}

TEST(a_rung_by_its_number)
{
    assert_string_equal(meant("gemm/8"), "gemm/08_double_buffer");
    assert_string_equal(meant("gemm/008"), "gemm/08_double_buffer");
    assert_string_equal(meant("gemm/1"), "gemm/01_naive");
    assert_string_equal(meant("11"), "gemm/11_zigzag");
    assert_string_equal(meant("8"), "gemm/08_double_buffer gemm_abl/08_b");
    assert_string_equal(meant("reduce/10"), "");
    assert_string_equal(meant("gemm/0"), "gemm/01_naive gemm/08_double_buffer");
    assert_string_equal(meant("gemm/99"), "");
    assert_string_equal(meant("gemm/99999999999999999999999"), "");
}

TEST(a_name_by_its_beginning)
{
    assert_string_equal(meant("gemm/08_d"), "gemm/08_double_buffer");
    assert_string_equal(meant("reduce/l"), "reduce/library");
    assert_string_equal(meant("reduce/"), "reduce/01_naive reduce/100_x reduce/library");
    assert_string_equal(meant("gemm/13"), "");
}

TEST(a_name_regardless_of_case)
{
    assert_string_equal(meant("GEMM/11"), "gemm/11_zigzag");
    assert_string_equal(meant("Gemm/11_ZigZag"), "gemm/11_zigzag");
    assert_string_equal(meant("gemm/12_upper"), "gemm/12_Upper");
}

/* Returns what is suggested, or "". */
static const char *suggested(const char *word)
{
    static char to[200];
    struct text text = {0};
    const int found = names_suggest(&text, word, names, COUNT);
    assert_int_equal(found, text.length > 0);
    snprintf(to, sizeof to, "%s", text_string(&text));
    text_free(&text);
    return to;
}

TEST(a_typo_means_nothing_and_names_are_suggested)
{
    static const char *const rows[][2] = {
        {"gem/08", "'gemm/08'"},
        {"gem/9", "'gemm_abl/9'"},
        {"RED/1", "'reduce/1'"},
        {"gemm_/8", "'gemm_abl/8'"},
        {"gmem/08", "'gemm/08'"},
        {"redcue/3", ""},
        {"reduce_batch/1", "'reduce_batched/1'"},
        {"reduce_batched_more/01", "'reduce_batched/01'"},
        {"/08", ""},
        {"xyzzy/08", ""},
        {"gem/*", "'gemm/*'"},
        {"gem/99", ""},
        {"gemm_alb/8", "'gemm_abl/8'"},
        {"gemm/8x", "'gemm/08_double_buffer'"},
        {"GEMM/8x", "'gemm/08_double_buffer'"},
        {"gmem/8x", "'gemm/08_double_buffer'"},
        {"gemm/08_simple", "'gemm/08_double_buffer'"},
        {"gemm/naive", "'gemm/01_naive'"},
        {"gemm/9_naive", "'gemm/01_naive'"},
        {"gemm/10_naive", "'gemm/01_naive' or 'gemm/10_warp'"},
        {"gemm/1_e", "'gemm/01_naive'"},
        {"gemm/zigzg", "'gemm/11_zigzag'"},
        {"reduce/libary", "'reduce/library'"},
        {"app/maxx", "'app/max.2'"},
        {"app/a", ""},
        {"reduse", "'reduce'"},
        {"gemm_alb", "'gemm_abl'"},
        {"zigzg", "'gemm/11_zigzag'"},
        {"11_zigzg", "'gemm/11_zigzag'"},
        {"gemm/99", ""},
        {"", ""},
    };
    char expected[200];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (*rows[i][0]) assert_string_equal(meant(rows[i][0]), "");
        if (*rows[i][0]) assert_string_equal(selected(rows[i][0]), "");
        snprintf(expected, sizeof expected, *rows[i][1] ? "did you mean %s?" : "%s", rows[i][1]);
        assert_string_equal(suggested(rows[i][0]), expected);
    }
}

TEST(of_many_near_names_three_are_suggested)
{
    static const char *const four[] = {"f/01_warp_a", "f/02_warp_b", "f/03_warp_c", "f/04_warp_d"};
    struct text text = {0};
    assert_int_equal(names_suggest(&text, "f/warp", four, 4), 1);
    assert_string_equal(text_string(&text),
                        "did you mean 'f/01_warp_a', 'f/02_warp_b' or 'f/03_warp_c'?");
    text_free(&text);
    assert_int_equal(names_list_family(&text, "it has", "f/99", four, 4), 4);
    assert_string_equal(text_string(&text),
                        "it has f/01_warp_a, f/02_warp_b, f/03_warp_c, f/04_warp_d");
    text_free(&text);
    assert_int_equal(names_list_family(&text, "it has", "fff/99", four, 4), 0);
    assert_string_equal(text_string(&text), "");
}

TEST(a_word_selects_what_it_matches_else_the_one_that_it_means)
{
    assert_string_equal(selected("gemm/1*"), "gemm/10_warp gemm/11_zigzag gemm/12_Upper");
    assert_string_equal(selected("01_naive"), "gemm/01_naive reduce/01_naive");
    assert_string_equal(selected("gemm_abl"), "gemm_abl/08_b gemm_abl/09_a");
    assert_string_equal(selected("REDUCE"), "reduce/01_naive reduce/100_x reduce/library");
    assert_string_equal(selected("gemm/1"), "gemm/01_naive");
    assert_string_equal(selected("GEMM/8"), "gemm/08_double_buffer");
    assert_string_equal(selected("gemm/11_z"), "gemm/11_zigzag");
    assert_string_equal(selected("reduce/"), "several");
    assert_string_equal(selected("8"), "several");
    assert_string_equal(selected("gemm/13"), "");
}

TEST(hostile_words_mean_nothing)
{
    char found[1];
    assert_string_equal(meant("["), "");
    assert_string_equal(meant("gemm/\033[31m"), "");
    assert_string_equal(meant("\xff/\xfe"), "");
    assert_int_equal(names_find("gemm/8", names, 0, found), 0);
}

TEST(keys_need_no_quotes)
{
    static const char *const rows[][2] = {
        {"sgemm2DBlocktiling<128,128,8,8,8>", "sgemm2DBlocktiling-128-128-8-8-8"},
        {"GeluCUDAKernelImpl(float)", "GeluCUDAKernelImpl-float"},
        {"reduce_kernel<ArgMaxOps<float>>", "reduce_kernel-ArgMaxOps-float"},
        {"_kernel_agent<square<float*>>", "kernel_agent-square-float"},
        {"k<unsigned int,-1>", "k-unsigned_int-m1"},
        {"k<main(int)#2>", "k-main-int_2"},
        {"long_na..me", "long_na..me"},
        {"mul<float, 4>", "mul-float-4"},
        {"$(touch x);`y`", "touch_x__y"},
        {"\xc3\xa9", "x"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char key[64];
        names_key(rows[i][0], key);
        assert_string_equal(key, rows[i][1]);
    }
}

RUN_TESTS(NULL, NULL)
