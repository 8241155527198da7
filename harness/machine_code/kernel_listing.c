#include "machine_code/kernel_listing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "machine_code/cubin.h"
#include "machine_code/disassembly.h"
#include "machine_code/dwarf_lines.h"
#include "machine_code/sass_text.h"

static const char elsewhere[] = "absent: the code belongs to a library, not to this program";

/* ---- names of source files ------------------------------------------------------------------- */

/* Returns the offset of the last part of a path of this length. */
static size_t last_part(const char *path, size_t length)
{
    while (length > 0 && path[length - 1] != '/') length--;
    return length;
}

/* Copies a path without ".", doubled '/' and "x/..": the remaining ".." begin a relative path.
 * Returns NULL when out of memory. */
static char *resolve(const char *path)
{
    char *out = text_new("%s", path);
    size_t length = 0;
    if (!out) return NULL;
    for (const char *part = path; *part;) {
        const size_t bytes = strcspn(part, "/"), last = last_part(out, length);
        const int up = bytes == 2 && !memcmp(part, "..", 2);
        const int above =
            length == 0
                ? *path != '/'
                : length - last == 2 && !memcmp(out + last, "..", 2); /* nothing to go up from */
        if (up && !above) {
            length = last > 0 ? last - 1 : 0;
        } else if (bytes > 0 && !(bytes == 1 && *part == '.')) {
            if (length > 0 || *path == '/') out[length++] = '/';
            memcpy(out + length, part, bytes);
            length += bytes;
        }
        part += bytes + (part[bytes] == '/');
    }
    out[length] = 0;
    return out;
}

/* Returns the number of bytes before `tail` if a path of this length ends with it, in whole parts,
 * else -1. */
static long front(const char *path, size_t length, const char *tail, size_t tail_length)
{
    if (length < tail_length || memcmp(path + length - tail_length, tail, tail_length) != 0)
        return -1;
    return length == tail_length || path[length - tail_length - 1] == '/'
               ? (long)(length - tail_length)
               : -1;
}

int source_root(char *const *paths, int count, const char *file, char **root)
{
    const size_t whole = strlen(file);
    *root = NULL;
    for (size_t length = whole; length > 0;
         length = last_part(file, length) > 0 ? last_part(file, length) - 1 : 0) {
        for (int i = 0; i < count; i++) {
            char *path = resolve(paths[i]);
            if (!path) return error_memory();
            /* Headers of other projects lie in directories of the same names. */
            const int is_other = length < whole && strstr(path, "/include/");
            const size_t directory = last_part(path, strlen(path));
            const long bytes = front(path,
                                     length == whole ? strlen(path)
                                     : directory > 0 ? directory - 1
                                                     : 0,
                                     file, length);
            const int found = bytes >= 0 && !is_other;
            if (found) *root = text_new("%.*s", (int)bytes, path);
            free(path);
            if (found) return *root ? 0 : error_memory();
        }
    }
    return 0;
}

/* Returns the path from its last "include/" on, or NULL if it has none. */
static const char *in_include(const char *path)
{
    static const char include[] = "/include/";
    const char *found = strncmp(path, include + 1, sizeof include - 2) ? NULL : path;
    for (const char *p = path; (p = strstr(p, include)); p++) found = p + 1;
    return found;
}

char *source_name(const char *path, const char *root)
{
    char *resolved = resolve(path);
    if (!resolved) return NULL;
    const char *name = resolved;
    int is_ours = *resolved != '/' && strncmp(resolved, "../", 3) != 0;
    if (root && *root && !strncmp(resolved, root, strlen(root))) {
        name = resolved + strlen(root);
        is_ours = 1;
    }
    const char *include = in_include(name);
    if (include)
        name = include;
    else if (!is_ours)
        name = resolved + last_part(resolved, strlen(resolved));
    char *copy = text_new("%s", name);
    free(resolved);
    return copy;
}

/* ---- listings -------------------------------------------------------------------------------- */

/* A cubin of this program. */
struct code {
    const char *file;
    int is_of_program; /* the cubin is a file of its own, not of this executable */
    struct cubin cubin;
    struct disassembler disassembler;
    struct disassembly disassembly;
    char no_sass[DISASSEMBLY_REASON]; /* why the disassembly is empty */
};

static int name_files(struct listing *listing, const struct dwarf_lines *table,
                      const struct code *code)
{
    listing->file = calloc((size_t)table->path_count, sizeof *listing->file);
    if (!listing->file) return error_memory();
    listing->file_count = table->path_count;
    char *root = NULL;
    int result =
        code->is_of_program ? 0 : source_root(table->path, table->path_count, code->file, &root);
    for (int i = 0; i < table->path_count && !result; i++) {
        listing->file[i] =
            code->is_of_program ? resolve(table->path[i]) : source_name(table->path[i], root);
        if (!listing->file[i]) result = error_memory();
    }
    free(root);
    return result;
}

