/*
 * The newest recorded run, for the tests that hold it against this program. The run is the
 * fixture's until newest_recorded_close.
 */
#ifndef TESTS_UNIT_NEWEST_RECORDED_H
#define TESTS_UNIT_NEWEST_RECORDED_H

#include "fixture.h"

#include <dirent.h>

#include "run/run.h"

static struct run newest_recorded;

/* Opens the run with the newest date in a directory of the project. 0, or -1 where there is none.
 */
static int newest_run_open(struct run *run, const char *place_of_runs)
{
    char full[512], newest[1024] = "", newest_date[64] = "";
    snprintf(full, sizeof full, "%s/%s", root(), place_of_runs);
    DIR *directory = opendir(full);
    if (!directory) return -1;
    for (struct dirent *entry; (entry = readdir(directory));) {
        char path[1024];
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%.200s", full, entry->d_name);
        if (run_open(run, path)) continue;
        const char *date = run_fact(run, "date");
        if (date && strcmp(date, newest_date) > 0) {
            snprintf(newest, sizeof newest, "%s", path);
            snprintf(newest_date, sizeof newest_date, "%.63s", date);
        }
        run_close(run);
    }
    closedir(directory);
    return *newest ? run_open(run, newest) : -1;
}

/* Group setup and teardown; they open and close the fixture, too. */
UNUSED_IS_FINE static int newest_recorded_open(void **state)
{
    return fixture_open(state) ? -1 : newest_run_open(&newest_recorded, "reports/recorded");
}

UNUSED_IS_FINE static int newest_recorded_close(void **state)
{
    run_close(&newest_recorded);
    return fixture_close(state);
}

#endif
