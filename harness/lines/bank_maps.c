#include "lines/bank_maps.h"

#include <stdlib.h>

#include "base/message.h"
#include "catalog/shared_accesses.h"
#include "lines/bank_map_text.h"

struct printed {
    FILE *file;
    const struct run *run;
    int count;
};

enum { NAME, KIND, WIDTH, ADDRESSES, WORDS };

static int print_map(void *context, const struct scope *row)
{
    struct printed *printed = context;
    struct shared_access access;
    const char *width = row->value[WIDTH];
    if (shared_accesses_parse(row->value[ADDRESSES], row->value[KIND],
                              width ? (int)strtol(width, NULL, 10) : 0, &access))
        return error(
            FAIL_INPUT,
            "%s/accesses.csv: '%s': expected a load or store of 4, 8 or 16 bytes by 32 lanes",
            printed->run->path, row->value[NAME]);
    access.name = row->value[NAME];
    fprintf(printed->file, "%s%s\n", printed->count++ ? "\n" : "", row->value[WORDS]);
    bank_map_print(printed->file, &access);
    return 0;
}

int lines_print_banks(struct query *query, const char *kernel, FILE *file)
{
    static const char loaded[] = "SELECT 1 FROM sqlite_schema WHERE name = 'accesses'";
    static const char sql[] =
        "SELECT a.name, a.kind, CAST(a.width_bytes AS INTEGER) AS width, a.addresses, "
        "printf('%s/%s, size %s, launch %d: %s executions, %s excess "
        "wavefronts in all', a.family, a.variant, size_text(a.size), a.launch, "
        "human(a.executions), human(a.executions * (a.wavefronts - a.ideal))) AS words "
        "FROM accesses a JOIN kernels k USING (family, variant, size, block, sweep, launch) WHERE "
        "k.kernel = CAST(:kernel AS INTEGER) "
        "ORDER BY a.executions * (a.wavefronts - a.ideal) DESC, a.access";
    const char *const name = "kernel";
    const struct scope scope = {NULL, 1, &name, &kernel};
    struct printed printed = {file, query->run, 0};
    char *is_loaded = NULL;
    int result = query_text(query, NULL, loaded, NULL, &is_loaded);
    if (!result && !is_loaded) result = query_load(query, TABLE_ACCESSES);
    free(is_loaded);
    if (!result) result = query_each(query, NULL, sql, &scope, print_map, &printed);
    if (!result && printed.count == 0)
        result = error(
            FAIL_INPUT,
            "the variant does not describe its accesses to shared memory: there is no bank map");
    return result;
}
