/*
 * Tests what the doctor says of the values in reports of Nsight Compute, which are written here.
 */
#include <math.h>

#include "fixture.h"
#include "written_report.h"

#include "doctor/doctor.h"

static struct report_findings findings;

/* The findings of a launch with these metrics, whose names are separated by blanks. */
static void look(const char *names, struct text *metrics)
{
    struct text report = {0}, result = {0};
    begin_report(&report, 7);
    begin_result(&result, "_Z3sumPf", "sum(float *)", 8);
    text_append_bytes(&result, text_string(metrics), metrics->length);
    text_free(metrics);
    add_block(&report, names, NULL, &result, 0);
    const char *path = write_bytes("one.ncu-rep", text_string(&report), report.length);
    text_free(&report);
    setenv("WHYFAST_DATA", root(), 1);
    assert_int_equal(report_findings_make(&findings, path), 0);
}

static void finds_that(const char *name, enum severity severity, const char *detail)
{
    for (int i = 0; i < findings.count; i++) {
        if (strcmp(findings.name[i], name)) continue;
        assert_string_equal(findings.finding[i].detail, detail);
        assert_int_equal(findings.finding[i].severity, severity);
        return;
    }
    fail_msg("no finding is called %s", name);
}

TEST(a_text_is_no_wrong_number)
{
    struct text metrics = {0};
    add_metric(&metrics, 0, 1000);
    add_text_metric(&metrics, 1, "sum");
    add_text_metric(&metrics, 2, "");
    add_text_metric(&metrics, 3, "a__b.avg,c__d.avg");
    look("gpu__time_duration.sum launch__kernel_name derived_tempMetric4 breakdown:sm__e.avg",
         &metrics);
    finds_that("numbers", CHECK_OK, "all 1 values are numbers");
}

TEST(a_counter_that_is_a_text_or_not_finite_is_a_wrong_number)
{
    struct text metrics = {0};
    add_metric(&metrics, 0, 1000);
    add_text_metric(&metrics, 1, "n/a");
    add_metric(&metrics, 2, NAN);
    add_metric(&metrics, 3, INFINITY);
    look("gpu__time_duration.sum a__b.avg c__d.sum derived__e", &metrics);
    finds_that("numbers", CHECK_BAD,
               "3 of 4 values are no numbers: a__b.avg, c__d.sum, derived__e");
}

TEST(a_single_instance_is_not_bounded_by_the_peak_of_the_mean)
{
    struct text metrics = {0};
    add_metric(&metrics, 0, 100.9);
    add_metric(&metrics, 1, 112);
    add_metric(&metrics, 2, 104);
    add_metric(&metrics, 3, 300);
    add_metric(&metrics, 4, -1);
    look("a__b.avg.pct_of_peak_sustained_active a__b.max.pct_of_peak_sustained_active "
         "a__b.min.pct_of_peak_sustained_elapsed "
         "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct "
         "device__attribute_host_numa_id",
         &metrics);
    finds_that("bounds", CHECK_OK, "no value is negative, and no share above 100 %");
}

TEST(means_and_sums_beyond_the_peak_are_impossible)
{
    struct text metrics = {0};
    add_metric(&metrics, 0, 101.1);
    add_metric(&metrics, 1, 250);
    add_metric(&metrics, 2, 130);
    add_metric(&metrics, 3, -2);
    look("a__b.avg.pct_of_peak_sustained_active c__d.sum.pct_of_peak_sustained_elapsed "
         "e__f_hit_rate.pct g__h.min",
         &metrics);
    finds_that("bounds", CHECK_BAD,
               "4 values are negative or above 100 %, such as "
               "a__b.avg.pct_of_peak_sustained_active (101.1), "
               "c__d.sum.pct_of_peak_sustained_elapsed (250), e__f_hit_rate.pct (130), "
               "g__h.min (-2)");
}

TEST(instructions_by_hardware_are_known_by_two_names)
{
    struct text metrics = {0};
    add_metric(&metrics, 0, 100);
    add_metric(&metrics, 1, 50);
    look("sm__inst_executed.sum inst_executed", &metrics);
    finds_that("agreement", CHECK_BAD,
               "instructions by hardware and by instrumentation differ in 1 of 1 launches");
}

RUN_TESTS(fixture_open, fixture_close)
