#include "fixture.h"

#include "explain/explain.h"
#include "query/query.h"
#include "catalog/records.h"
#include "catalog/registry.h"
#include "rule_cases.h"

static struct records records;
static struct run run;
static struct query query;

/* Makes table `ladder` with one row: the named values, and NULL in every other column of the real
 * one. */
static void make_ladder(const char *values)
{
    static const char *const prefixes[] = {"", "prev_", "first_"};
    struct text names = {0};
    for (int i = 0; i < records.count; i++) {
        const enum record_kind kind = records.record[i].kind;
        if (kind != RECORD_METRIC && kind != RECORD_FACT && kind != RECORD_COUNTER) continue;
        for (int p = 0; p < 3; p++) {
            char wanted[160];
            snprintf(wanted, sizeof wanted, " AS %s%s,", prefixes[p], records.record[i].name);
            char list[4096];
            snprintf(list, sizeof list, " %s,", values);
            if (!strstr(list, wanted))
                text_format(&names, ", NULL AS %s%s", prefixes[p], records.record[i].name);
        }
    }
    assert_int_equal(query_write(&query, "DROP TABLE IF EXISTS ladder"), 0);
    assert_int_equal(query_write(&query,
                                 "CREATE TABLE ladder AS SELECT 0 AS sweep, 0 AS device, %s%s",
                                 values, text_string(&names)),
                     0);
    text_free(&names);
}

enum { MOST_VALUES = 64 };

struct values {
    int count;
    char name[MOST_VALUES][64];
    char number[MOST_VALUES][32];
};

static const char *fires_on(const char *rule)
{
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        if (!strcmp(rows[r].rule, rule)) return rows[r].fires;
    fail_msg("the rule '%s' has no rows in tests/unit/rule_cases.h", rule);
    return NULL;
}

static const struct record *parent_of(const struct record *rule)
{
    const char *under = record_field(rule, "under");
    return under ? records_find(&records, RECORD_RULE, under) : NULL;
}

static const char *number_of(const struct values *values, const char *name)
{
    for (int i = 0; i < values->count; i++)
        if (!strcmp(values->name[i], name)) return values->number[i];
    return NULL;
}

/* Adds "12.5 AS name, 3 AS other" to the list; the first value of a name counts. */
static void add_values(struct values *values, const char *list)
{
    for (int used; *list; list += used + strspn(list + used, ", ")) {
        assert_true(values->count < MOST_VALUES);
        used = 0;
        assert_int_equal(sscanf(list, "%31[0-9.] AS %63[a-z0-9_]%n", values->number[values->count],
                                values->name[values->count], &used),
                         2);
        if (!number_of(values, values->name[values->count])) values->count++;
    }
}

/* Collects the values on which the rule fires, and those on which the rules above it fire. */
static void add_all_values(struct values *values, const struct record *rule)
{
    for (; rule; rule = parent_of(rule)) add_values(values, fires_on(rule->name));
}

static void make_ladder_of(const struct record *rule)
{
    struct values values = {.count = 0};
    struct text list = {0};
    add_all_values(&values, rule);
    for (int i = 0; i < values.count; i++)
        text_format(&list, "%s%s AS %s", i ? ", " : "", values.number[i], values.name[i]);
    make_ladder(text_string(&list));
    text_free(&list);
}

static char *judge(const struct record *rule, const char *values)
{
    struct text sql = {0};
    char *value = NULL;
    make_ladder(values);
    text_format(&sql, "SELECT (%s) FROM ladder", record_field(rule, "when"));
    assert_int_equal(query_text(&query, rule->name, text_string(&sql), NULL, &value), 0);
    text_free(&sql);
    return value;
}

TEST(every_rule_fires_and_stays_silent)
{
    int rules = 0;
    for (int i = 0; i < records.count; i++) {
        const struct record *rule = &records.record[i];
        int row = -1;
        if (rule->kind != RECORD_RULE) continue;
        rules++;
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
            if (!strcmp(rows[r].rule, rule->name)) row = (int)r;
        if (row < 0)
            fail_msg("%s:%d: the rule '%s' has no rows in tests/unit/rule_cases.h", rule->file,
                     rule->line, rule->name);
        char *fires = judge(rule, rows[row].fires), *silent = judge(rule, rows[row].silent),
             *nothing = judge(rule, "1 AS unused");
        if (!fires || strcmp(fires, "1"))
            fail_msg("%s: does not fire: %s", rule->name, fires ? fires : "NULL");
        if (!silent || strcmp(silent, "0"))
            fail_msg("%s: is not silent: %s", rule->name, silent ? silent : "NULL");
        if (nothing) fail_msg("%s: judges where nothing was measured: %s", rule->name, nothing);
        free(fires);
        free(silent);
    }
    assert_int_equal(rules, sizeof rows / sizeof *rows);
}

