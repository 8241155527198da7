#include "stages.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "annotate.h"
#include "message.h"

static const char epoch[] = "epoch_ns";

uint64_t stage_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t stage_epoch_ns(const struct run *run)
{
    const char *fact = run_fact(run, epoch);
    return fact ? strtoull(fact, NULL, 10) : 0;
}

int stage_begin(struct stage *stage, struct run *run, const char *name, const struct selected *first)
{
    *stage = (struct stage){.run = run, .name = name, .family = first ? first->family->name : NULL, .begin_ns = stage_clock_ns()};
    if (first) shape_text(&first->point.shape, stage->size);
    annotate_stage(name, first ? first->family : NULL, first ? &first->point.shape : NULL);
    if (!run || run_fact(run, epoch)) return 0;
    return run_fact_set(run, epoch, "%llu", (unsigned long long)stage->begin_ns);
}

static int write_row(const struct stage *stage)
{
    const uint64_t start = stage_epoch_ns(stage->run), end = stage_clock_ns();
    struct csv_writer *writer = run_writer(stage->run, TABLE_STAGES);
    if (!writer) return FAIL_OUTPUT;
    if (stage->begin_ns < start || end < stage->begin_ns) {
        warning("the system's clock was set back: the stage '%s' is not in stages.csv", stage->name);
        return 0;
    }
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
    annotate_end();
    return result || !stage->run ? result : write_row(stage);
}

int stage_work(const char *name, int (*work)(struct run *run), struct run *run)
{
    struct stage stage;
    int result = stage_begin(&stage, NULL, name, NULL);
    if (!result) result = work(run);
    return stage_end(&stage, result);
}
