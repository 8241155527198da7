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

/* How a cell is needed. Higher values are 2 + twice the number of a guard, + 1 if negated. */
enum { NEVER, ALWAYS, UNDER_GUARD };

/* The cells are the registers, then the words of the stack, and last the rest of local memory. */
enum { MOST_WORDS = 1024, CELLS = SASS_END + MOST_WORDS + 1 };

/* R4 to R15, by the convention of calls. */
enum { FIRST_ARGUMENT = 4, ARGUMENTS = 12 };

struct needs {
    unsigned char of[CELLS];
};

struct analysis {
    const struct steering_code *code;
    struct steering *found;
    struct needs *at_start; /* of each block */
    int words;              /* of the stack that are cells; 0: none, as its place changes */
    int changed;
};

/* Returns the distance from the stack pointer of an access to local memory; -1 if it has another
 * address, or no cell is that far. */
static int place_on_stack(const struct sass *sass)
{
    const char *address = strchr(sass->text, '[');
    char *end = NULL;
    if (!address || strncmp(address, "[R1", 3)) return -1;
    if (address[3] == ']') return 0;
    const long place = address[3] == '+' ? strtol(address + 4, &end, 16) : -1;
    return end && *end == ']' && place >= 0 && place <= 4L * MOST_WORDS - 16 ? (int)place : -1;
}

static int bytes_of(const struct sass *sass)
{
    if (sass_has(sass, "U8") || sass_has(sass, "S8")) return 1;
    if (sass_has(sass, "U16") || sass_has(sass, "S16")) return 2;
    return sass_has(sass, "128") ? 16 : sass_has(sass, "64") ? 8 : 4;
}

/* Returns the cells of an access to local memory, and whether it is of all their bytes. Any other
 * instruction has none. */
static struct register_range local_cells(const struct analysis *analysis, const struct sass *sass,
                                         int *is_whole)
{
    const unsigned spaces = sass_loads_from(sass) | sass_stores_to(sass);
    const int place = spaces == LOCAL ? place_on_stack(sass) : -1, bytes = bytes_of(sass);
    *is_whole = 0;
    if (!(spaces & LOCAL)) return (struct register_range){SASS_END, 0};
    if (place < 0 || !analysis->words)
        return (struct register_range){SASS_END, (short)(analysis->words + 1)};
    *is_whole = place % 4 == 0 && bytes % 4 == 0;
    return (struct register_range){(short)(SASS_END + place / 4),
                                   (short)((place + bytes - 1) / 4 - place / 4 + 1)};
}

/* Returns how many words of the stack are accessed, if its place is fixed before the first access:
 * then equal distances are equal words. */
static int words_of_stack(const struct steering_code *code)
{
    const struct register_range stack_pointer = {1, 1};
    int last_write = -1, words = 0;
    for (int i = 0; i < code->count; i++) {
        const struct sass *sass = &code->sass[i];
        if (sass_is(sass, "SETLMEMBASE")) return 0;
        if (sass_overlap(sass->write, sass->write_count, &stack_pointer, 1, SASS_UR))
            last_write = i;
    }
    if (last_write >= 0 && code->flow->block_of[last_write] > 0) return 0;
    for (int e = 0; e < code->flow->edge_count; e++)
        if (code->flow->to[e] == 0) return 0;
    for (int i = 0; i < code->count; i++) {
        const struct sass *sass = &code->sass[i];
        if ((sass_loads_from(sass) | sass_stores_to(sass)) != LOCAL) continue;
        const int place = place_on_stack(sass);
        if (i < last_write) return 0;
        if (place >= 0 && place / 4 + 4 > words) words = place / 4 + 4;
    }
    return words;
}

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

static int is_range_needed(const struct needs *needs, const struct register_range *range)
{
    for (int r = range->first; r < range->first + range->count; r++)
        if (needs->of[r] != NEVER) return 1;
    return 0;
}

static int is_needed(const struct needs *needs, const struct sass *sass)
{
    int found = 0;
    for (int i = 0; i < sass->write_count; i++) found |= is_range_needed(needs, &sass->write[i]);
    return found;
}

/* Ends the need of what an instruction writes for certain: `cells` of local memory, or registers.
 * The widths of the results of products of matrices are not known for every shape, and too wide a
 * write would hide a need. */
