#include "knockout/twin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "knockout/steering.h"
#include "knockout/twin_rules.h"
#include "machine_code/disassembly.h"

/* ---- leaving alone what steers --------------------------------------------------------------- */

static void count_register(struct twin_planning *planning, const struct register_range *range)
{
    const int end = range->first < SASS_UR ? range->first + range->count : 0;
    if (end > planning->setting.registers) planning->setting.registers = end;
}

static void look_over(struct twin_planning *planning)
{
    const struct twin_kernel *kernel = planning->kernel;
    for (int i = 0; i < kernel->count; i++) {
        const struct sass *sass = &kernel->sass[i];
        const struct register_range r1 = {1, 1};
        planning->has_mbarriers |= sass_is(sass, "SYNCS");
        for (int r = 0; r < sass->read_count; r++) count_register(planning, &sass->read[r]);
        for (int r = 0; r < sass->write_count; r++) count_register(planning, &sass->write[r]);
        planning->is_shared_grid |=
            sass_is_strong(sass) || (sass_is(sass, "MEMBAR") && !sass_has(sass, "CTA"));
        planning->uses_r1 |=
            i > 0 && (sass_overlap(sass->read, sass->read_count, &r1, 1, SASS_END) ||
                      sass_overlap(sass->write, sass->write_count, &r1, 1, SASS_END));
    }
    planning->uses_r1 |= kernel->count < 3 || strncmp(kernel->sass[0].text, "LDC R1,", 7);
}

/* Tells which memory then holds other values than the kernel stores, as bits 1 << enum
 * memory_space. */
static unsigned spoils(const struct sass *sass, int choice)
{
    if (sass_is(sass, "BAR")) return 1u << SPACE_SHARED | 1u << SPACE_GLOBAL;
    return choice == CHOICE_NONE ? 0 : sass_stores_to(sass);
}

/* Tells steering.h of a choice. */
static unsigned char patch_of(int choice)
{
    const int is_moved = choice == PATCH_LINEAR || choice == PATCH_ONE_WORD;
    return choice < 0 ? STEERING_UNCHANGED : is_moved ? STEERING_MOVED : STEERING_OFF;
}

/* Leaves alone what steers. Returns 1 if that was something. */
static int leave_steering(struct twin_planning *planning, const struct steering *steering)
{
    int found = 0;
    for (int i = 0; i < planning->kernel->count; i++) {
        const struct sass *sass = &planning->kernel->sass[i];
        if (planning->choice[i] < 0) continue;
        int steers = steering->steers[i];
        for (int s = 0; s < SPACE_LOCAL; s++)
            steers |= (spoils(sass, planning->choice[i]) >> s & 1) && steering->by_memory[s];
        if (!steers) continue;
        planning->choice[i] =
            (signed char)twin_leave(planning, "what decides branches or addresses stays");
        planning->patch[i] = STEERING_UNCHANGED;
        found = 1;
    }
    return found;
}

/* Asynchronous copies and stmatrix cannot scale a register, so R1 must be the lane times their
 * width: that of those with the most conflicts. Not all others can do with such a register. */
static void fit_scale(struct twin_planning *planning)
{
    const struct twin_kernel *kernel = planning->kernel;
    double excess[17] = {0};
    unsigned scale = 1;
    for (int i = 0; i < kernel->count; i++) {
        const unsigned width = access_width(&kernel->sass[i]);
        if (planning->choice[i] != PATCH_LINEAR || access_fits(&kernel->sass[i], 1)) continue;
        excess[width] += kernel->counted[i].wavefronts - kernel->counted[i].ideal;
        if (excess[width] > excess[scale]) scale = width;
    }
    for (int i = 0; i < kernel->count && scale > 1; i++) {
        const struct sass *sass = &kernel->sass[i];
        if (planning->choice[i] != PATCH_LINEAR || access_fits(sass, scale)) continue;
        /* One address for all lanes takes one wavefront, as a word for each of them does. */
        planning->choice[i] =
            (signed char)(sass_is(sass, "LDS") && access_width(sass) == 4
                              ? PATCH_ONE_WORD
                              : twin_leave(planning, "the register for the lane fits "
                                                     "copies of one width alone"));
    }
    planning->setting.scale = scale;
}

static int choose_all(struct twin_planning *planning)
{
    const struct twin_kernel *kernel = planning->kernel;
    struct steering steering = {0};
    const struct steering_code code = {kernel->sass, kernel->count, kernel->flow, planning->patch,
                                       planning->is_shared_grid};
    int result = 0, again = 1;
    for (int i = 0; i < kernel->count; i++) {
        const int choice =
            kernel->is_chosen && !kernel->is_chosen[i] ? CHOICE_NONE : twin_choose(planning, i);
        planning->choice[i] = (signed char)choice;
    }
    fit_scale(planning);
    for (int i = 0; i < kernel->count; i++) planning->patch[i] = patch_of(planning->choice[i]);
    while (again && !result) {
        steering_free(&steering);
        result = steering_find(&steering, &code);
        again = !result && leave_steering(planning, &steering);
    }
    steering_free(&steering);
    return result;
}

