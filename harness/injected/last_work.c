/*
 * Waits for the last work of the program on the GPU, but not for ever: a program may end while a
 * kernel runs on, and the driver stops the kernel then.
 */
#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "injected/part_files.h"
#include "injected/watch.h"

static sem_t is_idle;

/* Starts a thread that gets no signal: the handlers of the program do not expect it. Returns 1 if
 * it was started. */
static int start_thread(void *(*run)(void *), void *with)
{
    sigset_t all, before;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int started = pthread_create(&thread, NULL, run, with) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started) pthread_detach(thread);
    return started;
}

static void *wait_for_gpu(void *context)
{
    if (driver.set_current(context) == CUDA_SUCCESS) driver.synchronize();
    sem_post(&is_idle);
    return NULL;
}

/* Returns 1 if the work has ended before the patience has. Launches with counters have ended
 * already. */
static int work_ends(void)
{
    CUcontext context = NULL;
    struct timespec until;
    int status;
    if (driver.current(&context) != CUDA_SUCCESS || !context) return 1;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += watch.plan.mode == WATCH_TIMES ? watch.patience_s : 1;
    if (sem_init(&is_idle, 0, 0) || !start_thread(wait_for_gpu, context)) return 0;
    do status = sem_timedwait(&is_idle, &until);
    while (status && errno == EINTR);
    return status == 0;
}

static void *end_program(void *status)
{
    sleep(watch.most_s);
    fflush(NULL);
    _exit((int)(intptr_t)status);
}

void work_finish(int status)
{
    if (work_ends()) return;
    start_thread(end_program, (void *)(intptr_t)status);
    watch_lock();
    watch.has_left_work = 1;
    part_problem("times", -1, "the program ended while the GPU still worked for it");
    watch_unlock();
}
