/*
 * Lists kernels of this executable: every instruction of their machine code with its text, its
 * source location, and the calls through which it was inlined there. A struct listing owns all that
 * it points to until listing_free.
 */
#ifndef WHYFAST_KERNEL_LISTING_H
#define WHYFAST_KERNEL_LISTING_H

enum { LISTING_STATUS = 120 }; /* bytes of a status */

struct source_location {
    const char *file; /* of this project: from its root on ("kernels/gemm/classic.h"); of a toolkit:
                         "include/cub/..."; else the name without directories */
    unsigned line;    /* from 1 on */
};

struct listing_instruction {
    unsigned pc;                            /* bytes from the start of the kernel */
    int location_count;                     /* 0 if the line table has none */
    const struct source_location *location; /* innermost first, then the call that was inlined
                                               there, and so on; the kernel's own last */
    char *sass;                             /* NULL if unknown */
};

struct listing {
    char *symbol; /* of the kernel, mangled */
    int count;
    struct listing_instruction *instruction; /* by pc, from 0 on without a gap */
    char lines_status[LISTING_STATUS];       /* "ok", or "absent: " and the reason */
    char sass_status[LISTING_STATUS];
    /* storage of what the instructions point to */
    struct source_location *location;
    char **file;
    int file_count;
};

struct listing_request {
    const char *file;   /* source file of this project: "kernels/gemm/01_x.cu" */
    const char *symbol; /* of the kernel, mangled */
};

/* Begins with the first files for listings_of_cubins, or listings_give_up. The requests must last
 * until then. Returns NULL when out of memory. */
struct listing_tools *listings_begin(const struct listing_request *request, int count);
void listings_give_up(struct listing_tools *tools); /* or NULL */

/* Fills listing[i] for request[i], for an architecture (90 for sm_90 and sm_90a) of compute
 * capability 7.0 or later. Small cubins are disassembled together. A kernel that this executable
 * does not carry has an empty listing, and its statuses say so. Returns FAIL_OUTPUT or
 * FAIL_INTERRUPTED on failure; the caller frees all listings in any case. */
int listings_make(struct listing *listing, const struct listing_request *request, int count,
                  int architecture);
/* Does the same for kernels in files that are cubins, which request[i].file names; paths of source
 * files stay as they are. The caller may have begun that, so that the disassembler runs beside
 * other work; `tools`, or NULL, is freed. */
int listings_of_cubins(struct listing *listing, const struct listing_request *request, int count,
                       struct listing_tools *tools);
void listing_free(struct listing *listing);

#endif
