#include "command/mcp_answers.h"

#include <stdlib.h>
#include <string.h>

void mcp_append_short(struct text *answer, const char *words, size_t most, int keeps_end)
{
    const size_t length = strlen(words);
    if (length <= most) {
        text_append(answer, words);
        return;
    }
    const char *from = keeps_end ? words + length - most : words, *line = strchr(from, '\n');
    size_t count = most;
    if (keeps_end && line && line[1]) count -= (size_t)(line + 1 - from), from = line + 1;
    if (!keeps_end) {
        while (count && from[count - 1] != '\n') count--;
        if (!count) count = most;
    }
    while (count && (from[0] & 0xC0) == 0x80) from++, count--; /* whole characters */
    while (count && (from[count] & 0xC0) == 0x80) count--;
    text_append_bytes(answer, from, count);
    text_format(answer, "[%zu of %zu bytes; detail gives all]\n", count, length);
}

void mcp_append_messages(struct text *answer, const char *messages, size_t most)
{
    enum { LONGEST = 140 };
    struct text sentences = {0};
    if (strlen(messages) <= most) {
        text_append(answer, messages);
        return;
    }
    for (size_t length; *messages; messages += length + (messages[length] == '\n')) {
        size_t end = 0, word = 0;
        length = strcspn(messages, "\n");
        for (; end < length && end < LONGEST; end++) {
            if (messages[end] == ' ') word = end;
            if (word && end == word && strchr(".;", messages[end - 1])) break;
        }
        if (end < length && word) end = word;
        text_append_bytes(&sentences, messages, end);
        text_append(&sentences, end < length ? " ...\n" : "\n");
    }
    mcp_append_short(answer, text_string(&sentences), most, 1);
    text_append(answer, "[messages are shortened; detail gives all]\n");
    answer->failed |= sentences.failed;
    text_free(&sentences);
}

void mcp_append_lines(struct text *answer, const char *output, size_t most)
{
    const char *table = strstr(output, "\n\nline ");
    const size_t begun = answer->length, length = table ? strlen(table) : 0,
                 kept = length < 2 * most / 3 ? length : 2 * most / 3;
    char *head = table ? strndup(output, (size_t)(table + 1 - output)) : NULL;
    if (head) mcp_append_short(answer, head, most - kept, 0);
    mcp_append_short(answer, head ? table + 1 : output, most + begun - answer->length, 0);
    free(head);
}
