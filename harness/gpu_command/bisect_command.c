/*
 * Finds the first commit that makes kernels slower. What the machine code decides is not measured;
 * 'whyfast diff' measures the rest, and explains the commit that is found.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/process.h"
#include "gpu/device_identity.h"
#include "gpu_command/gpu_command.h"
#include "run/run_publish.h"
#include "versions/version_history.h"
#include "versions/version_outputs.h"
#include "watched_program/program_run.h"

enum { OWN_WORDS = 16 };

/* What is known of the speed of a revision, and from where. */
struct judgement {
    const char *verdict, *by;
};

struct bisect {
    const struct arguments *arguments;
    struct version_history history;
    struct judgement *judged; /* for each revision */
    char *directory;
    char *answer; /* what 'diff' printed of the last comparison */
    int measured, low, high;
    int is_found; /* the commit `high` is the first one that is slower, or one of those down to low
                   */
};

/* ---- measuring ------------------------------------------------------------------------------- */

/* Links a name to the tree of a revision, so that `diff` calls it by its id. */
static int name_tree(const struct bisect *bisect, enum version_tree tree, int at)
{
    const struct path link = path_in(bisect->directory, bisect->history.revision[at].id);
    unlink(link.at);
    return symlink(bisect->history.folder[tree], link.at)
               ? error(FAIL_OUTPUT, "%s: cannot be made", link.at)
               : 0;
}

/* The words of a comparison; those of the last one ask for the causes. */
static int write_words(const struct bisect *bisect, int from, int to, const char *run,
                       const char **word)
{
    static const char script[] = "cd \"$1\" && shift && exec \"$@\"";
    const struct arguments *arguments = bisect->arguments;
    const char *begin[] = {"sh",
                           "-c",
                           script,
                           "sh",
                           bisect->directory,
                           "",
                           "diff",
                           bisect->history.revision[from].id,
                           bisect->history.revision[to].id,
                           "--build",
                           ":",
                           "-o",
                           run};
    int count = 0, program = 0;
    for (; count < (int)(sizeof begin / sizeof *begin); count++) word[count] = begin[count];
    if (!bisect->is_found) word[count++] = "--no-counters", word[count++] = "--no-compare";
    if (bisect->is_found && arguments->no_counters) word[count++] = "--no-counters";
    if (arguments->kernel) word[count++] = "--kernel", word[count++] = arguments->kernel;
    if (arguments->device_count) word[count++] = "--device", word[count++] = arguments->device[0];
    word[count++] = "--";
    while (arguments->program[program]) {
        if (program == VERSION_WORDS) return error(FAIL_USAGE, "bisect: too many arguments");
        word[count++] = arguments->program[program++];
    }
    word[count] = NULL;
    return 0;
}

/* Takes the exit status of `diff`, which has written a run if it has compared. */
static int take_status(struct bisect *bisect, const struct process *child, int to, const char *run,
                       int *is_slower)
{
    char reason[REASON_BYTES];
    const int status = process_status(child->status);
    if (interrupted() || status == 130) return FAIL_INTERRUPTED;
    process_reason(child, reason, sizeof reason);
    *is_slower = status == -FAIL_CHECK;
    if ((status == 0 || *is_slower) && file_exists(run)) return 0;
    if (status == -FAIL_COMPARE || *is_slower) {
        const int failed = version_history_fail(&bisect->history, to, reason);
        return failed ? failed : FAIL_COMPARE;
    }
    return error(status == -FAIL_GPU     ? FAIL_GPU
                 : status == -FAIL_USAGE ? FAIL_USAGE
                                         : FAIL_OUTPUT,
                 "%s", reason);
}

/* Compares two revisions. Returns FAIL_COMPARE, without a message, if they cannot be compared: one
 * of them has a failure then. */
