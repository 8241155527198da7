#include "knockout/twin_plans.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/message.h"
#include "knockout/twin_rounds.h"

static int is_of_line(const struct listing_instruction *instruction, const char *line)
{
    for (int i = 0; i < instruction->location_count; i++)
        if (knockout_line_is(line, instruction->location[i].file, instruction->location[i].line))
            return 1;
    return 0;
}

/* Reads the text and the counts of each instruction. */
static int read_code(struct twin_plans *plans, const struct twin_request *request,
                     char reason[TWIN_PLANS_REASON])
{
    const struct listing *listing = request->listing;
    const size_t count = (size_t)listing->count;
    plans->sass = calloc(count + 1, sizeof *plans->sass);
    plans->counted = calloc(count + 1, sizeof *plans->counted);
    plans->is_chosen = calloc(count + 1, 1);
    if (!plans->sass || !plans->counted || !plans->is_chosen) return error_memory();
    int chosen = 0;
    for (int i = 0; i < listing->count; i++) {
        const struct listing_instruction *instruction = &listing->instruction[i];
        const struct probe_result *counts = request->counts;
        if (!instruction->sass) {
            const char *status = listing->sass_status;
            snprintf(reason, TWIN_PLANS_REASON, "%s",
                     status + (strncmp(status, ABSENT, strlen(ABSENT)) ? 0 : strlen(ABSENT)));
            return FAIL_GPU;
        }
        const double *values = i < counts->count && counts->instruction[i].counted
                                   ? counts->instruction[i].count
                                   : NULL;
        plans->sass[i] = sass_read(instruction->sass);
        plans->counted[i] = (struct counted_instruction){
            values ? values[COUNT_EXECUTED] : 0, values ? values[COUNT_SHARED_WAVEFRONTS] : NAN,
            values ? values[COUNT_SHARED_IDEAL] : NAN};
        chosen += plans->is_chosen[i] = !request->line || is_of_line(instruction, request->line);
    }
    snprintf(reason, TWIN_PLANS_REASON, "it has no instruction of the line");
    if (!chosen) return FAIL_GPU;
    return control_flow_make(&plans->flow, plans->sass, listing->count);
}

int twin_plans_make(struct twin_plans *plans, const struct twin_request *request,
                    char reason[TWIN_PLANS_REASON])
{
    Elf64_Shdr section;
    memset(plans, 0, sizeof *plans);
    snprintf(reason, TWIN_PLANS_REASON, "its machine code was not found");
    if (!request->listing->count || !cubin_kernel_find(request->cubin, request->symbol, &section) ||
        section.sh_size < (size_t)request->listing->count * SASS_BYTES)
        return FAIL_GPU;
    int result = read_code(plans, request, reason);
    const struct twin_kernel kernel = {.code = cubin_section_data(request->cubin, &section),
                                       .count = request->listing->count,
                                       .architecture = request->architecture,
                                       .sass = plans->sass,
                                       .flow = &plans->flow,
                                       .counted = plans->counted,
                                       .is_chosen = request->line ? plans->is_chosen : NULL,
                                       .shared_bytes = request->shared_bytes};
    for (int k = 0; k < KNOCKOUTS && !result; k++) {
        if (k == KNOCKOUT_NOTHING || (request->wanted >> k & 1))
            result = twin_plan(&plans->twin[k], (enum knockout)k, &kernel);
        else
            plans->twin[k].knockout = KNOCKOUTS;
    }
    return result ? result : twins_check(plans->twin, KNOCKOUTS, &kernel);
}

void twin_plans_free(struct twin_plans *plans)
{
    for (int k = 0; k < KNOCKOUTS; k++) twin_free(&plans->twin[k]);
    control_flow_free(&plans->flow);
    free(plans->sass);
    free(plans->counted);
    free(plans->is_chosen);
    memset(plans, 0, sizeof *plans);
}

void twin_status(const struct twin *twin, char *status, size_t bytes)
{
    const int has_none = !strcmp(twin->reason, TWIN_HAS_NONE);
    snprintf(status, bytes, "%s%s", has_none ? TWIN_NONE : ABSENT, has_none ? "" : twin->reason);
}
