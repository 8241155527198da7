#include "watched_program/program_names.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "machine_code/kernel_name.h"

/* Appends the number of a name that `same` earlier ones have, too. */
static void append_number(char name[NAMED_KERNEL], const char *before, int same)
{
    const size_t length = strlen(name);
    if (same) snprintf(name + length, NAMED_KERNEL - length, "%s%d", before, same + 1);
}

/* ---- families -------------------------------------------------------------------------------- */

/* Names a process after its script if it runs python, else after its executable. The arguments are
 * separated by tabs. */
static void name_process(char name[NAMED_KERNEL], const struct program_process *process)
{
    const char *executable = text_base_name(process->executable), *word = process->arguments;
    char script[4096];
    named_kernel_family(name, executable);
    if (strncmp(executable, "python", 6)) return;
    for (word += strcspn(word, "\t"); *word == '\t'; word += strcspn(word, "\t")) {
        word++;
        if (*word == '-') continue;
        snprintf(script, sizeof script, "%.*s", (int)strcspn(word, "\t"), word);
        named_kernel_family(name, text_base_name(script));
        return;
    }
}

static void name_family(char family[NAMED_KERNEL], const struct program_parts *parts, int number)
{
    int same = 0;
    char other[NAMED_KERNEL];
    const struct program_process *process = program_process_find(parts, number);
    if (!process) {
        snprintf(family, NAMED_KERNEL, "program");
        return;
    }
    name_process(family, process);
    for (const struct program_process *p = parts->process; p < process; p++) {
        name_process(other, p);
        same += !strcmp(other, family);
    }
    append_number(family, "-p", same);
}

static int name_kernels(struct program_names *names, const struct program_parts *parts)
{
    struct named_kernel *named = calloc((size_t)names->count + 1, sizeof *named);
    if (!named) return error_memory();
    for (int i = 0; i < names->count; i++) {
        const struct program_kernel *kernel = names->point[i].kernel;
        named[i] = (struct named_kernel){.label = kernel->label,
                                         .range = kernel->range,
                                         .dynamic_shared = kernel->dynamic_shared,
                                         .process = kernel->process,
                                         .device = kernel->device,
                                         .is_graph_node = kernel->is_graph_node};
        memcpy(named[i].grid, kernel->grid, sizeof kernel->grid);
        memcpy(named[i].block, kernel->block, sizeof kernel->block);
    }
    const int result = named_kernels_make(named, names->count);
    for (int i = 0; i < names->count && !result; i++) {
        struct program_point *point = &names->point[i];
        snprintf(point->variant, sizeof point->variant, "%s", named[i].variant);
        snprintf(point->title, sizeof point->title, "%s", named[i].title);
        snprintf(point->size, sizeof point->size, "%s", named[i].size);
        point->useful_bytes = named[i].useful_bytes;
        name_family(point->family, parts, point->kernel->process);
    }
    free(named);
    return result;
}

int program_names_make(struct program_names *names, const struct program_parts *parts,
                       const struct program_choice *choice)
{
    *names = (struct program_names){
        .point = calloc((size_t)parts->kernel_count + 1, sizeof *names->point)};
    if (!names->point) return error_memory();
    for (int i = 0; i < parts->kernel_count; i++)
        names->point[names->count++] =
            (struct program_point){.kernel = &parts->kernel[i], .chosen = -1};
    const int result = name_kernels(names, parts);
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
