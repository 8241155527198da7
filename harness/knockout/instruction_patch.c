#include "knockout/instruction_patch.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"

enum { RZ = 255, NEVER = 15 };

/* S2R R1, SR_LANEID, which sets barrier 5; instructions that need R1 come behind one that waits.
 * That may be the next one: it sees the barrier after 2 cycles. */
static const struct instruction_word read_lane = {0x17919, (uint64_t)0x7b2 << 41};
static const uint64_t wait_for_lane = UINT64_C(1) << 57;

/* SHF.L.U32 R1, R1, 0, RZ, whose result is there 6 cycles later, and BRA to behind itself. */
static const struct instruction_word scale_lane = {0x1017819, (uint64_t)0x7f6 << 41 | 0x6ff},
                                     jump = {0x7947, (uint64_t)0x7f5 << 41 | 0x3800000};

static uint64_t with_bits(uint64_t word, int first, int count, uint64_t value)
{
    const uint64_t mask = ((UINT64_C(1) << count) - 1) << first;
    return (word & ~mask) | (value << first & mask);
}

/* The text without its guard. */
static const char *body_of(const struct sass *sass)
{
    const char *text = sass->text;
    if (*text != '@') return text;
    text += strcspn(text, " ");
    return text + strspn(text, " ");
}

static int is_of(const struct sass *sass, const char *const *operations)
{
    for (; *operations; operations++)
        if (sass_is(sass, *operations)) return 1;
    return 0;
}

unsigned access_width(const struct sass *sass)
{
    if (sass_has(sass, "128") || sass_is(sass, "STSM")) return 16;
    if (sass_has(sass, "64")) return 8;
    return 4;
}

int read_barrier(const struct instruction_word *word)
{
    return word->high >> 49 & 7;
}
int write_barrier(const struct instruction_word *word)
{
    return word->high >> 46 & 7;
}
unsigned waits_for(const struct instruction_word *word)
{
    return word->high >> 52 & 0x3f;
}

/* ---- nothing happens ------------------------------------------------------------------------- */

static int make_guard(const struct sass *sass, struct instruction_word *word, char text[PATCH_TEXT])
{
    word->low = with_bits(word->low, 12, 4, NEVER);
    snprintf(text, PATCH_TEXT, "@!PT %s", body_of(sass));
    return 0;
}

/* The stall and what is waited for stay; barriers that it would set are set by nobody. */
static int make_nop(struct instruction_word *word, char text[PATCH_TEXT])
{
    const uint64_t keep = (UINT64_C(0x1f) << 41) | (UINT64_C(0x3f) << 52);
    word->low = 0x7918;
    word->high = (word->high & keep) | (UINT64_C(0x3f) << 46);
    snprintf(text, PATCH_TEXT, "NOP");
    return 0;
}

/* ---- addresses ------------------------------------------------------------------------------- */

/* An offset into the block's shared memory from which `extent` bytes lie inside of it. */
static unsigned offset_within(uint64_t offset, int sign_bit, unsigned shared, unsigned extent,
                              unsigned width)
{
    const int is_negative = offset >> sign_bit & 1;
    if (is_negative || shared <= extent) return SHARED_BEGIN;
    return SHARED_BEGIN + (unsigned)(offset % (shared - extent)) / width * width;
}

/* Writes the text with another address in the brackets that begin at `open`. */
static int replace_address(const struct sass *sass, const char *open, const char *address,
                           char text[PATCH_TEXT])
{
    const char *close = open ? strchr(open, ']') : NULL;
    if (!close) return FAIL_CHECK;
    snprintf(text, PATCH_TEXT, "%.*s[%s]%s", (int)(open - sass->text), sass->text, address,
             close + 1);
    return 0;
}

static int has_uniform(const struct sass *sass)
{
    for (int r = 0; r < sass->read_count; r++)
        if ((sass->address_reads >> r & 1) && sass->read[r].first >= SASS_UR) return 1;
    return 0;
}

/* By how much an access can scale its register. */
static int is_ratio(unsigned ratio)
{
    return ratio == 1 || ratio == 4 || ratio == 8 || ratio == 16;
}

int access_fits(const struct sass *sass, unsigned scale)
{
    static const char *const scaled[] = {"LDS", "STS", "ATOMS", NULL};
    static const char *const others[] = {"LDGSTS", "STSM", NULL};
    const unsigned width = access_width(sass);
    return (is_of(sass, scaled) && is_ratio(width / scale)) ||
           (is_of(sass, others) && width == scale);
}

