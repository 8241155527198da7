#include "query/number_texts.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "catalog/registry.h"

/* Returns the text and frees it. */
static void result_text(sqlite3_context *context, struct text *text)
{
    if (text->failed)
        sqlite3_result_error_nomem(context);
    else
        sqlite3_result_text(context, text_string(text), -1, SQLITE_TRANSIENT);
    text_free(text);
}

/* Appends the digits of a whole number with thin spaces between thousands. */
static void append_grouped(struct text *text, const char *digits)
{
    const size_t whole = strspn(digits, "0123456789");
    for (size_t i = 0; i < whole; i++) {
        if (i > 0 && (whole - i) % 3 == 0 && whole > 4) text_append(text, "\xE2\x80\xAF");
        text_append_bytes(text, digits + i, 1);
    }
    text_append(text, digits + whole);
}

/* Appends a number with at most so many decimals. `rounded` is its size with these: it decides
 * whether the number is whole, but a number with fewer decimals is not rounded a second time. */
static void append_human(struct text *text, double value, double rounded, int most)
{
    const double size = fabs(value);
    const int is_whole = rounded == floor(rounded), usual = size >= 1000 ? 0 : size >= 100 ? 1 : 2;
    char number[64];
    if (rounded < 1)
        snprintf(number, sizeof number, "%.3g", rounded);
    else if (is_whole)
        snprintf(number, sizeof number, "%.0f", rounded);
    else
        snprintf(number, sizeof number, "%.*f", usual < most ? usual : most, size);
    if (value < 0 && rounded > 0) text_append(text, "-");
    append_grouped(text, number);
}

void number_text_append(struct text *text, double value)
{
    append_human(text, value, fabs(value), 2);
}

void number_text_human(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    struct text text = {0};
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL) return;
    if (sqlite3_value_type(arguments[0]) == SQLITE_TEXT) {
        sqlite3_result_value(context, arguments[0]);
        return;
    }
    const double value = sqlite3_value_double(arguments[0]);
    if (count > 1) {
        const int most = sqlite3_value_int(arguments[1]);
        const double unit = pow(10, most);
        append_human(&text, value, round(fabs(value) * unit) / unit, most);
    } else {
        number_text_append(&text, value);
    }
    result_text(context, &text);
}

void number_text_time(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    struct text_times times = {0};
    struct text text = {0};
    char buffer[24];
    double ns[2] = {0};
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL) return;
    for (int i = 0; i < count; i++)
        text_times_add(&times, ns[i] = sqlite3_value_double(arguments[i]));
    if (count > 1) {
        text_append_time(&text, &times, ns[0]);
        text_append(&text, "\u2013");
        text_append_time(&text, &times, ns[1]);
        text_format(&text, " %s", text_times_unit(&times));
    } else {
        text_append(&text, text_time(buffer, ns[0]));
    }
    result_text(context, &text);
}

/* On a page blanks are as wide as the point and as digits. */
void number_text_among(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    const int kind = ((const struct query_part *)sqlite3_user_data(context))->part;
    const double ns = sqlite3_value_double(arguments[0]);
    struct text_times times = {.are_saved = kind == AMONG_SAVED, .are_parts = kind == AMONG_PARTS};
    struct text text = {0};
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL) return;
    for (int i = 1; i < count; i++) text_times_add(&times, sqlite3_value_double(arguments[i]));
    text_append_time(&text, &times, ns);
    int blanks = count > 2 ? text_time_blanks(&times, ns) : 0;
    for (int is_whole = !strchr(text_string(&text), '.'); blanks > 0; blanks--, is_whole = 0)
        text_append(&text, is_whole ? "\u2008" : "\u2007");
    text_format(&text, " %s", text_times_unit(&times));
    result_text(context, &text);
}

