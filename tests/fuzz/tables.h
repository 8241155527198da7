/*
 * Makes a whole run from one input: lines "== NAME", each followed by the text of that file of the
 * run. The input is mutated cell by cell, so that most results keep their headers and numbers of
 * cells. Of the project's records (in ROOT, or the working directory) facts, ceilings and causes
 * are there; its metrics and counters have simple formulas, which are quick.
 */
#ifndef TESTS_FUZZ_TABLES_H
#define TESTS_FUZZ_TABLES_H

#include <unistd.h>

#include <sqlite3.h>

#include "catalog/records.h"
#include "fuzz.h"
#include "run/run.h"
#include "tables.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

static char run_path[600];

static const char few_records[] =
    "metric rate\n    title Rate\n    unit u\n    formula 1000 / time_ns\n    better higher\n    "
    "means m\n"
    "metric work\n    title Work\n    unit u\n    formula warp_instructions_hw\n    better lower\n "
    "   least 0\n    means m\n"
    "metric warp_instructions\n    title Instructions\n    unit u\n    formula "
    "warp_instructions_hw\n    better lower\n    means m\n"
    "metric demand_issue_ns\n    unit u\n    formula time_ns / 2\n    better lower\n    means m\n"
    "metric demand_launch_ns\n    unit u\n    formula ceiling_launch_ns\n    better lower\n    "
    "means m\n"
    "metric speedup_prev\n    title Speed-up\n    unit u\n    formula prev_time_ns / time_ns\n    "
    "better higher\n    means m\n"
    "metric speedup_prev_low\n    unit u\n    formula ratio_low(prev_series, series)\n    better "
    "higher\n    means m\n"
    "metric speedup_prev_high\n    unit u\n    formula ratio_high(prev_series, series)\n    better "
    "higher\n    means m\n"
    "metric speedup_first\n    title Speed-up\n    unit u\n    formula first_time_ns / time_ns\n   "
    " better higher\n    means m\n"
    "metric speedup_first_low\n    unit u\n    formula ratio_low(first_series, series)\n    better "
    "higher\n    means m\n"
    "metric speedup_first_high\n    unit u\n    formula ratio_high(first_series, series)\n    "
    "better higher\n    means m\n"
    "counter warp_instructions_hw\n    from smsp__inst_executed.sum\n    set one\n    over sum\n   "
    " unit u\n    means m\n"
    "counter scheduler_cycles_active\n    from smsp__cycles_active.sum\n    set one\n    over "
    "sum\n    unit u\n    means m\n"
    "counter scheduler_cycles_issued\n    from smsp__issue_active.sum\n    set one\n    over sum\n "
    "   unit u\n    means m\n"
    "counter scheduler_cycles_idle\n    from smsp__issue_inst0.sum\n    set one\n    over sum\n    "
    "unit u\n    means m\n"
    "counter sm_cycles_active_busiest\n    from sm__cycles_active.max\n    set one\n    over sum\n "
    "   unit u\n    means m\n"
    "track dram_read\n    from dram__read_throughput.x\n    set timeline\n    shows value / ns\n   "
    " unit GB/s\n    title Read\n    means m\n"
    "track warps\n    from tpc__warps.x\n    set timeline\n    shows value\n    unit %\n    title "
    "Warps\n    means m\n";

static const char device_record[] =
    "device test\n    compute_capability 9.0\n    title Test\n    dram_data_rate 2\n    "
    "schedulers_per_sm 4\n    fp32_lanes_per_sm 128\n";

/* ---- SQLite's memory ------------------------------------------------------------------------- */

/* SQLite is linked without the sanitizer, and allocates so often that the sanitizer's allocator
 * would take half of the time: here it uses the C library's own. Each piece is preceded by its
 * size. */
