#include "explained.h"

#define HIGHER(name, formula, rest) EXPLAINED(name, formula, "higher", rest)
#define LOWER(name, formula, rest) EXPLAINED(name, formula, "lower", rest)

static const char records[] = LADDER_RECORDS HIGHER("rate", "1000 / time_ns", "    title Rate\n")
    HIGHER("by_bytes", "1000 / time_ns", "    title Bytes\n    rate bytes\n")
        HIGHER("by_operations", "1000 / time_ns", "    title Operations\n    rate operations\n")
            LOWER("work", "c_sum", "    title Work\n") LOWER("untitled", "c_sum", "")
                LOWER("demand_issue_ns", "time_ns / 2", "") LOWER("demand_shared_ns", "30", "")
                    LOWER("demand_conflicts_ns",
                          "CASE WHEN c_sum IS NOT NULL THEN 30 * (time_ns > 60) END", "")
                        LOWER("demand_launch_ns", "ceiling_launch_ns", "");

static void add_series(struct text *rows, const char *variant, const char *copy, double time)
{
    for (int i = 0; i < 8; i++)
        text_format(rows, "f,%s,64,32,0,cold,end_to_end,%s,%d,%.9g,1000,ok\n", variant, copy, i,
                    time);
}

#define LADDER_VARIANTS                                                                            \
    "f,01_a,1,A,,kernel\nf,02_b,2,B,01_a,kernel\nf,03_c,3,C,02_b,kernel\nf,04_d,4,D,03_c,kernel\n"
#define LADDER_POINTS                                                                              \
    "f,01_a,64,32,0,ok,,256,63,1\nf,02_b,64,32,0,ok,,256,63,1\n"                                   \
    "f,03_c,64,32,0,ok,,256,63,1\nf,04_d,64,32,0,ok,,256,63,1\n"

/* Four rungs: 01 takes 100 ns, 02 half of that, 03 3 % less than 02, 04 twice as long as 03; the
 * floor of all is 100 (1 - 1 / 1.05) = 4.76 %. */
static void make_steps_run(const char *claims)
{
    OWNED_BY(text_free) struct text samples = {0}, counters = {0};
    static const double times[] = {100, 50, 48.5, 97};
    static const char *const names[] = {"01_a", "02_b", "03_c", "04_d"};
    static const char *const work[] = {"1000", "1000", "400", ""};
    make_run("r");
    for (int i = 0; i < 4; i++) {
        add_series(&samples, names[i], "a", times[i]);
        add_series(&samples, names[i], "b", times[i] * 1.05);
        for (int repeat = 0; repeat < 2; repeat++)
            text_format(&counters, "f,%s,64,32,0,0,%d,one,1,c_sum,x,%s,ok\n", names[i], repeat,
                        work[i]);
    }
    write_variants("r", LADDER_VARIANTS);
    write_table("r", TABLE_POINTS, LADDER_POINTS);
    write_table("r", TABLE_SAMPLES, text_string(&samples));
    write_table("r", TABLE_COUNTERS, text_string(&counters));
    write_table("r", TABLE_CLAIMS, claims);
    write_table("r", TABLE_PUBLISHED,
                "f,01_a,Book,OLD,100,64,32,0,800,10\nf,02_b,Book,OLD,100,64,32,0,400,20\nf,02_b,"
                "Book,OLD,100,64,32,1,500,16\nf,03_c,Other,"
                "NEW,,64,32,0,7,\nf,04_d,Book,Test,100,128,0,0,100,1\n");
}

static int explain(void)
{
    return explain_by(records);
}

#define VERDICT(variant, claim, column)                                                            \
    cell("r/verdicts.csv", "f," variant ",64,32,0,0," claim, column)

/* Asserts that rows whose keys begin like this, and end with the names of the words, have these
 * values. */
static void rows_are(const char *file, const char *key, const char *column, const char *words)
{
    for (struct word word; next_word(&words, &word);) {
        char *whole = text_new("%s,%s", key, word.name),
             *cell = text_new("%s=%s", column, word.value);
        cells_are(file, whole, cell);
        free(whole);
        free(cell);
    }
}

#define step_is(variant, words) cells_are("r/steps.csv", "f," variant ",64,32,0", words)
#define verdicts_are(variant, words)                                                               \
    rows_are("r/verdicts.csv", "f," variant ",64,32,0,0", "verdict", words)
