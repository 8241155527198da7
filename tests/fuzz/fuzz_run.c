/*
 * Reads run.txt and the journal of an interrupted run, in one input with a NUL byte between them.
 * They are refused, or the result, written and read again, is the same.
 */
#include "fuzz.h"

#include "run/run.h"

static char run_path[600], journal_path[600];

static void fuzz_begin(void)
{
    fuzz_open("run.part", "run.part/run.txt");
    snprintf(run_path, sizeof run_path, "%s/run", scratch);
    snprintf(journal_path, sizeof journal_path, "%s/run.part/journal.txt", scratch);
}

static void read_facts(void)
{
    struct run run, again;
    char directory[600];
    snprintf(directory, sizeof directory, "%s/run.part", scratch);
    if (run_open(&run, directory)) return;
    if (run_write_facts(&run) || run_open(&again, directory) ||
        run.facts.count != again.facts.count)
        abort();
    for (int i = 0; i < run.facts.count; i++)
        if (strcmp(run.facts.fact[i].key, again.facts.fact[i].key) ||
            strcmp(run.facts.fact[i].value, again.facts.fact[i].value))
            abort();
    run_close(&again);
    run_close(&run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *cut = memchr(data, 0, size);
    const size_t length = cut ? (size_t)(cut - data) : size;
    struct run run;
    write_input(data, length);
    FILE *journal = fopen(journal_path, "wb");
    if (!journal) abort();
    if (cut) fwrite(cut + 1, 1, size - length - 1, journal);
    fclose(journal);
    read_facts();
    if (run_begin(&run, run_path, 1)) return 0;
    run_unit_done(&run, "unit");
    if (run_unit_finish(&run, "unit") || run_unit_finish(&run, "other")) abort();
    run_close(&run);
    if (run_begin(&run, run_path, 1))
        abort(); /* a run that was resumed once can be resumed again */
    if (!run_unit_done(&run, "unit") || !run_unit_done(&run, "other")) abort();
    run_close(&run);
    return 0;
}
