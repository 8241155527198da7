#include "report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/message.h"
#include "base/process.h"
#include "base/text.h"

int gnuplot_available(void)
{
    char *program = process_find("gnuplot");
    free(program);
    return program != NULL;
}

/* Several at once, as many as there are cores. */
enum { MOST_AT_ONCE = 16 };

struct pool {
    struct process child[MOST_AT_ONCE];
    int number[MOST_AT_ONCE]; /* of its script; -1: the place is free */
    int places;
};

static int start(struct pool *pool, int place, int number, char *script)
{
    char *const arguments[] = {(char[]){"gnuplot"}, script, NULL};
    const int result = process_start(&pool->child[place], arguments);
    pool->number[place] = result ? -1 : number;
    return result;
}

/* Waits for one to end and frees its place. Returns 0 if none is running. */
static int finish(struct pool *pool, gnuplot_failure *failed, void *context, int *result)
{
    char reason[400];
    const int place = process_wait(pool->child, pool->places);
    if (place < 0) return 0;
    struct process *child = &pool->child[place];
    if (WIFEXITED(child->status) && WEXITSTATUS(child->status) == 127 && !*result) {
        *result = error(FAIL_OUTPUT, "gnuplot is not on the PATH: install it to draw charts");
    } else if (!process_succeeded(child) && !*result && !interrupted()) {
        process_reason(child, reason, sizeof reason);
        failed(context, pool->number[place], reason);
    }
    process_free(child);
    pool->number[place] = -1;
    return 1;
}

static int run_all(char *const *script, int count, gnuplot_failure *failed, void *context)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    struct pool pool = {.places = cores < 1 ? 1 : cores > MOST_AT_ONCE ? MOST_AT_ONCE : (int)cores};
    int result = 0, next = 0;
    for (int i = 0; i < MOST_AT_ONCE; i++) pool.number[i] = -1;
    do {
        for (int i = 0; i < pool.places && !result && !interrupted(); i++) {
            while (next < count && !script[next]) next++;
            if (pool.number[i] < 0 && next < count) {
                result = start(&pool, i, next, script[next]);
                next++;
            }
        }
    } while (finish(&pool, failed, context, &result));
    return interrupted() ? FAIL_INTERRUPTED : result;
}

/* Paths in a script are relative to its directory: the children inherit it. */
int gnuplot_run(const char *directory, char *const *script, int count, gnuplot_failure *failed,
                void *context)
{
    const int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int result =
        here < 0 || chdir(directory) ? error(FAIL_OUTPUT, "%s: %s", directory, strerror(errno)) : 0;
    setenv("LC_ALL", "C.UTF-8", 1); /* the words of the scripts are UTF-8 */
    if (!result) result = run_all(script, count, failed, context);
    if (here >= 0 && fchdir(here) && !result)
        result = error(FAIL_OUTPUT, "the working directory no longer exists: %s", strerror(errno));
    if (here >= 0) close(here);
    return result;
}
