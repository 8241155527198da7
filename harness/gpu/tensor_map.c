#include "gpu/tensor_map.h"

#include "base/message.h"
#include "gpu/driver_api.h"

enum { PIECE_BYTES = 16, MOST_BOX = 256 };

static const struct {
    int bytes;
    CUtensorMapSwizzle swizzle;
} swizzles[] = {
    {0, CU_TENSOR_MAP_SWIZZLE_NONE},
    {32, CU_TENSOR_MAP_SWIZZLE_32B},
    {64, CU_TENSOR_MAP_SWIZZLE_64B},
    {128, CU_TENSOR_MAP_SWIZZLE_128B},
};

/* Returns the row of the table, or -1 for an unknown width. */
static int find_swizzle(int bytes)
{
    for (int i = 0; i < (int)(sizeof swizzles / sizeof *swizzles); i++)
        if (swizzles[i].bytes == bytes) return i;
    return -1;
}

const char *tensor_map_fault(const struct tensor_map *map)
{
    const uint64_t most_side = UINT64_C(1) << 32, most_pitch = UINT64_C(1) << 40;
    const uint64_t box_bytes = (uint64_t)map->box_columns * sizeof(float);
    const struct {
        int is_so;
        const char *fault;
    } faults[] = {
        {!map->base || (uintptr_t)map->base % PIECE_BYTES, "its base is not aligned to 16 bytes"},
        {map->rows < 1 || map->columns < 1, "it has no elements"},
        {map->rows > most_side || map->columns > most_side, "a side has more than 2^32 elements"},
        {map->pitch % PIECE_BYTES != 0, "its pitch is no multiple of 16 bytes"},
        {map->pitch / sizeof(float) < map->columns, "its pitch is shorter than a row"},
        {map->pitch >= most_pitch, "its pitch is 2^40 bytes or more"},
        {map->box_rows < 1 || map->box_columns < 1 || map->box_rows > MOST_BOX ||
             map->box_columns > MOST_BOX,
         "a side of its box is not between 1 and 256 elements"},
        {box_bytes % PIECE_BYTES != 0, "a row of its box is no multiple of 16 bytes"},
        {find_swizzle(map->swizzle) < 0, "its swizzle is none of 0, 32, 64, 128 bytes"},
        {map->swizzle > 0 && box_bytes > (uint64_t)map->swizzle,
         "a row of its box is wider than its swizzle"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (faults[i].is_so) return faults[i].fault;
    return NULL;
}

static int refuse(const struct tensor_map *map, const char *fault)
{
    return error(
        FAIL_GPU,
        "a tensor map of %llu x %llu floats at %p, pitch %llu bytes, box %u x %u, swizzle %d: %s",
        (unsigned long long)map->rows, (unsigned long long)map->columns, map->base,
        (unsigned long long)map->pitch, map->box_rows, map->box_columns, map->swizzle, fault);
}

int tensor_map_encode(const struct tensor_map *map, CUtensorMap *encoded)
{
    PFN_cuTensorMapEncodeTiled_v12000 encode;
    const char *fault = tensor_map_fault(map);
    if (fault) return refuse(map, fault);
    if (driver_find("cuTensorMapEncodeTiled", 12000, &encode)) return FAIL_GPU;
    /* Dimensions from the innermost outwards; the innermost has no stride. */
    const cuuint64_t sides[] = {map->columns, map->rows}, strides[] = {map->pitch};
    const cuuint32_t box[] = {map->box_columns, map->box_rows}, steps[] = {1, 1};
    const CUresult status = encode(
        encoded, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, (void *)(uintptr_t)map->base, sides, strides,
        box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzles[find_swizzle(map->swizzle)].swizzle,
        CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return driver_ok(status, "cuTensorMapEncodeTiled") ? 0 : refuse(map, "the driver refuses it");
}
