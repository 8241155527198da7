/*
 * Compares a recorded run with this program: its families, variants, claims and published figures,
 * its sources and its machine code, and the counts that follow from what the variants describe. All
 * differences are printed, one a line. A stale run is no fault of the program: record a new one,
 * and pack it by tools/pack_run.sh.
 */

#include <math.h>

#include "catalog/bank_model.h"
#include "catalog/registry.h"
#include "machine_code/machine_code.h"
#include "fixture_run.h"
#include "rows.h"
#include "version.h"

static int differences; /* of the current test */

__attribute__((format(printf, 1, 2))) static void stale(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fputs("stale: ", stderr);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
    differences++;
}

static int start(void **state)
{
    differences = 0;
    return 0;
}

static void none_differs(int compared)
{
    assert_true(compared > 0);
    if (differences) fail_msg("%d of the run differ from the program", differences);
}

static void open_table(const char *table)
{
    open_rows(fixture_run.directory, table);
}

/* Opens the table at the `place`-th row (from 0) of a variant, or of a family if `variant` is NULL.
 * Returns 0 if there is none. */
static int find(const char *table, const char *family, const char *variant, int place)
{
    open_table(table);
    while (next_row())
        if (!strcmp(rows.reader.cell[0], family) &&
            (!variant || !strcmp(rows.reader.cell[1], variant)) && place-- == 0)
            return 1;
    return 0;
}

static int is_measured(const char *family, const char *variant)
{
    return find(variant ? "variants" : "families", family, variant, 0);
}

static void same(const char *name, const char *column, const char *expected)
{
    const char *recorded = value(column);
    if (strcmp(recorded, expected ? expected : ""))
        stale("%s: %s is '%s' in the run, '%s' in the program", name, column, recorded,
              expected ? expected : "");
}

static void same_number(const char *name, const char *column, double expected)
{
    char text[32];
    same(name, column, csv_format_number(text, expected));
}

/* ---- texts ----------------------------------------------------------------------------------- */

TEST_WITHIN(families_are_the_same, start, NULL)
{
    int compared = 0;
    for (int i = 0; registry_families[i]; i++, compared++) {
        const struct family *family = registry_families[i];
        if (find("families", family->name, NULL, 0)) {
            same(family->name, "title", family->title);
            same(family->name, "problem", family->problem);
            same(family->name, "useful_bytes_text", family->useful_bytes_text);
        } else {
            stale("%s: the run lacks the family", family->name);
        }
    }
    none_differs(compared);
}

