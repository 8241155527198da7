#include "catalog/records.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/text.h"

/* Fields of each kind of record. To add a field: its name here, and a line in metrics/README.md. */
static const struct {
    const char *name;
    const char *required[FIELD_COUNT];
    const char *optional[FIELD_COUNT];
} kinds[RECORD_KIND_COUNT] = {
    [RECORD_SET] = {"set", {"collector", "means"}, {NULL}},
    [RECORD_COUNTER] = {"counter",
                        {"from", "set", "over", "unit", "means"},
                        {"words", "least", "most", "because"}},
    [RECORD_FACT] = {"fact", {"unit", "means"}, {"words", "better", "least", "most", "because"}},
    [RECORD_METRIC] = {"metric",
                       {"unit", "formula", "better", "means"},
                       {"title", "words", "least", "most", "because", "rate"}},
    [RECORD_DEVICE] = {"device",
                       {"compute_capability", "title", "dram_data_rate", "schedulers_per_sm",
                        "fp32_lanes_per_sm"},
                       {"tensor_bf16_per_sm", "tensor_tf32_per_sm", "sources"}},
    [RECORD_TERM] = {"term",
                     {"part", "title", "cause", "means"},
                     {"opcodes", "idioms", "counted", "classes", "sampled", "state"}},
    [RECORD_AREA] = {"area", {"title"}, {NULL}},
    [RECORD_CAUSE] = {"cause", {"title", "means"}, {"area", "witness", "costs", "counts", "try"}},
    [RECORD_TRACK] = {"track",
                      {"from", "set", "shows", "unit", "title", "means"},
                      {"least", "most"}},
    [RECORD_PROOF] = {"proof", {"of", "metric", "expected", "means"}, {"within", "at"}},
    [RECORD_CHECK] = {"check", {"holds", "because", "empties"}, {NULL}},
    [RECORD_ITEM] = {"item", {"source", "place", "says", "shown"}, {"figure"}},
    [RECORD_IMPORT] = {"import", {"into", "from"}, {"means"}},
};

const char *record_kind_name(enum record_kind kind)
{
    return kinds[kind].name;
}

static const struct field *find_field(const struct record *record, const char *key)
{
    for (int i = 0; i < record->field_count; i++)
        if (!strcmp(record->field[i].key, key)) return &record->field[i];
    return NULL;
}

const char *record_field(const struct record *record, const char *key)
{
    const struct field *field = find_field(record, key);
    return field ? field->value : NULL;
}

int record_line(const struct record *record, const char *key)
{
    const struct field *field = find_field(record, key);
    return field ? field->line : record->line;
}

const struct record *records_find(const struct records *records, enum record_kind kind,
                                  const char *name)
{
    for (int i = 0; i < records->count; i++)
        if (records->record[i].kind == kind && *records->record[i].name == *name &&
            !strcmp(records->record[i].name, name))
            return &records->record[i];
    return NULL;
}

int records_is_column(const struct records *records, const char *name)
{
    return records_find(records, RECORD_METRIC, name) || records_find(records, RECORD_FACT, name) ||
           records_find(records, RECORD_COUNTER, name);
}

static int is_identifier(const char *name)
{
    return islower((unsigned char)*name) &&
           !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")];
}

static const char *listed(const char *const *list, const char *key)
{
    for (int i = 0; i < FIELD_COUNT && list[i]; i++)
        if (!strcmp(list[i], key)) return list[i];
    return NULL;
}

/* Counters, facts and metrics share one name space: all are columns of the metrics table. */
static int is_column(enum record_kind kind)
{
    return kind == RECORD_COUNTER || kind == RECORD_FACT || kind == RECORD_METRIC;
}

/* Checks fields that are inserted into statements, and bounds: one that is no plain number needs
 * its reason. */
static int check_field(const struct record *record, const struct field *field)
{
    static const char *const numbers[] = {"dram_data_rate",     "schedulers_per_sm",
                                          "fp32_lanes_per_sm",  "tensor_bf16_per_sm",
                                          "tensor_tf32_per_sm", NULL},
                             *const orders[] = {"higher", "lower", "neither", NULL},
                             *const bounds[] = {"least", "most", NULL};
    const char *key = field->key, *value = field->value, *expected = NULL;
    char *end;
    if (listed(numbers, key) && value[strspn(value, "0123456789.-")])
        expected = "a number";
    else if (!strcmp(key, "witness") && !is_identifier(value))
        expected = "the name of a metric";
    else if (!strcmp(key, "better") && !listed(orders, value))
        expected = "higher, lower or neither";
    else if (listed(bounds, key) && !record_field(record, "because") && (strtod(value, &end), *end))
        expected =
            record->kind == RECORD_TRACK ? "a number" : "a number, or the reason in 'because'";
    if (!expected) return 0;
    return error(FAIL_INPUT, "%s:%d: %s '%s'; expected %s", record->file, field->line, key, value,
                 expected);
}

