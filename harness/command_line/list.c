#include "command_line/list.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/message.h"
#include "base/terminal.h"
#include "base/text.h"
#include "catalog/point_key.h"
#include "catalog/records.h"
#include "catalog/registry.h"
#include "evaluate/metric_checks.h"
#include "query/number_texts.h"

/* ---- variants -------------------------------------------------------------------------------- */

/* The path of the source: below kernels/, or in the folder of a family outside of the tree. */
static struct path file_of(const struct variant *variant)
{
    const struct own_family *own = registry_own(variant->family);
    return path_of("%s%s", own ? own->folder : "",
                   own ? strrchr(variant->file, '/') : variant->file);
}

const struct print_column list_columns[LIST_COLUMNS] = {
    {.name = "ladder", .head = "", .place = PRINT_GROUP, .is_shown_only = 1},
    {.name = "family"},
    {.name = "variant", .head = ""},
    {.name = "rung", .kind = PRINT_NUMBER},
    {.name = "title", .head = "", .place = PRINT_PATHS},
    {.name = "after"},
    {.name = "file"},
};

static void add_variant(struct print_table *table, const struct variant *variant)
{
    char *ladder = text_new("%s: %s", variant->family, registry_family(variant->family)->title);
    print_table_text(table, ladder);
    print_table_text(table, variant->family);
    print_table_text(table, variant->name);
    print_table_number(table, variant_rung(variant->name));
    print_table_text(table, variant->title);
    print_table_text(table, variant->after);
    print_table_text(table, file_of(variant).at);
    table->failed |= !ladder;
    free(ladder);
}

static int list_variants(const struct arguments *arguments)
{
    struct print_table table = {.name = "variants", list_columns, LIST_COLUMNS};
    for (int f = 0; all_families()[f]; f++)
        for (int i = 0; all_variants()[i]; i++)
            if (!strcmp(all_variants()[i]->family, all_families()[f]->name))
                add_variant(&table, all_variants()[i]);
    const int result = print_table_print(&table, arguments_form(arguments), "list/1", stdout);
    print_table_free(&table);
    return result;
}

/* In the unit that the family's speed is given in. */
static void print_speed(const struct family *family, const struct published *published)
{
    struct shape shape;
    if (family->rate == RATE_OPERATIONS && !shape_parse(&shape, published->size, family->rank))
        printf(", %.3g TFLOP/s", family->useful_operations(&shape) / published->time_ns / 1e3);
    else if (published->effective_gbs > 0)
        printf(", %g GB/s", published->effective_gbs);
}

static void print_setting(const struct variant *variant, int sweep)
{
    struct text text = {0};
    char value[16];
    snprintf(value, sizeof value, "%d", sweep);
    number_text_append_setting(&text, variant->sweep_name, variant->sweep_text, value);
    printf(", %s", text_string(&text));
    text_free(&text);
}

static void describe_variant(const struct variant *variant)
{
    printf("%s/%s: %s\n", variant->family, variant->name, variant->title);
    if (variant->suffers) printf("  suffers  %s\n", variant->suffers);
    if (variant->changes) printf("  changes  %s\n", variant->changes);
    if (variant->pays) printf("  pays     %s\n", variant->pays);
    if (variant->fails) printf("  fails    %s\n", variant->fails);
    if (variant->sweep_name) {
        printf("  sweep    %s: %s:", variant->sweep_name, variant->sweep_text);
        for (int i = 0; variant->sweep_values[i]; i++) printf(" %d", variant->sweep_values[i]);
        puts("");
    }
    for (int i = 0; i < CLAIM_COUNT && variant->claims[i].says; i++)
        printf("  claim    %s\n           %s, %s\n           expects: %s\n",
               variant->claims[i].says, variant->claims[i].source, variant->claims[i].place,
               variant->claims[i].expect);
    for (int i = 0; i < PUBLISHED_COUNT && variant->published[i].source; i++) {
        const struct published *published = &variant->published[i];
        printf("  printed  %s, %s, size %s: %g ms", published->source, published->device,
               published->size, published->time_ns / 1e6);
        print_speed(registry_family(variant->family), published);
        if (published->row) printf(", %s", published->row);
        if (published->block) printf(", block %d", published->block);
        if (published->sweep) print_setting(variant, published->sweep);
        puts("");
    }
    printf("  file     %s\n", file_of(variant).at);
}

/* Describes the variants or, for CSV and JSON, lists them. */
static int describe_variants(const struct arguments *arguments)
{
    struct selection_options options = {.patterns = arguments->positional,
                                        .pattern_count = arguments->positional_count,
                                        .primary = 1};
    const enum print_form form = arguments_form(arguments);
    struct print_table table = {.name = "variants", list_columns, LIST_COLUMNS};
    struct selection selection;
    const struct variant *last = NULL;
    if (!all_variants()[0])
        return error(FAIL_GPU, "whyfast-gpu, which was not built, has the variants: it needs CUDA");
    int result = selection_make(&selection, &options);
    if (result) return result;
    for (int i = 0; i < selection.count; i++) {
        const struct variant *variant = selection.points[i].variant;
        if (variant == last) continue; /* in another setting */
        if (form != PRINT_SCREEN) {
            add_variant(&table, variant);
        } else {
            if (last) puts("");
            describe_variant(variant);
        }
        last = variant;
    }
    if (form != PRINT_SCREEN) result = print_table_print(&table, form, "list/1", stdout);
    print_table_free(&table);
    selection_free(&selection);
    return result;
}

/* ---- metrics --------------------------------------------------------------------------------- */

static const char *definition(const struct record *record)
{
    const char *formula = record_field(record, "formula");
    const char *from = record_field(record, "from");
    return formula                      ? formula
           : from                       ? from
           : record->kind == RECORD_SET ? record_field(record, "collector")
                                        : "";
}

