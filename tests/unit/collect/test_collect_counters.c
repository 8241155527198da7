#include "collect/collector.h"
#include "host_cupti.h"

/*
 * Tests the counter records against CUPTI's own lists of chips: otherwise a name that a chip does
 * not know would be found only on that chip. Planning needs the library and no GPU.
 */
static const char *const chips[] = {"TU102", "GA100", "AD102", "GH100", "GB100", "GB202"};

enum { CHIP_COUNT = sizeof chips / sizeof *chips, MOST = 128 };

static struct records records;

/* Returns the first name of the counter that the chip knows, which the caller frees, or NULL. */
static char *resolve(const char *chip, const struct record *counter)
{
    char *alternative[ALTERNATIVE_COUNT], *found = NULL;
    const int count = record_alternatives(counter, alternative);
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        if (!found && counter_known(chip, alternative[i]))
            found = alternative[i];
        else
            free(alternative[i]);
    }
    return found;
}

/* The counters that a chip lacks: Turing copies through registers and multiplies no bfloat16, only
 * chips from Hopper on store matrices, and only they distinguish arbitration. */
static const struct {
    const char *chip, *counter;
} impossible[] = {
    {"TU102", "shared_async_wavefronts"},
    {"TU102", "shared_async_instructions"},
    {"TU102", "shared_async_conflicts"},
    {"TU102", "shared_bypass_wavefronts"},
    {"TU102", "async_sectors"},
    {"TU102", "async_bytes"},
    {"TU102", "shared_matrix_store_conflicts"},
    {"GA100", "shared_matrix_store_conflicts"},
    {"AD102", "shared_matrix_store_conflicts"},
    {"TU102", "shared_arbitration"},
    {"GA100", "shared_arbitration"},
    {"AD102", "shared_arbitration"},
    {"TU102", "shared_matrix_store_wavefronts"},
    {"GA100", "shared_matrix_store_wavefronts"},
    {"AD102", "shared_matrix_store_wavefronts"},
    {"TU102", "mma_bf16_operations"},
    {"TU102", "mma_tf32_operations"},
    {"TU102", "mma_bf16_peak"},
    {"TU102", "mma_tf32_peak"},
};

/* Only these chips have counters of wgmma; GB100 counts the operations of tcgen05 instead. */
static const struct {
    const char *chip, *counters;
} with_wgmma[] = {
    {"GH100", "wgmma_*"},
    {"GH100", "stall_gmma"},
    {"GB100", "wgmma_*_operations"},
    {"GB100", "wgmma_*_peak"},
};

static int is_impossible(const char *chip, const char *counter)
{
    int found = text_matches("wgmma_*", counter) || !strcmp(counter, "stall_gmma");
    for (size_t i = 0; i < sizeof with_wgmma / sizeof *with_wgmma; i++)
        if (!strcmp(with_wgmma[i].chip, chip) && text_matches(with_wgmma[i].counters, counter))
            found = 0;
    for (size_t i = 0; i < sizeof impossible / sizeof *impossible; i++)
        found |= !strcmp(impossible[i].chip, chip) && !strcmp(impossible[i].counter, counter);
    return found;
}

TEST(every_counter_is_known_to_every_chip)
{
    int counters = 0;
    if (*cupti_missing()) SKIP("%.*s", (int)strcspn(cupti_missing(), "\n"), cupti_missing());
    for (int i = 0; i < records.count; i++) {
        const struct record *counter = &records.record[i];
        if (counter->kind != RECORD_COUNTER) continue;
        counters++;
        for (int c = 0; c < CHIP_COUNT; c++) {
            OWNED char *source = resolve(chips[c], counter);
            if (source && is_impossible(chips[c], counter->name))
                fail_msg("%s does know '%s'", chips[c], source);
            if (!source && !is_impossible(chips[c], counter->name))
                fail_msg("%s:%d: %s knows no name of '%s': %s", counter->file, counter->line,
                         chips[c], counter->name, record_field(counter, "from"));
        }
    }
    assert_true(counters >= 28);
}

/* Every name in a record is known to some chip: otherwise a typo in an alternative would go
 * unnoticed. */
