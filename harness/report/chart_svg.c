#include "report/chart_svg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/text.h"

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

/* Returns 1 if this is a group that holds nothing but one label. */
static int is_group_of_label(const char *svg)
{
    if (!begins(svg, "<g transform=")) return 0;
    const char *label = svg + strcspn(svg, ">");
    if (!*label++) return 0;
    label += strspn(label, "\t\n ");
    const char *end = begins(label, "<text>") ? strstr(label, "</text>") : NULL;
    if (!end) return 0;
    end += strlen("</text>");
    return begins(end + strspn(end, "\t\n "), "</g>");
}

/* Moves the attributes of such a group to its label: appends what stands for a tag of either, and
 * returns the length of the tag, or 0 for anything else. `in_label` is kept between the calls. */
static size_t append_label(struct text *out, const char *svg, int *in_label)
{
    if (!*in_label) {
        if (!is_group_of_label(svg)) return 0;
        text_append(out, "<text");
        *in_label = 1;
        return strlen("<g");
    }
    if (begins(svg, "<text>")) return strlen("<text>");
    if (!begins(svg, "</text>")) return 0;
    text_append(out, "</text>");
    *in_label = 0;
    return (size_t)(strstr(svg, "</g>") - svg) + strlen("</g>");
}

/* A line feed is enough where several stand, and none is needed before a label's text. */
static int is_blank(const char *svg)
{
    return *svg == '\n' && (svg[1] == '\n' || begins(svg + 1 + strspn(svg + 1, "\t"), "<text") ||
                            begins(svg + 1 + strspn(svg + 1, "\t"), "</g>"));
}

/* Appends a length in tenths of a pixel. */
static void append_tenths(struct text *out, long tenths)
{
    char number[40];
    const long size = labs(tenths);
    snprintf(number, sizeof number, size % 10 ? "%s%ld.%ld" : "%s%ld", tenths < 0 ? "-" : "",
             size / 10, size % 10);
    text_append(out, number);
}

/* Appends a number with two decimals, which stands in a tag, with one: a tenth of a pixel is
 * enough. Returns its length, or 0 for anything else. */
static size_t append_rounded(struct text *out, const char *svg)
{
    const size_t whole = strspn(svg, "0123456789");
    if (!whole || whole > 12 || svg[whole] != '.' || strspn(svg + whole + 1, "0123456789") != 2)
        return 0;
    append_tenths(out, lround(10 * strtod(svg, NULL)));
    return whole + 3;
}

/* Appends a colour as "#rrggbb". Returns the length of "rgb(r, g, b)", or 0 for anything else. */
static size_t append_colour(struct text *out, const char *svg)
{
    char hexadecimal[sizeof "#rrggbb"] = "#";
    const char *at = svg + strlen("rgb(");
    if (!begins(svg, "rgb(")) return 0;
    for (size_t i = 0; i < 3; i++) {
        char *end;
        const unsigned long part = strtoul(at, &end, 10);
        if (end == at || part > 255 || *end != (i < 2 ? ',' : ')')) return 0;
        snprintf(hexadecimal + 1 + 2 * i, 3, "%02lx", part);
        at = end + 1;
    }
    text_append(out, hexadecimal);
    return (size_t)(at - svg);
}

struct corner {
    long x, y; /* tenths of a pixel */
};

/* Returns 1 if the way from `a` to `c` over `b` is a straight line along an axis. */
static int is_straight(struct corner a, struct corner b, struct corner c)
{
    return (a.x == b.x && b.x == c.x && (a.y <= b.y) == (b.y <= c.y)) ||
           (a.y == b.y && b.y == c.y && (a.x <= b.x) == (b.x <= c.x));
}

static void append_corner(struct text *out, struct corner corner)
{
    append_tenths(out, corner.x);
    text_append(out, ",");
    append_tenths(out, corner.y);
    text_append(out, " ");
}

/* Appends the corners of a polygon, each only once and without those between which it goes straight
 * on. Returns the length of the list up to its quotation mark, or 0 for anything else. */
static size_t append_corners(struct text *out, const char *svg)
{
    static const char name[] = "points = '";
    const char *at = svg + strlen(name);
    struct corner last[2]; /* the corners that are not written yet */
    size_t known = 0;
    if (!begins(svg, name)) return 0;
    text_append(out, name);
    for (;;) {
        char *end;
        struct corner corner = {.x = lround(10 * strtod(at, &end))};
        if (end == at || *end != ',') break;
        corner.y = lround(10 * strtod(end + 1, &end));
        at = end;
        if (known && corner.x == last[known - 1].x && corner.y == last[known - 1].y) continue;
        if (known == 2 && !is_straight(last[0], last[1], corner)) {
            append_corner(out, last[0]);
            last[0] = last[1];
        } else if (known < 2) {
            known++;
        }
        last[known - 1] = corner;
    }
    for (size_t i = 0; i < known; i++) append_corner(out, last[i]);
    return (size_t)(at - svg) + strspn(at, " \n");
}

/* Appends the same in fewer bytes. Returns the length of what it stands for, or 0 if nothing is
 * appended. */
static size_t append_shorter(struct text *out, const char *svg)
{
    static const char black[] = "color=\"black\" stroke=\"currentColor\"";
    if (begins(svg, black)) {
        text_append(out, "stroke=\"black\"");
        return strlen(black);
    }
    const size_t length = append_rounded(out, svg);
    if (length) return length;
    return *svg == 'r' ? append_colour(out, svg) : append_corners(out, svg);
}

int chart_svg_finish(const char *directory, const char *file, const char *svg, const char *title,
                     const char *caption)
{
    struct atomic_file output;
    struct text out = {0};
    const char *rest = append_element(&out, svg, "<title>", "</title>", title);
    rest = append_element(&out, rest, "<desc>", "</desc>", caption);
    for (int in_tag = 0, in_label = 0; *rest;) {
        const size_t skipped = is_blank(rest) ? 1 : superfluous(rest);
        const size_t tag = *rest == '<' && !skipped ? append_label(&out, rest, &in_label) : 0;
        const size_t shorter = in_tag && !skipped && !tag ? append_shorter(&out, rest) : 0;
        if (begins(rest, "<g id=\"gnuplot_canvas\"")) {
            text_append(&out, "<g font-family=\"sans-serif\"");
            rest += strlen("<g");
        } else if (skipped || tag || shorter) {
            if (tag == strlen("<g")) in_tag = 1; /* the attributes follow */
            rest += skipped + tag + shorter;
        } else {
            in_tag = *rest == '<' ? rest[1] != '!' : in_tag && *rest != '>'; /* nor <![CDATA[ */
            text_append_bytes(&out, rest++, 1);
        }
    }
    int result = out.failed ? error_memory() : atomic_file_begin(&output, directory, file);
    if (!result) {
        fputs(text_string(&out), output.file);
        result = atomic_file_end(&output, 0);
    }
    text_free(&out);
    return result;
}
