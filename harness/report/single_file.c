/*
 * The parts are cut out of the pages by their tags. Text of a run cannot contain a tag or a quote
 * there (report/template.c).
 */
#include "report/single_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/text.h"

enum { MOST_PAGES = 64, MOST_NAME = 200 };

struct single_file {
    const struct run *run;
    struct text text;
    char ladder[MOST_PAGES][MOST_NAME]; /* families, in the order of the index */
    int ladders;
};

static int read_page(const struct single_file *whole, const char *name, char **text)
{
    const struct path path = path_in(whole->run->directory, name);
    *text = text_read_file(path.at, NULL);
    return *text ? 0 : error(FAIL_INPUT, "%s: cannot read: %s", path.at, strerror(errno));
}

static int add_file(struct single_file *whole, const char *before, const char *name,
                    const char *after)
{
    char *text;
    const int result = read_page(whole, name, &text);
    if (result) return result;
    text_append(&whole->text, before);
    text_append(&whole->text, text);
    text_append(&whole->text, after);
    free(text);
    return 0;
}

/* Removes every part of the text from `start` to `end`. */
static void cut(char *text, const char *start, const char *end)
{
    for (char *at = text, *after; (at = strstr(at, start)) && (after = strstr(at, end));) {
        after += strlen(end);
        memmove(at, after, strlen(after) + 1);
    }
}

/* Appends a page's part, whose links to other pages become links within the file. */
static void add_linked(struct single_file *whole, const char *text, const char *end)
{
    static const char link[] = "href=\"";
    while (text < end) {
        const char *at = strstr(text, link);
        if (!at || at >= end) break;
        at += strlen(link);
        text_append_bytes(&whole->text, text, (size_t)(at - text));
        const size_t length = strcspn(at, "\"#"), name = length > 5 ? length - 5 : 0;
        text = at;
        if (name == 0 || strncmp(at + name, ".html", 5) || memchr(at, '/', length)) continue;
        text += length; /* "#step=..." stays */
        if (*text == '#') continue;
        if (!strncmp(at, "ladder-", 7))
            text_format(&whole->text, "#ladder=%.*s", (int)name - 7, at + 7);
        else
            text_format(&whole->text, "#%.*s", (int)name, at);
    }
    text_append_bytes(&whole->text, text, (size_t)(end - text));
}

static int add_main(struct single_file *whole, const char *name)
{
    static const char end_tag[] = "</main>";
    char *text;
    int result = read_page(whole, name, &text);
    if (result) return result;
    cut(text, "<section class=\"pictures\"", "</section>");
    cut(text, "<a class=\"jump\"", "</a>");
    cut(text, "<figure class=\"wide\"", "</figure>");
    cut(text, "<p class=\"files\"", "</p>");
    cut(text, "<noscript>", "</noscript>");
    const char *start = strstr(text, "<main"), *end = start ? strstr(start, end_tag) : NULL;
    if (end)
        add_linked(whole, start, end + strlen(end_tag));
    else
        result = error(FAIL_INPUT, "reports/pages: %s has no <main>", name);
    text_append(&whole->text, "\n");
    free(text);
    return result;
}

/* Finds the ladders that the index links to. */
static int find_ladders(struct single_file *whole)
{
    static const char link[] = "href=\"ladder-";
    char *index;
    const int result = read_page(whole, "index.html", &index);
    if (result) return result;
    for (const char *at = index; (at = strstr(at, link)) && whole->ladders < MOST_PAGES;) {
        char *name = whole->ladder[whole->ladders];
        int known = 0;
        at += strlen(link);
        snprintf(name, MOST_NAME, "%.*s", (int)strcspn(at, "\"#."), at);
        for (int i = 0; i < whole->ladders; i++) known |= !strcmp(name, whole->ladder[i]);
        whole->ladders += !known;
    }
    free(index);
    return 0;
}

static int add_ladders(struct single_file *whole, const char *before, const char *ending,
                       const char *after)
{
    int result = 0;
    for (int i = 0; i < whole->ladders && !result; i++) {
        char name[MOST_NAME + 20];
        snprintf(name, sizeof name, "ladder-%s%s", whole->ladder[i], ending);
        result = before ? add_file(whole, before, name, after) : add_main(whole, name);
    }
    return result;
}

int single_file_write(const struct run *run)
{
    struct single_file *whole = calloc(1, sizeof *whole);
    if (!whole) return error_memory();
    whole->run = run;
    int result = find_ladders(whole);
    text_append(&whole->text,
                "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, "
                "initial-scale=1\">\n<title>whyfast: why each step is "
                "faster</title>\n");
    if (!result)
        result = add_file(whole, "<style>\n", "whyfast.css", "</style>\n</head>\n<body>\n");
    text_append(&whole->text,
                "<header class=\"top\"><a class=\"brand\" href=\"#index\">whyfast</a>\n"
                "<nav><a href=\"#index\">Ladders</a> <a href=\"#method\">Method</a> "
                "<a href=\"#glossary\">Glossary</a></nav></header>\n");
    if (!result) result = add_main(whole, "index.html");
    if (!result) result = add_ladders(whole, NULL, ".html", NULL);
    if (!result) result = add_main(whole, "method.html");
    if (!result) result = add_file(whole, "<script>\n", "whyfast.js", "</script>\n");
    if (!result) result = add_ladders(whole, "<script>\n", ".js", "</script>\n");
    text_append(&whole->text, "</body>\n</html>\n");
    if (!result) result = atomic_file_write(run->directory, SINGLE_FILE, &whole->text);
    text_free(&whole->text);
    free(whole);
    return result;
}
