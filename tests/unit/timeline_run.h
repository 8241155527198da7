/*
 * Makes a small run on a time axis, for the tests of the timeline, and prints its timeline to
 * trace.json in the scratch directory. Nothing is owned.
 */
#ifndef TESTS_UNIT_TIMELINE_RUN_H
#define TESTS_UNIT_TIMELINE_RUN_H

#include "report/timeline.h"
#include "trace_check.h"

static const char stages[] = "measure,f,1024,0,5000\nmeasure,g,2x2,6000,9000\nceilings,,,10001,"
                             "20001\nmeasure,h,8,21000,22000\ntimeline,f,1024,30000,90000\n"
                             "timeline,g,2x2,91000,95000\n";
#define NOT_RECORDED                                                                               \
    "absent: kernels are not recorded while they are sampled: that would change their code"

/* The first trace has two kernels each time. The second has samples of about 2 us each, from before
 * the kernel to after it. */
static const char traces[] =
    "0,f,01_a,1024,256,0,kernels,31000,40000,2,,,ok,absent: not asked "
    "for\n1,f,02_b,1024,256,4,timeline,50000,80000,1,2000,time," NOT_RECORDED ",ok\n"
    "2,g,01_c,2x2,1,0,kernels,92000,94000,1,,,ok,absent: not asked for\n";
static const char activities[] =
    "0,0,0,f_a,1002,2002,4,2,1,256,1,1,32,128,0,7\n0,0,1,f_sum,2002,2502,1,1,1,256,1,1,16,0,64,7\n"
    "0,1,0,f_a,5000,6000,4,2,1,256,1,1,32,128,0,7\n0,1,1,f_sum,6100,6500,1,1,1,256,1,1,16,0,64,7\n"
    "2,0,0,g_c,100,1900,1,1,1,1,1,1,8,0,0,7\n";
static const char samples[] =
    "1,0,1000,3000,read,0\n1,1,3000,5000,read,1000\n1,2,5000,7032,read,4000\n1,3,7032,9000,read,0\n"
    "1,0,1000,3000,clock,\n1,1,3000,5000,clock,3000\n1,2,5000,7032,clock,3333\n1,3,7032,9000,clock,"
    "3600\n"
    "1,0,1000,3000,resident_warps,0\n1,1,3000,5000,resident_warps,0.5\n1,2,5000,7032,resident_"
    "warps,8\n1,3,7032,9000,resident_warps,0\n";

#define TRACKS(read_shows)                                                                         \
    "track read\n    set     one\n    from    a.sum\n    shows   " read_shows                      \
    "\n    unit    GB/s\n    title   Read\n    means   Read.\n"                                    \
    "track clock\n    set     one\n    from    b.max\n    shows   1000 * value / ns\n    unit    " \
    "MHz\n    title   Clock\n    means   Clock.\n"                                                 \
    "track resident_warps\n    set     one\n    from    c.avg\n    shows   value\n    unit    "    \
    "warps\n    title   Warps\n    means   Warps.\n"

static void add_figures(const char *run)
{
    char name[128];
    snprintf(name, sizeof name, "%s/metrics.csv", run);
    write_text(name, "family,variant,size,block,sweep,best,time_ns,effective_gbs,tflops,dram_"
                     "gbs\nf,01_a,1024,256,0,1,1500,2.5,9,\nf,02_b,1024,256,4,1,1000,,9,0\n"
                     "g,01_c,2x2,1,0,1,1700,8,0.25,\n");
    write_table(run, TABLE_STEPS, "f,02_b,1024,256,4,01_a,1.5,1.4,1.6,1.5,1.4,1.6,0.5,faster\n");
}

static void make_timeline(const char *run)
{
    make_run(run);
    make_data(TRACKS("value / ns"));
    write_table(run, TABLE_FAMILIES, "g,G,,,operations\nf,F,,,bytes\n");
    write_variants(run,
                   "f,01_a,1,First of all,,kernel\nf,02_b,2,Second,01_a,kernel\ng,01_c,1,\"Say "
                   "\"\"c\"\" \\ </script>\",,kernel\n");
    write_table(run, TABLE_STAGES, stages);
    write_table(run, TABLE_TRACES, traces);
    write_table(run, TABLE_ACTIVITIES, activities);
    write_table(run, TABLE_TRACE_SAMPLES, samples);
    add_figures(run);
}

static int attempt_with(const char *run, struct timeline_options options)
{
    struct run opened;
    FILE *file = fopen(place("trace.json"), "w");
    assert_non_null(file);
    int result = run_open(&opened, place(run));
    if (!result) {
        result = timeline_print(&opened, &options, file);
        run_close(&opened);
    }
    fclose(file);
    return result;
}

static int attempt(const char *run)
{
    return attempt_with(run, (struct timeline_options){.patterns = NULL});
}

UNUSED_IS_FINE static const char *trace(void)
{
    const char *json = read_text("trace.json");
    const char *fault = trace_fault(json);
    if (*fault) fail_msg("%s in: %s", fault, json);
    return json;
}

#define HOST(name, cat, ts, dur, args)                                                             \
    "{\"name\":\"" name "\",\"cat\":\"" cat "\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":" ts       \
    ",\"dur\":" dur ",\"args\":" args "},\n"
#define UNIT(stage, family, size)                                                                  \
    "{\"stage\":\"" stage "\",\"family\":\"" family "\",\"size\":\"" size "\"}"

#define COUNTER(name, unit, ts, value)                                                             \
    "{\"name\":\"" name ",\",\"ph\":\"C\",\"pid\":3,\"tid\":31,\"ts\":" ts ",\"args\":{\"" unit    \
    "\":" value "}},\n"

#endif
