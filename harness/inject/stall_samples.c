/*
 * Samples in all kernels why warps wait, with CUPTI's PC sampling, and writes samples.csv and
 * totals.csv at the end. Sampling runs from the creation of a context to its end, beside the
 * activity records; it changes no kernel.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

#include "cupti/stall_reasons.h"
#include "inject/part_files.h"
#include "inject/watch.h"

enum { PCS = 4096 /* most instructions that one call of CUPTI returns */, MOST_REASONS = 96 };

/* CUPTI's buffer for samples that it has not read yet. Its default of 512 MB is memory of the
 * program; the plan asks for about 4 million samples in all, which this holds at 32 bytes each. */
enum { HARDWARE_BUFFER_BYTES = 128 << 20 };

struct sampled_context {
    CUcontext context; /* NULL: unused */
    struct pc_buffer kept, asked;
};

static struct sampled_context contexts[MOST_CONTEXTS];

static struct stall_reasons reasons; /* the same in all contexts */

/* A function of a module. */
struct sampled_function {
    char *symbol;
    uint64_t crc;
};
static struct sampled_function *function;
static size_t function_count;

/* Samples of one instruction, in a hash table with open addressing. */
struct sampled_pc {
    uint32_t function; /* number + 1; 0: empty */
    uint32_t pc;
    uint32_t samples[MOST_REASONS];
};
static struct sampled_pc *pcs;
static size_t pc_slots, pc_used;
static uint64_t total, dropped, elsewhere;

/* ---- collecting ------------------------------------------------------------------------------ */

/* Returns the number of the function + 1, or 0 if memory is short. */
static uint32_t function_number(const char *symbol, uint64_t crc)
{
    for (size_t i = 0; i < function_count; i++)
        if (function[i].crc == crc && !strcmp(function[i].symbol, symbol)) return (uint32_t)i + 1;
    struct sampled_function *grown = realloc(function, (function_count + 1) * sizeof *grown);
    if (!grown) return 0;
    function = grown;
    grown[function_count] = (struct sampled_function){strdup(symbol), crc};
    return grown[function_count].symbol ? (uint32_t)++function_count : 0;
}

static struct sampled_pc *place_of(struct sampled_pc *in, size_t slots, uint32_t of, uint32_t pc)
{
    size_t i = (of * 2654435761u ^ pc * 40503u) & (slots - 1);
    while (in[i].function && (in[i].function != of || in[i].pc != pc)) i = (i + 1) & (slots - 1);
    return &in[i];
}

static int grow_pcs(void)
{
    const size_t slots = pc_slots ? 2 * pc_slots : 1024;
    struct sampled_pc *fresh = calloc(slots, sizeof *fresh);
    if (!fresh) return 0;
    for (size_t i = 0; i < pc_slots; i++)
        if (pcs[i].function) *place_of(fresh, slots, pcs[i].function, pcs[i].pc) = pcs[i];
    free(pcs);
    pcs = fresh;
    pc_slots = slots;
    return 1;
}

static void add_pc(const CUpti_PCSamplingPCData *at)
{
    if (2 * pc_used >= pc_slots && !grow_pcs()) return;
    const uint32_t of = function_number(at->functionName, at->cubinCrc);
    if (!of) return;
    struct sampled_pc *row = place_of(pcs, pc_slots, of, (uint32_t)at->pcOffset);
    pc_used += !row->function;
    row->function = of;
    row->pc = (uint32_t)at->pcOffset;
    for (size_t i = 0; i < at->stallReasonCount; i++) {
        const size_t place =
            stall_reason_place(&reasons, at->stallReason[i].pcSamplingStallReasonIndex);
        if (place == reasons.count) continue;
        row->samples[place] += at->stallReason[i].samples;
        if (reasons.not_issued[place] >= 0) total += at->stallReason[i].samples;
    }
}

static void add_buffer(struct pc_buffer *buffer)
{
    CUpti_PCSamplingData *data = &buffer->data;
    for (size_t i = 0; i < data->totalNumPcs; i++)
        if (data->pPcData[i].functionName) add_pc(&data->pPcData[i]);
    total += data->nonUsrKernelsTotalSamples;
    dropped += data->droppedSamples;
    elsewhere += data->nonUsrKernelsTotalSamples;
    data->totalNumPcs = data->totalSamples = data->droppedSamples = 0;
    data->nonUsrKernelsTotalSamples = 0;
    if (data->hardwareBufferFull)
        part_problem("samples", -1, "the hardware's buffer for samples was full");
}