#define moved_are(variant, words)                                                                  \
    rows_are("r/moved.csv", "f," variant ",64,32,0,0", "verdict", words)
#define moved_is(variant, name, words)                                                             \
    cells_are("r/moved.csv", "f," variant ",64,32,0,0," name, words)
#define demands_are(variant, column, words)                                                        \
    rows_are("r/demands.csv", "f," variant ",64,32,0,0", column, words)

TEST(steps_have_evidence_or_none)
{
    make_steps_run("");
    SUCCEEDS(explain(), "");
    step_is("02_b", "speedup_prev=2 speedup_prev_low=2 speedup_first=2 after=01_a evidence=faster "
                    "floor_pct=4.7619047619");
    assert_string_equal(cell("r/steps.csv", "f,03_c,64,32,0", "evidence"),
                        "no evidence"); /* 3 % faster, the floor is 4.8 % */
    step_is("04_d", "evidence=slower");
    step_is("01_a", "evidence=-"); /* not the end of a step */
}

TEST(verdicts_with_the_numbers)
{
    make_steps_run("f,02_b,1,It is faster.,Book,p. 1,,speedup_prev > 1.5\n"
                   "f,02_b,2,\"It does less, they say.\",Book,p. 2,64,work < prev_work\n"
                   "f,04_d,1,It does less.,Book,p. 3,,work < prev_work AND time_ns > 0\n"
                   "f,02_b,3,Only elsewhere.,Book,p. 4,128,1\n"
                   "f,02_b,4,No setting.,Book,p. 5,,sweep = 0\n"
                   "f,02_b,5,A setting that was not measured.,Book,p. 6,,1,16\n"
                   "f,02_b,6,At times it is faster.,Book,p. 7,64,speedup_prev > 1,0,1\n"
                   "f,02_b,7,At times it is slow.,Book,p. 7,64,speedup_prev < 1,0,1\n"
                   "f,02_b,8,There it is slow.,Book,p. 8,64,speedup_prev < 1,0,0,G80\n"
                   "f,02_b,9,Here it is slow.,Book,p. 8,64,speedup_prev < 1,0,0,Test\n");
    SUCCEEDS(explain(), "");
    /* Claim 3 is about another size, claim 5 about another setting. */
    verdicts_are("02_b", "1=confirmed 2=refuted 3=- 4=confirmed 5=- 6=seen 9=refuted");
    assert_string_equal(VERDICT("02_b", "1", "numbers"), "speedup_prev = 2");
    assert_string_equal(VERDICT("02_b", "1", "says"), "It is faster.");
    assert_string_equal(VERDICT("02_b", "2", "numbers"), "work = 1000; prev_work = 1000");
    assert_string_equal(VERDICT("04_d", "1", "verdict"), "not measurable here");
    assert_string_equal(
        VERDICT("04_d", "1", "numbers"),
        "work = absent; c_sum = absent; prev_work = 400; time_ns = 97; needs c_sum");
    assert_string_equal(VERDICT("02_b", "7", "verdict"), "not seen");
    assert_string_equal(VERDICT("02_b", "8", "verdict"), "not measurable here");
    assert_string_equal(
        VERDICT("02_b", "8", "numbers"),
        "speedup_prev = 2; the claim is about the G80, and this run is from the Test GPU");
}

#define WORDED(name, unit, formula, rest)                                                          \
    "metric " name "\n    unit " unit "\n    formula " formula                                     \
    "\n    better lower\n    means m\n" rest

