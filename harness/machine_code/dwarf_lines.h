/*
 * Reads the line table of a kernel: the source location of each of its instructions, and the calls
 * through which it was inlined there. A struct dwarf_lines owns its paths, rows and locations until
 * dwarf_lines_free.
 *
 * No existing library suffices. libdw cannot apply the relocations of cubins, and it counts the row
 * of an inlined call from the start of the table instead of the sequence: with relocations applied
 * by hand, 7707 of the 26133 rows of this program had wrong calls (elfutils 0.188). CUPTI's
 * cuptiGetSassToSourceCorrelation gives only the innermost location. nvdisasm may not be installed.
 *
 * The table is section .debug_line as nvcc writes it with -lineinfo: line programs of DWARF 2
 * (DWARF standard, version 2, section 6.2) with these differences:
 *   - Their header ends with four bytes more, the start of the functions' names in .debug_str.
 *     They are not used here.
 *   - The address at which a sequence begins is given by a relocation of the section, to the
 *     kernel's symbol.
 *   - DW_LNE_NVIDIA_inlined_call (0x90) gives, for the rows that follow, the row of the call that
 *     was inlined, counted from 1 within the sequence, or 0 for none; and the function's name.
 *   - DW_LNE_NVIDIA_set_function_name (0x91) gives the function's name, which is not used here.
 * The names of operations are those of elfutils' dwarf.h. NVIDIA documents none of this: a test
 * compares the result with the output of nvdisasm.
 */
#ifndef WHYFAST_DWARF_LINES_H
#define WHYFAST_DWARF_LINES_H

#include "machine_code/cubin.h"

enum { LINE_REASON = 100 }; /* bytes of a reason */

struct line_location {
    int path;      /* index of dwarf_lines.path */
    unsigned line; /* from 1 on */
};

/* Valid from its pc up to that of the next row. Code that the compiler adds after a kernel, such as
 * an integer division, has no row of its own; the last row is valid there, too. */
struct line_row {
    unsigned pc;        /* bytes from the start of the kernel */
    int location_count; /* 0 after the end of a sequence and for line 0 */
    int first_location; /* index of dwarf_lines.location: innermost first, then the call that was
                           inlined there, and so on */
};

struct dwarf_lines {
    char **path; /* as the compiler wrote it: directory and name, absolute or relative to where the
                    compiler ran */
    int path_count;
    struct line_row *row; /* sorted by pc, without duplicates */
    int row_count;
    struct line_location *location;
    int location_count;
};

/* Reads the rows of the kernel of this mangled name. Returns FAIL_INPUT with a reason, without a
 * message, if the table has none or is damaged, or FAIL_OUTPUT. The table is empty after a failure.
 */
int dwarf_lines_read(struct dwarf_lines *table, const struct cubin *cubin, const char *kernel,
                     char reason[LINE_REASON]);
void dwarf_lines_free(struct dwarf_lines *table);

/* Returns the row that is valid at a pc, or NULL if the table has no location there. */
const struct line_row *dwarf_lines_at(const struct dwarf_lines *table, unsigned pc);

/* ---- bytes of DWARF -------------------------------------------------------------------------- */

/* The bytes left to read. They are borrowed, and strings point into them. Reading beyond them gives
 * 0 or "", empties them and sets `damaged`, which stays set, so one check at the end suffices. */
struct bytes {
    const unsigned char *at, *end;
    int damaged;
};

/* Reads a number of up to 8 bytes. */
uint64_t byte_reader_number(struct bytes *bytes, unsigned count);

/* Read unsigned and signed LEB128 numbers, the latter as two's complement. Bits beyond 64 are lost.
 */
uint64_t byte_reader_unsigned(struct bytes *bytes);
uint64_t byte_reader_signed(struct bytes *bytes);

const char *byte_reader_string(struct bytes *bytes);

/* Splits off the next `count` bytes; *bytes continues after them. If there are fewer, both are
 * damaged. */
struct bytes byte_reader_part(struct bytes *bytes, uint64_t count);

#endif
