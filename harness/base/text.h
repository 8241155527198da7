/*
 * Strings: a growing buffer, wildcards, the nearest name for a typo. A struct text owns its buffer
 * until text_free.
 */
#ifndef WHYFAST_TEXT_H
#define WHYFAST_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A zeroed struct is an empty text. After a failed allocation `failed` stays set and appends do
 * nothing: check once, at the end. */
struct text {
    char *data; /* NUL-terminated, or NULL while empty */
    size_t length;
    size_t capacity;
    int failed;
};

void text_append(struct text *text, const char *string);
void text_append_bytes(struct text *text, const char *bytes, size_t count);
void text_format(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_free(struct text *text);

/* Frees a text whose contents went into `whole`: where it failed, the whole has failed. */
void text_free_piece(struct text *piece, struct text *whole);

/* The buffer, "" while empty. */
const char *text_string(const struct text *text);

/* A formatted string that the caller frees, or NULL when out of memory. */
char *text_new(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A plain file, open for reading; NULL with errno set: ENOTSUP for a pipe or a device. */
FILE *text_open_file(const char *path);

/* Whole plain file as a NUL-terminated string that the caller frees; its length in *length
 * unless NULL. NULL with errno set, as of text_open_file. */
char *text_read_file(const char *path, size_t *length);

/* 1 when `name` matches `pattern` (`*`, `?`, `[...]`, as in the shell; `*` also matches '/'). */
int text_matches(const char *pattern, const char *name);

/* Takes one character of UTF-8; a byte that begins none counts as U+FFFD. */
enum { TEXT_REPLACEMENT = 0xFFFD };
uint32_t text_character(const char **string);

/* 1 for what a terminal may take as an order, or a reader as another text than there is: control
 * characters, line ends and tabs among them, and invisible ones that turn the direction of
 * writing. */
int text_is_harmful(uint32_t character);

/* Writes a text that may be a stranger's where a person reads it: what is harmful, but for line
 * feeds and tabs, and bytes that are no UTF-8 become U+FFFD. */
void text_write_visible(FILE *file, const char *string);

/* Writes JSON that SQLite made: it leaves as they are bytes that are no UTF-8, which become
 * U+FFFD, and control characters from DEL on, which are escaped. */
void text_write_json(FILE *file, const char *json);

/* A time in ns as people write it, with three to four significant digits, in ns, us, ms or s;
 * returns the buffer. */
const char *text_time(char buffer[24], double ns);

/* The candidate nearest to `name` by edit distance, or NULL when none is close enough to be a
 * typo of it. */
const char *text_nearest(const char *name, const char *const *candidates, size_t count);

/* Calls `visit` for each identifier ([A-Za-z_][A-Za-z0-9_]*) of an SQL expression, in order,
 * outside of quotes. */
void text_identifiers(const char *expression,
                      void (*visit)(const char *name, size_t length, void *context), void *context);

#endif

/* Begins the status of a value that is not available; the reason follows. */
#define ABSENT "absent: "
