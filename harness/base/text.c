#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static int reserve(struct text *text, size_t more)
{
    if (text->failed) return 0;
    const size_t need = text->length + more + 1;
    if (need <= text->capacity) return 1;
    size_t capacity = text->capacity ? text->capacity : 64;
    while (capacity < need) capacity *= 2;
    char *data = realloc(text->data, capacity);
    if (!data) {
        text->failed = 1;
        return 0;
    }
    text->data = data;
    text->capacity = capacity;
    return 1;
}

void text_append_bytes(struct text *text, const void *bytes, size_t count)
{
    if (!reserve(text, count)) return;
    if (count > 0) memcpy(text->data + text->length, bytes, count);
    text->length += count;
    text->data[text->length] = 0;
}

void text_append(struct text *text, const char *string)
{
    text_append_bytes(text, string, strlen(string));
}

void text_format_list(struct text *text, const char *format, va_list arguments)
{
    va_list copy;
    va_copy(copy, arguments);
    const int length = vsnprintf(NULL, 0, format, copy);
    va_end(copy);
    if (length < 0) {
        text->failed = 1;
        return;
    }
    if (!reserve(text, (size_t)length)) return;
    vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
    text->length += (size_t)length;
}

void text_format(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_format_list(text, format, arguments);
    va_end(arguments);
}

void text_free(struct text *text)
{
    free(text->data);
    memset(text, 0, sizeof *text);
}

void text_free_piece(struct text *piece, struct text *whole)
{
    if (piece->failed) whole->failed = 1;
    text_free(piece);
}

const char *text_string(const struct text *text)
{
    return text->data ? text->data : "";
}

char *text_taken(struct text *text)
{
    if (text->failed) text_free(text);
    return text->data;
}

char *text_new(const char *format, ...)
{
    struct text text = {0};
    va_list arguments;
    va_start(arguments, format);
    text_format_list(&text, format, arguments);
    va_end(arguments);
    return text_taken(&text);
}

struct path path_of(const char *format, ...)
{
    struct path path;
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(path.at, sizeof path.at, format, arguments) >= (int)sizeof path.at) *path.at = 0;
    va_end(arguments);
    return path;
}

size_t text_before(const char *name, const char *ending)
{
    const size_t length = strlen(name), least = strlen(ending);
    return length > least && !strcmp(name + length - least, ending) ? length - least : 0;
}

struct path shell_word(const char *word)
{
    struct path shown = {""};
    for (char *to = shown.at; *word && to < shown.at + sizeof shown.at - 2; *to++ = *word++)
        if (isascii(*word) && !isalnum((unsigned char)*word) && !strchr("_@%+=:,./-", *word))
            *to++ = '\\';
    return shown;
}

const char *text_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void *array_with_room(void *array, size_t count, size_t size)
{
    return count & (count - 1) ? array : realloc(array, (count > 0 ? count * 2 : 1) * size);
}

int array_grows(void *variable, size_t count, size_t size)
{
    void *array;
    memcpy(&array, variable, sizeof array);
    array = array_with_room(array, count, size);
    if (array) memcpy(variable, &array, sizeof array);
    return array != NULL;
}

FILE *text_open_file(const char *path)
{
    struct stat status;
    /* O_NONBLOCK: opening a pipe must not wait for its writer. */
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) return NULL;
    const int refused = fstat(descriptor, &status) ? errno
                        : S_ISDIR(status.st_mode)  ? EISDIR
                        : S_ISREG(status.st_mode)  ? 0
                                                   : ENOTSUP;
    FILE *file = refused ? NULL : fdopen(descriptor, "rb");
    if (!file) {
        const int why = refused ? refused : errno;
        close(descriptor);
        errno = why;
    }
    return file;
}

char *text_read_file(const char *path, size_t *length)
{
    FILE *file = text_open_file(path);
    if (!file) return NULL;
    struct text text = {0};
    char chunk[1 << 16];
    size_t got;
    text_append_bytes(&text, "", 0);
    while ((got = fread(chunk, 1, sizeof chunk, file)) > 0) text_append_bytes(&text, chunk, got);
    int problem = ferror(file) ? errno : 0;
    if (text.failed) problem = ENOMEM;
    fclose(file);
    if (problem) {
        text_free(&text);
        errno = problem;
        return NULL;
    }
    if (length) *length = text.length;
    return text.data;
}

int text_matches(const char *pattern, const char *name)
{
    return fnmatch(pattern, name, 0) == 0;
}

/* Levenshtein's distance without regard to case, one row at a time; longer names never count as
 * typos. */
