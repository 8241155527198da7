/*
 * Tests which features tools from outside take away, by their variables and by the behaviour of
 * gates and CUPTI. The program remembers a tool as long as its process lives, so each test has a
 * process of its own.
 */
#include "fixture.h"

#include <sys/wait.h>

#include "driver/other_profilers.h"

static const char *const variables[] = {
    "NV_COMPUTE_PROFILER_PERFWORKS_DIR",       "NSYS_PROFILING_SESSION_ID",
    "NV_SANITIZER_INJECTION_PORT_RANGE_BEGIN", "CUDA_LAUNCH_BLOCKING",
    "NV_NSIGHT_INJECTION_TRANSPORT_TYPE",      "CUDA_INJECTION64_PATH"};

static int clear(void **state)
{
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) unsetenv(variables[i]);
    return 0;
}

/* Returns 0 if the check holds in a process of its own, which remembers no tool. */
static int alone(int (*check)(void))
{
    int status = -1;
    const pid_t child = fork();
    if (child == 0) _exit(!check());
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static int said(const char *words)
{
    const char *text = heard();
    const char *found = strstr(text, words);
    const int once = found && !strstr(found + 1, words);
    listen_to_stderr();
    return once;
}

static int nothing_said(void)
{
    const int nothing = !*heard();
    listen_to_stderr();
    return nothing;
}

static int nothing_is_taken(void)
{
    listen_to_stderr();
    return !other_profilers_next(NULL) && !other_profilers_cupti_tool() &&
           !other_profilers_unheld() && !other_profilers_holds_cupti() &&
           other_profilers_judge(0) == 0 && !other_profilers_explains("") && nothing_said();
}

TEST_WITHIN(without_tools_nothing_is_taken, clear, NULL)
{
    assert_int_equal(alone(nothing_is_taken), 0);
    setenv("CUDA_LAUNCH_BLOCKING", "0", 1);
    setenv("NSYS_PROFILING_SESSION_ID", "", 1);
    assert_int_equal(alone(nothing_is_taken), 0);
}

static int ncu_takes_both(void)
{
    listen_to_stderr();
    const char *unheld = other_profilers_unheld();
    if (!unheld || strcmp(unheld, "the stream could not be held under Nsight Compute (ncu)") ||
        !other_profilers_unheld())
        return 0;
    if (!said("whyfast: warning: times are not clean: the stream could not be held under Nsight "
              "Compute (ncu)"))
        return 0;
    return other_profilers_cupti_tool() && other_profilers_cupti_tool()->serialises &&
           other_profilers_judge(0) == 0 && other_profilers_unheld() && nothing_said();
}

TEST_WITHIN(ncu_is_known_by_its_variable, clear, NULL)
{
    setenv("NV_NSIGHT_INJECTION_TRANSPORT_TYPE", "1", 1); /* which it sets, too */
    setenv("NV_COMPUTE_PROFILER_PERFWORKS_DIR", "/opt/ncu", 1);
    assert_int_equal(alone(ncu_takes_both), 0);
}

static int blocking_takes_the_stream(void)
{
    listen_to_stderr();
    return other_profilers_unheld() &&
           strstr(other_profilers_unheld(), "under CUDA_LAUNCH_BLOCKING") &&
           !other_profilers_cupti_tool() && !other_profilers_next(other_profilers_next(NULL));
}

TEST_WITHIN(blocking_launches_hold_no_stream, clear, NULL)
{
    setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
    assert_int_equal(alone(blocking_takes_the_stream), 0);
}

static int nsys_takes_cupti(void)
{
    listen_to_stderr();
    if (other_profilers_unheld() || other_profilers_holds_cupti() || other_profilers_explains("x"))
        return 0; /* CUPTI has not been asked */
    other_profilers_take_cupti("CUPTI for something");
    const char *reason = other_profilers_holds_cupti();
    if (!reason || strncmp(reason, "Nsight Systems (nsys) holds CUPTI in this process", 49) ||
        !nothing_said())
        return 0;
    if (other_profilers_explains("another reason") || !nothing_said()) return 0;
    if (!other_profilers_explains(reason) || !other_profilers_explains(reason) ||
        !said("warning: counters, lines and timelines are not collected: Nsight Systems (nsys) "
              "holds"))
        return 0;
    other_profilers_take_cupti("another");
    return other_profilers_holds_cupti() == reason && !strncmp(reason, "Nsight Systems", 14);
}

TEST_WITHIN(nsys_holds_cupti_and_no_stream, clear, NULL)
{
    setenv("NSYS_PROFILING_SESSION_ID", "1", 1);
    assert_int_equal(alone(nsys_takes_cupti), 0);
}

static int named_by_cupti(void)
{
    other_profilers_take_cupti("CUPTI for a debugger");
    return !strncmp(other_profilers_holds_cupti(), "CUPTI for a debugger holds CUPTI", 32);
}

static int named_by_nobody(void)
{
    other_profilers_take_cupti("");
    return !strncmp(other_profilers_holds_cupti(), "another profiler or debugger holds CUPTI", 40);
}

TEST_WITHIN(a_holder_that_the_environment_does_not_name, clear, NULL)
{
    assert_int_equal(alone(named_by_cupti), 0);
    assert_int_equal(alone(named_by_nobody), 0);
}

static int the_first_gate_gives_up(void)
{
    listen_to_stderr();
    if (other_profilers_unheld() || other_profilers_judge(1) != OUTSIDE_AGAIN) return 0;
    if (!other_profilers_unheld() ||
        !said("times are not clean: the stream could not be held: launches wait for their kernels"))
        return 0;
    /* A sample without a gate counts, and does not make the program hold streams again. */
    return other_profilers_judge(0) == 0 && other_profilers_unheld() && nothing_said();
}

static int a_later_gate_gives_up(void)
{
    listen_to_stderr();
    if (other_profilers_judge(0) || other_profilers_judge(1) != FAIL_GPU) return 0;
    return said("the host was paused for more than 5 s while the stream was held") &&
           !other_profilers_unheld();
}

TEST_WITHIN(a_gate_that_gives_up, clear, NULL)
{
    assert_int_equal(alone(the_first_gate_gives_up), 0);
    assert_int_equal(alone(a_later_gate_gives_up), 0);
}

RUN_TESTS(fixture_open, fixture_close)