static void compare_variant(const struct variant *variant)
{
    static const char *const kinds[] = {
        [KIND_KERNEL] = "kernel", [KIND_LIBRARY] = "library", [KIND_CPU] = "cpu"};
    const struct {
        const char *column, *text;
    } texts[] = {{"title", variant->title},
                 {"after", variant->after},
                 {"suffers", variant->suffers},
                 {"changes", variant->changes},
                 {"pays", variant->pays},
                 {"factors", variant->factors},
                 {"sweep_name", variant->sweep_name},
                 {"sweep_text", variant->sweep_text},
                 {"file", variant->file},
                 {"kind", kinds[variant_kind(variant)]},
                 {"fails", variant->fails}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        same(variant->file, texts[i].column, texts[i].text);
}

TEST_WITHIN(variants_are_the_same, start, NULL)
{
    int compared = 0;
    for (int i = 0; registry_variants[i]; i++, compared++) {
        const struct variant *variant = registry_variants[i];
        if (find("variants", variant->family, variant->name, 0))
            compare_variant(variant);
        else
            stale("%s: the run lacks the variant", variant->file);
    }
    open_table("variants");
    while (next_row())
        if (!registry_variant(value("family"), value("variant")))
            stale("%s/%s: the program lacks the variant", value("family"), value("variant"));
    none_differs(compared);
}

static void compare_claim(const char *name, const struct claim *claim)
{
    same(name, "says", claim->says);
    same(name, "source", claim->source);
    same(name, "place", claim->place);
    same(name, "size", claim->size);
    same(name, "expect", claim->expect);
    same_number(name, "at_sweep", claim->sweep);
    same_number(name, "at_times", claim->at_times);
    same(name, "device", claim->device);
    same_number(name, "at_block", claim->block);
}

static void compare_published(const char *name, const struct published *published)
{
    same(name, "source", published->source);
    same(name, "device", published->device);
    same(name, "size", published->size);
    same_number(name, "peak_gbs", published->peak_gbs > 0 ? published->peak_gbs : NAN);
    same_number(name, "block", published->block);
    same_number(name, "sweep", published->sweep);
    same_number(name, "time_ns", published->time_ns);
    same_number(name, "effective_gbs",
                published->effective_gbs > 0 ? published->effective_gbs : NAN);
    same(name, "row", published->row);
    same(name, "peak_source", published->peak_source);
}

/* Those of the variants that were measured; the others are listed already. */
TEST_WITHIN(claims_and_published_figures_are_the_same, start, NULL)
{
    int compared = 0;
    for (int i = 0; registry_variants[i]; i++) {
        const struct variant *variant = registry_variants[i];
        if (!is_measured(variant->family, variant->name)) continue;
        for (int c = 0; c <= CLAIM_COUNT; c++, compared++) {
            const int has = c < CLAIM_COUNT && variant->claims[c].says != NULL;
            const int found = find("claims", variant->family, variant->name, c);
            if (has && found) compare_claim(variant->file, &variant->claims[c]);
            if (has != found) stale("%s: claim %d is only in one of both", variant->file, c + 1);
            if (!has) break;
        }
        for (int p = 0; p <= PUBLISHED_COUNT; p++, compared++) {
            const int has = p < PUBLISHED_COUNT && variant->published[p].source != NULL;
            const int found = find("published", variant->family, variant->name, p);
            if (has && found) compare_published(variant->file, &variant->published[p]);
            if (has != found)
                stale("%s: published figure %d is only in one of both", variant->file, p + 1);
            if (!has) break;
        }
    }
    none_differs(compared);
}

/* ---- code ------------------------------------------------------------------------------------ */

/* The files that the kernels were compiled from, comments included. */
TEST_WITHIN(sources_are_the_same, start, NULL)
{
    int compared = 0;
    open_table("sources");
    while (next_row()) {
        const char *path = value("path"), *recorded = value("hash");
        char full[1024], hash[17];
        size_t length;
        if (strncmp(path, "kernels/", 8) || !*recorded) continue;
        snprintf(full, sizeof full, "%s/%s", root(), path);
        char *text = text_read_file(full, &length);
        if (!text)
            stale("%s: the file is gone", path);
        else if (strcmp(recorded, hash_text(hash_bytes(HASH_START, text, length), hash)))
            stale("%s: the file has changed", path);
        free(text);
        compared++;
    }
    none_differs(compared);
}

/* "13.0" of "13.0.88". */
static int same_release(const char *a, const char *b)
{
    const char *minor_a = strchr(a, '.'), *minor_b = strchr(b, '.');
    return minor_a && minor_b && strtol(a, NULL, 10) == strtol(b, NULL, 10) &&
           strtol(minor_a + 1, NULL, 10) == strtol(minor_b + 1, NULL, 10);
}

/* Whether kernels are compiled alike: -O is of the code on the CPU. */
static int same_flags(const char *a, const char *b)
{
    for (;;) {
        size_t length[2];
        const char **text[] = {&a, &b};
        for (int i = 0; i < 2; i++) {
            *text[i] += strspn(*text[i], " ");
            if (!strncmp(*text[i], "-O", 2)) *text[i] += strcspn(*text[i], " ");
            *text[i] += strspn(*text[i], " ");
            length[i] = strcspn(*text[i], " ");
        }
        if (length[0] != length[1] || memcmp(a, b, length[0])) return 0;
        if (!length[0]) return 1;
        a += length[0];
        b += length[1];
    }
}

TEST_WITHIN(machine_code_is_the_same, start, NULL)
{
    const char *toolkit = run_fact(&fixture_run, "cuda_toolkit"),
               *capability = run_fact(&fixture_run, "device_compute_capability"),
               *flags = run_fact(&fixture_run, "nvcc_flags");
    char reason[120], hash[17];
    int compared = 0;
    assert_true(toolkit && capability && flags);
    const int architecture = (int)(10 * strtod(capability, NULL) + 0.5);
    if (!registry_variants[0] ||
        !sass_hash(registry_variants[0]->file, NULL, architecture, hash, reason))
        SKIP("this build carries no code for sm_%d", architecture);
    if (!same_release(toolkit, WHYFAST_CUDA_VERSION) || !same_flags(flags, WHYFAST_NVCC_FLAGS))
        SKIP("recorded with CUDA %s, this build has CUDA %s, or other flags", toolkit,
             WHYFAST_CUDA_VERSION);
    for (int i = 0; registry_variants[i]; i++) {
        const struct variant *variant = registry_variants[i];
        if (find("variants", variant->family, variant->name, 0)) {
            const int known =
                sass_hash(variant->file, variant->factors, architecture, hash, reason);
            assert_true(known || variant_kind(variant) != KIND_KERNEL);
            same(variant->file, "sass_hash", known ? hash : "");
            if (known) snprintf(reason, sizeof reason, "sm_%d", architecture);
            same(variant->file, "sass_status",
                 variant_kind(variant) == KIND_CPU ? "runs on the CPU" : reason);
            compared++;
        }
    }
    none_differs(compared);
}

/* ---- points ---------------------------------------------------------------------------------- */

/* Counts the points of a variant at this size: measured, tried, skipped or wrong as expected. */
static int count_points(const struct variant *variant, const char *size)
{
    int count = 0;
    open_table("points");
    while (next_row())
        count += !strcmp(value("family"), variant->family) &&
                 !strcmp(value("variant"), variant->name) && !strcmp(value("size"), size);
    return count;
}

TEST_WITHIN(every_size_was_measured, start, NULL)
{
    int compared = 0;
    for (int i = 0; registry_variants[i]; i++) {
        const struct variant *variant = registry_variants[i];
        const struct family *family = registry_family(variant->family);
        if (!is_measured(variant->family, variant->name)) continue;
        for (int s = 0; family->sizes[s]; s++, compared++)
            if (!count_points(variant, family->sizes[s]))
                stale("%s: the run lacks the size %s", variant->file, family->sizes[s]);
    }
    none_differs(compared);
}

/* Compares a counter of wavefronts of one launch with the value that follows from the accesses of
 * its variant. */
static void check_wavefronts(const struct variant *variant, int of_loads)
{
    struct work work = {.sm_count = atoi(run_fact(&fixture_run, "device_sm_count"))};
    struct access_sums sums;
    WORKS(shape_parse(&work.point.shape, value("size"), registry_family(variant->family)->rank));
    work.point.block = atoi(value("block"));
    work.point.sweep = atoi(value("sweep"));
    assert_true(shared_accesses_sum(variant, &work, (unsigned)atoi(value("launch")), &sums));
    same_number(variant->file, "value", of_loads ? sums.load_wavefronts : sums.store_wavefronts);
}

/* The counters agree with the accesses that the variants of this program describe, even if a
 * description is newer than the run. */
TEST_WITHIN(wavefronts_follow_from_the_addresses, start, NULL)
{
    int compared = 0;
    open_table("counters");
    while (next_row()) {
        const char *counter = value("counter");
        const int of_loads = !strcmp(counter, "shared_wavefronts_load");
        if ((!of_loads && strcmp(counter, "shared_wavefronts_store")) ||
            strcmp(value("status"), "ok"))
            continue;
        const struct variant *variant = registry_variant(value("family"), value("variant"));
        if (!variant || !variant->shared_accesses) continue;
        check_wavefronts(variant, of_loads);
        compared++;
    }
    none_differs(compared);
}

/* ---- facts ----------------------------------------------------------------------------------- */

TEST(it_was_a_clean_revision)
{
    const char *revision = run_fact(&fixture_run, "git_revision");
    assert_non_null(revision);
    assert_string_not_equal(revision, "unknown");
    if (strstr(revision, "-dirty")) fail_msg("%s was measured by %s", fixture_run.path, revision);
}

TEST(provenance_is_complete)
{
    static const char facts[] =
        "date whyfast_version git_revision cuda_toolkit nvcc_flags cc_flags seed device_name "
        "device_compute_capability device_sm_count device_ecc device_mig device_power_limit_w "
        "device_sm_clock_khz device_dram_clock_khz device_dram_bus_bits driver cuda_driver "
        "cuda_runtime event_overhead_ns chip cupti_api_version cpu_name cpu_cores";
    char fact[64];
    int length;
    for (const char *at = facts; sscanf(at, " %63s%n", fact, &length) == 1; at += length)
        if (!run_fact(&fixture_run, fact)) fail_msg("run.txt has no '%s'", fact);
}

static int close_all(void **state)
{
    close_rows();
    return fixture_run_close(state);
}

RUN_TESTS(fixture_run_open, close_all)
