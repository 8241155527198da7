#include "asked.h"
#include "written_report.h"

#include "ncu_report/report_import.h"
#include "ncu_report/report_kernels.h"

/* The names of the metrics, in the order of these places. */
static const char names[] =
    "gpu__time_duration.sum sm__cycles_elapsed.avg.per_second launch__registers_per_thread "
    "launch__occupancy_limit_warps launch__occupancy_limit_registers launch__function_pcs "
    "inst_executed memory_l1_wavefronts_shared smsp__pcsamp_warps_issue_stalled_barrier "
    "smsp__pcsamp_warps_issue_stalled_barrier_not_issued sm__cycles_active.avg "
    "device__attribute_multiprocessor_count smsp__pcsamp_interval_cycles "
    "launch__shared_mem_per_block_dynamic launch__grid_size device__attribute_display_name";
enum {
    TIME,
    CLOCK,
    REGISTERS,
    LIMIT_WARPS,
    LIMIT_REGISTERS,
    FUNCTION,
    EXECUTED,
    WAVEFRONTS,
    BARRIER,
    BARRIER_NOT_ISSUED,
    ACTIVE,
    SMS,
    PERIOD,
    DYNAMIC,
    GRID,
    DEVICE
};
static const uint64_t base = 0x7f0000001000;

static void add_launch(struct text *report, const char *symbol, const char *name, unsigned grid,
                       double time_ns, int with_code)
{
    static const unsigned executed[] = {8, 8, 16, 8}, wavefronts[] = {0, 0, 64, 0},
                          samples[] = {0, 5, 0, 2}, not_issued[] = {0, 3, 0, 0};
    struct text result = {0};
    begin_result(&result, symbol, name, grid);
    add_metric(&result, TIME, time_ns);
    add_metric(&result, CLOCK, 1.5e9);
    add_metric(&result, REGISTERS, 32);
    add_metric(&result, LIMIT_WARPS, 8);
    add_metric(&result, LIMIT_REGISTERS, 6);
    add_metric(&result, ACTIVE, 1000);
    add_metric(&result, SMS, 46);
    add_metric(&result, DYNAMIC, 0);
    add_metric(&result, GRID, grid);
    if (with_code) {
        add_metric(&result, FUNCTION, (double)base);
        add_metric(&result, PERIOD, 1024);
        add_metric_of_code(&result, EXECUTED, base, executed, 4);
        add_metric_of_code(&result, WAVEFRONTS, base, wavefronts, 4);
        add_metric_of_code(&result, BARRIER, base, samples, 4);
        add_metric_of_code(&result, BARRIER_NOT_ISSUED, base, not_issued, 4);
    }
    add_block(report, "", NULL, &result, 0);
}

static void begin(struct text *report)
{
    struct text session = {0}, version = {0};
    begin_report(report, 7);
    add_integer(&session, 2, 1669045504);
    add_string(&version, 1, "Nsight Compute Target");
    add_string(&version, 2, "2099.1");
    add_message(&session, 8, &version);
    add_string(&session, 11, "ncu --cache-control none --clock-control base ./sums");
    add_block(report, names, &session, NULL, 0);
}

/* Imports the reports into the run r. */
static int import(const char *const *path, int paths)
{
    OWNED_BY(run_close) struct run made;
    setenv("WHYFAST_DATA", root(), 1);
    directory_remove(place("r"));
    int result = run_begin(&made, place("r"), 0);
    if (!result) result = report_import(&made, path, paths);
    if (!result) result = run_commit(&made);
    if (result) run_abandon(&made);
    return result;
}

static char *write_report(const char *name, struct text *report)
{
    char *path = strdup(write_bytes(name, text_string(report), report->length));
    text_free(report);
    return path;
}

static void open_it(void)
{
    assert_int_equal(ask_run("r"), 0);
    LOAD_TABLES(TABLE_FAMILIES, TABLE_VARIANTS, TABLE_POINTS, TABLE_LAUNCHES, TABLE_SERIES,
                TABLE_SAMPLES, TABLE_COUNTERS, TABLE_KERNELS, TABLE_LINES);
}

/* Imports one report, and opens the run. */
static void import_report(const char *name, struct text *report)
{
    OWNED char *path = write_report(name, report);
    assert_int_equal(import((const char *[]){path}, 1), 0);
    open_it();
}

static void refuse_report(const char *name, struct text *report, const char *message)
{
    OWNED char *path = write_report(name, report);
    FAILS(import((const char *[]){path}, 1), FAIL_INPUT, message);
}

