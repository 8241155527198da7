#include "injected/part_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_PROCESSES = 1 << 16, WAITING_BYTES = 1 << 16, MOST_PROBLEMS = 64 };

static const struct {
    const char *name, *header;
} layouts[PART_FILE_COUNT] = {
    [PART_PROCESS] = {"process.txt", ""},
    [PART_KERNELS] = {"kernels.csv",
                      "kernel,symbol,device,grid_x,grid_y,grid_z,block_x,block_y,block_z,"
                      "dynamic_shared,static_shared,registers,local_bytes,max_block_threads,"
                      "blocks_per_sm,range,cubin,graph\n"},
    [PART_LAUNCHES] = {"launches.csv", "kernel,ordinal,begin_ns,end_ns,stream\n"},
    [PART_SAMPLES] = {"samples.csv", "symbol,cubin,pc,reason,samples,not_issued\n"},
    [PART_TOTALS] = {"totals.csv", "name,value\n"},
    [PART_COUNTERS] = {"counters.csv", "kernel,metric,value\n"},
    [PART_COUNTS] = {"counts.csv",
                     "kernel,symbol,pc,executed,threads,threads_on,branches_uniform,"
                     "branches_divergent,shared_wavefronts,shared_ideal,global_sectors,"
                     "global_ideal,local_sectors\n"},
    [PART_KNOCKOUTS] = {"knockouts.csv",
                        "kernel,what,knockout,status,samples,time_ns,saved_ns,low_ns,high_ns\n"},
    [PART_PROBLEMS] = {"problems.csv", "what,kernel,reason\n"},
};

/* The rows of a file that wait. A memory stream has no descriptor that could be closed. */
struct waiting {
    struct csv_writer writer;
    char *bytes;
    size_t length;
    int begun;   /* the header is in the file or among the rows */
    int written; /* the file has rows */
};

static char start_directory[3072], directory[sizeof start_directory + 16];
static struct waiting waiting[PART_FILE_COUNT];
static char *problem[MOST_PROBLEMS];
static int problem_count;

/* Returns 1 if a file may be that large: a write beyond the limit would end the program by SIGXFSZ.
 */
static int may_reach(off_t size)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY) return 1;
    if ((rlim_t)size <= limit.rlim_cur) return 1;
    errno = EFBIG;
    return 0;
}

/* Leaves the number of the error by which a write failed where there is room for it. */
static void tell_unwritten(int reason)
{
    char path[sizeof directory + 64], text[16];
    snprintf(path, sizeof path, "%s/" UNWRITTEN_FILE, start_directory);
    const int length = snprintf(text, sizeof text, "%d\n", reason);
    const int file = may_reach(length) ? open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC) : -1;
    if (file < 0) return;
    while (write(file, text, (size_t)length) < 0 && errno == EINTR) continue;
    close(file);
}

int part_open(const char *watch_directory, const int *numbers, int count, int next)
{
    if (strlen(watch_directory) >= sizeof start_directory) return -1;
    strcpy(start_directory, watch_directory);
    for (int i = 0; i < MOST_PROCESSES; i++) {
        const int number = i < count ? numbers[i] : next + i - count;
        snprintf(directory, sizeof directory, "%s/%d", watch_directory, number);
        if (!mkdir(directory, 0777)) return number;
        if (errno == EEXIST) continue;
        tell_unwritten(errno);
        return -1;
    }
    return -1;
}

/* Writes all bytes. Returns 1, or 0 with errno set. */
static int write_all(int file, const char *bytes, size_t count)
{
    while (count > 0) {
        const ssize_t written = write(file, bytes, count);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return 0;
        bytes += written;
        count -= (size_t)written;
    }
    return 1;
}

/* Appends to a file of the process. Returns 1, or 0 with errno set if it cannot be written: the
 * file is as before then, so that later rows do not continue half a row. */
static int append(const char *name, const void *bytes, size_t count, int flags)
{
    char path[sizeof directory + 64];
    struct stat before;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    const int file =
        open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC | flags, 0666);
    int reason =
        file < 0 || fstat(file, &before) || !may_reach(before.st_size + (off_t)count) ? errno : 0;
    if (!reason && !write_all(file, bytes, count)) {
        reason = errno;
        if (ftruncate(file, before.st_size)) reason = errno;
    }
    if (file >= 0 && close(file) && !reason) reason = errno;
    if (reason && reason != EEXIST) tell_unwritten(reason);
    errno = reason;
    return reason == 0;
}

