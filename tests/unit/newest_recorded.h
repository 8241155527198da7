/*
 * The newest recorded run, for the tests that hold it against this program. The run is the fixture's until newest_recorded_close.
 */
#ifndef TESTS_UNIT_NEWEST_RECORDED_H
#define TESTS_UNIT_NEWEST_RECORDED_H

#include "fixture.h"

#include <dirent.h>

#include "run.h"

static struct run newest_recorded;

/* Group setup and teardown; they open and close the fixture, too. */
static int newest_recorded_open(void **state)
{
    char place_of_runs[512], newest[1024] = "", newest_date[64] = "";
    if (fixture_open(state)) return -1;
    snprintf(place_of_runs, sizeof place_of_runs, "%s/reports/recorded", root());
    DIR *directory = opendir(place_of_runs);
    if (!directory) return -1;
    for (struct dirent *entry; (entry = readdir(directory));) {
        char path[1024];
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%.200s", place_of_runs, entry->d_name);
        if (run_open(&newest_recorded, path)) continue;
        const char *date = run_fact(&newest_recorded, "date");
        if (date && strcmp(date, newest_date) > 0) {
            snprintf(newest, sizeof newest, "%s", path);
            snprintf(newest_date, sizeof newest_date, "%.63s", date);
        }
        run_close(&newest_recorded);
    }
    closedir(directory);
    return *newest ? run_open(&newest_recorded, newest) : -1;
}

static int newest_recorded_close(void **state)
{
    run_close(&newest_recorded);
    return fixture_close(state);
}

#endif
