#include "report/claim_words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "query/number_texts.h"

static const char before[] = "prev_";

/* The last word of a name is often a unit, which is shown after the number. */
static const struct unit {
    const char *end, *shown;
} units[] = {{"ns", NULL}, /* text_time adds it */
             {"pct", " %"},   {"tflops", " TFLOP/s"}, {"gbs", " GB/s"},
             {"mhz", " MHz"}, {"kib", " KiB"}};

static const char *const capitals[] = {"dram", "fma", "fp32", "l1", "l2", "sass", "sm"};

static int is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && !strncmp(text, word, length);
}

static void append_word(struct text *words, const char *word, size_t length)
{
    int is_capital = 0;
    for (size_t i = 0; i < sizeof capitals / sizeof *capitals; i++)
        is_capital += is_word(word, length, capitals[i]);
    for (size_t i = 0; i < length; i++)
        text_format(words, "%c", is_capital ? toupper((unsigned char)word[i]) : word[i]);
}

/* Appends the words of a name, without its unit, and a space after each. Returns the unit, or NULL
 * if the name ends with none. */
static const struct unit *append_name(struct text *words, const char *name, size_t length)
{
    for (size_t at = 0; at < length;) {
        const size_t word = strcspn(name + at, "_ ");
        const int is_last = at + word >= length;
        for (size_t i = 0; i < sizeof units / sizeof *units && is_last; i++)
            if (is_word(name + at, word, units[i].end)) return &units[i];
        if (is_word(name + at, word, "pct"))
            text_append(words, "% of");
        else
            append_word(words, name + at, word);
        text_append(words, " ");
        at += word + 1;
    }
    return NULL;
}

static void append_value(struct text *words, double value, const struct unit *unit)
{
    char time[24];
    if (!unit || unit->shown) {
        number_text_append(words, value);
        text_append(words, unit ? unit->shown : "");
        return;
    }
    text_time(time, value);
    char *micro = strstr(time, " us");
    if (micro) *micro = 0;
    text_format(words, "%s%s", time, micro ? " µs" : "");
}

/* Appends "NAME = NUMBER". If the words before were the same quantity of this rung, `is_same`, it
 * is not named again. */
static void append_number(struct text *words, const char *name, size_t length, const char *number,
                          int is_same)
{
    char *end = NULL;
    const double value = strtod(number, &end);
    const int is_known = end != number, is_before = !strncmp(name, before, strlen(before));
    struct text named = {0};
    if (is_word(name, length, "faster") || is_word(name, length, "slower")) {
        text_append(words, is_known && value == 0 ? "not " : "");
        text_append_bytes(words, name, length);
        if (!is_known) text_format(words, " %s", number);
        return;
    }
    if (is_before) name += strlen(before), length -= strlen(before);
    const struct unit *unit = append_name(&named, name, length);
    text_format(words, "%s%s", is_same ? "" : text_string(&named), is_before ? "before " : "");
    if (is_known)
        append_value(words, value, unit);
    else
        text_append(words, number);
    text_free_piece(&named, words);
}

void claim_words_append(struct text *words, const char *numbers)
{
    const char *last = NULL; /* the name before, if it is this rung's */
    size_t last_length = 0;
    for (const char *p = numbers, *end; *p; p = end + (*end ? 2 : 0)) {
        end = strstr(p, "; ");
        if (!end) end = p + strlen(p);
        const char *equals = p;
        while (isalnum((unsigned char)*equals) || *equals == '_') equals++;
        const size_t name = (size_t)(equals - p);
        const int is_number = name > 0 && !strncmp(equals, " = ", 3),
                  is_same = is_number && last && name == strlen(before) + last_length &&
                            !strncmp(p, before, strlen(before)) &&
                            !strncmp(p + strlen(before), last, last_length);
        text_append(words, p == numbers ? "" : is_same ? ", " : "; ");
        char *text = is_number ? strndup(equals + 3, (size_t)(end - equals) - 3)
                               : strndup(p, (size_t)(end - p));
        if (!text) words->failed = 1;
        if (text && is_number)
            append_number(words, p, name, text, is_same);
        else if (text)
            text_append(words, text);
        free(text);
        last = is_number ? p : NULL, last_length = name;
    }
}

void claim_words_sql(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    const char *numbers = (const char *)sqlite3_value_text(arguments[0]);
    struct text words = {0};
    (void)count;
    if (numbers) claim_words_append(&words, numbers);
    if (words.failed)
        sqlite3_result_error_nomem(context);
    else
        sqlite3_result_text(context, text_string(&words), -1, SQLITE_TRANSIENT);
    text_free(&words);
}