#ifdef __GLIBC__
extern void *__libc_malloc(size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void __libc_free(void *memory);

enum { MEMORY_HEAD = 16 };

static void *memory_new(int size)
{
    char *memory = __libc_malloc((size_t)size + MEMORY_HEAD);
    if (memory) memcpy(memory, &size, sizeof size);
    return memory ? memory + MEMORY_HEAD : NULL;
}

static void *memory_grow(void *old, int size)
{
    char *memory = __libc_realloc((char *)old - MEMORY_HEAD, (size_t)size + MEMORY_HEAD);
    if (memory) memcpy(memory, &size, sizeof size);
    return memory ? memory + MEMORY_HEAD : NULL;
}

static void memory_free(void *memory)
{
    __libc_free((char *)memory - MEMORY_HEAD);
}

static int memory_size(void *memory)
{
    int size;
    memcpy(&size, (char *)memory - MEMORY_HEAD, sizeof size);
    return size;
}

static int memory_round(int size)
{
    return (size + 7) & ~7;
}

static int memory_begin(void *context)
{
    return SQLITE_OK;
}

static void memory_end(void *context)
{
}

static void use_plain_memory(void)
{
    static const sqlite3_mem_methods methods = {memory_new,  memory_free,  memory_grow,
                                                memory_size, memory_round, memory_begin,
                                                memory_end,  NULL};
    if (sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) != SQLITE_OK) abort();
}
#else
static void use_plain_memory(void)
{
}
#endif

/* ---- the run --------------------------------------------------------------------------------- */

/* Makes the scratch directory with a data directory, and a place for the run. */
static void tables_open(void)
{
    static const char *const copied[] = {"facts.metric", "ceilings.metric", "causes.metric",
                                         "ledger_terms.metric"};
    const char *told = getenv("ROOT"), *root = told && *told ? told : ".";
    char from[600], to[600];
    struct text text = {0};
    struct records records;
    use_plain_memory();
    fuzz_open("data/metrics/devices", "data/metrics/few.metric");
    if (records_read(&records, root)) fuzz_missing(root);
    text_append(&text, few_records);
    for (int i = 0; i < records.count; i++) {
        const struct record *record = &records.record[i];
        snprintf(to, sizeof to, " %s\n", record->name);
        if ((record->kind != RECORD_METRIC && record->kind != RECORD_COUNTER) ||
            strstr(few_records, to))
            continue;
        text_format(&text,
                    "metric %s\n    unit u\n    formula warp_instructions_hw / %d\n    better "
                    "lower\n    means m\n",
                    record->name, 8 + i);
    }
    write_input((const uint8_t *)text_string(&text), text.length);
    text_free(&text);
    records_free(&records);
    snprintf(to, sizeof to, "%s/data/metrics", scratch);
    for (size_t i = 0; i < sizeof copied / sizeof *copied; i++) {
        snprintf(from, sizeof from, "%s/metrics/%s", root, copied[i]);
        if (file_copy(from, to, copied[i])) fuzz_missing(from);
    }
    snprintf(input_path, sizeof input_path, "%s/data/metrics/sets.metric", scratch);
    write_input((const uint8_t *)"set one\n    collector range\n    means m\n", 39);
    snprintf(input_path, sizeof input_path, "%s/data/metrics/devices/test.device", scratch);
    write_input((const uint8_t *)device_record, strlen(device_record));
    snprintf(input_path, sizeof input_path, "%s/data", scratch);
    setenv("WHYFAST_DATA", input_path, 1);
    snprintf(run_path, sizeof run_path, "%s/r", scratch);
    if (directory_make(run_path)) abort();
}

/* Returns 1 if it is the name of a file that a run has before it is evaluated. */
static int is_raw(const char *name, size_t length)
{
    if (length == 7 && !memcmp(name, "run.txt", 7)) return 1;
    for (enum table_id id = 0; id < TABLE_RAW_COUNT; id++)
        if (strlen(tables[id].name) + 4 == length && !memcmp(tables[id].name, name, length - 4) &&
            !memcmp(name + length - 4, ".csv", 4))
            return 1;
    return 0;
}

