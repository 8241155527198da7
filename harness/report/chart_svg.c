#include "report/chart_svg.h"

#include <stdio.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/text.h"

/* The labels are placed by the widths of these; other fonts are wider. */
#define FONTS "Arial, Helvetica, Liberation Sans, sans-serif"

static void append_xml(struct text *out, const char *text)
{
    for (; *text; text++) {
        const char *escape = *text == '<'   ? "&lt;"
                             : *text == '>' ? "&gt;"
                             : *text == '&' ? "&amp;"
                                            : NULL;
        if (escape)
            text_append(out, escape);
        else
            text_append_bytes(out, (unsigned char)*text < ' ' ? " " : text, 1);
    }
}

/* Replaces the content of gnuplot's own element. Returns the rest of the picture. */
static const char *append_element(struct text *out, const char *svg, const char *open,
                                  const char *close, const char *words)
{
    const char *begin = strstr(svg, open), *end = begin ? strstr(begin, close) : NULL;
    if (!end) return svg;
    text_append_bytes(out, svg, (size_t)(begin - svg) + strlen(open));
    append_xml(out, words);
    return end;
}

static int begins(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

/* Returns 1 if a symbol that is defined here is drawn in the rest of the picture. */
static int uses_points(const char *defs)
{
    const char *end = strstr(defs, "</defs>");
    return !end || strstr(end, "#gp") != NULL;
}

/* Returns the length of what can be left out at this place of the picture, or 0. */
static size_t superfluous(const char *svg)
{
    static const char *const attributes[] = {
        " font-family=\"sans-serif\"", " stroke-linecap=\"butt\" stroke-linejoin=\"miter\"",
        " class=\"gridline\" ",
        " text-anchor=\"start\""}; /* the root has the font, the others are defaults or unused */
    static const char name[] = "<title>gnuplot_plot_";
    if (*svg == '\t') return 1;
    if (begins(svg, ".00") && !strchr("0123456789", svg[3])) return strlen(".00");
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (begins(svg, attributes[i])) return strlen(attributes[i]);
    if (begins(svg, name)) return strcspn(svg, "/") + strlen("/title>");
    if (begins(svg, "<defs>") && !uses_points(svg)) {
        const char *end = strstr(svg, "</defs>");
        return end ? (size_t)(end - svg) + strlen("</defs>") : 0;
    }
    if (!begins(svg, "<g ")) return 0;
    const size_t length = strcspn(svg, ">") + 1;
    const char *end = svg + length - (svg[length - 1] != '>');
    end += strspn(end, "\t\n ");
    return begins(end, "</g>") ? (size_t)(end - svg) + strlen("</g>") : 0;
}

static int alike(const char *a, const char *b)
{
    const size_t length = strcspn(a, " \n'");
    return length == strcspn(b, " \n'") && !memcmp(a, b, length);
}

static int level(const char *a, const char *b)
{
    return alike(a + strcspn(a, ","), b + strcspn(b, ","));
}

/* Appends the points of a polygon but those that are given twice or lie on a level line between
 * others. Returns the length of the list up to its quotation mark, or 0 for anything else. */
static size_t append_points(struct text *out, const char *svg)
{
    static const char name[] = "points = '";
    if (!begins(svg, name)) return 0;
    text_append(out, name);
    const char *at = svg + strlen(name), *last = NULL, *before = NULL;
    for (;; at += strspn(at, " \n")) {
        const int is_end = !*at || *at == '\'';
        if (last &&
            (is_end || (!alike(last, at) && !(before && level(before, last) && level(last, at))))) {
            text_append_bytes(out, last, strcspn(last, " \n'"));
            text_append(out, " ");
            before = last;
        }
        if (is_end) return (size_t)(at - svg);
        last = at;
        at += strcspn(at, " \n'");
    }
}

/* Appends a colour that gnuplot writes as rgb(red,green,blue). Returns its length, or 0. */
static size_t append_colour(struct text *out, const char *svg)
{
    unsigned red, green, blue;
    int length = 0;
    if (!begins(svg, "rgb(")) return 0;
    if (sscanf(svg, "rgb(%3u,%3u,%3u)%n", &red, &green, &blue, &length) != 3 || !length ||
        red > 255 || green > 255 || blue > 255)
        return 0;
    text_format(out, "#%02x%02x%02x", red, green, blue);
    return (size_t)length;
}

/* Appends what is at this place of a tag. Returns the length of what it stands for. */
static size_t append_next(struct text *out, const char *svg)
{
    size_t done = superfluous(svg);
    if (!done) done = append_points(out, svg);
    if (!done) done = append_colour(out, svg);
    if (done) return done;
    if (*svg != '\n' || !out->length || out->data[out->length - 1] != '\n')
        text_append_bytes(out, svg, 1);
    return 1;
}

/* Returns the value of a raised digit, and its length in bytes, or -1. */
static int raised_digit(const char *text, size_t *bytes)
{
    static const char *const digits[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                         "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
    for (int i = 0; i < 10; i++) {
        *bytes = strlen(digits[i]);
        if (!strncmp(text, digits[i], *bytes)) return i;
    }
    return -1;
}

/* Appends the words of a text. Exponents are plain digits that are smaller and higher: a font may
 * lack some of the raised ones, which would then be of another font, of another size. */
static void append_words(struct text *out, const char *words, size_t length)
{
    const char *const end = words + length;
    int is_raised = 0, tags = 0;
    while (words < end) {
        size_t bytes = 0;
        const int digit = raised_digit(words, &bytes);
        if ((digit >= 0) != is_raised) {
            if (tags) text_append(out, "</tspan>");
            is_raised = digit >= 0;
            tags = 1;
            text_append(out, is_raised ? "<tspan dy=\"-.5em\" font-size=\"70%\">"
                                       : "<tspan dy=\".35em\">");
        }
        if (digit >= 0)
            text_format(out, "%d", digit);
        else
            text_append_bytes(out, words, bytes = 1);
        words += bytes;
    }
    if (tags) text_append(out, "</tspan>");
}

/* Appends what stands between two tags: words as they are, and no empty lines. */
static size_t append_between(struct text *out, const char *svg)
{
    if (*svg != '>') return 0;
    const size_t length = 1 + strcspn(svg + 1, "<"), blank = 1 + strspn(svg + 1, " \t\n");
    if (blank < length)
        text_append_bytes(out, svg, length);
    else
        text_append(out, length > 1 ? ">\n" : ">");
    return length;
}

/* Appends a text that has a group of its own, as all of gnuplot's, without the group. */
static size_t append_label(struct text *out, const char *svg)
{
    static const char open[] = ">\n\t\t<text>", close[] = "</text>\n\t</g>";
    const char *end = svg + strcspn(svg, ">"), *words = end + strlen(open);
    if (!begins(svg, "<g transform=\"") || !begins(end, open)) return 0;
    const size_t length = strcspn(words, "<");
    if (!begins(words + length, close)) return 0;
    text_append(out, "<text");
    for (const char *at = svg + strlen("<g"); at < end;) at += append_next(out, at);
    text_append(out, ">");
    append_words(out, words, length);
    text_append(out, "</text>");
    return (size_t)(words - svg) + length + strlen(close);
}

int chart_svg_finish(const char *directory, const char *file, const char *svg, const char *title,
                     const char *caption)
{
    struct text out = {0};
    const char *rest = append_element(&out, svg, "<title>", "</title>", title);
    rest = append_element(&out, rest, "<desc>", "</desc>", caption);
    while (*rest) {
        size_t done = append_label(&out, rest);
        if (!done) done = append_between(&out, rest);
        if (!done && begins(rest, "<g id=\"gnuplot_canvas\"")) {
            text_append(&out, "<g font-family=\"" FONTS "\"");
            done = strlen("<g");
        }
        rest += done ? done : append_next(&out, rest);
    }
    const int result = atomic_file_write(directory, file, &out);
    text_free(&out);
    return result;
}
