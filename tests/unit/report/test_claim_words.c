/* Tests that the numbers of a verdict become words with units. */
#include "fixture.h"

#include "base/text.h"
#include "report/claim_words.h"

static void numbers_in_words(void **state)
{
    static const struct {
        const char *numbers, *words;
    } rows[] = {
        {"warp_instructions = 49513389; prev_warp_instructions = 39113799",
         "warp instructions 49\xE2\x80\xAF"
         "513\xE2\x80\xAF"
         "389, before "
         "39\xE2\x80\xAF"
         "113\xE2\x80\xAF"
         "799"},
        {"time_ns = 857024; prev_time_ns = 482944", "time 857.0 µs, before 482.9 µs"},
        {"time_ns = 12", "time 12.00 ns"},
        {"tflops = 58.0; fp32_peak_tflops = 66.9", "58 TFLOP/s; FP32 peak 66.90 TFLOP/s"},
        {"effective_gbs = 4500", "effective 4500 GB/s"},
        {"wrong_pct = 100", "wrong 100 %"},
        {"dram_pct_peak = 92.5", "DRAM % of peak 92.50"},
        {"registers = 150; max_block_threads = 384", "registers 150; max block threads 384"},
        {"faster = 0", "not faster"},
        {"slower = 1; floor_pct = 0.5", "slower; floor 0.5 %"},
        {"faster = absent; prev_floor_pct = 2", "faster absent; floor before 2 %"},
        {"a = 1; prev_ab = 2; prev_b = -3; b = 4", "a 1; ab before 2; b before -3; b 4"},
        {"prev_a = 1; a = 2", "a before 1; a 2"},
        {"needs prev_time_ns, a", "needs prev_time_ns, a"},
        {"the claim is about the A100; a = absent", "the claim is about the A100; a absent"},
        {"a = ", "a "},
        {"", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text words = {0};
        claim_words_append(&words, rows[i].numbers);
        assert_string_equal(text_string(&words), rows[i].words);
        text_free(&words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_in_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
