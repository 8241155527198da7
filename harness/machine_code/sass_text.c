#include "machine_code/sass_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Limits of an instruction: the parser reads from where to its end. */
enum { OPERANDS = 12, WIDEST = 128 };

struct operand {
    const char *text;
    size_t length;
};

/* ---- words ----------------------------------------------------------------------------------- */

int sass_is(const struct sass *sass, const char *parts)
{
    if (*sass->operation != *parts) return 0; /* most are told apart by it */
    const size_t length = strlen(parts);
    return !strncmp(sass->operation, parts, length) &&
           (sass->operation[length] == 0 || sass->operation[length] == '.');
}

int sass_has(const struct sass *sass, const char *part)
{
    const size_t length = strlen(part);
    for (const char *at = sass->operation; (at = strchr(at, '.'));) {
        at++;
        if (!strncmp(at, part, length) && (at[length] == 0 || at[length] == '.')) return 1;
    }
    return 0;
}

int sass_is_any(const struct sass *sass, const char *const *list)
{
    for (; *list; list++)
        if (sass_is(sass, *list)) return 1;
    return 0;
}

/* The compiler also writes HFMA2 for a constant: -RZ * RZ + it. */
int sass_is_arithmetic(const struct sass *sass)
{
    static const char *const list[] = {"FFMA", "FADD", "FMUL",  "FFMA2", "FADD2", "FMUL2", "DFMA",
                                       "DADD", "DMUL", "HFMA2", "HADD2", "HMUL2", "HMMA",  "IMMA",
                                       "DMMA", "QMMA", "OMMA",  "HGMMA", "QGMMA", "IGMMA", NULL};
    return !sass->is_never && sass_is_any(sass, list) && !strstr(sass->text, "-RZ, RZ");
}

int sass_is_strong(const struct sass *sass)
{
    static const char *const parts[] = {"STRONG", "ACQUIRE", "MMIO", "VOLATILE"};
    int found = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) found |= sass_has(sass, parts[i]);
    return found;
}

int sass_indexes_constant(const struct sass *sass, int end)
{
    static const char *const loads[] = {"LDC", "LDCU", "ULDC", NULL};
    int found = 0;
    for (int r = 0; r < sass->read_count && sass_is_any(sass, loads); r++)
        found |= (sass->address_reads >> r & 1) && sass->read[r].first < end;
    return found;
}

/* ---- registers ------------------------------------------------------------------------------- */

/* Returns the register at the start of a word, or -1; *end is behind it. */
static int register_at(const char *word, const char **end)
{
    static const struct {
        const char *prefix;
        int first, count;
    } kinds[] = {{"UR", SASS_UR, 256}, {"UP", SASS_UP, 16}, {"R", SASS_R, 256}, {"P", SASS_P, 16}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const size_t length = strlen(kinds[i].prefix);
        char *after;
        if (strncmp(word, kinds[i].prefix, length) || !isdigit((unsigned char)word[length]))
            continue;
        const long number = strtol(word + length, &after, 10);
        *end = after;
        if (isalnum((unsigned char)*after) || *after == '_') return -1;
        return number < kinds[i].count ? kinds[i].first + (int)number : -1;
    }
    return -1;
}

static void add_range(struct register_range *list, int *count, int first, int width)
{
    static const int starts[] = {SASS_UR, SASS_P, SASS_UP, SASS_END};
    int end = SASS_END;
    for (size_t i = sizeof starts / sizeof *starts; i-- > 0;)
        if (first < starts[i]) end = starts[i];
    if (*count >= SASS_RANGES) return;
    if (width > end - first) width = end - first;
    list[(*count)++] = (struct register_range){(short)first, (short)width};
}

int sass_overlap(const struct register_range *one, int one_count,
                 const struct register_range *other, int other_count, int end)
{
    for (int i = 0; i < one_count; i++)
        for (int j = 0; j < other_count && one[i].first < end; j++)
            if (one[i].first < other[j].first + other[j].count &&
                other[j].first < one[i].first + one[i].count)
                return 1;
    return 0;
}

/* ---- widths ---------------------------------------------------------------------------------- */

/* Registers of the fragments of a product of matrices, by its shape: result (and addend), first,
 * and second factor. The shapes of 16 rows; an unknown one has 4, 4, 2. */
static int matrix_width(const struct sass *sass, int operand)
{
    static const struct {
        const char *operation, *shape;
        int width[4];
    } known[] = {
        {"HMMA", "1688", {4, 2, 1, 4}},  {"HMMA", "1684", {4, 2, 1, 4}},
        {"IMMA", "16816", {4, 2, 1, 4}}, {"IMMA", "8816", {2, 1, 1, 2}},
        {"DMMA", "8x8x4", {4, 2, 2, 4}},
    };
    static const int usual[4] = {4, 4, 2, 4};
    if (operand > 3) return 1;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (sass_is(sass, known[i].operation) && sass_has(sass, known[i].shape))
            return known[i].width[operand];
    return usual[operand];
}

