#include "run/nvtx.h"

/* NVTX's headers come with the CUDA toolkit. */
#if __has_include(<nvtx3/nvToolsExtSemanticsTime.h>)

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
#include "catalog/registry.h"

enum { NAME_BYTES = 400, MOST_DEPTH = 16, MOST_FIELDS = 16 };
static const uint32_t OPAQUE = 0xff000000;

/* Words are registered with the tool once. */
enum word_kind { WORD_MESSAGE, WORD_CATEGORY, WORD_SCHEMA, WORD_COUNTER, WORD_KINDS };

struct word {
    char *text;
    uint64_t id; /* the handle of a message, else a number */
};

static struct {
    int asked; /* 1: `domain` is valid */
    nvtxDomainHandle_t domain;
    void *words[WORD_KINDS];
    uint32_t categories;
    int depth;
    const char *stage[MOST_DEPTH]; /* of the range at each depth */
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

/* Returns the word of this text, with *is_new set if it is not registered yet, or NULL if memory is
 * short: the event is then sent without it. */
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

/* Returns the category "reduce/measure", or "run/measure" without a family, or "reduce" or "run"
 * without a stage. */
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

/* Both kinds of values have 8 bytes, so that any choice of fields is packed. */
union field_value {
    uint64_t whole;
    double real;
};

/* The known fields of an event. The schema of the payload lists exactly these. */
struct payload {
    const char *schema;
    int count;
    const char *name[MOST_FIELDS];
    int is_whole[MOST_FIELDS];
    union field_value value[MOST_FIELDS];
    nvtxPayloadData_t data; /* as it is sent */
};

static void add_whole(struct payload *payload, const char *name, double value)
{
    if (!isfinite(value)) return;
    payload->name[payload->count] = name;
    payload->is_whole[payload->count] = 1;
    payload->value[payload->count++].whole = (uint64_t)value;
}

static void add_real(struct payload *payload, const char *name, double value)
{
    if (!isfinite(value)) return;
    payload->name[payload->count] = name;
    payload->value[payload->count++].real = value;
}

static uint64_t register_schema(const struct payload *payload)
{
    nvtxPayloadSchemaEntry_t entry[MOST_FIELDS];
    const size_t count = (size_t)payload->count;
    memset(entry, 0, sizeof entry);
    for (size_t i = 0; i < count; i++) {
        entry[i].type =
            payload->is_whole[i] ? NVTX_PAYLOAD_ENTRY_TYPE_UINT64 : NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE;
        entry[i].name = payload->name[i];
        entry[i].offset = 8 * i;
    }
    const nvtxPayloadSchemaAttr_t schema = {
        .fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE,
        .name = payload->schema,
        .type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC,
        .entries = entry,
        .numEntries = count,
        .payloadStaticSize = 8 * count,
    };
    return nvtxPayloadSchemaRegister(nvtx.domain, &schema);
}

static void set_payload(nvtxEventAttributes_t *event, struct payload *payload)
{
    char text[NAME_BYTES];
    int is_new, length = snprintf(text, sizeof text, "%s", payload->schema);
    for (int i = 0; i < payload->count; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, " %s", payload->name[i]);
    struct word *word = payload->count ? find_word(WORD_SCHEMA, text, &is_new) : NULL;
    if (!word) return;
    if (is_new) word->id = register_schema(payload);
    if (!word->id) return; /* the tool ignores payloads */
    payload->data = (nvtxPayloadData_t){
        .schemaId = word->id, .size = 8 * (size_t)payload->count, .payload = payload->value};
    event->payloadType = NVTX_PAYLOAD_TYPE_EXT;
    event->reserved0 = 1; /* number of payloads */
    event->payload.ullValue = (uint64_t)(uintptr_t)&payload->data;
}

static void add_shape(struct payload *payload, const struct shape *shape)
{
    static const char *const names[SHAPE_RANK + 1][SHAPE_RANK] = {
        [1] = {"n"}, [2] = {"m", "n"}, [3] = {"m", "n", "k"}};
    for (int i = 0; i < shape->rank; i++)
        add_whole(payload, names[shape->rank][i], (double)shape->dim[i]);
}

struct nvtx_point nvtx_point(const struct selected *selected)
{
    const struct variant *variant = selected->variant;
    const struct family *family = selected->family;
    return (struct nvtx_point){
        .family = variant->family,
        .variant = variant->name,
        .colour = rung_colour_variant(variant),
        .point = selected->point,
        .useful_bytes =
            family && family->useful_bytes ? family->useful_bytes(&selected->point.shape) : NAN,
    };
}

static struct payload point_payload(const char *schema, const struct nvtx_point *of)
{
    struct payload payload = {.schema = schema};
    add_shape(&payload, &of->point.shape);
    add_whole(&payload, "rung", variant_rung(of->variant));
    if (of->point.block) add_whole(&payload, "block", of->point.block);
    if (of->point.sweep) add_whole(&payload, "sweep", of->point.sweep);
    add_whole(&payload, "useful_bytes", of->useful_bytes);
    return payload;
}

static void add_sample(struct payload *payload, int sample, int cold)
{
    if (sample < 0) return;
    add_whole(payload, "sample", sample);
    add_whole(payload, "cold", cold);
}

/* ---- events ---------------------------------------------------------------------------------- */

static const char *stage(void)
{
    return nvtx.depth > 0 && nvtx.depth <= MOST_DEPTH ? nvtx.stage[nvtx.depth - 1] : NULL;
}

/* `colour` and `payload` may be NULL. */
static nvtxEventAttributes_t make_event(const char *message, const char *family,
                                        const char *of_stage, const uint32_t *colour,
                                        struct payload *payload)
{
    nvtxEventAttributes_t made;
    memset(&made, 0, sizeof made);
    made.version = NVTX_VERSION;
    made.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    made.category = category(family, of_stage);
    made.colorType = colour ? NVTX_COLOR_ARGB : NVTX_COLOR_UNKNOWN;
    if (colour) made.color = OPAQUE | *colour;
    set_message(&made, (char *)(uintptr_t)message);
    if (payload) set_payload(&made, payload);
    return made;
}

static void push(const char *message, const char *family, const char *of_stage,
                 const uint32_t *colour, struct payload *payload)
{
    const nvtxEventAttributes_t begun = make_event(message, family, of_stage, colour, payload);
    nvtxDomainRangePushEx(nvtx.domain, &begun);
    if (nvtx.depth < MOST_DEPTH) nvtx.stage[nvtx.depth] = of_stage;
    nvtx.depth++;
}

static void mark(const char *message, const char *family, const uint32_t *colour,
                 struct payload *payload)
{
    const nvtxEventAttributes_t marked = make_event(message, family, stage(), colour, payload);
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
    struct payload payload = {.schema = "size"};
    if (family) {
        add_shape(&payload, shape);
        snprintf(message, sizeof message, "%s %s", family->name, shape_text(shape, size));
    }
    push(family ? message : name, family ? family->name : NULL, name, NULL, &payload);
}

void nvtx_variant(const struct selected *selected, int sample, int cold)
{
    char message[NAME_BYTES];
    if (!nvtx_listening()) return;
    const struct nvtx_point of = nvtx_point(selected);
    struct payload payload = point_payload("variant", &of);
    add_sample(&payload, sample, cold);
    snprintf(message, sizeof message, "%s/%s", of.family, of.variant);
    push(message, of.family, stage(), &of.colour, &payload);
}

static double product(const unsigned extent[3])
{
    return (double)extent[0] * extent[1] * extent[2];
}

void nvtx_launch(const struct variant *variant, unsigned index, const struct launch *launch)
{
    char message[NAME_BYTES];
    if (!nvtx_listening()) return;
    struct payload payload = {.schema = "launch"};
    add_whole(&payload, "launch", index);
    if (launch) {
        add_whole(&payload, "grid_blocks", product(launch->grid));
        add_whole(&payload, "block_threads", product(launch->block));
        add_whole(&payload, "dynamic_shared_bytes", (double)launch->dynamic_shared);
    }
    snprintf(message, sizeof message, "launch %u", index);
    const uint32_t colour = rung_colour_variant(variant);
    push(message, variant->family, stage(), &colour, &payload);
}

void nvtx_end(void)
{
    if (!nvtx_listening()) return;
    nvtxDomainRangePop(nvtx.domain);
    nvtx.depth--;
}

void nvtx_result(const struct nvtx_point *point, const struct nvtx_result *result)
{
    char message[NAME_BYTES];
    if (!nvtx_listening()) return;
    struct payload payload = point_payload("result", point);
    add_real(&payload, "time_ns", result->time_ns);
    add_real(&payload, "effective_gbs", result->effective_gbs);
    add_real(&payload, "bank_conflicts", result->bank_conflicts);
    add_real(&payload, "bank_conflicts_hw", result->bank_conflicts_hw);
    snprintf(message, sizeof message, "result %s/%s", point->family, point->variant);
    mark(message, point->family, &point->colour, &payload);
}

void nvtx_throttled(const struct selected *selected, int sample, int cold, double time_ns,
                    double clock_mhz)
{
    char message[NAME_BYTES];
    if (!nvtx_listening()) return;
    const struct nvtx_point of = nvtx_point(selected);
    struct payload payload = point_payload("throttled", &of);
    add_sample(&payload, sample, cold);
    add_real(&payload, "time_ns", time_ns);
    add_real(&payload, "sm_clock_mhz", clock_mhz);
    snprintf(message, sizeof message, "throttled %s/%s", of.family, of.variant);
    mark(message, of.family, &of.colour, &payload);
}

void nvtx_trouble(const char *what, const struct variant *variant, const char *reason)
{
    char message[NAME_BYTES];
    if (!nvtx_listening()) return;
    const uint32_t colour = variant ? rung_colour_variant(variant) : 0;
    snprintf(message, sizeof message, "%s%s%s%s%s: %s", what, variant ? " " : "",
             variant ? variant->family : "", variant ? "/" : "", variant ? variant->name : "",
             reason);
    mark(message, variant ? variant->family : NULL, variant ? &colour : NULL, NULL);
}

/* ---- counters -------------------------------------------------------------------------------- */

/* Returns the identifier of a counter, or 0 if the tool ignores counters or memory is short. With
 * `timed`, its samples have times of their own. */
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

#else /* whyfast, which is built without CUDA, announces nothing then. */

int nvtx_listening(void)
{
    return 0;
}

void nvtx_run(const char *command)
{
    (void)command;
}

void nvtx_stage(const char *name, const struct family *family, const struct shape *shape)
{
    (void)name, (void)family, (void)shape;
}

void nvtx_end(void)
{
}

void nvtx_result(const struct nvtx_point *point, const struct nvtx_result *result)
{
    (void)point, (void)result;
}

#endif
