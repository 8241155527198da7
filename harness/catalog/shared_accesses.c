#include "catalog/shared_accesses.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "catalog/bank_model.h"
#include "catalog/registry.h"

enum {
    LANES = BANKS_LANES,
    NO_ADDRESS = -2,
    MOST_ADDRESS = INT_MAX - 16 /* an access there still ends within an int */
};

static int list_accesses(const struct variant *variant, const struct work *work, unsigned index,
                         struct shared_access list[SHARED_ACCESSES])
{
    memset(list, 0, SHARED_ACCESSES * sizeof *list);
    return variant->shared_accesses(work, index, list);
}

int shared_accesses_sum(const struct variant *variant, const struct work *work, unsigned index,
                        struct access_sums *sums)
{
    struct shared_access list[SHARED_ACCESSES];
    *sums = (struct access_sums){NAN, NAN, NAN, NAN};
    if (!variant->shared_accesses) return 0;
    *sums = (struct access_sums){0, 0, 0, 0};
    const int count = list_accesses(variant, work, index, list);
    for (int i = 0; i < count; i++) {
        const int is_load = list[i].kind == ACCESS_LOAD;
        *(is_load ? &sums->load_wavefronts : &sums->store_wavefronts) +=
            list[i].executions * bank_model_wavefronts(&list[i]);
        *(is_load ? &sums->load_ideal : &sums->store_ideal) +=
            list[i].executions * bank_model_ideal(&list[i]);
    }
    return 1;
}

double shared_accesses_excess(const struct variant *variant, const struct work *work,
                              unsigned index)
{
    struct access_sums sums;
    if (shared_accesses_sum(variant, work, index, &sums))
        return sums.load_wavefronts - sums.load_ideal + sums.store_wavefronts - sums.store_ideal;
    return variant->excess_wavefronts ? variant->excess_wavefronts(&work->point, index) : NAN;
}

const char *access_kind_name(enum access_kind kind)
{
    return kind == ACCESS_LOAD ? "load" : "store";
}

/* Writes one cell: the byte address of each lane, or "-" if it is idle. */
static void write_addresses(struct csv_writer *writer, const struct shared_access *access)
{
    enum { DIGITS = 12 };
    char text[LANES * DIGITS + 1];
    size_t length = 0;
    for (int lane = 0; lane < LANES; lane++) {
        const char *blank = lane ? " " : "";
        const int address = access->address[lane];
        length +=
            (size_t)(address == LANE_IDLE
                         ? snprintf(text + length, sizeof text - length, "%s-", blank)
                         : snprintf(text + length, sizeof text - length, "%s%d", blank, address));
    }
    csv_text(writer, text);
}

/* Takes the address at *text and its blank. Returns NO_ADDRESS if it is no address of an access of
 * `width` bytes. */
static int parse_address(const char **text, int width)
{
    const char *p = *text;
    long address = LANE_IDLE;
    if (*p == '-') {
        p++;
    } else {
        char *end;
        if (*p < '0' || *p > '9') return NO_ADDRESS; /* strtol accepts blanks and signs */
        address = strtol(p, &end, 10);
        if (address > MOST_ADDRESS || address % width) return NO_ADDRESS;
        p = end;
    }
    if (*p && (*p != ' ' || !p[1])) return NO_ADDRESS;
    *text = *p ? p + 1 : p;
    return (int)address;
}

int shared_accesses_parse(const char *addresses, const char *kind, int width,
                          struct shared_access *access)
{
    *access = (struct shared_access){
        .kind = kind && !strcmp(kind, "store") ? ACCESS_STORE : ACCESS_LOAD, .width = width};
    if (!addresses || !kind || strcmp(kind, access_kind_name(access->kind))) return FAIL_INPUT;
    if (width != 4 && width != 8 && width != 16) return FAIL_INPUT;
    for (int lane = 0; lane < LANES; lane++) {
        access->address[lane] = parse_address(&addresses, width);
        if (access->address[lane] == NO_ADDRESS) return FAIL_INPUT;
    }
    return *addresses ? FAIL_INPUT : 0;
}

static void write_access(struct csv_writer *writer, const struct shared_access *access)
{
    csv_text(writer, access->name);
    csv_text(writer, access_kind_name(access->kind));
    csv_integer(writer, access->width);
    csv_number(writer, access->executions);
    csv_integer(writer, bank_model_wavefronts(access));
    csv_integer(writer, bank_model_ideal(access));
    write_addresses(writer, access);
}

void shared_accesses_write(struct csv_writer *writer, const struct variant *variant,
                           const struct work *work)
{
    struct shared_access list[SHARED_ACCESSES];
    const unsigned launches =
        variant->shared_accesses ? variant_launches(variant, &work->point) : 0;
    for (unsigned launch = 0; launch < launches; launch++) {
        const int count = list_accesses(variant, work, launch, list);
        for (int i = 0; i < count; i++) {
            point_write(writer, variant, &work->point);
            csv_integer(writer, launch);
            csv_integer(writer, i);
            write_access(writer, &list[i]);
            csv_end(writer);
        }
    }
}
