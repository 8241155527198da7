#include "fleet/merge_runs.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/text.h"
#include "fleet/merge_facts.h"
#include "fleet/merge_rows.h"
#include "run/merged_run.h"
#include "run/table_rows.h"

/* A run of one device. */
struct input {
    struct run run;
    char *real;     /* its path without links */
    int operand;    /* by which it came in: the runs of a merged one are of different devices */
    int device;     /* its number in the result */
    uint64_t facts; /* their hash */
};

struct merge {
    const struct merge_options *options;
    struct input *input;
    int count, devices, operand;
    int has_warned; /* of runs that may be of one device */
    struct run run; /* the result */
    void *kernels;  /* the machine code of variants: a tree of struct kernel */
};

/* ---- inputs ---------------------------------------------------------------------------------- */

static void warn_of_nameless(struct merge *merge, const struct input *a, const struct input *b)
{
    if (!merge->has_warned)
        warning("%s and %s may be of one device, but not both have its UUID, so they count as two; "
                "merge such runs while they have UUIDs, and use --no-serials in the last merge",
                a->run.path, b->run.path);
    merge->has_warned = 1;
}

static int check_input(struct merge *merge, const struct input *added)
{
    const char *recorded = run_fact(&added->run, "replay_of");
    if (recorded)
        return error(FAIL_INPUT, "%s: replays the recorded run %s; name %s in its place",
                     added->run.path, recorded, recorded);
    if (merge->count > 0) {
        const int result = merge_check_fleet(&merge->input[0].run, &added->run);
        if (result) return result;
    }
    for (int i = 0; i < merge->count; i++) {
        const struct input *other = &merge->input[i];
        if (!strcmp(other->real, added->real))
            return error(FAIL_USAGE, "%s and %s: the same run twice", other->run.path,
                         added->run.path);
        if (other->operand == added->operand || !merge_may_be_same_device(&other->run, &added->run))
            continue;
        if (other->facts == added->facts)
            return error(FAIL_INPUT, "%s: is a copy of %s: all their facts are equal",
                         added->run.path, other->run.path);
        if (!merge_same_device(&other->run, &added->run)) warn_of_nameless(merge, other, added);
    }
    return 0;
}

static int add_input(struct merge *merge, struct run *run)
{
    char *real = ARRAY_GROWS(merge->input, merge->count) ? realpath(run->path, NULL) : NULL;
    struct input added = {*run, real, merge->operand, merge->devices, merge_hash_facts(run)};
    int result = added.real ? check_input(merge, &added) : error_memory();
    if (result) {
        free(added.real);
        run_close(&added.run);
        return result;
    }
    for (int i = 0; i < merge->count && added.device == merge->devices; i++)
        if (merge_same_device(&merge->input[i].run, &added.run))
            added.device = merge->input[i].device;
    merge->devices += added.device == merge->devices;
    merge->input[merge->count++] = added;
    return 0;
}

static int add_path(struct merge *merge, const char *path)
{
    struct run run;
    const int is_piece = run_is_piece(path),
              result = is_piece ? run_open_piece(&run, path) : run_open(&run, path);
    if (!result && is_piece)
        warning("%s: this run was interrupted: what it finished is merged", path);
    return result ? result : add_input(merge, &run);
}

static int add_merged(struct merge *merge, const char *path)
{
    struct merged_run merged;
    int result = merged_run_open(&merged, path);
    if (result) return result;
    for (int i = 0; i < merged.count && !result; i++)
        result = add_path(merge, merged_run_device(&merged, i).at);
    merged_run_close(&merged);
    return result;
}

static int add_inputs(struct merge *merge)
{
    int result = 0;
    for (int i = 0; i < merge->options->count && !result; i++) {
        const char *path = merge->options->path[i];
        merge->operand = i;
        result = merged_run_is_at(path) ? add_merged(merge, path) : add_path(merge, path);
    }
    return result;
}

/* ---- the output ------------------------------------------------------------------------------ */

static int is_inside(const char *path, const char *directory)
{
    const size_t length = strlen(directory);
    return !strncmp(path, directory, length) && (path[length] == '/' || !path[length]);
}