static void import_one(void)
{
    struct text report = {0};
    begin(&report);
    add_launch(&report, "_Z3sumPf", "sum(float *)", 8, 1000, 1);
    add_launch(&report, "_Z3sumPf", "sum(float *)", 8, 1010, 0);
    add_launch(&report, "_Z3addPf", "void add<(int)4>(float *)", 64, 500, 0);
    import_report("one.ncu-rep", &report);
}

TEST(launches_of_a_kernel_are_its_samples)
{
    import_one();
    finds("SELECT group_concat(family || '/' || variant || ' ' || rung || ' ' || title) "
          "FROM variants",
          "sums/sum 1 sum,sums/add-4 2 add<4>");
    finds("SELECT group_concat(variant || ' ' || kind || ' ' || copy || ' ' || time_ns || ' ' || "
          "sm_clock_mhz) FROM samples",
          "sum replayed a 1000.0 1500.0,sum replayed a 1010.0 1500.0,"
          "add-4 replayed a 500.0 1500.0");
    finds("SELECT group_concat(variant || ' ' || grid_blocks || ' ' || registers || ' ' || "
          "blocks_per_sm || ' ' || occupancy_limiter) FROM launches",
          "sum 8.0 32.0 6.0 registers,add-4 64.0 32.0 6.0 registers");
}

TEST(what_a_report_lacks_is_absent_with_a_reason)
{
    import_one();
    finds("SELECT group_concat(repeat || ' ' || value || ' ' || source) FROM counters "
          "WHERE variant = 'sum' AND counter = 'sm_cycles_active'",
          "0 1000.0 sm__cycles_active.avg,1 1000.0 sm__cycles_active.avg");
    finds("SELECT DISTINCT status FROM counters WHERE counter = 'l2_cycles'",
          "absent: the report has no value of lts__cycles_elapsed.max ('whyfast sections')");
    finds("SELECT count(*) FROM counters WHERE value IS NULL AND status NOT LIKE 'absent: %'", "0");
    finds("SELECT counts_status FROM kernels WHERE name = 'add<4>'",
          "absent: the report has no values of instructions (ncu --section SourceCounters)");
}

TEST(values_of_instructions_become_lines)
{
    import_one();
    finds("SELECT group_concat(pc || ' ' || executed || ' ' || shared_wavefronts || ' ' || "
          "samples || ' ' || not_issued || ' ' || coalesce(stalls, '-'), '; ') FROM lines",
          "0 8.0 0.0 0.0 0.0 -; 16 8.0 0.0 5.0 3.0 barrier=5/3; 32 16.0 64.0 0.0 0.0 -; "
          "48 8.0 0.0 2.0 0.0 barrier=2/0");
    finds("SELECT sampled_launches || ' ' || period_cycles || ' ' || samples_total FROM kernels "
          "WHERE name = 'sum'",
          "1.0 1024.0 7.0");
    finds("SELECT value FROM counters WHERE counter = 'shared_wavefronts' AND repeat = 0 AND "
          "variant = 'sum'",
          "64.0");
}

/* Where each pass starts the program anew, the result of each has every metric with instances. */
TEST(a_metric_that_several_passes_wrote_has_the_values_of_one)
{
    static const unsigned executed[] = {8, 8}, samples[] = {0, 5};
    struct text report = {0}, result = {0};
    begin(&report);
    begin_result(&result, "_Z3sumPf", "sum(float *)", 8);
    add_metric(&result, TIME, 1000);
    add_metric(&result, FUNCTION, (double)base);
    for (unsigned pass = 0; pass < 9; pass++) {
        add_metric_of_code(&result, EXECUTED, base, executed, pass == 3 ? 2 : 0);
        add_metric_of_code(&result, BARRIER, base, samples, pass == 5 ? 2 : 0);
    }
    add_block(&report, "", NULL, &result, 0);
    import_report("passes.ncu-rep", &report);
    finds("SELECT group_concat(pc || ' ' || executed || ' ' || samples, '; ') FROM lines",
          "0 8.0 0.0; 16 8.0 5.0");
}

/* Imports a launch of four instructions with the addresses of these functions as instances. */
static void import_functions(const uint64_t *begin_of, size_t functions)
{
    static const unsigned executed[] = {8, 8, 16, 8};
    struct text report = {0}, result = {0};
    begin(&report);
    begin_result(&result, "_Z3sumPf", "sum(float *)", 8);
    add_metric(&result, TIME, 1000);
    add_metric_of_numbers(&result, FUNCTION, begin_of, functions);
    add_metric_of_code(&result, EXECUTED, base, executed, 4);
    add_block(&report, "", NULL, &result, 0);
    import_report("functions.ncu-rep", &report);
}

