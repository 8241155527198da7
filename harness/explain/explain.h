/*
 * Explains a run: computes steps, verdicts, moved metrics, the cycle ledger with its causes and
 * what is said of them, ablation and demands, from the raw tables and those of evaluate/evaluate.h.
 * Nothing is owned.
 */
#ifndef WHYFAST_EXPLAIN_H
#define WHYFAST_EXPLAIN_H

#include "catalog/records.h"
#include "query/query.h"

/* Evaluates a run and explains it, in one database, and writes all files; without warnings if
 * `is_quiet` is set. Both are units of the progress that is shown. */
int explain_run(struct run *run, int is_quiet);

/* Evaluates and explains, in the database alone, the part of a run that a question needs: of one
 * family, or of all if `family` is NULL. If `size` is not NULL, takes only the points of this size
 * and of the one at which the instructions of the family were counted, which the ledger of any size
 * needs. The results are those of the whole run. Makes `said` if it is set, and no tables that no
 * question asks for. The database may have families, variants and points. */
int explain_part(struct query *query, const struct records *records, const char *family,
                 const char *size, int with_said);

/* Returns 1 if the run has the files of evaluate and explain. */
int explain_is_done(const struct run *run);

#endif
