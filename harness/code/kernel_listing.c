#include "code/kernel_listing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "code/cubin.h"
#include "code/disassembly.h"
#include "code/dwarf_lines.h"
#include "code/source_names.h"

enum { INSTRUCTION_BYTES = 16 };

static const char elsewhere[] = "absent: the code is a library's, not this program's";

/* A cubin of this program. */
struct code {
    const char *file;
    struct cubin cubin;
    struct disassembly disassembly;
    char no_sass[DISASSEMBLY_REASON]; /* why the disassembly is empty */
};

static int disassemble(struct code *code)
{
    const size_t bytes = cubin_bytes(&code->cubin);
    if (bytes > 0) {
        const int result =
            disassembly_make(&code->disassembly, code->cubin.data, bytes, code->no_sass);
        return result == FAIL_CHECK ? 0 : result;
    }
    snprintf(code->no_sass, sizeof code->no_sass, "the cubin is damaged");
    return 0;
}

static int name_files(struct listing *listing, const struct dwarf_lines *table, const char *file)
{
    listing->file = calloc((size_t)table->path_count, sizeof *listing->file);
    if (!listing->file) return error_memory();
    listing->file_count = table->path_count;
    char *root;
    int result = source_root(table->path, table->path_count, file, &root);
    for (int i = 0; i < table->path_count && !result; i++) {
        listing->file[i] = source_name(table->path[i], root);
        if (!listing->file[i]) result = error_memory();
    }
    free(root);
    return result;
}

static int join_lines(struct listing *listing, const struct dwarf_lines *table, const char *file)
{
    const int result = name_files(listing, table, file);
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
    result = join_lines(listing, &table, code->file);
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
    listing->instruction =
        calloc(section.sh_size / INSTRUCTION_BYTES + 1, sizeof *listing->instruction);
    if (!listing->symbol || !listing->instruction) return error_memory();
    listing->count = (int)(section.sh_size / INSTRUCTION_BYTES);
    for (int i = 0; i < listing->count; i++)
        listing->instruction[i].pc = (unsigned)i * INSTRUCTION_BYTES;
    const int result = add_lines(listing, code);
    return result ? result : add_sass(listing, code);
}

/* Fills the listing of a request, and those after it of other kernels of the same cubin. */
static int fill_from(struct listing *listing, const struct listing_request *request, int count,
                     int architecture, const struct executable *executable)
{
    struct code code = {.file = request->file};
    if (!cubin_find(executable, request->file, request->symbol, architecture, &code.cubin)) {
        snprintf(listing->lines_status, LISTING_STATUS, "%s", elsewhere);
        snprintf(listing->sass_status, LISTING_STATUS, "%s", elsewhere);
        return 0;
    }
    int result = disassemble(&code);
    for (int i = 0; i < count && !result; i++)
        if (!listing[i].symbol && !strcmp(request[i].file, code.file))
            result = fill(&listing[i], &code, request[i].symbol);
    disassembly_free(&code.disassembly);
    return result;
}

int listings_make(struct listing *listing, const struct listing_request *request, int count,
                  int architecture)
{
    struct executable executable;
    int result = 0;
    memset(listing, 0, (size_t)count * sizeof *listing);
    if (!executable_open(&executable)) memset(&executable, 0, sizeof executable);
    for (int i = 0; i < count && !result; i++)
        if (!listing[i].symbol)
            result = fill_from(&listing[i], &request[i], count - i, architecture, &executable);
    executable_close(&executable);
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
