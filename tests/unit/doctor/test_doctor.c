/*
 * Tests the doctor's checks with a driver of this test's own, whose NVML answers are set.
 */
#include "fixture.h"

#include "doctor/doctor.h"

/* The answers; a status other than 0 is an error of NVML's. */
static struct answers {
    int status;
    const char *driver;
    unsigned mig, mig_pending, milliwatts, usual_milliwatts, clock, most_clock, celsius, limit,
        persistence, ecc, processes;
    int mode, virtualization;
    unsigned long long reasons, errors;
    unsigned pid[4];
} now;

static int driver(char *version, unsigned length)
{
    snprintf(version, length, "%s", now.driver);
    return now.status;
}

/* An answer about a device: what it does, and its other parameters. */
#define ANSWER(name, does, ...)                                                                    \
    static int name(void *device, __VA_ARGS__)                                                     \
    {                                                                                              \
        (void)device;                                                                              \
        does;                                                                                      \
        return now.status;                                                                         \
    }

ANSWER(mig, *current = now.mig; *pending = now.mig_pending, unsigned *current, unsigned *pending)
ANSWER(ecc, *current = *pending = now.ecc, unsigned *current, unsigned *pending)
ANSWER(ecc_errors, *errors = kind == NVML_UNCORRECTED && since == NVML_SINCE_BOOT ? now.errors : 99,
       int kind, int since, unsigned long long *errors)
ANSWER(power_limit, *milliwatts = now.milliwatts, unsigned *milliwatts)
ANSWER(default_power_limit, *milliwatts = now.usual_milliwatts, unsigned *milliwatts)
ANSWER(clock_reasons, *reasons = now.reasons, unsigned long long *reasons)
ANSWER(clock_mhz, *mhz = now.clock + (unsigned)which, int which, unsigned *mhz)
ANSWER(most_clock, *mhz = now.most_clock + (unsigned)which, int which, unsigned *mhz)
ANSWER(temperature, (void)sensor; *celsius = now.celsius, int sensor, unsigned *celsius)
ANSWER(temperature_limit, *celsius = which == NVML_SLOWDOWN ? now.limit : 0, int which,
       unsigned *celsius)
ANSWER(virtualization, *mode = now.virtualization, int *mode)
ANSWER(compute_mode, *mode = now.mode, int *mode)
ANSWER(persistence, *mode = now.persistence, unsigned *mode)

static int processes(void *device, unsigned *count, struct nvml_process *process)
{
    if (now.processes > *count) return NVML_TOO_SMALL;
    *count = now.processes;
    for (unsigned i = 0; i < now.processes; i++)
        process[i] = (struct nvml_process){.pid = now.pid[i % 4]};
    return now.status;
}

static const struct nvml whole = {
    .driver = driver,
    .mig = mig,
    .ecc = ecc,
    .ecc_errors = ecc_errors,
    .power_limit = power_limit,
    .default_power_limit = default_power_limit,
    .clock_reasons = clock_reasons,
    .clock = clock_mhz,
    .most_clock = most_clock,
    .temperature = temperature,
    .temperature_limit = temperature_limit,
    .virtualization = virtualization,
    .compute_mode = compute_mode,
    .persistence = persistence,
    .processes = processes,
};

/* A machine without any fault. */
static int healthy(void **state)
{
    now = (struct answers){.driver = "580.95.05",
                           .milliwatts = 700000,
                           .usual_milliwatts = 700000,
                           .clock = 345,
                           .most_clock = 1980,
                           .celsius = 30,
                           .limit = 92,
                           .persistence = 1,
                           .ecc = 1};
    return 0;
}

static struct patient patient_of(const struct nvml *nvml)
{
    static int gpu;
    return (struct patient){.nvml = *nvml, .device = &gpu};
}

static void expect(const struct patient *patient, doctor_check *check, enum severity severity,
                   const char *detail, const char *fix)
{
    struct patient asked = *patient;
    struct finding finding = {.severity = (enum severity)99};
    check(&asked, &finding);
    if (finding.severity != severity || !strstr(finding.detail, detail) ||
        !strstr(finding.fix, fix) || (!*fix && *finding.fix))
        fail_msg("found %d '%s', fix '%s'; expected %d '%s', fix '%s'", (int)finding.severity,
                 finding.detail, finding.fix, (int)severity, detail, fix);
}

static doctor_check *const of_device[] = {
    check_mig,         check_virtualization, check_compute_mode, check_processes,  check_clocks,
    check_temperature, check_power,          check_ecc,          check_persistence};

enum { OF_DEVICE = sizeof of_device / sizeof *of_device };

TEST_WITHIN(a_healthy_gpu_is_fine, healthy, NULL)
{
    const struct patient patient = patient_of(&whole);
    expect(&patient, check_driver, CHECK_OK, "580.95.05", "");
    for (int i = 0; i < OF_DEVICE; i++) expect(&patient, of_device[i], CHECK_OK, "", "");
    expect(&patient, check_clocks, CHECK_OK,
           "SM 346 of 1981 MHz, memory 347 of 1982 MHz, not limited", "");
    now.reasons = 1;
    expect(&patient, check_clocks, CHECK_OK, "MHz, idle", "");
    expect(&patient, check_temperature, CHECK_OK, "30 C; it slows down at 92 C", "");
    expect(&patient, check_power, CHECK_OK, "700 W; the default is 700 W", "");
}

