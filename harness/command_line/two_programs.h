/*
 * Defines the contract of the two programs. whyfast reads runs. whyfast-gpu, which lies beside it,
 * makes them, and is started with the same words of the command line. The result is the directory
 * of a run.
 */
#ifndef WHYFAST_TWO_PROGRAMS_H
#define WHYFAST_TWO_PROGRAMS_H

#define GPU_PROGRAM "whyfast-gpu"

/* Names the descriptor to which whyfast-gpu writes the path of the run. Without it the path goes to
 * stdout. For 'report' and 'run' the run is still in <path>.part: whyfast completes it. */
#define ANNOUNCE_VARIABLE "WHYFAST_ANNOUNCE"

/* The exit status of 'whyfast-gpu report' if there is no GPU and a recorded run will do. */
enum { STATUS_NO_GPU = 99 };

#endif
