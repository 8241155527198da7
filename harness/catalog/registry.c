#include "catalog/registry.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"

/* ---- families outside of the tree ------------------------------------------------------------ */

enum { MOST_OWN = 16 };

static const struct own_family *own_families[MOST_OWN];
static int own_count;
static const struct family **families; /* NULL: those of the tree */
static const struct variant **variants;

const struct family *const *all_families(void)
{
    return families ? families : registry_families;
}

const struct variant *const *all_variants(void)
{
    return variants ? variants : registry_variants;
}

const struct own_family *registry_own(const char *name)
{
    for (int i = 0; i < own_count; i++)
        if (!strcmp(own_families[i]->name, name)) return own_families[i];
    return NULL;
}

const struct own_family *registry_own_of_file(const char *file)
{
    static const char root[] = "kernels/";
    if (strncmp(file, root, strlen(root))) return NULL;
    const char *name = file + strlen(root);
    for (int i = 0; i < own_count; i++) {
        const size_t length = strlen(own_families[i]->name);
        if (!strncmp(own_families[i]->name, name, length) && name[length] == '/')
            return own_families[i];
    }
    return NULL;
}

static int by_name(const void *a, const void *b)
{
    const struct family *const *left = a, *const *right = b;
    return strcmp((*left)->name, (*right)->name);
}

static int by_full_name(const void *a, const void *b)
{
    const struct variant *const *left = a, *const *right = b;
    const int order = strcmp((*left)->family, (*right)->family);
    return order ? order : strcmp((*left)->name, (*right)->name);
}

int registry_add(const struct own_family *own)
{
    size_t family_count = 0, variant_count = 0;
    const struct family *const *old_families = all_families();
    const struct variant *const *old_variants = all_variants();
    if (registry_own(own->name))
        return error(FAIL_USAGE, "%s and %s are both named %s; rename one of the folders",
                     registry_own(own->name)->folder, own->folder, own->name);
    if (own_count == MOST_OWN) return error(FAIL_USAGE, "more than %d folders", MOST_OWN);
    while (old_families[family_count]) family_count++;
    while (old_variants[variant_count]) variant_count++;
    const struct family **new_families = calloc(family_count + 2, sizeof *new_families);
    const struct variant **new_variants =
        calloc(variant_count + (size_t)own->variant_count + 1, sizeof *new_variants);
    if (!new_families || !new_variants) {
        free(new_families);
        free(new_variants);
        return error_memory();
    }
    family_count = variant_count = 0;
    for (; *old_families; old_families++)
        if (strcmp((*old_families)->name, own->name)) new_families[family_count++] = *old_families;
    for (; *old_variants; old_variants++)
        if (strcmp((*old_variants)->family, own->name))
            new_variants[variant_count++] = *old_variants;
    new_families[family_count++] = own->family;
    for (int i = 0; i < own->variant_count; i++) new_variants[variant_count++] = own->variants[i];
    qsort(new_families, family_count, sizeof *new_families, by_name);
    qsort(new_variants, variant_count, sizeof *new_variants, by_full_name);
    free(families);
    free(variants);
    families = new_families;
    variants = new_variants;
    own_families[own_count++] = own;
    return 0;
}

/* ---- names and sizes ------------------------------------------------------------------------- */

const struct family *registry_family(const char *name)
{
    for (int i = 0; all_families()[i]; i++)
        if (!strcmp(all_families()[i]->name, name)) return all_families()[i];
    return NULL;
}

const struct variant *registry_variant(const char *family, const char *name)
{
    for (int i = 0; all_variants()[i]; i++)
        if (!strcmp(all_variants()[i]->family, family) && !strcmp(all_variants()[i]->name, name))
            return all_variants()[i];
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

/* Returns the exponent of "1024^3", else 0; that of "2^22" is a factor's. */
static int written_power(const char *size)
{
    char *end;
    if (*size < '0' || *size > '9') return 0;
    errno = 0;
    const unsigned long long base = strtoull(size, &end, 10);
    if (errno || base <= 2 || end[0] != '^') return 0;
    return (end[1] == '2' || end[1] == '3') && !end[2] ? end[1] - '0' : 0;
}

int size_rank(const char *size)
{
    int rank = written_power(size);
    if (rank) return rank;
    for (rank = 1; *size; size++) rank += *size == 'x';
    return rank;
}

int shape_read(struct shape *shape, const char *text, int rank)
{
    memset(shape, 0, sizeof *shape);
    shape->rank = rank;
    if (written_power(text) == rank && rank) {
        for (int i = 0; i < rank; i++) shape->dim[i] = strtoull(text, NULL, 10);
        return 0;
    }
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
    const int is_product = strchr(size, 'x') != NULL;
    int length = 0;
    buffer[0] = 0;
    if (!strcmp(size, SIZE_AS_RUN)) return strcpy(buffer, "as run");
    for (char *end; *size && length < 72; size = end + (*end == 'x')) {
        const unsigned long long factor = strtoull(size, &end, 10);
        if (end == size) break;
        const int is_power = !is_product && factor >= 1024 && (factor & (factor - 1)) == 0;
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

void variant_full_name(const struct variant *variant, char buffer[160])
{
    snprintf(buffer, 160, "%s/%s", variant->family, variant->name);
}

void point_write(struct csv_writer *writer, const struct variant *variant,
                 const struct point *point)
{
    char size[72];
    CSV_TEXTS(writer, variant->family, variant->name, shape_text(&point->shape, size));
    CSV_INTEGERS(writer, point->block, point->sweep, point->device);
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
    *count = variant->fails || on_cpu ? 2 : variant_launches(variant, point) > 1 ? 4 : 3;
    return on_cpu ? cpu : gpu;
}
