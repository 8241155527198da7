#include "machine_code/read_distance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/stats.h"
#include "machine_code/control_flow.h"

/* A state is what is known behind an instruction: of a read, a bit for each register that still has
 * its result; of a copy, the number of groups that were closed since. */
enum { STATES = 16, MOST_GROUPS = STATES - 1 };

struct search {
    const struct sass *sass;
    int total; /* instructions */
    const struct control_flow *flow;
    const struct code_loop *loop;
    double *weight;          /* of each loop */
    unsigned char *counts;   /* 1 for loops that have arithmetic and what is looked for */
    const struct sass *from; /* the read or the copy */
    int is_of_copy;
    int *least;                 /* [block * STATES + state]: arithmetic on the way; -1: no way */
    int *open, opened, passed;  /* the places from which ways go on, a queue */
    unsigned char *is_open;     /* for each place */
    double *distance, shortest; /* those found, and that of `from` */
    size_t count;
};

static int is_wanted(const struct search *search, const struct sass *sass)
{
    if (sass->is_never) return 0;
    if (search->is_of_copy) return sass_is(sass, "LDGSTS");
    return (sass_is(sass, "LDS") || sass_is(sass, "LDSM")) && sass->write_count > 0;
}

/* ---- instructions ---------------------------------------------------------------------------- */

/* The registers of the result that the ranges name. */
static unsigned registers_among(const struct sass *of, const struct register_range *range,
                                int count)
{
    unsigned bits = 0;
    for (int r = 0; r < of->write[0].count; r++) {
        const struct register_range one = {(short)(of->write[0].first + r), 1};
        bits |= (unsigned)sass_overlap(&one, 1, range, count, SASS_P) << r;
    }
    return bits;
}

/* Returns 1 if the instruction waits for a group: "DEPBAR.LE SB0, 0x1" lets one stay open. */
static int waits_for_group(const struct sass *at, unsigned closed)
{
    const char *open = sass_is(at, "DEPBAR.LE") ? strstr(at->text, "SB0, ") : NULL;
    return open && closed > strtoul(open + 5, NULL, 0);
}

/* Passes an instruction. Returns 1 if the way ends here; *meets is 1 if it does so at the first use
 * or the wait. */
static int pass(const struct search *search, const struct sass *at, unsigned *state, int *meets)
{
    const struct sass *from = search->from;
    if (search->is_of_copy) {
        *state += sass_is(at, "LDGDEPBAR") && *state < MOST_GROUPS;
        *meets = waits_for_group(at, *state);
        return *meets;
    }
    *meets = (registers_among(from, at->read, at->read_count) & *state) != 0;
    if (!at->is_conditional) *state &= ~registers_among(from, at->write, at->write_count);
    return *meets || !*state;
}

/* ---- ways through a loop --------------------------------------------------------------------- */

/* Passes the instructions from `first` to the end of its block, and opens the ways from there. */
static void pass_block(struct search *search, int first, unsigned state, int distance)
{
    const struct control_flow *flow = search->flow;
    const struct code_block *block = &flow->block[flow->block_of[first]];
    int meets;
    for (int i = first; i < block->first + block->count; i++) {
        const int ends = pass(search, &search->sass[i], &state, &meets);
        if (meets && !(search->shortest <= distance)) search->shortest = distance;
        if (ends) return;
        distance += sass_is_arithmetic(&search->sass[i]);
    }
    for (int e = block->edge; e < block->edge + block->edge_count; e++) {
        const int place = flow->to[e] * STATES + (int)state, before = search->least[place];
        if (!search->loop->is_in[flow->to[e]] || (before >= 0 && before <= distance)) continue;
        search->least[place] = distance;
        if (search->is_open[place]) continue;
        search->is_open[place] = 1;
        search->open[search->opened++ % (flow->block_count * STATES)] = place;
    }
}

