/*
 * Sums what the cycle ledger needs of single instructions, by opcode and by stall reason of each
 * kernel. Nothing is owned; the tables are in the query's database.
 */
#ifndef WHYFAST_OPCODE_SUMS_H
#define WHYFAST_OPCODE_SUMS_H

#include "query/query.h"

/* Makes opcode_sums(kernel, opcode, executed) and reason_sums(kernel, reason, not_issued) of the
 * kernels of best settings: no other point has a ledger. The opcode is NULL if the machine code is
 * not known. Needs the table metrics, and loads what lines_tables_load_rows does. */
int opcode_sums_load(struct query *query);

#endif
