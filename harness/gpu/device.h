/*
 * Opens the GPU, reads the facts about it and its kernels, and checks the status of CUDA calls. A
 * struct device owns its stream until device_close.
 */
#ifndef WHYFAST_DEVICE_H
#define WHYFAST_DEVICE_H

#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>
#include <stddef.h>

#include "catalog/variant.h"
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
/* Does so without a context there, which takes time and memory: nothing can run. */
int device_look(struct device *device);
void device_close(struct device *device);

/* Writes the device's provenance into run.txt: name, driver, clocks, ECC, MIG, power limit. A fact
 * that cannot be read is written as absent, with the reason. */
int device_facts(const struct device *device, struct run *run);

/* The device's UUID as NVIDIA's tools write it. Returns `text`. */
enum { DEVICE_UUID = 37 };
char *device_uuid(const struct cudaDeviceProp *properties, char text[DEVICE_UUID]);

/* Returns 1 if the call succeeded, else 0 with a message: which call failed, where and why. */
#define CUDA_OK(call) cuda_ok((call), #call, __FILE__, __LINE__)
int cuda_ok(cudaError_t status, const char *call, const char *file, int line);

/* For calls that release something: a failure is harmless, so it is logged as a detail and cleared,
 * and the next launch does not report it. */
#define CUDA_RELEASE(call) cuda_released((call), #call)
void cuda_released(cudaError_t status, const char *call);

/* Stores the address of a driver function, in the version of this CUDA release (12000 for 12.0), in
 * the function pointer at `pointer`. Returns FAIL_GPU, with a message, if the driver lacks it. */
int driver_find(const char *name, unsigned version, void *pointer);

/* Returns 1 if the call succeeded, else 0 with a message. */
int driver_ok(CUresult status, const char *name);

struct listed_kernel {
    struct launch launch;       /* for a library's kernel: grid, block and dynamic_shared only */
    CUfunction driver_function; /* NULL for a variant's own kernel, which is launch.function */
};

struct kernel_facts {
    CUfunction function;
    const char *symbol; /* the linker's name, which C++ mangles */
    int registers;      /* per thread */
    int static_shared;  /* bytes per block */
    int local;          /* bytes per thread */
    int max_block_threads;
    int max_dynamic_shared; /* bytes that were granted */
};

/* Reads what the driver knows about a kernel that is launched, by a variant or inside a library.
 * Symbols are the driver's and live as long as the kernel's module. Returns FAIL_GPU, with a
 * message, on failure. */
int kernel_facts(const struct listed_kernel *kernel, struct kernel_facts *facts);

/* Asks the driver how many blocks of this launch one SM holds. */
int kernel_blocks_per_sm(const struct kernel_facts *facts, int threads, size_t dynamic_shared,
                         int *blocks);

#endif
