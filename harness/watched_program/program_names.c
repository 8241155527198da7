#include "watched_program/program_names.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/names.h"
#include "base/text.h"
#include "catalog/registry.h"
#include "machine_code/kernel_label.h"
#include "machine_code/kernel_name.h"

/* Characters of a family before a number, and of what is behind the name of a variant. */
enum { MOST_NAME = 56, MOST_SUFFIX = 24 };

/* Copies letters, digits, '_', '.' and '-' of a text as a name of at most `most` characters; others
 * become '_'. */
static void make_name(char name[PROGRAM_NAME], const char *from, size_t most)
{
    size_t length = 0;
    for (; *from && length < most; from++) {
        const unsigned char byte = (unsigned char)*from;
        const int is_plain = byte < 128 && (isalnum(byte) || (length && strchr("_.-", byte)));
        if (is_plain || length) name[length++] = is_plain ? (char)byte : '_';
    }
    while (length && name[length - 1] == '_') length--;
    if (!length) name[length++] = 'x';
    name[length] = 0;
}

/* Makes the variant of a title, which may be empty. */
static void make_variant(char name[PROGRAM_NAME], const char *title)
{
    names_key(title, name);
    if (!*name) snprintf(name, PROGRAM_NAME, "x");
}

/* Appends the number of a name that `same` earlier ones have, too. */
static void append_number(char name[PROGRAM_NAME], const char *before, int same)
{
    const size_t length = strlen(name);
    if (same) snprintf(name + length, PROGRAM_NAME - length, "%s%d", before, same + 1);
}

/* ---- families -------------------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Names of families are parts of the names of pages, which have no '.'. */
static void make_family(char name[PROGRAM_NAME], const char *file)
{
    char stem[PROGRAM_NAME];
    const size_t length = strlen(file), ending = strlen(".py");
    const int is_script = length > ending && !strcmp(file + length - ending, ".py");
    snprintf(stem, sizeof stem, "%.*s", (int)(is_script ? length - ending : length), file);
    make_name(name, stem, MOST_NAME);
    for (char *p = name; (p = strchr(p, '.'));) *p = '_';
}

/* Names a process after its script if it runs python, else after its executable. The arguments are
 * separated by tabs. */
static void name_process(char name[PROGRAM_NAME], const struct program_process *process)
{
    const char *executable = base_name(process->executable), *word = process->arguments;
    char script[4096];
    make_family(name, executable);
    if (strncmp(executable, "python", 6)) return;
    for (word += strcspn(word, "\t"); *word == '\t'; word += strcspn(word, "\t")) {
        word++;
        if (*word == '-') continue;
        snprintf(script, sizeof script, "%.*s", (int)strcspn(word, "\t"), word);
        make_family(name, base_name(script));
        return;
    }
}

static void name_family(char family[PROGRAM_NAME], const struct program_parts *parts, int number)
{
    int same = 0;
    char other[PROGRAM_NAME];
    const struct program_process *process = program_process_find(parts, number);
    if (!process) {
        snprintf(family, PROGRAM_NAME, "program");
        return;
    }
    name_process(family, process);
    for (const struct program_process *p = parts->process; p < process; p++) {
        name_process(other, p);
        same += !strcmp(other, family);
    }
    append_number(family, "-p", same);
}

/* ---- variants -------------------------------------------------------------------------------- */

/* Returns 1 for numbers that are joined by 'x'. */
static int is_size(const char *word)
{
    return isdigit((unsigned char)*word) && word[strspn(word, "0123456789x")] == 0;
}

/* A mark of whyfast.h in the range of a launch: "whyfast|VARIANT|SIZE|USEFUL BYTES", the last one
 * if there are several. */
static int read_mark(struct program_point *point)
{
    static const char prefix[] = "whyfast|";
    char part[3][PROGRAM_NAME] = {"", "", ""};
    const char *mark = NULL, *range = point->kernel->range;
    for (const char *p = range; (p = strstr(p, prefix)); p += sizeof prefix - 1)
        if (p == range || p[-1] == '/') mark = p;
    if (!mark) return 0;
    mark += sizeof prefix - 1;
    for (int i = 0; i < 3; i++) {
        const size_t length = strcspn(mark, i < 2 ? "|" : "|/");
        snprintf(part[i], PROGRAM_NAME, "%.*s", (int)length, mark);
        mark += length + (mark[length] == '|');
    }
    if (*part[0]) snprintf(point->title, PROGRAM_NAME, "%s", part[0]);
    if (is_size(part[1])) snprintf(point->size, PROGRAM_NAME, "%s", part[1]);
    char *end;
    const double bytes = strtod(part[2], &end);
    if (end != part[2] && bytes > 0) point->useful_bytes = bytes;
    return *part[0] != 0;
}

