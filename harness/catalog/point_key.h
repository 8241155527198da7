/*
 * Names a point in tables: the six columns at the beginning of each row about it. A struct
 * point_key owns its strings, as a table has them, until point_key_free.
 */
#ifndef WHYFAST_POINT_KEY_H
#define WHYFAST_POINT_KEY_H

#include "base/csv.h"

/* The columns in SQL, plain or of the table or alias `t`, which is a literal such as "m.". A script
 * (.sql) writes @POINT_KEY and @POINT_KEY_OF(m). */
#define POINT_KEY POINT_KEY_OF("")
#define POINT_KEY_OF(t) t "family, " t "variant, " t "size, " t "block, " t "sweep, " t "device"

/* The same at the beginning of a row of column names in CSV. */
#define POINT_KEY_CSV "family,variant,size,block,sweep,device"

enum { POINT_KEY_COLUMNS = 6 };

/* How many ns a series of the table or alias `t` shows less for an empty kernel than the pair of
 * events that ceiling launch_ns includes: on an H100 activity records show 1.15 us instead of
 * 3.36 us, and 2.82 us if kernels run one at a time. */
#define CLOCK_SHORTER_NS_OF(t)                                                                     \
    "CASE " t "kind WHEN 'activity' THEN 2200 WHEN 'activity_alone' THEN 540 ELSE 0 END"

/* Tests in SQL whether row s of samples or series is of the series that the time of its point comes
 * from; row v has the kind of the variant, or NULL. It is measured end to end with a cold L2 cache,
 * on the CPU, whose caches are not flushed, with a warm one; in a program of the user it has the
 * activity records of CUPTI (watched_program/program_tables.h), and in a report of Nsight Compute
 * the times of replayed launches (ncu_report/report_import.h). */
#define MAIN_SERIES                                                                                \
    "s.copy = 'a' AND (s.kind IN ('activity', 'activity_alone', 'replayed') OR "                   \
    "(s.kind = 'end_to_end' "                                                                      \
    "AND s.l2 = CASE WHEN v.kind = 'cpu' THEN 'warm' WHEN v.kind IS NOT NULL THEN 'cold' END))"

/* Within how many per cent the time of a replayed launch is taken as known if there are too few of
 * them for an interval, or for a noise floor: an assumption, which the run says (ncu_report). */
#define REPLAYED_PCT "2.5"

struct point_key {
    union {
        struct {
            char *family, *variant, *size;
            char *block, *sweep; /* numbers; "0" if the point has no such setting */
            char *device;        /* number among the devices of the run, from 0 */
        };
        char *column[POINT_KEY_COLUMNS];
    };
};

/* Copies the cells of these columns; NULL counts as empty. Returns FAIL_OUTPUT, with a message,
 * if memory is short; the key can be freed then, too. */
int point_key_copy(struct point_key *key, const char *const *cell);
void point_key_free(struct point_key *key);

int point_key_is(const struct point_key *key, const char *const *cell);

void point_key_write(struct csv_writer *writer, const struct point_key *key);

#endif
