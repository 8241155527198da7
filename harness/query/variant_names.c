#include "query/variant_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/names.h"
#include "base/text.h"
#include "catalog/registry.h"
#include "run/recorded_runs.h"

int variant_names_add(void *context, const struct scope *row)
{
    struct variant_names *names = context;
    if (!ARRAY_GROWS(names->name, names->count)) return error_memory();
    names->name[names->count] = strdup(row->value[0]);
    if (!names->name[names->count]) return error_memory();
    names->count++;
    return 0;
}

void variant_names_free(struct variant_names *names)
{
    for (int i = 0; i < names->count; i++) free(names->name[i]);
    free(names->name);
    memset(names, 0, sizeof *names);
}

/* ---- the variant that a word names ----------------------------------------------------------- */

/* Finds the names that a word means or, if it may be several, selects (base/names.h); *marked is
 * what names_select returns. The strings belong to `names`; the caller frees only found->name. */
static int find_matches(const struct variant_names *names, const char *word, int selects,
                        struct variant_names *found, int *marked)
{
    const size_t count = (size_t)names->count;
    char *is_meant = calloc(count + 1, 1);
    *found = (struct variant_names){calloc(count + 1, sizeof *found->name), 0};
    if (!is_meant || !found->name) {
        free(is_meant);
        return error_memory();
    }
    const char *const *const name = (const char *const *)names->name;
    *marked = selects ? names_select(word, name, count, is_meant)
                      : (int)names_find(word, name, count, is_meant);
    for (size_t i = 0; i < count; i++)
        if (is_meant[i]) found->name[found->count++] = names->name[i];
    free(is_meant);
    return 0;
}

struct pieces {
    const struct variant_names *names;
    struct variant_names *found;
};

static int add_found(void *context, const struct scope *row)
{
    const struct pieces *pieces = context;
    for (int i = 0; i < pieces->names->count; i++)
        if (!strcmp(pieces->names->name[i], row->value[0]))
            pieces->found->name[pieces->found->count++] = pieces->names->name[i];
    return 0;
}

/* Adds the names of a program's kernels of which the word, behind a family, is a piece: of the
 * variant, or of the full name of the kernel regardless of blanks; then regardless of case. */
static int find_pieces(struct query *query, const struct variant_names *names, const char *word,
                       struct variant_names *found)
{
    static const char sql[] =
        "SELECT DISTINCT family || '/' || variant FROM launches WHERE family LIKE :family AND CASE "
        ":folds WHEN '0' THEN instr(variant, :key) OR instr(replace(kernel, ' ', ''), :piece) ELSE "
        "instr(lower(variant), lower(:key)) OR instr(lower(replace(kernel, ' ', '')), "
        "lower(:piece)) END";
    const char *const bare = names_bare(word);
    if (!run_fact(query->run, "program_starts")) return 0;
    char *family =
             text_new("%.*s", bare > word ? (int)(bare - word) - 1 : 1, bare > word ? word : "%"),
         *piece = strdup(bare), *key = strdup(bare), *to = piece;
    int result = family && piece && key ? 0 : error_memory();
    for (const char *from = bare; !result && (*to = *from); from++) to += *from != ' ';
    if (!result) names_key(bare, key);
    if (!result) result = QUERY_LOAD(query, TABLE_LAUNCHES);
    for (int folds = 0; folds < 2 && !result && !found->count && *piece; folds++) {
        const struct scope scope =
            SCOPE_OF(STRINGS("family", "piece", "key", "folds"),
                     STRINGS(family, piece, *key ? key : piece, folds ? "1" : "0"));
        struct pieces pieces = {names, found};
        result = query_each(query, NULL, sql, &scope, add_found, &pieces);
    }
    free(family);
    free(piece);
    free(key);
    return result;
}

static void list_names(struct text *text, const struct variant_names *names)
{
    for (int i = 0; i < names->count; i++) names_list(text, i, names->name[i]);
    names_list_rest(text, names->count);
}

/* Lists the variants of the word's family; for an unknown family all families, or the variants of
 * the only one. Returns the number of the word's variants. */
static int list_choices(struct text *text, const struct variant_names *known, const char *word)
{
    const char *const *const names = (const char *const *)known->name;
    const size_t count = (size_t)known->count;
    const int found = names_list_family(text, "it has", word, names, count);
    struct text families = {0};
    int listed = 0;
    for (size_t i = 0, length = 0; i < count && !found; i++) {
        if (i && !strncmp(names[i], names[i - 1], length + 1)) continue;
        length = (size_t)(names_bare(names[i]) - names[i]) - 1;
        text_format(&families, "%s%.*s", listed++ ? ", " : "its families are ", (int)length,
                    names[i]);
    }
    if (listed == 1)
        names_list_family(text, "it has", names[0], names, count);
    else
        text_append(text, text_string(&families));
    text_free_piece(&families, text);
    return found;
}

