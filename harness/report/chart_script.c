#include "report/chart_script.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"

static const char *const key_names[KEY_COUNT] = {"title", "caption", "each", "data"};

static int take_line(struct chart_script *script, int number, char *line, int *key)
{
    const size_t blanks = strspn(line, " ");
    char *word = line + blanks;
    if (blanks >= 2 && *key >= 0) {
        text_format(&script->value[*key], " %s", word);
        return 0;
    }
    const size_t length = strcspn(word, " ");
    for (*key = 0; *key < KEY_COUNT; (*key)++)
        if (strlen(key_names[*key]) == length && !strncmp(key_names[*key], word, length)) break;
    if (*key == KEY_COUNT)
        return error(FAIL_INPUT, "%s:%d: '%.*s'; expected title, caption, each or data",
                     script->path, number, (int)length, word);
    if (script->line[*key])
        return error(FAIL_INPUT, "%s:%d: '%s' is given twice", script->path, number,
                     key_names[*key]);
    script->line[*key] = number;
    text_append(&script->value[*key], word + length + strspn(word + length, " "));
    return 0;
}

int chart_script_read(struct chart_script *script, const char *directory, const char *file)
{
    memset(script, 0, sizeof *script);
    script->path = text_new("%s/plots/%s", directory, file);
    script->name = strndup(file, strlen(file) - strlen(".gp"));
    if (!script->path || !script->name) return error_memory();
    char *text = text_read_file(script->path, NULL);
    if (!text) return error(FAIL_INPUT, "%s: cannot read: %s", script->path, strerror(errno));
    int result = 0, key = -1, number = 0;
    for (char *line = text, *end; !result && *line; line = end) {
        end = line + strcspn(line, "\n");
        if (*end) *end++ = 0;
        number++;
        if (!strncmp(line, "#:", 2)) result = take_line(script, number, line + 2, &key);
    }
    for (int k = 0; k < KEY_COUNT && !result; k++) {
        if (script->value[k].failed)
            result = error_memory();
        else if (!script->line[k])
            result = error(FAIL_INPUT, "%s:1: expected a line '#: %s'", script->path, key_names[k]);
    }
    free(text);
    return result;
}

void chart_script_free(struct chart_script *script)
{
    for (int k = 0; k < KEY_COUNT; k++) text_free(&script->value[k]);
    free(script->path);
    free(script->name);
}
