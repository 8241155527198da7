/*
 * Implements contract_check of catalog/registry.h: checks the fields of families and variants.
 * Nothing is owned.
 */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "catalog/registry.h"

/* The file under examination, and the number of faults found so far. */
struct audit {
    const struct family *const *families;
    const struct variant *const *variants;
    char file[300];
    int faults;
};

/* Returns the line of a file at which its fields begin, or 0 if it cannot be read. */
static int line_of_fields(const char *path)
{
    char *text = text_read_file(path, NULL);
    const char *at = text ? strstr(text, "\nconst struct family") : NULL;
    if (text && !at) at = strstr(text, "\nVARIANT_");
    int line = at ? 2 : 0;
    for (const char *p = text; at && p < at; p++) line += *p == '\n';
    free(text);
    return line;
}

/* Reports a fault of the file unless `holds`. */
__attribute__((format(printf, 3, 4))) static void expect(struct audit *audit, int holds,
                                                         const char *format, ...)
{
    char fault[500];
    va_list arguments;
    if (holds) return;
    va_start(arguments, format);
    vsnprintf(fault, sizeof fault, format, arguments);
    va_end(arguments);
    const int line = line_of_fields(audit->file);
    if (line)
        error(FAIL_INPUT, "%s:%d: %s", audit->file, line, fault);
    else
        error(FAIL_INPUT, "%s: %s", audit->file, fault);
    audit->faults++;
}

struct need {
    int is_there;
    const char *field, *example;
};

static void expect_all(struct audit *audit, const struct need *need, size_t count)
{
    for (size_t i = 0; i < count; i++)
        expect(audit, need[i].is_there, ".%s is missing; add %s", need[i].field, need[i].example);
}

/* ---- families -------------------------------------------------------------------------------- */

/* The family's folder is that of its variants. */
static void name_family_file(struct audit *audit, const struct family *family)
{
    const char *name = family->name ? family->name : "";
    const struct own_family *own = registry_own(name);
    snprintf(audit->file, sizeof audit->file, "%s%s/family.c", own ? "" : "kernels/",
             own ? own->folder : name);
    for (int i = 0; audit->variants[i] && !own; i++) {
        const char *file = audit->variants[i]->file, *slash = file ? strrchr(file, '/') : NULL;
        if (!slash || strcmp(audit->variants[i]->family, name)) continue;
        snprintf(audit->file, sizeof audit->file, "%.*s/family.c", (int)(slash - file), file);
        return;
    }
}

static void check_sizes(struct audit *audit, const struct family *family)
{
    int found = !family->primary_size;
    for (int i = 0; family->sizes[i]; i++) {
        struct shape shape;
        found |= !found && !strcmp(family->sizes[i], family->primary_size);
        expect(audit, !shape_read(&shape, family->sizes[i], family->rank),
               ".sizes holds \"%s\"; expected %d whole numbers or powers such as 2^20, joined by "
               "'x'",
               family->sizes[i], family->rank);
    }
    expect(audit, found, ".primary_size is \"%s\", which is not one of .sizes",
           found ? "" : family->primary_size);
}

static void check_comparison(struct audit *audit, const struct family *family)
{
    const enum comparison comparison = family->comparison;
    const int is_known = (int)comparison >= 0 && comparison < COMPARISON_COUNT;
    expect(audit, comparison != COMPARE_UNSET,
           ".comparison is missing; add a value of enum comparison");
    expect(audit, is_known, ".comparison is not a value of enum comparison (catalog/variant.h)");
    expect(audit,
           comparison == COMPARE_UNSET || !is_known || !family->tolerance ||
               comparison_is_approximate(comparison),
           ".tolerance is for approximate comparisons; .comparison names an exact one");
}

static void check_family(struct audit *audit, const struct family *family)
{
    const int has_rank = family->rank >= 1 && family->rank <= SHAPE_RANK;
    const struct need needs[] = {
        {!!family->title, "title", "a few words for headings"},
        {!!family->problem, "problem",
         "one or two sentences for a reader who does not know the problem"},
        {!!family->sizes[0], "sizes", "the problem sizes of a run, e.g. {\"65536\", \"4194304\"}"},
        {!!family->useful_bytes_text, "useful_bytes_text",
         "words that explain what .useful_bytes counts"},
        {family->input_bytes || !family->input_count, "input_bytes",
         "the function that gives the bytes of each input"},
        {!!family->output_bytes, "output_bytes", "the function that gives the bytes of the output"},
        {!!family->useful_bytes, "useful_bytes",
         "the function that gives the least traffic of the problem, in bytes"},
        {!!family->useful_operations, "useful_operations",
         "the function that gives the least arithmetic of the problem, in operations"},
        {family->fill || !family->input_count, "fill",
         "the function that fills the inputs with random values"},
        {!!family->reference, "reference",
         "the function that computes the expected result on the CPU"},
        {family->tolerance || !comparison_is_approximate(family->comparison), "tolerance",
         "the function that gives the largest relative error to accept"},
    };
    name_family_file(audit, family);
    expect_all(audit, needs, sizeof needs / sizeof *needs);
    expect(audit, has_rank, ".rank must be 1, 2 or 3: the number of dimensions of a size");
    if (has_rank) check_sizes(audit, family);
    expect(audit, family->input_count >= 0 && family->input_count <= INPUT_COUNT,
           ".input_count must be at most 3");
    check_comparison(audit, family);
    expect(audit, (int)family->unit >= 0 && family->unit < UNIT_COUNT,
           ".unit is not a value of enum compute_unit (catalog/variant.h)");
    expect(audit, family->unit == UNIT_FP32 || family->rate == RATE_OPERATIONS,
           ".unit names the tensor cores; expected .rate to be RATE_OPERATIONS");
    int found = !family->blocks[0] && !family->block_preset;
    for (int i = 0; family->blocks[i]; i++) found |= family->blocks[i] == family->block_preset;
    expect(audit, found, ".block_preset is not one of .blocks");
}

