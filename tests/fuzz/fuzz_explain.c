/*
 * Evaluates and explains a whole run. It is refused, or the computed tables can be read back.
 */
#include "tables.h"

#include "base/message.h"
#include "explain/explain.h"
#include "query/query.h"

static void fuzz_begin(void)
{
    tables_open();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct run run;
    struct query query;
    tables_write(data, size);
    if (run_open(&run, run_path)) return 0;
    const int result = explain_run(&run, 0);
    if (result && result != FAIL_INPUT) abort();
    if (!result) {
        if (query_open(&query, &run)) abort();
        for (enum table_id id = TABLE_METRICS; id < TABLE_CHARTS; id++)
            if (query_load(&query, id)) abort();
        query_close(&query);
    }
    run_close(&run);
    return 0;
}
