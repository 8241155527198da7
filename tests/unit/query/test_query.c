#include "queried.h"
#include "query/common_settings.sql.h"

QUERY_TEST(facts_of_the_run_are_there)
{
    gives("value / 4 FROM run WHERE key = 'device_sm_count'",
          "2"); /* an integer; metrics see it as REAL */
    gives("value FROM run WHERE key = 'device_name'", "Test GPU");
    gives("value FROM run WHERE key = 'not there'", "NULL");
}

static int load(enum table_id id, const char *name, const char *text)
{
    struct query fresh;
    char file[64];
    snprintf(file, sizeof file, "q/%s.csv", name);
    if (text)
        write_text(file, text);
    else
        unlink(place(file));
    if (query_open(&fresh, &run)) return -99;
    const int result = query_load(&fresh, id);
    query_close(&fresh);
    return result;
}

#define FAMILIES "family,title,problem,useful_bytes_text"
#define METRICS "family,variant,size,block,sweep,best"
#define PUBLISHED "family,variant,source,device,peak_gbs,size,block,sweep,time_ns,effective_gbs"

QUERY_TEST(tables_are_checked)
{
    static const struct {
        const char *text, *words;
    } families[] = {
        {"", "families.csv:1: the file is empty; expected a header"},
        {"family,title\n", "families.csv:1: 2 columns; expected column 'problem'"},
        {"title,family,problem,useful_bytes_text\n",
         "families.csv:1: column 'title'; expected 'family'"},
        {FAMILIES ",Extra\n", "families.csv:1: column name 'Extra'; expected a bare identifier"},
        {FAMILIES ",a b\n", "families.csv:1: column name 'a b'; expected a bare identifier"},
        {FAMILIES ",\n", "families.csv:1: column name ''; expected a bare identifier"},
        {FAMILIES ",title\n", "families.csv:1: column 'title' appears twice"},
        {FAMILIES ",x,x\n", "families.csv:1: column 'x' appears twice"},
        {FAMILIES ",unit,rate\n", "families.csv:1: column 'unit'; expected 'rate'"},
        {"family,x,problem,useful_bytes_text\n", "families.csv:1: column 'x'; expected 'title'"},
        {FAMILIES ",rate,rate\n", "families.csv:1: column 'rate' appears twice"},
        {FAMILIES ",rate\na,b,c,d\n", "families.csv:2: 4 cells; expected 5"},
        {FAMILIES "\na,b\n", "families.csv:2: 2 cells; expected 4"},
        {FAMILIES "\na,b,c,d,e\n", "families.csv:2: 5 cells; expected 4"},
        {FAMILIES "\n,b,c,d\n", "families.csv:2: column 'family' is empty"},
        {FAMILIES "\na,b,c,d\ne,f,g,h",
         "families.csv: the last line is not complete; the file is truncated"},
        {FAMILIES "\na,\"b,c,d\n", "families.csv:2: a quote is not closed"},
        {NULL, "families.csv: is missing; every run must have it"},
    };
    static const struct {
        const char *row, *words;
    } published[] = {
        {"f,v,s,d,1,n,-1,0,1,1",
         "published.csv:2: column 'block': expected a whole number, found '-1'"},
        {"f,v,s,d,1,n,,0,1,1",
         "published.csv:2: column 'block': expected a whole number, found ''"},
        {"f,v,s,d,1,n,1.5,0,1,1", "column 'block': expected a whole number, found '1.5'"},
        {"f,v,s,d,many,n,1,0,1,1", "column 'peak_gbs': expected a number or nothing, found 'many'"},
        {"f,v,s,d,0x10,n,1,0,1,1", "column 'peak_gbs': expected a number"},
        {"f,v,s,d,nan,n,1,0,1,1", "column 'peak_gbs': expected a number"},
        {"f,v,s,d,inf,n,1,0,1,1", "column 'peak_gbs': expected a number"},
        {"f,v,s,d,1e999,n,1,0,1,1", "column 'peak_gbs': expected a number"},
        {"f,v,s,d, 1,n,1,0,1,1", "column 'peak_gbs': expected a number"},
        {"f,v,s,d,\"1\n2\",n,1,0,1,1", "published.csv:2: column 'peak_gbs'"},
        {"f,../v,s,d,1,n,1,0,1,1", "published.csv:2: column 'variant': expected a name of at most "
                                   "64 letters, digits, '_', '.' and '-', found '../v'"},
        {"f/g,v,s,d,1,n,1,0,1,1", "column 'family': expected a name"},
        {".f,v,s,d,1,n,1,0,1,1", "column 'family': expected a name"},
        {"f,-v,s,d,1,n,1,0,1,1", "column 'variant': expected a name"},
        {"f,v,s,d,1,a b,1,0,1,1", "column 'size': expected a name"},
        {"f,v,s,d,1,\"a\nb\",1,0,1,1", "column 'size': expected a name"},
        {"f,v\033[2J,s,d,1,n,1,0,1,1", "found 'v\xEF\xBF\xBD[2J'"},
        {"f,v,s,d,1,\xC3\xA9,1,0,1,1", "column 'size': expected a name"},
        {"f,aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbccccccccccccccccdddddddddddddddde,s,d,1,n,1,0,1,1",
         "column 'variant': expected a name"},
    };
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        FAILS(load(TABLE_FAMILIES, "families", families[i].text), FAIL_INPUT, families[i].words);
    SUCCEEDS(load(TABLE_FAMILIES, "families", FAMILIES ",x\na,b,c,d,\ne,\"f\nf\",g,h,word\n"), "");
    SUCCEEDS(load(TABLE_METRICS, "metrics", METRICS ",x\nf,v,8,1,0,1,\ng,v,8,1,0,1,-1e3\n"), "");
    FAILS(load(TABLE_METRICS, "metrics", METRICS ",x\nf,v,8,1,0,1,word\n"), FAIL_INPUT,
          "metrics.csv:2: column 'value': expected a number or nothing, found 'word'");
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        char text[256];
        snprintf(text, sizeof text, PUBLISHED "\n%s\n", published[i].row);
        FAILS(load(TABLE_PUBLISHED, "published", text), FAIL_INPUT, published[i].words);
    }
    SUCCEEDS(load(TABLE_PUBLISHED, "published", PUBLISHED "\nf,v,s,,,n,1,0,.5,-1.5E3\n"), "");
    SUCCEEDS(load(TABLE_PUBLISHED, "published",
                  PUBLISHED "\nf,aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbccccccccccccccccdddddddddddddddd,="
                            "any <text>,,,2x3,1,0,,\n"),
             "");
    FAILS(load(TABLE_METRICS, "metrics", NULL), FAIL_INPUT,
          "metrics.csv: is missing; 'whyfast evaluate ");
    FAILS(load(TABLE_STEPS, "steps", NULL), FAIL_INPUT,
          "steps.csv: is missing; 'whyfast evaluate ");
    SUCCEEDS(load(TABLE_CHARTS, "charts", NULL), ""); /* a report without pictures */
}

