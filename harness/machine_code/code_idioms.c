#include "machine_code/code_idioms.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "machine_code/control_flow.h"

enum { NEEDS = 4 };

/* How an idiom begins and ends. To add one: a row, before a more general one. The code from its
 * first instruction on, at most `window` long, must have the operations `needs`, in this order,
 * each depending on the first instruction. It ends with them, with a call, or for integers with the
 * correction for a divisor of 0. Divisions by one divisor share what prepares them; each begins
 * with a product by the reciprocal, and selects its result or that for a divisor of 0. */
struct recipe {
    const char *name;
    const char *begins;   /* operation of the first instruction */
    const char *contains; /* in the text of the first instruction; NULL for anything */
    const char *needs[NEEDS];
    int window;
    enum { ENDS_AT_ZERO_CHECK, ENDS_AT_SELECT, ENDS_AT_CALL, ENDS_WITH_NEEDS } end;
};

static const char quotient[] = "division by a variable", remainder_name[] = "modulo by a variable",
                  wide[] = "64-bit division or modulo by a variable",
                  shared[] = "preparation of divisions by a variable";

static const struct recipe recipes[] = {
    {quotient, "I2F", ".RP ", {"MUFU.RCP", "F2I", "IMAD.HI"}, 96, ENDS_AT_ZERO_CHECK},
    {shared, "I2F", ".RP ", {"MUFU.RCP", "F2I", "IMAD.HI"}, 96, ENDS_WITH_NEEDS},
    {quotient, "IMAD.HI", NULL, {NULL}, 64, ENDS_AT_SELECT},
    {"division in double precision", "MUFU.RCP64H", NULL, {"DFMA", "DMUL"}, 64, ENDS_AT_CALL},
    {"square root in double precision", "MUFU.RSQ64H", NULL, {"DMUL", "DFMA"}, 64, ENDS_AT_CALL},
    {"division in single precision", "MUFU.RCP", NULL, {"FCHK", "FFMA"}, 32, ENDS_AT_CALL},
    {"square root in single precision", "MUFU.RSQ", NULL, {NULL}, 8, ENDS_AT_CALL},
    {"sine or cosine, reduced to one period",
     "FMUL",
     "0.6366197",
     {"F2I", "FFMA", "FFMA", "FFMA"},
     32,
     ENDS_WITH_NEEDS},
    {"sine or cosine in double precision, reduced to one period",
     "DMUL",
     NULL,
     {"F2I.F64", "I2F.F64", "DFMA"},
     32,
     ENDS_AT_CALL},
};

struct finding {
    const struct sass *sass;
    int count;
    struct code_idioms *out;
};

/* ---- registers that depend on the first instruction ------------------------------------------ */

/* One byte for each register: 1 if its value depends on the first instruction. */
struct dependent {
    unsigned char is_set[SASS_END];
};

static int reads_dependent(const struct dependent *dependent, const struct sass *sass)
{
    for (int i = 0; i < sass->read_count; i++)
        for (int r = sass->read[i].first; r < sass->read[i].first + sass->read[i].count; r++)
            if (dependent->is_set[r]) return 1;
    return 0;
}

/* A conditional write leaves what was there before in the other lanes. */
static void note_writes(struct dependent *dependent, const struct sass *sass, int depends)
{
    for (int i = 0; i < sass->write_count; i++)
        for (int r = sass->write[i].first; r < sass->write[i].first + sass->write[i].count; r++)
            dependent->is_set[r] =
                (unsigned char)(depends || (sass->is_conditional && dependent->is_set[r]));
}

/* ---- marking --------------------------------------------------------------------------------- */

static int is_marked(const struct finding *finding, int at)
{
    return finding->out->of[at] >= 0;
}

static void mark(const struct finding *finding, int at)
{
    struct code_idioms *out = finding->out;
    if (is_marked(finding, at)) return;
    out->of[at] = out->count - 1;
    out->idiom[out->count - 1].count++;
}

static int begin(const struct finding *finding, const char *name, int first)
{
    struct code_idioms *out = finding->out;
    if (!ARRAY_GROWS(out->idiom, out->count)) return error_memory();
    out->idiom[out->count++] = (struct code_idiom){name, first, 0};
    return 0;
}

