#include <math.h>

#include "collect/collect_counters.h"
#include "host_cupti.h"
#include "collect/timeline_point.h"

/*
 * Tests the requests to PM sampling: the tracks against CUPTI's own lists of chips, which needs its
 * library and no GPU, and the intervals.
 */
static const char *const chips[] = {"TU102", "GA100", "GA102", "AD102", "GH100", "GB100", "GB202"};

enum { CHIP_COUNT = sizeof chips / sizeof *chips, MOST = 16 };

static struct records records;

static int passes_on(const char *chip, const char **metric, size_t count)
{
    char reason[REASON_BYTES];
    return counter_passes(CUPTI_PROFILER_TYPE_PM_SAMPLING, chip, metric, count, reason);
}

/* Returns the first name of the track that the chip can sample, which the caller frees, or NULL. */
static char *resolve(const char *chip, const struct record *track)
{
    char *alternative[ALTERNATIVE_COUNT], *found = NULL;
    const int count = record_alternatives(track, alternative);
    for (int i = 0; i < count; i++) {
        const char *one[] = {alternative[i]};
        if (!found && passes_on(chip, one, 1))
            found = alternative[i];
        else
            free(alternative[i]);
    }
    return found;
}

static int is_sampled(const struct record *set)
{
    return set->kind == RECORD_SET && !strcmp(record_field(set, "collector"), "sampler");
}

TEST(every_track_is_known_and_every_set_takes_one_pass)
{
    int sets = 0;
    if (*cupti_missing()) SKIP("%.*s", (int)strcspn(cupti_missing(), "\n"), cupti_missing());
    for (int s = 0; s < records.count; s++) {
        if (!is_sampled(&records.record[s])) continue;
        sets++;
        for (int c = 0; c < CHIP_COUNT; c++) {
            const char *metric[MOST];
            size_t count = 0;
            for (int i = 0; i < records.count && count < MOST; i++) {
                const struct record *track = &records.record[i];
                if (track->kind != RECORD_TRACK ||
                    strcmp(record_field(track, "set"), records.record[s].name))
                    continue;
                metric[count] = resolve(chips[c], track);
                if (!metric[count++])
                    fail_msg("%s:%d: %s cannot sample '%s'", track->file, track->line, chips[c],
                             track->name);
            }
            assert_in_range(count, 1, MOST - 1);
            assert_int_equal(passes_on(chips[c], metric, count), 1);
            for (size_t i = 0; i < count; i++) free((void *)(uintptr_t)metric[i]);
        }
    }
    assert_int_equal(sets, 2);
}

/* Tracks that do not fit into one pass are reported: this shows that the test above can fail. */
TEST(what_is_too_much_takes_more_passes)
{
    static const char *metric[] = {"dram__bytes_read.sum",
                                   "dram__bytes_write.sum",
                                   "smsp__issue_active.avg.pct_of_peak_sustained_elapsed",
                                   "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
                                   "sm__warps_active.avg.per_cycle_elapsed",
                                   "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"};
    static const char *instrumented[] = {"smsp__sass_inst_executed.sum"};
    if (*cupti_missing()) SKIP("%.*s", (int)strcspn(cupti_missing(), "\n"), cupti_missing());
    assert_int_equal(passes_on("GH100", metric, sizeof metric / sizeof *metric), 2);
    assert_int_equal(passes_on("GH100", instrumented, 1), 0);
}

TEST(every_track_is_in_a_sampled_set)
{
    int tracks = 0;
    for (int i = 0; i < records.count; i++) {
        const struct record *track = &records.record[i];
        if (track->kind != RECORD_TRACK) continue;
        const struct record *set = records_find(&records, RECORD_SET, record_field(track, "set"));
        tracks++;
        if (!set || !is_sampled(set))
            fail_msg("%s:%d: '%s' is no set of tracks", track->file, record_line(track, "set"),
                     record_field(track, "set"));
    }
    assert_in_range(tracks, 9, 40);
}

