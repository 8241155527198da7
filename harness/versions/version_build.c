#include "versions/version_build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/process.h"
#include "user_kernels/own_compile.h"

const char *const version_sides[2] = {"A", "B"};

enum { MOST_FILES = 64 };

/* ---- other programs -------------------------------------------------------------------------- */

int version_command(const char *const *words, char **output, int is_loud)
{
    struct process child;
    if (output) *output = NULL;
    if (process_start(&child, (char *const *)(uintptr_t)words, PROCESS_GROUP)) return 0;
    process_wait(&child, 1);
    const int succeeded = process_succeeded(&child);
    char *printed = process_read(child.output);
    if (!succeeded && is_loud) {
        char *errors = process_read(child.errors);
        fprintf(stderr, "%s%s", printed ? printed : "", errors ? errors : "");
        free(errors);
    }
    process_free(&child);
    if (output) *output = printed;
    if (!output) free(printed);
    return succeeded;
}

static char *first_line(const char *const *words)
{
    char *output;
    version_command(words, &output, 0);
    if (output) output[strcspn(output, "\n")] = 0;
    return output;
}

int version_check_out(const char *revision, const char *directory, char **folder)
{
    static const char script[] =
        "export GIT_INDEX_FILE=\"$2.index\" && mkdir -p \"$2\" && cd \"$1\" && "
        "git --work-tree=\"$2\" read-tree --reset -u --no-sparse-checkout \"$3\" && "
        "git --work-tree=\"$2\" checkout-index -f -a -u";
    char *top = first_line((const char *const[]){"git", "rev-parse", "--show-toplevel", NULL});
    char *prefix = first_line((const char *const[]){"git", "rev-parse", "--show-prefix", NULL});
    const int is_out = top && prefix &&
                       version_command((const char *const[]){"sh", "-c", script, "sh", top,
                                                             directory, revision, NULL},
                                       NULL, 1);
    *folder = is_out ? text_new("%s/%s", directory, prefix) : NULL;
    free(top);
    free(prefix);
    if (is_out && *folder && directory_exists(*folder)) return 0;
    if (interrupted()) return FAIL_INTERRUPTED;
    return error(FAIL_COMPARE, "%s has not this folder, or it cannot be checked out", revision);
}

int version_is_revision(const char *word)
{
    if (*word == '-') return 0; /* git would take it for an option */
    char *commit = text_new("%s^{commit}", word);
    const int found =
        commit && version_command((const char *const[]){"git", "rev-parse", "--verify", "--quiet",
                                                        commit, NULL},
                                  NULL, 0);
    free(commit);
    return found;
}

int version_folder_build(const char *folder, const char *label, const char *command, int is_loud)
{
    static const char script[] = "cd \"$1\" && eval \"$2\"";
    if (is_loud) note("building %s: %s", label, command);
    if (version_command((const char *const[]){"sh", "-c", script, "sh", folder, command, NULL},
                        NULL, is_loud))
        return 0;
    return interrupted()
               ? FAIL_INTERRUPTED
               : error(FAIL_COMPARE, "%s cannot be built, so there is nothing to compare", label);
}

/* ---- what is meant --------------------------------------------------------------------------- */

/* The first word of the program is started, or compiled, in the folder of the version. */
static int take_program(struct version *version, const struct version_options *options)
{
    if (!options->program || !options->program[0])
        return error(FAIL_USAGE,
                     "which program of %s? Name it behind '--', as in 'HEAD -- ./bench'",
                     version->label);
    version->takes_program = 1;
    version->target = strdup(options->program[0]);
    return version->target ? 0 : error_memory();
}

static int find_path(struct version *version, const struct version_options *options,
                     const char *path)
{
    const char *word = options->program ? options->program[0] : NULL;
    char *absolute = realpath(path, NULL);
    if (!absolute) return error(FAIL_INPUT, "%s: %s", path, strerror(errno));
    if (directory_exists(absolute) &&
        (options->build || (word && file_exists(path_in(absolute, word).at)))) {
        version->folder = absolute;
        return take_program(version, options);
    }
    if (options->build) {
        free(absolute);
        return error(FAIL_USAGE, "--build is for folders and revisions; %s is a file", path);
    }
    version->target = absolute;
    version->folder = realpath(".", NULL);
    return version->folder ? 0 : error_memory();
}

/* Returns the path in a word that may name a kernel behind it, which the caller frees. */
static char *path_before(const char *word)
{
    const char *colon = file_exists(word) ? NULL : strrchr(word, ':');
    return text_new("%.*s", (int)(colon ? (size_t)(colon - word) : strlen(word)), word);
}

