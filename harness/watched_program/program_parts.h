/*
 * Reads the files that the injected library wrote during one start of the user's program: a
 * directory for each process that used CUDA, whose name is its number. In the first start, numbers
 * follow the order in which they began to use CUDA; later ones keep them, and some may be missing.
 * A struct program_parts owns everything that it points to until program_parts_free.
 *
 * A killed program leaves files that end anywhere, so the rows up to the first damaged one are
 * taken, and rows of another length are passed over. A file that is missing has no rows. Words stay
 * escaped as the library wrote them (tabs, line feeds and backslashes as \t, \n, \\), so that a
 * plan can repeat them.
 */
#ifndef WHYFAST_PROGRAM_PARTS_H
#define WHYFAST_PROGRAM_PARTS_H

#include <stddef.h>

#include "machine_code/kernel_label.h"

struct program_process {
    int number;     /* name of its directory */
    int generation; /* how many ancestors it has up to whyfast, itself included; -1: unknown */
    char *executable, *arguments, *chip, *cupti, *cupti_version, *driver; /* "" if unknown */
    int has_ended, has_graph;
};

struct program_launch {
    int ordinal; /* among the launches of its kernel, from 0 */
    double begin_ns, end_ns;
    int stream;
};

/* Launches of one function with one shape, in one NVTX range. */
struct program_kernel {
    int process, number;                 /* number: in order of the first launch */
    char *symbol, *name, *range, *cubin; /* name: demangled (machine_code/kernel_name.h) */
    char label[KERNEL_LABEL];            /* of the name, among those of the start */
    int device;
    unsigned grid[3], block[3];
    double dynamic_shared, static_shared, registers, local_bytes, max_block_threads,
        blocks_per_sm; /* NAN: unknown */
    int is_graph_node;
    size_t launch_count;
    struct program_launch *launch;
    double total_ns;
};

/* A value of a counter. The kernel is one of the plan. */
struct program_counter {
    int process, kernel;
    char *metric;
    double value; /* NAN: CUPTI gave none */
};

/* A reason why something is missing: `what` is "times", "samples", "counters", "counts" or
 * "cubins". */
struct program_problem {
    int process, kernel; /* kernel of the plan, or -1 for all */
    char *what, *reason;
};

struct program_parts {
    char *directory;
    int is_of_replay; /* set by the reader: its counters count for kernels that are replayed only */
    int process_count, kernel_count, problem_count;
    struct program_process *process;
    struct program_kernel *kernel;
    size_t counter_count;
    struct program_counter *counter;
    struct program_problem *problem;
};

/* Reads the parts below `directory`. Returns FAIL_OUTPUT, with a message, if memory is short. */
int program_parts_read(struct program_parts *parts, const char *directory);
void program_parts_free(struct program_parts *parts);

/* Takes the rows of a file of a process, if it is there, up to the first damaged one. */
struct part_table {
    const char *name; /* of the file */
    int columns;
    int (*row)(void *context, int process, char *const *cell);
};
int program_rows_read(const char *directory, int process, const struct part_table *table,
                      void *context);

const struct program_process *program_process_find(const struct program_parts *parts, int number);

/* Finds the kernel of the same process, function, shape and range as `like`. */
const struct program_kernel *program_kernel_find(const struct program_parts *parts,
                                                 const struct program_kernel *like);

/* Returns the number of passes that have come in these starts of the counters of a kernel of the
 * plan; starts for replays have others. */
int program_passes(const struct program_parts *starts, int count, int process, int kernel);

/* Returns the first reason for a missing thing of a process and a kernel of the plan, or NULL. */
const char *program_problem_find(const struct program_parts *parts, const char *what, int process,
                                 int kernel);

#endif