/* Registers per thread of the accumulator of HGMMA.64x128x16: 64 rows in 128 threads. */
static int group_width(const struct sass *sass)
{
    const char *shape = strstr(sass->operation, ".64x");
    const int columns = shape ? (int)strtol(shape + 4, NULL, 10) : 0;
    const int width = sass_has(sass, "F16") && !sass_has(sass, "F32") ? columns / 4 : columns / 2;
    return width < 1 ? 1 : width > WIDEST ? WIDEST : width;
}

/* Conversions: the type of the result comes first (F2I.U64.F64, I2F.F64.S64, F2F.F64.F32); U64 and
 * S64 are of the integer side. */
static int conversion_width(const struct sass *sass, int is_result)
{
    const int is_wide_integer = sass_has(sass, "U64") || sass_has(sass, "S64");
    if (sass_is(sass, "I2F")) {
        if (!is_result) return is_wide_integer ? 2 : 1;
        return sass_has(sass, "F64") ? 2 : 1;
    }
    if (sass_is(sass, "F2I")) {
        if (is_result) return is_wide_integer ? 2 : 1;
        return sass_has(sass, "F64") ? 2 : 1;
    }
    const char *first = strchr(sass->operation, '.');
    const int to_wide = first && !strncmp(first, ".F64", 4);
    const int both = first && strstr(first, ".F64.F64");
    return both || (is_result ? to_wide : sass_has(sass, "F64") && !to_wide) ? 2 : 1;
}

/* Returns how many registers an operand outside of an address names; `operand` counts from 0, and
 * the first `results` operands are written. */
static int operand_width(const struct sass *sass, int operand, int results)
{
    static const char *const matrices[] = {"HMMA", "IMMA", "DMMA", "QMMA", "OMMA", "BMMA", NULL};
    static const char *const groups[] = {"HGMMA", "IGMMA", "QGMMA", "BGMMA", NULL};
    static const char *const doubles[] = {"DADD",  "DMUL",  "DFMA",  "DSETP", "DMNMX",
                                          "FFMA2", "FADD2", "FMUL2", NULL};
    static const char *const conversions[] = {"I2F", "F2I", "F2F", "FRND", NULL};
    static const char *const textures[] = {"TEX", "TLD", "TLD4", "TXD", "SULD", NULL};
    static const char *const jumps[] = {"RET", "BRX", "JMX", "CALL", NULL};
    const int is_result = operand < results;
    if (sass_is_any(sass, jumps)) return 2;
    if (sass_is_any(sass, matrices)) return matrix_width(sass, operand);
    if (sass_is_any(sass, groups)) return is_result || operand > 1 ? group_width(sass) : 4;
    if (sass_is_any(sass, doubles)) return 2;
    if (sass_is_any(sass, conversions)) return conversion_width(sass, is_result);
    if (sass_is_any(sass, textures)) return is_result ? 2 : 4;
    if (sass_is(sass, "LDSM") || sass_is(sass, "STSM"))
        return sass_has(sass, "4") ? 4 : sass_has(sass, "2") ? 2 : 1;
    if (sass_is(sass, "IMAD.WIDE") || sass_is(sass, "UIMAD.WIDE"))
        return is_result || operand == results + 2 ? 2 : 1;
    if (sass_is(sass, "IMAD.HI")) return operand == results + 2 ? 2 : 1;
    if (sass_is(sass, "CS2R")) return sass_has(sass, "32") ? 1 : 2;
    return sass_has(sass, "128") || sass_has(sass, "256") ? 4 : sass_has(sass, "64") ? 2 : 1;
}

/* ---- operands -------------------------------------------------------------------------------- */

/* Jumps and the like write no register, although some name one first. */
static const char *const without_result[] = {
    "BRA",   "BRX",    "BRXU",    "JMP",  "JMX",   "JMXU",     "CALL",
    "RET",   "EXIT",   "BAR",     "BSSY", "BSYNC", "WARPSYNC", "NANOSLEEP",
    "BREAK", "DEPBAR", "UCGABAR", "KILL", "R2P",   "NOP",      NULL};

static int starts_with_predicate(const struct operand *operand)
{
    const char *at = operand->text;
    if (*at == 'U') at++;
    return at[0] == 'P' && (isdigit((unsigned char)at[1]) || at[1] == 'T');
}

/* Returns how many of the first operands are written: those before an address, and at most one
 * that is no predicate. */
static int count_results(const struct sass *sass, const struct operand *operand, int count)
{
    const char *name = sass->operation;
    int results = 0, has_register = 0;
    if (sass_is_any(sass, without_result)) return 0;
    /* The last operand of a vote is what is voted on. */
    if (sass_is(sass, "VOTE") || sass_is(sass, "VOTEU")) return count > 0 ? count - 1 : 0;
    if (strstr(name, "SETP") || strstr(name, "PLOP3") || sass_is(sass, "FCHK")) {
        while (results < count && results < 2 && starts_with_predicate(&operand[results]))
            results++;
        return results;
    }
    for (; results < count && !memchr(operand[results].text, '[', operand[results].length);
         results++) {
        const int is_predicate = starts_with_predicate(&operand[results]);
        if (!is_predicate && has_register && !sass_has(sass, "ENL2")) break;
        has_register |= !is_predicate;
    }
    return results;
}

