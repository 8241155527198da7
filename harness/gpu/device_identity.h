/*
 * Finds out whether this machine has a GPU, and its name. Also works in builds without CUDA, which
 * find no GPU. The caller frees the strings that are returned.
 */
#ifndef WHYFAST_DEVICE_IDENTITY_H
#define WHYFAST_DEVICE_IDENTITY_H

/* Returns 1 if this machine has a GPU that can be measured, else 0; warns if there is one that
 * cannot be used. */
int gpu_present(void);

/* The name of the first GPU; NULL, with a message, if it cannot be read. */
char *device_name(void);

/* The name and UUID of the board; NULL, with a message, if they cannot be read. */
char *device_identity(void);

/* The default name of a run's directory, "<device>-<date>"; NULL, with a message, on failure. */
char *run_default_name(void);

#endif
