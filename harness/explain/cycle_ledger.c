#include "explain/cycle_ledger.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "explain/cycle_ledger.sql.h"
#include "explain/ledger_points.sql.h"
#include "query/query_guard.h"

/* ---- the records of the terms as tables ------------------------------------------------------ */

/* Inserts a row for each word of a field: opcodes, classes or stall reasons, by term. A class or a
 * reason counts once, for the first term that names it. */
static int insert_words(struct query *query, const char *table, const struct record *term,
                        int place, const char *field)
{
    int result = 0;
    for (const char *word = record_field(term, field); word && *word && !result;
         word += strcspn(word, " "), word += strspn(word, " "))
        result = query_write(query, "INSERT OR IGNORE INTO %s VALUES(%Q, %d, '%.*q')", table,
                             term->name, place, (int)strcspn(word, " "), word);
    return result;
}

static int load_terms(struct query *query, const struct records *records)
{
    int result =
        query_write(query, "CREATE TABLE term(term TEXT PRIMARY KEY, place INTEGER, cause);"
                           "CREATE TABLE term_opcode(term, place, glob);"
                           "CREATE TABLE term_idiom(term, place, part, glob);"
                           "CREATE TABLE term_class(term, place, class PRIMARY KEY);"
                           "CREATE TABLE term_reason(term, place, reason PRIMARY KEY)");
    for (int i = 0; i < records->count && !result; i++) {
        const struct record *record = &records->record[i];
        if (record->kind != RECORD_TERM) continue;
        result = query_run(query, NULL, "INSERT INTO term VALUES(?, ?, ?)", "tit", record->name, i,
                           record_field(record, "cause"));
        if (!result) result = insert_words(query, "term_opcode", record, i, "opcodes");
        if (!result) result = insert_words(query, "term_class", record, i, "classes");
        if (!result) result = insert_words(query, "term_reason", record, i, "sampled");
        if (!result && record_field(record, "idioms"))
            result =
                query_write(query, "INSERT INTO term_idiom VALUES(%Q, %d, %Q, %Q)", record->name, i,
                            record_field(record, "part"), record_field(record, "idioms"));
    }
    return result;
}

/* ---- formulas of records --------------------------------------------------------------------- */

/* Evaluates a field of a term at all points, under the same guard as other expressions. */
static int evaluate_formula(struct query *query, const struct record *record, const char *field)
{
    const char *expression = record_field(record, field);
    if (record->kind != RECORD_TERM || !expression) return 0;
    char *place = text_new("%s:%d", record->file, record_line(record, field));
    int result = place ? query_guard_expression(place, expression) : error_memory();
    if (!result)
        result = query_compute(query, place,
                               "INSERT INTO ledger_formula SELECT point, %Q, %Q, "
                               "CAST((%s) AS REAL) FROM ledger_metrics",
                               field, record->name, expression);
    free(place);
    return result;
}

int ledger_make(struct query *query, const struct records *records)
{
    int result = load_terms(query, records);
    if (!result) result = query_write(query, "%s", ledger_points_sql);
    for (int i = 0; i < records->count && !result; i++) {
        result = evaluate_formula(query, &records->record[i], "counted");
        if (!result) result = evaluate_formula(query, &records->record[i], "state");
    }
    return result ? result : query_write(query, "%s", cycle_ledger_sql);
}
