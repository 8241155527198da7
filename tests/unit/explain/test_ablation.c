#include "explained.h"

/* One cell of the run that is being made. */
struct made {
    const char *variant, *factors;
    double time_ns;     /* 0: not measured */
    const char *status; /* status of its point, with the reason; NULL: ok */
    int first_round;
};

enum { SAMPLES = 8 };

static struct text variants, points, samples;

static void begin(void)
{
    text_free(&variants);
    text_free(&points);
    text_free(&samples);
}

/* Writes eight rounds, each slower than the last by `drift`, with a twin that takes `twin` times as
 * long. */
static void add(const char *family, const char *size, const struct made *cell, double drift,
                double twin)
{
    static const char *const copies[] = {"a", "b"};
    text_format(&variants, "%s,%s,1,T,,s,c,p,%s,,,f,,absent,kernel\n", family, cell->variant,
                cell->factors);
    text_format(&points, "%s,%s,%s,32,0,%s,256,63,1\n", family, cell->variant, size,
                cell->status ? cell->status : "ok,");
    for (int copy = 0; copy < 2 && cell->time_ns > 0; copy++)
        for (int i = 0; i < SAMPLES; i++)
            text_format(&samples, "%s,%s,%s,32,0,cold,end_to_end,%s,%d,%.17g,1000,ok\n", family,
                        cell->variant, size, copies[copy], i + cell->first_round,
                        cell->time_ns * (1 + drift * i) * (copy ? twin : 1));
}

static int explain(void)
{
    make_run("r");
    write_table("r", TABLE_VARIANTS, text_string(&variants));
    write_table("r", TABLE_POINTS, text_string(&points));
    write_table("r", TABLE_SAMPLES, text_string(&samples));
    return explain_by(LADDER_RECORDS);
}

static void make(const struct made *cells, int count, double drift, double twin)
{
    begin();
    for (int i = 0; i < count; i++) add("f", "64", &cells[i], drift, twin);
    SUCCEEDS(explain(), "");
}

#define ROW(kind, factors, column) cell("r/ablation.csv", "f,64," kind "," factors, column)
#define main_is(factor, words) cells_are("r/ablation.csv", "f,64,main," factor, words)
#define interaction_is(factors, words)                                                             \
    cells_are("r/ablation.csv", "f,64,interaction," factors, words)

/* x gives 1.25 alone and 2 with y, y gives 2 alone and 3.2 with x; all gives 4. */
static const struct made grid[] = {{"01_a", "x_y=0 y=0", 400, NULL, 0},
                                   {"02_b", "x_y=1 y=0", 320, NULL, 0},
                                   {"03_c", "x_y=0 y=1", 200, NULL, 0},
                                   {"04_d", "x_y=1 y=1", 100, NULL, 0}};

TEST(a_grid_of_two_by_two)
{
    make(grid, 4, 0, 1.001);
    /* The square root of 1.25 * 2, at both ends: every sample is the same. The floor is that of a
     * twin which is 1.001 times as slow. */
    main_is("x_y", "ratio=1.58113883008 low=1.58113883008 high=1.58113883008 least=1.25 most=2 "
                   "status=resolved floor_pct=0.0999000999001");
    assert_string_equal(ROW("main", "x_y", "least_at"), "y off");
    assert_string_equal(ROW("main", "y", "most_at"), "x y on");
    main_is("y", "ratio=2.52982212813"); /* the square root of 2 * 3.2 */
    interaction_is("x_y y", "ratio=1.6");
    assert_string_equal(ROW("main", "x_y", "sentence"),
                        "X y: 1.581× on average (1.250× with y off to 2.000× with y on). Its "
                        "speed-up is 1.600× as large with y as without.");
    assert_string_equal(ROW("interaction", "x_y y", "sentence"),
                        "X y and y: the speed-up of both is 1.600× [1.600 – 1.600] the product of "
                        "their separate speed-ups.");
}

