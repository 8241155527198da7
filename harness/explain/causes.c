#include "explain/causes.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "catalog/point_key.h"
#include "explain/cause_lines.sql.h"
#include "explain/account_names.h"
#include "explain/account_scaled.h"
#include "explain/account_sentence.h"
#include "explain/cause_detail.h"
#include "explain/cause_witness.h"
#include "explain/experiments.sql.h"
#include "explain/explain_tables.h"
#include "explain/levels.sql.h"
#include "explain/line_place.sql.h"
#include "explain/resources.sql.h"
#include "explain/said.sql.h"
#include "lines/knockouts.h"

/* ---- levels ---------------------------------------------------------------------------------- */

/* The view `advised` says what may still be gained, and what to try where that holds; in `advice`
 * causes that save a time only together are one row, of no area if theirs differ. */
int causes_names(struct query *query, const struct records *records)
{
    static const char names[] =
        "CREATE TABLE area(area TEXT PRIMARY KEY, place INTEGER, title);"
        "CREATE TABLE cause(cause TEXT PRIMARY KEY, place INTEGER, title, area, means, witness, "
        "costs, counts, try);"
        "CREATE VIEW advised AS SELECT r.*, c.title, c.area, iif(r.is_advised = 0, NULL, c.try) AS "
        "try, r.bound || ' ' || time_text(r.saved_ns) || printf(' (%.1f %%)', r.share_pct) AS "
        "amount, nullif(ltrim(coalesce('; ' || r.part || ' cost ' || time_text(r.part_ns) || ', "
        "measured', '') || coalesce('; ' || r.later || ' saved ' || time_text(r.later_saved_ns), "
        "''), '; '), '') AS aside FROM remains r JOIN cause c USING (cause);"
        "CREATE VIEW advice AS SELECT " POINT_KEY ", min(place) AS place, group_concat(cause, ' ') "
        "AS cause, group_concat(title, ' and ') AS title, iif(min(area) = max(area), area, NULL) "
        "AS area, bound, saved_ns, share_pct, group_concat(iif(is_advised = 0, cause, NULL), ' ') "
        "AS unadvised, group_concat(try, ' ') AS try, amount, group_concat(aside, '; ') AS aside "
        "FROM (SELECT * FROM advised ORDER BY place) GROUP BY " POINT_KEY
        ", iif(bound = 'at most together', -saved_ns, place)";
    if (query_has_column(query, "cause", NULL)) return 0;
    int result = query_write(query, "%s", names);
    for (int i = 0; i < records->count && !result; i++) {
        const struct record *record = &records->record[i];
        if (record->kind == RECORD_AREA)
            result = query_run(query, NULL, "INSERT INTO area VALUES(?, ?, ?)", "tit", record->name,
                               i, record_field(record, "title"));
        if (record->kind != RECORD_CAUSE) continue;
        const char *area = record_field(record, "area");
        if (area && !records_find(records, RECORD_AREA, area))
            return error(FAIL_INPUT, "%s:%d: no area is called '%s'", record->file,
                         record_line(record, "area"), area);
        result = query_run(query, NULL, "INSERT INTO cause VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
                           "tittttttt", record->name, i, record_field(record, "title"), area,
                           record_field(record, "means"), record_field(record, "witness"),
                           record_field(record, "costs"), record_field(record, "counts"),
                           record_field(record, "try"));
    }
    return result;
}

int causes_levels(struct query *query, const struct records *records)
{
    int result = causes_names(query, records);
    for (int i = 0; i < records->count && !result; i++) {
        const struct record *record = &records->record[i];
        const char *cause = record->kind == RECORD_TERM ? record_field(record, "cause") : NULL;
        if (cause && !records_find(records, RECORD_CAUSE, cause))
            result = error(FAIL_INPUT, "%s:%d: no cause is called '%s'", record->file,
                           record_line(record, "cause"), cause);
    }
    return result ? result : query_write(query, "%s", levels_sql);
}

int causes_lines(struct query *query)
{
    return query_write(query, "%s %s", line_place_sql, cause_lines_sql);
}

/* ---- one change ------------------------------------------------------------------------------ */

struct rows {
    struct cause_row row[ACCOUNT_CAUSES + 4 + ACCOUNT_MOVED];
    int count;
};

