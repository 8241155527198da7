#include "run/tables.h"

#include <stddef.h>

#define COLUMN(...)                                                                                \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define KEY(name) COLUMN(name, COLUMN_KEY, 0)
#define NAME(name) COLUMN(name, COLUMN_NAME, 0)
#define MAYBE(name) COLUMN(name, COLUMN_MAYBE, 0)
#define TEXT(name) COLUMN(name, COLUMN_TEXT, 0)
#define NUMBER(name) COLUMN(name, COLUMN_NUMBER, 0)
#define COUNT(name) COLUMN(name, COLUMN_COUNT, 0)
#define SIGN(name) COLUMN(name, COLUMN_SIGN, 0)
#define LATER_TEXT(name) COLUMN(name, COLUMN_TEXT, 1)
#define LATER_NUMBER(name) COLUMN(name, COLUMN_NUMBER, 1)
#define LATER_COUNT(name) COLUMN(name, COLUMN_COUNT, 1)
#define ROW(id, text, is_later, ...)                                                               \
    [TABLE_##id] = {.name = text,                                                                  \
                    .columns = (const struct column[]){__VA_ARGS__, TEXT(NULL)},                   \
                    .later = is_later}
#define TABLE(id, text, ...) ROW(id, text, 0, __VA_ARGS__)
#define LATER_TABLE(id, text, ...) ROW(id, text, 1, __VA_ARGS__)
#define POINT                                                                                      \
    NAME("family"), NAME("variant"), NAME("size"), COUNT("block"), COUNT("sweep"),                 \
        LATER_COUNT("device")

/* To add a table: a row here and its name in enum table_id. A new column goes
 * to the end of its row. What a run may lack is marked later. */
