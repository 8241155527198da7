/*
 * Unpacks a table of a recorded run, or refuses it: nothing is read past the file, and the table
 * has as many bytes as its columns, because each line feed became a comma or stayed one.
 */
#include "fuzz.h"

#include "run/packed_table.h"

FUZZ_INPUT("", "input")

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[600];
    size_t length = 0;
    write_input(data, size);
    if (packed_table_copy(input_path, "input.xz", scratch, "table.csv")) return 0;
    snprintf(path, sizeof path, "%s/table.csv", scratch);
    char *table = text_read_file(path, &length), *input = fuzz_text(data, size);
    const int by_columns = !strncmp(input, "#columns of ", 12);
    if (!table || length != size - (by_columns ? strcspn(input, "\n") + 1 : 0)) abort();
    free(table);
    free(input);
    return 0;
}
