/*
 * What the cycle ledger asks of single instructions: sums by opcode and by stall reason of each
 * kernel, made in one pass over lines.csv. Nothing is owned; tables are in the query's database.
 */
#ifndef WHYFAST_OPCODE_SUMS_H
#define WHYFAST_OPCODE_SUMS_H

#include "query/query.h"

/* Loads the table kernels and makes opcode_sums(kernel, opcode, executed) and
 * reason_sums(kernel, reason, not_issued), of the kernels of best settings alone: no other point
 * has a ledger. All rows of lines.csv are checked. Wants the table metrics; the opcode is NULL
 * where the machine code is not known. */
int opcode_sums_load(struct query *query);

#endif
