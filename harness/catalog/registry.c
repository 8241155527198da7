#include "catalog/registry.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"

const struct family *registry_family(const char *name)
{
    for (int i = 0; registry_families[i]; i++)
        if (!strcmp(registry_families[i]->name, name)) return registry_families[i];
    return NULL;
}

const struct variant *registry_variant(const char *family, const char *name)
{
    for (int i = 0; registry_variants[i]; i++)
        if (!strcmp(registry_variants[i]->family, family) &&
            !strcmp(registry_variants[i]->name, name))
            return registry_variants[i];
    return NULL;
}

int variant_rung(const char *name)
{
    return (int)strtol(name, NULL, 10);
}

/* Parses one factor of a size, a whole number or 2^k. Returns the text after it, or NULL. */
static const char *parse_factor(const char *p, uint64_t *value)
{
    char *end;
    if (*p < '0' || *p > '9') return NULL;
    errno = 0;
    *value = strtoull(p, &end, 10);
    if (errno) return NULL;
    if (*end == '^') {
        const char *exponent = end + 1;
        if (*value != 2 || *exponent < '0' || *exponent > '9') return NULL;
        const unsigned long power = strtoul(exponent, &end, 10);
        if (power > 62) return NULL;
        *value = (uint64_t)1 << power;
    }
    return *value > 0 ? end : NULL;
}

int shape_read(struct shape *shape, const char *text, int rank)
{
    memset(shape, 0, sizeof *shape);
    shape->rank = rank;
    const char *p = text;
    for (int i = 0; i < rank; i++) {
        if (i > 0 && *p++ != 'x') break;
        p = parse_factor(p, &shape->dim[i]);
        if (!p) break;
        if (i == rank - 1 && *p == 0) return 0;
        if (*p == 0) break;
    }
    return FAIL_USAGE;
}

int shape_parse(struct shape *shape, const char *text, int rank)
{
    if (!shape_read(shape, text, rank)) return 0;
    return error(
        FAIL_USAGE,
        "size '%s': expected %s whole number%s from 1 or of the form 2^k with k up to 62%s", text,
        rank == 1   ? "a"
        : rank == 2 ? "two"
                    : "three",
        rank == 1 ? "" : "s",
        rank == 1   ? ""
        : rank == 2 ? ", as MxN"
                    : ", as MxNxK");
}

char *size_words(const char *size, char buffer[72])
{
    int length = 0;
    buffer[0] = 0;
    for (char *end; *size && length < 72; size = end + (*end == 'x')) {
        const unsigned long long factor = strtoull(size, &end, 10);
        if (end == size) break;
        const int is_power = factor >= 1024 && (factor & (factor - 1)) == 0;
        length += snprintf(buffer + length, (size_t)(72 - length), "%s%s%llu", length ? " x " : "",
                           is_power ? "2^" : "",
                           is_power ? (unsigned long long)__builtin_ctzll(factor) : factor);
    }
    return buffer;
}

char *shape_text(const struct shape *shape, char buffer[72])
{
    int length = 0;
    buffer[0] = 0;
    for (int i = 0; i < shape->rank; i++)
        length += snprintf(buffer + length, (size_t)(72 - length), "%s%" PRIu64, i ? "x" : "",
                           shape->dim[i]);
    return buffer;
}

static void full_name(const struct variant *variant, char buffer[160])
{
    snprintf(buffer, 160, "%s/%s", variant->family, variant->name);
}

/* Returns 1 if a list that ends with 0 holds the value, which 0 always is. */
static int holds(const int *list, int value)
{
    while (*list && *list != value) list++;
    return *list == value;
}

static int has_setting(const struct variant *variant, int sweep)
{
    return holds(variant->sweep_values, sweep) || !variant->sweep_name;
}

/* Returns 8 for "NAME@8", else 0, and the length of the name. */
static int pattern_setting(const char *pattern, size_t *length)
{
    const char *at = strrchr(pattern, '@');
    char *end = NULL;
    const long setting = at ? strtol(at + 1, &end, 10) : 0;
    const int is_setting = at && end != at + 1 && !*end && setting > 0 && setting <= INT_MAX;
    *length = is_setting ? (size_t)(at - pattern) : strlen(pattern);
    return is_setting ? (int)setting : 0;
}

/* `sweep` 0: any setting of the variant. */
static int pattern_matches(const char *pattern, const struct variant *variant, int sweep)
{
    char name[160], plain[160];
    size_t length;
    const int setting = pattern_setting(pattern, &length);
    if (setting &&
        (!has_setting(variant, setting) || !variant->sweep_name || (sweep && sweep != setting)))
        return 0;
    snprintf(plain, sizeof plain, "%.*s", (int)length, pattern);
    full_name(variant, name);
    return text_matches(plain, name) || !strcmp(plain, variant->family) ||
           text_matches(plain, variant->name);
}

int registry_matches(const char *pattern)
{
    for (int i = 0; registry_variants[i]; i++)
        if (pattern_matches(pattern, registry_variants[i], 0)) return 1;
    return 0;
}