static int check_record(const struct records *records, const struct record *record)
{
    for (int i = 0; i < FIELD_COUNT && kinds[record->kind].required[i]; i++)
        if (!record_field(record, kinds[record->kind].required[i]))
            return error(FAIL_INPUT, "%s:%d: %s %s: the field '%s' is missing", record->file,
                         record->line, kinds[record->kind].name, record->name,
                         kinds[record->kind].required[i]);
    for (int i = 0; i < records->count; i++) {
        const struct record *other = &records->record[i];
        if (other == record || strcmp(other->name, record->name)) continue;
        if (other->kind == record->kind || (is_column(other->kind) && is_column(record->kind)))
            return error(FAIL_INPUT, "%s:%d: the name '%s' is taken by the %s at %s:%d",
                         record->file, record->line, record->name, kinds[other->kind].name,
                         other->file, other->line);
    }
    int result = 0;
    for (int i = 0; i < record->field_count && !result; i++)
        result = check_field(record, &record->field[i]);
    return result;
}

static char *cut_word(char *text)
{
    char *rest = text + strcspn(text, " \t");
    if (*rest) *rest++ = 0;
    return rest + strspn(rest, " \t");
}

static int unknown_kind(const char *file, int line, const char *kind)
{
    struct text known = {0};
    for (int i = 0; i < RECORD_KIND_COUNT; i++)
        text_format(&known, "%s%s",
                    !i                          ? ""
                    : i + 1 < RECORD_KIND_COUNT ? ", "
                                                : " or ",
                    kinds[i].name);
    const int result = known.failed
                           ? error_memory()
                           : error(FAIL_INPUT, "%s:%d: '%s' is not a kind of record; expected %s",
                                   file, line, kind, text_string(&known));
    text_free(&known);
    return result;
}

static int start_record(struct records *records, const char *file, int line, char *text)
{
    char *name = cut_word(text);
    int kind = 0;
    while (kind < RECORD_KIND_COUNT && strcmp(kinds[kind].name, text)) kind++;
    if (kind == RECORD_KIND_COUNT) return unknown_kind(file, line, text);
    if (!is_identifier(name))
        return error(FAIL_INPUT,
                     "%s:%d: '%s' is not a valid name; expected lower-case letters, digits and '_'",
                     file, line, name);
    struct record *record = realloc(records->record, (size_t)(records->count + 1) * sizeof *record);
    if (!record) return error_memory();
    records->record = record;
    record[records->count++] =
        (struct record){.kind = (enum record_kind)kind, .name = name, .file = file, .line = line};
    return 0;
}

static int add_field(struct records *records, const char *file, int line, char *text)
{
    if (records->count == 0 || records->record[records->count - 1].file != file)
        return error(
            FAIL_INPUT,
            "%s:%d: a field before the first record; expected 'kind name' at the start of a line",
            file, line);
    struct record *record = &records->record[records->count - 1];
    char *value = cut_word(text);
    const char *key = listed(kinds[record->kind].required, text);
    if (!key) key = listed(kinds[record->kind].optional, text);
    if (!key)
        return error(FAIL_INPUT, "%s:%d: a %s has no field '%s'", file, line,
                     kinds[record->kind].name, text);
    if (record_field(record, key))
        return error(FAIL_INPUT, "%s:%d: the field '%s' is given twice", file, line, key);
    if (!*value) return error(FAIL_INPUT, "%s:%d: the field '%s' is empty", file, line, key);
    record->field[record->field_count++] = (struct field){key, value, line};
    return 0;
}

/* Appends a line that is indented deeper than a field to the field above it, in place. */
static int continue_field(struct records *records, const char *file, int line, char *text)
{
    struct record *record = records->count ? &records->record[records->count - 1] : NULL;
    if (!record || record->file != file || record->field_count == 0)
        return error(FAIL_INPUT, "%s:%d: a continuation line without a field above it", file, line);
    char *end = strchr(record->field[record->field_count - 1].value, 0);
    *end++ = ' ';
    memmove(end, text, strlen(text) + 1);
    return 0;
}

enum { FIELD_INDENT = 4 };

