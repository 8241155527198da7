#include "driver/other_profilers.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"

/* To add one, add a row. A tool's own variable stands before variables that several tools set. */
static const struct other_profilers_tool tools[] = {
    {"Nsight Compute (ncu)", "NV_COMPUTE_PROFILER_PERFWORKS_DIR", .serialises = 1,
     .holds_cupti = 1},
    {"Nsight Systems (nsys)", "NSYS_PROFILING_SESSION_ID", .holds_cupti = 1},
    {"Compute Sanitizer", "NV_SANITIZER_INJECTION_PORT_RANGE_BEGIN", .holds_cupti = 1},
    {"CUDA_LAUNCH_BLOCKING", "CUDA_LAUNCH_BLOCKING", .serialises = 1},
    {"a tool of the Nsight family", "NV_NSIGHT_INJECTION_TRANSPORT_TYPE", .holds_cupti = 1},
    {"a library that CUDA_INJECTION64_PATH loads", "CUDA_INJECTION64_PATH", .holds_cupti = 1},
};

enum { TOOL_COUNT = sizeof tools / sizeof *tools, WORDS = 240 };

/* The findings of this process. */
static struct {
    int held_once;      /* some gate was opened in time */
    char unheld[WORDS]; /* why streams are not held; "" */
    int unheld_said;
    char cupti[WORDS]; /* why CUPTI is not called; "" */
    int cupti_said;
} process;

/* CUDA_LAUNCH_BLOCKING=0 means that it is off. */
static int is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value && strcmp(value, "0") != 0;
}

const struct other_profilers_tool *other_profilers_next(const struct other_profilers_tool *last)
{
    for (const struct other_profilers_tool *tool = last ? last + 1 : tools;
         tool < tools + TOOL_COUNT; tool++)
        if (is_set(tool->variable)) return tool;
    return NULL;
}

const struct other_profilers_tool *other_profilers_cupti_tool(void)
{
    const struct other_profilers_tool *tool = other_profilers_next(NULL);
    while (tool && !tool->holds_cupti) tool = other_profilers_next(tool);
    return tool;
}

/* ---- the stream ------------------------------------------------------------------------------ */

const char *other_profilers_unheld(void)
{
    const struct other_profilers_tool *tool = other_profilers_next(NULL);
    while (tool && !tool->serialises) tool = other_profilers_next(tool);
    if (!*process.unheld && tool)
        snprintf(process.unheld, WORDS, "the stream could not be held under %s", tool->name);
    if (*process.unheld && !process.unheld_said)
        warning("times are not clean: %s; they include launch latency of the host", process.unheld);
    process.unheld_said = *process.unheld != 0;
    return *process.unheld ? process.unheld : NULL;
}

int other_profilers_judge(int gave_up)
{
    if (!gave_up) {
        if (!*process.unheld) process.held_once = 1;
        return 0;
    }
    if (process.held_once)
        return error(FAIL_GPU, "the host was paused for more than 5 s while the stream was held");
    snprintf(process.unheld, WORDS,
             "the stream could not be held: launches wait for their kernels here, as under a "
             "profiler or a debugger");
    other_profilers_unheld();
    return OUTSIDE_AGAIN;
}

/* ---- CUPTI ----------------------------------------------------------------------------------- */

const char *other_profilers_holds_cupti(void)
{
    return *process.cupti ? process.cupti : NULL;
}

void other_profilers_take_cupti(const char *name)
{
    const struct other_profilers_tool *tool = other_profilers_cupti_tool();
    if (*process.cupti) return;
    snprintf(process.cupti, WORDS,
             "%s holds CUPTI in this process, which serves one tool at a time; run without it for "
             "counters",
             tool            ? tool->name
             : name && *name ? name
                             : "another profiler or debugger");
}

int other_profilers_explains(const char *reason)
{
    if (!*process.cupti || strcmp(reason, process.cupti) != 0) return 0;
    if (!process.cupti_said)
        warning("counters, lines and timelines are not collected: %s", process.cupti);
    process.cupti_said = 1;
    return 1;
}
