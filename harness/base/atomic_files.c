#include "base/atomic_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "base/text.h"

static const char MAGIC[] = "whyfast replacing 1", END[] = "end";

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The place of one more; NULL where there is none, said. */
static struct atomic_file *one_more(struct atomic_files *group, const char *directory,
                                    const char *name)
{
    if (!group->directory) group->directory = strdup(directory);
    if (!group->directory)
        error_memory();
    else if (group->count == GROUP_SIZE)
        error(FAIL_OUTPUT, "%s/%s: more than %d files at once", directory, name, GROUP_SIZE);
    else
        return &group->output[group->count];
    return NULL;
}

static struct atomic_file *begun(struct atomic_files *group, const char *directory,
                                 const char *name)
{
    for (int i = 0; i < group->count; i++)
        if (group->output[i].file && !strcmp(group->directory, directory) &&
            !strcmp(name_of(group->output[i].path), name))
            return &group->output[i];
    return NULL;
}

int atomic_files_begin(struct atomic_files *group, const char *directory, const char *name,
                       FILE **file)
{
    struct atomic_file *output = begun(group, directory, name);
    if (output) {
        *file = output->file;
        return 0;
    }
    output = one_more(group, directory, name);
    const int result = output ? atomic_file_begin(output, directory, name) : FAIL_OUTPUT;
    if (result) return result;
    *file = output->file;
    group->count++;
    return 0;
}

int atomic_files_flush(struct atomic_files *group)
{
    for (int i = 0; i < group->count; i++) {
        FILE *file = group->output[i].file;
        if (file && (fflush(file) || ferror(file)))
            return error(FAIL_OUTPUT, "%s: cannot write: %s", group->output[i].path,
                         strerror(errno));
    }
    return 0;
}

int atomic_files_directory(struct atomic_files *group, const char *directory, const char *fresh,
                           const char *name)
{
    struct atomic_file *output = one_more(group, directory, name);
    if (!output) return FAIL_OUTPUT;
    *output = (struct atomic_file){.path = text_new("%s/%s", directory, name),
                                   .temporary = text_new("%s/%s", directory, fresh)};
    group->count++; /* atomic_files_end frees it */
    return output->path && output->temporary ? 0 : error_memory();
}

/* ---- the note -------------------------------------------------------------------------------- */

/* Whether both names are of this directory: where a link led elsewhere, they are not. */
static int is_inside(const char *directory, const struct atomic_file *output)
{
    const size_t length = strlen(directory);
    return output->temporary && !strncmp(output->path, directory, length) &&
           output->path[length] == '/' && !strchr(output->path + length + 1, '/');
}

static char *note_path(const char *directory)
{
    char *path = text_new("%s/" GROUP_NOTE, directory);
    if (!path) error_memory();
    return path;
}

static int write_note(const struct atomic_files *group)
{
    struct atomic_file note;
    const int result = atomic_file_begin(&note, group->directory, GROUP_NOTE);
    if (result) return result;
    fprintf(note.file, "%s\n", MAGIC);
    for (int i = 0; i < group->count; i++)
        if (is_inside(group->directory, &group->output[i]))
            fprintf(note.file, "%s %s\n", name_of(group->output[i].temporary),
                    name_of(group->output[i].path));
    fprintf(note.file, "%s\n", END);
    return atomic_file_commit(&note);
}

/* ---- all at once ----------------------------------------------------------------------------- */

static int finish_all(struct atomic_files *group)
{
    int result = 0;
    for (int i = 0; i < group->count && !result; i++)
        result = group->output[i].file ? atomic_file_finish(&group->output[i])
                                       : directory_sync(group->output[i].temporary);
    return result;
}

/* The names are on the disk when the note is, and the note goes when they are. */
static int publish_all(const struct atomic_files *group, const char *note)
{
    int result = write_note(group);
    if (!result) result = directory_sync_above(note);
    for (int i = 0; i < group->count && !result; i++)
        result = atomic_file_publish(&group->output[i]);
    if (!result) result = directory_sync_above(note);
    if (!result && unlink(note))
        result = error(FAIL_OUTPUT, "%s: cannot remove: %s", note, strerror(errno));
    return result;
}

static void drop(struct atomic_file *output)
{
    if (!output->file && output->temporary)
        directory_remove(
            output->temporary); /* of a file too; atomic_file_abandon knows files that are open */
    atomic_file_abandon(output);
}

int atomic_files_end(struct atomic_files *group, int result)
{
    char *note = group->count > 1 ? note_path(group->directory) : NULL;
    if (!result && group->count > 1 && !note) result = FAIL_OUTPUT;
    if (!result) result = finish_all(group);
    if (!result)
        result = note           ? publish_all(group, note)
                 : group->count ? atomic_file_publish(&group->output[0])
                                : 0;
    const int keep = note && access(note, F_OK) == 0; /* what was begun is finished another time */
    for (int i = 0; i < group->count; i++) {
        if (!result || keep)
            atomic_file_forget(&group->output[i]);
        else
            drop(&group->output[i]);
    }
    free(note);
    free(group->directory);
    *group = (struct atomic_files){.count = 0};
    return result;
}

/* ---- after a kill ---------------------------------------------------------------------------- */

/* One line "temporary name": renamed already where there is no such file. */
static int redo(const char *directory, char *line)
{
    struct stat status;
    char *name = strchr(line, ' ');
    if (!name || strchr(line, '/') || *line == '.' || name[1] == '.' || !name[1])
        return error(FAIL_INPUT, "%s/" GROUP_NOTE ": expected two names, found '%s'", directory,
                     line);
    *name++ = 0;
    struct atomic_file output = {.path = text_new("%s/%s", directory, name),
                                 .temporary = text_new("%s/%s", directory, line)};
    int result = output.path && output.temporary ? 0 : error_memory();
    if (!result && lstat(output.temporary, &status) == 0) result = atomic_file_publish(&output);
    atomic_file_forget(&output);
    return result;
}

static int redo_all(const char *directory, char *text)
{
    int result = 0, number = 0, whole = 0;
    for (char *line = text, *end; *line && !result; line = end) {
        end = line + strcspn(line, "\n");
        if (*end) *end++ = 0;
        whole = !strcmp(line, END);
        if (++number == 1 && strcmp(line, MAGIC))
            result = error(FAIL_INPUT, "%s/" GROUP_NOTE ":1: expected '%s'", directory, MAGIC);
        else if (number > 1 && !whole)
            result = redo(directory, line);
    }
    return result || whole
               ? result
               : error(FAIL_INPUT, "%s/" GROUP_NOTE ": expected '%s' at its end", directory, END);
}

int atomic_files_recover(const char *directory)
{
    char *note = note_path(directory);
    if (!note) return FAIL_OUTPUT;
    char *text = text_read_file(note, NULL);
    int result = text ? redo_all(directory, text)
                 : errno == ENOENT
                     ? 0
                     : error(FAIL_INPUT, "%s: cannot read: %s", note, strerror(errno));
    if (!result && text) result = directory_sync_above(note);
    if (!result && text && unlink(note))
        result = error(FAIL_OUTPUT, "%s: cannot remove: %s", note, strerror(errno));
    free(text);
    free(note);
    return result;
}
