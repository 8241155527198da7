#include "watched_program/program_watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/process.h"
#include "watched_program/program_plan.h"

enum { LEAST_TIMEOUT = 60, LEAST_REPLAY_TIMEOUT = 30, TIMES_OF_FIRST = 20 };

/* How long a later start may take. Twins are timed in a few seconds, and nothing slows the rest. A
 * replay that hangs is given up soon, because there is another way. */
static double most_seconds(const struct program_watch *watch)
{
    if (watch->replay_of) return 3 * watch->end[watch->replay_of].seconds + LEAST_REPLAY_TIMEOUT;
    return (watch->first_knockouts ? 2 : TIMES_OF_FIRST) * watch->end[0].seconds + LEAST_TIMEOUT;
}

double program_watch_expected_seconds(const struct program_watch *watch, int starts)
{
    return starts * (watch->end[0].seconds + 1);
}

int program_watch_fits(struct program_watch *watch, int starts)
{
    const double budget = watch->options->budget,
                 end = seconds_now() - watch->began + program_watch_expected_seconds(watch, starts);
    if (budget <= 0 || end <= budget) return 1;
    watch->is_cut = 1;
    return 0;
}

int program_watch_start(struct program_watch *watch, struct text *plan, const char *purpose)
{
    const int number = watch->starts;
    struct text whole = {0};
    const struct path directory = path_of("%s/watch/%d", watch->directory, number),
                      output = path_of("%s/output/%d", watch->directory, number);
    int result = number == MOST_STARTS
                     ? error(FAIL_GPU, "the program would be started more than %d times", number)
                     : directory_make(directory.at);
    program_plan_processes(&whole, number ? &watch->part[0] : NULL);
    text_append(&whole, text_string(plan));
    text_free_piece(plan, &whole);
    if (watch->options->filter.by || watch->options->filter.range)
        text_format(&whole, "by\t%s\n",
                    watch->options->filter.by ? watch->options->filter.by : "range");
    if (!result) result = atomic_file_write(directory.at, "plan.txt", &whole);
    text_free(&whole);
    if (!result && number) result = directory_make(path_in(watch->directory, "output").at);
    if (!result) {
        const struct program_start start = {.words = watch->options->words,
                                            .path = watch->path,
                                            .library = watch->library,
                                            .directory = directory.at,
                                            .output = number ? output.at : NULL,
                                            .most_seconds = most_seconds(watch)};
        progress_next(1, NULL);
        result = program_start(&start, &watch->input, &watch->end[number]);
    }
    if (result) return result;
    if (watch->end[number].unwritten)
        warning("start %d: records of the kernels are missing, because they could not be written: "
                "%s",
                number + 1, strerror(watch->end[number].unwritten));
    result = program_parts_read(&watch->part[watch->starts++], directory.at);
    if (!result)
        detail("start %d, for %s, took %.1f s", number + 1, purpose, watch->end[number].seconds);
    return result;
}

/* Returns the output of a start that is not the first. */
static char *output_of(const struct program_watch *watch, int start, size_t *size)
{
    return text_read_file(path_of("%s/output/%d.stdout", watch->directory, start).at, size);
}

int program_watch_same_output(const struct program_watch *watch, int one, int other)
{
    size_t left = 0, right = 0;
    char *a = output_of(watch, one, &left), *b = output_of(watch, other, &right);
    const int same = a && b && left == right && !memcmp(a, b, left);
    free(a);
    free(b);
    return same;
}

int program_watch_are_alike(const struct program_watch *watch, int one, int other)
{
    return watch->end[one].status == watch->end[other].status &&
           program_watch_same_output(watch, one, other);
}

int program_watch_first_difference(const struct program_watch *watch, int one, int other)
{
    char *a = output_of(watch, one, NULL), *b = output_of(watch, other, NULL);
    int line = 1;
    for (size_t i = 0; a && b && a[i] && a[i] == b[i]; i++) line += a[i] == '\n';
    free(a);
    free(b);
    return line;
}