static void end_needs(const struct analysis *analysis, struct needs *needs, const struct sass *sass,
                      const struct register_range *cells)
{
    const unsigned char guard = guard_of(sass);
    for (int r = cells->first; r < cells->first + cells->count; r++)
        if (guard == ALWAYS || needs->of[r] == guard) needs->of[r] = NEVER;
    const int is_matrix = strstr(sass->operation, "MMA") && !sass_is(sass, "HFMA2");
    for (int i = 0; i < sass->write_count; i++) {
        const int first = sass->write[i].first;
        for (int r = first; r < first + (is_matrix ? 1 : sass->write[i].count); r++)
            if (guard == ALWAYS || needs->of[r] == guard) needs->of[r] = NEVER;
    }
    /* A guard that is written anew is another one. */
    for (int i = 0; i < sass->write_count; i++)
        for (int p = sass->write[i].first; p < sass->write[i].first + sass->write[i].count; p++)
            for (int r = 0; r <= SASS_END + analysis->words && p >= SASS_P; r++)
                if (needs->of[r] >= UNDER_GUARD && (needs->of[r] - UNDER_GUARD) / 2 == p - SASS_P)
                    needs->of[r] = ALWAYS;
}

/* Marks a memory as one from which values steer. */
static void need_memory(struct analysis *analysis, unsigned spaces)
{
    if (!analysis->code->follows_global) spaces &= ~(unsigned)GLOBAL;
    for (int s = 0; s < SPACE_LOCAL; s++) {
        if (!(spaces >> s & 1) || analysis->found->by_memory[s]) continue;
        analysis->found->by_memory[s] = 1;
        analysis->changed = 1;
    }
}

static int stores_what_steers(const struct analysis *analysis, const struct sass *sass)
{
    const unsigned stores = sass_stores_to(sass);
    for (int s = 0; s < SPACE_LOCAL; s++)
        if ((stores >> s & 1) && analysis->found->by_memory[s]) return 1;
    return 0;
}

/* A function that is not part of the code may need all of its arguments and of the stack. */
static int is_call_outside(const struct analysis *analysis, const struct sass *sass)
{
    return sass_is(sass, "CALL") && !sass->is_never &&
           (sass->target < 0 || sass->target / SASS_BYTES >= analysis->code->count);
}

static void need_arguments(const struct analysis *analysis, struct needs *needs)
{
    const struct register_range registers = {FIRST_ARGUMENT, ARGUMENTS},
                                memory = {SASS_END, (short)(analysis->words + 1)};
    need(needs, &registers, ALWAYS);
    need(needs, &memory, ALWAYS);
}

/* From the needs behind an instruction to those before it. */
static void step(struct analysis *analysis, int i, struct needs *needs)
{
    const struct sass *sass = &analysis->code->sass[i];
    const int patch = analysis->code->patch[i];
    const int is_access = sass_loads_from(sass) || sass_stores_to(sass);
    const unsigned char guard = guard_of(sass);
    int is_whole;
    const struct register_range cells = local_cells(analysis, sass, &is_whole),
                                none = {SASS_END, 0};
    const int stores_locally = (sass_stores_to(sass) & LOCAL) != 0;
    const int result_steers =
        is_needed(needs, sass) || (stores_locally && is_range_needed(needs, &cells));
    if (result_steers && !analysis->found->steers[i]) {
        analysis->found->steers[i] = 1;
        analysis->changed = 1;
    }
    end_needs(analysis, needs, sass, stores_locally && is_whole ? &cells : &none);
    if (is_call_outside(analysis, sass)) need_arguments(analysis, needs);
    const int passes_on = result_steers || stores_what_steers(analysis, sass);
    if (passes_on && !patch) need_memory(analysis, sass_loads_from(sass));
    if (passes_on && !patch && (sass_loads_from(sass) & LOCAL)) need(needs, &cells, guard);
    for (int r = 0; r < sass->read_count; r++) {
        const int is_predicate = sass->read[r].first >= SASS_P;
        const int is_address = sass->address_reads >> r & 1;
        /* A copy that is moved in shared memory still reads global memory. */
        const int is_read =
            patch == STEERING_MOVED
                ? is_predicate || (is_address && sass_is(sass, "LDGSTS"))
                : passes_on || is_control(sass) || is_address || (is_access && is_predicate);
        if (patch != STEERING_OFF && is_read)
            need(needs, &sass->read[r], sass->read[r].first == sass->guard ? ALWAYS : guard);
    }
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void pass_block(struct analysis *analysis, int b)
{
    const struct control_flow *flow = analysis->code->flow;
    const struct code_block *block = &flow->block[b];
    struct needs needs = {{NEVER}};
    const int cells = SASS_END + analysis->words + 1;
    for (int e = block->edge; e < block->edge + block->edge_count; e++)
        for (int r = 0; r < cells; r++)
            needs.of[r] = join(needs.of[r], analysis->at_start[flow->to[e]].of[r]);
    for (int i = block->first + block->count - 1; i >= block->first; i--) step(analysis, i, &needs);
    for (int r = 0; r < cells; r++) {
        const unsigned char before = analysis->at_start[b].of[r],
                            joined = join(before, needs.of[r]);
        analysis->at_start[b].of[r] = joined;
        analysis->changed |= joined != before;
    }
}

int steering_find(struct steering *steering, const struct steering_code *code)
{
    struct analysis analysis = {.code = code, .found = steering, .words = words_of_stack(code)};
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