static size_t distance(const char *a, const char *b)
{
    enum { LONGEST = 128 };
    size_t row[LONGEST + 1];
    const size_t rows = strlen(a), columns = strlen(b);
    if (rows > LONGEST || columns > LONGEST) return (size_t)-1;
    for (size_t j = 0; j <= columns; j++) row[j] = j;
    for (size_t i = 1; i <= rows; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            const size_t above = row[j];
            size_t best =
                diagonal + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]));
            if (above + 1 < best) best = above + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            diagonal = above;
            row[j] = best;
        }
    }
    return row[columns];
}

uint32_t text_character(const char **string)
{
    const unsigned char *p = (const unsigned char *)*string;
    const int more = p[0] < 0x80                   ? 0
                     : p[0] >= 0xC2 && p[0] < 0xE0 ? 1
                     : p[0] >= 0xE0 && p[0] < 0xF0 ? 2
                     : p[0] >= 0xF0 && p[0] < 0xF5 ? 3
                                                   : -1;
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    (*string)++;
    if (more <= 0) return more ? TEXT_REPLACEMENT : p[0];
    uint32_t character = p[0] & (0x3Fu >> more);
    for (int i = 1; i <= more; i++) {
        if ((p[i] & 0xC0) != 0x80) return TEXT_REPLACEMENT;
        character = character << 6 | (p[i] & 0x3Fu);
    }
    if (character < least[more] || character > 0x10FFFF ||
        (character >= 0xD800 && character < 0xE000))
        return TEXT_REPLACEMENT;
    *string += more;
    return character;
}

int text_is_in(uint32_t character, const struct text_block *blocks, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (character >= blocks[i].first && character <= blocks[i].last) return 1;
    return 0;
}

int text_is_harmful(uint32_t character)
{
    static const struct text_block blocks[] = {
        {0, 0x1F},        {0x7F, 0x9F},     {0xAD, 0xAD},     {0x200B, 0x200F},  {0x2028, 0x202E},
        {0x2060, 0x206F}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE0FFF}};
    return text_is_in(character, blocks, sizeof blocks / sizeof *blocks);
}

void text_write_visible(FILE *file, const char *string)
{
    while (*string) {
        const char *start = string;
        const uint32_t character = text_character(&string);
        const int is_plain = character == '\n' || character == '\t' ||
                             (character != TEXT_REPLACEMENT && !text_is_harmful(character));
        if (is_plain)
            fwrite(start, 1, (size_t)(string - start), file);
        else
            fputs(TEXT_REPLACED, file);
    }
}

/* Returns 1 if ".0" at `json` ends a number, not a text. */
static int is_end_of_whole(const char *json)
{
    return json[0] == '.' && json[1] == '0' && !strchr("0123456789eE", json[2] ? json[2] : ',');
}

void text_write_json(FILE *file, const char *json)
{
    int is_text = 0;
    while (*json) {
        const char *start = json;
        const uint32_t character = text_character(&json);
        if (character == '"') is_text = !is_text;
        if (character == '\\' && *json) json++; /* what it escapes */
        if (character == TEXT_REPLACEMENT)
            fputs(TEXT_REPLACED, file);
        else if (character >= 0x7F && character < 0xA0)
            fprintf(file, "\\u%04x", (unsigned)character);
        else if (!is_text && is_end_of_whole(start))
            json++;
        else
            fwrite(start, 1, (size_t)(json - start), file);
    }
}

/* ---- times ----------------------------------------------------------------------------------- */

static const char *const time_units[] = {"ns", "\xC2\xB5s", "ms", "s"};

/* Returns the index of the unit in which a size in ns is below `limit`, and divides the size. */
static int unit_of(double *size, double limit)
{
    int unit = 0;
    for (; *size >= limit && unit < 3; unit++) *size /= 1000;
    return unit;
}

/* Returns how many decimals, at most `most`, a size needs: none from `limit` on, one from a tenth
 * of it on. */
static int decimals_of(double size, double limit, int most)
{
    int decimals = 0;
    for (; size < limit && decimals < most; limit /= 10) decimals++;
    return decimals;
}

enum { FINEST = 3 };                                        /* decimals of ns */
static const double four_digits = 999.95, one_digit = 0.95; /* the least sizes without decimals */
#define WIDEST 9999.5 /* in a column, the least size of the next unit */

const char *text_time(char buffer[24], double ns)
{
    double size = fabs(ns);
    const int unit = unit_of(&size, four_digits),
              decimals = size < 0.0005 ? 0 : 1 + decimals_of(size, four_digits / 10, FINEST - 1);
    snprintf(buffer, 24, "%s%.*f %s", ns < 0 ? "-" : "", decimals, size, time_units[unit]);
    return buffer;
}

