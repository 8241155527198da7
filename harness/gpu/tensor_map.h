/*
 * Encodes the tensor maps of a launch for the hardware. Nothing is owned.
 */
#ifndef WHYFAST_TENSOR_MAP_H
#define WHYFAST_TENSOR_MAP_H

#include <cuda.h>

#include "catalog/variant.h"

/* Returns why the hardware cannot take this map (CUDA Driver API, cuTensorMapEncodeTiled), or NULL
 * if it can. */
const char *tensor_map_fault(const struct tensor_map *map);

/* Encodes for float32, out of bounds as 0, L2 sectors of 256 bytes. Returns FAIL_GPU, with a
 * message that describes the map and its fault. */
int tensor_map_encode(const struct tensor_map *map, CUtensorMap *encoded);

#endif