/* Every number that a rule names is there when it fires. */
TEST(reasons_have_their_numbers)
{
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct record *rule = records_find(&records, RECORD_RULE, rows[r].rule);
        assert_non_null(rule);
        make_ladder_of(rule);
        int placeholders = 0;
        for (const char *p = strchr(record_field(rule, "because"), '{'); p; p = strchr(p, '{')) {
            const size_t length = strcspn(++p, "}");
            struct text sql = {0};
            char *value = NULL;
            text_format(&sql, "SELECT (%.*s) FROM ladder", (int)length, p);
            assert_int_equal(query_text(&query, rule->name, text_string(&sql), NULL, &value), 0);
            if (!value) fail_msg("%s: '%.*s' is absent in its own row", rule->name, (int)length, p);
            free(value);
            text_free(&sql);
            placeholders++;
        }
        assert_true(placeholders > 0); /* every finding prints the numbers that it used */
    }
}

/* A claim about an unknown metric would stop every report of a run that holds it. */
TEST(claims_are_about_metrics)
{
    int claims = 0;
    if (!registry_variants[0]) SKIP("this build carries no variants");
    make_ladder("1 AS unused");
    for (int i = 0; registry_variants[i]; i++) {
        for (int c = 0; c < CLAIM_COUNT && registry_variants[i]->claims[c].says; c++) {
            const char *expect = registry_variants[i]->claims[c].expect;
            struct text sql = {0};
            char *value = NULL;
            text_format(&sql, "SELECT (%s) FROM ladder", expect);
            if (query_text(&query, registry_variants[i]->file, text_string(&sql), NULL, &value))
                fail_msg("%s: %s", registry_variants[i]->file, expect);
            /* Nothing was measured: the claim is not measurable, or decided by the setting
             * alone. */
            if (value && !strstr(expect, "sweep"))
                fail_msg("%s: '%s' is judged where nothing was measured",
                         registry_variants[i]->file, expect);
            free(value);
            text_free(&sql);
            claims++;
        }
    }
    assert_true(claims > 0);
}

/* ---- absent values --------------------------------------------------------------------------- */

/* Every rule has a family of its own in one run: at size 0 the rung 02_b has the values on which
 * the rule fires, and 01_a before it those named prev_; at each further size one of the rule's
 * numbers is absent. */

enum { MOST_POINTS = 1024 };

struct absence {
    const struct record *rule;
    char name[64]; /* "" at size 0 */
    int decides;   /* the name is one of `when` */
    int gates;     /* and of the `when` of a rule above it */
    int judged;    /* has a row among the findings */
    int applies,
        told; /* as a message that it could not be judged; its text names the absent number */
};

static struct {
    struct absence at[MOST_POINTS];
    int count;
} points;

struct name_search {
    const char *name;
    int found;
};

static void compare_name(const char *name, size_t length, void *context)
{
    struct name_search *search = context;
    search->found |= strlen(search->name) == length && !strncmp(search->name, name, length);
}

static int names(const struct record *rule, const char *name)
{
    struct name_search search = {.name = name};
    text_identifiers(record_field(rule, "when"), compare_name, &search);
    return search.found;
}

static int is_column(const char *name)
{
    const char *base = name + (!strncmp(name, "prev_", 5) ? 5 : 0);
    return records_find(&records, RECORD_METRIC, base) ||
           records_find(&records, RECORD_FACT, base) ||
           records_find(&records, RECORD_COUNTER, base);
}

static void add_absence(const char *name, size_t length, void *context)
{
    const struct record *rule = context;
    struct absence *absence = &points.at[points.count];
    assert_true(length < sizeof absence->name && points.count < MOST_POINTS);
    snprintf(absence->name, sizeof absence->name, "%.*s", (int)length, name);
    if (length && !is_column(absence->name)) return;
    for (int i = 0; i < points.count; i++)
        if (points.at[i].rule == rule && !strcmp(points.at[i].name, absence->name)) return;
    absence->rule = rule;
    absence->decides = names(rule, absence->name);
    absence->gates = absence->judged = 0;
    for (const struct record *parent = parent_of(rule); parent; parent = parent_of(parent))
        absence->gates |= names(parent, absence->name);
    points.count++;
}

static void add_absences(const struct record *rule)
{
    add_absence("", 0, (void *)rule);
    text_identifiers(record_field(rule, "when"), add_absence, (void *)rule);
    for (const char *p = strchr(record_field(rule, "because"), '{'); p; p = strchr(p, '{')) {
        const size_t length = strcspn(++p, "}");
        char *expression = text_new("%.*s", (int)length, p);
        assert_non_null(expression);
        text_identifiers(expression, add_absence, (void *)rule);
        free(expression);
    }
}

/* Writes one row of metrics.csv: of the rung itself, or with the prefix "prev_" of the previous
 * one. */
static void write_point(struct text *csv, int at, const struct values *values, const char *variant,
                        const char *prefix)
{
    text_format(csv, "%s,%s,%d,32,0,1", points.at[at].rule->name, variant, at);
    for (int i = 0; i < records.count; i++) {
        char name[80];
        const struct record *record = &records.record[i];
        if (record->kind != RECORD_METRIC && record->kind != RECORD_FACT &&
            record->kind != RECORD_COUNTER)
            continue;
        snprintf(name, sizeof name, "%s%s", prefix, record->name);
        const char *number = strcmp(name, points.at[at].name) ? number_of(values, name) : NULL;
        text_format(csv, ",%s", number ? number : "");
    }
    text_append(csv, "\n");
}

