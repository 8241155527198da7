#include "watched_program/program_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/names.h"
#include "base/text.h"
#include "measure/measure_run.h"
#include "watched_program/program_cubins.h"
#include "watched_program/program_pairs.h"
#include "watched_program/program_profile.h"
#include "watched_program/program_tables.h"
#include "watched_program/program_times.h"
#include "run/run_stages.h"

enum { MOST_KNOCKOUT_STARTS = 8 };

static const char *label_of(const struct program_options *options)
{
    return options->label ? options->label : options->words[0];
}

/* ---- starts ---------------------------------------------------------------------------------- */

/* The exponent of the sampling period with which the SMs give about as many samples as wanted while
 * kernels run: more would overflow the hardware's buffer in a long program. */
static unsigned sampling_period(const struct program_watch *watch)
{
    enum { LEAST = 9, UNKNOWN = 15, MOST = 24 };
    const double wanted = 4e6, sms = 132, cycles_per_ns = 1.8;
    if (watch->starts == 0) return UNKNOWN;
    const double exponent = ceil(log2(watch->choice.total_ns * cycles_per_ns * sms / wanted));
    return (unsigned)fmin(fmax(exponent, LEAST), MOST);
}

/* The first of two starts is not sampled, so that nothing disturbs its times, unless there may be
 * no time for the second. */
static int start_for_times(struct program_watch *watch)
{
    struct text plan = {0};
    const int is_sampled = watch->starts > 0 || watch->options->once || watch->options->budget > 0;
    program_plan_times(&plan, is_sampled ? sampling_period(watch) : 0);
    return program_watch_start(watch, &plan, is_sampled ? "times and stalls" : "times");
}

static int is_any_timed_alone(const struct program_choice *choice)
{
    for (int k = 0; k < choice->count; k++)
        if (program_plan_times_alone(choice->kernel[k])) return 1;
    return 0;
}

static int start_for_times_alone(struct program_watch *watch)
{
    int result = 0;
    watch->first_alone = watch->starts;
    for (int i = 0; i < 2 && !result; i++) {
        struct text plan = {0};
        program_plan_alone(&plan);
        result = program_watch_start(watch, &plan, "times of kernels one at a time");
    }
    return result;
}

/* Starts the program once more for each process with kernels, and again without each twin that ends
 * it. */
static int start_for_knockouts(struct program_watch *watch)
{
    int result =
            program_knockouts_plan(&watch->knockouts, &watch->lines, &watch->plan, watch->knocked),
        again = !result;
    watch->first_knockouts = watch->starts;
    while (again && !result) {
        struct text text = {0};
        again = watch->starts < watch->first_knockouts + MOST_KNOCKOUT_STARTS &&
                program_knockouts_append(&text, &watch->knockouts) > 0;
        if (again) result = program_watch_start(watch, &text, STAGE_KNOCKOUTS);
        if (again && !result)
            program_knockouts_take(&watch->knockouts, &watch->part[watch->starts - 1],
                                   watch->end[watch->starts - 1].is_late);
        text_free(&text);
    }
    return result;
}

/* ---- choice ---------------------------------------------------------------------------------- */

/* Warns of processes that could not be watched as they should. Returns the last reason, or NULL. */
static const char *warn_of_problems(const struct program_parts *first)
{
    const char *reason = NULL;
    for (int i = 0; i < first->problem_count; i++) {
        const struct program_problem *problem = &first->problem[i];
        if (strcmp(problem->what, "launches") && strcmp(problem->what, "times")) continue;
        reason = problem->reason;
        warning("process %d of the program: launches are missing: %s", problem->process, reason);
    }
    return reason;
}

/* Says what could have been asked for: ranges, if one was, else the names of kernels. */
static int say_not_asked(const struct program_watch *watch)
{
    const struct program_parts *first = &watch->part[0];
    const int by_range = watch->options->filter.range != NULL;
    struct text list = {0};
    int listed = 0;
    for (int i = 0; i < first->kernel_count; i++) {
        const struct program_kernel *kernel = &first->kernel[i];
        int same = 0;
        for (int k = 0; k < i && !same; k++)
            same = by_range ? !strcmp(first->kernel[k].range, kernel->range)
                            : !strcmp(first->kernel[k].label, kernel->label);
        if (!same)
            names_list(&list, listed++,
                       !by_range        ? kernel->label
                       : *kernel->range ? kernel->range
                                        : "none");
    }
    names_list_rest(&list, listed);
    error(FAIL_USAGE, "none of the %d kernel%s of %s is asked for; the %s are, in order: %s",
          first->kernel_count, first->kernel_count == 1 ? "" : "s", label_of(watch->options),
          by_range ? "NVTX ranges" : "names", text_string(&list));
    text_free(&list);
    return FAIL_USAGE;
}

