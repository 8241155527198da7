#include "base/csv.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"

int csv_open(struct csv_reader *reader, const char *path)
{
    *reader = (struct csv_reader){.path = path, .file = fopen(path, "rbe"), .next_line = 1};
    return reader->file ? 0 : error(FAIL_INPUT, "%s: cannot read: %s", path, strerror(errno));
}

void csv_close(struct csv_reader *reader)
{
    if (reader->file) fclose(reader->file);
    free(reader->text);
    text_free(&reader->record);
    free(reader->cell);
    memset(reader, 0, sizeof *reader);
}

static int add_cell(struct csv_reader *reader, char *value)
{
    if (reader->count == reader->capacity) {
        const int capacity = reader->capacity ? 2 * reader->capacity : 32;
        char **cell = realloc(reader->cell, (size_t)capacity * sizeof *cell);
        if (!cell) return error_memory();
        reader->cell = cell;
        reader->capacity = capacity;
    }
    reader->cell[reader->count++] = value;
    return 0;
}

/* Unquotes in place. Returns the character after the closing quote, or NULL without one. */
static char *unquote(char *p)
{
    char *to = p;
    for (;; p++) {
        if (*p == 0) return NULL;
        if (*p == '"') {
            if (p[1] != '"') break;
            p++;
        }
        *to++ = *p;
    }
    *to = 0;
    return p + 1;
}

/* Takes the cell at *p and moves *p behind its separator, or to NULL after the last cell. */
static int take_cell(struct csv_reader *reader, char **p)
{
    char *start = *p, *end = start + strcspn(start, ",\r\n\"");
    const char *problem = *end == '"' ? "a quote inside a cell that does not start with one" : NULL;
    if (*start == '"') {
        start++;
        end = unquote(start);
        problem = !end ? "a quote is not closed"
                  : *end && !strchr(",\r\n", *end)
                      ? "text after a closing quote; expected ',' or the end of the line"
                      : NULL;
    }
    if (!problem && *end == '\r' && end[1] != '\n')
        problem = "a carriage return without a line feed";
    if (problem) return error(FAIL_INPUT, "%s:%d: %s", reader->path, reader->line, problem);
    *p = *end == ',' ? end + 1 : NULL;
    *end = 0;
    return add_cell(reader, start);
}

static int read_line(struct csv_reader *reader, size_t *quotes)
{
    const ssize_t length = getline(&reader->text, &reader->size, reader->file);
    if (length < 0 && !feof(reader->file))
        return error(FAIL_INPUT, "%s: cannot read: %s", reader->path, strerror(errno));
    if (length < 0) return 0;
    const char *end = reader->text + length, *nul = memchr(reader->text, 0, (size_t)length);
    if (nul)
        return error(FAIL_INPUT, "%s: a NUL byte after %ld bytes; expected text", reader->path,
                     ftell(reader->file) - (long)(end - nul));
    for (const char *p = reader->text; (p = memchr(p, '"', (size_t)(end - p))); p++) (*quotes)++;
    text_append_bytes(&reader->record, reader->text, (size_t)length);
    reader->next_line++;
    return reader->record.failed ? error_memory() : 1;
}

/* A record ends at a line feed outside of quotes, or with the file. */
static int read_record(struct csv_reader *reader)
{
    size_t quotes = 0;
    int more;
    reader->record.length = 0;
    do more = read_line(reader, &quotes);
    while (more > 0 && quotes % 2 == 1);
    return more < 0 ? more : reader->record.length > 0;
}

int csv_next(struct csv_reader *reader)
{
    reader->count = 0;
    reader->line = reader->next_line;
    const int more = read_record(reader);
    if (more <= 0) return more;
    for (char *p = reader->record.data; p;) {
        const int result = take_cell(reader, &p);
        if (result) return result;
    }
    return 1;
}

int csv_each(const char *path, int (*row)(void *context, const struct csv_reader *row),
             void *context)
{
    struct csv_reader reader;
    int result = csv_open(&reader, path);
    if (result) return result;
    while (!result && (result = csv_next(&reader)) > 0) result = row(context, &reader);
    csv_close(&reader);
    return result;
}

static void separate(struct csv_writer *writer)
{
    if (writer->cells++ > 0) putc_unlocked(',', writer->file);
}

