#include "catalog/contract.h"

#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "catalog/registry.h"

/* The file under examination, and the number of faults found so far. */
struct examination {
    const struct family *const *families;
    const struct variant *const *variants;
    char file[300];
    int faults;
};

static void fault(struct examination *examination, const char *field, const char *advice)
{
    error(FAIL_INPUT, "%s: .%s %s", examination->file, field, advice);
    examination->faults++;
}

static void require(struct examination *examination, int is_there, const char *field,
                    const char *example)
{
    char advice[300];
    snprintf(advice, sizeof advice, "is missing; add %s", example);
    if (!is_there) fault(examination, field, advice);
}

/* ---- families -------------------------------------------------------------------------------- */

/* The family's folder is that of its variants. */
static void name_family_file(struct examination *examination, const struct family *family)
{
    const char *name = family->name ? family->name : "";
    snprintf(examination->file, sizeof examination->file, "kernels/%s/family.c", name);
    for (int i = 0; examination->variants[i]; i++) {
        const char *file = examination->variants[i]->file,
                   *slash = file ? strrchr(file, '/') : NULL;
        if (!slash || strcmp(examination->variants[i]->family, name)) continue;
        snprintf(examination->file, sizeof examination->file, "%.*s/family.c", (int)(slash - file),
                 file);
        return;
    }
}

static void check_sizes(struct examination *examination, const struct family *family)
{
    int found = !family->primary_size;
    char advice[300];
    for (int i = 0; family->sizes[i]; i++) {
        struct shape shape;
        found |= !found && !strcmp(family->sizes[i], family->primary_size);
        if (!shape_read(&shape, family->sizes[i], family->rank)) continue;
        snprintf(advice, sizeof advice,
                 "holds \"%s\"; expected %d whole numbers or powers such as 2^20, joined by 'x'",
                 family->sizes[i], family->rank);
        fault(examination, "sizes", advice);
    }
    snprintf(advice, sizeof advice, "is \"%s\", which is none of .sizes; name one of them",
             found ? "" : family->primary_size);
    if (!found) fault(examination, "primary_size", advice);
}

static void check_block(struct examination *examination, const struct family *family)
{
    int found = !family->blocks[0] && !family->block_preset;
    for (int i = 0; family->blocks[i]; i++) found |= family->blocks[i] == family->block_preset;
    if (!found) fault(examination, "block_preset", "is none of .blocks; name one of them");
}

static int is_known_comparison(enum comparison comparison)
{
    return (int)comparison >= 0 && comparison < COMPARISON_COUNT;
}

static void check_family(struct examination *examination, const struct family *family)
{
    name_family_file(examination, family);
    require(examination, family->title != NULL, "title", "a few words for headings");
    require(examination, family->problem != NULL, "problem",
            "one or two sentences for a reader who has never seen the problem");
    require(examination, family->sizes[0] != NULL, "sizes",
            "the problem sizes of a run, e.g. {\"65536\", \"4194304\"}");
    require(examination, family->useful_bytes_text != NULL, "useful_bytes_text",
            "the words that say what .useful_bytes counts");
    require(examination, family->input_bytes != NULL || family->input_count == 0, "input_bytes",
            "the function that gives the bytes of each input");
    require(examination, family->output_bytes != NULL, "output_bytes",
            "the function that gives the bytes of the output");
    require(examination, family->useful_bytes != NULL, "useful_bytes",
            "the function that gives the least traffic of the problem, in bytes");
    require(examination, family->useful_operations != NULL, "useful_operations",
            "the function that gives the least arithmetic of the problem, in operations");
    require(examination, family->fill != NULL || family->input_count == 0, "fill",
            "the function that fills the inputs with random values");
    require(examination, family->reference != NULL, "reference",
            "the function that computes the right result on the CPU");
    require(examination,
            family->tolerance != NULL || !comparison_is_approximate(family->comparison),
            "tolerance", "the function that gives the largest relative error that is right");
    if (family->rank < 1 || family->rank > SHAPE_RANK)
        fault(examination, "rank", "must be 1, 2 or 3: the number of dimensions of a size");
    else
        check_sizes(examination, family);
    if (family->input_count < 0 || family->input_count > INPUT_COUNT)
        fault(examination, "input_count", "must be at most 3");
    if (family->comparison == COMPARE_UNSET)
        fault(examination, "comparison",
              "is missing; add the kind by which a result is right (enum comparison)");
    else if (!is_known_comparison(family->comparison))
        fault(examination, "comparison", "is none of enum comparison (catalog/variant.h)");
    else if (family->tolerance && !comparison_is_approximate(family->comparison))
        fault(examination, "tolerance",
              "is for approximate comparisons; .comparison names an exact one");
    check_block(examination, family);
}

