#include "ncu_report/report_import.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "machine_code/kernel_label.h"
#include "machine_code/kernel_listing.h"
#include "machine_code/probe_tables.h"
#include "machine_code/source_file.h"
#include "ncu_report/report_kernels.h"
#include "run/named_kernels.h"
#include "version.h"

/* Series of imported kernels: `kind` of series.csv. */
#define SERIES_KIND "replayed"

enum { LEAST_LAUNCHES = 12 /* for two series with an interval each */ };

struct importing {
    struct run *run;
    struct report_kernels kernels;
    char (*label)[KERNEL_LABEL];
    struct named_kernel *named; /* of the same kernels */
    char (*family)[NAMED_KERNEL];
};

/* ---- names ----------------------------------------------------------------------------------- */

/* A family is named after its program, or after its file if there are several. */
static void name_family(struct importing *importing, int i)
{
    char stem[NAMED_KERNEL];
    const char *file = text_base_name(importing->kernels.family[i]);
    const char *end = report_file_is_named(file) ? strstr(file, ".ncu-rep") : file + strlen(file);
    int number = 1;
    snprintf(stem, sizeof stem, "%.*s", (int)(end - file), file);
    named_kernel_family(importing->family[i], stem);
    const size_t length = strlen(importing->family[i]);
    for (int k = 0; k < i; k++) {
        if (strcmp(importing->family[k], importing->family[i])) continue;
        snprintf(importing->family[i] + length, NAMED_KERNEL - length, "-p%d", ++number);
        k = -1; /* that name may be another's */
    }
}

