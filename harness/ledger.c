#include "ledger.h"

#include <string.h>

#include "message.h"
#include "text.h"

/* A number of the header inside a statement. */
#define LEDGER_TEXT(x) LEDGER_TEXT_(x)
#define LEDGER_TEXT_(x) #x
#define POINT "family, variant, size, block, sweep"
#define SAME_POINT(a, b)                                                                                                                   \
    a ".family = " b ".family AND " a ".variant = " b ".variant AND " a ".size = " b ".size AND " a ".block = " b ".block AND " a          \
      ".sweep = " b ".sweep"

/* ---- columns ------------------------------------------------------------------------------------------------------------------------------- */

static int keep_name(void *context, const struct scope *row)
{
    struct text *names = context;
    text_format(names, " %s ", row->value[0]);
    return 0;
}

static int add_column(struct query *query, const char *table, struct text *names, const char *name)
{
    char word[128];
    snprintf(word, sizeof word, " %s ", name);
    if (strstr(text_string(names), word)) return 0;
    text_append(names, word);
    return query_write(query, "ALTER TABLE %s ADD COLUMN %s REAL", table, name);
}

/* What the statements here and in causes.c name, whatever the records are. */
static const char *const needed[] = {
    "time_ns", "time_low_ns", "time_high_ns", "sm_clock_mhz", "floor_pct", "launches", "useful_bytes", "useful_operations", "scheduler_count", "scheduler_cycles_active",
    "scheduler_cycles_issued", "scheduler_cycles_idle", "sm_cycles_active_busiest", "warp_instructions_hw", "warp_instructions_sass", "warp_execution_efficiency_pct",
    "predicated_on_pct", "shared_wavefronts", "shared_excess_wavefronts", "global_load_sectors", "global_excess_sectors", "local_sectors", "warps_active_pct",
};

int ledger_columns(struct query *query, const char *table, const struct records *records)
{
    struct text names = {0}, sql = {0};
    text_format(&sql, "SELECT name FROM pragma_table_info('%s')", table);
    query->writable = 1; /* pragma functions are not for expressions */
    int result = sql.failed ? error_memory() : query_each(query, NULL, text_string(&sql), NULL, keep_name, &names);
    query->writable = 0;
    for (size_t i = 0; i < sizeof needed / sizeof *needed && !result; i++) result = add_column(query, table, &names, needed[i]);
    for (int i = 0; i < records->count && !result; i++) {
        const struct record *record = &records->record[i];
        if (record->kind == RECORD_COUNTER || record->kind == RECORD_FACT || record->kind == RECORD_METRIC) result = add_column(query, table, &names, record->name);
    }
    if (!result && names.failed) result = error_memory();
    text_free(&names);
    text_free(&sql);
    return result;
}

/* ---- the records of the terms as tables --------------------------------------------------------------------------------------------------- */

/* One row for each word of a field: opcodes and stall reasons, by term. */
static int insert_words(struct query *query, const char *table, const char *term, int place, const char *words)
{
    int result = 0;
    for (const char *word = words; word && *word && !result; word += strcspn(word, " "), word += strspn(word, " "))
        result = query_write(query, "INSERT INTO %s VALUES(%Q, %d, '%.*q')", table, term, place, (int)strcspn(word, " "), word);
    return result;
}

static int load_terms(struct query *query, const struct records *records)
{
    int result = query_write(query, "CREATE TABLE term(term TEXT PRIMARY KEY, place INTEGER, part, title, cause, counted, state);"
                                    "CREATE TABLE term_opcode(term, place, glob); CREATE TABLE term_reason(term, place, reason)");
    for (int i = 0; i < records->count && !result; i++) {
        const struct record *record = &records->record[i];
        if (record->kind != RECORD_TERM) continue;
        result = query_write(query, "INSERT INTO term VALUES(%Q, %d, %Q, %Q, %Q, %Q, %Q)", record->name, i, record_field(record, "part"),
                             record_field(record, "title"), record_field(record, "cause"), record_field(record, "counted"), record_field(record, "state"));
        if (!result) result = insert_words(query, "term_opcode", record->name, i, record_field(record, "opcodes"));
        if (!result) result = insert_words(query, "term_reason", record->name, i, record_field(record, "sampled"));
    }
    return result;
}

