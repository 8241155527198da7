/*
 * Implements own_new and own_warn_of_marks of own/own_family.h. Nothing is owned. TODO marks the
 * lines of the written files that the user must complete.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/text.h"
#include "catalog/registry.h"
#include "own/kernel_list.h"
#include "own/own_family.h"

static int copy_skeleton(const char *folder, const char *const *files)
{
    char *data = data_directory();
    int result = data ? 0 : FAIL_INPUT;
    for (; *files && !result; files++) {
        char *from = text_new("%s/harness/own/skeleton/%s", data, *files);
        result = from ? file_copy(from, folder, *files) : error_memory();
        free(from);
    }
    free(data);
    return result;
}

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

struct source {
    const char *path;
    char *text;
    struct kernel_list kernels;
};

static int find_nearest(void *context, const char *name)
{
    struct text *names = context;
    const size_t length = strlen(name);
    if (length > 3 && !strcmp(name + length - 3, ".cu")) text_format(names, "%s\n", name);
    return names->failed ? error_memory() : 0;
}

/* Returns FAIL_INPUT, with the file of the nearest name in the same directory. */
static int missing(const char *path)
{
    const int why = errno;
    if (why == ENOTSUP || !strcmp(path, "-"))
        return error(FAIL_INPUT, "new: --from must name a file, which it copies; found '%s'", path);
    enum { MOST = 256 };
    const char *names[MOST], *slash = strrchr(path, '/');
    size_t count = 0;
    struct text list = {0};
    char *directory = text_new("%.*s", slash ? (int)(slash - path) + 1 : 2, slash ? path : "./");
    if (directory && file_exists(directory)) directory_visit(directory, find_nearest, &list);
    for (char *p = list.data, *end; p && *p && count < MOST; p = end + 1) {
        end = p + strcspn(p, "\n");
        *end = 0;
        names[count++] = p;
    }
    const char *nearest = text_nearest(slash ? slash + 1 : path, names, count);
    error(FAIL_INPUT, "%s: cannot read: %s%s%s%s", path, strerror(why),
          nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    text_free(&list);
    free(directory);
    return FAIL_INPUT;
}

static int source_read_kernels(struct source *source, const char *path)
{
    *source = (struct source){.path = path, .text = text_read_file(path, NULL)};
    if (!source->text) return missing(path);
    int result = kernel_list_read(&source->kernels, source->text);
    if (!result && !source->kernels.count)
        result = error(FAIL_INPUT, "%s defines no __global__ function%s", path,
                       source->kernels.has_hidden ? " except in macros, which whyfast does not read"
                                                  : "");
    return result;
}

static int count_inputs(const struct kernel_list *list)
{
    int most = 0;
    for (int k = 0; k < list->count; k++) {
        int inputs = 0;
        for (int p = 0; p < list->kernel[k].parameter_count; p++)
            inputs += parameter_kind(list->kernel[k].parameter[p]) == PARAMETER_INPUT;
        if (inputs > most) most = inputs;
    }
    return most > INPUT_COUNT ? INPUT_COUNT : most;
}

/* Writes the value for a parameter: inputs and the output in their order, n for an integer. */
static void write_value(struct text *out, const char *parameter, int *inputs, int *outputs)
{
    const enum parameter_kind kind = parameter_kind(parameter);
    if (kind == PARAMETER_TENSOR_MAP) {
        text_format(out, "\n        /* TODO: %s; fill launch->tensor_map[0] (catalog/variant.h) */",
                    parameter);
        return;
    }
    if (kind == PARAMETER_FUNCTION) {
        text_format(out, ",\n        nullptr /* TODO: %s; the address of a function of the GPU */",
                    parameter);
        return;
    }
    if (kind == PARAMETER_INPUT && *inputs < INPUT_COUNT)
        text_format(out, ",\n        work->input[%d]", (*inputs)++);
    else if (kind == PARAMETER_INPUT || (kind == PARAMETER_OUTPUT && *outputs))
        text_append(out, ",\n        work->scratch");
    else if (kind == PARAMETER_OUTPUT)
        text_format(out, ",\n        work->output"), *outputs = 1;
    else
        text_append(out, kind == PARAMETER_INTEGER ? ",\n        n" : ",\n        1");
    text_format(out, " /* TODO: %s%s */", parameter,
                kind == PARAMETER_OTHER ? "; a texture or more than 8 bytes cannot be passed" : "");
}

/* Writes the kernel as an expression. Its name begins with "::", because the function that uses it
 * may have a variable of that name. An overload is chosen by a cast to its parameters. */
static void write_kernel(struct text *out, const struct kernel_list *list, int index)
{
    const struct kernel *kernel = &list->kernel[index];
    const char *arguments = kernel->template_arguments ? kernel->template_arguments : "";
    const int overloads = kernel_list_overloads(list, index);
    const int is_cast =
        !kernel->template_arguments && (overloads || !strcmp(kernel->name, "plan") ||
                                        !strncmp(kernel->name, "launch_", strlen("launch_")));
    if (is_cast) text_append(out, "static_cast<void (*)(");
    for (int i = 0; is_cast && i < kernel->parameter_count; i++)
        text_format(out, "%s%s", i ? ", " : "", kernel->parameter[i]);
    text_format(out, is_cast ? ")>(%s%s%s)" : "%s%s%s", kernel->scope, kernel->name, arguments);
    if (kernel->template_parameters)
        text_format(out, " /* TODO: template <%s> */", kernel->template_parameters);
    if (kernel->template_parameters && overloads)
        text_append(out, " /* TODO: one of its overloads, chosen by a static_cast */");
    if (is_cast && strcmp(kernel->scope, "::"))
        text_append(out, " /* TODO: the namespaces of these types */");
}

static void write_variant(struct text *out, const struct kernel_list *list, int index,
                          const char *after)
{
    const struct kernel *kernel = &list->kernel[index];
    int inputs = 0, outputs = 0;
    text_format(
        out,
        "/*\n * The kernel %s of kernel.cuh.\n */\n#include \"catalog/variant.h\"\n\n"
        "#include \"kernel.cuh\"\n\n"
        "static void plan(const struct work *work, unsigned index, struct launch *launch)\n"
        "{\n    const uint64_t n = work->point.shape.dim[0];\n"
        "    (void)index; /* there is one launch */\n"
        "    launch->block[0] = 256; /* TODO: the threads of a block; block[1], block[2] */\n"
        "    launch->grid[0] = (unsigned)((n + 255) / 256); /* TODO: the blocks */\n"
        "    launch_kernel(launch, ",
        kernel->name);
    write_kernel(out, list, index);
    for (int i = 0; i < kernel->parameter_count; i++)
        write_value(out, kernel->parameter[i], &inputs, &outputs);
    text_format(out,
                ");\n}\n\nVARIANT_DEFINITION = {\n    VARIANT_IDENTITY,\n    .title = \"%s\", "
                "/* TODO: a few words for charts */\n",
                kernel->name);
    if (after)
        text_format(out, "    .after = \"%s\", /* TODO: the variant that it improves on */\n",
                    after);
    text_append(out, "    .plan = plan,\n};\n");
}

/* Names the variant of a kernel: "01_naive". */
static void name_variant(char name[128], const struct kernel_list *list, int index)
{
    snprintf(name, 128, "%02d_%s", index + 1, list->kernel[index].name);
    for (char *p = name; *p; p++)
        *p = isalnum((unsigned char)*p) || *p == '_' ? (char)tolower((unsigned char)*p) : '_';
}

static int write_variants(const char *folder, const struct kernel_list *list)
{
    char name[128], before[128] = "";
    int result = 0;
    for (int i = 0; i < list->count && !result; i++) {
        struct text out = {0};
        name_variant(name, list, i);
        char *file = text_new("%s.cu", name);
        write_variant(&out, list, i, i ? before : NULL);
        result = file ? atomic_file_write(folder, file, &out) : error_memory();
        snprintf(before, sizeof before, "%s", name);
        free(file);
        text_free(&out);
    }
    return result;
}

/* Writes the name of a file as in a string literal of C. */
static void write_file_name(struct text *out, const char *path)
{
    const char *slash = strrchr(path, '/');
    for (const char *p = slash ? slash + 1 : path; *p; p++)
        text_format(out,
                    strchr("\"\\", *p)           ? "\\%c"
                    : iscntrl((unsigned char)*p) ? "\\%03o"
                                                 : "%c",
                    *p);
}

/* Fills in the names between '@' of the skeleton's family. */
static int write_family(const char *folder, const char *family, const struct source *source)
{
    struct text out = {0};
    char *data = data_directory(),
         *path = data ? text_new("%s/harness/own/skeleton/family_of_kernels.c", data) : NULL,
         *text = path ? text_read_file(path, NULL) : NULL;
    int result = text ? 0 : data ? error(FAIL_INPUT, "%s: cannot read", path) : FAIL_INPUT;
    for (const char *p = text; p && *p; p++) {
        if (!strncmp(p, "@INPUTS@", 8))
            text_format(&out, "%d", count_inputs(&source->kernels)), p += 7;
        else if (!strncmp(p, "@FAMILY@", 8))
            text_append(&out, family), p += 7;
        else if (!strncmp(p, "@FILE@", 6))
            write_file_name(&out, source->path), p += 5;
        else
            text_append_bytes(&out, p, 1);
    }
    if (!result) result = atomic_file_write(folder, "family.c", &out);
    text_free(&out);
    free(text);
    free(path);
    free(data);
    return result;
}

static int write_from(const char *folder, const char *family, const struct source *source)
{
    int result = file_copy(source->path, folder, "kernel.cuh");
    if (!result) result = write_family(folder, family, source);
    if (!result) result = write_variants(folder, &source->kernels);
    if (!result)
        printf("%s/ has a variant for each of %d kernel%s. kernel.cuh is a copy of %s; edit the "
               "kernels there.\nComplete the lines that say TODO, then run\n"
               "  whyfast report %s/\n",
               folder, source->kernels.count, source->kernels.count == 1 ? "" : "s", source->path,
               folder);
    if (!result && source->kernels.has_hidden)
        warning("%s: __global__ stands in a macro; whyfast does not find the kernels that macros "
                "define",
                source->path);
    return result;
}

void own_warn_of_marks(const struct own_folder *folder)
{
    static const char mark[] = "/* TODO:";
    const char *first = NULL;
    int count = 0;
    for (int i = 0; i < folder->count; i++)
        for (const char *p = folder->text[i]; (p = strstr(p, mark)); p += strlen(mark), count++)
            if (!first) first = folder->file[i];
    if (count)
        warning("%s: %d line%s still say%s TODO, the first of them in %s", folder->folder, count,
                count == 1 ? "" : "s", count == 1 ? "s" : "", first);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int write_example(const char *folder)
{
    static const char *const files[] = {"family.c", "01_first.cu", "02_second.cu", NULL};
    const int result = copy_skeleton(folder, files);
    if (!result)
        printf("%s/ has family.c, 01_first.cu and 02_second.cu, a complete family; change them, "
               "then run\n  whyfast report %s/\n",
               folder, folder);
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
static int write_folder(const char *folder, const char *family, const struct source *source)
{
    char *made = first_missing(folder);
    int result = made ? directory_make(folder) : error_memory();
    if (!result) result = source->text ? write_from(folder, family, source) : write_example(folder);
    if (result && made) directory_remove(made);
    free(made);
    return result;
}

int own_new(const char *folder, const char *from)
{
    struct source source = {0};
    char *path = strdup(folder);
    if (!path) return error_memory();
    for (size_t end = strlen(path); end > 1 && path[end - 1] == '/'; end--) path[end - 1] = 0;
    const char *slash = strrchr(path, '/'), *family = slash ? slash + 1 : path;
    int result = check_name(path, family);
    if (!result && from) result = source_read_kernels(&source, from);
    if (!result) result = write_folder(path, family, &source);
    kernel_list_free(&source.kernels);
    free(source.text);
    free(path);
    return result;
}
