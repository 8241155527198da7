/*
 * Keeps the counter-data image of a kernel, into which CUPTI decodes one pass after another. The
 * passes may come from several starts of the program: an image that lacks some is written to a file
 * that the next start reads. A struct counter_image owns its bytes until image_free.
 */
#ifndef WHYFAST_INJECT_COUNTER_IMAGES_H
#define WHYFAST_INJECT_COUNTER_IMAGES_H

#include <stdint.h>

#include "injected/watch_plan.h"

enum { MOST_PASSES = 64 };

struct counter_image {
    int kernel;      /* of the plan */
    char *bytes;     /* of the file, or NULL: a header, then the data of CUPTI */
    size_t size;     /* of the data */
    uint64_t owner;  /* hash of all that the data depend on */
    int is_changed;  /* 1: the image has a pass that the file lacks */
    int is_finished; /* nothing more is collected: all passes have come, or CUPTI has failed */
};

/* Reads the file of a kernel of the plan; one that is damaged, or of other counters, is a problem.
 * Returns 1; 0 if there is no file that fits, with an image of zeros, which CUPTI must initialise;
 * -1, with a problem, if memory is short. */
int image_open(struct counter_image *image, const struct watch_plan *plan, int kernel, size_t size);
void image_free(struct counter_image *image);

uint8_t *image_data(const struct counter_image *image);

/* Passes are numbered from 0, and come in any order. image_lacks returns the first that has not
 * come, image_passes how many have. */
int image_has_pass(const struct counter_image *image, int pass);
int image_lacks(const struct counter_image *image);
int image_passes(const struct counter_image *image);
void image_add_pass(struct counter_image *image, int pass);

/* Writes the file if it lacks a pass, and the row PASSES_NAME. Leaves a problem if the file cannot
 * be written. */
void image_keep(struct counter_image *image);

/* Writes the row PASSES_NAME. */
void image_tell(const struct counter_image *image);

#endif
