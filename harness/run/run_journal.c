#include "run/run_journal.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"

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
    const int done = starts(line, DONE);
    if (done || starts(line, READY)) {
        journal->unit_count++;
        journal->done_count += done;
        text_format(&journal->units, "%s\n", line);
        return 0;
    }
    if (starts(line, LENGTH)) return parse_length(journal, line + strlen(LENGTH));
    if (!starts(line, SAME)) return -1;
    text_format(&journal->same, "%s\n", line);
    return 0;
}

static int parse(struct journal *journal, struct facts *facts, const char *path, char *text)
{
    int result = 0, number = 1;
    for (char *line = text, *end; *line && !result; line = end + 1, number++) {
        end = strchr(line, '\n');
        if (!end)
            return error(FAIL_INPUT, "%s:%d: the last line is not complete; the file is truncated",
                         path, number);
        *end = 0;
        if (!strcmp(line, FACTS)) {
            result = facts_parse(facts, path, number + 1, end + 1);
            break;
        }
        if (parse_line(journal, line))
            result = error(FAIL_INPUT,
                           "%s:%d: expected 'done <unit>', 'ready <unit>', 'same <what>: <value>', "
                           "'  <table> <length>' or 'facts', found '%s'",
                           path, number, line);
    }
    if (!result && (journal->units.failed || journal->same.failed)) result = error_memory();
    return result;
}

int journal_read(struct journal *journal, struct facts *facts, const char *directory)
{
    char *path = text_new("%s/" JOURNAL_FILE, directory);
    char *text = path ? text_read_file(path, NULL) : NULL;
    journal_init(journal);
    const int result =
        text   ? parse(journal, facts, path, text)
        : path ? error(FAIL_INPUT, "%s: cannot read: %s; there is no interrupted run to resume",
                       path, strerror(errno))
               : error_memory();
    free(text);
    free(path);
    return result;
}

int journal_write(const struct journal *journal, const struct facts *facts, const char *directory)
{
    struct atomic_file output;
    struct text text = {0};
    text_append(&text, text_string(&journal->same));
    text_append(&text, text_string(&journal->units));
    for (enum table_id id = 0; id < TABLE_RAW_COUNT; id++)
        if (journal->length[id] >= 0)
            text_format(&text, "%s%s %lld\n", LENGTH, tables[id].name, journal->length[id]);
    text_format(&text, "%s\n", FACTS);
    facts_append(facts, &text);
    int result = text.failed ? error_memory() : atomic_file_begin(&output, directory, JOURNAL_FILE);
    if (!result) {
        fputs(text_string(&text), output.file);
        result = atomic_file_commit(&output);
    }
    text_free(&text);
    return result;
}

int journal_add(struct journal *journal, const char *unit, int ready)
{
    text_format(&journal->units, "%s%s\n", ready ? READY : DONE, unit);
    journal->unit_count++;
    journal->done_count += !ready;
    return journal->units.failed ? error_memory() : 0;
}

int journal_has(const struct journal *journal, const char *unit)
{
    const size_t length = strlen(unit);
    for (const char *line = text_string(&journal->units); *line; line = strchr(line, '\n') + 1) {
        const char *name = strchr(line, ' ') + 1;
        if (!strncmp(name, unit, length) && name[length] == '\n') return 1;
    }
    return 0;
}

int journal_same(struct journal *journal, const char *directory, const char *what,
                 const char *value)
{
    const size_t length = strlen(what);
    for (const char *line = text_string(&journal->same), *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        const char *name = line + strlen(SAME), *before = name + length + 2;
        if (strncmp(name, what, length) || strncmp(name + length, ": ", 2)) continue;
        if ((size_t)(end - before) == strlen(value) && starts(before, value)) return 0;
        return error(FAIL_USAGE,
                     "%s: this run was begun with the %s '%.*s', which is '%s' now; resume it with "
                     "that, or remove it and begin anew",
                     directory, what, (int)(end - before), before, value);
    }
    text_format(&journal->same, "%s%s: %s\n", SAME, what, value);
    return journal->same.failed ? error_memory() : 0;
}

void journal_free(struct journal *journal)
{
    text_free(&journal->units);
    text_free(&journal->same);
    journal_init(journal);
}
