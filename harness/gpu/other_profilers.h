/*
 * Profilers, debuggers and settings from outside under which this process runs: which of them the
 * environment names, and what they take away from the whole process: a stream that can be held
 * (gpu/stream_gate.h), and CUPTI, which serves one tool in a process. Nothing is owned; what was
 * taken is remembered until the process ends.
 *
 * The variables are what these tools were seen to set; none of them documents that. Where they say
 * nothing, behaviour does: a gate that gives up although the host opened it, and CUPTI's own
 * answer.
 */
#ifndef WHYFAST_OTHER_PROFILERS_H
#define WHYFAST_OTHER_PROFILERS_H

struct other_profilers_tool {
    const char *name;
    const char *variable; /* of the environment, which says that it is there */
    int serialises;  /* no launch returns before its kernel has ended, so that a held stream would
                        wait for itself */
    int holds_cupti; /* when it traces CUDA */
};

/* The next tool that the environment names behind `last`, from the first one on when that is
 * NULL. NULL at the end. */
const struct other_profilers_tool *other_profilers_next(const struct other_profilers_tool *last);

/* The first that holds CUPTI, if the environment names one. */
const struct other_profilers_tool *other_profilers_cupti_tool(void);

/* ---- the stream ------------------------------------------------------------------------------ */

/* Why streams are not held in this process; NULL while they are. Says once that times are not
 * clean. */
const char *other_profilers_unheld(void);

/* What was queued behind a gate has ended; gave_up: the gate went on by itself before the host
 * opened it. 0 when that did not happen. OUTSIDE_AGAIN when it happened before any gate of this
 * process was opened in time: from now on streams are not held, and what was timed is to be
 * timed again. FAIL_GPU, said, later on: then it was the host that stood still. */
enum { OUTSIDE_AGAIN = 1 };
int other_profilers_judge(int gave_up);

/* ---- CUPTI ----------------------------------------------------------------------------------- */

/* Why CUPTI must not be called any more in this process; NULL while it may be. */
const char *other_profilers_holds_cupti(void);

/* Remembers that CUPTI is held: by the tool that the environment names, else by `name`, which
 * CUPTI told or which is NULL. */
void other_profilers_take_cupti(const char *name);

/* 1 when `reason` is other_profilers_holds_cupti's, which is said the first time only, of all
 * counters together. */
int other_profilers_explains(const char *reason);

#endif
