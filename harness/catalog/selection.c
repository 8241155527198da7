/*
 * Implements the selection of catalog/registry.h: the points that patterns, sizes and settings of a
 * command line ask for.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/names.h"
#include "base/text.h"
#include "catalog/registry.h"
#include "catalog/size_ranges.h"

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
    variant_full_name(variant, name);
    return names_match(plain, name);
}

int registry_matches(const char *pattern)
{
    for (int i = 0; all_variants()[i]; i++)
        if (pattern_matches(pattern, all_variants()[i], 0)) return 1;
    return 0;
}

/* ---- names that are no patterns -------------------------------------------------------------- */

enum { MOST_VARIANTS = 1024 };

/* Returns the full names of all variants, also of those that this program only knows by name; they
 * stay valid. */
static const char *const *all_names(size_t *count)
{
    static char name[MOST_VARIANTS][160];
    static const char *names[MOST_VARIANTS];
    for (*count = 0; all_variants()[*count] && *count < MOST_VARIANTS; (*count)++) {
        variant_full_name(all_variants()[*count], name[*count]);
        names[*count] = name[*count];
    }
    for (int i = 0; !all_variants()[0] && registry_names[i] && *count < MOST_VARIANTS; i++)
        names[(*count)++] = registry_names[i];
    return names;
}

static int say_several(const char *word, const char *const *names, const char *found, size_t count)
{
    struct text list = {0};
    int listed = 0, begin_so = 1;
    for (size_t i = 0; i < count; i++) {
        if (!found[i]) continue;
        names_list(&list, listed++, names[i]);
        begin_so &= !strncmp(names[i], word, strlen(word));
    }
    names_list_rest(&list, listed);
    text_format(&list, begin_so ? "; '%s*' takes all that begin so" : "; name one", word);
    error(FAIL_USAGE, "'%s' matches several variants: %s", word, text_string(&list));
    text_free(&list);
    return FAIL_USAGE;
}

int registry_knows(const char *word)
{
    static char found[MOST_VARIANTS];
    size_t count;
    const char *const *names = all_names(&count);
    return names_select(word, names, count, found) != 0;
}

int registry_suggest(struct text *text, const char *word)
{
    size_t count;
    const char *const *names = all_names(&count);
    return names_suggest(text, word, names, count);
}

/* Replaces a word that is no pattern by the family or the variant that it means (base/names.h). */
static int resolve(const char **pattern)
{
    static char found[MOST_VARIANTS];
    const char *const word = *pattern;
    size_t count, at = 0;
    const char *const *names = all_names(&count);
    const int meant = names_select(word, names, count, found);
    if (meant < 0) return say_several(word, names, found, count);
    while (meant && !found[at]) at++;
    if (meant) *pattern = meant == 1 ? names[at] : all_variants()[at]->family;
    if (meant) return 0;
    struct text choices = {0};
    if (strpbrk(word, "*?[")) text_append(&choices, "a pattern must match the whole name; ");
    if (!registry_suggest(&choices, word) &&
        !names_list_family(&choices, "there are", word, names, count))
        text_append(&choices, "'whyfast list' names them all");
    error(FAIL_USAGE, "no family or variant matches '%s'; %s", word, text_string(&choices));
    text_free(&choices);
    return FAIL_USAGE;
}

/* Copies the patterns; the caller frees *patterns. */
static int resolve_patterns(const struct selection_options *options, const char ***patterns)
{
    *patterns = calloc((size_t)options->pattern_count + 1, sizeof **patterns);
    if (!*patterns) return error_memory();
    int result = 0;
    for (int p = 0; p < options->pattern_count && !result; p++) {
        (*patterns)[p] = options->patterns[p];
        if (!registry_matches(options->patterns[p])) result = resolve(&(*patterns)[p]);
    }
    return result;
}

/* ---- points ---------------------------------------------------------------------------------- */

/* `sweep` 0: any setting of the variant. */
static int wanted(const struct selection_options *options, const struct variant *variant, int sweep)
{
    if (options->pattern_count == 0) return 1;
    for (int p = 0; p < options->pattern_count; p++)
        if (pattern_matches(options->patterns[p], variant, sweep)) return 1;
    return 0;
}

/* ---- memory ---------------------------------------------------------------------------------- */