static int join_lines(struct listing *listing, const struct dwarf_lines *table,
                      const struct code *code)
{
    const int result = name_files(listing, table, code);
    if (result) return result;
    listing->location = calloc((size_t)table->location_count, sizeof *listing->location);
    if (!listing->location) return error_memory();
    for (int i = 0; i < table->location_count; i++)
        listing->location[i] = (struct source_location){listing->file[table->location[i].path],
                                                        table->location[i].line};
    for (int i = 0; i < listing->count; i++) {
        const struct line_row *row = dwarf_lines_at(table, listing->instruction[i].pc);
        if (!row) continue;
        listing->instruction[i].location_count = row->location_count;
        listing->instruction[i].location = &listing->location[row->first_location];
    }
    return 0;
}

static int add_lines(struct listing *listing, const struct code *code)
{
    struct dwarf_lines table;
    char reason[LINE_REASON];
    int result = dwarf_lines_read(&table, &code->cubin, listing->symbol, reason);
    if (result == FAIL_INPUT) {
        snprintf(listing->lines_status, LISTING_STATUS, "absent: %s", reason);
        return 0;
    }
    if (result) return result;
    snprintf(listing->lines_status, LISTING_STATUS, "ok");
    result = join_lines(listing, &table, code);
    dwarf_lines_free(&table);
    return result;
}

/* Copies the kernel's part of the disassembly, which may be far larger. */
static int add_sass(struct listing *listing, const struct code *code)
{
    int missing = 0;
    for (int i = 0; i < listing->count; i++) {
        struct listing_instruction *instruction = &listing->instruction[i];
        const char *text = disassembly_text(&code->disassembly, listing->symbol, instruction->pc);
        instruction->sass = text ? strdup(text) : NULL;
        if (text && !instruction->sass) return error_memory();
        missing += !text;
    }
    if (!missing)
        snprintf(listing->sass_status, LISTING_STATUS, "ok");
    else if (code->disassembly.instruction_count == 0)
        snprintf(listing->sass_status, LISTING_STATUS, "absent: %s", code->no_sass);
    else
        snprintf(listing->sass_status, LISTING_STATUS, "absent: of %d of %d instructions", missing,
                 listing->count);
    return 0;
}

static int fill(struct listing *listing, const struct code *code, const char *symbol)
{
    Elf64_Shdr section;
    if (!cubin_kernel_find(&code->cubin, symbol, &section)) return 0;
    listing->symbol = text_new("%s", symbol);
    listing->instruction = calloc(section.sh_size / SASS_BYTES + 1, sizeof *listing->instruction);
    if (!listing->symbol || !listing->instruction) return error_memory();
    listing->count = (int)(section.sh_size / SASS_BYTES);
    for (int i = 0; i < listing->count; i++) listing->instruction[i].pc = (unsigned)i * SASS_BYTES;
    const int result = add_lines(listing, code);
    return result ? result : add_sass(listing, code);
}

/* Starts the disassembler of the file of request[0]; without its cubin, says where the code is. */
static int start_code(struct code *code, struct listing *listing,
                      const struct listing_request *request, int architecture,
                      const struct executable *executable)
{
    *code = (struct code){.file = request->file};
    if (!cubin_find(executable, request->file, request->symbol, architecture, &code->cubin)) {
        snprintf(listing->lines_status, LISTING_STATUS, "%s", elsewhere);
        snprintf(listing->sass_status, LISTING_STATUS, "%s", elsewhere);
        code->file = NULL;
        return 0;
    }
    const size_t bytes = cubin_bytes(&code->cubin);
    snprintf(code->no_sass, sizeof code->no_sass, "the cubin is damaged");
    const int result =
        bytes ? disassembly_start(&code->disassembler, code->cubin.data, bytes, NULL, code->no_sass)
              : 0;
    return result == FAIL_CHECK ? 0 : result;
}

/* Fills the listings of the file, if all went well so far. */
static int finish_code(struct code *code, struct listing *listing,
                       const struct listing_request *request, int count, int result)
{
    const int finished = disassembly_finish(&code->disassembly, &code->disassembler, code->no_sass);
    if (!result && finished != FAIL_CHECK) result = finished;
    for (int i = 0; i < count && !result && code->file; i++)
        if (!listing[i].symbol && !strcmp(request[i].file, code->file))
            result = fill(&listing[i], code, request[i].symbol);
    disassembly_free(&code->disassembly);
    return result;
}

/* Returns 1 if one of these files holds the kernel. */
static int is_started(const struct code *code, int count, const struct listing_request *request)
{
    Elf64_Shdr section;
    for (int i = 0; i < count; i++)
        if (code[i].file && !strcmp(code[i].file, request->file) &&
            cubin_kernel_find(&code[i].cubin, request->symbol, &section))
            return 1;
    return 0;
}

