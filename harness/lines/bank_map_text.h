/*
 * The bank map of an access to shared memory, as text for a terminal: banks across, lanes down.
 * Nothing is owned.
 */
#ifndef WHYFAST_BANK_MAP_TEXT_H
#define WHYFAST_BANK_MAP_TEXT_H

#include <stdio.h>

#include "catalog/variant.h"

/* Prints the access, at most 80 columns wide: its name, where it has one; its kind and width,
 * its wavefronts against the ideal; then a row for each lane that takes part, with the wavefront
 * in which the lane is served (harness/catalog/bank_model.h) at every bank that it asks: 0 to 9,
 * then a to v. A line parts lanes that are served in different turns. In a column between two
 * such lines different marks are a conflict, equal ones a word that lanes share. The access is
 * one that bank_model_serve takes. Errors of the file are the caller's to look for. */
void bank_map_print(FILE *file, const struct shared_access *access);

#endif