static int measure(struct bisect *bisect, int from, int to, int *is_slower)
{
    struct version_history *history = &bisect->history;
    const char *word[OWN_WORDS + VERSION_WORDS + 12];
    const struct path place = path_in(bisect->directory, "run");
    const char *run =
        bisect->is_found && bisect->arguments->output ? bisect->arguments->output : place.at;
    char *folder = *run == '/' ? NULL : realpath(".", NULL), *program = program_file("whyfast");
    char *absolute = folder ? text_new("%s/%s", folder, run) : strdup(run);
    struct process child;
    int result = program && absolute ? 0 : error(FAIL_OUTPUT, "whyfast is not beside this program");
    free(bisect->answer);
    bisect->answer = NULL;
    if (!result) result = version_history_place(history, TREE_BEFORE, from);
    if (!result) result = version_history_place(history, TREE_AFTER, to);
    if (!result) result = name_tree(bisect, TREE_BEFORE, from);
    if (!result) result = name_tree(bisect, TREE_AFTER, to);
    if (!result) result = write_words(bisect, from, to, absolute, word);
    if (!result) {
        word[5] = program;
        note("measuring %s against %s", history->revision[to].id, history->revision[from].id);
        directory_remove(place.at);
        result = process_start(&child, (char *const *)(uintptr_t)word, PROCESS_OF_OURS);
    }
    if (!result) {
        process_wait(&child, 1);
        result = take_status(bisect, &child, to, absolute, is_slower);
        bisect->answer = process_read(child.output);
        process_free(&child);
        bisect->measured++;
    }
    free(absolute);
    free(program);
    free(folder);
    return result;
}

/* ---- searching ------------------------------------------------------------------------------- */

/* Returns the revision nearest to the middle that can be looked at, or -1. */
static int middle(const struct bisect *bisect)
{
    const int middle = (bisect->low + bisect->high) / 2;
    for (int away = 0; away < bisect->high - bisect->low; away++)
        for (int sign = -1; sign <= 1; sign += 2) {
            const int at = middle + sign * away;
            if (at > bisect->low && at < bisect->high && !bisect->history.revision[at].failure)
                return at;
        }
    return -1;
}

/* Returns FAIL_COMPARE, with a message, if a revision has a failure. */
static int check_revision(const struct bisect *bisect, int at)
{
    const struct version_revision *revision = &bisect->history.revision[at];
    return revision->failure ? error(FAIL_COMPARE, "%s: %s", revision->id, revision->failure) : 0;
}

/* Decides whether a revision is slower than the good one, by its code if possible. */
static int judge(struct bisect *bisect, int at)
{
    const struct version_revision *revision = bisect->history.revision;
    struct judgement *judged = bisect->judged;
    int is_slower = 0;
    int result = version_history_know(&bisect->history, at);
    if (result || revision[at].failure) return result;
    if (revision[at].code == revision[bisect->low].code)
        judged[at] = (struct judgement){judged[bisect->low].verdict, "machine code"};
    else if (judged[bisect->high].verdict && revision[at].code == revision[bisect->high].code)
        judged[at] = (struct judgement){judged[bisect->high].verdict, "machine code"};
    else {
        result = measure(bisect, 0, at, &is_slower);
        if (result == FAIL_COMPARE) return check_revision(bisect, 0);
        if (!result) judged[at] = (struct judgement){is_slower ? "slower" : "not slower", "time"};
    }
    return result;
}

static int is_slower(const struct bisect *bisect, int at)
{
    return bisect->judged[at].verdict && !strcmp(bisect->judged[at].verdict, "slower");
}

/* Compares the commit that is found with the one before. It stays found if that fails. */
static int explain(struct bisect *bisect)
{
    const int ends[] = {bisect->low, bisect->high};
    int unused;
    int result = measure(bisect, bisect->low, bisect->high, &unused);
    for (int i = 0; i < 2 && result == FAIL_COMPARE; i++) {
        struct version_revision *revision = &bisect->history.revision[ends[i]];
        check_revision(bisect, ends[i]);
        free(revision->failure);
        revision->failure = NULL;
    }
    return result;
}

static int search(struct bisect *bisect)
{
    const struct version_revision *revision = bisect->history.revision;
    int result = 0, at;
    bisect->judged[0] = (struct judgement){"not slower", "the command line"};
    result = judge(bisect, bisect->high);
    if (!result) result = check_revision(bisect, bisect->high);
    if (result || !is_slower(bisect, bisect->high)) return result;
    while (!result && (at = middle(bisect)) >= 0) {
        result = judge(bisect, at);
        if (result || revision[at].failure) continue;
        *(is_slower(bisect, at) ? &bisect->high : &bisect->low) = at;
    }
    bisect->is_found = !result;
    return result ? result : explain(bisect);
}

