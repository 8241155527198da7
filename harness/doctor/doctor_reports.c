#include "doctor/doctor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "ncu_report/report_kernels.h"

enum { NAMES_BYTES = 200 };

/* Sums and extremes over the launches of a report. */
struct patient_report {
    const char *path;
    struct records records;
    size_t launches, values, broken, impossible, untimed, compared, contradicting, sampled, dropped;
    char broken_names[NAMES_BYTES], impossible_names[NAMES_BYTES];
    double slowest_mhz, fastest_mhz;
    char device[100];
    int devices;
    int counters, known; /* of the launch that has fewest values of counters */
    size_t without[8];   /* launches without a section */
    struct report_session session;
};

/* A metric that only this section of ncu collects. The last ones give counters alone: who has all
 * of them, as from our own section, does not need these. */
static const char *const sections[][2] = {
    {"SpeedOfLight", "gpu__time_duration.sum"},
    {"LaunchStats", "launch__registers_per_thread"},
    {"Occupancy", "launch__occupancy_limit_registers"},
    {"SourceCounters", "inst_executed"},
    {"MemoryWorkloadAnalysis", "lts__t_sector_hit_rate.pct"},
    {"WarpStateStats", "smsp__average_warp_latency_per_inst_issued.ratio"}};
enum { SECTIONS = sizeof sections / sizeof *sections, NEEDED_SECTIONS = 4 };

/* Adds a name that is not among them, with its value. */
static void add_name(char names[NAMES_BYTES], const char *name, double value)
{
    const size_t length = strlen(names), bytes = strlen(name);
    char number[32] = "";
    if (isfinite(value)) snprintf(number, sizeof number, " (%.6g)", value);
    if (!bytes || length + bytes + strlen(number) + 3 > NAMES_BYTES) return;
    for (const char *at = names; (at = strstr(at, name)); at += bytes)
        if ((at == names || at[-1] == ' ') && strchr(" ,", at[bytes])) return; /* known */
    snprintf(names + length, NAMES_BYTES - length, "%s%s%s", length ? ", " : "", name, number);
}

/* ---- launches -------------------------------------------------------------------------------- */

/* A counter has a roll-up ("unit__name.sum", "unit__name.avg.pct"), and is a number. Others, such
 * as "launch__kernel_name" or "breakdown:unit__name.avg", may be texts. */
static int is_counter(const char *name)
{
    return strchr(name, '.') && !strchr(name, ':');
}

/* The mean or the sum of all instances is not above what they can reach, and hits are a part of all
 * accesses. A single instance (.max, .min) may count more cycles than the mean that it is compared
 * with. Bytes per sector are shared by lanes. */
static int is_share(const char *name)
{
    static const char *const shares[] = {".avg.pct_of_peak", ".sum.pct_of_peak", "_hit_rate.pct"};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        if (strstr(name, shares[i])) return 1;
    return 0;
}

static void look_at_values(struct patient_report *patient, const struct report_result *result)
{
    enum { TOLERANCE_PCT = 1 };
    for (size_t i = 0; i < result->count; i++) {
        const char *name = result->metric[i].name;
        const enum report_kind kind = report_result_kind(result, name);
        const double value = report_result_number(result, name);
        if (kind == REPORT_NOTHING || (kind == REPORT_TEXT && !is_counter(name))) continue;
        patient->values++;
        if (!isfinite(value)) {
            patient->broken++;
            add_name(patient->broken_names, name, NAN);
        } else if (is_counter(name) &&
                   (value < 0 || (is_share(name) && value > 100 + TOLERANCE_PCT))) {
            patient->impossible++;
            add_name(patient->impossible_names, name, value);
        }
    }
}

/* Two metrics of the same quantity: the instructions by hardware and by instrumentation, which run
 * in different passes. Returns -1 if the launch lacks one. */
static int contradicts(const struct report_result *result)
{
    const double counted =
                     report_map_evaluate(result, "smsp__inst_executed.sum | sm__inst_executed.sum")
                         .number,
                 by_code = report_result_number(result, "inst_executed");
    if (!isfinite(counted) || !isfinite(by_code)) return -1;
    return fabs(counted - by_code) > 0.01 * counted;
}

