/*
 * Starts a program under observation, with a plan for the library in it (program_plan.h). A struct
 * program_watch holds all that its starts have brought; program_run.c owns it.
 */
#ifndef WHYFAST_PROGRAM_WATCH_H
#define WHYFAST_PROGRAM_WATCH_H

#include "base/text.h"
#include "collect/chip_counters.h"
#include "watched_program/program_knockouts.h"
#include "watched_program/program_options.h"
#include "watched_program/program_starts.h"

enum { MOST_STARTS = 200, MOST_COUNTED = 16 };

struct program_watch {
    struct run *run;
    const struct program_options *options;
    struct program_input input;
    char *path, *library, *directory; /* directory: absolute, of all starts */
    int starts;                       /* so far; start n is part[n] and end[n] */
    struct program_parts part[MOST_STARTS];
    struct program_end end[MOST_STARTS];
    struct records records;
    struct chip_counters counters;
    struct program_choice choice;
    struct program_names names;
    const char *no_counters; /* why there are none, or NULL */
    struct program_plan plan;
    double began;                 /* seconds of base/process.h */
    int is_cut;                   /* a start was left out, because there was no time for it */
    int is_twice;                 /* start 1 is for times, too */
    int replay_of;                /* the start whose launches the next one replays, or 0 */
    int is_replayed;              /* a start replayed launches */
    char is_changed[MOST_STARTS]; /* a replay changed what that start did, which is said then */
    int first_alone;              /* the first of two starts with kernels one at a time, or 0 */
    int first_counters, counter_starts, first_counts, count_starts;
    int counted[MOST_COUNTED]; /* the chosen kernel of each start with instructions */
    int first_knockouts;       /* or 0 */
    unsigned knocked;          /* kernels, as bits, whose costs are knocked out */
    struct program_record record;
    struct program_lines lines;
    struct program_knockouts knockouts;
};

/* Starts the program with this plan, which it frees, and reads what the library left. The words say
 * what the start is for. */
int program_watch_start(struct program_watch *watch, struct text *plan, const char *purpose);

/* How long starts with a profiler take. */
double program_watch_expected_seconds(const struct program_watch *watch, int starts);

/* Returns 1 if there is time for more starts; else remembers that some were left out. */
int program_watch_fits(struct program_watch *watch, int starts);

/* Of two starts, none of them the first: returns 1 if they printed the same; if they ended alike,
 * too; the number of the first line in which their output differs. */
int program_watch_same_output(const struct program_watch *watch, int one, int other);
int program_watch_are_alike(const struct program_watch *watch, int one, int other);
int program_watch_first_difference(const struct program_watch *watch, int one, int other);

#endif
