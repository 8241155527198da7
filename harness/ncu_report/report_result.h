/*
 * Decodes a result of a report: a launch of a kernel with its metrics. A struct report_result owns
 * its array until report_result_close; all texts and bytes are those of the report.
 */
#ifndef WHYFAST_REPORT_RESULT_H
#define WHYFAST_REPORT_RESULT_H

#include "ncu_report/report_file.h"

struct report_metric {
    const char *name;
    struct wire message;
};

struct report_result {
    struct wire entry;
    uint64_t source;            /* id of the machine code */
    unsigned grid[3], block[3]; /* 0 if the report does not tell */
    size_t count;
    struct report_metric *metric; /* by name */
};

/* Fields of a result that are texts. */
enum { RESULT_SYMBOL = 5, RESULT_FUNCTION = 6, RESULT_NAME = 7 };

/* Returns FAIL_INPUT, without a message, for a damaged result, or FAIL_OUTPUT if memory is short.
 */
int report_result_open(struct report_result *result, struct wire entry,
                       const struct report_block *block);
void report_result_close(struct report_result *result);

/* Returns a metric, or NULL if the result lacks it. */
const struct report_metric *report_result_find(const struct report_result *result,
                                               const char *name);

/* Returns the value of a metric, or NAN if the result lacks it or it is a text. */
double report_result_number(const struct report_result *result, const char *name);

/* Returns what the value of a metric is; nothing if it has instances alone. */
enum report_kind { REPORT_NOTHING, REPORT_TEXT, REPORT_NUMBER };
enum report_kind report_result_kind(const struct report_result *result, const char *name);

/* Returns the text that is the value of a metric; no bytes if there is none. */
struct wire report_result_text(const struct report_result *result, const char *name);

/* Returns the value of a metric for a text, such as an opcode: 0 for one that it does not list, NAN
 * if the result lacks the metric. */
double report_result_keyed(const struct report_result *result, const char *name, const char *key);

/* Calls `visit` for each value of a metric by instances, with what it is of, such as the address of
 * an instruction. Returns the number of instances. */
size_t report_metric_each(const struct report_metric *metric,
                          void (*visit)(void *context, uint64_t of, double value), void *context);

/* Returns the NVTX ranges around the launch as "outer/inner", which the caller frees, "" if there
 * is none; NULL if memory is short. */
char *report_result_range(const struct report_result *result);

#endif
