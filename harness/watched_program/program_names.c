#include "watched_program/program_names.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "catalog/registry.h"
#include "machine_code/kernel_name.h"

/* Characters before a number. */
enum { MOST_NAME = 56, MOST_WHOLE = 40 };

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

/* Numbers the second and later kernels of one name and size in a process. */
static void number_name(const struct program_names *names, struct program_point *point)
{
    int same = 0;
    char other[PROGRAM_NAME];
    make_name(point->variant, point->title, MOST_NAME);
    for (const struct program_point *p = names->point; p < point; p++) {
        make_name(other, p->title, MOST_NAME);
        same += p->kernel->process == point->kernel->process && !strcmp(p->size, point->size) &&
                !strcmp(other, point->variant);
    }
    append_number(point->variant, ".", same);
}

static int make_point(const struct program_names *names, struct program_point *point,
                      const struct program_parts *parts)
{
    snprintf(point->size, sizeof point->size, "%s", SIZE_AS_RUN);
    point->useful_bytes = NAN;
    if (!read_mark(point)) {
        const char *whole = point->kernel->name; /* with its template arguments, unless too long */
        char *name =
            strlen(whole) <= MOST_WHOLE ? strdup(whole) : kernel_short_name(point->kernel->symbol);
        if (!name) return error_memory();
        snprintf(point->title, sizeof point->title, "%s", name);
        free(name);
    }
    name_family(point->family, parts, point->kernel->process);
    number_name(names, point);
    return 0;
}

int program_names_make(struct program_names *names, const struct program_parts *parts,
                       const struct program_choice *choice)
{
    int result = 0;
    *names = (struct program_names){
        .point = calloc((size_t)parts->kernel_count + 1, sizeof *names->point)};
    if (!names->point) return error_memory();
    for (int i = 0; i < parts->kernel_count && !result; i++) {
        struct program_point *point = &names->point[names->count++];
        point->kernel = &parts->kernel[i];
        point->chosen = -1;
        result = make_point(names, point, parts);
    }
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