/* A subroutine and the calls of it: all of them, because it is not known which one makes it slow.
 */
static void mark_subroutine(const struct finding *finding, int call)
{
    int first, other_first;
    const int length = control_flow_subroutine(finding->sass, finding->count, call, &first);
    for (int i = first; i < first + length; i++) mark(finding, i);
    for (int i = 0; i < finding->count && length > 0; i++)
        if (control_flow_subroutine(finding->sass, finding->count, i, &other_first) > 0 &&
            other_first == first)
            mark(finding, i);
}

/* ---- integers -------------------------------------------------------------------------------- */

/* "@!P2 LOP3.LUT R5, RZ, R8, RZ, 0x33, !PT": the result for a divisor of 0. */
static int is_zero_check(const struct sass *sass)
{
    return sass_is(sass, "LOP3") && sass->is_conditional && strstr(sass->text, "RZ, 0x33,");
}

/* Returns 1 if the last instruction that wrote one of the registers that this one reads has this
 * operation and words, and belongs to an idiom or not. */
static int reads_from(const struct finding *finding, int at, const char *operation,
                      const char *words, int is_of_idiom)
{
    const struct sass *sass = &finding->sass[at];
    for (int r = 0; r < sass->read_count; r++) {
        int i = at - 1;
        while (i >= 0 && !sass_overlap(&sass->read[r], 1, finding->sass[i].write,
                                       finding->sass[i].write_count, SASS_END))
            i--;
        if (i >= 0 && sass_is(&finding->sass[i], operation) &&
            strstr(finding->sass[i].text, words) && is_marked(finding, i) == is_of_idiom)
            return 1;
    }
    return 0;
}

/* The correction of a quotient: it grows by 1. */
static int is_quotient_correction(const struct sass *sass)
{
    const char *last = strstr(sass->text, ", 0x1");
    return sass->is_conditional && last && (last[5] == 0 || !strcmp(last + 5, ", RZ")) &&
           (sass_is(sass, "VIADD") || sass_is(sass, "IADD3") || sass_is(sass, "IADD"));
}

/* Returns 1 if the results of an instruction are used by the idiom before they are overwritten, and
 * it reads nothing but the divisor. */
static int prepares(const struct finding *finding, int at, int end, int idiom,
                    const struct register_range *divisor, int divisor_count)
{
    const struct sass *sass = &finding->sass[at];
    int reads_other = 0;
    for (int i = 0; i < sass->read_count; i++)
        reads_other |= !sass_overlap(&sass->read[i], 1, divisor, divisor_count, SASS_END);
    if (reads_other || sass->write_count == 0 || sass_is(sass, "BSYNC")) return 0;
    for (int i = at + 1; i <= end; i++) {
        const struct sass *user = &finding->sass[i];
        if (sass_overlap(user->read, user->read_count, sass->write, sass->write_count, SASS_END))
            return finding->out->of[i] == idiom;
        if (!user->is_conditional &&
            sass_overlap(user->write, user->write_count, sass->write, sass->write_count, SASS_END))
            return 0;
    }
    return 0;
}

static void mark_preparations(const struct finding *finding, int first, int end)
{
    const struct sass *sass = &finding->sass[first];
    const int idiom = finding->out->count - 1;
    for (int i = end - 1; i > first; i--)
        if (!is_marked(finding, i) &&
            prepares(finding, i, end, idiom, sass->read, sass->read_count))
            mark(finding, i);
}

/* ---- idioms ---------------------------------------------------------------------------------- */

/* Returns 1 if an instruction ends an idiom, once all that it needs was there. */
static int ends(const struct finding *finding, const struct recipe *recipe,
                const struct dependent *dependent, int at)
{
    const struct sass *sass = &finding->sass[at];
    if (recipe->end == ENDS_AT_CALL) return sass_is(sass, "CALL");
    if (recipe->end == ENDS_AT_SELECT && sass_is(sass, "SEL"))
        return reads_dependent(dependent, sass) && reads_from(finding, at, "LOP3", "RZ, 0x33,", 0);
    return recipe->end == ENDS_WITH_NEEDS || (is_zero_check(sass) && sass->write_count > 0 &&
                                              dependent->is_set[sass->write[0].first]);
}

