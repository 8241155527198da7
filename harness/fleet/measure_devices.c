#include "fleet/measure_devices.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "fleet/cpu_shares.h"
#include "fleet/devices_trial.h"
#include "fleet/merge_runs.h"
#include "run/run.h"

/* Line `number` of a text, or NULL if it is empty or missing. The caller frees it. */
static char *line_of(const char *text, int number)
{
    for (; number && text; number--) {
        text = strchr(text, '\n');
        if (text) text++;
    }
    const size_t length = text ? strcspn(text, "\n") : 0;
    return length ? strndup(text, length) : NULL;
}

/* Adds to the run of a device how it was measured. */
static int add_facts(const struct device_processes *devices, int device, const char *verdict)
{
    char *ratios = line_of(verdict, device + 1);
    struct facts facts = {0, NULL};
    char cpus[300];
    const struct path path = device_run_path(devices, "", device);
    int result = facts_read(&facts, path.at, FACTS_FILE);
    if (!result) result = facts_set(&facts, "measured_together", line_of(verdict, 0));
    if (!result && ratios) result = facts_set(&facts, "trial_ratios", strdup(ratios));
    if (!result && devices->is_pinned)
        result =
            facts_set(&facts, "host_cpus",
                      strdup(cpu_shares_text(&devices->share[device], cpus, (int)sizeof cpus)));
    if (!result) result = facts_write(&facts, path.at, FACTS_FILE);
    facts_free(&facts);
    free(ratios);
    return result;
}

static int merge(const struct device_processes *devices, const char *verdict)
{
    const size_t count = (size_t)devices->choice->count;
    char **path = calloc(count, sizeof *path);
    int result = path ? 0 : error_memory();
    for (size_t i = 0; i < count && !result; i++) {
        path[i] = strdup(device_run_path(devices, "", (int)i).at);
        result = path[i] ? add_facts(devices, (int)i, verdict) : error_memory();
    }
    if (!result)
        result = merge_runs(&(struct merge_options){.path = (const char *const *)path,
                                                    .count = (int)count,
                                                    .output = devices->options->output});
    for (size_t i = 0; path && i < count; i++) free(path[i]);
    free(path);
    return result;
}

static int measure_and_merge(struct device_processes *devices)
{
    const struct measure_devices_options *options = devices->options;
    struct text verdict = {0};
    int result = devices_trial_decide(devices, &verdict), wrong = 0;
    if (!result) {
        const int together = !strncmp(text_string(&verdict), "yes", 3);
        progress_begin("measuring", "devices", devices->choice->count);
        result =
            device_processes_measure_all(devices, "", options->words, options->count, together);
        wrong = result == FAIL_CHECK;
        result = progress_end(wrong ? 0 : result);
    }
    if (!result) result = merge(devices, text_string(&verdict));
    text_free(&verdict);
    if (!result)
        result = directory_remove(devices->directory);
    else if (result == FAIL_INTERRUPTED)
        error(result, "interrupted; finished work is in %s; continue with --resume",
              devices->directory);
    else
        note("finished work is in %s; continue with --resume, or merge its runs with 'whyfast "
             "merge'",
             devices->directory);
    return result ? result : wrong ? FAIL_CHECK : 0;
}

/* ---- all ------------------------------------------------------------------------------------- */

static int check_output(const struct device_processes *devices)
{
    const struct measure_devices_options *options = devices->options;
    const int there = file_exists(devices->directory);
    if (file_exists(options->output))
        return error(FAIL_OUTPUT, "%s: exists; name a new directory with -o", options->output);
    if (there && !options->resume)
        return error(FAIL_OUTPUT,
                     "%s: contains interrupted runs; continue them with --resume, or remove it to "
                     "start again",
                     devices->directory);
    if (!there && options->resume)
        return error(FAIL_INPUT, "%s: does not exist: there are no interrupted runs to resume",
                     devices->directory);
    return directory_make(devices->directory);
}

int measure_devices(const struct measure_devices_options *options)
{
    struct device_processes devices;
    int result = device_processes_open(&devices, options);
    if (!result) result = check_output(&devices);
    if (!result) result = measure_and_merge(&devices);
    device_processes_close(&devices);
    return result;
}

/* ---- in turn --------------------------------------------------------------------------------- */

/* Copies what a process printed. */
static int copy_output(const struct process *process)
{
    char path[48], piece[1 << 12];
    FILE *file = fopen(process_output(process, path), "rb");
    size_t got;
    if (!file) return error(FAIL_OUTPUT, "cannot read what a process printed: %s", strerror(errno));
    while ((got = fread(piece, 1, sizeof piece, file)) > 0) fwrite(piece, 1, got, stdout);
    fclose(file);
    return fflush(stdout) ? error(FAIL_OUTPUT, "cannot write to stdout") : 0;
}

static int measure_one(struct device_processes *devices, int device)
{
    struct process *process = &devices->process[device];
    note("device %s", devices->choice->visible[device]);
    int result = device_process_start(devices, device, devices->options->words,
                                      devices->options->count, NULL);
    if (result) return result;
    process_wait(process, 1);
    result = copy_output(process);
    result = device_worse(result, device_process_judge(devices, device));
    process_free(process);
    return result;
}

int measure_devices_in_turn(const struct measure_devices_options *options)
{
    struct device_processes devices;
    int failed = 0, result = device_processes_open(&devices, options);
    devices.is_pinned = 0;
    for (int i = 0; !result && i < options->choice->count && !interrupted(); i++)
        failed = device_worse(failed, measure_one(&devices, i));
    device_processes_close(&devices);
    return result ? result : interrupted() ? FAIL_INTERRUPTED : failed;
}