/* Returns how many registers a register inside of an address has: "R2.64" has two, and so have the
 * descriptors of memory. Before compute capability 8.0, addresses of global memory have two without
 * saying so. */
static int address_width(const struct sass *sass, const struct operand *operand, const char *behind,
                         int number)
{
    static const char *const by_pointer[] = {"LD",   "LDG",   "ST",  "STG",
                                             "ATOM", "ATOMG", "RED", NULL};
    static const char *const tensors[] = {"UTMALDG", "UTMASTG", "UTMAREDG", NULL};
    if (!strncmp(behind, ".64", 3)) return 2;
    if (number >= SASS_P) return 1;
    if (number < SASS_UR)
        return sass_has(sass, "E") && sass_is_any(sass, by_pointer) && strncmp(behind, ".U32", 4)
                   ? 2
                   : 1;
    if (sass_is_any(sass, tensors) || !strncmp(operand->text, "gdesc", 5)) return 4;
    return !strncmp(operand->text, "desc", 4) || sass_is(sass, "UBLKCP") ? 2 : 1;
}

static void add_read(struct sass *sass, int first, int width, int is_address)
{
    const int at = sass->read_count;
    add_range(sass->read, &sass->read_count, first, width);
    if (is_address && sass->read_count > at) sass->address_reads |= 1u << at;
}

/* "R2P PR, R4, 0x7e" writes the predicates of its mask. */
static void write_masked(struct sass *sass)
{
    const char *mask = strrchr(sass->text, ',');
    const unsigned long bits = mask ? strtoul(mask + 1, NULL, 0) : 0;
    for (int p = 0; p < 7; p++)
        if (bits >> p & 1) add_range(sass->write, &sass->write_count, SASS_P + p, 1);
}

static void read_operand(struct sass *sass, const struct operand *operand, int at, int results)
{
    const char *end = operand->text + operand->length, *behind;
    const int is_result = at < results;
    int is_address = 0;
    for (const char *p = operand->text; p < end; p++) {
        is_address |= *p == '[';
        if (p > operand->text && (isalnum((unsigned char)p[-1]) || p[-1] == '_')) continue;
        if (!strncmp(p, "PR", 2) && p + 2 == end) {
            if (sass_is(sass, "R2P"))
                write_masked(sass);
            else
                add_range(sass->read, &sass->read_count, SASS_P, 7);
        }
        const int number = register_at(p, &behind);
        if (number < 0) continue;
        const int width = number >= SASS_P ? 1
                          : is_address     ? address_width(sass, operand, behind, number)
                                           : operand_width(sass, at, results);
        if (is_result)
            add_range(sass->write, &sass->write_count, number, width);
        else
            add_read(sass, number, width, is_address);
        p = behind - 1;
    }
}

static int split_operands(const char *text, struct operand operand[OPERANDS])
{
    int count = 0;
    while (*text && count < OPERANDS) {
        text += strspn(text, " ,");
        const size_t length = strcspn(text, ",");
        if (length > 0) operand[count++] = (struct operand){text, length};
        text += length;
    }
    return count;
}

/* ---- instructions ---------------------------------------------------------------------------- */

/* Returns the text behind the predicate, which it reads. */
static const char *read_predicate(struct sass *sass, const char *text)
{
    const char *end;
    text += strspn(text, " ");
    if (*text != '@') return text;
    const char *name = text + 1 + (text[1] == '!');
    const int number = register_at(name, &end);
    if (number >= 0) add_range(sass->read, &sass->read_count, number, 1);
    sass->is_conditional = number >= 0;
    sass->guard = number;
    sass->guard_is_negated = text[1] == '!';
    sass->is_never = number < 0 && text[1] == '!';
    text += strcspn(text, " ");
    return text + strspn(text, " ");
}

/* The target of a jump is its last operand. A return has one that it does not jump to. */
static void read_target(struct sass *sass, const struct operand *operand, int count)
{
    static const char *const jumps[] = {"BRA", "BSSY", "CALL", "JMP", "WARPSYNC", NULL};
    char *end;
    if (count == 0 || !sass_is_any(sass, jumps)) return;
    const struct operand *last = &operand[count - 1];
    if (strncmp(last->text, "0x", 2)) return;
    const long target = strtol(last->text, &end, 16);
    if (end == last->text + last->length) sass->target = target;
    sass->is_conditional |= sass_is(sass, "BRA") && count > 1;
}

struct sass sass_read(const char *text)
{
    struct sass sass = {.text = text ? text : "", .target = -1, .guard = -1};
    struct operand operand[OPERANDS];
    const char *at = read_predicate(&sass, sass.text);
    const size_t length = strcspn(at, " ");
    memcpy(sass.operation, at, length < SASS_OPERATION ? length : SASS_OPERATION - 1);
    const int count = split_operands(at + length, operand);
    const int results = count_results(&sass, operand, count);
    if (sass.is_never) return sass;
    read_target(&sass, operand, count);
    for (int i = 0; i < count; i++) read_operand(&sass, &operand[i], i, results);
    return sass;
}