/* ---- patches --------------------------------------------------------------------------------- */

/* Adds a patch. Returns FAIL_CHECK, without a message, if the instruction cannot have it. */
static int add_patch(struct twin_planning *planning, int instruction, enum patch_kind kind)
{
    struct twin *twin = planning->twin;
    const struct twin_kernel *kernel = planning->kernel;
    if (!ARRAY_GROWS(twin->patch, twin->patch_count)) return error_memory();
    struct twin_patch *patch = &twin->patch[twin->patch_count];
    patch->instruction = instruction;
    patch->word = word_at(kernel->code, instruction);
    patch->distance = kind == PATCH_JUMP ? planning->setting.distance : 0;
    const int result = instruction_patch(kind, &kernel->sass[instruction], &planning->setting,
                                         &patch->word, patch->text);
    if (patch->distance) jump_text((instruction + 1L) * SASS_BYTES + patch->distance, patch->text);
    if (!result) twin->patch_count++;
    return result;
}

/* An instruction of the first block that runs for every lane and returns soon. */
static int can_wait(const struct twin_kernel *kernel, int at)
{
    const struct sass *sass = &kernel->sass[at];
    const struct instruction_word word = word_at(kernel->code, at);
    return kernel->flow->block_of[at] == 0 && !waits_for(&word) && sass->guard < 0 &&
           sass->target < 0 && !sass_loads_from(sass) && !sass_stores_to(sass) &&
           !sass_is(sass, "BAR");
}

/* Puts the lane into R1, for which an instruction before the first use waits: the last one of the
 * first that can. */
static int add_lane(struct twin_planning *planning, int first_use)
{
    const struct twin_kernel *kernel = planning->kernel;
    int at = 0;
    while (at + 1 < first_use && can_wait(kernel, at + 1)) at++;
    const int result = at ? add_patch(planning, 0, PATCH_LANE) : FAIL_CHECK;
    return result ? result : add_patch(planning, at, PATCH_WAIT);
}

static int is_target(const struct twin_kernel *kernel, int from)
{
    for (int i = 0; i < kernel->count; i++)
        if (kernel->sass[i].target >= (long)from * SASS_BYTES) return 1;
    return 0;
}

/* Jumps from an instruction to another. */
static int add_jump(struct twin_planning *planning, int from, int to)
{
    planning->setting.distance = (long)(to - from - 1) * SASS_BYTES;
    return add_patch(planning, from, PATCH_JUMP);
}

/* Puts the lane times the scale into R1 in place of the NOPs behind the end of the kernel, to where
 * it jumps first and from where it comes back. Nothing else may lead to them. */
static int add_scaled_lane(struct twin_planning *planning)
{
    const struct twin_kernel *kernel = planning->kernel;
    int at = kernel->count;
    while (at > 0 && !strcmp(kernel->sass[at - 1].text, "NOP")) at--;
    if (at == 0 || kernel->count - at < 3 || !sass_is(&kernel->sass[at - 1], "BRA") ||
        kernel->sass[at - 1].is_conditional || is_target(kernel, at))
        return FAIL_CHECK;
    int result = add_jump(planning, 0, at);
    if (!result) result = add_patch(planning, at, PATCH_LANE);
    if (!result) result = add_patch(planning, at + 1, PATCH_SCALE);
    return result ? result : add_jump(planning, at + 2, 1);
}

static int add_patches(struct twin_planning *planning)
{
    struct twin *twin = planning->twin;
    int result = 0, first_linear = -1;
    for (int i = 0; i < planning->kernel->count && !result; i++) {
        const int choice = planning->choice[i];
        twin->left += choice == CHOICE_LEFT;
        if (choice < 0) continue;
        result = add_patch(planning, i, (enum patch_kind)choice);
        if (result == FAIL_CHECK) {
            twin_leave(planning, patch_of(choice) == STEERING_MOVED
                                     ? "its block has too little shared memory"
                                     : "its code is not known");
            twin->left++;
            result = 0;
        } else if (!result) {
            twin->patched++;
            if (choice == PATCH_LINEAR && first_linear < 0) first_linear = i;
        }
    }
    if (!result && first_linear >= 0)
        result = planning->setting.scale > 1 ? add_scaled_lane(planning)
                                             : add_lane(planning, first_linear);
    if (result == FAIL_CHECK) {
        snprintf(twin->reason, TWIN_REASON, "no %s is free for the lane",
                 planning->setting.scale > 1 ? "room behind the end of the kernel" : "register");
        twin->left += twin->patched;
        twin->patched = twin->patch_count = 0;
        result = 0;
    }
    return result;
}

