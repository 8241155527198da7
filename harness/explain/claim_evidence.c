#include "explain/claim_evidence.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/message.h"
#include "evaluate/metric_checks.h"
#include "query/number_texts.h"
#include "query/verdict.h"

#define NAME "abcdefghijklmnopqrstuvwxyz_0123456789"
#define SWEEP "sweep" /* a name of expressions that is no column of a record */

/* The rung, the one before and the first: each with the beginning of its names, and its words. */
enum { SIDES = 3 };
static const struct {
    const char *prefix, *words, *of;
} sides[SIDES] = {{"", "", ""},
                  {"prev_", "before", " of the previous rung"},
                  {"first_", "at first", " of the first rung"}};

/* The ends of an interval are columns of their own: tflops_low, behind_best_high_pct. */
enum end { END_NONE, END_LOW, END_HIGH };

/* A value that the expression names. */
struct item {
    char name[128];              /* without prefix and end */
    const struct record *record; /* of this name; NULL: the setting */
    int side;
    enum end end;
    double number;
    char *text; /* in place of a number */
    int is_written;
};

struct search {
    struct query *query;
    const struct records *records;
    const struct scope *row; /* a row of the ladder */
    const char *expression;
    struct claim_evidence *evidence;
    struct item *item;
    size_t count;
    struct text seen;          /* " name name " */
    struct text missing;       /* names that are absent */
    struct text missing_words; /* the same in words */
    double ratio[4];           /* of two values that the expression compares */
    size_t ratios;
    int depth; /* of formulas of absent metrics */
    int result;
};

static const struct record *find_record(const struct records *records, const char *name)
{
    static const enum record_kind kinds[] = {RECORD_METRIC, RECORD_FACT, RECORD_COUNTER};
    const struct record *record = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !record; i++)
        record = records_find(records, kinds[i], name);
    return record;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* "L2 hit rate" and "DRAM bytes" keep their first letter. */
static int is_acronym(const char *title)
{
    return title[0] && (isupper((unsigned char)title[1]) || isdigit((unsigned char)title[1]));
}

/* Appends what a sentence calls a column. */
static void append_words(struct text *text, const struct record *record)
{
    const char *words = record_field(record, "words"), *title = record_field(record, "title");
    if (words || !title) {
        text_append(text, words ? words : record->name);
        return;
    }
    text_format(text, "%c%s", is_acronym(title) ? *title : tolower((unsigned char)*title),
                title + 1);
}

static int is_flag(const struct record *record)
{
    const char *unit = record_field(record, "unit");
    return unit && !strcmp(unit, "0 or 1");
}

static void append_number(struct text *text, const struct item *item, int is_ratio)
{
    char time[24];
    const char *unit = item->record ? record_field(item->record, "unit") : NULL;
    if (item->text)
        text_append(text, item->text);
    else if (unit && !strcmp(unit, "ns"))
        text_append(text, text_time(time, item->number));
    else if (is_ratio)
        number_text_append_ratio(text, item->number);
    else
        number_text_append(text, item->number);
}

/* Appends a number, or the interval between two ends of which one may be unknown. */
static void append_quantity(struct text *text, const struct item *item, const struct item *high,
                            int is_ratio)
{
    struct text most = {0};
    if (item->end == END_NONE || item->text || (high && high->text)) {
        append_number(text, item->text || !high ? item : high, is_ratio);
        return;
    }
    if (!high) text_append(text, item->end == END_LOW ? "at least " : "at most ");
    const size_t start = text->length;
    append_number(text, item, is_ratio);
    if (high) append_number(&most, high, is_ratio);
    if (high && strcmp(text_string(&most), text_string(text) + start))
        text_format(text, " to %s", text_string(&most));
    text_free_piece(&most, text);
}

/* The words of a ratio follow it: "1.42× the speed of the library"; a number stands before its unit
 * if the words go on with that: "throughput 61 % of the peak". `is_short` leaves the words out. */
static void append_reading(struct text *text, const struct item *item, const struct item *high,
                           int is_short)
{
    static const char times[] = "× ";
    struct text words = {0};
    char comma[64];
    append_words(&words, item->record);
    const char *all = text_string(&words), *unit = record_field(item->record, "unit"), *at;
    const int is_ratio = !strncmp(all, times, strlen(times));
    snprintf(comma, sizeof comma, ", %s of ", unit ? unit : "");
    if (is_ratio && item->text) {
        text_format(text, "%s %s", all + strlen(times), item->text);
    } else if (is_ratio) {
        append_quantity(text, item, high, 1);
        if (!is_short) text_format(text, " %s", all + strlen(times));
    } else if (is_flag(item->record)) {
        text_format(text, "%s%s",
                    item->text     ? "not decided whether "
                    : item->number ? ""
                                   : "not ",
                    all);
    } else {
        at = strstr(all, comma);
        if (!is_short) text_format(text, "%.*s ", at ? (int)(at - all) : (int)words.length, all);
        append_quantity(text, item, high, 0);
        if (at && !is_short)
            text_format(text, " %s", at + 2);
        else if (!item->text && unit && strcmp(unit, "ns") && (at || number_text_beside(all, unit)))
            text_format(text, " %s", unit);
    }
    text_free_piece(&words, text);
}

