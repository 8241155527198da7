#include "fixture.h"
#include "written_report.h"

#include <math.h>

#include "ncu_report/report_map.h"

/* What was visited, in order: "session 1" and so on. */
static struct text visited;

static int see_session(void *context, struct wire session)
{
    text_format(&visited, "session %zu\n", wire_length(session));
    return 0;
}

static int see_source(void *context, struct wire source)
{
    text_format(&visited, "source %llu\n", (unsigned long long)wire_integer(source, 1, 0));
    return 0;
}

static int see_result(void *context, struct wire entry, const struct report_block *block)
{
    struct report_result result;
    const int failure = report_result_open(&result, entry, block);
    text_format(&visited, "result of %s with %zu metrics", block->program, result.count);
    for (size_t i = 0; i < result.count && !failure; i++)
        text_format(&visited, " %s=%g", result.metric[i].name,
                    report_result_number(&result, result.metric[i].name));
    char *range = report_result_range(&result);
    text_format(&visited, "%s%s\n", *range ? " in " : "", range);
    free(range);
    report_result_close(&result);
    return failure;
}

static int read_it(const char *path)
{
    text_free(&visited);
    return report_file_read(path,
                            &(struct report_visitor){NULL, see_session, see_source, see_result});
}

static const char *write_report(const struct text *report)
{
    assert_int_equal(report->failed, 0);
    return write_bytes("a.ncu-rep", text_string(report), report->length);
}

/* A report with a session, a source and two results, of which the second uses names of the first.
 */
static void make_report(struct text *report)
{
    struct text session = {0}, source = {0}, result = {0};
    begin_report(report, 7);
    add_integer(&session, 2, 1669045504);
    add_block(report, "", &session, NULL, 0);
    add_integer(&source, 1, 42);
    add_string(&source, 4, "no machine code");
    add_block(report, "", NULL, &source, 1);
    begin_result(&result, "_Z3sumPf", "sum(float *)", 8);
    add_metric(&result, 1, 2.5);
    add_metric(&result, 0, 4);
    add_ranges(&result, "<default domain>", "all", "half");
    add_ranges(&result, "whyfast", "reduce/03", "launch 0");
    add_block(report, "time.sum cycles.max", NULL, &result, 0);
    begin_result(&result, "_Z3sumPf", "sum(float *)", 8);
    add_metric(&result, 2, 7);
    add_metric(&result, 0, 5);
    add_block(report, "more.avg", NULL, &result, 0);
}

TEST(each_entry_is_visited_with_the_names_so_far)
{
    OWNED_BY(text_free) struct text report = {0};
    make_report(&report);
    assert_int_equal(read_it(write_report(&report)), 0);
    assert_string_equal(text_string(&visited),
                        "session 6\nsource 42\n"
                        "result of /opt/programs/sums with 2 metrics cycles.max=2.5 time.sum=4 in "
                        "all/half/reduce/03\n"
                        "result of /opt/programs/sums with 2 metrics more.avg=7 time.sum=5\n");
}

/* The report up to any byte is refused, or ends between two blocks. */
TEST(a_cut_report_is_refused)
{
    OWNED_BY(text_free) struct text report = {0};
    int refused = 0;
    make_report(&report);
    for (size_t length = 0; length < report.length; length++) {
        const char *path = write_bytes("cut.ncu-rep", text_string(&report), length);
        OWNED_BY(text_free) struct text said = {0};
        message_keep(&said);
        const int result = read_it(path);
        message_keep(NULL);
        assert_true(result == 0 || result == FAIL_INPUT);
        if (result) holds(text_string(&said), "cut.ncu-rep: is ");
        refused += result != 0;
    }
    assert_int_equal(refused, report.length - 4); /* it has four blocks */
}

