#include "run/nvtx.h"

#include <math.h>
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtPayload.h>
#include <nvtx3/nvToolsExtSemanticsCounters.h>
#include <nvtx3/nvToolsExtSemanticsTime.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "catalog/rung_colours.h"

enum { NAME_BYTES = 400, MOST_DEPTH = 16 };
static const uint32_t OPAQUE = 0xff000000;

/* What a tool is told once. */
enum word_kind { WORD_MESSAGE, WORD_CATEGORY, WORD_SCHEMA, WORD_COUNTER, WORD_KINDS };

struct word {
    char *text;
    uint64_t id; /* a string's handle, else a number */
};

static struct {
    int asked; /* whether there is a tool */
    nvtxDomainHandle_t domain;
    void *words[WORD_KINDS];
    uint32_t categories;
    int depth;
    const char *stage[MOST_DEPTH]; /* that the range at each depth belongs to */
} nvtx;

int nvtx_listening(void)
{
    if (!nvtx.asked) nvtx.domain = nvtxDomainCreateA("whyfast"); /* NULL without a tool */
    nvtx.asked = 1;
    return nvtx.domain != NULL;
}

/* ---- words ----------------------------------------------------------------------------------- */

static int compare_words(const void *a, const void *b)
{
    return strcmp(((const struct word *)a)->text, ((const struct word *)b)->text);
}

/* The word of this text; *is_new when it is yet to be registered. NULL when memory is short:
 * then the tool goes without, what is measured goes on. */
static struct word *find_word(enum word_kind kind, char *text, int *is_new)
{
    const struct word key = {.text = text};
    struct word **found = tfind(&key, &nvtx.words[kind], compare_words);
    *is_new = !found;
    if (found) return *found;
    struct word *word = calloc(1, sizeof *word);
    if (word) word->text = strdup(text);
    if (word && word->text && tsearch(word, &nvtx.words[kind], compare_words)) return word;
    if (word) free(word->text);
    free(word);
    return NULL;
}

static void set_message(nvtxEventAttributes_t *event, char *text)
{
    int is_new;
    struct word *word = find_word(WORD_MESSAGE, text, &is_new);
    if (word && is_new)
        word->id = (uint64_t)(uintptr_t)nvtxDomainRegisterStringA(nvtx.domain, text);
    event->messageType = word && word->id ? NVTX_MESSAGE_TYPE_REGISTERED : NVTX_MESSAGE_TYPE_ASCII;
    if (word && word->id)
        event->message.registered = (nvtxStringHandle_t)(uintptr_t)word->id;
    else
        event->message.ascii = text;
}

/* "run/measure", "reduce/measure"; without a stage "run", "reduce". */
static uint32_t category(const char *family, const char *stage)
{
    char text[NAME_BYTES];
    int is_new;
    snprintf(text, sizeof text, "%s%s%s", family ? family : "run", stage ? "/" : "",
             stage ? stage : "");
    struct word *word = find_word(WORD_CATEGORY, text, &is_new);
    if (!word) return 0;
    if (is_new) {
        word->id = ++nvtx.categories;
        nvtxDomainNameCategoryA(nvtx.domain, (uint32_t)word->id, text);
    }
    return (uint32_t)word->id;
}

/* ---- payloads -------------------------------------------------------------------------------- */

enum field {
    FIELD_M,
    FIELD_N,
    FIELD_K,
    FIELD_RUNG,
    FIELD_BLOCK,
    FIELD_SWEEP,
    FIELD_USEFUL_BYTES,
    FIELD_SAMPLE,
    FIELD_COLD,
    FIELD_LAUNCH,
    FIELD_GRID_BLOCKS,
    FIELD_BLOCK_THREADS,
    FIELD_DYNAMIC_SHARED_BYTES,
    FIELD_TIME_NS,
    FIELD_SM_CLOCK_MHZ,
    FIELD_EFFECTIVE_GBS,
    FIELD_BANK_CONFLICTS,
    FIELD_BANK_CONFLICTS_HW,
    FIELD_COUNT
};

/* To add a field: a row here and its name above. Whole numbers are uint64_t, others double: both
 * have 8 bytes, so that any choice of them is packed. */