/* Numbers are in the words of their records, not in the names of their columns. */
TEST(evidence_in_words)
{
    static const char worded[] = LADDER_RECORDS WORDED("work", "u", "c_sum", "    title Work\n")
        WORDED("l2_used", "%", "c_sum / 20", "    title L2 used, % of its peak\n")
            WORDED("loads", "warp loads", "c_sum", "    words   shared loads\n")
                WORDED("times", "1", "speedup_prev", "    words   × the speed of the one before\n")
                    WORDED("times_low", "1", "speedup_prev_low", "")
                        WORDED("times_high", "1", "speedup_prev_high / 0.9", "")
                            WORDED("is_slow", "0 or 1", "time_ns > 60", "    words   slow here\n")
                                WORDED("is_known", "0 or 1", "CASE WHEN time_ns < 0 THEN 1 END",
                                       "    words   known\n");
    static const char *const evidence[][3] = {
        {"02_b", "work < prev_work", "work 1000 u, before 1000 u"},
        {"02_b", "prev_work = 1000 AND work > 0", "work 1000 u, before 1000 u"},
        {"02_b", "prev_loads = first_work", "before: shared loads 1000; at first: work 1000 u"},
        {"02_b", "l2_used > prev_l2_used", "L2 used 50 % of its peak, before 50 %"},
        {"02_b", "times > 1.5", "2.00× the speed of the one before"},
        {"02_b", "times_low > 1.5 AND times_high > 1.5",
         "2.00× to 2.22× the speed of the one before"},
        {"02_b", "times_low > 1.5", "at least 2.00× the speed of the one before"},
        {"02_b", "times_high > 1.5", "at most 2.22× the speed of the one before"},
        {"02_b", "is_slow", "not slow here"},
        {"04_d", "is_slow", "slow here"},
        {"02_b", "is_known", "not decided whether known: time 50.00 ns"},
        {"02_b", "work / time_ns > 10 AND work * time_ns > 0",
         "work 1000 u; time 50.00 ns; ratio 20"},
        {"02_b", "time_ns < 0.9 * prev_time_ns", "time 50.00 ns, before 100.0 ns; ratio 0.5"},
        {"02_b", "work * time_ns < 0.9 * prev_work * prev_time_ns",
         "work 1000 u, before 1000 u; time 50.00 ns, before 100.0 ns"},
        {"04_d", "loads < prev_loads",
         "shared loads absent, before 400; c_sum absent; needs c_sum"},
        {"02_b", "work > 2 * sweep", "work 1000 u; no setting"},
    };
    enum { CLAIMS = sizeof evidence / sizeof *evidence };
    struct text claims = {0};
    for (int i = 0; i < CLAIMS; i++)
        text_format(&claims, "f,%s,%d,It is.,Book,p. 1,64,%s\n", evidence[i][0], i + 1,
                    evidence[i][1]);
    make_steps_run(text_string(&claims));
    text_free(&claims);
    SUCCEEDS(explain_by(worded), "");
    for (int i = 0; i < CLAIMS; i++) {
        OWNED char *key = text_new("f,%s,64,32,0,0,%d", evidence[i][0], i + 1);
        assert_string_equal(cell("r/verdicts.csv", key, "measured"), evidence[i][2]);
    }
}

TEST(what_moved)
{
    make_steps_run("");
    SUCCEEDS(explain(), "");
    moved_is("02_b", "rate", "verdict=better before=10 after=20");
    moved_are("02_b", "work=-");                        /* did not move */
    moved_are("02_b", "speedup_prev=-");                /* has a table of its own */
    moved_are("03_c", "rate=- work=better untitled=-"); /* the rate is below the floor */
    moved_are("04_d", "rate=worse work=-");             /* the work is absent now */
}

/* A family is not described in a unit that it does not use; a run without the unit is one of
 * bytes. */
TEST(what_moved_goes_by_the_rate)
{
    make_steps_run("");
    SUCCEEDS(explain(), "");
    moved_are("02_b", "by_bytes=better by_operations=-");
    write_table("r", TABLE_FAMILIES, "f,F,problem,bytes,operations\n");
    SUCCEEDS(explain(), "");
    moved_are("02_b", "by_bytes=- by_operations=better rate=better");
    write_table("r", TABLE_FAMILIES, "f,F,problem,bytes,bytes\n");
    SUCCEEDS(explain(), "");
    moved_are("02_b", "by_bytes=better");
}

