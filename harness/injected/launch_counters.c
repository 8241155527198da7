/*
 * Reads the counters of single launches with CUPTI's range profiler and writes counters.csv. CUPTI
 * needs several passes for them. Each launch is profiled in one, so that nothing is replayed, and
 * memory, caches and results are the program's own; or, if the plan says so, CUPTI saves memory and
 * replays the launch in all of them. A kernel has a counter-data image, which takes one pass after
 * another and has the values once all have come.
 *
 * Found by experiment with CUPTI 13.0:
 *   - A session that is started before a launch and stopped after it holds exactly this launch.
 *     Launches of other threads wait in their callbacks meanwhile, unless they left them just
 *     before.
 *   - A profiler takes the passes in turn. The first call of SetConfig says with which pass it
 *     begins; later calls change the image only. Stop says which pass is next. After the last pass
 *     come the first one and a new round, whose data do not join those of the round before in an
 *     image, and CUPTI reports no error. A renewed profiler begins the same round again.
 *   - The passes of an image may come from several profilers and processes.
 *   - The first start of a session takes 0.2 s, that of a renewed profiler 0.1 s, others 3 ms.
 *   - A profiler that has profiled holds the counters of its device until it is disabled. It can be
 *     renewed in the callback at the end of a launch, but not at its beginning.
 *   - To initialise an image for a profiler that was not asked for its size crashes.
 *   - A replay loses launches of graphs while its session is on, without an error: a graph is never
 *     launched then, because its callback waits.
 *   - A range that is pushed and popped in the callbacks (UserRange) joins in each round, but its
 *     time is 25 to 60 us too long.
 *
 * So the pass of a launch cannot be chosen. If its kernel has had this pass, the launch is left
 * alone, as long as other kernels lack the pass. Otherwise it is profiled into a spare image, to
 * move on. One process is profiled in each start, and one context of a device at a time.
 */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "cupti/counter_config.h"
#include "injected/counter_images.h"
#include "injected/part_files.h"
#include "injected/watch.h"

struct profiled_context {
    CUcontext context; /* NULL: unused */
    uint32_t device;
    CUpti_RangeProfiler_Object *profiler;
    CUpti_Profiler_Host_Object *host;
    uint8_t *config, *spare; /* spare: an image whose data are not used */
    size_t config_size, image_size;
    struct counter_image *image; /* to which the profiler points, or NULL: to the spare one */
    int next_pass;               /* of the profiler, or -1 as long as it may be chosen */
    int left_alone;              /* launches since the last that was profiled */
};

static struct profiled_context contexts[MOST_CONTEXTS];
static struct counter_image *images; /* of each kernel of the plan */
static int is_off;                   /* after a failure that would repeat itself */

static int initialise(void)
{
    static int done;
    CUPTI_PARAMS(CUpti_Profiler_Initialize_Params, initialize, .pPriv = NULL);
    if (done) return done > 0;
    images = calloc((size_t)watch.plan.kernel_count + 1, sizeof *images);
    if (!images) part_problem("counters", -1, "memory is short");
    done = images && WATCH_OK(cuptiProfilerInitialize(&initialize), "counters", -1) ? 1 : -1;
    return done > 0;
}

static struct profiled_context *find_context(CUcontext context)
{
    for (int i = 0; i < MOST_CONTEXTS; i++)
        if (contexts[i].context == context) return &contexts[i];
    return NULL;
}

/* Asks a profiler for the size of images, which is the same for all of them. */
static int size_images(struct profiled_context *profiled)
{
    CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params, image,
                 .pRangeProfilerObject = profiled->profiler, .pMetricNames = watch.plan.metric,
                 .numMetrics = watch.plan.metric_count, .maxNumOfRanges = 1,
                 .maxNumRangeTreeNodes = 1);
    if (!WATCH_OK(cuptiRangeProfilerGetCounterDataSize(&image), "counters", -1)) return 0;
    profiled->image_size = image.counterDataSize;
    return 1;
}

