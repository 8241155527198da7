/*
 * Draws the pictures of a run from the scripts under plots/ into its charts/, and writes its pages
 * from the templates under reports/pages/. Nothing is owned.
 */
#ifndef WHYFAST_REPORT_H
#define WHYFAST_REPORT_H

#include "query/query.h"
#include "run/run.h"

/* Draws the pictures of an explained run: each family at its primary size, as SVG, or at the named
 * sizes, as SVG and PNG. One that cannot be drawn is a warning, and charts.csv says why it is
 * absent; returns FAIL_CHECK then, once all others are drawn. */
int plot_run(struct run *run);
int plot_sizes(struct run *run, const char *const *sizes, int size_count);

/* Writes the pages. If the run replays a recorded run, the fact replay_of names it. The report says
 * so if charts/ or a picture is missing. `draw_pictures` (plot_run, or NULL) runs beside it, in a
 * copy of this process; its FAIL_CHECK is a gap in the pages, and no failure. */
int report_run(struct run *run, int (*draw_pictures)(struct run *run));

/* Fills the templates of a folder of the data, such as "reports/boards", from the tables of `query`
 * into the directory of its run, with the style sheet of the reports. */
int report_fill(struct query *query, const char *folder);

int gnuplot_available(void);

/* Runs a gnuplot process, without a shell, for each of the `count` scripts of `directory` that is
 * not NULL, several at once. Tells the number of each that fails and the reason to `failed`.
 * Returns FAIL_OUTPUT if none can be run, or FAIL_INTERRUPTED after Ctrl-C. */
typedef void gnuplot_failure(void *context, int number, const char *reason);
int gnuplot_run(const char *directory, char *const *script, int count, gnuplot_failure *failed,
                void *context);

#endif
