/*
 * Opens the newest full recorded run, for the tests that compare it with this program. make has
 * unpacked it into build/recorded/. The run is the fixture's until newest_recorded_close.
 */
#ifndef TESTS_UNIT_NEWEST_RECORDED_H
#define TESTS_UNIT_NEWEST_RECORDED_H

#include "fixture.h"

#include <dirent.h>

#include "run/run.h"

static struct run newest_recorded;

/* Returns the name of the newest full run in a directory of the project, or "". */
static const char *newest_run_name(const char *place_of_runs)
{
    static char newest[256];
    char full[512], newest_date[64] = "";
    *newest = 0;
    snprintf(full, sizeof full, "%s/%s", root(), place_of_runs);
    DIR *directory = opendir(full);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        struct run run;
        char path[1024];
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%.200s", full, entry->d_name);
        if (run_open(&run, path)) continue;
        const char *date = run_fact(&run, "date"), *extent = run_fact(&run, "extent");
        const int is_full = !extent || strcmp(extent, "quick");
        if (date && is_full && strcmp(date, newest_date) > 0) {
            snprintf(newest, sizeof newest, "%.200s", entry->d_name);
            snprintf(newest_date, sizeof newest_date, "%.63s", date);
        }
        run_close(&run);
    }
    if (directory) closedir(directory);
    return newest;
}

/* Unpacks the newest run there into the fixture's directory and opens it. Returns 0, or -1 if there
 * is none. */
UNUSED_IS_FINE static int newest_run_open(struct run *run, const char *place_of_runs)
{
    char command[4096], path[1024];
    const char *name = newest_run_name(place_of_runs);
    if (!*name) return -1;
    snprintf(path, sizeof path, "%s/%s", scratch, name);
    snprintf(command, sizeof command, "cp -R '%s/%s/%s' '%s' && xz -d '%s'/*.xz", root(),
             place_of_runs, name, path, path);
    return system(command) ? -1 : run_open(run, path);
}

/* Returns 1 if the run has this family. A user may have added families since: only the project's
 * own are compared with the run. */
UNUSED_IS_FINE static int newest_recorded_has(const char *family)
{
    char path[1100], line[4096];
    const size_t length = strlen(family);
    int found = 0;
    snprintf(path, sizeof path, "%s/families.csv", newest_recorded.directory);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        found |= !strncmp(line, family, length) && line[length] == ',';
    fclose(file);
    return found;
}

/* Group setup and teardown; they also open and close the fixture. */
UNUSED_IS_FINE static int newest_recorded_open(void **state)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/build/recorded/%s", root(),
             newest_run_name("reports/recorded"));
    return fixture_open(state) ? -1 : run_open(&newest_recorded, path);
}

UNUSED_IS_FINE static int newest_recorded_close(void **state)
{
    run_close(&newest_recorded);
    return fixture_close(state);
}

#endif
