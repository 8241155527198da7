/*
 * The checks that ask CUDA and CUPTI. Without a GPU they still show the CUDA version of the build
 * and the location of CUPTI.
 */
#include "gpu_command/doctor_cuda.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "machine_code/cubin.h"
#include "collect/collect_counters.h"
#include "collect/collector.h"
#include "gpu/device.h"
#include "driver/other_profilers.h"
#include "run/selftest_result.h"
#include "version.h"

struct gpu_patient {
    int count;
    cudaError_t status; /* of counting them */
    int opened;
    struct device device;
    struct cupti *cupti;
    char no_cupti[REASON_BYTES]; /* the reason, once opening it failed */
};

static void open_gpu(struct patient *patient, char bus_id[32])
{
    struct gpu_patient *gpu = calloc(1, sizeof *gpu);
    patient->gpu = gpu;
    if (!gpu) return;
    if (cudaDriverGetVersion(&patient->cuda_driver) != cudaSuccess) patient->cuda_driver = 0;
    gpu->status = cudaGetDeviceCount(&gpu->count);
    if (gpu->status != cudaSuccess) gpu->count = 0;
    if (gpu->count && cudaDeviceGetPCIBusId(bus_id, 32, 0) != cudaSuccess) bus_id[0] = 0;
}

static void close_gpu(struct patient *patient)
{
    struct gpu_patient *gpu = patient->gpu;
    if (!gpu) return;
    cupti_close(gpu->cupti);
    if (gpu->opened) device_close(&gpu->device);
    free(gpu);
    patient->gpu = NULL;
}

static int no_gpu(const struct patient *patient, struct finding *finding)
{
    if (patient->gpu && patient->gpu->opened) return 0;
    finding_skip(finding, "no GPU");
    return 1;
}

/* ---- the GPU --------------------------------------------------------------------------------- */

static void none_found(const struct patient *patient, struct finding *finding)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    const cudaError_t status = patient->gpu ? patient->gpu->status : cudaErrorMemoryAllocation;
    if (patient->device && visible)
        finding_set(finding, CHECK_BAD, "unset it, or set it to the GPU to measure",
                    "CUDA_VISIBLE_DEVICES=%s hides every GPU", visible);
    else if (status == cudaErrorInsufficientDriver && patient->cuda_driver > 0)
        finding_set(finding, CHECK_BAD, "CUDA 13 needs R580 or later: update the driver",
                    "the driver supports only CUDA %d.%d", patient->cuda_driver / 1000,
                    patient->cuda_driver % 1000 / 10);
    else if (status == cudaSuccess || status == cudaErrorNoDevice ||
             status == cudaErrorInsufficientDriver)
        finding_set(finding, CHECK_NOTE, NULL, "no GPU: only recorded runs can be replayed");
    else if (status == cudaErrorSystemNotReady)
        finding_set(finding, CHECK_BAD, "start the service nvidia-fabricmanager",
                    "the GPUs cannot be used: %s", cudaGetErrorString(status));
    else
        finding_set(finding, CHECK_BAD, NULL, "the GPU cannot be used: %s",
                    cudaGetErrorString(status));
}

DOCTOR_CHECK(check_gpu)
{
    enum { TURING = 75 };
    struct gpu_patient *gpu = patient->gpu;
    if (!gpu || !gpu->count) {
        none_found(patient, finding);
        return;
    }
    gpu->opened = !device_open(&gpu->device);
    if (!gpu->opened) {
        finding_set(finding, CHECK_BAD, "see the error above", "the GPU cannot be opened");
        return;
    }
    const struct device *device = &gpu->device;
    char name[320];
    snprintf(name, sizeof name, "%s, compute capability %d.%d", device->properties.name,
             device->properties.major, device->properties.minor);
    if (device->compute_capability < TURING)
        finding_set(finding, CHECK_BAD, "use a GPU of the Turing generation (7.5) or later", "%s",
                    name);
    else if (gpu->count > 1)
        finding_ok(finding,
                   "%s: the first of %d is measured (--device or CUDA_VISIBLE_DEVICES chooses)",
                   name, gpu->count);
    else
        finding_ok(finding, "%s", name);
}