TEST(intervals_give_enough_samples_and_not_too_many)
{
    static const struct {
        double time_ns;
        uint64_t interval_ns;
        int repeats;
    } expected[] = {
        {460e3, 5000, 1},                       /* 92 samples */
        {240e3, 2000, 1},                       /* 120 */
        {241e3, 3000, 1},  {119e3, 2000, 2},    /* two in a row: 119 */
        {5e3, 2000, 24},   {1e3, 2000, 64},     /* not more in a row */
        {28e6, 300000, 1}, {2.3e9, 3000000, 1}, /* the longest interval */
        {NAN, 2000, 64},                        /* unknown */
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        uint64_t interval_ns;
        int repeats;
        timeline_interval(expected[i].time_ns, &interval_ns, &repeats);
        assert_int_equal(interval_ns, expected[i].interval_ns);
        assert_int_equal(repeats, expected[i].repeats);
    }
}

TEST(a_trace_is_written_with_what_it_has)
{
    static char family[] = "f", variant[] = "01_a", size[] = "64", block[] = "256", sweep[] = "0",
                device[] = "2", symbol[] = "_Z3addPi", source[] = "x.sum";
    struct counter_plan plans[] = {{records_find(&records, RECORD_TRACK, "issue"), source},
                                   {records_find(&records, RECORD_TRACK, "dram_read"), NULL}};
    struct counter_set set = {.name = "timeline", .count = 2, .plan = plans};
    struct kernel_point point = {.key = {{{family, variant, size, block, sweep, device}}}};
    struct kernel_activity kernel = {symbol, 1500, 2500, {3, 2, 1}, {32, 1, 1}, 16, 4, 8, 7, 1, 0};
    double first[] = {12.5, NAN}, second[] = {NAN, NAN}, third[] = {62.6942327, NAN},
           fourth[] = {123456789, NAN};
    struct over_time_sample sample[] = {
        {1400, 1600, first}, {1600, 1800, second}, {1800, 2000, third}, {2000, 2200, fourth}};
    struct timeline sampled = {.point = &point,
                               .tracks = &set,
                               .repeats = 2,
                               .interval_ns = 200,
                               .trigger = TRIGGER_TIME,
                               .begin_ns = 1300,
                               .end_ns = 3000,
                               .sample_count = 4,
                               .kernels = {1, &kernel},
                               .sample = sample};
    struct timeline lost = {.point = &point,
                            .tracks = &set,
                            .repeats = 1,
                            .interval_ns = 200,
                            .begin_ns = 4000,
                            .end_ns = 4000,
                            .kernels_reason = "not there",
                            .samples_reason = "too many"};
    struct run run;
    assert_int_equal(run_begin(&run, place("w"), 0), 0);
    assert_int_equal(run_fact_set(&run, "epoch_ns", "1000"), 0);
    assert_int_equal(timeline_write(&run, 3, &sampled), 0);
    assert_int_equal(timeline_write(&run, 4, &lost), 0);
    assert_int_equal(run_commit(&run), 0);
    run_close(&run);
    assert_string_equal(
        strchr(read_text("w/traces.csv"), '\n') + 1,
        "3,f,01_a,64,256,0,2,timeline,300,2000,2,200,time,ok,ok\n"
        "4,f,01_a,64,256,0,2,timeline,3000,3000,1,,,absent: not there,absent: too many\n");
    assert_string_equal(strchr(read_text("w/activities.csv"), '\n') + 1,
                        "3,1,0,add,200,1200,3,2,1,32,1,1,16,4,8,7\n");
    /* A value that CUPTI does not give is an empty cell; a counter that the chip lacks has no
     * rows. */
    assert_string_equal(strchr(read_text("w/trace_samples.csv"), '\n') + 1,
                        "3,0,100,300,issue,12.5\n3,1,300,500,issue,\n3,2,500,700,issue,62.694\n"
                        "3,3,700,900,issue,123456789\n");
}

static int open_all(void **state)
{
    if (fixture_open(state)) return -1;
    return records_read(&records, root());
}

static int close_all(void **state)
{
    records_free(&records);
    return fixture_close(state);
}

RUN_TESTS(open_all, close_all)
