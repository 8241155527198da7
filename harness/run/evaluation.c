#include "run/evaluation.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/text.h"
#include "analysis.h"

uint64_t evaluation_hash_files(uint64_t hash, const char *directory, const char *pattern)
{
    glob_t found = {0};
    const int failed = glob(path_in(directory, pattern).at, 0, NULL, &found);
    for (size_t i = 0; !failed && i < found.gl_pathc; i++) {
        size_t length = 0;
        char *bytes = text_read_file(found.gl_pathv[i], &length);
        const char *name = strrchr(found.gl_pathv[i], '/') + 1;
        hash = hash_bytes(hash, name, strlen(name) + 1);
        hash = hash_bytes(hash, &length, sizeof length);
        if (bytes) hash = hash_bytes(hash, bytes, length);
        free(bytes);
    }
    globfree(&found);
    return hash;
}

char *evaluation_build(void)
{
    static const char program[] = WHYFAST_ANALYSIS;
    char text[17], *data = data_directory();
    if (!data) return NULL;
    uint64_t hash = hash_bytes(HASH_START, program, sizeof program);
    hash = evaluation_hash_files(hash, data, "metrics/*.metric");
    hash = evaluation_hash_files(hash, data, "metrics/*/*");
    free(data);
    char *build = strdup(hash_text(hash, text));
    if (!build) error_memory();
    return build;
}

const char *evaluation_lacks(const char *directory)
{
    if (!file_exists(table_path(directory, TABLE_METRICS).at)) return "is not evaluated";
    char *build = evaluation_build(),
         *noted = text_read_file(table_path(directory, TABLE_EVALUATION).at, NULL);
    const int is_same = build && noted && strstr(noted, build),
              is_whole = noted && strlen(noted) == strlen("build\n") + 16 + 1;
    free(noted);
    free(build);
    return is_same    ? NULL
           : is_whole ? "was evaluated by another build of whyfast"
                      : "has no whole evaluation.csv";
}

void evaluation_warn(const struct run *run)
{
    const char *lacks = evaluation_lacks(run->directory);
    if (lacks && file_exists(table_path(run->directory, TABLE_METRICS).at))
        warning("%s %s; 'whyfast evaluate %s' computes its tables anew", run->path, lacks,
                shell_word(run->path).at);
}
