#include "catalog/point_key.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"

int point_key_copy(struct point_key *key, const char *const *cell)
{
    char **const column[] = {&key->family, &key->variant, &key->size, &key->block, &key->sweep};
    int result = 0;
    for (int i = 0; i < POINT_KEY_COLUMNS; i++) {
        *column[i] = strdup(cell[i] ? cell[i] : "");
        if (!*column[i] && !result) result = error_memory();
    }
    return result;
}

void point_key_free(struct point_key *key)
{
    free(key->family);
    free(key->variant);
    free(key->size);
    free(key->block);
    free(key->sweep);
    *key = (struct point_key){0};
}

int point_key_is(const struct point_key *key, const char *const *cell)
{
    return !strcmp(key->family, cell[0]) && !strcmp(key->variant, cell[1]) &&
           !strcmp(key->size, cell[2]) && !strcmp(key->block, cell[3]) &&
           !strcmp(key->sweep, cell[4]);
}

void point_key_write(struct csv_writer *writer, const struct point_key *key)
{
    CSV_TEXTS(writer, key->family, key->variant, key->size, key->block, key->sweep);
}
