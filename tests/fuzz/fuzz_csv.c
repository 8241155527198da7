/*
 * Reads CSV: the reader never reads past the text, and its records, written and read again, stay
 * the same.
 */
#include "fuzz.h"

#include "base/csv.h"

FUZZ_INPUT("", "input.csv")

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct csv_reader reader, again;
    char copy[600];
    int more;
    write_input(data, size);
    if (csv_open(&reader, input_path)) return 0;
    snprintf(copy, sizeof copy, "%s/copy.csv", scratch);
    FILE *file = fopen(copy, "wb");
    if (!file) abort();
    struct csv_writer writer = {.file = file};
    while ((more = csv_next(&reader)) > 0) {
        if (reader.count < 1 || reader.line < 1) abort();
        for (int i = 0; i < reader.count; i++) csv_text(&writer, reader.cell[i]);
        csv_end(&writer);
    }
    fclose(file);
    csv_close(&reader);
    if (more < 0) return 0;
    if (csv_open(&reader, input_path) || csv_open(&again, copy)) abort();
    while (csv_next(&reader) > 0) {
        if (csv_next(&again) != 1 || again.count != reader.count) abort();
        for (int i = 0; i < reader.count; i++)
            if (strcmp(reader.cell[i], again.cell[i])) abort();
    }
    if (csv_next(&again) != 0) abort();
    csv_close(&reader);
    csv_close(&again);
    return 0;
}
