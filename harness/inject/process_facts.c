/*
 * Describes the process in process.txt: its command line, and the versions of CUPTI and the driver.
 */
#include <cupti_target.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inject/part_files.h"
#include "inject/watch.h"

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
    char executable[4096] = "", number[32];
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
    if (readlink("/proc/self/exe", executable, sizeof executable - 1) > 0) {
        char *escaped = part_escaped(executable);
        if (escaped) part_fact("executable", escaped);
        free(escaped);
    }
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
    PARAMS(CUpti_Device_GetChipName_Params, chip, .deviceIndex = device);
    is_written = cuptiDeviceGetChipName(&chip) == CUPTI_SUCCESS;
    if (is_written) part_fact("chip", chip.pChipName);
}
