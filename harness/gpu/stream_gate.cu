#include "gpu/stream_gate.h"

#include <cuda_runtime.h>
#include <math.h>
#include <string.h>

extern "C" {
#include "base/message.h"
#include "driver/other_profilers.h"
}

static __device__ uint64_t global_time()
{
    uint64_t time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
}

static __global__ void gate_wait(const volatile uint32_t *open, volatile uint32_t *timed_out)
{
    const uint64_t limit =
        5000000000u; /* nanoseconds: a gate that nobody opens must not hang the GPU */
    const uint64_t start = global_time();
    while (*open == 0) {
        if (global_time() - start > limit) {
            *timed_out = 1;
            return;
        }
    }
}

static __global__ void gate_stamp_kernel(struct stream_gate_stamp *stamp)
{
    uint32_t sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    stamp->clock = (uint64_t)clock64();
    stamp->time_ns = global_time();
    stamp->sm = sm;
    stamp->written = 1;
}

static __global__ void flush_read(const uint4 *from, size_t count, uint4 *sink)
{
    uint4 seen = make_uint4(0, 0, 0, 0);
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
        const uint4 value = from[i];
        seen.x ^= value.x;
        seen.y ^= value.y;
        seen.z ^= value.z;
        seen.w ^= value.w;
    }
    /* Never true, because the buffer is zero; the compiler cannot know and keeps the loads. */
    if ((seen.x | seen.y | seen.z | seen.w) == 0xFFFFFFFFu) *sink = seen;
}

static int checked(cudaError_t status, const char *what)
{
    if (status == cudaSuccess) return 0;
    return error(FAIL_GPU, "%s: %s", what, cudaGetErrorString(status));
}

extern "C" int stream_gate_open(struct stream_gate *gate, void *stream, size_t l2_bytes)
{
    memset(gate, 0, sizeof *gate);
    gate->stream = stream;
    gate->flush_bytes = (2 * l2_bytes + 0xFFFFF) & ~(size_t)0xFFFFF;
    void *host = NULL;
    int result = checked(cudaHostAlloc(&host, 4096, cudaHostAllocMapped), "gate: host memory");
    if (result) return result;
    memset(host, 0, 4096);
    gate->open = (volatile uint32_t *)host;
    gate->timed_out = gate->open + 32;
    gate->stamps = (struct stream_gate_stamp *)((char *)host + 1024);
    result = checked(cudaMalloc(&gate->flush, 2 * gate->flush_bytes), "gate: flush buffer");
    if (!result)
        result = checked(cudaMemset(gate->flush, 0, 2 * gate->flush_bytes), "gate: flush buffer");
    if (result) stream_gate_close(gate);
    return result;
}

extern "C" void stream_gate_close(struct stream_gate *gate)
{
    if (gate->open) cudaFreeHost((void *)gate->open);
    cudaFree(gate->flush);
    memset(gate, 0, sizeof *gate);
}

extern "C" int stream_gate_hold(struct stream_gate *gate)
{
    *gate->open = 0;
    *gate->timed_out = 0;
    memset(gate->stamps, 0, 2 * sizeof *gate->stamps);
    if (other_profilers_unheld()) return 0;
    gate_wait<<<1, 1, 0, (cudaStream_t)gate->stream>>>(gate->open, gate->timed_out);
    return checked(cudaGetLastError(), "gate: hold");
}

extern "C" void stream_gate_release(struct stream_gate *gate)
{
    *gate->open = 1;
}

extern "C" int stream_gate_judge(const struct stream_gate *gate)
{
    return other_profilers_judge(*gate->timed_out != 0);
}

extern "C" int stream_gate_mark(struct stream_gate *gate, int slot)
{
    gate_stamp_kernel<<<1, 1, 0, (cudaStream_t)gate->stream>>>(gate->stamps + slot);
    return checked(cudaGetLastError(), "gate: stamp");
}

extern "C" double stream_gate_clock_mhz(const struct stream_gate *gate)
{
    const struct stream_gate_stamp *before = &gate->stamps[0], *after = &gate->stamps[1];
    if (!before->written || !after->written || before->sm != after->sm ||
        after->time_ns <= before->time_ns)
        return NAN;
    const uint64_t clocks = after->clock - before->clock, ns = after->time_ns - before->time_ns;
    return round(1e4 * (double)clocks / (double)ns) / 10;
}

extern "C" int stream_gate_flush_l2(struct stream_gate *gate)
{
    cudaStream_t stream = (cudaStream_t)gate->stream;
    int result = checked(cudaMemsetAsync(gate->flush, 0, gate->flush_bytes, stream), "gate: flush");
    if (result) return result;
    const uint4 *second = (const uint4 *)((char *)gate->flush + gate->flush_bytes);
    flush_read<<<1024, 256, 0, stream>>>(second, gate->flush_bytes / sizeof(uint4),
                                         (uint4 *)gate->flush);
    return checked(cudaGetLastError(), "gate: flush");
}
