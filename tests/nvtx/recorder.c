/*
 * Records the calls of NVTX as a tool does: NVTX_INJECTION64_PATH names this library, NVTX_RECORDER
 * the file that it appends to. Linked into a test program, it listens without the former. It writes
 * one line per event, with its fields separated by tabs and "-" for a missing field:
 *
 *   pid  push|pop|mark|sample|batch  depth  domain  category  colour  message  payload
 *
 * depth counts the ranges around the event; a pop repeats the message of its range, or "(nothing)"
 * if none is open. A payload is decoded by its schema: "SCHEMA: NAME=VALUE ...". For a counter, the
 * message is its name with its unit in brackets, and the payload is its value; for a batch, the
 * payload is the clock of its times and each TIME=VALUE. Registered strings and schemas are kept
 * until the process ends. Only for programs that announce from one thread.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtPayload.h>
#include <nvtx3/nvToolsExtSemanticsCounters.h>
#include <nvtx3/nvToolsExtSemanticsTime.h>

enum { MOST_CATEGORIES = 256, MOST_SCHEMAS = 256, MOST_COUNTERS = 256, MOST_DEPTH = 32 };

struct nvtxDomainRegistration_st {
    char *name;
    char *category[MOST_CATEGORIES];
    char *range[MOST_DEPTH]; /* messages of the open ranges */
    int depth;
};

struct nvtxStringRegistration_st {
    char *text;
};

static struct schema {
    char *name;
    size_t count;
    nvtxPayloadSchemaEntry_t *entry; /* with names of its own */
} schemas[MOST_SCHEMAS];
static uint64_t schema_count;

static struct counter {
    char *name, *unit;
    uint64_t clock;
} counters[MOST_COUNTERS];
static uint64_t counter_count;

static FILE *record;

/* A tool that cannot listen must not go unnoticed. */
static void give_up(const char *why)
{
    fprintf(stderr, "recorder: %s\n", why);
    _exit(99);
}

static void *checked(void *memory)
{
    if (!memory) give_up("out of memory");
    return memory;
}

static char *copy(const char *text)
{
    return checked(strdup(text ? text : "-"));
}

static int open_record(void)
{
    const char *path = getenv("NVTX_RECORDER");
    if (record) return 1;
    const int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    record = file >= 0 ? fdopen(file, "a") : NULL;
    if (!record) give_up("NVTX_RECORDER names no file that can be written");
    setvbuf(record, NULL, _IOLBF, 1 << 16); /* a line is one write: processes may share the file */
    return 1;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Writes text with blanks for tabs and line feeds, which separate fields and lines. */
static void write_text(const char *text)
{
    for (; *text; text++) fputc(*text == '\t' || *text == '\n' ? ' ' : *text, record);
}

static void write_head(const char *event, const struct nvtxDomainRegistration_st *domain)
{
    fprintf(record, "%ld\t%s\t%d\t%s\t", (long)getpid(), event, domain->depth, domain->name);
}

static void write_value(const nvtxPayloadSchemaEntry_t *entry, const char *payload)
{
    uint64_t whole;
    double real;
    memcpy(&whole, payload + entry->offset, sizeof whole);
    memcpy(&real, payload + entry->offset, sizeof real);
    if (entry->type == NVTX_PAYLOAD_ENTRY_TYPE_UINT64)
        fprintf(record, " %s=%" PRIu64, entry->name, whole);
    else if (entry->type == NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE)
        fprintf(record, " %s=%.9g", entry->name, real);
    else
        fprintf(record, " %s=(type %" PRIu64 ")", entry->name, entry->type);
}

static void write_payload(const nvtxEventAttributes_t *event)
{
    if (event->payloadType != NVTX_PAYLOAD_TYPE_EXT) {
        fputs("-", record);
        return;
    }
    const nvtxPayloadData_t *data = (const nvtxPayloadData_t *)(uintptr_t)event->payload.ullValue;
    for (int i = 0; i < event->reserved0; i++) {
        const uint64_t index = data[i].schemaId - NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START;
        if (index >= schema_count) {
            fputs("(no such schema)", record);
            continue;
        }
        fprintf(record, "%s%s:", i ? " " : "", schemas[index].name);
        for (size_t e = 0; e < schemas[index].count; e++)
            if (schemas[index].entry[e].offset + 8 <= data[i].size)
                write_value(&schemas[index].entry[e], data[i].payload);
            else
                fprintf(record, " %s=(beyond the payload)", schemas[index].entry[e].name);
    }
}

static const char *message_of(const nvtxEventAttributes_t *event)
{
    if (event->messageType == NVTX_MESSAGE_TYPE_REGISTERED) return event->message.registered->text;
    return event->messageType == NVTX_MESSAGE_TYPE_ASCII ? event->message.ascii : "-";
}

static void write_event(const char *kind, const struct nvtxDomainRegistration_st *domain,
                        const nvtxEventAttributes_t *event)
{
    const char *category =
        event->category < MOST_CATEGORIES ? domain->category[event->category] : NULL;
    write_head(kind, domain);
    fprintf(record, "%s\t", category ? category : "-");
    if (event->colorType == NVTX_COLOR_ARGB)
        fprintf(record, "%08x\t", event->color);
    else
        fputs("-\t", record);
    write_text(message_of(event));
    fputc('\t', record);
    write_payload(event);
    fputc('\n', record);
}

static void NVTX_API mark(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event)
{
    write_event("mark", domain, event);
}

static int NVTX_API push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event)
{
    write_event("push", domain, event);
    if (domain->depth == MOST_DEPTH) give_up("ranges lie too deep");
    domain->range[domain->depth] = copy(message_of(event));
    return domain->depth++;
}

