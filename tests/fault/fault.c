/*
 * Makes the N-th call of one kind fail, or kills the program there. Acts in the program that is
 * started with this library in LD_PRELOAD, and in no program that it starts itself.
 *
 *   FAULT=KIND:N    the N-th call of that kind fails, N from 1; 0: none. Several faults are
 *                   separated by spaces.
 *   FAULT=KIND:N+   that call and all after it fail
 *   FAULT_COUNT=FILE  at the end, the number of calls of the first kind is written here
 *
 * Kinds: malloc (malloc, calloc and realloc, also in libraries), fopen, write (of a FILE: from then
 * on its file is a full disk), fclose, rename, fsync, mkdir, opendir, unlink, truncate.
 *
 * kill: the program is killed before the N-th call that may change the disk: an opening, flushing,
 * syncing or closing of a FILE, a rename, unlink, rmdir, mkdir or truncate. tear: it is killed in
 * the N-th flush of a FILE, when half of the data has been written. Nothing is owned.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum kind {
    KIND_NONE,
    KIND_MALLOC,
    KIND_FOPEN,
    KIND_WRITE,
    KIND_FCLOSE,
    KIND_RENAME,
    KIND_FSYNC,
    KIND_MKDIR,
    KIND_OPENDIR,
    KIND_UNLINK,
    KIND_TRUNCATE,
    KIND_KILL,
    KIND_TEAR,
    KIND_COUNT
};

static const char *const names[KIND_COUNT] = {"",         "malloc", "fopen", "write",   "fclose",
                                              "rename",   "fsync",  "mkdir", "opendir", "unlink",
                                              "truncate", "kill",   "tear"};

/* The planted faults, by kind. */
static struct {
    long at, calls;
    int for_good;
} faults[KIND_COUNT];

static enum kind counted_kind;
static int full_disk = -1, running;
static char count_path[512];

/* Functions of glibc below malloc, because dlsym may allocate, and the function that calls main. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *pointer, size_t size);
int __libc_start_main(int (*main)(int, char **, char **), int count, char **words,
                      void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
                      void *stack_end);

static int (*real_main)(int, char **, char **);

static void end(void)
{
    char text[32];
    running = 0;
    if (!*count_path) return;
    const int file = open(count_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int length = snprintf(text, sizeof text, "%ld\n", faults[counted_kind].calls);
    if (file < 0 || write(file, text, (size_t)length) != length) _exit(99);
    close(file);
}

/* "KIND:N" or "KIND:N+" */
static void plant(const char *told)
{
    char *rest;
    enum kind kind = KIND_NONE;
    const size_t length = strcspn(told, ": ");
    for (enum kind i = KIND_NONE + 1; i < KIND_COUNT; i++)
        if (strlen(names[i]) == length && !strncmp(names[i], told, length)) kind = i;
    if (kind == KIND_NONE || told[length] != ':') _exit(98);
    faults[kind].at = strtol(told + length + 1, &rest, 10);
    faults[kind].for_good = *rest == '+';
    if (counted_kind == KIND_NONE) counted_kind = kind;
}

/* Only calls from main to exit count: earlier and later ones are the libraries' own. */
static int counted_main(int count, char **words, char **environment)
{
    const char *path = getenv("FAULT_COUNT");
    for (const char *told = getenv("FAULT"); told && *told; told += strspn(told, " ")) {
        plant(told);
        told += strcspn(told, " ");
    }
    if (path) snprintf(count_path, sizeof count_path, "%s", path);
    full_disk = open("/dev/full", O_WRONLY | O_CLOEXEC);
    unsetenv("FAULT");
    unsetenv("FAULT_COUNT");
    unsetenv("LD_PRELOAD");
    atexit(end);
    running = 1;
    return real_main(count, words, environment);
}

static int fails(enum kind call)
{
    if (!running) return 0;
    const long number = ++faults[call].calls, at = faults[call].at;
    return at > 0 && (number == at || (faults[call].for_good && number > at));
}

static void die(void)
{
    kill(getpid(), SIGKILL);
}

/* Called before each call that changes the disk. */
static void step(void)
{
    if (fails(KIND_KILL)) die();
}

/* Returns the next function of this name. ISO C has no conversion from an object pointer to a
 * function pointer, so the bytes are copied. */
