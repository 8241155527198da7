#include "code/listing_many.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"

enum { MOST_THREADS = 16 };

struct pool {
    pthread_mutex_t lock;
    struct listing *listing;
    const struct listing_request *request;
    int count, next, architecture;
    int result; /* the first failure */
};

/* The next request that nobody has taken; -1 when there is none, or one has failed. */
static int take(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    const int index = pool->next < pool->count && !pool->result ? pool->next++ : -1;
    pthread_mutex_unlock(&pool->lock);
    return index;
}

static void fail(struct pool *pool, int result)
{
    pthread_mutex_lock(&pool->lock);
    if (!pool->result) pool->result = result;
    pthread_mutex_unlock(&pool->lock);
}

static void *work(void *context)
{
    static const char elsewhere[] = "absent: the code is a library's, not this program's";
    struct pool *pool = context;
    for (int i; (i = take(pool)) >= 0;) {
        struct listing *listing = &pool->listing[i];
        const int result = listing_make(listing, pool->request[i].file, pool->request[i].symbol,
                                        pool->architecture);
        if (result == FAIL_CHECK) {
            snprintf(listing->lines_status, sizeof listing->lines_status, "%s", elsewhere);
            snprintf(listing->sass_status, sizeof listing->sass_status, "%s", elsewhere);
        } else if (result) {
            fail(pool, result);
        }
    }
    return NULL;
}

int listing_make_many(struct listing *listing, const struct listing_request *request, int count,
                      int architecture, int threads)
{
    struct pool pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
                        .listing = listing,
                        .request = request,
                        .count = count,
                        .architecture = architecture};
    pthread_t thread[MOST_THREADS];
    int started = 0;
    memset(listing, 0, (size_t)count * sizeof *listing);
    while (started < threads - 1 && started < MOST_THREADS &&
           !pthread_create(&thread[started], NULL, work, &pool))
        started++;
    work(&pool);
    for (int i = 0; i < started; i++) pthread_join(thread[i], NULL);
    return pool.result;
}
