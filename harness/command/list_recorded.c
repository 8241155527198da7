/*
 * Runs `list` where whyfast-gpu, which has the variants, was not built: lists those of the newest
 * recorded run, which are the ones that can be explained.
 */
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/names.h"
#include "base/text.h"
#include "command/command.h"
#include "command_line/list.h"
#include "query/variant_names.h"
#include "run/recorded_runs.h"

static int print_rows(struct query *query, enum print_form form)
{
    static const char sql[] =
        "SELECT v.family || ': ' || f.title AS ladder, v.* FROM variants v JOIN families f USING "
        "(family) WHERE v.family || '/' || v.variant IN wanted ORDER BY f.rowid, v.rowid";
    struct print_table table = {.name = "variants", list_columns, LIST_COLUMNS};
    int result = query_print_rows(query, sql, NULL, &table);
    if (!result) result = print_table_print(&table, form, "list/1", stdout);
    print_table_free(&table);
    return result;
}

/* Inserts the variants that the words name into wanted, or all. *is_known is 0 if a word is neither
 * a variant of the run nor looks like one. */
static int want(struct query *query, const struct arguments *arguments, int all, int *is_known)
{
    static const char names[] = "SELECT family || '/' || variant FROM variants";
    struct variant_names known = {0};
    struct text like = {0};
    char *lacking = text_new("%s has no", recorded_title(query->run));
    int result = lacking ? query_write(query, "CREATE TABLE wanted(name TEXT)") : error_memory();
    if (!result) result = query_each(query, NULL, names, NULL, variant_names_add, &known);
    if (!result && all) result = query_write(query, "INSERT INTO wanted %s", names);
    for (int i = 0; i < arguments->positional_count && !all && *is_known && !result; i++) {
        const char *word = arguments->positional[i];
        *is_known =
            strchr(word, '/') != NULL || variant_names_match(&known, word) ||
            names_suggest(&like, word, (const char *const *)known.name, (size_t)known.count);
        if (*is_known) result = variant_names_want(query, &known, word, lacking);
    }
    variant_names_free(&known);
    text_free(&like);
    free(lacking);
    return result;
}

int list_recorded(const struct arguments *arguments)
{
    const enum list_kind kind = list_asks(arguments);
    int is_known = 1;
    struct run run;
    struct query query;
    if (kind == LIST_METRICS) return list_command(arguments);
    int result = recorded_open(&run, NULL);
    if (result) return result;
    result = query_open(&query, &run);
    if (!result) {
        result = QUERY_LOAD(&query, TABLE_FAMILIES, TABLE_VARIANTS);
        if (!result) result = want(&query, arguments, kind == LIST_ALL_VARIANTS, &is_known);
        if (!result && is_known)
            note("these are of the recorded run %s; whyfast-gpu, which was not built, has those "
                 "that can be measured",
                 strrchr(run.path, '/') + 1);
        if (!result && is_known) result = print_rows(&query, arguments_form(arguments));
        query_close(&query);
    }
    run_close(&run);
    return result || is_known ? result : list_command(arguments);
}
