#include "recorded_open.h"

#include <stdlib.h>

#include "base/message.h"
#include "pipeline.h"
#include "run/recorded_runs.h"

/* The recorded run was looked at when it was recorded: nobody needs its warnings again. */
static int derive(struct run *run)
{
    const enum message_level level = message_level_set(MESSAGE_QUIET);
    int result = evaluate_run(run);
    if (!result) result = explain_run(run);
    message_level_set(level);
    return result;
}

int recorded_path(char **path)
{
    char *newest = recorded_newest();
    *path = NULL;
    const int result = newest ? recorded_copy(newest, derive, path) : FAIL_GPU;
    free(newest);
    return result;
}

int recorded_open(struct run *run, const char *path)
{
    if (path) return run_open(run, path);
    char *recorded;
    int result = recorded_path(&recorded);
    if (!result) result = run_open(run, recorded);
    free(recorded);
    return result;
}