/* ---- what there is for each point ----------------------------------------------------------------------------------------------------------- */

/* Cycles per scheduler and their uncertainty; launch is NULL where its cost was not measured. */
static int make_bases(struct query *query)
{
    int result = query_write(
        query,
        "CREATE TABLE ledger_base AS SELECT m.family, m.variant, m.size, m.block, m.sweep, m.time_ns, m.sm_clock_mhz / 1000 AS ghz, m.launches,"
        " m.time_ns * m.sm_clock_mhz / 1000 AS elapsed, m.scheduler_cycles_issued / m.scheduler_count AS issued, m.scheduler_cycles_idle /"
        " m.scheduler_count AS stalled, m.sm_cycles_active_busiest AS busiest,"
        " (l.value + (m.launches - 1) * coalesce(x.value, CASE m.launches WHEN 1 THEN 0 END)) * m.sm_clock_mhz / 1000 AS launch,"
        " (l.high - l.low + (m.launches - 1) * coalesce(x.high - x.low, 0)) / 2 * m.sm_clock_mhz / 1000 AS launch_half,"
        " (m.time_high_ns - m.time_low_ns) / 2 * m.sm_clock_mhz / 1000 AS elapsed_half,"
        " max(coalesce(n.scheduler_cycles_issued / nullif(m.scheduler_cycles_issued, 0), 0), abs(m.warp_instructions_hw - m.warp_instructions_sass) /"
        " m.warp_instructions_hw) AS issued_noise, n.scheduler_cycles_active /"
        " nullif(m.scheduler_cycles_active, 0) AS active_noise,"
        " m.useful_operations / 32 / f.operations_per_lane / m.scheduler_count AS work, m.scheduler_count"
        " FROM metrics m JOIN variants v USING (family, variant) JOIN families f USING (family) LEFT JOIN noise n USING (" POINT ")"
        " LEFT JOIN ceilings l ON l.ceiling = 'launch_ns' LEFT JOIN ceilings x ON x.ceiling = 'next_launch_ns'"
        " WHERE m.best = 1 AND v.kind <> 'cpu' AND m.time_ns > 0 AND m.scheduler_cycles_issued > 0;"
        "ALTER TABLE ledger_base ADD COLUMN imbalance; ALTER TABLE ledger_base ADD COLUMN residual; ALTER TABLE ledger_base ADD COLUMN noise;"
        "UPDATE ledger_base SET imbalance = max(busiest - issued - stalled, 0);"
        "UPDATE ledger_base SET residual = elapsed - issued - stalled - imbalance - coalesce(launch, 0);"
        "UPDATE ledger_base SET noise = max(coalesce(active_noise, 0), abs(residual) / elapsed);"
        "CREATE INDEX ledger_base_key ON ledger_base(" POINT ")");
    return result;
}

/* Instructions by term, where nearly all that the point executes were counted one by one and their machine code is known. Of a kernel that is launched
 * again on what it left, the first launch is counted, which reads the whole input. */
