/*
 * Tests the timing of twins at a launch on a GPU that is played here: the time of a launch is that
 * of its function, and memory is told apart by its first byte.
 */
#include "injected/launch_knockouts.c" /* NOLINT(bugprone-suspicious-include) */
#include "injected/saved_memory.c"     /* NOLINT(bugprone-suspicious-include) */

#include <sys/wait.h>

#include "fixture.h"

struct watch watch;
struct driver driver;

/* ---- what a test sets ------------------------------------------------------------------------ */

static struct {
    int is_unknown; /* the origin of the kernel */
    int device;     /* of the memory */
    int is_short;   /* of memory for the copies */
    int failing;    /* the twin whose launch fails; ORIGINAL - 1: none */
    int endless;    /* the twin whose launch does not end */
    double seconds; /* that each launch takes on the clock of the process */
    int launches[KNOCKOUTS + 1];
} gpu;

static char memory[16], *const restored_from = memory + 8;
static unsigned char cubin[4096];
static int running; /* the twin of the latest launch */
static double clock_s;

/* Another thread may wait for the lock within the driver, which is not called with it then. */
static int locked;
void watch_lock(void)
{
    locked++;
}
void watch_unlock(void)
{
    locked--;
}

uint64_t watch_clock(void)
{
    return (uint64_t)(1e9 * clock_s);
}

int code_origin_is_known(const char *symbol, char reason[ORIGIN_REASON])
{
    assert_string_equal(symbol, "kernel");
    snprintf(reason, ORIGIN_REASON, "its origin is unknown");
    return !gpu.is_unknown;
}

/* ---- the driver ------------------------------------------------------------------------------ */

static CUfunction function_of(int twin)
{
    return (CUfunction)(uintptr_t)(100 + twin);
}

int twin_load(const struct twin_driver *loading, const struct twin_original *original,
              const struct twin *twin, CUlibrary *library, CUkernel *kernel, const char **reason)
{
    static int next;
    assert_int_equal(locked, 0);
    assert_int_equal(original->function == function_of(ORIGINAL), 1);
    assert_string_equal(original->symbol, "kernel");
    next = (int)(twin - watch.plan.kernel[0].twin);
    *kernel = (CUkernel)function_of(next);
    return 1;
}

/* A variable of the module, and that of the copy which was launched last. */
static char variable, variable_of_copy, *const saved_variable = memory + 12;

int twin_variables(const struct twin_driver *loading, const struct twin_original *original,
                   twin_visit *visit, void *context)
{
    return visit(context, "variable", (CUdeviceptr)(uintptr_t)&variable, 1);
}

int twin_copy_variables(const struct twin_driver *loading, const struct twin_original *original,
                        CUlibrary library)
{
    variable_of_copy = variable;
    return 1;
}

/* Defines a function of the driver that does this. */
#define DOES(name, parameters, ...)                                                                \
    static CUresult name parameters                                                                \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
        return CUDA_SUCCESS;                                                                       \
    }

