/*
 * Calls the kernels of a file without main() for 'whyfast diff', which writes the program that
 * includes this: fills the arrays, launches each kernel several times from the same contents, and
 * writes what the first launch left in them to the file that WHYFAST_DIFF_OUTPUT names, unless the
 * program is watched: for each array a line "kernel <tab> argument <tab> kind <tab> count" and that
 * many doubles.
 */
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace whyfast_driver
{

enum { LAUNCHES = 20 }; /* a counter needs up to nine of them */

/* The numbers of which a vector consists. */
template <class T> struct parts {
    using part = T;
};
#define WHYFAST_PARTS(vector, number)                                                              \
    template <> struct parts<vector> {                                                             \
        using part = number;                                                                       \
    }
WHYFAST_PARTS(float2, float);
WHYFAST_PARTS(float3, float);
WHYFAST_PARTS(float4, float);
WHYFAST_PARTS(double2, double);
WHYFAST_PARTS(int2, int);
WHYFAST_PARTS(int3, int);
WHYFAST_PARTS(int4, int);
WHYFAST_PARTS(uint2, unsigned);
WHYFAST_PARTS(uint3, unsigned);
WHYFAST_PARTS(uint4, unsigned);
WHYFAST_PARTS(char4, signed char);
WHYFAST_PARTS(uchar4, unsigned char);
WHYFAST_PARTS(__half2, __half);
WHYFAST_PARTS(__nv_bfloat162, __nv_bfloat16);
#undef WHYFAST_PARTS

template <class P>
constexpr bool is_half = std::is_same_v<P, __half> || std::is_same_v<P, __nv_bfloat16>;

template <class P> constexpr const char *kind()
{
    return is_half<P>                  ? "half"
           : std::is_same_v<P, float>  ? "float"
           : std::is_same_v<P, double> ? "double"
           : std::is_integral_v<P>     ? "integer"
                                       : "bytes";
}

/* A number from -1 to 1; of an integer one below `count`, so that it can be an index. */
template <class P> P value(uint64_t index, uint64_t count)
{
    uint64_t hash = (index + 1) * 0x9E3779B97F4A7C15u;
    hash = (hash ^ (hash >> 31)) * 0xBF58476D1CE4E5B9u;
    hash ^= hash >> 29;
    if constexpr (std::is_same_v<P, bool>) {
        return (hash & 1) != 0;
    } else if constexpr (std::is_integral_v<P>) {
        const uint64_t most = (uint64_t)std::numeric_limits<P>::max();
        return (P)(hash % (count < most ? count : most));
    } else if constexpr (std::is_floating_point_v<P> || is_half<P>) {
        return (P)(float)((double)(hash >> 40) * 0x1p-23 - 1);
    } else {
        P zero;
        memset((void *)&zero, 0, sizeof zero);
        return zero;
    }
}

/* Reads an array as numbers; structures as bytes. */
template <class P> void read(const char *bytes, size_t count, std::vector<double> &numbers)
{
    numbers.reserve(count / sizeof(P));
    if constexpr (std::is_arithmetic_v<P> || is_half<P>) {
        for (size_t i = 0; i < count / sizeof(P); i++) {
            P part;
            memcpy((void *)&part, bytes + i * sizeof part, sizeof part);
            if constexpr (is_half<P>)
                numbers.push_back((double)(float)part);
            else
                numbers.push_back((double)part);
        }
    } else {
        for (size_t i = 0; i < count; i++) numbers.push_back((unsigned char)bytes[i]);
    }
}

/* The arrays of a call. Each is made when the kernel's parameter says what it consists of. */
class memory
{
    struct block {
        char *now, *first; /* first: as filled; null for one that the kernel only reads */
        size_t bytes;
        const char *kind;
        void (*read)(const char *bytes, size_t count, std::vector<double> &numbers);
    };
    const char *kernel;
    std::map<int, block> blocks;

    /* `count` elements, each of one or several P. */
    template <class P> char *make(int index, size_t bytes, size_t count, bool is_written)
    {
        block made = {nullptr, nullptr, bytes, kind<P>(), read<P>};
        std::vector<char> filled(bytes);
        for (size_t i = 0; i < bytes / sizeof(P); i++) {
            const P part = value<P>(i + 7919u * (size_t)index, count);
            memcpy(filled.data() + i * sizeof part, (const void *)&part, sizeof part);
        }
        check(cudaMalloc((void **)&made.now, bytes));
        if (is_written) check(cudaMalloc((void **)&made.first, bytes));
        check(cudaMemcpy(is_written ? made.first : made.now, filled.data(), bytes,
                         cudaMemcpyHostToDevice));
        if (is_written) check(cudaMemcpy(made.now, made.first, bytes, cudaMemcpyDeviceToDevice));
        blocks[index] = made;
        return made.now;
    }

  public:
    explicit memory(const char *kernel) : kernel(kernel)
    {
    }

    void check(cudaError_t status) const
    {
        if (status == cudaSuccess) return;
        fprintf(stderr, "%s fails: %s\n", kernel, cudaGetErrorString(status));
        exit(3);
    }

    template <class T> T *get(int index, size_t count)
    {
        using plain = std::remove_cv_t<T>;
        using whole = std::conditional_t<std::is_void_v<plain>, unsigned char, plain>;
        static_assert(!std::is_pointer_v<whole>, "an array of pointers cannot be filled");
        const auto found = blocks.find(index);
        if (found != blocks.end()) return (T *)(void *)found->second.now;
        return (T *)(void *)make<typename parts<whole>::part>(index, count * sizeof(whole), count,
                                                              !std::is_const_v<T>);
    }

    /* Becomes a pointer of the type that the parameter has. */
    struct reference {
        memory &owner;
        int index;
        size_t count;
        template <class T> operator T *() const
        {
            return owner.get<T>(index, count);
        }
    };

    reference array(int index, size_t count)
    {
        return {*this, index, count ? count : 1};
    }

    void restore() const
    {
        for (const auto &entry : blocks)
            if (entry.second.first)
                check(cudaMemcpy(entry.second.now, entry.second.first, entry.second.bytes,
                                 cudaMemcpyDeviceToDevice));
    }

    void write() const
    {
        const char *path = getenv("WHYFAST_WATCH") ? nullptr : getenv("WHYFAST_DIFF_OUTPUT");
        FILE *file = path ? fopen(path, "ab") : nullptr;
        bool failed = path && !file;
        for (const auto &entry : blocks) {
            const block &block = entry.second;
            if (!file || !block.first) continue;
            std::vector<char> bytes(block.bytes);
            std::vector<double> numbers;
            check(cudaMemcpy(bytes.data(), block.now, block.bytes, cudaMemcpyDeviceToHost));
            block.read(bytes.data(), block.bytes, numbers);
            fprintf(file, "%s\t%d\t%s\t%zu\n", kernel, entry.first + 1, block.kind, numbers.size());
            fwrite(numbers.data(), sizeof(double), numbers.size(), file);
        }
        if (file) {
            failed = ferror(file) != 0;
            failed |= fclose(file) != 0;
        }
        if (failed) {
            fprintf(stderr, "%s: cannot write: %s\n", path, strerror(errno));
            exit(4);
        }
    }

    void free() const
    {
        for (const auto &entry : blocks) {
            cudaFree(entry.second.now);
            cudaFree(entry.second.first);
        }
    }
};

/* Returns how many threads a block has unless the user names a number. */
template <class Kernel> unsigned threads(Kernel *kernel)
{
    cudaFuncAttributes attributes;
    const int most = cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess
                         ? attributes.maxThreadsPerBlock
                         : 0;
    return most > 0 && most < 256 ? (unsigned)most : 256;
}

/* Returns false in a start that counts instructions of other kernels. One that may print is null
 * here: what a program prints is the same in all starts. */
inline bool is_wanted(const void *kernel)
{
    const char *watch = getenv("WHYFAST_WATCH"), *symbol = nullptr;
    std::ifstream file(std::string(watch ? watch : "") + "/plan.txt");
    const std::string plan{std::istreambuf_iterator<char>(file), {}};
    if (!kernel || plan.find("mode\tcounts\n") == std::string::npos) return true;
    if (cudaFuncGetName(&symbol, kernel) == cudaSuccess)
        return plan.find("\t" + std::string(symbol) + "\t") != std::string::npos;
    cudaGetLastError();
    return true;
}

/* `launch` launches the kernel with arrays of the memory. */
template <class Launch> void measure(const char *name, const void *kernel, Launch launch)
{
    memory arrays(name);
    if (!is_wanted(kernel)) return;
    for (int i = 0; i < LAUNCHES; i++) {
        arrays.restore();
        launch(arrays);
        arrays.check(cudaGetLastError());
        arrays.check(cudaDeviceSynchronize());
        if (i == 0) arrays.write();
    }
    arrays.free();
}

} // namespace whyfast_driver
