#include "collect/probe_tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/text.h"
#include "catalog/registry.h"
#include "code/source_file.h"

struct writers {
    struct run *run;
    struct csv_writer *kernels, *lines;
    char **source; /* paths, by id */
    int source_count;
};

/* The id of a source file; negative, with a message, if memory is short. */
static int source_id(struct writers *writers, const char *path)
{
    for (int i = 0; i < writers->source_count; i++)
        if (!strcmp(writers->source[i], path)) return i;
    char **sources =
        realloc(writers->source, (size_t)(writers->source_count + 1) * sizeof *sources);
    if (!sources) return error_memory();
    writers->source = sources;
    sources[writers->source_count] = strdup(path);
    return sources[writers->source_count] ? writers->source_count++ : error_memory();
}

/* Writes the cells source, line and inlined_at: the innermost source line, and the lines from which
 * it was inlined, outwards. */
static int write_source_line(struct writers *writers, const struct listing_instruction *instruction)
{
    struct text chain = {0};
    int result = 0;
    if (!instruction || !instruction->location_count) {
        CSV_TEXTS(writers->lines, NULL, NULL, NULL);
        return 0;
    }
    for (int i = 0; i < instruction->location_count && !result; i++) {
        const int id = source_id(writers, instruction->location[i].file);
        const unsigned line = instruction->location[i].line;
        if (id < 0)
            result = id;
        else if (i > 0)
            text_format(&chain, "%s%d:%u", i > 1 ? " " : "", id, line);
        else
            CSV_INTEGERS(writers->lines, id, line);
    }
    if (!result && chain.failed) result = error_memory();
    csv_text(writers->lines, chain.data);
    text_free(&chain);
    return result;
}

static int write_instruction(struct writers *writers, const struct probe_result *kernel, int id,
                             unsigned pc, const struct listing_instruction *listed)
{
    static const struct line_instruction nothing;
    const unsigned index = pc / SASS_BYTES;
    const struct line_instruction *at =
        (int)index < kernel->count ? &kernel->instruction[index] : &nothing;
    const int counts = !strcmp(kernel->counts_status, "ok"),
              samples = !strcmp(kernel->samples_status, "ok");
    CSV_INTEGERS(writers->lines, id, pc);
    const int result = write_source_line(writers, listed);
    csv_text(writers->lines, listed ? listed->sass : NULL);
    for (int m = 0; m < INSTRUCTION_COUNTS; m++) {
        /* CUPTI has no record of an instruction that never ran. */
        const double never = m <= COUNT_THREADS_ON ? 0 : NAN;
        csv_number(writers->lines, !counts ? NAN : at->counted ? at->count[m] : never);
    }
    CSV_NUMBERS(writers->lines, samples ? at->samples : NAN, samples ? at->not_issued : NAN);
    csv_text(writers->lines, at->stalls.data);
    csv_end(writers->lines);
    return result;
}

static int is_sampled(const struct probe_result *kernel, unsigned pc)
{
    const unsigned index = pc / SASS_BYTES;
    return (int)index < kernel->count && kernel->instruction[index].samples > 0;
}

/* Writes every instruction of the code; if that is not known, or if the kernel was sampled alone,
 * those with counts or samples. */
static int write_instructions(struct writers *writers, const struct probe_result *kernel, int id,
                              const struct listing *listing)
{
    int result = 0;
    for (int i = 0; i < listing->count && !result; i++)
        if (!kernel->is_sampled_only || is_sampled(kernel, listing->instruction[i].pc))
            result = write_instruction(writers, kernel, id, listing->instruction[i].pc,
                                       &listing->instruction[i]);
    for (int at = 0; listing->count == 0 && at < kernel->count && !result; at++)
        if (kernel->instruction[at].counted || kernel->instruction[at].samples > 0)
            result = write_instruction(writers, kernel, id, (unsigned)at * SASS_BYTES, NULL);
    return result;
}

static void write_kernel(struct csv_writer *writer, const struct probe_result *kernel, int id,
                         const struct listing *listing)
{
    csv_integer(writer, id);
    point_key_write(writer, &kernel->key);
    csv_integer(writer, kernel->launch);
    CSV_TEXTS(writer, kernel->symbol, kernel->name, kernel->counts_status, kernel->samples_status);
    csv_numbers(writer, PROBE_TOTALS, kernel->total);
    CSV_TEXTS(writer, listing->lines_status, listing->sass_status);
    csv_end(writer);
}

static int write_sources(struct writers *writers, source_reader *read)
{
    struct csv_writer *writer = run_writer(writers->run, TABLE_SOURCES),
                      *files = run_writer(writers->run, TABLE_SOURCE_FILES);
    if (!writer || !files) return FAIL_OUTPUT;
    char *root = data_directory();
    if (!root) return FAIL_INPUT;
    for (int i = 0; i < writers->source_count; i++) {
        char hash[17], status[SOURCE_STATUS];
        const struct own_family *own = registry_own_of_file(writers->source[i]);
        char *text = read(own ? own->copy : root, writers->source[i], hash, status);
        csv_integer(writer, i);
        CSV_TEXTS(writer, writers->source[i], text ? hash : NULL, status);
        csv_end(writer);
        if (text) {
            csv_integer(files, i);
            csv_text(files, text);
            csv_end(files);
        }
        free(text);
    }
    free(root);
    return 0;
}

int probe_tables_write(struct run *run, const struct probe_results *kernels,
                       const struct listing *listing, source_reader *read)
{
    struct writers writers = {.run = run,
                              .kernels = run_writer(run, TABLE_KERNELS),
                              .lines = run_writer(run, TABLE_LINES)};
    int result = writers.kernels && writers.lines ? 0 : FAIL_OUTPUT;
    for (int id = 0; id < kernels->count && !result; id++) {
        write_kernel(writers.kernels, &kernels->kernel[id], id, &listing[id]);
        result = write_instructions(&writers, &kernels->kernel[id], id, &listing[id]);
    }
    if (!result) result = write_sources(&writers, read);
    for (int i = 0; i < writers.source_count; i++) free(writers.source[i]);
    free(writers.source);
    return result;
}