static int NVTX_API pop(nvtxDomainHandle_t domain)
{
    char *range = domain->depth > 0 ? domain->range[--domain->depth] : NULL;
    write_head("pop", domain);
    fputs("-\t-\t", record);
    write_text(range ? range : "(nothing)");
    fputs("\t-\n", record);
    free(range);
    return domain->depth;
}

/* ---- registrations --------------------------------------------------------------------------- */

static nvtxDomainHandle_t NVTX_API create_domain(const char *name)
{
    struct nvtxDomainRegistration_st *domain = checked(calloc(1, sizeof *domain));
    domain->name = copy(name);
    return domain;
}

static void NVTX_API name_category(nvtxDomainHandle_t domain, uint32_t category, const char *name)
{
    if (category >= MOST_CATEGORIES) give_up("too many categories");
    free(domain->category[category]);
    domain->category[category] = copy(name);
}

static nvtxStringHandle_t NVTX_API register_string(nvtxDomainHandle_t domain, const char *text)
{
    struct nvtxStringRegistration_st *string = checked(malloc(sizeof *string));
    (void)domain;
    string->text = copy(text);
    return string;
}

static uint64_t NVTX_API register_schema(nvtxDomainHandle_t domain,
                                         const nvtxPayloadSchemaAttr_t *attributes)
{
    struct schema *schema = &schemas[schema_count];
    (void)domain;
    if (schema_count == MOST_SCHEMAS) give_up("too many schemas");
    schema->name = copy(attributes->name);
    schema->count = attributes->numEntries;
    schema->entry = checked(calloc(schema->count + 1, sizeof *schema->entry));
    memcpy(schema->entry, attributes->entries, schema->count * sizeof *schema->entry);
    for (size_t i = 0; i < schema->count; i++) schema->entry[i].name = copy(schema->entry[i].name);
    return NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START + schema_count++;
}

/* ---- counters -------------------------------------------------------------------------------- */

static uint64_t NVTX_API register_counter(nvtxDomainHandle_t domain,
                                          const nvtxCounterAttr_t *attributes)
{
    struct counter *counter = &counters[counter_count];
    (void)domain;
    if (counter_count == MOST_COUNTERS) give_up("too many counters");
    counter->name = copy(attributes->name);
    for (const nvtxSemanticsHeader_t *header = attributes->semantics; header;
         header = header->next) {
        if (header->semanticId == NVTX_SEMANTIC_ID_COUNTERS_V1)
            counter->unit = copy(((const nvtxSemanticsCounter_t *)(const void *)header)->unit);
        if (header->semanticId == NVTX_SEMANTIC_ID_TIME_V1)
            counter->clock = ((const nvtxSemanticsTime_t *)(const void *)header)->timeDomainId;
    }
    return NVTX_COUNTER_ID_DYNAMIC_START + counter_count++;
}

