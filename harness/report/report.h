/*
 * Draws the pictures of a run from the scripts under plots/ into its charts/, and writes its pages
 * from the templates under reports/pages/. Nothing is owned.
 */
#ifndef WHYFAST_REPORT_H
#define WHYFAST_REPORT_H

#include "query/query.h"
#include "run/run.h"

/* Draws the pictures of an explained run: each family at its primary size, or at the named sizes.
 */
int plot_run(struct run *run);
int plot_sizes(struct run *run, const char *const *sizes, int size_count);

/* Writes the pages. If the run replays a recorded run, the fact replay_of names it. The report says
 * so if charts/ is missing. `draw_pictures` (plot_run, or NULL) runs before the pages are filled.
 */
int report_run(struct run *run, int (*draw_pictures)(struct run *run));

/* Fills the templates of a folder of the data, such as "reports/boards", from the tables of `query`
 * into the directory of its run, with the style sheet of the reports. */
int report_fill(struct query *query, const char *folder);

/* Returns 1 if gnuplot is on the PATH. */
int gnuplot_available(void);

/* Starts a gnuplot process, without a shell, for each of the `count` scripts of `directory`, and
 * waits for all of them. Returns FAIL_OUTPUT, with a message that names `whole`, the script that
 * contains them all, or FAIL_INTERRUPTED after Ctrl-C. */
int gnuplot_run(const char *directory, const char *const *script, int count, const char *whole);

#endif
