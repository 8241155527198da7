/*
 * A template (report/template.h) holds every word of a report; there are none here.
 *
 * Text of a run stays text in the page: a value cannot begin a tag, end an attribute or a script,
 * or be a link (write_html, write_markdown, write_script); a picture is an image, in which no
 * script runs; and anchors are made of plain names alone (query/query_load.c).
 */
#include "report/template.h"

#include <ctype.h>
#include <stddef.h>
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

/* Returns 1 for a space between a number and its unit, at which no line may break. */
static int joins_unit(const char *value, const char *begin)
{
    static const char *const units[] = {"%",   "ns",  "\xC2\xB5s", "ms",      "s",   "GB/s",
                                        "KiB", "MiB", "GB",        "TFLOP/s", "MHz", "W"};
    if (*value != ' ' || value == begin || !strchr("0123456789", value[-1])) return 0;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const size_t length = strlen(units[i]);
        if (!strncmp(value + 1, units[i], length) &&
            !strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_%",
                    value[1 + length] ? value[1 + length] : '.'))
            return 1;
    }
    return 0;
}

/* Writes a power of two, such as 2^24, with raised digits. Returns the bytes that it read, or 0. */
static size_t write_power(FILE *file, const char *value, const char *begin)
{
    static const char *const raised[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                         "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
    if (strncmp(value, "2^", 2) ||
        (value > begin && (isalnum((unsigned char)value[-1]) || strchr("_.^", value[-1]))))
        return 0;
    const size_t digits = strspn(value + 2, "0123456789");
    if (!digits || isalnum((unsigned char)value[2 + digits])) return 0;
    fputc('2', file);
    for (size_t i = 0; i < digits; i++) fputs(raised[value[2 + i] - '0'], file);
    return 2 + digits;
}

static void write_html(FILE *file, const char *value, int is_code)
{
    for (const char *begin = value; *value; value++) {
        const size_t power = is_code ? 0 : write_power(file, value, begin);
        if (power) {
            value += power - 1;
            continue;
        }
        if (!is_code && joins_unit(value, begin)) {
            fputs("&nbsp;", file);
            continue;
        }
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
    for (const char *begin = value; *value; value++) {
        const size_t power = in_code ? 0 : write_power(file, value, begin);
        if (power)
            value += power - 1;
        else if (*value == '|')
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

/* Writes the inside of a string, or JSON text, so that it can neither end the script that contains
 * it nor its line. */
static void write_script(FILE *file, const char *value, int is_json)
{
    for (; *value; value++) {
        const unsigned char byte = (unsigned char)*value;
        if (strchr("<>&\x7F", *value) || (byte < ' ' && !is_json))
            fprintf(file, "\\u%04x", byte);
        else if (!is_json && strchr("\"\\", *value))
            fprintf(file, "\\%c", *value);
        else if (!strncmp(value, "\xE2\x80\xA8", 3) || !strncmp(value, "\xE2\x80\xA9", 3))
            fprintf(file, "\\u20%02x", (unsigned char)(value += 2)[0] - 0x80);
        else
            fputc(*value, file);
    }
}

static void write_value(struct template *template, const char *value, int in_code)
{
    if (template->kind == PAGE_SCRIPT) {
        if (value) fputc('"', template->file);
        write_script(template->file, value ? value : "null", 0);
        if (value) fputc('"', template->file);
    } else if (value && template->kind == PAGE_HTML) {
        write_html(template->file, value, in_code);
    } else if (value) {
        write_markdown(template->file, value, in_code);
    }
}

static int is_plain_name(const char *name)
{
    return *name && name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      "0123456789_-")] == 0;
}

/* No script runs in an image. */
static int write_picture(struct template *template, const struct scope *scope)
{
    const char *chart = scope_value(scope, "chart", NULL),
               *title = scope_value(scope, "title", NULL);
    if (!chart || !is_plain_name(chart))
        return error(FAIL_INPUT, "%s/charts.csv: '%s' is not the name of a chart",
                     template->query->run->path, chart ? chart : "");
    const int html = template->kind == PAGE_HTML;
    fputs(html ? "<img loading=\"lazy\" alt=\"" : "![", template->file);
    write_value(template, title, 0);
    fprintf(template->file, html ? "\" src=\"charts/%s.svg\">" : "](charts/%s.svg)", chart);
    return 0;
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
           (length == strlen(word) || tag[strlen(word)] == ' ' || tag[strlen(word)] == '\n');
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

/* Finds the column named by the tag. */
static int find_value(struct template *template, const char *tag, size_t length,
                      const struct scope *scope, const char **value)
{
    char name[64];
    int known = 0;
    snprintf(name, sizeof name, "%.*s", (int)length, tag);
    *value = scope_value(scope, name, &known);
    return known ? 0
                 : error(FAIL_INPUT, "%s:%d: no enclosing row has a column '%s'", template->path,
                         line_of(template, tag), name);
}

static int fill_value(struct template *template, const char *tag, size_t length,
                      const struct scope *scope)
{
    const char *value;
    const int result = find_value(template, tag, length, scope, &value);
    /* In Markdown by the character before {{; the column `text` has lines of a source. */
    const int in_code = (tag - template->text > 2 && tag[-3] == '`') || is_tag(tag, length, "text");
    if (!result) write_value(template, value, in_code);
    return result;
}

/* SQLite refuses what is not JSON. */
static int fill_json(struct template *template, const char *tag, size_t length,
                     const struct scope *scope)
{
    static const char *const names[] = {"value"};
    const char *value = NULL;
    char *json = NULL, *place = text_new("%s:%d", template->path, line_of(template, tag));
    int result = place ? find_value(template, tag, length, scope, &value) : error_memory();
    const struct scope values = {NULL, 1, names, &value};
    if (!result) result = query_text(template->query, place, "SELECT json(:value)", &values, &json);
    if (!result) write_script(template->file, json ? json : "null", 1);
    free(json);
    free(place);
    return result;
}

/* Fills in a part, which is a file beside the template. */
static int fill_include(struct template *template, const char *tag, size_t length,
                        const struct scope *scope)
{
    const char *slash = strrchr(template->path, '/');
    char *path = text_new("%.*s%.*s", slash ? (int)(slash + 1 - template->path) : 0, template->path,
                          (int)length, tag);
    char *text = path && template_is_part(tag) && !memchr(tag, '/', length)
                     ? text_read_file(path, NULL)
                     : NULL;
    const char *own = slash ? slash + 1 : template->path;
    struct template part = *template;
    part.path = path;
    part.text = text;
    int result = !path ? error_memory() : 0;
    if (!result && (!text || template_is_part(own)))
        result = error(FAIL_INPUT, "%s:%d: cannot include '%.*s'", template->path,
                       line_of(template, tag), (int)length, tag);
    if (!result) result = fill(&part, text, text + strlen(text), scope);
    free(text);
    free(path);
    return result;
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
        else if (is_tag(tag, length, "include"))
            result = fill_include(template, tag + 8, length > 8 ? length - 8 : 0, scope);
        else if (is_tag(tag, length, "json"))
            result = fill_json(template, tag + 5, length > 5 ? length - 5 : 0, scope);
        else if (is_tag(tag, length, "end") || is_tag(tag, length, "none"))
            result = error(FAIL_INPUT, "%s:%d: '%.*s' without 'each'", template->path,
                           line_of(template, tag), (int)length, tag);
        else
            result = fill_value(template, tag, length, scope);
    }
    if (!result) fwrite(p, 1, (size_t)(end - p), template->file);
    return result;
}

/* ---- pages ----------------------------------------------------------------------------------- */

struct pages {
    struct template *template;
    const char *name; /* of the {{page}} line, with its :column */
    size_t name_length;
    const char *body;
};

static int has_ending(const char *path, const char *ending)
{
    const size_t length = strlen(path), least = strlen(ending);
    return length > least && !strcmp(path + length - least, ending);
}

static int fill_page(struct template *template, const char *name, const char *body,
                     const struct scope *scope)
{
    const int result = template->open(template->context, name, &template->file);
    return result ? result : fill(template, body, body + strlen(body), scope);
}

/* Puts the row's value in place of :column. */
static int fill_page_of(void *context, const struct scope *row)
{
    const struct pages *pages = context;
    char name[256], column[64] = "";
    snprintf(name, sizeof name, "%.*s", (int)pages->name_length, pages->name);
    char *colon = strchr(name, ':');
    if (colon) {
        const size_t length = strspn(colon + 1, "abcdefghijklmnopqrstuvwxyz_");
        snprintf(column, sizeof column, "%.*s", (int)length, colon + 1);
        const char *value = scope_value(row, column, NULL), *rest = pages->name + (colon - name);
        if (!value || !is_plain_name(value) || strlen(value) > 100)
            return error(FAIL_INPUT, "%s:1: '%s' cannot be part of the name of a page",
                         pages->template->path, value ? value : "");
        snprintf(colon, sizeof name - (size_t)(colon - name), "%s%.*s", value,
                 (int)(pages->name + pages->name_length - rest - 1) - (int)length,
                 rest + 1 + length);
    }
    return fill_page(pages->template, name, pages->body, row);
}

static int fill_pages(struct template *template, const char *tag, size_t length,
                      const struct scope *facts)
{
    const char *name = tag + strlen("page"), *end = tag + length;
    name += strspn(name, " \n");
    const size_t name_length = strcspn(name, " \n}");
    struct pages pages = {template, name, name_length, end + 2};
    if (*pages.body == '\n') pages.body++;
    if (name_length == 0 || name_length > 100 || name + name_length >= end)
        return error(FAIL_INPUT, "%s:1: expected {{page NAME SELECT ...}}", template->path);
    char *sql = text_new("%.*s", (int)(end - name - (ptrdiff_t)name_length), name + name_length);
    char *place = text_new("%s:1", template->path);
    const int result = sql && place
                           ? query_each(template->query, place, sql, facts, fill_page_of, &pages)
                           : error_memory();
    free(sql);
    free(place);
    return result;
}

int template_is_part(const char *name)
{
    return *name == '_';
}

int template_is_filled(const char *path, const char *text)
{
    return has_ending(path, ".html") || has_ending(path, ".md") ||
           (has_ending(path, ".js") && !strncmp(text, "{{page ", 7));
}

int template_fill(struct template *template, const struct scope *facts)
{
    const char *slash = strrchr(template->path, '/');
    size_t length;
    const char *tag =
        strncmp(template->text, "{{page ", 7)
            ? NULL
            : next_tag(template->text, template->text + strlen(template->text), &length);
    template->kind = has_ending(template->path, ".html") ? PAGE_HTML
                     : has_ending(template->path, ".md") ? PAGE_MARKDOWN
                                                         : PAGE_SCRIPT;
    return tag ? fill_pages(template, tag, length, facts)
               : fill_page(template, slash ? slash + 1 : template->path, template->text, facts);
}