/* Rows that cannot be written are dropped, except the few of problems.csv. */
static void write_waiting(enum part_file file)
{
    struct waiting *rows = &waiting[file];
    if (!rows->writer.file || fflush(rows->writer.file) || rows->length == 0) return;
    if (append(layouts[file].name, rows->bytes, rows->length, 0))
        rows->written = 1;
    else if (file == PART_PROBLEMS)
        return;
    rows->begun = rows->written;
    rewind(rows->writer.file);
    fflush(rows->writer.file);
    rows->length = 0;
}

struct csv_writer *part_row(enum part_file file)
{
    struct waiting *rows = &waiting[file];
    if (!rows->writer.file) rows->writer.file = open_memstream(&rows->bytes, &rows->length);
    if (!rows->writer.file) return NULL;
    if (!rows->begun) fputs(layouts[file].header, rows->writer.file);
    rows->begun = 1;
    return &rows->writer;
}

void part_row_end(struct csv_writer *writer)
{
    csv_end(writer);
    const long length = ftell(writer->file);
    for (enum part_file file = 0; file < PART_FILE_COUNT; file++)
        if (writer == &waiting[file].writer && length >= WAITING_BYTES) write_waiting(file);
}

void part_fact(const char *key, const char *value)
{
    char *line = text_new("%s: %s\n", key, value);
    if (line) append(layouts[PART_PROCESS].name, line, strlen(line), 0);
    free(line);
}

void part_problem(const char *what, int kernel, const char *reason)
{
    char *line = text_new("%s,%d,%s", what, kernel, reason);
    int i = 0;
    while (line && i < problem_count && strcmp(problem[i], line)) i++;
    struct csv_writer *writer =
        line && i == problem_count && i < MOST_PROBLEMS ? part_row(PART_PROBLEMS) : NULL;
    if (!writer) {
        free(line);
        return;
    }
    problem[problem_count++] = line;
    csv_text(writer, what);
    if (kernel < 0)
        csv_text(writer, NULL);
    else
        csv_integer(writer, kernel);
    csv_text(writer, reason);
    csv_end(writer);
    write_waiting(PART_PROBLEMS);
}

void part_cubin(uint64_t crc, const void *cubin, size_t bytes)
{
    char path[sizeof directory + 64], name[64];
    snprintf(path, sizeof path, "%s/cubins", directory);
    mkdir(path, 0777);
    snprintf(name, sizeof name, "cubins/%" PRIx64 ".cubin", crc);
    if (!append(name, cubin, bytes, O_EXCL) && errno != EEXIST)
        part_problem("cubins", -1, "the machine code cannot be written");
}

int part_replace(const char *path, const void *bytes, size_t count)
{
    char fresh[sizeof(struct path) + 8];
    snprintf(fresh, sizeof fresh, "%s.new", path);
    const int file = may_reach((off_t)count)
                         ? open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666)
                         : -1;
    int reason = file < 0 || !write_all(file, bytes, count) ? errno : 0;
    if (file >= 0 && close(file) && !reason) reason = errno;
    if (!reason && rename(fresh, path)) reason = errno;
    if (!reason) return 1;
    unlink(fresh);
    tell_unwritten(reason);
    errno = reason;
    return 0;
}

int part_lock(const char *name, int operation)
{
    char path[sizeof directory + 64];
    snprintf(path, sizeof path, "%s/%s", start_directory, name);
    const int file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file < 0) return -1;
    while (flock(file, operation)) {
        const int reason = errno;
        if (reason == EINTR) continue;
        close(file);
        errno = reason;
        return -1;
    }
    return file;
}

void part_flush(void)
{
    for (enum part_file file = 0; file < PART_FILE_COUNT; file++) write_waiting(file);
}

char *part_escaped(const char *text)
{
    static const char special[] = "\t\n\\", letter[] = "tn\\";
    char *escaped = malloc(2 * strlen(text) + 1), *to = escaped;
    for (; escaped && *text; text++) {
        const char *found = strchr(special, *text);
        if (found) *to++ = '\\';
        const int is_control = (unsigned char)*text < ' ' || *text == 0x7f;
        *to++ = found ? letter[found - special] : is_control ? '?' : *text;
    }
    if (escaped) *to = 0;
    return escaped;
}
