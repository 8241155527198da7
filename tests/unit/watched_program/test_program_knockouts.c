#include "watched_program/parts.h"
#include "watched_program/program_knockouts.h"

static struct program_choice choice;
static struct program_names names;
static struct program_record record;
static struct program_lines lines;
static struct program_plan plan;
static struct program_knockouts knockouts;
static const struct program_filter all = {.kernel = ".", .process = -1};

/* The kernels are mul, with most of the time, add, and mul by a graph. Of the first two barriers
 * and global loads can be knocked out. */
static int open_knockouts(void **state)
{
    read_parts(state);
    assert_int_equal(program_choice_make(&choice, &parts, &all), 0);
    assert_int_equal(program_names_make(&names, &parts, &choice), 0);
    record = (struct program_record){.choice = &choice, .names = &names};
    lines = (struct program_lines){.record = &record};
    plan = (struct program_plan){&choice, &all, NULL, 3, 0};
    knockouts = (struct program_knockouts){
        .lines = &lines, .plan = &plan, .kernel = calloc(4, sizeof *knockouts.kernel)};
    for (int k = 0; k < 2; k++) {
        struct knocked_kernel *kernel = &knockouts.kernel[k];
        for (int t = 0; t < KNOCKOUTS; t++) {
            kernel->plans.twin[t].knockout = (enum knockout)t;
            snprintf(kernel->plans.twin[t].reason, TWIN_REASON, TWIN_HAS_NONE);
        }
        kernel->plans.twin[KNOCKOUT_BARRIERS].patched = 2;
        kernel->timed = 1u << KNOCKOUT_NOTHING | 1u << KNOCKOUT_BARRIERS;
    }
    snprintf(knockouts.kernel[2].reason, STATUS_BYTES, "a CUDA graph launched the kernel");
    return 0;
}

static int close_knockouts(void **state)
{
    program_knockouts_free(&knockouts);
    program_names_free(&names);
    program_choice_free(&choice);
    return free_parts(state);
}

#define KNOCKOUTS_TEST(test) TEST_WITHIN(test, open_knockouts, close_knockouts)
#define HEADER "kernel,what,knockout,status,samples,time_ns,saved_ns,low_ns,high_ns\n"
#define DONE(k)                                                                                    \
    k ",begun,original,,,,,,\n" k ",begun,nothing,,,,,,\n" k ",begun,barriers,,,,,,\n" k           \
      ",result,nothing,no cost,15,1000,1,0,2\n" k ",result,barriers,ok,15,1000,90,80,95\n" k       \
      ",done,original,,,,,,\n"

/* Plans a start, and takes what it has left in these files. Returns the number of kernels that need
 * another. */
static int is_late;
static int take(const char *directory, const char *rows, const char *problems)
{
    OWNED_BY(program_parts_free) struct program_parts start = {0};
    OWNED char *process = text_new("%s/0", directory);
    write_part(process, "process.txt", "pid: 5\n");
    write_part(process, "knockouts.csv", rows);
    write_part(process, "problems.csv", problems);
    struct text text = {0};
    program_knockouts_append(&text, &knockouts);
    text_free(&text);
    assert_int_equal(program_parts_read(&start, place(directory)), 0);
    program_knockouts_take(&knockouts, &start, is_late);
    const int again = program_knockouts_append(&text, &knockouts);
    text_free(&text);
    return again;
}

KNOCKOUTS_TEST(kernels_that_are_not_done_are_planned)
{
    struct text text = {0};
    assert_int_equal(program_knockouts_append(&text, &knockouts), 2);
    holds(text_string(&text), "mode\tknockouts\nkernel\t0\t0\tmul\t0\t2\t3");
    holds(text_string(&text), "\ncount\t0\t0\ncode\t0\t");
    holds(text_string(&text), "\ntwin\t0\tnothing\ntwin\t0\tbarriers\nkernel\t1\t0\tadd");
    text_free(&text);
    knockouts.kernel[0].is_done = 1;
    assert_int_equal(program_knockouts_append(&text, &knockouts), 1);
    lacks(text_string(&text), "kernel\t0");
    text_free(&text);
}

