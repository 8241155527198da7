/*
 * Tells the processes of a program apart, and describes this one in process.txt: its command line,
 * and the versions of CUPTI and the driver. Processes that start at the same time begin to use CUDA
 * in any order, so a process of a later start is known by its generation and its executable.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "injected/part_files.h"
#include "injected/watch.h"

static char executable[4096];

/* Returns the parent of a process, or 0. */
static int parent_of(int process)
{
    char path[32], line[512];
    snprintf(path, sizeof path, "/proc/%d/stat", process);
    FILE *file = fopen(path, "re");
    const size_t length = file ? fread(line, 1, sizeof line - 1, file) : 0;
    if (file) fclose(file);
    line[length] = 0;
    const char *name_end = strrchr(line, ')'); /* a name may hold blanks and parentheses */
    int parent = 0;
    return name_end && sscanf(name_end + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

/* Returns how many processes lie between whyfast and this one, which is counted; -1 if whyfast is
 * no ancestor any more. */
static int generation(void)
{
    enum { MOST = 1000 };
    int process = (int)getpid();
    for (int n = 0; process > 1 && n < MOST; n++, process = parent_of(process))
        if (process == watch.plan.starter) return n;
    return -1;
}

int process_open(const char *directory)
{
    const struct watch_plan *plan = &watch.plan;
    const int own = generation();
    int count = 0, next = 0, *numbers = calloc((size_t)plan->process_count + 1, sizeof *numbers);
    if (!numbers) return -1;
    if (readlink("/proc/self/exe", executable, sizeof executable - 1) < 0) *executable = 0;
    for (int i = 0; i < plan->process_count; i++) {
        const struct planned_process *planned = &plan->process[i];
        if (planned->generation == own && !strcmp(planned->executable, executable))
            numbers[count++] = planned->number;
        if (planned->number >= next) next = planned->number + 1;
    }
    const int number = part_open(directory, numbers, count, next);
    free(numbers);
    return number;
}

/* Writes a line of process.txt with the words of the command line, separated by tabs. */
static void write_arguments(void)
{
    struct text words = {0};
    FILE *file = fopen("/proc/self/cmdline", "rbe");
    char word[4096];
    int length = 0;
    for (int c = 0; file && c != EOF;) {
        c = getc(file);
        if (c != EOF && c && length < (int)sizeof word - 1) word[length++] = (char)c;
        if (c && c != EOF) continue;
        word[length] = 0;
        char *escaped = c == EOF && length == 0 ? NULL : part_escaped(word);
        if (escaped) text_format(&words, "%s%s", words.length ? "\t" : "", escaped);
        free(escaped);
        length = 0;
    }
    if (file) fclose(file);
    part_fact("arguments", text_string(&words));
    text_free(&words);
}

void process_describe(void)
{
    char number[32];
    uint32_t version = 0;
    Dl_info library = {0};
    void *address;
    int driver_version = 0;
    __typeof__(cuptiGetVersion) *get_version = cuptiGetVersion;
    memcpy(&address, &get_version, sizeof address);
    snprintf(number, sizeof number, "%ld", (long)getpid());
    part_fact("pid", number);
    snprintf(number, sizeof number, "%ld", (long)getppid());
    part_fact("parent", number);
    snprintf(number, sizeof number, "%d", generation());
    part_fact("generation", number);
    char *escaped = part_escaped(executable);
    if (escaped) part_fact("executable", escaped);
    free(escaped);
    write_arguments();
    if (dladdr(address, &library) && library.dli_fname) part_fact("cupti", library.dli_fname);
    cuptiGetVersion(&version);
    snprintf(number, sizeof number, "%u", version);
    part_fact("cupti_version", number);
    driver.version(&driver_version);
    snprintf(number, sizeof number, "%d", driver_version);
    part_fact("driver", number);
}

void process_describe_chip(CUcontext context)
{
    static int is_written;
    uint32_t device = 0;
    if (is_written || cuptiGetDeviceId(context, &device) != CUPTI_SUCCESS) return;
    CUPTI_PARAMS(CUpti_Device_GetChipName_Params, chip, .deviceIndex = device);
    is_written = cuptiDeviceGetChipName(&chip) == CUPTI_SUCCESS;
    if (is_written) part_fact("chip", chip.pChipName);
}
