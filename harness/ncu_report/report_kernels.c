#include "ncu_report/report_kernels.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "machine_code/kernel_name.h"
#include "ncu_report/report_lines.h"
#include "run/tables.h"

enum { MOST_KERNELS = 4096, MOST_FAMILIES = 256, MOST_LAUNCHES = 1 << 22 };

/* The state of reading one file. */
struct gathering {
    struct report_kernels *kernels;
    const char *path;
    int report; /* which of the files */
};

/* ---- sessions and machine code --------------------------------------------------------------- */

static void keep(char **text, struct wire bytes)
{
    if (!*text && wire_length(bytes)) *text = wire_string(bytes);
}

static void keep_version(struct report_session *session, struct wire version)
{
    const struct wire name = wire_bytes(version, 1), value = wire_bytes(version, 2);
    const struct {
        const char *name;
        char **text;
    } known[] = {{"CUDA Version", &session->cuda},
                 {"Display Driver Version", &session->driver},
                 {"Nsight Compute Target", &session->ncu}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (wire_length(name) == strlen(known[i].name) &&
            !memcmp(name.at, known[i].name, wire_length(name)))
            keep(known[i].text, value);
}

void report_session_take(struct report_session *session, struct wire message)
{
    enum { SESSION_TIME = 2, SESSION_VERSION = 8, SESSION_COMMAND_LINE = 11 };
    struct wire_field field;
    while (wire_next(&message, &field) > 0) {
        const time_t when = (time_t)field.value;
        struct tm utc;
        if (field.number == SESSION_VERSION && field.type == WIRE_BYTES)
            keep_version(session, field.bytes);
        if (field.number == SESSION_COMMAND_LINE && field.type == WIRE_BYTES)
            keep(&session->command_line, field.bytes);
        if (field.number != SESSION_TIME || field.type != WIRE_VARINT || session->date) continue;
        char date[32];
        if (field.value < (uint64_t)1 << 33 && gmtime_r(&when, &utc) &&
            strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc))
            session->date = text_new("%s", date);
        if (session->date) session->made = when;
    }
}

const char *report_session_option(const struct report_session *session, const char *option,
                                  char value[OPTION_BYTES])
{
    const char *words = session->command_line, *at = words;
    const size_t length = strlen(option);
    for (; at && (at = strstr(at, option)); at += length) {
        const char *behind = at + length;
        if ((at > words && at[-1] != ' ') || (*behind != ' ' && *behind != '=')) continue;
        behind += strspn(behind, " =");
        snprintf(value, OPTION_BYTES, "%.*s", (int)strcspn(behind, " "), behind);
        return *value ? value : NULL;
    }
    return NULL;
}

void report_session_free(struct report_session *session)
{
    free(session->date);
    free(session->cuda);
    free(session->driver);
    free(session->ncu);
    free(session->command_line);
    *session = (struct report_session){0};
}

static int take_session(void *context, struct wire message)
{
    const struct gathering *gathering = context;
    report_session_take(&gathering->kernels->session, message);
    return 0;
}

struct path report_code_path(const struct report_kernels *kernels, int report, uint64_t source)
{
    char name[60];
    snprintf(name, sizeof name, "%d-%llu.cubin", report, (unsigned long long)source);
    return path_in(kernels->directory, name);
}

static int take_source(void *context, struct wire message)
{
    enum { SOURCE_ID = 1, SOURCE_CODE = 4 };
    const struct gathering *gathering = context;
    const struct wire code = wire_bytes(message, SOURCE_CODE);
    if (!gathering->kernels->directory || !wire_length(code)) return 0;
    const struct path path = report_code_path(gathering->kernels, gathering->report,
                                              wire_integer(message, SOURCE_ID, 0));
    FILE *file = *path.at ? fopen(path.at, "wb") : NULL;
    const int is_written = file && fwrite(code.at, 1, wire_length(code), file) == wire_length(code);
    if ((file && fclose(file)) || !is_written)
        return error(FAIL_OUTPUT, "%s: cannot write: %s", path.at, strerror(errno));
    return 0;
}

/* ---- kernels --------------------------------------------------------------------------------- */

static int family_of(struct gathering *gathering, const char *program)
{
    struct report_kernels *kernels = gathering->kernels;
    const char *name = kernels->is_per_file ? gathering->path : program ? program : "program";
    for (int i = 0; i < kernels->families; i++)
        if (!strcmp(kernels->family[i], name)) return i;
    if (kernels->families == MOST_FAMILIES)
        return error(FAIL_INPUT, "%s: is of more than %d programs", gathering->path, MOST_FAMILIES);
    if (!ARRAY_GROWS(kernels->family, kernels->families)) return error_memory();
    kernels->family[kernels->families] = text_new("%s", name);
    return kernels->family[kernels->families] ? kernels->families++ : error_memory();
}