/* Plans the counters for the chip of the context. */
static int configure(struct profiled_context *profiled)
{
    const struct watch_plan *plan = &watch.plan;
    CUPTI_PARAMS(CUpti_Device_GetChipName_Params, chip, .deviceIndex = profiled->device);
    if (!WATCH_OK(cuptiDeviceGetChipName(&chip), "counters", -1)) return 0;
    char reason[REASON_BYTES] = "";
    int passes = 0;
    profiled->host =
        cupti_host_open(&linked_cupti, chip.pChipName, CUPTI_PROFILER_TYPE_RANGE_PROFILER, reason);
    if (profiled->host)
        profiled->config =
            cupti_config_make(&linked_cupti, profiled->host, plan->metric, plan->metric_count,
                              &profiled->config_size, &passes, reason);
    if (!profiled->config) part_problem("counters", -1, reason);
    if (!profiled->config || !size_images(profiled)) return 0;
    if (passes == plan->passes) return 1;
    part_problem("counters", -1,
                 "the program's CUPTI divides the counters into other passes than that of whyfast");
    return 0;
}

static struct profiled_context *open_context(CUcontext context, uint32_t device)
{
    struct profiled_context *profiled = find_context(NULL);
    CUPTI_PARAMS(CUpti_RangeProfiler_Enable_Params, enable, .ctx = context);
    if (!profiled) part_problem("counters", -1, "the program has too many contexts");
    if (!profiled || !initialise() || !WATCH_OK(cuptiRangeProfilerEnable(&enable), "counters", -1))
        return NULL;
    *profiled = (struct profiled_context){.context = context,
                                          .device = device,
                                          .profiler = enable.pRangeProfilerObject,
                                          .next_pass = -1};
    return configure(profiled) ? profiled : NULL;
}

/* Returns the profiler of a context; NULL after a failure, or if another context has the counters
 * of the device. */
static struct profiled_context *take_context(CUcontext context)
{
    struct profiled_context *profiled = find_context(context);
    uint32_t device = 0;
    if (is_off || profiled) return is_off ? NULL : profiled;
    is_off = !WATCH_OK(cuptiGetDeviceId(context, &device), "counters", -1);
    for (int i = 0; i < MOST_CONTEXTS; i++)
        if (contexts[i].context && contexts[i].device == device) return NULL;
    if (!is_off) profiled = open_context(context, device);
    is_off |= !profiled;
    return profiled;
}

static int is_in_use(const struct counter_image *image)
{
    for (int i = 0; i < MOST_CONTEXTS; i++)
        if (contexts[i].image == image) return 1;
    return 0;
}

/* Remembers to which image a profiler points; NULL: to none. An image that is finished is freed
 * once no profiler points to it. */
static void point_to(struct profiled_context *profiled, struct counter_image *image)
{
    struct counter_image *last = profiled->image;
    profiled->image = image;
    if (last && last->is_finished && !is_in_use(last)) image_free(last);
}

static int initialise_image(const struct profiled_context *profiled, uint8_t *data, int kernel)
{
    CUPTI_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, empty,
                 .pRangeProfilerObject = profiled->profiler, .pCounterData = data,
                 .counterDataSize = profiled->image_size);
    return WATCH_OK(cuptiRangeProfilerCounterDataImageInitialize(&empty), "counters", kernel);
}

/* Returns the image of a kernel, or NULL with a problem. */
static struct counter_image *open_image(const struct profiled_context *profiled, int kernel)
{
    struct counter_image *image = &images[kernel];
    if (image->bytes || image->is_finished) return image;
    const int found = image_open(image, &watch.plan, kernel, profiled->image_size);
    if (found) return found > 0 ? image : NULL;
    if (initialise_image(profiled, image_data(image), kernel)) return image;
    image_free(image);
    return NULL;
}

/* Returns the data of the spare image, which is empty again, or NULL with a problem. */
static uint8_t *open_spare(struct profiled_context *profiled)
{
    if (!profiled->spare) profiled->spare = calloc(1, profiled->image_size);
    if (!profiled->spare) part_problem("counters", -1, "memory is short");
    return profiled->spare && initialise_image(profiled, profiled->spare, -1) ? profiled->spare
                                                                              : NULL;
}