static void look_at_clock(struct patient_report *patient, double mhz)
{
    if (!(mhz > 0)) return;
    if (!(mhz >= patient->slowest_mhz)) patient->slowest_mhz = mhz;
    if (!(mhz <= patient->fastest_mhz)) patient->fastest_mhz = mhz;
}

static void look_at_device(struct patient_report *patient, const struct report_result *result)
{
    char *device = wire_string(report_result_text(result, "device__attribute_display_name"));
    if (device && *device && strcmp(device, patient->device)) {
        snprintf(patient->device, sizeof patient->device, "%s", device);
        patient->devices++;
    }
    free(device);
}

static void look_at_counters(struct patient_report *patient, const struct report_result *result)
{
    int known = 0, counters = 0;
    for (int i = 0; i < patient->records.count; i++) {
        const struct record *record = &patient->records.record[i];
        if (record->kind != RECORD_COUNTER) continue;
        counters++;
        known +=
            isfinite(report_map_value(&patient->records, result, "counters", record->name).number);
    }
    if (!patient->counters || known < patient->known) patient->known = known;
    patient->counters = counters;
}

static int look_at_launch(void *context, struct wire entry, const struct report_block *block)
{
    struct patient_report *patient = context;
    struct report_result result;
    int failure = report_result_open(&result, entry, block);
    if (failure == FAIL_INPUT)
        failure = error(FAIL_INPUT, "%s: is damaged: a result cannot be decoded", patient->path);
    if (!failure) {
        const struct records *records = &patient->records;
        patient->launches++;
        look_at_values(patient, &result);
        look_at_device(patient, &result);
        look_at_counters(patient, &result);
        look_at_clock(patient,
                      report_map_value(records, &result, "samples", "sm_clock_mhz").number);
        patient->untimed += !(report_map_value(records, &result, "samples", "time_ns").number > 0);
        patient->compared += contradicts(&result) >= 0;
        patient->contradicting += contradicts(&result) > 0;
        patient->sampled += isfinite(report_result_number(&result, "smsp__pcsamp_dropped_bytes"));
        patient->dropped += report_result_number(&result, "smsp__pcsamp_dropped_bytes") > 0;
        for (int i = 0; i < SECTIONS; i++)
            patient->without[i] += !report_result_find(&result, sections[i][1]);
    }
    report_result_close(&result);
    return failure;
}

static int look_at_session(void *context, struct wire session)
{
    struct patient_report *patient = context;
    report_session_take(&patient->session, session);
    return 0;
}

/* ---- findings -------------------------------------------------------------------------------- */

static struct finding *next(struct report_findings *findings, const char *name)
{
    findings->name[findings->count] = name;
    return &findings->finding[findings->count++];
}

static void judge_values(struct report_findings *findings, const struct patient_report *patient)
{
    struct finding *finding = next(findings, "numbers");
    if (patient->broken)
        finding_set(finding, CHECK_BAD, "profile again, with another version of ncu",
                    "%zu of %zu values are no numbers: %s", patient->broken, patient->values,
                    patient->broken_names);
    else
        finding_ok(finding, "all %zu values are numbers", patient->values);
    finding = next(findings, "bounds");
    if (patient->impossible)
        finding_set(finding, CHECK_BAD, "do not trust them",
                    "%zu values are negative or above 100 %%, such as %s", patient->impossible,
                    patient->impossible_names);
    else
        finding_ok(finding, "no value is negative, and no share above 100 %%");
    finding = next(findings, "agreement");
    if (patient->contradicting)
        finding_set(finding, CHECK_BAD,
                    "the program does not do the same in each pass: use --replay-mode application",
                    "instructions by hardware and by instrumentation differ in %zu of %zu launches",
                    patient->contradicting, patient->launches);
    else if (!patient->compared)
        finding_skip(finding, "no launch has its instructions by hardware and by instrumentation "
                              "(ncu --section SourceCounters)");
    else
        finding_ok(finding,
                   "instructions by hardware and by instrumentation agree in %zu of %zu launches",
                   patient->compared, patient->launches);
}

