#include "csv.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "text.h"

int csv_open(struct csv_reader *reader, const char *path)
{
    size_t length;
    memset(reader, 0, sizeof *reader);
    reader->path = path;
    reader->text = text_read_file(path, &length);
    if (!reader->text) return error(FAIL_INPUT, "%s: cannot read: %s", path, strerror(errno));
    const size_t text_length = strlen(reader->text);
    if (text_length != length) {
        csv_close(reader);
        return error(FAIL_INPUT, "%s: a NUL byte after %zu bytes; expected text", path, text_length);
    }
    reader->next = reader->text;
    reader->next_line = 1;
    return 0;
}

void csv_close(struct csv_reader *reader)
{
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

/* Takes one cell from *p on; *p then stands behind its separator and *last says whether that ended the record. */
static int take_cell(struct csv_reader *reader, char **p, int *last)
{
    char *start = *p, *end;
    if (*start == '"') {
        start++;
        end = unquote(reader, start);
        if (!end) return error(FAIL_INPUT, "%s:%d: a quote is opened and never closed", reader->path, reader->line);
        if (*end && !strchr(",\r\n", *end))
            return error(FAIL_INPUT, "%s:%d: text after a closing quote; expected ',' or the end of the line", reader->path, reader->line);
    } else {
        end = start + strcspn(start, ",\r\n\"");
        if (*end == '"') return error(FAIL_INPUT, "%s:%d: a quote inside a cell that does not start with one", reader->path, reader->line);
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
            return error(FAIL_INPUT, "%s:%d: a carriage return without a line feed", reader->path, reader->line);
        }
    }
    *end = 0;
    *p = after;
    return add_cell(reader, start);
}

int csv_next(struct csv_reader *reader)
{
    reader->count = 0;
    reader->line = reader->next_line;
    if (*reader->next == 0) return 0;
    for (int last = 0; !last;) {
        const int result = take_cell(reader, &reader->next, &last);
        if (result) return result;
    }
    return 1;
}

static void separate(struct csv_writer *writer)
{
    if (writer->cells++ > 0) fputc(',', writer->file);
}

void csv_text(struct csv_writer *writer, const char *value)
{
    separate(writer);
    if (!value) return;
    if (!strpbrk(value, ",\"\r\n")) {
        fputs(value, writer->file);
        return;
    }
    fputc('"', writer->file);
    for (; *value; value++) {
        if (*value == '"') fputc('"', writer->file);
        fputc(*value, writer->file);
    }
    fputc('"', writer->file);
}

char *csv_format_number(char buffer[32], double value)
{
    buffer[0] = 0;
    if (!isfinite(value)) return buffer;
    /* Counts are exact in a double up to 2^53 and must stay so in the file. */
    if (value == floor(value) && fabs(value) < 9007199254740992.0) snprintf(buffer, 32, "%.0f", value);
    else snprintf(buffer, 32, "%.9g", value);
    if (!strcmp(buffer, "-0")) strcpy(buffer, "0");
    return buffer;
}

void csv_number(struct csv_writer *writer, double value)
{
    char buffer[32];
    csv_text(writer, csv_format_number(buffer, value));
}

void csv_integer(struct csv_writer *writer, int64_t value)
{
    separate(writer);
    fprintf(writer->file, "%" PRId64, value);
}

void csv_end(struct csv_writer *writer)
{
    fputs("\n", writer->file);
    writer->cells = 0;
}
