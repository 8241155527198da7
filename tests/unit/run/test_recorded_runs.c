#include "fixture.h"

#include <math.h>

#include "catalog/bank_model.h"
#include "newest_recorded.h"
#include "catalog/registry.h"
#include "rows.h"
#include "code/machine_code.h"
#include "version.h"

/*
 * Compares the newest recorded run with this program: its families have the same variants, claims,
 * published figures and, where this build can tell, machine code; a clean revision measured it.
 * When this fails, the run is stale: record a new one, and pack it by tests/tools/pack_run.sh.
 */

static void rows_open(struct rows *rows, const char *table)
{
    rows_of(rows, newest_recorded.directory, table);
}

static void same(const struct rows *rows, const char *column, const char *expected)
{
    const char *recorded = value(rows, column);
    if (strcmp(recorded, expected ? expected : ""))
        fail_msg("%s:%d: column '%s' is '%s'; the program says '%s'", rows->path, rows->reader.line,
                 column, recorded, expected ? expected : "");
}

static void same_number(const struct rows *rows, const char *column, double expected)
{
    char text[32];
    same(rows, column, csv_format_number(text, expected));
}

static void next(struct rows *rows)
{
    if (csv_next(&rows->reader) != 1)
        fail_msg("%s: ends before line %d; the program has more to say", rows->path,
                 rows->reader.line);
}

static void rows_close(struct rows *rows)
{
    if (csv_next(&rows->reader) != 0)
        fail_msg("%s:%d: '%s' is not known to the program", rows->path, rows->reader.line,
                 rows->reader.cell[1]);
    csv_close(&rows->reader);
}

static void families_are_the_same(void **state)
{
    struct rows rows;
    (void)state;
    rows_open(&rows, "families");
    for (int i = 0; registry_families[i]; i++) {
        if (!newest_recorded_has(registry_families[i]->name)) continue;
        next(&rows);
        same(&rows, "family", registry_families[i]->name);
        same(&rows, "title", registry_families[i]->title);
        same(&rows, "problem", registry_families[i]->problem);
        same(&rows, "useful_bytes_text", registry_families[i]->useful_bytes_text);
    }
    rows_close(&rows);
}

static void variants_are_the_same(void **state)
{
    static const char *const kinds[] = {
        [KIND_KERNEL] = "kernel", [KIND_LIBRARY] = "library", [KIND_CPU] = "cpu"};
    struct rows rows;
    (void)state;
    if (!registry_variants[0]) SKIP("this build carries no variants");
    rows_open(&rows, "variants");
    for (int i = 0; registry_variants[i]; i++) {
        const struct variant *variant = registry_variants[i];
        if (!newest_recorded_has(variant->family)) continue;
        next(&rows);
        same(&rows, "family", variant->family);
        same(&rows, "variant", variant->name);
        same_number(&rows, "rung", variant_rung(variant->name));
        same(&rows, "title", variant->title);
        same(&rows, "after", variant->after);
        same(&rows, "suffers", variant->suffers);
        same(&rows, "changes", variant->changes);
        same(&rows, "pays", variant->pays);
        same(&rows, "factors", variant->factors);
        same(&rows, "sweep_name", variant->sweep_name);
        same(&rows, "sweep_text", variant->sweep_text);
        same(&rows, "file", variant->file);
        same(&rows, "kind", kinds[variant_kind(variant)]);
        same(&rows, "declares", variant->declares);
        same(&rows, "fails", variant->fails);
    }
    rows_close(&rows);
}

static void claims_are_the_same(void **state)
{
    struct rows rows;
    (void)state;
    if (!registry_variants[0]) SKIP("this build carries no variants");
    rows_open(&rows, "claims");
    for (int i = 0; registry_variants[i]; i++) {
        if (!newest_recorded_has(registry_variants[i]->family)) continue;
        for (int c = 0; c < CLAIM_COUNT && registry_variants[i]->claims[c].says; c++) {
            const struct claim *claim = &registry_variants[i]->claims[c];
            next(&rows);
            same(&rows, "variant", registry_variants[i]->name);
            same_number(&rows, "claim", c + 1);
            same(&rows, "says", claim->says);
            same(&rows, "source", claim->source);
            same(&rows, "place", claim->place);
            same(&rows, "size", claim->size);
            same(&rows, "expect", claim->expect);
            same_number(&rows, "at_sweep", claim->sweep);
            same_number(&rows, "at_times", claim->at_times);
            same(&rows, "device", claim->device);
        }
    }
    rows_close(&rows);
}

