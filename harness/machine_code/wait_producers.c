#include "machine_code/wait_producers.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "machine_code/control_flow.h"

/* ---- classes --------------------------------------------------------------------------------- */

static const char long_scoreboard[] = "long_scoreboard", short_scoreboard[] = "short_scoreboard",
                  gmma[] = "gmma";

static const struct {
    const char *name, *reason;
} classes[WAIT_CLASSES] = {
    [WAIT_NONE] = {"", ""},
    [WAIT_GLOBAL_LOAD] = {"global_load", long_scoreboard},
    [WAIT_LOCAL_LOAD] = {"local_load", long_scoreboard},
    [WAIT_TEXTURE] = {"texture", long_scoreboard},
    [WAIT_GLOBAL_STORE] = {"global_store", long_scoreboard},
    [WAIT_LOCAL_STORE] = {"local_store", long_scoreboard},
    [WAIT_GLOBAL_ATOMIC] = {"global_atomic", long_scoreboard},
    [WAIT_ASYNC_COPY] = {"async_copy", long_scoreboard},
    [WAIT_BULK_COPY] = {"bulk_copy", long_scoreboard},
    [WAIT_MBARRIER] = {"mbarrier", long_scoreboard},
    [WAIT_MBARRIER_UPDATE] = {"mbarrier_update", long_scoreboard},
    [WAIT_FENCE] = {"fence", long_scoreboard},
    [WAIT_SHARED_LOAD] = {"shared_load", short_scoreboard},
    [WAIT_MATRIX_LOAD] = {"matrix_load", short_scoreboard},
    [WAIT_SHARED_STORE] = {"shared_store", short_scoreboard},
    [WAIT_SHARED_ATOMIC] = {"shared_atomic", short_scoreboard},
    [WAIT_CONSTANT_LOAD] = {"constant_load", short_scoreboard},
    [WAIT_SPECIAL_FUNCTION] = {"special_function", short_scoreboard},
    [WAIT_CONVERSION] = {"conversion", short_scoreboard},
    [WAIT_BIT_COUNT] = {"bit_count", short_scoreboard},
    [WAIT_SHUFFLE] = {"shuffle", short_scoreboard},
    [WAIT_WARP_REDUCTION] = {"warp_reduction", short_scoreboard},
    [WAIT_SPECIAL_REGISTER] = {"special_register", short_scoreboard},
    [WAIT_REGISTER_POOL] = {"register_pool", short_scoreboard},
    [WAIT_DOUBLE_PRECISION] = {"double_precision", short_scoreboard},
    [WAIT_TENSOR] = {"tensor", gmma},
};

/* The operations of variable latency, seen as such in machine code: they set a scoreboard. To add
 * one: a row, the longer name first if it begins with another one. */
static const struct {
    const char *operation;
    enum wait_class wait_class;
} operations[] = {
    {"LDG", WAIT_GLOBAL_LOAD},       {"LD", WAIT_GLOBAL_LOAD},
    {"LDL", WAIT_LOCAL_LOAD},        {"TEX", WAIT_TEXTURE},
    {"TLD", WAIT_TEXTURE},           {"TLD4", WAIT_TEXTURE},
    {"TXD", WAIT_TEXTURE},           {"TXQ", WAIT_TEXTURE},
    {"TMML", WAIT_TEXTURE},          {"SULD", WAIT_TEXTURE},
    {"SUST", WAIT_TEXTURE},          {"SUATOM", WAIT_TEXTURE},
    {"STG", WAIT_GLOBAL_STORE},      {"ST", WAIT_GLOBAL_STORE},
    {"RED", WAIT_GLOBAL_STORE},      {"REDG", WAIT_GLOBAL_STORE},
    {"STL", WAIT_LOCAL_STORE},       {"ATOMG", WAIT_GLOBAL_ATOMIC},
    {"ATOM", WAIT_GLOBAL_ATOMIC},    {"LDGSTS", WAIT_ASYNC_COPY},
    {"LDGDEPBAR", WAIT_ASYNC_COPY},  {"ARRIVES", WAIT_ASYNC_COPY},
    {"UTMALDG", WAIT_BULK_COPY},     {"UTMASTG", WAIT_BULK_COPY},
    {"UTMAREDG", WAIT_BULK_COPY},    {"UBLKCP", WAIT_BULK_COPY},
    {"UBLKRED", WAIT_BULK_COPY},     {"SYNCS.PHASECHK", WAIT_MBARRIER},
    {"SYNCS", WAIT_MBARRIER_UPDATE}, {"MEMBAR", WAIT_FENCE},
    {"FENCE", WAIT_FENCE},           {"LDS", WAIT_SHARED_LOAD},
    {"LDSM", WAIT_MATRIX_LOAD},      {"STS", WAIT_SHARED_STORE},
    {"STSM", WAIT_SHARED_STORE},     {"STAS", WAIT_SHARED_STORE},
    {"ATOMS", WAIT_SHARED_ATOMIC},   {"LDC", WAIT_CONSTANT_LOAD},
    {"LDCU", WAIT_CONSTANT_LOAD},    {"MUFU", WAIT_SPECIAL_FUNCTION},
    {"I2F", WAIT_CONVERSION},        {"F2I", WAIT_CONVERSION},
    {"F2F", WAIT_CONVERSION},        {"FRND", WAIT_CONVERSION},
    {"POPC", WAIT_BIT_COUNT},        {"FLO", WAIT_BIT_COUNT},
    {"BREV", WAIT_BIT_COUNT},        {"SHFL", WAIT_SHUFFLE},
    {"REDUX", WAIT_WARP_REDUCTION},  {"CREDUX", WAIT_WARP_REDUCTION},
    {"MATCH", WAIT_WARP_REDUCTION},  {"S2R", WAIT_SPECIAL_REGISTER},
    {"S2UR", WAIT_SPECIAL_REGISTER}, {"USETMAXREG", WAIT_REGISTER_POOL},
    {"DADD", WAIT_DOUBLE_PRECISION}, {"DMUL", WAIT_DOUBLE_PRECISION},
    {"DFMA", WAIT_DOUBLE_PRECISION}, {"DSETP", WAIT_DOUBLE_PRECISION},
    {"HGMMA", WAIT_TENSOR},          {"QGMMA", WAIT_TENSOR},
    {"IGMMA", WAIT_TENSOR},          {"BGMMA", WAIT_TENSOR},
};

