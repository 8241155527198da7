#include "machine_code/control_flow.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"

/* Returns the index of the instruction that a jump leads to, or -1. */
static int target_of(const struct sass *sass, int count, int at)
{
    const long target = sass[at].target;
    if (target < 0 || target % SASS_BYTES || target / SASS_BYTES >= count) return -1;
    return (int)(target / SASS_BYTES);
}

static int is_call(const struct sass *sass)
{
    return sass_is(sass, "CALL") && sass->target >= 0;
}

int control_flow_subroutine(const struct sass *sass, int count, int call, int *first)
{
    int length = 0, end = count;
    *first = is_call(&sass[call]) ? target_of(sass, count, call) : -1;
    if (*first < 0) return 0;
    for (int i = 0; i < count; i++) {
        const int other = is_call(&sass[i]) ? target_of(sass, count, i) : -1;
        if (other > *first && other < end) end = other;
    }
    for (int i = *first; i < end; i++)
        if (sass_is(&sass[i], "RET")) length = i - *first + 1;
    return length;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static int is_indirect(const struct sass *sass)
{
    return sass_is(sass, "BRX") || sass_is(sass, "BRXU") || sass_is(sass, "JMX") ||
           sass_is(sass, "JMXU");
}

static int ends_block(const struct sass *sass)
{
    return sass_is(sass, "BRA") || sass_is(sass, "JMP") || sass_is(sass, "EXIT") ||
           sass_is(sass, "RET") || sass_is(sass, "BSYNC") || sass_is(sass, "CALL") ||
           sass_is(sass, "WARPSYNC") || is_indirect(sass);
}

static int make_blocks(struct control_flow *flow, const struct sass *sass, int count)
{
    unsigned char *starts = calloc((size_t)count + 1, 1);
    flow->block = calloc((size_t)count + 1, sizeof *flow->block);
    flow->block_of = calloc((size_t)count + 1, sizeof *flow->block_of);
    if (!starts || !flow->block || !flow->block_of) {
        free(starts);
        return error_memory();
    }
    starts[0] = 1;
    for (int i = 0; i < count; i++) {
        const int target = target_of(sass, count, i);
        if (target >= 0) starts[target] = 1;
        if (ends_block(&sass[i])) starts[i + 1] = 1;
    }
    for (int i = 0; i < count; i++) {
        if (starts[i]) flow->block[flow->block_count++].first = i;
        flow->block_of[i] = flow->block_count - 1;
        flow->block[flow->block_count - 1].count++;
    }
    free(starts);
    return 0;
}

/* ---- edges ----------------------------------------------------------------------------------- */

struct building {
    struct control_flow *flow;
    const struct sass *sass;
    int count, at; /* instructions, and the block whose edges are added */
};

static int add_edge(const struct building *building, int instruction)
{
    struct control_flow *flow = building->flow;
    struct code_block *block = &flow->block[building->at];
    if (instruction < 0 || instruction >= building->count) return 0;
    const int to = flow->block_of[instruction];
    for (int i = 0; i < block->edge_count; i++)
        if (flow->to[block->edge + i] == to) return 0;
    if (!ARRAY_GROWS(flow->to, flow->edge_count)) return error_memory();
    flow->to[flow->edge_count++] = to;
    block->edge_count++;
    return 0;
}

/* The barrier register of BSSY and BSYNC: "B0". */
static int same_barrier(const struct sass *one, const struct sass *other)
{
    const char *a = strstr(one->text, " B"), *b = strstr(other->text, " B");
    if (sass_is(one, "BSSY") && one->is_conditional && a) a = strstr(a + 1, " B");
    return a && b && strtol(a + 2, NULL, 10) == strtol(b + 2, NULL, 10);
}

static int add_edges_of_bsync(const struct building *building, int bsync)
{
    const struct sass *sass = building->sass;
    int result = 0, found = 0;
    for (int i = 0; i < bsync && !result; i++) {
        const int target = target_of(sass, building->count, i);
        if (!sass_is(&sass[i], "BSSY") || target <= bsync || !same_barrier(&sass[i], &sass[bsync]))
            continue;
        result = add_edge(building, target);
        found = 1;
    }
    if (!result && (!found || sass[bsync].is_conditional)) result = add_edge(building, bsync + 1);
    return result;
}

static int add_edges_of_return(const struct building *building, int at)
{
    int result = 0, first;
    for (int i = 0; i < building->count && !result; i++) {
        const int length = control_flow_subroutine(building->sass, building->count, i, &first);
        if (length > 0 && at >= first && at < first + length) result = add_edge(building, i + 1);
    }
    return result;
}

static int add_edges(const struct building *building)
{
    const struct code_block *block = &building->flow->block[building->at];
    const int last = block->first + block->count - 1;
    const struct sass *sass = &building->sass[last];
    const int target = target_of(building->sass, building->count, last);
    const int goes_on = sass->is_conditional || !ends_block(sass) || sass_is(sass, "WARPSYNC") ||
                        (sass_is(sass, "CALL") && target < 0);
    int result = 0;
    if (sass_is(sass, "BSYNC")) return add_edges_of_bsync(building, last);
    if (goes_on) result = add_edge(building, last + 1);
    if (!result && target >= 0 && !sass_is(sass, "BSSY")) result = add_edge(building, target);
    if (!result && sass_is(sass, "RET")) result = add_edges_of_return(building, last);
    return result;
}

/* Adds the ways of jumps to an address in a register: to where nothing else leads. */
static int add_indirect_edges(struct building *building, const unsigned char *is_reached)
{
    struct control_flow *flow = building->flow;
    const struct code_block *block = &flow->block[building->at];
    int result = 0;
    if (!is_indirect(&building->sass[block->first + block->count - 1])) return 0;
    for (int b = 1; b < flow->block_count && !result; b++)
        if (!is_reached[b]) result = add_edge(building, flow->block[b].first);
    return result;
}

/* The edges of a block lie together, so those of indirect jumps need a second pass. */
static int make_edges(struct control_flow *flow, const struct sass *sass, int count)
{
    struct building building = {flow, sass, count, 0};
    unsigned char *is_reached = calloc((size_t)flow->block_count + 1, 1);
    int result = is_reached ? 0 : error_memory();
    for (int pass = 0; pass < 2 && !result; pass++) {
        for (int i = 0; i < flow->edge_count; i++) is_reached[flow->to[i]] = 1;
        flow->edge_count = 0;
        for (int b = 0; b < flow->block_count && !result; b++) {
            building.at = b;
            flow->block[b].edge = flow->edge_count;
            flow->block[b].edge_count = 0;
            result = add_edges(&building);
            if (!result && pass == 1) result = add_indirect_edges(&building, is_reached);
        }
    }
    free(is_reached);
    return result;
}

/* ---- dominators and loops -------------------------------------------------------------------- */

/* By iteration: a block is dominated by itself, and by what dominates all that lead to it. */
static int make_dominators(struct control_flow *flow)
{
    const size_t n = (size_t)flow->block_count;
    unsigned char *dominates = malloc(n * n + 1);
    flow->dominates = dominates;
    if (!dominates) return error_memory();
    memset(dominates, 1, n * n);
    for (size_t a = 1; a < n; a++) dominates[a * n] = 0;
    for (int changed = 1; changed;) {
        changed = 0;
        for (size_t b = 0; b < n; b++) {
            const struct code_block *block = &flow->block[b];
            for (int e = block->edge; e < block->edge + block->edge_count; e++) {
                const size_t to = (size_t)flow->to[e];
                for (size_t a = 0; a < n; a++) {
                    if (a == to || dominates[a * n + b] || !dominates[a * n + to]) continue;
                    dominates[a * n + to] = 0;
                    changed = 1;
                }
            }
        }
    }
    return 0;
}

/* Adds to the loop all blocks that lead to one of its blocks, except through its head. */
static void fill_loop(const struct control_flow *flow, struct code_loop *loop)
{
    for (int changed = 1; changed;) {
        changed = 0;
        for (int b = 0; b < flow->block_count; b++) {
            const struct code_block *block = &flow->block[b];
            for (int e = block->edge; e < block->edge + block->edge_count && !loop->is_in[b]; e++) {
                if (!loop->is_in[flow->to[e]] || flow->to[e] == loop->head) continue;
                loop->is_in[b] = 1;
                loop->size++;
                changed = 1;
            }
        }
    }
}

static int add_loop(struct control_flow *flow, int head, int tail)
{
    if (!ARRAY_GROWS(flow->loop, flow->loop_count)) return error_memory();
    unsigned char *is_in = calloc((size_t)flow->block_count, 1);
    if (!is_in) return error_memory();
    struct code_loop *loop = &flow->loop[flow->loop_count++];
    *loop = (struct code_loop){head, 1 + (tail != head), is_in};
    is_in[head] = is_in[tail] = 1;
    fill_loop(flow, loop);
    return 0;
}

static int compare_loops(const void *one, const void *other)
{
    return ((const struct code_loop *)one)->size - ((const struct code_loop *)other)->size;
}

static int make_loops(struct control_flow *flow)
{
    const size_t n = (size_t)flow->block_count;
    int result = 0;
    for (int b = 0; b < flow->block_count && !result; b++) {
        const struct code_block *block = &flow->block[b];
        for (int e = block->edge; e < block->edge + block->edge_count && !result; e++)
            if (flow->dominates[(size_t)flow->to[e] * n + (size_t)b])
                result = add_loop(flow, flow->to[e], b);
    }
    if (flow->loop_count > 1)
        qsort(flow->loop, (size_t)flow->loop_count, sizeof *flow->loop, compare_loops);
    return result;
}

/* ---- all ------------------------------------------------------------------------------------- */

int control_flow_make(struct control_flow *flow, const struct sass *sass, int count)
{
    memset(flow, 0, sizeof *flow);
    if (count == 0) return 0;
    int result = make_blocks(flow, sass, count);
    if (!result) result = make_edges(flow, sass, count);
    if (!result) result = make_dominators(flow);
    if (!result) result = make_loops(flow);
    return result;
}

void control_flow_free(struct control_flow *flow)
{
    for (int i = 0; i < flow->loop_count; i++) free(flow->loop[i].is_in);
    free(flow->block);
    free(flow->to);
    free(flow->block_of);
    free(flow->dominates);
    free(flow->loop);
    memset(flow, 0, sizeof *flow);
}
