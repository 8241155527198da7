/*
 * What the two programs agree on. whyfast reads runs; whyfast-gpu, which it finds beside itself,
 * makes them and takes the same command lines. Only the directory of a run passes between them.
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
