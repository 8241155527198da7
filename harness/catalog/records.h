/*
 * Reads the text files under metrics/ into records. Their grammar is in metrics/README.md. A
 * struct records owns the texts of the files; records and fields point into them.
 */
#ifndef WHYFAST_RECORDS_H
#define WHYFAST_RECORDS_H

enum record_kind {
    RECORD_SET,
    RECORD_COUNTER,
    RECORD_FACT,
    RECORD_METRIC,
    RECORD_DEVICE,
    RECORD_TERM,
    RECORD_AREA,
    RECORD_CAUSE,
    RECORD_TRACK,
    RECORD_PROOF,
    RECORD_CHECK,
    RECORD_ITEM,
    RECORD_IMPORT,
    RECORD_KIND_COUNT
};

enum { FIELD_COUNT = 12, ALTERNATIVE_COUNT = 6 };

struct field {
    const char *key;
    char *value;
    int line;
};

struct record {
    enum record_kind kind;
    char *name;
    const char *file;
    int line;
    int field_count;
    struct field field[FIELD_COUNT];
};

struct records {
    int count;
    struct record *record; /* by file name, then line */
    int text_count;
    char **texts; /* paths and file contents */
};

/* Reads every .metric, .device and .item file below `directory`/metrics; items are optional.
 * Returns FAIL_INPUT with file:line for an unknown kind or field, a missing or repeated field, and
 * for a name that is not an identifier or is already used. */
int records_read(struct records *records, const char *directory);

int records_read_own(struct records *records);
void records_free(struct records *records);

const char *record_field(const struct record *record, const char *key);

/* Returns the line of a field, or of the record if it lacks the field. */
int record_line(const struct record *record, const char *key);

const struct record *records_find(const struct records *records, enum record_kind kind,
                                  const char *name);
/* Returns 1 for a column of the metrics table: the name of a counter, a fact or a metric. */
int records_is_column(const struct records *records, const char *name);
const char *record_kind_name(enum record_kind kind);

/* Splits "a | b | c" of the field `from` into copies that the caller frees. Returns their number,
 * at most ALTERNATIVE_COUNT, or FAIL_OUTPUT. */
int record_alternatives(const struct record *counter, char *alternative[ALTERNATIVE_COUNT]);

/* Returns FAIL_USAGE with a message that names the nearest metric, counter or fact. */
int records_unknown_metric(const struct records *records, const char *name);

#endif
