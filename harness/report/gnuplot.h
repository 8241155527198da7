/*
 * gnuplot, started without a shell.
 */
#ifndef WHYFAST_GNUPLOT_H
#define WHYFAST_GNUPLOT_H

/* 1 when it is on the PATH. */
int gnuplot_available(void);

/* Starts one on each of the `count` scripts of `directory`, all at once, and waits for all of
 * them. FAIL_OUTPUT, said, for those that failed: of the first `whole` is named, the script that
 * does the work of them all. FAIL_INTERRUPTED after Ctrl-C. */
int gnuplot_run(const char *directory, const char *const *script, int count, const char *whole);

#endif