/* The failures of a version that cannot be made; others are our own. */
static int refused(const struct version *version, int result)
{
    if (result != FAIL_INPUT) return result;
    return error(FAIL_COMPARE, "no program can be made of %s, so there is nothing to compare",
                 version->label);
}

struct list {
    const char *folder;
    char *file[MOST_FILES + 1];
    int count;
};

static int add_file(void *context, const char *name)
{
    struct list *list = context;
    if (!text_before(name, ".cu") || *name == '.') return 0;
    if (list->count == MOST_FILES)
        return error(FAIL_INPUT, "%s has more than %d CUDA files", list->folder, MOST_FILES);
    list->file[list->count] = text_new("%s/%s", list->folder, name);
    return list->file[list->count++] ? 0 : error_memory();
}

/* `version` NULL: checks only that there is something to compile. */
static int compile_folder(const struct version *version, const char *folder)
{
    struct list list = {.folder = folder};
    int result = directory_visit(folder, add_file, &list);
    if (!result && !list.count)
        result = error(FAIL_USAGE,
                       "%s has no CUDA file; name its program behind '--', and the command "
                       "that builds it in --build",
                       folder);
    if (!result && version) {
        note("compiling %s", folder);
        result = own_compile_program(version->program, folder, (const char *const *)list.file);
    }
    while (list.count) free(list.file[--list.count]);
    return version ? refused(version, result) : result;
}

static int check_version(const struct version_options *options, const char *word, const char *path)
{
    if (!options->build && file_exists(path_in(path, "family.c").at))
        return error(FAIL_USAGE, "%s is a family; 'whyfast report %s' compares its variants", path,
                     shell_word(path).at);
    if (directory_exists(path) && !options->build && !options->program)
        return compile_folder(NULL, path);
    if (file_exists(path) || version_is_revision(word)) return 0;
    if (interrupted()) return FAIL_INTERRUPTED;
    return file_missing("file, no folder and no revision of git", word, path);
}

int versions_check(const struct version_options *options)
{
    int result = 0;
    for (int i = 0; i < 2 && options->operand[i] && !result; i++) {
        char *path = path_before(options->operand[i]);
        result = path ? check_version(options, options->operand[i], path) : error_memory();
        if (!result && !options->operand[1] && file_exists(path) && !directory_exists(path))
            result = error(FAIL_USAGE, "%s is no revision; name a second version", path);
        free(path);
    }
    return result;
}

/* Finds the version that a word means: a path, a path and a kernel, or a revision. */
static int find_version(struct version *version, const struct version_options *options,
                        const char *word, const char *directory)
{
    char *path = path_before(word);
    const int has_path = path && file_exists(path);
    int result = path && (version->label = strdup(word)) ? 0 : error_memory();
    if (has_path && !file_exists(word) && !(version->kernel = strdup(word + strlen(path) + 1)))
        result = error_memory();
    if (!result && has_path)
        result = find_path(version, options, path);
    else if (!result) {
        result = version_check_out(word, directory, &version->folder);
        if (!result) result = take_program(version, options);
    }
    free(path);
    return result;
}

static int find_working_tree(struct version *version, const struct version_options *options,
                             const struct version *before)
{
    if (!before->takes_program)
        return error(FAIL_USAGE, "%s is no revision; name a second version", before->label);
    version->label = strdup("the working tree");
    version->folder = realpath(".", NULL);
    return version->label && version->folder ? take_program(version, options) : error_memory();
}

/* ---- compiling ------------------------------------------------------------------------------- */

/* Writes the program around a file without main(). */
static int write_driver(struct version *version, struct kernel_source *source,
                        struct version_calls *calls, const char *directory, struct path *file)
{
    struct text program = {0};
    int result = kernel_source_select(source);
    *file = path_in(directory, "driver.cu");
    version->writes_outputs = 1;
    if (!result)
        result = version_driver_append(&program, &version->shown, source, calls, version->kernel);
    if (!result) result = atomic_file_write(directory, "driver.cu", &program);
    text_free(&program);
    return result;
}

static int write_object(const struct kernel_source *source, const char *directory,
                        struct path *file)
{
    *file = path_in(directory, "object.o");
    return atomic_file_write(directory, "object.o",
                             &(struct text){.data = source->object, .length = source->bytes});
}

