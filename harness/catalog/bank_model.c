#include "catalog/bank_model.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "catalog/registry.h"

enum {
    LANES = BANKS_LANES,
    BANKS = 32,
    WORD_BYTES = 4,
    MOST_WORDS = LANES * BANKS_LANE_WORDS,
    NO_ADDRESS = -2,
    MOST_ADDRESS = INT_MAX - 16 /* an access there still ends within an int */
};

/* ---- the model of the banks ------------------------------------------------------------------ */

/* Different words that a group of lanes asks for, each with its index within its bank. */
struct demand {
    int word[MOST_WORDS], index[MOST_WORDS];
    int words;
    int of_bank[BANKS];
};

/* Returns the index of the word among the different ones of its bank. */
static int demand_index(struct demand *demand, int word)
{
    int i = 0;
    while (i < demand->words && demand->word[i] != word) i++;
    if (i == demand->words) {
        demand->word[i] = word;
        demand->index[i] = demand->of_bank[word % BANKS]++;
        demand->words++;
    }
    return demand->index[i];
}

/* Words that a lane asks for. */
static int words_of(const struct shared_access *access)
{
    return access->width > WORD_BYTES ? access->width / WORD_BYTES : 1;
}

/* Serves lanes that share wavefronts. Returns the number of wavefronts, 0 if all lanes are idle. */
static int serve_lanes(const struct shared_access *access, int first, int lanes,
                       struct bank_service *service)
{
    struct demand demand = {.words = 0};
    int most = 0;
    for (int lane = first; lane < first + lanes; lane++) {
        if (access->address[lane] == LANE_IDLE) continue;
        service->turn[lane] = service->turns;
        for (int i = 0; i < words_of(access); i++) {
            const int index = demand_index(&demand, access->address[lane] / WORD_BYTES + i);
            service->delay[lane][i] = index;
            service->wavefront[lane][i] = service->wavefronts + index;
            if (index + 1 > most) most = index + 1;
        }
    }
    return most;
}

/* Returns 1 if every lane has the address of the lane whose number differs in this bit. */
static int partners_agree(const struct shared_access *access, int first, int lanes, int bit)
{
    for (int lane = first; lane < first + lanes; lane++) {
        const int own = access->address[lane], other = access->address[lane ^ bit];
        if (own != LANE_IDLE && other != LANE_IDLE && own != other) return 0;
    }
    return 1;
}

static int pair_is_served_together(const struct shared_access *access, int first, int lanes)
{
    return access->kind == ACCESS_LOAD && access->width > WORD_BYTES &&
           (partners_agree(access, first, lanes, 1) || partners_agree(access, first, lanes, 2));
}

void bank_model_serve(const struct shared_access *access, struct bank_service *service)
{
    const int group = LANES / words_of(access);
    service->wavefronts = service->turns = 0;
    for (int lane = 0; lane < LANES; lane++) {
        service->turn[lane] = -1;
        for (int i = 0; i < BANKS_LANE_WORDS; i++)
            service->wavefront[lane][i] = service->delay[lane][i] = -1;
    }
    for (int first = 0, lanes; first < LANES; first += lanes) {
        lanes = first % (2 * group) == 0 && pair_is_served_together(access, first, 2 * group)
                    ? 2 * group
                    : group;
        const int wavefronts = serve_lanes(access, first, lanes, service);
        service->wavefronts += wavefronts;
        service->turns += wavefronts > 0;
    }
}

/* ---- accesses of a launch -------------------------------------------------------------------- */

int shared_accesses_sum(const struct variant *variant, const struct work *work, unsigned index,
                        struct access_sums *sums)
{
    struct shared_access list[SHARED_ACCESSES] = {{0}};
    struct bank_service service;
    *sums = (struct access_sums){NAN, NAN, NAN, NAN, NAN, NAN};
    if (!variant->shared_accesses) return 0;
    *sums = (struct access_sums){0, 0, 0, 0, 0, 0};
    const int count = variant->shared_accesses(work, index, list);
    for (int i = 0; i < count; i++) {
        bank_model_serve(&list[i], &service);
        const double wavefronts = list[i].executions * service.wavefronts,
                     ideal = list[i].executions * service.turns;
        switch (list[i].kind) {
        case ACCESS_LOAD:
            sums->load_wavefronts += wavefronts;
            sums->load_ideal += ideal;
            break;
        case ACCESS_STORE:
            sums->store_wavefronts += wavefronts;
            sums->store_ideal += ideal;
            break;
        case ACCESS_MATRIX_LOAD:
            sums->matrix_wavefronts += wavefronts;
            sums->matrix_ideal += ideal;
            break;
        }
    }
    return 1;
}

