/*
 * Samples in all kernels why warps wait, with CUPTI's PC sampling, and writes samples.csv and
 * totals.csv at the end. Sampling runs from the creation of a context to its end, beside the
 * activity records; it changes no kernel.
 *
 * Found by experiment with CUPTI 13.0: CUPTI puts samples into the buffer of the configuration when
 * a module is loaded and when sampling is disabled, and into the buffer of the caller on request;
 * both must be read.
 */
#include <cupti_pcsampling.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

#include "inject/part_files.h"
#include "inject/watch.h"

enum { PCS = 4096 /* most instructions that one call of CUPTI returns */, MOST_REASONS = 96 };

/* CUPTI's buffer for samples that it has not read yet. Its default of 512 MB is memory of the
 * program; the plan asks for about 4 million samples in all, which this holds at 32 bytes each. */
enum { HARDWARE_BUFFER_BYTES = 128 << 20 };

static const char prefix[] = "smsp__pcsamp_warps_issue_stalled_", suffix[] = "_not_issued";

struct pc_buffer {
    CUpti_PCSamplingData data;
    CUpti_PCSamplingPCData *pc;
    CUpti_PCSamplingStallReason *stall;
};

struct sampled_context {
    CUcontext context; /* NULL: unused */
    struct pc_buffer kept, asked;
};

static struct sampled_context contexts[MOST_CONTEXTS];

/* Reasons by CUPTI's index, the same in all contexts. */
static size_t reason_count;
static uint32_t reason_index[MOST_REASONS];
static char *reason_name[MOST_REASONS];
static int is_whole[MOST_REASONS];      /* 0: only samples of cycles without an issue */
static int not_issued_of[MOST_REASONS]; /* the reason with only those samples, or -1 */

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
    for (size_t i = 0; i < at->stallReasonCount; i++)
        for (size_t r = 0; r < reason_count; r++) {
            if (reason_index[r] != at->stallReason[i].pcSamplingStallReasonIndex) continue;
            row->samples[r] += at->stallReason[i].samples;
            if (is_whole[r]) total += at->stallReason[i].samples;
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

static int buffer_open(struct pc_buffer *buffer)
{
    buffer->pc = calloc(PCS, sizeof *buffer->pc);
    buffer->stall = calloc(PCS * reason_count, sizeof *buffer->stall);
    if (!buffer->pc || !buffer->stall) {
        part_problem("samples", -1, "memory is short");
        return 0;
    }
    for (size_t i = 0; i < PCS; i++) {
        buffer->pc[i].size = sizeof buffer->pc[i];
        buffer->pc[i].stallReason = buffer->stall + i * reason_count;
    }
    buffer->data = (CUpti_PCSamplingData){
        .size = sizeof buffer->data, .collectNumPcs = PCS, .pPcData = buffer->pc};
    return 1;
}

static void buffer_free(struct pc_buffer *buffer)
{
    free(buffer->pc);
    free(buffer->stall);
    memset(buffer, 0, sizeof *buffer);
}

/* Returns 1 if the reason is "<name>", with the index of "<name>_not_issued" or -1; else 0. */
static int is_reason(size_t reason, int *not_issued)
{
    const char *name = reason_name[reason];
    const size_t length = strlen(name), tail = strlen(suffix);
    if (strncmp(name, prefix, strlen(prefix))) return 0;
    if (length > tail && !strcmp(name + length - tail, suffix)) return 0;
    *not_issued = -1;
    for (size_t i = 0; i < reason_count; i++)
        if (!strncmp(reason_name[i], name, length) && !strcmp(reason_name[i] + length, suffix))
            *not_issued = (int)i;
    return 1;
}

static int read_reasons(CUcontext context)
{
    CUpti_PCSamplingGetNumStallReasonsParams ask = {
        .size = CUpti_PCSamplingGetNumStallReasonsParamsSize,
        .ctx = context,
        .numStallReasons = &(size_t){0}};
    if (reason_count) return 1;
    if (!WATCH_OK(cuptiPCSamplingGetNumStallReasons(&ask), "samples", -1)) return 0;
    const size_t count = *ask.numStallReasons;
    if (count > MOST_REASONS) {
        part_problem("samples", -1, "the GPU has too many stall reasons");
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        reason_name[i] = calloc(1, CUPTI_STALL_REASON_STRING_SIZE);
        if (!reason_name[i]) return 0;
    }
    CUpti_PCSamplingGetStallReasonsParams get = {.size = CUpti_PCSamplingGetStallReasonsParamsSize,
                                                 .ctx = context,
                                                 .numStallReasons = count,
                                                 .stallReasonIndex = reason_index,
                                                 .stallReasons = reason_name};
    if (!WATCH_OK(cuptiPCSamplingGetStallReasons(&get), "samples", -1)) return 0;
    reason_count = count;
    for (size_t r = 0; r < count; r++) is_whole[r] = is_reason(r, &not_issued_of[r]);
    return 1;
}

static int configure(struct sampled_context *sampled)
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
    CUpti_PCSamplingConfigurationInfoParams params = {
        .size = CUpti_PCSamplingConfigurationInfoParamsSize,
        .ctx = sampled->context,
        .numAttributes = sizeof attribute / sizeof *attribute,
        .pPCSamplingConfigurationInfo = attribute};
    return WATCH_OK(cuptiPCSamplingSetConfigurationAttribute(&params), "samples", -1);
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
    int at = 0;
    if (!take_sampler()) return;
    while (at < MOST_CONTEXTS && contexts[at].context) at++;
    if (at == MOST_CONTEXTS)
        part_problem("samples", -1,
                     "the program has too many contexts; the later ones are left out");
    if (at == MOST_CONTEXTS || !WATCH_OK(cuptiPCSamplingEnable(&enable), "samples", -1)) return;
    struct sampled_context *sampled = &contexts[at];
    sampled->context = context;
    if (!read_reasons(context) || !buffer_open(&sampled->kept) || !buffer_open(&sampled->asked) ||
        !configure(sampled))
        stalls_close(context);
}

static void close_one(struct sampled_context *sampled)
{
    CUpti_PCSamplingDisableParams disable = {.size = CUpti_PCSamplingDisableParamsSize,
                                             .ctx = sampled->context};
    if (sampled->asked.pc) drain(sampled);
    WATCH_OK(cuptiPCSamplingDisable(&disable), "samples", -1);
    if (sampled->kept.pc) add_buffer(&sampled->kept);
    buffer_free(&sampled->kept);
    buffer_free(&sampled->asked);
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
    for (size_t r = 0; r < reason_count; r++) {
        if (!row->samples[r] || !is_whole[r]) continue;
        const int not_issued = not_issued_of[r];
        struct csv_writer *writer = part_row(PART_SAMPLES);
        if (!writer) return;
        CSV_TEXTS(writer, of->symbol, crc);
        csv_integer(writer, row->pc);
        csv_text(writer, reason_name[r] + strlen(prefix));
        CSV_INTEGERS(writer, row->samples[r], not_issued < 0 ? 0 : row->samples[not_issued]);
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
    if (!reason_count) return;
    for (size_t i = 0; i < pc_slots; i++)
        if (pcs[i].function) write_pc(&pcs[i]);
    write_total("period", exp2(watch.plan.period));
    write_total("total", (double)total);
    write_total("dropped", (double)dropped);
    write_total("elsewhere", (double)elsewhere);
}