static int look_at_all(struct bisect *bisect)
{
    int result = 0;
    progress_begin("building", "revisions", bisect->history.count);
    for (int i = 0; i < bisect->history.count && !result; i++) {
        progress_next(1, bisect->history.revision[i].id);
        result = version_history_know(&bisect->history, i);
    }
    return progress_end(result);
}

/* ---- printing -------------------------------------------------------------------------------- */

static const struct print_column columns[] = {
    {.name = "commit", .head = "commit"},
    {.name = "code", .head = "machine code"},
    {.name = "verdict", .head = "verdict"},
    {.name = "known_by", .head = "known by"},
    {.name = "subject", .head = "subject", .place = PRINT_WORDS},
    {.name = "change", .head = "", .place = PRINT_NOTE},
    {.name = "is_first", .kind = PRINT_FLAG},
};
enum { COLUMNS = sizeof columns / sizeof *columns, VERDICT = 2, KNOWN_BY = 3 };

/* Counts of the revisions that were looked at. */
struct counts {
    int known, changed, failed;
};

static void add_row(struct print_table *table, const struct bisect *bisect, int at,
                    const struct program_code *before)
{
    const struct version_revision *revision = &bisect->history.revision[at];
    const struct judgement *judged = &bisect->judged[at];
    struct text change = {0};
    if (revision->failure)
        text_append(&change, revision->failure);
    else if (before && revision->code != before)
        program_code_change(&change, before, revision->code);
    print_table_text(table, revision->id);
    print_table_text(table, revision->failure          ? "absent"
                            : !before                  ? "first"
                            : revision->code == before ? "same"
                                                       : "changed");
    print_table_text(table, revision->failure ? NULL : judged->verdict);
    print_table_text(table, revision->failure ? NULL : judged->by);
    print_table_text(table, revision->subject);
    print_table_text(table, change.length ? change.data : NULL);
    print_table_number(table, bisect->is_found && at == bisect->high);
    table->failed |= change.failed;
    text_free(&change);
}

/* A row for each revision that is known; on the screen of all revisions, only for those that
 * change the code or have none. */
static struct counts fill(struct print_table *table, const struct bisect *bisect, int is_short)
{
    const struct program_code *before = NULL;
    struct counts counts = {0, 0, 0};
    for (int i = 0; i < bisect->history.count; i++) {
        const struct version_revision *revision = &bisect->history.revision[i];
        if (!revision->is_known) continue;
        const int is_same = before && !revision->failure && revision->code == before;
        if (!is_short || !is_same) add_row(table, bisect, i, before);
        counts.known++;
        counts.failed += revision->failure != NULL;
        counts.changed += before && !revision->failure && !is_same;
        if (!revision->failure) before = revision->code;
    }
    return counts;
}

static void append_finding(struct text *page, const struct bisect *bisect)
{
    const struct version_revision *revision = bisect->history.revision,
                                  *found = &revision[bisect->high];
    const int skipped = bisect->high - bisect->low - 1;
    if (!bisect->is_found) {
        text_format(page, "%s is not slower than %s%s.\n", revision[bisect->history.count - 1].id,
                    revision[0].id,
                    bisect->measured ? "" : ": the machine code of the kernels is the same");
        return;
    }
    text_format(page, "The first slower commit is %s", found->id);
    if (skipped == 1) text_append(page, " or the one before it, which was skipped");
    if (skipped > 1) text_format(page, " or one of the %d before it, which were skipped", skipped);
    terminal_line(page, ": %s\n\n%s", found->subject, bisect->answer ? bisect->answer : "");
}