/* ---- variants -------------------------------------------------------------------------------- */

static const struct variant *rung_before(const struct audit *audit, const struct variant *variant)
{
    for (int i = 0; variant->after && audit->variants[i]; i++) {
        const struct variant *other = audit->variants[i];
        if (!strcmp(other->family, variant->family) && !strcmp(other->name, variant->after))
            return other;
    }
    return NULL;
}

static void check_published(struct audit *audit, const struct variant *variant)
{
    for (int i = 0; i < PUBLISHED_COUNT && variant->published[i].source; i++) {
        const struct published *published = &variant->published[i];
        struct shape shape;
        int rank = 1;
        for (int f = 0; audit->families[f]; f++)
            if (!strcmp(audit->families[f]->name, variant->family)) rank = audit->families[f]->rank;
        expect(audit,
               published->device && published->time_ns > 0 && published->size &&
                   !shape_read(&shape, published->size, rank),
               "result number %d in .published needs a device, a time, and a size as in the "
               "family's .sizes",
               i + 1);
    }
}

static void check_failing(struct audit *audit, const struct variant *variant)
{
    const struct variant *before = rung_before(audit, variant);
    expect(audit, !before || !before->fails || variant->fails,
           ".after names \"%s\", which is expected to fail and so has no time to compare",
           variant->after);
    if (!variant->fails) return;
    expect(audit, variant->plan && !variant->sweep_name,
           ".fails is for kernels without a setting: leave out %s",
           variant->plan ? ".sweep_name" : ".call and .host");
}

static void check_after(struct audit *audit, const struct variant *variant)
{
    enum { MOST = 200 };
    const char *names[MOST];
    size_t count = 0;
    const struct variant *before = variant;
    for (int i = 0; i < MOST && before; i++) {
        before = rung_before(audit, before);
        if (before != variant) continue;
        expect(audit, 0, ".after leads back to this variant; leave it out in the first rung");
        return;
    }
    if (!variant->after || rung_before(audit, variant)) return;
    for (int i = 0; audit->variants[i] && count < MOST; i++)
        if (!strcmp(audit->variants[i]->family, variant->family) && audit->variants[i] != variant)
            names[count++] = audit->variants[i]->name;
    const char *nearest = text_nearest(variant->after, names, count);
    expect(audit, 0, ".after names \"%s\", which is not a variant of family %s%s%s%s",
           variant->after, variant->family, nearest ? "; did you mean \"" : "",
           nearest ? nearest : "", nearest ? "\"?" : "");
}

static void check_claims(struct audit *audit, const struct variant *variant)
{
    for (int i = 0; i < CLAIM_COUNT && variant->claims[i].says; i++) {
        const struct claim *claim = &variant->claims[i];
        expect(audit, claim->source && claim->place && claim->expect,
               "claim number %d in .claims lacks %s", i + 1,
               !claim->source  ? "a source"
               : !claim->place ? "the place in its source"
                               : "an expression that checks it");
    }
}

static const struct family *family_of(const struct audit *audit, const struct variant *variant)
{
    for (int i = 0; audit->families[i]; i++)
        if (!strcmp(audit->families[i]->name, variant->family)) return audit->families[i];
    return NULL;
}

static void check_variant(struct audit *audit, const struct variant *variant)
{
    const struct family *family = family_of(audit, variant);
    const int kinds = !!variant->plan + !!variant->call + !!variant->host;
    const struct need needs[] = {
        {!!variant->title, "title", "a few words for charts and headings"},
        {kinds > 0, "plan",
         "the function that plans a launch (or .call for a library, .host for the CPU)"},
        {!variant->sweep_name || variant->sweep_text, "sweep_text",
         "words that explain the setting"},
        {!variant->sweep_name || variant->sweep_values[0], "sweep_values",
         "the values of the setting"},
        {variant->sweep_name || !variant->sweep_values[0], "sweep_name", "the name of the setting"},
    };
    const struct own_family *own = registry_own(variant->family);
    snprintf(audit->file, sizeof audit->file, "%s%s", own ? own->folder : "",
             own ? strrchr(variant->file, '/') : variant->file);
    expect(audit, family != NULL, "there is no family %s; write its family.c", variant->family);
    expect_all(audit, needs, sizeof needs / sizeof *needs);
    expect(audit, kinds <= 1, "a variant must have only one of .plan, .call and .host");
    expect(audit, !family || !variant->tolerance || comparison_is_approximate(family->comparison),
           ".tolerance is for approximate comparisons; that of family %s is exact",
           variant->family);
    check_after(audit, variant);
    check_failing(audit, variant);
    check_claims(audit, variant);
    check_published(audit, variant);
}

int contract_check(const struct family *const *families, const struct variant *const *variants)
{
    struct audit audit = {.families = families, .variants = variants};
    for (int i = 0; families[i]; i++) check_family(&audit, families[i]);
    for (int i = 0; variants[i]; i++) {
        check_variant(&audit, variants[i]);
        const int is_last = !variants[i + 1] || strcmp(variants[i + 1]->file, variants[i]->file);
        if (!is_last || !text_matches("*/grid.cu", variants[i]->file)) continue; /* it is alone */
        expect(&audit, !variants[i][1].family,
               "%s is not found; write each name once, outside of quotes, as in CELL(01_base, ...)",
               variants[i][1].name);
    }
    return audit.faults ? FAIL_INPUT : 0;
}
