/*
 * Shows the lines of the run l/ (lines_run.h) as `whyfast lines` does, for tests of the output. The
 * output is the fixture's until forget.
 */
#ifndef TESTS_UNIT_LINES_SHOW_H
#define TESTS_UNIT_LINES_SHOW_H

#include "lines_run.h"

#include "lines/annotation.h"
#include "lines/lines_view.h"

static char *printed;

/* Prints the lines of the run l/; the output stays in `printed` until the next call. */
UNUSED_IS_FINE static int show(const struct lines_options *options, int columns, int colour)
{
    struct run run;
    size_t length;
    const struct terminal screen = {columns, colour};
    free(printed);
    printed = NULL;
    FILE *file = open_memstream(&printed, &length);
    assert_non_null(file);
    assert_int_equal(run_open(&run, place("l")), 0);
    const int result = lines_view_print(&run, options, &screen, file);
    run_close(&run);
    fclose(file);
    return result;
}

UNUSED_IS_FINE static struct lines_options options_of(const char *const *variants, int count)
{
    return (struct lines_options){
        .variants = variants, .variant_count = count, .choice = {.launch = -1}};
}

/* The options for one variant; they stay valid until the next call. */
UNUSED_IS_FINE static struct lines_options options_for(const char *variant)
{
    static const char *only;
    only = variant;
    return options_of(&only, 1);
}

UNUSED_IS_FINE static int show_variant(const char *variant, int columns)
{
    const struct lines_options options = options_for(variant);
    return show(&options, columns, 0);
}

/* Returns the output from the line that begins so; all of it if there is no such line. */
UNUSED_IS_FINE static const char *from(const char *beginning)
{
    for (const char *line = printed; *line; line += strcspn(line, "\n"), line += *line == '\n')
        if (!strncmp(line, beginning, strlen(beginning))) return line;
    return printed;
}

static int open_lines(void **state)
{
    make_lines_run();
    return 0;
}

/* A test that finds the run l/ made. */
#define LINES_TEST(test) TEST_WITHIN(test, open_lines, NULL)

/* Group teardown. */
static int forget(void **state)
{
    free(printed);
    printed = NULL;
    return fixture_close(state);
}

#endif
