#include "banks.h"

enum { LANES = 32, BANKS = 32, WORD_BYTES = 4, MOST_WORDS = LANES * 16 / WORD_BYTES };

/* The most different words that these lanes ask of one bank; 0 where none of them takes part. */
static int words_of_busiest_bank(const struct shared_access *access, int first, int lanes)
{
    int word[MOST_WORDS], words = 0, of_bank[BANKS] = {0}, most = 0;
    for (int lane = first; lane < first + lanes; lane++) {
        if (access->address[lane] == LANE_IDLE) continue;
        for (int byte = 0; byte < access->width; byte += WORD_BYTES) {
            const int asked = (access->address[lane] + byte) / WORD_BYTES;
            int known = 0;
            for (int i = 0; i < words && !known; i++) known = word[i] == asked;
            if (known) continue;
            word[words++] = asked;
            const int count = ++of_bank[asked % BANKS];
            if (count > most) most = count;
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

struct service {
    int wavefronts;
    int turns;       /* groups, or pairs of them, in which a lane takes part */
};

static struct service serve(const struct shared_access *access)
{
    const int group = LANES * WORD_BYTES / access->width;
    struct service service = {0, 0};
    for (int first = 0, lanes; first < LANES; first += lanes) {
        lanes = first % (2 * group) == 0 && pair_is_served_together(access, first, 2 * group) ? 2 * group : group;
        const int wavefronts = words_of_busiest_bank(access, first, lanes);
        service.wavefronts += wavefronts;
        service.turns += wavefronts > 0;
    }
    return service;
}

int banks_wavefronts(const struct shared_access *access)
{
    return serve(access).wavefronts;
}

int banks_ideal(const struct shared_access *access)
{
    return serve(access).turns;
}
