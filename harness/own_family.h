/*
 * Adds families to the registry that lie in folders outside of the tree. Owns what it loads until
 * the program ends.
 */
#ifndef WHYFAST_OWN_FAMILY_H
#define WHYFAST_OWN_FAMILY_H

#include "cli.h"

/* Replaces each operand that is the folder of a family, or a variant in one ("demo/",
 * "../demo/01_first.cu"), by the pattern for it. The commands that measure or list also compile and
 * load the family. A directory that holds run.txt is a run; a word that begins with the name of a
 * family of the tree is a pattern unless it is written as a path ("./reduce", "reduce/"). */
int own_operands(struct arguments *arguments, const char *command);

/* Returns the families that were added, as one line: names, folders and hashes of their sources;
 * "" if there is none. The caller frees it; NULL if memory is short. */
char *own_provenance(void);

#endif
