/*
 * Stands in for the stages with a GPU in a build without a CUDA toolkit: each reports that it is
 * missing. Annotations do nothing.
 */
#include "base/message.h"
#include "check/doctor.h"
#include "check/selftest.h"
#include "collect/collect_counters.h"
#include "own/own_compile.h"
#include "pipeline.h"
#include "program/program_run.h"
#include "run/nvtx.h"

static int no_cuda(void)
{
    return error(FAIL_GPU, "this build has no CUDA and can only analyse runs; install the CUDA "
                           "toolkit 13.0 or later and build again");
}

/* None of them looks at its arguments. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define REFUSE(prototype)                                                                          \
    int prototype                                                                                  \
    {                                                                                              \
        return no_cuda();                                                                          \
    }
#define NOTHING(type, prototype)                                                                   \
    type prototype                                                                                 \
    {                                                                                              \
        return 0;                                                                                  \
    }
#define NO_OPERATION(prototype)                                                                    \
    void prototype                                                                                 \
    {                                                                                              \
    }

REFUSE(own_compile(const struct own_folder *folder, char **copy))
REFUSE(own_compile_object(const char *file, char **object, size_t *bytes))
REFUSE(describe_run(struct run *run, const struct selection *selection,
                    const struct measure_options *options))
REFUSE(measure_run(struct run *run, const struct selection *selection,
                   const struct measure_options *options))
REFUSE(ceilings_run(struct run *run, const struct measure_options *options))
REFUSE(collect_run(struct run *run, const struct selection *selection, uint64_t seed,
                   const struct collect_options *options))
REFUSE(timeline_run(struct run *run, uint64_t seed, const struct collect_options *options))
REFUSE(collect_asked(const char *sets, struct collect_asked *asked))
REFUSE(launch_run(const struct selection *selection, const struct launch_options *options))
REFUSE(probe_counts(const struct selection *selection, uint64_t seed, unsigned launch))
REFUSE(probe_samples(const struct selection *selection, uint64_t seed))
REFUSE(selftest_measure(struct run *run, const struct selftest_options *options))
REFUSE(program_run(struct run *run, const struct program_options *options, int *status))
NOTHING(const char *, counters_held(void))
NOTHING(int, gpu_present(void))
NOTHING(char *, device_name(void))
NOTHING(char *, device_identity(void))
NOTHING(char *, run_default_name(void))

/* ---- doctor ---------------------------------------------------------------------------------- */

void doctor_gpu_open(struct patient *patient, char bus_id[32])
{
    bus_id[0] = 0;
}

NO_OPERATION(doctor_gpu_close(struct patient *patient))

#define DOCTOR_WITHOUT_CUDA(name, function)                                                        \
    void function(struct patient *patient, struct finding *finding)                                \
    {                                                                                              \
        finding_skip(finding, "this build has no CUDA and can only analyse runs");                 \
    }
DOCTOR_CHECKS_OF_GPU(DOCTOR_WITHOUT_CUDA)

/* ---- NVTX: its headers come with the toolkit ------------------------------------------------- */

NOTHING(int, nvtx_listening(void))
NO_OPERATION(nvtx_run(const char *command))
NO_OPERATION(nvtx_stage(const char *name, const struct family *family, const struct shape *shape))
NO_OPERATION(nvtx_variant(const struct selected *selected, int sample, int cold))
NO_OPERATION(nvtx_launch(const struct variant *variant, unsigned index,
                         const struct launch *launch))
NO_OPERATION(nvtx_end(void))
NO_OPERATION(nvtx_result(const struct nvtx_point *point, const struct nvtx_result *result))
