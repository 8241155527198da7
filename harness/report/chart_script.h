/*
 * Reads a gnuplot script under plots/. It begins with comment lines of the following form:
 *
 *   #: title    title of the picture; :name stands for a column of `each`
 *   #: caption  one or two sentences: how to read it and what it shows
 *   #: each     a SELECT: the script is run once for each row, whose columns become gnuplot strings
 *               and SQL parameters; the columns family and size also name the picture's file
 *   #: data     a SELECT over the run's tables: its rows are the file that the script plots,
 *               columns by name
 *   #:          continues the line above, if two or more blanks follow the colon
 */
#ifndef WHYFAST_CHART_SCRIPT_H
#define WHYFAST_CHART_SCRIPT_H

#include "base/text.h"

enum { KEY_TITLE, KEY_CAPTION, KEY_EACH, KEY_DATA, KEY_COUNT };

/* Owned until chart_script_free, also after a failure to read it. */
struct chart_script {
    char *path;
    char *name; /* without directory and ending */
    struct text value[KEY_COUNT];
    int line[KEY_COUNT];
};

/* Reads plots/`file` of the data directory. Returns FAIL_INPUT, with file and line, for one that
 * cannot be read or lacks such a line. */
int chart_script_read(struct chart_script *script, const char *directory, const char *file);
void chart_script_free(struct chart_script *script);

#endif
