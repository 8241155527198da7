#include "versions/version_outputs.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/process.h"

/* ---- starts ---------------------------------------------------------------------------------- */

static const char script_text[] =
    "#!/bin/sh\n"
    "# Runs two programs: FOLDER_OF_OUTPUTS FOLDER PROGRAM FOLDER PROGRAM [ARGUMENT...].\n"
    "out=$1 folder=$2 program=$3 next_folder=$4 next_program=$5\n"
    "shift 5\n"
    "# A signal ends the program with this script.\n"
    "child=\n"
    "trap 'kill $child 2>/dev/null; exit 143' TERM INT HUP\n"
    "result=0 number=-1 plan=${WHYFAST_WATCH:=/nowhere}/plan.txt left=\n"
    "tab=$(printf '\\t')\n"
    "# A program that is ended early leaves no results.\n"
    "! grep -q \"^mode${tab}knockouts\" \"$plan\" 2>/dev/null || left=.left\n"
    "[ \"$program\" != \"$next_program\" ] || plan=/nowhere/plan.txt\n"
    "for side in a b; do\n"
    "    number=$((number + 1))\n"
    "    # A start that counts kernels of the other program alone needs not run this one.\n"
    "    if [ -f \"$plan\" ] && ! grep -q \"^mode${tab}times\" \"$plan\" &&\n"
    "        ! grep -q \"^kernel${tab}[0-9]*${tab}$number$tab\" \"$plan\"; then\n"
    "        status=$(cat \"$out/$side.status\")\n"
    "    else\n"
    "        rm -f \"$out/$side.data$left\"\n"
    "        (cd \"$folder\" && WHYFAST_DIFF_OUTPUT=$out/$side.data$left exec \"$program\" "
    "\"$@\") \\\n"
    "            >\"$out/$side.out$left\" 2>\"$out/$side.err$left\" </dev/null &\n"
    "        child=$!\n"
    "        wait $child\n"
    "        status=$? child=\n"
    "        echo $status >\"$out/$side.status$left\"\n"
    "    fi\n"
    "    [ $status -eq 0 ] || result=$status\n"
    "    # By the output of later starts it is noticed that a program does not repeat itself.\n"
    "    [ \"${WHYFAST_WATCH##*/}\" = 0 ] || cat \"$out/$side.out\"\n"
    "    folder=$next_folder program=$next_program\n"
    "done\n"
    "exit $result\n";

int version_script_write(struct version_script *script, const struct version version[2],
                         char *const *arguments, const char *directory)
{
    static const char name[] = "both";
    struct text text = {0};
    int count = 0;
    *script = (struct version_script){
        path_in(directory, name), path_in(directory, "first"), path_in(directory, "later"), {NULL}};
    char *const words[] = {script->script.at,  script->later.at,  version[0].folder,
                           version[0].program, version[1].folder, version[1].program};
    for (; count < (int)(sizeof words / sizeof *words); count++) script->word[count] = words[count];
    for (; arguments && *arguments; arguments++) {
        if (count == VERSION_WORDS) return error(FAIL_USAGE, "too many arguments of the program");
        script->word[count++] = *arguments;
    }
    text_append(&text, script_text);
    int result = atomic_file_write(directory, name, &text);
    text_free(&text);
    if (!result) result = directory_make(script->first.at);
    if (!result) result = directory_make(script->later.at);
    if (!result && chmod(script->script.at, 0700))
        result = error(FAIL_OUTPUT, "%s: it cannot be made executable", script->script.at);
    return result;
}

/* Returns the text of a file of a start, which the caller frees, or NULL. */
static char *output_of(const struct path *start, int side, const char *ending, size_t *bytes)
{
    char name[32];
    snprintf(name, sizeof name, "%c.%s", "ab"[side], ending);
    return text_read_file(path_in(start->at, name).at, bytes);
}

