#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/data_directory.h"
#include "base/message.h"
#include "base/text.h"
#include "version.h"

static int is_data(const char *directory)
{
    char *path = text_new("%s/metrics/sets.metric", directory);
    const int found = path && access(path, R_OK) == 0;
    free(path);
    return found;
}

/* The directory of this program, or NULL. The caller frees it. */
static char *program_directory(void)
{
    char program[4096];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0) return NULL;
    program[length] = 0;
    char *slash = strrchr(program, '/');
    if (slash) *slash = 0;
    return strdup(program);
}

/* $WHYFAST_DATA; else the source tree (build/whyfast, build/replay/whyfast), the installation of
 * this program (bin/whyfast), or the place where it was to be installed. */
char *data_find(void)
{
    enum { CANDIDATES = 5 };
    char *program = program_directory();
    char *candidate[CANDIDATES] = {NULL};
    char *found = NULL;
    const char *told = getenv("WHYFAST_DATA");
    if (told && *told) {
        candidate[0] = strdup(told);
    } else if (program) {
        candidate[1] = text_new("%s/..", program);
        candidate[2] = text_new("%s/../..", program);
        candidate[3] = text_new("%s/../share/whyfast", program);
        candidate[4] = strdup(WHYFAST_DATADIR);
    }
    for (int i = 0; i < CANDIDATES; i++) {
        if (!found && candidate[i] && is_data(candidate[i]))
            found = candidate[i];
        else
            free(candidate[i]);
    }
    free(program);
    return found;
}

char *data_directory(void)
{
    const char *told = getenv("WHYFAST_DATA");
    char *found = data_find();
    if (!found)
        error(FAIL_INPUT,
              "the directory with metrics/, plots/ and reports/ is not found; name it in "
              "WHYFAST_DATA%s%s",
              told ? "; it is now " : "", told ? told : "");
    return found;
}

/* build/ of the source tree `data`, if this program lies in it and files can be made there. */
static char *build_directory(const char *data)
{
    char *program = program_directory(), *named = text_new("%s/build", data);
    char *build = named ? realpath(named, NULL) : NULL;
    const size_t length = build ? strlen(build) : 0;
    const int holds_program = build && program && !strncmp(program, build, length) &&
                              (program[length] == '/' || !program[length]);
    free(program);
    free(named);
    if (holds_program && access(build, W_OK) == 0) return build;
    free(build);
    return NULL;
}

char *data_cache(void)
{
    char *data = data_directory();
    if (!data) return NULL;
    char *found = build_directory(data);
    free(data);
    if (found) return found;
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && *cache == '/')
        found = text_new("%s/whyfast", cache);
    else if (home && *home == '/')
        found = text_new("%s/.cache/whyfast", home);
    else
        error(FAIL_OUTPUT, "expected the name of a directory in HOME or XDG_CACHE_HOME, to unpack "
                           "the recorded run there");
    return found;
}
