/*
 * Adds families to the registry that lie in folders outside of the tree, and writes such folders.
 * Owns what it loads until the program ends.
 */
#ifndef WHYFAST_OWN_FAMILY_H
#define WHYFAST_OWN_FAMILY_H

#include "user_kernels/own_folder.h"

/* Compiles and loads the folder of a family, unless it is loaded already, and adds it to the
 * registry. */
int own_add(const char *folder);

/* Returns the families that were added, as one line: names, folders and hashes of their sources;
 * "" if there is none. The caller frees it; NULL if memory is short. */
char *own_provenance(void);

/* Writes the folder of a new family: a complete example, or one variant for each kernel of the CUDA
 * file `from` unless that is NULL. Returns FAIL_USAGE for a bad name or if the folder exists. */
int own_new(const char *folder, const char *from);

/* Warns of lines of such a folder that the user has not completed. */
void own_warn_of_marks(const struct own_folder *folder);

#endif
