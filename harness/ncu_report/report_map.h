/*
 * Finds what a launch of a report gives for a column of a run, by the records `import` of
 * metrics/ncu_reports.metric. Nothing is owned.
 */
#ifndef WHYFAST_REPORT_MAP_H
#define WHYFAST_REPORT_MAP_H

#include "catalog/records.h"
#include "ncu_report/report_result.h"

/* A value, and the names or the formula that gave it: `length` bytes at `source`. */
struct report_value {
    double number; /* NAN: absent */
    const char *source;
    int length;
};

/* Evaluates "a | b | c": the first that the launch has. Each is a sum or difference of products and
 * quotients of numbers and names of metrics, which name one of their instances in brackets:
 * "sass__inst_executed_per_opcode[LDG]". If it has none, the source is the first name that is
 * lacking. */
struct report_value report_map_evaluate(const struct report_result *result, const char *formulas);

/* Returns the field `from` of the record for `table`.`column`, or NULL if there is none. */
const char *report_map_find(const struct records *records, const char *table, const char *column);

/* Returns the value of a counter by its own names, else by what report_map_find found for it. */
struct report_value report_map_counter(const struct report_result *result,
                                       const struct record *counter, const char *derived);

/* Returns the value for `table`.`column`; that of a counter likewise. */
struct report_value report_map_value(const struct records *records,
                                     const struct report_result *result, const char *table,
                                     const char *column);

#endif
