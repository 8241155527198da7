/*
 * The order of a lane's products at one k in split_tiles.h and few_steps.h. Nothing is owned.
 *
 * The register file has two banks, of the even and of the odd registers. The model here is that
 * each gives one operand a cycle: a fused multiply-add reads three, so it stalls for a cycle unless
 * one of its factors is still held from the instruction before and the other two operands lie in
 * different banks. Hence an order that changes one factor at a time: along a row of a stripe of
 * columns, and back along the next row; and up again through the next stripe. The assembler only
 * takes this order as a proposal: it regroups the instructions, and assigns registers afterwards.
 * Which width of the stripes serves best, and whether to begin at the last element, was therefore
 * found by counting the model's conflicts in its output, for each tile. (The order also decides
 * where loads lie among the products, which the model leaves out: ring.h.)
 */
#ifndef KERNELS_GEMM_ORDER_H
#define KERNELS_GEMM_ORDER_H

/* The row and the column of product `at`, 0 to ROWS * COLUMNS - 1; columns in stripes of STRIPE. */
template <int ROWS, int COLUMNS, int STRIPE, bool BACKWARDS> struct product_order {
    static_assert(COLUMNS % STRIPE == 0, "whole stripes");

    static __host__ __device__ constexpr int row(int at)
    {
        const int passed = at / STRIPE % ROWS, i = stripe(at) % 2 ? ROWS - 1 - passed : passed;
        return BACKWARDS ? ROWS - 1 - i : i;
    }

    static __host__ __device__ constexpr int column(int at)
    {
        const int step = at % STRIPE, turned = at / STRIPE % ROWS % 2 ? STRIPE - 1 - step : step,
                  j = stripe(at) * STRIPE + turned;
        return BACKWARDS ? COLUMNS - 1 - j : j;
    }

  private:
    static __host__ __device__ constexpr int stripe(int at)
    {
        return at / (ROWS * STRIPE);
    }
};

#endif