static int is_same(const struct report_kernel *a, const struct report_kernel *b)
{
    return a->family == b->family && a->device == b->device && a->report == b->report &&
           a->source == b->source && a->dynamic_shared == b->dynamic_shared &&
           !memcmp(a->grid, b->grid, sizeof a->grid) &&
           !memcmp(a->block, b->block, sizeof a->block) && !strcmp(a->symbol, b->symbol) &&
           !strcmp(a->range, b->range);
}

static void free_kernel(struct report_kernel *kernel)
{
    free(kernel->symbol);
    free(kernel->name);
    free(kernel->range);
    free(kernel->value);
    free(kernel->launch);
}

static int describe(struct gathering *gathering, struct report_kernel *kernel,
                    const struct report_result *result, const struct report_block *block)
{
    const double shared = report_map_value(gathering->kernels->records, result, "launches",
                                           "dynamic_shared_bytes")
                              .number,
                 device = report_result_number(result, "launch__device_id");
    *kernel =
        (struct report_kernel){.family = family_of(gathering, block->program),
                               .device = device > 0 && device < 1000 ? (int)device : 0,
                               .report = gathering->report,
                               .source = result->source,
                               .dynamic_shared = isfinite(shared) ? shared : 0,
                               .symbol = wire_string(wire_bytes(result->entry, RESULT_SYMBOL)),
                               .range = report_result_range(result)};
    memcpy(kernel->grid, result->grid, sizeof kernel->grid);
    memcpy(kernel->block, result->block, sizeof kernel->block);
    if (kernel->family < 0) return kernel->family;
    if (!kernel->symbol || !kernel->range) return error_memory();
    char *demangled = wire_string(wire_bytes(result->entry, RESULT_NAME));
    kernel->name =
        demangled && *demangled ? kernel_name_of(demangled) : kernel_name(kernel->symbol);
    free(demangled);
    return kernel->name ? 0 : FAIL_OUTPUT;
}

/* What limits how many blocks an SM holds at once: the least of the limits that ncu tells. */
static void find_limit(const struct records *records, struct report_kernel *kernel,
                       const struct report_result *result)
{
    static const char table[] = "limits.";
    const size_t prefix = sizeof table - 1, most = sizeof kernel->limiter;
    kernel->blocks_per_sm = NAN;
    for (int i = 0; i < records->count; i++) {
        const struct record *record = &records->record[i];
        if (record->kind != RECORD_IMPORT || strncmp(record_field(record, "into"), table, prefix))
            continue;
        const double blocks = report_map_evaluate(result, record_field(record, "from")).number;
        if (!isfinite(blocks) || blocks > kernel->blocks_per_sm) continue;
        if (blocks != kernel->blocks_per_sm) *kernel->limiter = 0;
        kernel->blocks_per_sm = blocks;
        const size_t length = strlen(kernel->limiter);
        snprintf(kernel->limiter + length, most - length, "%s%s", length ? ", " : "",
                 record_field(record, "into") + prefix);
    }
    for (char *p = kernel->limiter; *p; p++)
        if (*p == '_') *p = ' ';
}

static int add_kernel(struct report_kernels *kernels, const struct report_kernel *described,
                      const struct report_result *result)
{
    static const char *const nowhere[POINT_KEY_COLUMNS] = {"", "", "", "0", "0", "0"};
    if (!ARRAY_GROWS(kernels->kernel, kernels->count)) return error_memory();
    struct report_kernel *kernel = &kernels->kernel[kernels->count++];
    *kernel = *described;
    for (int i = 0; i < LAUNCH_NUMBERS && tables[TABLE_LAUNCHES].columns[i].name; i++)
        kernel->number[i] = report_map_value(kernels->records, result, "launches",
                                             tables[TABLE_LAUNCHES].columns[i].name)
                                .number;
    find_limit(kernels->records, kernel, result);
    return probe_results_new(&kernels->lines, nowhere, kernel->symbol, kernel->name) ? 0
                                                                                     : FAIL_OUTPUT;
}

/* ---- launches -------------------------------------------------------------------------------- */

static int add_counters(struct report_kernels *kernels, struct report_kernel *kernel,
                        const struct report_result *result)
{
    const size_t counters = (size_t)kernels->counters, have = (size_t)kernel->repeats;
    if (kernel->repeats == MOST_REPEATS) return 0;
    struct report_value *grown =
        realloc(kernel->value, (have + 1) * (counters + 1) * sizeof *grown);
    if (!grown) return error_memory();
    kernel->value = grown;
    for (size_t i = 0; i < counters; i++)
        grown[have * counters + i] =
            report_map_counter(result, kernels->counter[i], kernels->derived[i]);
    kernel->repeats++;
    return 0;
}