KNOCKOUTS_TEST(a_start_that_measures_all_is_the_last)
{
    assert_int_equal(take("start", HEADER DONE("0") DONE("1"), "what,kernel,reason\n"), 0);
    assert_true(knockouts.kernel[0].is_done && knockouts.kernel[1].is_done);
    assert_true(knockouts.kernel[1].row[KNOCKOUT_BARRIERS].saved_ns == 90);
}

KNOCKOUTS_TEST(a_twin_that_ends_the_program_is_left_out)
{
    assert_int_equal(take("start",
                          HEADER DONE("0") "1,begun,original,,,,,,\n1,begun,barriers,,,,,,\n"
                                           "1,fault,barriers,an illegal address,,,,,\n",
                          "what,kernel,reason\n"),
                     1);
    assert_true(knockouts.kernel[0].is_done && !knockouts.kernel[1].is_done);
    assert_int_equal(knockouts.kernel[1].timed, 1u << KNOCKOUT_NOTHING);
    assert_string_equal(knockouts.kernel[1].row[KNOCKOUT_BARRIERS].status,
                        ABSENT "the twin failed: an illegal address");
    /* A process may end without a word. */
    assert_int_equal(take("next", HEADER "1,begun,original,,,,,,\n", "what,kernel,reason\n"), 0);
    holds(knockouts.kernel[1].reason, "with the same parameters failed: the process ended");
}

KNOCKOUTS_TEST(a_kernel_that_does_not_come_says_so)
{
    assert_int_equal(take("start", HEADER DONE("0"), "what,kernel,reason\n"), 0);
    holds(knockouts.kernel[1].reason, "the start did not launch the kernel");
    knockouts.kernel[0] = (struct knocked_kernel){.plans = knockouts.kernel[0].plans, .timed = 1};
    is_late = 1;
    assert_int_equal(take("late", HEADER, "what,kernel,reason\n"), 0);
    holds(knockouts.kernel[0].reason, "the program did not end in time");
    is_late = 0;
}

/* One that comes after the twin that ended the process is planned again. */
KNOCKOUTS_TEST(a_kernel_behind_a_fault_is_planned_again)
{
    assert_int_equal(take("start", HEADER "0,begun,original,,,,,,\n0,begun,barriers,,,,,,\n",
                          "what,kernel,reason\n"),
                     2);
    lacks(knockouts.kernel[1].reason, "launch");
}

KNOCKOUTS_TEST(a_kernel_that_the_library_refuses_has_its_reason)
{
    WORKS(take("start", HEADER DONE("1"),
               "what,kernel,reason\nknockouts,0,it is a kernel of cuBLAS\n"));
    assert_string_equal(knockouts.kernel[0].reason, "it is a kernel of cuBLAS");
}

/* Reads the table of a run that is made now. The caller frees it. */
static char *written(void)
{
    struct run run;
    assert_int_equal(run_begin(&run, place("run"), 0), 0);
    assert_int_equal(program_knockouts_write(&run, &knockouts), 0);
    assert_int_equal(run_commit(&run), 0);
    run_close(&run);
    return text_read_file(place("run/knockouts.csv"), NULL);
}

KNOCKOUTS_TEST(the_table_has_figures_and_reasons)
{
    WORKS(take("start", HEADER DONE("0") "damaged\n0,result", "what,kernel,reason\n"));
    knockouts.kernel[0].plans.twin[KNOCKOUT_BARRIERS].left = 3;
    snprintf(knockouts.kernel[0].plans.twin[KNOCKOUT_BARRIERS].reason, TWIN_REASON, "it steers");
    OWNED char *text = written();
    holds(text, ",mul,barriers,ok,2,3,it steers,15,1000,90,80,95\n");
    holds(text, ",mul,atomics,none,0,0,,0,,,,\n");
    holds(text, ",add,nothing,absent: the start did not launch the kernel,0,0,,0,,,,\n");
    holds(text, ",mul,nothing,absent: a CUDA graph launched the kernel,0,0,,0,,,,\n");
}

RUN_TESTS(fixture_open, fixture_close)
