/*
 * Reads the lists in the cells of lines.csv, and shows any bytes on a terminal: without control
 * sequences, partial characters, or lines that are too wide and no command to copy.
 */
#include "lines/lines_format.h"
#include "base/terminal.h"

#include "fuzz.h"

FUZZ_INPUT("lines", "lines/input")

/* Lists end, and their elements are within limits. */
static void read_lists(const char *words)
{
    const char *list = words;
    struct location location;
    struct stall stall;
    while (location_next(&list, &location) > 0)
        if (location.source < 0 || location.line < 0) abort();
    list = words;
    while (stall_next(&list, &stall) > 0)
        if (strlen(stall.reason) >= REASON_SIZE || !(stall.not_issued <= stall.samples)) abort();
}

/* UTF-8 without control characters. */
static void check_shown(const char *shown)
{
    for (const unsigned char *p = (const unsigned char *)shown; *p;) {
        int more = *p < 0x80 ? 0 : *p < 0xE0 ? 1 : *p < 0xF0 ? 2 : 3;
        if (*p < 0x20 || *p == 0x7F || (*p >= 0x80 && *p < 0xC2) || (*p == 0xC2 && p[1] < 0xA0))
            abort();
        for (p++; more > 0; more--, p++)
            if ((*p & 0xC0) != 0x80) abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const int columns = size ? data[0] % 100 : 0;
    const struct terminal screen = {columns + SCREEN_LEAST, 0};
    struct text line = {0}, page = {0};
    char *words = fuzz_text(data, size);
    read_lists(words);
    const int used = terminal_append(&line, words, columns);
    if (used > columns || used != terminal_width(text_string(&line))) abort();
    check_shown(text_string(&line));
    terminal_paragraph(&page, &screen, STYLE_PLAIN, columns / 4, "label", words);
    for (char *p = page.data; p && *p;) {
        char *end = p + strcspn(p, "\n");
        if (!*end) abort();
        *end = 0;
        check_shown(p);
        if (terminal_width(p) > screen.columns && !strstr(p, "'whyfast ")) abort();
        p = end + 1;
    }
    text_free(&line);
    text_free(&page);
    free(words);
    return 0;
}