/* The twin is 5 % off: smaller differences are no effects, and no sentence calls them so. */
TEST(below_the_floor_is_unresolved)
{
    static const struct made cells[] = {{"01_a", "x=0 y=0", 400, NULL, 0},
                                        {"02_b", "x=1 y=0", 390, NULL, 0},
                                        {"03_c", "x=0 y=1", 200, NULL, 0},
                                        {"04_d", "x=1 y=1", 195, NULL, 0}};
    make(cells, 4, 0, 1.05);
    main_is("x", "status=unresolved");
    main_is("y", "status=resolved");
    interaction_is("x y", "status=unresolved");
    assert_string_equal(ROW("main", "x", "sentence"),
                        "X: unresolved, 1.026× [1.026 – 1.026] at a noise floor of 4.76 %.");
    assert_string_equal(ROW("main", "y", "sentence"), "Y: 2.000× on average.");
    make(cells, 4, 0, 1); /* an effect without noise, but two equal speed-ups are no interaction */
    assert_string_equal(ROW("main", "x", "status"), "resolved");
    assert_string_equal(ROW("interaction", "x y", "status"), "unresolved");
}

TEST(an_interval_across_1_is_unresolved)
{
    static const struct made cells[] = {{"01_a", "x=0", 100, NULL, 0},
                                        {"02_b", "x=1", 98, NULL, 100}}; /* no round in common */
    make(cells, 2, 0.05, 1);
    assert_true(strtod(ROW("main", "x", "low"), NULL) < 1 &&
                strtod(ROW("main", "x", "high"), NULL) > 1);
    assert_string_equal(ROW("main", "x", "status"), "unresolved");
}

/* Noise that is common to a round is in both times. */
TEST(drift_is_common_to_a_round)
{
    static const struct made cells[] = {{"01_a", "x=0", 100, NULL, 0},
                                        {"02_b", "x=1", 10, NULL, 0}};
    make(cells, 2, 0.05, 1);
    main_is("x", "low=10 high=10 status=resolved");
}

/* Rounds overlap in part: common ones are drawn together, the others by themselves. */
TEST(rounds_in_part)
{
    static const struct made cells[] = {{"01_a", "x=0", 100, NULL, 0},
                                        {"02_b", "x=1", 50, NULL, 4}};
    make(cells, 2, 0.05, 1);
    const double low = strtod(ROW("main", "x", "low"), NULL),
                 high = strtod(ROW("main", "x", "high"), NULL);
    assert_true(low < 2 && high > 2);
}

TEST(the_same_every_time)
{
    make(grid, 4, 0.03, 1.001);
    OWNED char *before = strdup(read_text("r/ablation.csv"));
    make(grid, 4, 0.03, 1.001);
    assert_string_equal(read_text("r/ablation.csv"), before);
}

TEST(a_missing_cell)
{
    struct made cells[4];
    memcpy(cells, grid, sizeof cells);
    cells[3].time_ns = 0;
    cells[3].status = "failed,wrong";
    make(cells, 4, 0, 1.001);
    main_is("x_y", "ratio=1.25 status=resolved");
    assert_string_equal(ROW("main", "x_y", "sentence"),
                        "X y: 1.250× on average over the available pairs.");
    interaction_is("x_y y", "ratio= sentence=");
    assert_string_equal(ROW("interaction", "x_y y", "status"),
                        "absent: no four cells differ in these two alone");
    const struct made ends[] = {grid[0], grid[3]};
    make(ends, 2, 0, 1.001);
    assert_string_equal(ROW("main", "y", "status"), "absent: no two cells differ in it alone");
}

TEST(what_is_no_grid)
{
    static const struct made third[] = {
        {"01_a", "x=0", 100, NULL, 0}, {"02_b", "x=1", 98, NULL, 0}, {"03_c", "x=4", 90, NULL, 0}};
    static const struct made twice[] = {
        {"01_a", "x=0", 100, NULL, 0}, {"02_b", "x=1", 98, NULL, 0}, {"03_c", "x=1", 90, NULL, 0}};
    make(third, 3, 0, 1);
    assert_string_equal(ROW("main", "x", "status"), "absent: x=4 is neither 0 nor 1");
    make(twice, 3, 0, 1);
    assert_string_equal(ROW("main", "x", "status"), "absent: 02_b and 03_c have the same factors");
}

/* A factor that all cells have is no factor; a variant that lacks a factor is no cell; one cell
 * alone is no ablation. */
