/*
 * Fills pages from a template and the tables of a run.
 *
 *   {{name}}                       a column of the enclosing rows or a fact of run.txt, escaped for
 *                                  the kind of page; nothing if absent, in a script null
 *   {{each SELECT ...}} ... {{end}}   once for each row; :name in the statement is a column of the
 *                                     enclosing rows
 *   {{none}}                       inside each: the text after it is used if no row was selected
 *   {{json name}}                  a column that contains JSON text, as a value of a script
 *   {{include _NAME}}              the file _NAME beside the template, filled in here; it may not
 *                                  include another
 *   {{picture}}                    the picture named by the column `chart` of the enclosing row,
 *                                  with `title` as its alternative text
 *   {{page NAME SELECT ...}}       at the start of a template: one page for each row, which is its
 *                                  outermost scope; NAME may contain one :column of the row. A
 *                                  template without it makes one page, under its own name.
 */
#ifndef WHYFAST_TEMPLATE_H
#define WHYFAST_TEMPLATE_H

#include <stdio.h>

#include "query/query.h"

enum page_kind { PAGE_HTML, PAGE_MARKDOWN, PAGE_SCRIPT };

/* Opens a page, whose name consists of letters, digits and "_.-". The file stays the caller's. */
typedef int page_opener(void *context, const char *name, FILE **file);

/* Nothing is owned. */
struct template
{
    struct query *query;     /* shared by the pages */
    const char *path, *text; /* path and text of the template */
    page_opener *open;
    void *context;
    enum page_kind kind; /* by the ending of the path */
    FILE *file;          /* of the page that is being filled */
};

/* Returns 1 if a file only becomes a part of pages: its name begins with '_'. */
int template_is_part(const char *name);

/* Returns 1 if a file is filled, 0 if it is copied as it is: a style sheet, or a script that does
 * not begin with {{page}}. */
int template_is_filled(const char *path, const char *text);

/* Writes the pages; `facts` are the outermost names. Returns FAIL_INPUT, with the line, for an
 * error in the template or in a table. The caller checks for write errors. */
int template_fill(struct template *template, const struct scope *facts);

#endif
