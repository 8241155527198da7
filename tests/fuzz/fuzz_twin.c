/*
 * Plans and makes all twins of a small kernel whose words and texts are broken: the input says how.
 * Patches are of different instructions inside of the code, and nothing else changes.
 */
#include "fuzz.h"

#include "knockout/twin.h"
#include "knockout/twin_code.h"

FUZZ_INPUT("", "input")

/* ---- kernels --------------------------------------------------------------------------------- */

static const struct row {
    uint64_t low, high;
    const char *text; /* in a row without words the name of the kernel of the rows behind it */
} rows[] = {
#define KERNEL(name) {0, 0, #name},
#define I(low, high, text) {low, high, text},
#include "../unit/knockout/twin_code.h"
#undef KERNEL
#undef I
    {0, 0, ""}};

enum { ROWS = sizeof rows / sizeof *rows, MOST = 128, TEXT = 160 };

struct code {
    int count;
    uint64_t word[MOST][2];
    char text[MOST][TEXT];
    struct sass sass[MOST];
    struct counted_instruction counted[MOST];
    unsigned char is_chosen[MOST];
};

static void add(struct code *code, const struct row *row)
{
    if (code->count == MOST) return;
    code->word[code->count][0] = row->low;
    code->word[code->count][1] = row->high;
    snprintf(code->text[code->count++], TEXT, "%s", row->text);
}

static void load(struct code *code, unsigned number, unsigned nops)
{
    static const struct row nop = {0x7918, 0xfc00000000000, "NOP"};
    int at = 0, kernel = -1, kernels = 0;
    for (int i = 0; i < ROWS - 1; i++) kernels += !rows[i].low;
    for (; kernel < (int)(number % (unsigned)kernels); at++) kernel += !rows[at].low;
    for (; rows[at].low; at++) add(code, &rows[at]);
    for (unsigned i = 0; i < nops; i++) add(code, &nop);
}

/* ---- mutations ------------------------------------------------------------------------------- */

struct input {
    const uint8_t *at, *end;
};

static unsigned next(struct input *input)
{
    return input->at < input->end ? *input->at++ : 0;
}

static void mutate(struct code *code, struct input *input)
{
    const unsigned kind = next(input), i = next(input) % (unsigned)code->count, value = next(input),
                   other = next(input);
    char *text = code->text[i];
    char part[TEXT];
    const size_t length = strlen(text);
    switch (kind % 7) {
    case 0: code->word[i][value / 64 % 2] ^= UINT64_C(1) << value % 64; break;
    case 1: snprintf(text, TEXT, "%s", rows[(value << 8 | other) % ROWS].text); break;
    case 2:
        if (length > 0) text[value % length] = other ? (char)other : ' ';
        break;
    case 3: text[value % (length + 1)] = 0; break;
    case 4: /* the end of another text behind it */
        snprintf(part, sizeof part, "%s", code->text[value % (unsigned)code->count]);
        snprintf(text + length, TEXT - length, "%s", part + other % (strlen(part) + 1));
        break;
    case 5: code->count = (int)i + 1; break;
    default: /* arbitrary text */
        for (unsigned n = 0; n < value % TEXT; n++) text[n] = (char)next(input);
        text[value % TEXT] = 0;
    }
}

static void finish(struct code *code, struct input *input)
{
    for (int i = 0; i < code->count; i++) {
        const unsigned counts = next(input);
        code->sass[i] = sass_read(code->text[i]);
        code->counted[i] =
            (struct counted_instruction){counts % 3, counts / 3 % 10, counts / 30 % 5};
        code->is_chosen[i] = counts < 200;
    }
}

/* ---- checks ---------------------------------------------------------------------------------- */

static void check_twin(const struct twin *twin, const struct twin_kernel *kernel)
{
    const size_t bytes = (size_t)kernel->count * SASS_BYTES;
    unsigned char *changed = malloc(bytes), is_patched[MOST] = {0};
    if (!changed) abort();
    memcpy(changed, kernel->code, bytes);
    twin_apply(twin, changed);
    if (twin->patched < 0 || twin->left < 0 || twin->patched + twin->left > kernel->count) abort();
    if (twin->patch_count < twin->patched || twin->patch_count > twin->patched + 4) abort();
    if (!twin->patched && twin->patch_count) abort();
    if (!twin->patched && !*twin->reason && twin->knockout != KNOCKOUT_NOTHING) abort();
    if (twin->left && !*twin->reason) abort();
    for (int p = 0; p < twin->patch_count; p++) {
        const int i = twin->patch[p].instruction;
        if (i < 0 || i >= kernel->count || is_patched[i]++ || !*twin->patch[p].text) abort();
        if (p < twin->patched && kernel->is_chosen && !kernel->is_chosen[i]) abort();
    }
    for (size_t at = 0; at < bytes; at++)
        if (changed[at] != kernel->code[at] && !is_patched[at / SASS_BYTES]) abort();
    free(changed);
}

static void plan_all(const struct code *code, struct twin_kernel *kernel)
{
    struct control_flow flow;
    if (control_flow_make(&flow, code->sass, code->count)) abort();
    kernel->flow = &flow;
    for (int k = 0; k < KNOCKOUTS; k++) {
        struct twin twin;
        if (twin_plan(&twin, (enum knockout)k, kernel)) abort();
        check_twin(&twin, kernel);
        twin_free(&twin);
    }
    control_flow_free(&flow);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct code code;
    struct input input = {data, data + size};
    const unsigned number = next(&input), settings = next(&input), shared = next(&input);
    code.count = 0;
    load(&code, number, settings % 8);
    for (unsigned n = next(&input) % 16; n > 0; n--) mutate(&code, &input);
    finish(&code, &input);
    struct twin_kernel kernel = {.code = (const unsigned char *)code.word,
                                 .count = code.count,
                                 .architecture = 90,
                                 .sass = code.sass,
                                 .counted = code.counted,
                                 .is_chosen = settings & 8 ? code.is_chosen : NULL,
                                 .shared_bytes = shared * (settings & 16 ? 900 : 8)};
    plan_all(&code, &kernel);
    return 0;
}
