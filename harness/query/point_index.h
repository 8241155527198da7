/*
 * Finds the row of the table points that another table's row is about, by the five columns that
 * name a point. A struct point_index owns a prepared statement until point_index_free, which must
 * come before query_close.
 */
#ifndef WHYFAST_POINT_INDEX_H
#define WHYFAST_POINT_INDEX_H

#include <stdint.h>

#include "query/query.h"
#include "run/table_rows.h"

struct point_index {
    struct query *query;
    sqlite3_stmt *find;
};

/* Needs the table points. */
int point_index_make(struct point_index *index, struct query *query);
void point_index_free(struct point_index *index);

/* Finds the rowid of the point that a row names in its cells from `first` on: the first one of
 * several, 0 if there is none. */
int point_index_find(struct point_index *index, const struct table_rows *rows, int first,
                     int64_t *rowid);

#endif
