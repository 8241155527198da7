#include "report/explain_pair_data.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "lines/knockouts.h"
#include "report/compare_print.h"
#include "run/recorded_runs.h"

/* Selects the rows of `remains` of the second point. */
static const struct print_column cause_columns[] = {
    {.name = "before"},
    {.name = "after"},
    {.name = "size"},
    {.name = "cause"},
    {.name = "saved_ns", .kind = PRINT_NUMBER},
    {.name = "low_ns", .kind = PRINT_NUMBER},
    {.name = "high_ns", .kind = PRINT_NUMBER},
    {.name = "share_pct", .kind = PRINT_NUMBER},
    {.name = "status"},
    {.name = "direction", .kind = PRINT_NUMBER},
    {.name = "note"},
    {.name = "is_small", .kind = PRINT_FLAG},
    {.name = "witness"},
    {.name = "witness_before", .kind = PRINT_NUMBER},
    {.name = "witness_after", .kind = PRINT_NUMBER},
    {.name = "line_before"},
    {.name = "line_after"},
    {.name = "counted"},
    {.name = "title"},
};

static const struct print_column remains_columns[] = {
    {.name = "cause"},
    {.name = "title"},
    {.name = "bound"},
    {.name = "saved_ns", .head = "saves", .kind = PRINT_PART},
    {.name = "share_pct", .head = "%", .kind = PRINT_NUMBER},
    {.name = "later"},
    {.name = "later_saved_ns", .kind = PRINT_NUMBER},
    {.name = "words", .head = "without", .place = PRINT_WORDS, .is_shown_only = 1},
    {.name = "try", .head = "try", .place = PRINT_FAINT},
};

int explain_pair_remains(struct explain_pair *pair, struct print_table *table, int on_screen)
{
    static const char data_sql[] =
        "SELECT *, NULL AS words FROM advised WHERE family || '/' || variant = :name "
        "AND size = :size ORDER BY place",
                      sql[] = "SELECT *, NULL AS later, NULL AS later_saved_ns, title || ', ' || "
                              "bound || coalesce('; ' || aside, '') AS "
                              "words FROM advice WHERE "
                              "family || '/' || variant = :name AND size = :size ORDER BY place";
    const struct scope scope =
        SCOPE_OF(STRINGS("name", "size"), STRINGS(pair->after.name, pair->before.fact[SIZE]));
    *table = (struct print_table){.name = "remains", PRINT_COLUMNS_OF(remains_columns)};
    return query_print_rows(pair->after.query, on_screen ? sql : data_sql, &scope, table);
}

static void write_side(struct json_writer *writer, const char *name, const struct side *side)
{
    json_open(writer, name, '{');
    json_text(writer, "run", recorded_word(side->query->run));
    json_text(writer, "variant", side->name);
    json_text(writer, "size", side->fact[SIZE]);
    json_number(writer, "block", side_number(side, BLOCK));
    json_number(writer, "sweep", side_number(side, SWEEP));
    json_number(writer, "time_ns", side_number(side, TIME));
    json_close(writer, '}');
}

/* The tables of the data. */
struct data {
    struct print_table causes, remains, experiments;
};

static void write_json(struct json_writer *writer, const char *name,
                       const struct explain_pair *pair, const struct data *data)
{
    json_begin_member(writer, name, "explain/3");
    write_side(writer, "before", &pair->before);
    write_side(writer, "after", &pair->after);
    json_number(writer, "speedup", pair->ratio);
    json_flag(writer, "in_rounds", pair->in_rounds);
    json_number(writer, "low", pair->low);
    json_number(writer, "high", pair->high);
    json_number(writer, "floor_pct", pair->floor_pct);
    json_text(writer, "verdict", pair->evidence);
    json_text(writer, "sentence", pair->headline);
    print_table_rows(writer, &data->causes);
    print_table_rows(writer, &data->experiments);
    print_table_rows(writer, &data->remains);
    json_close(writer, '}');
}

int explain_pair_unmeasured(struct side *side, struct print_table *experiments, struct text *words)
{
#define OF_UNMEASURED                                                                              \
    " FROM unmeasured WHERE family || '/' || variant = :name AND size = :size LIMIT 1"
    static const char sql[] =
        "SELECT 'nothing' AS knockout, 'nothing' AS title, NULL AS before_ns, NULL AS after_ns, "
        "NULL AS saved_ns, NULL AS account_ns, NULL AS verdict, :name || ': ' || reason AS note, "
        "NULL AS outcome, NULL AS words" OF_UNMEASURED;
    const struct scope scope =
        SCOPE_OF(STRINGS("name", "size"), STRINGS(side->name, side->fact[SIZE]));
    char *reason = NULL;
    int result = knockouts_measure(side->query);
    if (!result && experiments) result = query_print_rows(side->query, sql, &scope, experiments);
    if (!result && words)
        result = query_text(side->query, NULL, "SELECT reason" OF_UNMEASURED, &scope, &reason);
    if (reason)
        text_format(words, "%sNo cost of %s was measured: %s.", words->length ? " " : "",
                    side->name, reason);
    free(reason);
    return result;
}

static int data_make(struct data *data, struct explain_pair *pair)
{
    static const char causes_sql[] = "SELECT :before AS before, :name AS after, :size AS size, id "
                                     "AS cause, s.* FROM (SELECT * FROM said WHERE place > 0 AND "
                                     "id <> 'rest') s ORDER BY place";
    const struct scope scope =
        SCOPE_OF(STRINGS("name", "size", "before"),
                 STRINGS(pair->after.name, pair->before.fact[SIZE], pair->before.name));
    *data = (struct data){.causes = {.name = "causes", PRINT_COLUMNS_OF(cause_columns)}};
    int result = explain_pair_experiments(pair, &data->experiments);
    if (!result) result = explain_pair_unmeasured(&pair->before, &data->experiments, NULL);
    if (!result && strcmp(pair->before.name, pair->after.name))
        result = explain_pair_unmeasured(&pair->after, &data->experiments, NULL);
    if (!result) result = query_print_rows(pair->after.query, causes_sql, &scope, &data->causes);
    if (!result) result = explain_pair_remains(pair, &data->remains, 0);
    return !result && (data->causes.failed || data->remains.failed) ? error_memory() : result;
}

static void data_free(struct data *data)
{
    print_table_free(&data->causes);
    print_table_free(&data->experiments);
    print_table_free(&data->remains);
}

int explain_pair_write(struct explain_pair *pair, struct json_writer *writer, const char *name)
{
    struct data data;
    const int result = data_make(&data, pair);
    if (!result) write_json(writer, name, pair, &data);
    data_free(&data);
    return result;
}

int explain_pair_print_data(struct explain_pair *pair, enum print_form form)
{
    struct json_writer writer = {.file = stdout};
    struct data data;
    if (form == PRINT_AS_JSON) {
        const int result = explain_pair_write(pair, &writer, NULL);
        if (!result) putchar('\n');
        return result;
    }
    int result = data_make(&data, pair);
    if (!result) result = print_table_csv(&data.causes, stdout);
    data_free(&data);
    return result;
}
