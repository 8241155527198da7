/*
 * Finds the cubins (ELF images of machine code for a GPU) inside this executable and the shared
 * objects that were added to it, and their sections. A struct executable owns its mapping of these
 * files until executable_close; a struct cubin and all bytes and names returned borrow from that
 * mapping.
 *
 * Every offset and length of an image is checked against its bounds before use: the image may be
 * damaged, or not a cubin at all.
 */
#ifndef WHYFAST_CUBIN_H
#define WHYFAST_CUBIN_H

#include <elf.h>
#include <stddef.h>

struct executable {
    const unsigned char *data;
    size_t size;
};

struct cubin {
    const unsigned char *data;
    size_t size;   /* bytes up to the end of the executable: the image and what follows it */
    size_t before; /* bytes of the executable before data */
    Elf64_Ehdr header;
};

/* Adds a shared object that this process has loaded. Its code is found before that of objects which
 * were added earlier and of the program. Returns a failure if memory is short. */
int executable_add(const char *object);

/* Maps the file of this process and the objects that were added. Returns 1, or 0 if one cannot be
 * read. */
int executable_open(struct executable *executable);
void executable_close(struct executable *executable);

/* Maps another file in its place. Returns 1, or 0 if it cannot be read. */
int executable_open_file(struct executable *executable, const char *path);

/* Opens the image at these bytes. Returns 1, or 0 if they do not begin like a cubin. */
int cubin_open(struct cubin *cubin, const unsigned char *data, size_t size);

/* Advances *cubin to the next cubin for an architecture (90 for sm_90 and sm_90a), or from a zeroed
 * one to the first. Returns 1, or 0 at the end. */
enum { ANY_ARCHITECTURE = -1 };
int cubin_next(const struct executable *executable, int architecture, struct cubin *cubin);

/* Finds the cubin of a source file ("kernels/reduce/01_x.cu"), or of a unit of it, that has the
 * code of a kernel. Returns 1, or 0 if there is none. */
int cubin_find(const struct executable *executable, const char *file, const char *kernel,
               int architecture, struct cubin *cubin);

/* Returns the architecture of the code: 90 for sm_90 and sm_90a. */
int cubin_architecture(const struct cubin *cubin);

/* Returns 1 if the cubin was compiled from this source file, else 0, according to its line table,
 * which every build has, or to the name that nvcc puts before the image. */
int cubin_is_of_file(const struct cubin *cubin, const char *file);

/* Returns 1 if the cubin was compiled from one of the further units of this source file, which lie
 * in the folder of its name ("kernels/reduce/01_x/"), else 0. */
int cubin_is_of_unit(const struct cubin *cubin, const char *file);

/* Returns the length of the image, as its tables give it, or 0 if a part lies out of bounds. */
size_t cubin_bytes(const struct cubin *cubin);

/* Reads the header of a section. Returns 1, or 0 if there is no such section or not all of its
 * bytes are in the file. Section 0, which ELF reserves, and SHT_NOBITS always give 0. */
int cubin_section(const struct cubin *cubin, unsigned index, Elf64_Shdr *section);

/* Returns the section->sh_size bytes of a section that cubin_section returned. */
const unsigned char *cubin_section_data(const struct cubin *cubin, const Elf64_Shdr *section);

/* Returns the name of a section, or "" if it has none. */
const char *cubin_section_name(const struct cubin *cubin, const Elf64_Shdr *section);

/* Returns the name of the section that a symbol is in, which may have no bytes in the file. */
const char *cubin_section_name_at(const struct cubin *cubin, unsigned index);

/* Returns the index of the first section of this name and its header, or 0 if there is none. */
unsigned cubin_section_find(const struct cubin *cubin, const char *name, Elf64_Shdr *section);

/* Returns the mangled name of the kernel whose code a section holds, or NULL. */
const char *cubin_kernel(const struct cubin *cubin, const Elf64_Shdr *section);

/* Returns the index of the section with the code of the kernel of this mangled name and its header,
 * or 0 if there is none. */
unsigned cubin_kernel_find(const struct cubin *cubin, const char *kernel, Elf64_Shdr *section);

/* Returns the bytes of static shared memory of the kernel of this mangled name. */
size_t cubin_shared_bytes(const struct cubin *cubin, const char *kernel);

/* Returns the index in the symbol table of the first function in a section, or 0 if there is none.
 */
unsigned cubin_function_in(const struct cubin *cubin, unsigned section);

#endif
