#include "planned.h"

#include <math.h>

#include "../../kernels/reduce/reduce.h"
#include "bank_counts.h"

/* These rungs relaunch one kernel over the partial sums, with the arguments (in, out, n) first; the
 * others work differently. */
static int relaunches(const struct variant *rung)
{
    static const char *const beginnings[] = {"01_", "02_", "03_", "04_", "05_", "06_",
                                             "07_", "22_", "23_", "24_", "25_"};
    int found = 0;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        found |= !strncmp(rung->name, beginnings[i], strlen(beginnings[i]));
    return found && !strcmp(rung->family, "reduce");
}

/* Counts the wavefronts of one access of a warp: the largest number of different words on one
 * bank. */
static unsigned wavefronts(const unsigned *word, int lanes)
{
    unsigned most = 0;
    for (unsigned bank = 0; bank < 32; bank++) {
        unsigned different = 0;
        for (int i = 0; i < lanes; i++) {
            int seen = word[i] % 32 != bank;
            for (int j = 0; j < i; j++) seen |= word[j] == word[i];
            different += !seen;
        }
        if (different > most) most = different;
    }
    return most;
}

/* Counts the accesses of rung 2's loop, lane by lane: two loads and a store of each active warp in
 * each round. */
static unsigned simulated_excess(unsigned block)
{
    unsigned excess = 0;
    for (unsigned s = 1; s < block; s *= 2) {
        for (unsigned warp = 0; warp < block / 32; warp++) {
            unsigned first[32], second[32];
            int lanes = 0;
            for (unsigned t = 32 * warp; t < 32 * warp + 32; t++) {
                if (2 * s * t >= block) continue;
                first[lanes] = 2 * s * t;
                second[lanes++] = 2 * s * t + s;
            }
            if (lanes > 0)
                excess += 2 * (wavefronts(first, lanes) - 1) + wavefronts(second, lanes) - 1;
        }
    }
    return excess;
}

static struct point point_of(uint64_t n, int block, int sweep)
{
    return (struct point){.shape = {1, {n}}, .block = block, .sweep = sweep};
}

static double excess(const struct variant *rung, const struct point *point, unsigned index)
{
    const struct work work = {.point = *point};
    return shared_accesses_excess(rung, &work, index);
}

TEST(closed_form_of_the_strided_rung)
{
    const struct variant *strided = registry_variant("reduce", "02_interleaved_strided");
    assert_int_equal(simulated_excess(256),
                     3 * (47 - 12)); /* 47 wavefronts instead of 12, on each of three accesses */
    static const int blocks[] = {128, 256};
    for (int b = 0; b < 2; b++) {
        const double one = simulated_excess((unsigned)blocks[b]);
        const struct point small = point_of(1, blocks[b], 0),
                           large = point_of(1 << 22, blocks[b], 0),
                           odd = point_of(1000, blocks[b], 0);
        assert_true(excess(strided, &small, 0) == one);
        assert_true(excess(strided, &large, 0) == one * (double)((1 << 22) / blocks[b]));
        assert_true(excess(strided, &odd, 0) == one * (double)((1000 + blocks[b] - 1) / blocks[b]));
    }
    const struct point image = point_of(4096, 256, 0);
    assert_true(excess(strided, &image, 0) == 105 * 16);
    assert_true(excess(strided, &image, 1) == 105);
}

/* By the rounds' strides: in blocks of 256, four warps work, then two, then one, then fewer and
 * fewer lanes of one. */
