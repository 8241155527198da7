#include "lines/bank_maps.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "catalog/bank_model.h"
#include "catalog/point_key.h"

/* ---- one access ------------------------------------------------------------------------------ */

enum { BANKS = 32, WORD_BYTES = 4, MARGIN = 9 /* "lane 31  " */, WIDTH = 80 };

/* One for each wavefront of an access: there are 32 at most. */
static const char marks[] = "0123456789abcdefghijklmnopqrstuv";

/* A name that is too long for the line ends in "...". */
static void print_name(FILE *file, const char *name)
{
    if (strlen(name) <= WIDTH)
        fprintf(file, "%s\n", name);
    else
        fprintf(file, "%.*s...\n", WIDTH - 3, name);
}

static void print_service(FILE *file, const struct shared_access *access,
                          const struct bank_service *service)
{
    fprintf(file, "%s, %d bytes per lane: %d wavefront%s, ideal %d", access_kind_name(access->kind),
            access->width, service->wavefronts, service->wavefronts == 1 ? "" : "s",
            service->turns);
    if (service->wavefronts > service->turns)
        fprintf(file, ", %.3g-way conflict\n", (double)service->wavefronts / service->turns);
    else
        fputs(", no conflict\n", file);
}

/* Prints the number of every fourth bank above its column. */
static void print_banks(FILE *file)
{
    fprintf(file, "%-*s", MARGIN, "bank");
    for (int bank = 0; bank < BANKS; bank += 4)
        fprintf(file, bank + 4 < BANKS ? "%-8d" : "%d\n", bank);
}

static void print_lane(FILE *file, const struct shared_access *access,
                       const struct bank_service *service, int lane)
{
    char row[2 * BANKS];
    for (int i = 0; i < 2 * BANKS; i++) row[i] = i % 2 ? ' ' : '.';
    for (int i = 0; i < access->width / WORD_BYTES; i++)
        row[2 * ((access->address[lane] / WORD_BYTES + i) % BANKS)] =
            marks[service->wavefront[lane][i]];
    fprintf(file, "lane %2d  %.*s\n", lane, 2 * BANKS - 1, row);
}

static void print_line(FILE *file)
{
    fprintf(file, "%*s", MARGIN, "");
    for (int i = 0; i < 2 * BANKS - 1; i++) fputc('-', file);
    fputc('\n', file);
}

void bank_map_print(FILE *file, const struct shared_access *access)
{
    struct bank_service service;
    int turn = 0;
    bank_model_serve(access, &service);
    if (access->name) print_name(file, access->name);
    print_service(file, access, &service);
    print_banks(file);
    for (int lane = 0; lane < BANKS_LANES; lane++) {
        if (service.turn[lane] < 0) continue;
        if (service.turn[lane] > turn) print_line(file);
        turn = service.turn[lane];
        print_lane(file, access, &service, lane);
    }
}

/* ---- the accesses of a kernel ---------------------------------------------------------------- */

struct printed {
    FILE *file;
    const struct run *run;
    int count;
};

/* Columns of the statement below. */
enum { NAME, KIND, LANE_BYTES, ADDRESSES, WORDS };

static int print_map(void *context, const struct scope *row)
{
    struct printed *printed = context;
    struct shared_access access;
    const char *width = row->value[LANE_BYTES];
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

int bank_maps_print(struct query *query, const char *kernel, FILE *file)
{
    static const char sql[] =
        "SELECT a.name, a.kind, CAST(a.width_bytes AS INTEGER) AS width, a.addresses, "
        "printf('%s/%s, size %s, launch %d: %s executions, %s excess "
        "wavefronts in all', a.family, a.variant, size_text(a.size), a.launch, "
        "human(a.executions), human(a.executions * (a.wavefronts - a.ideal))) AS words "
        "FROM accesses a JOIN kernels k USING (" POINT_KEY ", launch) WHERE "
        "k.kernel = CAST(:kernel AS INTEGER) "
        "ORDER BY a.executions * (a.wavefronts - a.ideal) DESC, a.access";
    const char *const name = "kernel";
    const struct scope scope = {NULL, 1, &name, &kernel};
    struct printed printed = {file, query->run, 0};
    int result = query_has_column(query, "accesses", NULL) ? 0 : query_load(query, TABLE_ACCESSES);
    if (!result) result = query_each(query, NULL, sql, &scope, print_map, &printed);
    if (!result && printed.count == 0)
        result = error(
            FAIL_INPUT,
            "the variant does not describe its accesses to shared memory, so it has no bank map");
    return result;
}
