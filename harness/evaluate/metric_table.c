#include "evaluate/metric_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "evaluate/metric_table.sql.h"

/* ---- the view m ------------------------------------------------------------------------------ */

struct columns {
    struct text *text;
    const char *alias, *prefix;
    int skips_key; /* row_id is listed already */
};

static int add_column(void *context, const struct scope *row)
{
    const struct columns *columns = context;
    const char *name = row->value[0];
    if (columns->skips_key && !strcmp(name, "row_id")) return 0;
    text_format(columns->text, "%s%s.\"%s\" AS \"%s%s\"", columns->text->length ? ", " : "",
                columns->alias, name, columns->prefix, name);
    return 0;
}

/* Lists the columns of all pieces, which have the aliases <alias><number>. */
static int list_columns(const struct metric_table *rows, struct text *text, const char *alias,
                        const char *prefix)
{
    int result = 0;
    for (int i = 0; i < rows->count && !result; i++) {
        char *name = text_new("%s%d", alias, i);
        struct columns columns = {text, name, prefix, i > 0};
        result = name ? query_columns(rows->query, rows->piece[i], add_column, &columns)
                      : error_memory();
        free(name);
    }
    return result;
}

/* SQLite omits the tables that a statement does not use, because row_id is unique in each. */
static void join_pieces(const struct metric_table *rows, struct text *text, const char *alias,
                        int from, const char *row_id)
{
    for (int i = from; i < rows->count; i++)
        text_format(text, " LEFT JOIN %s %s%d ON %s%d.row_id = %s", rows->piece[i], alias, i, alias,
                    i, row_id);
}

static int make_view(const struct metric_table *rows)
{
    struct text columns = {0}, joins = {0};
    int result = list_columns(rows, &columns, "t", "");
    join_pieces(rows, &joins, "t", 1, "t0.row_id");
    if (!result && (columns.failed || joins.failed)) result = error_memory();
    if (!result)
        result = query_write(rows->query,
                             "DROP VIEW IF EXISTS m; CREATE VIEW m AS SELECT %s FROM %s t0%s",
                             text_string(&columns), rows->piece[0], text_string(&joins));
    text_free(&columns);
    text_free(&joins);
    return result;
}

int metric_table_add(struct metric_table *rows, const char *table)
{
    if (rows->count == METRIC_PIECES)
        return error(FAIL_INPUT,
                     "metrics/: formulas depend on each other in a chain longer than %d",
                     METRIC_PIECES - 2);
    rows->piece[rows->count] = strdup(table);
    if (!rows->piece[rows->count]) return error_memory();
    rows->count++;
    return make_view(rows);
}

static const char *piece_with(const struct metric_table *rows, const char *column)
{
    for (int i = 0; i < rows->count; i++)
        if (query_has_column(rows->query, rows->piece[i], column)) return rows->piece[i];
    return NULL;
}

int metric_table_has(const struct metric_table *rows, const char *column)
{
    return piece_with(rows, column) != NULL;
}

int metric_table_empty(struct metric_table *rows, const char *column, const char *condition)
{
    return query_write(
        rows->query,
        "UPDATE %s SET %s = NULL WHERE row_id IN (SELECT row_id FROM m_facts WHERE %s)",
        piece_with(rows, column), column, condition);
}

int metric_table_begin(struct metric_table *rows, struct query *query)
{
    memset(rows, 0, sizeof *rows);
    rows->query = query;
    const int result = query_write(query, "%s", metric_table_sql);
    return result ? result : metric_table_add(rows, "m_facts");
}

void metric_table_free(struct metric_table *rows)
{
    for (int i = 0; i < rows->count; i++) free(rows->piece[i]);
    memset(rows, 0, sizeof *rows);
}

int metric_table_make_ladder(struct metric_table *rows)
{
    struct text columns = {0}, joins = {0};
    int result = list_columns(rows, &columns, "cur", "");
    if (!result) result = list_columns(rows, &columns, "prev", "prev_");
    if (!result) result = list_columns(rows, &columns, "first", "first_");
    join_pieces(rows, &joins, "cur", 1, "cur0.row_id");
    join_pieces(rows, &joins, "prev", 0, "l.prev");
    join_pieces(rows, &joins, "first", 0, "l.first");
    if (!result && (columns.failed || joins.failed)) result = error_memory();
    if (!result)
        result = query_write(rows->query,
                             "DROP VIEW IF EXISTS ladder; CREATE VIEW ladder AS SELECT %s, l.after "
                             "AS after, l.kind AS kind FROM %s cur0 JOIN m_links l ON"
                             " l.row_id = cur0.row_id%s",
                             text_string(&columns), rows->piece[0], text_string(&joins));
    text_free(&columns);
    text_free(&joins);
    return result;
}
