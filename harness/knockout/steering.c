#include "knockout/steering.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"

enum { SHARED = 1 << SPACE_SHARED, LOCAL = 1 << SPACE_LOCAL, GLOBAL = 1 << SPACE_GLOBAL };

static const struct {
    const char *operation;
    unsigned loads, stores;
} accesses[] = {
    {"LDS", SHARED, 0},
    {"LDSM", SHARED, 0},
    {"STS", 0, SHARED},
    {"STSM", 0, SHARED},
    {"STAS", 0, SHARED},
    {"ATOMS", SHARED, SHARED},
    {"LDL", LOCAL, 0},
    {"STL", 0, LOCAL},
    {"LDG", GLOBAL, 0},
    {"STG", 0, GLOBAL},
    {"LDGSTS", GLOBAL, SHARED},
    {"RED", 0, GLOBAL},
    {"REDG", 0, GLOBAL},
    {"ATOMG", GLOBAL, GLOBAL},
    {"LD", SHARED | LOCAL | GLOBAL, 0},
    {"ST", 0, SHARED | LOCAL | GLOBAL},
    {"ATOM", SHARED | GLOBAL, SHARED | GLOBAL},
    {"UTMALDG", GLOBAL, SHARED},
    {"UTMASTG", SHARED, GLOBAL},
    {"UTMAREDG", SHARED, GLOBAL},
    {"UBLKCP", SHARED | GLOBAL, SHARED | GLOBAL},
    {"UBLKRED", SHARED, SHARED | GLOBAL},
    {"HGMMA", SHARED, 0},
    {"IGMMA", SHARED, 0},
    {"QGMMA", SHARED, 0},
    {"BGMMA", SHARED, 0},
};

static unsigned spaces(const struct sass *sass, int stores)
{
    for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++)
        if (sass_is(sass, accesses[i].operation))
            return sass->is_never ? 0 : stores ? accesses[i].stores : accesses[i].loads;
    return 0;
}

unsigned sass_loads_from(const struct sass *sass)
{
    return spaces(sass, 0);
}
unsigned sass_stores_to(const struct sass *sass)
{
    return spaces(sass, 1);
}

/* Everything that these read steers: they jump, wait, elect, poll, or address memory by operands
 * that are no brackets. */
static int is_control(const struct sass *sass)
{
    static const char *const operations[] = {
        "BRA",      "BRX",        "BRXU",        "JMP",       "JMX",     "JMXU",     "CALL",
        "RET",      "EXIT",       "BREAK",       "BSSY",      "BSYNC",   "WARPSYNC", "BAR",
        "B2R",      "KILL",       "BPT",         "NANOSLEEP", "SYNCS",   "UTMALDG",  "UTMASTG",
        "UTMAREDG", "UTMAPF",     "UTMACCTL",    "UBLKCP",    "UBLKRED", "UBLKPF",   "UCGABAR",
        "ARRIVES",  "USETMAXREG", "SETLMEMBASE", "SETCTAID",  "CCTL",    "SUST",     "SULD",
        "SURED",    "SUATOM",     "BMOV",        "LDC",       "ULDC",    "LDTM",     "STTM",
        "UTCBAR",   "ACQBULK",    "ELECT"};
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (sass_is(sass, operations[i])) return 1;
    return 0;
}

/* ---- needs ----------------------------------------------------------------------------------- */

/* How a register is needed. Higher values are 2 + twice the number of a guard, + 1 if negated. */
enum { NEVER, ALWAYS, UNDER_GUARD };

struct needs {
    unsigned char of[SASS_END];
};

struct analysis {
    const struct steering_code *code;
    struct steering *found;
    struct needs *at_start; /* of each block */
    int changed;
};

static unsigned char guard_of(const struct sass *sass)
{
    if (sass->guard < 0) return ALWAYS;
    return (unsigned char)(UNDER_GUARD + 2 * (sass->guard - SASS_P) + sass->guard_is_negated);
}

static unsigned char join(unsigned char one, unsigned char other)
{
    return one == other || other == NEVER ? one : one == NEVER ? other : ALWAYS;
}

static void need(struct needs *needs, const struct register_range *range, unsigned char how)
{
    for (int r = range->first; r < range->first + range->count; r++)
        needs->of[r] = join(needs->of[r], how);
}

static int is_needed(const struct needs *needs, const struct sass *sass)
{
    for (int i = 0; i < sass->write_count; i++)
        for (int r = 0; r < sass->write[i].count; r++)
            if (needs->of[sass->write[i].first + r] != NEVER) return 1;
    return 0;
}

