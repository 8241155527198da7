/*
 * Tests that the self-test's expectations name existing kernels and metrics and prove all counters
 * of the mission set, and that its results are remembered only for the device, driver and records
 * that they are of.
 */
#include "fixture.h"

#include "catalog/records.h"
#include "run/run.h"
#include "run/selftest_result.h"

/* The file of remembered results. */
static void use_state(const char *name)
{
    make_directory(name);
    assert_int_equal(setenv("XDG_STATE_HOME", place(name), 1), 0);
}

TEST(each_proof_names_a_metric)
{
    struct records records;
    int proofs = 0;
    assert_int_equal(records_read(&records, root()), 0);
    for (int i = 0; i < records.count; i++) {
        const struct record *proof = &records.record[i];
        if (proof->kind != RECORD_PROOF) continue;
        proofs++;
        if (!records_is_column(&records, record_field(proof, "metric")))
            fail_msg("%s:%d: '%s' is no metric", proof->file, proof->line,
                     record_field(proof, "metric"));
        if (strncmp(record_field(proof, "of"), "selftest", 8))
            fail_msg("%s:%d: '%s' is no kernel of the self-test", proof->file, proof->line,
                     record_field(proof, "of"));
    }
    assert_in_range(proofs, 100, 1000);
    records_free(&records);
}

/* Reasons why a counter of the mission set needs no proof of its own: it is no count, or another
 * metric covers it. */
static int stands_for_itself(const char *counter)
{
    static const char *const others[] = {
        "warps_active_pct",          /* achieved_occupancy_pct */
        "dram_throughput_range_pct", /* relative to the peak of an unknown clock */
        "sm_cycles_active",  /* the mean of sm_cycles_active_most over SMs, most of which do nothing
                                there */
        "sm_cycles_elapsed", /* longer than the kernel because of the profiler */
        "sm_cycles_active_mean",  /* sm_coverage_pct, over sm_cycles_active_most */
        "branch_targets_uniform", /* branch_efficiency_pct, over branch_targets */
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(counter, others[i])) return 1;
    return 0;
}

static int is_proven(const struct records *records, const char *metric)
{
    for (int i = 0; i < records->count; i++)
        if (records->record[i].kind == RECORD_PROOF &&
            !strcmp(record_field(&records->record[i], "metric"), metric))
            return 1;
    return 0;
}

TEST(counters_of_the_mission_are_proven)
{
    struct records records;
    assert_int_equal(records_read(&records, root()), 0);
    for (int i = 0; i < records.count; i++) {
        const struct record *counter = &records.record[i];
        if (counter->kind != RECORD_COUNTER || strcmp(record_field(counter, "set"), "mission"))
            continue;
        if (is_proven(&records, counter->name) == stands_for_itself(counter->name))
            fail_msg("%s:%d: %s is %s", counter->file, counter->line, counter->name,
                     stands_for_itself(counter->name) ? "proven after all" : "not proven");
    }
    records_free(&records);
}

/* ---- remembered results ---------------------------------------------------------------------- */

static void begin(struct run *run, const char *name, const char *device, const char *driver)
{
    assert_int_equal(run_begin(run, place(name), 0), 0);
    assert_int_equal(run_fact_set(run, "date", "2026-01-02T03:04:05Z"), 0);
    assert_int_equal(run_fact_set(run, "git_revision", "abc"), 0);
    assert_int_equal(run_fact_set(run, "device_uuid", "%s", device), 0);
    assert_int_equal(run_fact_set(run, "driver", "%s", driver), 0);
}

static const char judged[] =
    "variant,setting,metric,expected,measured,error,within,noise,verdict,because\n"
    "selftest/a,1,right,1,1,0,0,0,ok,b\n"
    "selftest/a,2,right,1,1,0,0,0,ok,b\n"
    "selftest/a,1,half,1,1,0,0,0,ok,b\n"
    "selftest/a,2,half,1,2,1,0,0,wrong,b\n"
    "selftest/a,1,missing,1,,,0,,absent: not measured,b\n";