static int make_linear_copy(const struct sass *sass, unsigned offset, struct instruction_word *word,
                            char text[PATCH_TEXT])
{
    const char *open = strchr(sass->text, '[');
    char address[32];
    if (!open || memchr(open, 'U', strcspn(open, "]"))) return FAIL_CHECK;
    word->low = with_bits(with_bits(word->low, 16, 8, 1), 44, 20, offset);
    snprintf(address, sizeof address, "R1+%#x", offset);
    return replace_address(sass, open, address, text);
}

static int make_linear(const struct sass *sass, const struct patch_setting *setting,
                       struct instruction_word *word, char text[PATCH_TEXT])
{
    const unsigned width = access_width(sass), extent = 32 * width;
    char address[40], scaled[16] = "";
    if (!access_fits(sass, setting->scale) || setting->shared < extent) return FAIL_CHECK;
    if (sass_is(sass, "LDGSTS")) {
        const unsigned offset = offset_within(word->low >> 44, 19, setting->shared, extent, width);
        return make_linear_copy(sass, offset, word, text);
    }
    const unsigned ratio = width / setting->scale,
                   offset = offset_within(word->low >> 40, 23, setting->shared, extent, width);
    word->low = with_bits(with_bits(word->low, 24, 8, 1), 40, 24, offset);
    if (!sass_is(sass, "STSM"))
        word->high = with_bits(word->high, 14, 2, ratio == 16 ? 3 : ratio == 1 ? 0 : ratio / 4);
    word->high = with_bits(word->high, 27, 1, 0);
    if (sass_is(sass, "LDS")) {
        word->low = with_bits(word->low, 32, 8, 0);
    } else if (has_uniform(sass)) { /* the form without the uniform register of bits 64-71 */
        if (!sass_is(sass, "STSM")) word->low = with_bits(word->low, 9, 3, 1);
        word->high = with_bits(word->high, 0, 8, 0);
    }
    if (ratio > 1) snprintf(scaled, sizeof scaled, ".X%u", ratio);
    snprintf(address, sizeof address, "R1%s+%#x", scaled, offset);
    return replace_address(sass, strrchr(sass->text, '['), address, text);
}

static int make_one_word(const struct sass *sass, unsigned shared, struct instruction_word *word,
                         char text[PATCH_TEXT])
{
    static const char *const taken[] = {"LDS", "LDSM", NULL};
    char address[32];
    word->low = with_bits(word->low, 24, 8, RZ);
    if (sass_is(sass, "LDC")) {
        const unsigned offset = (unsigned)(word->low >> 38) & 0xffff;
        snprintf(address, sizeof address, offset ? "%#x" : "RZ", offset);
        return replace_address(sass, strrchr(sass->text, '['), address, text);
    }
    if (!is_of(sass, taken) || shared < 16) return FAIL_CHECK;
    const unsigned offset = offset_within(word->low >> 40, 23, shared, 15, 16);
    word->low = with_bits(with_bits(word->low, 40, 24, offset), 32, 8, 0);
    word->high = with_bits(word->high, 27, 1, 0);
    if (sass_is(sass, "LDS")) word->high = with_bits(word->high, 14, 2, 0);
    snprintf(address, sizeof address, "%#x", offset);
    return replace_address(sass, strrchr(sass->text, '['), address, text);
}

/* ---- banks of registers ---------------------------------------------------------------------- */

enum { SOURCES = 3 };

/* A source of FFMA: its text and number, and whether the register is kept for the next one. */
struct source {
    const char *text;
    int number, is_kept;
};

/* Finds three sources that are registers. */
static int find_sources(const struct sass *sass, struct source source[SOURCES])
{
    const char *at = sass->text;
    if (!sass_is(sass, "FFMA")) return 0;
    for (int s = 0; s < SOURCES; s++) {
        char *end;
        if (!(at = strchr(at, ','))) return 0;
        at += 1 + strspn(at + 1, " -|");
        if (*at != 'R' || !isdigit((unsigned char)at[1])) return 0;
        source[s] = (struct source){at + 1, (int)strtol(at + 1, &end, 10), 0};
        source[s].is_kept = !strncmp(end + strspn(end, "|"), ".reuse", 6);
        at = end;
    }
    return !strchr(at, ',');
}

/* Whether an instruction keeps this register for the next one. */
static int keeps(const struct sass *sass, int number)
{
    char kept[24];
    snprintf(kept, sizeof kept, "R%d.reuse", number);
    return strstr(sass->text, kept) != NULL;
}

