/*
 * Facts about the GPU, and the one way to call CUDA. A struct device owns its stream until
 * device_close.
 */
#ifndef WHYFAST_DEVICE_H
#define WHYFAST_DEVICE_H

#include <cuda_runtime_api.h>
#include <stddef.h>

#include "run/run.h"

struct device {
    int index;
    int compute_capability; /* 90 for 9.0 */
    int sm_count;
    int threads_per_sm;
    size_t l2_bytes;
    struct cudaDeviceProp properties;
    cudaStream_t stream; /* everything runs on this one */
};

/* Opens the first GPU. FAIL_GPU with the sentence that helps when there is none. */
int device_open(struct device *device);
void device_close(struct device *device);

/* Writes the device's provenance into run.txt: name, driver, clocks, ECC, MIG, power limit; what
 * cannot be read is written as "absent: why". */
int device_facts(const struct device *device, struct run *run);

/* The device's UUID as NVIDIA's tools write it. Returns `text`. */
enum { DEVICE_UUID = 37 };
char *device_uuid(const struct cudaDeviceProp *properties, char text[DEVICE_UUID]);

/* "nvidia-h200": the device's name for directory names, which the caller frees. */
char *device_slug(const char *name);

/* 1 when the call succeeded; else says which call failed, where and why, and is 0: if
 * (!CUDA_OK(call)) goto out; */
#define CUDA_OK(call) cuda_ok((call), #call, __FILE__, __LINE__)
int cuda_ok(cudaError_t status, const char *call, const char *file, int line);

/* Around calls that release: a failure loses nothing, so it is told as a detail, and the next
 * launch is not blamed for it. */
#define CUDA_RELEASE(call) cuda_released((call), #call)
void cuda_released(cudaError_t status, const char *call);

#endif
