/*
 * Parses the words of a command line, one on each line of the input, for every command. They are
 * refused, or the result is within its limits.
 */
#include "fuzz.h"

#include "command_line/arguments.h"
#include "base/message.h"

FUZZ_INPUT("", "input")

static void check(const struct arguments *arguments)
{
    if (arguments->positional_count < 0 || arguments->positional_count > LIST_COUNT ||
        arguments->size_count < 0 || arguments->size_count > LIST_COUNT ||
        arguments->metric_count < 0 || arguments->metric_count > LIST_COUNT)
        abort();
    for (int i = 0; i < arguments->positional_count; i++)
        if (!arguments->positional[i]) abort();
    for (int i = 0; i < arguments->size_count; i++)
        if (!arguments->size[i]) abort();
    if (!(arguments->seconds >= 0) || !(arguments->threshold >= 0)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST = 200 };
    char *text = malloc(size + 1);
    if (!text) abort();
    for (const struct command *command = commands; command->name; command++) {
        struct arguments arguments;
        char *words[MOST + 1];
        int count = 0;
        memcpy(text, data, size); /* copied each time, because lists are cut in place */
        text[size] = 0;
        for (char *p = text; *p && count < MOST;) {
            words[count++] = p;
            p += strcspn(p, "\n");
            if (*p) *p++ = 0;
        }
        words[count] = NULL;
        const int result = arguments_parse(&arguments, command, count, words);
        if (result && result != FAIL_USAGE) abort();
        if (!result) check(&arguments);
        arguments_free(&arguments);
    }
    free(text);
    return 0;
}