static void write_points(void)
{
    struct text metrics = {0}, noise = {0};
    text_append(&metrics, "family,variant,size,block,sweep,best");
    text_append(&noise, "family,variant,size,block,sweep");
    for (int i = 0; i < records.count; i++) {
        const struct record *record = &records.record[i];
        if (record->kind != RECORD_METRIC && record->kind != RECORD_FACT &&
            record->kind != RECORD_COUNTER)
            continue;
        text_format(&metrics, ",%s", record->name);
        text_format(&noise, ",%s", record->name);
    }
    text_append(&metrics, "\n");
    text_append(&noise, "\n");
    for (int at = 0; at < points.count; at++) {
        struct values values = {.count = 0};
        add_all_values(&values, points.at[at].rule);
        write_point(&metrics, at, &values, "01_a", "prev_");
        write_point(&metrics, at, &values, "02_b", "");
    }
    write_text("absent/metrics.csv", text_string(&metrics));
    write_text("absent/noise.csv", text_string(&noise));
    text_free(&metrics);
    text_free(&noise);
}

static void write_families(void)
{
    struct text families = {0}, variants = {0};
    for (int i = 0; i < records.count; i++) {
        const struct record *rule = &records.record[i], *of = rule;
        if (rule->kind != RECORD_RULE) continue;
        while (!record_field(of, "rate") && parent_of(of)) of = parent_of(of);
        const char *rate = record_field(of, "rate");
        text_format(&families, "%s,F,problem,bytes,%s\n", rule->name, rate ? rate : "bytes");
        text_format(&variants, "%s,01_a,1,A,,kernel\n%s,02_b,2,B,01_a,kernel\n", rule->name,
                    rule->name);
    }
    write_table("absent", TABLE_FAMILIES, text_string(&families));
    write_variants("absent", text_string(&variants));
    text_free(&families);
    text_free(&variants);
}

/* Columns of findings.csv: family, variant, size, block, sweep, kind, name, before, after,
 * noise, verdict, text. */
static void read_findings(void)
{
    struct csv_reader reader;
    assert_int_equal(csv_open(&reader, place("absent/findings.csv")), 0);
    while (csv_next(&reader) > 0) {
        char **cell = reader.cell;
        if (strcmp(cell[6], "rule") || strcmp(cell[0], cell[7]) || strcmp(cell[1], "02_b"))
            continue;
        struct absence *absence = &points.at[strtol(cell[2], NULL, 10)];
        char needs[80];
        snprintf(needs, sizeof needs, " %s ", absence->name);
        char *padded = text_new("%s ", cell[12]);
        assert_non_null(padded);
        absence->judged = 1;
        absence->applies = !strcmp(cell[11], "applies");
        absence->told = strstr(padded, absence->applies ? "absent" : needs) != NULL;
        free(padded);
    }
    csv_close(&reader);
}

/* If a number that a rule needs is missing, the finding says that it could not be judged, and names
 * the number. If only its sentence uses the number, the sentence says so. */
TEST(what_is_absent_is_told)
{
    struct run absent;
    points.count = 0;
    for (int i = 0; i < records.count; i++)
        if (records.record[i].kind == RECORD_RULE) add_absences(&records.record[i]);
    make_run("absent");
    write_families();
    write_points();
    setenv("WHYFAST_DATA", root(), 1);
    assert_int_equal(run_open(&absent, place("absent")), 0);
    SUCCEEDS(explain_run(&absent), "");
    run_close(&absent);
    read_findings();
    for (int at = 0; at < points.count; at++) {
        const struct absence *absence = &points.at[at];
        const char *rule = absence->rule->name, *name = absence->name,
                   *when = record_field(absence->rule, "when");
        char given[80];
        snprintf(given, sizeof given, "coalesce(%s,", name);
        if (!*name && (!absence->judged || !absence->applies || absence->told))
            fail_msg("%s: with all its numbers it must apply and print them", rule);
        if (!*name || absence->gates) continue;
        if (!absence->judged) fail_msg("%s: says nothing where %s is absent", rule, name);
        if (absence->decides && absence->applies && !strstr(when, given) && !strstr(when, " OR "))
            fail_msg("%s: applies where %s is absent", rule, name);
        if (!absence->decides && !absence->applies)
            fail_msg("%s: is not judged where %s is absent, which only its sentence has", rule,
                     name);
        if (!absence->told && !(absence->decides && absence->applies))
            fail_msg("%s: does not tell that %s is absent", rule, name);
    }
}

static int open_all(void **state)
{
    if (fixture_open(state)) return -1;
    make_run("r");
    if (records_read(&records, root()) || run_open(&run, place("r"))) return -1;
    return query_open(&query, &run);
}

static int close_all(void **state)
{
    query_close(&query);
    run_close(&run);
    records_free(&records);
    return fixture_close(state);
}

RUN_TESTS(open_all, close_all)