TEST(noise_of_the_counters_counts)
{
    make_steps_run("f,03_c,1,It does less.,Book,p. 1,,work < prev_work\n"
                   "f,03_c,2,It does not do twice as much.,Book,p. 2,,work < 2 * prev_work\n"
                   "f,03_c,3,It does more.,Book,p. 3,,NOT work < prev_work\n"
                   "f,04_d,1,It did enough.,Book,p. 4,,prev_work > 600 AND sweep = 0\n");
    char counters[65536];
    snprintf(counters, sizeof counters, "%s", read_text("r/counters.csv"));
    char *row = strstr(counters, "f,03_c,64,32,0,0,1,one,1,c_sum,x,400");
    assert_non_null(row);
    memcpy(row, "f,03_c,64,32,0,0,1,one,1,c_sum,x,999",
           strlen("f,03_c,64,32,0,0,1,one,1,c_sum,x,999"));
    write_text("r/counters.csv", counters);
    SUCCEEDS(explain(), "");
    cells_are("r/noise.csv", "f,03_c,64,32,0", "work=599");
    moved_are("03_c", "work=-"); /* 1000 to 699.5, by repeats that are 599 apart */
    verdicts_are("03_c", "1=undecided 2=confirmed 3=undecided");
    verdicts_are("04_d", "1=undecided");
    assert_string_equal(
        VERDICT("03_c", "1", "numbers"),
        "work = 699.5; prev_work = 1000; the spread over their repeats could reverse it");
}

/* Conflicts take the time of shared memory: together they exceed the issue slots, but neither does
 * alone. */
TEST(demands_and_their_ranks)
{
    make_steps_run("");
    write_table("r", TABLE_CEILINGS, "launch_ns,Launch,ns,10,9,11,25,1980,ok\n");
    SUCCEEDS(explain(), "");
    demands_are("01_a", "ns", "shared=30 issue=50 launch=10");
    demands_are("01_a", "pct", "shared=30");
    demands_are("01_a", "rank", "shared=1 conflicts=1 issue=2 launch=3");
    demands_are("02_b", "rank", "shared=1 conflicts=- issue=2 launch=3"); /* there are none */
    demands_are("02_b", "pct", "shared=60");
    /* An uncounted resource could be the limiter, so nothing has a rank. */
    demands_are("04_d", "ns", "conflicts= issue=48.5");
    demands_are("04_d", "rank", "conflicts= issue=");
    demands_are("04_d", "pct", "issue=50");
}

/* Nothing replaces the ceilings. */
TEST(demands_without_ceilings)
{
    make_steps_run("");
    unlink(place("r/ceilings.csv"));
    SUCCEEDS(explain(), "");
    demands_are("01_a", "ns", "launch= issue=50");
    demands_are("01_a", "pct", "launch=");
    demands_are("01_a", "rank", "issue=");
}

/* A row of the CPU has no demand of a GPU's resources, and a library's has; neither is a step. */
TEST(demands_and_steps_leave_the_cpu_alone)
{
    struct text samples = {0};
    make_steps_run("");
    text_append(&samples, strchr(read_text("r/samples.csv"), '\n') + 1);
    for (int i = 0; i < 8; i++)
        text_format(&samples,
                    "f,90_lib,64,32,0,cold,end_to_end,a,%d,100,1000,ok\nf,91_cpu,64,32,0,warm,end_"
                    "to_end,a,%d,100,,ok\n",
                    i, i);
    write_variants("r", LADDER_VARIANTS "f,90_lib,90,L,,library\nf,91_cpu,91,C,,cpu\n");
    write_table("r", TABLE_POINTS,
                LADDER_POINTS "f,90_lib,64,32,0,ok,,256,63,2\nf,91_cpu,64,32,0,ok,,256,63,\n");
    write_table("r", TABLE_SAMPLES, text_string(&samples));
    text_free(&samples);
    SUCCEEDS(explain(), "");
    cells_are("r/metrics.csv", "f,91_cpu,64,32,0", "time_ns=100");
    demands_are("91_cpu", "ns", "issue=-");
    demands_are("90_lib", "ns", "issue=50");
    step_is("90_lib", "evidence=-"); /* neither is a step of the ladder */
    step_is("91_cpu", "evidence=-");
}

TEST(published_beside_measured)
{
    make_steps_run("");
    SUCCEEDS(explain(), "");
    /* 800 / 400 in its best setting; the other source has no figure for the previous rung. */
    cells_are("r/published_steps.csv", "f,02_b,64,Book",
              "published_speedup_prev=2 measured_speedup_prev=2 pct_of_peak=20 differs=device");
    cells_are("r/published_steps.csv", "f,03_c,64,Other", "published_speedup_prev= pct_of_peak=");
    cells_are("r/published_steps.csv", "f,04_d,128,Book", "differs=size");
}

