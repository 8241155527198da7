#include "base/ascii_output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int ascii_is_wanted(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *value = getenv("WHYFAST_ASCII");
    if (value && *value) return strcmp(value, "0") != 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        value = getenv(names[i]);
        if (value && *value) return !strcasestr(value, "utf-8") && !strcasestr(value, "utf8");
    }
    return 0; /* as in a bare container, whose terminal is elsewhere */
}

/* Characters that tables have keep their width. */
static const struct {
    const char *utf8, *ascii;
} plain[] = {
    {"µ", "u"},      {"μ", "u"},  {"×", "x"},  {"·", "*"},  {"−", "-"},  {"–", "-"},
    {"—", "-"},      {"→", "->"}, {"←", "<-"}, {"≤", "<="}, {"≥", ">="}, {"±", "+-"},
    {"…", "~"},      {"°", ""},   {"█", "#"},  {"▓", "="},  {"▒", "-"},  {"░", "."},
    {"│", "|"},      {"─", "-"},  {"┌", "+"},  {"┐", "+"},  {"└", "+"},  {"┘", "+"},
    {"┬", "+"},      {"┴", "+"},  {"├", "+"},  {"┤", "+"},  {"┼", "+"},  {"▲", "^"},
    {"▼", "v"},      {"►", ">"},  {"◄", "<"},  {"↑", "^"},  {"↓", "v"},  {"⁰", "0"},
    {"¹", "1"},      {"²", "2"},  {"³", "3"},  {"⁴", "4"},  {"⁵", "5"},  {"⁶", "6"},
    {"⁷", "7"},      {"⁸", "8"},  {"⁹", "9"},  {"“", "\""}, {"”", "\""}, {"‘", "'"},
    {"’", "'"},      {"é", "e"},  {"ö", "o"},  {"ü", "u"},  {"ä", "a"},  {"\u00a0", " "},
    {"\u202f", " "},
};

struct sink {
    int descriptor;
    char part[5]; /* the bytes of a character that is not complete */
    size_t length, wanted;
};

static int put(const struct sink *sink, const char *bytes, size_t length)
{
    while (length) {
        const ssize_t written = write(sink->descriptor, bytes, length);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return -1;
        bytes += written;
        length -= (size_t)written;
    }
    return 0;
}

static int put_part(struct sink *sink)
{
    const char *ascii = "?";
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (!strcmp(plain[i].utf8, sink->part)) ascii = plain[i].ascii;
    sink->length = 0;
    return put(sink, ascii, strlen(ascii));
}

static ssize_t sink_write(void *cookie, const char *bytes, size_t length)
{
    struct sink *sink = cookie;
    size_t at = 0;
    while (at < length) {
        size_t ascii = 0;
        while (at + ascii < length && !(bytes[at + ascii] & 0x80)) ascii++;
        if (ascii && sink->length && put_part(sink)) return 0;
        if (ascii && put(sink, bytes + at, ascii)) return 0;
        at += ascii;
        if (at == length) break;
        const unsigned char byte = (unsigned char)bytes[at];
        if (!sink->length) sink->wanted = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
        sink->part[sink->length++] = bytes[at++];
        sink->part[sink->length] = 0;
        if (sink->length == sink->wanted && put_part(sink)) return 0;
    }
    return (ssize_t)length;
}

FILE *ascii_stream(FILE *stream, int descriptor)
{
    const cookie_io_functions_t functions = {.write = sink_write};
    struct sink *sink = calloc(1, sizeof *sink);
    FILE *made = sink ? fopencookie(sink, "w", functions) : NULL;
    if (!made) {
        free(sink);
        return stream;
    }
    sink->descriptor = descriptor;
    fflush(stream);
    setvbuf(made, NULL, descriptor == STDERR_FILENO || isatty(descriptor) ? _IOLBF : _IOFBF,
            BUFSIZ);
    return made;
}
