#include "fleet/devices_trial.h"

#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "evaluate/evaluate.h"
#include "explain/compare_runs.h"
#include "run/run.h"

/* Two runs of one device may differ by this without any disturbance, because it warms up. */
static const double DRIFT_PCT = 0.5;
static const char trial_file[] = "trial.txt", no_trial[] = "no: one after the other: ";

static int evaluate_quietly(struct run *run)
{
    const enum message_level level = message_level_set(MESSAGE_QUIET);
    const int result = evaluate_run(run);
    message_level_set(level);
    return result;
}

/* The findings of a trial: a rung that is slower together, or nothing; and a line for each device
 * with the times of its rungs together, divided by those alone. */
struct trial {
    struct text disturbed, ratios;
    int compared;
};

static int append(struct text *words, struct run_comparison *comparison, const char *sql)
{
    char *told = NULL;
    const int result = query_text(&comparison->query, NULL, sql, NULL, &told);
    if (told) text_append(words, told);
    free(told);
    return result;
}

/* Compares the times of a device. A rung that is faster together is not disturbed: boards at their
 * power limit drift by one or two per cent from run to run. */
static int compare(struct run *alone, struct run *together, struct trial *trial)
{
    static const char differs[] =
        "SELECT family || '/' || variant || printf(' took %.3f times the time of measuring alone', "
        "ratio) FROM compared WHERE verdict IN ('slower', 'failed now') ORDER BY ratio DESC LIMIT "
        "1";
    static const char ratios[] =
        "SELECT group_concat(family || '/' || variant || printf(' %.4f (%.4f to %.4f)', ratio, "
        "ratio_low, ratio_high), ', ') FROM (SELECT * FROM compared WHERE ratio_low IS NOT NULL "
        "ORDER BY family, variant)";
    struct run_comparison comparison;
    int result = evaluate_quietly(alone);
    if (!result) result = evaluate_quietly(together);
    if (!result)
        result = compare_open(&comparison, alone, together,
                              &(struct compare_options){.threshold_pct = DRIFT_PCT});
    if (result) return result;
    for (int i = COMPARE_SLOWER; i <= COMPARE_NO_EVIDENCE; i++)
        trial->compared += comparison.count[i];
    result = append(&trial->disturbed, &comparison, differs);
    if (!result) result = append(&trial->ratios, &comparison, ratios);
    compare_close(&comparison);
    return result;
}

static int compare_device(struct device_processes *devices, int device, const char *kind,
                          struct trial *trial)
{
    struct run alone, together;
    int result = run_open(&alone, device_run_path(devices, kind, device).at);
    if (result) return result;
    result = run_open(&together, device_run_path(devices, "together-", device).at);
    if (!result) {
        result = compare(&alone, &together, trial);
        run_close(&together);
    }
    run_close(&alone);
    return result;
}

/* A device with a slower rung is measured alone a second time: it is disturbed if it has a slower
 * rung then, too. */
static int judge_device(struct device_processes *devices, int device, struct trial *trial)
{
    const struct measure_devices_options *options = devices->options;
    text_append(&trial->ratios, "\n");
    int result = compare_device(devices, device, "alone-", trial);
    if (result || !trial->disturbed.length) return result;
    const struct path again = device_run_path(devices, "again-", device);
    result = device_process_start(devices, device, options->trial, options->trial_count, again.at);
    if (!result) result = device_processes_finish(devices);
    if (result && result != FAIL_CHECK) return result;
    text_free(&trial->disturbed);
    text_append(&trial->ratios, "; alone again: ");
    return compare_device(devices, device, "again-", trial);
}

/* Writes into `verdict` whether the devices can be measured at once, and why; then a line for each
 * device. */
static int judge_trial(struct device_processes *devices, struct text *verdict)
{
    struct trial trial = {.compared = 0};
    const int count = devices->choice->count;
    int result = 0;
    for (int i = 0; i < count && !result && !trial.disturbed.length; i++)
        result = judge_device(devices, i, &trial);
    if (trial.disturbed.length)
        text_format(verdict, "%s%s with %d devices at once", no_trial, trial.disturbed.data, count);
    else if (!trial.compared)
        text_format(verdict, "%sno point of the trial could be compared", no_trial);
    else
        text_format(verdict, "yes: %d devices at once, none of them slower than alone", count);
    text_append(verdict, text_string(&trial.ratios));
    text_free_piece(&trial.disturbed, verdict);
    text_free_piece(&trial.ratios, verdict);
    return result;
}

static int run_trial(struct device_processes *devices, struct text *verdict)
{
    const struct measure_devices_options *options = devices->options;
    progress_begin("trial", "runs", 2 * devices->choice->count);
    int result =
        device_processes_measure_all(devices, "alone-", options->trial, options->trial_count, 0);
    if (!result || result == FAIL_CHECK)
        result = device_processes_measure_all(devices, "together-", options->trial,
                                              options->trial_count, 1);
    if (!result || result == FAIL_CHECK) result = judge_trial(devices, verdict);
    result = progress_end(result);
    for (int i = 0; i < devices->choice->count; i++) {
        directory_remove(device_run_path(devices, "alone-", i).at);
        directory_remove(device_run_path(devices, "again-", i).at);
        directory_remove(device_run_path(devices, "together-", i).at);
    }
    return result;
}

int devices_trial_decide(struct device_processes *devices, struct text *verdict)
{
    char *earlier = text_read_file(path_in(devices->directory, trial_file).at, NULL);
    int result = 0;
    if (earlier)
        text_append(verdict, earlier);
    else if (!devices->is_pinned)
        text_format(verdict, "%sthe host has fewer processors than devices", no_trial);
    else if (!devices->options->trial_count)
        text_format(verdict, "%sthere is no trial for these kernels", no_trial);
    else
        result = run_trial(devices, verdict);
    free(earlier);
    if (!result && verdict->failed) result = error_memory();
    const char *words = text_string(verdict);
    if (!result) note("measured together: %.*s", (int)strcspn(words, "\n"), words);
    return result ? result : atomic_file_write(devices->directory, trial_file, verdict);
}
