/*
 * Tests the evidence of causes on a whole run: what a sentence or a table says of a change is shown
 * by a count that moved with it, and by so much that it can have taken the time.
 */

#include <math.h>

#include "asked.h"
#include "explain/account_sentence.h"
#include "explain/causes.h"
#include "explain/metric_words.h"

static int open_all(void **state)
{
    if (ask_fixture_run(state)) return -1;
    int result = records_read(&records, root());
    if (!result) result = LOAD_TABLES(TABLE_METRICS, TABLE_STEPS, TABLE_CAUSES, TABLE_SAID);
    return result ? result : causes_names(&query, &records);
}

struct audit {
    int rows, wrong;
    char first[400]; /* of the wrong ones */
};

/* With a logarithmic mean of both times, a count by which a time was multiplied has changed it by
 * this mean times its own logarithm, and no count by more, but for a tenth. */
static int audit_row(void *context, const struct scope *row)
{
    struct audit *audit = context;
    const double saved = row_number(row, 0), before = row_number(row, 1),
                 after = row_number(row, 2), b = row_number(row, 3), a = row_number(row, 4),
                 mean = fabs(before - after) < 1e-9 * before
                            ? before
                            : (before - after) / log(before / after),
                 moved = log(b / a) * row_number(row, 5);
    audit->rows++;
    if (moved * saved > 0 && fabs(moved) * mean * (1 + ACCOUNT_TENTH) >= fabs(saved)) return 0;
    if (!audit->wrong++)
        snprintf(audit->first, sizeof audit->first,
                 "%s: it %s %.4g of %.4g ns, and %s went from %.4g to %.4g", row->value[6],
                 saved > 0 ? "saved" : "cost", fabs(saved), before,
                 row->value[7] ? row->value[7] : "nothing", b, a);
    return 0;
}

/* Less of some witnesses costs time: of those whose records say so, and of what loads and warps
 * have in common. */
static struct audit audit_causes(void)
{
    static const char sql[] =
        "SELECT c.saved_ns, p.time_ns, m.time_ns, c.witness_before, c.witness_after, "
        "iif(c.witness IN ('load_distance', 'loads_per_wait', 'bytes_per_wait', 'resident_warps', "
        "'active_sms_pct') "
        "OR k.costs = 'less' AND c.witness = k.witness, -1, 1), c.family || '/' || c.variant || "
        "' at size ' || c.size || ': ' || c.cause, c.witness FROM causes c JOIN metrics m USING "
        "(family, variant, size, block, sweep) JOIN metrics p ON p.family = c.family AND "
        "p.variant = c.after AND p.size = c.size AND p.best = 1 AND p.block = c.block "
        "LEFT JOIN cause k USING (cause) WHERE c.status = 'resolved' AND c.cause <> 'residual'";
    struct audit audit = {0, 0, ""};
    assert_int_equal(query_each(&query, "test", sql, NULL, audit_row, &audit), 0);
    return audit;
}

TEST(evidence_moved_with_its_cause_and_far_enough)
{
    const struct audit audit = audit_causes();
    print_message("# %d causes were looked at\n", audit.rows);
    assert_true(audit.rows >= 100);
    if (audit.wrong) fail_msg("%d of %d, %s", audit.wrong, audit.rows, audit.first);
}

/* Also those of records that this run lacks. A name with a low line is no word. */
TEST(every_witness_has_words)
{
    sqlite3_set_authorizer(query.database, NULL, NULL);
    assert_int_equal(metric_words_make(&query, &records), 0);
    assert_int_equal(metric_words_make(&query, &records), 0);
    finds_nothing(100, "SELECT witness FROM causes WHERE witness IS NOT NULL AND wrong(witness NOT "
                       "IN (SELECT name FROM metric_words WHERE NOT instr(words, '_')))");
    finds_nothing(20, "SELECT witness FROM cause WHERE witness IS NOT NULL AND wrong(witness NOT "
                      "IN (SELECT name FROM metric_words WHERE NOT instr(words, '_')))");
    finds("SELECT words FROM metric_words WHERE name = 'scaled_cost_ns'",
          "Cost that knock-outs at another size allow");
    finds("SELECT words || ', ' || unit FROM metric_words WHERE name = 'sm_clock_mhz'",
          "SM clock, MHz");
    finds("SELECT words || coalesce(unit, '') FROM metric_words WHERE name = 'load_distance'",
          "Instructions between load and use");
}

/* The audit itself finds what is planted: a witness that stood still, that moved the other way,
 * that moved too little, and none. */
TEST(false_evidence_is_found)
{
    static const char *const plants[] = {
        "witness_after = witness_before",
        "witness_before = witness_after, witness_after = witness_before",
        "saved_ns = 100 * saved_ns",
        "witness = NULL, witness_before = NULL, witness_after = NULL",
    };
    sqlite3_set_authorizer(query.database, NULL, NULL);
    for (size_t i = 0; i < sizeof plants / sizeof *plants; i++) {
        WORKS(
            query_write(&query,
                        "SAVEPOINT planted; UPDATE causes SET %s WHERE rowid = (SELECT rowid FROM "
                        "causes WHERE status = 'resolved' AND cause = 'instructions' LIMIT 1)",
                        plants[i]));
        if (audit_causes().wrong != 1) fail_msg("not found: %s", plants[i]);
        assert_int_equal(query_write(&query, "ROLLBACK TO planted; RELEASE planted"), 0);
    }
}

/* What a sentence names shows its count, and what has none is not said to be proven. */
TEST(sentences_show_their_evidence)
{
    finds_nothing(100,
                  "SELECT s.family || '/' || s.variant || ' at size ' || s.size || ': ' || "
                  "s.id FROM said s JOIN causes c ON c.family = s.family AND c.variant = "
                  "s.variant AND c.size = s.size AND c.block = s.block AND c.after = s.after "
                  "AND c.cause = s.id WHERE c.named BETWEEN 1 AND 4 AND wrong(s.counted IS NULL)");
    finds_nothing(100, "SELECT family || '/' || variant || ' at size ' || size || ': ' || id FROM "
                       "said WHERE wrong(proves AND witness IS NULL)");
}

RUN_TESTS(open_all, asked_close)