/* Adds the distance of an instruction in the loop, if it has one. */
static void add_distance(struct search *search, int instruction)
{
    const int places = search->flow->block_count * STATES;
    const struct sass *from = search->from = &search->sass[instruction];
    search->shortest = NAN;
    search->opened = search->passed = 0;
    memset(search->least, -1, (size_t)places * sizeof *search->least);
    if (instruction + 1 < search->total &&
        search->loop->is_in[search->flow->block_of[instruction + 1]])
        pass_block(search, instruction + 1,
                   search->is_of_copy ? 0 : (1u << from->write[0].count) - 1, 0);
    while (search->passed < search->opened) {
        const int place = search->open[search->passed++ % places];
        search->is_open[place] = 0;
        pass_block(search, search->flow->block[place / STATES].first, (unsigned)(place % STATES),
                   search->least[place]);
    }
    if (!isnan(search->shortest)) search->distance[search->count++] = search->shortest;
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* Makes one loop of those with the same head; the others become empty. */
static void join_loops(struct control_flow *flow)
{
    for (int i = 0; i < flow->loop_count; i++)
        for (int j = i + 1; j < flow->loop_count; j++)
            for (int b = 0; b < flow->block_count && flow->loop[i].head == flow->loop[j].head;
                 b++) {
                flow->loop[i].is_in[b] |= flow->loop[j].is_in[b];
                flow->loop[j].is_in[b] = 0;
            }
}

static int is_inside(const struct control_flow *flow, int inner, int outer)
{
    return flow->loop[inner].head != flow->loop[outer].head &&
           flow->loop[outer].is_in[flow->loop[inner].head];
}

/* Returns 1 if the instruction is in the loop, and in none inside of it that counts. */
static int is_own(const struct search *search, int loop, int instruction)
{
    const struct control_flow *flow = search->flow;
    const int block = flow->block_of[instruction];
    int is = flow->loop[loop].is_in[block];
    for (int i = 0; i < flow->loop_count && is; i++)
        is = !search->counts[i] || !flow->loop[i].is_in[block] || !is_inside(flow, i, loop);
    return is;
}

/* Returns how many arithmetic instructions of its own a loop has; 0 if it has none of those that
 * are looked for. */
static int weigh(const struct search *search, int loop)
{
    int wanted = 0, weight = 0;
    for (int i = 0; i < search->total; i++) {
        if (!is_own(search, loop, i)) continue;
        wanted |= is_wanted(search, &search->sass[i]);
        weight += sass_is_arithmetic(&search->sass[i]);
    }
    return wanted ? weight : 0;
}

/* Finds the loop by its weight, and the median of the distances in it. */
static double median_distance(struct search *search)
{
    const int loops = search->flow->loop_count;
    int most = 0, chosen = -1;
    memset(search->counts, 0, (size_t)loops);
    for (int i = 0; i < loops; i++) search->weight[i] = weigh(search, i);
    for (int i = 0; i < loops; i++) search->counts[i] = search->weight[i] > 0;
    for (int i = 0; i < loops; i++) {
        const int weight = search->counts[i] ? weigh(search, i) : 0;
        if (weight <= most) continue;
        most = weight;
        chosen = i;
    }
    search->count = 0;
    for (int i = 0; i < search->total && chosen >= 0; i++) {
        search->loop = &search->flow->loop[chosen];
        if (is_own(search, chosen, i) && is_wanted(search, &search->sass[i]))
            add_distance(search, i);
    }
    return stats_median(search->distance, search->count);
}

int read_distances_find(struct read_distances *found, const struct sass *sass, int count)
{
    struct control_flow flow;
    int result = control_flow_make(&flow, sass, count);
    const size_t places = (size_t)flow.block_count * STATES + 1;
    struct search search = {.sass = sass, .total = count, .flow = &flow};
    search.weight = calloc((size_t)flow.loop_count + 1, sizeof *search.weight);
    search.counts = calloc((size_t)flow.loop_count + 1, 1);
    search.least = calloc(places, sizeof *search.least);
    search.open = calloc(places, sizeof *search.open);
    search.is_open = calloc(places, 1);
    search.distance = calloc((size_t)count + 1, sizeof *search.distance);
    if (!result && !(search.weight && search.counts && search.least && search.open &&
                     search.is_open && search.distance))
        result = error_memory();
    *found = (struct read_distances){
        NAN, NAN, "absent: no loop with arithmetic reads shared memory or waits for copies"};
    if (!result) {
        join_loops(&flow);
        found->read = median_distance(&search);
        search.is_of_copy = 1;
        found->copy = median_distance(&search);
    }
    if (!isnan(found->read) || !isnan(found->copy)) found->status = "ok";
    free(search.weight);
    free(search.counts);
    free(search.least);
    free(search.open);
    free(search.is_open);
    free(search.distance);
    control_flow_free(&flow);
    return result;
}

int read_distances_of(struct read_distances *found, const struct listing *listing)
{
    struct sass *sass = calloc((size_t)listing->count + 1, sizeof *sass);
    if (!sass) return error_memory();
    for (int i = 0; i < listing->count; i++) sass[i] = sass_read(listing->instruction[i].sass);
    const int result = read_distances_find(found, sass, listing->count);
    if (strcmp(listing->sass_status, "ok") != 0) found->status = listing->sass_status;
    free(sass);
    return result;
}