double family_array_bytes(const struct family *family, const struct shape *shape)
{
    double bytes =
        (double)family->output_bytes(shape) + (double)family_scratch_bytes(family, shape);
    for (int i = 0; i < family->input_count; i++) bytes += (double)family->input_bytes(shape, i);
    return bytes;
}

/* Refuses a size whose arrays no machine can hold: addresses have 47 bits. The bytes of a huge one
 * may overflow, so it is approached from a size with fewer than 2^40 elements, by doubling. */
static int check_memory(const struct family *family, const struct shape *shape)
{
    char size[72];
    for (int shift = 63; shift >= 0; shift--) {
        struct shape part = *shape;
        double elements = 1;
        for (int i = 0; i < part.rank; i++) {
            part.dim[i] = part.dim[i] >> shift ? part.dim[i] >> shift : 1;
            elements *= (double)part.dim[i];
        }
        if (shift && elements < 0x1p40) continue;
        const double bytes = family_array_bytes(family, &part);
        if (bytes > 0x1p47)
            return error(FAIL_USAGE,
                         "size %s of %s fits into no memory: its arrays take at least %.3g TiB",
                         shape_text(shape, size), family->name, ldexp(bytes, shift) / 0x1p40);
    }
    return 0;
}

/* ---- adding points --------------------------------------------------------------------------- */

