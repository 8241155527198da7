#include "lines/bank_maps.h"

#include <math.h>
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
    for (int i = 0; i < BANKS_LANE_WORDS && service->wavefront[lane][i] >= 0; i++)
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
    struct json_writer *json; /* of rows; or NULL */
};

/* Columns of the statement below: the cells of CSV up to IDEAL, then those of the page. */
enum {
    FAMILY,
    VARIANT,
    SIZE,
    BLOCK,
    SWEEP,
    DEVICE,
    LAUNCH,
    ACCESS,
    NAME,
    KIND,
    LANE_BYTES,
    PLACES,
    EXECUTIONS,
    ADDRESSES,
    WORDS
};

/* The accesses of a kernel. The lines of an access are those whose instructions access shared
 * memory in the same direction by as many bytes; among several, those with conflicts if it has
 * some. */
static const char accesses_sql[] =
    "WITH shared AS (SELECT path, line, CASE WHEN sass LIKE 'LDSM%' THEN 'ldmatrix' WHEN sass LIKE "
    "'LDS%' THEN 'load' ELSE 'store' END AS kind, CASE WHEN sass LIKE '%.128 %' OR sass LIKE "
    "'LDSM%' THEN 16 WHEN sass LIKE '%.64 %' THEN 8 WHEN sass LIKE '%.U16 %' THEN 2 ELSE 4 END AS "
    "width, sum(coalesce(i.excess, 0)) AS excess FROM instructions i JOIN source_state s USING "
    "(source) WHERE kernel = CAST(:kernel AS INTEGER) AND (sass LIKE 'LDS%' OR sass LIKE 'STS%') "
    "AND line > 0 GROUP BY path, line, 3, 4), "
    "described AS (SELECT a.*, a.executions * (a.wavefronts - a.ideal) AS excess FROM accesses a "
    "JOIN kernels k USING (" POINT_KEY ", launch) WHERE k.kernel = CAST(:kernel AS INTEGER)) "
    "SELECT " POINT_KEY ", launch, access, name, kind, CAST(width_bytes AS INTEGER) AS width, "
    "(SELECT group_concat(place, ', ') FROM (SELECT path || ':' || group_concat(line, ', ') AS "
    "place FROM (SELECT path, line FROM shared s WHERE s.kind = d.kind AND s.width = d.width_bytes "
    "AND (d.excess = 0 OR s.excess > 0) ORDER BY path, line) GROUP BY path)) AS places, "
    "CAST(executions AS INTEGER) AS executions, addresses, "
    "printf('%s/%s, size %s, launch %d:' || char(10) || '%s executions, %s excess "
    "wavefronts in all', family, variant, size_text(size), launch, "
    "human(executions), human(excess)) AS words FROM described d ORDER BY excess DESC, access";

static int parse_access(struct shared_access *access, const struct run *run,
                        const struct scope *row)
{
    const char *width = row->value[LANE_BYTES];
    if (shared_accesses_parse(row->value[ADDRESSES], row->value[KIND],
                              width ? (int)strtol(width, NULL, 10) : 0, access))
        return error(
            FAIL_INPUT,
            "%s/accesses.csv: '%s': expected a load or store of 2, 4, 8 or 16 bytes by 32 lanes, "
            "or ldmatrix of 16",
            run->path, row->value[NAME]);
    access->name = row->value[NAME];
    return 0;
}

static int print_map(void *context, const struct scope *row)
{
    struct printed *printed = context;
    struct shared_access access;
    const int result = parse_access(&access, printed->run, row);
    if (result) return result;
    fprintf(printed->file, "%s%s\n", printed->count++ ? "\n" : "", row->value[WORDS]);
    if (row->value[PLACES]) {
        fputs("at ", printed->file);
        text_write_visible(printed->file, row->value[PLACES]);
        fputc('\n', printed->file);
    }
    bank_map_print(printed->file, &access);
    return 0;
}

static const char *const lane_columns[] = {
    "family", "variant", "size",    "block",       "sweep",    "device",     "launch",
    "access", "name",    "kind",    "width_bytes", "lines",    "executions", "wavefronts",
    "ideal",  "lane",    "address", "bank",        "wavefront"};
enum { LANE_COLUMNS = sizeof lane_columns / sizeof *lane_columns };

static int is_lane_text(int column)
{
    return column <= SIZE || column == NAME || column == KIND || column == PLACES;
}

static void print_lane_json(struct json_writer *json, const struct scope *row,
                            const int64_t *number)
{
    json_open(json, NULL, '{');
    for (int i = 0; i <= EXECUTIONS; i++) {
        const char *value = row->value[i];
        if (is_lane_text(i))
            json_text(json, lane_columns[i], value);
        else
            json_number(json, lane_columns[i], value ? strtod(value, NULL) : NAN);
    }
    for (int i = EXECUTIONS + 1; i < LANE_COLUMNS; i++)
        json_number(json, lane_columns[i], (double)number[i - EXECUTIONS - 1]);
    json_close(json, '}');
}

static int print_lanes(void *context, const struct scope *row)
{
    struct printed *printed = context;
    struct csv_writer writer = {.file = printed->file};
    struct shared_access access;
    struct bank_service service;
    const int result = parse_access(&access, printed->run, row);
    if (result) return result;
    printed->count++;
    bank_model_serve(&access, &service);
    for (int lane = 0; lane < BANKS_LANES; lane++) {
        if (service.turn[lane] < 0) continue;
        const int64_t number[LANE_COLUMNS - EXECUTIONS - 1] = {service.wavefronts,
                                                               service.turns,
                                                               lane,
                                                               access.address[lane],
                                                               access.address[lane] / WORD_BYTES %
                                                                   BANKS,
                                                               service.wavefront[lane][0]};
        if (printed->json) {
            print_lane_json(printed->json, row, number);
            continue;
        }
        csv_texts(&writer, EXECUTIONS + 1, row->value);
        csv_integers(&writer, LANE_COLUMNS - EXECUTIONS - 1, number);
        csv_end(&writer);
    }
    return 0;
}

static int each_access(struct query *query, const char *kernel, row_visitor *visit,
                       struct printed *printed)
{
    const struct scope scope = SCOPE_OF(STRINGS("kernel"), STRINGS(kernel));
    int result = query_load(query, TABLE_ACCESSES);
    if (!result) result = query_each(query, NULL, accesses_sql, &scope, visit, printed);
    if (!result && printed->count == 0)
        result = error(
            FAIL_INPUT,
            "the variant does not describe its accesses to shared memory, so it has no bank map");
    return result;
}

int bank_maps_print(struct query *query, const char *kernel, FILE *file)
{
    struct printed printed = {file, query->run, 0, NULL};
    return each_access(query, kernel, print_map, &printed);
}

int bank_maps_print_rows(struct query *query, const char *kernel, struct json_writer *json,
                         int with_header, FILE *file)
{
    struct printed printed = {file, query->run, 0, json};
    struct csv_writer writer = {.file = file};
    if (with_header && !json) {
        csv_texts(&writer, LANE_COLUMNS, lane_columns);
        csv_end(&writer);
    }
    return each_access(query, kernel, print_lanes, &printed);
}
