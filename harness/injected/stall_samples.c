/*
 * Samples in all kernels why warps wait, with CUPTI's PC sampling, and writes samples.csv and
 * totals.csv at the end. Sampling runs from the creation of a context to its end, beside the
 * activity records; it changes no kernel.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <sys/file.h>

#include "cupti/pc_samples.h"
#include "injected/part_files.h"
#include "injected/watch.h"

/* CUPTI's buffer for samples that it has not read yet. Its default of 512 MB is memory of the
 * program; the plan asks for about 4 million samples in all, which this holds at 32 bytes each. */
enum { HARDWARE_BUFFER_BYTES = 128 << 20 };

static struct pc_sampling contexts[MOST_CONTEXTS]; /* unused where the context is NULL */
static struct pc_samples samples;

/* Leaves a problem if the result is none. */
static void tell(int result, const char *reason)
{
    if (result) part_problem("samples", -1, reason);
    if (samples.was_full) part_problem("samples", -1, "the hardware's buffer for samples was full");
}

void stalls_drain(void)
{
    char reason[REASON_BYTES] = "";
    for (int i = 0; i < MOST_CONTEXTS; i++)
        if (contexts[i].context) tell(pc_sampling_drain(&contexts[i], reason), reason);
}

/* The hardware samples for one process at a time: in a second one CUPTI 13.0 fails, and the program
 * may crash. Returns 1 if this process is the one. */
static int take_sampler(void)
{
    static int answer = -1;
    if (answer >= 0) return answer;
    answer = part_lock("sampler", LOCK_EX | LOCK_NB) >= 0; /* kept until the process ends */
    if (!answer)
        part_problem("samples", -1,
                     errno == EWOULDBLOCK ? "another process of the program is being sampled"
                                          : "the file sampler cannot be locked");
    return answer;
}

void stalls_open(CUcontext context)
{
    const CUpti_PCSamplingConfigurationInfo attribute[] = {
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD,
         .attributeData.samplingPeriodData.samplingPeriod = watch.plan.period},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_HARDWARE_BUFFER_SIZE,
         .attributeData.hardwareBufferSizeData.hardwareBufferSize = HARDWARE_BUFFER_BYTES}};
    char reason[REASON_BYTES] = "";
    int at = 0;
    if (!take_sampler()) return;
    while (at < MOST_CONTEXTS && contexts[at].context) at++;
    if (at == MOST_CONTEXTS) {
        part_problem("samples", -1,
                     "the program has too many contexts; the later ones are left out");
    } else if (pc_sampling_open(&contexts[at], &linked_cupti, context, &samples, attribute, 2,
                                reason)) {
        part_problem("samples", -1, reason);
        pc_sampling_close(&contexts[at], reason);
    }
}

void stalls_close(CUcontext context)
{
    char reason[REASON_BYTES] = "";
    for (int i = 0; i < MOST_CONTEXTS; i++) {
        if (!contexts[i].context || (context && contexts[i].context != context)) continue;
        tell(pc_sampling_drain(&contexts[i], reason), reason);
        tell(pc_sampling_close(&contexts[i], reason), reason);
    }
}

static void write_stall(void *context, const struct stall *stall)
{
    struct csv_writer *writer = part_row(PART_SAMPLES);
    double *total = context;
    char cubin[24];
    *total += (double)stall->samples;
    if (!writer) return;
    snprintf(cubin, sizeof cubin, "%" PRIx64, stall->cubin);
    CSV_TEXTS(writer, stall->function, cubin);
    csv_integer(writer, stall->pc);
    csv_text(writer, stall->reason);
    CSV_INTEGERS(writer, (int64_t)stall->samples, (int64_t)stall->not_issued);
    part_row_end(writer);
}

static void write_total(const char *name, double value)
{
    struct csv_writer *writer = part_row(PART_TOTALS);
    if (!writer) return;
    csv_text(writer, name);
    csv_number(writer, value);
    part_row_end(writer);
}

void stalls_write(void)
{
    double total = (double)samples.totals.elsewhere;
    if (!samples.reasons) return;
    pc_samples_each(&samples, write_stall, &total);
    write_total("period", exp2(watch.plan.period));
    write_total("total", total);
    write_total("dropped", (double)samples.totals.dropped);
    write_total("elsewhere", (double)samples.totals.elsewhere);
}