static int is_same_name(const struct program_point *a, const struct program_point *b)
{
    return a->kernel->process == b->kernel->process && !strcmp(a->size, b->size) &&
           !strcmp(a->variant, b->variant);
}

enum difference { RANGE = 1, GRID = 2, BLOCK = 4, SHARED = 8, DEVICE = 16, GRAPH = 32 };

static unsigned differences(const struct program_kernel *a, const struct program_kernel *b)
{
    return (memcmp(a->grid, b->grid, sizeof a->grid) ? GRID : 0u) |
           (memcmp(a->block, b->block, sizeof a->block) ? BLOCK : 0u) |
           (a->dynamic_shared != b->dynamic_shared ? SHARED : 0u) |
           (strcmp(a->range, b->range) ? RANGE : 0u) | (a->device != b->device ? DEVICE : 0u) |
           (a->is_graph_node != b->is_graph_node ? GRAPH : 0u);
}

static void append_extent(struct text *text, char letter, const unsigned size[3])
{
    text_format(text, ".%c%u", letter, size[0]);
    if (size[1] > 1 || size[2] > 1) text_format(text, "x%u", size[1]);
    if (size[2] > 1) text_format(text, "x%u", size[2]);
}

/* Writes in what a kernel differs from others with its name: ".g64x2.b128". */
static void write_suffix(char suffix[MOST_SUFFIX + 1], const struct program_kernel *kernel,
                         unsigned differ)
{
    struct text text = {0};
    char range[PROGRAM_NAME];
    text_append(&text, "");
    if (differ & RANGE && *kernel->range && !strstr(kernel->range, "whyfast|")) {
        make_name(range, base_name(kernel->range), MOST_SUFFIX / 2);
        text_format(&text, ".%s", range);
    }
    if (differ & GRID) append_extent(&text, 'g', kernel->grid);
    if (differ & BLOCK) append_extent(&text, 'b', kernel->block);
    if (differ & SHARED) text_format(&text, ".s%.0f", kernel->dynamic_shared);
    if (differ & DEVICE) text_format(&text, ".d%d", kernel->device);
    if (differ & GRAPH && kernel->is_graph_node) text_append(&text, ".graph");
    snprintf(suffix, MOST_SUFFIX + 1, "%s", text.length <= MOST_SUFFIX ? text_string(&text) : "");
    text_free(&text);
}

static void append_suffix(char name[PROGRAM_NAME], const char *suffix)
{
    const size_t most = PROGRAM_NAME - 1 - strlen(suffix), length = strlen(name);
    snprintf(name + (length < most ? length : most), MOST_SUFFIX + 1, "%s", suffix);
}

/* Returns in what kernels with the name of a point differ: the first thing in which all of them do,
 * or everything in which any does. `every` has in what each of them differs from all others. */
static unsigned choose_differences(const struct program_names *names, const unsigned *every,
                                   const struct program_point *point)
{
    unsigned any = 0, all = ~0u;
    for (int i = 0; i < names->count; i++) {
        if (!is_same_name(&names->point[i], point)) continue;
        any |= differences(names->point[i].kernel, point->kernel);
        all &= every[i];
    }
    return all & any ? all & any & -(all & any) : any;
}

/* Adds numbers to a name that earlier ones have, too, in the order of their first launches. */
static void number_name(const struct program_names *names, struct program_point *point)
{
    struct program_point numbered = *point;
    int number = 2;
    for (const struct program_point *before = names->point; before < point; before++) {
        char suffix[MOST_SUFFIX + 1];
        if (!is_same_name(&numbered, before)) continue;
        snprintf(suffix, sizeof suffix, ".%d", number++);
        numbered = *point;
        append_suffix(numbered.variant, suffix);
        append_suffix(numbered.title, suffix);
        before = names->point - 1; /* that name may be another's */
    }
    *point = numbered;
}

