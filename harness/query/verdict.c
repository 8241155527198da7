#include "query/verdict.h"

#include <math.h>

#include "base/message.h"

const char *const verdict_words[] = {
    [VERDICT_NOT_MEASURED] = "not measured",
    [VERDICT_NO_EVIDENCE] = "no evidence",
    [VERDICT_FASTER] = "faster",
    [VERDICT_SLOWER] = "slower",
};

enum verdict verdict_of(double low, double high, double floor_pct)
{
    const double bound = 1 + floor_pct / 100;
    if (!isfinite(low) || !isfinite(high) || !isfinite(bound)) return VERDICT_NOT_MEASURED;
    return low > bound ? VERDICT_FASTER : high < 1 / bound ? VERDICT_SLOWER : VERDICT_NO_EVIDENCE;
}

static double number_of(sqlite3_value *value)
{
    return sqlite3_value_type(value) == SQLITE_NULL ? NAN : sqlite3_value_double(value);
}

void verdict_sql(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    const enum verdict verdict =
        verdict_of(number_of(arguments[0]), number_of(arguments[1]), number_of(arguments[2]));
    (void)count;
    sqlite3_result_text(context, verdict_words[verdict], -1, SQLITE_STATIC);
}

/* ---- of several ------------------------------------------------------------------------------ */

const char *const decision_words[DECISIONS] = {
    [DECISION_NOT_COMPARABLE] = "not comparable",
    [DECISION_NO_EVIDENCE] = "no evidence",
    [DECISION_FASTER] = "faster",
    [DECISION_SLOWER] = "slower",
    [DECISION_WRONG] = "wrong",
};

enum decision decision_of(const struct decision_counts *counts)
{
    if (counts->wrong) return DECISION_WRONG;
    if (counts->refused) return DECISION_NOT_COMPARABLE;
    if (counts->slower) return DECISION_SLOWER;
    if (counts->faster) return DECISION_FASTER;
    return counts->alike ? DECISION_NO_EVIDENCE : DECISION_NOT_COMPARABLE;
}

int decision_failure(enum decision decision, int is_gate)
{
    if (decision == DECISION_NOT_COMPARABLE) return FAIL_COMPARE;
    if (decision == DECISION_NO_EVIDENCE) return is_gate ? 0 : FAIL_NO_EVIDENCE;
    return decision == DECISION_FASTER ? 0 : FAIL_CHECK;
}

void decision_append_counts(struct text *text, const struct decision_counts *counts)
{
    text_format(text, "%d slower, %d faster, %d without evidence of a difference", counts->slower,
                counts->faster, counts->alike);
}
