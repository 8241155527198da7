#include "machine_code/kernel_listing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "base/text.h"
#include "machine_code/cubin.h"
#include "machine_code/disassembly.h"
#include "machine_code/dwarf_lines.h"
#include "machine_code/sass_text.h"

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
    char *data; /* of a cubin that is a file of its own, not of this executable; or NULL */
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
    int result = code->data ? 0 : source_root(table->path, table->path_count, code->file, &root);
    for (int i = 0; i < table->path_count && !result; i++) {
        listing->file[i] = code->data ? resolve(table->path[i]) : source_name(table->path[i], root);
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

enum { AT_ONCE = 8 };

/* What is requested, and the disassemblers that run for it, which end in the order of their
 * starts. */
struct listing_tools {
    const struct listing_request *request;
    int count;
    const struct executable *executable; /* with the cubins, or NULL: each is a file */
    int architecture;
    struct listing *listing; /* or NULL, as long as nothing is finished */
    struct code running[AT_ONCE];
    int ended, begun, next; /* next: the first request that was not looked at */
    int result;
};

/* Starts the disassembler for the kernels that are requested of a file, which may hold hundreds;
 * for all if one is not in its symbol table, and for all of this executable. */
static int start_kernels(struct code *code, const struct listing_tools *tools)
{
    const size_t bytes = cubin_bytes(&code->cubin);
    struct text functions = {0};
    Elf64_Shdr section;
    int is_complete = !tools->executable;
    for (int i = 0; i < tools->count && is_complete; i++) {
        const struct listing_request *request = &tools->request[i];
        const int is_of_file = !strcmp(request->file, code->file);
        const unsigned found =
            is_of_file ? cubin_kernel_find(&code->cubin, request->symbol, &section) : 0;
        const unsigned function = found ? cubin_function_in(&code->cubin, found) : 0;
        if (function) text_format(&functions, "%s%u", functions.length ? "," : "", function);
        is_complete = !found || function;
    }
    int result = functions.failed ? error_memory() : 0;
    if (!result && bytes)
        result = disassembly_start(&code->disassembler, code->cubin.data, bytes,
                                   is_complete ? functions.data : NULL, code->no_sass);
    text_free(&functions);
    return result == FAIL_CHECK ? 0 : result;
}

/* Fills the listings of the file that was begun first, if all went well so far. */
static void finish_first(struct listing_tools *tools)
{
    struct code *code = &tools->running[tools->ended++ % AT_ONCE];
    const int finished = disassembly_finish(&code->disassembly, &code->disassembler, code->no_sass);
    if (!tools->result && finished != FAIL_CHECK) tools->result = finished;
    for (int i = 0; i < tools->count && !tools->result && tools->listing; i++)
        if (!tools->listing[i].symbol && !strcmp(tools->request[i].file, code->file))
            tools->result = fill(&tools->listing[i], code, tools->request[i].symbol);
    disassembly_free(&code->disassembly);
    free(code->data);
}

/* Returns 1 if this file holds the kernel. */
static int holds(const struct code *code, const struct listing_request *request)
{
    Elf64_Shdr section;
    return !strcmp(code->file, request->file) &&
           cubin_kernel_find(&code->cubin, request->symbol, &section);
}

/* Finds the cubin of a request. Returns 0 without it, or without the kernel. */
static int find_code(struct code *code, const struct listing_tools *tools,
                     const struct listing_request *request)
{
    size_t size = 0;
    *code = (struct code){.file = request->file, .no_sass = "the cubin is damaged"};
    if (tools->executable)
        return cubin_find(tools->executable, request->file, request->symbol, tools->architecture,
                          &code->cubin);
    code->data = text_read_file(request->file, &size);
    if (code->data && cubin_open(&code->cubin, (unsigned char *)code->data, size) &&
        holds(code, request))
        return 1;
    free(code->data);
    return 0;
}

/* Returns 1 if as many disassemblers run as there are cores, or as may. */
static int is_full(const struct listing_tools *tools)
{
    const int running = tools->begun - tools->ended;
    return running == AT_ONCE || (running && running >= sysconf(_SC_NPROCESSORS_ONLN));
}

/* Starts disassemblers: for all requests if there are listings to finish with, else as many as run
 * at once. */
static void begin(struct listing_tools *tools)
{
    for (; tools->next < tools->count && !tools->result; tools->next++) {
        const struct listing_request *request = &tools->request[tools->next];
        struct code code;
        int is_begun = tools->listing && tools->listing[tools->next].symbol;
        if (!tools->listing && is_full(tools)) return;
        for (int k = tools->ended; k < tools->begun && !is_begun; k++)
            is_begun = holds(&tools->running[k % AT_ONCE], request);
        if (is_begun || !find_code(&code, tools, request)) continue;
        if (is_full(tools)) finish_first(tools);
        tools->running[tools->begun % AT_ONCE] = code;
        if (!tools->result)
            tools->result = start_kernels(&tools->running[tools->begun % AT_ONCE], tools);
        tools->begun++;
    }
}

static void end(struct listing_tools *tools)
{
    while (tools->ended < tools->begun) finish_first(tools);
}

/* Fills the listings; until then, each says where its code is. Frees the tools, or NULL. */
static int finish(struct listing_tools *tools, struct listing *listing, int count)
{
    memset(listing, 0, (size_t)count * sizeof *listing);
    if (!tools) return error_memory();
    for (int i = 0; i < count; i++) {
        const char *why = tools->executable ? "the code belongs to a library, not to this program"
                                            : "the machine code is not known";
        snprintf(listing[i].lines_status, LISTING_STATUS, "absent: %s", why);
        snprintf(listing[i].sass_status, LISTING_STATUS, "absent: %s", why);
    }
    tools->listing = listing;
    begin(tools);
    end(tools);
    const int result = tools->result;
    free(tools);
    return result;
}

static struct listing_tools *new_tools(const struct listing_request *request, int count)
{
    struct listing_tools *tools = calloc(1, sizeof *tools);
    if (!tools) return NULL;
    tools->request = request;
    tools->count = count;
    return tools;
}

struct listing_tools *listings_begin(const struct listing_request *request, int count)
{
    struct listing_tools *tools = new_tools(request, count);
    if (tools) begin(tools);
    return tools;
}

void listings_give_up(struct listing_tools *tools)
{
    if (tools) end(tools);
    free(tools);
}

int listings_make(struct listing *listing, const struct listing_request *request, int count,
                  int architecture)
{
    struct executable executable;
    struct listing_tools *tools = new_tools(request, count);
    executable_open(&executable); /* empty if it fails */
    if (tools) tools->executable = &executable;
    if (tools) tools->architecture = architecture;
    const int result = finish(tools, listing, count);
    executable_close(&executable);
    return result;
}

int listings_of_cubins(struct listing *listing, const struct listing_request *request, int count,
                       struct listing_tools *tools)
{
    return finish(tools ? tools : new_tools(request, count), listing, count);
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