static const struct counter *write_counter(const char *event, nvtxDomainHandle_t domain,
                                           uint64_t id)
{
    const uint64_t index = id - NVTX_COUNTER_ID_DYNAMIC_START;
    if (index >= counter_count) give_up("a sample of no counter");
    write_head(event, domain);
    fputs("-\t-\t", record);
    write_text(counters[index].name);
    fprintf(record, " [%s]\t", counters[index].unit ? counters[index].unit : "-");
    return &counters[index];
}

static void NVTX_API sample_double(nvtxDomainHandle_t domain, uint64_t id, double value)
{
    write_counter("sample", domain, id);
    fprintf(record, "%.9g\n", value);
}

static void NVTX_API submit_batch(nvtxDomainHandle_t domain, const nvtxCounterBatch_t *batch)
{
    const struct counter *counter = write_counter("batch", domain, batch->counterId);
    const double *value = batch->counters;
    const size_t count = batch->countersSize / sizeof *value;
    fprintf(record, "clock %" PRIu64 ":", counter->clock);
    if (batch->timestampsSize != count * sizeof *batch->timestamps)
        fputs(" (times and values differ in number)", record);
    else
        for (size_t i = 0; i < count; i++)
            fprintf(record, " %" PRId64 "=%.9g", batch->timestamps[i], value[i]);
    fputc('\n', record);
}

/* ---- how NVTX finds it ----------------------------------------------------------------------- */

int NVTX_API InitializeInjectionNvtx2(NvtxGetExportTableFunc_t export_table);
int NVTX_API InitializeInjectionNvtxExtension(nvtxExtModuleInfo_t *module);

int NVTX_API InitializeInjectionNvtx2(NvtxGetExportTableFunc_t export_table)
{
    const NvtxExportTableCallbacks *callbacks = export_table(NVTX_ETID_CALLBACKS);
    NvtxFunctionTable table = NULL;
    unsigned size = 0;
    if (!callbacks || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size) ||
        size <= NVTX_CBID_CORE2_DomainCreateA)
        return 0;
    *table[NVTX_CBID_CORE2_DomainMarkEx] = (NvtxFunctionPointer)mark;
    *table[NVTX_CBID_CORE2_DomainRangePushEx] = (NvtxFunctionPointer)push;
    *table[NVTX_CBID_CORE2_DomainRangePop] = (NvtxFunctionPointer)pop;
    *table[NVTX_CBID_CORE2_DomainNameCategoryA] = (NvtxFunctionPointer)name_category;
    *table[NVTX_CBID_CORE2_DomainRegisterStringA] = (NvtxFunctionPointer)register_string;
    *table[NVTX_CBID_CORE2_DomainCreateA] = (NvtxFunctionPointer)create_domain;
    return open_record();
}

int NVTX_API InitializeInjectionNvtxExtension(nvtxExtModuleInfo_t *module)
{
    intptr_t *slot = module->segments[0].functionSlots;
    if (module->moduleId == NVTX_EXT_PAYLOAD_MODULEID) {
        slot[NVTX3EXT_CBID_nvtxPayloadSchemaRegister] = (intptr_t)register_schema;
    } else if (module->moduleId == NVTX_EXT_COUNTERS_MODULEID) {
        slot[NVTX3EXT_CBID_nvtxCounterRegister] = (intptr_t)register_counter;
        slot[NVTX3EXT_CBID_nvtxCounterSampleFloat64] = (intptr_t)sample_double;
        slot[NVTX3EXT_CBID_nvtxCounterBatchSubmit] = (intptr_t)submit_batch;
    } else {
        return 0;
    }
    return open_record();
}

/* Used if this file is linked into a program. */
extern NvtxInitializeInjectionNvtxFunc_t InitializeInjectionNvtx2_fnptr;
extern NvtxExtInitializeInjectionFunc_t InitializeInjectionNvtxExtension_fnptr;
NvtxInitializeInjectionNvtxFunc_t InitializeInjectionNvtx2_fnptr = InitializeInjectionNvtx2;
NvtxExtInitializeInjectionFunc_t InitializeInjectionNvtxExtension_fnptr =
    InitializeInjectionNvtxExtension;
