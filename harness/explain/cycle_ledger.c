#include "explain/cycle_ledger.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "explain/cycle_ledger.sql.h"
#include "explain/ledger_points.sql.h"
#include "lines/wait_charges.h"
#include "query/query_guard.h"

/* ---- columns --------------------------------------------------------------------------------- */

/* Columns that the statements of this directory name, whatever the records are. */
static const char *const needed[] = {
    "time_ns",
    "time_low_ns",
    "time_high_ns",
    "sm_clock_mhz",
    "floor_pct",
    "is_as_run",
    "launches",
    "useful_bytes",
    "useful_operations",
    "scheduler_count",
    "scheduler_cycles_active",
    "scheduler_cycles_issued",
    "scheduler_cycles_idle",
    "sm_cycles_active_busiest",
    "warp_instructions_hw",
    "warp_instructions_sass",
    "warp_execution_efficiency_pct",
    "predicated_on_pct",
    "shared_wavefronts",
    "shared_excess_wavefronts",
    "global_read_sectors",
    "global_excess_sectors",
    "local_sectors",
    "warps_active_pct",
    "dram_peak_gbs",
    "block_threads",
    "blocks",
    "blocks_per_sm",
    "grid_blocks",
    "sm_count",
    "sm_coverage_pct",
    "tensor_cycles",
    "tensor_operations",
    "wgmma_instructions",
    "wgmma_wavefronts_hw",
    "wgmma_wavefronts_sass",
    "shared_matrix_load_conflicts",
    "shared_matrix_load_instructions",
    "shared_matrix_load_wavefronts",
    "stall_gmma",
    "ceiling_atomic_ns",
    "ceiling_barrier_ns",
    "ceiling_memory_latency_ns",
    "demand_alu_ns",
    "demand_dram_ns",
    "demand_fma_ns",
    "demand_l2_ns",
    "dram_read_bytes",
    "dram_write_bytes",
    "global_instructions",
    "global_load_bytes",
    "global_load_instructions",
    "store_excess_sectors",
    "global_store_sectors",
    "l1_wavefronts",
    "l2_atomic_cycles_busiest",
    "shared_excess_least",
    "shared_instructions",
    "shared_store_instructions_hw",
    "shared_load_instructions_hw",
    "shared_bypass_wavefronts",
    "same_word_wavefronts",
    "shared_load_instructions",
    "shared_store_instructions",
    "shared_async_instructions",
    "shared_atomic_instructions",
    "shared_wavefronts_load",
    "shared_wavefronts_store",
    "shared_async_wavefronts",
    "shared_atomic_wavefronts",
    "load_excess_wavefronts",
    "store_excess_wavefronts",
    "async_excess_wavefronts",
    "atomic_excess_wavefronts",
    "stall_total",
    "stall_barrier",
    "stall_branch_resolving",
    "stall_dispatch_stall",
    "stall_lg_throttle",
    "stall_long_scoreboard",
    "stall_math_pipe_throttle",
    "stall_mio_throttle",
    "stall_no_instruction",
    "stall_not_selected",
    "stall_other",
    "stall_short_scoreboard",
    "stall_wait",
};

int ledger_columns(struct query *query, const char *table, const struct records *records)
{
    enum { NEEDED = sizeof needed / sizeof *needed };
    int count = NEEDED, result;
    const char **names = malloc((NEEDED + (size_t)records->count) * sizeof *names);
    if (!names) return error_memory();
    memcpy(names, needed, sizeof needed);
    for (int i = 0; i < records->count; i++) {
        const struct record *record = &records->record[i];
        const int is_column = record->kind == RECORD_COUNTER || record->kind == RECORD_FACT ||
                              record->kind == RECORD_METRIC;
        if (is_column) names[count++] = record->name;
    }
    result = query_add_columns(query, table, names, count);
    free(names);
    return result;
}

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
        result = query_write(query, "INSERT INTO term VALUES(%Q, %d, %Q)", record->name, i,
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
    if (!result) result = ledger_columns(query, "metrics", records);
    if (!result) result = ledger_columns(query, "noise", records);
    if (!result) result = wait_charges_make(query);
    if (!result) result = query_write(query, "%s", ledger_points_sql);
    for (int i = 0; i < records->count && !result; i++) {
        result = evaluate_formula(query, &records->record[i], "counted");
        if (!result) result = evaluate_formula(query, &records->record[i], "state");
    }
    return result ? result : query_write(query, "%s", cycle_ledger_sql);
}
