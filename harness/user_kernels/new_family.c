/*
 * Implements own_new and own_warn_of_marks of user_kernels/own_family.h. Nothing is owned. TODO
 * marks the lines of the written files that the user must complete.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/names.h"
#include "base/terminal.h"
#include "base/text.h"
#include "catalog/registry.h"
#include "machine_code/kernel_name.h"
#include "user_kernels/kernel_source.h"
#include "user_kernels/own_family.h"

static int check_name(const char *folder, const char *name)
{
    const size_t good = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if (!*name || name[good] || !islower((unsigned char)*name))
        return error(FAIL_USAGE,
                     "new: the name of a family is made of lower-case letters, digits and '_', and "
                     "begins with a letter; found '%s'",
                     name);
    if (registry_family(name))
        return error(FAIL_USAGE, "new: whyfast has a family %s; choose another name", name);
    if (file_exists(folder))
        return error(FAIL_USAGE, "new: %s exists already; nothing was changed", folder);
    return 0;
}

/* ---- from a CUDA file ------------------------------------------------------------------------ */

/* Returns the number of inputs of the family, which has at least one. */
static int count_inputs(const struct kernel_source *source)
{
    int most = 1;
    for (int k = 0; k < source->count; k++) {
        const struct kernel_signature *kernel = &source->kernels.kernel[k];
        int inputs = 0;
        for (int p = 0; p < kernel->parameter_count; p++)
            inputs += kernel_type_points(kernel->parameter[p].type) > 0;
        if (inputs > most) most = inputs;
    }
    return most > INPUT_COUNT ? INPUT_COUNT : most;
}

/* Writes the value for a parameter: inputs and the output in their order, n for an integer. */
static void write_value(struct text *out, const struct kernel_parameter *parameter, int *inputs,
                        int *outputs)
{
    static const char *const integers[] = {"bool", "char", "short", "int", "long"};
    const char *type = parameter->type, *blank = strrchr(type, ' '),
               *word = blank ? blank + 1 : type;
    const int pointer = kernel_type_points(type);
    int is_integer = 0;
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        is_integer |= !strcmp(word, integers[i]);
    if (!strcmp(type, "CUtensorMap_st")) {
        text_append(out, "\n        /* TODO: fill launch->tensor_map[0] (catalog/variant.h) */");
        return;
    }
    text_append(out, ",\n        ");
    if (pointer > 0 && *inputs < INPUT_COUNT)
        text_format(out, "work->input[%d]", (*inputs)++);
    else if (pointer < 0 && !*outputs)
        text_append(out, "work->output"), *outputs = 1;
    else if (pointer)
        text_append(out, "work->scratch");
    else if (strstr(type, "*)("))
        text_append(out, "nullptr");
    else if (is_integer || !strcmp(type, "float") || !strcmp(type, "double"))
        text_append(out, is_integer ? "n" : "1");
    else
        kernel_code_append(out, type), text_append(out, "{}");
    text_format(out, " /* %s, %u byte%s%s */", type, parameter->bytes,
                parameter->bytes == 1 ? "" : "s",
                parameter->bytes > sizeof(uint64_t) ? "; more than 8 cannot be passed"
                : pointer < 0                       ? "; undefined before the launch"
                                                    : "");
}

/* Returns where the function before this place in a text, which may have template arguments, begins
 * with a name of `length` bytes; NULL: the text begins too late. */
static const char *function_before(const char *text, const char *at, size_t length)
{
    int depth = 0;
    for (; at > text && (depth || isspace((unsigned char)at[-1]) || at[-1] == '>'); at--)
        depth += (at[-1] == '>') - (at[-1] == '<');
    return (size_t)(at - text) < length ? NULL : at - length;
}