static struct cause_row *find_row(struct rows *rows, const char *cause)
{
    for (int i = 0; i < rows->count; i++)
        if (!strcmp(rows->row[i].cause, cause)) return &rows->row[i];
    rows->row[rows->count] = (struct cause_row){.cause = cause, .inferred_ns = NAN};
    return &rows->row[rows->count++];
}

/* The place of the cause in the sentence, from 1 on, and 0 if it does not name it. */
static int place_of(const struct account_cause *cause, const struct account_named *named, int count)
{
    for (int i = 0; i < count; i++)
        if (cause->words && (cause->words & ~named[i].words) == 0 &&
            cause->left_ns * named[i].share != 0)
            return i + 1;
    return 0;
}

/* Accesses whose lanes are all off are a cause of their own among the wavefronts without conflicts,
 * if theirs moved further. */
static const char *wavefronts_of(const struct account *account, double saved_ns)
{
    static const char *const names[] = {"off_wavefronts", "needed_wavefronts"};
    double moved[2];
    for (int i = 0; i < 2; i++)
        moved[i] = saved_ns * (account_number(account->side[0], names[i]) -
                               account_number(account->side[1], names[i]));
    return moved[0] > fmax(moved[1], 0) ? "lanes_off" : "shared_traffic";
}

static void add_demand(struct rows *rows, const struct account_named *named)
{
    struct cause_row *row = find_row(rows, account_cause_id(named->words));
    row->named = 1;
    row->demand = named->demand;
}

/* Collects the causes that are named. If none is, the unit whose demand changed most stands for
 * them, without a time. */
static void collect_rows(const struct account *account, struct rows *rows)
{
    struct account_named named[ACCOUNT_NAMED];
    const int count = account_sentence(account, named);
    rows->count = 0;
    for (int i = 0; i < account->causes; i++) {
        const struct account_cause *cause = &account->cause[i];
        const int place = count && named[0].demand ? 0 : place_of(cause, named, count);
        struct cause_row *row = find_row(rows, account_cause_id(cause->words));
        row->gross_ns += cause->saved_ns;
        row->saved_ns += cause->left_ns;
        if (cause->kind >= ACCOUNT_COUNT) row->waits_ns += cause->left_ns;
        if (place && (!row->named || place < row->named)) row->named = place;
    }
    for (int i = 0; i < rows->count; i++) {
        struct cause_row *row = &rows->row[i];
        if (fabs(row->saved_ns) < 1e-9 * account->before.time_ns) /* left of a difference */
            row->saved_ns = 0;
        if (!strcmp(row->cause, "shared_traffic"))
            row->cause = wavefronts_of(account, row->gross_ns);
    }
    if (count && named[0].demand) add_demand(rows, &named[0]);
    uint64_t moved[ACCOUNT_MOVED];
    const int others = account_moved(account, named, count, moved);
    for (int i = 0; i < others; i++) {
        const char *cause = account_cause_id(moved[i]);
        if (!strcmp(cause, "shared_traffic"))
            cause = wavefronts_of(account, account->before.fact[FACT_other_wavefronts] -
                                               account->after.fact[FACT_other_wavefronts]);
        struct cause_row *row = find_row(rows, cause);
        if (!row->named) row->named = ACCOUNT_NAMED + 1 + i;
    }
}

/* Adds to what was measured what the account would infer without the experiments: of barriers, of
 * conflicts, and of both, in `inferred_ns`; NAN where nothing was measured. */
static void add_inferred(const struct account *account, struct rows *rows, double inferred_ns[3])
{
    const char *const measured[] = {"barriers",
                                    account_cause_id(BIT_OF(account_conflict_word(account)))};
    struct account_side before = *account->side[0], after = *account->side[1];
    struct account without;
    struct rows inferred;
    for (int k = 0; k < 3; k++) inferred_ns[k] = NAN;
    account_forget_measured(&before);
    account_forget_measured(&after);
    if (!account->is_measured || !account_make(&without, &before, &after)) return;
    collect_rows(&without, &inferred);
    double sum = 0;
    for (unsigned k = 0; k < 2; k++) {
        if (!(account->is_measured >> k & 1)) continue;
        inferred_ns[k] = find_row(&inferred, measured[k])->saved_ns;
        find_row(rows, measured[k])->inferred_ns = inferred_ns[k];
        sum += inferred_ns[k];
    }
    if (account->is_measured & ACCOUNT_MEASURED_BOTH)
        find_row(rows, "barriers_conflicts")->inferred_ns = inferred_ns[2] = sum;
}

