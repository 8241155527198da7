/*
 * Fills the pages of the report, report.html and report.md, from the templates under reports/.
 * Nothing is owned.
 */
#ifndef WHYFAST_REPORT_H
#define WHYFAST_REPORT_H

#include "run/run.h"

/* The fact replay_of names a recorded run that is shown instead of one of this machine. The report
 * says so if charts/ is missing. `draw_pictures` (plot_run, or NULL) runs before the pages are
 * filled. */
int report_run(struct run *run, int (*draw_pictures)(struct run *run));

#endif