const char *registry_nearest(const char *name)
{
    enum { LARGEST = 512 };
    static char names[LARGEST][160];
    const char *candidates[3 * LARGEST];
    size_t count = 0;
    for (int i = 0; registry_families[i] && count < LARGEST; i++)
        candidates[count++] = registry_families[i]->name;
    for (int i = 0; registry_variants[i] && i < LARGEST; i++) {
        full_name(registry_variants[i], names[i]);
        candidates[count++] = names[i];
        candidates[count++] = registry_variants[i]->name;
    }
    return text_nearest(name, candidates, count);
}

static int check_patterns(const struct selection_options *options)
{
    for (int p = 0; p < options->pattern_count; p++) {
        const char *pattern = options->patterns[p];
        if (registry_matches(pattern)) continue;
        const char *nearest = registry_nearest(pattern);
        return error(FAIL_USAGE, "no family or variant matches '%s'; %s%s%s", pattern,
                     nearest ? "did you mean '" : "'whyfast list' names them all",
                     nearest ? nearest : "", nearest ? "'?" : "");
    }
    return 0;
}

/* `sweep` 0: any setting of the variant. */
static int wanted(const struct selection_options *options, const struct variant *variant, int sweep)
{
    if (options->pattern_count == 0) return 1;
    for (int p = 0; p < options->pattern_count; p++)
        if (pattern_matches(options->patterns[p], variant, sweep)) return 1;
    return 0;
}

/* A size that is given twice ("4096,2^12") counts once. */
int selection_add(struct selection *selection, const struct selected *selected)
{
    for (int i = 0; i < selection->count; i++) {
        const struct selected *other = &selection->points[i];
        if (other->variant == selected->variant &&
            !memcmp(&other->point, &selected->point, sizeof other->point))
            return 0;
    }
    struct selected *points =
        realloc(selection->points, (size_t)(selection->count + 1) * sizeof *points);
    if (!points) return error_memory();
    selection->points = points;
    points[selection->count++] = *selected;
    return 0;
}

static int check_block(const struct family *family, int block)
{
    if (holds(family->blocks, block)) return 0;
    if (!family->blocks[0])
        return error(FAIL_USAGE, "family %s has no choice of block sizes: omit --block %d",
                     family->name, block);
    struct text offered = {0};
    for (int i = 0; family->blocks[i]; i++)
        text_format(&offered, "%s%d", i ? ", " : "", family->blocks[i]);
    const int result = error(FAIL_USAGE, "family %s has no block size %d; it offers %s",
                             family->name, block, text_string(&offered));
    text_free(&offered);
    return result;
}

static int add_variant(struct selection *selection, const struct selection_options *options,
                       const struct family *family, const struct variant *variant, const char *size)
{
    struct selected selected = {.family = family, .variant = variant};
    int result = shape_parse(&selected.point.shape, size, family->rank);
    if (result) return result;
    selected.point.block = options->block ? options->block : family->block_preset;
    if (!variant->sweep_name) return selection_add(selection, &selected);
    for (int i = 0; variant->sweep_values[i] && !result; i++) {
        if (options->sweep && variant->sweep_values[i] != options->sweep) continue;
        if (!wanted(options, variant, variant->sweep_values[i])) continue;
        selected.point.sweep = variant->sweep_values[i];
        result = selection_add(selection, &selected);
    }
    return result;
}

/* A setting applies to the variants that have it. Returns FAIL_USAGE if none has. */
static int check_setting(const struct selection *selection, const struct selection_options *options)
{
    const struct variant *without = NULL;
    for (int i = 0; registry_variants[i]; i++) {
        const struct variant *variant = registry_variants[i];
        if (!wanted(options, variant, 0) || has_setting(variant, options->sweep)) continue;
        if (selection->count > 0)
            note("%s/%s is left out: it has no setting %d", variant->family, variant->name,
                 options->sweep);
        if (!without) without = variant;
    }
    if (!without || selection->count > 0) return 0;
    return error(FAIL_USAGE, "variant %s/%s has no setting %s=%d", without->family, without->name,
                 without->sweep_name, options->sweep);
}

/* Returns the dimensions of a written size: 1 for "4194304", 2 for "2048x262144". */
static int written_rank(const char *size)
{
    int rank = 1;
    for (; *size; size++) rank += *size == 'x';
    return rank;
}

/* Returns the size of a quick report: the one that the family names, else the one with the most
 * useful bytes. */
static const char *primary_size(const struct family *family)
{
    const char *largest = NULL;
    double most = 0;
    if (family->primary_size) return family->primary_size;
    for (int i = 0; family->sizes[i]; i++) {
        struct shape shape;
        if (shape_parse(&shape, family->sizes[i], family->rank)) continue;
        const double bytes = family->useful_bytes(&shape);
        if (!largest || bytes > most) {
            largest = family->sizes[i];
            most = bytes;
        }
    }
    return largest;
}

static int is_wanted_family(const struct selection_options *options, const struct family *family)
{
    for (int i = 0; registry_variants[i]; i++)
        if (!strcmp(registry_variants[i]->family, family->name) &&
            wanted(options, registry_variants[i], 0))
            return 1;
    return 0;
}