TEST(a_kernel_begins_where_its_instructions_follow)
{
    const uint64_t begin_of[] = {base - 4096, base - 64, base, base + 4096};
    import_functions(begin_of, 4);
    finds("SELECT group_concat(pc || ' ' || executed, '; ') FROM lines",
          "0 8.0; 16 8.0; 32 16.0; 48 8.0");
}

TEST(without_its_begin_a_kernel_has_no_lines)
{
    const uint64_t begin_of[] = {base - 4096, 0};
    import_functions(begin_of, 2);
    finds("SELECT counts_status || '; ' || samples_status FROM kernels",
          "absent: the report does not tell at which address the kernel begins "
          "(launch__function_pcs); absent: the report does not tell at which address the kernel "
          "begins (launch__function_pcs)");
    finds("SELECT count(*) FROM lines", "0");
}

TEST(the_run_says_how_it_was_made)
{
    import_one();
    const char *said = run_fact(&run, "imported");
    holds(said, "one.ncu-rep: times are those of Nsight Compute 2099.1, of launches that it "
                "replayed (--cache-control none, --clock-control base)");
    holds(said, "no noise floor");
    assert_string_equal(run_fact(&run, "date"), "2022-11-21T15:45:04Z");
    assert_string_equal(run_fact(&run, "device_sm_count"), "46");
    assert_string_equal(run_fact(&run, "device_name"), "absent: the report does not tell it");
}

TEST(a_kernel_has_room_for_every_column_of_launches)
{
    int columns = 0;
    while (tables[TABLE_LAUNCHES].columns[columns].name) columns++;
    assert_in_range(columns, POINT_KEY_COLUMNS + 1, LAUNCH_NUMBERS);
}

/* What ncu was told is read as whole words, and never past the end of the command line. */
static void told(const char *command_line, const char *expected)
{
    char value[OPTION_BYTES], *copy = strdup(command_line);
    const struct report_session session = {.command_line = copy};
    const char *found = report_session_option(&session, "--cache-control", value);
    assert_string_equal(found ? found : "nothing", expected);
    free(copy);
}

TEST(an_option_of_ncu_is_a_whole_word)
{
    told("ncu --cache-control none ./sums", "none");
    told("ncu --cache-control=none --set full ./sums", "none");
    told("--cache-control  all", "all");
    told("ncu --cache-control", "nothing");
    told("ncu --cache-control=", "nothing");
    told("ncu --cache-control-x=none ./sums", "nothing");
    told("ncu --no--cache-control none --cache-control all", "all");
    told("", "nothing");
    char value[OPTION_BYTES];
    assert_null(report_session_option(&(struct report_session){0}, "--cache-control", value));
}

TEST(a_text_of_a_report_is_one_fact)
{
    struct text report = {0}, result = {0};
    begin(&report);
    begin_result(&result, "_Z3sumPf", "sum(float *)", 8);
    add_metric(&result, TIME, 1000);
    add_text_metric(&result, DEVICE, "L4\nwhyfast_version\n9.9\ndevice_sm_count\n1\n");
    add_block(&report, "", NULL, &result, 0);
    import_report("forged.ncu-rep", &report);
    assert_string_equal(run_fact(&run, "device_name"), "L4 whyfast_version 9.9 device_sm_count 1 ");
    assert_string_equal(run_fact(&run, "device_sm_count"), "absent: the report does not tell it");
    assert_string_not_equal(run_fact(&run, "whyfast_version"), "9.9");
}

/* A report may be made to do harm: what no kernel has is not kept in memory. */
TEST(more_instructions_than_a_kernel_has_are_absent)
{
    enum { MANY = (1 << 20) + 1 };
    struct text report = {0}, result = {0};
    unsigned *executed = calloc(MANY, sizeof *executed);
    begin(&report);
    begin_result(&result, "_Z3sumPf", "sum(float *)", 8);
    add_metric(&result, TIME, 1000);
    add_metric(&result, FUNCTION, (double)base);
    add_metric_of_code(&result, EXECUTED, base, executed, MANY);
    free(executed);
    add_block(&report, "", NULL, &result, 0);
    import_report("long.ncu-rep", &report);
    finds("SELECT counts_status FROM kernels",
          "absent: the report has values of more instructions than a kernel has");
    finds("SELECT count(*) FROM lines", "0");
}