/* Writes the first launch of the kernel in the text of its file, as a remark. */
static void write_launch(struct text *out, const char *text, const char *kernel)
{
    enum { LONGEST = 200 };
    for (const char *unnamed; (unnamed = strstr(kernel, ")::"));) kernel = unnamed + 3;
    const char *end = kernel + strcspn(kernel, "<"), *name = end;
    while (name > kernel && name[-1] != ':') name--;
    const size_t length = (size_t)(end - name);
    for (const char *at = text; length && (at = strstr(at, "<<<")); at += 3) {
        const char *word = function_before(text, at, length);
        if (!word || strncmp(word, name, length) ||
            (word > text && (isalnum((unsigned char)word[-1]) || word[-1] == '_')))
            continue;
        const size_t bytes = strcspn(word, ";");
        int has_remark = 0;
        for (size_t i = 0; i < bytes; i++)
            has_remark |= word[i] == '/' && strchr("/*", word[i + 1]);
        if (bytes > LONGEST || has_remark) return;
        text_append(out, "    /* The file launches ");
        for (size_t i = 0; i < bytes; i++)
            if (!isspace((unsigned char)word[i]))
                text_append_bytes(out, word + i, 1);
            else if (!isspace((unsigned char)word[i + 1]))
                text_append(out, " ");
        text_append(out, " */\n");
        return;
    }
}

/* The kernel's name begins with "::", because the function may have a variable of that name, and
 * its type chooses among kernels of one name. */
static void write_variant(struct text *out, const struct kernel_signature *kernel,
                          const char *after, const char *text)
{
    int inputs = 0, outputs = 0;
    text_format(out,
                "/*\n * The kernel %s of kernel.cuh.\n */\n#include \"catalog/variant.h\"\n\n"
                "#include \"kernel.cuh\"\n\n"
                "static void plan(const struct work *work, unsigned index, struct launch *launch)\n"
                "{\n    const uint64_t n = work->point.shape.dim[0];\n    void (*const kernel)(",
                kernel->name);
    for (int i = 0; i < kernel->parameter_count; i++) {
        text_append(out, i ? ", " : "");
        kernel_code_append(out, kernel->parameter[i].type);
    }
    text_append(out, ") = ::");
    kernel_code_append(out, kernel->name);
    text_append(out, ";\n    (void)index; /* there is one launch */\n");
    write_launch(out, text, kernel->name);
    text_append(out, "    /* TODO: the blocks, their threads, and the values of all parameters */\n"
                     "    launch->block[0] = 256;\n"
                     "    launch->grid[0] = (unsigned)((n + 255) / 256);\n"
                     "    launch_kernel(launch, kernel");
    for (int i = 0; i < kernel->parameter_count; i++)
        write_value(out, &kernel->parameter[i], &inputs, &outputs);
    text_format(out,
                ");\n}\n\nVARIANT_DEFINITION = {\n    VARIANT_IDENTITY,\n    .title = \"%s\",\n",
                kernel->name);
    if (*after) text_format(out, "    .after = \"%s\", /* the variant before it */\n", after);
    text_append(out, "    .plan = plan,\n};\n");
}

static int write_variants(const char *folder, const struct kernel_source *source)
{
    char name[128], before[128] = "", *text = text_read_file(source->path, NULL);
    int result = text ? 0 : error(FAIL_INPUT, "%s: cannot read: %s", source->path, strerror(errno));
    for (int i = 0; i < source->count && !result; i++) {
        const struct kernel_signature *kernel = &source->kernels.kernel[i];
        struct text out = {0};
        char *word = kernel_short_name(kernel->symbol);
        if (!word) {
            result = error_memory();
            break;
        }
        snprintf(name, sizeof name, "%02d_%.100s", i + 1, word);
        for (char *p = name; *p; p++)
            *p = isalnum((unsigned char)*p) || *p == '_' ? (char)tolower((unsigned char)*p) : '_';
        write_variant(&out, kernel, before, text);
        strcpy(before, name);
        strcat(name, ".cu");
        result = atomic_file_write(folder, name, &out);
        free(word);
        text_free(&out);
    }
    free(text);
    return result;
}

/* Puts `instead` in the place of the words that a text has at *p, and moves *p to their last byte.
 * Returns 0 if it has other words there. */
static int replace(struct text *out, const char **p, const char *words, const char *instead)
{
    if (strncmp(*p, words, strlen(words)) != 0) return 0;
    text_append(out, instead);
    *p += strlen(words) - 1;
    return 1;
}