static const struct print_column metric_columns[] = {
    {.name = "kind", .head = ""},
    {.name = "name", .head = ""},
    {.name = "unit", .head = "", .place = PRINT_WORDS},
    {.name = "set"},
    {.name = "definition"},
    {.name = "means", .head = "", .place = PRINT_NOTE},
};

static void add_metric(struct print_table *table, const struct record *record)
{
    print_table_text(table, record_kind_name(record->kind));
    print_table_text(table, record->name);
    print_table_text(table, record_field(record, "unit"));
    print_table_text(table, record_field(record, "set"));
    print_table_text(table, definition(record));
    print_table_text(table, record_field(record, "means"));
}

static int list_metrics(const struct records *records, enum print_form form)
{
    struct print_table table = {.name = "metrics", PRINT_COLUMNS_OF(metric_columns)};
    for (int i = 0; i < records->count; i++)
        if (records->record[i].kind <= RECORD_METRIC) /* no devices, terms and so on */
            add_metric(&table, &records->record[i]);
    const int result = print_table_print(&table, form, "list.metrics/1", stdout);
    print_table_free(&table);
    return result;
}

/* The checks that may leave a column empty. */
static void describe_checks(const struct records *records, const char *name)
{
    for (int i = 0; i < records->count; i++) {
        const struct record *record = &records->record[i];
        if (record->kind == RECORD_CHECK && metric_checks_empties(record, name, strlen(name)))
            printf("  %-10s %s: %s\n", record_kind_name(record->kind), record->name,
                   record_field(record, "holds"));
    }
}

/* Adds the records of this name to the table or, for NULL, prints them. Returns how many. */
static int describe_metric(const struct records *records, const char *name,
                           struct print_table *table)
{
    int found = 0;
    for (int i = 0; i < records->count; i++) {
        const struct record *record = &records->record[i];
        if (record->kind == RECORD_DEVICE || !text_matches(name, record->name)) continue;
        if (table) {
            add_metric(table, record), found++;
            continue;
        }
        printf("%s%s %s\n", found++ ? "\n" : "", record_kind_name(record->kind), record->name);
        for (int f = 0; f < record->field_count; f++)
            printf("  %-10s %s\n", record->field[f].key, record->field[f].value);
        if (records_is_column(records, record->name)) describe_checks(records, record->name);
    }
    return found;
}

/* Returns 1 for a word that is, or may be a typo of, the name of a variant. */
static int may_be_variant(const char *word)
{
    struct text names = {0};
    const int found = strchr(word, '/') || registry_knows(word) || registry_suggest(&names, word);
    text_free(&names);
    return found;
}

/* One name after another: a metric or cause, else variants. CSV and JSON are of one kind alone. */
static int list_names(const struct records *records, const struct arguments *arguments)
{
    static const char *const plurals[] = {"variants", "families", "kernels", "metrics"};
    const enum print_form form = arguments_form(arguments);
    const int is_data = form != PRINT_SCREEN;
    struct print_table table = {.name = "metrics", PRINT_COLUMNS_OF(metric_columns)};
    int result = 0;
    for (int i = 0; i < arguments->positional_count && !result; i++) {
        const char *name = arguments->positional[i];
        const struct arguments one = {.positional = {name}, .positional_count = 1};
        if ((!is_data || !registry_matches(name)) &&
            describe_metric(records, name, is_data ? &table : NULL))
            continue;
        if (is_data && !table.count && may_be_variant(name)) return describe_variants(arguments);
        const char *list = registry_knows(name)
                               ? NULL
                               : text_nearest(name, plurals, sizeof plurals / sizeof *plurals);
        if (list)
            result =
                error(FAIL_USAGE, "there is no '%s' to list; did you mean 'list %s'?", name, list);
        /* A typo is told of the kind that has something like it; variants first, because their
         * names are the longer ones, and have slashes. */
        else
            result = may_be_variant(name) && !is_data ? describe_variants(&one)
                                                      : records_unknown_metric(records, name);
    }
    if (!result && table.count) result = print_table_print(&table, form, "list.metrics/1", stdout);
    print_table_free(&table);
    return result;
}

/* Words for lists, in the singular. */
static const char *const lists[] = {"variant", "family", "familie", "ladder", "kernel",
                                    "rung",    "step",   "metric",  "counter"};
enum { LISTS = sizeof lists / sizeof *lists, FIRST_OF_METRICS = LISTS - 2 };

/* Returns the index of the list that a word names, in the singular or the plural, or -1. */
static int find_list(const char *word)
{
    for (int i = 0; i < LISTS; i++) {
        const size_t length = strlen(lists[i]);
        if (!strncasecmp(word, lists[i], length) &&
            (!word[length] || !strcasecmp(word + length, "s")))
            return i;
    }
    return -1;
}

enum list_kind list_asks(const struct arguments *arguments)
{
    const char *what = arguments->positional_count ? arguments->positional[0] : "variants";
    const int list = arguments->positional_count > 1 ? -1 : find_list(what);
    return list < 0 ? LIST_NAMES : list < FIRST_OF_METRICS ? LIST_ALL_VARIANTS : LIST_METRICS;
}

int list_command(const struct arguments *arguments)
{
    const enum list_kind kind = list_asks(arguments);
    struct records records;
    if (kind == LIST_ALL_VARIANTS) return list_variants(arguments);
    int result = records_read_own(&records);
    if (result) return result;
    result = kind == LIST_METRICS ? list_metrics(&records, arguments_form(arguments))
                                  : list_names(&records, arguments);
    records_free(&records);
    return result;
}