/* A run must not change while it is read. */
static int check_output(const struct merge *merge)
{
    const char *output = merge->options->output;
    size_t length = strlen(output);
    while (length > 1 && output[length - 1] == '/') length--;
    while (length > 0 && output[length - 1] != '/') length--; /* the directory above */
    if (file_exists(output))
        return error(FAIL_OUTPUT, "%s: exists; name a new directory with -o", output);
    char *above = length ? strndup(output, length) : strdup(".");
    char *real = above ? realpath(above, NULL) : NULL;
    int result = above ? 0 : error_memory();
    if (!result && !real)
        result = error(FAIL_OUTPUT, "%s: cannot write: %s", output, strerror(errno));
    for (int i = 0; i < merge->options->count && !result; i++) {
        char *input = realpath(merge->options->path[i], NULL);
        if (input && is_inside(real, input))
            result = error(FAIL_USAGE, "%s: lies inside of the run %s, which is to be merged",
                           output, merge->options->path[i]);
        free(input);
    }
    free(real);
    free(above);
    return result;
}

/* ---- machine code ---------------------------------------------------------------------------- */

struct kernel {
    char *key;  /* family, variant and architecture */
    char *hash; /* of its machine code */
    char *place;
};

static int compare_kernels(const void *a, const void *b)
{
    return strcmp(((const struct kernel *)a)->key, ((const struct kernel *)b)->key);
}

static void kernel_free(void *pointer)
{
    struct kernel *kernel = pointer;
    free(kernel->key);
    free(kernel->hash);
    free(kernel->place);
    free(kernel);
}

static const char *cell_of(const struct table_rows *rows, const char *column)
{
    const int at = table_rows_find(rows, column);
    return at < 0 ? "" : rows->reader.cell[at];
}

/* The same variant for the same architecture must have the same machine code on all devices. */
static int check_kernel(struct merge *merge, const struct table_rows *rows)
{
    const char *hash = cell_of(rows, "sass_hash");
    struct kernel *fresh = *hash ? calloc(1, sizeof *fresh) : NULL;
    if (!*hash) return 0;
    if (!fresh) return error_memory();
    fresh->key = text_new("%s/%s for %s", cell_of(rows, "family"), cell_of(rows, "variant"),
                          cell_of(rows, "sass_status"));
    fresh->hash = strdup(hash);
    fresh->place = text_new("%s:%d", rows->path, rows->reader.line);
    struct kernel **found = fresh->key && fresh->hash && fresh->place
                                ? tsearch(fresh, &merge->kernels, compare_kernels)
                                : NULL;
    int result = found ? 0 : error_memory();
    if (found && strcmp((*found)->hash, hash))
        result =
            error(FAIL_INPUT, "%s: contradicts %s: the machine code of %s has the hash %s, not %s",
                  fresh->place, (*found)->place, fresh->key, hash, (*found)->hash);
    if (!found || *found != fresh) kernel_free(fresh);
    return result;
}

static int check_kernels(struct merge *merge, const struct run *run)
{
    struct table_rows rows;
    int result = table_rows_open(&rows, run, TABLE_VARIANTS), more;
    if (result) return result;
    while (!result && (more = table_rows_next(&rows)) != 0)
        result = more < 0 ? more : check_kernel(merge, &rows);
    table_rows_close(&rows);
    return result;
}

/* ---- one device ------------------------------------------------------------------------------ */

static int by_date(const void *a, const void *b)
{
    const char *first = run_fact(*(const struct run *const *)a, "date"),
               *second = run_fact(*(const struct run *const *)b, "date");
    return strcmp(first ? first : "", second ? second : "");
}

static int write_device(const struct merge *merge, const struct run **run, int count,
                        const char *directory, struct facts *facts)
{
    qsort(run, (size_t)count, sizeof *run, by_date);
    int result = merge_facts(facts, run, count);
    if (!result && merge->options->no_serials) result = merge_withhold(facts);
    if (!result) result = directory_make(directory);
    if (!result)
        result = count > 1 || run[0]->is_piece ? merge_rows(run, count, directory)
                                               : merge_copy(run[0], directory);
    return result ? result : facts_write(facts, directory, FACTS_FILE);
}

/* The facts in devices.csv, in the order of its columns after extent, which are named alike. */
static const char *const device_facts[] = {"device_compute_capability",
                                           "device_sm_count",
                                           "device_memory_bytes",
                                           "device_l2_bytes",
                                           "device_sm_clock_khz",
                                           "device_dram_clock_khz",
                                           "device_dram_bus_bits",
                                           "device_ecc",
                                           "device_mig",
                                           "device_persistence",
                                           "device_power_limit_w",
                                           "device_clock_event_reasons",
                                           "device_temperature_c",
                                           "device_remapped_rows",
                                           "device_pcie",
                                           "driver",
                                           "cuda_driver",
                                           "selftest"};

static const char *told(const struct facts *facts, const char *key)
{
    const char *value = facts_find(facts, key);
    return value ? value : ABSENT "not recorded in this run";
}