/* Three digits and a letter for the thousands. */
static void append_short(struct text *text, double value)
{
    static const char letters[] = " kMGT";
    int thousands = 0;
    for (; fabs(value) >= 999.5 && thousands < 4; thousands++) value /= 1000;
    text_format(text, fabs(value) >= 100 ? "%.0f" : "%.3g", value);
    if (thousands) text_format(text, " %c", letters[thousands]);
}

/* Absent below half a per cent. */
void number_text_moved(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    const double before = sqlite3_value_double(arguments[0]),
                 after = sqlite3_value_double(arguments[1]);
    const int is_pct = sqlite3_value_int(arguments[2]);
    struct text text = {0};
    (void)count;
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL ||
        sqlite3_value_type(arguments[1]) == SQLITE_NULL ||
        !(fabs(after - before) >= 0.005 * fmax(fabs(before), fabs(after))) || before == after)
        return;
    if (is_pct || before <= 0 || after <= 0 || fabs(log10(after / before)) >= 1) {
        append_short(&text, before);
        text_append(&text, " \u2192 ");
        append_short(&text, after);
        if (is_pct) text_append(&text, " %");
    } else {
        const double pct = 100 * fabs(after / before - 1);
        text_format(&text, "%s%.*f %%", after < before ? "\u2212" : "+", pct < 1.95, pct);
    }
    result_text(context, &text);
}

void number_text_size(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    const char *size = (const char *)sqlite3_value_text(arguments[0]);
    char buffer[72];
    (void)count;
    sqlite3_result_text(context, size_words(size ? size : "", buffer), -1, SQLITE_TRANSIENT);
}

/* A run that names no unit has FP32. The operations of tensor cores on bfloat16, TF32 and FP16
 * matrices, if they are given and there are any, tell the type. */
void number_text_unit(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    const char *unit = (const char *)sqlite3_value_text(arguments[0]), *words = "unknown";
    if (!unit || !*unit || !strcmp(unit, "fp32")) words = "FP32";
    if (unit && !strcmp(unit, "tensor_bf16")) words = "bfloat16 tensor";
    if (unit && !strcmp(unit, "tensor_tf32")) words = "TF32 tensor";
    if (count == 4 && unit && !strncmp(unit, "tensor_", 7)) {
        const double bfloat16 = sqlite3_value_double(arguments[1]),
                     tf32 = sqlite3_value_double(arguments[2]),
                     half = sqlite3_value_double(arguments[3]);
        if (bfloat16 + tf32 + half > 0)
            words = bfloat16 + half < tf32 ? "TF32 tensor"
                    : bfloat16 < half      ? "FP16 tensor"
                                           : "bfloat16 tensor";
    }
    sqlite3_result_text(context, words, -1, SQLITE_STATIC);
}

/* Returns 1 if the text has the word, in letters of either case. */
static int has_word(const char *text, const char *word, size_t length)
{
    for (const char *at = text; *at; at++)
        if (!strncasecmp(at, word, length) && (at == text || !isalnum((unsigned char)at[-1])) &&
            !isalnum((unsigned char)at[length]))
            return 1;
    return 0;
}

/* "registers per thread" name the unit registers/thread, and "load instructions" the unit warp
 * instructions. */
const char *number_text_beside(const char *words, const char *unit)
{
    const char *slash = strchr(unit, '/'), *last = strrchr(unit, ' ');
    char spelled[64];
    if (!strcmp(unit, "1") || !strcmp(unit, "0 or 1")) return NULL;
    if (slash)
        snprintf(spelled, sizeof spelled, "%.*s per %s", (int)(slash - unit), unit, slash + 1);
    else
        snprintf(spelled, sizeof spelled, "%s", last ? last + 1 : unit);
    return has_word(words, spelled, strlen(spelled)) ? NULL : unit;
}

void number_text_unit_beside(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    const char *words = (const char *)sqlite3_value_text(arguments[0]),
               *unit = (const char *)sqlite3_value_text(arguments[1]);
    (void)count;
    if (words && unit && number_text_beside(words, unit))
        sqlite3_result_value(context, arguments[1]);
}

