#include "own/kernel_list.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"

static int is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Returns the end of a comment or a literal that begins at `p`, or `p`. */
static char *skip_unread(char *p)
{
    const char quote = *p;
    if (!strncmp(p, "//", 2)) return p + strcspn(p, "\n");
    if (!strncmp(p, "/*", 2)) {
        char *end = strstr(p + 2, "*/");
        return end ? end + 2 : p + strlen(p);
    }
    if (quote != '"' && quote != '\'') return p;
    for (p++; *p && *p != quote && *p != '\n'; p++) p += *p == '\\' && p[1];
    return p + (*p == quote);
}

/* Replaces comments and literals by blanks. */
static void blank_unread(char *text)
{
    for (char *p = text; *p;) {
        char *end = skip_unread(p);
        /* An apostrophe within a number separates digits. */
        if (end == p || (*p == '\'' && p > text && isxdigit((unsigned char)p[-1])))
            p++;
        else
            for (; p < end; p++)
                if (*p != '\n') *p = ' ';
    }
}

static const char *find_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    for (const char *p = text; (p = strstr(p, word)); p += length)
        if ((p == text || !is_word(p[-1])) && !is_word(p[length])) return p;
    return NULL;
}

/* Returns the bracket that closes the one at `p`, or the end of the text. */
static const char *closing(const char *p, char open, char close)
{
    for (int depth = 0; *p; p++) {
        depth += *p == open;
        depth -= *p == close;
        if (!depth) break;
    }
    return p;
}

/* Copies a part of the text without blanks around it and with single ones inside. */
static char *trimmed(const char *begin, const char *end)
{
    struct text out = {0};
    for (const char *p = begin; p < end; p++) {
        const int blank = isspace((unsigned char)*p);
        if (!blank)
            text_append_bytes(&out, p, 1);
        else if (out.length && p + 1 < end && !isspace((unsigned char)p[1]))
            text_append_bytes(&out, " ", 1);
    }
    if (!out.failed && !out.data) return strdup("");
    if (out.failed) text_free(&out);
    return out.data;
}

/* Calls for the end of an item of a list: a comma outside of brackets, or the end. */
static const char *item_end(const char *p, const char *end)
{
    for (int depth = 0; p < end && (depth || *p != ','); p++) {
        depth += strchr("(<[{", *p) != NULL;
        depth -= strchr(")>]}", *p) != NULL;
    }
    return p;
}

static int add_parameters(struct kernel *kernel, const char *begin, const char *end)
{
    for (const char *p = begin; p < end; p = item_end(p, end) + 1) {
        char *parameter = trimmed(p, item_end(p, end));
        if (!parameter) return error_memory();
        if (!*parameter || !strcmp(parameter, "void")) {
            free(parameter);
            continue;
        }
        if (kernel->parameter_count == MOST_PARAMETERS) {
            free(parameter);
            return error(FAIL_INPUT, "%s has more than %d parameters", kernel->name,
                         MOST_PARAMETERS);
        }
        kernel->parameter[kernel->parameter_count++] = parameter;
    }
    return 0;
}

/* Finds "template <...>" right before `at` and makes arguments for it: float for a type, 256 for a
 * number. */
static char *template_arguments(const char *text, const char *at)
{
    struct text out = {0};
    const char *begin = text, *found = NULL;
    for (const char *p = text; p < at; p++)
        if (strchr(";}", *p)) begin = p + 1;
    for (const char *p = begin; (p = find_word(p, "template")) && p < at; p++) found = p;
    const char *open = found ? strchr(found, '<') : NULL;
    if (!open || open > at) return strdup("");
    const char *end = closing(open, '<', '>');
    for (const char *p = open + 1; p < end; p = item_end(p, end) + 1) {
        const char *type = find_word(p, "typename"), *class = find_word(p, "class"),
                   *next = item_end(p, end);
        const int is_type = (type && type < next) || (class && class < next);
        text_format(&out, "%s%s", out.length ? ", " : "<", is_type ? "float" : "256");
    }
    text_append(&out, out.length ? ">" : "<>");
    if (out.failed) text_free(&out);
    return out.data;
}

/* Reads the kernel after "__global__" at `at`; adds nothing for a declaration. */
static int read_kernel(struct kernel_list *list, const char *text, const char *at)
{
    static const char *const attributes[] = {"__launch_bounds__", "__cluster_dims__",
                                             "__attribute__", "__maxnreg__", "__block_size__"};
    const char *name = NULL, *end = NULL, *p = at;
    while (*p && *p != '(' && *p != ';' && *p != '{') {
        if (!is_word(*p)) {
            p++;
            continue;
        }
        const char *word = p;
        int skips = 0;
        while (is_word(*p)) p++;
        for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
            skips |= strlen(attributes[i]) == (size_t)(p - word) &&
                     !strncmp(word, attributes[i], (size_t)(p - word));
        name = skips ? name : word;
        end = skips ? end : p;
        while (skips && isspace((unsigned char)*p)) p++;
        if (skips && *p == '(') p = closing(p, '(', ')') + 1;
    }
    if (*p != '(' || !name) return 0;
    const char *close = closing(p, '(', ')'), *body = *close ? close + 1 : close;
    while (isspace((unsigned char)*body)) body++;
    if (*body != '{') return 0;
    if (list->count == MOST_KERNELS)
        return error(FAIL_INPUT, "the file has more than %d kernels", MOST_KERNELS);
    struct kernel *kernel = &list->kernel[list->count++];
    kernel->name = trimmed(name, end);
    kernel->template_arguments = template_arguments(text, at);
    if (!kernel->name || !kernel->template_arguments) return error_memory();
    return add_parameters(kernel, p + 1, close);
}

enum parameter_kind parameter_kind(const char *parameter)
{
    static const char *const integers[] = {
        "char",    "short",    "int",      "long",     "unsigned", "signed",   "bool",   "uchar",
        "ushort",  "uint",     "ulong",    "int8_t",   "int16_t",  "int32_t",  "size_t", "int64_t",
        "uint8_t", "uint16_t", "uint32_t", "uint64_t", "ssize_t",  "ptrdiff_t"};
    const char *pointer = strpbrk(parameter, "*["), *constant = find_word(parameter, "const");
    if (pointer) return constant && constant < pointer ? PARAMETER_INPUT : PARAMETER_OUTPUT;
    if (find_word(parameter, "CUtensorMap")) return PARAMETER_TENSOR_MAP;
    if (strpbrk(parameter, "&<")) return PARAMETER_OTHER;
    if (find_word(parameter, "float")) return PARAMETER_FLOAT;
    if (find_word(parameter, "double")) return PARAMETER_DOUBLE;
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        if (find_word(parameter, integers[i])) return PARAMETER_INTEGER;
    return PARAMETER_OTHER;
}

int kernel_list_read(struct kernel_list *list, const char *source)
{
    static const char word[] = "__global__";
    char *text = strdup(source);
    int result = text ? 0 : error_memory();
    memset(list, 0, sizeof *list);
    if (text) blank_unread(text);
    for (const char *p = text; !result && p && (p = find_word(p, word)); p += strlen(word))
        result = read_kernel(list, text, p + strlen(word));
    free(text);
    return result;
}

void kernel_list_free(struct kernel_list *list)
{
    for (int i = 0; i < list->count; i++) {
        struct kernel *kernel = &list->kernel[i];
        while (kernel->parameter_count) free(kernel->parameter[--kernel->parameter_count]);
        free(kernel->template_arguments);
        free(kernel->name);
    }
    memset(list, 0, sizeof *list);
}