static int name_variants(struct program_names *names)
{
    const size_t count = (size_t)names->count + 1;
    char(*suffix)[MOST_SUFFIX + 1] = calloc(count, sizeof *suffix);
    unsigned *every = calloc(count, sizeof *every);
    int result = suffix && every ? 0 : error_memory();
    for (int i = 0; i < names->count && !result; i++)
        make_variant(names->point[i].variant, names->point[i].title);
    for (int i = 0; i < names->count && !result; i++) {
        every[i] = ~0u;
        for (int k = 0; k < names->count; k++)
            if (k != i && is_same_name(&names->point[i], &names->point[k]))
                every[i] &= differences(names->point[i].kernel, names->point[k].kernel);
    }
    for (int i = 0; i < names->count && !result; i++)
        write_suffix(suffix[i], names->point[i].kernel,
                     choose_differences(names, every, &names->point[i]));
    for (int i = 0; i < names->count && !result; i++) {
        append_suffix(names->point[i].variant, suffix[i]);
        append_suffix(names->point[i].title, suffix[i]);
        number_name(names, &names->point[i]);
    }
    free(every);
    free(suffix);
    return result;
}

static void make_point(struct program_point *point, const struct program_parts *parts)
{
    snprintf(point->size, sizeof point->size, "%s", SIZE_AS_RUN);
    point->useful_bytes = NAN;
    point->chosen = -1;
    if (!read_mark(point)) snprintf(point->title, sizeof point->title, "%s", point->kernel->label);
    name_family(point->family, parts, point->kernel->process);
}

int program_names_make(struct program_names *names, const struct program_parts *parts,
                       const struct program_choice *choice)
{
    *names = (struct program_names){
        .point = calloc((size_t)parts->kernel_count + 1, sizeof *names->point)};
    if (!names->point) return error_memory();
    for (int i = 0; i < parts->kernel_count; i++) {
        names->point[names->count++].kernel = &parts->kernel[i];
        make_point(&names->point[i], parts);
    }
    const int result = name_variants(names);
    for (int k = 0; k < choice->count && !result; k++) {
        struct program_point *point = &names->point[choice->kernel[k] - parts->kernel];
        point->chosen = k;
        point->rung = 1;
        for (int before = 0; before < k; before++)
            point->rung += choice->kernel[before]->process == point->kernel->process;
    }
    return result;
}

void program_names_free(struct program_names *names)
{
    free(names->point);
    memset(names, 0, sizeof *names);
}

const struct program_point *program_names_chosen(const struct program_names *names, int index)
{
    for (int i = 0; i < names->count; i++)
        if (names->point[i].chosen == index) return &names->point[i];
    return NULL;
}

/* ---- useful bytes ---------------------------------------------------------------------------- */

/* Reads a product of numbers and powers, such as 4*2^20. Returns NAN for anything else. */
static double read_number(const char *word)
{
    double product = 1;
    do {
        char *end;
        double factor = strtod(word, &end);
        if (end == word || !isdigit((unsigned char)*word)) return NAN;
        if (*end == '^') {
            word = end + 1;
            factor = pow(factor, strtod(word, &end));
            if (end == word) return NAN;
        }
        product *= factor;
        word = end;
    } while (*word++ == '*');
    return word[-1] ? NAN : product;
}

/* Returns 1 if a point has this name: its variant, which may be a pattern, its title, or its
 * function without template arguments. */
static int is_called(const struct program_point *point, const char *name)
{
    char *function = kernel_short_name(point->kernel->symbol);
    const int found = !strcmp(name, point->title) || text_matches(name, point->variant) ||
                      (function && !strcmp(name, function));
    free(function);
    return found;
}

int program_bytes_check(const char *words)
{
    const char *equals = strrchr(words, '=');
    const double bytes = equals ? read_number(equals + 1) : NAN;
    if (!equals || equals == words || !isfinite(bytes) || bytes <= 0)
        return error(FAIL_USAGE, "--bytes: expected KERNEL=NUMBER, such as sum=4*2^20, found '%s'",
                     words);
    return 0;
}

int program_names_set_bytes(struct program_names *names, const char *words)
{
    const char *equals = strrchr(words, '=');
    const double bytes = read_number(equals + 1);
    char *name = text_new("%.*s", (int)(equals - words), words);
    if (!name) return error_memory();
    int found = 0;
    for (int i = 0; i < names->count; i++) {
        struct program_point *point = &names->point[i];
        if (!is_called(point, name)) continue;
        point->useful_bytes = bytes;
        found = 1;
    }
    if (!found) warning("--bytes: the program launched no kernel '%s'", name);
    free(name);
    return 0;
}