static CUresult launch(const CUlaunchConfig *config, CUfunction function, void **parameters,
                       void **extra)
{
    running = (int)(uintptr_t)function - 100;
    assert_int_equal(locked, 0);
    gpu.launches[running + 1]++;
    assert_int_equal(config->gridDimX, 7);
    assert_int_equal(config->numAttrs, 1); /* the cluster, not the tie to the kernel before */
    assert_int_equal(config->attrs[0].id, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
    char *read = running == ORIGINAL ? &variable : &variable_of_copy;
    assert_int_equal(memory[0], 'a'); /* each launch reads the program's data */
    assert_int_equal(*read, 'v');
    memory[0] = *read = 'x';
    clock_s += gpu.seconds;
    return running == gpu.failing ? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_SUCCESS;
}

static CUresult stream_query(CUstream stream)
{
    if (running != gpu.endless) return CUDA_SUCCESS;
    clock_s += 1;
    return CUDA_ERROR_NOT_READY;
}

/* The original takes 100 us; a twin saves ten times its number, the unchanged copy nothing. */
DOES(event_elapsed, (float *milliseconds, CUevent begin, CUevent end),
     *milliseconds = running == ORIGINAL ? 0.1f : 0.1f - 0.01f * (float)running)
DOES(kernel_function, (CUfunction * function, CUkernel kernel), *function = (CUfunction)kernel)

static CUresult parameter(CUfunction function, size_t index, size_t *offset, size_t *size)
{
    *offset = 0;
    *size = 8;
    return index ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

static CUresult range(CUdeviceptr *from, size_t *bytes, CUdeviceptr address)
{
    *from = (CUdeviceptr)(uintptr_t)memory;
    *bytes = 1;
    return address == *from ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

DOES(device, (CUdevice * own), *own = 0)
DOES(pointer, (void *value, CUpointer_attribute which, CUdeviceptr address),
     assert_int_equal(which, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL);
     memcpy(value, &gpu.device, sizeof gpu.device))
DOES(allocate, (CUdeviceptr * copy, size_t bytes), static int count;
     *copy = (CUdeviceptr)(uintptr_t)(count++ % 2 ? saved_variable : restored_from))
DOES(copy, (CUdeviceptr to, CUdeviceptr from, size_t bytes),
     memcpy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes))

static CUresult copy_on(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return copy(to, from, bytes);
}

DOES(free_bytes, (size_t * available, size_t *total),
     *available = *total = gpu.is_short ? 0 : (size_t)1 << 32)
DOES(host_allocate, (void **bytes, size_t size, unsigned flags), static uint32_t gate;
     *bytes = &gate)
DOES(error_text, (CUresult status, const char **text), *text = "an illegal address")
DOES(current, (CUcontext * context), *context = (CUcontext)memory)
DOES(nothing, (void), )
DOES(stream_create, (CUstream * stream, unsigned flags), )
DOES(stream_wait, (CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags), )
DOES(event_create, (CUevent * event, unsigned flags), )
DOES(event_record, (CUevent event, CUstream stream), )
DOES(host_address, (CUdeviceptr * address, void *bytes, unsigned flags), *address = 0)
DOES(release, (CUdeviceptr address), )
DOES(attribute, (int *value, CUfunction_attribute which, CUfunction function), *value = 48)
DOES(set_attribute, (CUfunction function, CUfunction_attribute which, int value),
     assert_int_equal(value, 48))

static const struct twin_functions functions = {.launch = launch,
                                                .kernel_function = kernel_function,
                                                .attribute = attribute,
                                                .set_attribute = set_attribute,
                                                .parameter = parameter,
                                                .error_text = error_text,
                                                .synchronize = nothing,
                                                .stream_create = stream_create,
                                                .stream_wait = stream_wait,
                                                .stream_query = stream_query,
                                                .event_create = event_create,
                                                .event_record = event_record,
                                                .event_elapsed = event_elapsed,
                                                .host_allocate = host_allocate,
                                                .host_address = host_address,
                                                .allocate = allocate,
                                                .release = release,
                                                .free_bytes = free_bytes,
                                                .range = range,
                                                .device = device,
                                                .pointer = pointer,
                                                .copy_on = copy_on,
                                                .loading = {.copy = copy}};

const struct twin_functions *twin_functions(void)
{
    return &functions;
}

/* ---- a program ------------------------------------------------------------------------------- */

static const char plan[] = "mode\tknockouts\n"
                           "kernel\t0\t0\tkernel\t0\t7\t1\t1\t32\t1\t1\t0\t\n"
                           "count\t0\t1\ncode\t0\tab\n"
                           "twin\t0\tnothing\ntwin\t0\tbarriers\ntwin\t0\tconflicts\n"
                           "patch\t0\tbarriers\t3\tff\t1f\n";

/* A second kernel of the plan is launched later, and a third one in another process. */
#define OTHERS                                                                                     \
    "kernel\t1\t0\tother\t0\t7\t1\t1\t32\t1\t1\t0\t\ncode\t1\tab\ntwin\t1\tnothing\n"              \
    "kernel\t2\t5\tthird\t0\t7\t1\t1\t32\t1\t1\t0\t\ncode\t2\tab\ntwin\t2\tnothing\n"

/* Runs a program that launches the kernel in a process of its own. Returns its exit status; 77 if
 * the program went on. */
static int run_program(const char *text, const char *others)
{
    int status;
    CUlaunchAttribute attributes[] = {{.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION},
                                      {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION}};
    char *pointer = memory;
    void *parameters[] = {&pointer};
    const struct watched_launch launched = {.function = function_of(ORIGINAL),
                                            .config = {7, 1, 1, 32, 1, 1, 0, NULL, attributes, 2},
                                            .parameters = parameters};
    const char *reason;
    char *whole = text_new("%s%s", text, others);
    directory_remove(place("watch"));
    make_directory("watch");
    write_text("watch/plan.txt", whole);
    free(whole);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        driver.current = current;
        memory[0] = 'a';
        variable = 'v';
        assert_true(watch_plan_read(&watch.plan, place("watch"), &reason));
        assert_int_equal(part_open(place("watch"), NULL, 0, 0), 0);
        knockouts_keep(0xab, cubin, sizeof cubin);
        knockouts_keep(0xcd, cubin, 16);
        knockouts_take(&launched, &watch.plan.kernel[0].signature, 0);
        assert_int_equal(variable, 'v');
        assert_int_equal(memory[0], 'a'); /* the program goes on with its own data */
        part_flush();
        _exit(77);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int open_fixture(void **state)
{
    Elf64_Ehdr header = {.e_ident = ELFMAG, .e_machine = 190, .e_shentsize = sizeof(Elf64_Shdr)};
    memcpy(cubin, &header, sizeof header);
    return fixture_open(state);
}

static void begin(void)
{
    memset(&gpu, 0, sizeof gpu);
    gpu.failing = gpu.endless = ORIGINAL - 1;
}

static void left(const char *name, const char *rows)
{
    char *path = text_new("watch/0/%s", name), *text = text_read_file(place(path), NULL);
    assert_non_null(text);
    if (!strstr(text, rows)) print_error("%s has no '%s':\n%s", name, rows, text);
    assert_non_null(strstr(text, rows));
    free(path);
    free(text);
}

TEST(twins_are_timed_and_the_last_kernel_ends_the_program)
{
    begin();
    assert_int_equal(run_program(plan, ""), 0);
    left("knockouts.csv", "0,begun,original,");
    left("knockouts.csv", "0,result,nothing,no cost,41,100000");
    left("knockouts.csv", "0,result,barriers,ok,41,100000");
    left("knockouts.csv", "0,result,conflicts,ok,41,100000");
    left("knockouts.csv", ",20000");
    left("knockouts.csv", "0,done,original,");
    left("process.txt", "ended: knockouts");
}

TEST(the_program_goes_on_to_its_next_kernel)
{
    begin();
    assert_int_equal(run_program(plan, OTHERS), 77);
    left("knockouts.csv", "0,done,original,");
}

TEST(a_twin_that_fails_or_does_not_end_is_named)
{
    begin();
    gpu.failing = KNOCKOUT_BARRIERS;
    assert_int_equal(run_program(plan, OTHERS), 1);
    left("knockouts.csv", "0,fault,barriers,an illegal address,");
    begin();
    gpu.endless = KNOCKOUT_CONFLICTS;
    assert_int_equal(run_program(plan, OTHERS), 1);
    left("knockouts.csv", "0,fault,conflicts,it did not end,");
    begin();
    gpu.endless = ORIGINAL;
    assert_int_equal(run_program(plan, OTHERS), 1);
    left("knockouts.csv", "0,fault,original,it did not end,");
}

TEST(what_is_not_measured_has_a_reason)
{
    begin();
    gpu.is_unknown = 1;
    assert_int_equal(run_program(plan, OTHERS), 77);
    left("problems.csv", "knockouts,0,its origin is unknown\n");
    begin();
    gpu.is_short = 1; /* of memory */
    assert_int_equal(run_program(plan, OTHERS), 77);
    left("problems.csv", "knockouts,0,the memory that it uses cannot be saved");
    begin();
    gpu.device = 1;
    assert_int_equal(run_program(plan, OTHERS), 77);
    left("problems.csv", "knockouts,0,it uses memory of another device");
    begin();
    gpu.seconds = 0.1;
    assert_int_equal(run_program(plan, OTHERS), 77);
    left("knockouts.csv", "0,result,barriers,ok,");
    begin();
    gpu.seconds = 0.2;
    assert_int_equal(run_program(plan, OTHERS), 77);
    left("knockouts.csv", "0,result,barriers,absent: there was no time left for it,");
    left("knockouts.csv", "0,result,nothing,no cost,");
}

TEST(other_machine_code_is_not_patched)
{
    begin();
    assert_int_equal(run_program("mode\tknockouts\nkernel\t0\t0\tkernel\t0\t7\t1\t1\t32\t1\t1\t0\t"
                                 "\ncode\t0\tef\ntwin\t0\tnothing\n",
                                 OTHERS),
                     77);
    left("problems.csv", "its machine code is another one than in the starts before");
}

TEST(a_damaged_plan_of_twins_is_refused)
{
    static const char *const damaged[] = {"twin\t0\tbariers\n", "twin\t7\tbarriers\n",
                                          "patch\t0\tbarriers\t1\t2\n", "code\t9\tab\n"};
    const char *reason;
    OWNED_BY(watch_plan_free) struct watch_plan read;
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        OWNED char *text = text_new("%s%s", plan, damaged[i]);
        write_text("plan.txt", text);
        assert_false(watch_plan_read(&read, place(""), &reason));
    }
    write_text("plan.txt", plan);
    assert_true(watch_plan_read(&read, place(""), &reason));
    assert_int_equal(read.kernel[0].twins, 7);
    assert_int_equal(read.kernel[0].twin[KNOCKOUT_BARRIERS].patch_count, 1);
    assert_int_equal(read.kernel[0].twin[KNOCKOUT_BARRIERS].patch[0].instruction, 3);
    assert_int_equal(read.kernel[0].twin[KNOCKOUT_BARRIERS].patch[0].word.low, 0xff);
}

RUN_TESTS(open_fixture, fixture_close)
