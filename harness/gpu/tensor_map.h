/*
 * Tensor maps of a launch as the hardware reads them. Nothing is owned.
 */
#ifndef WHYFAST_TENSOR_MAP_H
#define WHYFAST_TENSOR_MAP_H

#include <cuda.h>

#include "catalog/variant.h"

/* What the hardware cannot take in this map, as a sentence, or NULL (CUDA Driver API,
 * cuTensorMapEncodeTiled). */
const char *tensor_map_fault(const struct tensor_map *map);

/* Encodes for float32, out of bounds as 0, L2 sectors of 256 bytes. 0; or FAIL_GPU, the map and
 * what is wrong with it said. */
int tensor_map_encode(const struct tensor_map *map, CUtensorMap *encoded);

#endif