/* Chooses the kernels whose costs are knocked out: all, or those of pairs. */
static int choose_knocked(struct program_watch *watch)
{
    const struct program_options *options = watch->options;
    const int are_asked = options->filter.kernel || options->filter.range;
    if (!options->knockout) return 0;
    watch->knocked = ~0u;
    const int result = options->are_versions ? program_pairs_choose(&watch->knocked, &watch->names,
                                                                    &watch->choice, options->named)
                                             : 0;
    if (options->are_versions || are_asked) watch->choice.counts_minor = watch->knocked;
    return result;
}

static int choose(struct program_watch *watch)
{
    const struct program_options *options = watch->options;
    const struct program_parts *first = &watch->part[0];
    const struct program_process *process = NULL;
    int result = program_choice_make(&watch->choice, first, &options->filter);
    if (result) return result;
    const char *problem = warn_of_problems(first);
    if (!first->kernel_count && watch->end[0].unwritten)
        return error(FAIL_OUTPUT, "the kernels of %s were not recorded", label_of(options));
    if (!first->kernel_count)
        return problem ? error(FAIL_GPU, "the kernels of %s cannot be watched", label_of(options))
                       : error(FAIL_GPU, "%s launched no kernel on a GPU", label_of(options));
    if (!watch->choice.total_ns)
        return error(FAIL_GPU, "no launch of the %d kernel%s of %s was timed", first->kernel_count,
                     first->kernel_count == 1 ? "" : "s", label_of(options));
    if (!watch->choice.count) return say_not_asked(watch);
    result = program_names_make(&watch->names, first, &watch->choice);
    if (!result) result = choose_knocked(watch);
    for (int i = 0; i < options->bytes_count && !result; i++)
        result = program_names_set_bytes(&watch->names, options->bytes[i]);
    if (!result) process = program_process_find(first, watch->choice.kernel[0]->process);
    if (!result)
        result =
            chip_counters_plan(&watch->counters, &watch->records, process ? process->chip : "");
    if (result != FAIL_GPU) return result;
    watch->no_counters = watch->counters.set.reason; /* times are there */
    return 0;
}

/* Returns the number of processes that have kernels whose costs are to be knocked out. */
static int count_knocked(const struct program_watch *watch)
{
    const struct program_choice *choice = &watch->choice;
    int count = 0;
    for (int k = 0; k < choice->count; k++) {
        int is_first = watch->knocked >> k & 1;
        for (int i = 0; i < k; i++)
            is_first &= !(watch->knocked >> i & 1) ||
                        choice->kernel[i]->process != choice->kernel[k]->process;
        count += is_first;
    }
    return count;
}

/* Says what is left out, and which starts are planned. */
static void announce(const struct program_watch *watch, int times, int profiled, int counted)
{
    const struct program_choice *choice = &watch->choice;
    const int is_kept = !watch->options->keeps_no_output;
    const int knockouts = count_knocked(watch), more = times + profiled + counted + knockouts;
    char limit[48] = "", last[32] = "";
    const struct program_filter *filter = &watch->options->filter;
    const int is_asked = filter->kernel || filter->range || filter->process >= 0,
              is_one = choice->count == 1;
    if (choice->others)
        note("%d kernel%s %s%.0f %% of the time of all kernels of the program; %d other%s %s",
             choice->count, is_one ? "" : "s",
             is_asked ? is_one ? "is asked for and takes " : "are asked for and take "
             : is_one ? "takes "
                      : "take ",
             100 * choice->chosen_ns / choice->total_ns, choice->others,
             choice->others > 1 ? "s are" : " is",
             is_asked ? "not" : "left out (--kernel . keeps all)");
    if (more && watch->input.kind == INPUT_TERMINAL)
        note("later starts have an empty input instead of the terminal");
    if (watch->options->budget > 0)
        snprintf(limit, sizeof limit, ", as far as %g s allow", watch->options->budget);
    if (knockouts) snprintf(last, sizeof last, ", %d for knock-outs", knockouts);
    if (more)
        note(
            "the first start took %.1f s; about %d more follow in about %.0f s%s: %d for times and "
            "stalls, %d for counters, %d for instructions%s%s%s%s%s",
            watch->end[0].seconds, more, program_watch_expected_seconds(watch, more), limit, times,
            profiled, counted, program_profile_counts(watch) ? "" : " (--budget S allows for them)",
            last, is_kept ? " (--once leaves them out); their output goes to " : "",
            is_kept ? watch->run->path : "", is_kept ? "/output/" : "");
}