enum wait_class wait_class_of(const struct sass *sass)
{
    if (sass->is_never) return WAIT_NONE;
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (sass_is(sass, operations[i].operation)) return operations[i].wait_class;
    return WAIT_NONE;
}

const char *wait_class_name(enum wait_class wait_class)
{
    return classes[wait_class].name;
}

const char *wait_class_reason(enum wait_class wait_class)
{
    return classes[wait_class].reason;
}

const char *wait_kind_name(enum wait_kind kind)
{
    static const char *const names[WAIT_KINDS] = {"result", "operands", "pending"};
    return names[kind];
}

const char *wait_role_name(enum wait_role role)
{
    static const char *const names[] = {"", "consumer", "producer", "both"};
    return names[role];
}

/* ---- data flow ------------------------------------------------------------------------------- */

struct analysis {
    const struct sass *sass;
    int count;
    struct control_flow flow;
    enum wait_class *class_of; /* each instruction */
    int *producer;             /* instructions of variable latency */
    int *number_of;            /* the reverse */
    int producers;
    size_t words;       /* of a state: for each producer a bit for its result and one for its
                           operands, which are pending */
    uint64_t *at_start; /* the state at the start of each block */
    uint64_t *now;
};

enum { RESULT_BIT, OPERANDS_BIT };

static int is_set(const uint64_t *state, int producer, int bit)
{
    return (int)(state[producer / 32] >> (producer % 32 * 2 + bit) & 1);
}

static void clear(uint64_t *state, int producer, int bit)
{
    state[producer / 32] &= ~((uint64_t)1 << (producer % 32 * 2 + bit));
}

static void set(uint64_t *state, int producer, int bit)
{
    state[producer / 32] |= (uint64_t)1 << (producer % 32 * 2 + bit);
}

/* Copies and products of groups have no register as a result: they are waited for by their own
 * instruction. */
static int is_group_wait(const struct sass *sass, enum wait_class wait_class)
{
    if (sass_is(sass, "WARPGROUP")) return wait_class == WAIT_TENSOR && sass_has(sass, "DEPBAR");
    return sass_is(sass, "DEPBAR") && wait_class == WAIT_ASYNC_COPY;
}

static int has_result(const struct analysis *analysis, int instruction)
{
    const struct sass *sass = &analysis->sass[instruction];
    return sass->write_count > 0 || sass_is(sass, "LDGDEPBAR") || sass_is(sass, "FENCE") ||
           analysis->class_of[instruction] == WAIT_MBARRIER_UPDATE;
}

/* Returns 1 if an instruction must wait for the result of a pending one. */
static int needs_result(const struct analysis *analysis, int instruction, int pending)
{
    const struct sass *sass = &analysis->sass[instruction], *of = &analysis->sass[pending];
    return is_group_wait(sass, analysis->class_of[pending]) ||
           sass_overlap(sass->read, sass->read_count, of->write, of->write_count, SASS_END) ||
           sass_overlap(sass->write, sass->write_count, of->write, of->write_count, SASS_END);
}