static int print(const struct bisect *bisect, int is_search)
{
    const enum print_form form = arguments_form(bisect->arguments);
    struct print_column shown[COLUMNS];
    struct print_table table = {.name = "commits", .column = shown, .columns = COLUMNS};
    const struct terminal screen = terminal_of_stdout();
    struct text page = {0};
    memcpy(shown, columns, sizeof columns);
    if (!is_search) shown[VERDICT].head = shown[KNOWN_BY].head = NULL;
    const struct counts counts = fill(&table, bisect, form == PRINT_SCREEN && !is_search);
    if (form != PRINT_SCREEN) {
        const int result = print_table_print(&table, form, "bisect/1", stdout);
        print_table_free(&table);
        return result;
    }
    text_format(&page,
                "%d commits, %d looked at: %d with other machine code than the one before, %d "
                "without any; %d comparisons measured.\n\n",
                bisect->history.count - 1, counts.known - 1, counts.changed, counts.failed,
                bisect->measured);
    print_table_append(&page, &table, &screen);
    text_append(&page, "\n");
    if (is_search) append_finding(&page, bisect);
    print_table_free(&table);
    return page_print(stdout, &page, 0);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int check(const struct arguments *arguments)
{
    const struct program_filter filter = {.kernel = arguments->kernel, .process = -1};
    if (arguments->positional_count || !arguments->good || !arguments->bad || !arguments->build ||
        !arguments->program || !arguments->program[0])
        return error(FAIL_USAGE, "bisect: expected two revisions, a build and a program, as in "
                                 "'whyfast bisect --good v1 --bad HEAD --build make -- ./bench'");
    int result = program_filter_check(&filter);
    if (!arguments->output || arguments->dry_run) return result;
    if (!result) result = run_publish_check(arguments->output);
    return result ? result : run_publish_check_earlier(arguments->output);
}

/* The ends must have code. */
static int check_ends(struct bisect *bisect)
{
    const int last = bisect->history.count - 1, ends[] = {0, last};
    int result = 0;
    for (int i = 0; i < 2 && !result; i++) {
        result = version_history_know(&bisect->history, ends[i]);
        if (!result) result = check_revision(bisect, ends[i]);
    }
    return result;
}

static int work(struct bisect *bisect)
{
    const struct arguments *arguments = bisect->arguments;
    const struct version_history *history = &bisect->history;
    int result = check_ends(bisect);
    if (result) return result;
    bisect->high = history->count - 1;
    const int is_equal = history->revision[0].code == history->revision[bisect->high].code,
              has_gpu = !arguments->dry_run && !is_equal && gpu_present(),
              is_search = !arguments->dry_run && (is_equal || has_gpu);
    result = is_search ? search(bisect) : look_at_all(bisect);
    const int printed = !result || bisect->is_found ? print(bisect, is_search) : 0;
    if (result || printed) return result ? result : printed;
    if (!is_search && !arguments->dry_run)
        return error(FAIL_GPU, "no GPU here to measure which of these commits is slower");
    return bisect->is_found ? FAIL_CHECK : 0;
}

/* The code of nvcc's programs must not be compressed, and have a line table; neither changes it. */
static void set_flags(void)
{
    const char *flags = getenv("NVCC_APPEND_FLAGS");
    char *more =
        text_new("%s%s-lineinfo -Xfatbin=-compress=false", flags ? flags : "", flags ? " " : "");
    if (more) setenv("NVCC_APPEND_FLAGS", more, 1);
    free(more);
}

int bisect_command(const struct arguments *arguments)
{
    struct bisect bisect = {.arguments = arguments};
    struct version_history *history = &bisect.history;
    regex_t kernels;
    int result = check(arguments);
    if (!result && !arguments->dry_run) result = use_device(arguments);
    if (result) return result;
    set_flags();
    bisect.directory = temporary_directory();
    if (!bisect.directory) return FAIL_OUTPUT;
    if (arguments->kernel) regcomp(&kernels, arguments->kernel, REG_EXTENDED | REG_NOSUB);
    *history = (struct version_history){.directory = bisect.directory,
                                        .build = arguments->build,
                                        .program = arguments->program[0],
                                        .kernels = arguments->kernel ? &kernels : NULL};
    result = version_history_read(history, arguments->good, arguments->bad);
    if (!result) bisect.judged = calloc((size_t)history->count, sizeof *bisect.judged);
    if (!result && !bisect.judged) result = error_memory();
    if (!result) result = work(&bisect);
    if (arguments->kernel) regfree(&kernels);
    version_history_free(history);
    directory_remove(bisect.directory);
    free(bisect.directory);
    free(bisect.judged);
    free(bisect.answer);
    if (result == FAIL_INTERRUPTED) return error(FAIL_INTERRUPTED, "interrupted; nothing was kept");
    return result;
}
