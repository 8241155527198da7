#include "fixture.h"

#include "evaluate/halves.h"
#include "evaluate/evaluate.h"

/* A run of the families that are named is evaluated whole, one of both in halves: the same must
 * come out. */
enum { POINTS = HALVES_LEAST / 2 };

static const char records[] =
    "counter c\n    from x\n    set one\n    over sum\n    unit u\n    means m\n"
    "metric rate\n    unit u\n    formula 1e6 / time_ns\n    better higher\n    most 5000\n    "
    "means m\n"
    "metric twice\n    unit u\n    formula 2 * c + rate\n    better higher\n    means m\n"
    "metric gain\n    unit u\n    formula prev_time_ns / time_ns\n    better higher\n    means m\n";

struct tables_text {
    struct text points, samples, counters, kernels;
};

/* One point: its time, and its counter in two repeats; of the family b nothing is counted but at
 * its last point, and there once. */
static void add_point(struct tables_text *text, char family, const char *variant, int size,
                      int kernel)
{
    const int counted = family == 'a' ? 2 : size == POINTS / 2;
    text_format(&text->points, "%c,%s,%d,32,0,ok,,4,1,1\n", family, variant, size);
    for (int i = 0; i < 2; i++)
        text_format(&text->samples, "%c,%s,%d,32,0,cold,end_to_end,a,%d,%d,1000,ok\n", family,
                    variant, size, i, 1000 + 7 * size % 1000 + i);
    for (int repeat = 0; repeat < counted; repeat++)
        text_format(&text->counters, "%c,%s,%d,32,0,0,%d,one,1,c,x,%d,ok\n", family, variant, size,
                    repeat, size + repeat);
    text_format(&text->kernels, "%d,%c,%s,%d,32,0,0,k,k,ok,ok,1,1,1,0,0,ok,ok\n", kernel, family,
                variant, size);
}

/* Kernels are numbered across the families; a point of each is too fast to be true. */
static void make_families(const char *run, const char *families)
{
    struct tables_text text = {0};
    struct text variants = {0};
    make_run(run);
    for (const char *family = families; *family; family++)
        text_format(&variants, "%c,01_x,1,X,,kernel\n%c,02_y,2,Y,01_x,kernel\n", *family, *family);
    write_variants(run, text_string(&variants));
    for (int size = 1; size <= POINTS / 2; size++)
        for (const char *family = families + strlen(families); family-- > families;) {
            add_point(&text, *family, "01_x", size, 4 * size + 2 * (*family == 'a'));
            add_point(&text, *family, "02_y", size, 4 * size + 2 * (*family == 'a') + 1);
        }
    for (const char *family = families; *family; family++) {
        text_format(&text.points, "%c,02_y,9999,32,0,ok,,4,1,1\n", *family);
        text_format(&text.samples, "%c,02_y,9999,32,0,cold,end_to_end,a,0,1,1000,ok\n", *family);
    }
    write_table(run, TABLE_POINTS, text_string(&text.points));
    write_table(run, TABLE_SAMPLES, text_string(&text.samples));
    write_table(run, TABLE_COUNTERS, text_string(&text.counters));
    write_table(run, TABLE_KERNELS, text_string(&text.kernels));
    text_free(&text.points);
    text_free(&text.samples);
    text_free(&text.counters);
    text_free(&text.kernels);
    text_free(&variants);
}

/* Where it parts, or "" for a run that is not halved. */
static const char *split_of(const char *name)
{
    static char found[32];
    struct run run;
    char *split = NULL;
    assert_int_equal(run_open(&run, place(name)), 0);
    assert_int_equal(halves_choose(&run, &split), 0);
    run_close(&run);
    snprintf(found, sizeof found, "%s", split ? split : "");
    free(split);
    return found;
}

static int evaluate(const char *name, int *impossible)
{
    struct run run;
    int result = run_open(&run, place(name));
    if (result) return result;
    result = evaluate_run(&run);
    *impossible = run.impossible;
    run_close(&run);
    return result;
}

static const char *after_header(const char *text)
{
    const char *feed = strchr(text, '\n');
    return feed ? feed + 1 : "";
}

/* This file of the run of both is that of the first and then that of the second. */
static void is_joined(const char *file)
{
    char name[64];
    snprintf(name, sizeof name, "ab/%s", file);
    char *both = strdup(read_text(name));
    snprintf(name, sizeof name, "a/%s", file);
    char *first = strdup(read_text(name));
    snprintf(name, sizeof name, "b/%s", file);
    const char *second = after_header(read_text(name));
    if (strncmp(both, first, strlen(first)) || strcmp(both + strlen(first), second))
        fail_msg("%s of the halves differs from that of the families", file);
    assert_true(strlen(first) > 100 && strlen(second) > 100);
    free(first);
    free(both);
}