TEST_WITHIN(drivers, healthy, NULL)
{
    struct patient patient = patient_of(&whole);
    now.driver = "579.99";
    expect(&patient, check_driver, CHECK_BAD, "579.99 is too old", "R580 or later");
    patient.cuda_driver = 13000;
    expect(&patient, check_driver, CHECK_NOTE,
           "579.99, which supports CUDA 13 through a compatibility package", "R580");
    now.driver = "unknown";
    expect(&patient, check_driver, CHECK_SKIPPED, "'unknown' is not a number", "");
    patient.nvml_status = NVML_MISMATCH;
    expect(&patient, check_driver, CHECK_BAD, "different versions", "reboot");
}

TEST_WITHIN(what_shares_the_gpu, healthy, NULL)
{
    const struct patient patient = patient_of(&whole);
    now.mig = 1;
    expect(&patient, check_mig, CHECK_NOTE, "MIG is on", "nvidia-smi -mig 0");
    now.mig = 0;
    now.mig_pending = 1;
    expect(&patient, check_mig, CHECK_NOTE, "after the next reset", "");
    now.virtualization = 1;
    expect(&patient, check_virtualization, CHECK_OK, "passed through", "");
    now.virtualization = 2;
    expect(&patient, check_virtualization, CHECK_NOTE, "virtual GPU", "enable_profiling=1");
    now.virtualization = 3;
    expect(&patient, check_virtualization, CHECK_NOTE, "hosts virtual GPUs", "");
    now.mode = 2;
    expect(&patient, check_compute_mode, CHECK_BAD, "no program may compute", "nvidia-smi -c 0");
    now.mode = 3;
    expect(&patient, check_compute_mode, CHECK_NOTE, "only one process", "nvidia-smi -c 0");
}

TEST_WITHIN(other_programs, healthy, NULL)
{
    const struct patient patient = patient_of(&whole);
    now.processes = 1;
    now.pid[0] = (unsigned)getpid();
    expect(&patient, check_processes, CHECK_OK, "no other program", "");
    now.processes = 2;
    now.pid[1] = 4194305; /* above every pid_max, so no process has a name */
    expect(&patient, check_processes, CHECK_NOTE,
           "1 other program computes on this GPU, which disturbs times: 4194305", "end them");
    now.pid[1] = (unsigned)getppid();
    char name[64];
    snprintf(name, sizeof name, "disturbs times: %u (", now.pid[1]);
    expect(&patient, check_processes, CHECK_NOTE, name, "end them");
    now.processes = 12;
    expect(&patient, check_processes, CHECK_NOTE, "9 other programs compute", "end them");
    expect(&patient, check_processes, CHECK_NOTE, ", ...", "end them");
    now.processes = 65;
    expect(&patient, check_processes, CHECK_NOTE, "more than 64 other programs", "end them");
}

TEST_WITHIN(what_slows_it_down, healthy, NULL)
{
    const struct patient patient = patient_of(&whole);
    now.reasons = 0x1 | 0x4 | 0x40;
    expect(&patient, check_clocks, CHECK_NOTE,
           "limited by idle, power cap, thermal slowdown by hardware", "find the cause");
    now.celsius = 87;
    expect(&patient, check_temperature, CHECK_NOTE, "87 C; it slows down at 92 C", "cool");
    now.celsius = 86;
    expect(&patient, check_temperature, CHECK_OK, "86 C", "");
    now.limit = 0;
    expect(&patient, check_temperature, CHECK_OK, "is unknown", "");
    now.milliwatts = 500000;
    expect(&patient, check_power, CHECK_NOTE, "500 W, below the default of 700 W",
           "nvidia-smi -pl");
    now.usual_milliwatts = 0;
    expect(&patient, check_power, CHECK_OK, "500 W; the default is unknown", "");
    now.persistence = 0;
    expect(&patient, check_persistence, CHECK_NOTE, "every command starts slowly",
           "nvidia-smi -pm 1");
    now.errors = 3;
    expect(&patient, check_ecc, CHECK_NOTE, "3 uncorrected memory errors", "reset the GPU");
    now.ecc = 0;
    expect(&patient, check_ecc, CHECK_OK, "ECC is off", "");
}

TEST_WITHIN(what_cannot_be_asked_is_skipped, healthy, NULL)
{
    static const struct nvml nothing;
    struct patient patient = patient_of(&whole);
    now.status = 999;
    expect(&patient, check_driver, CHECK_SKIPPED, "(error 999)", "");
    for (int i = 0; i < OF_DEVICE; i++)
        expect(&patient, of_device[i], CHECK_SKIPPED, "(error 999)", "");
    now.status = NVML_NOT_SUPPORTED;
    for (int i = 0; i < OF_DEVICE; i++)
        expect(&patient, of_device[i], CHECK_OK, "this GPU has no ", "");
    patient = patient_of(&nothing); /* an old driver, without these functions */
    for (int i = 0; i < OF_DEVICE; i++)
        expect(&patient, of_device[i], CHECK_SKIPPED, "NVML of this driver has no function for",
               "");
    patient.device = NULL;
    snprintf(patient.no_device, sizeof patient.no_device, "a reason");
    for (int i = 0; i < OF_DEVICE; i++)
        expect(&patient, of_device[i], CHECK_SKIPPED, "no GPU (a reason)", "");
}

TEST(memory_is_that_of_the_largest_default_size)
{
    const struct needed_memory needed = doctor_needed_memory();
    assert_true(needed.device >= 4.0 * (1 << 29)); /* the reduction of 2^29 integers */
    assert_true(needed.device < 40e9);
    assert_true(needed.host >= 4.0 * (1 << 29) && needed.host < 40e9);
}

RUN_TESTS(fixture_open, fixture_close)
