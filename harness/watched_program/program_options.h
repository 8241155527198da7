/*
 * Holds what the user asks for of a program that is watched. Nothing is owned.
 */
#ifndef WHYFAST_PROGRAM_OPTIONS_H
#define WHYFAST_PROGRAM_OPTIONS_H

#include "watched_program/program_choice.h"

struct program_options {
    char *const *words; /* the program and its arguments, up to NULL */
    const char *label;  /* what messages call the program; NULL: as the words do */
    struct program_filter filter;
    int once, no_counters, no_arguments, replay_launches, knockout;
    int are_versions;         /* two processes are versions: knock-outs are of their pairs */
    const char *named[2];     /* of these versions: the kernels that the user names, or NULL */
    int keeps_no_output;      /* the output of later starts is removed, so messages name no file */
    double budget;            /* seconds that all starts may take; 0: there is no limit */
    const char *const *bytes; /* "KERNEL=NUMBER" */
    int bytes_count;
};

#endif