static void remember(const char *rows)
{
    struct run run;
    begin(&run, "tested", "device-1", "580");
    write_text("tested.part/selftest.csv", rows);
    assert_int_equal(selftest_result_write(&run), 0);
    run_close(&run);
    assert_int_equal(directory_remove(place("tested.part")), 0);
}

/* Returns the fact `key` of a later run with this device and driver. */
static const char *later(const char *device, const char *driver, const char *key)
{
    static char found[200];
    struct run run;
    begin(&run, "later", device, driver);
    listen_to_stderr();
    assert_int_equal(selftest_result_apply(&run), 0);
    heard();
    snprintf(found, sizeof found, "%s", run_fact(&run, key) ? run_fact(&run, key) : "(none)");
    run_close(&run);
    assert_int_equal(directory_remove(place("later.part")), 0);
    return found;
}

TEST(a_later_run_knows)
{
    use_state("state");
    assert_string_equal(later("device-1", "580", "selftest"),
                        "absent: not run on this device; 'whyfast selftest' runs it");
    remember(judged);
    assert_string_equal(later("device-1", "580", "selftest"),
                        "failed on 2026-01-02: 1 metric is wrong, 1 right");
    assert_string_equal(later("device-1", "580", "selftest_proven"), "right");
    assert_string_equal(later("device-1", "580", "selftest_wrong"), "half");
    assert_string_equal(later("device-2", "580", "selftest"),
                        "absent: not run on this device; 'whyfast selftest' runs it");
    assert_string_equal(later("device-1", "590", "selftest"),
                        "absent: the last one was run with another driver");
    assert_string_equal(later("device-1", "590", "selftest_proven"), "(none)");
}

TEST(a_right_one_replaces_a_wrong_one)
{
    use_state("state");
    remember(judged);
    remember("variant,setting,metric,expected,measured,error,within,noise,verdict,"
             "because\nselftest/a,1,half,1,1,0,0,0,ok,b\n");
    assert_string_equal(later("device-1", "580", "selftest"),
                        "passed on 2026-01-02: 1 metric is right");
    assert_string_equal(later("device-1", "580", "selftest_wrong"), "(none)");
}

TEST(other_records_are_another_matter)
{
    static const char rows[] = "whyfast run 1\nrecords: 0123456789abcdef\ndevice_uuid: device-1\n"
                               "driver: 580\ndate: 2026-01-02\nselftest: passed\n";
    use_state("state");
    make_directory("state/whyfast");
    write_text("state/whyfast/selftest-device-1.txt", rows);
    assert_string_equal(later("device-1", "580", "selftest"),
                        "absent: the last one was run with other records under metrics/");
    write_text("state/whyfast/selftest-device-1.txt", "what is this\n");
    assert_string_equal(later("device-1", "580", "selftest"), "absent: the last one is damaged");
    write_text("state/whyfast/selftest-device-1.txt", "");
    assert_string_equal(later("device-1", "580", "selftest"), "absent: the last one is damaged");
    unlink(place("state/whyfast/selftest-device-1.txt"));
}

TEST(without_a_place_nothing_is_remembered)
{
    struct run run;
    assert_int_equal(unsetenv("XDG_STATE_HOME"), 0);
    assert_int_equal(unsetenv("HOME"), 0);
    begin(&run, "tested", "device-1", "580");
    write_text("tested.part/selftest.csv", judged);
    listen_to_stderr();
    assert_int_equal(selftest_result_write(&run), 0);
    holds(heard(), "the result of the self-test is not stored: neither "
                   "XDG_STATE_HOME nor HOME names a directory");
    assert_int_equal(selftest_result_apply(&run), 0);
    assert_string_equal(run_fact(&run, "selftest"),
                        "absent: not run on this device; 'whyfast selftest' runs it");
    run_close(&run);
    assert_int_equal(directory_remove(place("tested.part")), 0);
}

static int open_records(void **state)
{
    setenv("WHYFAST_DATA", root(), 1);
    return fixture_open(state);
}

RUN_TESTS(open_records, fixture_close)