static int parse_line(struct records *records, const char *file, int line, char *text)
{
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1])) text[--length] = 0;
    const size_t indent = strspn(text, " ");
    if (text[indent] == 0 || text[indent] == '#') return 0;
    if (text[indent] == '\t')
        return error(FAIL_INPUT, "%s:%d: a tab in the indentation; expected spaces", file, line);
    if (indent == 0) return start_record(records, file, line, text);
    if (indent == FIELD_INDENT) return add_field(records, file, line, text + indent);
    if (indent > FIELD_INDENT) return continue_field(records, file, line, text + indent);
    return error(
        FAIL_INPUT,
        "%s:%d: indented by %zu; expected 0 for a record, 4 for a field, more to continue a field",
        file, line, indent);
}

static int keep_text(struct records *records, char *text)
{
    char **texts = realloc(records->texts, (size_t)(records->text_count + 1) * sizeof *texts);
    if (!texts || !text) {
        if (texts) records->texts = texts;
        free(text);
        return error_memory();
    }
    records->texts = texts;
    texts[records->text_count++] = text;
    return 0;
}

static int read_file(struct records *records, const char *directory, const char *name)
{
    char *path = text_new("%s/%s", directory, name);
    int result = keep_text(records, path);
    if (result) return result;
    size_t length;
    char *text = text_read_file(path, &length);
    if (!text) return error(FAIL_INPUT, "%s: cannot read: %s", path, strerror(errno));
    result = keep_text(records, text);
    if (result) return result;
    if (strlen(text) != length)
        return error(FAIL_INPUT, "%s: a NUL byte after %zu bytes; expected text", path,
                     strlen(text));
    int number = 1;
    for (char *line; !result && (line = strsep(&text, "\n")); number++)
        result = parse_line(records, path, number, line);
    return result;
}

static const char *wanted_ending;

static int has_ending(const struct dirent *entry)
{
    return text_before(entry->d_name, wanted_ending) != 0;
}

static int read_all(struct records *records, const char *directory, const char *ending)
{
    struct dirent **names;
    wanted_ending = ending; /* scandir's filter takes no context */
    const int count = scandir(directory, &names, has_ending, alphasort);
    if (count < 0) return error(FAIL_INPUT, "%s: cannot read: %s", directory, strerror(errno));
    int result = 0;
    for (int i = 0; i < count; i++) {
        if (!result) result = read_file(records, directory, names[i]->d_name);
        free(names[i]);
    }
    free(names);
    return result;
}

int records_read(struct records *records, const char *directory)
{
    memset(records, 0, sizeof *records);
    const struct path metrics = path_in(directory, "metrics");
    int result = read_all(records, metrics.at, ".metric");
    if (!result) result = read_all(records, path_in(metrics.at, "devices").at, ".device");
    if (!result && file_exists(path_in(metrics.at, "sources").at))
        result = read_all(records, path_in(metrics.at, "sources").at, ".item");
    for (int i = 0; i < records->count && !result; i++)
        result = check_record(records, &records->record[i]);
    if (result) records_free(records);
    return result;
}

int records_read_own(struct records *records)
{
    *records = (struct records){0};
    char *directory = data_directory();
    const int result = directory ? records_read(records, directory) : FAIL_INPUT;
    free(directory);
    return result;
}

void records_free(struct records *records)
{
    for (int i = 0; i < records->text_count; i++) free(records->texts[i]);
    free(records->texts);
    free(records->record);
    memset(records, 0, sizeof *records);
}

int record_alternatives(const struct record *counter, char *alternative[ALTERNATIVE_COUNT])
{
    int count = 0;
    const char *p = record_field(counter, "from");
    while (p && *p && count < ALTERNATIVE_COUNT) {
        p += strspn(p, " |");
        const size_t length = strcspn(p, " |");
        if (length == 0) break;
        alternative[count] = strndup(p, length);
        if (!alternative[count++]) {
            while (count > 0) free(alternative[--count]);
            return error_memory();
        }
        p += length;
    }
    return count;
}

int records_unknown_metric(const struct records *records, const char *name)
{
    const char **names = malloc((size_t)(records->count + 1) * sizeof *names);
    if (!names) return error_memory();
    size_t count = 0;
    for (int i = 0; i < records->count; i++)
        if (is_column(records->record[i].kind)) names[count++] = records->record[i].name;
    const char *nearest = text_nearest(name, names, count);
    free(names);
    return nearest
               ? error(FAIL_USAGE, "no metric is called '%s'; did you mean '%s'?", name, nearest)
               : error(FAIL_USAGE,
                       "no metric is called '%s'; 'whyfast list metrics' names them all, and "
                       "'whyfast list' the variants",
                       name);
}
