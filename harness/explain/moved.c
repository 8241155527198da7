#include "explain/explain_tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "catalog/point_key.h"
#include "explain/moved.sql.h"

struct search {
    const struct records *records;
    int timed;     /* a name in it leads to a clean time */
    int on_ladder; /* a name in it belongs to another rung or to the library */
    int depth;
};

/* Follows the names of a formula down to facts and counters. */
static void search_name(const char *name, size_t length, void *context)
{
    enum { DEEPEST = 20 };
    struct search *search = context;
    char full[128];
    if (length >= sizeof full) return;
    memcpy(full, name, length);
    full[length] = 0;
    if (!strncmp(full, "prev_", 5) || !strncmp(full, "first_", 6) || !strncmp(full, "library_", 8))
        search->on_ladder = 1;
    if (!strncmp(full, "time_", 5)) search->timed = 1;
    const struct record *metric = records_find(search->records, RECORD_METRIC, full);
    if (!metric || search->depth == DEEPEST) return;
    search->depth++;
    text_identifiers(record_field(metric, "formula"), search_name, search);
    search->depth--;
}

/* A metric has moved if it changed by more than its noise: the spread of both rungs over the
 * repeats of their counters, plus the noise floor for a metric that depends on a clean time. A
 * change below half a per cent is not worth a line. A metric with a rate belongs to the families
 * with that rate alone, and speed-ups have a table of their own. */
static int add_moved(struct query *query, const struct records *records,
                     const struct record *metric)
{
    static const char sql[] =
        "INSERT INTO found SELECT " POINT_KEY ", %Q, before, after, "
        "noise, CASE %Q WHEN 'neither' THEN 'changed' "
        "WHEN CASE WHEN after > before THEN 'higher' ELSE 'lower' END THEN 'better' "
        "ELSE 'worse' END FROM (SELECT " POINT_KEY_OF(
            "cur.") ", prev.%s AS before, cur.%s AS after, n.%s + q.%s%s AS noise "
                    "FROM moved_rows x CROSS JOIN metrics cur ON cur.rowid = x.cur "
                    "JOIN metrics prev ON prev.rowid = x.prev JOIN noise n ON n.rowid = "
                    "x.cur_noise "
                    "JOIN noise q ON q.rowid = x.prev_noise WHERE %Q IS NULL OR x.rate = %Q) "
                    "WHERE abs(after - before) > noise "
                    "AND abs(after - before) > 0.005 * max(abs(after), abs(before))";
    const char *name = metric->name, *rate = record_field(metric, "rate");
    struct search search = {.records = records};
    text_identifiers(record_field(metric, "formula"), search_name, &search);
    if (!record_field(metric, "title") || search.on_ladder) return 0;
    char *floor = search.timed ? text_new(" + max(cur.floor_pct, prev.floor_pct) / 100.0 * "
                                          "max(abs(cur.%s), abs(prev.%s))",
                                          name, name)
                               : text_new("%s", "");
    const int result = floor ? query_write(query, sql, name, record_field(metric, "better"), name,
                                           name, name, name, floor, rate, rate)
                             : error_memory();
    free(floor);
    return result;
}

int moved_make(struct query *query, const struct records *records)
{
    int result = query_write(query, "%s", moved_sql);
    for (int i = 0; i < records->count && !result; i++)
        if (records->record[i].kind == RECORD_METRIC)
            result = add_moved(query, records, &records->record[i]);
    return result ? result
                  : query_write(query, "CREATE TABLE moved AS SELECT * FROM found ORDER BY "
                                       "family, CAST(size AS INTEGER), size, variant, rowid");
}
