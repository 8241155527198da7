/*
 * Puts the finished pages of a run into one file that can be mailed, report.html: the index, the
 * ladders and the method, with the style sheet, the script and the data of the ladders. Pictures
 * are left out. Nothing is owned.
 */
#ifndef WHYFAST_SINGLE_FILE_H
#define WHYFAST_SINGLE_FILE_H

#include "run/run.h"

#define SINGLE_FILE "report.html"

/* Needs the pages that report_run has written. */
int single_file_write(const struct run *run);

#endif