/* At block size 64, which is there for a published figure alone, no setting is marked as best. */
TEST(a_claim_about_another_block_size)
{
    OWNED_BY(text_free) struct text samples = {0};
    make_run("r");
    static const struct {
        const char *variant;
        int block, sweep;
        double time;
    } points[] = {{"01_a", 32, 0, 100}, {"02_b", 32, 2, 90}, {"01_a", 64, 0, 80},
                  {"02_b", 64, 1, 40},  {"02_b", 64, 2, 60}, {"02_b", 64, 4, 40}};
    OWNED_BY(text_free) struct text rows = {0};
    for (size_t p = 0; p < sizeof points / sizeof *points; p++) {
        text_format(&rows, "f,%s,64,%d,%d,ok,,256,63,1\n", points[p].variant, points[p].block,
                    points[p].sweep);
        for (int i = 0; i < 8; i++)
            text_format(&samples, "f,%s,64,%d,%d,cold,end_to_end,a,%d,%.9g,1000,ok\n",
                        points[p].variant, points[p].block, points[p].sweep, i, points[p].time);
    }
    write_variants("r", LADDER_VARIANTS);
    write_table("r", TABLE_FAMILIES, "f,F,problem,bytes,bytes,,1,32\n");
    write_table("r", TABLE_POINTS, text_string(&rows));
    write_table("r", TABLE_SAMPLES, text_string(&samples));
    write_table("r", TABLE_CLAIMS,
                "f,02_b,1,Usual.,Book,p,,speedup_prev < 1.2,0,0,,0\n"
                "f,02_b,2,Other.,Book,p,64,speedup_prev = 2 AND time_ns = 40,0,0,,64\n"
                "f,02_b,3,Setting.,Book,p,,time_ns = 60,2,0,,64\n"
                "f,02_b,4,Usual.,Book,p,,speedup_prev < 1.2,0,0,,32\n"
                "f,02_b,5,None.,Book,p,,1,0,0,,128\n");
    SUCCEEDS(explain(), "");
    cells_are("r/verdicts.csv", "f,02_b,64,32,2,0,1", "verdict=confirmed");
    cells_are("r/verdicts.csv", "f,02_b,64,64,1,0,2", "verdict=confirmed");
    cells_are("r/verdicts.csv", "f,02_b,64,64,4,0,2", "verdict=-"); /* as fast as setting 1 */
    cells_are("r/verdicts.csv", "f,02_b,64,64,2,0,3", "verdict=confirmed");
    cells_are("r/verdicts.csv", "f,02_b,64,32,2,0,4", "verdict=confirmed");
    assert_string_equal(cell("r/verdicts.csv", "f,02_b,any,128,0,0,5", "verdict"),
                        "not measurable here");
    cells_are("r/steps.csv", "f,02_b,64,64,1", "speedup_prev=-"); /* no step of the ladder */
}

TEST(a_claim_without_a_point_is_not_forgotten)
{
    make_steps_run("f,02_b,1,Elsewhere.,Book,p,999,time_ns > 0,0\n");
    SUCCEEDS(explain(), "");
    assert_string_equal(cell("r/verdicts.csv", "f,02_b,999", "verdict"), "not measurable here");
    assert_string_equal(cell("r/verdicts.csv", "f,02_b,999", "numbers"),
                        "the run has no such point, or it failed");
}

TEST(bad_claims_are_told)
{
    make_steps_run("");
    SUCCEEDS(explain(), "");
    assert_true(exists("r/steps.csv"));
    write_table("r", TABLE_CLAIMS, "f,02_b,1,Bad.,Book,p,,no_such_thing > 1\n");
    FAILS(explain(), FAIL_INPUT, "claims.csv: claim 1 of 02_b: no such column: no_such_thing");
    write_table("r", TABLE_CLAIMS, "f,02_b,1,Bad.,Book,p,,1) FROM run; DELETE FROM m; SELECT (1\n");
    FAILS(explain(), FAIL_INPUT, "claims.csv: claim 1 of 02_b: ");
    assert_false(exists("r/steps.csv")); /* which were those of other metrics */
    assert_false(exists("r/*.tmp"));
}

RUN_TESTS(fixture_open, fixture_close)
