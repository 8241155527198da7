/*
 * The listing of a kernel of this executable: every instruction of its machine code with the place
 * in the source that it comes from, through which calls it was inlined there, and its text. A
 * struct listing owns all that it points to until listing_free.
 */
#ifndef WHYFAST_KERNEL_LISTING_H
#define WHYFAST_KERNEL_LISTING_H

enum { LISTING_STATUS = 120 }; /* bytes of a status */

struct listing_place {
    const char *file; /* of this project: from its root on ("kernels/gemm/classic.h"); of a toolkit:
                         "include/cub/..."; else its own name */
    unsigned line;    /* from 1 on */
};

struct listing_instruction {
    unsigned pc;                       /* bytes from the start of the kernel */
    int place_count;                   /* 0 where the line table says nothing of it */
    const struct listing_place *place; /* the innermost first, then the call that was inlined there,
                                          and so on; the kernel's own last */
    const char *sass;                  /* NULL where it is not known */
};

struct listing {
    char *symbol; /* of the kernel, mangled */
    int count;
    struct listing_instruction *instruction; /* by pc, from 0 on without a gap */
    char lines_status[LISTING_STATUS];       /* "ok", or "absent: " and why */
    char sass_status[LISTING_STATUS];
    /* what the instructions point to */
    struct listing_place *place;
    char **file;
    int file_count;
    char *sass;
};

/* All kernels of a source file. */
struct listings {
    struct listing *listing;
    int count;
};

/* Makes the listing of the kernel of a source file of this project ("kernels/gemm/01_x.cu") and
 * of this mangled name, for an architecture (90 for sm_90 and sm_90a) of compute capability 7.0
 * or later. 0; FAIL_CHECK, nothing said, where this executable carries no such kernel; or
 * FAIL_OUTPUT. Empty unless it returns 0. It looks through the executable and starts the
 * disassembler anew each time: the one takes a millisecond or two, the other a third of a
 * second. */
int listing_make(struct listing *listing, const char *file, const char *symbol, int architecture);
void listing_free(struct listing *listing);

/* Those of all kernels of a source file, by one start of the disassembler. Returns as
 * listing_make. */
int listings_make(struct listings *listings, const char *file, int architecture);
void listings_free(struct listings *listings);

#endif
