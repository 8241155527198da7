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

/* Several at once, as many as there are cores. Most of gnuplot's time for a picture is its start,
 * so that each draws several pictures; if one of these fails, all are drawn again one by one. */
enum { MOST_AT_ONCE = 16, PICTURES = 8 };

struct pool {
    struct process child[MOST_AT_ONCE];
    int number[MOST_AT_ONCE]; /* of its last script */
    int places, pictures /* of each */, next, failures;
};

static int start(struct pool *pool, int place, char *const *script, int count)
{
    char *arguments[PICTURES + 2] = {(char[]){"gnuplot"}};
    int found = 0;
    for (; pool->next < count && found < pool->pictures; pool->next++)
        if (script[pool->next]) arguments[++found] = script[pool->number[place] = pool->next];
    return found ? process_start(&pool->child[place], arguments, PROCESS_OF_OURS) : 0;
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
        pool->failures++;
        process_reason(child, reason, sizeof reason);
        if (pool->pictures == 1) failed(context, pool->number[place], reason);
    }
    process_free(child);
    return 1;
}

static int run_all(char *const *script, int count, gnuplot_failure *failed, void *context,
                   int pictures)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    struct pool pool = {.places = cores < 1              ? 1
                                  : cores > MOST_AT_ONCE ? MOST_AT_ONCE
                                                         : (int)cores,
                        .pictures = pictures};
    int result = 0;
    do {
        for (int i = 0; i < pool.places && !result && !interrupted(); i++)
            if (!pool.child[i].pid) result = start(&pool, i, script, count);
    } while (finish(&pool, failed, context, &result));
    if (!result && interrupted()) result = FAIL_INTERRUPTED;
    return result || !pool.failures || pictures == 1 ? result
                                                     : run_all(script, count, failed, context, 1);
}

/* Paths in a script are relative to its directory: the children inherit it. */
int gnuplot_run(const char *directory, char *const *script, int count, gnuplot_failure *failed,
                void *context)
{
    const int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int result =
        here < 0 || chdir(directory) ? error(FAIL_OUTPUT, "%s: %s", directory, strerror(errno)) : 0;
    setenv("LC_ALL", "C.UTF-8", 1); /* the words of the scripts are UTF-8 */
    if (!result) result = run_all(script, count, failed, context, PICTURES);
    if (here >= 0 && fchdir(here) && !result)
        result = error(FAIL_OUTPUT, "the working directory no longer exists: %s", strerror(errno));
    if (here >= 0) close(here);
    return result;
}
