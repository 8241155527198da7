#include "watched_program/program_choice.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/names.h"
#include "catalog/thresholds.h"

const char program_choice_minor[] = "the kernel takes less than " PROGRAM_MINOR_TEXT
                                    " % of the selected time (--kernel can choose it alone)";

static int compile(regex_t *regex, const char *pattern, const char *option)
{
    char reason[160];
    const int status = regcomp(regex, pattern, REG_EXTENDED | REG_NOSUB);
    if (!status) return 0;
    regerror(status, regex, reason, sizeof reason);
    return error(FAIL_USAGE, "%s '%s': %s", option, pattern, reason);
}

int program_filter_check(const struct program_filter *filter)
{
    const char *const pattern[] = {filter->kernel, filter->range}, *const option[] = {"--kernel",
                                                                                      "--range"};
    int result = 0;
    if (filter->by && strcmp(filter->by, "range") && strcmp(filter->by, "operator"))
        return error(FAIL_USAGE, "--by: expected range or operator, found '%s'", filter->by);
    for (int i = 0; i < 2 && !result; i++) {
        regex_t regex;
        if (!pattern[i]) continue;
        result = compile(&regex, pattern[i], option[i]);
        if (!result) regfree(&regex);
    }
    return result;
}

/* Returns 1 for a match, and if there is no pattern. */
static int matches(const char *pattern, const char *text)
{
    regex_t regex;
    if (!pattern) return 1;
    if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB)) return 0;
    const int found = regexec(&regex, text, 0, NULL, 0) == 0;
    regfree(&regex);
    return found;
}

int program_filter_takes(const struct program_filter *filter, int ordinal)
{
    return ordinal >= filter->skip && (!filter->count || ordinal < filter->skip + filter->count);
}

/* Returns 1 if a pattern matches a name that the kernel has anywhere, or if there is none. */
static int is_called(const char *pattern, const struct program_kernel *kernel)
{
    char key[KERNEL_LABEL];
    names_key(kernel->label, key);
    return matches(pattern, kernel->symbol) || matches(pattern, kernel->name) ||
           matches(pattern, kernel->label) || matches(pattern, key);
}

static int is_candidate(const struct program_kernel *kernel, const struct program_filter *filter)
{
    size_t taken = 0;
    for (size_t i = 0; i < kernel->launch_count; i++)
        taken += (size_t)program_filter_takes(filter, kernel->launch[i].ordinal);
    return taken && (filter->process < 0 || kernel->process == filter->process) &&
           matches(filter->range, kernel->range) && is_called(filter->kernel, kernel);
}

static int compare_times(const void *left, const void *right)
{
    const struct program_kernel *a = *(const struct program_kernel *const *)left,
                                *b = *(const struct program_kernel *const *)right;
    if (a->total_ns != b->total_ns) return a->total_ns < b->total_ns ? 1 : -1;
    if (a->process != b->process) return a->process - b->process;
    return a->number - b->number;
}

/* Returns the time of the chosen kernels, or of those in the process of this one if each process
 * counts. */
static double chosen_beside(const struct program_choice *choice,
                            const struct program_kernel *kernel)
{
    double chosen_ns = 0;
    if (!choice->each) return choice->chosen_ns;
    for (int i = 0; i < choice->count; i++)
        if (choice->kernel[i]->process == kernel->process) chosen_ns += choice->kernel[i]->total_ns;
    return chosen_ns;
}

/* Returns 1 if the kernels that were chosen before do not yet make up enough of the time. */
static int is_wanted(const struct program_choice *choice, const struct program_parts *parts,
                     const struct program_kernel *next)
{
    double total_ns = 0;
    for (int i = 0; i < parts->kernel_count; i++)
        if (!choice->each || parts->kernel[i].process == next->process)
            total_ns += parts->kernel[i].total_ns;
    return chosen_beside(choice, next) < PROGRAM_KEPT_PCT / 100.0 * total_ns;
}

int program_choice_make(struct program_choice *choice, const struct program_parts *parts,
                        const struct program_filter *filter)
{
    const int is_named = filter->kernel || filter->range || filter->process >= 0;
    int candidates = 0;
    *choice = (struct program_choice){
        .each = filter->each,
        .kernel = calloc((size_t)parts->kernel_count + 1, sizeof *choice->kernel)};
    if (!choice->kernel) return error_memory();
    for (int i = 0; i < parts->kernel_count; i++) {
        choice->total_ns += parts->kernel[i].total_ns;
        if (is_candidate(&parts->kernel[i], filter))
            choice->kernel[candidates++] = &parts->kernel[i];
    }
    qsort(choice->kernel, (size_t)candidates, sizeof *choice->kernel, compare_times);
    for (int i = 0; i < candidates && choice->count < MOST_CHOSEN; i++) {
        const struct program_kernel *next = choice->kernel[i];
        if (!is_named && !is_wanted(choice, parts, next)) continue;
        choice->kernel[choice->count++] = next;
        choice->chosen_ns += next->total_ns;
    }
    choice->others = parts->kernel_count - choice->count;
    return 0;
}

int program_choice_is_minor(const struct program_choice *choice, int k)
{
    return choice->kernel[k]->total_ns <
           PROGRAM_MINOR_PCT / 100.0 * chosen_beside(choice, choice->kernel[k]);
}

int program_choice_is_minor_function(const struct program_choice *choice, int k)
{
    const struct program_kernel *of = choice->kernel[k];
    double total_ns = 0;
    unsigned same = 0;
    for (int i = 0; i < choice->count; i++) {
        if (choice->kernel[i]->process != of->process ||
            strcmp(choice->kernel[i]->symbol, of->symbol))
            continue;
        same |= 1u << i;
        total_ns += choice->kernel[i]->total_ns;
    }
    return !(choice->counts_minor & same) &&
           total_ns < PROGRAM_MINOR_PCT / 100.0 * chosen_beside(choice, of);
}

void program_choice_free(struct program_choice *choice)
{
    free(choice->kernel);
    memset(choice, 0, sizeof *choice);
}