/* Lets the profiler collect its next pass into an image; NULL: into the spare one. */
static int start(struct profiled_context *profiled, struct counter_image *image)
{
    uint8_t *data = image ? image_data(image) : open_spare(profiled);
    if (profiled->next_pass < 0 && image) profiled->next_pass = image_lacks(image);
    const int replays = watch.plan.replays;
    CUPTI_PARAMS(
        CUpti_RangeProfiler_SetConfig_Params, config, .pRangeProfilerObject = profiled->profiler,
        .configSize = profiled->config_size, .pConfig = profiled->config, .pCounterDataImage = data,
        .counterDataImageSize = profiled->image_size, .range = CUPTI_AutoRange,
        .replayMode = replays ? CUPTI_KernelReplay : CUPTI_ApplicationReplay, .maxRangesPerPass = 1,
        .numNestingLevels = 1, .minNestingLevel = 1, .targetNestingLevel = !replays,
        .passIndex = replays ? 0 : (size_t)profiled->next_pass);
    CUPTI_PARAMS(CUpti_RangeProfiler_Start_Params, begin,
                 .pRangeProfilerObject = profiled->profiler);
    const int kernel = image ? image->kernel : -1;
    if (!data || !WATCH_OK(cuptiRangeProfilerSetConfig(&config), "counters", kernel)) return 0;
    point_to(profiled, image);
    return WATCH_OK(cuptiRangeProfilerStart(&begin), "counters", kernel);
}

/* Returns 1 if a kernel of the process, other than that of the image, may lack the pass (-1: any):
 * it may be launched later, or its image is in a file. */
static int is_any_unfinished(const struct counter_image *image, int pass)
{
    const struct watch_plan *plan = &watch.plan;
    for (int k = 0; k < plan->kernel_count; k++)
        if (&images[k] != image && plan->kernel[k].last >= 0 &&
            plan->kernel[k].process == watch.process && !images[k].is_finished &&
            (!images[k].bytes || pass < 0 || !image_has_pass(&images[k], pass)))
            return 1;
    return 0;
}

/* The program may be killed after its last launch, and the next start needs the image. */
static void keep_after_last(int kernel, unsigned ordinal)
{
    struct counter_image *image = &images[kernel];
    if (image->bytes && !image->is_finished && (int)ordinal == watch.plan.kernel[kernel].last)
        image_keep(image);
}

/* The program's earlier work ends first, so that the launch runs alone. */
int counters_begin(CUcontext context, int kernel, unsigned ordinal)
{
    struct profiled_context *profiled = take_context(context);
    struct counter_image *image = profiled ? open_image(profiled, kernel) : NULL;
    const int pass = profiled ? profiled->next_pass : -1, patience = 2 * watch.plan.kernel_count;
    if (!image || image->is_finished) return 0;
    const int is_spare = pass >= 0 && image_has_pass(image, pass);
    if (is_spare && profiled->left_alone < patience && is_any_unfinished(image, pass)) {
        profiled->left_alone++;
        keep_after_last(kernel, ordinal);
        return 0;
    }
    if (!is_spare) profiled->left_alone = 0;
    driver.synchronize();
    return start(profiled, is_spare ? NULL : image);
}

static void write_values(const struct profiled_context *profiled)
{
    const struct watch_plan *plan = &watch.plan;
    const int kernel = profiled->image->kernel;
    double *value = calloc(plan->metric_count, sizeof *value);
    if (!value) part_problem("counters", kernel, "memory is short");
    /* The program may have set a locale with another decimal point. */
    const locale_t locale = uselocale(newlocale(LC_ALL_MASK, "C", NULL));
    CUPTI_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, evaluate,
                 .pHostObject = profiled->host, .pCounterDataImage = image_data(profiled->image),
                 .counterDataImageSize = profiled->image->size, .ppMetricNames = plan->metric,
                 .numMetrics = plan->metric_count, .pMetricValues = value);
    if (value && WATCH_OK(cuptiProfilerHostEvaluateToGpuValues(&evaluate), "counters", kernel))
        for (size_t m = 0; m < plan->metric_count; m++) {
            struct csv_writer *row = part_row(PART_COUNTERS);
            if (!row) break;
            csv_integer(row, kernel);
            csv_text(row, plan->metric[m]);
            csv_number(row, value[m]);
            part_row_end(row);
        }
    uselocale(locale);
    free(value);
}