TEST(what_does_not_count)
{
    static const struct made cells[] = {{"01_a", "x=0 z=1", 100, NULL, 0},
                                        {"02_b", "x=1 z=1", 50, NULL, 0},
                                        {"03_c", "z=1", 10, NULL, 0},
                                        {"04_d", "x= =1 words z=1", 10, NULL, 0}};
    static const char header[] =
        "family,size,kind,factors,ratio,low,high,least,most,least_at,most_at,floor_pct,status,"
        "sentence,direction\n";
    make(cells, 3, 0, 1);
    main_is("x", "ratio=2");
    main_is("z", "ratio=-");
    make(cells, 4, 0, 1);
    assert_string_equal(ROW("main", "x", "status"), "absent: x= is neither 0 nor 1");
    make(cells, 1, 0, 1);
    assert_string_equal(read_text("r/ablation.csv"), header);
    make(cells, 0, 0, 1);
    assert_string_equal(read_text("r/ablation.csv"), header);
}

/* Five samples of a cell are too few for any interval, and a run without twins has no floor. */
TEST(too_little_to_tell)
{
    begin();
    for (int i = 0; i < 4; i++) add("f", "64", &grid[i], 0, 1);
    char *cut = strstr(samples.data, "f,04_d,64,32,0,cold,end_to_end,a,5");
    cut[0] = 0;
    samples.length = (size_t)(cut - samples.data);
    SUCCEEDS(explain(), "");
    main_is("y", "low= status=unresolved floor_pct=");
    holds(ROW("main", "y", "sentence"), "unresolved, 2.530× with too few samples for an interval");
}

/* Families and sizes do not mix, and sizes are in numeric order. */
TEST(several_families_and_sizes)
{
    static const char *const sizes[] = {"1024", "64"};
    begin();
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < 4; i++) {
            struct made cell_at = grid[i];
            cell_at.time_ns = s == 0 && i == 3 ? 50 : grid[i].time_ns;
            add("f", sizes[s], &cell_at, 0, 1);
            if (s == 0) continue;
            cell_at.time_ns /= 1 + i;
            add("e", sizes[s], &cell_at, 0, 1);
        }
    text_free(&variants);
    for (int i = 0; i < 4; i++)
        for (int f = 0; f < 2; f++)
            text_format(&variants, "%c,%s,1,T,,s,c,p,%s,,,f,,absent,kernel\n", "ef"[f],
                        grid[i].variant, grid[i].factors);
    SUCCEEDS(explain(), "");
    interaction_is("x_y y", "ratio=1.6");
    cells_are("r/ablation.csv", "f,1024,interaction,x_y y", "ratio=3.2");
    cells_are("r/ablation.csv", "e,64,interaction,x_y y", "ratio=1.06666666667"); /* 1.6 * 4 / 6 */
    const char *text = read_text("r/ablation.csv");
    assert_true(strstr(text, "\ne,64") < strstr(text, "\nf,64") &&
                strstr(text, "\nf,64") < strstr(text, "\nf,1024"));
}

/* The mean is over all settings of the other factors; each is worth 1 % more than the last. */
TEST(six_factors)
{
    char factors[64][64], names[64][16];
    begin();
    for (int i = 0; i < 64; i++) {
        double time_ns = 1000;
        for (int f = 0; f < 6; f++) time_ns /= i >> f & 1 ? 1.1 + 0.01 * f : 1;
        snprintf(names[i], sizeof names[i], "%02d_v", i + 1);
        snprintf(factors[i], sizeof factors[i], "a=%d b=%d c=%d d=%d e=%d g=%d", i & 1, i >> 1 & 1,
                 i >> 2 & 1, i >> 3 & 1, i >> 4 & 1, i >> 5 & 1);
        const struct made cell_at = {names[i], factors[i], time_ns, NULL, 0};
        add("f", "64", &cell_at, 0.01, 1);
    }
    SUCCEEDS(explain(), "");
    main_is("a", "ratio=1.1");
    main_is("b", "ratio=1.11");
    main_is("c", "ratio=1.12");
    main_is("d", "ratio=1.13");
    main_is("e", "ratio=1.14");
    main_is("g", "ratio=1.15");
    interaction_is("a g", "status=unresolved");
}

static int close_all(void **state)
{
    begin();
    return fixture_close(state);
}

RUN_TESTS(fixture_open, close_all)