/* A variant that is expected to fail is launched many times; others have no trials. */
void number_text_status(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    const double trials = sqlite3_value_double(arguments[1]),
                 wrong = sqlite3_value_double(arguments[2]);
    char words[80] = "racy, but every launch was right";
    (void)count;
    if (wrong > 0)
        snprintf(words, sizeof words, "races: %.3g %% of launches wrong", 100 * wrong / trials);
    if (trials > 0) sqlite3_result_text(context, words, -1, SQLITE_TRANSIENT);
    if (!(trials > 0)) sqlite3_result_value(context, arguments[0]);
}

/* Three digits, and a fourth close to 1, where the third may be the first that differs. */
static void format_ratio(char words[40], double ratio)
{
    const int decimals = ratio < 1.0995 ? 3 : ratio < 9.995 ? 2 : ratio < 99.95 ? 1 : 0;
    snprintf(words, 40, "%.*f\xC3\x97", decimals, ratio);
}

void number_text_append_ratio(struct text *text, double ratio)
{
    char words[40];
    format_ratio(words, ratio);
    text_append(text, words);
}

void number_text_ratio(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    char words[40];
    (void)count;
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL) return;
    format_ratio(words, sqlite3_value_double(arguments[0]));
    sqlite3_result_text(context, words, -1, SQLITE_TRANSIENT);
}

void number_text_saved(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    char buffer[32];
    (void)count;
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL) return;
    sqlite3_result_text(context, text_saved(buffer, sqlite3_value_double(arguments[0])), -1,
                        SQLITE_TRANSIENT);
}

/* From a tenth on, a change is given as a factor: of the speed, or of the time if that grew. */
void number_text_change(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    char words[60];
    (void)count;
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL) return;
    const double speedup = sqlite3_value_double(arguments[0]),
                 ratio = speedup < 1 ? 1 / speedup : speedup, change = 100 * (ratio - 1);
    if (ratio >= 1.0995)
        format_ratio(words, ratio);
    else
        snprintf(words, sizeof words, "%.*f %%", change < 9.95 ? 1 : 0, change);
    strcat(words, speedup < 1 ? " slower" : " faster");
    sqlite3_result_text(context, change < 0.05 ? "equally fast" : words, -1, SQLITE_TRANSIENT);
}

/* Returns the words for a value that is one of those that the meaning names, as in "order of the
 * lanes: 1 row by row, 2 column by column", or NULL. */
static const char *choice(const char *means, const char *value, size_t *length)
{
    const size_t digits = strlen(value);
    for (const char *at = strstr(means, ": "); at; at = strstr(at, ", ")) {
        at += 2;
        if (!digits || strncmp(at, value, digits) || at[digits] != ' ') continue;
        at += digits + 1;
        const char *end = strstr(at, ", ");
        *length = end ? (size_t)(end - at) : strlen(at);
        return at;
    }
    return NULL;
}

void number_text_append_setting(struct text *text, const char *name, const char *means,
                                const char *value)
{
    size_t length = 0;
    const char *words = choice(means, value, &length);
    if (words) {
        text_append_bytes(text, means, (size_t)(strstr(means, ": ") - means) + 2);
        text_append_bytes(text, words, length);
        return;
    }
    append_grouped(text, value);
    const size_t first = strcspn(name, " ");
    const int is_one = !strcmp(value, "1") && first && name[first - 1] == 's';
    text_append(text, " ");
    text_append_bytes(text, name, first - (size_t)is_one);
    text_append(text, name + first);
}

void number_text_setting(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    const char *part[3];
    struct text text = {0};
    (void)count;
    for (int i = 0; i < 3; i++) part[i] = (const char *)sqlite3_value_text(arguments[i]);
    if (!part[0] || !*part[0] || !part[2] || !strcmp(part[2], "0")) return;
    number_text_append_setting(&text, part[0], part[1] ? part[1] : "", part[2]);
    result_text(context, &text);
}
