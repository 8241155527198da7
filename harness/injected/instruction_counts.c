/*
 * Counts the instructions of one launch and writes counts.csv (cupti/sass_counts.h).
 */
#include "cupti/sass_counts.h"
#include "injected/part_files.h"
#include "injected/watch.h"

static struct sass_counts counts;
static int counted = -1; /* kernel of the plan whose launch runs now */

/* Writes the reason as a problem if the result is none. */
static int is_right(int result, const char *reason)
{
    if (result) part_problem("counts", counted, reason);
    return !result;
}

int counts_begin(CUcontext context, int kernel)
{
    static int done;
    char reason[REASON_BYTES] = "";
    uint32_t device = 0;
    if (done) return 0;
    done = 1;
    counted = kernel;
    CUPTI_PARAMS(CUpti_Profiler_Initialize_Params, initialize, .pPriv = NULL);
    driver.synchronize();
    if (!WATCH_OK(cuptiGetDeviceId(context, &device), "counts", kernel) ||
        !WATCH_OK(cuptiProfilerInitialize(&initialize), "counts", kernel))
        return 0;
    CUPTI_PARAMS(CUpti_Device_GetChipName_Params, chip, .deviceIndex = device);
    return WATCH_OK(cuptiDeviceGetChipName(&chip), "counts", kernel) &&
           is_right(
               sass_counts_begin(&counts, &linked_cupti, context, device, chip.pChipName, reason),
               reason);
}

static int write_row(void *context, const char *function, unsigned pc,
                     const double count[INSTRUCTION_COUNTS])
{
    (void)context;
    struct csv_writer *row = part_row(PART_COUNTS);
    if (!row) return 0;
    csv_integer(row, counted);
    csv_text(row, function);
    csv_integer(row, pc);
    csv_numbers(row, INSTRUCTION_COUNTS, count);
    part_row_end(row);
    return 0;
}

void counts_end(CUcontext context)
{
    char reason[REASON_BYTES] = "";
    (void)context;
    driver.synchronize();
    is_right(sass_counts_read(&counts, write_row, NULL, reason), reason);
    sass_counts_end(&counts);
    part_flush();
}
