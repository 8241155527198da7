#include "versions/version_driver.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "catalog/registry.h"
#include "machine_code/kernel_name.h"

static const char launch_mark[] = "<<<";

/* ---- the words of the user ------------------------------------------------------------------- */

/* Reads a number or a power of two. Returns 0 for anything else. */
static unsigned long long read_number(const char *word)
{
    struct shape shape;
    return shape_read(&shape, word, 1) || shape.dim[0] >= 1ull << 40 ? 0 : shape.dim[0];
}

static char *trimmed(char *word)
{
    word += strspn(word, " \t\n");
    for (size_t end = strlen(word); end && isspace((unsigned char)word[end - 1]); end--)
        word[end - 1] = 0;
    return word;
}

static int add_call(struct version_calls *calls, char *word)
{
    char *mark = strstr(word, launch_mark);
    if (!*trimmed(word)) return 0;
    if (!mark || !strstr(mark, ">>>"))
        return error(FAIL_USAGE,
                     "--call: expected KERNEL<<<GRID, BLOCK>>>(ARGUMENT, ...), found '%s'",
                     trimmed(word));
    if (calls->count == MOST_CALLS)
        return error(FAIL_USAGE, "--call: more than %d calls", MOST_CALLS);
    char *rest = strdup(trimmed(mark));
    *mark = 0;
    calls->rest[calls->count] = rest;
    calls->name[calls->count] = trimmed(word);
    calls->count += rest != NULL;
    return rest ? 0 : error_memory();
}

int version_calls_read(struct version_calls *calls, const char *call, const char *size)
{
    *calls = (struct version_calls){.words = call ? strdup(call) : NULL};
    if (call && !calls->words) return error_memory();
    if (size && !(calls->n = read_number(size)))
        return error(FAIL_USAGE, "--size: expected a number such as 1000 or 2^22, found '%s'",
                     size);
    int result = 0;
    for (char *word = calls->words, *end; word && !result; word = end) {
        end = strchr(word, ';');
        if (end) *end++ = 0;
        result = add_call(calls, word);
    }
    return result;
}

void version_calls_free(struct version_calls *calls)
{
    for (int i = 0; i < calls->count; i++) free((char *)(uintptr_t)calls->rest[i]);
    free(calls->words);
    memset(calls, 0, sizeof *calls);
}

static int equal_but_for_blanks(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strspn(a, " ");
        b += strspn(b, " ");
        if (*a != *b) return 0;
        if (!*a) return 1;
    }
}

/* Returns 1 if a word names a kernel: in full, or without namespaces and template arguments. */
static int is_called(const struct kernel_signature *kernel, const char *word)
{
    char *name = kernel_short_name(kernel->symbol);
    const int found = equal_but_for_blanks(word, kernel->name) || (name && !strcmp(word, name));
    free(name);
    return found;
}

static const char *call_of(struct version_calls *calls, const struct kernel_signature *kernel)
{
    for (int i = 0; i < calls->count; i++) {
        if (*calls->name[i] && !is_called(kernel, calls->name[i])) continue;
        calls->used[i] = ++calls->uses;
        return calls->rest[i];
    }
    return NULL;
}

/* ---- the call that follows from the signature ------------------------------------------------ */

/* What the code of a kernel says about its launch. */
struct launch_needs {
    int is_plane;    /* it uses the second dimension */
    int is_matrix;   /* arrays have n * n elements */
    int has_dynamic; /* shared memory whose size the launch gives */
};

static int is_integer(const char *type)
{
    static const char *const integers[] = {"char", "short", "int", "long"};
    const char *blank = strrchr(type, ' '), *word = blank ? blank + 1 : type;
    if (!strncmp(type, "unsigned", 8) && !strpbrk(type, "*&")) return 1;
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        if (!strcmp(word, integers[i])) return 1;
    return 0;
}

/* Returns 1 if a word stands between two lines of the text. */
static int has_between(const char *text, unsigned first, unsigned last, const char *word)
{
    unsigned line = 1;
    for (const char *p = text; *p && line < last; line += *p++ == '\n')
        if (line >= first && !strncmp(p, word, strlen(word))) return 1;
    return 0;
}

/* The code of a kernel ends at the latest where that of the next one begins. */
static struct launch_needs needs_of(const struct kernel_source *source, int k, const char *text)
{
    const struct kernel_signature *kernel = &source->kernels.kernel[k];
    unsigned last = ~0u;
    int integers = 0;
    for (int i = 0; i < source->count; i++) {
        const unsigned line = source->kernels.kernel[i].line;
        if (line > kernel->line && line < last) last = line;
    }
    for (int p = 0; p < kernel->parameter_count; p++)
        integers += is_integer(kernel->parameter[p].type);
    const int is_plane = has_between(text, kernel->line, last, "blockIdx.y") ||
                         has_between(text, kernel->line, last, "threadIdx.y");
    return (struct launch_needs){is_plane, is_plane || integers > 1,
                                 strstr(text, "extern __shared__") != 0};
}

