#include "run/run_stages.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/message.h"
#include "run/nvtx.h"

static const char epoch[] = "epoch_ns";

static uint64_t read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* What the even clock lacks to the system's, as that was when it was first asked; 0 before. Of
 * the process, as clocks are. */
static uint64_t offset_ns;

/* By how much it was moved on since. */
static uint64_t moved_ns;

uint64_t stage_clock_ns(void)
{
    const uint64_t even = read_clock(CLOCK_MONOTONIC);
    if (!offset_ns) offset_ns = read_clock(CLOCK_REALTIME) - even;
    return even + offset_ns;
}

/* Moves the clock on where it is not yet there. */
static void not_before(uint64_t ns)
{
    const uint64_t now = stage_clock_ns();
    if (now >= ns) return;
    offset_ns += ns - now;
    moved_ns += ns - now;
}

uint64_t stage_clock_of(uint64_t system_ns)
{
    return system_ns + moved_ns;
}

uint64_t stage_epoch_ns(const struct run *run)
{
    const char *fact = run_fact(run, epoch);
    return fact ? strtoull(fact, NULL, 10) : 0;
}

/* The end of the last stage that the file names, ns since the run began; 0 without any. */
static int last_end(const char *path, uint64_t *ns)
{
    enum { END = 4 /* column of stages.csv */ };
    struct csv_reader reader;
    *ns = 0;
    if (access(path, F_OK)) return 0;
    int more = csv_open(&reader, path);
    if (more) return more;
    while ((more = csv_next(&reader)) > 0) {
        const uint64_t end =
            reader.count > END ? strtoull(reader.cell[END], NULL, 10) : 0; /* the header: 0 */
        if (end > *ns) *ns = end;
    }
    csv_close(&reader);
    return more;
}

/* A run that is gone on with: its clock must not lie behind what it wrote, even when the
 * system's was set back meanwhile. */
static int go_on(struct run *run)
{
    uint64_t ns;
    if (run->writer[TABLE_STAGES].file) return 0;
    char *path = run_file(run, "stages.csv");
    const int result = path ? last_end(path, &ns) : FAIL_OUTPUT;
    if (!result) not_before(stage_epoch_ns(run) + ns);
    free(path);
    return result;
}

int stage_begin(struct stage *stage, struct run *run, const char *name,
                const struct selected *first)
{
    int result = run && run_fact(run, epoch) ? go_on(run) : 0;
    *stage = (struct stage){.run = run,
                            .name = name,
                            .family = first ? first->family->name : NULL,
                            .begin_ns = stage_clock_ns()};
    if (first) shape_text(&first->point.shape, stage->size);
    nvtx_stage(name, first ? first->family : NULL, first ? &first->point.shape : NULL);
    if (!result && run && !run_fact(run, epoch))
        result = run_fact_set(run, epoch, "%llu", (unsigned long long)stage->begin_ns);
    return result;
}

static int write_row(const struct stage *stage)
{
    const uint64_t start = stage_epoch_ns(stage->run), end = stage_clock_ns();
    struct csv_writer *writer = run_writer(stage->run, TABLE_STAGES);
    if (!writer) return FAIL_OUTPUT;
    csv_text(writer, stage->name);
    csv_text(writer, stage->family);
    csv_text(writer, stage->size);
    csv_integer(writer, (int64_t)(stage->begin_ns - start));
    csv_integer(writer, (int64_t)(end - start));
    csv_end(writer);
    return 0;
}

int stage_end(struct stage *stage, int result)
{
    nvtx_end();
    return result || !stage->run ? result : write_row(stage);
}

int stage_work(const char *name, int (*work)(struct run *run), struct run *run)
{
    struct stage stage;
    int result = stage_begin(&stage, NULL, name, NULL);
    if (!result) result = work(run);
    return stage_end(&stage, result);
}
