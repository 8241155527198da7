#include "injected/nvtx_ranges.h"

#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OPEN = 32, NAME_BYTES = 128 };

static const char mark[] = "whyfast|";

struct open_range {
    const void *domain; /* NULL: the default one */
    char name[NAME_BYTES];
};

struct open_ranges {
    int depth; /* may exceed MOST_OPEN: deeper ranges have no name */
    struct open_range range[MOST_OPEN];
};

static pthread_key_t range_key;
static int has_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_key(void)
{
    has_key = !pthread_key_create(&range_key, free);
}

/* Returns the open ranges of this thread; NULL if memory or keys are short, or if the thread has
 * had no range and `add` is 0. */
static struct open_ranges *here(int add)
{
    pthread_once(&once, make_key);
    struct open_ranges *ranges = has_key ? pthread_getspecific(range_key) : NULL;
    if (!ranges && add && has_key) {
        ranges = calloc(1, sizeof *ranges);
        if (ranges && pthread_setspecific(range_key, ranges)) {
            free(ranges);
            ranges = NULL;
        }
    }
    return ranges;
}

static int push(const void *domain, const char *name)
{
    struct open_ranges *ranges = here(1);
    if (!ranges) return -1;
    if (ranges->depth < MOST_OPEN) {
        struct open_range *range = &ranges->range[ranges->depth];
        range->domain = domain;
        range->name[0] = 0;
        strncat(range->name, name ? name : "", NAME_BYTES - 1);
    }
    return ranges->depth++;
}

/* Closes the innermost range of the domain. */
static int pop(const void *domain)
{
    struct open_ranges *ranges = here(0);
    if (!ranges || ranges->depth == 0) return -1;
    if (ranges->depth <= MOST_OPEN) {
        int at = ranges->depth - 1;
        while (at >= 0 && ranges->range[at].domain != domain) at--;
        if (at < 0) return -1;
        memmove(&ranges->range[at], &ranges->range[at + 1],
                (size_t)(ranges->depth - 1 - at) * sizeof *ranges->range);
    }
    return --ranges->depth;
}

static void append_name(char text[RANGE_BYTES], const char *name)
{
    size_t length = strlen(text);
    int in_number = 0;
    if (length && length < RANGE_BYTES - 1) text[length++] = '/';
    for (; *name && length < RANGE_BYTES - 1; name++) {
        const int is_digit = *name >= '0' && *name <= '9';
        if (!is_digit || !in_number) text[length++] = is_digit ? '#' : *name;
        in_number = is_digit;
    }
    text[length] = 0;
}

void nvtx_ranges_here(enum watch_by by, char text[RANGE_BYTES])
{
    const struct open_ranges *ranges = here(0);
    text[0] = 0;
    if (!ranges) return;
    const int depth = ranges->depth < MOST_OPEN ? ranges->depth : MOST_OPEN,
              only = by == WATCH_BY_OPERATOR && depth;
    for (int i = depth - 1; i >= 0; i--)
        if (!strncmp(ranges->range[i].name, mark, sizeof mark - 1)) {
            strcpy(text, ranges->range[i].name);
            return;
        }
    if (by == WATCH_BY_SHAPE) return;
    for (int i = only ? depth - 1 : 0; i < depth; i++) append_name(text, ranges->range[i].name);
    if (only) text[strcspn(text, ",")] = 0;
}

/* ---- functions that NVTX calls --------------------------------------------------------------- */

/* A registered string is a copy of its text, which stays for good: handles have no end. */
static nvtxStringHandle_t NVTX_API register_string(nvtxDomainHandle_t domain, const char *text)
{
    (void)domain;
    return (nvtxStringHandle_t)strdup(text ? text : "");
}

static nvtxDomainHandle_t NVTX_API create_domain(const char *name)
{
    return (nvtxDomainHandle_t)strdup(name ? name : "");
}

/* Other characters than those of ASCII become '?'. */
static int push_wide_in(const void *domain, const wchar_t *text)
{
    char name[NAME_BYTES];
    int length = 0;
    for (; text && *text && length < NAME_BYTES - 1; text++)
        name[length++] = *text < 128 ? (char)*text : '?';
    name[length] = 0;
    return push(domain, name);
}

static int push_event_in(const void *domain, const nvtxEventAttributes_t *event)
{
    const int32_t type = event ? event->messageType : NVTX_MESSAGE_UNKNOWN;
    if (type == NVTX_MESSAGE_TYPE_UNICODE) return push_wide_in(domain, event->message.unicode);
    if (type == NVTX_MESSAGE_TYPE_ASCII) return push(domain, event->message.ascii);
    return push(domain, type == NVTX_MESSAGE_TYPE_REGISTERED
                            ? (const char *)event->message.registered
                            : "");
}

static int NVTX_API push_text(const char *text)
{
    return push(NULL, text);
}

static int NVTX_API push_wide(const wchar_t *text)
{
    return push_wide_in(NULL, text);
}

static int NVTX_API push_event(const nvtxEventAttributes_t *event)
{
    return push_event_in(NULL, event);
}

static int NVTX_API pop_default(void)
{
    return pop(NULL);
}

static int NVTX_API push_in_domain(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event)
{
    return push_event_in(domain, event);
}

static int NVTX_API pop_in_domain(nvtxDomainHandle_t domain)
{
    return pop(domain);
}

static void put(const NvtxExportTableCallbacks *callbacks, NvtxCallbackModule module, unsigned id,
                NvtxFunctionPointer function)
{
    NvtxFunctionTable table = NULL;
    unsigned count = 0;
    if (callbacks->GetModuleFunctionTable(module, &table, &count) && table && id < count &&
        table[id])
        *table[id] = function;
}

#define PUT(module, id, function)                                                                  \
    put(callbacks, NVTX_CB_MODULE_##module, NVTX_CBID_##module##_##id,                             \
        (NvtxFunctionPointer)(function))

__attribute__((visibility("default"))) int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get);
int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get)
{
    const NvtxExportTableCallbacks *callbacks = get ? get(NVTX_ETID_CALLBACKS) : NULL;
    if (!callbacks || callbacks->struct_size < sizeof *callbacks) return 0;
    PUT(CORE, RangePushA, push_text);
    PUT(CORE, RangePushW, push_wide);
    PUT(CORE, RangePushEx, push_event);
    PUT(CORE, RangePop, pop_default);
    PUT(CORE2, DomainCreateA, create_domain);
    PUT(CORE2, DomainRegisterStringA, register_string);
    PUT(CORE2, DomainRangePushEx, push_in_domain);
    PUT(CORE2, DomainRangePop, pop_in_domain);
    return 1;
}
