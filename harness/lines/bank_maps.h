/*
 * Prints the bank maps of accesses to shared memory as text: banks across, lanes down. Nothing is
 * owned.
 */
#ifndef WHYFAST_BANK_MAPS_H
#define WHYFAST_BANK_MAPS_H

#include <stdio.h>

#include "catalog/variant.h"
#include "query/query.h"

/* Prints one access, at most 80 columns wide: its name, if it has one; its kind and width, its
 * wavefronts and the ideal; then a row for each active lane, with the wavefront that serves the
 * lane (catalog/bank_model.h) at every bank that it accesses: 0 to 9, then a to v. A line separates
 * lanes that are served in different turns. Between two such lines, different marks in a column
 * mean a conflict, and equal marks a word that several lanes share. The access must be valid for
 * bank_model_serve. The caller checks the file for errors. */
void bank_map_print(FILE *file, const struct shared_access *access);

/* Prints the map of every access that the kernel's variant describes, with its cost and the source
 * lines that make such accesses, the most costly first. Loads the table accesses unless it is
 * loaded; needs the tables of lines_tables_load. Returns FAIL_INPUT, with a message, if the variant
 * describes none or a row is malformed. */
int bank_maps_print(struct query *query, const char *kernel, FILE *file);

/* Prints a row of CSV for each lane of each access: its address, the wavefront that serves it, and
 * the first of its banks; and, if `with_header` is 1, the header. Unless `json` is NULL, these are
 * elements of an open array of JSON. */
int bank_maps_print_rows(struct query *query, const char *kernel, struct json_writer *json,
                         int with_header, FILE *file);

#endif