/* Ends the need of what an instruction writes for certain. The widths of the results of products of
 * matrices are not known for every shape, and too wide a write would hide a need. */
static void end_needs(struct needs *needs, const struct sass *sass)
{
    const unsigned char guard = guard_of(sass);
    const int is_matrix = strstr(sass->operation, "MMA") && !sass_is(sass, "HFMA2");
    for (int i = 0; i < sass->write_count; i++) {
        const int first = sass->write[i].first;
        for (int r = first; r < first + (is_matrix ? 1 : sass->write[i].count); r++)
            if (guard == ALWAYS || needs->of[r] == guard) needs->of[r] = NEVER;
    }
    /* A guard that is written anew is another one. */
    for (int i = 0; i < sass->write_count; i++)
        for (int p = sass->write[i].first; p < sass->write[i].first + sass->write[i].count; p++)
            for (int r = 0; r < SASS_END && p >= SASS_P; r++)
                if (needs->of[r] >= UNDER_GUARD && (needs->of[r] - UNDER_GUARD) / 2 == p - SASS_P)
                    needs->of[r] = ALWAYS;
}

/* Marks a memory as one from which values steer. */
static void need_memory(struct analysis *analysis, unsigned spaces)
{
    if (!analysis->code->follows_global) spaces &= ~(unsigned)GLOBAL;
    for (int s = 0; s < SPACES; s++) {
        if (!(spaces >> s & 1) || analysis->found->by_memory[s]) continue;
        analysis->found->by_memory[s] = 1;
        analysis->changed = 1;
    }
}

static int stores_what_steers(const struct analysis *analysis, const struct sass *sass)
{
    const unsigned stores = sass_stores_to(sass);
    for (int s = 0; s < SPACES; s++)
        if ((stores >> s & 1) && analysis->found->by_memory[s]) return 1;
    return 0;
}

/* From the needs behind an instruction to those before it. */
static void step(struct analysis *analysis, int i, struct needs *needs)
{
    const struct sass *sass = &analysis->code->sass[i];
    const int is_off = analysis->code->is_off[i];
    const int result_steers = is_needed(needs, sass);
    const int is_access = sass_loads_from(sass) || sass_stores_to(sass);
    const unsigned char guard = guard_of(sass);
    if (result_steers && !analysis->found->steers[i]) {
        analysis->found->steers[i] = 1;
        analysis->changed = 1;
    }
    end_needs(needs, sass);
    const int passes_on = result_steers || stores_what_steers(analysis, sass);
    if (passes_on && !is_off) need_memory(analysis, sass_loads_from(sass));
    for (int r = 0; r < sass->read_count; r++) {
        const int is_predicate = sass->read[r].first >= SASS_P;
        const int is_address = sass->address_reads >> r & 1;
        if (!is_off && (passes_on || is_control(sass) || is_address || (is_access && is_predicate)))
            need(needs, &sass->read[r], is_predicate ? ALWAYS : guard);
    }
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void pass_block(struct analysis *analysis, int b)
{
    const struct control_flow *flow = analysis->code->flow;
    const struct code_block *block = &flow->block[b];
    struct needs needs = {{NEVER}};
    for (int e = block->edge; e < block->edge + block->edge_count; e++)
        for (int r = 0; r < SASS_END; r++)
            needs.of[r] = join(needs.of[r], analysis->at_start[flow->to[e]].of[r]);
    for (int i = block->first + block->count - 1; i >= block->first; i--) step(analysis, i, &needs);
    for (int r = 0; r < SASS_END; r++) {
        const unsigned char before = analysis->at_start[b].of[r],
                            joined = join(before, needs.of[r]);
        analysis->at_start[b].of[r] = joined;
        analysis->changed |= joined != before;
    }
}

int steering_find(struct steering *steering, const struct steering_code *code)
{
    struct analysis analysis = {.code = code, .found = steering};
    memset(steering, 0, sizeof *steering);
    steering->steers = calloc((size_t)code->count + 1, 1);
    analysis.at_start = calloc((size_t)code->flow->block_count + 1, sizeof *analysis.at_start);
    const int result = steering->steers && analysis.at_start ? 0 : error_memory();
    do {
        analysis.changed = 0;
        for (int b = code->flow->block_count; !result && b-- > 0;) pass_block(&analysis, b);
    } while (analysis.changed);
    free(analysis.at_start);
    return result;
}

void steering_free(struct steering *steering)
{
    free(steering->steers);
    memset(steering, 0, sizeof *steering);
}
