/*
 * What a run is about: provenance into run.txt, and the tables that let every later stage do
 * without the program that made them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/message.h"
#include "base/text.h"
#include "code/machine_code.h"
#include "gpu/device.h"
#include "measure/describe_run.h"
#include "run/selftest_result.h"
#include "version.h"

static const char *const rates[] = {[RATE_BYTES] = "bytes", [RATE_OPERATIONS] = "operations"};

static int write_families(struct csv_writer *writer, const struct selection *selection)
{
    const struct family *last = NULL;
    for (int i = 0; i < selection->count; i++) {
        const struct family *family = selection->points[i].family;
        if (family == last) continue;
        csv_text(writer, family->name);
        csv_text(writer, family->title);
        csv_text(writer, family->problem);
        csv_text(writer, family->useful_bytes_text);
        csv_text(writer, rates[family->rate]);
        csv_text(writer, family->primary_size);
        csv_integer(writer, family->operations_per_lane ? family->operations_per_lane : 1);
        csv_end(writer);
        last = family;
    }
    return 0;
}

static const char *const kinds[] = {
    [KIND_KERNEL] = "kernel", [KIND_LIBRARY] = "library", [KIND_CPU] = "cpu"};

static void write_variant(struct csv_writer *writer, const struct variant *variant,
                          int architecture)
{
    char hash[17] = "", reason[120] = "";
    const int on_cpu = variant_kind(variant) == KIND_CPU;
    const int known = !on_cpu && sass_hash(variant->file, architecture, hash, reason);
    if (on_cpu) snprintf(reason, sizeof reason, "runs on the CPU");
    csv_text(writer, variant->family);
    csv_text(writer, variant->name);
    csv_integer(writer, variant_rung(variant->name));
    csv_text(writer, variant->title);
    csv_text(writer, variant->after);
    csv_text(writer, variant->suffers);
    csv_text(writer, variant->changes);
    csv_text(writer, variant->pays);
    csv_text(writer, variant->factors);
    csv_text(writer, variant->sweep_name);
    csv_text(writer, variant->sweep_text);
    csv_text(writer, variant->file);
    csv_text(writer, known ? hash : NULL);
    if (known) snprintf(reason, sizeof reason, "sm_%d", architecture);
    csv_text(writer, reason);
    csv_text(writer, kinds[variant_kind(variant)]);
    csv_text(writer, variant->declares);
    csv_end(writer);
}

static void write_claims(struct csv_writer *writer, const struct variant *variant)
{
    for (int i = 0; i < CLAIM_COUNT && variant->claims[i].says; i++) {
        const struct claim *claim = &variant->claims[i];
        csv_text(writer, variant->family);
        csv_text(writer, variant->name);
        csv_integer(writer, i + 1);
        csv_text(writer, claim->says);
        csv_text(writer, claim->source);
        csv_text(writer, claim->place);
        csv_text(writer, claim->size);
        csv_text(writer, claim->expect);
        csv_integer(writer, claim->sweep);
        csv_end(writer);
    }
}

static void write_published(struct csv_writer *writer, const struct variant *variant)
{
    for (int i = 0; i < PUBLISHED_COUNT && variant->published[i].source; i++) {
        const struct published *published = &variant->published[i];
        csv_text(writer, variant->family);
        csv_text(writer, variant->name);
        csv_text(writer, published->source);
        csv_text(writer, published->device);
        csv_number(writer, published->peak_gbs);
        csv_text(writer, published->size);
        csv_integer(writer, published->block);
        csv_integer(writer, published->sweep);
        csv_number(writer, published->time_ns);
        csv_number(writer, published->effective_gbs);
        csv_end(writer);
    }
}

/* Points of one variant need not follow one another: there are several sizes. */
static int is_selected_before(const struct selection *selection, int index)
{
    for (int i = 0; i < index; i++)
        if (selection->points[i].variant == selection->points[index].variant) return 1;
    return 0;
}

static int write_tables(struct run *run, const struct selection *selection, int architecture)
{
    struct csv_writer *families = run_writer(run, TABLE_FAMILIES),
                      *variants = run_writer(run, TABLE_VARIANTS);
    struct csv_writer *claims = run_writer(run, TABLE_CLAIMS),
                      *published = run_writer(run, TABLE_PUBLISHED);
    if (!families || !variants || !claims || !published) return FAIL_OUTPUT;
    write_families(families, selection);
    for (int i = 0; i < selection->count; i++) {
        const struct variant *variant = selection->points[i].variant;
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
                              name && *name ? name : "absent: /proc/cpuinfo does not tell");
    if (!result) result = run_fact_set(run, "cpu_cores", "%ld", sysconf(_SC_NPROCESSORS_ONLN));
    return result;
}

static int write_provenance(struct run *run, const struct device *device,
                            const struct measure_options *options)
{
    char date[32];
    const time_t now = time(NULL);
    struct tm utc;
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    int result = run_fact_set(run, "date", "%s", date);
    if (!result) result = run_fact_set(run, "whyfast_version", "%s", WHYFAST_VERSION);
    if (!result) result = run_fact_set(run, "git_revision", "%s", WHYFAST_REVISION);
    if (!result) result = run_fact_set(run, "cuda_toolkit", "%s", WHYFAST_CUDA_VERSION);
    if (!result) result = run_fact_set(run, "nvcc_flags", "%s", WHYFAST_NVCC_FLAGS);
    if (!result) result = run_fact_set(run, "cc_flags", "%s", WHYFAST_CC_FLAGS);
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
    result = write_provenance(run, &device, options);
    if (!result) result = write_tables(run, selection, device.compute_capability);
    if (!result) result = run_unit_ready(run, unit);
    device_close(&device);
    return result;
}
