/*
 * Provides the device side of clean timing: a gate that holds the stream while launches are queued
 * behind it, stamps of the SM clock, and the flush of the L2 cache. A struct stream_gate
 * owns its host-mapped flags and its buffers until stream_gate_close.
 *
 * Method: NVIDIA/nvbench holds the stream with a blocking kernel so that launch latency stays out
 * of the timed window, and reads the SM clock as (clock64 difference) / (globaltimer difference)
 * between two tiny kernels around it; both ideas are used here. Valid C11 and C++17.
 */
#ifndef WHYFAST_STREAM_GATE_H
#define WHYFAST_STREAM_GATE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct stream_gate_stamp {
    uint64_t clock;   /* clock64 of the SM */
    uint64_t time_ns; /* globaltimer */
    uint32_t sm;
    uint32_t written;
};

struct stream_gate {
    volatile uint32_t *open;          /* host-mapped: 1 lets the stream continue */
    volatile uint32_t *timed_out;     /* host-mapped: the gate gave up waiting */
    struct stream_gate_stamp *stamps; /* host-mapped: before and after the timed window */
    void *flush;                      /* device: flush_bytes to write, then as many to read */
    size_t flush_bytes;
    void *stream; /* cudaStream_t */
};

/* Allocates; l2_bytes is the size of the L2 cache. Returns FAIL_GPU, with a message, on failure. */
int stream_gate_open(struct stream_gate *gate, void *stream, size_t l2_bytes);
void stream_gate_close(struct stream_gate *gate);

/* Queues a kernel that waits until stream_gate_release, at most 5 s; queues nothing if streams are
 * not held in this process (gpu/other_profilers.h). */
int stream_gate_hold(struct stream_gate *gate);
void stream_gate_release(struct stream_gate *gate);

/* Judges, after synchronising, the launches since the last stream_gate_hold. Returns 0 if they
 * are valid; OUTSIDE_AGAIN if they must be queued again, because the gate gave up and streams are
 * not held from now on; FAIL_GPU, with a message, if the gate gave up because the host was paused.
 */
int stream_gate_judge(const struct stream_gate *gate);

/* Queues a stamp into slot 0 or 1. */
int stream_gate_mark(struct stream_gate *gate, int slot);

/* The SM clock between the two stamps in MHz, or NAN if they were taken on different SMs; call it
 * after synchronising. To 0.1 MHz: the timer's steps, 32 ns on an H200, tell no more of a window
 * of up to 0.6 ms, and between longer ones the clock itself varies more. */
double stream_gate_clock_mhz(const struct stream_gate *gate);

/* Queues the flush: overwrites twice the size of the L2 cache, then reads another buffer of that
 * size, so that a timed kernel finds neither its data nor dirty lines of the flush. */
int stream_gate_flush_l2(struct stream_gate *gate);

#ifdef __cplusplus
}
#endif
#endif
