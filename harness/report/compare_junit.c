#include "report/compare_junit.h"

#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/text.h"
#include "report/compare_junit.sql.h"

/* Writes text as part of XML. What XML cannot hold becomes U+FFFD. */
static void write_xml(FILE *file, const char *text)
{
    for (const char *at = text ? text : ""; *at;) {
        const char *begin = at;
        const uint32_t c = text_character(&at);
        if (c == '&' || c == '<' || c == '>' || c == '"')
            fprintf(file, "&#%u;", (unsigned)c);
        else if (text_is_harmful(c) || c == TEXT_REPLACEMENT)
            fputs("\357\277\275", file);
        else
            fwrite(begin, 1, (size_t)(at - begin), file);
    }
}

static void write_attribute(FILE *file, const char *name, const char *value)
{
    fprintf(file, " %s=\"", name);
    write_xml(file, value);
    fputs("\"", file);
}

static const char *element_of(const char *verdict)
{
    static const enum compare_verdict failures[] = {COMPARE_FAILED, COMPARE_SLOWER},
                                      results[] = {COMPARE_TOLERATED, COMPARE_FASTER,
                                                   COMPARE_NO_EVIDENCE};
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        if (!strcmp(verdict, compare_verdicts[failures[i]])) return "failure";
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (!strcmp(verdict, compare_verdicts[results[i]])) return "system-out";
    return "skipped";
}

/* Columns: those of the view junit. */
static int write_case(void *context, const struct scope *row)
{
    FILE *file = context;
    const char *element = element_of(row->value[2]);
    fputs("  <testcase", file);
    write_attribute(file, "classname", row->value[0]);
    write_attribute(file, "name", row->value[1]);
    if (row->value[5]) write_attribute(file, "time", row->value[5]);
    fprintf(file, "><%s", element);
    if (strcmp(element, "system-out") != 0) write_attribute(file, "message", row->value[3]);
    fputs(">", file);
    write_xml(file, row->value[4] ? row->value[4] : row->value[3]);
    fprintf(file, "</%s></testcase>\n", element);
    return 0;
}

int compare_junit_write(struct run_comparison *comparison, const char *path)
{
    const int *count = comparison->count;
    const int failed = count[COMPARE_FAILED] + count[COMPARE_SLOWER],
              skipped = count[COMPARE_NOT_MEASURED] + count[COMPARE_ONLY_BEFORE] +
                        count[COMPARE_ONLY_AFTER];
    struct atomic_file output;
    int all = 0;
    for (int i = 0; i < COMPARE_VERDICTS; i++) all += count[i];
    int result = atomic_file_open(&output, path);
    if (result) return result;
    fprintf(output.file,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"whyfast compare\" "
            "tests=\"%d\" failures=\"%d\" skipped=\"%d\">\n",
            all, failed, skipped);
    result = query_write(&comparison->query, "%s", compare_junit_sql);
    if (!result)
        result = query_each(&comparison->query, NULL, "SELECT * FROM junit", NULL, write_case,
                            output.file);
    if (!result) fputs("</testsuite>\n", output.file);
    return atomic_file_end(&output, result);
}
