#include "run/recorded_runs.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/data_directory.h"
#include "base/message.h"
#include "base/text.h"

char *recorded_newest(void)
{
    char *data = data_directory();
    char *place = data ? text_new("%s/reports/recorded", data) : NULL;
    DIR *directory = place ? opendir(place) : NULL;
    char *newest = NULL, *newest_date = NULL;
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        if (entry->d_name[0] == '.') continue;
        struct run run;
        char *path = text_new("%s/%s", place, entry->d_name);
        if (path && !run_open(&run, path)) {
            const char *date = run_fact(&run, "date");
            if (date && (!newest || strcmp(date, newest_date) > 0)) {
                free(newest);
                free(newest_date);
                newest = strdup(path);
                newest_date = strdup(date);
            }
            run_close(&run);
        }
        free(path);
    }
    if (directory) closedir(directory);
    if (!newest && data)
        error(FAIL_GPU, "no GPU here, and no recorded run under %s to replay", place);
    free(newest_date);
    free(place);
    free(data);
    return newest;
}

int recorded_or(struct run *run, const char *path)
{
    char *newest = path ? NULL : recorded_newest();
    const int result = path || newest ? run_open(run, path ? path : newest) : FAIL_GPU;
    free(newest);
    return result;
}

void recorded_describe(struct text *words, const struct run *run, int recorded)
{
    const char *device = run_fact(run, "device_name"), *date = run_fact(run, "date"),
               *replayed = run_fact(run, "replay_of");
    const char *slash = strrchr(run->path, '/'), *name = slash && recorded ? slash + 1 : run->path;
    text_format(words, "%s %s (%s, %s)%s", recorded ? "Recorded run" : "Run", name,
                device ? device : "unknown device", date ? date : "no date",
                recorded || replayed ? ": nothing was measured on this machine." : "");
}