static const struct {
    const char *name;
    int whole;
} fields[FIELD_COUNT] = {
    [FIELD_M] = {"m", 1},
    [FIELD_N] = {"n", 1},
    [FIELD_K] = {"k", 1},
    [FIELD_RUNG] = {"rung", 1},
    [FIELD_BLOCK] = {"block", 1},
    [FIELD_SWEEP] = {"sweep", 1},
    [FIELD_USEFUL_BYTES] = {"useful_bytes", 1},
    [FIELD_SAMPLE] = {"sample", 1},
    [FIELD_COLD] = {"cold", 1},
    [FIELD_LAUNCH] = {"launch", 1},
    [FIELD_GRID_BLOCKS] = {"grid_blocks", 1},
    [FIELD_BLOCK_THREADS] = {"block_threads", 1},
    [FIELD_DYNAMIC_SHARED_BYTES] = {"dynamic_shared_bytes", 1},
    [FIELD_TIME_NS] = {"time_ns", 0},
    [FIELD_SM_CLOCK_MHZ] = {"sm_clock_mhz", 0},
    [FIELD_EFFECTIVE_GBS] = {"effective_gbs", 0},
    [FIELD_BANK_CONFLICTS] = {"bank_conflicts", 0},
    [FIELD_BANK_CONFLICTS_HW] = {"bank_conflicts_hw", 0},
};

/* Values of an event; NAN where there is none. Whole numbers beyond 2^53 do not occur. */
struct values {
    const char *schema;
    double value[FIELD_COUNT];
};

static struct values no_values(const char *schema)
{
    struct values values = {.schema = schema};
    for (int i = 0; i < FIELD_COUNT; i++) values.value[i] = NAN;
    return values;
}

static uint64_t register_schema(const char *name, unsigned known)
{
    nvtxPayloadSchemaEntry_t entry[FIELD_COUNT];
    size_t count = 0;
    memset(entry, 0, sizeof entry);
    for (int i = 0; i < FIELD_COUNT; i++) {
        if (!(known & 1u << i)) continue;
        entry[count].type =
            fields[i].whole ? NVTX_PAYLOAD_ENTRY_TYPE_UINT64 : NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE;
        entry[count].name = fields[i].name;
        entry[count].offset = 8 * count;
        count++;
    }
    const nvtxPayloadSchemaAttr_t schema = {
        .fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE,
        .name = name,
        .type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC,
        .entries = entry,
        .numEntries = count,
        .payloadStaticSize = 8 * count,
    };
    return nvtxPayloadSchemaRegister(nvtx.domain, &schema);
}

/* A payload as it is sent: the known values one after the other. */
struct packed {
    nvtxPayloadData_t data;
    union {
        uint64_t whole;
        double real;
    } value[FIELD_COUNT];
};

static void set_payload(nvtxEventAttributes_t *event, struct packed *packed,
                        const struct values *values)
{
    char text[64];
    unsigned known = 0;
    size_t count = 0;
    int is_new;
    for (int i = 0; i < FIELD_COUNT; i++) {
        if (!isfinite(values->value[i])) continue;
        known |= 1u << i;
        if (fields[i].whole)
            packed->value[count++].whole = (uint64_t)values->value[i];
        else
            packed->value[count++].real = values->value[i];
    }
    snprintf(text, sizeof text, "%s %x", values->schema, known);
    struct word *word = known ? find_word(WORD_SCHEMA, text, &is_new) : NULL;
    if (!word) return;
    if (is_new) word->id = register_schema(values->schema, known);
    if (!word->id) return; /* the tool does not know payloads */
    packed->data =
        (nvtxPayloadData_t){.schemaId = word->id, .size = 8 * count, .payload = packed->value};
    event->payloadType = NVTX_PAYLOAD_TYPE_EXT;
    event->reserved0 = 1; /* how many */
    event->payload.ullValue = (uint64_t)(uintptr_t)&packed->data;
}

static void add_shape(struct values *values, const struct shape *shape)
{
    static const enum field dims[SHAPE_RANK + 1][SHAPE_RANK] = {
        [1] = {FIELD_N}, [2] = {FIELD_M, FIELD_N}, [3] = {FIELD_M, FIELD_N, FIELD_K}};
    for (int i = 0; i < shape->rank; i++)
        values->value[dims[shape->rank][i]] = (double)shape->dim[i];
}

struct annotated_point nvtx_point(const struct selected *selected)
{
    const struct variant *variant = selected->variant;
    const struct family *family = selected->family;
    return (struct annotated_point){
        .family = variant->family,
        .variant = variant->name,
        .colour = rung_colour_variant(variant),
        .point = selected->point,
        .useful_bytes =
            family && family->useful_bytes ? family->useful_bytes(&selected->point.shape) : NAN,
    };
}

static struct values point_values(const char *schema, const struct annotated_point *of)
{
    struct values values = no_values(schema);
    add_shape(&values, &of->point.shape);
    values.value[FIELD_RUNG] = variant_rung(of->variant);
    if (of->point.block) values.value[FIELD_BLOCK] = of->point.block;
    if (of->point.sweep) values.value[FIELD_SWEEP] = of->point.sweep;
    values.value[FIELD_USEFUL_BYTES] = of->useful_bytes;
    return values;
}

