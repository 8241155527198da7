#include "machine_code/barrier_roles.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"

static int copies(const struct sass *sass)
{
    static const char *const list[] = {"UTMALDG", "UBLKCP", "LDGSTS", NULL};
    return !sass->is_never && sass_is_any(sass, list);
}

static int computes(const struct sass *sass)
{
    static const char *const list[] = {"LDS", "LDSM", NULL};
    return (!sass->is_never && sass_is_any(sass, list)) || sass_is_arithmetic(sass);
}

static int stores(const struct sass *sass)
{
    static const char *const list[] = {"ST",   "STG",   "STS",     "STSM",     "RED",
                                       "ATOM", "ATOMG", "UTMASTG", "UTMAREDG", NULL};
    return !sass->is_never && sass_is_any(sass, list);
}

struct walk {
    const struct control_flow *flow;
    const struct sass *sass;
    const struct code_loop *loop;                       /* NULL: everywhere */
    int start;                                          /* the block after the wait */
    int passes_waits;                                   /* 1: a try-wait does not end a way */
    int copies, copies_after, computes, computes_after; /* "after": only behind the wait */
    int stores;
};

/* Notes what a block does up to a try-wait. Returns 1 if it has none. */
static int note_block(struct walk *walk, int at)
{
    const struct code_block *block = &walk->flow->block[at];
    const size_t n = (size_t)walk->flow->block_count;
    const int after = walk->flow->dominates[(size_t)walk->start * n + (size_t)at];
    for (int i = block->first; i < block->first + block->count; i++) {
        if (sass_is(&walk->sass[i], "SYNCS.PHASECHK") && !walk->passes_waits) return 0;
        if (copies(&walk->sass[i])) {
            walk->copies = 1;
            walk->copies_after |= after;
        }
        if (computes(&walk->sass[i])) {
            walk->computes = 1;
            walk->computes_after |= after;
        }
        walk->stores |= stores(&walk->sass[i]);
    }
    return 1;
}

static int walk_from_start(struct walk *walk)
{
    const struct control_flow *flow = walk->flow;
    const size_t room = (size_t)flow->block_count + 1;
    unsigned char *is_seen = calloc(room, 1);
    int *open = calloc(room, sizeof *open), open_count = 0;
    if (!is_seen || !open) {
        free(is_seen);
        free(open);
        return error_memory();
    }
    open[open_count++] = walk->start;
    is_seen[walk->start] = 1;
    while (open_count > 0) {
        const int at = open[--open_count];
        const struct code_block *block = &flow->block[at];
        if (!note_block(walk, at)) continue;
        for (int e = block->edge; e < block->edge + block->edge_count; e++) {
            const int to = flow->to[e];
            if (is_seen[to] || (walk->loop && !walk->loop->is_in[to])) continue;
            is_seen[to] = 1;
            open[open_count++] = to;
        }
    }
    free(is_seen);
    free(open);
    return 0;
}

/* Returns the block that is reached when a wait is over. The jump behind it goes back or aside if
 * it failed (@!P0), else on; a block that only jumps is passed over. */
static int block_after(const struct control_flow *flow, const struct sass *sass, int wait)
{
    int at = flow->block_of[wait];
    const struct code_block *block = &flow->block[at];
    const struct sass *last = &sass[block->first + block->count - 1];
    if (block->edge_count == 0) return at;
    const int goes_aside = last->is_conditional && strncmp(last->text, "@!", 2) != 0;
    at =
        flow->to[block->edge + (goes_aside ? block->edge_count - 1 : 0)]; /* the next comes first */
    for (int i = 0; i < flow->block_count; i++) {
        block = &flow->block[at];
        if (block->count != 1 || block->edge_count != 1 || !sass_is(&sass[block->first], "BRA"))
            break;
        at = flow->to[block->edge];
    }
    return at;
}

static enum wait_role role_of(const struct walk *walk)
{
    if (!walk->computes) return walk->copies ? ROLE_PRODUCER : ROLE_UNKNOWN;
    return walk->copies_after && !walk->computes_after ? ROLE_BOTH : ROLE_CONSUMER;
}

static int has_copies(const struct control_flow *flow, const struct sass *sass)
{
    for (int b = 0; b < flow->block_count; b++)
        for (int i = flow->block[b].first; i < flow->block[b].first + flow->block[b].count; i++)
            if (copies(&sass[i])) return 1;
    return 0;
}

/* Finds the role of a wait that other waits follow at once. A warp that does nothing after them has
 * copied all and stays until the others have read it. */
static int role_behind_waits(struct walk *walk, enum wait_role *role)
{
    walk->passes_waits = 1;
    const int result = walk_from_start(walk);
    *role = role_of(walk);
    if (!*role && !walk->stores && has_copies(walk->flow, walk->sass)) *role = ROLE_PRODUCER;
    return result;
}

int barrier_role(const struct control_flow *flow, const struct sass *sass, int wait,
                 enum wait_role *role)
{
    const int start = block_after(flow, sass, wait);
    int result = 0;
    *role = ROLE_UNKNOWN;
    for (int i = 0; i <= flow->loop_count && !result && !*role; i++) {
        struct walk walk = {.flow = flow,
                            .sass = sass,
                            .loop = i < flow->loop_count ? &flow->loop[i] : NULL,
                            .start = start};
        if (walk.loop && !walk.loop->is_in[start]) continue;
        result = walk_from_start(&walk);
        *role = role_of(&walk);
    }
    struct walk walk = {.flow = flow, .sass = sass, .start = start};
    return result || *role ? result : role_behind_waits(&walk, role);
}