static int name_kernels(struct importing *importing)
{
    const struct report_kernels *kernels = &importing->kernels;
    const size_t count = (size_t)kernels->count + 1;
    const char **names = calloc(count, sizeof *names);
    importing->label = calloc(count, sizeof *importing->label);
    importing->named = calloc(count, sizeof *importing->named);
    importing->family = calloc((size_t)kernels->families + 1, sizeof *importing->family);
    int result =
        names && importing->label && importing->named && importing->family ? 0 : error_memory();
    for (int i = 0; i < kernels->count && !result; i++) names[i] = kernels->kernel[i].name;
    if (!result) result = kernel_labels_make(names, kernels->count, importing->label);
    for (int i = 0; i < kernels->count && !result; i++) {
        const struct report_kernel *kernel = &kernels->kernel[i];
        importing->named[i] = (struct named_kernel){.label = importing->label[i],
                                                    .range = kernel->range,
                                                    .dynamic_shared = kernel->dynamic_shared,
                                                    .process = kernel->family,
                                                    .device = kernel->device};
        memcpy(importing->named[i].grid, kernel->grid, sizeof kernel->grid);
        memcpy(importing->named[i].block, kernel->block, sizeof kernel->block);
    }
    for (int i = 0; i < kernels->families && !result; i++) name_family(importing, i);
    if (!result) result = named_kernels_make(importing->named, kernels->count);
    free(names);
    return result;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void write_key(const struct importing *importing, struct csv_writer *writer, int i)
{
    const struct named_kernel *named = &importing->named[i];
    CSV_TEXTS(writer, importing->family[named->process], named->variant, named->size);
    CSV_INTEGERS(writer, 0, 0, 0);
}

static int write_families(const struct importing *importing)
{
    struct csv_writer *writer = run_writer(importing->run, TABLE_FAMILIES);
    if (!writer) return FAIL_OUTPUT;
    for (int i = 0; i < importing->kernels.families; i++) {
        const char *name = importing->family[i];
        CSV_TEXTS(writer, name, name, "the kernels that Nsight Compute profiled",
                  "the bytes that a mark names", "bytes", SERIES_L2);
        CSV_NUMBERS(writer, 1, NAN);
        csv_text(writer, NULL);
        csv_end(writer);
    }
    return 0;
}

static int write_variant(const struct importing *importing, int i)
{
    const struct report_kernel *kernel = &importing->kernels.kernel[i];
    const struct named_kernel *named = &importing->named[i];
    struct csv_writer *writer = run_writer(importing->run, TABLE_VARIANTS);
    int rung = 1; /* by total time */
    if (!writer) return FAIL_OUTPUT;
    for (int k = 0; k < importing->kernels.count; k++) {
        if (importing->named[k].process != named->process || k == i) continue;
        if (k < i && !strcmp(importing->named[k].variant, named->variant))
            return 0; /* at another size */
        const double other = importing->kernels.kernel[k].total_ns, own = kernel->total_ns;
        rung += other > own || (other == own && k < i);
    }
    char *changes =
        text_new("%s, profiled in %zu launch%s with a grid of %u x %u x %u blocks of %u x %u x %u "
                 "threads%s%s.",
                 kernel->name, kernel->count, kernel->count == 1 ? "" : "es", kernel->grid[0],
                 kernel->grid[1], kernel->grid[2], kernel->block[0], kernel->block[1],
                 kernel->block[2], *kernel->range ? ", in the NVTX range " : "", kernel->range);
    if (!changes) return error_memory();
    CSV_TEXTS(writer, importing->family[named->process], named->variant);
    csv_integer(writer, rung);
    CSV_TEXTS(writer, named->title, NULL, NULL, changes, NULL, NULL, NULL, NULL, NULL, NULL,
              ABSENT "a report has no checksum of the machine code", "kernel", NULL);
    csv_end(writer);
    free(changes);
    return 0;
}

static int write_point(const struct importing *importing, int i)
{
    struct csv_writer *points = run_writer(importing->run, TABLE_POINTS),
                      *launches = run_writer(importing->run, TABLE_LAUNCHES);
    const struct report_kernel *kernel = &importing->kernels.kernel[i];
    if (!points || !launches) return FAIL_OUTPUT;
    write_key(importing, points, i);
    CSV_TEXTS(points, "ok", NULL);
    CSV_NUMBERS(points, importing->named[i].useful_bytes, NAN, 1, NAN, NAN, NAN, NAN, NAN);
    csv_text(points, NULL);
    csv_end(points);
    write_key(importing, launches, i);
    csv_integer(launches, 0);
    for (int c = POINT_KEY_COLUMNS + 1; tables[TABLE_LAUNCHES].columns[c].name; c++) {
        const char *column = tables[TABLE_LAUNCHES].columns[c].name;
        if (!strcmp(column, "kernel"))
            csv_text(launches, kernel->name);
        else if (!strcmp(column, "occupancy_limiter"))
            csv_text(launches, kernel->limiter);
        else
            csv_number(launches, !strcmp(column, "blocks_per_sm") ? kernel->blocks_per_sm
                                                                  : kernel->number[c]);
    }
    csv_end(launches);
    return 0;
}

/* Writes every other launch from `first` on as the series `copy`. */
static int write_series(const struct importing *importing, int i, size_t first, size_t step,
                        const char *copy)
{
    const struct report_kernel *kernel = &importing->kernels.kernel[i];
    struct csv_writer *series = run_writer(importing->run, TABLE_SERIES),
                      *samples = run_writer(importing->run, TABLE_SAMPLES);
    int written = 0;
    if (!series || !samples) return FAIL_OUTPUT;
    for (size_t k = first; k < kernel->count; k += step) {
        if (!(kernel->launch[k].time_ns > 0)) continue;
        write_key(importing, samples, i);
        CSV_TEXTS(samples, SERIES_L2, SERIES_KIND, copy);
        csv_integer(samples, written++);
        CSV_NUMBERS(samples, kernel->launch[k].time_ns, kernel->launch[k].clock_mhz);
        csv_text(samples, "ok");
        csv_end(samples);
    }
    write_key(importing, series, i);
    CSV_TEXTS(series, SERIES_L2, SERIES_KIND, copy);
    CSV_INTEGERS(series, written, 0);
    csv_text(series, written ? "all launches of the report"
                             : ABSENT "the report has no gpu__time_duration.sum");
    csv_end(series);
    return 0;
}

/* With enough launches, even and odd ones are two series, whose difference is the noise floor. */
static int write_times(const struct importing *importing, int i)
{
    const size_t count = importing->kernels.kernel[i].count;
    if (count < LEAST_LAUNCHES) return write_series(importing, i, 0, 1, "a");
    const int result = write_series(importing, i, 0, 2, "a");
    return result ? result : write_series(importing, i, 1, 2, "b");
}

static int write_counters(const struct importing *importing, int i)
{
    const struct report_kernels *kernels = &importing->kernels;
    const struct report_kernel *kernel = &kernels->kernel[i];
    struct csv_writer *writer = run_writer(importing->run, TABLE_COUNTERS);
    if (!writer) return FAIL_OUTPUT;
    for (int n = 0; n < kernel->repeats * kernels->counters; n++) {
        const struct report_value *value = &kernel->value[n];
        const struct record *counter = kernels->counter[n % kernels->counters];
        const int is_known = isfinite(value->number);
        char source[280], status[STATUS_BYTES] = "ok";
        snprintf(source, sizeof source, "%.*s", value->length, value->source ? value->source : "");
        for (char *p = source; *p; p++)
            if (*p == '\n') *p = ' ';
        if (!is_known)
            snprintf(status, sizeof status,
                     ABSENT "the report has no value of %.180s ('whyfast sections')", source);
        write_key(importing, writer, i);
        CSV_INTEGERS(writer, 0, n / kernels->counters);
        csv_text(writer, record_field(counter, "set"));
        csv_integer(writer, 1);
        CSV_TEXTS(writer, counter->name, is_known ? source : NULL);
        csv_number(writer, value->number);
        csv_text(writer, status);
        csv_end(writer);
    }
    return 0;
}

/* ---- single instructions --------------------------------------------------------------------- */

static int write_lines(struct importing *importing)
{
    struct report_kernels *kernels = &importing->kernels;
    const size_t count = (size_t)kernels->count + 1;
    struct listing *listing = calloc(count, sizeof *listing);
    struct listing_request *request = calloc(count, sizeof *request);
    int result = listing && request ? 0 : error_memory();
    for (int i = 0; i < kernels->count && !result; i++) {
        const struct named_kernel *named = &importing->named[i];
        const char *const key[] = {
            importing->family[named->process], named->variant, named->size, "0", "0", "0"};
        point_key_free(&kernels->lines.kernel[i].key);
        result = point_key_copy(&kernels->lines.kernel[i].key, key);
        request[i].symbol = kernels->kernel[i].symbol;
        const struct report_kernel *kernel = &kernels->kernel[i];
        request[i].file =
            text_new("%s", report_code_path(kernels, kernel->report, kernel->source).at);
        if (!request[i].file) result = error_memory();
    }
    if (!result) result = listings_of_cubins(listing, request, kernels->count, NULL);
    if (!result)
        result = probe_tables_write(importing->run, &kernels->lines, listing, source_read_of_report,
                                    kernels->session.made);
    for (int i = 0; i < kernels->count && listing; i++) listing_free(&listing[i]);
    for (int i = 0; i < kernels->count && request; i++) free((char *)(uintptr_t)request[i].file);
    free(listing);
    free(request);
    return result;
}

/* ---- facts ----------------------------------------------------------------------------------- */

/* How ncu was told to set something, or what it does by itself. */
static void append_option(struct text *text, const struct report_session *session,
                          const char *option, const char *unknown)
{
    char value[OPTION_BYTES];
    const char *told = report_session_option(session, option, value);
    text_format(text, "%s%s%s", told ? option : unknown, told ? " " : "", told ? told : "");
}

static int write_imported(const struct importing *importing, const char *const *path, int paths)
{
    const struct report_kernels *kernels = &importing->kernels;
    struct text text = {0};
    size_t most = 0;
    for (int i = 0; i < kernels->count; i++)
        if (kernels->kernel[i].count > most) most = kernels->kernel[i].count;
    for (int i = 0; i < paths; i++)
        text_format(&text, "%s%s", i ? ", " : "", text_base_name(path[i]));
    const char *ncu = kernels->session.ncu ? kernels->session.ncu : "(unknown version)";
    text_format(&text, ": times are those of Nsight Compute %.*s, of launches that it replayed (",
                (int)(*ncu == '(' ? strlen(ncu) : strcspn(ncu, " ")), ncu);
    append_option(&text, &kernels->session, "--cache-control", "caches flushed unless it was told");
    text_append(&text, ", ");
    append_option(&text, &kernels->session, "--clock-control", "clocks locked unless it was told");
    text_format(
        &text, "); %s",
        most < LEAST_LAUNCHES
            ? "a kernel with fewer than twelve launches has no noise floor, and its time is "
              "taken as known within " REPLAYED_PCT " %"
            : "the noise floor is that between even and odd launches");
    const int result = text.failed
                           ? error_memory()
                           : run_fact_set(importing->run, "imported", "%s", text_string(&text));
    text_free(&text);
    return result;
}

static int write_fact(struct run *run, const char *key, const char *value)
{
    return run_fact_set(run, key, "%s", value ? value : ABSENT "the report does not tell it");
}

static int write_facts(const struct importing *importing, const char *const *path, int paths)
{
    const struct report_kernels *kernels = &importing->kernels;
    const struct report_session *session = &kernels->session;
    struct run *run = importing->run;
    double total = 0;
    for (int i = 0; i < kernels->count; i++) total += kernels->kernel[i].total_ns;
    int result = write_imported(importing, path, paths);
    if (!result) result = write_fact(run, "date", session->date);
    if (!result) result = write_fact(run, "whyfast_version", WHYFAST_VERSION);
    if (!result) result = write_fact(run, "git_revision", WHYFAST_REVISION);
    if (!result) result = write_fact(run, "program", session->command_line);
    if (!result) result = write_fact(run, "cuda_driver", session->cuda);
    if (!result) result = write_fact(run, "driver", session->driver);
    if (!result) result = write_fact(run, "clock", "gpu__time_duration of Nsight Compute");
    if (!result) result = write_fact(run, "counters", "collected by Nsight Compute");
    if (!result) result = run_fact_set(run, "program_gpu_ns", "%.0f", total);
    for (char *key = kernels->facts.data; key && *key && !result;) {
        char *value = strchr(key, '\n'), *next = value ? strchr(value + 1, '\n') : NULL;
        if (!next) break;
        *value++ = *next++ = 0;
        result = write_fact(run, key, value);
        key = next;
    }
    return result;
}

static int write_all(struct importing *importing, const char *const *path, int paths)
{
    static const enum table_id empty[] = {TABLE_CLAIMS, TABLE_PUBLISHED};
    int result = name_kernels(importing);
    if (!result) result = write_facts(importing, path, paths);
    for (size_t i = 0; i < sizeof empty / sizeof *empty && !result; i++)
        if (!run_writer(importing->run, empty[i])) result = FAIL_OUTPUT;
    if (!result) result = write_families(importing);
    for (int i = 0; i < importing->kernels.count && !result; i++) {
        result = write_variant(importing, i);
        if (!result) result = write_point(importing, i);
        if (!result) result = write_times(importing, i);
        if (!result) result = write_counters(importing, i);
    }
    return result;
}

static void free_names(struct importing *importing)
{
    free(importing->label);
    free(importing->named);
    free(importing->family);
}

int report_import(struct run *run, const char *const *path, int paths)
{
    struct importing importing = {.run = run};
    struct records records;
    char *directory = temporary_directory();
    if (!directory) return FAIL_OUTPUT;
    int result = records_read_own(&records);
    if (!result) {
        result = report_kernels_read(&importing.kernels, &records, path, paths, directory);
        if (!result) result = write_all(&importing, path, paths);
        if (!result) result = write_lines(&importing);
        if (!result) result = run_unit_ready(run, "import");
        report_kernels_free(&importing.kernels);
    }
    records_free(&records);
    directory_remove(directory);
    free(directory);
    free_names(&importing);
    return result;
}
