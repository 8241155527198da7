/*
 * Reads a table of a recorded run, <table>.csv.xz, once xz has unpacked it. Nothing is owned.
 *
 * By columns it takes less room than by rows. Its first line is then "#columns of N rows"; N lines
 * with the cells of the first column follow, the header's first, then N lines of the second one,
 * and so on. A cell is as it was written, with its quotes. A table whose lines differ in their
 * number of cells, such as one with texts of many lines, has no such form: any other first line is
 * that of the table itself.
 */
#ifndef WHYFAST_PACKED_TABLE_H
#define WHYFAST_PACKED_TABLE_H

/* Writes the table that `from` holds in either form to `directory`/`name`, by rows. Returns 0, or a
 * failure with a message that calls the table `packed`. */
int packed_table_copy(const char *from, const char *packed, const char *directory,
                      const char *name);

#endif
