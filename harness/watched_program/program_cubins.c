#include "watched_program/program_cubins.h"

#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/csv.h"
#include "base/message.h"
#include "machine_code/cubin.h"

static const char ENDING[] = ".cubin";

struct search {
    struct program_parts *parts;
    int process;
    const char *directory; /* of its cubins */
};

static int set_cubin(struct program_kernel *kernel, const char *name, size_t length)
{
    char *cubin = strndup(name, length);
    if (!cubin) return error_memory();
    free(kernel->cubin);
    kernel->cubin = cubin;
    return 0;
}

static int is_wanted(const struct search *search, const struct program_kernel *kernel)
{
    return kernel->process == search->process && !*kernel->cubin;
}

/* Columns: symbol, cubin and others. */
static int take_sample(void *context, const struct csv_reader *row)
{
    const struct search *search = context;
    if (row->line == 1 || row->count < 2 || !*row->cell[1]) return 0;
    for (int k = 0; k < search->parts->kernel_count; k++) {
        struct program_kernel *kernel = &search->parts->kernel[k];
        if (!is_wanted(search, kernel) || strcmp(kernel->symbol, row->cell[0])) continue;
        const int result = set_cubin(kernel, row->cell[1], strlen(row->cell[1]));
        if (result) return result;
    }
    return 0;
}

/* Takes the kernels whose code is in a file. */
static int take_cubin(void *context, const char *name)
{
    const struct search *search = context;
    const size_t length = text_before(name, ENDING);
    struct cubin cubin;
    Elf64_Shdr section;
    size_t size = 0;
    int result = 0;
    if (!length) return 0;
    char *data = text_read_file(path_in(search->directory, name).at, &size);
    const int is_open = data && cubin_open(&cubin, (const unsigned char *)data, size);
    for (int k = 0; is_open && k < search->parts->kernel_count && !result; k++) {
        struct program_kernel *kernel = &search->parts->kernel[k];
        if (is_wanted(search, kernel) && cubin_kernel_find(&cubin, kernel->symbol, &section))
            result = set_cubin(kernel, name, length);
    }
    free(data);
    return result;
}

int program_cubins_find(struct program_parts *parts, const char *directory)
{
    int result = 0;
    for (int p = 0; p < parts->process_count && !result; p++) {
        struct search search = {.parts = parts, .process = parts->process[p].number};
        const struct path samples = path_of("%s/%d/samples.csv", directory, search.process),
                          cubins = path_of("%s/%d/cubins", directory, search.process);
        search.directory = cubins.at;
        if (file_exists(samples.at)) result = csv_each(samples.at, take_sample, &search);
        if (result == FAIL_INPUT) result = 0; /* a file that was cut off */
        if (!result && file_exists(cubins.at))
            result = directory_visit(cubins.at, take_cubin, &search);
    }
    return result;
}
