/*
 * Tests the five columns that name a point: copied from a row, compared and written, and the same
 * in every table of a run that has them.
 */
#include "fixture.h"

#include "catalog/point_key.h"
#include "run/tables.h"

static const char *const row[] = {"sums", "02_tree", "4096", "256", NULL, "0"};

TEST(a_key_is_a_copy_of_its_cells)
{
    struct point_key key;
    assert_int_equal(point_key_copy(&key, row), 0);
    assert_string_equal(key.family, "sums");
    assert_string_equal(key.variant, "02_tree");
    assert_string_equal(key.size, "4096");
    assert_string_equal(key.block, "256");
    assert_string_equal(key.sweep, "");
    point_key_free(&key);
    assert_null(key.sweep);
}

TEST(keys_differ_by_any_column)
{
    const char *const same[] = {"sums", "02_tree", "4096", "256", "", "0"};
    struct point_key key;
    assert_int_equal(point_key_copy(&key, row), 0);
    assert_true(point_key_is(&key, same));
    for (int i = 0; i < POINT_KEY_COLUMNS; i++) {
        const char *other[POINT_KEY_COLUMNS];
        memcpy(other, same, sizeof other);
        other[i] = "1";
        assert_false(point_key_is(&key, other));
    }
    point_key_free(&key);
}

TEST(tables_have_the_columns_in_their_order)
{
    int found = 0;
    for (int t = 0; t < TABLE_COUNT; t++) {
        const struct column *column = tables[t].columns;
        OWNED_BY(text_free) struct text text = {0};
        while (column->name && strcmp(column->name, "family")) column++;
        for (int i = 0; i < POINT_KEY_COLUMNS && column[i].name; i++)
            text_format(&text, "%s%s", i ? "," : "", column[i].name);
        const int has_sweep = text.length && strstr(text.data, "sweep") != NULL;
        if (has_sweep) assert_string_equal(text.data, POINT_KEY_CSV);
        found += has_sweep;
    }
    assert_in_range(found, 8, TABLE_COUNT);
}

RUN_TESTS(NULL, NULL)