static int make_mix(struct query *query)
{
    return query_write(
        query,
        "CREATE TABLE ledger_opcode AS SELECT o.opcode, (SELECT t.term FROM term_opcode t WHERE o.opcode GLOB t.glob ORDER BY t.place LIMIT 1) AS term FROM"
        " (SELECT DISTINCT opcode_of(sass) AS opcode FROM lines WHERE sass IS NOT NULL) o;"
        "CREATE INDEX ledger_opcode_key ON ledger_opcode(opcode);"
        "CREATE TABLE ledger_mix AS SELECT k.family, k.variant, k.size, k.block, k.sweep, o.term, sum(l.executed) AS weight FROM lines l JOIN kernels k USING (kernel)"
        " JOIN ledger_opcode o ON o.opcode = opcode_of(l.sass) GROUP BY k.family, k.variant, k.size, k.block, k.sweep, o.term;"
        "DELETE FROM ledger_mix WHERE NOT EXISTS (SELECT 1 FROM metrics m WHERE " SAME_POINT("m", "ledger_mix") " AND (SELECT sum(x.weight) FROM ledger_mix x WHERE "
        SAME_POINT("x", "ledger_mix") ") >= " LEDGER_TEXT(LEDGER_MIX_PCT) " / 100 * m.warp_instructions_hw);"
        "CREATE INDEX ledger_mix_key ON ledger_mix(" POINT ")");
}

/* The same from counters, where the instructions were not counted; `rest` is what the others leave. */
static int make_counted(struct query *query, const struct records *records)
{
    struct text sum = {0};
    text_append(&sum, "0");
    int result = 0;
    for (int i = 0; i < records->count && !result; i++) {
        const struct record *record = &records->record[i];
        const char *counted = record->kind == RECORD_TERM ? record_field(record, "counted") : NULL;
        if (!counted) continue;
        text_format(&sum, " + (%s)", counted);
        result = query_write(query,
                             "INSERT INTO ledger_mix SELECT m.family, m.variant, m.size, m.block, m.sweep, %Q, %s FROM metrics m JOIN ledger_base b USING (" POINT ")"
                             " WHERE NOT EXISTS (SELECT 1 FROM ledger_by_instruction x WHERE " SAME_POINT("x", "b") ") AND (%s) IS NOT NULL",
                             record->name, counted, counted);
    }
    if (!result && sum.failed) result = error_memory();
    if (!result)
        result = query_write(query,
                             "INSERT INTO ledger_mix SELECT m.family, m.variant, m.size, m.block, m.sweep, 'rest', max(m.warp_instructions_hw - (%s), 0) FROM metrics"
                             " m JOIN ledger_base b USING (" POINT ") WHERE NOT EXISTS (SELECT 1 FROM ledger_by_instruction x WHERE " SAME_POINT("x", "b") ")"
                             " AND (%s) IS NOT NULL",
                             text_string(&sum), text_string(&sum));
    text_free(&sum);
    return result;
}

/* What no warp could issue for, by term: samples in which nothing was issued, in cycles, and how many they were; else states of warps. */
static int make_waits(struct query *query, const struct records *records)
{
    int result = query_write(
        query,
        "CREATE TABLE ledger_wait AS SELECT k.family, k.variant, k.size, k.block, k.sweep, coalesce(r.term, 'fetch') AS term, sum(s.not_issued * k.period_cycles / k.sampled_launches)"
        " AS weight, sum(s.not_issued) AS samples FROM stalls s JOIN kernels k USING (kernel) LEFT JOIN term_reason r ON r.reason = s.reason"
        " WHERE s.not_issued > 0 GROUP BY k.family, k.variant, k.size, k.block, k.sweep, coalesce(r.term, 'fetch');"
        "CREATE TABLE ledger_sampled AS SELECT DISTINCT " POINT " FROM ledger_wait;"
        "CREATE INDEX ledger_sampled_key ON ledger_sampled(" POINT ")");
    for (int i = 0; i < records->count && !result; i++) {
        const struct record *record = &records->record[i];
        const char *state = record->kind == RECORD_TERM ? record_field(record, "state") : NULL;
        if (!state) continue;
        result = query_write(query,
                             "INSERT INTO ledger_wait SELECT m.family, m.variant, m.size, m.block, m.sweep, %Q, %s, NULL FROM metrics m JOIN ledger_base b USING (" POINT ")"
                             " WHERE NOT EXISTS (SELECT 1 FROM ledger_sampled x WHERE " SAME_POINT("x", "b") ") AND (%s) IS NOT NULL",
                             record->name, state, state);
    }
    return result ? result : query_write(query, "CREATE INDEX ledger_wait_key ON ledger_wait(" POINT ")");
}

