#include "fixture.h"

#include "catalog/records.h"

static int read_records(const char *text)
{
    struct records records;
    make_directory("data/metrics/devices");
    write_text("data/metrics/a.metric", text);
    const int result = records_read(&records, place("data"));
    if (!result) records_free(&records);
    return result;
}

TEST(every_error_has_its_line)
{
    static const struct {
        const char *text, *words;
    } rows[] = {
        {"thing x\n",
         "a.metric:1: 'thing' is not a kind of record; expected set, counter, fact, metric, "
         "device, term, area, cause, track, proof, check, item or import"},
        {"# c\n\nset X\n", "a.metric:3: 'X' is not a valid name"},
        {"set\n", "a.metric:1: '' is not a valid name"},
        {"set a-b\n", "a.metric:1: 'a-b' is not a valid name"},
        {"set 1a\n", "a.metric:1: '1a' is not a valid name"},
        {"set a b\n", "a.metric:1: 'a b' is not a valid name"},
        {"    means x\n", "a.metric:1: a field before the first record"},
        {"set a\n    collector range\n    mean x\n", "a.metric:3: a set has no field 'mean'"},
        {"set a\n    means x\n    means y\n", "a.metric:3: the field 'means' is given twice"},
        {"set a\n    means\n", "a.metric:2: the field 'means' is empty"},
        {"set a\n    means x\n", "a.metric:1: set a: the field 'collector' is missing"},
        {"set a\n        more\n", "a.metric:2: a continuation line without a field above it"},
        {"        more\n", "a.metric:1: a continuation line without a field above it"},
        {"set a\n  means x\n", "a.metric:2: indented by 2; expected 0"},
        {"set a\n\tmeans x\n", "a.metric:2: a tab in the indentation"},
        {"set a\n    \tmeans x\n", "a.metric:2: a tab in the indentation"},
        {"set a\n    means x\n    collector r\n\nset a\n    means x\n    collector r\n",
         "the name 'a' is taken by the set at"},
        {"fact a\n    unit x\n    means x\nmetric a\n    unit x\n    formula 1\n    better lower\n "
         "   means x\n",
         "the name 'a' is taken by the"},
        {"metric a\n    unit x\n    formula 1\n    means x\n",
         "a.metric:1: metric a: the field 'better' is missing"},
        {"area a\n", "a.metric:1: area a: the field 'title' is missing"},
        {"counter a\n    from x\n    set s\n    unit u\n    means m\n",
         "a.metric:1: counter a: the field 'over' is missing"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        FAILS(read_records(rows[i].text), FAIL_INPUT, rows[i].words);
    struct records records;
    write_bytes("data/metrics/a.metric", "set a\n\0", 7);
    FAILS(records_read(&records, place("data")), FAIL_INPUT, "a.metric: a NUL byte after 6 bytes");
    FAILS(records_read(&records, place("nowhere")), FAIL_INPUT, "nowhere/metrics: cannot read");
}

TEST(reads_fields_and_continuations)
{
    struct records records;
    char *alternative[ALTERNATIVE_COUNT];
    make_directory("data/metrics/devices");
    write_text("data/metrics/a.metric",
               "# comment\r\nmetric m\r\n    unit    bytes / s\r\n    formula a +\r\n            "
               "b\r\n# between\r\n            + "
               "c\r\n    better  lower\r\n    means   A metric.\r\n");
    write_text(
        "data/metrics/b.metric",
        "counter c\n    from x.sum | y.sum |z\n    set s\n    over sum\n    unit u\n    means m");
    write_text("data/metrics/c.metric", "area m\n    title x\n");
    write_text("data/metrics/ignored.txt", "nonsense");
    assert_int_equal(records_read(&records, place("data")), 0);
    assert_int_equal(records.count, 3);
    const struct record *metric = records_find(&records, RECORD_METRIC, "m");
    assert_non_null(metric);
    assert_string_equal(record_field(metric, "formula"), "a + b + c");
    assert_string_equal(record_field(metric, "unit"), "bytes / s");
    assert_null(record_field(metric, "title"));
    assert_int_equal(metric->line, 2);
    assert_int_equal(record_line(metric, "formula"), 4);
    assert_int_equal(record_line(metric, "title"), 2);
    assert_non_null(
        records_find(&records, RECORD_AREA, "m")); /* areas have a namespace of their own */
    assert_null(records_find(&records, RECORD_FACT, "m"));
    assert_int_equal(record_alternatives(records_find(&records, RECORD_COUNTER, "c"), alternative),
                     3);
    assert_string_equal(alternative[0], "x.sum");
    assert_string_equal(alternative[1], "y.sum");
    assert_string_equal(alternative[2], "z");
    for (int i = 0; i < 3; i++) free(alternative[i]);
    FAILS(records_unknown_metric(&records, "mm"), FAIL_USAGE, "did you mean 'm'?");
    FAILS(records_unknown_metric(&records, "quite_another"), FAIL_USAGE,
          "'whyfast list metrics' names them all");
    records_free(&records);
    unlink(place("data/metrics/b.metric"));
    unlink(place("data/metrics/c.metric"));
}

TEST(the_project_s_own_records_are_read)
{
    OWNED_BY(records_free) struct records records;
    int kinds[RECORD_KIND_COUNT] = {0};
    assert_int_equal(records_read(&records, root()), 0);
    for (int i = 0; i < records.count; i++) kinds[records.record[i].kind]++;
    for (int kind = 0; kind < RECORD_KIND_COUNT; kind++) assert_true(kinds[kind] > 0);
}

RUN_TESTS(fixture_open, fixture_close)