/* Predicates are read when an instruction is issued, the other registers perhaps later. */
static int overwrites_operands(const struct analysis *analysis, int instruction, int pending)
{
    const struct sass *sass = &analysis->sass[instruction], *of = &analysis->sass[pending];
    return sass_overlap(sass->write, sass->write_count, of->read, of->read_count, SASS_P);
}

typedef int wait_visitor(void *context, int instruction, int producer, enum wait_kind kind);

/* Applies an instruction to the state `now`, and visits what it waits for. */
static int step(struct analysis *analysis, int instruction, wait_visitor *visit, void *context)
{
    uint64_t *now = analysis->now;
    int result = 0;
    for (int p = 0; p < analysis->producers && !result; p++) {
        if (!(now[p / 32] >> (p % 32 * 2) & 3)) {
            if (p % 32 == 0 && !now[p / 32]) p += 31;
            continue;
        }
        const int pending = analysis->producer[p];
        if (is_set(now, p, RESULT_BIT) && needs_result(analysis, instruction, pending)) {
            clear(now, p, RESULT_BIT);
            clear(now, p, OPERANDS_BIT);
            if (visit) result = visit(context, instruction, pending, WAIT_RESULT);
        } else if (is_set(now, p, OPERANDS_BIT) &&
                   overwrites_operands(analysis, instruction, pending)) {
            clear(now, p, OPERANDS_BIT);
            if (visit) result = visit(context, instruction, pending, WAIT_OPERANDS);
        }
    }
    const int own = analysis->number_of[instruction];
    if (own < 0) return result;
    if (has_result(analysis, instruction)) set(now, own, RESULT_BIT);
    if (analysis->sass[instruction].read_count > 0) set(now, own, OPERANDS_BIT);
    return result;
}

static uint64_t *state_of(const struct analysis *analysis, int block)
{
    return analysis->at_start + (size_t)block * analysis->words;
}

/* Until nothing changes: the state at the start of a block is the union over all ways to it. */
static void flow_through(struct analysis *analysis)
{
    const struct control_flow *flow = &analysis->flow;
    for (int changed = 1; changed;) {
        changed = 0;
        for (int b = 0; b < flow->block_count; b++) {
            const struct code_block *block = &flow->block[b];
            memcpy(analysis->now, state_of(analysis, b), analysis->words * sizeof *analysis->now);
            for (int i = block->first; i < block->first + block->count; i++)
                step(analysis, i, NULL, NULL);
            for (int e = block->edge; e < block->edge + block->edge_count; e++) {
                uint64_t *to = state_of(analysis, flow->to[e]);
                for (size_t w = 0; w < analysis->words; w++) {
                    changed |= (analysis->now[w] & ~to[w]) != 0;
                    to[w] |= analysis->now[w];
                }
            }
        }
    }
}

static int analysis_make(struct analysis *analysis, const struct sass *sass, int count)
{
    const size_t room = (size_t)count + 1;
    memset(analysis, 0, sizeof *analysis);
    analysis->sass = sass;
    analysis->count = count;
    analysis->class_of = calloc(room, sizeof *analysis->class_of);
    analysis->producer = calloc(room, sizeof *analysis->producer);
    analysis->number_of = calloc(room, sizeof *analysis->number_of);
    if (!analysis->class_of || !analysis->producer || !analysis->number_of) return error_memory();
    for (int i = 0; i < count; i++) {
        analysis->class_of[i] = wait_class_of(&sass[i]);
        analysis->number_of[i] = analysis->class_of[i] ? analysis->producers : -1;
        if (analysis->class_of[i]) analysis->producer[analysis->producers++] = i;
    }
    const int result = control_flow_make(&analysis->flow, sass, count);
    if (result) return result;
    analysis->words = (size_t)analysis->producers / 32 + 1;
    analysis->at_start =
        calloc(analysis->words * ((size_t)analysis->flow.block_count + 1), sizeof(uint64_t));
    analysis->now = calloc(analysis->words, sizeof(uint64_t));
    return analysis->at_start && analysis->now ? 0 : error_memory();
}

static void analysis_free(struct analysis *analysis)
{
    control_flow_free(&analysis->flow);
    free(analysis->class_of);
    free(analysis->producer);
    free(analysis->number_of);
    free(analysis->at_start);
    free(analysis->now);
}

/* ---- waits ----------------------------------------------------------------------------------- */

struct collecting {
    const struct analysis *analysis;
    struct wait_producers *found;
    int has_class[WAIT_CLASSES]; /* 1 if the instruction waits for the class already */
};

static int add_wait(void *context, int instruction, int producer, enum wait_kind kind)
{
    struct collecting *collecting = context;
    struct wait_producers *found = collecting->found;
    const enum wait_class wait_class = collecting->analysis->class_of[producer];
    if (!ARRAY_GROWS(found->wait, found->count)) return error_memory();
    found->wait[found->count++] = (struct wait){instruction, producer, wait_class, kind};
    collecting->has_class[wait_class] = 1;
    return 0;
}