/* ---- the rows ----------------------------------------------------------------------------------------------------------------------------- */

/* Useful work is taken out of the arithmetic, and what that lacks of the other instructions that can do it. */
static int add_issued(struct query *query)
{
    return query_write(
        query,
        "CREATE TABLE ledger_part AS SELECT b.*, x.term, b.issued * x.weight / t.total AS cycles, EXISTS (SELECT 1 FROM ledger_by_instruction i WHERE"
        " " SAME_POINT("i", "b") ") AS exact FROM ledger_base b JOIN ledger_mix x USING (" POINT ") JOIN (SELECT " POINT ", sum(weight) AS total FROM ledger_mix GROUP BY "
        POINT ") t USING (" POINT ") WHERE t.total > 0;"
        "CREATE TABLE ledger_work AS SELECT " POINT ", sum(CASE WHEN term = 'arithmetic' THEN cycles ELSE 0 END) AS arithmetic, sum(CASE WHEN term IN ('overhead', 'rest')"
        " THEN cycles ELSE 0 END) AS other, max(work) AS least FROM ledger_part GROUP BY " POINT ";"
        "ALTER TABLE ledger_work ADD COLUMN work; UPDATE ledger_work SET work = min(least, arithmetic + other);"
        "INSERT INTO ledger SELECT p.family, p.variant, p.size, p.block, p.sweep, 'issued', p.term, CASE p.term WHEN 'arithmetic' THEN p.cycles - min(coalesce(w.work, 0), w.arithmetic)"
        " WHEN 'overhead' THEN p.cycles - max(coalesce(w.work, 0) - w.arithmetic, 0) WHEN 'rest' THEN p.cycles - max(coalesce(w.work, 0) - w.arithmetic, 0) ELSE p.cycles END,"
        " p.issued_noise, 0, CASE p.exact WHEN 1 THEN 'by instruction' ELSE 'by counters' END FROM ledger_part p JOIN ledger_work w USING (" POINT ");"
        "INSERT INTO ledger SELECT DISTINCT p.family, p.variant, p.size, p.block, p.sweep, 'issued', 'work', w.work, p.issued_noise, 0, CASE p.exact WHEN 1 THEN 'by instruction' ELSE"
        " 'by counters' END FROM ledger_part p JOIN ledger_work w USING (" POINT ") WHERE w.work IS NOT NULL");
}

static int add_stalled(struct query *query)
{
    return query_write(
        query,
        "INSERT INTO ledger SELECT b.family, b.variant, b.size, b.block, b.sweep, 'stalled', x.term, b.stalled * x.weight / t.total, b.noise,"
        " CASE WHEN t.samples > 0 THEN 1.96 * sqrt(x.weight / t.total * (1 - x.weight / t.total) / t.samples) * b.stalled ELSE 0 END,"
        " CASE WHEN t.samples > 0 THEN 'sampled' ELSE 'by warp state' END FROM ledger_base b JOIN ledger_wait x USING (" POINT ") JOIN (SELECT " POINT
        ", sum(weight) AS total, sum(samples) AS samples FROM ledger_wait GROUP BY " POINT ") t USING (" POINT ") WHERE t.total > 0");
}

/* What is not there in one sentence, for the rows elapsed and residual. */
#define CLOSED                                                                                                                            \
    "CASE WHEN abs(residual) <= " LEDGER_TEXT(LEDGER_CLOSED_PCT) " / 100 * elapsed THEN 'closed' WHEN launch IS NULL THEN 'what a launch costs was not measured' "   \
    "WHEN time_ns < " LEDGER_TEXT(LEDGER_SHORT_NS) " THEN 'short: the launch itself is not known to 1 %% of so little' ELSE 'the counted launches took ' ||"    \
    " round(100 * abs(residual) / elapsed, 2) || ' %% ' || CASE WHEN residual > 0 THEN 'less' ELSE 'more' END || ' than the clean ones' END"

