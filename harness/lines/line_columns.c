#include "lines/line_columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"

/* To add a metric: a row here, one more in LINE_METRIC_COUNT, and a column of the views in
 * lines/lines_tables.sql unless they have it. */
const struct line_metric line_metrics[LINE_METRIC_COUNT] = {
    {"ways", "ways", "ways", "wavefronts per ideal wavefront, over all accesses of the line",
     LINE_RATIO, 0, 1},
    {"excess", "excess", "excess", "shared-memory wavefronts beyond the ideal", LINE_COUNT, 1, 1},
    {"wavefronts", "shared_wavefronts", "wavefronts", "cycles of the shared-memory data stage",
     LINE_COUNT, 1, 0},
    {"ideal", "shared_ideal", "ideal", "wavefronts without conflicts", LINE_COUNT, 1, 0},
    {"pipe", "pipe_pct", "pipe %", "excess, in % of the cycles of the shared-memory pipe",
     LINE_PERCENT, 1, 0},
    {"samples", "sample_pct", "stall %", "% of the kernel's stall samples", LINE_PERCENT, 1, 1},
    {"reason", "reason", "main reason", "the stall reason with most samples", LINE_WORD, 0, 1},
    {"not_issued", "not_issued_pct", "idle %",
     "% of the kernel's samples in which the scheduler issued nothing", LINE_PERCENT, 1, 0},
    {"executed", "executed", "executed", "warp instructions", LINE_COUNT, 1, 1},
    {"lanes", "lanes", "lanes", "of 32, active and not predicated off", LINE_RATIO, 0, 1},
    {"threads", "threads_on", "threads", "thread instructions, not predicated off", LINE_COUNT, 1,
     0},
    {"branches", "branches", "branches", "branch targets", LINE_COUNT, 1, 0},
    {"divergent", "branches_divergent", "divergent",
     "branch targets that only some of the active lanes took", LINE_COUNT, 1, 0},
    {"global_sectors", "global_sectors", "sectors", "sectors of global memory", LINE_COUNT, 1, 0},
    {"global_excess", "global_excess", "uncoalesced", "sectors of global memory beyond the ideal",
     LINE_COUNT, 1, LINE_IF_ANY},
    {"local_sectors", "local_sectors", "local", "sectors of local memory", LINE_COUNT, 1, 0},
    {"instructions", "instructions", "SASS", "instructions in the machine code", LINE_COUNT, 1, 0},
};

int line_column_find(const char *name)
{
    const char *names[LINE_METRIC_COUNT];
    for (int i = 0; i < LINE_METRIC_COUNT; i++) {
        names[i] = line_metrics[i].name;
        if (!strcmp(name, names[i])) return i;
    }
    const char *nearest = text_nearest(name, names, LINE_METRIC_COUNT);
    if (nearest)
        return error(FAIL_USAGE, "lines have no metric '%s'; did you mean '%s'?", name, nearest);
    struct text all = {0};
    for (int i = 0; i < LINE_METRIC_COUNT; i++) text_format(&all, "%s%s", i ? ", " : "", names[i]);
    error(FAIL_USAGE, "lines have no metric '%s'; they have %s", name, text_string(&all));
    text_free(&all);
    return FAIL_USAGE;
}

/* Appends a whole number below 100000 in full, a larger one with four digits and a letter for its
 * thousands. */
static void append_count(struct text *text, double value)
{
    static const char letters[] = " kMGT";
    double size = fabs(value);
    int thousands = 0;
    if (size < 99999.5) {
        text_format(text, "%.*f", value == floor(value) ? 0 : 1, value);
        return;
    }
    while (size >= 999.95 && thousands < 4) {
        size /= 1000;
        thousands++;
    }
    text_format(text, "%s%.*f%c", value < 0 ? "-" : "",
                size < 9.9995   ? 3
                : size < 99.995 ? 2
                                : 1,
                size, letters[thousands]);
}

void line_column_append(struct text *text, const struct line_metric *metric, const char *value)
{
    if (!value) return;
    const double number = strtod(value, NULL);
    switch (metric->format) {
    case LINE_COUNT: append_count(text, number); return;
    case LINE_RATIO: text_format(text, "%.*f", number < 9.995 ? 2 : 1, number); return;
    case LINE_PERCENT: /* a value above 0 is never shown as 0 */
        if (number > 0 && number < 0.05)
            text_append(text, "<0.1");
        else
            text_format(text, "%.1f", number);
        return;
    case LINE_WORD:
        for (; *value; value++) text_format(text, "%c", *value == '_' ? ' ' : *value);
        return;
    }
}
