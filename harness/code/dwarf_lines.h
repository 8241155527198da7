/*
 * The line table of a kernel: which place in the source each of its instructions comes from, and
 * through which calls it was inlined there. A struct dwarf_lines owns its paths, rows and places
 * until dwarf_lines_free.
 *
 * Why our own decoder: libdw follows NVIDIA's two operations for inlining, but cannot apply the
 * relocations of cubins, so that the rows of all kernels fall together at address 0; CUPTI's
 * cuptiGetSassToSourceCorrelation gives the innermost place only; and nvdisasm need not be
 * installed.
 *
 * The table is section .debug_line as nvcc writes it with -lineinfo: line programs of DWARF 2
 * (DWARF standard, version 2, section 6.2), with - four bytes more at the end of their header:
 * where in .debug_str the names of functions begin, which nothing here needs; - sequences that
 * begin at an address which a relocation of the section says: that of the kernel's symbol; -
 * DW_LNE_NVIDIA_inlined_call (0x90): for the rows from here on, the row of the call that was
 * inlined here, counted from 1 on within the
 *   sequence, or 0 for none; and the name of the function;
 * - DW_LNE_NVIDIA_set_function_name (0x91): the name of the function, which nothing here needs. The
 * names are those of elfutils' dwarf.h. NVIDIA describes none of it: a test compares the result
 * with what its own nvdisasm says.
 */
#ifndef WHYFAST_DWARF_LINES_H
#define WHYFAST_DWARF_LINES_H

#include "code/cubin.h"

enum { LINE_REASON = 100 }; /* bytes of a reason */

struct line_location {
    int path;      /* of line_table.path */
    unsigned line; /* from 1 on */
};

/* Holds from its pc up to that of the next row. What the compiler itself puts behind a kernel, a
 * division of whole numbers say, has no row of its own: the last one holds there too. */
struct line_row {
    unsigned pc;        /* bytes from the start of the kernel */
    int location_count; /* 0 where the table says nothing: behind the end of a sequence, and for
                        what comes from no line */
    int first_location; /* of line_table.place: the innermost; then the call that was inlined there,
                        and so on, outermost last */
};

struct dwarf_lines {
    char **path; /* as the compiler wrote it: directory and name, absolute or relative to where the
                    compiler ran */
    int path_count;
    struct line_row *row; /* by pc, each once */
    int row_count;
    struct line_location *location;
    int location_count;
};

/* Reads what the cubin's table says of the kernel of this mangled name. 0; FAIL_INPUT, nothing
 * said but the reason given, when it says nothing of it or is damaged; or FAIL_OUTPUT. The table
 * is empty unless it returns 0. */
int dwarf_lines_read(struct dwarf_lines *table, const struct cubin *cubin, const char *kernel,
                     char reason[LINE_REASON]);
void dwarf_lines_free(struct dwarf_lines *table);

/* The row that holds at a pc; NULL where the table says nothing. */
const struct line_row *dwarf_lines_at(const struct dwarf_lines *table, unsigned pc);

#endif
