#include "run/run_journal.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/message.h"

static const char END[] = "end\n";

/* ---- reading --------------------------------------------------------------------------------- */

/* An entry while it is read: what it says counts only when it is whole. */
struct entry {
    struct text units, same;
    int unit_count, done_count;
    struct journal_state state;
};

static const char *after(const char *line, const char *word)
{
    return strncmp(line, word, strlen(word)) ? NULL : line + strlen(word);
}

/* "points 123" */
static int read_length(struct entry *entry, const char *line)
{
    char *rest;
    const size_t length = strcspn(line, " ");
    for (enum table_id id = 0; id < TABLE_RAW_COUNT; id++) {
        if (strlen(tables[id].name) != length || strncmp(tables[id].name, line, length) ||
            !line[length])
            continue;
        const char *digits = line + length + 1;
        errno = 0;
        entry->state.length[id] = strtoll(digits, &rest, 10);
        return isdigit((unsigned char)*digits) && !*rest && !errno ? 0 : -1;
    }
    return -1;
}

static int read_line(struct entry *entry, const char *line)
{
    const char *rest;
    if ((rest = after(line, "done ")) || (rest = after(line, "ready "))) {
        text_format(&entry->units, "%s\n", rest);
        entry->unit_count++;
        entry->done_count += *line == 'd';
        return 0;
    }
    if ((rest = after(line, "same ")))
        text_format(&entry->same, "%s\n", rest);
    else if ((rest = after(line, "= ")))
        text_format(&entry->state.facts, "%s\n", rest);
    else if ((rest = after(line, "  ")))
        return read_length(entry, rest);
    return rest ? 0 : -1;
}

static void entry_free(struct entry *entry)
{
    text_free(&entry->units);
    text_free(&entry->same);
    text_free(&entry->state.facts);
}

static void entry_begin(struct entry *entry)
{
    *entry = (struct entry){.unit_count = 0};
    for (enum table_id id = 0; id < TABLE_RAW_COUNT; id++) entry->state.length[id] = -1;
}

/* What a whole entry says is so. */
static void entry_take(struct entry *entry, struct journal *journal, struct journal_state *state)
{
    text_append(&journal->units, text_string(&entry->units));
    text_append(&journal->same, text_string(&entry->same));
    journal->unit_count += entry->unit_count;
    journal->done_count += entry->done_count;
    if (entry->unit_count == 0) return;
    text_free(&state->facts);
    *state = entry->state;
    entry->state.facts = (struct text){.data = NULL};
}

/* *whole: the length of the entries that are whole. A line that is not, or an entry, ends it:
 * that is what a kill leaves. */
static int read_entries(struct journal *journal, char *text, struct journal_state *state,
                        size_t *whole)
{
    struct entry entry;
    int result = 0, number = 0, failed = 0;
    entry_begin(&entry);
    for (char *line = text, *end; !result && (end = strchr(line, '\n')); line = end + 1) {
        number++;
        if (after(line, END)) {
            failed |= entry.units.failed || entry.same.failed || entry.state.facts.failed;
            entry_take(&entry, journal, state);
            entry_free(&entry);
            entry_begin(&entry);
            *whole = (size_t)(end + 1 - text);
            continue;
        }
        *end = 0;
        if (read_line(&entry, line))
            result = error(FAIL_INPUT,
                           "%s:%d: expected 'done <unit>', 'ready <unit>', 'same <what>: <value>', "
                           "'  <table> <length>', '= <fact>: <value>' or 'end', found '%s'",
                           journal->path, number, line);
    }
    entry_free(&entry);
    if (!result && (failed || journal->units.failed || journal->same.failed))
        result = error_memory();
    return result;
}

static int set_path(struct journal *journal, const char *directory)
{
    *journal = (struct journal){.path = text_new("%s/" JOURNAL_NAME, directory)};
    return journal->path ? 0 : error_memory();
}

int journal_read(struct journal *journal, const char *directory, struct journal_state *state)
{
    struct entry none;
    entry_begin(&none);
    *state = none.state;
    int result = set_path(journal, directory);
    if (result) return result;
    char *text = text_read_file(journal->path, NULL);
    if (!text)
        result = error(FAIL_INPUT, "%s: cannot read: %s; there is no interrupted run to resume",
                       journal->path, strerror(errno));
    else
        result = read_entries(journal, text, state, &journal->whole);
    free(text);
    return result;
}

int journal_has(const struct journal *journal, const char *unit)
{
    const size_t length = strlen(unit);
    for (const char *line = text_string(&journal->units); *line; line = strchr(line, '\n') + 1)
        if (!strncmp(line, unit, length) && line[length] == '\n') return 1;
    return 0;
}

/* ---- writing --------------------------------------------------------------------------------- */

int journal_open(struct journal *journal, const char *directory)
{
    int result = journal->path ? 0 : set_path(journal, directory);
    if (result) return result;
    journal->file = fopen(journal->path, "ab");
    if (!journal->file)
        return error(FAIL_OUTPUT, "%s: cannot write: %s", journal->path, strerror(errno));
    /* What is added must not run into the rest of an entry that is not whole. */
    if (ftruncate(fileno(journal->file), (off_t)journal->whole))
        return error(FAIL_OUTPUT, "%s: cannot cut back: %s", journal->path, strerror(errno));
    return directory_sync_above(journal->path);
}

static int entry_end(struct journal *journal)
{
    fputs(END, journal->file);
    errno = 0;
    if (ferror(journal->file) || fflush(journal->file) || fsync(fileno(journal->file)))
        return error(FAIL_OUTPUT, "%s: cannot write: %s", journal->path,
                     errno ? strerror(errno) : "a write failed; is the disk full?");
    return 0;
}

int journal_finish(struct journal *journal, const char *unit, int ready,
                   const struct journal_state *state)
{
    fprintf(journal->file, "%s %s\n", ready ? "ready" : "done", unit);
    for (enum table_id id = 0; id < TABLE_RAW_COUNT; id++)
        if (state->length[id] >= 0)
            fprintf(journal->file, "  %s %lld\n", tables[id].name, state->length[id]);
    for (const char *line = text_string(&state->facts), *end; *line; line = end) {
        end = strchr(line, '\n') + 1;
        fprintf(journal->file, "= %.*s", (int)(end - line), line);
    }
    const int result = entry_end(journal);
    if (result) return result;
    text_format(&journal->units, "%s\n", unit);
    journal->unit_count++;
    journal->done_count += !ready;
    return journal->units.failed ? error_memory() : 0;
}

int journal_same(struct journal *journal, const char *what, const char *value)
{
    const size_t length = strlen(what), value_length = strlen(value);
    for (const char *line = text_string(&journal->same), *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        if (strncmp(line, what, length) || strncmp(line + length, ": ", 2)) continue;
        const char *before = line + length + 2;
        if ((size_t)(end - before) == value_length && !strncmp(before, value, value_length))
            return 0;
        return error(FAIL_USAGE,
                     "%.*s: this run was begun with the %s '%.*s', which is '%s' now; resume it "
                     "with that, or remove it and begin anew",
                     (int)(strrchr(journal->path, '/') - journal->path), journal->path, what,
                     (int)(end - before), before, value);
    }
    fprintf(journal->file, "same %s: %s\n", what, value);
    text_format(&journal->same, "%s: %s\n", what, value);
    return journal->same.failed ? error_memory() : entry_end(journal);
}

void journal_close(struct journal *journal)
{
    if (journal->file) fclose(journal->file);
    text_free(&journal->units);
    text_free(&journal->same);
    free(journal->path);
    *journal = (struct journal){.file = NULL};
}
