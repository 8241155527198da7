/*
 * Runs `diff` and, for two versions, `verify`: whyfast-gpu builds two versions and measures a run
 * of both, each of them a family; then this completes the run, pairs their kernels and explains the
 * difference.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "command/command.h"
#include "command/gpu_program.h"
#include "explain/explain.h"
#include "explain/explain_pair.h"
#include "lines/lines_view.h"
#include "machine_code/kernel_name.h"
#include "machine_code/kernel_pairs.h"
#include "ncu_report/report_file.h"
#include "query/verdict.h"
#include "report/compare_print.h"
#include "report/verify_print.h"

enum { SIDES = 2 };

struct kernel {
    char *name; /* family/variant */
    char *code; /* its machine code, or the checksum of its module, or "" */
    double total_ns;
};

struct version {
    char *family;
    struct kernel kernel[MOST_PAIRED];
    int dropped; /* beyond MOST_PAIRED */
};

struct pair {
    struct kernel_pair at;
    const struct kernel *before, *after;
    double before_ns, after_ns;
    struct explain_ratio ratio;
    enum verdict verdict;
};

struct diff {
    const struct run *run;
    const struct arguments *arguments;
    struct query query;
    struct version side[SIDES];
    struct paired_version kernels[SIDES]; /* of the sides, in the same order */
    int families;
    struct pair pair[MOST_PAIRED];
    int count;
};

/* ---- the kernels of both --------------------------------------------------------------------- */

static int take_family(void *context, const struct scope *row)
{
    struct diff *diff = context;
    const int side = diff->families++;
    if (side >= SIDES) return 0;
    diff->side[side].family = strdup(row->value[0]);
    return diff->side[side].family ? 0 : error_memory();
}

static void kernel_free(struct kernel *kernel, struct paired_kernel *names)
{
    free(kernel->name);
    free(kernel->code);
    free(names->whole);
    free(names->bare);
}

static int take_kernel(void *context, const struct scope *row)
{
    struct diff *diff = context;
    const int is_after = strcmp(row->value[0], diff->side[0].family) != 0;
    struct version *side = &diff->side[is_after];
    struct paired_version *kernels = &diff->kernels[is_after];
    struct kernel kernel = {.name = text_new("%s/%s", row->value[0], row->value[1]),
                            .code = strdup(row->value[3] ? row->value[3] : ""),
                            .total_ns = row_number(row, 6)};
    struct paired_kernel names = {.whole = strdup(row->value[2]),
                                  .bare = kernel_short_name(row->value[2]),
                                  .blocks = row_number(row, 4),
                                  .threads = row_number(row, 5)};
    const int failed = !kernel.name || !kernel.code || !names.whole || !names.bare,
              takes = !failed &&
                      kernel_pairs_wants(&names, row->value[1],
                                         run_fact(diff->run, is_after ? "diff_kernel_after"
                                                                      : "diff_kernel_before"));
    if (takes && kernels->count < MOST_PAIRED) {
        side->kernel[kernels->count] = kernel;
        kernels->kernel[kernels->count++] = names;
        return 0;
    }
    side->dropped += takes;
    kernel_free(&kernel, &names);
    return failed ? error_memory() : 0;
}

