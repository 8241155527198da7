#include "inject/part_files.h"

/* The module is not part of the program, but of the library that is loaded into others. */
#include "inject/part_files.c" /* NOLINT(bugprone-suspicious-include) */

#include "fixture.h"

static char *contents(const char *name)
{
    char *text = text_read_file(path_in(place("0"), name).at, NULL);
    assert_non_null(text);
    return text;
}

static void rows_wait_until_they_are_flushed(void **state)
{
    (void)state;
    for (int round = 0; round < 2; round++) {
        struct csv_writer *row = part_row(PART_TOTALS);
        assert_non_null(row);
        csv_text(row, "total");
        csv_integer(row, round);
        part_row_end(row);
        part_flush();
    }
    char *text = contents("totals.csv");
    assert_string_equal(text, "name,value\ntotal,0\ntotal,1\n");
    free(text);
}

/* A program that watches its descriptors finds none of ours. */
static void nothing_stays_open(void **state)
{
    (void)state;
    const int before = dup(0);
    close(before);
    part_fact("pid", "7");
    part_cubin(0xab, "code", 4);
    part_cubin(0xab, "code", 4); /* the same again */
    const int after = dup(0);
    close(after);
    assert_int_equal(before, after);
    char *fact = contents("process.txt"), *cubin = contents("cubins/ab.cubin");
    assert_string_equal(fact, "pid: 7\n");
    assert_string_equal(cubin, "code");
    free(fact);
    free(cubin);
}

static void a_problem_is_written_once(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) part_problem("counters", 2, "refused, by the driver");
    part_problem("samples", -1, "busy");
    char *text = contents("problems.csv");
    assert_string_equal(
        text, "what,kernel,reason\ncounters,2,\"refused, by the driver\"\nsamples,,busy\n");
    free(text);
}

static void control_characters_are_escaped(void **state)
{
    (void)state;
    char *text = part_escaped("a\tb\nc\\d\x1b");
    assert_string_equal(text, "a\\tb\\nc\\\\d?");
    free(text);
}

static int open_part(void **state)
{
    const int result = fixture_open(state);
    return result ? result : part_open(place("")) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_wait_until_they_are_flushed),
        cmocka_unit_test(nothing_stays_open),
        cmocka_unit_test(a_problem_is_written_once),
        cmocka_unit_test(control_characters_are_escaped),
    };
    return cmocka_run_group_tests(tests, open_part, fixture_close);
}
