/*
 * Completes what tests write by hand with the columns of the project's records, which the
 * statements of explain/ name: a table of metrics with empty cells, records with counters that were
 * not collected. Nothing is owned.
 */
#ifndef TESTS_UNIT_PROJECT_COLUMNS_H
#define TESTS_UNIT_PROJECT_COLUMNS_H

#include "fixture.h"

#include "catalog/records.h"

/* Returns 1 if the text has the name between these two characters, or at its beginning. */
static int has_name(const char *text, char before, const char *name, char after)
{
    const size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at++)
        if ((at == text || at[-1] == before) && (at[length] == after || !at[length])) return 1;
    return 0;
}

/* Writes metrics.csv or noise.csv: the rows, which begin with a header, with all columns. */
UNUSED_IS_FINE static void write_metrics(const char *file, const char *rows)
{
    struct records project;
    OWNED_BY(text_free) struct text text = {0}, commas = {0};
    const char *end = rows + strcspn(rows, "\n");
    char *header = strndup(rows, (size_t)(end - rows));
    assert_non_null(header);
    assert_int_equal(records_read(&project, root()), 0);
    text_append(&text, header);
    for (int i = 0; i < project.count; i++) {
        const char *name = project.record[i].name;
        if (!records_is_column(&project, name) || has_name(header, ',', name, ',')) continue;
        if (project.record[i].kind > RECORD_METRIC) continue; /* of the same name */
        text_format(&text, ",%s", name);
        text_append(&commas, ",");
    }
    for (const char *row = end + (*end != 0); *row; row = end + (*end != 0)) {
        end = row + strcspn(row, "\n");
        text_format(&text, "\n%.*s%s", (int)(end - row), row, text_string(&commas));
    }
    text_append(&text, "\n");
    write_text(file, text_string(&text));
    free(header);
    records_free(&project);
}

/* Does what make_data does, with a counter for every other metric and counter of the project. */
UNUSED_IS_FINE static void make_whole_data(const char *counters_and_metrics)
{
    struct records project;
    OWNED_BY(text_free) struct text text = {0};
    assert_int_equal(records_read(&project, root()), 0);
    text_append(&text, counters_and_metrics);
    for (int i = 0; i < project.count; i++) {
        const struct record *record = &project.record[i];
        if (record->kind != RECORD_METRIC && record->kind != RECORD_COUNTER) continue;
        if (has_name(counters_and_metrics, ' ', record->name, '\n')) continue;
        text_format(
            &text,
            "\ncounter %s\n    from of_%s\n    set one\n    over sum\n    unit u\n    means m\n",
            record->name, record->name);
    }
    make_data(text_string(&text));
    records_free(&project);
}

#endif