static const char no_time[] = "there was no time for the start (--budget)",
                  long_starts[] = "a start of the program takes too long (--budget counts them)";

static void make_record(struct program_watch *watch)
{
    watch->record = (struct program_record){
        .first = &watch->part[0],
        .second = watch->is_twice ? &watch->part[1] : NULL,
        .alone = watch->first_alone ? &watch->part[watch->first_alone] : NULL,
        .counters = &watch->part[watch->first_counters],
        .counter_starts = watch->counter_starts,
        .replayed = watch->plan.replayed,
        .replay = &watch->counters.replay,
        .counts = &watch->part[watch->first_counts],
        .counted = watch->counted,
        .count_starts = watch->count_starts,
        .planned = &watch->counters.set,
        .no_counters = watch->no_counters,
        .few_passes = watch->is_cut ? no_time
                      : watch->first_counters + watch->counter_starts < MOST_STARTS - MOST_COUNTED
                          ? "the starts with counters did not launch the kernel as the first start "
                            "did"
                          : "the program would have to be started too often",
        .few_counts = watch->is_cut ? no_time
                      : !program_profile_counts(watch)
                          ? long_starts
                          : "the kernel was not counted in a start of its "
                            "own",
        .choice = &watch->choice,
        .filter = &watch->options->filter,
        .names = &watch->names,
        .problem = "The kernels of a program that was observed while it ran.",
    };
}

/* Collects the counters, counts the instructions and, if it is asked for, knocks out the costs. */
static int start_for_the_rest(struct program_watch *watch)
{
    struct stage stage;
    int result = 0;
    if (!watch->no_counters) {
        result = stage_begin(&stage, watch->run, STAGE_COLLECT, NULL);
        if (!result) result = program_profile_counters(watch);
        result = stage_end(&stage, result);
        if (!result) result = stage_begin(&stage, watch->run, STAGE_LINES, NULL);
        if (!result) result = program_profile_instructions(watch);
        result = stage_end(&stage, result);
    }
    make_record(watch);
    if (!result) result = program_lines_read(&watch->lines, &watch->record);
    if (result || !watch->options->knockout) return result;
    result = stage_begin(&stage, watch->run, STAGE_KNOCKOUTS, NULL);
    if (!result) result = start_for_knockouts(watch);
    return stage_end(&stage, result);
}

/* Plans the counters. Returns the number of starts that they need. */
static int plan_counters(struct program_watch *watch)
{
    const struct program_parts *first = &watch->part[0];
    struct program_plan *plan = &watch->plan;
    if (watch->options->once) watch->no_counters = "the program was started once (--once)";
    if (watch->options->no_counters) watch->no_counters = "not asked for";
    *plan = (struct program_plan){&watch->choice, &watch->options->filter, watch->counters.metric,
                                  watch->counters.set.passes, 0};
    if (watch->no_counters) return 0;
    unsigned replayed = 0;
    const int may_replay = watch->options->replay_launches && watch->counters.replay.passes;
    for (int i = 0; i < first->process_count && may_replay; i++)
        replayed |= program_plan_replayed(plan, first, first->process[i].number);
    plan->replayed = replayed;
    return program_plan_starts(plan, first);
}

