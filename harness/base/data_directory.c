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

/* $WHYFAST_DATA; beside the program in a source tree (build/whyfast) and in an installation
 * (bin/whyfast); where it was to be installed. */
char *data_find(void)
{
    char program[4096];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    char *candidate[4] = {NULL};
    char *found = NULL;
    const char *told = getenv("WHYFAST_DATA");
    if (told && *told) candidate[0] = strdup(told);
    if (length > 0 && !candidate[0]) {
        program[length] = 0;
        char *slash = strrchr(program, '/');
        if (slash) *slash = 0;
        candidate[1] = text_new("%s/..", program);
        candidate[2] = text_new("%s/../share/whyfast", program);
        candidate[3] = strdup(WHYFAST_DATADIR);
    }
    for (int i = 0; i < 4; i++) {
        if (!found && candidate[i] && is_data(candidate[i]))
            found = candidate[i];
        else
            free(candidate[i]);
    }
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
