/*
 * Builds, reads and compares strings. A struct text owns its buffer until text_free.
 */
#ifndef WHYFAST_TEXT_H
#define WHYFAST_TEXT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A growing buffer; a zeroed one is empty. After a failed allocation `failed` stays set and further
 * appends do nothing, so one check at the end is enough. */
struct text {
    char *data; /* NUL-terminated, or NULL while empty */
    size_t length;
    size_t capacity;
    int failed;
};

void text_append(struct text *text, const char *string);
void text_append_bytes(struct text *text, const void *bytes, size_t count);
void text_format(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_format_list(struct text *text, const char *format, va_list arguments);
void text_free(struct text *text);

/* Frees a text that was appended to `whole`; if the piece has failed, marks `whole` as failed. */
void text_free_piece(struct text *piece, struct text *whole);

const char *text_string(const struct text *text); /* "" while it is empty */

/* Returns the buffer, which the caller frees: NULL if nothing was appended, or memory was short. */
char *text_taken(struct text *text);

/* Returns a formatted string that the caller frees, or NULL if memory is short. */
char *text_new(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns a formatted path, or "" if that is too long. */
struct path {
    char at[4096];
};
struct path path_of(const char *format, ...) __attribute__((format(printf, 1, 2)));
#define path_in(directory, name) path_of("%s/%s", directory, name)

/* Returns a word as it is typed in a shell: what that would change has a backslash. */
struct path shell_word(const char *word);

/* Returns how many bytes stand before this ending of a name, or 0: it has another one, or no more.
 */
size_t text_before(const char *name, const char *ending);

const char *text_base_name(const char *path); /* behind its last slash */

/* Enlarges an array of `count` elements for one more and returns it, or NULL if memory is short;
 * the old array then stays valid. */
void *array_with_room(void *array, size_t count, size_t size);

/* Does so with the array in a variable. Returns 1, or 0 if memory is short. */
#define ARRAY_GROWS(array, count) array_grows(&(array), (size_t)(count), sizeof *(array))
int array_grows(void *variable, size_t count, size_t size);

/* Opens a plain file for reading. Returns NULL with errno set: ENOTSUP for a pipe or a device. */
FILE *text_open_file(const char *path);

/* Returns the contents of a plain file, NUL-terminated, which the caller frees, and their length in
 * *length unless it is NULL. Returns NULL with errno set on failure. */
char *text_read_file(const char *path, size_t *length);

/* Returns 1 if `name` matches `pattern` (`*`, `?`, `[...]`, as in the shell; `*` matches '/'). */
int text_matches(const char *pattern, const char *name);

/* Reads one UTF-8 character and moves *string behind it; an invalid byte gives U+FFFD. */
enum { TEXT_REPLACEMENT = 0xFFFD };
#define TEXT_REPLACED "\xEF\xBF\xBD" /* the same */
uint32_t text_character(const char **string);

struct text_block {
    uint32_t first, last;
};
int text_is_in(uint32_t character, const struct text_block *blocks, size_t count);

/* Returns 1 for a character that could control a terminal or deceive a reader: control characters,
 * line ends and tabs included, and invisible ones that change the direction of writing. */
int text_is_harmful(uint32_t character);

/* Writes untrusted text for a reader: harmful characters other than line feeds and tabs, and bytes
 * that are not UTF-8, become U+FFFD. */
void text_write_visible(FILE *file, const char *string);

/* Writes JSON made by SQLite with three corrections: bytes that are not UTF-8 become U+FFFD,
 * control characters from DEL on are escaped, and whole numbers lose their ".0". */
void text_write_json(FILE *file, const char *json);

/* Formats a time with three to four significant digits in ns, µs, ms or s. Returns the buffer. */
const char *text_time(char buffer[24], double ns);

/* The same for a change that saved this time: "−4.2 µs", or "+4.2 µs" if it lost it. */
const char *text_saved(char buffer[32], double ns);

/* The times of a column of a table: all are in one unit, in which the widest has at most four
 * digits before the point. Each has four significant digits, for its noise is a part of it; parts
 * of one sum have the decimals of the largest of them, and one significant digit at least. */
struct text_times {
    double largest, smallest; /* sizes in ns, but for 0 */
    double widest; /* the largest one, also of other columns with the same unit; 0 without times */
    int are_saved; /* "−4.2" for a time that was saved, "+4.2" for one that was lost */
    int are_parts; /* of one sum */
};
void text_times_add(struct text_times *times, double ns);
const char *text_times_unit(const struct text_times *times);

/* Gives the times the unit that text_time gives a time in words above them, unless the smallest
 * would be below 0.1 there. */
void text_times_beside(struct text_times *times, double ns);

/* Appends a time without its unit. */
void text_append_time(struct text *text, const struct text_times *times, double ns);

/* Returns how many blanks behind a time set its point below the points of the others. */
int text_time_blanks(const struct text_times *times, double ns);

/* Returns the candidate nearest to `name` by edit distance, or NULL if none is close enough for a
 * typo. */
const char *text_nearest(const char *name, const char *const *candidates, size_t count);

/* Returns 1 if `word` is the beginning of a device's UUID, of at least four digits; the kind before
 * them, "GPU-" or "MIG-", may be left out. */
int text_begins_uuid(const char *word, const char *uuid);

/* Calls `visit` for each identifier ([A-Za-z_][A-Za-z0-9_]*) of an SQL expression outside of
 * quotes, in order. */
void text_identifiers(const char *expression,
                      void (*visit)(const char *name, size_t length, void *context), void *context);

/* Continues a hash with these bytes (FNV-1a, 64 bits: Fowler, Noll, Vo). It detects accidental
 * changes, not malicious ones. HASH_START is the hash of no bytes. */
#define HASH_START 0xCBF29CE484222325u
uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count);

/* Formats a hash as 16 hexadecimal digits. Returns `text`. */
char *hash_text(uint64_t hash, char text[17]);

/* Begins the status of a value that is not available; the reason follows. */
#define ABSENT "absent: "

#endif
