#include "lines/opcode_sums.h"

#include "lines/lines_tables.h"

int opcode_sums_load(struct query *query)
{
    static const char best[] = "SELECT k.kernel FROM kernels k JOIN metrics m USING (family, "
                               "variant, size, block, sweep) WHERE m.best = 1",
                      sums[] = "CREATE TABLE opcode_sums AS SELECT kernel, opcode_of(sass) AS "
                               "opcode, sum(executed) AS executed FROM lines WHERE executed IS NOT "
                               "NULL GROUP BY kernel, opcode_of(sass);"
                               "CREATE TABLE reason_sums AS SELECT l.kernel, s.reason, "
                               "sum(s.not_issued) AS not_issued FROM line_stalls s JOIN lines l ON "
                               "l.rowid = s.id GROUP BY l.kernel, s.reason";
    const int result = lines_tables_load_rows(query, best);
    return result ? result : query_write(query, "%s", sums);
}
