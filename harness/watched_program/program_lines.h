/*
 * Writes the tables of single instructions of a program's kernels: kernels, lines and sources, from
 * the samples of its first start and the counts of the last ones. Nothing is owned.
 */
#ifndef WHYFAST_PROGRAM_LINES_H
#define WHYFAST_PROGRAM_LINES_H

#include "watched_program/program_tables.h"

int program_lines_write(struct run *run, const struct program_record *record);

#endif
