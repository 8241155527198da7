/*
 * What stands in for the stages with a GPU in a build without a CUDA toolkit: each says so. And for
 * the annotations, which do nothing.
 */
#include "base/message.h"
#include "check/doctor.h"
#include "check/selftest_measure.h"
#include "pipeline.h"
#include "run/nvtx.h"

#include <stddef.h>

static int no_cuda(void)
{
    return error(FAIL_GPU, "this build has no CUDA and can only analyse runs; install the CUDA "
                           "toolkit 13.0 or later and build again");
}

int describe_run(struct run *run, const struct selection *selection,
                 const struct measure_options *options)
{
    (void)run;
    (void)selection;
    (void)options;
    return no_cuda();
}

int measure_run(struct run *run, const struct selection *selection,
                const struct measure_options *options)
{
    return describe_run(run, selection, options);
}

int ceilings_run(struct run *run, const struct measure_options *options)
{
    return describe_run(run, NULL, options);
}

int collect_run(struct run *run, const struct selection *selection, uint64_t seed,
                const struct collect_options *options)
{
    (void)seed;
    (void)options;
    return describe_run(run, selection, NULL);
}

int timeline_run(struct run *run, uint64_t seed, const struct collect_options *options)
{
    return collect_run(run, NULL, seed, options);
}

int collect_asked(const char *sets, struct collect_asked *asked)
{
    (void)sets;
    (void)asked;
    return no_cuda();
}

const char *counters_held(void)
{
    return NULL;
}

int launch_run(const struct selection *selection, const struct launch_options *options)
{
    (void)options;
    return describe_run(NULL, selection, NULL);
}

int probe_counts(const struct selection *selection, uint64_t seed, unsigned launch)
{
    (void)launch;
    return collect_run(NULL, selection, seed, NULL);
}

int probe_samples(const struct selection *selection, uint64_t seed)
{
    return collect_run(NULL, selection, seed, NULL);
}

int selftest_measure(struct run *run, const struct selftest_options *options)
{
    (void)run;
    (void)options;
    return no_cuda();
}

int gpu_present(void)
{
    return 0;
}

char *device_name(void)
{
    return NULL;
}

char *device_identity(void)
{
    return NULL;
}

char *run_default_name(void)
{
    return NULL;
}

/* ---- doctor ---------------------------------------------------------------------------------- */

void doctor_gpu_open(struct patient *patient, char bus_id[32])
{
    (void)patient;
    bus_id[0] = 0;
}

void doctor_gpu_close(struct patient *patient)
{
    (void)patient;
}

static void built_without_cuda(struct finding *finding)
{
    finding_set(finding, CHECK_SKIPPED, NULL, "this build has no CUDA and can only analyse runs");
}

#define DOCTOR_WITHOUT_CUDA(name, function)                                                        \
    void function(struct patient *patient, struct finding *finding)                                \
    {                                                                                              \
        (void)patient;                                                                             \
        built_without_cuda(finding);                                                               \
    }
DOCTOR_CHECKS_OF_GPU(DOCTOR_WITHOUT_CUDA)

/* NVTX's headers come with the toolkit: this build has nothing to announce with. */

int nvtx_listening(void)
{
    return 0;
}

void nvtx_run(const char *command)
{
    (void)command;
}

void nvtx_stage(const char *name, const struct family *family, const struct shape *shape)
{
    (void)name;
    (void)family;
    (void)shape;
}

void nvtx_variant(const struct selected *selected, int sample, int cold)
{
    (void)selected;
    (void)sample;
    (void)cold;
}

void nvtx_launch(const struct variant *variant, unsigned index, const struct launch *launch)
{
    (void)variant;
    (void)index;
    (void)launch;
}

void nvtx_end(void)
{
}

void nvtx_result(const struct nvtx_point *point, const struct nvtx_result *result)
{
    (void)point;
    (void)result;
}
