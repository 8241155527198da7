/*
 * Which words the lanes of half a warp exchange in order to store a row of words line by line.
 * Valid C11 and C++17, so that it can be tested without a device. Nothing is owned.
 *
 * The even lanes of a warp are a half, and so are the odd ones. The lane at place p of its half, 0
 * to 15, holds words 2p and 2p + 1 of each stretch of 32 words of a row. In memory, the row begins
 * `shift` words behind the start of a line of 32 words, and the lane at place p is to store words
 * 2p and 2p + 1 of each line.
 */
#ifndef KERNELS_GEMM_LINE_EXCHANGE_H
#define KERNELS_GEMM_LINE_EXCHANGE_H

#ifdef __CUDACC__
#define LINE_BOTH __host__ __device__
#else
#define LINE_BOTH
#endif

/* The first of the two words comes from the lane that is `up` places before, and is the second of
 * its pair if the shift is odd; the other one comes from `down` places before. Places before the
 * first one are at the end of the half; their pair is that of the stretch before. */
struct line_exchange {
    int place, up, down;
    int first_lane, second_lane; /* that hold the words */
    int at;                      /* the word's index in the row if the line is that of its start */
};

static LINE_BOTH inline struct line_exchange exchange_for_lines(int shift, int lane)
{
    const int place = lane / 2, up = (shift + 1) / 2, down = shift / 2;
    const struct line_exchange x = {place,
                                    up,
                                    down,
                                    ((place - up) & 15) * 2 + lane % 2,
                                    ((place - down) & 15) * 2 + lane % 2,
                                    2 * place - shift};
    return x;
}

#endif
