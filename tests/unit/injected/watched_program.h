/*
 * Runs a program with the injected library on a fake CUPTI, in a process of its own, and reads the
 * files that the library leaves. Nothing is owned. Not thread-safe.
 */
#ifndef TESTS_UNIT_INJECT_WATCHED_PROGRAM_H
#define TESTS_UNIT_INJECT_WATCHED_PROGRAM_H

#include <errno.h>
#include <sys/wait.h>

#include "fake_cupti.h"
#include "fixture.h"

int InitializeInjection(void);

#define KERNEL "kernel\t0\t0\t_Z3addPf\t0\t132\t1\t1\t256\t1\t1\t0\t\n"

#define COUNTERS "mode\tcounters\npasses\t2\nmetrics\tfirst.sum\tsecond.sum\tthird.sum\n" KERNEL

static const char counters[] = COUNTERS "take\t0\t0\t1\n",
                  counts[] = "mode\tcounts\n" KERNEL "count\t0\t1\n";

static inline void hang(void)
{
    while (fake.exit_hangs) pause();
}

/* Runs the program with the library in a process of its own, as the driver would start it; earlier
 * starts may have left images. */
static inline int watch_again(const char *plan)
{
    int status;
    directory_remove(place("watch"));
    make_directory("watch");
    write_text("watch/plan.txt", plan);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        alarm(60); /* a library that hangs is a failure */
        setenv("WHYFAST_WATCH", place("watch"), 1);
        watch.patience_s = watch.most_s = 1;
        atexit(hang);
        errno = 99;
        if (InitializeInjection() != 1 || errno != 99) _exit(1);
        fake_program();
        exit(errno != 99 ? 1 : fake.exit_hangs ? 7 : 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static inline int watch_program(const char *plan)
{
    directory_remove(place("images"));
    make_directory("images");
    return watch_again(plan);
}

/* The file of the first process; NULL if it is missing. The caller frees it. */
static inline char *left(const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "watch/0/%s", name);
    return text_read_file(place(path), NULL);
}

static inline void has(const char *name, const char *wanted)
{
    OWNED char *text = left(name);
    if (!text) fail_msg("%s is missing", name);
    if (!strstr(text, wanted)) fail_msg("%s lacks '%s': %s", name, wanted, text);
}

static inline void is_missing(const char *name)
{
    char *text = left(name);
    if (text) fail_msg("%s: %s", name, text);
}

/* The rows of counters.csv are these. */
static inline void has_only(const char *row)
{
    OWNED char *text = left("counters.csv");
    assert_non_null(text);
    assert_int_equal(strncmp(text, "kernel,metric,value\n", 20), 0);
    assert_string_equal(text + 20, row);
}

/* The program ends as it should, and the library has problems with nothing; or with this. */
static inline void watches(const char *plan)
{
    assert_int_equal(watch_program(plan), 0);
    is_missing("problems.csv");
}

static inline void watches_again(const char *plan)
{
    assert_int_equal(watch_again(plan), 0);
    is_missing("problems.csv");
}

static inline void tells(const char *plan, const char *problem)
{
    assert_int_equal(watch_program(plan), 0);
    has("problems.csv", problem);
}

static inline int open_fake(void **state)
{
    return fake_open() || fixture_open(state);
}

static inline int be_usual(void **state)
{
    fake = fake_usual;
    return 0;
}

/* A test that begins with the usual CUPTI. */
#define FAKE_TEST(test) TEST_WITHIN(test, be_usual, NULL)

#endif