/* Skips sizes of another number of dimensions. */
static int add_family(struct selection *selection, const struct selection_options *options,
                      const struct family *family)
{
    const char *const primary[] = {primary_size(family), NULL};
    const char *const *sizes = options->size_count ? options->sizes
                               : options->primary  ? primary
                                                   : family->sizes;
    for (int s = 0; options->size_count ? s < options->size_count : sizes[s] != NULL; s++) {
        if (written_rank(sizes[s]) != family->rank) continue;
        for (int i = 0; registry_variants[i]; i++) {
            const struct variant *variant = registry_variants[i];
            if (strcmp(variant->family, family->name) || !wanted(options, variant, 0)) continue;
            const int result = add_variant(selection, options, family, variant, sizes[s]);
            if (result) return result;
        }
    }
    return 0;
}

static int has_family(const struct selection *selection, const struct family *family)
{
    for (int i = 0; i < selection->count; i++)
        if (selection->points[i].family == family) return 1;
    return 0;
}

/* Refuses options that no family accepts, with the message for this one. */
static int refuse(const struct family *family, const struct selection_options *options)
{
    struct shape shape;
    for (int s = 0; s < options->size_count; s++) {
        const int result = shape_parse(&shape, options->sizes[s], family->rank);
        if (result) return result;
    }
    return check_block(family, options->block);
}

static void note_left_out(const struct family *family, const struct selection_options *options)
{
    int has_size = !options->size_count;
    for (int s = 0; s < options->size_count; s++)
        has_size |= written_rank(options->sizes[s]) == family->rank;
    if (!holds(family->blocks, options->block))
        note("%s is left out: it has no block size %d", family->name, options->block);
    else if (!has_size)
        note("%s is left out: its sizes look like %s", family->name, family->sizes[0]);
}

/* Sizes and block sizes apply to the families that accept them. */
static int add_families(struct selection *selection, const struct selection_options *options)
{
    int result = 0;
    for (int i = 0; registry_families[i] && !result; i++) {
        const struct family *family = registry_families[i];
        if (is_wanted_family(options, family) && holds(family->blocks, options->block))
            result = add_family(selection, options, family);
    }
    for (int i = 0; registry_families[i] && !result; i++) {
        const struct family *family = registry_families[i];
        if (!is_wanted_family(options, family) || has_family(selection, family)) continue;
        if (selection->count == 0)
            result = refuse(family, options);
        else
            note_left_out(family, options);
    }
    return result;
}

int selection_make(struct selection *selection, const struct selection_options *options)
{
    memset(selection, 0, sizeof *selection);
    int result = check_patterns(options);
    if (!result) result = add_families(selection, options);
    if (!result) result = check_setting(selection, options);
    if (result) selection_free(selection);
    return result;
}

void selection_free(struct selection *selection)
{
    free(selection->points);
    memset(selection, 0, sizeof *selection);
}

int selection_group_end(const struct selection *selection, int start)
{
    const struct selected *first = &selection->points[start];
    int end = start + 1;
    while (end < selection->count && selection->points[end].family == first->family &&
           !memcmp(&selection->points[end].point.shape, &first->point.shape,
                   sizeof first->point.shape))
        end++;
    return end;
}

void point_write(struct csv_writer *writer, const struct variant *variant,
                 const struct point *point)
{
    char size[72];
    CSV_TEXTS(writer, variant->family, variant->name, shape_text(&point->shape, size));
    CSV_INTEGERS(writer, point->block, point->sweep);
}

uint32_t rung_colour_colour(int rung)
{
    static const uint32_t palette[] = {0x0072b2, 0xe69f00, 0x009e73, 0xcc79a7,
                                       0x56b4e9, 0xd55e00, 0x4d4d4d, 0xf0e442};
    if (rung == PALETTE_LIBRARY) return 0xa0a0a0;
    return rung < 0 ? 0xcccccc : palette[(unsigned)(rung - 1) % (sizeof palette / sizeof *palette)];
}

uint32_t rung_colour_variant(const struct variant *variant)
{
    switch (variant_kind(variant)) {
    case KIND_CPU: return rung_colour_colour(PALETTE_CPU);
    case KIND_LIBRARY: return rung_colour_colour(PALETTE_LIBRARY);
    case KIND_KERNEL: break;
    }
    return rung_colour_colour(variant_rung(variant->name));
}

const struct series_kind *series_plan(const struct variant *variant, const struct point *point,
                                      int *count)
{
    static const struct series_kind cpu[] = {{L2_WARM, TIME_END_TO_END, 'a'},
                                             {L2_WARM, TIME_END_TO_END, 'b'}};
    static const struct series_kind gpu[] = {
        {L2_COLD, TIME_END_TO_END, 'a'},
        {L2_COLD, TIME_END_TO_END, 'b'},
        {L2_WARM, TIME_END_TO_END, 'a'},
        {L2_COLD, TIME_KERNELS, 'a'}, /* for one launch it would equal the first */
    };
    const int on_cpu = variant_kind(variant) == KIND_CPU;
    *count = on_cpu ? 2 : variant_launches(variant, point) > 1 ? 4 : 3;
    return on_cpu ? cpu : gpu;
}