/* Says what helps with a word that names no known variant: how to measure a variant of this program
 * that the run lacks, the name nearest to a typo, or the names to choose from. */
static int say_unknown(const char *lacking, const struct variant_names *known, const char *word)
{
    struct text choices = {0};
    if (registry_knows(word))
        return error(FAIL_USAGE, "%s variant '%s'; to measure it: whyfast report '%s'", lacking,
                     word, word);
    if ((text_before(lacking, "has no") || !strncmp(lacking, "there is no run", 15)) &&
        directory_exists(word) && !variant_names_is_run(word))
        return error(FAIL_INPUT, "%s has no run.txt; expected a run directory", word);
    const int is_near =
        names_suggest(&choices, word, (const char *const *)known->name, (size_t)known->count);
    char *run = is_near ? NULL : recorded_nearest(word);
    if (run && !strcmp(run, word))
        text_append(&choices, "it is a run, and one too many");
    else if (run)
        text_format(&choices, "did you mean the run '%s'?", run);
    /* A word of no known family stands where a run could stand, too: for "RUN has no". */
    const int is_run =
        !is_near && !run && !list_choices(&choices, known, word) && text_before(lacking, "has no");
    free(run);
    if (is_run)
        error(FAIL_USAGE, "there is no run '%s', and %s variant of this name; %s", word, lacking,
              text_string(&choices));
    else
        error(FAIL_USAGE, "%s variant '%s'; %s", lacking, word, text_string(&choices));
    text_free(&choices);
    return FAIL_USAGE;
}

/* The run has the variant, but not the data. */
static int say_lacking(struct query *query, const struct variant_names_search *search,
                       const char *lacking, const char *variant, const char *others)
{
    const struct scope scope = SCOPE_OF(STRINGS("name"), STRINGS(variant));
    char *fails = NULL;
    int result = query_text(query, NULL,
                            "SELECT fails FROM variants WHERE family || '/' || variant = :name AND "
                            "fails IS NOT NULL LIMIT 1",
                            &scope, &fails);
    if (!result)
        result = fails ? error(FAIL_INPUT,
                               "%s %s of %s: it is expected to fail, so that it is neither "
                               "compared nor counted",
                               lacking, search->wanted, variant)
                       : error(FAIL_INPUT, "%s %s of %s; it has that of %s", lacking,
                               search->wanted, variant, others);
    free(fails);
    return result;
}

/* The word names none of the variants of the search: it names another variant, or is a typo. */
static int say_without(struct query *query, const struct variant_names_search *search,
                       const struct variant_names *with, const char *word)
{
    struct variant_names known = {0}, found = {0};
    int marked;
    struct text list = {0}, lacking = {0};
    char *sql = text_new("SELECT family || '/' || variant FROM variants UNION SELECT * FROM (%s)",
                         search->sql);
    int result =
        sql ? query_each(query, NULL, sql, NULL, variant_names_add, &known) : error_memory();
    free(sql);
    if (!result) result = find_matches(&known, word, 0, &found, &marked);
    if (!result && !found.count) result = find_pieces(query, &known, word, &found);
    list_names(&list, with);
    text_format(&lacking, "%s has no", recorded_title(query->run));
    if (!result && (list.failed || lacking.failed)) result = error_memory();
    if (!result && found.count)
        result = say_lacking(query, search, text_string(&lacking), found.name[0],
                             list.length ? text_string(&list) : "no variant");
    else if (!result)
        result = say_unknown(text_string(&lacking), &known, word);
    text_free(&lacking);
    text_free(&list);
    free(found.name);
    variant_names_free(&known);
    return result;
}

static int say_several(const struct variant_names *found, const char *word, int takes_all)
{
    struct text list = {0};
    list_names(&list, found);
    for (int i = 0; i < found->count; i++)
        takes_all &= !strncmp(found->name[i], word, strlen(word));
    text_format(&list, takes_all ? "; '%s*' takes all that begin so" : "; name one", word);
    const int result = list.failed ? error_memory()
                                   : error(FAIL_USAGE, "'%s' matches several variants: %s", word,
                                           text_string(&list));
    text_free(&list);
    return result;
}

