#include "catalog/point_key.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"

int point_key_copy(struct point_key *key, const char *const *cell)
{
    int result = 0;
    for (int i = 0; i < POINT_KEY_COLUMNS; i++) {
        key->column[i] = strdup(cell[i] ? cell[i] : "");
        if (!key->column[i] && !result) result = error_memory();
    }
    return result;
}

void point_key_free(struct point_key *key)
{
    for (int i = 0; i < POINT_KEY_COLUMNS; i++) free(key->column[i]);
    *key = (struct point_key){0};
}

int point_key_is(const struct point_key *key, const char *const *cell)
{
    for (int i = 0; i < POINT_KEY_COLUMNS; i++)
        if (strcmp(key->column[i], cell[i])) return 0;
    return 1;
}

void point_key_write(struct csv_writer *writer, const struct point_key *key)
{
    csv_texts(writer, POINT_KEY_COLUMNS, (const char *const *)key->column);
}