static void drain(struct sampled_context *sampled)
{
    CUpti_PCSamplingGetDataParams get = {.size = CUpti_PCSamplingGetDataParamsSize,
                                         .ctx = sampled->context,
                                         .pcSamplingData = &sampled->asked.data};
    size_t found;
    do {
        if (!WATCH_OK(cuptiPCSamplingGetData(&get), "samples", -1)) return;
        found = sampled->asked.data.totalNumPcs;
        add_buffer(&sampled->asked);
    } while (found > 0 && sampled->asked.data.remainingNumPcs > 0);
}

void stalls_drain(void)
{
    for (int i = 0; i < MOST_CONTEXTS; i++) {
        if (!contexts[i].context) continue;
        add_buffer(&contexts[i].kept);
        drain(&contexts[i]);
    }
}

/* ---- opening and closing --------------------------------------------------------------------- */

static int read_reasons(CUcontext context, char reason[REASON_BYTES])
{
    if (reasons.count) return 0;
    int result = stall_reasons_read(&reasons, &linked_cupti, context, reason);
    if (!result && reasons.count > MOST_REASONS) {
        snprintf(reason, REASON_BYTES, "the GPU has too many stall reasons");
        result = FAIL_GPU;
    }
    if (result) stall_reasons_free(&reasons);
    return result;
}

static int configure(struct sampled_context *sampled, char reason[REASON_BYTES])
{
    CUpti_PCSamplingConfigurationInfo attribute[] = {
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE,
         .attributeData.collectionModeData.collectionMode =
             CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD,
         .attributeData.samplingPeriodData.samplingPeriod = watch.plan.period},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER,
         .attributeData.samplingDataBufferData.samplingDataBuffer = &sampled->kept.data},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_HARDWARE_BUFFER_SIZE,
         .attributeData.hardwareBufferSizeData.hardwareBufferSize = HARDWARE_BUFFER_BYTES}};
    return pc_sampling_set(&linked_cupti, sampled->context, attribute,
                           sizeof attribute / sizeof *attribute, reason);
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
    CUpti_PCSamplingEnableParams enable = {.size = CUpti_PCSamplingEnableParamsSize,
                                           .ctx = context};
    char reason[REASON_BYTES] = "";
    int at = 0;
    if (!take_sampler()) return;
    while (at < MOST_CONTEXTS && contexts[at].context) at++;
    if (at == MOST_CONTEXTS)
        part_problem("samples", -1,
                     "the program has too many contexts; the later ones are left out");
    if (at == MOST_CONTEXTS || !WATCH_OK(cuptiPCSamplingEnable(&enable), "samples", -1)) return;
    struct sampled_context *sampled = &contexts[at];
    sampled->context = context;
    if (!read_reasons(context, reason) && !pc_buffer_open(&sampled->kept, PCS, &reasons, reason) &&
        !pc_buffer_open(&sampled->asked, PCS, &reasons, reason) && !configure(sampled, reason))
        return;
    part_problem("samples", -1, reason);
    stalls_close(context);
}

static void close_one(struct sampled_context *sampled)
{
    CUpti_PCSamplingDisableParams disable = {.size = CUpti_PCSamplingDisableParamsSize,
                                             .ctx = sampled->context};
    if (sampled->asked.pc) drain(sampled);
    WATCH_OK(cuptiPCSamplingDisable(&disable), "samples", -1);
    if (sampled->kept.pc) add_buffer(&sampled->kept);
    pc_buffer_free(&sampled->kept);
    pc_buffer_free(&sampled->asked);
    sampled->context = NULL;
}

void stalls_close(CUcontext context)
{
    for (int i = 0; i < MOST_CONTEXTS; i++)
        if (contexts[i].context && (!context || contexts[i].context == context))
            close_one(&contexts[i]);
}

/* ---- writing --------------------------------------------------------------------------------- */

static void write_pc(const struct sampled_pc *row)
{
    const struct sampled_function *of = &function[row->function - 1];
    char crc[24];
    snprintf(crc, sizeof crc, "%" PRIx64, of->crc);
    for (size_t r = 0; r < reasons.count; r++) {
        const int not_issued = reasons.not_issued[r];
        if (!row->samples[r] || not_issued < 0) continue;
        struct csv_writer *writer = part_row(PART_SAMPLES);
        if (!writer) return;
        CSV_TEXTS(writer, of->symbol, crc);
        csv_integer(writer, row->pc);
        csv_text(writer, stall_reason_name(&reasons, r));
        CSV_INTEGERS(writer, row->samples[r], not_issued == (int)r ? 0 : row->samples[not_issued]);
        part_row_end(writer);
    }
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
    if (!reasons.count) return;
    for (size_t i = 0; i < pc_slots; i++)
        if (pcs[i].function) write_pc(&pcs[i]);
    write_total("period", exp2(watch.plan.period));
    write_total("total", (double)total);
    write_total("dropped", (double)dropped);
    write_total("elsewhere", (double)elsewhere);
}
