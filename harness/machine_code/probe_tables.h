/*
 * Writes the tables of single instructions: kernels, lines, sources and source_files. Nothing is
 * owned.
 */
#ifndef WHYFAST_PROBE_TABLES_H
#define WHYFAST_PROBE_TABLES_H

#include "machine_code/kernel_listing.h"
#include "machine_code/probe_results.h"
#include "machine_code/source_file.h"
#include "run/run.h"

/* Reads the text of a source file to be recorded, as source_read (machine_code/source_file.h). */
typedef char *source_reader(struct source_place place, const char *path, char hash[17],
                            char status[]);

/* Writes what probes found of each kernel, joined by pc with the listing of its code: listing[i]
 * belongs to kernel i; `read` reads its source files, which a report
 * names that was `made` then, or none if that is 0. Returns a failure, with a message, if a table
 * cannot be written or memory is short. */
int probe_tables_write(struct run *run, const struct probe_results *kernels,
                       const struct listing *listing, source_reader *read, time_t made);

#endif
