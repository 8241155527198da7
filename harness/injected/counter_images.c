#include "injected/counter_images.h"

#include <cupti.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "injected/part_files.h"
#include "injected/watch.h"

/* Its size keeps the data aligned. */
struct image_header {
    uint64_t passes; /* bit p: pass p has come */
    uint64_t check;  /* hash of the owner, the passes and the data */
};

static struct image_header *header_of(const struct counter_image *image)
{
    return (struct image_header *)(void *)image->bytes;
}

uint8_t *image_data(const struct counter_image *image)
{
    return (uint8_t *)image->bytes + sizeof(struct image_header);
}

static struct path file_of(int kernel)
{
    char name[64];
    snprintf(name, sizeof name, IMAGES_DIRECTORY "/%d", kernel);
    return path_in(watch.directory, name);
}

static uint64_t hash_string(uint64_t hash, const char *text)
{
    return hash_bytes(hash, text, strlen(text) + 1);
}

static uint64_t owner_of(const struct watch_plan *plan, int kernel)
{
    uint32_t version = 0;
    cuptiGetVersion(&version);
    uint64_t hash = hash_bytes(HASH_START, &version, sizeof version);
    hash = hash_bytes(hash, &plan->passes, sizeof plan->passes);
    hash = hash_string(hash, plan->kernel[kernel].signature.symbol);
    for (size_t m = 0; m < plan->metric_count; m++) hash = hash_string(hash, plan->metric[m]);
    return hash;
}

static uint64_t check_of(const struct counter_image *image)
{
    const uint64_t *passes = &header_of(image)->passes;
    return hash_bytes(hash_bytes(image->owner, passes, sizeof *passes), image_data(image),
                      image->size);
}

static void warn(const struct counter_image *image, const char *reason)
{
    part_problem("counters", image->kernel, reason);
}

int image_open(struct counter_image *image, const struct watch_plan *plan, int kernel, size_t size)
{
    size_t length = 0;
    *image = (struct counter_image){.kernel = kernel,
                                    .size = size,
                                    .owner = owner_of(plan, kernel),
                                    .bytes = text_read_file(file_of(kernel).at, &length)};
    if (!image->bytes && errno != ENOENT)
        warn(image, "the passes of earlier starts cannot be read");
    if (image->bytes && length == sizeof(struct image_header) + size &&
        header_of(image)->check == check_of(image))
        return 1;
    if (image->bytes) warn(image, "the passes of earlier starts are damaged");
    free(image->bytes);
    image->bytes = calloc(1, sizeof(struct image_header) + size);
    if (!image->bytes) warn(image, "memory is short");
    return image->bytes ? 0 : -1;
}

void image_free(struct counter_image *image)
{
    free(image->bytes);
    image->bytes = NULL;
}

int image_has_pass(const struct counter_image *image, int pass)
{
    return (int)(header_of(image)->passes >> pass & 1);
}

int image_lacks(const struct counter_image *image)
{
    int pass = 0;
    while (pass < MOST_PASSES - 1 && image_has_pass(image, pass)) pass++;
    return pass;
}

int image_passes(const struct counter_image *image)
{
    int count = 0;
    for (int pass = 0; pass < MOST_PASSES; pass++) count += image_has_pass(image, pass);
    return count;
}

void image_add_pass(struct counter_image *image, int pass)
{
    header_of(image)->passes |= (uint64_t)1 << pass;
    image->is_changed = 1;
}

void image_tell(const struct counter_image *image)
{
    struct csv_writer *row = part_row(PART_COUNTERS);
    if (!row) return;
    csv_integer(row, image->kernel);
    csv_text(row, PASSES_NAME);
    csv_integer(row, image_passes(image));
    part_row_end(row);
}

void image_keep(struct counter_image *image)
{
    if (!image->is_changed) return;
    header_of(image)->check = check_of(image);
    if (!part_replace(file_of(image->kernel).at, image->bytes,
                      sizeof(struct image_header) + image->size)) {
        warn(image, "the passes cannot be kept for the next start");
        return;
    }
    image->is_changed = 0;
    image_tell(image);
}
