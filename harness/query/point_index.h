/*
 * Which row of the table points another table's row is about: the five columns that name a point,
 * as one number. A struct point_index owns copies of the keys until point_index_free.
 */
#ifndef WHYFAST_POINT_INDEX_H
#define WHYFAST_POINT_INDEX_H

#include <stdint.h>

#include "query/query.h"
#include "run/table_rows.h"

struct point_index {
    int count, slots;
    struct indexed_point {
        char *family, *variant, *size; /* one piece of memory, which `family` owns */
        int64_t block, sweep, rowid;
    } * point;
    int *slot; /* open addressing: 1 + index into `point`, 0 for none */
    int last;  /* found last: rows of a point follow each other */
};

/* Reads the table points of the database. Of points that are there twice the first counts. */
int point_index_make(struct point_index *index, struct query *query);
void point_index_free(struct point_index *index);

/* The rowid of the point that a row begins with from cell `first` on; 0 where points has no such
 * row. */
int64_t point_index_find(struct point_index *index, const struct table_rows *rows, int first);

#endif