static void judge_times(struct report_findings *findings, const struct patient_report *patient)
{
    char told[2][OPTION_BYTES];
    const char *clocks = report_session_option(&patient->session, "--clock-control", told[0]),
               *caches = report_session_option(&patient->session, "--cache-control", told[1]);
    const int is_locked = clocks && !strcmp(clocks, "base");
    struct finding *finding = next(findings, "times");
    if (patient->untimed)
        finding_set(finding, CHECK_BAD, "--section SpeedOfLight",
                    "%zu of %zu launches have no time", patient->untimed, patient->launches);
    else
        finding_ok(finding, "%zu launch%s a time", patient->launches,
                   patient->launches == 1 ? " has" : "es have");
    finding = next(findings, "clocks");
    if (patient->fastest_mhz > 1.02 * patient->slowest_mhz)
        finding_set(finding, CHECK_NOTE,
                    is_locked ? "--clock-control none, with clocks that nvidia-smi -lgc locks"
                              : "--clock-control base, on an idle device",
                    "the SM clock of the launches is between %.0f and %.0f MHz%s",
                    patient->slowest_mhz, patient->fastest_mhz,
                    is_locked ? ", in spite of --clock-control base" : "");
    else if (clocks && !strcmp(clocks, "none"))
        finding_set(finding, CHECK_NOTE, "--clock-control base", "ncu did not lock the clocks");
    else if (!(patient->slowest_mhz > 0))
        finding_skip(finding, "the report tells no clock (ncu --section SpeedOfLight)");
    else
        finding_ok(finding, "the SM clock of all launches is %.0f MHz within 2 %%",
                   patient->slowest_mhz);
    finding = next(findings, "caches");
    if (caches && !strcmp(caches, "none"))
        finding_set(finding, CHECK_NOTE, "--cache-control all",
                    "caches were not flushed: times depend on what ran before");
    else if (!caches)
        finding_skip(finding, "the report does not tell whether caches were flushed");
    else
        finding_ok(finding, "caches were flushed before each pass");
    finding = next(findings, "device");
    if (patient->devices > 1)
        finding_set(finding, CHECK_NOTE, "compare kernels of one device only",
                    "launches ran on several devices");
    else if (!patient->devices)
        finding_skip(finding, "the report tells no device");
    else
        finding_ok(finding, "%s", patient->device);
}

static void judge_sections(struct report_findings *findings, const struct patient_report *patient)
{
    struct text missing = {0}, fix = {0};
    struct finding *finding = next(findings, "sections");
    for (int i = 0; i < (patient->known < patient->counters ? SECTIONS : NEEDED_SECTIONS); i++) {
        if (!patient->without[i]) continue;
        text_format(&missing, "%s%s", missing.length ? ", " : "", sections[i][0]);
        text_format(&fix, "%s--section %s", fix.length ? " " : "", sections[i][0]);
    }
    if (missing.length)
        finding_set(finding, CHECK_NOTE, text_string(&fix), "missing in some launch: %s",
                    text_string(&missing));
    else
        finding_ok(finding, "those that explain reads are there");
    text_free(&missing);
    text_free(&fix);
    finding = next(findings, "counters");
    finding_set(finding, patient->known < patient->counters ? CHECK_NOTE : CHECK_OK,
                patient->known < patient->counters
                    ? "'whyfast sections' writes a section that collects them"
                    : NULL,
                "%d of the %d counters of whyfast have a value", patient->known, patient->counters);
    finding = next(findings, "samples");
    if (patient->dropped)
        finding_set(finding, CHECK_NOTE, "a larger --sampling-buffer-size",
                    "stall samples were dropped in %zu launches", patient->dropped);
    else if (!patient->sampled)
        finding_skip(finding, "no launch tells of stall samples (ncu --section SourceCounters)");
    else
        finding_ok(finding, "no stall samples were dropped");
}

int report_findings_make(struct report_findings *findings, const char *path)
{
    struct patient_report patient = {.path = path, .slowest_mhz = NAN, .fastest_mhz = NAN};
    *findings = (struct report_findings){0};
    int result = records_read_own(&patient.records);
    if (!result)
        result = report_file_read(
            path, &(struct report_visitor){&patient, look_at_session, NULL, look_at_launch});
    if (!result && !patient.launches)
        result = error(FAIL_INPUT, "%s: has no launch of a kernel", path);
    if (!result) {
        judge_values(findings, &patient);
        judge_times(findings, &patient);
        judge_sections(findings, &patient);
    }
    report_session_free(&patient.session);
    records_free(&patient.records);
    return result;
}
