/*
 * Draws and writes what people see of a run: the pictures under plots/ into its charts/, and the
 * pages report.html and report.md from the templates under reports/. Nothing is owned.
 */
#ifndef WHYFAST_REPORT_H
#define WHYFAST_REPORT_H

#include "run/run.h"

/* Draws the pictures of an explained run. */
int plot_run(struct run *run);

/* Fills the pages. The fact replay_of names a recorded run that is shown instead of one of this
 * machine. The report says so if charts/ is missing. `draw_pictures` (plot_run, or NULL) runs
 * before the pages are filled. */
int report_run(struct run *run, int (*draw_pictures)(struct run *run));

/* Prints after the timing, before any counter is collected, how much faster each ladder became: one
 * sentence for each family and size as a note, marked provisional. The tables variants and samples
 * must be on the disk. */
int first_sentence(const struct run *run);

/* Returns 1 if gnuplot is on the PATH. */
int gnuplot_available(void);

/* Starts a gnuplot without a shell for each of the `count` scripts of `directory`, all at once, and
 * waits for them. Returns FAIL_OUTPUT, with a message that names `whole`, the script that contains
 * them all, or FAIL_INTERRUPTED after Ctrl-C. */
int gnuplot_run(const char *directory, const char *const *script, int count, const char *whole);

#endif
