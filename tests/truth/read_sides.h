/*
 * Reads the numbers of the points that steps.csv and twins.csv name (sides.csv.xz).
 */
#ifndef TESTS_TRUTH_READ_SIDES_H
#define TESTS_TRUTH_READ_SIDES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Takes a number of a point, whose key is "family,variant,size,block,sweep"; `function` is "" if it
 * is of the point as a whole. */
typedef void take_number(const char *key, const char *function, const char *name, double value);

static void take_row(char *names, char *row, take_number *take)
{
    enum { KEYS = 5 };
    char *key = row, *function;
    for (int i = 0; i < KEYS; i++) {
        strsep(&names, ",");
        function = strchr(row, ',') + 1;
        row = function;
    }
    function[-1] = 0;
    strsep(&row, ",");
    strsep(&names, ",");
    while (row) {
        const char *name = strsep(&names, ","), *cell = strsep(&row, ",");
        if (*cell) take(key, function, name, strtod(cell, NULL));
    }
}

/* Gives every number to `take`. Returns 0, or another number if the file could not be read. */
static int read_sides(const char *root, take_number *take)
{
    char command[1200], header[4000], names[4000], row[4000];
    snprintf(command, sizeof command, "xz -dc '%s/tests/truth/sides.csv.xz'", root);
    FILE *file = popen(command, "r");
    if (!file || !fgets(header, sizeof header, file)) return -1;
    header[strcspn(header, "\n")] = 0;
    while (fgets(row, sizeof row, file)) {
        row[strcspn(row, "\n")] = 0;
        strcpy(names, header);
        take_row(names, row, take);
    }
    return pclose(file);
}

#endif