/* Writes the family of the example with other words and another number of inputs, and marks what
 * has a number. */
static int write_family(const char *folder, const char *skeleton,
                        const struct kernel_source *source)
{
    const struct path path = path_in(skeleton, "family.c");
    char *text = text_read_file(path.at, NULL), inputs[24];
    struct text out = {0};
    if (!text) return error(FAIL_INPUT, "%s: cannot read: %s", path.at, strerror(errno));
    snprintf(inputs, sizeof inputs, "INPUTS = %d", count_inputs(source));
    for (const char *p = text; *p; p++)
        if (!strncmp(p, "/* ", 3) && isdigit((unsigned char)p[3]))
            text_append(&out, "/* TODO: "), p += 2;
        else if (!replace(&out, &p, "INPUTS = 2", inputs) &&
                 !replace(&out, &p, "\"Scaled sum of two vectors\"",
                          "\"Kernels of \" FAMILY_NAME") &&
                 !replace(&out, &p, "\"Compute z = 2 x + y for vectors of floats.\"",
                          "\"Compute what the kernels of \" FAMILY_NAME \" do.\""))
            text_append_bytes(&out, p, 1);
    const int result = atomic_file_write(folder, "family.c", &out);
    text_free(&out);
    free(text);
    return result;
}

/* Appends #include "name" with the path of the file, if it lies beside the source: the copy of the
 * source does not. Returns where the name ends, or NULL if this is another line. */
static const char *append_include(struct text *out, const char *source, const char *line)
{
    static const char word[] = "#include \"";
    const char *name = line + sizeof word - 1, *slash = strrchr(source, '/');
    const char *end = strncmp(line, word, sizeof word - 1) ? NULL : strpbrk(name, "\"\n");
    if (!end || *end != '"' || *name == '/') return NULL;
    char *place = text_new("%.*s%.*s", slash ? (int)(slash - source) + 1 : 0, source,
                           (int)(end - name), name);
    char *path = place ? realpath(place, NULL) : NULL;
    if (path) text_format(out, "%s%s", word, path);
    free(place);
    free(path);
    return path ? end : NULL;
}

static int copy_kernels(const char *source, const char *folder)
{
    char *text = text_read_file(source, NULL);
    struct text out = {0};
    if (!text) return error(FAIL_INPUT, "%s: cannot read: %s", source, strerror(errno));
    for (const char *line = text, *end; *line; line = end) {
        const char *rest = append_include(&out, source, line);
        if (!rest) rest = line;
        end = strchr(rest, '\n');
        end = end ? end + 1 : rest + strlen(rest);
        text_append_bytes(&out, rest, (size_t)(end - rest));
    }
    const int result = atomic_file_write(folder, "kernel.cuh", &out);
    text_free(&out);
    free(text);
    return result;
}

/* Warns of a type with the name of one of catalog/variant.h, which the folder's files include. */
static void warn_of_names(const char *source)
{
    static const char *const keyword[] = {"struct ", "class ", "enum ", "union "};
    static const char *const name[] = {"work",      "launch",        "point",     "shape",
                                       "variant",   "family",        "claim",     "rate",
                                       "published", "shared_access", "tensor_map"};
    char *text = text_read_file(source, NULL);
    for (size_t i = 0; text && i < sizeof keyword / sizeof *keyword; i++)
        for (const char *at = text; (at = strstr(at, keyword[i]));) {
            at += strlen(keyword[i]);
            const size_t length = strcspn(at, " \n{:;");
            const char *after = at + length + strspn(at + length, " \n");
            for (size_t n = 0; n < sizeof name / sizeof *name && (*after == '{' || *after == ':');
                 n++)
                if (length == strlen(name[n]) && !strncmp(at, name[n], length))
                    warning(
                        "%s defines '%s', as catalog/variant.h does; if nvcc refuses the folder, "
                        "rename it, or let 'whyfast run' or 'diff' start the program as it is",
                        source, name[n]);
        }
    free(text);
}

