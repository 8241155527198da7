#include "fleet/boards.h"

#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/text.h"
#include "fleet/boards.sql.h"
#include "driver/nvml.h"
#include "report/report.h"

/* ---- reading the runs ------------------------------------------------------------------------ */

/* The difference of twin series needs only the samples of a cold cache. */
static int keeps_twin(void *context, const struct table_rows *row)
{
    const int *column = context;
    return !strcmp(row->reader.cell[column[0]], "cold") &&
           !strcmp(row->reader.cell[column[1]], "end_to_end");
}

/* Figures that are asked for of the tables of a run, one row each: quantity, value, low, high. The
 * noise is the median over the points of the difference between the medians of twin series. */
static const char figures[] =
    "INSERT INTO figures SELECT %d, ceiling, value, low, high, status FROM ceilings "
    "WHERE ceiling IN ('read_gbs', 'l2_read_gbs', 'fma_tflops');"
    "INSERT INTO figures SELECT %d, 'tensor_tflops', value, low, high, status FROM ceilings "
    "WHERE ceiling IN ('wgmma_tflops', 'mma_tflops') AND value IS NOT NULL "
    "ORDER BY value DESC LIMIT 1;"
    "INSERT INTO figures SELECT %d, 'sm_clock_mhz', sm_clock_mhz, NULL, NULL, status FROM ceilings "
    "WHERE ceiling = 'fma_tflops' AND sm_clock_mhz IS NOT NULL;"
    "INSERT INTO figures SELECT %d, 'power_w', power, NULL, NULL, NULL FROM "
    "(SELECT max(power_w) AS power FROM power) WHERE power IS NOT NULL;"
    "INSERT INTO figures SELECT %d, 'noise_pct', noise, NULL, NULL, NULL FROM (SELECT "
    "median(100 * abs(b / a - 1)) AS noise FROM (SELECT "
    "median(CASE copy WHEN 'a' THEN time_ns END) AS a, "
    "median(CASE copy WHEN 'b' THEN time_ns END) AS b FROM samples WHERE status = 'ok' "
    "GROUP BY " POINT_KEY ")) WHERE noise IS NOT NULL;"
    "DROP TABLE ceilings; DROP TABLE power; DROP TABLE samples";

static int load_samples(struct query *query)
{
    struct table_rows rows;
    int result = table_rows_open(&rows, query->run, TABLE_SAMPLES);
    if (result) return result;
    int column[] = {table_rows_find(&rows, "l2"), table_rows_find(&rows, "kind")};
    table_rows_close(&rows);
    return query_load_some(query, TABLE_SAMPLES, keeps_twin, column);
}

static int add_figures(struct query *query, const char *path, int device)
{
    struct run run;
    const struct run *merged = query->run;
    int result = run_open(&run, path);
    if (result) return result;
    query->run = &run;
    result = query_load(query, TABLE_CEILINGS);
    if (!result) result = query_load(query, TABLE_POWER);
    if (!result) result = load_samples(query);
    if (!result) result = query_write(query, figures, device, device, device, device, device);
    if (!result && file_exists(path_in(path, "index.html").at))
        result = query_write(query, "INSERT INTO reported VALUES(%d)", device);
    query->run = merged;
    run_close(&run);
    return result;
}

/* The bits of a fact such as 0x4 in words. */
static void clock_words(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    const char *bits = (const char *)sqlite3_value_text(arguments[0]);
    char *end = NULL;
    struct text words = {0};
    (void)count;
    if (!bits) return;
    const unsigned long long reasons = strtoull(bits, &end, 16);
    if (*end || end == bits)
        text_append(&words, bits);
    else if (!reasons || reasons == 1)
        text_append(&words, "none");
    else
        nvml_clock_words(&words, reasons);
    if (words.failed)
        sqlite3_result_error_nomem(context);
    else
        sqlite3_result_text(context, text_string(&words), -1, SQLITE_TRANSIENT);
    text_free(&words);
}

static int read_figures(struct boards *boards)
{
    struct query *query = &boards->query;
    int result = query_write(
        query, "CREATE TABLE figures(device INTEGER, quantity, value, low, high, status);"
               "CREATE TABLE reported(device INTEGER)");
    progress_begin("comparing boards", "devices", boards->merged->count);
    for (int i = 0; i < boards->merged->count && !result; i++) {
        progress_next(1, NULL);
        result = interrupted() ? FAIL_INTERRUPTED
                               : add_figures(query, merged_run_device(boards->merged, i).at, i);
    }
    return progress_end(result);
}

int boards_open(struct boards *boards, const struct merged_run *merged)
{
    struct query *query = &boards->query;
    boards->merged = merged;
    int result = query_open(query, &merged->run);
    if (result) return result;
    if (query_add_function(query, "clock_words", 1, clock_words)) result = error_memory();
    if (!result) result = query_load(query, TABLE_DEVICES);
    if (!result) result = read_figures(boards);
    if (!result) result = query_write(query, "%s", boards_sql);
    if (result) boards_close(boards);
    return result;
}

