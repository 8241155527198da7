/*
 * Finds the runs that come with the program, under reports/recorded/ of its data directory, and
 * unpacks one of them. Nothing is owned.
 *
 * A recorded run consists of run.txt and its raw tables, compressed as <table>.csv.xz
 * (packed_table.h). A copy of it with all tables is made in recorded/<name> of the cache
 * (data_cache), and made again when the recorded run, the records under metrics/ or the program
 * have changed. A run whose tables are not compressed is used as it is.
 */
#ifndef WHYFAST_RECORDED_RUNS_H
#define WHYFAST_RECORDED_RUNS_H

#include "base/text.h"
#include "run/run.h"

/* Returns the path of the newest recorded run, which the caller frees; a full one goes before quick
 * ones. With `device`, a part of the run's or the device's name in any case, only those runs count.
 * Returns NULL, with a message, if there is none. Its tables may be compressed. */
char *recorded_find(const char *device);

/* Returns the path of the recorded run that a word of the command line means: its name, unless a
 * run of that name is in the current directory, or the path of a compressed one. The caller frees
 * it. Returns NULL, without a message, if the word means none. */
char *recorded_named(const char *word);

/* Returns the name nearest to a mistyped one, of the runs beside it and of the recorded ones;
 * the caller frees it. Returns NULL if none is near. */
char *recorded_nearest(const char *word);

/* Appends the names of all recorded runs but one, each with its device. */
void recorded_append_others(struct text *text, const char *path);

/* Sets *path to a run with all tables of the recorded run `from`, which the caller frees. `derive`
 * computes the tables that are not recorded when a copy is made. */
int recorded_copy(const char *from, int (*derive)(struct run *run), char **path);

/* Returns 1 for a path from recorded_copy whose tables `derive` has computed. */
int recorded_is_derived(const char *path);

/* Returns what messages call a run: the name of a recorded one or of the report that it was made
 * of, the path of any other. */
const char *recorded_title(const struct run *run);

/* Returns what names the run in a command: the path of its report, or its own. It is borrowed. */
const char *recorded_word(const struct run *run);

/* Appends the first sentence of a page: the name, device and date of the run that it shows. For a
 * recorded run (`recorded`, or according to its facts) adds that nothing was measured here. */
void recorded_describe(struct text *words, const struct run *run, int recorded);

#endif
