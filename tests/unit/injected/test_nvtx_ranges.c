#include "injected/nvtx_ranges.h"

/* The module is not part of the program, but of the library that is loaded into others. */
#include "injected/nvtx_ranges.c" /* NOLINT(bugprone-suspicious-include) */

#include "fixture.h"

/* NVTX calls the library in the process instead of one that a variable names. */
extern NvtxInitializeInjectionNvtxFunc_t InitializeInjectionNvtx2_fnptr;
NvtxInitializeInjectionNvtxFunc_t InitializeInjectionNvtx2_fnptr = InitializeInjectionNvtx2;

static void ranges_are(const char *wanted)
{
    char text[RANGE_BYTES];
    nvtx_ranges_here(WATCH_BY_RANGE, text);
    assert_string_equal(text, wanted);
}

TEST(launches_are_told_apart_by_ranges_if_asked)
{
    char text[RANGE_BYTES];
    nvtxRangePushA("step 12");
    nvtxRangePushA("aten::add, seq = 12");
    nvtx_ranges_here(WATCH_BY_SHAPE, text);
    assert_string_equal(text, "");
    nvtx_ranges_here(WATCH_BY_OPERATOR, text);
    assert_string_equal(text, "aten::add");
    nvtxRangePushA("whyfast|tiled, 2|64|8");
    for (enum watch_by by = 0; by < WATCH_BYS; by++) {
        nvtx_ranges_here(by, text);
        assert_string_equal(text, "whyfast|tiled, 2|64|8");
    }
    for (int i = 0; i < 3; i++) nvtxRangePop();
    nvtx_ranges_here(WATCH_BY_OPERATOR, text);
    assert_string_equal(text, "");
}

TEST(ranges_nest)
{
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
TEST(wide_names_are_ranges)
{
    const nvtxEventAttributes_t event = {.version = NVTX_VERSION,
                                         .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
                                         .messageType = NVTX_MESSAGE_TYPE_UNICODE,
                                         .message.unicode = L"inner \u00e9"};
    nvtxRangePushA("outer");
    nvtxRangePushW(L"wide");
    nvtxRangePushEx(&event);
    ranges_are("outer/wide/inner ?");
    nvtxRangePop();
    nvtxRangePop();
    ranges_are("outer");
    nvtxRangePop();
}

TEST(domains_have_ranges_of_their_own)
{
    const nvtxDomainHandle_t domain = nvtxDomainCreateA("mine");
    const nvtxStringHandle_t registered = nvtxDomainRegisterStringA(domain, "registered");
    const nvtxEventAttributes_t event = {.version = NVTX_VERSION,
                                         .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
                                         .messageType = NVTX_MESSAGE_TYPE_REGISTERED,
                                         .message.registered = registered};
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

TEST(a_mark_stands_alone)
{
    nvtxRangePushA("outer");
    nvtxRangePushA("whyfast|tiled|1024x1024|8388608");
    nvtxRangePushA("inner");
    ranges_are("whyfast|tiled|1024x1024|8388608");
    for (int i = 0; i < 3; i++) nvtxRangePop();
    ranges_are("");
}

TEST(deep_ranges_have_no_name)
{
    char all[RANGE_BYTES] = "";
    for (int i = 0; i < MOST_OPEN + 5; i++) {
        nvtxRangePushA("a");
        if (i < MOST_OPEN) strcat(all, i ? "/a" : "a");
    }
    ranges_are(all);
    for (int i = 0; i < MOST_OPEN + 4; i++) nvtxRangePop();
    ranges_are("a");
    nvtxRangePop();
}

static int forget_ranges(void **state)
{
    free(here(0)); /* the main thread ends without the destructors of its keys */
    return pthread_setspecific(range_key, NULL);
}

RUN_TESTS(NULL, forget_ranges)