void boards_close(struct boards *boards)
{
    query_close(&boards->query);
}

/* ---- printing -------------------------------------------------------------------------------- */

/* The columns of boards.csv. */
static const struct print_column columns[] = {
    {.name = "device", .kind = PRINT_NUMBER},
    {.name = "label"},
    {.name = "quantity"},
    {.name = "title"},
    {.name = "unit"},
    {.name = "value", .kind = PRINT_NUMBER},
    {.name = "low", .kind = PRINT_NUMBER},
    {.name = "high", .kind = PRINT_NUMBER},
    {.name = "typical", .kind = PRINT_NUMBER},
    {.name = "difference_pct", .kind = PRINT_NUMBER},
    {.name = "status"},
    {.name = "differs"},
};
static const char rows[] = "SELECT * FROM boards ORDER BY rowid";

/* For people, a row for each device. */
static const struct print_column shown_columns[] = {
    {.name = "label", .head = "device"},
    {.name = "read_gbs", .head = "DRAM GB/s", .kind = PRINT_RIGHT},
    {.name = "fma_tflops", .head = "FP32 TFLOP/s", .kind = PRINT_RIGHT},
    {.name = "tensor_tflops", .head = "tensor TFLOP/s", .kind = PRINT_RIGHT},
    {.name = "sm_clock_mhz", .head = "SM MHz", .kind = PRINT_RIGHT},
    {.name = "power_w", .head = "W", .kind = PRINT_RIGHT},
    {.name = "temperature_c", .head = "\xC2\xB0\x43", .kind = PRINT_RIGHT},
    {.name = "noise_pct", .head = "noise %", .kind = PRINT_RIGHT},
    {.name = "selftest", .head = "self-test"},
};

/* The rows below the boards: a sentence about what stands out, and why it does. */
static const struct print_column outlier_columns[] = {
    {.name = "sentence", .head = "", .place = PRINT_WORDS},
    {.name = "why", .head = "", .place = PRINT_FAINT},
};
static const char outlier_rows[] =
    "SELECT words AS sentence, NULL AS why FROM board_findings UNION ALL "
    "SELECT sentence, why FROM (SELECT * FROM outlying ORDER BY rank) UNION ALL "
    "SELECT sentence, why FROM (SELECT * FROM board_pairs ORDER BY rank)";

int boards_print(struct boards *boards, const struct terminal *screen, FILE *file)
{
    struct print_table table = {.name = "boards", PRINT_COLUMNS_OF(shown_columns)},
                       outliers = {.name = "outliers", PRINT_COLUMNS_OF(outlier_columns)};
    struct text page = {0};
    int result =
        query_print_rows(&boards->query, "SELECT * FROM board_rows ORDER BY rowid", NULL, &table);
    if (!result) result = query_print_rows(&boards->query, outlier_rows, NULL, &outliers);
    print_table_append(&page, &table, screen);
    text_append(&page, "\n");
    print_table_append(&page, &outliers, screen);
    print_table_free(&table);
    print_table_free(&outliers);
    return page_print(file, &page, result);
}

static void write_json(const struct print_table *table, const struct print_table *outliers,
                       FILE *file)
{
    struct json_writer writer;
    json_begin(&writer, file, "boards/1");
    print_table_rows(&writer, table);
    print_table_rows(&writer, outliers);
    json_end(&writer);
}

int boards_print_data(struct boards *boards, enum print_form form, FILE *file)
{
    struct print_table table = {.name = "figures", PRINT_COLUMNS_OF(columns)},
                       outliers = {.name = "outliers", PRINT_COLUMNS_OF(outlier_columns)};
    int result = query_print_rows(&boards->query, rows, NULL, &table);
    if (!result) result = query_print_rows(&boards->query, outlier_rows, NULL, &outliers);
    if (!result && form == PRINT_AS_JSON)
        write_json(&table, &outliers, file);
    else if (!result)
        result = print_table_csv(&table, file);
    print_table_free(&table);
    print_table_free(&outliers);
    return result;
}

/* ---- the page -------------------------------------------------------------------------------- */

static int write_files(struct boards *boards)
{
    struct atomic_file output;
    const char *directory = boards->merged->run.directory;
    int result = atomic_file_begin(&output, directory, "boards.csv");
    if (!result)
        result = atomic_file_end(&output, boards_print_data(boards, PRINT_AS_CSV, output.file));
    return result ? result : report_fill(&boards->query, "reports/boards");
}

int boards_write(const char *path)
{
    struct merged_run merged;
    struct boards boards;
    int result = merged_run_open(&merged, path);
    if (result) return result;
    result = boards_open(&boards, &merged);
    if (!result) {
        result = write_files(&boards);
        boards_close(&boards);
    }
    merged_run_close(&merged);
    return result;
}
