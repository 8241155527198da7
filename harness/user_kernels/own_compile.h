/*
 * Compiles the folder of a family with nvcc into the cache: each file becomes one shared object, so
 * that files may define the same names. Also compiles single files. Nothing is owned.
 */
#ifndef WHYFAST_OWN_COMPILE_H
#define WHYFAST_OWN_COMPILE_H

#include <stddef.h>

#include "user_kernels/own_folder.h"

/* Compiles the folder unless the cache has it for the same sources, headers, compiler and flags.
 * Sets *copy to the directory in the cache, which holds kernels/<name>/ and <stem>.so of each file;
 * the caller frees it. Prints the compiler's messages, with the paths of the folder. */
int own_compile(const struct own_folder *folder, char **copy);

/* Compiles a CUDA file and returns the bytes of the object in *object, which the caller frees.
 * Prints the compiler's messages if it refuses the file. */
int own_compile_object(const char *file, char **object, size_t *bytes);

/* Compiles and links CUDA files and objects, up to NULL, as the program at this path. Messages call
 * it by `name`. */
int own_compile_program(const char *program, const char *name, const char *const *files);

#endif
