/*
 * Fills a page from a template and the tables of a run.
 *
 *   {{name}}                       a column of the enclosing rows or a fact of run.txt, escaped for
 *                                  the kind of page; nothing if absent
 *   {{each SELECT ...}} ... {{end}}   once for each row; :name in the statement is a column of the
 *                                     enclosing rows
 *   {{none}}                       inside each: the text after it is used if no row was selected
 *   {{picture}}                    the picture named by the column `chart` of the enclosing row,
 *                                  with `title` as its alternative text
 */
#ifndef WHYFAST_TEMPLATE_H
#define WHYFAST_TEMPLATE_H

#include <stdio.h>

#include "query/query.h"

/* Nothing is owned. */
struct template
{
    struct query *query;     /* shared by the pages */
    const char *path, *text; /* path and text of the template */
    FILE *file;              /* of the page */
    int html;                /* else Markdown */
};

/* Writes the page; `facts` are the outermost names. Returns FAIL_INPUT, with the line, for an error
 * in the template or in a table. The caller checks for write errors. */
int template_fill(struct template *template, const struct scope *facts);

#endif
