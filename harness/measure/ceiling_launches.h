/*
 * Sets up the launches of the ceilings and takes their samples; measure/device_ceilings.c has the
 * method. A struct ceilings owns its memory on the device from ceiling_allocate to ceiling_free;
 * device, gate and timer are opened and closed by the caller.
 */
#ifndef WHYFAST_CEILING_LAUNCHES_H
#define WHYFAST_CEILING_LAUNCHES_H

#include "catalog/registry.h"
#include "gpu/device.h"
#include "gpu/stream_gate.h"
#include "measure/ceiling_kernels.h"
#include "measure/gpu_timer.h"

/* In the order of table ceilings. Those that take turns stand together; those up to MEMORY need the
 * buffers for the DRAM. */
enum ceiling_id {
    READ,
    WRITE,
    COPY,
    MEMORY,
    LAUNCH,
    LAUNCHES,
    CLEAR,
    L2,
    SHARED,
    MATRICES,
    FMA,
    ADD,
    BARRIER,
    ATOMIC,
    MMA,
    WGMMA,
    HOST,
    MALLOC,
    POOL,
    CEILING_COUNT
};

/* The host does this around a launch that it times by its own clock. */
enum host_work { NOT_TIMED, LAUNCHES_ALONE, ALLOCATES, ALLOCATES_FROM_POOL };

enum { LONGEST_REASON = 160, FURTHER_LAUNCHES = 4 };

struct ceiling_plan {
    const char *ceiling, *title, *unit;
    enum ceiling_kernel kernel;
    uint32_t loops; /* for the kernels that do not walk through memory; MEMORY: at most */
    unsigned launches;
    int cold;
    unsigned blocks; /* 0: one wave */
    int least, most; /* compute capability; 0: any */
    enum host_work host;
};
extern const struct ceiling_plan ceiling_plans[CEILING_COUNT];

struct ceiling {
    struct ceilings *all;
    const struct ceiling_plan *plan;
    struct ceiling_launch launch;
    uint32_t expected;           /* sum */
    char reason[LONGEST_REASON]; /* the status if it has no value, else "" */
    int count;
    struct sample sample[CEILING_SAMPLES];
};

struct ceilings {
    struct device device;
    struct stream_gate gate;
    struct timer timer;
    void *from, *to, *l2; /* device */
    size_t dram_bytes;    /* of from and of to; 0: no memory */
    uint32_t *sums, *host_sums;
    uint32_t *wrong_elements; /* device */
    int wrong;                /* kernels that gave a wrong result */
    uint64_t random;
    struct ceiling ceiling[CEILING_COUNT];
};

/* Allocates the buffers. Ceilings for whose buffers there is no room get a reason. Returns 0,
 * FAIL_GPU or FAIL_OUTPUT, with a message. */
int ceiling_allocate(struct ceilings *ceilings);
void ceiling_free(struct ceilings *ceilings);

/* Fills the buffers and sets the launches; finds the shapes of kernels that walk through memory by
 * trying. Ceilings without a launch get a reason. Returns 0, FAIL_GPU or FAIL_INTERRUPTED. */
int ceiling_set_launches(struct ceilings *ceilings);

/* Takes a sample of a ceiling whose launch is set. Returns 0 or FAIL_GPU, with a message. */
int ceiling_take_sample(struct ceiling *ceiling, struct sample *sample);

#endif
