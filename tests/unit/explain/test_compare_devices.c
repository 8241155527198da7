#include "compared_runs.h"

/* What a run of the only point f/01_a measured; values are of no real device. */
struct measured {
    const char *device;
    double time_ns, read_gbs, clock_mhz, sms, dram_bytes, instructions;
    const char *demands; /* rows of resource, ns, per cent and rank */
};

static void write_side(const char *run, const struct measured *measured)
{
    char name[64];
    struct text text = {0};
    text_format(&text, "%sdevice_l2_bytes: %d\n", run_facts, *run == 'b' ? 50000000 : 60000000);
    char *facts = strdup(text_string(&text)), *known = facts ? strstr(facts, "Test GPU") : NULL;
    assert_non_null(known);
    text.length = 0;
    text_format(&text, "%.*s%s%s", (int)(known - facts), facts, measured->device,
                known + strlen("Test GPU"));
    snprintf(name, sizeof name, "%s/run.txt", run);
    write_text(name, text_string(&text));
    free(facts);
    text.length = 0;
    text_format(&text,
                "family,variant,size,block,sweep,best,time_ns,floor_pct,ceiling_read_gbs,"
                "sm_clock_mhz,sm_count,dram_bytes,warp_instructions,useful_bytes\n"
                "f,01_a,1024,128,0,1,%.9g,0.5,%g,%g,%g,%g,%g,1000\n",
                measured->time_ns, measured->read_gbs, measured->clock_mhz, measured->sms,
                measured->dram_bytes, measured->instructions);
    snprintf(name, sizeof name, "%s/metrics.csv", run);
    write_metrics(name, text_string(&text));
    text_free(&text);
    write_table(run, TABLE_DEMANDS, measured->demands);
}

#define AT "f,01_a,1024,128,0,"
#define DRAM_LIMITS AT "dram,900,92,1\n" AT "issue,200,20,2\n"
#define ISSUE_LIMITS AT "issue,800,81,1\n" AT "dram,100,12,2\n"
#define NOTHING_LIMITS AT "issue,200,21,1\n" AT "dram,100,12,2\n"

/* Returns the account of the point, "NULL" if it has none. */
static const char *account(const struct measured *first, const struct measured *second)
{
    static char value[600];
    OWNED char *text = NULL;
    make_pair(&(struct timed){"01_a", .best = 1, .time_ns = first->time_ns, .spread_ns = 1},
              &(struct timed){"01_a", .best = 1, .time_ns = second->time_ns, .spread_ns = 1});
    write_side("before", first);
    write_side("after", second);
    COMPARE(.threshold_pct = 0);
    WORKS(query_text(&comparison.query, NULL, "SELECT account FROM compared", NULL, &text));
    snprintf(value, sizeof value, "%s", text ? text : "NULL");
    return value;
}

TEST(faster_memory_helps_where_it_limits)
{
    const struct measured slow = {"Slow", 1400, 3000, 1500, 100, 1000, 50, DRAM_LIMITS},
                          fast = {"Fast", 1000, 4200, 1500, 100, 1000, 50, DRAM_LIMITS};
    assert_string_equal(
        account(&slow, &fast),
        "It is 1.40 times as fast: DRAM limits it on both devices (92 % and 92 % of "
        "the time), and DRAM is 1.40 times as fast (3000 to 4200 GB/s).");
    assert_string_equal(account(&fast, &slow),
                        "It takes 1.40 times as long: DRAM limits it on both devices (92 % and 92 "
                        "% of the time), and DRAM is 0.71 times as fast (4200 to 3000 GB/s).");
}

TEST(and_not_where_something_else_limits)
{
    const struct measured slow = {"Slow", 1000, 3000, 1500, 100, 50, 50, ISSUE_LIMITS},
                          lower = {"Lower", 1016, 3000, 1476, 100, 50, 50, ISSUE_LIMITS},
                          fast = {"Fast", 1000, 4200, 1500, 100, 50, 50, ISSUE_LIMITS},
                          wide = {"Wide", 800, 3000, 1500, 125, 50, 60, ISSUE_LIMITS};
    assert_string_equal(
        account(&slow, &fast),
        "There is no evidence that it takes another time: instruction issue limits it on both "
        "devices (81 % and 81 % of the time), and the SMs are equally fast (100 at 1500 MHz). DRAM "
        "is 1.40 times as fast, but busy only 12 % of the time.");
    assert_string_equal(
        account(&slow, &lower),
        "It takes 1.016 times as long: instruction issue limits it on both devices (81 % and 81 % "
        "of the time), and the SMs together are 0.984 times as fast (100 at 1500 MHz, then 100 at "
        "1476 MHz).");
    assert_string_equal(
        account(&slow, &wide),
        "It is 1.25 times as fast: instruction issue limits it on both devices (81 % and 81 % of "
        "the time), and the SMs together are 1.250 times as fast (100 at 1500 MHz, then 125 at "
        "1500 MHz). It executes 1.20 times the instructions.");
}

TEST(what_else_may_be_true)
{
    const struct measured slow = {"Slow", 1400, 3000, 1500, 100, 1000, 50, DRAM_LIMITS},
                          cached = {"Cached", 1000, 4200, 1500, 100, 700, 50, ISSUE_LIMITS},
                          waits = {"Waits", 1000, 3000, 1500, 100, 50, 50, NOTHING_LIMITS},
                          again = {"Again", 1000, 3000, 1500, 100, 50, 50, NOTHING_LIMITS},
                          busier = {"Busier", 1000, 3000, 1500, 100, 50, 50, ISSUE_LIMITS},
                          unknown = {"Unknown", 1000, 3000, 1500, 100, 50, 50, ""};
    assert_string_equal(account(&slow, &cached),
                        "It is 1.40 times as fast: DRAM limits it on the first device (92 % of the "
                        "time), instruction issue on the second (81 %), and DRAM is 1.40 times as "
                        "fast (3000 to 4200 GB/s). It moves 0.70 times the bytes to and from DRAM "
                        "(L2 cache of 50, then 60 MB).");
    assert_string_equal(
        account(&waits, &again),
        "There is no evidence that it takes another time: no resource is busy half of the time on "
        "either device (instruction issue 21 % and 21 %); it waits, and the SMs are equally fast "
        "(100 at 1500 MHz).");
    assert_string_equal(account(&waits, &unknown),
                        "There is no evidence that it takes another time: the runs do not say what "
                        "limits it; their counters are absent.");
    assert_string_equal(account(&waits, &busier),
                        "There is no evidence that it takes another time: instruction issue is the "
                        "busiest resource on both devices (21 % and 81 % of the time), and the SMs "
                        "are equally fast (100 at 1500 MHz).");
    assert_string_equal(account(&waits, &waits), "NULL");
}

RUN_TESTS(fixture_open, compared_runs_close)
