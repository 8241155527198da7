/*
 * Makes a run of any size out of a recorded one:
 * scale_run RECORDED DIRECTORY KERNELS [LADDER [SETTINGS]] writes a run with KERNELS rows in
 * kernels.csv and 50 times as many in lines.csv, of all ladders named below or of this one alone.
 * The same arguments give the same bytes.
 *
 * The kernels form many ladders, as those of a user who tunes kernels: each has the rungs, steps
 * and claims of a recorded one, at SIZES problem sizes and in SETTINGS (10) settings of a sweep.
 * Each point has:
 *
 *   launches, kernels   one; the instructions of every launch are known
 *   lines               50 instructions, a section of the recorded kernel's
 *   series, samples     three (cold a and b, warm a), 16 to 20 samples each
 *   counters            all recorded ones, once; twice in the first setting, which is the best one,
 *                       so that its noise is known
 *   accesses            those that the recorded rung describes
 *   traces              one for each rung, at the largest size in the best setting, with its
 *                       samples over time and its kernel
 *
 * A point of a recorded run has up to 244 samples, 315 counter rows and 130 samples over time: here
 * it has 54, about 90 and about 6. Families, variants, claims, published figures, ceilings and
 * sources are the recorded ones, under the new families' names; the source files stay the same. The
 * sizes are the recorded one, doubled again and again. Counts grow with the size by integer
 * factors, so relations between them stay true. Times grow as much, and by some per cent more for
 * the setting and by chance, so that no rate exceeds the recorded one. Shares and ratios stay the
 * same.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/message.h"
#include "scale_read.h"

enum { SIZES = 8, LINES = 50, SERIES = 3, LEAST_SAMPLES = 16, MOST_CELLS = 24 };

static const char *const ladders[] = {"reduce", "gemm", "dot", "reduce_float", "gemm_ablation"};
enum { LADDERS = sizeof ladders / sizeof *ladders };

/* ---- writing --------------------------------------------------------------------------------- */

struct scaling {
    struct recorded recorded;
    struct csv_writer table[TABLES];
    uint64_t random;
    struct line_codes codes; /* that were written */
    int64_t kernels, most, traces;
    int settings;
    const char *family; /* of the current ladder */
};

static double chance(struct scaling *scaling)
{
    return (double)(stats_random(&scaling->random) >> 11) / 9007199254740992.0;
}

/* A number or a text, times a factor. */
static void scaled(struct csv_writer *writer, const char *cell, double factor)
{
    char *end;
    const double value = strtod(cell, &end);
    if (end == cell || *end)
        csv_text(writer, *cell ? cell : NULL);
    else
        csv_number(writer, strchr(cell, '.') ? value * factor : floor(value * factor + 0.5));
}

static void cells(struct csv_writer *writer, char **row, int from, int to)
{
    for (int i = from; i < to; i++) csv_text(writer, *row[i] ? row[i] : NULL);
}

/* A problem size: the recorded one, doubled some times in its first dimension. */
struct scaled_point {
    const struct rung *rung;
    char size[64];
    int sweep;
    double time_factor;
    double factor; /* for other quantities that grow with the size; a whole number */
};

static void write_key(struct scaling *scaling, enum scaled_table table,
                      const struct scaled_point *point)
{
    struct csv_writer *writer = &scaling->table[table];
    csv_text(writer, scaling->family);
    csv_text(writer, point->rung->variant[1]);
    csv_text(writer, point->size);
    csv_text(writer, point->rung->point[3]);
    csv_integer(writer, point->sweep);
    const struct rows *points = &scaling->recorded.table[POINTS];
    if (cell_of(points, points->row[0], "device")) csv_integer(writer, 0);
}

static void write_samples(struct scaling *scaling, const struct scaled_point *point)
{
    static const char *const series[SERIES][3] = {
        {"cold", "end_to_end", "a"}, {"cold", "end_to_end", "b"}, {"warm", "end_to_end", "a"}};
    struct csv_writer *writer = &scaling->table[SAMPLES], *summary = &scaling->table[SERIES_TABLE];
    for (int s = 0; s < SERIES; s++) {
        const int count = LEAST_SAMPLES + (int)(5 * chance(scaling));
        for (int i = 0; i < count; i++) {
            write_key(scaling, SAMPLES, point);
            cells(writer, (char **)(uintptr_t)series[s], 0, 3);
            csv_integer(writer, i);
            csv_number(writer, point->rung->time_ns * point->time_factor * (s == 2 ? 0.97 : 1) *
                                   (1 + 0.004 * chance(scaling)));
            csv_number(writer, 1965 + floor(30 * chance(scaling)));
            csv_text(writer, "ok");
            csv_end(writer);
        }
        write_key(scaling, SERIES_TABLE, point);
        cells(summary, (char **)(uintptr_t)series[s], 0, 3);
        csv_integer(summary, count);
        csv_integer(summary, 0);
        csv_text(summary, "converged");
        csv_end(summary);
    }
}