/* Numbers divide as REAL, empty cells are NULL, and text stays text. */
QUERY_TEST(tables_are_typed)
{
    write_table("q", TABLE_PUBLISHED, "f,v,s,,5,00012,1,0,2,\n");
    assert_int_equal(query_load(&query, TABLE_PUBLISHED), 0);
    gives("peak_gbs / time_ns FROM published", "2.5");
    gives("effective_gbs FROM published", "NULL");
    gives("device FROM published", "NULL");
    gives("size FROM published", "00012");
    /* A column that a run may lack is NULL in all rows, and the columns after it keep their
     * order. */
    write_text("q/metrics.csv", METRICS ",x\nf,v,8,1,0,1,5\n");
    assert_int_equal(query_load(&query, TABLE_METRICS), 0);
    gives("device FROM metrics", "0");
    gives("best FROM metrics", "1.0");
    gives("x / 2 FROM metrics", "2.5");
}

/* An unknown column is ignored wherever it stands; the others keep their cells. */
QUERY_TEST(unknown_columns_are_ignored)
{
    write_text("q/families.csv", "gone,family,title,lost,problem,useful_bytes_text,left,rate,late\n"
                                 "'; DROP,a,b,,c,d,word,bytes,5\n");
    assert_int_equal(query_load(&query, TABLE_FAMILIES), 0);
    gives("family || title || problem || useful_bytes_text || rate || "
          "coalesce(unit, '') FROM families",
          "abcdbytes");
    static const char *const ignored[] = {"gone", "lost", "left", "late"};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        assert_false(query_has_column(&query, "families", ignored[i]));
}

