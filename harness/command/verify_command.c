/*
 * Runs `verify` for two runs; for two versions it is `diff` with another answer.
 */
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/names.h"
#include "command/command.h"
#include "report/verify_print.h"

/* The point that is explained. */
struct chosen {
    char *before, *after, *size;
    struct explain_ratio ratio;
    int has_ratio; /* both times are those of best settings */
};

static int take_chosen(void *context, const struct scope *row)
{
    struct chosen *chosen = context;
    chosen->before = strdup(row->value[0]);
    chosen->after = strdup(row->value[1]);
    chosen->size = strdup(row->value[2]);
    chosen->ratio = (struct explain_ratio){row_number(row, 3), row_number(row, 4),
                                           row_number(row, 5), row_number(row, 6)};
    chosen->has_ratio = (int)row_integer(row, 7);
    return chosen->before && chosen->after && chosen->size ? 0 : error_memory();
}

/* Chooses the largest change of those that decide. `explain` knows each variant in its best setting
 * alone. */
static int choose(struct verified *verified, struct run_comparison *comparison,
                  struct chosen *chosen)
{
    static const char sql[] =
        "SELECT before, after, size, speedup, low, high, floor_pct, NOT EXISTS (SELECT 1 FROM "
        "verified o WHERE o.before = v.before AND o.size = v.size AND o.before_ns < v.before_ns) "
        "FROM verified v WHERE verdict = :word AND NOT EXISTS (SELECT 1 FROM verified o WHERE "
        "o.before = v.before AND o.size = v.size AND o.after_ns < v.after_ns) ORDER BY "
        "abs(after_ns - before_ns) DESC LIMIT 1";
    const char *const word = decision_words[verified->decision];
    const struct scope scope = SCOPE_OF(STRINGS("word"), STRINGS(word));
    if (verified->decision != DECISION_FASTER && verified->decision != DECISION_SLOWER) {
        verified_refuse(verified);
        return 0;
    }
    const int result = query_each(&comparison->query, NULL, sql, &scope, take_chosen, chosen);
    if (result || chosen->before) return result;
    verified->code = "not_best_setting";
    text_format(&verified->unexplained, "no variant is %s in its best setting", word);
    return 0;
}

static int print_explained(struct verified *verified, struct run_comparison *comparison,
                           const struct chosen *chosen, const struct arguments *arguments)
{
    struct explain_pair pair;
    struct query first, second;
    int result = query_open(&first, comparison->before);
    if (result) return result;
    result = query_open(&second, comparison->after);
    if (!result) {
        struct text *kept = message_keep(&verified->unexplained);
        verified->code = "no_ledger";
        if (!explain_pair_open(&pair, &first, &second, chosen->before, chosen->after, chosen->size,
                               chosen->has_ratio ? &chosen->ratio : NULL))
            verified->pair = &pair;
        message_keep(kept);
        result = verified_print(verified, arguments_form(arguments), arguments->verbose);
        explain_pair_close(&pair);
        query_close(&second);
    }
    query_close(&first);
    return result;
}

static int print_comparison(struct run_comparison *comparison, const struct arguments *arguments)
{
    const enum print_form form = arguments_form(arguments);
    struct verified verified;
    struct chosen chosen = {0};
    verified_make(&verified);
    verified.run[0] = comparison->before;
    verified.run[1] = comparison->after;
    int result = verified_take(&verified, comparison, form != PRINT_SCREEN || arguments->verbose);
    if (!result) result = choose(&verified, comparison, &chosen);
    if (!result && chosen.before)
        result = print_explained(&verified, comparison, &chosen, arguments);
    else if (!result)
        result = verified_print(&verified, form, 0);
    if (!result) result = decision_failure(verified.decision, 0);
    free(chosen.before);
    free(chosen.after);
    free(chosen.size);
    verified_free(&verified);
    return result;
}

static int verify_runs(const struct arguments *arguments)
{
    const struct compare_options options = {
        .patterns = arguments->positional + 2,
        .pattern_count = arguments->positional_count - 2,
        .sizes = arguments->size,
        .size_count = arguments->size_count,
    };
    struct run_comparison comparison;
    struct run before, after;
    int result = recorded_open_two(&before, &after, arguments);
    if (result) return result;
    result = compare_open(&comparison, &before, &after, &options);
    if (!result) {
        result = print_comparison(&comparison, arguments);
        compare_close(&comparison);
    }
    run_close(&after);
    run_close(&before);
    return result;
}

/* Returns 1 if beside a run there is something else than a mistyped one. */
static int is_no_run(const char *path)
{
    return !run_is_at(path) && file_exists(path);
}

int verify_command(const struct arguments *arguments)
{
    const char *const *word = arguments->positional;
    const int count = arguments->positional_count, first = count && run_is_at(word[0]),
              second = count > 1 && run_is_at(word[1]);
    if (!count)
        return error(FAIL_USAGE, "verify: expected two runs, or two versions, as in 'whyfast "
                                 "verify old.cu new.cu'");
    if (!first && !second) {
        const int status = diff_command(arguments);
        if (count > 1 && (status == -FAIL_INPUT || status == -FAIL_USAGE) &&
            !names_is_source(word[0]))
            note("neither %s nor %s is a run, which has a run.txt", word[0], word[1]);
        return status;
    }
    if (count < 2 || is_no_run(word[0]) || is_no_run(word[1]))
        return error(FAIL_USAGE, "verify: expected two runs; %s is one, and %s is none",
                     word[second], count > 1 ? word[first] : "a second one");
    if (arguments->build || arguments->call || arguments->kernel || arguments->no_compare ||
        arguments->no_counters || arguments->knockout || arguments->output || arguments->dry_run ||
        arguments->program)
        return error(FAIL_USAGE,
                     "verify: two runs are measured already; --build, --call, "
                     "--kernel, --no-compare, --no-counters, --knockout, -o, --dry-run and a "
                     "program are for versions, as in 'whyfast verify old.cu new.cu'");
    if (arguments->device_count)
        return error(FAIL_USAGE, "--device: chooses a device of a merged run, and none is named");
    return verify_runs(arguments);
}