DOCTOR_CHECK(check_cuda)
{
    int runtime = 0;
    const int driver = patient->cuda_driver;
    if (cudaRuntimeGetVersion(&runtime) != cudaSuccess || !driver)
        finding_ok(finding, "built with CUDA %s; no driver", WHYFAST_CUDA_VERSION);
    else if (driver / 1000 < runtime / 1000)
        finding_set(finding, CHECK_BAD, "update the driver",
                    "built with CUDA %s, but the driver supports only CUDA %d.%d",
                    WHYFAST_CUDA_VERSION, driver / 1000, driver % 1000 / 10);
    else
        finding_ok(finding, "built with CUDA %s; the driver supports CUDA %d.%d",
                   WHYFAST_CUDA_VERSION, driver / 1000, driver % 1000 / 10);
}

static int cubins_for(const struct executable *executable, int architecture)
{
    struct cubin cubin = {0};
    int count = 0;
    while (cubin_next(executable, architecture, &cubin)) count++;
    return count;
}

DOCTOR_CHECK(check_kernels)
{
    static const int architectures[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};
    struct executable executable;
    struct text words = {0};
    const int wanted =
        patient->gpu && patient->gpu->opened ? patient->gpu->device.compute_capability : 0;
    int own = 0, related = 0;
    if (!executable_open(&executable)) {
        finding_skip(finding, "the program cannot read its own code");
        return;
    }
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++) {
        const int architecture = architectures[i], count = cubins_for(&executable, architecture);
        if (!count) continue;
        text_format(&words, "%ssm_%d", words.length ? ", " : "", architecture);
        if (architecture == wanted)
            own = count;
        else if (architecture / 10 == wanted / 10 && architecture < wanted)
            related = count;
    }
    executable_close(&executable);
    if (!wanted)
        finding_ok(finding, "made for %s; no GPU", words.length ? text_string(&words) : "no GPU");
    else if (own)
        finding_ok(finding, "made for this GPU (sm_%d)", wanted);
    else if (related)
        finding_set(finding, CHECK_NOTE, "build with ARCH=native",
                    "made for %s, not for this GPU (sm_%d): its new features are unused, and lines "
                    "have no machine code",
                    text_string(&words), wanted);
    else
        finding_set(finding, CHECK_BAD, "build with ARCH=native on this machine",
                    "made for %s: no kernel runs on this GPU (sm_%d)",
                    words.length ? text_string(&words) : "no GPU", wanted);
    text_free(&words);
}

DOCTOR_CHECK(check_device_memory)
{
    const double giga = 1e9;
    size_t available = 0, total = 0;
    if (no_gpu(patient, finding)) return;
    const double needed =
        doctor_needed_memory().device +
        4 * (double)patient->gpu->device.l2_bytes; /* with the buffers of gpu/stream_gate.h */
    if (!CUDA_OK(cudaMemGetInfo(&available, &total)))
        finding_skip(finding, "the GPU does not report its memory size");
    else if ((double)available < needed)
        finding_set(finding, CHECK_NOTE,
                    "measure smaller sizes (--size), or end the programs that use it",
                    "%.3g of %.3g GB are free; the default sizes need %.3g GB",
                    (double)available / giga, (double)total / giga, needed / giga);
    else
        finding_ok(finding, "%.3g of %.3g GB are free; the default sizes need %.3g GB",
                   (double)available / giga, (double)total / giga, needed / giga);
}

/* ---- CUPTI ----------------------------------------------------------------------------------- */

