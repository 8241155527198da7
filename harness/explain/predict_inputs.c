#include "explain/predict_inputs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* To add a quantity: add a row here, its name in enum quantity, and its meaning in the table of
 * metrics/README.md. */
const struct predict_quantity predict_quantities[QUANTITY_COUNT] = {
    [QUANTITY_WARP_INSTRUCTIONS] = {"warp_instructions", {"warp_instructions_hw"}},
    [QUANTITY_SHARED_INSTRUCTIONS] = {"shared_instructions",
                                      {"shared_load_instructions", "shared_store_instructions",
                                       "shared_async_instructions"}},
    [QUANTITY_SHARED_WAVEFRONTS] = {"shared_wavefronts", {"shared_wavefronts"}},
    [QUANTITY_GLOBAL_WAVEFRONTS] = {"global_wavefronts", {NULL}},
    [QUANTITY_DRAM_BYTES] = {"dram_bytes", {"dram_read_bytes", "dram_write_bytes"}},
    [QUANTITY_MEMORY_WAITS] = {"memory_waits", {NULL}},
    [QUANTITY_BARRIERS] = {"barriers", {NULL}},
    [QUANTITY_TAIL_WAITS] = {"tail_waits", {NULL}},
    [QUANTITY_CLEARS] = {"clears", {NULL}},
    [QUANTITY_REGISTER_CONFLICTS] = {"register_conflicts", {NULL}},
    [QUANTITY_WORKING_BLOCKS] = {"working_blocks", {NULL}},
    [QUANTITY_BUSIEST_SHARE] = {"busiest_share", {NULL}},
};

double predict_number(const struct scope *row, const char *prefix, const char *name)
{
    char full[128];
    snprintf(full, sizeof full, "%s%s", prefix, name);
    const char *value = scope_value(row, full, NULL);
    return value ? strtod(value, NULL) : NAN;
}

double predict_counted(const struct scope *row, const char *prefix, enum quantity quantity)
{
    double sum = predict_quantities[quantity].counter[0] ? 0 : NAN;
    for (int i = 0; i < PREDICT_SUMMANDS && predict_quantities[quantity].counter[i]; i++)
        sum += predict_number(row, prefix, predict_quantities[quantity].counter[i]);
    return sum;
}

struct predict_launch predict_read_launch(const struct scope *row, const char *prefix)
{
    return (struct predict_launch){
        .launches = predict_number(row, prefix, "launches"),
        .grid_blocks = predict_number(row, prefix, "grid_blocks"),
        .block_threads = predict_number(row, prefix, "block_threads"),
        .blocks_per_sm = predict_number(row, prefix, "blocks_per_sm"),
        .sm_count = predict_number(row, prefix, "sm_count"),
    };
}

struct predict_measured predict_read_measured(const struct scope *row, const char *prefix)
{
    return (struct predict_measured){
        .time_ns = predict_number(row, prefix, "time_ns"),
        .clock_ghz = predict_number(row, prefix, "sm_clock_mhz") / 1e3,
        .dram_peak_gbs = predict_number(row, prefix, "dram_peak_gbs"),
        .stall_total = predict_number(row, prefix, "stall_total"),
        .stall_barrier = predict_number(row, prefix, "stall_barrier"),
        .stall_memory = predict_number(row, prefix, "stall_long_scoreboard") +
                        predict_number(row, prefix, "stall_lg_throttle"),
        .stall_shared = predict_number(row, prefix, "stall_short_scoreboard") +
                        predict_number(row, prefix, "stall_mio_throttle"),
        .stall_fixed = predict_number(row, prefix, "stall_wait") +
                       predict_number(row, prefix, "stall_no_instruction") +
                       predict_number(row, prefix, "stall_branch_resolving") +
                       predict_number(row, prefix, "stall_other"),
        .stall_dispatch = predict_number(row, prefix, "stall_dispatch_stall"),
        .stall_not_selected = predict_number(row, prefix, "stall_not_selected"),
    };
}

/* Loads are assumed coalesced unless counted otherwise: a wavefront for four sectors. */
struct predict_rung predict_read_rung(const struct scope *row, const char *prefix,
                                      const struct predict_rung *declared)
{
    struct predict_rung rung = {.launch = predict_read_launch(row, prefix)};
    for (int i = 0; i < QUANTITY_COUNT; i++) {
        rung.count[i] = predict_counted(row, prefix, (enum quantity)i);
        if (!predict_quantities[i].counter[0] && declared) rung.count[i] = declared->count[i];
    }
    const double sectors = predict_number(row, prefix, "global_load_sectors"),
                 loads = predict_number(row, prefix, "global_load_instructions");
    if (isnan(rung.count[QUANTITY_GLOBAL_WAVEFRONTS]))
        rung.count[QUANTITY_GLOBAL_WAVEFRONTS] = loads > sectors / 4 ? loads : sectors / 4;
    return rung;
}
