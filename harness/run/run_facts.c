#include "run/run_facts.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"

static const char MAGIC[] = "whyfast run 1";

const char *run_fact(const struct run *run, const char *key)
{
    for (int i = 0; i < run->fact_count; i++)
        if (!strcmp(run->facts[i].key, key)) return run->facts[i].value;
    return NULL;
}

/* Takes ownership of value. */
static int fact_store(struct run *run, const char *key, char *value)
{
    if (!value) return error_memory();
    for (char *p = value; *p; p++)
        if (*p == '\n' || *p == '\r') *p = ' ';
    for (int i = 0; i < run->fact_count; i++) {
        if (strcmp(run->facts[i].key, key)) continue;
        free(run->facts[i].value);
        run->facts[i].value = value;
        return 0;
    }
    struct fact *facts = realloc(run->facts, (size_t)(run->fact_count + 1) * sizeof *facts);
    if (facts) run->facts = facts;
    char *copy = strdup(key);
    if (!facts || !copy) {
        free(copy);
        free(value);
        return error_memory();
    }
    facts[run->fact_count++] = (struct fact){copy, value};
    return 0;
}

int run_fact_set(struct run *run, const char *key, const char *format, ...)
{
    char *value = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&value, format, arguments) < 0) value = NULL;
    va_end(arguments);
    return fact_store(run, key, value);
}

/* One line "key: value" of run.txt. */
static int fact_parse(struct run *run, const char *path, int number, char *line)
{
    char *p = line;
    while (isalnum((unsigned char)*p) || *p == '_') p++;
    if (p == line || p[0] != ':' || p[1] != ' ')
        return error(FAIL_INPUT, "%s:%d: expected 'key: value'", path, number);
    *p = 0;
    if (run_fact(run, line))
        return error(FAIL_INPUT, "%s:%d: '%s' is given twice", path, number, line);
    return fact_store(run, line, strdup(p + 2));
}

int run_facts_parse(struct run *run, const char *path, int number, char *text)
{
    int result = 0;
    for (char *line = text; *line && !result; number++) {
        char *end = strchr(line, '\n');
        if (!end)
            return error(FAIL_INPUT, "%s:%d: the last line is not complete; the file is truncated",
                         path, number);
        *end = 0;
        result = fact_parse(run, path, number, line);
        line = end + 1;
    }
    return result;
}

static int parse_file(struct run *run, const char *path, char *text)
{
    char *end = strchr(text, '\n');
    if (!*text) return error(FAIL_INPUT, "%s:1: the file is empty; expected '%s'", path, MAGIC);
    if (!end)
        return error(FAIL_INPUT, "%s:1: the last line is not complete; the file is truncated",
                     path);
    *end = 0;
    if (strcmp(text, MAGIC))
        return error(FAIL_INPUT, "%s:1: expected '%s': this is no run of whyfast", path, MAGIC);
    return run_facts_parse(run, path, 2, end + 1);
}

int run_facts_read(struct run *run)
{
    char *path = run_file(run, "run.txt");
    if (!path) return FAIL_OUTPUT;
    char *text = text_read_file(path, NULL);
    const int result = text ? parse_file(run, path, text)
                            : error(FAIL_INPUT, "%s: cannot read: %s; expected a run directory",
                                    path, strerror(errno));
    free(text);
    free(path);
    return result;
}

void run_facts_append(const struct run *run, struct text *text)
{
    for (int i = 0; i < run->fact_count; i++)
        text_format(text, "%s: %s\n", run->facts[i].key, run->facts[i].value);
}

int run_write_facts(struct run *run)
{
    struct atomic_file output;
    struct text text = {0};
    run_facts_append(run, &text);
    int result =
        text.failed ? error_memory() : atomic_file_begin(&output, run->directory, "run.txt");
    if (!result) {
        fprintf(output.file, "%s\n%s", MAGIC, text_string(&text));
        result = atomic_file_commit(&output);
    }
    text_free(&text);
    return result;
}

void run_facts_free(struct run *run)
{
    for (int i = 0; i < run->fact_count; i++) {
        free(run->facts[i].key);
        free(run->facts[i].value);
    }
    free(run->facts);
    run->facts = NULL;
    run->fact_count = 0;
}
