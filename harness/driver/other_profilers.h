/*
 * Detects profilers, debuggers and settings that affect this process. Under some of them a stream
 * cannot be held (gpu/stream_gate.h), or CUPTI is not available, because it serves one tool per
 * process. Nothing is owned; findings are kept until the process ends.
 *
 * Tools are recognised by environment variables that they were seen to set, although none of them
 * documents this. Other tools are noticed by their effects: a gate gives up although the host
 * opened it, or CUPTI reports that another tool uses it.
 */
#ifndef WHYFAST_OTHER_PROFILERS_H
#define WHYFAST_OTHER_PROFILERS_H

struct other_profilers_tool {
    const char *name;
    const char *variable; /* of the environment: set while the tool is there */
    int serialises;  /* a launch returns when its kernel has ended: holding a stream deadlocks */
    int holds_cupti; /* uses CUPTI when it traces CUDA */
};

/* Returns the next tool that the environment names after `last`, the first if that is NULL, or NULL
 * at the end. */
const struct other_profilers_tool *other_profilers_next(const struct other_profilers_tool *last);

/* Returns the first tool in the environment that holds CUPTI, or NULL. */
const struct other_profilers_tool *other_profilers_cupti_tool(void);

/* ---- the stream ------------------------------------------------------------------------------ */

/* Returns why streams are not held in this process, or NULL while they are. Warns once that times
 * are not clean. */
const char *other_profilers_unheld(void);

/* Judges a timed window; `gave_up` is 1 if its gate timed out before the host opened it. If no gate
 * of this process was opened in time before, streams are not held from now on, and OUTSIDE_AGAIN
 * asks to repeat the window. Otherwise the host was paused: returns FAIL_GPU, with a message. */
enum { OUTSIDE_AGAIN = 1 };
int other_profilers_judge(int gave_up);

/* ---- CUPTI ----------------------------------------------------------------------------------- */

/* Returns why CUPTI must not be called any more in this process, or NULL while it may be. */
const char *other_profilers_holds_cupti(void);

/* Records that another tool uses CUPTI: the one that the environment names, else `name`, which
 * CUPTI reported and which may be NULL. */
void other_profilers_take_cupti(const char *name);

/* Returns 1 if `reason` is the one from other_profilers_holds_cupti; warns about it only the first
 * time. */
int other_profilers_explains(const char *reason);

#endif
