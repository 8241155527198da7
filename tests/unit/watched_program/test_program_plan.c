#include "watched_program/parts.h"
#include "watched_program/program_plan.h"

static const char *const metrics[] = {"a.sum", "b.sum", "c.sum", NULL};

/* After one start, mul lacks one of three passes, for it has two launches. */
PARTS_TEST(a_kernel_is_profiled_until_all_passes_have_come)
{
    const struct program_filter filter = {.process = -1};
    char passes[] = "passes";
    struct program_counter came[] = {{.metric = passes, .kernel = 0, .value = 2},
                                     {.metric = passes, .kernel = 1, .value = 3}};
    const struct program_parts earlier = {.counter_count = 2, .counter = came};
    struct program_choice choice;
    struct text text = {0};
    assert_int_equal(program_choice_make(&choice, &parts, &filter), 0);
    const struct program_plan plan = {&choice, &filter, metrics, 3, 0};
    assert_int_equal(program_plan_starts(&plan, &parts), 2);
    assert_int_equal(program_plan_lacks(&plan, 0, NULL, 0), 6);
    assert_int_equal(program_plan_lacks(&plan, 0, &earlier, 1), 1);
    assert_int_equal(program_plan_lacks(&plan, 1, NULL, 0), 0);
    program_plan_counters(&text, &plan, 1, NULL, 0);
    lacks(text_string(&text), "kernel");
    text_free(&text);
    program_plan_counters(&text, &plan, 0, NULL, 0);
    assert_string_equal(text_string(&text),
                        "mode\tcounters\npasses\t3\nmetrics\ta.sum\tb.sum\tc.sum\n"
                        "kernel\t0\t0\tmul\t0\t2\t3\t1\t32\t1\t1\t512\t\ntake\t0\t0\t1\n"
                        "kernel\t1\t0\tadd\t0\t4\t1\t1\t256\t1\t1\t0\ta,b\ntake\t1\t1\t5\n");
    text_free(&text);
    program_plan_counters(&text, &plan, 0, &earlier, 1);
    holds(text_string(&text), "512\t\ntake\t0\t0\t1\n");
    lacks(text_string(&text), "kernel\t1");
    text_free(&text);
    program_plan_counts(&text, &plan, 1);
    holds(text_string(&text), "mode\tcounts\nkernel\t0\t0\tadd");
    holds(text_string(&text), "\ncount\t0\t1\n");
    text_free(&text);
    program_choice_free(&choice);
}

/* add has 6 launches, mul two, of 9 passes; the process launches graphs, which forbids replays. */
PARTS_TEST(kernels_of_few_launches_are_replayed)
{
    const struct program_filter filter = {.process = -1};
    struct program_choice choice;
    struct text text = {0};
    assert_int_equal(program_choice_make(&choice, &parts, &filter), 0);
    struct program_plan plan = {&choice, &filter, metrics, 9, 0};
    assert_int_equal(program_plan_replayed(&plan, &parts, 0), 0);
    parts.process[0].has_graph = 0;
    assert_int_equal(program_plan_replayed(&plan, &parts, 1), 0);
    assert_int_equal(program_plan_replayed(&plan, &parts, 0), 1); /* add needs two starts */
    assert_int_equal(program_plan_starts(&plan, &parts), 5);
    plan.replayed = 1;
    assert_int_equal(program_plan_starts(&plan, &parts), 2 + REPLAY_STARTS);
    assert_int_equal(program_plan_lacks(&plan, 0, NULL, 0), 9);
    program_plan_one_launch(&text, &plan, 0, 1);
    assert_string_equal(text_string(&text),
                        "mode\tcounters\npasses\t9\nmetrics\ta.sum\tb.sum\tc.sum\nreplays\t1\n"
                        "kernel\t0\t0\tmul\t0\t2\t3\t1\t32\t1\t1\t512\t\ntake\t0\t1\t1\n");
    text_free(&text);
    program_plan_one_launch(&text, &plan, 0, 0);
    lacks(text_string(&text), "replays");
    text_free(&text);
    program_plan_counters(&text, &plan, 0, NULL, 0);
    lacks(text_string(&text), "kernel\t0");
    holds(text_string(&text), "kernel\t1");
    text_free(&text);
    program_choice_free(&choice);
}