void csv_text(struct csv_writer *writer, const char *value)
{
    separate(writer);
    if (!value) return;
    if (!strpbrk(value, ",\"\r\n")) {
        fputs_unlocked(value, writer->file);
        return;
    }
    putc_unlocked('"', writer->file);
    for (; *value; value++) {
        if (*value == '"') putc_unlocked('"', writer->file);
        putc_unlocked(*value, writer->file);
    }
    putc_unlocked('"', writer->file);
}

char *csv_format_number(char buffer[32], double value)
{
    /* Counts are exact in a double up to 2^53 and must stay exact in the file. */
    const int is_whole = value == floor(value) && fabs(value) < 9007199254740992.0;
    buffer[0] = 0;
    if (isfinite(value)) snprintf(buffer, 32, is_whole ? "%.0f" : "%.9g", value + 0.0 /* no -0 */);
    return buffer;
}

int csv_parse_number(const char *cell, double *value)
{
    enum { EXACT = 15 }; /* so many digits are exact in a double */
    int64_t whole = 0;
    int digits = 0;
    while (digits <= EXACT && cell[digits] >= '0' && cell[digits] <= '9')
        whole = 10 * whole + (cell[digits++] - '0');
    *value = (double)whole;
    if (digits > 0 && digits <= EXACT && !cell[digits]) return 1;
    char *end;
    *value = strtod(cell, &end);
    return end != cell && *end == 0 && isfinite(*value) && !strpbrk(cell, "xX \t");
}

double csv_written_number(double value)
{
    /* A whole number of 9 digits and a power of ten up to 22 are exact: dividing or multiplying
     * them rounds once, as reading the digits does. */
    static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const double size = fabs(value);
    if (!isfinite(value) || (size == floor(size) && size < 9007199254740992.0)) return value + 0.0;
    const int places = 8 - (int)floor(log10(size));
    if (places >= 0 && places <= 22 && size < 1e9) {
        const double scaled = size * power[places], digits = rint(scaled);
        if (digits >= 1e8 && digits <= 1e9 && fabs(fabs(scaled - digits) - 0.5) > 1e-6)
            return (value < 0 ? -digits : digits) / power[places];
    }
    char buffer[32];
    return strtod(csv_format_number(buffer, value), NULL);
}

void csv_number(struct csv_writer *writer, double value)
{
    char buffer[32];
    separate(writer);
    fputs_unlocked(csv_format_number(buffer, value), writer->file);
}

void csv_integer(struct csv_writer *writer, int64_t value)
{
    separate(writer);
    fprintf(writer->file, "%" PRId64, value);
}

#define DEFINE_CELLS(name, type, cell)                                                             \
    void name(struct csv_writer *writer, int count, type const *value)                             \
    {                                                                                              \
        for (int i = 0; i < count; i++) cell(writer, value[i]);                                    \
    }
DEFINE_CELLS(csv_texts, const char *, csv_text)
DEFINE_CELLS(csv_numbers, double, csv_number)
DEFINE_CELLS(csv_integers, int64_t, csv_integer)

void csv_end(struct csv_writer *writer)
{
    fputs_unlocked("\n", writer->file);
    writer->cells = 0;
}

/* The tuple as one string: each part with its length, so that different tuples differ. */
static char *join(const char *const *part, int parts)
{
    struct text joined = {0};
    for (int i = 0; i < parts; i++) text_format(&joined, "%zu:%s", strlen(part[i]), part[i]);
    return text_taken(&joined);
}

static int compare_keys(const void *a, const void *b)
{
    return strcmp(a, b);
}

int string_set_add(struct string_set *set, const char *const *part, int parts)
{
    char *key = join(part, parts);
    char **found = key ? tsearch(key, &set->tree, compare_keys) : NULL;
    if (!found || *found != key) free(key);
    return found ? 0 : error_memory();
}

int string_set_has(const struct string_set *set, const char *const *part, int parts)
{
    char *key = join(part, parts);
    const int has = key && tfind(key, &set->tree, compare_keys);
    free(key);
    return has;
}

void string_set_free(struct string_set *set)
{
    tdestroy(set->tree, free);
    set->tree = NULL;
}
