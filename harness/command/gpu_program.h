/*
 * Starts whyfast-gpu, the program with kernels, CUDA and CUPTI, for commands that measure. `words`
 * are the command line from the name of the command on, up to NULL.
 */
#ifndef WHYFAST_GPU_PROGRAM_H
#define WHYFAST_GPU_PROGRAM_H

/* Returns 1 if it was built. */
int gpu_program_is_there(void);

/* Lets it take the place of this process. Returns only on failure: FAIL_GPU if it is not there. */
int gpu_program_become(char *const *words);

/* Runs it with our stdin, stdout and stderr. Sets *run to the path of the run that it has made,
 * which the caller frees, or to NULL; if `run` is NULL, it prints the path itself. Returns its exit
 * status, or a failure of starting it. */
int gpu_program_run(char *const *words, char **run);

/* Does the same with a directory for the run, unless the words name another. */
int gpu_program_run_into(const char *directory, char *const *words, char **run);

#endif