static void published_figures_are_the_same(void **state)
{
    struct rows rows;
    (void)state;
    if (!registry_variants[0]) SKIP("this build carries no variants");
    rows_open(&rows, "published");
    for (int i = 0; registry_variants[i]; i++) {
        if (!newest_recorded_has(registry_variants[i]->family)) continue;
        for (int p = 0; p < PUBLISHED_COUNT && registry_variants[i]->published[p].source; p++) {
            const struct published *published = &registry_variants[i]->published[p];
            next(&rows);
            same(&rows, "variant", registry_variants[i]->name);
            same(&rows, "source", published->source);
            same(&rows, "device", published->device);
            same(&rows, "size", published->size);
            same_number(&rows, "peak_gbs", published->peak_gbs > 0 ? published->peak_gbs : NAN);
            same_number(&rows, "block", published->block);
            same_number(&rows, "sweep", published->sweep);
            same_number(&rows, "time_ns", published->time_ns);
            same_number(&rows, "effective_gbs",
                        published->effective_gbs > 0 ? published->effective_gbs : NAN);
            same(&rows, "row", published->row);
            same(&rows, "peak_source", published->peak_source);
        }
    }
    rows_close(&rows);
}

/* A published figure beside a measured one of another block size, or of another GPU, says so. */
static void published_figures_say_what_differs(void **state)
{
    struct rows rows;
    int count = 0;
    (void)state;
    rows_open(&rows, "published_steps");
    while (csv_next(&rows.reader) == 1) {
        const double published = strtod(value(&rows, "published_block"), NULL),
                     measured = strtod(value(&rows, "measured_block"), NULL);
        const char *differs = value(&rows, "differs");
        const int other_block = published > 0 && measured > 0 && published != measured,
                  is_slides = !strncmp(value(&rows, "source"), "Liu", 3);
        assert_int_equal(strstr(differs, "block") != NULL, other_block);
        assert_int_equal(strstr(differs, "device") == NULL,
                         !strcmp(value(&rows, "device"), "H200"));
        if (is_slides) assert_true(published == 128 && measured == 128);
        count++;
        if (!strcmp(value(&rows, "family"), "gemm"))
            assert_string_equal(value(&rows, "pct_of_peak"), "");
    }
    csv_close(&rows.reader);
    assert_true(count > 20);
}

/* "13.0" of "13.0.88". */
static int same_release(const char *a, const char *b)
{
    const char *minor_a = strchr(a, '.'), *minor_b = strchr(b, '.');
    return minor_a && minor_b && strtol(a, NULL, 10) == strtol(b, NULL, 10) &&
           strtol(minor_a + 1, NULL, 10) == strtol(minor_b + 1, NULL, 10);
}

static void machine_code_is_the_same(void **state)
{
    struct rows rows;
    const char *toolkit = run_fact(&newest_recorded, "cuda_toolkit"),
               *capability = run_fact(&newest_recorded, "device_compute_capability"),
               *flags = run_fact(&newest_recorded, "nvcc_flags");
    char reason[120], hash[17];
    (void)state;
    assert_true(toolkit && capability && flags);
    const int architecture = (int)(10 * strtod(capability, NULL) + 0.5);
    if (!registry_variants[0] ||
        !sass_hash(registry_variants[0]->file, architecture, hash, reason)) {
        SKIP("this build carries no code for sm_%d", architecture);
    }
    if (!same_release(toolkit, WHYFAST_CUDA_VERSION) || strcmp(flags, WHYFAST_NVCC_FLAGS)) {
        SKIP("recorded with CUDA %s, this build has CUDA %s, or other flags", toolkit,
             WHYFAST_CUDA_VERSION);
    }
    rows_open(&rows, "variants");
    for (int i = 0; registry_variants[i]; i++) {
        const struct variant *variant = registry_variants[i];
        if (!newest_recorded_has(variant->family)) continue;
        next(&rows);
        const int known = sass_hash(variant->file, architecture, hash, reason);
        assert_true(known || variant_kind(variant) != KIND_KERNEL);
        same(&rows, "sass_hash", known ? hash : "");
        if (known) snprintf(reason, sizeof reason, "sm_%d", architecture);
        same(&rows, "sass_status", variant_kind(variant) == KIND_CPU ? "runs on the CPU" : reason);
    }
    rows_close(&rows);
}

/* Counts the rows of a table about this variant at this size in which a column has this value. */
static int count_rows(const char *table, const struct variant *variant, const char *size,
                      const char *column, const char *wanted)
{
    struct rows rows;
    int count = 0;
    rows_open(&rows, table);
    while (csv_next(&rows.reader) > 0)
        count += !strcmp(value(&rows, "family"), variant->family) &&
                 !strcmp(value(&rows, "variant"), variant->name) &&
                 !strcmp(value(&rows, "size"), size) && !strcmp(value(&rows, column), wanted);
    csv_close(&rows.reader);
    return count;
}

/* At every size of its family, in its best setting; a variant that cannot run on that device is
 * recorded as skipped. */
