#include "query/verdict.h"

#include <math.h>

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
