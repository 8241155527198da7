/*
 * Finds profilers, debuggers and settings under which this process runs, from its environment, and
 * remembers what they take away from the process: holding a stream (gpu/stream_gate.h), and CUPTI,
 * which serves one tool in a process. Nothing is owned; findings are kept until the process ends.
 *
 * These tools were seen to set the variables; none of them documents that. Where the environment
 * says nothing, behaviour does: a gate that gives up although the host opened it, and CUPTI's own
 * answer.
 */
#ifndef WHYFAST_OTHER_PROFILERS_H
#define WHYFAST_OTHER_PROFILERS_H

struct other_profilers_tool {
    const char *name;
    const char *variable; /* of the environment: set while the tool is there */
    int serialises;  /* a launch returns when its kernel has ended: holding a stream deadlocks */
    int holds_cupti; /* when it traces CUDA */
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

/* Judges a timed window: `gave_up` if its gate went on by itself before the host opened it. If that
 * happens before any gate of this process was opened in time, streams are not held from now on, and
 * OUTSIDE_AGAIN asks to time again. If it happens later, the host stood still: returns FAIL_GPU,
 * with a message. */
enum { OUTSIDE_AGAIN = 1 };
int other_profilers_judge(int gave_up);

/* ---- CUPTI ----------------------------------------------------------------------------------- */

/* Returns why CUPTI must not be called any more in this process, or NULL while it may be. */
const char *other_profilers_holds_cupti(void);

/* Remembers that CUPTI is held, by the tool in the environment, else by `name`, which CUPTI told
 * and which may be NULL. */
void other_profilers_take_cupti(const char *name);

/* Returns 1 if `reason` is that of other_profilers_holds_cupti; warns the first time only, for all
 * counters together. */
int other_profilers_explains(const char *reason);

#endif