int variant_names_find(struct query *query, const struct variant_names_search *search,
                       const char *word, char **name)
{
    struct variant_names names = {0}, found = {0};
    int marked, result = query_each(query, NULL, search->sql, NULL, variant_names_add, &names);
    *name = NULL;
    if (!result) result = find_matches(&names, word, 0, &found, &marked);
    if (!result && found.count == 0) result = find_pieces(query, &names, word, &found);
    if (!result && found.count == 0) result = say_without(query, search, &names, word);
    if (!result && found.count > 1) result = say_several(&found, word, 0);
    if (!result) {
        *name = strdup(found.name[0]);
        if (!*name) result = error_memory();
    }
    free(found.name);
    variant_names_free(&names);
    return result;
}

/* ---- the variants that a pattern matches ----------------------------------------------------- */

int variant_names_match(const struct variant_names *known, const char *pattern)
{
    struct variant_names found;
    int marked = 0;
    find_matches(known, pattern, 1, &found, &marked);
    free(found.name);
    return marked != 0;
}

int variant_names_want(struct query *query, const struct variant_names *known, const char *pattern,
                       const char *lacking)
{
    struct variant_names found;
    int marked, result = find_matches(known, pattern, 1, &found, &marked);
    const int is_piece = !result && !marked;
    if (is_piece) result = find_pieces(query, known, pattern, &found);
    if (!result && !found.count) result = say_unknown(lacking, known, pattern);
    if (!result && found.count > 1 && (marked < 0 || is_piece))
        result = say_several(&found, pattern, 1);
    for (int i = 0; i < found.count && !result; i++)
        result = query_write(query, "INSERT INTO wanted VALUES(%Q)", found.name[i]);
    free(found.name);
    return result;
}

int variant_names_is_run(const char *word)
{
    return run_is_at(word) || (*word && strchr("/.", *word));
}

int variant_names_check_runs(const char *command, const char *const *words, int count)
{
    for (int i = 0; i < count; i++)
        if (!variant_names_is_run(words[i]) && registry_knows(words[i]))
            return error(FAIL_USAGE, "%s: at most two variants; there is no run '%s'", command,
                         words[i]);
    return 0;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

int size_list(const char *size, char list[SIZE_LIST])
{
    struct shape shape;
    char digits[72];
    const int rank = size_rank(size), is_as_run = !strcmp(size, SIZE_AS_RUN),
              result = is_as_run ? 0 : shape_parse(&shape, size, rank > 3 ? 3 : rank);
    if (result) return result;
    snprintf(list, SIZE_LIST, ",%s,", is_as_run ? size : shape_text(&shape, digits));
    if (rank == 1 && !is_as_run) {
        shape = (struct shape){.rank = 3, .dim = {shape.dim[0], shape.dim[0], shape.dim[0]}};
        const size_t length = strlen(list);
        snprintf(list + length, SIZE_LIST - length, "%s,", shape_text(&shape, digits));
    }
    return 0;
}

static int want_size(struct query *query, const char *sizes, const char *size, int *found)
{
    char list[SIZE_LIST];
    int result = size_list(size, list);
    if (!result)
        result = query_write(query,
                             "INSERT INTO wanted_sizes SELECT DISTINCT size FROM (%s) WHERE "
                             "instr(%Q, ',' || size || ',') > 0",
                             sizes, list);
    *found = !result && sqlite3_changes(query->database) > 0;
    return result;
}

static int say_no_size(struct query *query, const char *sizes, const char *size, const char *owner,
                       const char *lacks)
{
    struct variant_names there = {0};
    struct text list = {0};
    char *sql =
        text_new("SELECT size FROM (%s) GROUP BY size ORDER BY CAST(size AS INTEGER), size", sizes);
    int result =
        sql ? query_each(query, NULL, sql, NULL, variant_names_add, &there) : error_memory();
    if (there.count) text_append(&list, "the sizes are ");
    list_names(&list, &there);
    if (!result)
        result = error(FAIL_USAGE, "--size: %s %s size %s; %s", owner, lacks, size,
                       list.length ? text_string(&list) : "there is none");
    text_free(&list);
    free(sql);
    variant_names_free(&there);
    return result;
}

int variant_names_want_sizes(struct query *query, const char *sizes, const char *const *size,
                             int count, const char *owner, const char *lacks)
{
    int result = 0, found = 1;
    for (int i = 0; i < count && !result; i++) {
        result = want_size(query, sizes, size[i], &found);
        if (!result && !found) result = say_no_size(query, sizes, size[i], owner, lacks);
    }
    return result;
}
