#include "run/merged_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/text.h"
#include "run/table_rows.h"

int merged_run_is_at(const char *path)
{
    char *text = text_read_file(path_in(path, FACTS_FILE).at, NULL);
    const int result = text && strstr(text, "\n" MERGED_FACT ": ");
    free(text);
    return result;
}

struct path merged_run_device(const struct merged_run *merged, int device)
{
    return path_of("%s/" MERGED_DEVICES "/%d", merged->run.path, device);
}

/* A link could lead out of the merged run, or back into it. */
static int check_directory(const char *path)
{
    struct stat status;
    if (lstat(path, &status)) return error(FAIL_INPUT, "%s: %s", path, strerror(errno));
    if (S_ISDIR(status.st_mode)) return 0;
    return error(FAIL_INPUT, "%s: is not a directory; a merged run has an ordinary run there",
                 path);
}

static char *copy_of(const struct table_rows *rows, const char *column)
{
    const int at = table_rows_find(rows, column);
    return strdup(at < 0 ? "" : rows->reader.cell[at]);
}

static int add_device(struct merged_run *merged, const struct table_rows *rows)
{
    if (!ARRAY_GROWS(merged->device, merged->count)) return error_memory();
    struct merged_device *device = &merged->device[merged->count++];
    *device = (struct merged_device){copy_of(rows, "label"), copy_of(rows, "name"),
                                     copy_of(rows, "uuid")};
    if (!device->label || !device->name || !device->uuid) return error_memory();
    if (strtol(rows->reader.cell[0], NULL, 10) != merged->count - 1)
        return error(FAIL_INPUT, "%s:%d: device %s; expected device %d", rows->path,
                     rows->reader.line, rows->reader.cell[0], merged->count - 1);
    return check_directory(merged_run_device(merged, merged->count - 1).at);
}

static int read_devices(struct merged_run *merged)
{
    const char *told = run_fact(&merged->run, MERGED_FACT);
    struct table_rows rows;
    if (!told)
        return error(FAIL_INPUT, "%s: is a run of one device, not a merged run", merged->run.path);
    if (access(path_in(merged->run.path, MERGED_DEVICES).at, F_OK) &&
        !access(path_in(merged->run.path, "index.html").at, F_OK))
        return error(FAIL_INPUT, "%s: has the page of the boards without their runs: open it",
                     path_in(merged->run.path, "index.html").at);
    int result = check_directory(path_in(merged->run.path, MERGED_DEVICES).at);
    if (!result) result = table_rows_open(&rows, &merged->run, TABLE_DEVICES);
    if (result) return result;
    while (!result && (result = table_rows_next(&rows)) > 0) result = add_device(merged, &rows);
    if (!result && (merged->count < 1 || strtol(told, NULL, 10) != merged->count))
        result = error(FAIL_INPUT, "%s: %d devices; %s/" FACTS_FILE " counts %s", rows.path,
                       merged->count, merged->run.path, told);
    table_rows_close(&rows);
    return result;
}

int merged_run_open(struct merged_run *merged, const char *path)
{
    *merged = (struct merged_run){.count = 0};
    int result = run_open_any(&merged->run, path);
    if (result) return result;
    result = read_devices(merged);
    if (result) merged_run_close(merged);
    return result;
}

void merged_run_close(struct merged_run *merged)
{
    for (int i = 0; i < merged->count; i++) {
        free(merged->device[i].label);
        free(merged->device[i].name);
        free(merged->device[i].uuid);
    }
    free(merged->device);
    run_close(&merged->run);
    memset(merged, 0, sizeof *merged);
}

void merged_run_append_devices(struct text *text, const struct merged_run *merged)
{
    enum { MOST = 8 };
    for (int i = 0; i < merged->count && i < MOST; i++)
        text_format(text, "%s%d (%s, %s)", i ? ", " : "", i, merged->device[i].label,
                    merged->device[i].name);
    if (merged->count > MOST) text_format(text, " and %d others", merged->count - MOST);
}

int merged_run_find(const struct merged_run *merged, const char *word)
{
    int found = -1, count = 0;
    for (int i = 0; i < merged->count; i++)
        if (!strcasecmp(word, merged->device[i].label)) return i;
    if (*word && !word[strspn(word, "0123456789")] && strtol(word, NULL, 10) < merged->count)
        return (int)strtol(word, NULL, 10);
    for (int i = 0; i < merged->count; i++)
        if (text_begins_uuid(word, merged->device[i].uuid)) {
            found = i;
            count++;
        }
    if (count == 1) return found;
    struct text devices = {0};
    merged_run_append_devices(&devices, merged);
    error(FAIL_USAGE, "--device: %s %s '%s'; its devices are %s", merged->run.path,
          count ? "has several devices" : "has no device", word, text_string(&devices));
    text_free(&devices);
    return FAIL_USAGE;
}