/* launches.csv without the last columns, and one with an incomplete row. */
QUERY_TEST(later_columns_may_be_missing)
{
    static const char old[] =
        "family,variant,size,block,sweep,launch,grid_blocks,block_threads,registers,static_shared_"
        "bytes,dynamic_shared_bytes,"
        "local_bytes,blocks_per_sm,theoretical_occupancy_pct,occupancy_limiter,closed_form_excess_"
        "wavefronts,"
        "max_block_threads,sass_shuffles,sass_warp_reductions,sass_barriers,sass_float_adds";
    static const char row[] = "f,v,8,32,0,0,1,32,10,0,0,0,16,50,warps,7,1024,0,0,5,3";
    char text[1024];
    snprintf(text, sizeof text, "%s\n%s\n", old, row);
    write_text("q/launches.csv", text);
    assert_int_equal(query_load(&query, TABLE_LAUNCHES), 0);
    gives("sass_float_adds || coalesce(closed_form_store_ideal, ' and nothing') FROM launches",
          "3.0 and nothing");
    gives("sass_loop_barriers FROM launches", "NULL");
    unlink(place("q/accesses.csv"));
    assert_int_equal(query_load(&query, TABLE_ACCESSES), 0);
    gives("count(wavefronts) FROM accesses", "0");
    snprintf(text, sizeof text, "%s,closed_form_load_wavefronts\n%s,12\n", old, row);
    SUCCEEDS(load(TABLE_LAUNCHES, "launches", text), "");
    snprintf(text, sizeof text,
             "%s,closed_form_store_wavefronts,closed_form_load_wavefronts\n%s,12,13\n", old, row);
    FAILS(load(TABLE_LAUNCHES, "launches", text), FAIL_INPUT,
          "column 'closed_form_store_wavefronts'; expected 'closed_form_load_wavefronts'");
    snprintf(text, sizeof text, "%s\n%s,12\n", old, row);
    FAILS(load(TABLE_LAUNCHES, "launches", text), FAIL_INPUT,
          "launches.csv:2: 22 cells; expected 21");
    snprintf(text, sizeof text, "%.*s\n", (int)(strrchr(old, ',') - old), old);
    FAILS(load(TABLE_LAUNCHES, "launches", text), FAIL_INPUT,
          "launches.csv:1: 20 columns; expected column 'sass_float_adds'");
    FAILS(load(TABLE_ACCESSES, "accesses", "family,variant\n"), FAIL_INPUT,
          "accesses.csv:1: 2 columns; expected column 'size'");
}

static int count_row(void *context, const struct scope *row)
{
    int *count = context;
    return ++*count == 2 ? FAIL_CHECK : 0;
}

QUERY_TEST(scopes_and_visits)
{
    static const char *const outer_name[] = {"a", "b"}, *const outer_value[] = {"1", NULL},
                             *const inner_name[] = {"a"}, *const inner_value[] = {"2"};
    const struct scope outer = {NULL, 2, outer_name, outer_value},
                       inner = {&outer, 1, inner_name, inner_value};
    int known, count = 0;
    char *value = NULL;
    assert_string_equal(scope_value(&inner, "a", &known), "2");
    assert_null(scope_value(&inner, "b", &known));
    assert_true(known);
    assert_null(scope_value(&inner, "c", &known));
    assert_false(known);
    assert_null(scope_value(NULL, "c", &known));
    WORKS(query_text(&query, NULL, "SELECT :a || coalesce(:b, 'null')", &inner, &value));
    assert_string_equal(value, "2null");
    free(value);
    assert_int_equal(
        query_each(&query, NULL, "SELECT 1 UNION SELECT 2 UNION SELECT 3", NULL, count_row, &count),
        FAIL_CHECK);
    assert_int_equal(count, 2); /* loading stopped there */
}