/* Reads a report of which one block is as given. Returns what is said of it. */
static const char *refusal(void (*spoil)(struct text *report))
{
    static struct text said;
    OWNED_BY(text_free) struct text report = {0};
    begin_report(&report, 7);
    spoil(&report);
    text_free(&said);
    message_keep(&said);
    const int result = read_it(write_report(&report));
    message_keep(NULL);
    assert_int_equal(result, FAIL_INPUT);
    return text_string(&said);
}

static void empty_header(struct text *report)
{
    text_append_bytes(report, "\0\0\0\0", 4);
}

static void long_entry(struct text *report)
{
    text_append_bytes(report, "\xff\xff\xff\xff", 4);
}

static void many_entries(struct text *report)
{
    struct text header = {0};
    add_integer(&header, 2, UINT64_MAX);
    add_entry(report, &header);
}

static void wrong_length(struct text *report)
{
    struct text header = {0};
    add_integer(&header, 5, 1);
    add_entry(report, &header);
}

static void unknown_name(struct text *report)
{
    struct text result = {0};
    add_metric(&result, 1, 1);
    add_block(report, "one", NULL, &result, 0);
}

/* More names than are kept, and behind them what is no name. */
static void many_names(struct text *report)
{
    struct text header = {0}, table = {0};
    for (int i = 0; i <= 1 << 20; i++) add_string(&table, 1, "a");
    text_append_bytes(&table, "\x0b", 1);
    add_message(&header, 4, &table);
    add_entry(report, &header);
}

static void no_message(struct text *report)
{
    struct text entry = {0};
    text_append_bytes(&entry, "\x0b\x0c", 2);
    add_block(report, "", NULL, &entry, 0);
}

TEST(a_damaged_report_says_where)
{
    holds(refusal(empty_header),
          "a.ncu-rep: is damaged at byte 14: the header of a block is empty");
    holds(refusal(long_entry), "an entry is longer than 64 MB");
    holds(refusal(many_entries), "it ends before the last entry of a block");
    holds(refusal(wrong_length), "the entries of a block are not as long as its header says");
    holds(refusal(no_message), "an entry cannot be decoded");
    const char *said = refusal(many_names);
    holds(said, "it has too many names of metrics");
    assert_null(strstr(said, "cannot be decoded"));
    OWNED_BY(text_free) struct text report = {0};
    begin_report(&report, 7);
    unknown_name(&report);
    assert_int_equal(read_it(write_report(&report)), FAIL_INPUT);
}

TEST(other_files_are_no_reports)
{
    static const char *const other[] = {"", "NVR", "SQLite format 3", "NVX\0\2\0\0\0"};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        FAILS(read_it(write_text("b.ncu-rep", other[i])), FAIL_INPUT,
              "is no report of Nsight Compute");
    FAILS(read_it(place("nowhere.ncu-rep")), FAIL_INPUT, "nowhere.ncu-rep: cannot open");
    assert_true(report_file_is_named("x/a.ncu-rep") && report_file_is_named("a.ncu-repz"));
    assert_false(report_file_is_named(".ncu-rep") || report_file_is_named("a.ncu-rep.txt"));
}

/* Reads a seed of the fuzzer: the same report, plain and compressed. Returns what was visited. */
static char *visit_seed(const char *name)
{
    char path[600];
    OWNED_BY(text_free) struct text said = {0};
    snprintf(path, sizeof path, "%s/tests/fuzz/corpus/ncu_report/%s", root(), name);
    message_keep(&said);
    const int result = read_it(path);
    message_keep(NULL);
    if (result && strstr(text_string(&said), "libzstd.so.1 is not installed"))
        SKIP("libzstd.so.1 is not installed");
    assert_int_equal(result, 0);
    return strdup(text_string(&visited));
}

