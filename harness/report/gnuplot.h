/*
 * Runs gnuplot, without a shell.
 */
#ifndef WHYFAST_GNUPLOT_H
#define WHYFAST_GNUPLOT_H

/* Returns 1 if gnuplot is on the PATH. */
int gnuplot_available(void);

/* Starts a gnuplot for each of the `count` scripts of `directory`, all at once, and waits for them.
 * Returns FAIL_OUTPUT, with a message that names `whole`, the script that contains them all, or
 * FAIL_INTERRUPTED after Ctrl-C. */
int gnuplot_run(const char *directory, const char *const *script, int count, const char *whole);

#endif