/* Writes the run of an input, and no other files. */
static void tables_write(const uint8_t *data, size_t size)
{
    const char *p = (const char *)data, *end = p + size;
    if (directory_remove(run_path) || directory_make(run_path)) abort();
    while (p < end) {
        const char *line = memchr(p, '\n', (size_t)(end - p)),
                   *next = line ? memmem(line, (size_t)(end - line), "\n== ", 4) : NULL;
        if (!line) break;
        const size_t length = (size_t)(line - p) > 3 ? (size_t)(line - p) - 3 : 0;
        if (!next)
            next = end;
        else
            next++;
        if (length && !memcmp(p, "== ", 3) && is_raw(p + 3, length)) {
            if ((size_t)snprintf(input_path, sizeof input_path, "%s/%.*s", run_path, (int)length,
                                 p + 3) >= sizeof input_path)
                abort();
            write_input((const uint8_t *)line + 1, (size_t)(next - line) - 1);
        }
        p = next;
    }
}

/* ---- mutation -------------------------------------------------------------------------------- */

struct part {
    size_t at, length;
};

static unsigned random_state;

static unsigned below(unsigned count)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % count;
}

/* The n-th line of the text. */
static struct part line_of(const uint8_t *data, size_t size, unsigned n)
{
    size_t at = 0;
    while (n-- > 0)
        at += (size_t)((const uint8_t *)memchr(data + at, '\n', size - at) - (data + at)) + 1;
    const uint8_t *end = memchr(data + at, '\n', size - at);
    return (struct part){at, end ? (size_t)(end - data) - at : size - at};
}

/* A cell of the line. */
static struct part cell_of(const uint8_t *data, struct part line)
{
    unsigned cells = 1;
    for (size_t i = 0; i < line.length; i++) cells += data[line.at + i] == ',';
    unsigned n = below(cells);
    size_t at = line.at;
    for (; n > 0; at++) n -= data[at] == ',';
    const uint8_t *end = memchr(data + at, ',', line.at + line.length - at);
    return (struct part){at, end ? (size_t)(end - data) - at : line.at + line.length - at};
}

/* Puts other bytes in place of a part. */
static size_t replace(uint8_t *data, size_t size, size_t most, struct part part,
                      const uint8_t *with, size_t length)
{
    if (size - part.length + length > most) return size;
    memmove(data + part.at + length, data + part.at + part.length, size - part.at - part.length);
    memcpy(data + part.at, with, length);
    return size - part.length + length;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    static const char *const words[] = {
        "",           "0",       "1",           "-1",
        "1e308",      "-1e-308", "4294967296",  "18446744073709551616",
        "2147483648", "x=y",     "ok",          "absent: x",
        "a=1 b=0",    "\"a,b\"", "1=2/3 4=5/6", "..",
        "%s",         "01_a",    "02_b",        "f",
        "cpu",        "library"};
    uint8_t cell[600];
    unsigned lines = 0;
    random_state = seed;
    for (size_t i = 0; i < size; i++) lines += data[i] == '\n';
    if (lines < 2 || below(30) == 0) return LLVMFuzzerMutate(data, size, most);
    const struct part line = line_of(data, size, below(lines)), part = cell_of(data, line);
    const struct part other =
        below(2) ? cell_of(data, line_of(data, size, below(lines))) : cell_of(data, line);
    size_t length = part.length < 500 ? part.length : 500;
    switch (below(8)) {
    case 0: return replace(data, size, most, (struct part){line.at, line.length + 1}, cell, 0);
    case 1: /* the line again */
        length = line.length + 1 < sizeof cell ? line.length + 1 : 0;
        memcpy(cell, data + line.at, length);
        return replace(data, size, most, (struct part){line.at, 0}, cell, length);
    case 2:
    case 3:
        length = other.length < sizeof cell ? other.length : 0;
        memcpy(cell, data + other.at, length);
        return replace(data, size, most, part, cell, length);
    case 4:
    case 5: {
        const char *word = words[below(sizeof words / sizeof *words)];
        return replace(data, size, most, part, (const uint8_t *)word, strlen(word));
    }
    default:
        memcpy(cell, data + part.at, length);
        length = LLVMFuzzerMutate(cell, length, length + 40);
        return replace(data, size, most, part, cell, length);
    }
}

#endif