/* A size that is given twice ("4096,2^12") counts once. */
int selection_add(struct selection *selection, const struct selected *selected)
{
    const int refused = check_memory(selected->family, &selected->point.shape);
    if (refused) return refused;
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

static int add_settings(struct selection *selection, const struct selection_options *options,
                        struct selected selected)
{
    const struct variant *variant = selected.variant;
    int result = 0;
    if (!variant->sweep_name) return selection_add(selection, &selected);
    for (int i = 0; variant->sweep_values[i] && !result; i++) {
        if (options->sweep && variant->sweep_values[i] != options->sweep) continue;
        if (!wanted(options, variant, variant->sweep_values[i])) continue;
        selected.point.sweep = variant->sweep_values[i];
        result = selection_add(selection, &selected);
    }
    return result;
}

/* Parses a size, of which a single number stands for all dimensions. */
static int parse_size(struct shape *shape, const char *size, int rank)
{
    const int is_single = size_rank(size) == 1,
              result = shape_parse(shape, size, is_single ? 1 : rank);
    for (int i = 1; i < rank && is_single; i++) shape->dim[i] = shape->dim[0];
    shape->rank = rank;
    return result;
}

/* A variant with figures that were published for another block size of the family is also measured
 * with that one, unless the caller asks for one block size or for the primary size alone. */
static int add_variant(struct selection *selection, const struct selection_options *options,
                       const struct family *family, const struct variant *variant, const char *size)
{
    struct selected selected = {.family = family, .variant = variant};
    int result = parse_size(&selected.point.shape, size, family->rank);
    if (result) return result;
    selected.point.block = options->block ? options->block : family->block_preset;
    result = add_settings(selection, options, selected);
    if (options->block || options->primary) return result;
    for (const struct published *p = variant->published;
         p < variant->published + PUBLISHED_COUNT && p->source && !result; p++) {
        struct shape shape;
        if (!p->block || !holds(family->blocks, p->block)) continue;
        result = shape_parse(&shape, p->size, family->rank);
        if (result || memcmp(&shape, &selected.point.shape, sizeof shape)) continue;
        selected.point.block = p->block;
        result = add_settings(selection, options, selected);
    }
    return result;
}

/* A setting applies to the variants that have it. Returns FAIL_USAGE if none has. */
static int check_setting(const struct selection *selection, const struct selection_options *options)
{
    const struct variant *without = NULL;
    for (int i = 0; all_variants()[i]; i++) {
        const struct variant *variant = all_variants()[i];
        if (!wanted(options, variant, 0) || has_setting(variant, options->sweep)) continue;
        if (selection->count > 0)
            note("%s/%s is left out: it has no setting %d", variant->family, variant->name,
                 options->sweep);
        if (!without) without = variant;
    }
    if (!without || selection->count > 0) return 0;
    return error(FAIL_USAGE, "variant %s/%s has no setting %d: %s", without->family, without->name,
                 options->sweep, without->sweep_text);
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
    for (int i = 0; all_variants()[i]; i++)
        if (!strcmp(all_variants()[i]->family, family->name) &&
            wanted(options, all_variants()[i], 0))
            return 1;
    return 0;
}

/* Returns 1 if a single number means a cube: no wanted family with the block size takes it as it
 * is. */
static int means_cubes(const struct selection_options *options)
{
    for (int i = 0; all_families()[i]; i++)
        if (all_families()[i]->rank == 1 && holds(all_families()[i]->blocks, options->block) &&
            is_wanted_family(options, all_families()[i]))
            return 0;
    return 1;
}

/* Returns 1 if the family has sizes of this number of dimensions, or if it has three and `cubes`
 * lets a single number stand for all of them. */
static int is_size_of(const struct family *family, const char *size, int cubes)
{
    const int rank = size_rank(size);
    return rank == family->rank || (cubes && rank == 1 && family->rank == 3);
}

/* Skips sizes of another number of dimensions. */
static int add_family(struct selection *selection, const struct selection_options *options,
                      const struct family *family, int cubes)
{
    const char *const primary[] = {primary_size(family), NULL};
    const char *const *sizes = options->size_count ? options->sizes
                               : options->primary  ? primary
                                                   : family->sizes;
    for (int s = 0; options->size_count ? s < options->size_count : sizes[s] != NULL; s++) {
        if (!is_size_of(family, sizes[s], cubes)) continue;
        for (int i = 0; all_variants()[i]; i++) {
            const struct variant *variant = all_variants()[i];
            if (strcmp(variant->family, family->name) || !wanted(options, variant, 0)) continue;
            if (options->primary && !options->pattern_count && variant->full_only) continue;
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

static void note_left_out(const struct family *family, const struct selection_options *options,
                          int cubes)
{
    int has_size = !options->size_count;
    for (int s = 0; s < options->size_count; s++)
        has_size |= is_size_of(family, options->sizes[s], cubes);
    if (!holds(family->blocks, options->block))
        note("%s is left out: it has no block size %d", family->name, options->block);
    else if (!has_size)
        note("%s is left out: its sizes look like %s", family->name, family->sizes[0]);
}

/* Refuses a size that no wanted family accepts, with the message for the first one. */
static int check_sizes(const struct selection_options *options, int cubes)
{
    for (int s = 0; s < options->size_count; s++) {
        const struct family *first = NULL;
        int accepted = 0;
        for (int i = 0; all_families()[i] && !accepted; i++) {
            if (!is_wanted_family(options, all_families()[i])) continue;
            accepted = is_size_of(all_families()[i], options->sizes[s], cubes);
            if (!first) first = all_families()[i];
        }
        struct shape shape;
        if (accepted || !first) continue;
        return first->rank > 1 || size_rank(options->sizes[s]) > 3
                   ? shape_parse(&shape, options->sizes[s], first->rank)
                   : error(FAIL_USAGE, "size '%s': sizes of %s have one dimension, as %s",
                           options->sizes[s], first->name, first->sizes[0]);
    }
    return 0;
}

/* Sizes and block sizes apply to the families that accept them. */
static int add_families(struct selection *selection, const struct selection_options *options)
{
    const int cubes = means_cubes(options);
    int result = check_sizes(options, cubes);
    for (int i = 0; all_families()[i] && !result; i++) {
        const struct family *family = all_families()[i];
        if (is_wanted_family(options, family) && holds(family->blocks, options->block))
            result = add_family(selection, options, family, cubes);
    }
    for (int i = 0; all_families()[i] && !result; i++) {
        const struct family *family = all_families()[i];
        if (!is_wanted_family(options, family) || has_family(selection, family)) continue;
        if (selection->count == 0)
            result = refuse(family, options);
        else
            note_left_out(family, options, cubes);
    }
    return result;
}

int selection_make(struct selection *selection, const struct selection_options *options)
{
    struct selection_options resolved = *options;
    struct size_list sizes = {.count = 0};
    const char **patterns;
    memset(selection, 0, sizeof *selection);
    int result = resolve_patterns(options, &patterns);
    if (!result) result = size_ranges_expand(&sizes, options->sizes, options->size_count);
    resolved.patterns = patterns;
    resolved.sizes = (const char *const *)sizes.size;
    resolved.size_count = sizes.count;
    if (!result) result = add_families(selection, &resolved);
    if (!result) result = check_setting(selection, &resolved);
    if (result) selection_free(selection);
    size_list_free(&sizes);
    free(patterns);
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