#define NEXT(function)                                                                             \
    static __typeof__(function) *next;                                                             \
    if (!next) {                                                                                   \
        void *address = dlsym(RTLD_NEXT, #function);                                               \
        memcpy(&next, &address, sizeof next);                                                      \
    }

int __libc_start_main(int (*main)(int, char **, char **), int count, char **words,
                      void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
                      void *stack_end)
{
    NEXT(__libc_start_main)
    real_main = main;
    return next(counted_main, count, words, init, fini, rtld_fini, stack_end);
}

/* Defines the function of this name: what comes before it, then the next function, or a failure. */
#define CALL(type, name, parameters, arguments, before, kind, number, failure)                     \
    type name parameters                                                                           \
    {                                                                                              \
        NEXT(name)                                                                                 \
        before;                                                                                    \
        if (!fails(kind)) return next arguments;                                                   \
        errno = number;                                                                            \
        return failure;                                                                            \
    }

#define ALLOCATION(name, parameters, arguments)                                                    \
    void *name parameters                                                                          \
    {                                                                                              \
        if (!fails(KIND_MALLOC)) return __libc_##name arguments;                                   \
        errno = ENOMEM;                                                                            \
        return NULL;                                                                               \
    }

ALLOCATION(malloc, (size_t size), (size))
ALLOCATION(calloc, (size_t count, size_t size), (count, size))
ALLOCATION(realloc, (void *pointer, size_t size), (pointer, size))

/* Called before a write: from the chosen one on, every flush of this file meets a full disk. */
static void before_write(FILE *stream)
{
    if (stream == stderr || !fails(KIND_WRITE) || full_disk < 0) return;
    dup2(full_disk, fileno(stream));
}

CALL(size_t, fwrite, (const void *bytes, size_t size, size_t count, FILE *stream),
     (bytes, size, count, stream), before_write(stream), KIND_NONE, 0, 0)
CALL(int, fputs, (const char *text, FILE *stream), (text, stream), before_write(stream), KIND_NONE,
     0, EOF)
CALL(int, fputc, (int character, FILE *stream), (character, stream), before_write(stream),
     KIND_NONE, 0, EOF)

int fprintf(FILE *stream, const char *format, ...)
{
    va_list arguments;
    before_write(stream);
    va_start(arguments, format);
    const int length = vfprintf(stream, format, arguments);
    va_end(arguments);
    return length;
}

/* Writes the first half of this FILE's buffer, as an interrupted write would. */
static void tear(FILE *stream)
{
    const size_t waiting = (size_t)(stream->_IO_write_ptr - stream->_IO_write_base);
    if (waiting == 0 || !fails(KIND_TEAR)) return;
    if (write(fileno(stream), stream->_IO_write_base, waiting / 2) < 0) _exit(97);
    die();
}

static int is_talk(FILE *stream)
{
    return !stream || stream == stdout || stream == stderr;
}

int fflush(FILE *stream)
{
    NEXT(fflush)
    if (!is_talk(stream)) step();
    if (!is_talk(stream)) tear(stream);
    return next(stream);
}

int fclose(FILE *stream)
{
    NEXT(fclose)
    if (!is_talk(stream)) step();
    if (!is_talk(stream)) tear(stream);
    const int failed = fails(KIND_FCLOSE), result = next(stream);
    if (!failed) return result;
    errno = EIO;
    return EOF;
}

CALL(FILE *, fopen, (const char *path, const char *mode), (path, mode), if (*mode != 'r') step(),
     KIND_FOPEN, EMFILE, NULL)
CALL(DIR *, opendir, (const char *path), (path), (void)0, KIND_OPENDIR, EMFILE, NULL)
CALL(int, rename, (const char *from, const char *to), (from, to), step(), KIND_RENAME, EIO, -1)
CALL(int, fsync, (int file), (file), step(), KIND_FSYNC, EIO, -1)
CALL(int, mkdir, (const char *path, mode_t mode), (path, mode), step(), KIND_MKDIR, ENOSPC, -1)
CALL(int, unlink, (const char *path), (path), step(), KIND_UNLINK, EACCES, -1)
CALL(int, rmdir, (const char *path), (path), step(), KIND_NONE, 0, -1)
CALL(int, truncate, (const char *path, off_t length), (path, length), step(), KIND_TRUNCATE, EIO,
     -1)
