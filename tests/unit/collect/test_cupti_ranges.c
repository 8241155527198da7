#include <math.h>

#include "collect/collect_counters.h"
#include "host_cupti.h"

/*
 * Tests the decoding of a counter-data image that an H200 wrote for variant 02_interleaved_strided,
 * n = 4096, block 256: two launches, one range each. Beside it lie the values evaluated on that
 * machine; here the same image is decoded without a GPU.
 */
static const char image_name[] = "tests/golden/image/reduce_02_4096_gh100_mission";
static char image[600];

static int unpack(void **state)
{
    char command[1400];
    fixture_open(state);
    snprintf(image, sizeof image, "%s", place("image.bin"));
    snprintf(command, sizeof command, "xz -dc '%s/%s.bin.xz' > '%s'", root(), image_name, image);
    return system(command) == 0 ? 0 : -1;
}

/* Decodes the image. Returns 0 on success. */
static int evaluate(size_t range, const char **metric, size_t count, double *value)
{
    int plan_of[] = {0, 1, 2, 3};
    double row[4];
    struct counter_set set = {.count = (int)count};
    struct host host = host_open(CUPTI_PROFILER_TYPE_RANGE_PROFILER, "GH100");
    struct profiler profiler = {.cupti = host.cupti,
                                .set = &set,
                                .host = host.object,
                                .resolved = {count, metric, plan_of},
                                .row = row};
    profiler.image = (uint8_t *)text_read_file(image, &profiler.image_size);
    const int done = host.object && profiler.image && !profiler_read(&profiler, range, value);
    if (!done) fprintf(stderr, "%s%s\n", host.reason, set.reason);
    free(profiler.image);
    host_close(&host);
    return done ? 0 : -1;
}

static int column(const struct csv_reader *reader, const char *name)
{
    for (int i = 0; i < reader->count; i++)
        if (!strcmp(reader->cell[i], name)) return i;
    fail_msg("no column '%s'", name);
    return -1;
}

TEST(decodes_to_what_the_machine_saw)
{
    struct csv_reader reader;
    char path[600];
    int compared[2] = {0, 0};
    if (*cupti_missing()) SKIP("%.*s", (int)strcspn(cupti_missing(), "\n"), cupti_missing());
    snprintf(path, sizeof path, "%s/%s.csv", root(), image_name);
    assert_int_equal(csv_open(&reader, path), 0);
    assert_int_equal(csv_next(&reader), 1);
    const int launch = column(&reader, "launch"), source = column(&reader, "source"),
              value = column(&reader, "value"), status = column(&reader, "status");
    while (csv_next(&reader) > 0) {
        const char *metric = reader.cell[source];
        const long range = strtol(reader.cell[launch], NULL, 10);
        const double expected = strtod(reader.cell[value], NULL);
        double here = NAN;
        if (strcmp(reader.cell[status], "ok")) continue;
        if (strncmp(metric, "sm", 2) && strncmp(metric, "l1tex__", 7) &&
            strncmp(metric, "dram__", 6) && strncmp(metric, "gpu__", 5) &&
            strncmp(metric, "lts__", 5))
            continue;
        assert_int_equal(evaluate((size_t)range, &metric, 1, &here), 0);
        if (!(fabs(here - expected) <= 1e-9 * fabs(expected))) {
            /* The file has nine digits, so the values agree to as many. */
            char text[32];
            csv_format_number(text, here);
            if (strcmp(text, reader.cell[value]))
                fail_msg("%s of launch %ld: %.17g here, %.17g there", metric, range, here,
                         expected);
        }
        assert_in_range(range, 0, 1);
        compared[range]++;
    }
    csv_close(&reader);
    assert_true(compared[0] >= 25);
    assert_int_equal(compared[0], compared[1]);
}

/* The image shows the bank conflicts that the address map of the kernel predicts: 105 for each
 * block of 256. */
TEST(shows_the_closed_form)
{
    static const char *metric[] = {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
                                   "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
                                   "smsp__sass_inst_executed_op_shared_ld.sum",
                                   "smsp__sass_inst_executed_op_shared_st.sum"};
    static const double blocks[] = {16, 1};
    if (*cupti_missing()) SKIP("%.*s", (int)strcspn(cupti_missing(), "\n"), cupti_missing());
    for (size_t range = 0; range < 2; range++) {
        double value[4];
        assert_int_equal(evaluate(range, metric, 4, value), 0);
        assert_true(value[0] + value[1] - value[2] - value[3] == 105 * blocks[range]);
    }
}

TEST(plans_and_names)
{
    static const char *one[] = {"sm__cycles_active.avg"},
                      *two[] = {"sm__cycles_active.avg", "smsp__sass_inst_executed.sum"},
                      *unknown[] = {"sm__no_such_counter.sum"};
    char reason[REASON_BYTES];
    if (*cupti_missing()) SKIP("%.*s", (int)strcspn(cupti_missing(), "\n"), cupti_missing());
    assert_int_equal(counter_passes(CUPTI_PROFILER_TYPE_RANGE_PROFILER, "GH100", one, 1, reason),
                     1);
    /* Hardware and instrumented counts never share a pass. */
    assert_int_equal(counter_passes(CUPTI_PROFILER_TYPE_RANGE_PROFILER, "GH100", two, 2, reason),
                     2);
    WORKS(counter_passes(CUPTI_PROFILER_TYPE_RANGE_PROFILER, "GH100", unknown, 1, reason));
    assert_string_not_equal(reason, "");
    assert_true(counter_known("GH100", "dram__bytes_read.sum"));
    assert_false(counter_known("GB202", "dram__bytes_read.sum"));
    assert_true(counter_known("GB202", "dram__bytes_op_read.sum"));
    assert_false(counter_known("GH100", "sm__no_such_counter.sum"));
    assert_false(counter_known("no chip", "sm__cycles_active.avg"));
}

RUN_TESTS(unpack, fixture_close)