/* Warns of the first argument that a family's launches cannot have. */
static void warn_of_arguments(const struct kernel_source *source)
{
    for (int k = 0; k < source->count; k++) {
        const struct kernel_signature *kernel = &source->kernels.kernel[k];
        for (int p = 0; p < kernel->parameter_count; p++)
            if (kernel->parameter[p].bytes > sizeof(uint64_t) &&
                strcmp(kernel->parameter[p].type, "CUtensorMap_st")) {
                warning("%s: argument %d of %s has %u bytes; kernels of a family take at most 8 by "
                        "value. Pass a pointer, or let 'whyfast run' or 'diff' start the program "
                        "as it is",
                        source->path, p + 1, kernel->name, kernel->parameter[p].bytes);
                return;
            }
    }
}

static int write_from(const char *folder, const char *skeleton, const struct kernel_source *source)
{
    int result = copy_kernels(source->path, folder);
    if (!result) result = write_family(folder, skeleton, source);
    if (!result) result = write_variants(folder, source);
    char kernels[40] = "the kernel";
    if (source->count > 1) snprintf(kernels, sizeof kernels, "each of %d kernels", source->count);
    if (!result)
        printf("%s/ has a variant for %s. kernel.cuh is a copy of %s; edit the kernels there.\n"
               "Complete the lines that say TODO, then run\n  %s report %s/\n",
               folder, kernels, source->path, program_name(), shell_word(folder).at);
    if (!result) warn_of_names(source->path);
    if (!result) warn_of_arguments(source);
    return result;
}

void own_warn_of_marks(const struct own_folder *folder)
{
    static const char mark[] = "/* TODO:";
    struct text places = {0};
    int count = 0;
    for (int i = 0; i < folder->count; i++) {
        int line = 1;
        for (const char *p = folder->text[i]; *p; p++) {
            line += *p == '\n';
            if (!strncmp(p, mark, strlen(mark)))
                names_list(&places, count++, path_of("%s:%d", folder->file[i], line).at);
        }
    }
    names_list_rest(&places, count);
    if (count)
        warning("%s: %d line%s still say%s TODO: %s", folder->folder, count, count == 1 ? "" : "s",
                count == 1 ? "s" : "", text_string(&places));
    text_free(&places);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int write_example(const char *folder, const char *skeleton)
{
    static const char *const files[] = {"family.c", "01_first.cu", "02_second.cu"};
    int result = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files && !result; i++)
        result = file_copy(path_in(skeleton, files[i]).at, folder, files[i]);
    if (!result)
        printf("%s/ has family.c, 01_first.cu and 02_second.cu, a complete family; change them, "
               "then run\n  %s report %s/\n",
               folder, program_name(), shell_word(folder).at);
    return result;
}

/* Returns the topmost directory that must be made for `folder`, which the caller frees, or NULL if
 * memory is short. */
static char *first_missing(const char *folder)
{
    char *path = strdup(folder);
    for (char *slash; path && (slash = strrchr(path, '/')) && slash > path;) {
        *slash = 0;
        if (!file_exists(path)) continue;
        *slash = '/';
        break;
    }
    return path;
}

/* Makes the folder and writes its files. Leaves nothing on failure. */
static int write_folder(const char *folder, const struct kernel_source *source)
{
    char *data = data_directory(), *made = data ? first_missing(folder) : NULL;
    int result = made ? directory_make(folder) : data ? error_memory() : FAIL_INPUT;
    const struct path skeleton = path_in(data ? data : "", "harness/user_kernels/skeleton");
    if (!result)
        result = source->path ? write_from(folder, skeleton.at, source)
                              : write_example(folder, skeleton.at);
    if (result && made) directory_remove(made);
    free(made);
    free(data);
    return result;
}

int own_new(const char *folder, const char *from)
{
    struct kernel_source source = {0};
    char *path = strdup(folder);
    if (!path) return error_memory();
    for (size_t end = strlen(path); end > 1 && path[end - 1] == '/'; end--) path[end - 1] = 0;
    const char *family = text_base_name(path);
    int result = check_name(path, family);
    if (!result && from) result = kernel_source_read(&source, from);
    if (!result && from) result = kernel_source_select(&source);
    if (!result) result = write_folder(path, &source);
    kernel_source_free(&source);
    free(path);
    return result;
}
