/*
 * Finds the directory that holds metrics/, plots/, reports/ and kernels/: the one that WHYFAST_DATA
 * names, the source tree of this program, or the place of its installation. The caller frees.
 */
#ifndef WHYFAST_DATA_DIRECTORY_H
#define WHYFAST_DATA_DIRECTORY_H

/* NULL, with a message, if there is none. */
char *data_directory(void);

/* The same without a message. */
char *data_find(void);

#endif