const struct table tables[TABLE_COUNT] = {
    TABLE(FAMILIES, "families", NAME("family"), TEXT("title"), TEXT("problem"),
          TEXT("useful_bytes_text"), LATER_TEXT("rate"), LATER_TEXT("lines_size"),
          LATER_NUMBER("operations_per_lane"), LATER_NUMBER("usual_block"), LATER_TEXT("unit")),
    TABLE(VARIANTS, "variants", NAME("family"), NAME("variant"), COUNT("rung"), TEXT("title"),
          MAYBE("after"), TEXT("suffers"), TEXT("changes"), TEXT("pays"), TEXT("factors"),
          TEXT("sweep_name"), TEXT("sweep_text"), TEXT("file"), TEXT("sass_hash"),
          TEXT("sass_status"), NAME("kind"), LATER_TEXT("fails")),
    TABLE(CLAIMS, "claims", NAME("family"), NAME("variant"), COUNT("claim"), TEXT("says"),
          TEXT("source"), TEXT("place"), MAYBE("size"), KEY("expect"), COUNT("at_sweep"),
          LATER_NUMBER("at_times"), LATER_TEXT("device"), LATER_COUNT("at_block")),
    TABLE(PUBLISHED, "published", NAME("family"), NAME("variant"), KEY("source"), TEXT("device"),
          NUMBER("peak_gbs"), NAME("size"), COUNT("block"), COUNT("sweep"), NUMBER("time_ns"),
          NUMBER("effective_gbs"), LATER_TEXT("row"), LATER_TEXT("peak_source")),
    TABLE(POINTS, "points", POINT, KEY("status"), TEXT("reason"), NUMBER("useful_bytes"),
          NUMBER("useful_operations"), NUMBER("launches"), LATER_NUMBER("input_bytes"),
          LATER_NUMBER("trials"), LATER_NUMBER("wrong_trials"), LATER_NUMBER("relative_error"),
          LATER_NUMBER("error_bound"), LATER_TEXT("choice")),
    TABLE(LAUNCHES, "launches", POINT, COUNT("launch"), NUMBER("grid_blocks"),
          NUMBER("block_threads"), NUMBER("registers"), NUMBER("static_shared_bytes"),
          NUMBER("dynamic_shared_bytes"), NUMBER("local_bytes"), NUMBER("blocks_per_sm"),
          NUMBER("theoretical_occupancy_pct"), TEXT("occupancy_limiter"),
          NUMBER("closed_form_excess_wavefronts"), NUMBER("max_block_threads"),
          NUMBER("sass_shuffles"), NUMBER("sass_warp_reductions"), NUMBER("sass_barriers"),
          NUMBER("sass_float_adds"), LATER_NUMBER("closed_form_load_wavefronts"),
          LATER_NUMBER("closed_form_store_wavefronts"), LATER_NUMBER("closed_form_load_ideal"),
          LATER_NUMBER("closed_form_store_ideal"), LATER_TEXT("kernel"),
          LATER_NUMBER("sass_loop_barriers"), LATER_NUMBER("sass_shared_stores"),
          LATER_NUMBER("closed_form_matrix_wavefronts"), LATER_NUMBER("closed_form_matrix_ideal")),
    LATER_TABLE(ACCESSES, "accesses", POINT, COUNT("launch"), COUNT("access"), KEY("name"),
                NAME("kind"), NUMBER("width_bytes"), NUMBER("executions"), NUMBER("wavefronts"),
                NUMBER("ideal"), TEXT("addresses")),
    TABLE(SERIES, "series", POINT, NAME("l2"), NAME("kind"), NAME("copy"), COUNT("samples"),
          COUNT("throttled"), KEY("stop_reason")),
    TABLE(SAMPLES, "samples", POINT, NAME("l2"), NAME("kind"), NAME("copy"), COUNT("round"),
          NUMBER("time_ns"), NUMBER("sm_clock_mhz"), KEY("status")),
    TABLE(COUNTERS, "counters", POINT, COUNT("launch"), COUNT("repeat"), NAME("counter_set"),
          COUNT("passes"), KEY("counter"), TEXT("source"), NUMBER("value"), KEY("status")),
    LATER_TABLE(SOURCES, "sources", COUNT("source"), KEY("path"), TEXT("hash"), KEY("status")),
    LATER_TABLE(SOURCE_FILES, "source_files", COUNT("source"), TEXT("text")),
    LATER_TABLE(KERNELS, "kernels", COUNT("kernel"), POINT, COUNT("launch"), KEY("symbol"),
                KEY("name"), KEY("counts_status"), KEY("samples_status"),
                NUMBER("sampled_launches"), NUMBER("period_cycles"), NUMBER("samples_total"),
                NUMBER("samples_dropped"), NUMBER("samples_elsewhere"), KEY("lines_status"),
                KEY("sass_status"), LATER_NUMBER("sass_read_distance"),
                LATER_NUMBER("sass_copy_distance"), LATER_TEXT("distance_status")),
    LATER_TABLE(LINES, "lines", COUNT("kernel"), COUNT("pc"), NUMBER("source"), NUMBER("line"),
                TEXT("inlined_at"), TEXT("sass"), NUMBER("executed"), NUMBER("threads"),
                NUMBER("threads_on"), NUMBER("branches_uniform"), NUMBER("branches_divergent"),
                NUMBER("shared_wavefronts"), NUMBER("shared_ideal"), NUMBER("global_sectors"),
                NUMBER("global_ideal"), NUMBER("local_sectors"), NUMBER("samples"),
                NUMBER("not_issued"), TEXT("stalls"), LATER_NUMBER("code_of")),
    LATER_TABLE(CEILINGS, "ceilings", NAME("ceiling"), TEXT("title"), TEXT("unit"), NUMBER("value"),
                NUMBER("low"), NUMBER("high"), COUNT("samples"), NUMBER("sm_clock_mhz"),
                KEY("status")),
    LATER_TABLE(POWER, "power", POINT, COUNT("runs"), NUMBER("time_ns"), NUMBER("power_w"),
                NUMBER("limit_w"), NUMBER("sm_clock_mhz"), TEXT("reasons"), KEY("status")),
    LATER_TABLE(STAGES, "stages", NAME("stage"), MAYBE("family"), MAYBE("size"), COUNT("begin_ns"),
                COUNT("end_ns")),
    LATER_TABLE(TRACES, "traces", COUNT("trace"), POINT, NAME("counter_set"), COUNT("begin_ns"),
                COUNT("end_ns"), COUNT("repeats"), NUMBER("interval_ns"), TEXT("trigger"),
                KEY("activities_status"), KEY("samples_status")),
    LATER_TABLE(ACTIVITIES, "activities", COUNT("trace"), COUNT("repeat"), COUNT("launch"),
                KEY("kernel"), COUNT("begin_ns"), COUNT("end_ns"), COUNT("grid_x"), COUNT("grid_y"),
                COUNT("grid_z"), COUNT("block_x"), COUNT("block_y"), COUNT("block_z"),
                COUNT("registers"), COUNT("static_shared_bytes"), COUNT("dynamic_shared_bytes"),
                COUNT("stream")),
    LATER_TABLE(TRACE_SAMPLES, "trace_samples", COUNT("trace"), COUNT("sample"), COUNT("begin_ns"),
                COUNT("end_ns"), NAME("track"), NUMBER("value")),
    LATER_TABLE(KNOCKOUTS, "knockouts", POINT, COUNT("launch"), KEY("symbol"), NAME("knockout"),
                KEY("status"), COUNT("patched"), COUNT("left"), TEXT("left_reason"),
                COUNT("samples"), NUMBER("time_ns"), NUMBER("saved_ns"), NUMBER("low_ns"),
                NUMBER("high_ns")),
    TABLE(METRICS, "metrics", POINT, NUMBER("best")),
    TABLE(NOISE, "noise", POINT),
    LATER_TABLE(KERNEL_COUNTERS, "kernel_counters", COUNT("kernel")),
    LATER_TABLE(IMPOSSIBLE, "impossible", POINT, KEY("kind"), KEY("name"), TEXT("holds"),
                TEXT("numbers"), TEXT("empties"), TEXT("because")),
    LATER_TABLE(EVALUATION, "evaluation", KEY("build")),
    TABLE(STEPS, "steps", POINT, NAME("after"), NUMBER("speedup_prev"), NUMBER("speedup_prev_low"),
          NUMBER("speedup_prev_high"), NUMBER("speedup_first"), NUMBER("speedup_first_low"),
          NUMBER("speedup_first_high"), NUMBER("floor_pct"), KEY("evidence")),
    TABLE(VERDICTS, "verdicts", POINT, COUNT("claim"), TEXT("says"), TEXT("source"), TEXT("place"),
          TEXT("expect"), KEY("verdict"), TEXT("numbers"), TEXT("measured"),
          COUNT("is_about_step")),
    TABLE(PUBLISHED_STEPS, "published_steps", NAME("family"), NAME("variant"), NAME("size"),
          KEY("source"), TEXT("device"), NUMBER("peak_gbs"), NUMBER("effective_gbs"),
          NUMBER("pct_of_peak"), NUMBER("published_speedup_prev"),
          NUMBER("published_speedup_first"), NUMBER("measured_speedup_prev"),
          NUMBER("measured_speedup_first"), NUMBER("published_block"), NUMBER("measured_block"),
          TEXT("differs")),
    TABLE(MOVED, "moved", POINT, KEY("name"), NUMBER("before"), NUMBER("after"), NUMBER("noise"),
          KEY("verdict")),
    TABLE(LEDGER, "ledger", POINT, NAME("part"), NAME("term"), NUMBER("cycles"), NUMBER("ns"),
          NUMBER("low_ns"), NUMBER("high_ns"), NUMBER("share_pct"), KEY("status")),
    TABLE(LEVELS, "levels", POINT, NAME("cause"), NUMBER("ns"), NUMBER("low_ns"), NUMBER("high_ns"),
          NUMBER("share_pct")),
    TABLE(SIDES, "sides", POINT, TEXT("function"), KEY("name"), NUMBER("value")),
    TABLE(CAUSE_LINES, "cause_lines", NAME("family"), NAME("variant"), NAME("cause"), KEY("path"),
          COUNT("line"), NUMBER("share_pct"), TEXT("called_from")),
    TABLE(CAUSES, "causes", POINT, NAME("after"), NAME("cause"), NUMBER("saved_ns"),
          NUMBER("low_ns"), NUMBER("high_ns"), NUMBER("gross_ns"), NUMBER("share_pct"),
          KEY("status"), COUNT("named"), TEXT("witness"), NUMBER("witness_before"),
          NUMBER("witness_after"), TEXT("detail"), TEXT("line_before"), TEXT("line_after"),
          LATER_NUMBER("inferred_ns")),
    TABLE(REMAINS, "remains", POINT, NUMBER("place"), NAME("cause"), KEY("bound"),
          NUMBER("saved_ns"), NUMBER("share_pct"), TEXT("later"), NUMBER("later_saved_ns"),
          LATER_TEXT("part"), LATER_NUMBER("part_ns"), LATER_NUMBER("is_advised")),
    TABLE(CONFLICTS, "conflicts", POINT, COUNT("is_primary"), NUMBER("time_ns"), NUMBER("cost_ns"),
          NUMBER("cost_low_ns"), NUMBER("cost_high_ns"), TEXT("cost_text"), NUMBER("share_pct"),
          NUMBER("excess"), NUMBER("loads"), NUMBER("stores"), NUMBER("matrix"), NUMBER("copies"),
          NUMBER("atomics"), NUMBER("same_word"), NUMBER("copied_lines"), NUMBER("is_exact"),
          NUMBER("ways"), TEXT("path"), NUMBER("line"), TEXT("text"), TEXT("called_path"),
          NUMBER("called_line"), TEXT("kind"), NUMBER("width_bytes"), NUMBER("line_ways"),
          TEXT("line_words"), NUMBER("line_share_pct"), KEY("status"), TEXT("line_status"),
          COUNT("is_small"), LATER_TEXT("bound"), LATER_NUMBER("has_copies")),
    TABLE(CONFLICT_LINES, "conflict_lines", POINT, COUNT("launch"), COUNT("place"), TEXT("path"),
          NUMBER("line"), TEXT("text"), TEXT("called_path"), NUMBER("called_line"), TEXT("kind"),
          NUMBER("width_bytes"), NUMBER("executed"), NUMBER("wavefronts"), NUMBER("ideal"),
          NUMBER("excess"), NUMBER("ways"), TEXT("words"), NUMBER("share_pct"), TEXT("accesses")),
    TABLE(SAID, "said", POINT, NAME("after"), COUNT("place"), NAME("id"), TEXT("area"),
          TEXT("title"), NUMBER("saved_ns"), NUMBER("low_ns"), NUMBER("high_ns"),
          NUMBER("share_pct"), KEY("status"), SIGN("direction"), COUNT("is_main"),
          LATER_COUNT("proves"), COUNT("is_small"), TEXT("moved"), COUNT("is_open"),
          TEXT("sentence"), TEXT("note"), TEXT("aside"), TEXT("counted"), TEXT("witness"),
          NUMBER("witness_before"), NUMBER("witness_after"), TEXT("line_before"),
          TEXT("line_after"), LATER_TEXT("main_moved")),
    LATER_TABLE(EXPERIMENTS, "experiments", POINT, MAYBE("after"), COUNT("place"), NAME("knockout"),
                TEXT("title"), MAYBE("cause"), NUMBER("time_ns"), NUMBER("before_ns"),
                NUMBER("after_ns"), NUMBER("saved_ns"), NUMBER("account_ns"), NUMBER("ratio"),
                TEXT("verdict"), TEXT("note"), LATER_TEXT("outcome"), LATER_NUMBER("is_used")),
    TABLE(ABLATION, "ablation", NAME("family"), NAME("size"), NAME("kind"), KEY("factors"),
          NUMBER("ratio"), NUMBER("low"), NUMBER("high"), NUMBER("least"), NUMBER("most"),
          TEXT("least_at"), TEXT("most_at"), NUMBER("floor_pct"), KEY("status"), TEXT("sentence"),
          SIGN("direction")),
    LATER_TABLE(DEMANDS, "demands", POINT, NAME("resource"), NUMBER("ns"), NUMBER("pct"),
                NUMBER("rank")),
    LATER_TABLE(SHAPE_MAP, "shape_map", NAME("family"), NAME("size"), NUMBER("m"), NUMBER("n"),
                NUMBER("k"), MAYBE("variant"), NUMBER("block"), NUMBER("sweep"), NUMBER("device"),
                TEXT("choice"), MAYBE("library"), NUMBER("time_ns"), NUMBER("library_time_ns"),
                NUMBER("ratio"), NUMBER("low"), NUMBER("high"), MAYBE("limiter"),
                NUMBER("limiter_pct"), MAYBE("remains"), NUMBER("remains_pct"), KEY("status"),
                SIGN("direction")),
    LATER_TABLE(CHARTS, "charts", KEY("chart"), NAME("script"), MAYBE("family"), TEXT("size"),
                TEXT("title"), TEXT("caption"), LATER_TEXT("absent")),
    /* Only merged runs have these (run/merged_run.h). */
    LATER_TABLE(DEVICES, "devices", COUNT("device"), NAME("label"), TEXT("name"), TEXT("uuid"),
                TEXT("host"), COUNT("runs"), TEXT("date"), TEXT("extent"),
                TEXT("compute_capability"), TEXT("sm_count"), TEXT("memory_bytes"),
                TEXT("l2_bytes"), TEXT("sm_clock_khz"), TEXT("dram_clock_khz"),
                TEXT("dram_bus_bits"), TEXT("ecc"), TEXT("mig"), TEXT("persistence"),
                TEXT("power_limit_w"), TEXT("clock_event_reasons"), TEXT("temperature_c"),
                TEXT("remapped_rows"), TEXT("pcie"), TEXT("driver"), TEXT("cuda_driver"),
                TEXT("selftest")),
    LATER_TABLE(BOARDS, "boards", COUNT("device"), NAME("label"), NAME("quantity"), TEXT("title"),
                TEXT("unit"), NUMBER("value"), NUMBER("low"), NUMBER("high"), NUMBER("typical"),
                NUMBER("difference_pct"), KEY("status"), TEXT("differs")),
};

void table_header(struct csv_writer *writer, enum table_id id)
{
    for (const struct column *column = tables[id].columns; column->name; column++)
        csv_text(writer, column->name);
    csv_end(writer);
}
