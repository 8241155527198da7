/*
 * A template (report/template.h) holds every word of a report; there are none here.
 *
 * Text of a run stays text in the page: a value cannot begin a tag, end an attribute or be a link
 * (write_html, write_markdown); a picture is embedded as an image, in which no script runs; and
 * anchors are made of plain names alone (query/query_load.c).
 */
#include "report/template.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"

struct block {
    struct template *template;
    const char *body;
    const char *body_end;
    int rows;
};

/* ---- writing --------------------------------------------------------------------------------- */

/* Replaces control characters, which a page cannot hold and a terminal would obey. */
static void write_character(FILE *file, const char *character)
{
    const int control =
        ((unsigned char)*character < ' ' && !strchr("\t\n\r", *character)) || *character == 0x7F;
    if (control)
        fputs("\xEF\xBF\xBD", file);
    else
        fputc(*character, file);
}

static void write_html(FILE *file, const char *value)
{
    for (; *value; value++) {
        switch (*value) {
        case '&': fputs("&amp;", file); break;
        case '<': fputs("&lt;", file); break;
        case '>': fputs("&gt;", file); break;
        case '"': fputs("&quot;", file); break;
        case '\'': fputs("&#39;", file); break;
        case '{': fputs("&#123;", file); break; /* no line of source may look like a placeholder */
        case '}': fputs("&#125;", file); break;
        default: write_character(file, value);
        }
    }
}

/* A cell must not end its row, nor a line its paragraph. Between backticks only a backtick is
 * special; elsewhere a tag stays text, and so does a link, which needs "](", "][" or "]:". */
static void write_markdown(FILE *file, const char *value, int in_code)
{
    for (; *value; value++) {
        if (*value == '|')
            fputs("\\|", file);
        else if (*value == '\n' || *value == '\r')
            fputc(' ', file);
        else if (in_code && *value == '`')
            fputc('\'', file);
        else if (!in_code && *value == '<')
            fputs("&lt;", file);
        else if (!in_code && *value == ']' && value[1] && strchr("([:", value[1]))
            fputs("\\]", file);
        else
            write_character(file, value);
    }
}

static void write_value(struct template *template, const char *value, int in_code)
{
    if (!value) return;
    if (template->html)
        write_html(template->file, value);
    else
        write_markdown(template->file, value, in_code);
}

static void write_base64(FILE *file, const unsigned char *bytes, size_t count)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        const size_t left = count - i;
        const unsigned long group = (unsigned long)bytes[i] << 16 |
                                    (unsigned long)(left > 1 ? bytes[i + 1] : 0) << 8 |
                                    (left > 2 ? bytes[i + 2] : 0);
        fputc(digits[group >> 18 & 63], file);
        fputc(digits[group >> 12 & 63], file);
        fputc(left > 1 ? digits[group >> 6 & 63] : '=', file);
        fputc(left > 2 ? digits[group & 63] : '=', file);
    }
}