/* Starts the program for times again if there is time for that and for its counters. */
static int start_for_more_times(struct program_watch *watch, int alone, int profiled)
{
    int result = 0;
    watch->is_twice =
        !watch->options->once &&
        program_watch_fits(watch, 1 + (profiled > REPLAY_STARTS ? REPLAY_STARTS : profiled));
    if (watch->is_twice) result = start_for_times(watch);
    const struct program_parts *sampled = &watch->part[watch->starts - 1];
    if (!result) result = program_cubins_find(&watch->part[0], sampled->directory);
    if (!result && alone && program_watch_fits(watch, 2 + profiled))
        result = start_for_times_alone(watch);
    return result ? result : program_lines_begin(&watch->lines, &watch->choice, sampled);
}

static int start_all(struct program_watch *watch)
{
    const struct program_options *options = watch->options;
    struct stage stage;
    int result = stage_begin(&stage, watch->run, STAGE_MEASURE, NULL);
    watch->began = seconds_now();
    if (!result) result = start_for_times(watch);
    if (!result) result = choose(watch);
    if (result) return stage_end(&stage, result);
    const int profiled = plan_counters(watch),
              counted =
                  watch->no_counters ? 0 : program_profile_choose_counted(watch, watch->counted),
              alone = !options->once && is_any_timed_alone(&watch->choice);
    announce(watch, options->once ? 0 : 1 + 2 * alone, profiled, counted);
    if (!options->once) result = program_times_print(&watch->choice, &watch->names);
    if (!result) result = start_for_more_times(watch, alone, profiled);
    result = stage_end(&stage, result);
    return result ? result : start_for_the_rest(watch);
}

/* ---- comparison ------------------------------------------------------------------------------ */

/* In what a later start can differ from the first ones. */
enum { START_LATE, START_STATUS, START_OUTPUT, START_DIFFERENCES };

/* Returns in what a start differs, or START_DIFFERENCES. Only starts from the second one on have
 * their output in files. */
static int compare_start(const struct program_watch *watch, int n)
{
    if (watch->end[n].is_late) return START_LATE;
    if (watch->end[n].status != watch->end[0].status) return START_STATUS;
    return n > 1 && !program_watch_same_output(watch, 1, n) ? START_OUTPUT : START_DIFFERENCES;
}

/* Says in what later starts differ, each thing once, with the first start that does. */
static void describe_differences(const struct program_watch *watch, int compared,
                                 struct text *differs)
{
    int first[START_DIFFERENCES] = {0}, count[START_DIFFERENCES + 1] = {0};
    for (int n = 1; n < compared; n++) {
        const int what = watch->is_changed[n] ? START_DIFFERENCES : compare_start(watch, n);
        if (!count[what]++ && what < START_DIFFERENCES) first[what] = n;
    }
    for (int what = 0; what < START_DIFFERENCES; what++) {
        const int n = first[what];
        if (!count[what]) continue;
        text_format(differs, "%sstart %d ", differs->length ? "; " : "", n + 1);
        if (what == START_LATE)
            text_append(differs, "took too long and was ended");
        else if (what == START_STATUS)
            text_format(differs, "ended with status %d instead of %d", watch->end[n].status,
                        watch->end[0].status);
        else
            text_format(differs, "printed something else than start 2, from line %d on",
                        program_watch_first_difference(watch, 1, n));
        if (what == START_OUTPUT && !watch->options->keeps_no_output)
            text_format(differs, " (output/1.stdout, output/%d.stdout)", n);
        if (count[what] > 1)
            text_format(differs, ", and so did %d more of the %d later starts", count[what] - 1,
                        compared - 1);
    }
}

static int write_comparison(struct program_watch *watch)
{
    static const char key[] = "program_repeats";
    struct text differs = {0};
    const int compared = watch->first_knockouts ? watch->first_knockouts : watch->starts;
    describe_differences(watch, compared, &differs);
    int result = differs.failed ? error_memory() : 0;
    if (!result && differs.length)
        warning("the program does not repeat itself: %s", text_string(&differs));
    if (!result)
        result = watch->starts == 1 ? run_fact_set(watch->run, key, ABSENT "started once")
                 : differs.length
                     ? run_fact_set(watch->run, key, "no: %s", text_string(&differs))
                     : run_fact_set(watch->run, key,
                                    "yes: status and output are the same in all later starts%s",
                                    memchr(watch->is_changed, 1, sizeof watch->is_changed)
                                        ? " without replay"
                                        : "");
    text_free(&differs);
    return result;
}