TEST(a_compressed_report_reads_alike)
{
    char path[600];
    size_t bytes;
    char *plain = visit_seed("whole"), *compressed = visit_seed("compressed");
    holds(plain, "result of /opt/programs/sums with ");
    assert_string_equal(compressed, plain);
    free(plain);
    free(compressed);
    snprintf(path, sizeof path, "%s/tests/fuzz/corpus/ncu_report/compressed", root());
    OWNED char *whole = text_read_file(path, &bytes);
    OWNED_BY(text_free) struct text said = {0};
    message_keep(&said);
    for (size_t length = 4; length < bytes; length++)
        assert_int_equal(read_it(write_bytes("cut.ncu-repz", whole, length)), FAIL_INPUT);
    message_keep(NULL);
}

/* 23 bytes that become the beginning of a report and 100 000 zeros, in the format of RFC 8878: a
 * frame with a block of ten bytes and one of a repeated byte. */
TEST(a_bomb_is_refused_at_its_first_block)
{
    static const unsigned char bomb[] = {0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x58, 0x50, 0x00,
                                         0x00, 'N',  'V',  'R',  0,    2,    0,    0,
                                         0,    0x08, 7,    0x03, 0x35, 0x0C, 0x00};
    OWNED_BY(text_free) struct text said = {0};
    message_keep(&said);
    const int result = read_it(write_bytes("bomb.ncu-repz", (const char *)bomb, sizeof bomb));
    message_keep(NULL);
    assert_int_equal(result, FAIL_INPUT);
    if (!strstr(text_string(&said), "libzstd.so.1 is not installed"))
        holds(text_string(&said), "is damaged at byte 14: the header of a block is empty");
}

/* ---- formulas -------------------------------------------------------------------------------- */

static struct report_value evaluated;

static int evaluate(void *context, struct wire entry, const struct report_block *block)
{
    struct report_result result;
    assert_int_equal(report_result_open(&result, entry, block), 0);
    evaluated = report_map_evaluate(&result, context);
    report_result_close(&result);
    return 0;
}

static double value_of(const char *formulas)
{
    struct text report = {0}, result = {0}, metric = {0}, instance = {0}, of = {0}, number = {0};
    begin_report(&report, 7);
    add_metric(&result, 0, 6);
    add_metric(&result, 1, NAN);
    add_integer(&metric, 1, 2);
    add_string(&of, 1, "LDG");
    add_integer(&number, 5, 9);
    add_message(&instance, 1, &of);
    add_message(&instance, 2, &number);
    add_message(&metric, 3, &instance);
    add_message(&result, 13, &metric);
    add_block(&report, "a__b.sum broken by_opcode", NULL, &result, 0);
    WORKS(report_file_read(
        write_report(&report),
        &(struct report_visitor){(void *)(uintptr_t)formulas, see_session, see_source, evaluate}));
    text_free(&report);
    return evaluated.number;
}

TEST(the_first_formula_that_can_be_answered_is_taken)
{
    assert_true(value_of("a__b.sum") == 6);
    assert_true(value_of("2 * a__b.sum / 4 - 1 + a__b.sum") == 8);
    assert_true(value_of("c | a__b.sum * 2") == 12);
    assert_int_equal(evaluated.length, strlen("a__b.sum * 2"));
    assert_memory_equal(evaluated.source, "a__b.sum * 2", strlen("a__b.sum * 2"));
    assert_true(value_of("by_opcode[LDG] + by_opcode[STG]") == 9);
}

TEST(a_formula_that_cannot_be_answered_names_what_is_lacking)
{
    static const char *const rows[][2] = {{"a__b.sum / c.max | d", "c.max"},
                                          {"broken", "broken"},
                                          {"a__b.sum[LDG]", "a__b.sum"},
                                          {"a__b.sum / 0 | e", "e"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(isnan(value_of(rows[i][0])));
        assert_int_equal(evaluated.length, strlen(rows[i][1]));
        assert_memory_equal(evaluated.source, rows[i][1], strlen(rows[i][1]));
    }
}

static int close_all(void **state)
{
    text_free(&visited);
    return fixture_close(state);
}

RUN_TESTS(fixture_open, close_all)