/* Adds this pass, or, of a replay, all of them. Writes the values once all passes have come. */
static void add_pass(const struct profiled_context *profiled, int pass)
{
    struct counter_image *image = profiled->image;
    CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataInfo_Params, info,
                 .pCounterDataImage = image_data(image), .counterDataImageSize = image->size);
    if (!watch.plan.replays) image_add_pass(image, pass);
    for (pass = 0; watch.plan.replays && pass < watch.plan.passes; pass++)
        image_add_pass(image, pass);
    image->is_finished = image_passes(image) == watch.plan.passes;
    if (!image->is_finished) return;
    image_tell(image);
    if (!WATCH_OK(cuptiRangeProfilerGetCounterDataInfo(&info), "counters", image->kernel)) return;
    if (info.numTotalRanges == 1)
        write_values(profiled);
    else
        part_problem("counters", image->kernel, "CUPTI returned no counters for a launch");
}

/* Keeps images in their files so that few stay in memory. */
static void spill(void)
{
    int count = 0;
    for (int k = 0; k < watch.plan.kernel_count; k++) count += images[k].bytes != NULL;
    for (int k = 0; k < watch.plan.kernel_count && count > watch.most_images; k++) {
        if (!images[k].bytes || is_in_use(&images[k])) continue;
        image_keep(&images[k]);
        if (images[k].is_changed) continue;
        image_free(&images[k]);
        count--;
    }
}

static void renew(struct profiled_context *profiled)
{
    CUPTI_PARAMS(CUpti_RangeProfiler_Disable_Params, disable,
                 .pRangeProfilerObject = profiled->profiler);
    CUPTI_PARAMS(CUpti_RangeProfiler_Enable_Params, enable, .ctx = profiled->context);
    is_off = !WATCH_OK(cuptiRangeProfilerDisable(&disable), "counters", -1);
    if (!is_off) point_to(profiled, NULL);
    is_off |= !WATCH_OK(cuptiRangeProfilerEnable(&enable), "counters", -1);
    profiled->profiler = enable.pRangeProfilerObject;
    profiled->next_pass = -1;
    is_off = is_off || !size_images(profiled);
}

void counters_end(CUcontext context, int kernel, unsigned ordinal, int is_launched)
{
    struct profiled_context *profiled = find_context(context);
    if (!profiled) return;
    const int pass = profiled->next_pass;
    CUPTI_PARAMS(CUpti_RangeProfiler_Stop_Params, stop, .pRangeProfilerObject = profiled->profiler);
    CUPTI_PARAMS(CUpti_RangeProfiler_DecodeData_Params, decode,
                 .pRangeProfilerObject = profiled->profiler);
    driver.synchronize();
    is_off |= !WATCH_OK(cuptiRangeProfilerStop(&stop), "counters", kernel);
    if (!is_off && is_launched) {
        int is_decoded = WATCH_OK(cuptiRangeProfilerDecodeData(&decode), "counters", kernel);
        if (is_decoded && watch.plan.replays && !stop.isAllPassSubmitted) {
            part_problem("counters", kernel, "CUPTI did not replay the launch in all passes");
            is_decoded = 0;
        }
        if (is_decoded && profiled->image)
            add_pass(profiled, pass);
        else if (profiled->image)
            profiled->image->is_finished = 1; /* its data may be damaged */
    }
    if (!is_off) profiled->next_pass = watch.plan.replays ? -1 : (int)stop.passIndex;
    if (!is_off && stop.isAllPassSubmitted && !watch.plan.replays && is_any_unfinished(NULL, -1))
        renew(profiled);
    keep_after_last(kernel, ordinal);
    spill();
    part_flush();
}

void counters_forget(CUcontext context)
{
    struct profiled_context *profiled = find_context(context);
    if (!profiled) return;
    CUPTI_PARAMS(CUpti_RangeProfiler_Disable_Params, disable,
                 .pRangeProfilerObject = profiled->profiler);
    cuptiRangeProfilerDisable(&disable);
    point_to(profiled, NULL);
    cupti_host_close(&linked_cupti, profiled->host);
    free(profiled->config);
    free(profiled->spare);
    *profiled = (struct profiled_context){0};
}

void counters_finish(void)
{
    for (int k = 0; images && k < watch.plan.kernel_count; k++)
        if (images[k].bytes && !images[k].is_finished) image_keep(&images[k]);
}
