/*
 * Shows how far a long stage is: on a terminal a bar with counts and the remaining time, and one
 * line for each finished stage everywhere. One stage at a time; silent when quiet. Owns the state
 * of that stage, which lasts from progress_begin to progress_end.
 */
#ifndef WHYFAST_PROGRESS_H
#define WHYFAST_PROGRESS_H

/* Begins a stage of `total` units ("points"). Both strings must last until progress_end. */
void progress_begin(const char *stage, const char *unit, int total);

/* The next `count` units begin; those of the call before are done. `what` names them, or is NULL.
 */
void progress_next(int count, const char *what);

/* The part of these units that is done, from 0 to 1. */
void progress_part(double part);

/* Ends the stage; if `result` is 0, says how many units it had and how long it took. Returns
 * `result`. Does nothing if no stage was begun. */
int progress_end(int result);

#endif