/* Returns the last instruction of an idiom that would begin here, or -1 if something is missing. */
static int end_of(const struct finding *finding, const struct recipe *recipe, int first)
{
    const int limit =
        first + recipe->window < finding->count ? first + recipe->window : finding->count;
    struct dependent dependent = {{0}};
    int needed = 0;
    note_writes(&dependent, &finding->sass[first], 1);
    for (int i = first + 1; i < limit; i++) {
        const struct sass *sass = &finding->sass[i];
        const char *need = needed < NEEDS ? recipe->needs[needed] : NULL;
        const int depends = reads_dependent(&dependent, sass);
        if (need && sass_is(sass, need) && (depends || sass_is(sass, "FCHK"))) {
            needed++;
            need = needed < NEEDS ? recipe->needs[needed] : NULL;
        }
        if (!need && ends(finding, recipe, &dependent, i)) return i;
        note_writes(&dependent, sass, depends);
    }
    return -1;
}

static int add_idiom(const struct finding *finding, const struct recipe *recipe, int first, int end)
{
    struct dependent dependent = {{0}};
    int grows = 0, result = begin(finding, recipe->name, first);
    if (result) return result;
    mark(finding, first);
    note_writes(&dependent, &finding->sass[first], 1);
    for (int i = first + 1; i <= end; i++) {
        const struct sass *sass = &finding->sass[i];
        const int depends = reads_dependent(&dependent, sass);
        note_writes(&dependent, sass, depends);
        if (depends || sass_is(sass, "FCHK")) mark(finding, i);
        grows |= depends && is_quotient_correction(sass);
    }
    mark(finding, end);
    if (recipe->end == ENDS_AT_ZERO_CHECK) mark_preparations(finding, first, end);
    if (recipe->name == quotient && !grows)
        finding->out->idiom[finding->out->count - 1].name = remainder_name;
    if (recipe->end == ENDS_AT_CALL) mark_subroutine(finding, end);
    return 0;
}

static int begins(const struct finding *finding, const struct recipe *recipe, int at)
{
    const struct sass *sass = &finding->sass[at];
    return !is_marked(finding, at) && sass_is(sass, recipe->begins) &&
           (!recipe->contains || strstr(sass->text, recipe->contains)) &&
           (recipe->end != ENDS_AT_SELECT || reads_from(finding, at, "IMAD.HI", "", 1));
}

/* 64-bit division is a subroutine; inside of it, I2F.U64. */
static int find_wide(const struct finding *finding)
{
    int result = 0, first;
    for (int call = 0; call < finding->count && !result; call++) {
        const int length =
            is_marked(finding, call)
                ? 0
                : control_flow_subroutine(finding->sass, finding->count, call, &first);
        for (int i = length > 0 ? first : 0; length > 0 && i < first + length; i++) {
            if (!sass_is(&finding->sass[i], "I2F.U64") || is_marked(finding, i)) continue;
            result = begin(finding, wide, i);
            if (!result) mark_subroutine(finding, call);
            break;
        }
    }
    return result;
}

int code_idioms_find(struct code_idioms *idioms, const struct sass *sass, int count)
{
    const struct finding finding = {sass, count, idioms};
    memset(idioms, 0, sizeof *idioms);
    idioms->of = malloc(((size_t)count + 1) * sizeof *idioms->of);
    if (!idioms->of) return error_memory();
    for (int i = 0; i < count; i++) idioms->of[i] = -1;
    int result = find_wide(&finding);
    for (int i = 0; i < count && !result; i++)
        for (size_t r = 0; r < sizeof recipes / sizeof *recipes && !result; r++) {
            const int end =
                begins(&finding, &recipes[r], i) ? end_of(&finding, &recipes[r], i) : -1;
            if (end >= 0) result = add_idiom(&finding, &recipes[r], i, end);
        }
    return result;
}

void code_idioms_free(struct code_idioms *idioms)
{
    free(idioms->idiom);
    free(idioms->of);
    memset(idioms, 0, sizeof *idioms);
}
