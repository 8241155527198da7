/*
 * Replaces operands of the command line that are folders of families outside of the tree, or
 * variants in them ("demo/", "../demo/01_first.cu"), by the patterns for them. The patterns are
 * kept until the program ends.
 */
#ifndef WHYFAST_FOLDER_OPERANDS_H
#define WHYFAST_FOLDER_OPERANDS_H

/* Refuses a path that is neither a family nor a run if the command needs one. `add` compiles a
 * folder and adds its family to the registry, for a command that measures or lists variants; NULL:
 * the folders are only named. A directory that holds run.txt is a run; a word that begins with the
 * name of a family of the tree is a pattern unless it is written as a path
 * ("./reduce", "reduce/"). */
int folder_operands(const char **operand, int count, const char *command,
                    int (*add)(const char *folder));

/* Returns 1 if the operand took the place of a folder or of a variant in it. */
int folder_operands_made(const char *operand);

#endif