static void what_comes_of_the_halves_comes_of_the_whole(void **state)
{
    int found[3];
    (void)state;
    make_data(records, "");
    make_families("a", "a");
    make_families("b", "b");
    make_families("ab", "ab");
    assert_string_equal(split_of("a"), "");
    assert_string_equal(split_of("ab"), "b");
    SUCCEEDS(evaluate("a", &found[0]), "a/02_y, size 9999: ");
    SUCCEEDS(evaluate("b", &found[1]), "b/02_y, size 9999: ");
    listen_to_stderr();
    const int result = evaluate("ab", &found[2]);
    const char *said = heard();
    assert_int_equal(result, 0);
    assert_true(strstr(said, "a/02_y, size 9999: ") && strstr(said, "b/02_y, size 9999: "));
    assert_int_equal(found[0], 1);
    assert_int_equal(found[1], 1);
    assert_int_equal(found[2], 2);
    is_joined("metrics.csv");
    is_joined("impossible.csv");
    assert_string_equal(cell("ab/metrics.csv", "b,02_y,7,32,0", "rate"),
                        cell("b/metrics.csv", "b,02_y,7,32,0", "rate"));
    assert_string_equal(cell("ab/metrics.csv", "a,02_y,7,32,0", "twice"),
                        cell("a/metrics.csv", "a,02_y,7,32,0", "twice"));
}

/* Points without counters have as many repeats as any of the run has. */
static void repeats_are_those_of_the_whole_run(void **state)
{
    (void)state;
    assert_string_equal(cell("b/noise.csv", "b,01_x,7,32,0", "rate"), "");
    assert_string_equal(cell("ab/noise.csv", "b,01_x,7,32,0", "rate"), "0");
    assert_string_equal(cell("ab/noise.csv", "a,01_x,7,32,0", "rate"), "0");
    assert_string_equal(cell("ab/noise.csv", "a,01_x,7,32,0", "twice"), "2");
}

static void kernels_stand_in_the_order_of_their_numbers(void **state)
{
    struct csv_reader reader;
    long long before = -1;
    int rows = 0;
    (void)state;
    assert_int_equal(csv_open(&reader, place("ab/kernel_counters.csv")), 0);
    assert_int_equal(csv_next(&reader), 1);
    assert_string_equal(reader.cell[1], "c");
    while (csv_next(&reader) > 0) {
        const long long kernel = strtoll(reader.cell[0], NULL, 10);
        assert_true(kernel == before + 1 || before < 0);
        before = kernel;
        rows++;
        char expected[16] = "";
        if (kernel % 4 >= 2)
            snprintf(expected, sizeof expected, "%g",
                     (double)(kernel / 4) + 0.5); /* of the family a: the median of its repeats */
        else if (kernel / 4 == POINTS / 2)
            snprintf(expected, sizeof expected, "%d", POINTS / 2);
        assert_string_equal(reader.cell[1], expected);
    }
    csv_close(&reader);
    assert_int_equal(rows, 2 * POINTS);
}

/* Rows of either half are looked at, and nothing is left beside the files. */
static void damage_in_either_half_is_found(void **state)
{
    static const char *const damaged[] = {"a,02_y,3,32,0,cold,end_to_end,a,0,x,1000,ok\n",
                                          "b,02_y,3,32,0,cold,end_to_end,a,0,x,1000,ok\n",
                                          "c,02_y,3,32,0,cold,end_to_end,a,0,x,1000,ok\n"};
    int found = 0;
    (void)state;
    char *samples = strdup(read_text("ab/samples.csv")),
         *metrics = strdup(read_text("ab/metrics.csv"));
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        struct text text = {0};
        text_format(&text, "%s%s", samples, damaged[i]);
        write_text("ab/samples.csv", text_string(&text));
        text_free(&text);
        FAILS(evaluate("ab", &found), FAIL_INPUT, "expected a number or nothing, found 'x'");
        assert_string_equal(read_text("ab/metrics.csv"), metrics);
        assert_false(exists("ab/*.tmp"));
    }
    write_text("ab/samples.csv", samples);
    free(samples);
    free(metrics);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_comes_of_the_halves_comes_of_the_whole),
        cmocka_unit_test(repeats_are_those_of_the_whole_run),
        cmocka_unit_test(kernels_stand_in_the_order_of_their_numbers),
        cmocka_unit_test(damage_in_either_half_is_found),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
