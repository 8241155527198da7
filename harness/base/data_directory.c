#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/data_directory.h"
#include "base/message.h"
#include "base/text.h"
#include "version.h"

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

static int is_data(const char *directory)
{
    return access(path_in(directory, "metrics/sets.metric").at, R_OK) == 0;
}

/* $WHYFAST_DATA; else the source tree (build/whyfast, build/replay/whyfast), the installation of
 * this program (bin/whyfast), or the place where it was to be installed. */
char *data_find(void)
{
    static const char *const near[] = {"..", "../..", "../share/whyfast"};
    const char *told = getenv("WHYFAST_DATA");
    if (told && *told) return is_data(told) ? strdup(told) : NULL;
    char *program = program_directory(), *found = NULL;
    for (size_t i = 0; program && !found && i < sizeof near / sizeof *near; i++) {
        const struct path path = path_in(program, near[i]);
        if (is_data(path.at)) found = strdup(path.at);
    }
    if (program && !found && is_data(WHYFAST_DATADIR)) found = strdup(WHYFAST_DATADIR);
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
    char *program = program_directory(), *build = realpath(path_in(data, "build").at, NULL);
    const size_t length = build ? strlen(build) : 0;
    const int holds_program = build && program && !strncmp(program, build, length) &&
                              (program[length] == '/' || !program[length]);
    free(program);
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