/* Keeps which knock-outs the account has measured costs from, in the order of ACCOUNT_MEASURED_*:
 * with the cause that has the time, or without one if another knock-out is used instead. */
static int insert_used(struct query *query, const struct account *account,
                       const double inferred_ns[3], const struct scope *key)
{
    static const char *const knockouts[] = {"barriers", "conflicts", "barriers_conflicts",
                                            "global_loads"};
    const enum account_word word[] = {account_barrier_word(account), account_conflict_word(account),
                                      account_joint_word(account), account_conflict_word(account)};
    const int is_copies = account->is_measured & ACCOUNT_MEASURED_COPIES ? 1 : 0;
    int result = 0;
    for (int k = 0; k < 4 && !result; k++)
        if (account->is_measured >> k & 1)
            result = query_run(
                query, key,
                "INSERT INTO used_knockouts VALUES(:family, :variant, :size, :block, :sweep, "
                ":device, :after, ?, ?, ?)",
                "ttn", knockouts[k],
                k >= 2 || !(is_copies || account->is_measured & ACCOUNT_MEASURED_BOTH)
                    ? account_cause_id(BIT_OF(word[k]))
                    : NULL,
                k == 1 && is_copies ? NAN : inferred_ns[k == 3 ? 1 : k]);
    return result;
}

/* A time that counts needs a number that shows its cause at work; without one it is of the rest, of
 * which nothing is known. */
static void tell_residual(const struct account *account, const struct records *records,
                          struct rows *rows)
{
    struct cause_row rest = {.cause = "residual", .inferred_ns = NAN};
    for (int i = 0; i < rows->count; i++) {
        struct cause_row *row = &rows->row[i];
        const struct record *record = records_find(records, RECORD_CAUSE, row->cause);
        if (row->demand || (!row->named && fabs(row->saved_ns) <= account->half_ns) ||
            row->named > ACCOUNT_NAMED || cause_witness(account, row, record).name)
            continue;
        rest.saved_ns += row->saved_ns;
        rest.gross_ns += row->saved_ns;
        row->gross_ns -= row->saved_ns;
        row->saved_ns = row->waits_ns = row->named = 0;
    }
    if (rest.gross_ns != 0) *find_row(rows, "residual") = rest;
}

/* Adds the row of a cause, with its share and with the values of its metric on both sides. */
static int insert_cause(struct query *query, const struct records *records,
                        const struct account *account, const struct cause_row *row,
                        const char *evidence, const struct scope *key)
{
    const struct record *record = records_find(records, RECORD_CAUSE, row->cause);
    const struct witness witness = cause_witness(account, row, record);
    char *detail = cause_detail(account, row->cause);
    const int is_change = !strcmp(evidence, "faster") || !strcmp(evidence, "slower"),
              is_named = row->named > 0 && row->named <= ACCOUNT_NAMED && !row->demand;
    const char *status = !is_change                                           ? evidence
                         : account_is_open(account, row->cause)               ? "unresolved"
                         : is_named || fabs(row->saved_ns) > account->half_ns ? "resolved"
                                                                              : "unresolved";
    const double share = 100 * row->saved_ns / account->change_ns;
    const int result = query_run(
        query, key,
        "INSERT INTO causes VALUES(:family, :variant, :size, :block, :sweep, :device, :after, ?, "
        "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL, ?)",
        "tnnnnntitnntn", row->cause, row->saved_ns, row->saved_ns - account->half_ns,
        row->saved_ns + account->half_ns, row->gross_ns, isfinite(share) ? share : NAN, status,
        is_change ? row->named : 0, witness.name, witness.number[0], witness.number[1], detail,
        row->inferred_ns);
    free(detail);
    return result;
}

int causes_insert(struct query *query, const struct records *records,
                  const struct account_side *before, const struct account_side *after,
                  const char *evidence, const struct scope *key)
{
    struct account_side side[] = {*before, *after};
    struct account account;
    struct rows rows;
    double inferred_ns[3];
    account_scale(&side[0], &side[1]);
    if (!account_make(&account, &side[0], &side[1])) return 0;
    collect_rows(&account, &rows);
    add_inferred(&account, &rows, inferred_ns);
    tell_residual(&account, records, &rows);
    for (int i = 0; i < rows.count; i++) /* of damaged numbers */
        if (!isfinite(rows.row[i].gross_ns) || !isfinite(rows.row[i].saved_ns)) return 0;
    int result = insert_used(query, &account, inferred_ns, key);
    for (int i = 0; i < rows.count && !result; i++)
        if (rows.row[i].named || fabs(rows.row[i].inferred_ns) > 0 ||
            fmax(fabs(rows.row[i].gross_ns), fabs(rows.row[i].saved_ns)) >=
                1e-9 * account.before.time_ns)
            result = insert_cause(query, records, &account, &rows.row[i], evidence, key);
    return result;
}

