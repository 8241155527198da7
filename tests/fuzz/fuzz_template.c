/*
 * Fills templates of the report in HTML, in Markdown and as scripts, or refuses them. No statement
 * in a template may change the reported data.
 */
#include "fuzz.h"

#include "base/message.h"
#include "query/query.h"
#include "run/run.h"
#include "report/template.h"

static struct run run;
static struct query query;

static void fuzz_begin(void)
{
    fuzz_open("run", "run/run.txt");
    static const char facts[] =
        "whyfast run 1\nstatus: complete\ndate: 2026-01-02\ndevice_name: <b>\"x\" | y</b>\n";
    char path[600];
    write_input((const uint8_t *)facts, strlen(facts));
    snprintf(path, sizeof path, "%s/run", scratch);
    if (run_open(&run, path) || query_open(&query, &run)) abort();
    if (query_write(&query, "CREATE TABLE variants(family, variant, title); INSERT INTO variants "
                            "VALUES('f', '01_a', 'A <i>|\"'), ('f', '02_b', NULL);"
                            "CREATE TABLE metrics(family, variant, time_ns REAL); INSERT INTO "
                            "metrics VALUES('f', '01_a', 1.5), ('f', '02_b', NULL)"))
        abort();
}

static int is_alive(void *context)
{
    int *steps = context;
    return ++*steps > 2000; /* a statement may be endless, which is its author's fault */
}

/* All pages of a template go into one file. */
static int open_page(void *context, const char *name, FILE **file)
{
    *file = context;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const name[] = {"date", "device_name", "replayed_from"},
                             *const value[] = {"2026-01-02", "<b>\"x\" | y</b>", NULL};
    const struct scope facts = {.count = 3, .name = name, .value = value};
    char *text = fuzz_text(data, size), *out = NULL, *rows = NULL;
    size_t length = 0;
    static const char *const paths[] = {"template.html", "template.md", "template.js"};
    for (int kind = 0; kind < 3; kind++) {
        int steps = 0;
        FILE *file = open_memstream(&out, &length);
        if (!file) abort();
        struct template page = {
            .query = &query, .path = paths[kind], .text = text, .open = open_page, .context = file};
        sqlite3_progress_handler(query.database, 1000, is_alive, &steps);
        template_fill(&page, &facts);
        sqlite3_progress_handler(query.database, 0, NULL, NULL);
        fclose(file);
        free(out);
    }
    if (query_text(&query, NULL, "SELECT count(*) FROM variants JOIN metrics USING (variant)", NULL,
                   &rows) ||
        !rows || strcmp(rows, "2"))
        abort();
    free(rows);
    free(text);
    return 0;
}
