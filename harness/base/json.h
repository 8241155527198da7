/*
 * Writes JSON. The output of every command is one object: its first member `schema` names the
 * description of its members, numbers are numbers with the unit in the name of the
 * member, and an absent value is null. A struct json_writer owns nothing.
 */
#ifndef WHYFAST_JSON_H
#define WHYFAST_JSON_H

#include <stdio.h>

struct json_writer {
    FILE *file;
    int has_member; /* 1: what is written next follows another member */
};

/* Begins the object of a command, and ends it and the line. `schema` is the name and version of its
 * members, as in "compare/4": reports/schema/compare.4.json describes them. */
void json_begin(struct json_writer *writer, FILE *file, const char *schema);
void json_end(struct json_writer *writer);

/* Begins such an object as a member of another one; json_close ends it. */
void json_begin_member(struct json_writer *writer, const char *name, const char *schema);

/* Opens an object, '{', or an array, '[', and closes it, with '}' or ']'. In this and all functions
 * below, `name` is NULL for an element of an array. */
void json_open(struct json_writer *writer, const char *name, char bracket);
void json_close(struct json_writer *writer, char bracket);

/* Harmful characters of a text are escaped, and bytes that are not UTF-8 become U+FFFD. */
void json_text(struct json_writer *writer, const char *name, const char *value); /* NULL: null */
void json_number(struct json_writer *writer, const char *name, double value);    /* NAN: null */
void json_flag(struct json_writer *writer, const char *name, int value);

/* Writes a value that is JSON already, made by SQLite; NULL gives null. */
void json_value(struct json_writer *writer, const char *name, const char *json);

#endif
