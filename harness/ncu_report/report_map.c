#include "ncu_report/report_map.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct formula {
    const struct report_result *result;
    const char *at;
    const char *lacking; /* the first name that the launch lacks, or NULL */
    int lacking_length;
};

static void skip_blanks(struct formula *formula)
{
    formula->at += strspn(formula->at, " \n\t");
}

/* A name, a name with the text of an instance in brackets, or a number. */
static double factor(struct formula *formula)
{
    char name[200], key[40];
    skip_blanks(formula);
    if (isdigit((unsigned char)*formula->at)) {
        char *end;
        const double number = strtod(formula->at, &end);
        formula->at = end;
        return number;
    }
    const char *begin = formula->at;
    while (isalnum((unsigned char)*formula->at) || strchr("_.:", *formula->at ? *formula->at : ' '))
        formula->at++;
    const int length = (int)(formula->at - begin);
    snprintf(name, sizeof name, "%.*s", length, begin);
    const int is_keyed = *formula->at == '[';
    if (is_keyed) {
        const int bytes = (int)strcspn(formula->at, "]");
        snprintf(key, sizeof key, "%.*s", bytes - 1, formula->at + 1);
        formula->at += bytes + (formula->at[bytes] == ']');
    }
    const double number = is_keyed ? report_result_keyed(formula->result, name, key)
                                   : report_result_number(formula->result, name);
    if (!isfinite(number) && !formula->lacking) {
        formula->lacking = begin;
        formula->lacking_length = length;
    }
    return number;
}

static double product(struct formula *formula)
{
    double value = factor(formula);
    for (skip_blanks(formula); *formula->at == '*' || *formula->at == '/'; skip_blanks(formula)) {
        const int is_quotient = *formula->at++ == '/';
        const double next = factor(formula);
        value = is_quotient ? value / next : value * next;
    }
    return value;
}

struct report_value report_map_evaluate(const struct report_result *result, const char *formulas)
{
    struct formula formula = {.result = result, .at = formulas};
    for (;;) {
        skip_blanks(&formula);
        const char *begin = formula.at;
        double value = product(&formula);
        while (*formula.at == '+' || *formula.at == '-') {
            const int sign = *formula.at++ == '-' ? -1 : 1;
            value += sign * product(&formula);
        }
        const char *end = formula.at;
        while (end > begin && isspace((unsigned char)end[-1])) end--;
        if (isfinite(value)) return (struct report_value){value, begin, (int)(end - begin)};
        formula.at += strcspn(formula.at, "|");
        if (!*formula.at++) break;
    }
    return (struct report_value){NAN, formula.lacking, formula.lacking_length};
}

const char *report_map_find(const struct records *records, const char *table, const char *column)
{
    char into[120];
    snprintf(into, sizeof into, "%s.%s", table, column);
    for (int i = 0; i < records->count; i++)
        if (records->record[i].kind == RECORD_IMPORT &&
            !strcmp(record_field(&records->record[i], "into"), into))
            return record_field(&records->record[i], "from");
    return NULL;
}

struct report_value report_map_counter(const struct report_result *result,
                                       const struct record *counter, const char *derived)
{
    const struct report_value own = report_map_evaluate(result, record_field(counter, "from"));
    if (isfinite(own.number) || !derived) return own;
    const struct report_value value = report_map_evaluate(result, derived);
    return isfinite(value.number) || !own.source ? value : own;
}

struct report_value report_map_value(const struct records *records,
                                     const struct report_result *result, const char *table,
                                     const char *column)
{
    const struct record *counter =
        strcmp(table, "counters") ? NULL : records_find(records, RECORD_COUNTER, column);
    const char *formulas = report_map_find(records, table, column);
    return counter    ? report_map_counter(result, counter, formulas)
           : formulas ? report_map_evaluate(result, formulas)
                      : (struct report_value){NAN, NULL, 0};
}