double shared_accesses_excess(const struct variant *variant, const struct work *work,
                              unsigned index)
{
    struct access_sums sums;
    if (shared_accesses_sum(variant, work, index, &sums))
        return sums.load_wavefronts - sums.load_ideal + sums.store_wavefronts - sums.store_ideal +
               sums.matrix_wavefronts - sums.matrix_ideal;
    return variant->excess_wavefronts ? variant->excess_wavefronts(&work->point, index) : NAN;
}

static const char *const kind_names[] = {
    [ACCESS_LOAD] = "load", [ACCESS_STORE] = "store", [ACCESS_MATRIX_LOAD] = "ldmatrix"};

enum { KINDS = sizeof kind_names / sizeof *kind_names };

const char *access_kind_name(enum access_kind kind)
{
    return kind_names[kind];
}

/* Returns the number of the kind, or KINDS. */
static int kind_of(const char *name)
{
    int kind = 0;
    while (kind < KINDS && (!name || strcmp(name, kind_names[kind]))) kind++;
    return kind;
}

/* Writes one cell: the byte address of each lane, or "-" if it is idle. */
static void write_addresses(struct csv_writer *writer, const struct shared_access *access)
{
    struct text text = {0};
    for (int lane = 0; lane < LANES; lane++) {
        if (lane) text_append(&text, " ");
        if (access->address[lane] == LANE_IDLE)
            text_append(&text, "-");
        else
            text_format(&text, "%d", access->address[lane]);
    }
    csv_text(writer, text_string(&text));
    text_free(&text);
}

/* Takes the address at *text and its blank. Returns NO_ADDRESS if it is no address of an access of
 * `width` bytes. */
static int parse_address(const char **text, int width)
{
    const int is_idle = **text == '-';
    const size_t length = is_idle ? 1 : strspn(*text, "0123456789");
    const long address = is_idle ? LANE_IDLE : strtol(*text, NULL, 10);
    const char *end = *text + length;
    if (!length || address > MOST_ADDRESS || (!is_idle && address % width)) return NO_ADDRESS;
    if (*end && (*end != ' ' || !end[1])) return NO_ADDRESS;
    *text = *end ? end + 1 : end;
    return (int)address;
}

int shared_accesses_parse(const char *addresses, const char *kind, int width,
                          struct shared_access *access)
{
    const int number = kind_of(kind);
    if (!addresses || number == KINDS) return FAIL_INPUT;
    *access = (struct shared_access){.kind = (enum access_kind)number, .width = width};
    if (width != 16 && (number == ACCESS_MATRIX_LOAD || (width != 2 && width != 4 && width != 8)))
        return FAIL_INPUT;
    for (int lane = 0; lane < LANES; lane++) {
        access->address[lane] = parse_address(&addresses, width);
        if (access->address[lane] == NO_ADDRESS) return FAIL_INPUT;
    }
    return *addresses ? FAIL_INPUT : 0;
}

static void write_access(struct csv_writer *writer, const struct shared_access *access)
{
    struct bank_service service;
    bank_model_serve(access, &service);
    CSV_TEXTS(writer, access->name, access_kind_name(access->kind));
    csv_integer(writer, access->width);
    csv_number(writer, access->executions);
    CSV_INTEGERS(writer, service.wavefronts, service.turns);
    write_addresses(writer, access);
    csv_end(writer);
}

void shared_accesses_write(struct csv_writer *writer, const struct variant *variant,
                           const struct work *work)
{
    const unsigned launches =
        variant->shared_accesses ? variant_launches(variant, &work->point) : 0;
    for (unsigned launch = 0; launch < launches; launch++) {
        struct shared_access list[SHARED_ACCESSES] = {{0}};
        const int count = variant->shared_accesses(work, launch, list);
        for (int i = 0; i < count; i++) {
            point_write(writer, variant, &work->point);
            CSV_INTEGERS(writer, launch, i);
            write_access(writer, &list[i]);
        }
    }
}