QUERY_TEST(writes_csv)
{
    FILE *file = fopen(place("out.csv"), "wb");
    WORKS(query_csv(&query, "x:1",
                    "SELECT 1 AS a, 2.5 AS b, 3.0 AS c, NULL AS d, 'x,\"y' AS e, 0.1 + 0.2 AS f",
                    NULL, file));
    fclose(file);
    assert_string_equal(read_text("out.csv"), "a,b,c,d,e,f\n1,2.5,3,,\"x,\"\"y\",0.3\n");
}

/* Three rungs, the second swept: the third is compared with the best setting of the second, and all
 * with the first. */
QUERY_TEST(the_ladder)
{
    write_variants(
        "q",
        "f,01_a,1,A,,kernel\nf,02_b,2,B,01_a,kernel\nf,03_c,3,C,02_b,library\ng,01_z,1,Z,,cpu\n");
    assert_int_equal(query_load(&query, TABLE_VARIANTS), 0);
    WORKS(query_write(&query, "CREATE TABLE m AS SELECT * FROM "
                              "(VALUES('f','01_a','8',32,0,1,100.0),('f','02_b','8',32,"
                              "1,0,60.0),('f','02_b','8',32,2,1,50.0),"
                              "('f','03_c','8',32,0,1,40.0),('f','03_c','16',32,0,1,80."
                              "0),('f','01_a','8',64,0,1,7.0),('g','01_"
                              "z','8',32,0,1,9.0),('g','01_z','8',32,1,0,11.0))"));
    WORKS(query_write(&query, "CREATE TABLE metrics(family, variant, size, block, sweep, "
                              "best, time_ns); INSERT INTO metrics SELECT * FROM m"));
    assert_int_equal(query_make_ladder(&query), 0);
    gives("prev_time_ns || ' ' || first_time_ns || ' ' || prev_sweep || ' ' "
          "|| after FROM ladder WHERE variant = '03_c' AND size = '8'",
          "50.0 100.0 2 02_b");
    gives("group_concat(prev_time_ns, ' ') FROM ladder WHERE variant = '02_b'", "100.0 100.0");
    gives("prev_time_ns FROM ladder WHERE variant = '03_c' AND size = '16'",
          "NULL"); /* no other rung at that size */
    gives("prev_time_ns FROM ladder WHERE variant = '01_a' AND block = 32", "NULL");
    gives("first_time_ns FROM ladder WHERE variant = '01_a' AND block = 64", "7.0");
    gives("group_concat(first_time_ns, ' ') FROM ladder WHERE family = 'g'",
          "9.0 9.0"); /* the first rung's best setting */
    gives("count(*) FROM ladder", "8");
    gives("kind FROM ladder WHERE variant = '02_b' AND sweep = 2", "kernel");
    gives("kind FROM ladder WHERE variant = '03_c' AND size = '16'", "library");
    gives("group_concat(kind, ' ') FROM ladder WHERE family = 'g'", "cpu cpu");
}

RUN_TESTS(fixture_open, fixture_close)

/* The array of f is as long in all kernels; of g one kernel has a value less, h has one kernel. */
QUERY_TEST(a_setting_of_all_kernels_is_common)
{
    WORKS(
        query_write(&query,
                    "CREATE TABLE variants(family, variant, kind, sweep_name);"
                    "CREATE TABLE setting_times(family, variant, size, sweep, ns);"
                    "INSERT INTO variants VALUES('f', '1', 'kernel', 'words'), ('f', '2', "
                    "'kernel', 'words'), ('f', '9', 'library', NULL), ('g', '1', 'kernel', "
                    "'loads'), ('g', '2', 'kernel', 'loads'), ('h', '1', 'kernel', 'loads');"
                    "INSERT INTO setting_times VALUES('f', '1', '64', 4, 90), ('f', '1', '64', 8, "
                    "95), ('f', '2', '64', 8, 50), ('f', '2', '64', 4, 60), ('f', '9', '64', 0, "
                    "10), ('g', '1', '64', 4, 9), ('g', '1', '64', 8, 5), ('g', '2', '64', 4, 7), "
                    "('h', '1', '64', 4, 9), ('h', '1', '64', 8, 5); %s",
                    common_settings_sql));
    gives("group_concat(family || ' ' || size || ' ' || sweep) FROM common_settings", "f 64 8");
}
