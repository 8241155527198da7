/*
 * Adds families to the registry that lie in folders outside of the tree, and writes such folders.
 * Owns what it loads until the program ends.
 */
#ifndef WHYFAST_OWN_FAMILY_H
#define WHYFAST_OWN_FAMILY_H

#include "own/own_folder.h"

/* Replaces each operand that is the folder of a family, or a variant in one ("demo/",
 * "../demo/01_first.cu"), by the pattern for it. The commands that measure or list also compile and
 * load the family. A directory that holds run.txt is a run; a word that begins with the name of a
 * family of the tree is a pattern unless it is written as a path ("./reduce", "reduce/"). */
int own_operands(const char **operand, int count, const char *command);

/* Returns the families that were added, as one line: names, folders and hashes of their sources;
 * "" if there is none. The caller frees it; NULL if memory is short. */
char *own_provenance(void);

/* Writes the folder of a new family: a complete example, or one variant for each kernel of the CUDA
 * file `from` unless that is NULL. Returns FAIL_USAGE for a bad name or if the folder exists. */
int own_new(const char *folder, const char *from);

/* Warns of lines of such a folder that the user has not completed. */
void own_warn_of_marks(const struct own_folder *folder);

#endif
