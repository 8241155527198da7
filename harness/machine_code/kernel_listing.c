#include "machine_code/kernel_listing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "base/text.h"
#include "machine_code/cubin.h"
#include "machine_code/cubin_join.h"
#include "machine_code/disassembly.h"
#include "machine_code/dwarf_lines.h"
#include "machine_code/sass_text.h"
#include "machine_code/source_names.h"

/* ---- listings -------------------------------------------------------------------------------- */

/* Cubins are joined up to MOST_JOINED_BYTES. Of a file that is LARGE, what is no code is left out,
 * for which the disassembler takes memory, too. */
enum { MOST_JOINED = 32, MOST_JOINED_BYTES = 2 << 20, LARGE = 1 << 20 };

/* A cubin, and the disassembly that holds its kernels, with this prefix to their names. */
struct code {
    const char *file;
    char *data; /* of a cubin that is a file of its own, not of this executable; or NULL */
    struct cubin cubin;
    const struct disassembly *disassembly;
    const char *no_sass; /* why the disassembly is empty */
    char prefix[16];
};

/* Cubins that are disassembled together. */
struct batch {
    struct code code[MOST_JOINED];
    int count, is_alone; /* is_alone: one cubin, as it is */
    size_t bytes;
    struct disassembler disassembler;
    char no_sass[DISASSEMBLY_REASON];
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
        listing->file[i] =
            code->data ? source_resolved(table->path[i]) : source_name(table->path[i], root);
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
    int missing = 0, result = 0;
    char *name = text_new("%s%s", code->prefix, listing->symbol);
    if (!name) result = error_memory();
    for (int i = 0; i < listing->count && !result; i++) {
        struct listing_instruction *instruction = &listing->instruction[i];
        const char *text = disassembly_text(code->disassembly, name, instruction->pc);
        instruction->sass = text ? strdup(text) : NULL;
        if (text && !instruction->sass) result = error_memory();
        missing += !text;
    }
    free(name);
    if (!missing)
        snprintf(listing->sass_status, LISTING_STATUS, "ok");
    else if (code->disassembly->instruction_count == 0)
        snprintf(listing->sass_status, LISTING_STATUS, "absent: %s", code->no_sass);
    else
        snprintf(listing->sass_status, LISTING_STATUS, "absent: of %d of %d instructions", missing,
                 listing->count);
    return result;
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

/* ---- disassembling --------------------------------------------------------------------------- */

enum { AT_ONCE = 8 };

/* Holds the requests, the batches of cubins that run for them, and the last batch, which gathers
 * cubins. They end in the order of their starts. */
struct listing_tools {
    const struct listing_request *request;
    int count;
    const struct executable *executable; /* with the cubins, or NULL: each is a file */
    int architecture;
    struct listing *listing; /* or NULL, as long as nothing is finished */
    struct batch batch[AT_ONCE + 1];
    int ended, begun, next; /* next: the first request that was not looked at */
    int result;
};

/* Appends the functions of the kernels that are requested of a file, as indexes of the symbol table
 * from `first` on, each start of the disassembler with at most 1 MB of code. Returns 0 if one is
 * not in the table. */
static int append_functions(struct text *functions, const struct listing_tools *tools,
                            const struct code *code, unsigned first, uint64_t *bytes)
{
    enum { MOST_AT_ONCE = 1 << 20 };
    Elf64_Shdr section;
    for (int i = 0; i < tools->count; i++) {
        const struct listing_request *request = &tools->request[i];
        const int is_of_file = !strcmp(request->file, code->file);
        const unsigned found =
            is_of_file ? cubin_kernel_find(&code->cubin, request->symbol, &section) : 0;
        const unsigned function = found ? cubin_function_in(&code->cubin, found) : 0;
        if (found && !function) return 0;
        if (!found) continue;
        *bytes += section.sh_size;
        const int is_left = *bytes > MOST_AT_ONCE && functions->length;
        text_format(functions, "%s%u",
                    is_left             ? ";"
                    : functions->length ? ","
                                        : "",
                    first + function);
        if (is_left) *bytes = section.sh_size;
    }
    return 1;
}

/* Starts the disassembler for cubins; of files, which may hold hundreds of kernels, for those that
 * are requested, if the symbol tables have all of them. */
static int start(struct batch *batch, const struct listing_tools *tools)
{
    const struct cubin *cubin[MOST_JOINED];
    unsigned first[MOST_JOINED] = {0};
    struct text image = {0}, functions = {0};
    uint64_t of_functions = 0;
    int result = 0, is_complete = !tools->executable;
    for (int i = 0; i < batch->count; i++) cubin[i] = &batch->code[i].cubin;
    snprintf(batch->no_sass, DISASSEMBLY_REASON, "the cubin is damaged");
    batch->is_alone |= batch->count == 1 && (tools->executable || cubin_bytes(cubin[0]) < LARGE);
    if (batch->is_alone) *batch->code[0].prefix = 0;
    if (!batch->is_alone) result = cubin_join(&image, cubin, batch->count, first);
    for (int i = 0; i < batch->count && !result; i++)
        is_complete = is_complete &&
                      append_functions(&functions, tools, &batch->code[i], first[i], &of_functions);
    if (!result && functions.failed) result = error_memory();
    const size_t bytes = batch->is_alone ? cubin_bytes(cubin[0]) : image.length;
    if (!result && bytes)
        result = disassembly_start(&batch->disassembler,
                                   batch->is_alone ? (const void *)cubin[0]->data : image.data,
                                   bytes, is_complete ? functions.data : NULL, batch->no_sass);
    text_free(&image);
    text_free(&functions);
    return result == FAIL_CHECK || result == FAIL_INPUT ? 0 : result;
}

/* Returns 1 if a disassembly has all that is requested of a cubin, without a name of a symbol of
 * elsewhere, which is another one if several cubins have it. */
static int is_whole(const struct disassembly *disassembly, const struct listing_tools *tools,
                    const struct code *code)
{
    Elf64_Shdr section;
    int is_whole = 1;
    for (int i = 0; i < tools->count && is_whole; i++) {
        const struct listing_request *request = &tools->request[i];
        if (tools->listing[i].symbol || strcmp(request->file, code->file) ||
            !cubin_kernel_find(&code->cubin, request->symbol, &section))
            continue;
        char *name = text_new("%s%s", code->prefix, request->symbol);
        is_whole = name != NULL;
        for (unsigned pc = 0; pc < section.sh_size && is_whole; pc += SASS_BYTES) {
            const char *text = disassembly_text(disassembly, name, pc);
            is_whole = text && !strchr(text, '(');
        }
        free(name);
    }
    return is_whole;
}

static int fill_code(struct code *code, const struct disassembly *disassembly, const char *no_sass,
                     const struct listing_tools *tools)
{
    int result = 0;
    code->disassembly = disassembly;
    code->no_sass = no_sass;
    for (int i = 0; i < tools->count && !result; i++)
        if (!tools->listing[i].symbol && !strcmp(tools->request[i].file, code->file))
            result = fill(&tools->listing[i], code, tools->request[i].symbol);
    return result;
}

/* Disassembles one cubin by itself, as if there were no others. */
static int list_alone(const struct code *code, const struct listing_tools *tools)
{
    struct batch alone = {.code = {*code}, .count = 1, .is_alone = 1};
    int result = start(&alone, tools);
    struct disassembly disassembly;
    const int finished = disassembly_finish(&disassembly, &alone.disassembler, alone.no_sass);
    if (!result && finished != FAIL_CHECK) result = finished;
    if (!result) result = fill_code(&alone.code[0], &disassembly, alone.no_sass, tools);
    disassembly_free(&disassembly);
    return result;
}

static struct batch *batch_of(struct listing_tools *tools, int number)
{
    return &tools->batch[number % (AT_ONCE + 1)];
}

/* Fills the listings of the batch that was begun first, if all went well so far. */
static void finish_first(struct listing_tools *tools)
{
    struct batch *batch = batch_of(tools, tools->ended++);
    struct disassembly disassembly;
    const int finished = disassembly_finish(&disassembly, &batch->disassembler, batch->no_sass);
    if (!tools->result && finished != FAIL_CHECK) tools->result = finished;
    for (int i = 0; i < batch->count; i++) {
        struct code *code = &batch->code[i];
        if (!tools->result && tools->listing)
            tools->result = batch->is_alone || is_whole(&disassembly, tools, code)
                                ? fill_code(code, &disassembly, batch->no_sass, tools)
                                : list_alone(code, tools);
        free(code->data);
    }
    disassembly_free(&disassembly);
}

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
    *code = (struct code){.file = request->file};
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

/* Returns 1 if a cubin may be disassembled together with those of a batch. */
static int fits(const struct batch *batch, const struct code *code)
{
    return batch->count < MOST_JOINED &&
           batch->bytes + cubin_bytes(&code->cubin) <= MOST_JOINED_BYTES &&
           cubin_joins(&batch->code[0].cubin, &code->cubin);
}

/* Returns 1 if as many disassemblers run as there are cores, or as may. */
static int is_full(const struct listing_tools *tools)
{
    const int running = tools->begun - tools->ended;
    return running == AT_ONCE || (running && running >= sysconf(_SC_NPROCESSORS_ONLN));
}

static void start_last(struct listing_tools *tools)
{
    if (tools->result || !batch_of(tools, tools->begun)->count) return;
    if (is_full(tools)) finish_first(tools);
    if (!tools->result) tools->result = start(batch_of(tools, tools->begun), tools);
    tools->begun++;
    *batch_of(tools, tools->begun) = (struct batch){.count = 0};
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
        for (int k = tools->ended; k <= tools->begun && !is_begun; k++)
            for (int i = 0; i < batch_of(tools, k)->count && !is_begun; i++)
                is_begun = holds(&batch_of(tools, k)->code[i], request);
        if (is_begun || !find_code(&code, tools, request)) continue;
        if (batch_of(tools, tools->begun)->count && !fits(batch_of(tools, tools->begun), &code))
            start_last(tools);
        struct batch *last = batch_of(tools, tools->begun);
        snprintf(code.prefix, sizeof code.prefix, "%d.", last->count);
        last->bytes += cubin_bytes(&code.cubin);
        last->code[last->count++] = code;
    }
    if (tools->listing || !is_full(tools)) start_last(tools);
}

static void end(struct listing_tools *tools)
{
    while (tools->ended <= tools->begun) finish_first(tools);
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