/* ---- writing --------------------------------------------------------------------------------- */

static int write_facts(struct program_watch *watch)
{
    struct run *run = watch->run;
    const struct program_process *process =
        program_process_find(&watch->part[0], watch->choice.kernel[0]->process);
    struct text words = {0};
    for (char *const *word = watch->options->words; *word; word++)
        text_format(&words, "%s%s", words.length ? " " : "", *word);
    int result = words.failed ? error_memory() : 0;
    if (!result)
        result = watch->options->no_arguments
                     ? run_fact_set(run, "program", ABSENT "hidden by --no-arguments")
                     : run_fact_set(run, "program", "%s", text_string(&words));
    text_free(&words);
    if (!result) result = run_fact_set(run, "program_status", "%d", watch->end[0].status);
    if (!result) result = run_fact_set(run, "program_starts", "%d", watch->starts);
    if (!result) result = run_fact_set(run, "program_gpu_ns", "%.0f", watch->choice.total_ns);
    if (!result) result = write_comparison(watch);
    if (!result) result = run_fact_set(run, "clock", "activity records of CUPTI");
    if (!result && process) result = run_fact_set(run, "chip", "%s", process->chip);
    if (!result && watch->counters.cupti_version)
        result = run_fact_set(run, "cupti_api_version", "%d", watch->counters.cupti_version);
    if (!result && process && *process->cupti)
        result = run_fact_set(run, "program_cupti", "%s", process->cupti);
    if (result) return result;
    if (watch->no_counters) return run_fact_set(run, "counters", ABSENT "%s", watch->no_counters);
    result = run_fact_set(run, "counters", "collected by CUPTI");
    if (!result)
        result =
            run_fact_set(run, "counters_range", "%d counters in %d passes, each of another launch",
                         watch->counters.set.count, watch->counters.set.passes);
    if (result || !watch->plan.replayed) return result;
    return run_fact_set(run, "counters_replayed",
                        watch->is_replayed
                            ? "one launch of each of %d in one pass, and replayed in %d passes"
                            : "one launch of each of %d in one pass; no time for %d more",
                        __builtin_popcount(watch->plan.replayed), watch->counters.replay.passes);
}

static int write_all(struct program_watch *watch)
{
    const struct measure_options measure = {
        .seed = 20, .most_samples = 100, .most_seconds = 8, .keeps_ceilings = 1};
    struct device device;
    int result = write_facts(watch);
    if (!result) result = device_look(&device);
    if (!result) result = describe_machine(watch->run, &device, &measure);
    if (!result) result = program_tables_write(watch->run, &watch->record, &device);
    if (!result) result = program_lines_write(watch->run, &watch->lines);
    if (!result && watch->options->knockout)
        result = program_knockouts_write(watch->run, &watch->knockouts);
    return result ? result : ceilings_run(watch->run, &measure);
}

static void watch_free(struct program_watch *watch)
{
    program_knockouts_free(&watch->knockouts);
    program_lines_free(&watch->lines);
    for (int n = 0; n < watch->starts; n++) program_parts_free(&watch->part[n]);
    program_input_close(&watch->input);
    program_names_free(&watch->names);
    program_choice_free(&watch->choice);
    chip_counters_free(&watch->counters);
    records_free(&watch->records);
    free(watch->path);
    free(watch->library);
    free(watch->directory);
    free(watch);
}

int program_run(struct run *run, const struct program_options *options, int *status)
{
    struct program_watch *watch = calloc(1, sizeof *watch);
    *status = -1;
    if (!watch) return error_memory();
    watch->run = run;
    watch->options = options;
    watch->input.saved = -1;
    watch->library = program_library();
    int result = watch->library ? 0 : FAIL_OUTPUT;
    if (!result && program_find(options->words[0], &watch->path)) result = FAIL_INPUT;
    if (!result && !(watch->directory = realpath(run->directory, NULL))) result = error_memory();
    if (!result) result = records_read_own(&watch->records);
    if (!result) result = program_input_open(&watch->input);
    if (!result) result = start_all(watch);
    if (watch->starts) *status = watch->end[0].status;
    if (!result) result = write_all(watch);
    if (watch->directory) directory_remove(path_in(watch->directory, "watch").at);
    watch_free(watch);
    return result;
}