/* A kernel that lacks barriers or conflicts has one or the other to take, not both at once. */
static void need_both(struct twin_planning *planning)
{
    const struct twin_kernel *kernel = planning->kernel;
    int barriers = 0, conflicts = 0;
    for (int i = 0; i < kernel->count; i++) {
        const int is_barrier = sass_is(&kernel->sass[i], "BAR");
        barriers |= is_barrier && planning->choice[i] >= 0;
        conflicts |= !is_barrier && planning->choice[i] >= 0;
    }
    if (barriers && conflicts) return;
    memset(planning->choice, CHOICE_NONE, (size_t)kernel->count);
    *planning->twin->reason = '\0';
}

int twin_plan(struct twin *twin, enum knockout knockout, const struct twin_kernel *kernel)
{
    const size_t count = (size_t)kernel->count + 1;
    struct twin_planning planning = {.setting = {.shared = kernel->shared_bytes, .scale = 1},
                                     .kernel = kernel,
                                     .twin = twin,
                                     .choice = calloc(count, 1),
                                     .patch = calloc(count, 1)};
    memset(twin, 0, sizeof *twin);
    twin->knockout = knockout;
    int result = planning.choice && planning.patch ? 0 : error_memory();
    if (!result) look_over(&planning);
    if (!result) result = choose_all(&planning);
    if (!result && knockout == KNOCKOUT_BARRIERS_CONFLICTS) need_both(&planning);
    if (!result) result = add_patches(&planning);
    if (!result && knockout != KNOCKOUT_NOTHING && !twin->patched && !twin->left)
        snprintf(twin->reason, TWIN_REASON, TWIN_HAS_NONE);
    free(planning.choice);
    free(planning.patch);
    return result;
}

void twin_free(struct twin *twin)
{
    free(twin->patch);
    memset(twin, 0, sizeof *twin);
}

/* ---- checking -------------------------------------------------------------------------------- */

/* Texts are the same but for their blanks and marks of operand reuse. */
static int same_text(const char *one, const char *other)
{
    for (;;) {
        while (*one == ' ') one++;
        while (*other == ' ') other++;
        if (!strncmp(one, ".reuse", 6)) one += 6;
        if (!strncmp(other, ".reuse", 6)) other += 6;
        if (*one != *other) return 0;
        if (!*one) return 1;
        if (*one != ' ') one++, other++;
    }
}

static void refuse(struct twin *twin, const char *format, const char *one, const char *other)
{
    snprintf(twin->reason, TWIN_REASON, format, one, other);
    twin->patched = twin->patch_count = 0;
}

static void compare(struct twin *twin, const struct disassembly *disassembly, int first)
{
    for (int p = 0; p < twin->patch_count; p++) {
        const unsigned pc = (unsigned)(first + p) * SASS_BYTES;
        const char *text = disassembly_text(disassembly, "", pc);
        const struct twin_patch *patch = &twin->patch[p];
        char meant[PATCH_TEXT];
        snprintf(meant, sizeof meant, "%s", patch->text);
        /* Targets are disassembled relative to the start of what is disassembled. */
        if (patch->distance) jump_text((long)pc + SASS_BYTES + patch->distance, meant);
        if (text && same_text(text, meant)) continue;
        refuse(twin, "the patched code reads '%.50s' in place of '%.50s'", text ? text : "nothing",
               meant);
        return;
    }
}

int twins_check(struct twin *twin, int count, const struct twin_kernel *kernel)
{
    char reason[DISASSEMBLY_REASON] = "";
    struct disassembler disassembler;
    struct disassembly disassembly = {0};
    struct text code = {0};
    int first = 0;
    for (int t = 0; t < count; t++)
        for (int p = 0; p < twin[t].patch_count; p++)
            text_append_bytes(&code, &twin[t].patch[p].word, sizeof twin[t].patch[p].word);
    if (code.failed || code.length == 0) {
        const int failed = code.failed;
        text_free(&code);
        return failed ? error_memory() : 0;
    }
    int result =
        disassembly_start_raw(&disassembler, code.data, code.length, kernel->architecture, reason);
    const int finished = disassembly_finish(&disassembly, &disassembler, reason);
    if (!result) result = finished;
    for (int t = 0; t < count && (!result || result == FAIL_CHECK); t++) {
        const int patches = twin[t].patch_count;
        if (result && patches)
            refuse(&twin[t], "the patched code cannot be checked: %s%s", reason, "");
        else
            compare(&twin[t], &disassembly, first);
        first += patches;
    }
    disassembly_free(&disassembly);
    text_free(&code);
    return result == FAIL_CHECK ? 0 : result;
}
