/*
 * Plans the starts of a program: which launch is profiled in which of them, and writes plan.txt for
 * the library. Nothing is owned.
 *
 * CUPTI collects the counters in several passes, and each launch is profiled in one of them. A
 * kernel with many launches has all passes in one start. The library takes the passes as CUPTI
 * offers them, at the launches that the filter takes, until all have come; one process is profiled
 * in each start. Where there are enough launches, the first one is left out, because code is loaded
 * then.
 *
 * A kernel with so few launches that it would need more than two starts has one launch profiled in
 * two: in the first start with those counters that replaying would falsify and that fit into one
 * pass, in the second with all others, for which CUPTI replays the launch. A kernel of a process
 * that launches CUDA graphs is not replayed, because launches of graphs could be lost.
 */
#ifndef WHYFAST_PROGRAM_PLAN_H
#define WHYFAST_PROGRAM_PLAN_H

#include "base/text.h"
#include "knockout/twin.h"
#include "watched_program/program_choice.h"

struct program_plan {
    const struct program_choice *choice;
    const struct program_filter *filter;
    const char *const *metric; /* up to NULL */
    int passes;                /* in which CUPTI collects them together */
    unsigned replayed;         /* chosen kernels that are replayed, as bits */
};

enum { REPLAY_STARTS = 2 };

/* Returns the kernels of a process that are to be replayed, as bits: those that would need more
 * than REPLAY_STARTS starts, unless all of them are minor. */
unsigned program_plan_replayed(const struct program_plan *plan, const struct program_parts *first,
                               int process);

/* Returns the number of starts that the counters of all processes of the first start need at least,
 * if the launches are the same in each. Kernels that are launched in turn may need a few more. */
int program_plan_starts(const struct program_plan *plan, const struct program_parts *first);

/* Returns the number of passes that kernels of a process lack after these starts, without those
 * that are replayed, and minor ones, which have what the starts for others give them. */
int program_plan_lacks(const struct program_plan *plan, int process,
                       const struct program_parts *starts, int count);

/* Returns 1 if a kernel can be profiled by CUPTI: it was not launched by a graph. */
int program_plan_profiles(const struct program_kernel *kernel);

/* Returns 1 if the activity records that let kernels overlap slow the kernel down by about 1 % or
 * more, so that it is timed by those of kernels that run one at a time. On an H100 they cost 40 to
 * 80 ps for each block, if there are more than 65536. */
int program_plan_times_alone(const struct program_kernel *kernel);

/* Appends the beginning of plan.txt, which tells the processes apart: the id of this process, from
 * which the library counts generations, and the processes of the first start, if it was made. */
void program_plan_processes(struct text *text, const struct program_parts *first);

/* Appends the rest: for times and, unless `period` is 0, samples of stalls every 2^period cycles;
 * for times of kernels one at a time; for the counters of kernels of a process that lack passes
 * after these starts; for the counters of one launch of each replayed kernel of a process, replayed
 * or in one pass; for the instructions of chosen kernel `index`; for knock-outs, and the twins (of
 * each knock-out, those of `timed`) of chosen kernel `index`. */
void program_plan_times(struct text *text, unsigned period);
void program_plan_alone(struct text *text);
void program_plan_counters(struct text *text, const struct program_plan *plan, int process,
                           const struct program_parts *starts, int count);
void program_plan_one_launch(struct text *text, const struct program_plan *plan, int process,
                             int replays);
void program_plan_counts(struct text *text, const struct program_plan *plan, int index);
void program_plan_knockouts(struct text *text);
void program_plan_twins(struct text *text, const struct program_plan *plan, int index,
                        const struct twin *twin, unsigned timed);

#endif
