/*
 * Writes ASCII where the locale has no UTF-8: "us" for a microsecond, "#" for a bar. Owns the
 * streams that it puts in the places of stdout and stderr, to the end of the process.
 */
#ifndef WHYFAST_ASCII_OUTPUT_H
#define WHYFAST_ASCII_OUTPUT_H

#include <stdio.h>

/* Returns 1 if WHYFAST_ASCII or, where it is not set, the locale asks for ASCII: the first of
 * LC_ALL, LC_CTYPE and LANG that is set names another encoding than UTF-8. */
int ascii_is_wanted(void);

/* Returns a stream that writes what is written to it, in ASCII, to the file descriptor; or the
 * stream itself if there is no memory for one. */
FILE *ascii_stream(FILE *stream, int descriptor);

#endif
