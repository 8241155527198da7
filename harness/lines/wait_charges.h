/*
 * Charges the stall samples of each instruction to what it waits for
 * (machine_code/wait_producers.h). Nothing is owned; the tables are in the query's database.
 *
 * wait_charges has a row for each waiting instruction, stall reason and producer, with the columns
 * kernel, pc, reason, class, kind, producer_pc, idiom, role, samples, not_issued. code_idioms has a
 * row for each instruction of an idiom (machine_code/code_idioms.h): kernel, idiom, pc, name.
 *
 * Reasons: long_scoreboard, short_scoreboard and gmma (the sampler's name is warpgroup_arrive) wait
 * for another instruction. In kernels that multiply on tensor cores so does barrier, but only an
 * instruction that waits for products (WARPGROUP.DEPBAR) has a producer. mio_throttle, lg_throttle
 * and tex_throttle wait for room in the queue of the instruction's own unit: kind 'queue', the
 * class is its own, and so is producer_pc; NULL if it is not known to have one (BAR). So does
 * math_pipe_throttle, but only in kernels that multiply on tensor cores, and only a product of
 * matrices has a class ('tensor').
 *
 * class, of the producer ("global_load", machine_code/wait_producers.c), is NULL if none was found.
 * kind is 'result', 'operands', 'pending' (machine_code/wait_producers.h), 'queue' or 'unknown'.
 * role, of a wait at an mbarrier, is 'consumer' (waits for data), 'producer' (waits for a free
 * slot), 'both', or NULL. samples and not_issued are a part of those of the instruction: of the
 * producers whose class fits the reason, those of the most certain kind share them by how often
 * they were executed, so that a producer on a path that is rarely taken gets little.
 */
#ifndef WHYFAST_WAIT_CHARGES_H
#define WHYFAST_WAIT_CHARGES_H

#include "query/query.h"

/* Makes the tables for the kernels in `lines`. Needs kernels, lines and line_stalls
 * (lines_tables_load_rows). A kernel that was only sampled has the code of the same kernel at the
 * size at which its instructions were counted; one without machine code has only rows of kind
 * 'unknown'. */
int wait_charges_make(struct query *query);

#endif
