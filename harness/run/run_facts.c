#include "run/run_facts.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"

static const char MAGIC[] = "whyfast run 1";

static struct fact *find(const struct facts *facts, const char *key)
{
    for (int i = 0; i < facts->count; i++)
        if (!strcmp(facts->fact[i].key, key)) return &facts->fact[i];
    return NULL;
}

const char *facts_find(const struct facts *facts, const char *key)
{
    const struct fact *fact = find(facts, key);
    return fact ? fact->value : NULL;
}

int facts_set(struct facts *facts, const char *key, char *value)
{
    if (!value) return error_memory();
    for (char *p = value; *p; p++)
        if (*p == '\n' || *p == '\r') *p = ' ';
    struct fact *known = find(facts, key);
    if (known) {
        free(known->value);
        known->value = value;
        return 0;
    }
    struct fact *fact = realloc(facts->fact, (size_t)(facts->count + 1) * sizeof *fact);
    if (fact) facts->fact = fact;
    char *copy = strdup(key);
    if (!fact || !copy) {
        free(copy);
        free(value);
        return error_memory();
    }
    fact[facts->count++] = (struct fact){copy, value};
    return 0;
}

static int parse_line(struct facts *facts, const char *path, int number, char *line)
{
    char *p = line;
    while (isalnum((unsigned char)*p) || *p == '_') p++;
    if (p == line || p[0] != ':' || p[1] != ' ')
        return error(FAIL_INPUT, "%s:%d: expected 'key: value'", path, number);
    *p = 0;
    if (find(facts, line))
        return error(FAIL_INPUT, "%s:%d: '%s' is given twice", path, number, line);
    return facts_set(facts, line, strdup(p + 2));
}

int facts_parse(struct facts *facts, const char *path, int number, char *text)
{
    int result = 0;
    for (char *line = text, *end; *line && !result; line = end + 1, number++) {
        end = strchr(line, '\n');
        if (!end)
            return error(FAIL_INPUT, "%s:%d: the last line is not complete; the file is truncated",
                         path, number);
        *end = 0;
        result = parse_line(facts, path, number, line);
    }
    return result;
}

static int parse_file(struct facts *facts, const char *path, char *text)
{
    char *end = strchr(text, '\n');
    if (!*text) return error(FAIL_INPUT, "%s:1: the file is empty; expected '%s'", path, MAGIC);
    if (!end)
        return error(FAIL_INPUT, "%s:1: the last line is not complete; the file is truncated",
                     path);
    *end = 0;
    if (strcmp(text, MAGIC))
        return error(FAIL_INPUT, "%s:1: expected '%s': this is no run of whyfast", path, MAGIC);
    return facts_parse(facts, path, 2, end + 1);
}

int facts_read(struct facts *facts, const char *directory)
{
    char *path = text_new("%s/" FACTS_FILE, directory);
    if (!path) return error_memory();
    char *text = text_read_file(path, NULL);
    const int result = text ? parse_file(facts, path, text)
                            : error(FAIL_INPUT, "%s: cannot read: %s; expected a run directory",
                                    path, strerror(errno));
    free(text);
    free(path);
    return result;
}

void facts_append(const struct facts *facts, struct text *text)
{
    for (int i = 0; i < facts->count; i++)
        text_format(text, "%s: %s\n", facts->fact[i].key, facts->fact[i].value);
}

int facts_write(const struct facts *facts, const char *directory)
{
    struct atomic_file output;
    struct text text = {0};
    text_format(&text, "%s\n", MAGIC);
    facts_append(facts, &text);
    int result = text.failed ? error_memory() : atomic_file_begin(&output, directory, FACTS_FILE);
    if (!result) {
        fputs(text_string(&text), output.file);
        result = atomic_file_commit(&output);
    }
    text_free(&text);
    return result;
}

void facts_free(struct facts *facts)
{
    for (int i = 0; i < facts->count; i++) {
        free(facts->fact[i].key);
        free(facts->fact[i].value);
    }
    free(facts->fact);
    *facts = (struct facts){0, NULL};
}