/* Returns the source to exchange, or -1: a factor rather than the sum, and none that is kept. */
static int source_to_move(const struct source source[SOURCES], int registers)
{
    static const int order[SOURCES] = {1, 0, 2};
    for (int i = 0; i < SOURCES; i++) {
        const struct source *one = &source[order[i]];
        if (!one->is_kept && (one->number ^ 1) < registers) return order[i];
    }
    return -1;
}

int has_bank_conflict(const struct sass *sass, const struct sass *before, int registers)
{
    struct source source[SOURCES];
    if (!find_sources(sass, source) || source_to_move(source, registers) < 0) return 0;
    for (int s = 0; s < SOURCES; s++) {
        const int other = source[(s + 1) % SOURCES].number;
        if (source[s].number == other || (source[s].number ^ other) & 1) return 0;
        if (before && keeps(before, source[s].number)) return 0;
    }
    return 1;
}

static int make_bank(const struct sass *sass, int registers, struct instruction_word *word,
                     char text[PATCH_TEXT])
{
    struct source source[SOURCES];
    const int at = has_bank_conflict(sass, NULL, registers) && find_sources(sass, source)
                       ? source_to_move(source, registers)
                       : -1;
    if (at < 0) return FAIL_CHECK;
    const int number = source[at].number, bit = at == 0 ? 24 : at == 1 ? 32 : 0;
    uint64_t *half = at == 2 ? &word->high : &word->low;
    if ((int)(*half >> bit & 0xff) != number) return FAIL_CHECK;
    *half ^= UINT64_C(1) << bit;
    snprintf(text, PATCH_TEXT, "%.*s%d%s", (int)(source[at].text - sass->text), sass->text,
             number ^ 1, source[at].text + strspn(source[at].text, "0123456789"));
    return 0;
}

/* ---- the lane -------------------------------------------------------------------------------- */

/* Every kernel begins with the load of its stack pointer, and has NOPs behind its end. */
static int is_replaceable(const struct sass *sass)
{
    return !strncmp(sass->text, "LDC R1,", 7) || !strcmp(sass->text, "NOP");
}

static int make_lane(const struct sass *sass, struct instruction_word *word, char text[PATCH_TEXT])
{
    if (!is_replaceable(sass)) return FAIL_CHECK;
    *word = read_lane;
    snprintf(text, PATCH_TEXT, "S2R R1, SR_LANEID");
    return 0;
}

static int make_scale(const struct sass *sass, unsigned scale, struct instruction_word *word,
                      char text[PATCH_TEXT])
{
    const unsigned bits = scale == 16 ? 4 : scale == 8 ? 3 : scale == 4 ? 2 : 0;
    if (!is_replaceable(sass) || !bits) return FAIL_CHECK;
    *word = scale_lane;
    word->low = with_bits(word->low, 32, 8, bits);
    word->high |= wait_for_lane;
    snprintf(text, PATCH_TEXT, "SHF.L.U32 R1, R1, %#x, RZ", bits);
    return 0;
}

void jump_text(long target, char text[PATCH_TEXT])
{
    snprintf(text, PATCH_TEXT, "BRA %s0x%lx", target < 0 ? "-" : "", labs(target));
}

static int make_jump(const struct sass *sass, long distance, struct instruction_word *word,
                     char text[PATCH_TEXT])
{
    const uint64_t units = (uint64_t)(distance / 4);
    if (!is_replaceable(sass) || distance % SASS_BYTES) return FAIL_CHECK;
    *word = jump;
    word->low = with_bits(with_bits(word->low, 16, 8, units), 34, 30, units >> 8);
    word->high = with_bits(word->high, 0, 18, units >> 38);
    jump_text(distance + SASS_BYTES, text);
    return 0;
}

int instruction_patch(enum patch_kind kind, const struct sass *sass,
                      const struct patch_setting *setting, struct instruction_word *word,
                      char text[PATCH_TEXT])
{
    switch (kind) {
    case PATCH_GUARD: return make_guard(sass, word, text);
    case PATCH_NOP: return make_nop(word, text);
    case PATCH_LINEAR: return make_linear(sass, setting, word, text);
    case PATCH_ONE_WORD: return make_one_word(sass, setting->shared, word, text);
    case PATCH_BANK: return make_bank(sass, setting->registers, word, text);
    case PATCH_LANE: return make_lane(sass, word, text);
    case PATCH_SCALE: return make_scale(sass, setting->scale, word, text);
    case PATCH_JUMP: return make_jump(sass, setting->distance, word, text);
    case PATCH_WAIT: break;
    }
    word->high |= wait_for_lane;
    snprintf(text, PATCH_TEXT, "%s", sass->text);
    return 0;
}