/* ---- all steps ------------------------------------------------------------------------------- */

struct making {
    struct query *query;
    const struct records *records;
};

/* A step without counters on one side has no causes. */
static int add_step(void *context, const struct scope *step)
{
    const struct making *making = context;
    struct query *query = making->query;
    struct account_side before, after;
    const char *const name[] = {"variant", "block", "sweep"};
    const char *const value[] = {scope_value(step, "after", NULL),
                                 scope_value(step, "prev_block", NULL),
                                 scope_value(step, "prev_sweep", NULL)};
    const struct scope previous = {step, 3, name, value};
    int result = sides_read(query, &previous, &before);
    if (!result) result = sides_read(query, step, &after);
    if (result) return result;
    return causes_insert(query, making->records, &before, &after,
                         scope_value(step, "evidence", NULL), step);
}

int causes_tables(struct query *query)
{
    return query_write(
        query,
        "DROP TABLE IF EXISTS causes; CREATE TABLE causes(family TEXT, variant TEXT, size TEXT, "
        "block INTEGER, sweep INTEGER, "
        "device INTEGER, after TEXT, cause TEXT, saved_ns REAL, low_ns REAL, high_ns REAL, "
        "gross_ns REAL, share_pct REAL, status TEXT, named INTEGER, witness, witness_before REAL, "
        "witness_after REAL, detail TEXT, line_before TEXT, line_after TEXT, inferred_ns REAL);"
        "DROP TABLE IF EXISTS used_knockouts; CREATE TABLE used_knockouts(family TEXT, variant "
        "TEXT, size TEXT, block INTEGER, sweep INTEGER, device INTEGER, after TEXT, knockout TEXT, "
        "cause TEXT, inferred_ns REAL)");
}

/* The lines at which the causes happened. */
static int add_lines(struct query *query)
{
    return query_write(query,
                       "UPDATE causes SET line_before = (SELECT " CAUSE_LINE " FROM cause_lines l "
                       "WHERE l.family = causes.family AND l.variant = causes.after AND "
                       "l.cause = causes.cause), "
                       "line_after = (SELECT " CAUSE_LINE " FROM cause_lines l WHERE "
                       "l.family = causes.family AND l.variant = causes.variant AND "
                       "l.cause = causes.cause) WHERE status = 'resolved'");
}

int causes_make(struct query *query, const struct records *records)
{
    static const char steps_sql[] =
        "SELECT s.*, b.block AS prev_block, b.sweep AS prev_sweep FROM steps s LEFT JOIN metrics b "
        "ON b.family = s.family AND b.variant = s.after AND b.size = s.size AND b.best = 1";
    struct making making = {query, records};
    int result = causes_tables(query);
    if (!result) result = query_write(query, "BEGIN");
    if (!result) result = query_each(query, NULL, steps_sql, NULL, add_step, &making);
    if (!result)
        result = query_write(
            query,
            "COMMIT; CREATE INDEX causes_key ON causes(family, variant, size, block, after)");
    return result ? result : add_lines(query);
}

/* Keeps what a unit needs alone, where the run has that metric. */
static int take_demand(void *context, const struct scope *row)
{
    struct query *query = context;
    char name[64];
    snprintf(name, sizeof name, "demand_%s_ns", row->value[0]);
    if (!query_has_column(query, "metrics", name)) return 0;
    return query_write(query,
                       "INSERT INTO said_demand SELECT " POINT_KEY ", %Q, %w, 100 * %w / time_ns "
                       "FROM metrics WHERE best = 1",
                       row->value[0], name, name);
}

int causes_said(struct query *query)
{
    int result = knockouts_measure(query);
    if (!result)
        result = query_write(query, "%s CREATE TABLE said_demand(" POINT_KEY ", resource, ns, pct)",
                             resources_sql);
    if (!result)
        result =
            query_each(query, NULL, "SELECT resource FROM resource_unit", NULL, take_demand, query);
    return result ? result : query_write(query, "%s %s", experiments_sql, said_sql);
}
