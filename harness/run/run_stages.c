#include "run/run_stages.h"

#include <stdlib.h>
#include <time.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "run/nvtx.h"

static const char epoch[] = "epoch_ns";

static uint64_t read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The steady clock's distance from the system's clock when it was first read; 0 before. */
static uint64_t offset_ns;

/* How far the steady clock was advanced since, for a resumed run. */
static uint64_t advanced_ns;

uint64_t stage_clock_ns(void)
{
    const uint64_t steady = read_clock(CLOCK_MONOTONIC);
    if (!offset_ns) offset_ns = read_clock(CLOCK_REALTIME) - steady;
    return steady + offset_ns;
}

uint64_t stage_clock_of(uint64_t system_ns)
{
    return system_ns + advanced_ns;
}

uint64_t stage_epoch_ns(const struct run *run)
{
    const char *fact = run_fact(run, epoch);
    return fact ? strtoull(fact, NULL, 10) : 0;
}

static int keep_end(void *last_ns, const struct csv_reader *row)
{
    enum { END = 4 /* column of stages.csv */ };
    const uint64_t end = row->count > END ? strtoull(row->cell[END], NULL, 10) : 0;
    if (end > *(uint64_t *)last_ns) *(uint64_t *)last_ns = end;
    return 0;
}

/* Advances the clock of a resumed run behind the stages that it has, even if the system's clock was
 * set back meanwhile. */
static int resume_clock(struct run *run)
{
    uint64_t last_ns = 0;
    if (run->writer[TABLE_STAGES].file) return 0;
    const struct path path = path_in(run->directory, "stages.csv");
    const int result = file_exists(path.at) ? csv_each(path.at, keep_end, &last_ns) : 0;
    const uint64_t now = stage_clock_ns(), least = stage_epoch_ns(run) + last_ns;
    if (!result && now < least) {
        offset_ns += least - now;
        advanced_ns += least - now;
    }
    return result;
}

int stage_begin(struct stage *stage, struct run *run, const char *name,
                const struct selected *first)
{
    int result = run && run_fact(run, epoch) ? resume_clock(run) : 0;
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
    CSV_TEXTS(writer, stage->name, stage->family, stage->size);
    CSV_INTEGERS(writer, (int64_t)(stage->begin_ns - start), (int64_t)(end - start));
    csv_end(writer);
    return 0;
}

int stage_end(struct stage *stage, int result)
{
    nvtx_end();
    return result || !stage->run ? result : write_row(stage);
}
