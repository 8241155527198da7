/*
 * Names the causes of the difference between two points. Nothing is owned; tables are in the
 * query's database.
 *
 * Each point has levels, which are its ledger by cause, and features, which are the inputs of the
 * model of its time (explain/time_features.sql names the source of each). Two points have causes:
 * each saves as much as it would have changed the time alone (explain/counterfactual.h).
 *
 * The level of a cause is the sum of the ledger's terms whose records name the cause
 * (metrics/ledger_terms.metric). Five more are split off with the help of counters:
 *   divergence, predication   issue slots of lanes that were inactive or had their predicate off:
 *                             issued * (1 - warp execution efficiency) and issued * warp execution
 *                             efficiency * (1 - predicated on), in whole warps, taken from all but
 *                             the useful work
 *   bank_conflicts            the share of excess wavefronts in the waiting for shared memory
 *   uncoalesced               in the waiting for global memory, the share of the excess sectors of
 *                             global loads
 *   spills                    in the waiting for global and local memory, the share of the sectors
 *                             of local memory, unless waits were charged to instructions (ledger
 *                             status "by producer"): then local memory has terms of its own
 * Levels say where the time goes, not how much of it a change saves: a cycle may be hidden behind
 * others.
 */
#ifndef WHYFAST_CAUSES_H
#define WHYFAST_CAUSES_H

#include "catalog/records.h"
#include "explain/time_model.h"
#include "query/query.h"

/* Makes the tables area(area, place, title) and cause(cause, place, title, area, means, witness,
 * costs, within) from the records, in order. Returns FAIL_INPUT, with file and line, for a cause
 * of an area that has no record. */
int causes_names(struct query *query, const struct records *records);

/* Makes `cause`, the levels in cycles per scheduler as ledger_cause(POINT_KEY, cause, issued,
 * cycles, half), and in time as `levels`, with the columns of run/tables.c. Needs the tables of
 * ledger_make, and metrics. Returns FAIL_INPUT, with file and line, for a term whose cause has no
 * record. */
int causes_levels(struct query *query, const struct records *records);

/* Makes the table `features`, with the columns of run/tables.c. Needs the tables of ledger_make and
 * of causes_levels. */
int causes_features(struct query *query);

/* Makes the table `cause_lines`, with the columns of run/tables.c. Needs the tables of ledger_make,
 * and `sources`. */
int causes_lines(struct query *query);

/* The point whose keys are in the scope under the names family, variant, size, block, sweep,
 * device. */
#define CAUSES_POINT                                                                               \
    "family = :family AND variant = :variant AND size = :size AND block = CAST(:block AS "         \
    "INTEGER) AND sweep = CAST(:sweep AS INTEGER) AND device = CAST(:device AS INTEGER)"

/* Reads the features of CAUSES_POINT; `count` is 0 if it has none. The causes point into the
 * records. Returns FAIL_INPUT for an input or a cause that is unknown. */
int causes_point(struct query *query, const struct records *records, const struct scope *scope,
                 struct time_point *point);

/* Makes the empty tables `causes` and `details`. */
int causes_tables(struct query *query);

struct causes_change {
    double saved_ns;      /* time before minus time after */
    double half_ns;       /* below it a cause is unresolved */
    const char *evidence; /* as in steps.csv */
};

/* Returns what a cause must exceed to be resolved: the noise of both times, and 1 % of their mean
 * as the error of the model, whose median error on the time of a point is 2 %, much of it in
 * common. */
double causes_half_ns(double before_ns, double before_half_ns, double after_ns,
                      double after_half_ns);

/* Adds the rows of a change to `causes` and `details`. `key` has the cells of their first columns
 * as SQL. Adds nothing if one of the points has no features, or none that make a time.
 * Without a change, causes have no shares. */
int causes_insert(struct query *query, const struct records *records,
                  const struct time_point *before, const struct time_point *after,
                  const struct causes_change *change, const char *key);

/* Sets the status of resolved causes whose witness did not move by 0.5 %, or moved the wrong way.
 */
int causes_check_witnesses(struct query *query);

/* Makes the tables `causes`, `details` and `said` for all rows of the table `steps`. A step
 * without counters on one side has no rows in `causes`. */
int causes_make(struct query *query, const struct records *records);

/* Makes the table `said`, with the columns of run/tables.c, for all rows of the table `steps`: the
 * one place where a change and its causes are judged, named, ordered and put into words
 * (explain/said.sql). Needs `causes`, `details`, `cause`, metrics, variants and points. */
int causes_said(struct query *query);

#endif
