/*
 * The runs that come with the program, under reports/recorded/ of its data directory. Nothing is owned.
 */
#ifndef WHYFAST_RECORDED_H
#define WHYFAST_RECORDED_H

/* Path of the recorded run with the newest date, which the caller frees; NULL, said, when there is none. */
char *recorded_newest(void);

#endif
