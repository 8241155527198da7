#include "lines/bank_map_text.h"

#include <string.h>

#include "catalog/bank_model.h"
#include "catalog/shared_accesses.h"

enum { BANKS = 32, WORD_BYTES = 4, MARGIN = 9 /* "lane 31  " */, WIDTH = 80 };

/* No access takes more than 32 wavefronts. */
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
    fprintf(file, "%s, %d bytes a lane: %d wavefront%s, ideal %d", access_kind_name(access->kind),
            access->width, service->wavefronts, service->wavefronts == 1 ? "" : "s",
            service->turns);
    if (service->wavefronts > service->turns)
        fprintf(file, ", %.3g-way conflict\n", (double)service->wavefronts / service->turns);
    else
        fputs(", no conflict\n", file);
}

/* The number of every fourth bank, above its column. */
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
