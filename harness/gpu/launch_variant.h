/*
 * Runs a variant: launches its kernels, calls its library or runs its CPU code, and checks whether
 * its result is right. Nothing is owned: the memory is the workbench's.
 */
#ifndef WHYFAST_LAUNCH_VARIANT_H
#define WHYFAST_LAUNCH_VARIANT_H

#include "gpu/workbench.h"
#include "run/run.h"

/* Returns FAIL_INPUT, with a message, for a launch whose blocks no device can have. */
int launch_check(const struct selected *selected, const struct launch *launch);

/* Returns 0 with reason "" if the point can run here, else with the reason why not; FAIL_GPU, with
 * a message, if the device does not answer, or what launch_check returns of its launches. */
int launch_refused(const struct workbench *bench, const struct selected *selected,
                   char reason[160]);

/* Fills launch `index` of a variant that launches kernels. */
void launch_plan(const struct workbench *bench, const struct selected *selected, unsigned index,
                 struct launch *launch);

/* Queue launch `index` of variant_launches() in two parts: first launch_clear, which clears the
 * output and the scratch memory if the launch asks for that, then launch_queue, the launch itself.
 */
int launch_clear(const struct workbench *bench, const struct selected *selected, unsigned index);
int launch_queue(const struct workbench *bench, const struct selected *selected, unsigned index);

/* Queues a launch with another function in the place of its own: a cudaKernel_t, or NULL for its
 * own. The variant launches kernels. */
int launch_queue_as(const struct workbench *bench, const struct selected *selected, unsigned index,
                    const void *function);

/* Runs the launches before this one, as in a run of the point, flushes the L2 cache, clears what
 * the launch asks for, and waits. */
int launch_prepare(struct workbench *bench, const struct selected *selected, unsigned index);

/* Queues all launches; a variant that runs on the CPU is run. */
int launch_all(const struct workbench *bench, const struct selected *selected);

/* Lists the kernels that the point launches, those inside a library's call too (found by capturing
 * the call in a CUDA graph, without running it). A variant that runs on the CPU has none. The
 * caller frees *list, also after a failure. */
int launch_kernels(const struct workbench *bench, const struct selected *selected,
                   struct listed_kernel **list, unsigned *count);

/* Runs the point once and compares; bench->verified says how far the result is from the reference.
 * Returns FAIL_CHECK with the reason if the result is wrong or a guard was overwritten; the
 * workbench is repaired then. */
int verify_run(struct workbench *bench, const struct selected *selected, char reason[160]);

/* Poisons the output, then does verify_run. */
int verify_point(struct workbench *bench, const struct selected *selected, char reason[160]);

/* Runs a rung that is expected to fail, but was not wrong so far, TRIALS times more, because a race
 * may go well now and then, and counts the wrong results. The reason says how many there were, and
 * the first of them. The workbench is repaired if there was one. */
enum { TRIALS = 100 };
struct trials {
    int count, wrong;
};
int verify_trials(struct workbench *bench, const struct selected *selected, struct trials *trials,
                  char reason[160]);

/* The status of a rung that is expected to fail, in points.csv and of a launch. */
const char *status_of_trials(int wrong);

/* Adds `wrong` to the run's fact wrong_results. */
int verify_count_wrong(struct run *run, int wrong);

/* Returns why the hardware cannot take this map (CUDA Driver API, cuTensorMapEncodeTiled), or NULL
 * if it can. */
const char *tensor_map_fault(const struct tensor_map *map);

#endif
