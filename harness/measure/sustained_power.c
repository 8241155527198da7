#include "measure/sustained_power.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "base/stats.h"
#include "gpu/launch_variant.h"
#include "run/nvtx.h"

enum {
    MOST_BATCHES = 1024, /* of which later ones are not kept */
    MOST_RUNS = 1 << 14  /* in one batch */
};

/* The sums over the settled batches of a point, and the steps of the energy counter: the time and
 * the value of the first and the last one. */
struct sums {
    double clock_mhz[MOST_BATCHES], time_ns, step_s[2];
    unsigned long long step_mj[2], counted_mj, reasons;
    int steps, is_settled, clocks, batches;
    uint64_t runs;
};

void power_meter_open(struct power_meter *meter, const struct device *device)
{
    char bus_id[32] = "";
    unsigned milliwatts = 0;
    memset(meter, 0, sizeof *meter);
    meter->limit_w = NAN;
    const struct nvml *nvml = &meter->nvml;
    const char *why = ABSENT "NVML does not count the energy of this board, or not often enough";
    char no_nvml[NVML_REASON];
    if (nvml_open(&meter->nvml, no_nvml)) {
        snprintf(meter->reason, sizeof meter->reason, ABSENT "%s", no_nvml);
        return;
    }
    if (cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, device->index) != cudaSuccess ||
        !nvml->by_bus_id || nvml->by_bus_id(bus_id, &meter->board)) {
        meter->board = NULL;
        why = ABSENT "NVML does not know this device";
    }
    snprintf(meter->reason, sizeof meter->reason, "%s", why);
    if (meter->board && nvml->power_limit && !nvml->power_limit(meter->board, &milliwatts))
        meter->limit_w = milliwatts / 1e3;
}

void power_meter_close(struct power_meter *meter)
{
    nvml_close(&meter->nvml);
    memset(meter, 0, sizeof *meter);
}

/* Reads the counter of energy, and keeps its steps once the board has settled. */
static void read_energy(const struct power_meter *meter, struct sums *sums)
{
    unsigned long long millijoules = 0;
    if (!meter->board || !meter->nvml.energy || meter->nvml.energy(meter->board, &millijoules) ||
        millijoules == sums->counted_mj)
        return;
    const int is_step = sums->counted_mj > 0 && sums->is_settled, at = sums->steps > 0;
    sums->counted_mj = millijoules;
    if (!is_step) return;
    sums->step_s[at] = seconds_now();
    sums->step_mj[at] = millijoules;
    sums->steps++;
}

static double mean_power_w(const struct sums *sums)
{
    return sums->steps < 2 ? NAN
                           : 1e-3 * (double)(sums->step_mj[1] - sums->step_mj[0]) /
                                 (sums->step_s[1] - sums->step_s[0]);
}

/* Runs the point `runs` times without pauses. The board is asked while it is busy. */
static int run_batch(const struct power_meter *meter, struct workbench *bench,
                     const struct selected *selected, int runs, struct sums *sums)
{
    struct stream_gate *gate = &bench->gate;
    unsigned long long reasons = 0;
    int result = stream_gate_mark(gate, 0);
    for (int i = 0; i < runs && !result; i++) result = launch_all(bench, selected);
    if (!result) result = stream_gate_mark(gate, 1);
    if (meter->board && meter->nvml.clock_reasons &&
        !meter->nvml.clock_reasons(meter->board, &reasons))
        sums->reasons |= reasons;
    do read_energy(meter, sums);
    while (meter->board && cudaStreamQuery(gate->stream) == cudaErrorNotReady);
    const int done = CUDA_OK(cudaStreamSynchronize(gate->stream));
    return done ? result : FAIL_GPU;
}

static void add_batch(struct sums *sums, const struct stream_gate *gate, int runs)
{
    const double clock_mhz = stream_gate_clock_mhz(gate);
    if (isfinite(clock_mhz) && sums->clocks < MOST_BATCHES)
        sums->clock_mhz[sums->clocks++] = clock_mhz;
    sums->time_ns += (double)(gate->stamps[1].time_ns - gate->stamps[0].time_ns);
    sums->runs += (uint64_t)runs;
    sums->batches++;
}

/* At least one batch is added. */
static int run_batches(const struct power_meter *meter, struct workbench *bench,
                       const struct selected *selected, struct sums *sums)
{
    const double start = seconds_now();
    int result = 0;
    for (int runs = 1; !result;) {
        const double ms = 1e3 * (seconds_now() - start);
        if (interrupted()) return FAIL_INTERRUPTED;
        if (ms >= SUSTAINED_MS && sums->batches > 0) break;
        sums->is_settled = ms >= SETTLED_MS;
        result = run_batch(meter, bench, selected, runs, sums);
        if (result) break;
        if (sums->is_settled) add_batch(sums, &bench->gate, runs);
        const struct stream_gate_stamp *stamps = bench->gate.stamps;
        if (2e-6 * (double)(stamps[1].time_ns - stamps[0].time_ns) <= BATCH_MS && runs < MOST_RUNS)
            runs *= 2;
    }
    return result;
}

static int write_row(const struct power_meter *meter, const struct selected *selected,
                     struct sums *sums, struct csv_writer *writer)
{
    struct text words = {0};
    nvml_clock_words(&words, sums->reasons);
    if (words.failed) return error_memory();
    stats_sort(sums->clock_mhz, (size_t)sums->clocks);
    point_write(writer, selected->variant, &selected->point);
    csv_integer(writer, (int64_t)sums->runs);
    CSV_NUMBERS(writer, sums->time_ns / (double)sums->runs, mean_power_w(sums), meter->limit_w,
                sums->clocks ? stats_quantile(sums->clock_mhz, (size_t)sums->clocks, 0.5) : NAN);
    csv_text(writer, text_string(&words));
    if (sums->steps >= 2)
        csv_text(writer, "ok");
    else
        csv_text(writer, meter->reason);
    csv_end(writer);
    text_free(&words);
    return 0;
}

int sustained_power_write(struct power_meter *meter, struct workbench *bench,
                          const struct selected *selected, struct csv_writer *writer)
{
    struct sums sums = {0};
    nvtx_variant(selected, -1, 0);
    const int result = run_batches(meter, bench, selected, &sums);
    nvtx_end();
    return result ? result : write_row(meter, selected, &sums, writer);
}