/* "nvidia-h200-3" */
static int write_label(struct csv_writer *writer, const char *name, int device)
{
    struct text label = {0};
    for (const char *p = name; *p && label.length < 48; p++) {
        const int is_upper = *p >= 'A' && *p <= 'Z';
        if (is_upper || (*p >= 'a' && *p <= 'z') || (*p >= '0' && *p <= '9'))
            text_format(&label, "%c", is_upper ? *p - 'A' + 'a' : *p);
        else if (label.length && label.data[label.length - 1] != '-')
            text_append(&label, "-");
    }
    if (label.length && label.data[label.length - 1] == '-') label.length--;
    struct text whole = {0};
    text_format(&whole, "%.*s-%d", label.length ? (int)label.length : 6,
                label.length ? label.data : "device", device);
    const int failed = label.failed || whole.failed;
    csv_text(writer, text_string(&whole));
    text_free(&label);
    text_free(&whole);
    return failed ? error_memory() : 0;
}

static int write_row(struct merge *merge, int device, int runs, const struct facts *facts)
{
    struct csv_writer *writer = run_writer(&merge->run, TABLE_DEVICES);
    if (!writer) return FAIL_OUTPUT;
    csv_integer(writer, device);
    const int result = write_label(writer, told(facts, "device_name"), device);
    CSV_TEXTS(writer, told(facts, "device_name"), told(facts, "device_uuid"), told(facts, "host"));
    csv_integer(writer, runs);
    CSV_TEXTS(writer, told(facts, "date"), told(facts, "extent"));
    for (size_t i = 0; i < sizeof device_facts / sizeof *device_facts; i++)
        csv_text(writer, told(facts, device_facts[i]));
    csv_end(writer);
    return result;
}

static int merge_device(struct merge *merge, int device)
{
    struct facts facts = {0, NULL};
    const struct run **run = calloc((size_t)merge->count, sizeof *run);
    const struct path directory = path_of("%s/" MERGED_DEVICES "/%d", merge->run.directory, device);
    int count = 0, result = run ? 0 : error_memory();
    for (int i = 0; i < merge->count && !result; i++) {
        if (merge->input[i].device != device) continue;
        run[count++] = &merge->input[i].run;
        result = check_kernels(merge, &merge->input[i].run);
    }
    if (!result) result = write_device(merge, run, count, directory.at, &facts);
    if (!result) result = write_row(merge, device, count, &facts);
    facts_free(&facts);
    free(run);
    return result;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int write_facts(struct merge *merge)
{
    static const char *const common[] = {"whyfast_version", "git_revision", "seed"};
    const char *latest = "";
    int result = run_fact_set(&merge->run, MERGED_FACT, "%d", merge->devices);
    if (!result) result = run_fact_set(&merge->run, "merged_runs", "%d", merge->count);
    for (int i = 0; i < merge->count; i++) {
        const char *date = run_fact(&merge->input[i].run, "date");
        if (date && strcmp(date, latest) > 0) latest = date;
    }
    if (!result && *latest) result = run_fact_set(&merge->run, "date", "%s", latest);
    for (size_t i = 0; i < sizeof common / sizeof *common && !result; i++) {
        const char *value = run_fact(&merge->input[0].run, common[i]);
        if (value) result = run_fact_set(&merge->run, common[i], "%s", value);
    }
    if (!result && merge->options->no_serials)
        result = run_fact_set(&merge->run, "serials", WITHHELD);
    return result;
}

static int write_all(struct merge *merge)
{
    int result = write_facts(merge);
    progress_begin("merging", "devices", merge->devices);
    for (int i = 0; i < merge->devices && !result; i++) {
        progress_next(1, NULL);
        result = interrupted() ? FAIL_INTERRUPTED : merge_device(merge, i);
    }
    result = progress_end(result);
    return result ? result : run_commit(&merge->run);
}

int merge_runs(const struct merge_options *options)
{
    struct merge merge = {.options = options};
    int result = check_output(&merge);
    if (!result) result = add_inputs(&merge);
    if (!result) result = run_begin(&merge.run, options->output, 0);
    if (!result) {
        result = write_all(&merge);
        if (result) run_abandon(&merge.run);
        if (result == FAIL_INTERRUPTED) error(result, "interrupted; nothing was written");
        run_close(&merge.run);
    }
    tdestroy(merge.kernels, kernel_free);
    for (int i = 0; i < merge.count; i++) {
        run_close(&merge.input[i].run);
        free(merge.input[i].real);
    }
    free(merge.input);
    return result;
}