static void append_argument(struct text *call, const char *type, const struct launch_needs *needs)
{
    const char *star = strchr(type, '*');
    if (star && (strchr(star + 1, '*') || strchr(type, '(')))
        text_append(call, "nullptr"); /* to pointers, arrays or functions */
    else if (kernel_type_points(type))
        text_append(call, needs->is_matrix ? "array(n * n)" : "array(n)");
    else if (is_integer(type))
        text_append(call, "n");
    else if (!strcmp(type, "__half2") || !strcmp(type, "__nv_bfloat162"))
        text_format(call, "%s(1, 1)", type);
    else if (!strcmp(type, "float") || !strcmp(type, "double") || !strcmp(type, "bool") ||
             !strcmp(type, "__half") || !strcmp(type, "__nv_bfloat16"))
        text_append(call, "1");
    else
        kernel_code_append(call, type), text_append(call, "{}");
}

static void append_default(struct text *call, const struct kernel_signature *kernel,
                           const struct launch_needs *needs)
{
    text_append(call, launch_mark);
    if (needs->is_plane)
        text_append(call, "dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)");
    else
        text_append(call, needs->is_matrix ? "n, block" : "(n + block - 1) / block, block");
    text_append(call, needs->has_dynamic ? ", 4096>>>(" : ">>>(");
    for (int p = 0; p < kernel->parameter_count; p++) {
        text_append(call, p ? ", " : "");
        append_argument(call, kernel->parameter[p].type, needs);
    }
    text_append(call, ")");
}

/* ---- the program ----------------------------------------------------------------------------- */

/* Writes a call with a number for each array, which keeps its memory in all launches. */
static void append_numbered(struct text *program, const char *call)
{
    static const char array[] = "array(";
    int count = 0;
    for (const char *p = call; *p; p++) {
        const int begins = p == call || !(isalnum((unsigned char)p[-1]) || p[-1] == '_');
        if (begins && !strncmp(p, array, strlen(array))) {
            text_format(program, "arrays.array(%d, ", count++);
            p += strlen(array) - 1;
        } else
            text_append_bytes(program, p, 1);
    }
}

static void append_kernel(struct text *program, const struct kernel_signature *kernel,
                          const char *call, int is_default, unsigned long long n, int prints)
{
    static const char more_shared[] = "        cudaFuncSetAttribute(kernel, "
                                      "cudaFuncAttributeMaxDynamicSharedMemorySize, 98304);\n"
                                      "        cudaGetLastError();\n";
    text_append(program, "    {\n        void (*const kernel)(");
    for (int p = 0; p < kernel->parameter_count; p++) {
        text_append(program, p ? ", " : "");
        kernel_code_append(program, kernel->parameter[p].type);
    }
    text_append(program, ") = ::");
    kernel_code_append(program, kernel->name);
    text_format(program,
                ";\n        const size_t n = %lluu;\n"
                "        const unsigned block = whyfast_driver::threads(kernel);\n"
                "        (void)n;\n        (void)block;\n%s"
                "        whyfast_driver::measure(\"%s\", (const void *)%s,\n"
                "                                [=](whyfast_driver::memory &arrays) {\n"
                "            (void)arrays;\n%s            kernel",
                n, is_default ? "" : more_shared, kernel->name, prints ? "nullptr" : "kernel",
                is_default ? "" : "#line 1 \"--call\"\n");
    append_numbered(program, call);
    text_append(program, ";\n        });\n    }\n");
}

static void append_call(struct text *program, struct text *shown,
                        const struct kernel_source *source, int k, struct version_calls *calls,
                        const char *text)
{
    const struct kernel_signature *kernel = &source->kernels.kernel[k];
    const struct launch_needs needs = needs_of(source, k, text);
    const unsigned long long n = calls->n ? calls->n : needs.is_matrix ? 1024 : 1ull << 23;
    const char *asked = call_of(calls, kernel);
    struct text call = {0};
    if (!asked) append_default(&call, kernel, &needs);
    append_kernel(program, kernel, asked ? asked : text_string(&call), !asked, n,
                  strstr(text, "printf") != NULL);
    text_format(shown, "%s%s, n = %llu\n", kernel->name, asked ? asked : text_string(&call), n);
    text_free_piece(&call, program);
}

int version_driver_append(struct text *program, struct text *shown,
                          const struct kernel_source *source, struct version_calls *calls,
                          const char *only)
{
    int count = 0;
    char *text = text_read_file(source->path, NULL);
    if (!text) return error(FAIL_INPUT, "%s: cannot read: %s", source->path, strerror(errno));
    text_format(program, "#include \"%s\"\n#include \"driver.cuh\"\n\nint main()\n{\n",
                source->path);
    for (int k = 0; k < source->count; k++) {
        if (only && !is_called(&source->kernels.kernel[k], only)) continue;
        append_call(program, shown, source, k, calls, text);
        count++;
    }
    text_append(program, "    return 0;\n}\n");
    free(text);
    if (program->failed || shown->failed) return error_memory();
    if (count) return 0;
    return error(FAIL_INPUT, "%s has no kernel %s", source->path, only);
}