/* Says that a version fails, with the last line that it printed. */
static int say_failure(const struct path *start, const struct version *version, int side,
                       int status)
{
    char *errors = output_of(start, side, "err", NULL), *last = NULL;
    const char *ending = status > 128 ? "is killed by signal" : "ends with status";
    for (char *line = errors, *end; line && *line; line = end) {
        end = line + strcspn(line, "\n");
        if (*end) *end++ = 0;
        if (*line) last = line;
    }
    const int result =
        error(side ? FAIL_CHECK : FAIL_COMPARE, "%s (%s) %s %d%s%s%s", version_sides[side],
              version->label, ending, status > 128 ? status - 128 : status, last ? ": " : "",
              last ? last : "",
              side ? "; its speed does not matter" : ", so there is nothing to compare with");
    free(errors);
    return result;
}

int version_outputs_start(const struct version_script *script, const struct version version[2])
{
    struct process child;
    char *word[VERSION_WORDS + 1];
    memcpy(word, script->word, sizeof word);
    word[1] = (char *)(uintptr_t)script->first.at;
    int result = process_start(&child, word, PROCESS_OF_OURS);
    if (result) return result;
    process_wait(&child, 1);
    process_free(&child);
    if (interrupted()) return FAIL_INTERRUPTED;
    for (int side = 0; side < 2 && !result; side++) {
        char *text = output_of(&script->first, side, "status", NULL);
        const int status = text ? (int)strtol(text, NULL, 10) : 127;
        free(text);
        if (status) result = say_failure(&script->first, &version[side], side, status);
    }
    return result;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* An array of a file that the driver wrote. */
struct array {
    const char *kernel;
    int length;     /* of the kernel's name */
    int occurrence; /* of kernels with this name, which differ in their parameters */
    int order; /* of the kernel, among those that the other file has not; -1: it has this one */
    int argument;
    char kind[16];
    size_t count;
    const char *numbers; /* doubles, not aligned */
};

struct arrays {
    char *text; /* of the file, or NULL */
    struct array *array;
    int count;
};

static int same_name(const struct array *a, const struct array *b)
{
    return a->length == b->length && !memcmp(a->kernel, b->kernel, (size_t)a->length);
}

static int same_kernel(const struct array *a, const struct array *b)
{
    return same_name(a, b) && a->occurrence == b->occurrence;
}

/* Reads the next array. Returns 0 if it is damaged. */
static int next_array(struct array *array, const char **at, const char *end)
{
    const char *line = *at, *feed = memchr(line, '\n', (size_t)(end - line)),
               *tab = feed ? memchr(line, '\t', (size_t)(feed - line)) : NULL;
    char rest[64];
    if (!tab || feed - tab >= (int)sizeof rest) return 0;
    snprintf(rest, sizeof rest, "%.*s", (int)(feed - tab), tab);
    *array = (struct array){.kernel = line, .length = (int)(tab - line), .numbers = feed + 1};
    if (sscanf(rest, "\t%d\t%15[^\t]\t%zu", &array->argument, array->kind, &array->count) != 3 ||
        (size_t)(end - array->numbers) / sizeof(double) < array->count)
        return 0;
    *at = array->numbers + array->count * sizeof(double);
    return 1;
}

/* Arguments of a kernel follow each other and rise. */
static void count_occurrence(struct array *array, int i)
{
    for (int k = i - 1; k >= 0; k--) {
        if (!same_name(&array[k], &array[i])) continue;
        const int is_same = k == i - 1 && array[k].argument < array[i].argument;
        array[i].occurrence = array[k].occurrence + !is_same;
        return;
    }
}

static int read_arrays(struct arrays *arrays, const struct version_script *script, int side)
{
    size_t bytes = 0;
    const char *at = arrays->text = output_of(&script->first, side, "data", &bytes);
    while (at && at < arrays->text + bytes) {
        if (!ARRAY_GROWS(arrays->array, arrays->count)) return error_memory();
        if (!next_array(&arrays->array[arrays->count], &at, arrays->text + bytes))
            return error(FAIL_COMPARE, "the arrays that %s wrote are damaged", version_sides[side]);
        count_occurrence(arrays->array, arrays->count++);
    }
    return 0;
}

static void number_kernels(struct arrays *arrays, const struct arrays *other)
{
    int order = -1;
    for (int i = 0; i < arrays->count; i++) {
        struct array *array = &arrays->array[i];
        int is_known = 0;
        for (int k = 0; k < other->count; k++) is_known |= same_kernel(array, &other->array[k]);
        if (!is_known && (i == 0 || !same_kernel(array, array - 1))) order++;
        array->order = is_known ? -1 : order;
    }
}

/* Returns 1 for the same argument of kernels of one name, or of those that no name pairs. */
static int is_pair(const struct array *a, const struct array *b)
{
    return a->argument == b->argument && a->order == b->order &&
           (a->order >= 0 || same_kernel(a, b));
}

/* By which share of the largest number two results may differ. */
static double tolerance_of(const char *kind)
{
    static const struct {
        const char *kind;
        double share;
    } known[] = {{"half", 1e-2}, {"float", 1e-4}, {"double", 1e-9}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(kind, known[i].kind)) return known[i].share;
    return 0;
}

static double number_at(const struct array *array, size_t i)
{
    double number;
    memcpy(&number, array->numbers + i * sizeof number, sizeof number);
    return number;
}

static double largest_of(const struct array *array)
{
    double largest = 0;
    for (size_t i = 0; i < array->count; i++) {
        const double size = fabs(number_at(array, i));
        if (isfinite(size) && size > largest) largest = size;
    }
    return largest;
}

static int compare_arrays(const struct array *a, const struct array *b, struct text *wrong)
{
    const double share = fmax(tolerance_of(a->kind), tolerance_of(b->kind)),
                 most = share * largest_of(a);
    size_t count = 0, first = 0;
    if (a->count != b->count)
        return error(FAIL_COMPARE,
                     "argument %d of %.*s has %zu elements in A and %zu in B: the problem sizes "
                     "differ",
                     a->argument, a->length, a->kernel, a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        const double x = number_at(a, i), y = number_at(b, i);
        if (x == y || (isnan(x) && isnan(y)) || fabs(x - y) <= most) continue;
        if (!count++) first = i;
    }
    if (count)
        text_format(
            wrong,
            "%sargument %d of %.*s differs at %zu of %zu elements: element %zu is %.6g in A "
            "and %.6g in B",
            wrong->length ? "; " : "", a->argument, a->length, a->kernel, count, a->count, first,
            number_at(a, first), number_at(b, first));
    return 0;
}

static int compare_pairs(const struct arrays side[2], struct text *wrong, int *compared)
{
    int result = 0;
    for (int i = 0; i < side[0].count; i++)
        for (int k = 0; k < side[1].count && !result; k++) {
            if (!is_pair(&side[0].array[i], &side[1].array[k])) continue;
            result = compare_arrays(&side[0].array[i], &side[1].array[k], wrong);
            ++*compared;
        }
    const int alone = side[0].count + side[1].count - 2 * *compared;
    if (!result && alone && !*compared)
        return error(FAIL_COMPARE, "no array that a kernel of A writes has a counterpart in B; "
                                   "FILE.cu:KERNEL chooses one kernel of each, and --no-compare "
                                   "leaves the results out");
    if (!result && alone)
        note("%d array%s that one version alone writes %s not compared", alone,
             alone > 1 ? "s" : "", alone > 1 ? "are" : "is");
    return result;
}

static int compare_data(const struct version_script *script, struct text *wrong, int *compared)
{
    struct arrays side[2] = {{NULL, NULL, 0}, {NULL, NULL, 0}};
    int result = read_arrays(&side[0], script, 0);
    if (!result) result = read_arrays(&side[1], script, 1);
    for (int i = 0; i < 2; i++) number_kernels(&side[i], &side[!i]);
    if (!result) result = compare_pairs(side, wrong, compared);
    for (int i = 0; i < 2; i++) {
        free(side[i].array);
        free(side[i].text);
        unlink(path_in(script->first.at, i ? "b.data" : "a.data").at);
    }
    return result;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* Words of lines about times and rates, in which versions may differ. */
static int is_about_speed(const char *line)
{
    static const char *const words[] = {"time",  "second", "elapsed", "flop",   "b/s",
                                        "speed", "bandw",  " ms",     " us",    "\302\265s",
                                        " ns",   "msec",   "usec",    "faster", "throughput"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasestr(line, words[i])) return 1;
    for (const char *p = line; *p; p++)
        if (isdigit((unsigned char)*p) && (!strncmp(p + 1, "ms", 2) || !strncmp(p + 1, "us", 2)))
            return 1;
    return 0;
}

/* Returns 1 for a number that is written as an integer, decimal or hexadecimal. */
static int is_integer(const char *word, const char *end)
{
    const char *digits = word + strspn(word, " \t+-"),
               *others = strncasecmp(digits, "0x", 2) ? ".eEnN" : ".pP";
    return digits + strcspn(digits, others) >= end;
}

/* Compares two words that are numbers. A double cannot hold all integers. */
static int equal_numbers(const char *a, const char *after_a, const char *b, const char *after_b)
{
    const double x = strtod(a, NULL), y = strtod(b, NULL);
    if (is_integer(a, after_a) && is_integer(b, after_b)) {
        a += strspn(a, " \t");
        b += strspn(b, " \t");
        return after_a - a == after_b - b && !memcmp(a, b, (size_t)(after_a - a));
    }
    return x == y || (isnan(x) && isnan(y)) ||
           fabs(x - y) <= tolerance_of("float") * fmax(fabs(x), fabs(y));
}

/* Returns 1 for lines that are equal but for numbers, other than integers, that differ by at most
 * the share for float. */
static int equal_lines(const char *a, const char *b)
{
    while (*a && *b) {
        char *after_a, *after_b;
        strtod(a, &after_a);
        strtod(b, &after_b);
        if (after_a != a && after_b != b) {
            if (!equal_numbers(a, after_a, b, after_b)) return 0;
            a = after_a;
            b = after_b;
        } else if (*a++ != *b++)
            return 0;
    }
    return *a == *b;
}

static char *next_line(char **text)
{
    char *line = *text, *end = line + strcspn(line, "\n");
    *text = *end ? end + 1 : end;
    *end = 0;
    return line;
}

/* The output of A and of B in the first and in a later start. */
static void compare_texts(char *text[2][2], struct text *wrong, int *compared)
{
    for (int number = 1; *text[0][0] || *text[1][0]; number++) {
        char *line[2][2];
        for (int side = 0; side < 2; side++)
            for (int i = 0; i < 2; i++) line[side][i] = next_line(&text[side][i]);
        if (strcmp(line[0][0], line[0][1]) || strcmp(line[1][0], line[1][1])) continue;
        if (is_about_speed(line[0][0]) && is_about_speed(line[1][0])) continue;
        *compared += *line[0][0] || *line[1][0];
        if (equal_lines(line[0][0], line[1][0])) continue;
        text_format(wrong, "line %d of the output is '%.80s' in A and '%.80s' in B", number,
                    line[0][0], line[1][0]);
        return;
    }
}

static int compare_printed(const struct version_script *script, struct text *wrong, int *compared)
{
    char *text[2][2], *at[2][2];
    int is_whole = 1;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < 2; i++) {
            text[side][i] = output_of(i ? &script->later : &script->first, side, "out", NULL);
            at[side][i] = text[side][i];
            is_whole &= text[side][i] != NULL;
        }
    if (is_whole) compare_texts(at, wrong, compared);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < 2; i++) free(text[side][i]);
    return is_whole ? 0 : error(FAIL_OUTPUT, "the output of a program is missing");
}

int version_outputs_compare(const struct version_script *script, const struct version version[2],
                            struct text *wrong, int *compared)
{
    *compared = 0;
    const int result = version[0].writes_outputs ? compare_data(script, wrong, compared)
                                                 : compare_printed(script, wrong, compared);
    return result ? result : wrong->failed ? error_memory() : 0;
}