/* Returns the value, or the end of an interval, of the same column on this side; NULL if none. */
static struct item *find_item(const struct search *search, const struct item *like, int side,
                              enum end end)
{
    for (size_t i = 0; i < search->count; i++) {
        struct item *item = &search->item[i];
        if (!strcmp(item->name, like->name) && item->side == side && item->end == end) return item;
    }
    return NULL;
}

/* Appends a value with its other end, and those of the rung before and the first behind it. */
static void write_item(struct search *search, const struct item *like)
{
    struct text *text = &search->evidence->measured;
    int is_first = 1;
    for (int side = 0; side < SIDES; side++) {
        const int is_end = like->end != END_NONE;
        struct item *item = find_item(search, like, side, is_end ? END_LOW : END_NONE),
                    *high = is_end ? find_item(search, like, side, END_HIGH) : NULL;
        if (!item) item = high, high = NULL;
        if (!item) continue;
        item->is_written = 1;
        if (high) high->is_written = 1;
        if (!is_first || side)
            text_format(text, "%s%s%s", is_first ? "" : ", ", sides[side].words,
                        is_first ? ": " : " ");
        append_reading(text, item, high, !is_first);
        is_first = 0;
    }
}

static void write_measured(struct search *search)
{
    struct claim_evidence *evidence = search->evidence;
    struct text *text = &evidence->measured;
    const char *join = "";
    for (size_t i = 0; i < search->count; i++) {
        struct item *item = &search->item[i];
        if (item->is_written) continue;
        text_append(text, join);
        join = "; ";
        if (!item->record) {
            text_append(text, item->text);
            continue;
        }
        write_item(search, item);
        if (is_flag(item->record) && item->text && i + 1 < search->count) {
            evidence->is_open = 1;
            join = ": ";
        }
    }
    for (size_t i = 0; i < search->ratios; i++) {
        text_append(text, i ? " and " : search->ratios > 1 ? "; ratios " : "; ratio ");
        number_text_append(text, search->ratio[i]);
    }
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Splits a name into its side, column and end. */
static void split_name(const struct records *records, const char *full, struct item *item)
{
    static const char *const marks[] = {[END_LOW] = "_low", [END_HIGH] = "_high"};
    for (int side = 1; side < SIDES; side++)
        if (!strncmp(full, sides[side].prefix, strlen(sides[side].prefix))) item->side = side;
    snprintf(item->name, sizeof item->name, "%s", full + strlen(sides[item->side].prefix));
    item->record = find_record(records, item->name);
    for (enum end end = END_LOW; end <= END_HIGH; end++) {
        const char *mark = strstr(item->name, marks[end]);
        char base[sizeof item->name];
        if (!mark || !item->record || record_field(item->record, "words")) continue;
        snprintf(base, sizeof base, "%.*s%s", (int)(mark - item->name), item->name,
                 mark + strlen(marks[end]));
        if (!records_is_column(records, base)) continue;
        item->record = find_record(records, base);
        item->end = end;
        memcpy(item->name, base, sizeof base);
        return;
    }
}

/* Returns 1 and the number if the row has one under this name. */
static int number_of(const struct search *search, const char *full, double *number)
{
    const char *value = scope_value(search->row, full, NULL);
    char *end = NULL;
    *number = value ? strtod(value, &end) : 0;
    return value && *value && !*end;
}

static const char *after_blanks(const char *text)
{
    return text + strspn(text, " ");
}

/* Returns the second name of "a / b", or of "a < 0.8 * b" if these are all of the comparison, else
 * NULL. `name` is the first one, within an expression that begins there. */
static const char *compared_with(const char *expression, const char *name, size_t length)
{
    const char *at = after_blanks(name + length), *before = name;
    if (*at == '/') return after_blanks(at + 1);
    while (before > expression && before[-1] == ' ') before--;
    const size_t compares = strspn(at, "<>=");
    char *end = NULL;
    if (!compares || (before > expression && strchr("*/+-", before[-1]))) return NULL;
    strtod(at + compares, &end);
    const char *times = after_blanks(end);
    if (end == at + compares || *times != '*') return NULL;
    const char *over = after_blanks(times + 1), *rest = after_blanks(over + strspn(over, NAME));
    return *rest && strchr("*/+-", *rest) ? NULL : over;
}

/* Notes the ratio if the expression compares or divides this name and another column. */
static void note_ratio(struct search *search, const char *name, size_t length)
{
    char full[2][128];
    double number[2];
    const char *over = search->depth ? NULL : compared_with(search->expression, name, length);
    if (!over || search->ratios == sizeof search->ratio / sizeof(double)) return;
    snprintf(full[0], sizeof full[0], "%.*s", (int)length, name);
    snprintf(full[1], sizeof full[1], "%.*s", (int)strspn(over, NAME), over);
    if (number_of(search, full[0], &number[0]) && number_of(search, full[1], &number[1]) &&
        number[1] != 0 && strcmp(full[1], SWEEP))
        search->ratio[search->ratios++] = number[0] / number[1];
}

/* Adds a value to the list. Returns 1 unless memory is short. */
static int add_item(struct search *search, const struct item *item)
{
    struct item *list = array_with_room(search->item, search->count, sizeof *list);
    if (!list) return 0;
    search->item = list;
    list[search->count++] = *item;
    return 1;
}

static void visit_name(const char *name, size_t length, void *context);

/* The inputs of an absent metric say more than its name; without a prefix, the names in its formula
 * are those of this row. */
static void note_missing(struct search *search, const char *full, const struct item *item)
{
    const struct record *metric =
        item->side ? NULL : records_find(search->records, RECORD_METRIC, full);
    if (metric) {
        search->depth++;
        text_identifiers(record_field(metric, "formula"), visit_name, search);
        search->depth--;
        return;
    }
    text_format(&search->missing, "%s%s", search->missing.length ? ", " : "; needs ", full);
    text_append(&search->missing_words, search->missing_words.length ? ", " : "; needs ");
    if (item->record)
        append_words(&search->missing_words, item->record);
    else
        text_append(&search->missing_words, item->name);
    text_append(&search->missing_words, sides[item->side].of);
}

static void visit_name(const char *name, size_t length, void *context)
{
    static const char setting[] =
        "SELECT coalesce(setting_text(sweep_name, sweep_text, :sweep), 'no setting') FROM variants "
        "WHERE family = :family AND variant = :variant";
    struct search *search = context;
    struct claim_evidence *evidence = search->evidence;
    char full[128], key[136], digits[32];
    struct item item = {0};
    if (length >= sizeof full || search->result) return;
    note_ratio(search, name, length);
    snprintf(full, sizeof full, "%.*s", (int)length, name);
    split_name(search->records, full, &item);
    if (!item.record && strcmp(item.name, SWEEP)) return;
    snprintf(key, sizeof key, " %s ", full);
    if (strstr(text_string(&search->seen), key)) return;
    text_append(&search->seen, key);
    const char *value = scope_value(search->row, full, NULL);
    const int is_number = number_of(search, full, &item.number);
    int impossible = 0;
    if (!value) search->result = metric_checks_test(search->query, search->row, full, &impossible);
    const char *words = value ? value : impossible ? IMPOSSIBLE_WORDS : "absent";
    text_format(&evidence->numbers, "%s%s = %s", evidence->numbers.length ? "; " : "", full,
                is_number ? csv_format_number(digits, item.number) : words);
    if (!item.record && !search->result)
        search->result = query_text(search->query, NULL, setting, search->row, &item.text);
    if (!item.text && !(is_number && item.record)) item.text = text_new("%s", words);
    if (!add_item(search, &item)) {
        free(item.text);
        search->result = error_memory();
        return;
    }
    if (search->count == 1)
        evidence->is_about_step = !strcmp(item.name, verdict_words[VERDICT_FASTER]) ||
                                  !strcmp(item.name, verdict_words[VERDICT_SLOWER]) ||
                                  !strcmp(item.name, "speedup_prev");
    if (!value) note_missing(search, full, &item);
}

int claim_evidence_collect(struct query *query, const struct records *records,
                           const struct scope *row, const char *expression, int wants_missing,
                           struct claim_evidence *evidence)
{
    struct search search = {.query = query,
                            .records = records,
                            .row = row,
                            .expression = expression,
                            .evidence = evidence};
    text_identifiers(expression, visit_name, &search);
    write_measured(&search);
    evidence->is_missing = search.missing.length > 0;
    if (wants_missing) {
        text_append(&evidence->numbers, text_string(&search.missing));
        text_append(&evidence->measured, text_string(&search.missing_words));
    }
    const int failed = search.seen.failed || search.missing.failed || search.missing_words.failed;
    text_free(&search.seen);
    text_free(&search.missing);
    text_free(&search.missing_words);
    for (size_t i = 0; i < search.count; i++) free(search.item[i].text);
    free(search.item);
    return search.result ? search.result : failed ? error_memory() : 0;
}
