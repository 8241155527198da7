#include "base/csv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"

enum { PIECE = 1 << 18 };

/* Makes room for one more piece behind what is not yet taken, which moves to the front. */
static int make_room(struct csv_reader *reader)
{
    const size_t rest = reader->length - (size_t)(reader->next - reader->text);
    if (rest > 0) memmove(reader->text, reader->next, rest);
    reader->next = reader->text;
    reader->length = rest;
    if (reader->size - rest > PIECE) return 0;
    const size_t size = 2 * reader->size;
    char *text = realloc(reader->text, size);
    if (!text) return error_memory();
    reader->text = reader->next = text;
    reader->size = size;
    return 0;
}

static int read_piece(struct csv_reader *reader)
{
    const int result = make_room(reader);
    if (result) return result;
    char *piece = reader->text + reader->length;
    const size_t got = fread(piece, 1, PIECE, reader->file);
    if (got < PIECE && ferror(reader->file))
        return error(FAIL_INPUT, "%s: cannot read: %s", reader->path, strerror(errno));
    reader->at_end = got < PIECE;
    reader->length += got;
    piece[got] = 0;
    const char *nul = memchr(piece, 0, got);
    if (nul)
        return error(FAIL_INPUT, "%s: a NUL byte after %ld bytes; expected text", reader->path,
                     ftell(reader->file) - (long)(piece + got - nul));
    return 0;
}

int csv_open(struct csv_reader *reader, const char *path)
{
    memset(reader, 0, sizeof *reader);
    reader->path = path;
    reader->size = 2 * PIECE;
    reader->next_line = 1;
    reader->file = fopen(path, "rb");
    if (!reader->file) return error(FAIL_INPUT, "%s: cannot read: %s", path, strerror(errno));
    reader->text = reader->next = malloc(reader->size);
    const int result = reader->text ? read_piece(reader) : error_memory();
    if (result) csv_close(reader);
    return result;
}

