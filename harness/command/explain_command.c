/*
 * Runs `explain`, which asks a run and never writes to it: two variants, one and its predecessor,
 * or the steps of ladders. A run that is not evaluated is evaluated in memory.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/message.h"
#include "command/command.h"
#include "explain/explain.h"
#include "explain/explain_pair.h"
#include "query/variant_names.h"
#include "report/compare_print.h"
#include "report/steps_print.h"

/* The words of the command line. Without a run among them, the first is a recorded one. */
struct question {
    const struct arguments *arguments;
    const char *before, *after; /* variants; NULL: the predecessor, or the steps of ladders */
    char *family;               /* whose steps are asked for, or NULL */
    const char *size;           /* or NULL */
    int runs;                   /* named on the command line */
};

enum { MOST_RUNS = 2 };

/* How many of the first operands are runs: two variants leave the rest to them. */
static int leading_runs(const struct arguments *arguments)
{
    const int count = arguments->positional_count;
    int runs = count > 4 ? MOST_RUNS : count > 2 ? count - 2 : 0;
    while (runs < MOST_RUNS && runs < count && variant_names_is_run(arguments->positional[runs]))
        runs++;
    return runs;
}

static int parse(struct question *question, const struct arguments *arguments)
{
    const int runs = leading_runs(arguments), words = arguments->positional_count - runs;
    const char *const *word = arguments->positional + runs;
    if (arguments->size_count > 1) return error(FAIL_USAGE, "explain: expected one size");
    if (words > 2 || (runs == 2 && words < 1) || (!runs && !words))
        return error(FAIL_USAGE, "explain: expected a variant, as in 'whyfast explain gemm/06', "
                                 "or two, a family or a run; a run, or two, may stand before "
                                 "variants");
    if (runs == MOST_RUNS && variant_names_is_run(word[0]))
        return error(FAIL_USAGE, "explain: at most two runs; '%s' is a third one", word[0]);
    if (variant_names_check_runs("explain", arguments->positional, runs)) return FAIL_USAGE;
    *question = (struct question){.arguments = arguments, .runs = runs};
    question->size = arguments->size_count ? arguments->size[0] : NULL;
    if (words > 0) question->after = word[words - 1];
    if (words > 1 || (words && runs == 2)) question->before = word[0];
    return 0;
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* A run and its only database. */
struct source {
    struct run run;
    struct query query;
};

/* Makes the tables that the question needs, unless the run has them. */
static int explain_source(struct source *source, const struct question *question)
{
    const int is_pair = question->after && !question->family, runs = question->runs;
    char *family = NULL, *size = NULL;
    struct records records;
    if (explain_is_done(&source->run)) return 0;
    int result = records_read_own(&records);
    if (result) return result;
    if (is_pair)
        result =
            explain_pair_part(&source->query, runs == 2 ? NULL : question->before, question->after,
                              question->size, &family, runs == 2 ? NULL : &size);
    if (!result)
        result = explain_part(&source->query, &records,
                              question->family ? question->family : family, size, !is_pair);
    records_free(&records);
    free(family);
    free(size);
    return result;
}

static void source_close(struct source *source)
{
    query_close(&source->query);
    run_close(&source->run);
}

/* Opens the run, or the newest recorded one if `path` is NULL. */
static int source_open(struct source *source, const char *path)
{
    int result = recorded_open(&source->run, path);
    if (result) return result;
    result = query_open(&source->query, &source->run);
    if (result) run_close(&source->run);
    return result;
}

/* ---- questions ------------------------------------------------------------------------------- */

static int print_pair(struct query *first, struct query *second, const struct question *question)
{
    const enum print_form form = arguments_form(question->arguments);
    struct explain_pair pair;
    int result = explain_pair_open(&pair, first, second, question->before, question->after,
                                   question->size, NULL);
    if (!result && form != PRINT_SCREEN)
        result = explain_pair_print_data(&pair, form);
    else if (!result)
        result = explain_pair_print(&pair, question->runs == 0, question->arguments->verbose);
    explain_pair_close(&pair);
    return result;
}

static int print_steps(struct query *query, const struct question *question)
{
    const struct steps_options options = {.family = question->family,
                                          .size = question->size,
                                          .recorded = question->runs == 0,
                                          .form = arguments_form(question->arguments)};
    return steps_print(query, &options);
}

struct family_search {
    const char *word;
    char *found;
};

static int compare_family(void *context, const struct scope *row)
{
    struct family_search *search = context;
    if (search->found || strcasecmp(row->value[0], search->word)) return 0;
    search->found = strdup(row->value[0]);
    return search->found ? 0 : error_memory();
}

/* A single word may be a family of the run. */
static int find_family(struct query *query, struct question *question)
{
    struct family_search search = {question->after, NULL};
    if (!question->after || question->before) return 0;
    int result = query_load(query, TABLE_FAMILIES);
    if (!result)
        result =
            query_each(query, NULL, "SELECT family FROM families", NULL, compare_family, &search);
    question->family = search.found;
    return result;
}

static int ask_one(struct source *source, struct question *question)
{
    int result = find_family(&source->query, question);
    if (!result) result = explain_source(source, question);
    if (!result)
        result = question->after && !question->family
                     ? print_pair(&source->query, &source->query, question)
                     : print_steps(&source->query, question);
    free(question->family);
    return result;
}

static int ask_two(struct source *first, struct question *question)
{
    struct source second;
    struct question of_first = *question;
    int result = source_open(&second, question->arguments->positional[1]);
    if (result) return result;
    of_first.after = question->before;
    result = explain_source(first, &of_first);
    if (!result) result = explain_source(&second, question);
    if (!result) result = print_pair(&first->query, &second.query, question);
    source_close(&second);
    return result;
}

int explain_command(const struct arguments *arguments)
{
    struct question question = {0};
    struct source source;
    int result = parse(&question, arguments);
    if (result) return result;
    result = source_open(&source, question.runs ? arguments->positional[0] : NULL);
    if (result) return result;
    result = question.runs < 2 ? ask_one(&source, &question) : ask_two(&source, &question);
    source_close(&source);
    return result;
}
