/*
 * Opens the GPU, reads the facts about it and checks the status of CUDA calls. A struct device owns
 * its stream until device_close.
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

/* Opens the first GPU. Returns FAIL_GPU, with advice, if there is none. */
int device_open(struct device *device);
void device_close(struct device *device);

/* Writes the device's provenance into run.txt: name, driver, clocks, ECC, MIG, power limit. A fact
 * that cannot be read is written as absent, with the reason. */
int device_facts(const struct device *device, struct run *run);

/* The device's UUID as NVIDIA's tools write it. Returns `text`. */
enum { DEVICE_UUID = 37 };
char *device_uuid(const struct cudaDeviceProp *properties, char text[DEVICE_UUID]);

/* The device's name for directory names, such as "nvidia-h200". The caller frees it. */
char *device_slug(const char *name);

/* Returns 1 if the call succeeded, else 0 with a message: which call failed, where and why. */
#define CUDA_OK(call) cuda_ok((call), #call, __FILE__, __LINE__)
int cuda_ok(cudaError_t status, const char *call, const char *file, int line);

/* For calls that release something: a failure loses nothing, so it is logged as a detail, and the
 * next launch is not blamed for it. */
#define CUDA_RELEASE(call) cuda_released((call), #call)
void cuda_released(cudaError_t status, const char *call);

#endif