/* add takes less than 2 % of the time. */
PARTS_TEST(the_program_is_not_started_for_minor_kernels)
{
    const struct program_filter filter = {.kernel = ".", .process = -1};
    struct program_choice choice;
    parts.kernel[1].total_ns = 40000;
    parts.process[0].has_graph = 0;
    assert_int_equal(program_choice_make(&choice, &parts, &filter), 0);
    assert_int_equal(program_choice_is_minor(&choice, 0), 0);
    assert_int_equal(program_choice_is_minor(&choice, 1), 1);
    assert_int_equal(program_choice_is_minor_function(&choice, 1), 1);
    choice.counts_minor = 2; /* as bits, of instructions alone */
    assert_int_equal(program_choice_is_minor_function(&choice, 1), 0);
    assert_int_equal(program_choice_is_minor(&choice, 1), 1);
    choice.counts_minor = 0;
    strcpy(parts.kernel[0].symbol, parts.kernel[1].symbol); /* both have three letters */
    assert_int_equal(program_choice_is_minor_function(&choice, 1), 0);
    struct program_plan plan = {&choice, &filter, metrics, 20, 0};
    assert_int_equal(program_plan_replayed(&plan, &parts, 0), 3); /* it costs nothing more */
    plan.passes = 2;                                              /* as many as mul has launches */
    assert_int_equal(program_plan_starts(&plan, &parts), 1);
    assert_int_equal(program_plan_lacks(&plan, 0, NULL, 0), 2);
    choice.kernel[0]++; /* the one of the graph */
    plan.passes = 20;
    assert_int_equal(program_plan_replayed(&plan, &parts, 0), 0); /* add alone is not worth it */
    program_choice_free(&choice);
}

PARTS_TEST(a_plan_names_the_processes_of_the_first_start)
{
    OWNED_BY(text_free) struct text text = {0};
    char wanted[80];
    parts.process[0].generation = 2;
    program_plan_processes(&text, NULL);
    snprintf(wanted, sizeof wanted, "starter\t%ld\n", (long)getpid());
    assert_string_equal(text_string(&text), wanted);
    program_plan_processes(&text, &parts);
    holds(text_string(&text), "\nprocess\t0\t2\t/usr/bin/python3.11\n");
}

PARTS_TEST(launches_that_are_skipped_and_graphs_are_not_profiled)
{
    const struct program_filter filter = {.kernel = "mul", .process = -1, .skip = 1};
    struct program_choice choice;
    OWNED_BY(text_free) struct text text = {0};
    assert_int_equal(program_choice_make(&choice, &parts, &filter), 0);
    assert_int_equal(choice.count, 1); /* the graph launched the other one once */
    const struct program_plan plan = {&choice, &filter, metrics, 3, 0};
    assert_int_equal(program_plan_starts(&plan, &parts), 3);
    program_plan_counters(&text, &plan, 0, NULL, 0);
    holds(text_string(&text), "take\t0\t1\t1\n");
    assert_int_equal(program_plan_profiles(&parts.kernel[2]), 0);
    program_choice_free(&choice);
}

/* Of 0.08 ns for each block, 1 % of the time must be exceeded. */
TEST(kernels_of_many_blocks_are_timed_alone)
{
    struct program_kernel kernel = {
        .grid = {65536, 2, 1}, .launch_count = 10, .total_ns = 10 * 1e6};
    assert_int_equal(program_plan_times_alone(&kernel), 1);
    kernel.total_ns = 10 * 1.1e6;
    assert_int_equal(program_plan_times_alone(&kernel), 0);
    kernel.total_ns = 10 * 1e5;
    kernel.is_graph_node = 1;
    assert_int_equal(program_plan_times_alone(&kernel), 0);
    kernel.is_graph_node = 0;
    kernel.grid[1] = 1;
    assert_int_equal(program_plan_times_alone(&kernel), 0);
}

RUN_TESTS(fixture_open, fixture_close)
