#include "run/run_journal.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"

/* ---- facts ----------------------------------------------------------------------------------- */

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

static int parse_fact(struct facts *facts, const char *path, int number, char *line)
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

/* Cuts the next line off *text. Returns NULL at the end, and sets *result if the file is truncated.
 */
static char *take_line(char **text, const char *path, int number, int *result)
{
    char *line = *text, *end = strchr(line, '\n');
    if (!*line) return NULL;
    if (!end) {
        *result = error(FAIL_INPUT, "%s:%d: the last line is not complete; the file is truncated",
                        path, number);
        return NULL;
    }
    *end = 0;
    *text = end + 1;
    return line;
}

static int parse_facts(struct facts *facts, const char *path, int number, char *text)
{
    int result = 0;
    for (char *line; !result && (line = take_line(&text, path, number, &result)); number++)
        result = parse_fact(facts, path, number, line);
    return result;
}

static int parse_file(struct facts *facts, const char *path, char *text)
{
    int result = 0;
    if (!*text) return error(FAIL_INPUT, "%s:1: the file is empty; expected '%s'", path, MAGIC);
    const char *first = take_line(&text, path, 1, &result);
    if (!first) return result;
    if (strcmp(first, MAGIC))
        return error(FAIL_INPUT, "%s:1: expected '%s': this is not a run of whyfast", path, MAGIC);
    return parse_facts(facts, path, 2, text);
}

int facts_read(struct facts *facts, const char *directory, const char *name)
{
    const struct path path = path_in(directory, name);
    char *text = text_read_file(path.at, NULL);
    const int result = text ? parse_file(facts, path.at, text)
                            : error(FAIL_INPUT, "%s: cannot read: %s; expected a run directory",
                                    path.at, strerror(errno));
    free(text);
    return result;
}

void facts_append(const struct facts *facts, struct text *text)
{
    for (int i = 0; i < facts->count; i++)
        text_format(text, "%s: %s\n", facts->fact[i].key, facts->fact[i].value);
}

int facts_write(const struct facts *facts, const char *directory, const char *name)
{
    struct text text = {0};
    text_format(&text, "%s\n", MAGIC);
    facts_append(facts, &text);
    const int result = atomic_file_write(directory, name, &text);
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

/* ---- the journal ----------------------------------------------------------------------------- */

static const char DONE[] = "done ", READY[] = "ready ", SAME[] = "same ", FACTS[] = "facts",
                  LENGTH[] = "  ";

static int starts(const char *line, const char *word)
{
    return !strncmp(line, word, strlen(word));
}

void journal_init(struct journal *journal)
{
    *journal = (struct journal){.unit_count = 0};
    for (enum table_id id = 0; id < TABLE_RAW_COUNT; id++) journal->length[id] = -1;
}

/* Parses "points 123". Returns 0, or -1 if the line is damaged. */
static int parse_length(struct journal *journal, const char *line)
{
    const size_t length = strcspn(line, " ");
    const char *digits = line + length + 1;
    char *rest;
    enum table_id id = 0;
    while (id < TABLE_RAW_COUNT &&
           (strncmp(tables[id].name, line, length) || tables[id].name[length]))
        id++;
    if (id == TABLE_RAW_COUNT || !line[length] || !isdigit((unsigned char)*digits)) return -1;
    errno = 0;
    journal->length[id] = strtoll(digits, &rest, 10);
    return *rest || errno ? -1 : 0;
}

/* Parses a line other than a fact. Returns 0, or -1 if it is damaged. */
static int parse_line(struct journal *journal, const char *line)
{
    const int done = starts(line, DONE), is_unit = done || starts(line, READY);
    if (starts(line, LENGTH)) return parse_length(journal, line + strlen(LENGTH));
    if (!is_unit && !starts(line, SAME)) return -1;
    journal->unit_count += is_unit;
    journal->done_count += done;
    text_format(&journal->lines, "%s\n", line);
    return 0;
}

static int parse(struct journal *journal, struct facts *facts, const char *path, char *text)
{
    int result = 0, number = 1;
    for (char *line; !result && (line = take_line(&text, path, number, &result)); number++) {
        if (!strcmp(line, FACTS)) return parse_facts(facts, path, number + 1, text);
        if (parse_line(journal, line))
            result = error(FAIL_INPUT,
                           "%s:%d: expected 'done <unit>', 'ready <unit>', 'same <what>: <value>', "
                           "'  <table> <length>' or 'facts', found '%s'",
                           path, number, line);
    }
    return result;
}

int journal_read(struct journal *journal, struct facts *facts, const char *directory)
{
    const struct path path = path_in(directory, JOURNAL_FILE);
    char *text = text_read_file(path.at, NULL);
    journal_init(journal);
    int result =
        text ? parse(journal, facts, path.at, text)
             : error(FAIL_INPUT, "%s: cannot read: %s; there is no interrupted run to resume",
                     path.at, strerror(errno));
    free(text);
    if (!result && journal->lines.failed) result = error_memory();
    return result;
}

int journal_write(const struct journal *journal, const struct facts *facts, const char *directory)
{
    struct text text = {0};
    text_append(&text, text_string(&journal->lines));
    for (enum table_id id = 0; id < TABLE_RAW_COUNT; id++)
        if (journal->length[id] >= 0)
            text_format(&text, "%s%s %lld\n", LENGTH, tables[id].name, journal->length[id]);
    text_format(&text, "%s\n", FACTS);
    facts_append(facts, &text);
    const int result = atomic_file_write(directory, JOURNAL_FILE, &text);
    text_free(&text);
    return result;
}

int journal_add(struct journal *journal, const char *unit, int ready)
{
    text_format(&journal->lines, "%s%s\n", ready ? READY : DONE, unit);
    journal->unit_count++;
    journal->done_count += !ready;
    return journal->lines.failed ? error_memory() : 0;
}

int journal_has(const struct journal *journal, const char *unit)
{
    const size_t length = strlen(unit);
    for (const char *line = text_string(&journal->lines); *line; line = strchr(line, '\n') + 1) {
        const char *name = strchr(line, ' ') + 1;
        if (!starts(line, SAME) && !strncmp(name, unit, length) && name[length] == '\n') return 1;
    }
    return 0;
}

int journal_same(struct journal *journal, const char *directory, const char *what,
                 const char *value)
{
    const size_t length = strlen(what);
    for (const char *line = text_string(&journal->lines), *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        const char *name = line + strlen(SAME);
        if (!starts(line, SAME) || strncmp(name, what, length) || !starts(name + length, ": "))
            continue;
        const char *before = name + length + 2;
        if ((size_t)(end - before) == strlen(value) && starts(before, value)) return 0;
        return error(FAIL_USAGE,
                     "%s: this run was started with the %s '%.*s', which is now '%s'; resume it "
                     "with the former, or remove the run and start again",
                     directory, what, (int)(end - before), before, value);
    }
    text_format(&journal->lines, "%s%s: %s\n", SAME, what, value);
    return journal->lines.failed ? error_memory() : 0;
}

void journal_free(struct journal *journal)
{
    text_free(&journal->lines);
    journal_init(journal);
}