/* ---- variants -------------------------------------------------------------------------------- */

static int has_family(const struct examination *examination, const char *name)
{
    for (int i = 0; examination->families[i]; i++)
        if (!strcmp(examination->families[i]->name, name)) return 1;
    return 0;
}

static const struct variant *rung_before(const struct examination *examination,
                                         const struct variant *variant)
{
    for (int i = 0; variant->after && examination->variants[i]; i++) {
        const struct variant *other = examination->variants[i];
        if (!strcmp(other->family, variant->family) && !strcmp(other->name, variant->after))
            return other;
    }
    return NULL;
}

static void check_after(struct examination *examination, const struct variant *variant)
{
    enum { MOST = 200 };
    char advice[300];
    const char *names[MOST];
    size_t count = 0;
    const struct variant *before = variant;
    for (int i = 0; i < MOST && before; i++) {
        before = rung_before(examination, before);
        if (before != variant) continue;
        fault(examination, "after", "leads back to this variant; the first rung names none");
        return;
    }
    if (!variant->after || rung_before(examination, variant)) return;
    for (int i = 0; examination->variants[i] && count < MOST; i++)
        if (!strcmp(examination->variants[i]->family, variant->family) &&
            examination->variants[i] != variant)
            names[count++] = examination->variants[i]->name;
    const char *nearest = text_nearest(variant->after, names, count);
    snprintf(advice, sizeof advice, "names \"%s\", which is no variant of family %s%s%s%s",
             variant->after, variant->family, nearest ? "; did you mean \"" : "",
             nearest ? nearest : "", nearest ? "\"?" : "");
    fault(examination, "after", advice);
}

static void check_claims(struct examination *examination, const struct variant *variant)
{
    for (int i = 0; i < CLAIM_COUNT && variant->claims[i].says; i++) {
        const struct claim *claim = &variant->claims[i];
        char advice[300];
        const char *missing = !claim->source   ? "a source"
                              : !claim->place  ? "the place in its source"
                              : !claim->expect ? "an expression that checks it"
                                               : NULL;
        snprintf(advice, sizeof advice, "number %d lacks %s", i + 1, missing ? missing : "");
        if (missing) fault(examination, "claims", advice);
    }
}

static void check_variant(struct examination *examination, const struct variant *variant)
{
    const int kinds = (variant->plan != NULL) + (variant->call != NULL) + (variant->host != NULL);
    snprintf(examination->file, sizeof examination->file, "%s", variant->file);
    require(examination, variant->title != NULL, "title", "a few words for charts and headings");
    if (!has_family(examination, variant->family)) {
        error(FAIL_INPUT, "%s: there is no family %s; write its family.c", variant->file,
              variant->family);
        examination->faults++;
    }
    if (kinds == 0)
        fault(examination, "plan",
              "is missing; add the function that plans a launch (or .call for a library, .host for "
              "the CPU)");
    if (kinds > 1)
        fault(examination, "plan", "excludes .call and .host: a variant has one of them");
    require(examination, !variant->sweep_name || variant->sweep_text, "sweep_text",
            "the words that say what the setting counts");
    require(examination, !variant->sweep_name || variant->sweep_values[0], "sweep_values",
            "the values of the setting");
    require(examination, variant->sweep_name || !variant->sweep_values[0], "sweep_name",
            "the name of the setting");
    check_after(examination, variant);
    check_claims(examination, variant);
}

int contract_check(const struct family *const *families, const struct variant *const *variants)
{
    struct examination examination = {.families = families, .variants = variants};
    for (int i = 0; families[i]; i++) check_family(&examination, families[i]);
    for (int i = 0; variants[i]; i++) check_variant(&examination, variants[i]);
    return examination.faults ? FAIL_INPUT : 0;
}
