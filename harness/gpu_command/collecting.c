/*
 * Adds counters, and knock-outs, to a run that was measured.
 */
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/text.h"
#include "collect/collect_counters.h"
#include "gpu/device_identity.h"
#include "gpu_command/gpu_command.h"
#include "run/run_publish.h"
#include "run/table_rows.h"
#include "user_kernels/own_family.h"
#include "version.h"

/* Counters are divided by clean times: both must be measured, not replayed, and on one kind of
 * GPU. Another revision is worth a warning. */
static int same_machine(const struct run *from)
{
    char *device = device_name();
    const char *measured = run_fact(from, "device_name"),
               *revision = run_fact(from, "git_revision");
    int result = device ? 0 : FAIL_GPU;
    if (!result && run_fact(from, "replay_of"))
        result =
            error(FAIL_USAGE, "%s replays a recorded run: measure this machine first", from->path);
    if (!result && measured && strcmp(measured, device))
        result =
            error(FAIL_USAGE, "the run was measured on %s; this machine has %s", measured, device);
    if (!result && revision && strcmp(revision, WHYFAST_REVISION))
        warning("the run was measured by revision %s; this program is %s", revision,
                WHYFAST_REVISION);
    free(device);
    return result;
}

/* A run of a family outside of the tree needs its folder, with the same sources. */
static int same_folders(const struct run *from)
{
    const char *recorded = run_fact(from, "own_families");
    char *loaded = own_provenance();
    int result = loaded ? 0 : error_memory();
    if (loaded && recorded && !*loaded)
        result = error(FAIL_USAGE, "%s is of a folder outside of the tree; name it, too: %s",
                       from->path, recorded);
    else if (loaded && recorded && strcmp(recorded, loaded))
        result = error(FAIL_USAGE, "%s is of other sources: of %s, not %s", from->path, recorded,
                       loaded);
    free(loaded);
    return result;
}

/* Identifies a run by its date and a fingerprint of its facts. Returns NULL if memory is short. The
 * caller frees. */
static char *identity_of(const struct run *run)
{
    char hash[17];
    struct text facts = {0};
    facts_append(&run->facts, &facts);
    char *identity =
        facts.failed ? NULL
                     : text_new("%s %s", run_fact(run, "date") ? run_fact(run, "date") : "",
                                hash_text(hash_bytes(HASH_START, facts.data, facts.length), hash));
    text_free(&facts);
    return identity;
}

/* Refuses to continue a collection that was begun for another run or with other options. */
static int same_collection(struct run *run, const struct run *from,
                           const struct collect_options *options, const char *sets)
{
    char repeats[16], *identity = identity_of(from);
    snprintf(repeats, sizeof repeats, "%d", options->repeats);
    int result = identity ? run_same(run, "run of", identity) : error_memory();
    if (!result) result = run_same(run, "sets", sets);
    if (!result) result = run_same(run, "repeats", repeats);
    if (!result) result = same_making(run);
    free(identity);
    return result;
}

/* Adds counters to a run that was measured: a new run replaces it once they are complete. */
static int collect_again(struct run *run, const struct run *from, const struct arguments *arguments,
                         const struct selection *knocked_out)
{
    const struct collect_options collect = collect_options(arguments);
    const char *seeded = run_fact(from, "seed"), *sets = collect.sets ? collect.sets : "all";
    const uint64_t seed = seeded ? strtoull(seeded, NULL, 10) /* the same inputs */
                                 : measuring_seed(arguments);
    struct collect_asked asked;
    struct selection selection;
    int result = collect_asked(collect.sets, &asked);
    if (!result) result = same_folders(from);
    if (!result) result = selection_of_run(&selection, from);
    if (result) return result;
    const unsigned lines =
        1u << TABLE_SOURCES | 1u << TABLE_SOURCE_FILES | 1u << TABLE_KERNELS | 1u << TABLE_LINES;
    const unsigned traces = 1u << TABLE_TRACES | 1u << TABLE_ACTIVITIES | 1u << TABLE_TRACE_SAMPLES;
    const unsigned replaced = (asked.counters ? 1u << TABLE_COUNTERS : 0) |
                              (asked.lines ? lines : 0) | (asked.timeline ? traces : 0) |
                              (asked.knockouts ? 1u << TABLE_KNOCKOUTS : 0);
    result = same_machine(from);
    if (!result) result = same_collection(run, from, &collect, sets);
    if (!result && !run_unit_done(run, "copy")) {
        result = run_copy_raw(run, from, replaced);
        if (!result)
            result = directory_sync(run->directory); /* before the journal vouches for it */
        if (!result) result = run_fact_set(run, "collected_sets", "%s", sets);
        if (!result) result = run_unit_ready(run, "copy");
    }
    if (!result && asked.counters) result = collect_run(run, &selection, seed, &collect);
    if (!result && asked.lines) result = run_lines(run, seed, collect.demand);
    if (!result && asked.timeline) result = timeline_run(run, seed, &collect);
    if (!result && asked.knockouts) result = knockouts_stage(run, arguments, knocked_out, seed);
    selection_free(&selection);
    return result;
}

/* Makes CUDA see the board on which a chosen device of a merged run was measured. */
static int use_board(const struct arguments *arguments)
{
    struct run run;
    if (!arguments->chosen_count) return use_device(arguments);
    int result = run_open(&run, arguments->chosen[0]);
    if (result) return result;
    const char *uuid = run_fact(&run, "device_uuid");
    result = uuid ? use_named(uuid)
                  : error(FAIL_INPUT, "%s: does not tell the UUID of its device", run.path);
    run_close(&run);
    return result;
}

int collecting_run(const struct arguments *arguments, const struct selection *knocked_out)
{
    struct run from, run;
    int result = run_open(&from, arguments->positional[0]);
    if (result) return result;
    result = use_board(arguments);
    if (!result && !gpu_present()) result = error(FAIL_GPU, "no GPU here to collect counters on");
    if (!result) result = run_begin_result(&run, arguments->output, &from, arguments->resume);
    if (!result) {
        result = collect_again(&run, &from, arguments, knocked_out);
        result = measuring_finish(&run, result, 1);
    }
    run_close(&from);
    return result;
}

int collect_command(const struct arguments *arguments)
{
    const int with_folder =
        arguments->positional_count == 2 && registry_own(arguments->positional[1]);
    if (!with_folder && arguments->positional_count != 1)
        return error(FAIL_USAGE, "collect: expected one run directory");
    return collecting_run(arguments, NULL);
}
