#include "explain/metric_words.h"

/* `unit` is that to write beside the words, which may contain it. */
static int add(struct query *query, const char *name, const char *title, const char *words,
               const char *unit)
{
    return query_run(query, NULL,
                     "INSERT OR IGNORE INTO metric_words SELECT ?1, words, unit_beside(words, ?4) "
                     "FROM (SELECT coalesce(?2, upper(substr(?3, 1, 1)) || substr(?3, 2), ?1) AS "
                     "words)",
                     "tttt", name, title, words, unit);
}

int metric_words_make(struct query *query, const struct records *records)
{
    static const enum record_kind kinds[] = {RECORD_METRIC, RECORD_COUNTER, RECORD_FACT};
    static const struct {
        const char *name, *words, *unit;
    } of_account[] = {{"active_sms_pct", "Active SMs", "%"},
                      {"resident_warps", "Resident warps", NULL},
                      {"instructions", "Instructions", NULL},
                      {"division", "Instructions of divisions", NULL},
                      {"barriers", "Barriers executed", NULL},
                      {"other_kernels_ns", "Time of the other kernels", "ns"},
                      {"load_distance", "Instructions between load and use", NULL},
                      {"loads_per_wait", "Loads for each wait", NULL},
                      {"bytes_per_wait", "Bytes for each wait", NULL},
                      {"warp_cycles", "Cycles that warps wait", NULL},
                      {"cycles_per_warp", "Cycles that a warp waits", NULL},
                      {"measured_barriers_ns", "Measured cost of barriers", "ns"},
                      {"measured_bank_conflicts_ns", "Measured cost of bank conflicts", "ns"},
                      {"measured_barriers_conflicts_ns",
                       "Measured cost of barriers and bank conflicts at once", "ns"},
                      {"measured_loads_ns", "Measured cost of loads and copies", "ns"},
                      {"waited_loads_ns", "Cost of loads and copies", "ns"},
                      {"left_warps_pct", "Warps that left early", "%"},
                      {"scaled_cost_ns", "Cost that knock-outs at another size allow", "ns"}};
    if (query_has_column(query, "metric_words", NULL)) return 0;
    int result =
        query_write(query, "CREATE TABLE metric_words(name TEXT PRIMARY KEY, words, unit)");
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
        for (int i = 0; i < records->count && !result; i++) {
            const struct record *record = &records->record[i];
            if (record->kind == kinds[kind])
                result = add(query, record->name, record_field(record, "title"),
                             record_field(record, "words"), record_field(record, "unit"));
        }
    for (size_t i = 0; i < sizeof of_account / sizeof *of_account && !result; i++)
        result = add(query, of_account[i].name, of_account[i].words, NULL, of_account[i].unit);
    return result;
}