/* Shares, ratios and rates do not grow with the problem. */
static int is_count(const char *counter)
{
    static const char *const others[] = {"_pct",   "_hz",        "_peak",    "_per_",
                                         "stall_", "_in_flight", "occupancy"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strstr(counter, others[i])) return 0;
    return 1;
}

/* The bytes that a larger problem writes beyond the scaled recorded bytes: the L2 cache keeps the
 * same amount, and no more. */
static double spilled(const struct scaled_point *point, const struct recorded *recorded,
                      const char *counter)
{
    const struct rows *counters = &recorded->table[COUNTERS], *points = &recorded->table[POINTS];
    if (strcmp(counter, "dram_write_bytes") && strcmp(counter, "dram_bytes")) return 0;
    double written = 0;
    for (int i = 0; i < point->rung->counters; i++) {
        char **row = counters->row[point->rung->counter + i];
        if (cell_is(counters, row, "counter", "dram_write_bytes"))
            written = strtod(cell_of(counters, row, "value"), NULL);
    }
    const double kept = strtod(cell_of(points, point->rung->point, "useful_bytes"), NULL) -
                        strtod(cell_of(points, point->rung->point, "input_bytes"), NULL) - written;
    return kept > 0 ? (point->factor - 1) * kept : 0;
}

static void write_counters(struct scaling *scaling, const struct scaled_point *point, int repeats)
{
    struct csv_writer *writer = &scaling->table[COUNTERS];
    const struct rows *counters = &scaling->recorded.table[COUNTERS];
    const int set = column_of(counters, "counter_set"), name = column_of(counters, "counter"),
              value = column_of(counters, "value");
    for (int repeat = 0; repeat < repeats; repeat++) {
        for (int i = 0; i < point->rung->counters; i++) {
            char **row = counters->row[point->rung->counter + i];
            write_key(scaling, COUNTERS, point);
            csv_integer(writer, 0);
            csv_integer(writer, repeat);
            cells(writer, row, set, value);
            const double grown = spilled(point, &scaling->recorded, row[name]);
            if (grown > 0)
                csv_number(writer, strtod(row[value], NULL) * point->factor + grown);
            else
                scaled(writer, row[value],
                       (is_count(row[name]) ? point->factor : 1) *
                           (repeat && strstr(row[name], "shared_conflicts")
                                ? 1 - 1e-4 * chance(scaling)
                                : 1));
            cells(writer, row, value + 1, counters->width);
            csv_end(writer);
        }
    }
}

static void write_lines(struct scaling *scaling, const struct scaled_point *point)
{
    enum { FIRST_COUNT = 6, SAMPLES_CELL = 16, STALLS = 18 };
    const int refers = column_of(&scaling->recorded.table[LINES_TABLE], "code_of") <
                       scaling->recorded.table[LINES_TABLE].width;
    char kernel[24], pc[12];
    snprintf(kernel, sizeof kernel, "%lld", (long long)scaling->kernels);
    struct csv_writer *writer = &scaling->table[LINES_TABLE];
    const struct rung *rung = point->rung;
    const int start = (int)(chance(scaling) * rung->lines);
    for (int i = 0; i < LINES; i++) {
        char **row =
            scaling->recorded.table[LINES_TABLE].row[rung->line + (start + i) % rung->lines];
        const char *cell[] = {kernel, pc, row[2], row[3], row[4], row[5], ""};
        snprintf(pc, sizeof pc, "%d", 16 * i);
        if (refers && line_codes_shorten(&scaling->codes, cell, FIRST_COUNT)) exit(FAIL_OUTPUT);
        csv_texts(writer, FIRST_COUNT, cell);
        for (int c = FIRST_COUNT; c < SAMPLES_CELL; c++) scaled(writer, row[c], point->factor);
        cells(writer, row, SAMPLES_CELL, STALLS + 1);
        if (refers) csv_text(writer, cell[FIRST_COUNT]);
        csv_end(writer);
    }
}

