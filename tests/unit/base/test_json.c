#include "fixture.h"

#include <math.h>

#include "base/json.h"

TEST(an_object_begins_with_its_schema)
{
    struct json_writer writer;
    FILE *file = fopen(place("json"), "w");
    assert_non_null(file);
    json_begin(&writer, file, "test/1");
    json_number(&writer, "count", 3);
    json_number(&writer, "share_pct", 12.5);
    json_number(&writer, "cost_ns", NAN);
    json_flag(&writer, "is_exact", 1);
    json_text(&writer, "name", NULL);
    json_value(&writer, "lines", "[{\"line\":24.0,\"ways\":1.05,\"text\":\"x[1.0] \\\" 2.0\"}]");
    json_value(&writer, "none", NULL);
    json_open(&writer, "rows", '[');
    for (int i = 0; i < 2; i++) {
        json_open(&writer, NULL, '{');
        json_number(&writer, "i", i);
        json_close(&writer, '}');
    }
    json_close(&writer, ']');
    json_open(&writer, "empty", '[');
    json_close(&writer, ']');
    json_end(&writer);
    assert_int_equal(fclose(file), 0);
    assert_string_equal(
        read_text("json"),
        "{\"schema\":\"whyfast.test/1\",\"count\":3,\"share_pct\":12.5,\"cost_ns\":null,"
        "\"is_exact\":true,\"name\":null,"
        "\"lines\":[{\"line\":24,\"ways\":1.05,\"text\":\"x[1.0] \\\" 2.0\"}],\"none\":null,"
        "\"rows\":[{\"i\":0},\n{\"i\":1}],\"empty\":[]}\n");
}

TEST(texts_are_escaped)
{
    struct json_writer writer;
    FILE *file = fopen(place("json"), "w");
    assert_non_null(file);
    json_begin(&writer, file, "test/1");
    json_text(&writer, "a\"b", "\\ \"\033[2J\n\t\xC2\x9B\xFF \xC2\xB5");
    json_end(&writer);
    assert_int_equal(fclose(file), 0);
    assert_string_equal(read_text("json"),
                        "{\"schema\":\"whyfast.test/1\",\"a\\\"b\":\"\\\\ "
                        "\\\"\\u001b[2J\\u000a\\u0009\\u009b\xEF\xBF\xBD \xC2\xB5\"}\n");
}

RUN_TESTS(fixture_open, fixture_close)
