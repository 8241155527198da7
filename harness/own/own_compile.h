/*
 * Reads the folder of a family outside of the tree, and compiles it with nvcc into the cache: each
 * file becomes one shared object, so that files may define the same names. A struct own_folder owns
 * its strings until own_folder_free.
 */
#ifndef WHYFAST_OWN_COMPILE_H
#define WHYFAST_OWN_COMPILE_H

#include <stddef.h>

enum { OWN_FILES = 128 };

struct own_folder {
    char *name;                              /* of the family: the last part of the folder's path */
    char *folder;                            /* as messages name it */
    char *file[OWN_FILES], *text[OWN_FILES]; /* its sources and headers, sorted */
    size_t length[OWN_FILES];
    int count;
    char hash[17]; /* of the sources */
};

/* Reads the sources and headers that lie in the folder itself, not in folders below it. */
int own_folder_read(struct own_folder *folder, const char *path);
void own_folder_free(struct own_folder *folder);

/* Returns 1 if the file is compiled: family.c and the variants. Copies its name without the suffix.
 */
int own_file_is_compiled(const char *file, char stem[256]);

/* Compiles the folder unless the cache has it for the same sources, headers, compiler and flags.
 * Sets *copy to the directory in the cache, which holds kernels/<name>/ and <stem>.so of each file;
 * the caller frees it. Prints the compiler's messages, with the paths of the folder. */
int own_compile(const struct own_folder *folder, char **copy);

#endif