static void write_accesses(struct scaling *scaling, const struct scaled_point *point)
{
    const struct rows *accesses = &scaling->recorded.table[ACCESSES];
    const int executions = column_of(accesses, "executions");
    for (int i = 0; i < point->rung->accesses; i++) {
        char **row = accesses->row[point->rung->access + i];
        struct csv_writer *writer = &scaling->table[ACCESSES];
        write_key(scaling, ACCESSES, point);
        cells(writer, row, column_of(accesses, "launch"), executions);
        scaled(writer, row[executions], point->factor);
        cells(writer, row, executions + 1, accesses->width);
        csv_end(writer);
    }
}

static void write_trace(struct scaling *scaling, const struct scaled_point *point)
{
    const struct rung *rung = point->rung;
    if (!rung->trace) return;
    const struct rows *traces = &scaling->recorded.table[TRACES];
    struct csv_writer *writer = &scaling->table[TRACES];
    csv_integer(writer, scaling->traces);
    write_key(scaling, TRACES, point);
    cells(writer, traces->row[rung->trace], column_of(traces, "counter_set"), traces->width);
    csv_end(writer);
    for (int i = 0; i < rung->samples; i++) {
        char **row = scaling->recorded.table[TRACE_SAMPLES].row[rung->sample + i];
        writer = &scaling->table[TRACE_SAMPLES];
        csv_integer(writer, scaling->traces);
        cells(writer, row, 1, 5);
        scaled(writer, row[5], 1 - 0.001 * chance(scaling));
        csv_end(writer);
    }
    writer = &scaling->table[ACTIVITIES];
    csv_integer(writer, scaling->traces++);
    csv_integer(writer, 0);
    cells(writer, scaling->recorded.table[ACTIVITIES].row[1], 2, 16);
    csv_end(writer);
}

static void write_point(struct scaling *scaling, const struct scaled_point *point)
{
    const struct recorded *recorded = &scaling->recorded;
    const struct rung *rung = point->rung;
    const int launches = column_of(&recorded->table[POINTS], "launches"),
              blocks = column_of(&recorded->table[LAUNCHES], "grid_blocks");
    struct csv_writer *writer = &scaling->table[POINTS];
    write_key(scaling, POINTS, point);
    csv_text(writer, "ok");
    csv_text(writer, NULL);
    for (int i = column_of(&recorded->table[POINTS], "useful_bytes"); i < launches; i++)
        scaled(writer, rung->point[i], point->factor);
    csv_integer(writer, 1);
    for (int i = launches + 1; i < recorded->table[POINTS].width; i++)
        scaled(writer, rung->point[i], point->factor); /* input_bytes, if it was recorded */
    csv_end(writer);
    writer = &scaling->table[LAUNCHES];
    write_key(scaling, LAUNCHES, point);
    csv_integer(writer, 0);
    scaled(writer, rung->launch[blocks], point->factor);
    cells(writer, rung->launch, blocks + 1, recorded->table[LAUNCHES].width);
    csv_end(writer);
    writer = &scaling->table[KERNELS];
    csv_integer(writer, scaling->kernels);
    write_key(scaling, KERNELS, point);
    cells(writer, rung->kernel, column_of(&recorded->table[KERNELS], "launch"),
          recorded->table[KERNELS].width);
    csv_end(writer);
    write_accesses(scaling, point);
    write_samples(scaling, point);
    write_counters(scaling, point, point->sweep == 1 ? 2 : 1);
    write_lines(scaling, point);
    scaling->kernels++;
}

static void write_rung(struct scaling *scaling, const struct rung *rung)
{
    const double luck = 1 + 0.1 * chance(scaling);
    for (int size = 0; size < SIZES; size++) {
        for (int sweep = 1; sweep <= scaling->settings; sweep++) {
            struct scaled_point point = {.rung = rung, .sweep = sweep, .factor = ldexp(1, size)};
            char *rest;
            const unsigned long long first = strtoull(rung->point[2], &rest, 10);
            snprintf(point.size, sizeof point.size, "%llu%s", first << size, rest);
            point.time_factor =
                point.factor * luck * (1 + 0.02 * (sweep - 1)) * (1 + 0.002 * chance(scaling));
            if (scaling->kernels == scaling->most) return;
            write_point(scaling, &point);
            if (size == SIZES - 1 && sweep == 1) write_trace(scaling, &point);
        }
    }
}