TEST(every_alternative_is_known_to_some_chip)
{
    if (*cupti_missing()) SKIP("%.*s", (int)strcspn(cupti_missing(), "\n"), cupti_missing());
    for (int i = 0; i < records.count; i++) {
        const struct record *counter = &records.record[i];
        char *alternative[ALTERNATIVE_COUNT];
        if (counter->kind != RECORD_COUNTER) continue;
        const int count = record_alternatives(counter, alternative);
        for (int a = 0; a < count; a++) {
            int known = 0;
            for (int c = 0; c < CHIP_COUNT && !known; c++)
                known = counter_known(chips[c], alternative[a]);
            if (!known)
                fail_msg("%s:%d: no chip knows '%s'", counter->file, record_line(counter, "from"),
                         alternative[a]);
            free(alternative[a]);
        }
    }
}

/* Returns the number of passes for the counters of these comma-separated sets together. */
static int passes_of_sets(const char *chip, const char *sets)
{
    const char *metric[MOST];
    char reason[REASON_BYTES];
    size_t count = 0;
    for (int i = 0; i < records.count && count < MOST; i++) {
        const struct record *counter = &records.record[i];
        if (counter->kind != RECORD_COUNTER || !strstr(sets, record_field(counter, "set")))
            continue;
        char *source = resolve(chip, counter);
        if (source) metric[count++] = source;
    }
    assert_true(count > 0);
    const int passes =
        counter_passes(CUPTI_PROFILER_TYPE_RANGE_PROFILER, chip, metric, count, reason);
    assert_int_not_equal(passes, 0);
    for (size_t i = 0; i < count; i++) free((void *)(uintptr_t)metric[i]);
    return passes;
}

TEST(sets_take_two_passes)
{
    if (*cupti_missing()) SKIP("%.*s", (int)strcspn(cupti_missing(), "\n"), cupti_missing());
    assert_int_equal(passes_of_sets("GH100", "mission"), 2);
    assert_int_equal(passes_of_sets("GH100", "roofline"), 2);
    for (int c = 1; c < CHIP_COUNT; c++) assert_int_equal(passes_of_sets(chips[c], "mission"), 2);
    assert_in_range(passes_of_sets("TU102", "mission"), 2, 3);
}

/* A stall reason costs a third of a pass: all of them would take nine. GB202 needs two for
 * long_scoreboard alone. */
TEST(stalls_are_not_dear)
{
    if (*cupti_missing()) SKIP("%.*s", (int)strcspn(cupti_missing(), "\n"), cupti_missing());
    assert_int_equal(passes_of_sets("GH100", "mission,roofline"), 3);
    for (int c = 0; c < CHIP_COUNT; c++)
        assert_in_range(passes_of_sets(chips[c], "mission,roofline,stalls"), 4,
                        strcmp(chips[c], "GB202") ? 7 : 8);
}

/* All sets together, as a run collects them. */
TEST(tensor_cores_cost_one_pass)
{
    static const char others[] = "mission,roofline,stalls,ledger",
                      all[] = "mission,roofline,stalls,ledger,tensor";
    if (*cupti_missing()) SKIP("%.*s", (int)strcspn(cupti_missing(), "\n"), cupti_missing());
    assert_int_equal(passes_of_sets("GH100", others), 8);
    assert_int_equal(passes_of_sets("GH100", all), 9);
    for (int c = 0; c < CHIP_COUNT; c++)
        assert_in_range(passes_of_sets(chips[c], all), passes_of_sets(chips[c], others),
                        passes_of_sets(chips[c], others) + 1);
}

TEST(every_counter_is_in_a_set)
{
    for (int i = 0; i < records.count; i++) {
        const struct record *record = &records.record[i];
        if (record->kind == RECORD_COUNTER &&
            !records_find(&records, RECORD_SET, record_field(record, "set")))
            fail_msg("%s:%d: no set is called '%s'", record->file, record_line(record, "set"),
                     record_field(record, "set"));
        if (record->kind == RECORD_SET) {
            int counters = 0;
            for (int j = 0; j < records.count; j++)
                counters += records.record[j].kind == RECORD_COUNTER &&
                            !strcmp(record_field(&records.record[j], "set"), record->name);
            /* Counts of probes are in machine_code/probe_results.h; values over time are tracks;
             * knock-outs have a table of their own. */
            const int has_none = !strcmp(record_field(record, "collector"), "probe") ||
                                 !strcmp(record_field(record, "collector"), "sampler") ||
                                 !strcmp(record_field(record, "collector"), "twins");
            assert_int_equal(counters > 0, !has_none);
            if (!has_none) assert_string_equal(record_field(record, "collector"), COLLECTOR_RANGE);
        }
    }
}

static int open_all(void **state)
{
    if (fixture_open(state)) return -1;
    return records_read(&records, root());
}

static int close_all(void **state)
{
    records_free(&records);
    return fixture_close(state);
}

RUN_TESTS(open_all, close_all)