static int read_kernels(struct diff *diff)
{
    static const char sql[] =
        "SELECT v.family, v.variant, coalesce(l.kernel, v.title), coalesce((SELECT "
        "group_concat(sass, char(10)) FROM (SELECT n.sass FROM kernels k JOIN lines n USING "
        "(kernel) WHERE k.family = v.family AND k.variant = v.variant ORDER BY n.pc)), "
        "v.sass_hash), l.grid_blocks, "
        "l.block_threads, (SELECT sum(time_ns) FROM samples s WHERE s.family = v.family AND "
        "s.variant = v.variant AND s.copy = 'a') FROM variants v JOIN launches l USING (family, "
        "variant) GROUP BY v.family, v.variant ORDER BY v.family, v.rung";
    int result = QUERY_LOAD(&diff->query, TABLE_FAMILIES, TABLE_VARIANTS, TABLE_LAUNCHES,
                            TABLE_SAMPLES, TABLE_METRICS, TABLE_KERNELS, TABLE_LINES);
    if (!result)
        result = query_each(&diff->query, NULL, "SELECT family FROM families ORDER BY rowid", NULL,
                            take_family, diff);
    if (!result && diff->families == 1)
        return error(FAIL_CHECK,
                     "%s alone ran kernels to their end; those of the other version "
                     "were not launched, or failed",
                     diff->side[0].family);
    if (!result && diff->families > SIDES)
        return error(FAIL_COMPARE,
                     "the two versions ran kernels in %d processes; 'whyfast run' "
                     "watches each, and 'whyfast explain' compares two kernels",
                     diff->families);
    if (!result) result = query_each(&diff->query, NULL, sql, NULL, take_kernel, diff);
    for (int i = 0; i < SIDES && !result; i++)
        if (diff->side[i].dropped)
            note("%s has %d kernels; only the %d with the most time are compared",
                 diff->side[i].family, MOST_PAIRED + diff->side[i].dropped, MOST_PAIRED);
    return result;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static void append_left(struct text *words, const struct paired_version *kernels)
{
    for (int i = 0; i < kernels->count; i++)
        if (!kernels->kernel[i].is_paired)
            text_format(words, "%s%s", words->length ? ", " : "", kernels->kernel[i].whole);
}

static const char *or_none(const struct text *words)
{
    return words->length ? words->data : "none";
}

static int by_time(const void *left, const void *right)
{
    const struct pair *a = left, *b = right;
    const double first = a->before->total_ns + a->after->total_ns,
                 second = b->before->total_ns + b->after->total_ns;
    return (first < second) - (first > second);
}

static int pair_kernels(struct diff *diff)
{
    struct kernel_pair found[MOST_PAIRED];
    struct text words[SIDES] = {{0}, {0}};
    int result = 0;
    diff->count = kernel_pairs_find(found, diff->kernels,
                                    run_fact(diff->run, "diff_kernel_before") &&
                                        run_fact(diff->run, "diff_kernel_after"));
    for (int i = 0; i < diff->count; i++)
        diff->pair[i] = (struct pair){.at = found[i],
                                      .before = &diff->side[0].kernel[found[i].before],
                                      .after = &diff->side[1].kernel[found[i].after]};
    for (int i = 0; i < SIDES; i++) append_left(&words[i], &diff->kernels[i]);
    if (!diff->count)
        result = error(FAIL_COMPARE,
                       "which kernels are to be compared? A has %s; B has %s. Name one of each "
                       "behind a ':', as in 'old.cu:add new.cu:add_fast'",
                       or_none(&words[0]), or_none(&words[1]));
    else if (words[0].length || words[1].length)
        note("kernels without a counterpart: of A %s, of B %s", or_none(&words[0]),
             or_none(&words[1]));
    for (int i = 0; i < SIDES; i++) text_free(&words[i]);
    qsort(diff->pair, (size_t)diff->count, sizeof *diff->pair, by_time);
    return result;
}

/* The same code with another grid has another problem. */
static int check_sizes(const struct diff *diff)
{
    for (int i = 0; i < diff->count; i++) {
        const struct pair *pair = &diff->pair[i];
        const struct paired_kernel *a = &diff->kernels[0].kernel[pair->at.before],
                                   *b = &diff->kernels[1].kernel[pair->at.after];
        if (*pair->before->code && !strcmp(pair->before->code, pair->after->code) &&
            !strcmp(a->whole, b->whole) && a->threads == b->threads && a->blocks != b->blocks)
            return error(FAIL_COMPARE,
                         "the same machine code of %s has a grid of %.0f blocks in A and %.0f in "
                         "B: the problem sizes differ",
                         a->whole, a->blocks, b->blocks);
    }
    return 0;
}

/* ---- times ----------------------------------------------------------------------------------- */

static int take_times(void *context, const struct scope *row)
{
    struct pair *pair = context;
    pair->before_ns = row_number(row, 0);
    pair->after_ns = row_number(row, 1);
    pair->ratio = (struct explain_ratio){pair->before_ns / pair->after_ns, row_number(row, 2),
                                         row_number(row, 3), row_number(row, 4)};
    pair->verdict = verdict_of(pair->ratio.low, pair->ratio.high, pair->ratio.floor_pct);
    return 0;
}

static int judge(struct diff *diff)
{
    static const char sql[] =
        "SELECT a.time_ns, b.time_ns, a.time_low_ns / b.time_high_ns, a.time_high_ns / "
        "b.time_low_ns, max(a.floor_pct, b.floor_pct) FROM metrics a, metrics b WHERE a.family || "
        "'/' || a.variant = :before AND b.family || '/' || b.variant = :after LIMIT 1";
    int result = 0;
    for (int i = 0; i < diff->count && !result; i++) {
        struct pair *pair = &diff->pair[i];
        const struct scope scope =
            SCOPE_OF(STRINGS("before", "after"), STRINGS(pair->before->name, pair->after->name));
        pair->before_ns = pair->after_ns = NAN;
        result = query_each(&diff->query, NULL, sql, &scope, take_times, pair);
    }
    return result;
}

/* ---- printing -------------------------------------------------------------------------------- */

/* Returns what follows these words in the fact about the results, or NULL. */
static const char *results_after(const struct diff *diff, const char *words)
{
    const char *results = run_fact(diff->run, "diff_results");
    return results && !strncmp(results, words, strlen(words)) ? results + strlen(words) : NULL;
}

/* Returns in what the results of B differ, or NULL. */
static const char *difference(const struct diff *diff)
{
    return results_after(diff, "differ: ");
}

/* Returns why it is unknown whether B is right, or NULL. */
static const char *unknown(const struct diff *diff)
{
    return results_after(diff, ABSENT);
}

/* The versions, whether B is right, and the times of all pairs if there are several. */
static int print_head(const struct diff *diff, const struct verified *verified)
{
    const struct terminal screen = terminal_of_stdout();
    const char *wrong = difference(diff);
    struct text page = {0};
    terminal_line(&page, "A is %s (%s), B is %s (%s).", run_fact(diff->run, "diff_before"),
                  diff->side[0].family, run_fact(diff->run, "diff_after"), diff->side[1].family);
    if (wrong)
        terminal_line(&page, "B is wrong: %s.", wrong);
    else if (unknown(diff))
        terminal_line(&page, "Whether their results are equal is unknown: %s.", unknown(diff));
    else if (results_after(diff, "equal"))
        text_append(&page, "Their results are equal.\n");
    text_append(&page, "\n");
    if (diff->count > 1) {
        print_table_append(&page, &verified->points, &screen);
        text_append(&page, "\n");
    }
    return page_print(stdout, &page, verified->points.failed ? error_memory() : 0);
}

static int print_lines(const struct diff *diff, const struct pair *pair)
{
    const char *const variants[] = {pair->before->name, pair->after->name};
    const struct lines_options options = {
        .variants = variants, .variant_count = SIDES, .choice = {.launch = -1}, .hot_only = 1};
    const struct terminal screen = terminal_of_stdout();
    struct text reason = {0};
    printf("\n");
    struct text *kept = message_keep(&reason);
    const int result = lines_view_print(diff->run, &options, &screen, stdout);
    message_keep(kept);
    if (result) note("the lines are not shown: %s", text_string(&reason));
    text_free(&reason);
    return 0;
}

/* Without counters the times are all that is known. */
static int print_times(const struct pair *pair, const char *reason)
{
    char before[24], after[24];
    printf("%s takes %s in A, %s takes %s in B: %.3f times as fast, %s.\n", pair->before->name,
           text_time(before, pair->before_ns), pair->after->name, text_time(after, pair->after_ns),
           pair->before_ns / pair->after_ns, verdict_words[pair->verdict]);
    note("the causes are unknown: %s", reason);
    return 0;
}

static int print_answer(const struct diff *diff, const struct pair *pair, struct verified *verified)
{
    const enum print_form form = arguments_form(diff->arguments);
    if (form != PRINT_SCREEN) {
        if (difference(diff)) warning("B is wrong: %s", difference(diff));
        if (unknown(diff)) warning("whether the results are equal is unknown: %s", unknown(diff));
        return verified->pair ? explain_pair_print_data(verified->pair, form)
                              : error(FAIL_INPUT, "%s", text_string(&verified->unexplained));
    }
    const int result = print_head(diff, verified);
    if (result) return result;
    if (!verified->pair) return print_times(pair, text_string(&verified->unexplained));
    const int printed = explain_pair_print(verified->pair, 0, diff->arguments->verbose);
    return printed ? printed : print_lines(diff, pair);
}

/* ---- verify ---------------------------------------------------------------------------------- */

static struct decision_counts count_verdicts(const struct diff *diff)
{
    struct decision_counts counts = {.wrong = difference(diff) != NULL};
    for (int i = 0; i < diff->count; i++) {
        const enum verdict verdict = diff->pair[i].verdict;
        counts.slower += verdict == VERDICT_SLOWER;
        counts.faster += verdict == VERDICT_FASTER;
        counts.alike += verdict == VERDICT_NO_EVIDENCE;
    }
    return counts;
}

static void take_points(struct verified *verified, const struct diff *diff)
{
    for (int i = 0; i < diff->count; i++) {
        const struct pair *pair = &diff->pair[i];
        const char *a = pair->before->code, *b = pair->after->code;
        const struct verified_point point = {.before = pair->before->name,
                                             .after = pair->after->name,
                                             .verdict = verdict_words[pair->verdict],
                                             .machine_code = !*a || !*b     ? NULL
                                                             : strcmp(a, b) ? "changed"
                                                                            : "same",
                                             .ratio = pair->ratio,
                                             .before_ns = pair->before_ns,
                                             .after_ns = pair->after_ns};
        verified_point(verified, &point);
    }
}

static void take_guards(struct verified *verified, const struct diff *diff)
{
    const char *wrong = difference(diff), *why = wrong ? wrong : unknown(diff),
               *state = why ? "unknown" : "holds";
    verified_guard(verified, "results", wrong ? "fails" : state,
                   why ? why : "the results of both versions are equal");
    verified_guard(verified, "device", "holds", "both versions ran in turn in one run");
}

/* The pair with the most time of those that decide; pairs come in the order of their time. */
static const struct pair *deciding(const struct diff *diff, enum decision decision)
{
    const enum verdict wanted = decision == DECISION_SLOWER   ? VERDICT_SLOWER
                                : decision == DECISION_FASTER ? VERDICT_FASTER
                                                              : VERDICT_NO_EVIDENCE;
    for (int i = 0; i < diff->count; i++)
        if (diff->pair[i].verdict == wanted) return &diff->pair[i];
    return &diff->pair[0];
}

/* `failure` is that of the comparison, which `reason` tells. */
static int print_refused(const struct arguments *arguments, int failure, const char *reason)
{
    struct verified verified;
    verified_make(&verified);
    verified.decision = failure == FAIL_CHECK ? DECISION_WRONG : DECISION_NOT_COMPARABLE;
    verified.sentence = strdup(reason);
    verified_refuse(&verified);
    const int result = verified_print(&verified, arguments_form(arguments), 0);
    verified_free(&verified);
    return result ? result : failure;
}

static int is_verify(const struct arguments *arguments)
{
    return !strcmp(arguments->command_line[0], "verify");
}

/* Prints the answer of either command and returns its failure. */
static int answer(const struct diff *diff)
{
    const struct decision_counts counts = count_verdicts(diff);
    const int verifies = is_verify(diff->arguments);
    struct explain_pair explained = {0};
    struct query query;
    struct text sentence = {0};
    struct verified verified;
    int result = query_open(&query, diff->run);
    if (result) return result;
    verified_make(&verified);
    verified.decision = decision_of(&counts);
    const struct pair *pair = verifies ? deciding(diff, verified.decision) : &diff->pair[0];
    if (counts.wrong)
        text_append(&sentence, difference(diff));
    else
        decision_append_counts(&sentence, &counts);
    verified.sentence = sentence.data;
    take_points(&verified, diff);
    take_guards(&verified, diff);
    verified.code = "no_ledger";
    if (verifies && verified.decision == DECISION_NO_EVIDENCE) verified_refuse(&verified);
    struct text *kept = message_keep(&verified.unexplained);
    if (!verified.unexplained.length &&
        !explain_pair_open(&explained, &query, &query, pair->before->name, pair->after->name, NULL,
                           NULL))
        verified.pair = &explained;
    message_keep(kept);
    result = verifies ? verified_print(&verified, arguments_form(diff->arguments),
                                       diff->arguments->verbose)
                      : print_answer(diff, pair, &verified);
    if (!result) result = decision_failure(verified.decision, !verifies);
    if (!verifies && verified.decision == DECISION_NOT_COMPARABLE)
        error(FAIL_COMPARE, "no kernel was timed often enough in both versions");
    explain_pair_close(&explained);
    query_close(&query);
    verified_free(&verified);
    return result;
}

/* ---------------------------------------------------------------------------------------------- */

static int compare_kernels(struct diff *diff)
{
    int result = query_open(&diff->query, diff->run);
    if (result) return result;
    result = read_kernels(diff);
    if (!result) result = pair_kernels(diff);
    if (!result) result = check_sizes(diff);
    if (!result) result = judge(diff);
    query_close(&diff->query);
    return result;
}

static int compare(const struct run *run, const struct arguments *arguments)
{
    struct text reason = {0};
    struct diff *diff = calloc(1, sizeof *diff);
    if (!diff) return error_memory();
    diff->run = run;
    diff->arguments = arguments;
    struct text *kept = message_keep(&reason);
    int result = compare_kernels(diff);
    message_keep(kept);
    if (!result)
        result = answer(diff);
    else if (is_verify(arguments) && (result == FAIL_COMPARE || result == FAIL_CHECK))
        result = print_refused(arguments, result, text_string(&reason));
    else
        error(result, "%s", text_string(&reason));
    text_free(&reason);
    for (int i = 0; i < SIDES; i++) {
        free(diff->side[i].family);
        while (diff->kernels[i].count--)
            kernel_free(&diff->side[i].kernel[diff->kernels[i].count],
                        &diff->kernels[i].kernel[diff->kernels[i].count]);
    }
    free(diff);
    return result;
}

static int analyse(const char *path, const struct arguments *arguments)
{
    struct run run;
    int result = run_begin(&run, path, 1);
    if (result) return result;
    result = explain_run(&run, 1);
    if (!result) result = run_commit(&run);
    if (result) run_abandon(&run);
    if (!result) result = compare(&run, arguments);
    run_close(&run);
    return result;
}

int diff_command(const struct arguments *arguments)
{
    char *path;
    for (int i = 0; i < arguments->positional_count; i++)
        if (report_file_is_named(arguments->positional[i]))
            return error(FAIL_USAGE,
                         "%s is a report of Nsight Compute; 'whyfast explain A B KERNEL' or "
                         "'whyfast compare A B' compares two",
                         arguments->positional[i]);
    const int status = gpu_program_run(arguments->command_line, &path);
    int result = path ? analyse(path, arguments) : 0;
    if (!path && is_verify(arguments) && (status == -FAIL_CHECK || status == -FAIL_COMPARE))
        result = print_refused(arguments, -status, "a version cannot be built or run, as was said");
    free(path);
    return result ? result : status;
}
