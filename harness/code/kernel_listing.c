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

/* What the listings of a file are made from. */
struct source {
    const char *file;
    struct cubin cubin;
    struct disassembly disassembly;
    char no_sass[DISASSEMBLY_REASON]; /* why it is empty */
};

static int disassemble(struct source *source)
{
    const size_t bytes = cubin_bytes(&source->cubin);
    if (bytes > 0) {
        const int result =
            disassembly_make(&source->disassembly, source->cubin.data, bytes, source->no_sass);
        return result == FAIL_CHECK ? 0 : result;
    }
    snprintf(source->no_sass, sizeof source->no_sass, "the cubin is damaged");
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
    listing->place = calloc((size_t)table->place_count, sizeof *listing->place);
    if (!listing->place) return error_memory();
    for (int i = 0; i < table->place_count; i++)
        listing->place[i] =
            (struct listing_place){listing->file[table->place[i].path], table->place[i].line};
    for (int i = 0; i < listing->count; i++) {
        const struct line_row *row = dwarf_lines_at(table, listing->instruction[i].pc);
        if (!row) continue;
        listing->instruction[i].place_count = row->place_count;
        listing->instruction[i].place = &listing->place[row->first_place];
    }
    return 0;
}

static int add_lines(struct listing *listing, const struct source *source)
{
    struct dwarf_lines table;
    char reason[LINE_REASON];
    int result = dwarf_lines_read(&table, &source->cubin, listing->symbol, reason);
    if (result == FAIL_INPUT) {
        snprintf(listing->lines_status, LISTING_STATUS, "absent: %s", reason);
        return 0;
    }
    if (result) return result;
    snprintf(listing->lines_status, LISTING_STATUS, "ok");
    result = join_lines(listing, &table, source->file);
    dwarf_lines_free(&table);
    return result;
}

/* The kernel's part of the disassembly is copied: the whole may be far larger. */
static int add_sass(struct listing *listing, const struct source *source)
{
    size_t bytes = 0;
    int known = 0;
    for (int i = 0; i < listing->count; i++) {
        const char *text =
            disassembly_text(&source->disassembly, listing->symbol, listing->instruction[i].pc);
        if (text) bytes += strlen(text) + 1;
        known += text != NULL;
    }
    if (known == listing->count)
        snprintf(listing->sass_status, LISTING_STATUS, "ok");
    else if (source->disassembly.instruction_count == 0)
        snprintf(listing->sass_status, LISTING_STATUS, "absent: %s", source->no_sass);
    else
        snprintf(listing->sass_status, LISTING_STATUS, "absent: of %d of %d instructions",
                 listing->count - known, listing->count);
    char *at = listing->sass = malloc(bytes + 1);
    if (!at) return error_memory();
    for (int i = 0; i < listing->count; i++) {
        const char *text =
            disassembly_text(&source->disassembly, listing->symbol, listing->instruction[i].pc);
        if (!text) continue;
        const size_t length = strlen(text) + 1;
        listing->instruction[i].sass = memcpy(at, text, length);
        at += length;
    }
    return 0;
}

static int fill(struct listing *listing, const struct source *source, const char *symbol)
{
    Elf64_Shdr code;
    memset(listing, 0, sizeof *listing);
    if (!cubin_kernel_find(&source->cubin, symbol, &code) || code.sh_size < INSTRUCTION_BYTES)
        return FAIL_CHECK;
    listing->symbol = text_new("%s", symbol);
    listing->instruction = calloc(code.sh_size / INSTRUCTION_BYTES, sizeof *listing->instruction);
    int result = listing->symbol && listing->instruction ? 0 : error_memory();
    if (!result) listing->count = (int)(code.sh_size / INSTRUCTION_BYTES);
    for (int i = 0; i < listing->count; i++)
        listing->instruction[i].pc = (unsigned)i * INSTRUCTION_BYTES;
    if (!result) result = add_lines(listing, source);
    if (!result) result = add_sass(listing, source);
    if (result) listing_free(listing);
    return result;
}

int listing_make(struct listing *listing, const char *file, const char *symbol, int architecture)
{
    struct source source = {.file = file};
    struct executable executable;
    int result = FAIL_CHECK;
    memset(listing, 0, sizeof *listing);
    if (!executable_open(&executable)) return FAIL_CHECK;
    if (cubin_find(&executable, file, symbol, architecture, &source.cubin)) {
        result = disassemble(&source);
        if (!result) result = fill(listing, &source, symbol);
        disassembly_free(&source.disassembly);
    }
    executable_close(&executable);
    return result;
}

void listing_free(struct listing *listing)
{
    for (int i = 0; i < listing->file_count; i++) free(listing->file[i]);
    free(listing->file);
    free(listing->place);
    free(listing->sass);
    free(listing->instruction);
    free(listing->symbol);
    memset(listing, 0, sizeof *listing);
}

static int fill_all(struct listings *listings, const struct source *source)
{
    const unsigned sections = source->cubin.header.e_shnum;
    int result = 0;
    listings->listing = calloc(sections, sizeof *listings->listing);
    if (!listings->listing) return error_memory();
    for (unsigned i = 1; i < sections && !result; i++) {
        Elf64_Shdr section;
        const char *symbol = cubin_section(&source->cubin, i, &section)
                                 ? cubin_kernel(&source->cubin, &section)
                                 : NULL;
        if (!symbol) continue;
        result = fill(&listings->listing[listings->count], source, symbol);
        listings->count += !result;
    }
    return result;
}

int listings_make(struct listings *listings, const char *file, int architecture)
{
    struct source source = {.file = file};
    struct executable executable;
    int result = FAIL_CHECK;
    memset(listings, 0, sizeof *listings);
    if (!executable_open(&executable)) return FAIL_CHECK;
    while (result == FAIL_CHECK && cubin_next(&executable, architecture, &source.cubin)) {
        if (!cubin_is_of_file(&source.cubin, file)) continue;
        result = disassemble(&source);
        if (!result) result = fill_all(listings, &source);
        disassembly_free(&source.disassembly);
    }
    executable_close(&executable);
    if (!result && listings->count == 0) result = FAIL_CHECK;
    if (result) listings_free(listings);
    return result;
}

void listings_free(struct listings *listings)
{
    for (int i = 0; i < listings->count; i++) listing_free(&listings->listing[i]);
    free(listings->listing);
    memset(listings, 0, sizeof *listings);
}
