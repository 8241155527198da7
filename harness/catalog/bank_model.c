#include "catalog/bank_model.h"

enum { LANES = BANKS_LANES, BANKS = 32, WORD_BYTES = 4, MOST_WORDS = LANES * BANKS_LANE_WORDS };

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

/* Serves lanes that share wavefronts. Returns the number of wavefronts, 0 if all lanes are idle. */
static int serve_lanes(const struct shared_access *access, int first, int lanes,
                       struct bank_service *service)
{
    struct demand demand = {.words = 0};
    int most = 0;
    for (int lane = first; lane < first + lanes; lane++) {
        if (access->address[lane] == LANE_IDLE) continue;
        service->turn[lane] = service->turns;
        for (int i = 0; i < access->width / WORD_BYTES; i++) {
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
    const int group = LANES * WORD_BYTES / access->width;
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

int bank_model_wavefronts(const struct shared_access *access)
{
    struct bank_service service;
    bank_model_serve(access, &service);
    return service.wavefronts;
}

int bank_model_ideal(const struct shared_access *access)
{
    struct bank_service service;
    bank_model_serve(access, &service);
    return service.turns;
}