static int compile_file(struct version *version, const char *path, struct version_calls *calls,
                        const char *directory)
{
    struct kernel_source source = {0};
    struct path file = {""};
    const int uses = calls->uses;
    int result = kernel_source_read(&source, path);
    if (!result)
        result = kernel_source_has_main(&source)
                     ? write_object(&source, directory, &file)
                     : write_driver(version, &source, calls, directory, &file);
    kernel_source_free(&source);
    if (!result)
        result = own_compile_program(version->program, calls->uses > uses ? "--call" : path,
                                     (const char *const[]){file.at, NULL});
    return calls->uses > uses && result == FAIL_INPUT ? FAIL_USAGE : refused(version, result);
}

/* Names a program after its file, and after its side if both would have the same name. */
static char *name_program(const struct version version[2], int side, const char *directory)
{
    const char *name[2];
    for (int i = 0; i < 2; i++) name[i] = text_base_name(version[i].target);
    const int stem = (int)strcspn(name[side], ".");
    return text_new("%s/%.*s%s", directory, stem ? stem : 7, stem ? name[side] : "program",
                    strcmp(name[0], name[1]) ? ""
                    : side                   ? "_after"
                                             : "_before");
}

/* Compiles what must be compiled; anything else is started as it is. */
static int make_program(struct version version[2], int side, struct version_calls *calls,
                        const char *directory)
{
    struct version *made = &version[side];
    const struct path inside = path_in(made->folder, made->target);
    const char *path = *made->target == '/' ? made->target : inside.at;
    const int is_there = file_exists(path);
    if (!directory_exists(path) && !(is_there && text_before(path, ".cu"))) {
        made->program = is_there ? strdup(path) : process_find(made->target);
        if (made->program && access(made->program, X_OK) == 0) return 0;
        return is_there
                   ? error(FAIL_INPUT, "%s: %s can neither be started nor compiled", made->label,
                           path)
                   : error(FAIL_COMPARE, "%s has no %s; --build names the command that makes it",
                           made->label, made->target);
    }
    int result = directory_make(directory);
    made->program = name_program(version, side, directory);
    if (!result && !made->program) result = error_memory();
    if (result) return result;
    return directory_exists(path) ? compile_folder(made, path)
                                  : compile_file(made, path, calls, directory);
}

static int check_calls(const struct version_options *options, const struct version version[2])
{
    for (int i = 0; i < options->calls.count; i++)
        if (!options->calls.used[i] && version[0].writes_outputs)
            return error(FAIL_USAGE, "--call: there is no kernel '%s'", options->calls.name[i]);
    if (version[0].writes_outputs == version[1].writes_outputs) return 0;
    return error(FAIL_COMPARE, "%s has a main() and %s has none, so they do different work",
                 version[version[0].writes_outputs].label,
                 version[version[1].writes_outputs].label);
}

/* Says how the kernels of files without main() are called. */
static void show_calls(const struct version version[2])
{
    const char *shown[] = {text_string(&version[0].shown), text_string(&version[1].shown)};
    for (int i = 0; i < 1 + (strcmp(shown[0], shown[1]) != 0); i++)
        for (const char *line = shown[i]; *line; line += strcspn(line, "\n") + 1)
            note("%s calls %.*s", version[i].label, (int)strcspn(line, "\n"), line);
    if (*shown[0]) note("--call and --size choose other calls");
}

int versions_build(struct version version[2], struct version_options *options,
                   const char *directory)
{
    struct path place[2];
    int result = 0;
    for (int i = 0; i < 2 && !result; i++) {
        place[i] = path_in(directory, i ? "tree-b" : "tree-a");
        result = options->operand[i]
                     ? find_version(&version[i], options, options->operand[i], place[i].at)
                     : find_working_tree(&version[i], options, &version[0]);
    }
    if (!result && version[0].takes_program != version[1].takes_program)
        result = error(FAIL_USAGE,
                       "the program behind '--' is for two folders or revisions; "
                       "%s and %s are not of one kind",
                       version[0].label, version[1].label);
    for (int i = 0; i < 2 && !result; i++) {
        place[i] = path_in(directory, i ? "b" : "a");
        if (options->build)
            result = version_folder_build(version[i].folder, version[i].label, options->build, 1);
        if (!result) result = make_program(version, i, &options->calls, place[i].at);
    }
    if (!result) result = check_calls(options, version);
    if (!result) show_calls(version);
    return result;
}

void version_free(struct version *version)
{
    free(version->label);
    free(version->folder);
    free(version->target);
    free(version->program);
    free(version->kernel);
    text_free(&version->shown);
    memset(version, 0, sizeof *version);
}
