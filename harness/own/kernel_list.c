#include "own/kernel_list.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"

static const char global[] = "__global__";

static int is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80; /* also UTF-8 */
}

/* Returns the end of a raw string, R"mark(...)mark", that begins at `p`, or `p`. */
static char *skip_raw(char *p)
{
    char mark[20];
    const size_t length = strcspn(p + 2, "(");
    snprintf(mark, sizeof mark, ")%.*s\"", (int)(length < 16 ? length : 16), p + 2);
    char *end = strstr(p, mark);
    return end ? end + strlen(mark) : p;
}

/* Returns the end of a comment or a literal that begins at `p`, or `p`. */
static char *skip_unread(char *p)
{
    const char quote = *p;
    if (quote == 'R' && p[1] == '"') return skip_raw(p);
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

/* Returns the end of a line, or of the last of the lines that backslashes join to it. */
static char *line_end(char *line)
{
    char *end = line + strcspn(line, "\n");
    for (const char *last; *end; end += 1 + strcspn(end + 1, "\n")) {
        last = end - (end > line && end[-1] == '\r');
        if (last == line || last[-1] != '\\') break;
    }
    return end;
}

/* Reads the word of a directive. `open` has a character for each conditional that is open: '0' or
 * '1' for the part after "#if 0" or "#if 1", '-' for a part after the latter, else '?'. */
static void read_conditional(const char *word, char *open, size_t most)
{
    const size_t depth = strlen(open);
    char *last = open + depth - (depth > 0);
    if (!strncmp(word, "if", 2)) {
        const char *value = word + 2 + strspn(word + 2, " \t");
        const int is_known =
            (*value == '0' || *value == '1') && !value[1 + strspn(value + 1, " \t\r")];
        if (depth + 1 < most) open[depth] = is_known ? *value : '?', open[depth + 1] = 0;
    } else if (!strncmp(word, "endif", 5)) {
        *last = 0;
    } else if (depth && !strncmp(word, "el", 2)) {
        *last = strchr("1-", *last) ? '-' : '?';
    }
}

/* Replaces directives by blanks, and the lines that "#if 0" and the like leave out. Returns 1 if
 * the definition of a macro has __global__. */
static int blank_directives(char *text)
{
    char open[64] = "", ending;
    int hides = 0;
    for (char *p = text, *end; *p; p = end + (*end == '\n')) {
        const char *word = p + strspn(p, " \t");
        const int is_directive = *word == '#';
        end = line_end(p);
        ending = *end;
        *end = 0;
        word += is_directive + strspn(word + is_directive, " \t");
        if (is_directive) read_conditional(word, open, sizeof open);
        const int is_out = strpbrk(open, "0-") != NULL;
        hides |= is_directive && !is_out && !strncmp(word, "define", 6) && find_word(word, global);
        *end = ending;
        for (char *c = p; (is_directive || is_out) && c < end; c++)
            if (*c != '\n') *c = ' ';
    }
    return hides;
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
    for (const char *p = begin, *next; p < end; p = next + 1) {
        next = item_end(p, end);
        const char *preset = memchr(p, '=', (size_t)(next - p));
        char *parameter = trimmed(p, preset ? preset : next);
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

/* Finds the parameters of "template <...>" right before `at`, and makes arguments for those without
 * a default: float for a type, true for a bool, 256 for another value. */
static int read_template(struct kernel *kernel, const char *text, const char *at)
{
    struct text out = {0};
    const char *begin = text;
    for (const char *p = text; p < at; p++)
        if (strchr(";{}", *p)) begin = p + 1;
    const char *found = find_word(begin, "template"), *open = found ? strchr(found, '<') : NULL;
    if (!open || open > at) return 0;
    const char *end = closing(open, '<', '>');
    kernel->template_parameters = trimmed(open + 1, end);
    for (const char *p = open + 1, *next; p < end; p = next + 1) {
        next = item_end(p, end);
        char *parameter = trimmed(p, next);
        const int has_preset = parameter && strchr(parameter, '=');
        if (parameter && !has_preset)
            text_format(&out, "%s%s", out.length ? ", " : "<",
                        find_word(parameter, "typename") || find_word(parameter, "class") ? "float"
                        : find_word(parameter, "bool")                                    ? "true"
                                                                                          : "256");
        out.failed |= !parameter;
        free(parameter);
        if (has_preset) break;
    }
    text_append(&out, out.length ? ">" : "<>");
    kernel->template_arguments = out.data;
    return out.failed || !kernel->template_parameters ? error_memory() : 0;
}

/* Returns the namespaces around `at` and those of the name, which end at `name`:
 * "::outer::inner::"; NULL if memory is short. */
static char *scope_of(const char *text, const char *at, const char *space, const char *name)
{
    struct text out = {0};
    const char *begin = text; /* of the declaration */
    text_append(&out, "::");
    for (const char *p = text; p < at; p++) {
        const char *end = *p == '{' ? closing(p, '{', '}') : at,
                   *word = *p == '{' ? find_word(begin, "namespace") : NULL;
        if (end < at)
            p = end;
        else if (word && word < p) {
            char *outer = trimmed(word + strlen("namespace"), p);
            if (outer && *outer) text_format(&out, "%s::", outer);
            out.failed |= !outer;
            free(outer);
        }
        if (strchr(";{}", *p)) begin = p + 1;
    }
    text_append_bytes(&out, space, (size_t)(name - space));
    if (out.failed) text_free(&out);
    return out.data;
}

/* Reads the kernel after "__global__" at `at`; adds nothing for a declaration. */
static int read_kernel(struct kernel_list *list, const char *text, const char *at)
{
    const char *name = NULL, *end = NULL, *special = NULL, *special_end = NULL, *p = at;
    const char *close = NULL, *body = NULL, *space = NULL;
    while (*p && !strchr(";{", *p)) {
        if (is_word(*p)) {
            for (name = space = p; is_word(*p) || *p == ':'; p++)
                if (*p == ':') name = p + 1;
            end = p;
            special = NULL;
        } else if (*p == '<') {
            special = p;
            p = closing(p, '<', '>');
            special_end = p += *p == '>';
        } else if (*p == '(') {
            close = closing(p, '(', ')');
            body = close + (*close == ')');
            while (isspace((unsigned char)*body)) body++;
            if (strchr("{(", *body)) break;
            p = body; /* behind an attribute */
        } else {
            p++;
        }
    }
    if (*p != '(' || !name || !*body) return 0;
    if (*body == '(') {
        list->has_hidden = 1; /* a macro makes the name */
        return 0;
    }
    if (list->count == MOST_KERNELS)
        return error(FAIL_INPUT, "the file has more than %d kernels", MOST_KERNELS);
    struct kernel *kernel = &list->kernel[list->count++];
    kernel->name = trimmed(name, end);
    kernel->scope = scope_of(text, at, space, name);
    if (special) kernel->template_arguments = trimmed(special, special_end);
    if (!kernel->name || !kernel->scope || (special && !kernel->template_arguments))
        return error_memory();
    const int result = special ? 0 : read_template(kernel, text, at);
    return result ? result : add_parameters(kernel, p + 1, close);
}

int kernel_list_overloads(const struct kernel_list *list, int index)
{
    const struct kernel *kernel = &list->kernel[index];
    int count = 0;
    for (int i = 0; i < list->count; i++) {
        const struct kernel *other = &list->kernel[i];
        const int is_special = other->template_arguments && !other->template_parameters;
        count += i != index && !is_special && !strcmp(other->name, kernel->name) &&
                 !strcmp(other->scope, kernel->scope) &&
                 (other->template_parameters || !kernel->template_parameters);
    }
    return count;
}

enum parameter_kind parameter_kind(const char *parameter)
{
    static const char *const integers[] = {
        "char",    "short",    "int",      "long",     "unsigned", "signed",   "bool",   "uchar",
        "ushort",  "uint",     "ulong",    "int8_t",   "int16_t",  "int32_t",  "size_t", "int64_t",
        "uint8_t", "uint16_t", "uint32_t", "uint64_t", "ssize_t",  "ptrdiff_t"};
    const char *end = parameter + strlen(parameter), *pointer = parameter;
    for (; pointer < end && !strchr("*[", *pointer); pointer++)
        if (*pointer == '<') pointer = closing(pointer, '<', '>');
    const char *constant = find_word(parameter, "const");
    if (strchr(parameter, '(')) return PARAMETER_FUNCTION;
    if (pointer < end) return constant && constant < pointer ? PARAMETER_INPUT : PARAMETER_OUTPUT;
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
    char *text = strdup(source);
    int result = text ? 0 : error_memory();
    memset(list, 0, sizeof *list);
    if (text) blank_unread(text);
    if (text) list->has_hidden = blank_directives(text);
    for (const char *p = text; !result && p && (p = find_word(p, global)); p += strlen(global))
        result = read_kernel(list, text, p + strlen(global));
    free(text);
    return result;
}

void kernel_list_free(struct kernel_list *list)
{
    for (int i = 0; i < list->count; i++) {
        struct kernel *kernel = &list->kernel[i];
        while (kernel->parameter_count) free(kernel->parameter[--kernel->parameter_count]);
        free(kernel->template_parameters);
        free(kernel->template_arguments);
        free(kernel->scope);
        free(kernel->name);
    }
    memset(list, 0, sizeof *list);
}
