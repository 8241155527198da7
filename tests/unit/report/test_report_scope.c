/* Tests which part of a large run its report shows. */
#include "fixture.h"

#include "report/report_scope.h"

/* Chooses of a run with ladders of nine rungs, f0, f1, ..., each at eight sizes, 1, 2, 4, ..., and
 * in settings 1, 2, ... Single instructions are known of all of them. The first size is the main
 * one, and the best settings are not known. */
static struct report_scope shown_of(int ladders, int settings)
{
    enum { RUNGS = 9, SIZES = 8 };
    struct text families = {0}, variants = {0}, points = {0}, kernels = {0};
    struct report_scope shown;
    OWNED_BY(run_close) struct run run;
    int kernel = 0;
    for (int f = 0; f < ladders; f++) {
        text_format(&families, "f%d,F,p,b,bytes,1\n", f);
        for (int v = 0; v < RUNGS; v++) {
            text_format(&variants, "f%d,%d_v,%d,V,,kernel\n", f, v, v);
            for (int size = 1; size < 1 << SIZES; size *= 2)
                for (int s = 1; s <= settings; s++) {
                    text_format(&points, "f%d,%d_v,%d,32,%d,ok,,%d\n", f, v, size, s, 8 * size);
                    text_format(&kernels, "%d,f%d,%d_v,%d,32,%d,0,s,n,ok,ok,,,,,,ok,ok\n", kernel++,
                                f, v, size, s);
                }
        }
    }
    make_run("r");
    write_table("r", TABLE_FAMILIES, text_string(&families));
    write_variants("r", text_string(&variants));
    write_table("r", TABLE_POINTS, text_string(&points));
    write_table("r", TABLE_KERNELS, text_string(&kernels));
    write_table("r", TABLE_METRICS, "");
    text_free(&families);
    text_free(&variants);
    text_free(&points);
    text_free(&kernels);
    assert_int_equal(run_open(&run, place("r")), 0);
    assert_int_equal(report_scope_choose(&shown, &run), 0);
    return shown;
}

/* One ladder of nine rungs at eight sizes in ten settings is shown whole; two such ladders are
 * shown at all sizes, but not with all kernels. */
TEST(a_large_run_is_shown_in_part)
{
    struct report_scope small = shown_of(1, 10), large = shown_of(2, 10);
    assert_false(report_scope_is_selection(&small));
    assert_int_equal(small.kernels.all, 720);
    assert_int_equal(small.kernels.shown, small.kernels.all);
    assert_true(report_scope_is_selection(&large));
    assert_int_equal(large.families.shown, 2);
    assert_int_equal(large.places.shown, 16);
    assert_int_equal(large.kernels.all, 1440);
    assert_int_equal(large.kernels.shown, 18);
    report_scope_free(&small);
    report_scope_free(&large);
}

/* With too many ladders, the first ones are shown, each at its main size and its largest. All have
 * the same number of rungs here. */
TEST(the_first_of_many_ladders_are_shown)
{
    static const struct {
        const char *name[3];
        int is_hidden;
    } rows[] = {{{"family", "f0", ""}, 0},
                {{"family", "f6", ""}, 1},
                {{"place", "f5", "1"}, 0},
                {{"place", "f5", "128"}, 0},
                {{"place", "f5", "2"}, 1}};
    OWNED_BY(report_scope_free) struct report_scope shown = shown_of(7, 2);
    assert_int_equal(shown.families.all, 7);
    assert_int_equal(shown.families.shown, SHOWN_FAMILIES);
    assert_int_equal(shown.places.all, 7 * 8);
    assert_int_equal(shown.places.shown, SHOWN_PLACES);
    assert_int_equal(shown.kernels.shown, SHOWN_FAMILIES * 9);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(string_set_has(&shown.hidden, rows[i].name, 3), rows[i].is_hidden);
}

RUN_TESTS(fixture_open, fixture_close)