int listings_make(struct listing *listing, const struct listing_request *request, int count,
                  int architecture)
{
    enum { AT_ONCE = 8 };
    struct executable executable;
    struct code code[AT_ONCE];
    int result = 0;
    memset(listing, 0, (size_t)count * sizeof *listing);
    executable_open(&executable); /* empty if it fails */
    for (int next = 0; next < count && !result;) {
        int codes = 0;
        for (; next < count && codes < AT_ONCE && !result; next++)
            if (!listing[next].symbol && !is_started(code, codes, &request[next]))
                result = start_code(&code[codes++], &listing[next], &request[next], architecture,
                                    &executable);
        for (int i = 0; i < codes; i++)
            result = finish_code(&code[i], listing, request, count, result);
    }
    executable_close(&executable);
    return result;
}

/* Starts the disassembler for the kernels that are requested of the file, which may hold hundreds;
 * for all if one is not in its symbol table. */
static int start_kernels(struct code *code, const struct listing_request *request, int count)
{
    const size_t bytes = cubin_bytes(&code->cubin);
    struct text functions = {0};
    Elf64_Shdr section;
    int is_complete = 1;
    snprintf(code->no_sass, sizeof code->no_sass, "the cubin is damaged");
    for (int i = 0; i < count; i++) {
        const int is_of_file = !strcmp(request[i].file, code->file);
        const unsigned found =
            is_of_file ? cubin_kernel_find(&code->cubin, request[i].symbol, &section) : 0;
        const unsigned function = found ? cubin_function_in(&code->cubin, found) : 0;
        if (function) text_format(&functions, "%s%u", functions.length ? "," : "", function);
        is_complete &= !found || function;
    }
    int result = functions.failed ? error_memory() : 0;
    if (!result && bytes)
        result = disassembly_start(&code->disassembler, code->cubin.data, bytes,
                                   is_complete ? functions.data : NULL, code->no_sass);
    text_free(&functions);
    return result == FAIL_CHECK ? 0 : result;
}

enum { CUBINS_AT_ONCE = 4 };

struct listing_tools {
    struct code code[CUBINS_AT_ONCE];
    char *data[CUBINS_AT_ONCE]; /* of the files */
    int count, next;            /* next: the first request whose file was not looked at */
    int result;
};

/* Begins with a file for all kernels that are requested of it, if it is a cubin. */
static int begin_cubin(struct listing_tools *tools, const struct listing_request *request,
                       int count)
{
    struct code *code = &tools->code[tools->count];
    size_t size = 0;
    char *data = text_read_file(request->file, &size);
    *code = (struct code){.file = request->file, .is_of_program = 1};
    if (!data || !cubin_open(&code->cubin, (const unsigned char *)data, size)) {
        free(data);
        return 0;
    }
    tools->data[tools->count++] = data;
    return start_kernels(code, request, count);
}

/* Begins with the next files. */
static void begin_cubins(struct listing_tools *tools, const struct listing_request *request,
                         int count)
{
    for (; tools->next < count && tools->count < CUBINS_AT_ONCE && !tools->result; tools->next++) {
        int first = 0;
        while (strcmp(request[first].file, request[tools->next].file)) first++;
        if (first == tools->next)
            tools->result = begin_cubin(tools, &request[first], count - first);
    }
}

struct listing_tools *listings_begin(const struct listing_request *request, int count)
{
    struct listing_tools *tools = calloc(1, sizeof *tools);
    if (tools) begin_cubins(tools, request, count);
    return tools;
}

static void finish_cubins(struct listing_tools *tools, struct listing *listing,
                          const struct listing_request *request, int count)
{
    for (int c = 0; c < tools->count; c++) {
        tools->result = finish_code(&tools->code[c], listing, request, count, tools->result);
        free(tools->data[c]);
    }
    tools->count = 0;
}

void listings_give_up(struct listing_tools *tools)
{
    if (tools) finish_cubins(tools, NULL, NULL, 0);
    free(tools);
}

int listings_of_cubins(struct listing *listing, const struct listing_request *request, int count,
                       struct listing_tools *tools)
{
    memset(listing, 0, (size_t)count * sizeof *listing);
    if (!tools) tools = listings_begin(request, count);
    if (!tools) return error_memory();
    for (int i = 0; i < count; i++) {
        snprintf(listing[i].lines_status, LISTING_STATUS, "absent: the machine code is not known");
        snprintf(listing[i].sass_status, LISTING_STATUS, "absent: the machine code is not known");
    }
    while (tools->count) {
        finish_cubins(tools, listing, request, count);
        begin_cubins(tools, request, count);
    }
    const int result = tools->result;
    free(tools);
    return result;
}

void listing_free(struct listing *listing)
{
    for (int i = 0; i < listing->count; i++) free(listing->instruction[i].sass);
    for (int i = 0; i < listing->file_count; i++) free(listing->file[i]);
    free(listing->file);
    free(listing->location);
    free(listing->instruction);
    free(listing->symbol);
    memset(listing, 0, sizeof *listing);
}
