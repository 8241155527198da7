#include "fixture.h"

#include "run/packed_table.h"

/* Writes a table as xz unpacks it, then makes a file of the run of it. */
static int copy(const char *text)
{
    char from[512], directory[sizeof scratch];
    snprintf(from, sizeof from, "%s", write_text("unpacked", text));
    snprintf(directory, sizeof directory, "%s", scratch);
    return packed_table_copy(from, "lines.csv.xz", directory, "lines.csv");
}

static void becomes(const char *text, const char *table)
{
    assert_int_equal(copy(text), 0);
    assert_string_equal(read_text("lines.csv"), table);
    assert_int_equal(unlink(place("lines.csv")), 0);
}

static void is_damaged(const char *text, const char *why)
{
    char message[200];
    snprintf(message, sizeof message, "lines.csv.xz: is damaged: %s", why);
    FAILS(copy(text), FAIL_INPUT, message);
    assert_string_equal(read_text("lines.csv"), "(absent)");
}

TEST(rows_are_copied)
{
    static const char *const kept[] = {"",    "a,b\n1,2\n", "source,text\n0,\"a\n\nb\"\n",
                                       "cut", "a\r\n1\r\n", "# columns of 1 rows\n"};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) becomes(kept[i], kept[i]);
}

TEST(columns_become_rows)
{
    becomes("#columns of 3 rows\na\n1\n2\nb\n\n4\nc\n5\n\n", "a,b,c\n1,,5\n2,4,\n");
    becomes("#columns of 2 rows\nsass\n\"MOV R1, R2\"\npc\n16\r\n",
            "sass,pc\n\"MOV R1, R2\",16\r\n");
    becomes("#columns of 1 rows\na\n", "a\n");
    becomes("#columns of 1 rows\n\n\n", ",\n");
}

TEST(damaged_columns_are_refused)
{
    static const char *const heads[] = {"#columns of 0 rows",  "#columns of -1 rows",
                                        "#columns of  1 rows", "#columns of x rows",
                                        "#columns of 1",       "#columns of 1 rows and more",
                                        "#columns of 1 rows\r"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        char text[80];
        snprintf(text, sizeof text, "%s\na\n", heads[i]);
        is_damaged(text, "its first line does not tell the number of rows");
    }
    is_damaged("#columns of 1 rows", "its first line does not tell the number of rows");
    is_damaged("#columns of 1 rows\n", "it has no columns");
    is_damaged("#columns of 1 rows\na", "its last column is cut off");
    is_damaged("#columns of 2 rows\na\n1\nb\n", "its last column is cut off");
    is_damaged("#columns of 99999999999999999999 rows\na\n", "its last column is cut off");
    char many[300];
    snprintf(many, sizeof many, "#columns of 1 rows\n%0257d", 0);
    for (char *at = strchr(many, '\n') + 1; *at; at++) *at = '\n';
    is_damaged(many, "it has too many columns");
}

TEST(what_cannot_be_read_or_written)
{
    FAILS(packed_table_copy("/none", "lines.csv.xz", scratch, "lines.csv"), FAIL_INPUT,
          "lines.csv.xz: cannot read");
    char from[512];
    snprintf(from, sizeof from, "%s", write_text("unpacked", "#columns of 1 rows\na\n"));
    FAILS(packed_table_copy(from, "lines.csv.xz", "/none", "lines.csv"), FAIL_OUTPUT, "/none");
}

RUN_TESTS(fixture_open, fixture_close)
