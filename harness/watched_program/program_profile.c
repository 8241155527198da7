#include "watched_program/program_profile.h"

#include <limits.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "catalog/thresholds.h"

/* The library keeps counters there that need another start (injected/watch_plan.h). */
#define IMAGES "watch/images"

/* Returns 1 if a start has values of a kernel for the counters of its plan. */
static int has_counters(const struct program_watch *watch, int start, const char *const *metric,
                        int k)
{
    const struct program_parts *part = &watch->part[start];
    for (size_t i = 0; i < part->counter_count; i++)
        if (part->counter[i].kernel == k && !strcmp(part->counter[i].metric, *metric) &&
            part->counter[i].process == watch->choice.kernel[k]->process)
            return 1;
    return 0;
}

/* Keeps as replayed what the two starts from `one` on have brought, and says why others are not. A
 * program that prints something else in each start does not tell whether the replay changed it. */
static void judge_replay(struct program_watch *watch, unsigned asked, int one)
{
    const struct replay_counters *replay = &watch->counters.replay;
    const int both = one + 1 < watch->starts;
    const char *why = NULL;
    unsigned came = 0;
    if (both && watch->end[one + 1].is_late)
        why = "the program did not end";
    else if (both && !program_watch_are_alike(watch, one, one + 1) &&
             (watch->end[one].status != watch->end[one + 1].status || !watch->is_twice ||
              program_watch_are_alike(watch, 1, one)))
        why = "the program printed something else or ended with another status";
    if (why) watch->is_changed[one + 1] = 1;
    for (int k = 0; k < watch->choice.count && !why; k++)
        if (asked >> k & 1 && has_counters(watch, one, replay->one_pass, k) &&
            (!both || has_counters(watch, one + 1, replay->replayed, k)))
            came |= 1u << k;
    for (int k = 0; k < watch->choice.count && both && !why && came != asked; k++)
        if ((asked & ~came) >> k & 1)
            why = program_problem_find(&watch->part[one + 1], "counters",
                                       watch->choice.kernel[k]->process, k);
    watch->plan.replayed = (watch->plan.replayed & ~asked) | came;
    if (came != asked && !watch->end[one].is_late)
        warning("kernels are profiled in one pass of each launch, in more starts, because their "
                "launches could not be replayed: %s",
                why ? why : "CUPTI gave no counters");
}

/* Profiles one launch of each kernel of the process that is to be replayed. */
static int start_for_replay(struct program_watch *watch, int process)
{
    const struct replay_counters *replay = &watch->counters.replay;
    const struct program_plan of[REPLAY_STARTS] = {
        {&watch->choice, watch->plan.filter, replay->one_pass, 1, watch->plan.replayed},
        {&watch->choice, watch->plan.filter, replay->replayed, replay->passes,
         watch->plan.replayed}};
    const int one = watch->starts;
    unsigned asked = 0;
    int result = 0;
    for (int k = 0; k < watch->choice.count; k++)
        if (watch->choice.kernel[k]->process == process) asked |= watch->plan.replayed & 1u << k;
    for (int i = 0; i < REPLAY_STARTS && asked && !result && program_watch_fits(watch, 1); i++) {
        struct text text = {0};
        if (i && watch->end[one].is_late) break;
        program_plan_one_launch(&text, &of[i], process, i);
        watch->replay_of = i ? one : 0;
        result = program_watch_start(watch, &text, i ? "counters by replay" : "counters");
        watch->replay_of = 0;
        if (result) break;
        watch->is_replayed |= i;
        watch->part[watch->starts - 1].is_of_replay = 1;
        watch->counter_starts++;
    }
    if (watch->starts == one) watch->plan.replayed &= ~asked;
    if (!result && watch->starts > one) judge_replay(watch, asked, one);
    return result;
}

static void warn_of_late_start(void)
{
    warning("the program did not end while its kernels were profiled, so that no more counters are "
            "collected: a kernel that waits for the CPU cannot be profiled");
}

/* Starts the program until no kernel of the process lacks passes, or a start has brought none. */
static int start_for_process(struct program_watch *watch, int process)
{
    const struct program_plan *plan = &watch->plan;
    const struct program_parts *starts = &watch->part[watch->first_counters];
    const int one = watch->starts;
    int result = start_for_replay(watch, process), before = INT_MAX, lacking;
    if (watch->starts > one && watch->end[one].is_late) {
        warn_of_late_start();
        return result;
    }
    while (!result && watch->starts < MOST_STARTS - MOST_COUNTED &&
           (lacking = program_plan_lacks(plan, process, starts, watch->counter_starts)) > 0 &&
           lacking < before && program_watch_fits(watch, 1)) {
        struct text text = {0};
        program_plan_counters(&text, plan, process, starts, watch->counter_starts);
        result = program_watch_start(watch, &text, "counters");
        if (!result && watch->end[watch->starts - 1].is_late) {
            warn_of_late_start();
            before = 0;
        } else
            before = lacking;
        watch->counter_starts += !result;
    }
    return result;
}

int program_profile_counters(struct program_watch *watch)
{
    const struct program_parts *first = &watch->part[0];
    int result = directory_make(path_in(watch->directory, IMAGES).at);
    watch->first_counters = watch->starts;
    for (int i = 0; i < first->process_count && !result; i++)
        if (!i || !watch->end[watch->starts - 1].is_late)
            result = start_for_process(watch, first->process[i].number);
    return result;
}

/* Returns 1 if an earlier chosen kernel has the same function in the same process, whose
 * instructions stand for both. */
static int is_counted_before(const struct program_choice *choice, int k)
{
    for (int i = 0; i < k; i++)
        if (choice->kernel[i]->process == choice->kernel[k]->process &&
            !strcmp(choice->kernel[i]->symbol, choice->kernel[k]->symbol))
            return 1;
    return 0;
}

int program_profile_counts(const struct program_watch *watch)
{
    const struct program_options *options = watch->options;
    return options->knockout || options->budget > 0 || watch->end[0].seconds < PROGRAM_LONG_S;
}

int program_profile_choose_counted(const struct program_watch *watch, int kernel[MOST_COUNTED])
{
    const struct program_choice *choice = &watch->choice;
    int count = 0;
    if (!program_profile_counts(watch)) return 0;
    for (int k = 0; k < choice->count && count < MOST_COUNTED; k++)
        if (program_plan_profiles(choice->kernel[k]) && !is_counted_before(choice, k) &&
            !program_choice_is_minor_function(choice, k))
            kernel[count++] = k;
    return count;
}

int program_profile_instructions(struct program_watch *watch)
{
    int result = 0;
    const int count = watch->end[watch->starts - 1].is_late
                          ? 0
                          : program_profile_choose_counted(watch, watch->counted);
    watch->first_counts = watch->starts;
    for (int i = 0; i < count && !result && program_watch_fits(watch, 1); i++) {
        struct text text = {0};
        program_plan_counts(&text, &watch->plan, watch->counted[i]);
        result = program_watch_start(watch, &text, "instructions");
        watch->count_starts++;
        if (!result && watch->end[watch->starts - 1].is_late) break;
    }
    return result;
}
