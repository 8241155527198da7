/*
 * Reads records as under metrics/. They are refused, or the result is complete.
 */
#include "fuzz.h"

#include "catalog/records.h"

FUZZ_INPUT("metrics/devices", "metrics/input.metric")

static void collect_name(const char *name, size_t length, void *context)
{
    size_t *total = context;
    if (length == 0 || !*name) abort();
    *total += length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct records records;
    write_input(data, size);
    if (records_read(&records, scratch)) return 0;
    for (int i = 0; i < records.count; i++) {
        const struct record *record = &records.record[i];
        char *alternative[ALTERNATIVE_COUNT];
        size_t total = 0;
        if (records_find(&records, record->kind, record->name) == NULL) abort();
        for (int f = 0; f < record->field_count; f++) {
            if (!*record->field[f].value || record->field[f].line < record->line) abort();
            text_identifiers(record->field[f].value, collect_name, &total);
        }
        const int count = record_alternatives(record, alternative);
        for (int a = 0; a < count; a++) free(alternative[a]);
    }
    records_unknown_metric(&records, "time_ns");
    records_free(&records);
    return 0;
}
