/*
 * The cubins (ELF images of machine code for a GPU) inside this executable, and their sections. A
 * struct executable owns its mapping of the program's own file until executable_close; a struct
 * cubin and all bytes and names that it gives lie in that mapping and are only borrowed.
 *
 * Whatever an image says of itself is checked against its bounds before it is used: it may be
 * damaged, or no cubin at all.
 */
#ifndef WHYFAST_CUBIN_H
#define WHYFAST_CUBIN_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

struct executable {
    const unsigned char *data;
    size_t size;
};

struct cubin {
    const unsigned char *data;
    size_t size;   /* bytes that may be read: up to the end of the executable, whatever follows the
                      image there */
    size_t before; /* bytes of the executable in front of data */
    Elf64_Ehdr header;
};

/* Maps the file of this process. 1, or 0 where it cannot be read. */
int executable_open(struct executable *executable);
void executable_close(struct executable *executable);

/* Takes these bytes as an image: 1, or 0 when they do not begin like a cubin. */
int cubin_open(struct cubin *cubin, const unsigned char *data, size_t size);

/* The next cubin for an architecture (90 for sm_90 and sm_90a) behind *cubin, from the first one
 * on when that is zeroed. 1, or 0 at the end. */
int cubin_next(const struct executable *executable, int architecture, struct cubin *cubin);

/* The cubin of a source file ("kernels/reduce/01_x.cu") that has the code of a kernel: 1, or 0
 * where there is none. */
int cubin_find(const struct executable *executable, const char *file, const char *kernel,
               int architecture, struct cubin *cubin);

/* The SM that the code is made for: 90 for sm_90 and sm_90a. */
int cubin_architecture(const struct cubin *cubin);

/* Was it made from this source file? Known by its line table, which the Makefile always has
 * made, or by the name that nvcc puts in front of it. */
int cubin_is_of_file(const struct cubin *cubin, const char *file);

/* Bytes of the image, by its tables and all that they tell of; 0 when some of that lies beyond
 * what may be read. */
size_t cubin_bytes(const struct cubin *cubin);

/* The header of a section: 1, or 0 when there is no such section, or its bytes are not all
 * there. Section 0 is none by the ELF format, whatever its header says; and the bytes of a
 * section without any in the file (SHT_NOBITS) cannot be had either. */
int cubin_section(const struct cubin *cubin, unsigned index, Elf64_Shdr *section);

/* The bytes of a section that cubin_section gave: section->sh_size of them. */
const unsigned char *cubin_section_data(const struct cubin *cubin, const Elf64_Shdr *section);

/* The name of a section; "" where it cannot be had. */
const char *cubin_section_name(const struct cubin *cubin, const Elf64_Shdr *section);

/* Index of the first section of this name, with its header; 0 where there is none. */
unsigned cubin_section_find(const struct cubin *cubin, const char *name, Elf64_Shdr *section);

/* The kernel whose code a section holds, by its mangled name; NULL where it holds none. */
const char *cubin_kernel(const struct cubin *cubin, const Elf64_Shdr *section);

/* Index of the section with the code of the kernel of this mangled name, with its header; 0
 * where there is none. */
unsigned cubin_kernel_find(const struct cubin *cubin, const char *kernel, Elf64_Shdr *section);

#endif