TEST(more_reasons_of_stalls_than_a_gpu_has_are_refused)
{
    static const unsigned one = 1;
    struct text report = {0}, result = {0}, more = {0};
    begin(&report);
    begin_result(&result, "_Z3sumPf", "sum(float *)", 8);
    add_metric(&result, FUNCTION, (double)base);
    add_metric_of_code(&result, EXECUTED, base, &one, 1);
    for (int i = 0; i < 65; i++) {
        text_format(&more, " smsp__pcsamp_warps_issue_stalled_%c%c", 'a' + i / 26, 'a' + i % 26);
        add_metric_of_code(&result, DEVICE + 1 + (unsigned)i, base, &one, 1);
    }
    add_block(&report, text_string(&more) + 1, NULL, &result, 0);
    text_free(&more);
    refuse_report("reasons.ncu-rep", &report, "sum: the report has more than 64 reasons of stalls");
}

TEST(many_launches_have_a_noise_floor)
{
    struct text report = {0};
    begin(&report);
    for (int i = 0; i < 30; i++) add_launch(&report, "_Z3sumPf", "sum(float *)", 8, 1000 + i, 0);
    import_report("many.ncu-rep", &report);
    finds("SELECT group_concat(copy || ' ' || samples) FROM series", "a 15,b 15");
    finds("SELECT max(repeat) FROM counters", "19");
    holds(run_fact(&run, "imported"), "the noise floor is that between even and odd launches");
}

TEST(several_reports_are_families)
{
    char *path[2];
    for (int i = 0; i < 2; i++) {
        struct text report = {0};
        begin(&report);
        add_launch(&report, "_Z3sumPf", "sum(float *)", 8, 1000 - 100 * i, 0);
        path[i] = write_report(i ? "after.ncu-rep" : "before.ncu-rep", &report);
    }
    assert_int_equal(import((const char *const *)path, 2), 0);
    open_it();
    finds("SELECT group_concat(family || '/' || variant || ' ' || time_ns) FROM samples",
          "before/sum 1000.0,after/sum 900.0");
    for (int i = 0; i < 2; i++) free(path[i]);
}

TEST(reports_of_one_name_are_different_families)
{
    static const char *const name[] = {"1/a.ncu-rep", "a-p2.ncu-rep", "2/a.ncu-rep", "3/a.ncu-rep"};
    enum { COUNT = 4 };
    char *path[COUNT];
    for (int i = 1; i < COUNT; i++)
        assert_int_equal(directory_make(place(i == 1 ? "1" : i == 2 ? "2" : "3")), 0);
    for (int i = 0; i < COUNT; i++) {
        struct text report = {0};
        begin(&report);
        add_launch(&report, "_Z3sumPf", "sum(float *)", 8, 1000, 0);
        path[i] = write_report(name[i], &report);
    }
    assert_int_equal(import((const char *const *)path, COUNT), 0);
    open_it();
    finds("SELECT group_concat(family) FROM families", "a,a-p2,a-p3,a-p4");
    for (int i = 0; i < COUNT; i++) free(path[i]);
}

TEST(the_code_of_several_reports_is_kept_apart)
{
    char *path[2];
    OWNED char *directory = temporary_directory();
    struct report_kernels kernels;
    for (int i = 0; i < 2; i++) {
        struct text report = {0}, source = {0};
        begin(&report);
        add_integer(&source, 1, 7);
        add_string(&source, 4, i ? "after" : "before");
        add_block(&report, "", NULL, &source, 1);
        add_launch(&report, "_Z3sumPf", "sum(float *)", 8, 1000, 0);
        path[i] = write_report(i ? "after.ncu-rep" : "before.ncu-rep", &report);
    }
    assert_int_equal(records_read_own(&records), 0);
    WORKS(report_kernels_read(&kernels, &records, (const char *const *)path, 2, directory));
    for (int i = 0; i < 2; i++) {
        size_t length;
        char *code = text_read_file(report_code_path(&kernels, i, 7).at, &length);
        assert_int_equal(kernels.kernel[i].report, i);
        assert_string_equal(code, i ? "after" : "before");
        free(code);
        free(path[i]);
    }
    report_kernels_free(&kernels);
    records_free(&records);
    directory_remove(directory);
}

TEST(a_report_without_launches_is_refused)
{
    struct text report = {0};
    begin(&report);
    refuse_report("none.ncu-rep", &report, "none.ncu-rep: has no launch of a kernel");
}

static int close_all(void **state)
{
    close_asked();
    return fixture_close(state);
}

RUN_TESTS(fixture_open, close_all)
