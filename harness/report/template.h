/*
 * A page from a template and the tables of a run.
 *
 *   {{name}}                       a column of the rows around it, or a fact of run.txt, escaped
 *                                  for the kind of page; nothing when absent
 *   {{each SELECT ...}} ... {{end}}   once for each row; :name in the statement is a column of the
 *                                     rows around it
 *   {{none}}                       inside each: what follows it stands there when there is no row
 *   {{picture}}                    the picture called by the column `chart` of the row around it,
 *                                  with `title` as its words
 */
#ifndef WHYFAST_TEMPLATE_H
#define WHYFAST_TEMPLATE_H

#include <stdio.h>

#include "query/query.h"

/* Nothing is owned. */
struct template
{
    struct query *query;     /* its guard knows it by its address: pages share one */
    const char *path, *text; /* where the template stands, and what it says */
    FILE *file;              /* of the page */
    int html;                /* else Markdown */
};

/* Writes the page; `facts` are the outermost names. 0; FAIL_INPUT, said with the line, for what
 * is wrong in the template or in a table it asks. Whether the file took it all is for the caller
 * to see. */
int template_fill(struct template *template, const struct scope *facts);

#endif
