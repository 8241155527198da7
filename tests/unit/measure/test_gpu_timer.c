#include "fixture.h"

#include <math.h>
#include <time.h>

#include "measure/gpu_timer.h"

enum { MOST = 40 };

static struct device device;
static int calls, pause_ms;
static struct sample a_sample[MOST], b_sample[MOST];

static void host(const struct work *work)
{
    const struct timespec pause = {.tv_nsec = pause_ms * 1000000L};
    calls++;
    if (pause_ms) nanosleep(&pause, NULL);
}

static const struct variant cpu = {.family = "f", .name = "91_cpu", .host = host};
static const struct selected selected = {.variant = &cpu, .point = {.shape = {1, {64}}}};

static void take(struct series *a, struct series *b, int capacity, double most_seconds)
{
    const struct workbench bench = {.device = &device};
    *a = (struct series){.selected = &selected, .capacity = capacity, .sample = a_sample};
    *b = (struct series){.selected = &selected, .capacity = capacity, .sample = b_sample};
    calls = 0;
    for (int i = 0; i < MOST; i++) a_sample[i].time_ns = b_sample[i].time_ns = -1;
    assert_int_equal(timer_cpu_samples(&bench, a, b, most_seconds), 0);
    assert_int_equal(a->count, b->count);
    assert_int_equal(calls,
                     1 + a->count + b->count); /* the first one warms up and is not a sample */
    for (int i = 0; i < MOST; i++) {
        assert_true(i < a->count ? a_sample[i].time_ns >= 0 && b_sample[i].time_ns >= 0
                                 : a_sample[i].time_ns == -1 && b_sample[i].time_ns == -1);
        if (i < a->count) assert_true(isnan(a_sample[i].clock_mhz) && isnan(b_sample[i].clock_mhz));
        if (i < a->count) assert_true(a_sample[i].round == i && b_sample[i].round == i);
    }
}

TEST(a_few_samples_are_enough)
{
    struct series a, b;
    take(&a, &b, MOST, 1e9);
    assert_int_equal(a.count, 25);
    assert_string_equal(a.stop_reason, "sample cap of the CPU");
    assert_string_equal(b.stop_reason, "sample cap of the CPU");
}

TEST(time_ends_it_but_not_too_soon)
{
    struct series a, b;
    take(&a, &b, MOST, 0);
    assert_int_equal(a.count, 7);
    assert_string_equal(a.stop_reason, "time cap of the CPU");
    assert_string_equal(b.stop_reason, "time cap of the CPU");
}

TEST(no_more_than_was_asked_for)
{
    struct series a, b;
    take(&a, &b, 1, 1e9);
    assert_int_equal(a.count, 1);
    take(&a, &b, 9, 1e9);
    assert_int_equal(a.count, 9);
}

TEST(the_time_is_that_of_the_call)
{
    struct series a, b;
    pause_ms = 3;
    take(&a, &b, 3, 1e9);
    pause_ms = 0;
    for (int i = 0; i < 3; i++)
        assert_true(a_sample[i].time_ns >= 3e6 && a_sample[i].time_ns < 3e9 &&
                    b_sample[i].time_ns >= 3e6 && b_sample[i].time_ns < 3e9);
}

RUN_TESTS(NULL, NULL)
