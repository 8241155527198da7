/*
 * Shows a whole run, or refuses it: its timeline is JSON, and its lines hold no control sequences.
 */
#include "tables.h"

#include <sqlite3.h>

#include "lines/lines_view.h"
#include "base/message.h"
#include "report/timeline.h"

static sqlite3 *judge;

static void fuzz_begin(void)
{
    tables_open();
    if (sqlite3_open(":memory:", &judge) != SQLITE_OK) abort();
}

static int is_json(const char *text, size_t size)
{
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(judge, "SELECT json_valid(?)", -1, &statement, NULL) != SQLITE_OK)
        abort();
    sqlite3_bind_text(statement, 1, text, (int)size, SQLITE_STATIC);
    const int valid = sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return valid;
}

static void look_at_time(const struct run *run)
{
    const struct timeline_options options = {.first_may_be_run = 0};
    char *out = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&out, &size);
    if (!file) abort();
    const int result = timeline_print(run, &options, file);
    fclose(file);
    if (result && result != FAIL_INPUT && result != FAIL_USAGE && result != FAIL_CHECK) abort();
    if ((!result || result == FAIL_CHECK) && !is_json(out, size)) abort();
    free(out);
}

static void look_at_lines(const struct run *run, int how)
{
    const char *const both[] = {"f/01_a", "f/02_b"};
    const struct lines_options options = {.variants = both,
                                          .variant_count = 1 + how % 2,
                                          .sass = how / 2 % 2,
                                          .banks = how / 4 % 2,
                                          .csv = how / 8 % 2};
    const struct terminal screen = {how / 16 % 2 ? 200 : 80, 0};
    char *out = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&out, &size);
    if (!file) abort();
    const int result = lines_view_print(run, &options, &screen, file);
    fclose(file);
    if (result && result != FAIL_INPUT && result != FAIL_USAGE && result != FAIL_CHECK) abort();
    for (const char *p = out; !options.csv && p < out + size;) {
        const uint32_t character = text_character(&p);
        if (character != '\n' && text_is_harmful(character)) abort();
    }
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct run run;
    int how = 0;
    for (size_t i = 0; i < size; i++) how = (how * 31 + data[i]) & 0xFFFF;
    tables_write(data, size);
    if (run_open(&run, run_path)) return 0;
    look_at_time(&run);
    look_at_lines(&run, how);
    run_close(&run);
    return 0;
}
