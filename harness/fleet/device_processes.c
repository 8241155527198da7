#include "fleet/device_processes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "fleet/cpu_shares.h"
#include "run/run_journal.h"

void device_processes_close(struct device_processes *devices)
{
    for (int i = 0; devices->process && i < devices->choice->count; i++)
        process_free(&devices->process[i]);
    free(devices->process);
    free(devices->argument);
    free(devices->share);
    free(devices->directory);
    if (devices->self >= 0) close(devices->self);
}

int device_processes_open(struct device_processes *devices,
                          const struct measure_devices_options *options)
{
    const size_t count = (size_t)options->choice->count,
                 words = (size_t)(options->count + options->trial_count) + 8;
    *devices = (struct device_processes){.options = options,
                                         .choice = options->choice,
                                         .share = calloc(count, sizeof *devices->share),
                                         .process = calloc(count, sizeof *devices->process),
                                         .argument = calloc(words, sizeof *devices->argument)};
    devices->self = process_self(devices->program);
    if (devices->self < 0) return FAIL_OUTPUT;
    if (options->output) devices->directory = text_new("%s.parts", options->output);
    if (!devices->share || !devices->process || !devices->argument ||
        (options->output && !devices->directory))
        return error_memory();
    if (!sched_getaffinity(0, sizeof devices->all, &devices->all))
        devices->is_pinned = cpu_shares_make(devices->share, options->choice);
    return 0;
}

struct path device_run_path(const struct device_processes *devices, const char *kind, int device)
{
    char name[32];
    snprintf(name, sizeof name, "%s%d", kind, device);
    return path_in(devices->directory, name);
}

/* Whether an interrupted run has finished something. */
static int can_resume(const char *path)
{
    char *part = text_new("%s.part/%s", path, JOURNAL_FILE),
         *text = part ? text_read_file(part, NULL) : NULL;
    const int result = text && (!strncmp(text, "done ", 5) || !strncmp(text, "ready ", 6) ||
                                strstr(text, "\ndone ") || strstr(text, "\nready "));
    free(text);
    free(part);
    return result;
}

/* Options come before the words, which may end the options. */
int device_process_start(struct device_processes *devices, int device, const char *const *words,
                         int count, const char *output)
{
    static char option[] = "--device", to[] = "--output", resume[] = "--resume";
    char **argument = devices->argument, *copy = output ? strdup(output) : NULL;
    int at = 0;
    if (output && !copy) return error_memory();
    argument[at++] = devices->program;
    argument[at++] = (char *)(uintptr_t)words[0];
    argument[at++] = option;
    argument[at++] = devices->choice->visible[device];
    if (output) argument[at++] = to;
    if (output) argument[at++] = copy;
    if (output && can_resume(output)) argument[at++] = resume;
    for (int i = 1; i < count; i++) argument[at++] = (char *)(uintptr_t)words[i];
    argument[at] = NULL;
    if (devices->is_pinned)
        sched_setaffinity(0, sizeof devices->share[device], &devices->share[device]);
    const int result = process_start(&devices->process[device], argument);
    if (devices->is_pinned) sched_setaffinity(0, sizeof devices->all, &devices->all);
    free(copy);
    return result;
}

/* A wrong result was said by its run. */
int device_process_judge(const struct device_processes *devices, int device)
{
    const struct process *process = &devices->process[device];
    char reason[300];
    if (process_succeeded(process)) return 0;
    const int status = WIFEXITED(process->status) ? WEXITSTATUS(process->status) : 0;
    process_reason(process, reason, sizeof reason);
    if (interrupted()) return FAIL_INTERRUPTED;
    if (status == -FAIL_CHECK) {
        warning("device %s: %s", devices->choice->visible[device], reason);
        return FAIL_CHECK;
    }
    return error(status > 0 && status <= -FAIL_OUTPUT ? (enum failure) - status : FAIL_GPU,
                 "device %s: %s", devices->choice->visible[device], reason);
}

int device_worse(int a, int b)
{
    if (a == FAIL_INTERRUPTED || b == FAIL_INTERRUPTED) return FAIL_INTERRUPTED;
    return !a || (a == FAIL_CHECK && b) ? b : a;
}

int device_processes_finish(struct device_processes *devices)
{
    int result = 0, ended;
    while ((ended = process_wait(devices->process, devices->choice->count)) >= 0) {
        result = device_worse(result, device_process_judge(devices, ended));
        process_free(&devices->process[ended]);
        progress_next(1, NULL);
    }
    return result;
}

int device_processes_measure_all(struct device_processes *devices, const char *kind,
                                 const char *const *words, int count, int together)
{
    int result = 0;
    for (int i = 0; i < devices->choice->count; i++) {
        const struct path path = device_run_path(devices, kind, i);
        if (interrupted()) return device_worse(result, FAIL_INTERRUPTED);
        if (!file_exists(path.at))
            result = device_worse(result, device_process_start(devices, i, words, count, path.at));
        if (!together) result = device_worse(result, device_processes_finish(devices));
    }
    return device_worse(result, device_processes_finish(devices));
}