static void every_variant_has_metrics(void **state)
{
    (void)state;
    for (int i = 0; registry_variants[i]; i++) {
        const struct variant *variant = registry_variants[i];
        const struct family *family = registry_family(variant->family);
        if (!newest_recorded_has(variant->family)) continue;
        for (int s = 0; family->sizes[s]; s++) {
            const int right = count_rows("points", variant, family->sizes[s], "status", "ok"),
                      skipped =
                          count_rows("points", variant, family->sizes[s], "status", "skipped"),
                      best = count_rows("metrics", variant, family->sizes[s], "best", "1");
            const int tried =
                count_rows("points", variant, family->sizes[s], "wrong_trials", "0") +
                count_rows("points", variant, family->sizes[s], "status", "wrong as expected");
            if (right + skipped + tried == 0)
                fail_msg("%s at size %s is not in the run", variant->file, family->sizes[s]);
            if (best != (right + tried > 0))
                fail_msg("%s at size %s: %d rows with the best setting", variant->file,
                         family->sizes[s], best);
        }
    }
    assert_non_null(registry_families[0]);
}

static const struct variant *variant_of(const struct rows *rows)
{
    for (int i = 0; registry_variants[i]; i++)
        if (!strcmp(registry_variants[i]->family, value(rows, "family")) &&
            !strcmp(registry_variants[i]->name, value(rows, "variant")))
            return registry_variants[i];
    return NULL;
}

/* Compares a counter of wavefronts of one launch with the value that follows from the accesses of
 * its variant. */
static void check_wavefronts(const struct rows *rows, const struct variant *variant, int of_loads)
{
    struct work work = {.sm_count = atoi(run_fact(&newest_recorded, "device_sm_count"))};
    struct access_sums sums;
    assert_int_equal(
        shape_parse(&work.point.shape, value(rows, "size"), registry_family(variant->family)->rank),
        0);
    work.point.block = atoi(value(rows, "block"));
    work.point.sweep = atoi(value(rows, "sweep"));
    assert_true(shared_accesses_sum(variant, &work, (unsigned)atoi(value(rows, "launch")), &sums));
    same_number(rows, "value", of_loads ? sums.load_wavefronts : sums.store_wavefronts);
}

/* The counters agree with the accesses that the variants of this program describe, even if a
 * description is newer than the run. */
static void wavefronts_follow_from_the_addresses(void **state)
{
    struct rows rows;
    int compared = 0;
    (void)state;
    if (!registry_variants[0]) SKIP("this build carries no variants");
    rows_open(&rows, "counters");
    while (csv_next(&rows.reader) > 0) {
        const char *counter = value(&rows, "counter");
        const int of_loads = !strcmp(counter, "shared_wavefronts_load");
        if ((!of_loads && strcmp(counter, "shared_wavefronts_store")) ||
            strcmp(value(&rows, "status"), "ok"))
            continue;
        const struct variant *variant = variant_of(&rows);
        if (!variant || !variant->shared_accesses) continue;
        check_wavefronts(&rows, variant, of_loads);
        compared++;
    }
    csv_close(&rows.reader);
    assert_true(compared > 0);
}

static void it_was_a_clean_revision(void **state)
{
    const char *revision = run_fact(&newest_recorded, "git_revision");
    (void)state;
    assert_non_null(revision);
    assert_string_not_equal(revision, "unknown");
    if (strstr(revision, "-dirty"))
        fail_msg("%s was measured by %s", newest_recorded.path, revision);
}

static void provenance_is_complete(void **state)
{
    static const char *const facts[] = {"date",
                                        "whyfast_version",
                                        "git_revision",
                                        "cuda_toolkit",
                                        "nvcc_flags",
                                        "cc_flags",
                                        "seed",
                                        "device_name",
                                        "device_compute_capability",
                                        "device_sm_count",
                                        "device_ecc",
                                        "device_mig",
                                        "device_power_limit_w",
                                        "device_sm_clock_khz",
                                        "device_dram_clock_khz",
                                        "device_dram_bus_bits",
                                        "driver",
                                        "cuda_driver",
                                        "cuda_runtime",
                                        "event_overhead_ns",
                                        "chip",
                                        "cupti_api_version",
                                        "cpu_name",
                                        "cpu_cores"};
    (void)state;
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (!run_fact(&newest_recorded, facts[i])) fail_msg("run.txt has no '%s'", facts[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(families_are_the_same),
        cmocka_unit_test(variants_are_the_same),
        cmocka_unit_test(claims_are_the_same),
        cmocka_unit_test(published_figures_are_the_same),
        cmocka_unit_test(published_figures_say_what_differs),
        cmocka_unit_test(machine_code_is_the_same),
        cmocka_unit_test(every_variant_has_metrics),
        cmocka_unit_test(it_was_a_clean_revision),
        cmocka_unit_test(provenance_is_complete),
        cmocka_unit_test(wavefronts_follow_from_the_addresses),
    };
    return cmocka_run_group_tests(tests, newest_recorded_open, newest_recorded_close);
}
