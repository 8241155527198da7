#include "measure/measure_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/message.h"
#include "base/text.h"
#include "machine_code/machine_code.h"
#include "gpu/device.h"
#include "run/selftest_result.h"
#include "version.h"

/* `first` is the family's first point. */
static void write_family(struct csv_writer *writer, const struct selected *first)
{
    const struct family *family = first->family;
    static const char *const rates[] = {[RATE_BYTES] = "bytes", [RATE_OPERATIONS] = "operations"},
                             *const units[UNIT_COUNT] = {[UNIT_FP32] = "fp32",
                                                         [UNIT_TENSOR_BF16] = "tensor_bf16",
                                                         [UNIT_TENSOR_TF32] = "tensor_tf32"};
    CSV_TEXTS(writer, family->name, family->title, family->problem, family->useful_bytes_text,
              rates[family->rate], family->primary_size);
    CSV_INTEGERS(writer, family->operations_per_lane ? family->operations_per_lane : 1,
                 first->point.block);
    csv_text(writer, units[family->unit]);
    csv_end(writer);
}

static void write_variant(struct csv_writer *writer, const struct variant *variant,
                          int architecture)
{
    static const char *const kinds[] = {
        [KIND_KERNEL] = "kernel", [KIND_LIBRARY] = "library", [KIND_CPU] = "cpu"};
    char hash[17] = "", reason[120] = "";
    const int on_cpu = variant_kind(variant) == KIND_CPU;
    const int known =
        !on_cpu && sass_hash(variant->file, variant->factors, architecture, hash, reason);
    if (on_cpu) snprintf(reason, sizeof reason, "runs on the CPU");
    if (known) snprintf(reason, sizeof reason, "sm_%d", architecture);
    CSV_TEXTS(writer, variant->family, variant->name);
    csv_integer(writer, variant_rung(variant->name));
    CSV_TEXTS(writer, variant->title, variant->after, variant->suffers, variant->changes,
              variant->pays, variant->factors, variant->sweep_name, variant->sweep_text,
              variant->file, known ? hash : NULL, reason, kinds[variant_kind(variant)],
              variant->fails);
    csv_end(writer);
}

static void write_claims(struct csv_writer *writer, const struct variant *variant)
{
    for (int i = 0; i < CLAIM_COUNT && variant->claims[i].says; i++) {
        const struct claim *claim = &variant->claims[i];
        CSV_TEXTS(writer, variant->family, variant->name);
        csv_integer(writer, i + 1);
        CSV_TEXTS(writer, claim->says, claim->source, claim->place, claim->size, claim->expect);
        CSV_INTEGERS(writer, claim->sweep, claim->at_times);
        csv_text(writer, claim->device);
        csv_integer(writer, claim->block);
        csv_end(writer);
    }
}

static void write_published(struct csv_writer *writer, const struct variant *variant)
{
    for (int i = 0; i < PUBLISHED_COUNT && variant->published[i].source; i++) {
        const struct published *published = &variant->published[i];
        CSV_TEXTS(writer, variant->family, variant->name, published->source, published->device);
        csv_number(writer, published->peak_gbs > 0 ? published->peak_gbs : NAN);
        csv_text(writer, published->size);
        CSV_INTEGERS(writer, published->block, published->sweep);
        CSV_NUMBERS(writer, published->time_ns,
                    published->effective_gbs > 0 ? published->effective_gbs : NAN);
        CSV_TEXTS(writer, published->row, published->peak_source);
        csv_end(writer);
    }
}

/* A variant has points of several sizes, and these need not follow one another. */
static int is_selected_before(const struct selection *selection, int index)
{
    for (int i = 0; i < index; i++)
        if (selection->points[i].variant == selection->points[index].variant) return 1;
    return 0;
}

static int write_tables(struct run *run, const struct selection *selection, int architecture)
{
    struct csv_writer *families = run_writer(run, TABLE_FAMILIES),
                      *variants = run_writer(run, TABLE_VARIANTS),
                      *claims = run_writer(run, TABLE_CLAIMS),
                      *published = run_writer(run, TABLE_PUBLISHED);
    if (!families || !variants || !claims || !published) return FAIL_OUTPUT;
    for (int i = 0; i < selection->count; i++) {
        const struct family *family = selection->points[i].family;
        const struct variant *variant = selection->points[i].variant;
        if (i == 0 || family != selection->points[i - 1].family)
            write_family(families, &selection->points[i]);
        if (is_selected_before(selection, i)) continue;
        write_variant(variants, variant, architecture);
        write_claims(claims, variant);
        write_published(published, variant);
    }
    return 0;
}

/* The processor's name as the kernel gives it, and how many cores are online. */
static int write_cpu(struct run *run)
{
    char line[256], *name = NULL;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && !name && fgets(line, sizeof line, file))
        if (!strncmp(line, "model name", 10) && (name = strchr(line, ':')))
            name += strspn(name, ": \t");
    if (file) fclose(file);
    if (name) name[strcspn(name, "\n")] = 0;
    int result = run_fact_set(run, "cpu_name", "%s",
                              name && *name ? name : ABSENT "/proc/cpuinfo does not name it");
    if (!result) result = run_fact_set(run, "cpu_cores", "%ld", sysconf(_SC_NPROCESSORS_ONLN));
    return result;
}

int describe_machine(struct run *run, const struct device *device,
                     const struct measure_options *options)
{
    char date[32];
    const time_t now = time(NULL);
    struct tm utc;
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    const char *const facts[][2] = {
        {"date", date},
        {"whyfast_version", WHYFAST_VERSION},
        {"git_revision", WHYFAST_REVISION},
        {"cuda_toolkit", WHYFAST_CUDA_VERSION},
        {"nvcc_flags", WHYFAST_NVCC_FLAGS},
        {"cc_flags", WHYFAST_CC_FLAGS},
    };
    int result = 0;
    for (size_t i = 0; i < sizeof facts / sizeof *facts && !result; i++)
        result = run_fact_set(run, facts[i][0], "%s", facts[i][1]);
    if (!result) result = run_fact_set(run, "seed", "%llu", (unsigned long long)options->seed);
    if (!result) result = run_fact_set(run, "most_samples", "%d", options->most_samples);
    if (!result) result = run_fact_set(run, "most_seconds", "%g", options->most_seconds);
    if (!result) result = write_cpu(run);
    if (!result) result = device_facts(device, run);
    if (!result) result = selftest_result_apply(run);
    return result;
}

int describe_run(struct run *run, const struct selection *selection,
                 const struct measure_options *options)
{
    static const char unit[] = "describe";
    struct device device;
    if (run_unit_done(run, unit)) return 0;
    int result = device_open(&device);
    if (result) return result;
    result = describe_machine(run, &device, options);
    if (!result) result = write_tables(run, selection, device.compute_capability);
    if (!result) result = run_unit_ready(run, unit);
    device_close(&device);
    return result;
}
