#include "machine_code/probe_tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/text.h"
#include "catalog/registry.h"
#include "machine_code/read_distance.h"
#include "machine_code/source_file.h"
#include "run/line_codes.h"

struct writers {
    struct run *run;
    struct csv_writer *kernels, *lines;
    char **source; /* paths, by id */
    int source_count;
    struct line_codes codes;
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

/* Formats the innermost source line, and the lines from which it was inlined, outwards. */
static int format_lines(struct writers *writers, const struct listing_instruction *instruction,
                        char source[12], char line[12], struct text *chain)
{
    for (int i = 0; i < instruction->location_count; i++) {
        const struct source_location *location = &instruction->location[i];
        const int id = source_id(writers, location->file);
        if (id < 0) return id;
        if (i > 0) {
            text_format(chain, "%s%d:%u", i > 1 ? " " : "", id, location->line);
        } else {
            snprintf(source, 12, "%d", id);
            snprintf(line, 12, "%u", location->line);
        }
    }
    return chain->failed ? error_memory() : 0;
}

/* Writes the cells from kernel to sass. *code_of is the last cell of the row. */
static int write_code(struct writers *writers, int id, unsigned pc,
                      const struct listing_instruction *listed, const char **code_of)
{
    enum { CELLS = 6 };
    char kernel[12], at[12], source[12] = "", line[12] = "";
    struct text chain = {0};
    int result = listed ? format_lines(writers, listed, source, line, &chain) : 0;
    const char *cell[CELLS + 1] = {
        kernel, at, source, line, text_string(&chain), listed && listed->sass ? listed->sass : "",
        ""};
    snprintf(kernel, sizeof kernel, "%d", id);
    snprintf(at, sizeof at, "%u", pc);
    if (!result) result = line_codes_shorten(&writers->codes, cell, CELLS);
    if (!result) csv_texts(writers->lines, CELLS, cell);
    *code_of = cell[CELLS];
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
    const char *code_of;
    const int result = write_code(writers, id, pc, listed, &code_of);
    for (int m = 0; m < INSTRUCTION_COUNTS; m++) {
        /* CUPTI has no record of an instruction that never ran. */
        const double never = m <= COUNT_THREADS_ON ? 0 : NAN;
        csv_number(writers->lines, !counts ? NAN : at->counted ? at->count[m] : never);
    }
    CSV_NUMBERS(writers->lines, samples ? at->samples : NAN, samples ? at->not_issued : NAN);
    CSV_TEXTS(writers->lines, at->stalls.data, code_of);
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

static int write_kernel(struct csv_writer *writer, const struct probe_result *kernel, int id,
                        const struct listing *listing)
{
    struct read_distances found;
    const int result = read_distances_of(&found, listing);
    if (result) return result;
    csv_integer(writer, id);
    point_key_write(writer, &kernel->key);
    csv_integer(writer, kernel->launch);
    CSV_TEXTS(writer, kernel->symbol, kernel->name, kernel->counts_status, kernel->samples_status);
    csv_numbers(writer, PROBE_TOTALS, kernel->total);
    CSV_TEXTS(writer, listing->lines_status, listing->sass_status);
    CSV_NUMBERS(writer, found.read, found.copy);
    csv_text(writer, found.status);
    csv_end(writer);
    return 0;
}

static int write_sources(struct writers *writers, source_reader *read, time_t made)
{
    struct csv_writer *writer = run_writer(writers->run, TABLE_SOURCES),
                      *files = run_writer(writers->run, TABLE_SOURCE_FILES);
    if (!writer || !files) return FAIL_OUTPUT;
    char *root = data_directory();
    if (!root) return FAIL_INPUT;
    for (int i = 0; i < writers->source_count; i++) {
        char hash[17], status[SOURCE_STATUS];
        const struct own_family *own = registry_own_of_file(writers->source[i]);
        const struct source_place place = {own ? own->copy : root, made};
        char *text = read(place, writers->source[i], hash, status);
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
                       const struct listing *listing, source_reader *read, time_t made)
{
    struct writers writers = {.run = run,
                              .kernels = run_writer(run, TABLE_KERNELS),
                              .lines = run_writer(run, TABLE_LINES)};
    int result = writers.kernels && writers.lines ? 0 : FAIL_OUTPUT;
    for (int id = 0; id < kernels->count && !result; id++) {
        result = write_kernel(writers.kernels, &kernels->kernel[id], id, &listing[id]);
        if (!result) result = write_instructions(&writers, &kernels->kernel[id], id, &listing[id]);
    }
    if (!result) result = write_sources(&writers, read, made);
    for (int i = 0; i < writers.source_count; i++) free(writers.source[i]);
    free(writers.source);
    line_codes_free(&writers.codes);
    return result;
}
