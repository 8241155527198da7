#include "run/tables.h"

#include <stddef.h>

#include "catalog/point_key.h"

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
#define LATER_TEXT(name) COLUMN(name, COLUMN_TEXT, 1)
#define LATER_NUMBER(name) COLUMN(name, COLUMN_NUMBER, 1)
#define COLUMNS(...)                                                                               \
    .columns = (const struct column[])COLUMN(__VA_ARGS__, COLUMN(NULL, COLUMN_TEXT, 0))
#define POINT POINT_KEY_LIST(NAME, COUNT)

/* To add a table: a row here and its name in enum table_id, in the same position. A new column goes
 * to the end of its row. If recorded runs lack a raw table or a column of one, it is marked later.
 */
const struct table tables[TABLE_COUNT] = {
    [TABLE_FAMILIES] = {"families", "The problems of the run.",
                        COLUMNS(NAME("family"), TEXT("title"), TEXT("problem"),
                                TEXT("useful_bytes_text"), LATER_TEXT("rate"),
                                LATER_TEXT("lines_size"), LATER_NUMBER("operations_per_lane"))},
    [TABLE_VARIANTS] = {"variants",
                        "The rungs: what each changes, and the hash of its machine code.",
                        COLUMNS(NAME("family"), NAME("variant"), COUNT("rung"), TEXT("title"),
                                MAYBE("after"), TEXT("suffers"), TEXT("changes"), TEXT("pays"),
                                TEXT("factors"), TEXT("sweep_name"), TEXT("sweep_text"),
                                TEXT("file"), TEXT("sass_hash"), TEXT("sass_status"), NAME("kind"),
                                LATER_TEXT("declares"))},
    [TABLE_CLAIMS] = {"claims",
                      "What the sources say of a rung, and the expression that checks it.",
                      COLUMNS(NAME("family"), NAME("variant"), COUNT("claim"), TEXT("says"),
                              TEXT("source"), TEXT("place"), MAYBE("size"), KEY("expect"),
                              COUNT("at_sweep"))},
    [TABLE_PUBLISHED] = {"published", "Figures that the sources print.",
                         COLUMNS(NAME("family"), NAME("variant"), KEY("source"), TEXT("device"),
                                 NUMBER("peak_gbs"), NAME("size"), COUNT("block"), COUNT("sweep"),
                                 NUMBER("time_ns"), NUMBER("effective_gbs"))},
    [TABLE_POINTS] =
        {"points", "Every point that was asked for: verified, failed or skipped, with the reason.",
         COLUMNS(POINT, KEY("status"), TEXT("reason"), NUMBER("useful_bytes"),
                 NUMBER("useful_operations"), NUMBER("launches"), LATER_NUMBER("input_bytes"))},
    [TABLE_LAUNCHES] =
        {"launches",
         "Every kernel of a point: its grid, its resources, its theoretical occupancy, "
         "instructions in its code.",
         COLUMNS(POINT, COUNT("launch"), NUMBER("grid_blocks"), NUMBER("block_threads"),
                 NUMBER("registers"), NUMBER("static_shared_bytes"), NUMBER("dynamic_shared_bytes"),
                 NUMBER("local_bytes"), NUMBER("blocks_per_sm"),
                 NUMBER("theoretical_occupancy_pct"), TEXT("occupancy_limiter"),
                 NUMBER("closed_form_excess_wavefronts"), NUMBER("max_block_threads"),
                 NUMBER("sass_shuffles"), NUMBER("sass_warp_reductions"), NUMBER("sass_barriers"),
                 NUMBER("sass_float_adds"), LATER_NUMBER("closed_form_load_wavefronts"),
                 LATER_NUMBER("closed_form_store_wavefronts"),
                 LATER_NUMBER("closed_form_load_ideal"), LATER_NUMBER("closed_form_store_ideal"),
                 LATER_TEXT("kernel"), LATER_NUMBER("sass_loop_barriers"))},
    [TABLE_ACCESSES] = {"accesses",
                        "Every kind of access to shared memory that a variant describes: its "
                        "addresses, and what they need.",
                        COLUMNS(POINT, COUNT("launch"), COUNT("access"), KEY("name"), NAME("kind"),
                                NUMBER("width_bytes"), NUMBER("executions"), NUMBER("wavefronts"),
                                NUMBER("ideal"), TEXT("addresses")),
                        .later = 1},
    [TABLE_SERIES] =
        {"series",
         "Every series of clean samples: how many, how many were set aside, why it ended.",
         COLUMNS(POINT, NAME("l2"), NAME("kind"), NAME("copy"), COUNT("samples"),
                 COUNT("throttled"), KEY("stop_reason"))},
    [TABLE_SAMPLES] = {"samples", "Every clean sample.",
                       COLUMNS(POINT, NAME("l2"), NAME("kind"), NAME("copy"), COUNT("round"),
                               NUMBER("time_ns"), NUMBER("sm_clock_mhz"), KEY("status"))},
    [TABLE_COUNTERS] = {"counters", "Every counter of every launch, one value a row.",
                        COLUMNS(POINT, COUNT("launch"), COUNT("repeat"), NAME("counter_set"),
                                COUNT("passes"), KEY("counter"), TEXT("source"), NUMBER("value"),
                                KEY("status"))},
    [TABLE_SOURCES] = {"sources",
                       "The source files that the lines are of, and the hash of what they held "
                       "when it was measured.",
                       COLUMNS(COUNT("source"), KEY("path"), TEXT("hash"), KEY("status")),
                       .later = 1},
    [TABLE_SOURCE_FILES] = {"source_files", "The text of those files, as it was measured.",
                            COLUMNS(COUNT("source"), TEXT("text")), .later = 1},
    [TABLE_KERNELS] =
        {"kernels",
         "Every kernel whose instructions were counted or sampled, with the sampler's totals.",
         COLUMNS(COUNT("kernel"), POINT, COUNT("launch"), KEY("symbol"), KEY("name"),
                 KEY("counts_status"), KEY("samples_status"), NUMBER("sampled_launches"),
                 NUMBER("period_cycles"), NUMBER("samples_total"), NUMBER("samples_dropped"),
                 NUMBER("samples_elsewhere"), KEY("lines_status"), KEY("sass_status")),
         .later = 1},
    [TABLE_LINES] = {"lines",
                     "Every instruction of those kernels: its source line, how often it ran, what "
                     "warps waited for at it.",
                     COLUMNS(COUNT("kernel"), COUNT("pc"), NUMBER("source"), NUMBER("line"),
                             TEXT("inlined_at"), TEXT("sass"), NUMBER("executed"),
                             NUMBER("threads"), NUMBER("threads_on"), NUMBER("branches_uniform"),
                             NUMBER("branches_divergent"), NUMBER("shared_wavefronts"),
                             NUMBER("shared_ideal"), NUMBER("global_sectors"),
                             NUMBER("global_ideal"), NUMBER("local_sectors"), NUMBER("samples"),
                             NUMBER("not_issued"), TEXT("stalls")),
                     .later = 1},
    [TABLE_CEILINGS] = {"ceilings",
                        "What the device can do at most, measured in the same run; or the reason "
                        "why that is not known.",
                        COLUMNS(NAME("ceiling"), TEXT("title"), TEXT("unit"), NUMBER("value"),
                                NUMBER("low"), NUMBER("high"), COUNT("samples"),
                                NUMBER("sm_clock_mhz"), KEY("status")),
                        .later = 1},
    [TABLE_STAGES] = {"stages",
                      "What the program did when, stage by stage; ns since the run began.",
                      COLUMNS(NAME("stage"), MAYBE("family"), MAYBE("size"), COUNT("begin_ns"),
                              COUNT("end_ns")),
                      .later = 1},
    [TABLE_TRACES] = {"traces",
                      "Every time that a point ran for the timeline; ns since the run began. What "
                      "was sampled meanwhile, or why not.",
                      COLUMNS(COUNT("trace"), POINT, NAME("counter_set"), COUNT("begin_ns"),
                              COUNT("end_ns"), COUNT("repeats"), NUMBER("interval_ns"),
                              TEXT("trigger"), KEY("activities_status"), KEY("samples_status")),
                      .later = 1},
    [TABLE_ACTIVITIES] = {"activities",
                          "Every kernel of a trace as the device ran it; ns since the trace began.",
                          COLUMNS(
                              COUNT("trace"), COUNT("repeat"), COUNT("launch"), KEY("kernel"),
                              COUNT("begin_ns"), COUNT("end_ns"), COUNT("grid_x"), COUNT("grid_y"),
                              COUNT("grid_z"), COUNT("block_x"), COUNT("block_y"), COUNT("block_z"),
                              COUNT("registers"), COUNT("static_shared_bytes"),
                              COUNT("dynamic_shared_bytes"), COUNT("stream")),
                          .later = 1},
    [TABLE_TRACE_SAMPLES] = {"trace_samples",
                             "Counters over time: one value for each sample and track of a trace; "
                             "ns since the trace began.",
                             COLUMNS(COUNT("trace"), COUNT("sample"), COUNT("begin_ns"),
                                     COUNT("end_ns"), NAME("track"), NUMBER("value")),
                             .later = 1},
    [TABLE_METRICS] = {"metrics", "One row per point: every metric.",
                       COLUMNS(POINT, NUMBER("best"))},
    [TABLE_NOISE] =
        {"noise", "One row per point: how far each metric moved between repeats of its counters.",
         COLUMNS(POINT)},
    [TABLE_KERNEL_COUNTERS] =
        {"kernel_counters",
         "One row per kernel whose instructions are known: the counters of its launch.",
         COLUMNS(COUNT("kernel")), .later = 1},
    [TABLE_IMPOSSIBLE] = {"impossible",
                          "What cannot be, point by point, and was left empty: a bound or a check "
                          "that does not hold, and what follows from it.",
                          COLUMNS(POINT, KEY("kind"), KEY("name"), TEXT("holds"), TEXT("numbers"),
                                  TEXT("empties"), TEXT("because")),
                          .later = 1},
    [TABLE_STEPS] = {"steps",
                     "One row per step of a ladder and size: the speed-up with its interval.",
                     COLUMNS(POINT, NAME("after"), NUMBER("speedup_prev"),
                             NUMBER("speedup_prev_low"), NUMBER("speedup_prev_high"),
                             NUMBER("speedup_first"), NUMBER("speedup_first_low"),
                             NUMBER("speedup_first_high"), NUMBER("floor_pct"), KEY("evidence"))},
    [TABLE_VERDICTS] =
        {"verdicts",
         "Every claim at every size: confirmed, refuted or not measurable, with the numbers.",
         COLUMNS(POINT, COUNT("claim"), TEXT("says"), TEXT("source"), TEXT("place"), TEXT("expect"),
                 KEY("verdict"), TEXT("numbers"))},
    [TABLE_PUBLISHED_STEPS] =
        {"published_steps", "Speed-ups that the sources print, beside those measured here.",
         COLUMNS(NAME("family"), NAME("variant"), NAME("size"), KEY("source"), TEXT("device"),
                 NUMBER("peak_gbs"), NUMBER("effective_gbs"), NUMBER("pct_of_peak"),
                 NUMBER("published_speedup_prev"), NUMBER("published_speedup_first"),
                 NUMBER("measured_speedup_prev"), NUMBER("measured_speedup_first"),
                 NUMBER("published_block"))},
    [TABLE_FINDINGS] = {"findings",
                        "What moved in each step beyond its noise, and which rules speak.",
                        COLUMNS(POINT, NAME("kind"), KEY("name"), NUMBER("before"), NUMBER("after"),
                                NUMBER("noise"), KEY("verdict"), TEXT("text"), TEXT("advice"),
                                TEXT("see"))},
    [TABLE_LEDGER] =
        {"ledger",
         "Where the cycles of a scheduler went, term by term, in the best setting of each variant.",
         COLUMNS(POINT, NAME("part"), NAME("term"), NUMBER("cycles"), NUMBER("ns"),
                 NUMBER("low_ns"), NUMBER("high_ns"), NUMBER("share_pct"), KEY("status"))},
    [TABLE_LEVELS] =
        {"levels",
         "The same by cause: what each cause takes of the time of a variant in its best setting.",
         COLUMNS(POINT, NAME("cause"), NUMBER("ns"), NUMBER("low_ns"), NUMBER("high_ns"),
                 NUMBER("share_pct"))},
    [TABLE_CAUSES] = {"causes",
                      "What the change of time of each step is put down to: rows that sum to it.",
                      COLUMNS(POINT, NAME("after"), NAME("cause"), NUMBER("before_ns"),
                              NUMBER("after_ns"), NUMBER("saved_ns"), NUMBER("low_ns"),
                              NUMBER("high_ns"), NUMBER("share_pct"), KEY("status"),
                              TEXT("witness"), NUMBER("witness_before"), NUMBER("witness_after"))},
    [TABLE_HEADLINES] = {"headlines", "One sentence for each step.",
                         COLUMNS(POINT, NAME("after"), TEXT("headline"))},
    [TABLE_ABLATION] = {"ablation",
                        "What each factor of a family is worth at each size: effects, "
                        "interactions, shares, with intervals.",
                        COLUMNS(NAME("family"), NAME("size"), NAME("kind"), KEY("factors"),
                                NUMBER("ratio"), NUMBER("low"), NUMBER("high"), NUMBER("share_pct"),
                                NUMBER("share_low_pct"), NUMBER("share_high_pct"), NUMBER("least"),
                                NUMBER("most"), TEXT("least_at"), TEXT("most_at"),
                                NUMBER("floor_pct"), KEY("status"), TEXT("sentence"))},
    [TABLE_DEMANDS] = {"demands",
                       "One row per resource and best setting: how long it alone would need, of "
                       "the clean time; rank 1 is the limiter.",
                       COLUMNS(POINT, NAME("resource"), NUMBER("ns"), NUMBER("pct"),
                               NUMBER("rank")),
                       .later = 1},
    [TABLE_PREDICTIONS] = {"predictions",
                           "One row per step: its speed-up as predicted from the rung before and "
                           "what this one declares, beside the achieved one.",
                           COLUMNS(POINT, NAME("after"), TEXT("declares"), KEY("limiter"),
                                   NUMBER("predicted_speedup"), NUMBER("speedup_prev"),
                                   NUMBER("error_pct"), KEY("evidence"), KEY("verdict"),
                                   TEXT("why"))},
    [TABLE_DECLARED] = {"declared", "Every count that a rung declares, beside the counter.",
                        COLUMNS(POINT, NAME("quantity"), NUMBER("declared"), NUMBER("measured"),
                                NUMBER("difference_pct"))},
    [TABLE_PHASES] =
        {"phases",
         "Of each sampled trace and track: how long it rose, what it stayed at, how long it fell.",
         COLUMNS(POINT, COUNT("trace"), NAME("track"), NUMBER("kernel_ns"), NUMBER("ramp_ns"),
                 NUMBER("steady"), NUMBER("tail_ns"), NUMBER("low"), NUMBER("high"),
                 NUMBER("integral"), KEY("status"), NUMBER("begin_ns"), NUMBER("end_ns"),
                 COUNT("main")),
         .later = 1},
    [TABLE_CHARTS] = {"charts", "The pictures under charts/, with the words that belong to them.",
                      COLUMNS(KEY("chart"), NAME("script"), MAYBE("family"), TEXT("size"),
                              TEXT("title"), TEXT("caption"))},
};

int table_width(const struct table *table)
{
    int width = 0;
    while (table->columns[width].name) width++;
    return width;
}
