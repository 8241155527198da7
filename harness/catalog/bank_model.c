#include "catalog/bank_model.h"

enum { LANES = BANKS_LANES, BANKS = 32, WORD_BYTES = 4, MOST_WORDS = LANES * BANKS_LANE_WORDS };

/* Different words that some lanes ask for, each with its place among those of its bank. */
struct demand {
    int word[MOST_WORDS], place[MOST_WORDS];
    int words;
    int of_bank[BANKS];
};

/* Place of the word among the different ones of its bank; a word that is asked for again keeps
 * its place. */
static int demand_place(struct demand *demand, int word)
{
    int i = 0;
    while (i < demand->words && demand->word[i] != word) i++;
    if (i == demand->words) {
        demand->word[i] = word;
        demand->place[i] = demand->of_bank[word % BANKS]++;
        demand->words++;
    }
    return demand->place[i];
}

/* Serves lanes that share wavefronts; returns how many these are, 0 where none of the lanes
 * takes part. */
static int serve_lanes(const struct shared_access *access, int first, int lanes,
                       struct bank_service *service)
{
    struct demand demand = {.words = 0};
    int most = 0;
    for (int lane = first; lane < first + lanes; lane++) {
        if (access->address[lane] == LANE_IDLE) continue;
        service->turn[lane] = service->turns;
        for (int i = 0; i < access->width / WORD_BYTES; i++) {
            const int place = demand_place(&demand, access->address[lane] / WORD_BYTES + i);
            service->delay[lane][i] = place;
            service->wavefront[lane][i] = service->wavefronts + place;
            if (place + 1 > most) most = place + 1;
        }
    }
    return most;
}

/* Does every lane have the address of its partner, the lane whose number differs in this bit? */
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
