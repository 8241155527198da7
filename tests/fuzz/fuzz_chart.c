/*
 * Reads the head of a gnuplot script under plots/. It is refused, or no string of a run leaves its
 * quotes in the commands that are written.
 */
#define plot_run fuzzed_plot_run
#define plot_sizes fuzzed_plot_sizes
#include "report/plot.c"

#include "fuzz.h"

FUZZ_INPUT("plots", "plots/input.gp")

/* Each line written to gnuplot must be `name = 'string'`, `load ...`, `reset session` or `unset
 * output`. */
static void check_commands(const char *text)
{
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const size_t length = strcspn(line, "\n");
        const char *quote = memchr(line, '\'', length);
        int open = 0;
        for (const char *p = quote; p && p < line + length; p++) open ^= *p == '\'';
        if (open) abort();
        if (quote && length > 0 && line[length - 1] != '\'') abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct chart_script script;
    write_input(data, size);
    if (!chart_script_read(&script, scratch, "input.gp")) {
        char *words = fuzz_text(data, size);
        const char *const name[] = {"family", "size", "message"}, *const value[] = {words, "8",
                                                                                    NULL};
        const struct scope row = {NULL, 3, name, value};
        struct run run = {0};
        if (run_fact_set(&run, "device_name", "%s", words)) abort();
        struct text title = {0}, safe = {0}, out = {0};
        fill_words(&title, text_string(&script.value[KEY_TITLE]), &row);
        append_safe(&safe, words);
        if (strpbrk(text_string(&safe), "/.\n'\" ")) abort();
        for (int terminal = 0; terminal < TERMINALS; terminal++)
            append_commands(&out, script.name, terminal, "chart", text_string(&title), &row, &run);
        check_commands(text_string(&out));
        text_free(&out);
        text_free(&title);
        text_free(&safe);
        facts_free(&run.facts);
        free(words);
    }
    chart_script_free(&script);
    return 0;
}