/* Returns how far a pending instruction lies back; one that lies ahead comes from the last round of
 * a loop. */
static int distance(const struct analysis *analysis, int instruction, int pending)
{
    return pending < instruction ? instruction - pending : analysis->count + instruction - pending;
}

/* Adds the last pending instruction of those that have the same stall reason, unless it is known
 * for which the instruction waits. */
static int add_pending_of(struct collecting *collecting, int instruction, const uint64_t *before,
                          const char *reason)
{
    const struct analysis *analysis = collecting->analysis;
    int nearest = -1;
    for (int c = 0; c < WAIT_CLASSES; c++)
        if (collecting->has_class[c] && !strcmp(classes[c].reason, reason)) return 0;
    for (int p = 0; p < analysis->producers; p++) {
        const int pending = analysis->producer[p];
        if (!is_set(before, p, RESULT_BIT) && !is_set(before, p, OPERANDS_BIT)) continue;
        if (strcmp(classes[analysis->class_of[pending]].reason, reason)) continue;
        if (nearest < 0 ||
            distance(analysis, instruction, pending) < distance(analysis, instruction, nearest))
            nearest = pending;
    }
    return nearest < 0 ? 0 : add_wait(collecting, instruction, nearest, WAIT_PENDING);
}

static int add_pending(struct collecting *collecting, int instruction, const uint64_t *before)
{
    int result = add_pending_of(collecting, instruction, before, long_scoreboard);
    if (!result) result = add_pending_of(collecting, instruction, before, short_scoreboard);
    return result ? result : add_pending_of(collecting, instruction, before, gmma);
}

/* An instruction that waits for groups lets the next one wait in its place: the stall is sampled
 * there. */
static int add_of_group_wait(struct collecting *collecting, int instruction)
{
    struct wait_producers *found = collecting->found;
    int result = 0;
    if (instruction == 0) return 0;
    for (int w = found->first[instruction - 1]; w < found->first[instruction] && !result; w++)
        if (found->wait[w].kind == WAIT_RESULT &&
            is_group_wait(&collecting->analysis->sass[instruction - 1], found->wait[w].wait_class))
            result = add_wait(collecting, instruction, found->wait[w].producer, WAIT_RESULT);
    return result;
}

static int compare_waits(const void *one, const void *other)
{
    const struct wait *a = one, *b = other;
    if (a->instruction != b->instruction) return a->instruction - b->instruction;
    if (a->kind != b->kind) return (int)a->kind - (int)b->kind;
    return a->producer - b->producer;
}

static int collect(struct analysis *analysis, struct wait_producers *found)
{
    struct collecting collecting = {.analysis = analysis, .found = found};
    uint64_t *before = calloc(analysis->words, sizeof *before);
    int result = before ? 0 : error_memory();
    for (int i = 0; i < analysis->count && !result; i++) {
        const int block = analysis->flow.block_of[i];
        if (analysis->flow.block[block].first == i)
            memcpy(analysis->now, state_of(analysis, block), analysis->words * sizeof *before);
        memcpy(before, analysis->now, analysis->words * sizeof *before);
        memset(collecting.has_class, 0, sizeof collecting.has_class);
        found->first[i] = found->count;
        result = step(analysis, i, add_wait, &collecting);
        if (!result) result = add_of_group_wait(&collecting, i);
        if (!result) result = add_pending(&collecting, i, before);
    }
    free(before);
    found->first[analysis->count] = found->count;
    if (found->count > 1)
        qsort(found->wait, (size_t)found->count, sizeof *found->wait, compare_waits);
    return result;
}

/* ---- all ------------------------------------------------------------------------------------- */

int wait_producers_find(struct wait_producers *found, const struct sass *sass, int count)
{
    struct analysis analysis;
    memset(found, 0, sizeof *found);
    found->first = calloc((size_t)count + 1, sizeof *found->first);
    found->role = calloc((size_t)count + 1, sizeof *found->role);
    int result = found->first && found->role ? 0 : error_memory();
    if (result) return result;
    result = analysis_make(&analysis, sass, count);
    if (!result) {
        flow_through(&analysis);
        result = collect(&analysis, found);
    }
    for (int i = 0; i < count && !result; i++)
        if (analysis.class_of[i] == WAIT_MBARRIER)
            result = barrier_role(&analysis.flow, sass, i, &found->role[i]);
    analysis_free(&analysis);
    return result;
}

void wait_producers_free(struct wait_producers *found)
{
    free(found->wait);
    free(found->first);
    free(found->role);
    memset(found, 0, sizeof *found);
}