static const char *saved_sign(double ns)
{
    return ns > 0 ? "\xE2\x88\x92" : ns < 0 ? "+" : "";
}

const char *text_saved(char buffer[32], double ns)
{
    char time[24];
    snprintf(buffer, 32, "%s%s", saved_sign(ns), text_time(time, fabs(ns)));
    return buffer;
}

void text_times_add(struct text_times *times, double ns)
{
    const double size = fabs(ns);
    if (!isfinite(ns) || size == 0) return;
    times->largest = fmax(times->largest, size);
    times->smallest = times->smallest > 0 ? fmin(times->smallest, size) : size;
    times->widest = fmax(times->widest, size);
}

void text_times_beside(struct text_times *times, double ns)
{
    double size = fabs(ns), smallest = times->smallest;
    if (!(size > 0) || !(smallest > 0)) return;
    for (int unit = unit_of(&size, four_digits); unit > 0; unit--) smallest /= 1000;
    if (smallest >= 0.1) times->widest = fabs(ns) * WIDEST / four_digits;
}

/* Scales a size in ns to the unit of the times, and returns its decimals. */
static int decimals_in(const struct text_times *times, double *size)
{
    double widest = times->widest, largest = times->largest;
    const int unit = unit_of(&widest, WIDEST), most = FINEST * (unit + 1);
    for (int i = 0; i < unit; i++) *size /= 1000, largest /= 1000;
    if (*size < 0.5 * pow(10, -most)) return 0;
    const int own = decimals_of(*size, times->are_parts ? one_digit : four_digits, most),
              all = decimals_of(largest, four_digits, FINEST);
    return times->are_parts && own < all ? all : own;
}

const char *text_times_unit(const struct text_times *times)
{
    double widest = times->widest;
    return time_units[unit_of(&widest, WIDEST)];
}

void text_append_time(struct text *text, const struct text_times *times, double ns)
{
    double size = fabs(ns);
    const int decimals = decimals_in(times, &size);
    text_format(text, "%s%.*f",
                times->are_saved ? saved_sign(ns)
                : ns < 0         ? "-"
                                 : "",
                decimals, size);
}

int text_time_blanks(const struct text_times *times, double ns)
{
    double size = fabs(ns), smallest = times->smallest;
    const int most = decimals_in(times, &smallest), own = decimals_in(times, &size);
    return own < most ? most - own + !own : 0;
}

/* ---- names ----------------------------------------------------------------------------------- */

const char *text_nearest(const char *name, const char *const *candidates, size_t count)
{
    const char *nearest = NULL;
    size_t least = strlen(name) / 2 + 1;
    for (size_t i = 0; i < count; i++) {
        size_t d = distance(name, candidates[i]);
        /* People type a part of a long name: "conflicts" for shared_conflicts_hw. */
        if (strlen(name) >= 4 && strcasestr(candidates[i], name)) d = 1;
        if (d < least) {
            least = d;
            nearest = candidates[i];
        }
    }
    return nearest;
}

static size_t kind_length(const char *uuid)
{
    return !strncasecmp(uuid, "GPU-", 4) || !strncasecmp(uuid, "MIG-", 4) ? 4 : 0;
}

int text_begins_uuid(const char *word, const char *uuid)
{
    enum { LEAST = 4 };
    const size_t kind = kind_length(word), kind_of_uuid = kind_length(uuid);
    if (kind && kind_of_uuid && strncasecmp(word, uuid, kind)) return 0;
    word += kind;
    uuid += kind_of_uuid;
    return strlen(word) >= LEAST && !word[strspn(word, "0123456789abcdefABCDEF-")] &&
           !strncasecmp(word, uuid, strlen(word));
}

void text_identifiers(const char *expression,
                      void (*visit)(const char *name, size_t length, void *context), void *context)
{
    const char *p = expression;
    while (*p) {
        if (*p == '\'' || *p == '"') {
            const char quote = *p++;
            while (*p && *p != quote) p++;
            if (*p) p++;
        } else if (isalpha((unsigned char)*p) || *p == '_') {
            const char *start = p;
            while (isalnum((unsigned char)*p) || *p == '_') p++;
            visit(start, (size_t)(p - start), context);
        } else if (isdigit((unsigned char)*p)) {
            while (isalnum((unsigned char)*p) || *p == '.') p++; /* 1e9 is no identifier */
        } else {
            p++;
        }
    }
}

uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < count; i++) hash = (hash ^ p[i]) * 0x100000001B3u;
    return hash;
}

char *hash_text(uint64_t hash, char text[17])
{
    snprintf(text, 17, "%016" PRIx64, hash);
    return text;
}