static int add_launch(struct report_kernels *kernels, struct report_kernel *kernel,
                      const struct report_result *result)
{
    if (!ARRAY_GROWS(kernel->launch, kernel->count)) return error_memory();
    kernel->launch[kernel->count++] = (struct report_launch){
        report_map_value(kernels->records, result, "samples", "time_ns").number,
        report_map_value(kernels->records, result, "samples", "sm_clock_mhz").number};
    kernel->total_ns += fmax(kernel->launch[kernel->count - 1].time_ns, 0); /* 0 for NAN, too */
    kernels->launches++;
    const int failure = add_counters(kernels, kernel, result);
    return failure ? failure
                   : report_lines_take(kernels->records, result,
                                       &kernels->lines.kernel[kernel - kernels->kernel]);
}

static void take_device(struct report_kernels *kernels, const struct report_result *result)
{
    for (int i = 0; i < kernels->records->count; i++) {
        const struct record *record = &kernels->records->record[i];
        if (record->kind != RECORD_IMPORT || strncmp(record_field(record, "into"), "run.", 4))
            continue;
        const char *key = record_field(record, "into") + 4, *from = record_field(record, "from");
        const struct report_value value = report_map_evaluate(result, from);
        char *words = wire_string(report_result_text(result, from));
        for (char *p = words; p && *p; p++)
            if (*p == '\n') *p = ' '; /* ends a fact */
        if (words && *words)
            text_format(&kernels->facts, "%s\n%s\n", key, words);
        else if (isfinite(value.number))
            text_format(&kernels->facts, strstr(key, "capability") ? "%s\n%.1f\n" : "%s\n%.10g\n",
                        key, value.number);
        else
            text_format(&kernels->facts, "%s\n" ABSENT "the report does not tell it\n", key);
        free(words);
    }
}

static int take_launch(struct gathering *gathering, const struct report_result *result,
                       const struct report_block *block)
{
    struct report_kernels *kernels = gathering->kernels;
    struct report_kernel described;
    int failure = describe(gathering, &described, result, block), at = 0;
    if (!failure && !kernels->launches) take_device(kernels, result);
    while (!failure && at < kernels->count && !is_same(&kernels->kernel[at], &described)) at++;
    if (!failure && at == MOST_KERNELS)
        failure = error(FAIL_INPUT, "%s: has more than %d kernels", gathering->path, MOST_KERNELS);
    if (!failure && kernels->launches == MOST_LAUNCHES)
        failure =
            error(FAIL_INPUT, "%s: has more than %d launches", gathering->path, MOST_LAUNCHES);
    const int is_new = !failure && at == kernels->count;
    if (is_new) failure = add_kernel(kernels, &described, result);
    if (!is_new || kernels->count == at) free_kernel(&described); /* not taken over */
    return failure ? failure : add_launch(kernels, &kernels->kernel[at], result);
}

static int take_result(void *context, struct wire entry, const struct report_block *block)
{
    struct gathering *gathering = context;
    struct report_result result;
    int failure = report_result_open(&result, entry, block);
    if (failure == FAIL_INPUT)
        failure = error(FAIL_INPUT, "%s: is damaged: a result cannot be decoded", gathering->path);
    if (!failure) failure = take_launch(gathering, &result, block);
    report_result_close(&result);
    return failure;
}

int report_kernels_read(struct report_kernels *kernels, const struct records *records,
                        const char *const *path, int paths, const char *directory)
{
    *kernels = (struct report_kernels){
        .records = records, .directory = directory, .is_per_file = paths > 1};
    kernels->counter = calloc((size_t)records->count + 1, sizeof *kernels->counter);
    kernels->derived = calloc((size_t)records->count + 1, sizeof *kernels->derived);
    int result = kernels->counter && kernels->derived ? 0 : error_memory();
    for (int i = 0; i < records->count && !result; i++) {
        const struct record *record = &records->record[i];
        if (record->kind != RECORD_COUNTER) continue;
        kernels->derived[kernels->counters] = report_map_find(records, "counters", record->name);
        kernels->counter[kernels->counters++] = record;
    }
    for (int i = 0; i < paths && !result; i++) {
        struct gathering gathering = {kernels, path[i], i};
        const size_t before = kernels->launches;
        result = report_file_read(
            path[i], &(struct report_visitor){&gathering, take_session, take_source, take_result});
        if (!result && kernels->launches == before)
            result = error(FAIL_INPUT, "%s: has no launch of a kernel", path[i]);
    }
    if (!result && kernels->facts.failed) result = error_memory();
    return result;
}

void report_kernels_free(struct report_kernels *kernels)
{
    for (int i = 0; i < kernels->count; i++) free_kernel(&kernels->kernel[i]);
    for (int i = 0; i < kernels->families; i++) free(kernels->family[i]);
    free(kernels->kernel);
    free(kernels->family);
    free(kernels->counter);
    free(kernels->derived);
    report_session_free(&kernels->session);
    text_free(&kernels->facts);
    probe_results_free(&kernels->lines);
    *kernels = (struct report_kernels){0};
}