TEST(accesses_of_the_strided_rung)
{
    static const struct {
        const char *stride;
        int warps, lanes, wavefronts;
    } rounds[] = {{"2", 4, 32, 2}, {"4", 2, 32, 4}, {"8", 1, 32, 8},  {"16", 1, 16, 8},
                  {"32", 1, 8, 8}, {"64", 1, 4, 4}, {"128", 1, 2, 2}, {"256", 1, 1, 1}};
    enum { ROUNDS = sizeof rounds / sizeof *rounds, BLOCKS = 1 << 19 };
    static const char *const names[] = {"reads of sum[first]", "reads of sum[first + s]",
                                        "writes of sum[first]"};
    const struct variant *strided = registry_variant("reduce", "02_interleaved_strided");
    struct shared_access list[SHARED_ACCESSES];
    double wavefronts[3] = {0}, ideal[3] = {0};
    const struct work work = {.point = point_of(256 * (uint64_t)BLOCKS, 256, 0)};
    memset(list, 0, sizeof list);
    assert_int_equal(strided->shared_accesses(&work, 0, list), 3 * ROUNDS + 2);
    for (int i = 0; i < 3 * ROUNDS; i++) {
        const struct shared_access *access = &list[1 + i];
        const int round = i / 3, which = i % 3, first = which == 1 ? 4 << round : 0;
        char name[64];
        snprintf(name, sizeof name, "%s, stride %s", names[which], rounds[round].stride);
        assert_string_equal(access->name, name);
        assert_int_equal(access->kind, which < 2 ? ACCESS_LOAD : ACCESS_STORE);
        assert_true(access->width == 4 &&
                    access->executions == (double)rounds[round].warps * BLOCKS);
        for (int lane = 0; lane < 32; lane++)
            assert_int_equal(access->address[lane],
                             lane < rounds[round].lanes ? first + lane * (8 << round) : LANE_IDLE);
        assert_int_equal(bank_model_wavefronts(access), rounds[round].wavefronts);
        assert_int_equal(bank_model_ideal(access), 1);
        wavefronts[which] += access->executions * bank_model_wavefronts(access);
        ideal[which] += access->executions;
    }
    for (int which = 0; which < 3; which++)
        assert_true(wavefronts[which] == 24641536 && ideal[which] == 6291456);
    assert_string_equal(list[0].name, "writes of the loaded elements");
    assert_true(list[0].kind == ACCESS_STORE && list[0].executions == 8.0 * BLOCKS &&
                bank_model_wavefronts(&list[0]) == 1);
    assert_string_equal(list[3 * ROUNDS + 1].name, "read of the block's sum");
    assert_true(list[3 * ROUNDS + 1].executions == BLOCKS &&
                bank_model_wavefronts(&list[3 * ROUNDS + 1]) == 1);
}

TEST(the_other_rungs_have_no_conflicts)
{
    int seen = 0;
    for (int i = 0; registry_variants[i]; i++) {
        const struct variant *other = registry_variants[i];
        const struct point point = point_of(100000, 256, other->sweep_values[0]);
        if (strcmp(other->family, "reduce") || !strcmp(other->name, "02_interleaved_strided"))
            continue;
        if (relaunches(other)) assert_false(isnan(excess(other, &point, 0)));
        if (!isnan(excess(other, &point, 0))) assert_true(excess(other, &point, 0) == 0);
        seen += relaunches(other);
    }
    assert_int_equal(seen, 10);
}