/* Writes rows of a table about families or rungs under the name of the new family. */
static void copy_rows(struct scaling *scaling, enum scaled_table table, const struct rows *rows,
                      char **key, int keys)
{
    for (int i = 1; i < rows->count; i++) {
        if (!alike(rows->row[i], key, keys)) continue;
        csv_text(&scaling->table[table], scaling->family);
        cells(&scaling->table[table], rows->row[i], 1, rows->width);
        csv_end(&scaling->table[table]);
    }
}

static void write_ladder(struct scaling *scaling, const char *ladder)
{
    const struct recorded *recorded = &scaling->recorded;
    char *key[] = {(char *)(uintptr_t)ladder};
    struct rung rung;
    copy_rows(scaling, FAMILIES, &recorded->table[FAMILIES], key, 1);
    for (int i = 1; i < recorded->table[VARIANTS].count && scaling->kernels < scaling->most; i++) {
        char **variant = recorded->table[VARIANTS].row[i];
        if (strcmp(variant[0], ladder) || !find_rung(recorded, variant, &rung)) continue;
        struct csv_writer *writer = &scaling->table[VARIANTS];
        csv_text(writer, scaling->family);
        cells(writer, variant, 1, 9);
        csv_text(writer, "setting");
        csv_text(writer, "Setting");
        cells(writer, variant, 11, recorded->table[VARIANTS].width);
        csv_end(writer);
        copy_rows(scaling, CLAIMS, &recorded->table[CLAIMS], variant, 2);
        copy_rows(scaling, PUBLISHED, &recorded->table[PUBLISHED], variant, 2);
        write_rung(scaling, &rung);
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

static FILE *open_in(const char *directory, const char *name, const char *mode)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, mode);
    if (!file) error(FAIL_OUTPUT, "%s: cannot open", path);
    return file;
}

static int copy_file(const char *from, const char *to, const char *name, int lines)
{
    FILE *in = open_in(from, name, "r"), *out = in ? open_in(to, name, "w") : NULL;
    int c;
    while (out && lines && (c = getc(in)) != EOF) {
        putc(c, out);
        lines -= c == '\n';
    }
    if (in) fclose(in);
    return out && !fclose(out) ? 0 : FAIL_OUTPUT;
}

static int open_tables(struct scaling *scaling, const char *directory)
{
    int result = 0;
    for (int t = 0; t < TABLES && !result; t++) {
        char name[64];
        snprintf(name, sizeof name, "%s.csv", table_names[t]);
        result = copy_file(scaling->recorded.directory, directory, name, 1);
        scaling->table[t].file = result ? NULL : open_in(directory, name, "a");
        if (!scaling->table[t].file) result = FAIL_OUTPUT;
    }
    return result;
}

static int close_tables(struct scaling *scaling, int result)
{
    for (int t = 0; t < TABLES; t++)
        if (scaling->table[t].file && fclose(scaling->table[t].file) && !result)
            result = error(FAIL_OUTPUT, "%s.csv: cannot write", table_names[t]);
    return result;
}

int main(int count, char **argument)
{
    static const char *const as_they_are[] = {"run.txt", "ceilings.csv", "sources.csv",
                                              "stages.csv"};
    struct scaling scaling = {.random = 1, .settings = 10};
    if (count > 5) scaling.settings = (int)strtol(argument[5], NULL, 10);
    if (count < 4 || count > 6 || scaling.settings < 1)
        return error(FAIL_USAGE,
                     "usage: scale_run RECORDED DIRECTORY KERNELS [LADDER [SETTINGS]]");
    scaling.recorded.directory = argument[1];
    scaling.most = strtoll(argument[3], NULL, 10);
    mkdir(argument[2], 0777);
    int result = read_recorded(&scaling.recorded);
    for (size_t i = 0; i < sizeof as_they_are / sizeof *as_they_are && !result; i++)
        result = copy_file(argument[1], argument[2], as_they_are[i], -1);
    if (!result) result = open_tables(&scaling, argument[2]);
    for (int family = 0; !result && scaling.kernels < scaling.most; family++) {
        char name[64];
        const int64_t before = scaling.kernels;
        const char *ladder = count > 4 ? argument[4] : ladders[family % LADDERS];
        snprintf(name, sizeof name, "%.40s_%03d", ladder, family);
        scaling.family = name;
        write_ladder(&scaling, ladder);
        if (family >= LADDERS && before == scaling.kernels)
            result = error(FAIL_INPUT, "%s: no rungs whose instructions are known", argument[1]);
    }
    free_recorded(&scaling.recorded);
    line_codes_free(&scaling.codes);
    return close_tables(&scaling, result);
}