DOCTOR_CHECK(check_cupti)
{
    struct cupti_location place;
    char reason[REASON_BYTES];
    if (cupti_find(&place, reason))
        finding_set(finding, CHECK_BAD, NULL, "no counters: %s", reason);
    else if (*place.missing)
        finding_set(finding, CHECK_BAD, "install CUPTI completely",
                    "%s is neither in the directory of %s nor found by the loader", place.missing,
                    place.path);
    else if (place.version != place.built_for)
        finding_set(finding, CHECK_NOTE, NULL, "%s, API version %d; the program was built for %d",
                    place.path, place.version, place.built_for);
    else
        finding_ok(finding, "%s, API version %d", place.path, place.version);
}

/* Opens CUPTI for counters the first time; returns NULL with a finding on failure, also if a tool
 * holds it or the device has no support. */
static struct cupti *open_cupti(struct patient *patient, struct finding *finding)
{
    struct gpu_patient *gpu = patient->gpu;
    if (no_gpu(patient, finding)) return NULL;
    if (!gpu->cupti && !*gpu->no_cupti) gpu->cupti = cupti_open(CUPTI_RANGES, gpu->no_cupti);
    if (!gpu->cupti) finding_set(finding, CHECK_BAD, NULL, "%s", gpu->no_cupti);
    return gpu->cupti;
}

DOCTOR_CHECK(check_support)
{
    char reason[REASON_BYTES];
    struct cupti *cupti = open_cupti(patient, finding);
    if (!cupti) return;
    cupti_unsupported(cupti, reason);
    if (*reason)
        finding_set(finding, CHECK_BAD, NULL, "%s", reason);
    else
        finding_ok(finding, "%s: counters, counts and samples of instructions, counters over time",
                   cupti_chip(cupti));
}

DOCTOR_CHECK(check_counters)
{
    char reason[REASON_BYTES];
    if (no_gpu(patient, finding)) return;
    struct cupti *cupti = open_cupti(patient, finding);
    if (!cupti) {
        finding_skip(finding, "not tried: see 'counter support'");
        return;
    }
    if (counter_trial(cupti, reason))
        finding_set(finding, CHECK_BAD, NULL, "a trial was refused: %s", reason);
    else
        finding_ok(finding,
                   "a trial session was opened, started and closed: they can be read, and no other "
                   "program holds them");
}

/* ---- the self-test --------------------------------------------------------------------------- */

DOCTOR_CHECK(check_selftest)
{
    struct run run = {.path = NULL};
    char uuid[DEVICE_UUID], driver[96] = "";
    if (no_gpu(patient, finding)) return;
    if (!patient->nvml.driver || patient->nvml.driver(driver, sizeof driver) != NVML_DONE)
        driver[0] = 0;
    int result = run_fact_set(&run, "device_uuid", "%s",
                              device_uuid(&patient->gpu->device.properties, uuid));
    if (!result)
        result = run_fact_set(&run, "driver", "%s",
                              *driver ? driver : "absent: NVML reports no driver version");
    if (!result) result = selftest_result_apply(&run);
    const char *words = run_fact(&run, "selftest");
    if (result || !words)
        finding_skip(finding, "the result of the last one cannot be read");
    else if (!strncmp(words, "passed", 6))
        finding_ok(finding, "%s", words);
    else if (!strncmp(words, "failed", 6))
        finding_set(finding, CHECK_BAD,
                    "do not trust these metrics here; 'whyfast selftest' shows the expected values",
                    "%s: %s", words,
                    run_fact(&run, "selftest_wrong") ? run_fact(&run, "selftest_wrong") : "");
    else
        finding_set(finding, CHECK_NOTE,
                    strstr(words, "'whyfast selftest'") ? NULL : "'whyfast selftest' runs it again",
                    "%s", strncmp(words, "absent: ", 8) ? words : words + 8);
    run_close(&run);
}

#define FUNCTION(name, function) function,
const struct doctor_gpu doctor_cuda = {open_gpu, close_gpu, {DOCTOR_CHECKS_OF_GPU(FUNCTION)}};
