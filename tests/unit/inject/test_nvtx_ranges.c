#include "inject/nvtx_ranges.h"

/* The module is not part of the program, but of the library that is loaded into others. */
#include "inject/nvtx_ranges.c" /* NOLINT(bugprone-suspicious-include) */

#include "fixture.h"

/* NVTX calls the library in the process instead of one that a variable names. */
extern NvtxInitializeInjectionNvtxFunc_t InitializeInjectionNvtx2_fnptr;
NvtxInitializeInjectionNvtxFunc_t InitializeInjectionNvtx2_fnptr = InitializeInjectionNvtx2;

static void ranges_are(const char *wanted)
{
    char text[RANGE_BYTES];
    nvtx_ranges_here(text);
    assert_string_equal(text, wanted);
}

static void ranges_nest(void **state)
{
    (void)state;
    ranges_are("");
    nvtxRangePushA("step 12");
    nvtxRangePushA("forward");
    ranges_are("step #/forward");
    nvtxRangePop();
    ranges_are("step #");
    nvtxRangePop();
    nvtxRangePop(); /* once too often */
    ranges_are("");
}

/* Each push has its pop, whatever its characters are. */
static void wide_names_are_ranges(void **state)
{
    const nvtxEventAttributes_t event = {.version = NVTX_VERSION,
                                         .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
                                         .messageType = NVTX_MESSAGE_TYPE_UNICODE,
                                         .message.unicode = L"inner \u00e9"};
    (void)state;
    nvtxRangePushA("outer");
    nvtxRangePushW(L"wide");
    nvtxRangePushEx(&event);
    ranges_are("outer/wide/inner ?");
    nvtxRangePop();
    nvtxRangePop();
    ranges_are("outer");
    nvtxRangePop();
}

static void domains_have_ranges_of_their_own(void **state)
{
    const nvtxDomainHandle_t domain = nvtxDomainCreateA("mine");
    const nvtxStringHandle_t registered = nvtxDomainRegisterStringA(domain, "registered");
    const nvtxEventAttributes_t event = {.version = NVTX_VERSION,
                                         .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
                                         .messageType = NVTX_MESSAGE_TYPE_REGISTERED,
                                         .message.registered = registered};
    (void)state;
    nvtxDomainRangePushEx(domain, &event);
    nvtxRangePushA("default");
    ranges_are("registered/default");
    nvtxDomainRangePop(domain);
    ranges_are("default");
    nvtxDomainRangePop(domain); /* of a domain without ranges */
    ranges_are("default");
    nvtxRangePop();
    free(registered); /* handles have no end: programs keep them */
    free(domain);
}

static void a_mark_stands_alone(void **state)
{
    (void)state;
    nvtxRangePushA("outer");
    nvtxRangePushA("whyfast|tiled|1024x1024|8388608");
    nvtxRangePushA("inner");
    ranges_are("whyfast|tiled|1024x1024|8388608");
    for (int i = 0; i < 3; i++) nvtxRangePop();
    ranges_are("");
}

static void deep_ranges_have_no_name(void **state)
{
    char all[RANGE_BYTES] = "";
    (void)state;
    for (int i = 0; i < MOST_OPEN + 5; i++) {
        nvtxRangePushA("a");
        if (i < MOST_OPEN) strcat(all, i ? "/a" : "a");
    }
    ranges_are(all);
    for (int i = 0; i < MOST_OPEN + 4; i++) nvtxRangePop();
    ranges_are("a");
    nvtxRangePop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_nest),
        cmocka_unit_test(wide_names_are_ranges),
        cmocka_unit_test(domains_have_ranges_of_their_own),
        cmocka_unit_test(a_mark_stands_alone),
        cmocka_unit_test(deep_ranges_have_no_name),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(here(0)); /* the main thread ends without the destructors of its keys */
    pthread_setspecific(range_key, NULL);
    return failed;
}