/* In a data: image no script runs, and names cannot clash with those of another picture. */
static int write_picture(struct template *template, const struct scope *scope)
{
    const char *chart = scope_value(scope, "chart", NULL),
               *title = scope_value(scope, "title", NULL);
    if (!chart || !*chart ||
        chart[strspn(chart, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")])
        return error(FAIL_INPUT, "%s/charts.csv: '%s' is not the name of a chart",
                     template->query->run->path, chart ? chart : "");
    if (!template->html) {
        fputs("![", template->file);
        write_value(template, title, 0);
        fprintf(template->file, "](charts/%s.svg)", chart);
        return 0;
    }
    size_t length;
    char *path = text_new("%s/charts/%s.svg", template->query->run->directory, chart);
    char *svg = path ? text_read_file(path, &length) : NULL;
    const int result =
        svg ? 0 : error(FAIL_INPUT, "%s: cannot read: %s", path ? path : chart, strerror(errno));
    if (svg) {
        fputs("<img alt=\"", template->file);
        write_value(template, title, 0);
        fputs("\" src=\"data:image/svg+xml;base64,", template->file);
        write_base64(template->file, (const unsigned char *)svg, length);
        fputs("\">", template->file);
    }
    free(svg);
    free(path);
    return result;
}

/* ---- the template ---------------------------------------------------------------------------- */

static int line_of(const struct template *template, const char *at)
{
    int line = 1;
    for (const char *p = template->text; p < at; p++) line += *p == '\n';
    return line;
}

static int is_tag(const char *tag, size_t length, const char *word)
{
    return length >= strlen(word) && !strncmp(tag, word, strlen(word)) &&
           (length == strlen(word) || tag[strlen(word)] == ' ');
}

/* Returns the text of the next "{{...}}" in [p, end) and its length, or NULL. */
static const char *next_tag(const char *p, const char *end, size_t *length)
{
    const char *open = memmem(p, (size_t)(end - p), "{{", 2);
    const char *close = open ? memmem(open, (size_t)(end - open), "}}", 2) : NULL;
    if (!close) return NULL;
    *length = (size_t)(close - open) - 2;
    return open + 2;
}

/* Finds the {{end}} of a block that begins at p, and its {{none}} at the same level, if any. */
static int find_end(const struct template *template, const char *p, const char *end,
                    const char **none, const char **block_end)
{
    int depth = 0;
    size_t length;
    const char *start = p;
    *none = NULL;
    for (const char *tag; (tag = next_tag(p, end, &length)); p = tag + length + 2) {
        if (is_tag(tag, length, "each")) depth++;
        if (is_tag(tag, length, "none") && depth == 0) *none = tag - 2;
        if (is_tag(tag, length, "end") && depth-- == 0) {
            *block_end = tag - 2;
            return 0;
        }
    }
    return error(FAIL_INPUT, "%s:%d: 'each' without its 'end'", template->path,
                 line_of(template, start));
}

static int fill(struct template *template, const char *p, const char *end,
                const struct scope *scope);

static int fill_row(void *context, const struct scope *row)
{
    struct block *block = context;
    block->rows++;
    return fill(block->template, block->body, block->body_end, row);
}

/* Fills the block whose {{each SQL}} is before `body`. *after follows its {{end}}. */
static int fill_each(struct template *template, const char *sql_start, size_t sql_length,
                     const char *body, const char *end, const struct scope *scope,
                     const char **after)
{
    const char *none, *block_end = end;
    int result = find_end(template, body, end, &none, &block_end);
    if (result) return result;
    struct block block = {template, body, none ? none : block_end, 0};
    char *sql = text_new("%.*s", (int)sql_length, sql_start);
    char *place = text_new("%s:%d", template->path, line_of(template, sql_start));
    result = sql && place ? query_each(template->query, place, sql, scope, fill_row, &block)
                          : error_memory();
    if (!result && block.rows == 0 && none)
        result = fill(template, none + strlen("{{none}}"), block_end, scope);
    free(sql);
    free(place);
    *after = block_end + strlen("{{end}}");
    return result;
}

static int fill_value(struct template *template, const char *tag, size_t length,
                      const struct scope *scope)
{
    char name[64];
    int known = 0;
    snprintf(name, sizeof name, "%.*s", (int)length, tag);
    const char *value = scope_value(scope, name, &known);
    if (!known)
        return error(FAIL_INPUT, "%s:%d: no enclosing row has a column '%s'", template->path,
                     line_of(template, tag), name);
    write_value(template, value,
                tag - template->text > 2 && tag[-3] == '`'); /* the character before {{ */
    return 0;
}

static int fill(struct template *template, const char *p, const char *end,
                const struct scope *scope)
{
    int result = 0;
    size_t length;
    for (const char *tag; !result && (tag = next_tag(p, end, &length));) {
        fwrite(p, 1, (size_t)(tag - 2 - p), template->file);
        p = tag + length + 2;
        if (is_tag(tag, length, "each"))
            result = fill_each(template, tag + 5, length > 5 ? length - 5 : 0, p, end, scope, &p);
        else if (is_tag(tag, length, "picture"))
            result = write_picture(template, scope);
        else if (is_tag(tag, length, "end") || is_tag(tag, length, "none"))
            result = error(FAIL_INPUT, "%s:%d: '%.*s' without 'each'", template->path,
                           line_of(template, tag), (int)length, tag);
        else
            result = fill_value(template, tag, length, scope);
    }
    if (!result) fwrite(p, 1, (size_t)(end - p), template->file);
    return result;
}

int template_fill(struct template *template, const struct scope *facts)
{
    return fill(template, template->text, template->text + strlen(template->text), facts);
}
