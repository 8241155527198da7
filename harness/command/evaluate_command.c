/*
 * Runs `evaluate` and `plot`, which compute and draw what the other commands show.
 */
#include <stdlib.h>

#include "base/message.h"
#include "base/text.h"
#include "catalog/point_key.h"
#include "catalog/records.h"
#include "command/command.h"
#include "explain/explain.h"
#include "query/query.h"
#include "report/report.h"
#include "run/evaluation.h"
#include "run/merged_run.h"

int unless_interrupted(int result)
{
    return interrupted() ? FAIL_INTERRUPTED : result;
}

/* Opens the only operand as a run, and locks it for writing. */
static int open_to_write(struct run *run, const struct arguments *arguments, const char *command)
{
    if (arguments->positional_count != 1)
        return error(FAIL_USAGE, "%s: expected one run directory", command);
    int result = run_open(run, arguments->positional[0]);
    if (result) return result;
    result = run_lock(run);
    if (result) run_close(run);
    return result;
}

/* Returns FAIL_USAGE for a --metric that does not exist, and names the nearest one. */
static int check_metrics(const struct arguments *arguments)
{
    struct records records;
    if (arguments->metric_count == 0) return 0;
    int result = records_read_own(&records);
    if (result) return result;
    for (int i = 0; i < arguments->metric_count && !result; i++) {
        const char *name = arguments->metric[i];
        if (!records_is_column(&records, name)) result = records_unknown_metric(&records, name);
    }
    records_free(&records);
    return result;
}

/* Writes why a metric has no value, for each point at which it has none. */
static int write_absent(struct query *query, const char *metric, struct json_writer *writer)
{
    char *sql = text_new(
        "SELECT " POINT_KEY ", '%s' AS metric, CASE WHEN impossible IS NOT NULL THEN 'impossible' "
        "WHEN counters IS NOT NULL THEN 'no_counters' ELSE 'no_value' END AS code, "
        "coalesce(impossible, counters, 'this point lacks what its formula needs') AS words FROM "
        "(SELECT *, (SELECT coalesce(i.because, i.holds || ' does not hold: ' || i.numbers, 'it "
        "rests on an impossible value') FROM impossible i WHERE i.family = m.family AND i.variant "
        "= m.variant AND i.size = m.size AND i.block = m.block AND i.sweep = m.sweep AND (i.name = "
        "'%s' OR ' ' || i.empties || ' ' LIKE '%% %s %%') ORDER BY i.because IS NULL LIMIT 1) AS "
        "impossible, (SELECT substr(value, %zu) FROM run WHERE key = 'counters' AND value LIKE "
        "'" ABSENT "%%') AS counters FROM metrics m WHERE m.\"%s\" IS NULL)",
        metric, metric, metric, sizeof ABSENT, metric);
    const int result = sql ? query_json(query, sql, NULL, writer) : error_memory();
    free(sql);
    return result;
}

/* Prints the metrics asked for by --metric as CSV or JSON, one row per point. */
static int print_metrics(const struct run *run, const struct arguments *arguments)
{
    struct query query;
    struct text sql = {0};
    if (arguments->metric_count == 0) return 0;
    int result = query_open(&query, run);
    if (result) return result;
    result = QUERY_LOAD(&query, TABLE_METRICS, TABLE_IMPOSSIBLE);
    text_append(&sql, "SELECT " POINT_KEY);
    for (int i = 0; i < arguments->metric_count; i++)
        text_format(&sql, ", \"%s\"", arguments->metric[i]);
    text_append(&sql, " FROM metrics");
    if (!result && sql.failed) result = error_memory();
    if (!result && arguments->json) {
        struct json_writer writer;
        json_begin(&writer, stdout, "evaluate/2");
        json_open(&writer, "metrics", '[');
        result = query_json(&query, text_string(&sql), NULL, &writer);
        json_close(&writer, ']');
        json_open(&writer, "absent", '[');
        for (int i = 0; i < arguments->metric_count && !result; i++)
            result = write_absent(&query, arguments->metric[i], &writer);
        json_close(&writer, ']');
        json_end(&writer);
    } else if (!result) {
        result = query_csv(&query, NULL, text_string(&sql), NULL, stdout);
    }
    text_free(&sql);
    query_close(&query);
    return result;
}

static int evaluate_device(void *context, const char *device)
{
    struct arguments of_device = *(const struct arguments *)context;
    of_device.positional[0] = device;
    return evaluate_command(&of_device);
}

int evaluate_command(const struct arguments *arguments)
{
    struct run run;
    if (arguments->positional_count == 1 && merged_run_is_at(arguments->positional[0])) {
        struct arguments each = *arguments;
        if (arguments->metric_count)
            return error(FAIL_USAGE, "%s: is a merged run; --metric needs --device",
                         arguments->positional[0]);
        return merged_each(arguments->positional[0], evaluate_device, &each);
    }
    int result = open_to_write(&run, arguments, "evaluate");
    if (result) return result;
    result = check_metrics(arguments);
    if (!result) progress_begin("evaluating", "stages", 2);
    if (!result) result = progress_end(explain_run(&run, 0));
    if (!result) result = print_metrics(&run, arguments);
    if (!result && run.impossible) result = FAIL_CHECK;
    run_close(&run);
    return result;
}

int plot_command(const struct arguments *arguments)
{
    struct run run;
    int result = open_to_write(&run, arguments, "plot");
    if (result) return result;
    evaluation_warn(&run);
    result = plot_sizes(&run, arguments->size, arguments->size_count);
    run_close(&run);
    return result;
}
