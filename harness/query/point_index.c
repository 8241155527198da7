#include "query/point_index.h"

#include <stdlib.h>
#include <string.h>

int point_index_make(struct point_index *index, struct query *query)
{
    index->query = query;
    const int result = query_write(
        query, "CREATE INDEX point_index ON points(family, variant, size, block, sweep)");
    return result ? result
                  : query_prepare_write(query,
                                        "SELECT min(rowid) FROM points WHERE family = ? AND "
                                        "variant = ? AND size = ? AND block = ? AND sweep = ?",
                                        &index->find);
}

void point_index_free(struct point_index *index)
{
    sqlite3_finalize(index->find);
    memset(index, 0, sizeof *index);
}

int point_index_find(struct point_index *index, const struct table_rows *rows, int first,
                     int64_t *rowid)
{
    char **cell = rows->reader.cell + first;
    for (int i = 0; i < 3; i++) sqlite3_bind_text(index->find, i + 1, cell[i], -1, SQLITE_STATIC);
    for (int i = 3; i < 5; i++) sqlite3_bind_int64(index->find, i + 1, strtoll(cell[i], NULL, 10));
    const int status = sqlite3_step(index->find);
    *rowid = status == SQLITE_ROW ? sqlite3_column_int64(index->find, 0) : 0;
    const int result =
        status == SQLITE_ROW ? 0 : query_error(index->query, NULL, sqlite3_sql(index->find));
    sqlite3_reset(index->find);
    return result;
}