void csv_close(struct csv_reader *reader)
{
    if (reader->file) fclose(reader->file);
    free(reader->text);
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

/* Unquotes in place. Returns the character after the closing quote, or NULL when there is none. */
static char *unquote(struct csv_reader *reader, char *p)
{
    char *to = p;
    for (;; p++) {
        if (*p == 0) return NULL;
        if (*p == '\n') reader->next_line++;
        if (*p == '"') {
            if (p[1] != '"') break;
            p++;
        }
        *to++ = *p;
    }
    *to = 0;
    return p + 1;
}

/* What a cell without quotes cannot go on over. */
static const char ends_cell[256] = {[0] = 1, [','] = 1, ['\r'] = 1, ['\n'] = 1, ['"'] = 1};

/* Takes one cell from *p on; *p then stands behind its separator and *last says whether that
 * ended the record. */
static int take_cell(struct csv_reader *reader, char **p, int *last)
{
    char *start = *p, *end;
    if (*start == '"') {
        start++;
        end = unquote(reader, start);
        if (!end)
            return error(FAIL_INPUT, "%s:%d: a quote is opened and never closed", reader->path,
                         reader->line);
        if (*end && !strchr(",\r\n", *end))
            return error(FAIL_INPUT,
                         "%s:%d: text after a closing quote; expected ',' or the end of the line",
                         reader->path, reader->line);
    } else {
        end = start;
        while (!ends_cell[(unsigned char)*end]) end++;
        if (*end == '"')
            return error(FAIL_INPUT, "%s:%d: a quote inside a cell that does not start with one",
                         reader->path, reader->line);
    }
    *last = *end != ',';
    char *after = end;
    if (*after == ',') {
        after++;
    } else {
        if (*after == '\r') after++;
        if (*after == '\n') {
            after++;
            reader->next_line++;
        } else if (after > end) {
            return error(FAIL_INPUT, "%s:%d: a carriage return without a line feed", reader->path,
                         reader->line);
        }
    }
    *end = 0;
    *p = after;
    return add_cell(reader, start);
}

static size_t count_quotes(const char *p, const char *end)
{
    size_t count = 0;
    while ((p = memchr(p, '"', (size_t)(end - p)))) count++, p++;
    return count;
}

/* Reads on until the whole of the next record is there: up to a line feed outside of quotes, or
 * to the end of the file. */
static int read_record(struct csv_reader *reader)
{
    size_t looked_at = 0, quotes = 0;
    int result = 0;
    while (!result) {
        const char *from = reader->next + looked_at, *end = reader->text + reader->length;
        const char *feed = memchr(from, '\n', (size_t)(end - from));
        quotes += count_quotes(from, feed ? feed : end);
        if (feed && quotes % 2 == 0) return 0;
        looked_at = (size_t)((feed ? feed + 1 : end) - reader->next);
        if (feed) continue;
        if (reader->at_end) return 0;
        result = read_piece(reader);
    }
    return result;
}

int csv_next(struct csv_reader *reader)
{
    reader->count = 0;
    reader->line = reader->next_line;
    int result = read_record(reader);
    if (result || *reader->next == 0) return result;
    for (int last = 0; !last;) {
        result = take_cell(reader, &reader->next, &last);
        if (result) return result;
    }
    return 1;
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

static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                              1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                              1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* Digits of a whole number, with this many decimals and the zeros at their end left out. Returns
 * where it ends. */
static char *put_digits(char *to, uint64_t number, int decimals)
{
    char digit[24];
    int count = 0;
    while (decimals > 0 && number % 10 == 0) number /= 10, decimals--;
    do digit[count++] = (char)('0' + number % 10);
    while ((number /= 10) || count <= decimals);
    while (count > 0) {
        if (count == decimals) *to++ = '.';
        *to++ = digit[--count];
    }
    *to = 0;
    return to;
}

/* What %.9g gives for a number that has a fraction, by one multiplication: 0 where that is too
 * near to the middle between two results, and where %g would write an exponent. Powers of ten up
 * to 10^22 are exact, so that the product is off by less than 2^-23. */
static int format_fraction(char buffer[32], double value)
{
    enum { DIGITS = 9, LEAST = -4 };
    const double size = fabs(value);
    int exponent = LEAST;
    if (!(size >= 1e-4 && size < 1e8)) return 0;
    while (exponent < DIGITS &&
           (exponent < 0 ? size * tens[-exponent] >= 10 : size >= tens[exponent + 1]))
        exponent++;
    const double shifted = size * tens[DIGITS - 1 - exponent], whole = floor(shifted),
                 rest = shifted - whole;
    if (fabs(rest - 0.5) < 1e-5 || whole < 1e8 || whole >= 1e9 - 1) return 0;
    if (value < 0) *buffer++ = '-';
    put_digits(buffer, (uint64_t)whole + (rest > 0.5), DIGITS - 1 - exponent);
    return 1;
}

char *csv_format_number(char buffer[32], double value)
{
    buffer[0] = 0;
    if (!isfinite(value)) return buffer;
    /* Counts are exact in a double up to 2^53 and must stay so in the file. */
    if (value == floor(value) && fabs(value) < 9007199254740992.0) {
        char *at = buffer;
        if (value < 0) *at++ = '-';
        put_digits(at, (uint64_t)fabs(value), 0);
    } else if (!format_fraction(buffer, value)) {
        snprintf(buffer, 32, "%.9g", value);
    }
    return buffer;
}

/* A number of up to 2^53 and a power of ten up to 10^22 are exact, and so their product or
 * quotient is rounded once, as strtod rounds it (Clinger, How to read floating point numbers
 * accurately). 0 for what is not so plain. */
static int parse_plain(const char *cell, double *value)
{
    const int negative = *cell == '-';
    uint64_t number = 0;
    int digits = 0, decimals = 0;
    const char *p = cell + negative;
    for (; *p >= '0' && *p <= '9'; p++, digits++) number = 10 * number + (uint64_t)(*p - '0');
    if (*p == '.')
        for (p++; *p >= '0' && *p <= '9'; p++, digits++, decimals++)
            number = 10 * number + (uint64_t)(*p - '0');
    if (*p || digits == 0 || digits > 15) return 0;
    const double size = (double)number / tens[decimals];
    *value = negative ? -size : size;
    return 1;
}

int csv_parse_number(const char *cell, double *value)
{
    char *end;
    if (parse_plain(cell, value)) return 1;
    *value = strtod(cell, &end);
    return end != cell && *end == 0 && isfinite(*value) && !strpbrk(cell, "xX \t");
}

void csv_number(struct csv_writer *writer, double value)
{
    char buffer[32];
    separate(writer);
    fputs_unlocked(csv_format_number(buffer, value), writer->file);
}

void csv_integer(struct csv_writer *writer, int64_t value)
{
    char buffer[32], *at = buffer;
    separate(writer);
    if (value < 0) *at++ = '-';
    put_digits(at, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 0);
    fputs_unlocked(buffer, writer->file);
}

void csv_texts(struct csv_writer *writer, int count, const char *const *value)
{
    for (int i = 0; i < count; i++) csv_text(writer, value[i]);
}

void csv_numbers(struct csv_writer *writer, int count, const double *value)
{
    for (int i = 0; i < count; i++) csv_number(writer, value[i]);
}

void csv_integers(struct csv_writer *writer, int count, const int64_t *value)
{
    for (int i = 0; i < count; i++) csv_integer(writer, value[i]);
}

void csv_end(struct csv_writer *writer)
{
    fputs_unlocked("\n", writer->file);
    writer->cells = 0;
}
