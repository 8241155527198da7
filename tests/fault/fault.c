/*
 * Makes the n-th call of one kind fail in the program that is started with this library in LD_PRELOAD, and in no program that it starts itself.
 *
 *   FAULT=KIND:N    the N-th call of that kind fails, N from 1; 0: none
 *   FAULT=KIND:N+   it and all after it
 *   FAULT_COUNT=FILE  at the end, the number of calls is written here
 *
 * Kinds: malloc (malloc, calloc and realloc, also of libraries), fopen, write (of a FILE: its file turns into a full disk), fclose, rename,
 * fsync, mkdir, opendir. Nothing is owned.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum kind { KIND_NONE, KIND_MALLOC, KIND_FOPEN, KIND_WRITE, KIND_FCLOSE, KIND_RENAME, KIND_FSYNC, KIND_MKDIR, KIND_OPENDIR };

static const char *const names[] = {"", "malloc", "fopen", "write", "fclose", "rename", "fsync", "mkdir", "opendir"};

static enum kind kind;
static long at, calls;
static int for_good, full_disk = -1;
static char count_path[512];

/* Of glibc: what lies below malloc, so that none of these needs dlsym, which may allocate; and what calls main. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *pointer, size_t size);
int __libc_start_main(int (*main)(int, char **, char **), int count, char **words, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end);

static int (*real_main)(int, char **, char **);

static void end(void)
{
    char text[32];
    kind = KIND_NONE;
    if (!*count_path) return;
    const int file = open(count_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int length = snprintf(text, sizeof text, "%ld\n", calls);
    if (file < 0 || write(file, text, (size_t)length) != length) _exit(99);
    close(file);
}

/* Calls count from main to exit: what libraries do before and after is not the program's. */
static int counted_main(int count, char **words, char **environment)
{
    const char *told = getenv("FAULT"), *path = getenv("FAULT_COUNT");
    const size_t length = told ? strcspn(told, ":") : 0;
    enum kind found = KIND_NONE;
    for (size_t i = 1; i < sizeof names / sizeof *names; i++)
        if (told && strlen(names[i]) == length && !strncmp(names[i], told, length)) found = (enum kind)i;
    if (told && told[length]) {
        char *rest;
        at = strtol(told + length + 1, &rest, 10);
        for_good = *rest == '+';
    }
    if (path) snprintf(count_path, sizeof count_path, "%s", path);
    full_disk = open("/dev/full", O_WRONLY | O_CLOEXEC);
    unsetenv("FAULT");
    unsetenv("FAULT_COUNT");
    unsetenv("LD_PRELOAD");
    atexit(end);
    kind = found;
    return real_main(count, words, environment);
}

static int fails(enum kind call)
{
    if (call != kind) return 0;
    calls++;
    return at > 0 && (calls == at || (for_good && calls > at));
}

/* The next function of this name, as a pointer to a function: ISO C has no conversion, so it is copied. */
#define NEXT(function)                                                                                                                     \
    static __typeof__(function) *next;                                                                                                     \
    if (!next) {                                                                                                                           \
        void *address = dlsym(RTLD_NEXT, #function);                                                                                       \
        memcpy(&next, &address, sizeof next);                                                                                              \
    }

int __libc_start_main(int (*main)(int, char **, char **), int count, char **words, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end)
{
    NEXT(__libc_start_main)
    real_main = main;
    return next(counted_main, count, words, init, fini, rtld_fini, stack_end);
}

void *malloc(size_t size)
{
    if (!fails(KIND_MALLOC)) return __libc_malloc(size);
    errno = ENOMEM;
    return NULL;
}

void *calloc(size_t count, size_t size)
{
    if (!fails(KIND_MALLOC)) return __libc_calloc(count, size);
    errno = ENOMEM;
    return NULL;
}

void *realloc(void *pointer, size_t size)
{
    if (!fails(KIND_MALLOC)) return __libc_realloc(pointer, size);
    errno = ENOMEM;
    return NULL;
}

FILE *fopen(const char *path, const char *mode)
{
    NEXT(fopen)
    if (!fails(KIND_FOPEN)) return next(path, mode);
    errno = EMFILE;
    return NULL;
}

/* Before a write: from the chosen one on, whatever is flushed to this file meets a full disk. */
static void before_write(FILE *stream)
{
    if (stream == stderr || !fails(KIND_WRITE) || full_disk < 0) return;
    dup2(full_disk, fileno(stream));
}

size_t fwrite(const void *bytes, size_t size, size_t count, FILE *stream)
{
    NEXT(fwrite)
    before_write(stream);
    return next(bytes, size, count, stream);
}

int fputs(const char *text, FILE *stream)
{
    NEXT(fputs)
    before_write(stream);
    return next(text, stream);
}

int fputc(int character, FILE *stream)
{
    NEXT(fputc)
    before_write(stream);
    return next(character, stream);
}

int fprintf(FILE *stream, const char *format, ...)
{
    va_list arguments;
    before_write(stream);
    va_start(arguments, format);
    const int length = vfprintf(stream, format, arguments);
    va_end(arguments);
    return length;
}

int fclose(FILE *stream)
{
    NEXT(fclose)
    const int failed = fails(KIND_FCLOSE), result = next(stream);
    if (!failed) return result;
    errno = EIO;
    return EOF;
}

int rename(const char *from, const char *to)
{
    NEXT(rename)
    if (!fails(KIND_RENAME)) return next(from, to);
    errno = EIO;
    return -1;
}

int fsync(int file)
{
    NEXT(fsync)
    if (!fails(KIND_FSYNC)) return next(file);
    errno = EIO;
    return -1;
}

int mkdir(const char *path, mode_t mode)
{
    NEXT(mkdir)
    if (!fails(KIND_MKDIR)) return next(path, mode);
    errno = ENOSPC;
    return -1;
}

DIR *opendir(const char *path)
{
    NEXT(opendir)
    if (!fails(KIND_OPENDIR)) return next(path);
    errno = EMFILE;
    return NULL;
}
