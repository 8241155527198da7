/*
 * Runs `knockout`: whyfast-gpu measures, then this prints the table of the run.
 */
#include <stdlib.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "command/command.h"
#include "command/gpu_program.h"
#include "lines/knockouts.h"

static const struct print_column columns[] = {
    {.name = "kernel", .head = "kernel", .place = PRINT_GROUP},
    {.name = "knockout"},
    {.name = "title", .head = "without", .is_shown_only = 1},
    {.name = "saved_ns", .head = "saves", .kind = PRINT_TIME},
    {.name = "low_ns", .head = "from", .kind = PRINT_TIME},
    {.name = "high_ns", .head = "to", .kind = PRINT_TIME},
    {.name = "time_ns", .head = "of", .kind = PRINT_TIME},
    {.name = "share_pct", .head = "%", .kind = PRINT_NUMBER, .digits = 1},
    {.name = "patched", .head = "patched", .kind = PRINT_NUMBER},
    {.name = "left", .head = "left", .kind = PRINT_NUMBER},
    {.name = "samples", .kind = PRINT_NUMBER},
    {.name = "status"},
    {.name = "remark", .head = "remark", .place = PRINT_FAINT},
};

/* A kernel that launches more than one function has each under its name. */
static const char rows[] =
    "SELECT k.family || '/' || k.variant || iif(k.sweep > 0, '@' || k.sweep, '') || ', ' || k.size"
    "    || iif(k.launch > 0, ', launch ' || k.launch, '') AS kernel, k.knockout,"
    "  n.title, k.saved_ns, k.low_ns, k.high_ns, k.time_ns,"
    "  100.0 * k.saved_ns / k.time_ns AS share_pct, k.patched, k.left, k.samples, k.status,"
    "  CASE WHEN k.status LIKE '" ABSENT "%' THEN k.status"
    "    WHEN (k.knockout, k.status) = ('nothing', 'none') THEN 'no cost of it can be taken out'"
    "    WHEN k.status <> 'ok' AND k.knockout <> 'nothing' THEN k.status || ': no more than the "
    "unchanged copy seems to save'"
    "    WHEN k.left_reason <> '' THEN k.left_reason"
    "    WHEN k.knockout = 'nothing' AND p.time_ns / k.time_ns NOT BETWEEN 1 / 1.5 AND 1.5"
    "      THEN printf('in the program it takes %s: clock, caches or inputs differ', "
    "        time_text(p.time_ns))"
    "    ELSE nullif(n.note, '') END AS remark"
    "  FROM knockouts k JOIN knockout_kinds n USING (knockout)"
    "  LEFT JOIN (SELECT family, variant, size, median(time_ns) AS time_ns FROM samples"
    "    WHERE kind LIKE 'activity%' GROUP BY 1, 2, 3) p USING (family, variant, size)"
    "  WHERE k.patched + k.left > 0 OR k.knockout = 'nothing' ORDER BY k.rowid";

int knockouts_print(struct run *run, enum print_form form, FILE *to)
{
    struct print_table table = {.name = "knockouts", PRINT_COLUMNS_OF(columns)};
    struct query query;
    int result = query_open(&query, run);
    if (!result) {
        result = knockouts_load(&query);
        if (!result) result = query_load(&query, TABLE_SAMPLES);
        if (!result) result = query_print_rows(&query, rows, NULL, &table);
        if (!result && table.count == 0)
            result = run_fact(run, "program")
                         ? error(FAIL_CHECK,
                                 "%s: has no knock-outs; 'whyfast run --knockout' measures them",
                                 run->path)
                         : error(FAIL_CHECK, "none of these variants has kernels of its own that "
                                             "could be counted");
        if (!result) result = print_table_print(&table, form, "knockout/1", to);
        query_close(&query);
    }
    print_table_free(&table);
    return result;
}

static int print_run(const char *path, enum print_form form)
{
    struct run run;
    const int result = run_open(&run, path);
    if (result) return result;
    const int printed = knockouts_print(&run, form, stdout);
    run_close(&run);
    return printed;
}

/* Returns 1 if the knock-outs of the run were measured while its program ran. */
static int is_of_program(const char *path)
{
    struct run run;
    if (!run_is_at(path) || run_open(&run, path)) return 0;
    const int is_one = run_fact(&run, "program") != NULL;
    run_close(&run);
    return is_one;
}

/* The run is kept if it has a place: -o, or that of the run that is added to. */
int knockout_command(const struct arguments *arguments)
{
    const char *first = arguments->positional_count ? arguments->positional[0] : "";
    const int is_added =
        arguments->output || (arguments->positional_count == 1 && run_is_at(first));
    if (arguments->line && is_added)
        return error(FAIL_USAGE,
                     "knockout: costs of a single line are printed and not kept in a run: "
                     "name variants, without -o");
    if (is_of_program(first)) return print_run(first, arguments_form(arguments));
    char *place = is_added ? NULL : temporary_directory(), *made = NULL;
    if (!is_added && !place) return FAIL_OUTPUT;
    int result = is_added ? gpu_program_run(arguments->command_line, &made)
                          : gpu_program_run_into(place, arguments->command_line, &made);
    if (made && !result) result = print_run(made, arguments_form(arguments));
    free(made);
    if (place) directory_remove(place);
    free(place);
    return result;
}
