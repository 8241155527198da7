/*
 * Reads the folder of a family outside of the tree. A struct own_folder owns its strings until
 * own_folder_free.
 */
#ifndef WHYFAST_OWN_FOLDER_H
#define WHYFAST_OWN_FOLDER_H

#include <stddef.h>

enum { OWN_FILES = 128 };

struct own_folder {
    char *name;                              /* of the family: the last part of the path */
    char *folder;                            /* the whole path */
    char *file[OWN_FILES], *text[OWN_FILES]; /* its sources and headers, sorted */
    size_t length[OWN_FILES];
    int count;
    char hash[17]; /* of the sources */
};

/* Reads the sources and headers that lie in the folder itself, not in folders below it. Whatever it
 * returns, own_folder_free follows. */
int own_folder_read(struct own_folder *folder, const char *path);
void own_folder_free(struct own_folder *folder);

/* Returns 1 if the file is compiled: family.c and the variants. Copies its name without the suffix.
 */
int own_file_is_compiled(const char *file, char stem[256]);

#endif