static int add_others(struct query *query)
{
    return query_write(
        query,
        "INSERT INTO ledger SELECT " POINT ", 'issued', 'issued', issued, issued_noise, 0, 'not told apart' FROM ledger_base b WHERE NOT EXISTS (SELECT 1 FROM ledger l WHERE "
        SAME_POINT("l", "b") " AND l.part = 'issued');"
        "INSERT INTO ledger SELECT " POINT ", 'stalled', 'stalled', stalled, noise, 0, 'not told apart' FROM ledger_base b WHERE NOT EXISTS (SELECT 1 FROM ledger l WHERE "
        SAME_POINT("l", "b") " AND l.part = 'stalled');"
        "INSERT INTO ledger SELECT " POINT ", 'empty', 'imbalance', imbalance, noise, 0, 'counted' FROM ledger_base;"
        "INSERT INTO ledger SELECT " POINT ", 'empty', 'launch', launch, 0, launch_half, 'measured by itself' FROM ledger_base WHERE launch IS NOT NULL;"
        "INSERT INTO ledger SELECT " POINT ", 'residual', 'residual', residual, 0, sqrt(elapsed_half * elapsed_half + noise * noise * (issued + stalled) * (issued +"
        " stalled)), " CLOSED " FROM ledger_base;"
        "INSERT INTO ledger SELECT " POINT ", 'elapsed', 'elapsed', elapsed, 0, elapsed_half, " CLOSED " FROM ledger_base");
}

/* From cycles and uncertainties, relative and in cycles, to the columns of the table. */
static int finish_rows(struct query *query)
{
    return query_write(
        query,
        "ALTER TABLE ledger RENAME TO ledger_raw;"
        "CREATE TABLE ledger AS SELECT r.family, r.variant, r.size, r.block, r.sweep, r.part, r.term, r.cycles, r.cycles / b.ghz AS ns, (r.cycles - h.half) / b.ghz AS low_ns,"
        " (r.cycles + h.half) / b.ghz AS high_ns, 100 * r.cycles / b.elapsed AS share_pct, r.status FROM (SELECT rowid AS id, * FROM ledger_raw) r JOIN ledger_base b USING (" POINT
        ") JOIN (SELECT rowid AS id, sqrt(cycles * cycles * noise * noise + extra * extra) AS half FROM ledger_raw) h USING (id) LEFT JOIN term t ON t.term = r.term"
        " ORDER BY r.family, CAST(r.size AS INTEGER), r.size, r.variant, CASE r.part WHEN 'issued' THEN 1 WHEN 'stalled' THEN 2 WHEN 'empty' THEN 3 WHEN 'residual' THEN 4"
        " ELSE 5 END, t.place, r.term;"
        "CREATE INDEX ledger_key ON ledger(" POINT ", term)");
}

int ledger_make(struct query *query, const struct records *records)
{
    int result = load_terms(query, records);
    if (!result) result = ledger_columns(query, "metrics", records);
    if (!result) result = ledger_columns(query, "noise", records);
    if (!result) result = make_bases(query);
    if (!result) result = make_mix(query);
    if (!result) result = query_write(query, "CREATE TABLE ledger_by_instruction AS SELECT DISTINCT " POINT " FROM ledger_mix;"
                                             "CREATE INDEX ledger_by_instruction_key ON ledger_by_instruction(" POINT ")");
    if (!result) result = make_counted(query, records);
    if (!result) result = make_waits(query, records);
    if (!result) result = query_write(query, "CREATE TABLE ledger(" POINT ", part, term, cycles REAL, noise REAL, extra REAL, status)");
    if (!result) result = add_issued(query);
    if (!result) result = add_stalled(query);
    if (!result) result = add_others(query);
    return result ? result : finish_rows(query);
}
