/*
 * The cells of the grid: every combination of the four techniques of grid.h. Cell 4 is the source's
 * kernel 6, cell 7 its sgemm_v1 and cell 12 its sgemm_v3.
 */
#include "grid.h"

/* In the texts of a cell each technique has its part; sentences begin with a blank. */
#define SUFFERS(double_buffer, conflict_free, wide_loads, async)                                   \
    VARIANT_IF(double_buffer,                                                                      \
               " Each tile is waited for, with nothing else to do, before it is multiplied.", "")  \
    VARIANT_IF(conflict_free,                                                                      \
               " Adjacent lanes read words of B that are 8 apart and share the same banks.", "")   \
    VARIANT_IF(wide_loads, " Every load and every store moves 4 bytes.", "")                       \
    VARIANT_IF(async, " Data from global to shared memory pass through registers.", "")
#define CHANGES(double_buffer, conflict_free, wide_loads, async)                                   \
    VARIANT_IF(double_buffer,                                                                      \
               " There are two tiles and two sets of factors: the next is in flight while one is " \
               "multiplied, and there is one barrier per tile.",                                   \
               "")                                                                                 \
    VARIANT_IF(conflict_free,                                                                      \
               " A warp has 16 x 32 elements of each quarter of the tile, so its lanes read "      \
               "different banks.",                                                                 \
               "")                                                                                 \
    VARIANT_IF(wide_loads,                                                                         \
               " Loads, stores and reads of shared memory move 16 bytes at a time "                \
               "where they can.",                                                                  \
               "")                                                                                 \
    VARIANT_IF(async, " cp.async copies directly into shared memory.", "")
#define PAYS(double_buffer, conflict_free, wide_loads, async)                                      \
    VARIANT_IF(double_buffer, "Two tiles in shared memory and registers for two sets of factors",  \
               "A wait for each tile and two barriers around it")                                  \
    VARIANT_IF(conflict_free, "", ", bank conflicts in reads of B")                                \
    VARIANT_IF(wide_loads, VARIANT_IF(async, ", copies of A word by word", ""),                    \
               ", 4 bytes per lane and instruction")                                               \
    VARIANT_IF(async, " and bank conflicts in copies of A.",                                       \
               ", a detour through registers and bank conflicts in stores of A.")

/* A cell may have claims behind its factors. */
#define CELL(id, words, double_buffer, conflict_free, wide_loads, async, ...)                      \
    BASE_OR_CELL(id, words, "01_base",                                                             \
                 1 + SUFFERS(double_buffer, conflict_free, wide_loads, async),                     \
                 1 + CHANGES(double_buffer, conflict_free, wide_loads, async), double_buffer,      \
                 conflict_free, wide_loads, async, __VA_ARGS__)
#define BASE_OR_CELL(id, words, base, problem, change, double_buffer, conflict_free, wide_loads,   \
                     async, ...)                                                                   \
    {                                                                                              \
        VARIANT_NAMED(id),                                                                         \
            .title = words, .after = base, .suffers = problem, .changes = change,                  \
            .pays = PAYS(double_buffer, conflict_free, wide_loads, async),                         \
            .factors = "double_buffer=" #double_buffer " conflict_free=" #conflict_free            \
                       " wide_loads=" #wide_loads " async=" #async,                                \
            .claims = {__VA_ARGS__},                                                               \
            .refuses = cell_refuses<double_buffer, conflict_free, wide_loads, async>,              \
            .plan = cell_plan<double_buffer, conflict_free, wide_loads, async>,                    \
            .shared_accesses = cell_accesses<double_buffer, conflict_free, wide_loads, async>,     \
    }

VARIANT_GRID = {
    BASE_OR_CELL(01_base, "Base", NULL,
                 "Tiles of 128 x 128 must be multiplied through shared memory, with none of the "
                 "four techniques.",
                 "One tile is processed at a time: loads and stores of 4 bytes, a barrier, 8 x 8 "
                 "products per thread and k, a barrier.",
                 0, 0, 0, 0),
    CELL(02_double_buffer, "Double buffer", 1, 0, 0, 0),
    CELL(03_conflict_free, "Conflict-free", 0, 1, 0, 0,
         {"With a warp of 4 x 8 lanes the reads of shared memory no longer have bank conflicts.",
          "GEMM double buffering notes", "Bank conflicts, sgemm_v3", NULL,
          "closed_form_excess_reads_a = 0 AND closed_form_excess_reads_b = 0 AND "
          "load_excess_wavefronts < 0.001 * prev_load_excess_wavefronts"}),
    CELL(04_wide_loads, "Wide loads", 0, 0, 1, 0,
         {"A warp reads only 16 words of A, from 16 banks, so these reads have no bank conflicts.",
          "GEMM double buffering notes", "Bank conflicts", NULL,
          "closed_form_excess_reads_a = 0 AND load_excess_wavefronts <= 1.001 * "
          "closed_form_excess_reads_b"},
         {"Reads of B have bank conflicts, because threads at a distance of four read the same "
          "eight banks.",
          "GEMM double buffering notes", "Bank conflicts", NULL,
          "closed_form_excess_reads_b > 0 AND load_excess_wavefronts >= 0.999 * "
          "closed_form_excess_reads_b"}),
    CELL(05_async, "Asynchronous", 0, 0, 0, 1),
    CELL(06_double_buffer_conflict_free, "Double buffer, conflict-free", 1, 1, 0, 0),
    CELL(07_double_buffer_wide_loads, "Double buffer, wide loads", 1, 0, 1, 0),
    CELL(08_double_buffer_async, "Double buffer, asynchronous", 1, 0, 0, 1),
    CELL(09_conflict_free_wide_loads, "Conflict-free, wide loads", 0, 1, 1, 0),
    CELL(10_conflict_free_async, "Conflict-free, asynchronous", 0, 1, 0, 1),
    CELL(11_wide_loads_async, "Wide loads, asynchronous", 0, 0, 1, 1),
    CELL(12_double_buffer_conflict_free_wide_loads, "All but asynchronous", 1, 1, 1, 0),
    CELL(13_double_buffer_conflict_free_async, "All but wide loads", 1, 1, 0, 1),
    CELL(14_double_buffer_wide_loads_async, "All but conflict-free", 1, 0, 1, 1),
    CELL(15_conflict_free_wide_loads_async, "All but double buffer", 0, 1, 1, 1),
    CELL(16_all, "All four", 1, 1, 1, 1),
    {}};
