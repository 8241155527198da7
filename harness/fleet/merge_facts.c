#include "fleet/merge_facts.h"

#include <string.h>

#include "base/message.h"
#include "base/text.h"

static const char uuid[] = "device_uuid";

/* Facts that may differ between runs of one device. Of those of the first list all values are kept,
 * of those of the second the earliest that is not absent. All others must be equal. */
static const char *const joined[] = {"command_line", "selection",    "extent",
                                     "most_samples", "most_seconds", "collected_sets"};
static const char *const earliest[] = {"date",
                                       "epoch_ns",
                                       "event_overhead_ns",
                                       "device_clock_event_reasons",
                                       "selftest",
                                       "counters",
                                       "counters_range",
                                       "counters_lines",
                                       "counters_timeline",
                                       "wrong_results",
                                       "exact_sums",
                                       "selftest_proven",
                                       "device_temperature_c",
                                       "merged_runs",
                                       "interrupted_runs"};

/* Facts that identify a machine. */
static const char *const serials[] = {uuid, "host"};

#define IS_IN(list, word) is_in(list, sizeof(list) / sizeof *(list), word)
static int is_in(const char *const *list, size_t count, const char *word)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(list[i], word)) return 1;
    return 0;
}

static int is_absent(const char *value)
{
    return !strncmp(value, ABSENT, strlen(ABSENT));
}

static int has_uuid(const struct run *run)
{
    const char *told = run_fact(run, uuid);
    return told && strcmp(told, WITHHELD) && !is_absent(told);
}

int merge_same_device(const struct run *a, const struct run *b)
{
    return has_uuid(a) && has_uuid(b) && !strcmp(run_fact(a, uuid), run_fact(b, uuid));
}

int merge_may_be_same_device(const struct run *a, const struct run *b)
{
    const char *first = run_fact(a, "device_name"), *second = run_fact(b, "device_name");
    return has_uuid(a) && has_uuid(b) ? merge_same_device(a, b)
                                      : !first || !second || !strcmp(first, second);
}

uint64_t merge_hash_facts(const struct run *run)
{
    uint64_t hash = HASH_START;
    for (int i = 0; i < run->facts.count; i++) {
        const struct fact *fact = &run->facts.fact[i];
        if (IS_IN(serials, fact->key)) continue;
        hash = hash_bytes(hash, fact->key, strlen(fact->key) + 1);
        hash = hash_bytes(hash, fact->value, strlen(fact->value) + 1);
    }
    return hash;
}

static int must_be_equal(const struct run *a, const struct run *b, const char *key)
{
    const char *first = run_fact(a, key), *second = run_fact(b, key);
    if (!first || !second || !strcmp(first, second)) return 0;
    return error(FAIL_INPUT,
                 "%s/" FACTS_FILE ": contradicts %s/" FACTS_FILE
                 ": %s is '%s', not '%s'; such runs cannot be merged",
                 b->path, a->path, key, second, first);
}

int merge_check_fleet(const struct run *first, const struct run *other)
{
    static const char *const same[] = {"whyfast_version", "git_revision", "seed", "own_families"};
    int result = 0;
    for (size_t i = 0; i < sizeof same / sizeof *same && !result; i++)
        result = must_be_equal(first, other, same[i]);
    return result;
}

static int join_values(struct facts *facts, const char *key, const struct run *const *run,
                       int count)
{
    struct text values = {0};
    for (int i = 0; i < count; i++) {
        const char *value = run_fact(run[i], key);
        int is_new = value != NULL;
        for (int k = 0; k < i && is_new; k++) {
            const char *earlier = run_fact(run[k], key);
            is_new = !earlier || strcmp(earlier, value);
        }
        if (is_new) text_format(&values, "%s%s", values.length ? "; " : "", value);
    }
    char *whole = values.failed ? NULL : strdup(text_string(&values));
    text_free(&values);
    return facts_set(facts, key, whole);
}

static int keep_value(struct facts *facts, const char *key, const struct run *const *run, int count)
{
    const char *kept = NULL;
    for (int i = 0; i < count; i++) {
        const char *value = run_fact(run[i], key);
        if (value && (!kept || (is_absent(kept) && !is_absent(value)))) kept = value;
    }
    return facts_set(facts, key, strdup(kept));
}

static int add_fact(struct facts *facts, const char *key, const struct run *const *run, int count)
{
    int result = 0, first = 0;
    if (facts_find(facts, key)) return 0;
    if (IS_IN(joined, key)) return join_values(facts, key, run, count);
    while (!run_fact(run[first], key)) first++;
    for (int i = first + 1; i < count && !IS_IN(earliest, key) && !result; i++)
        result = must_be_equal(run[first], run[i], key);
    return result ? result : keep_value(facts, key, run, count);
}

int merge_facts(struct facts *facts, const struct run *const *run, int count)
{
    int result = 0;
    *facts = (struct facts){0, NULL};
    result = facts_set(facts, "status", strdup("complete")); /* also of an interrupted run */
    for (int i = 0; i < count && !result; i++)
        for (int k = 0; k < run[i]->facts.count && !result; k++)
            result = add_fact(facts, run[i]->facts.fact[k].key, run, count);
    if (!result && count > 1) result = facts_set(facts, "merged_runs", text_new("%d", count));
    for (int i = 0, pieces = 0; i < count && !result; i++) {
        pieces += run[i]->is_piece;
        if (run[i]->is_piece) result = facts_set(facts, "interrupted_runs", text_new("%d", pieces));
    }
    return result;
}

int merge_withhold(struct facts *facts)
{
    int result = 0;
    for (size_t i = 0; i < sizeof serials / sizeof *serials && !result; i++)
        if (facts_find(facts, serials[i])) result = facts_set(facts, serials[i], strdup(WITHHELD));
    return result;
}
