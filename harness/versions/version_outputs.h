/*
 * Starts two programs in turn and compares what they print and write. Nothing is owned.
 *
 * Kernels of files without main() leave their arrays (user_kernels/skeleton/driver.cuh), which are
 * paired by the kernel's name and the argument, and kernels of other names by their order. Integers
 * and structures must be equal; other numbers may differ by a share of the largest number of the
 * array. Programs
 * are compared by the lines that they print, of which only those count that each prints in all of
 * its starts, and that are not about times and rates. Numbers other than integers may differ by the
 * share for float.
 */
#ifndef WHYFAST_VERSION_OUTPUTS_H
#define WHYFAST_VERSION_OUTPUTS_H

#include "versions/version_build.h"

/* Writes the script that starts both programs in turn, with their output in files, and the words
 * that start it, up to NULL; the words are valid as long as the paths and the version. */
enum { VERSION_WORDS = 256 };
struct version_script {
    struct path script, first, later; /* where outputs are of the first start, and of later ones */
    char *word[VERSION_WORDS + 1];
};
int version_script_write(struct version_script *script, const struct version version[2],
                         char *const *arguments, const char *directory);

/* Starts both programs once. Returns FAIL_COMPARE if A fails, FAIL_CHECK if B alone fails. */
int version_outputs_start(const struct version_script *script, const struct version version[2]);

/* Appends a sentence if the outputs differ. Sets *compared to how many arrays or lines were
 * compared, 0 if none was written that can be. Returns FAIL_COMPARE, with a message, if they have
 * different sizes, or if no array of A has a counterpart in B. Needs one of the later starts if the
 * programs are the user's; removes the arrays. */
int version_outputs_compare(const struct version_script *script, const struct version version[2],
                            struct text *wrong, int *compared);

#endif