static void add_sample(struct values *values, int sample, int cold)
{
    if (sample < 0) return;
    values->value[FIELD_SAMPLE] = sample;
    values->value[FIELD_COLD] = cold;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* The stage that is under way, NULL outside of all. */
static const char *stage(void)
{
    return nvtx.depth > 0 && nvtx.depth <= MOST_DEPTH ? nvtx.stage[nvtx.depth - 1] : NULL;
}

/* What is about a variant has its colour; NULL: about none. */
static nvtxEventAttributes_t make_event(char *message, const char *family, const char *of_stage,
                                        const uint32_t *colour)
{
    nvtxEventAttributes_t made;
    memset(&made, 0, sizeof made);
    made.version = NVTX_VERSION;
    made.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    made.category = category(family, of_stage);
    made.colorType = colour ? NVTX_COLOR_ARGB : NVTX_COLOR_UNKNOWN;
    if (colour) made.color = OPAQUE | *colour;
    set_message(&made, message);
    return made;
}

static void push(char *message, const char *family, const char *of_stage, const uint32_t *colour,
                 const struct values *values)
{
    struct packed packed;
    nvtxEventAttributes_t begun = make_event(message, family, of_stage, colour);
    if (values) set_payload(&begun, &packed, values);
    nvtxDomainRangePushEx(nvtx.domain, &begun);
    if (nvtx.depth < MOST_DEPTH) nvtx.stage[nvtx.depth] = of_stage;
    nvtx.depth++;
}

static void mark(char *message, const char *family, const uint32_t *colour,
                 const struct values *values)
{
    struct packed packed;
    nvtxEventAttributes_t marked = make_event(message, family, stage(), colour);
    if (values) set_payload(&marked, &packed, values);
    nvtxDomainMarkEx(nvtx.domain, &marked);
}

void nvtx_run(const char *command)
{
    char message[NAME_BYTES];
    if (!nvtx_listening()) return;
    snprintf(message, sizeof message, "whyfast %s", command);
    push(message, NULL, NULL, NULL, NULL);
}

void nvtx_stage(const char *name, const struct family *family, const struct shape *shape)
{
    char message[NAME_BYTES], size[72];
    if (!nvtx_listening()) return;
    struct values values = no_values("size");
    if (family) add_shape(&values, shape);
    if (family)
        snprintf(message, sizeof message, "%s %s", family->name, shape_text(shape, size));
    else
        snprintf(message, sizeof message, "%s", name);
    push(message, family ? family->name : NULL, name, NULL, &values);
}

void nvtx_variant(const struct selected *selected, int sample, int cold)
{
    char message[NAME_BYTES];
    if (!nvtx_listening()) return;
    const struct annotated_point of = nvtx_point(selected);
    struct values values = point_values("variant", &of);
    add_sample(&values, sample, cold);
    snprintf(message, sizeof message, "%s/%s", of.family, of.variant);
    push(message, of.family, stage(), &of.colour, &values);
}

static double product(const unsigned extent[3])
{
    return (double)extent[0] * extent[1] * extent[2];
}

void nvtx_launch(const struct variant *variant, unsigned index, const struct launch *launch)
{
    char message[NAME_BYTES];
    if (!nvtx_listening()) return;
    struct values values = no_values("launch");
    values.value[FIELD_LAUNCH] = index;
    if (launch) {
        values.value[FIELD_GRID_BLOCKS] = product(launch->grid);
        values.value[FIELD_BLOCK_THREADS] = product(launch->block);
        values.value[FIELD_DYNAMIC_SHARED_BYTES] = (double)launch->dynamic_shared;
    }
    snprintf(message, sizeof message, "launch %u", index);
    const uint32_t colour = rung_colour_variant(variant);
    push(message, variant->family, stage(), &colour, &values);
}

void nvtx_end(void)
{
    if (!nvtx_listening()) return;
    nvtxDomainRangePop(nvtx.domain);
    nvtx.depth--;
}

void nvtx_result(const struct annotated_point *point, const struct annotated_result *result)
{
    char message[NAME_BYTES];
    if (!nvtx_listening()) return;
    struct values values = point_values("result", point);
    values.value[FIELD_TIME_NS] = result->time_ns;
    values.value[FIELD_EFFECTIVE_GBS] = result->effective_gbs;
    values.value[FIELD_BANK_CONFLICTS] = result->bank_conflicts;
    values.value[FIELD_BANK_CONFLICTS_HW] = result->bank_conflicts_hw;
    snprintf(message, sizeof message, "result %s/%s", point->family, point->variant);
    mark(message, point->family, &point->colour, &values);
}

void nvtx_throttled(const struct selected *selected, int sample, int cold, double time_ns,
                    double clock_mhz)
{
    char message[NAME_BYTES];
    if (!nvtx_listening()) return;
    const struct annotated_point of = nvtx_point(selected);
    struct values values = point_values("throttled", &of);
    add_sample(&values, sample, cold);
    values.value[FIELD_TIME_NS] = time_ns;
    values.value[FIELD_SM_CLOCK_MHZ] = clock_mhz;
    snprintf(message, sizeof message, "throttled %s/%s", of.family, of.variant);
    mark(message, of.family, &of.colour, &values);
}

void nvtx_trouble(const char *what, const struct variant *variant, const char *reason)
{
    char message[NAME_BYTES];
    if (!nvtx_listening()) return;
    const uint32_t colour = variant ? rung_colour_variant(variant) : 0;
    if (variant)
        snprintf(message, sizeof message, "%s %s/%s: %s", what, variant->family, variant->name,
                 reason);
    else
        snprintf(message, sizeof message, "%s: %s", what, reason);
    mark(message, variant ? variant->family : NULL, variant ? &colour : NULL, NULL);
}

/* ---- counters -------------------------------------------------------------------------------- */

/* 0 when the tool knows no counters, or memory is short. `timed`: its samples come with their
 * times. */
static uint64_t counter(char *name, const char *unit, int timed)
{
    int is_new;
    struct word *word = find_word(WORD_COUNTER, name, &is_new);
    if (!word || !is_new) return word ? word->id : 0;
    const nvtxSemanticsTime_t time = {
        .header = {.structSize = sizeof time,
                   .semanticId = NVTX_SEMANTIC_ID_TIME_V1,
                   .version = NVTX_TIME_SEMANTIC_VERSION},
        .timeDomainId = NVTX_TIMESTAMP_TYPE_CPU_CLOCK_GETTIME_REALTIME,
    };
    const nvtxSemanticsCounter_t semantics = {
        .header = {.structSize = sizeof semantics,
                   .semanticId = NVTX_SEMANTIC_ID_COUNTERS_V1,
                   .version = NVTX_COUNTER_SEMANTIC_VERSION,
                   .next = timed ? &time.header : NULL},
        .flags = NVTX_COUNTER_FLAG_VALUETYPE_ABSOLUTE |
                 (timed ? NVTX_COUNTER_FLAG_INTERPOLATION_SINCE_LAST
                        : NVTX_COUNTER_FLAG_INTERPOLATION_POINT),
        .unit = unit,
        .unitScaleNumerator = 1,
        .unitScaleDenominator = 1,
        .limitType = NVTX_COUNTER_LIMIT_UNDEFINED,
    };
    const nvtxCounterAttr_t attributes = {
        .structSize = sizeof attributes,
        .schemaId = NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE,
        .name = name,
        .scopeId = NVTX_SCOPE_CURRENT_SW_PROCESS,
        .semantics = &semantics.header,
        .counterId = NVTX_COUNTER_ID_NONE,
    };
    word->id = nvtxCounterRegister(nvtx.domain, &attributes);
    return word->id;
}

static void sample_now(char *name, const char *unit, double value)
{
    const uint64_t id = isfinite(value) ? counter(name, unit, 0) : 0;
    if (id) nvtxCounterSampleFloat64(nvtx.domain, id, value);
}

void nvtx_sample(double time_ns, double clock_mhz)
{
    static char time[] = "sample time", clock[] = "SM clock";
    if (!nvtx_listening()) return;
    sample_now(time, "ns", time_ns);
    sample_now(clock, "MHz", clock_mhz);
}

int nvtx_counter_batch(const char *track, const char *unit, const char *family,
                       const uint64_t *time_ns, const double *value, size_t count)
{
    if (!nvtx_listening() || !count) return 0;
    char *name = text_new("%s/%s", family, track);
    if (!name) return error_memory();
    const nvtxCounterBatch_t batch = {
        .counterId = counter(name, unit, 1),
        .counters = value,
        .countersSize = count * sizeof *value,
        .flags = NVTX_BATCH_FLAG_TIME_SORTED,
        .timestamps = (const int64_t *)time_ns,
        .timestampsSize = count * sizeof *time_ns,
    };
    if (batch.counterId) nvtxCounterBatchSubmit(nvtx.domain, &batch);
    free(name);
    return 0;
}