TEST(levels)
{
    static const struct {
        uint64_t n, per_block;
        unsigned levels;
    } rows[] = {{1, 256, 1},
                {2, 256, 1},
                {255, 256, 1},
                {256, 256, 1},
                {257, 256, 2},
                {65536, 256, 2},
                {65537, 256, 3},
                {(1 << 20) + 1, 256, 3},
                {1 << 29, 256, 4},
                {1 << 29, 512, 4},
                {1 << 29, 2 * 256 * 1024, 2},
                {1 << 29, 128, 5},
                {UINT64_C(1) << 33, 512, 4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (reduce_level_count(rows[i].n, rows[i].per_block) != rows[i].levels)
            fail_msg("n = %llu, %llu per block: %u levels", (unsigned long long)rows[i].n,
                     (unsigned long long)rows[i].per_block,
                     reduce_level_count(rows[i].n, rows[i].per_block));
    assert_int_equal(reduce_level_length((1 << 20) + 1, 256, 0), (1 << 20) + 1);
    assert_int_equal(reduce_level_length((1 << 20) + 1, 256, 1), 4097);
    assert_int_equal(reduce_level_length((1 << 20) + 1, 256, 2), 17);
}

/* Walks the launches of one point: each reads the output of the previous one, the last writes the
 * result, and nothing leaves the scratch buffer. */
static void walk(const struct variant *rung, const struct family *family, const struct point *point)
{
    static char input, output; /* addresses only */
    const size_t scratch_bytes = family->scratch_bytes(&point->shape);
    const uintptr_t scratch_at = (uintptr_t)1 << 60; /* far from any other */
    struct work work = {
        .point = *point, .input = {&input}, .output = &output, .scratch = (void *)scratch_at};
    const unsigned count = variant_launches(rung, point);
    uint64_t expected_in = (uint64_t)(uintptr_t)&input, expected_n = point->shape.dim[0];
    assert_in_range(count, 1, 40);
    for (unsigned i = 0; i < count; i++) {
        const struct launch launch = planned(rung, &work, i);
        assert_non_null(launch.function);
        assert_in_range(launch.argument_count, 3, 4);
        assert_int_equal(launch.cooperative + launch.clear_output, 0);
        if (strncmp(rung->name, "22_", 3))
            assert_int_equal(launch.block[0], point->block);
        else
            assert_int_equal(launch.block[0], 128);
        assert_in_range(launch.grid[0], 1, INT32_MAX);
        const uint64_t in = launch.argument[0], out = launch.argument[1], n = launch.argument[2];
        if (in != expected_in || n != expected_n)
            fail_msg("%s, n = %llu: launch %u reads the wrong array", rung->name,
                     (unsigned long long)point->shape.dim[0], i);
        if (i + 1 == count) {
            assert_int_equal(out, (uint64_t)(uintptr_t)&output);
            assert_int_equal(launch.grid[0], 1);
        } else {
            assert_true(out >= scratch_at &&
                        out + 4 * (uint64_t)launch.grid[0] <= scratch_at + scratch_bytes);
            assert_true(out + 4 * (uint64_t)launch.grid[0] <= in || in + 4 * n <= out);
        }
        expected_in = out;
        expected_n = launch.grid[0];
    }
}

TEST(launches_form_a_chain)
{
    static const uint64_t sizes[] = {1,      2,   31,  127, 128,   129,   255,           256,
                                     257,    511, 512, 513, 65536, 65537, (1 << 20) + 1, 1 << 22,
                                     1 << 29};
    const struct family *family = registry_family("reduce");
    int rungs = 0;
    for (int i = 0; registry_variants[i]; i++) {
        const struct variant *rung = registry_variants[i];
        if (!relaunches(rung)) continue;
        rungs++;
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            for (int b = 0; family->blocks[b]; b++) {
                for (int w = 0; w == 0 || rung->sweep_values[w]; w++) {
                    const struct point point =
                        point_of(sizes[s], family->blocks[b], rung->sweep_values[w]);
                    if (!rung->refuses || !rung->refuses(&point, 90)) walk(rung, family, &point);
                }
            }
        }
    }
    assert_int_equal(rungs, 11);
}

TEST(reference_is_the_sum)
{
    static const uint64_t sizes[] = {1, 2, 255, 257, 100003};
    const struct family *family = registry_family("reduce");
    assert_non_null(family);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const struct shape shape = {1, {sizes[s]}};
        const size_t count = (size_t)sizes[s];
        assert_int_equal(family->input_bytes(&shape, 0), 4 * count);
        assert_int_equal(family->output_bytes(&shape), 4);
        uint32_t *word = malloc(4 * count), *again = malloc(4 * count), result = 0;
        void *input[INPUT_COUNT] = {word}, *second[INPUT_COUNT] = {again};
        family->fill(&shape, 20, input);
        family->fill(&shape, 20, second);
        assert_memory_equal(word, again, 4 * count);
        family->reference(&shape, input, &result);
        uint64_t sum = 0;
        for (size_t i = count; i-- > 0;) sum += word[i]; /* backwards and wider */
        assert_int_equal(result, (uint32_t)sum);
        family->fill(&shape, 21, second);
        assert_memory_not_equal(word, again, 4 * count);
        free(word);
        free(again);
    }
}

