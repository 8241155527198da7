/*
 * Finds the directory that holds metrics/, plots/, reports/ and kernels/: the one that WHYFAST_DATA
 * names, the source tree of this program, or the place of its installation. The caller frees the
 * paths.
 */
#ifndef WHYFAST_DATA_DIRECTORY_H
#define WHYFAST_DATA_DIRECTORY_H

/* NULL, with a message, if there is none. */
char *data_directory(void);

/* The same without a message. */
char *data_find(void);

/* The directory for files that are made from the data once: build/ of the source tree that this
 * program was built in, else $XDG_CACHE_HOME/whyfast or ~/.cache/whyfast. NULL, with a message, if
 * there is none. */
char *data_cache(void);

#endif