/* Each operator has a reference of its own, which is not the same whatever the elements are. */
TEST(references_of_the_other_operators)
{
    enum { COUNT = 100003, OPERATORS = 6 };
    static uint32_t word[COUNT];
    const struct variant *rung = registry_variant("reduce", "25_other_operators");
    void *input[INPUT_COUNT] = {word};
    struct shape shape = {1, {COUNT}};
    registry_family("reduce")->fill(&shape, 20, input);
    uint32_t expected[OPERATORS] = {0, 0, ~0u, ~0u, 0, 1}, result;
    int flags = 0;
    for (int i = COUNT; i-- > 0;) {
        const int has_flag = word[i] % (1 << 17) < 16;
        const uint32_t flag = has_flag ? 1u << (word[i] >> 27) : 0;
        flags += has_flag;
        expected[0] += word[i];
        if (word[i] > expected[1]) expected[1] = word[i];
        if (word[i] < expected[2]) expected[2] = word[i];
        expected[3] &= ~flag;
        expected[4] |= flag;
        expected[5] *= word[i] | 1;
    }
    assert_in_range(flags, 4, 28);
    for (int op = 1; op <= OPERATORS; op++) {
        const struct point point = point_of(COUNT, 256, op);
        rung->reference(&point, input, &result);
        assert_int_equal(result, expected[op - 1]);
    }
    assert_true(expected[3] == ~expected[4] && expected[3] != 0 && expected[4] != 0);
    const struct point one = point_of(1, 128, 6);
    rung->reference(&one, input, &result);
    assert_int_equal(result, word[0] | 1);
}

/* The number of blocks is the setting; the last launch has one block. */
TEST(launches_of_the_loop_at_run_time)
{
    static const struct {
        uint64_t n;
        int blocks, refused;
        unsigned launches;
    } rows[] = {{1, 64, 0, 1},          {16385, 64, 0, 2},      {1 << 16, 512, 1, 0},
                {1 << 24, 64, 0, 2},    {1 << 27, 256, 0, 2},   {1 << 27, 512, 0, 3},
                {1 << 27, 16384, 0, 3}, {1 << 29, 16384, 0, 3}, {1 << 22, 16384, 0, 3}};
    const struct variant *rung = registry_variant("reduce", "22_run_time_loop");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct point point = point_of(rows[i].n, 256, rows[i].blocks);
        const int refused = rung->refuses(&point, 90) != NULL;
        if (refused != rows[i].refused ||
            (!refused && rung->launch_count(&point) != rows[i].launches))
            fail_msg("n = %llu, %d blocks: %u launches", (unsigned long long)rows[i].n,
                     rows[i].blocks, rung->launch_count(&point));
    }
}

/* Random words, without zeros or constants, so that a sum that omits or repeats any element
 * differs. */
TEST(inputs_are_random)
{
    enum { COUNT = 1 << 16 };
    static uint32_t word[COUNT];
    void *input[INPUT_COUNT] = {word};
    const struct shape shape = {1, {COUNT}};
    registry_family("reduce")->fill(&shape, 20, input);
    for (int bit = 0; bit < 32; bit++) {
        int ones = 0;
        for (int i = 0; i < COUNT; i++) ones += word[i] >> bit & 1;
        assert_in_range(ones, COUNT / 2 - 1000, COUNT / 2 + 1000);
    }
    for (int i = 0; i < COUNT; i++) assert_true(word[i] != 0);
}

TEST(useful_traffic)
{
    const struct family *family = registry_family("reduce");
    const struct shape shape = {1, {4194304}};
    assert_true(family->useful_bytes(&shape) == 4.0 * 4194304 + 4);
    assert_true(family->useful_operations(&shape) == 4194303);
}

RUN_TESTS(NULL, NULL)
