#include "machine_code/dwarf_lines.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"

enum {
    VERSION = 2,
    HEADER_LENGTH_BYTES = 4,
    CALL_DEPTH = 256,     /* a row with more locations is damaged, not deep */
    MOST_BYTES = 1 << 28, /* of a table: a row takes at least one, and an int counts the rows */
    NO_SECTION = -1
};

enum { COPY = 1, ADVANCE_PC, ADVANCE_LINE, SET_FILE, CONSTANT_ADD_PC = 8, FIXED_ADVANCE_PC };
enum { EXTENDED = 0, END_SEQUENCE = 1, SET_ADDRESS = 2, DEFINE_FILE = 3, INLINED_CALL = 0x90 };

/* ---- bytes ----------------------------------------------------------------------------------- */

uint64_t byte_reader_number(struct bytes *bytes, unsigned count)
{
    uint64_t value = 0;
    if ((size_t)(bytes->end - bytes->at) < count) {
        bytes->at = bytes->end;
        bytes->damaged = 1;
        return 0;
    }
    for (unsigned i = 0; i < count; i++) value |= (uint64_t)*bytes->at++ << 8 * i;
    return value;
}

/* Reads seven bits of each byte, the lowest first. *bits counts them, for the sign. */
static uint64_t read_packed(struct bytes *bytes, unsigned *bits)
{
    uint64_t value = 0;
    unsigned byte, shift = 0;
    do {
        byte = (unsigned)byte_reader_number(bytes, 1);
        if (shift < 64) value |= (uint64_t)(byte & 0x7F) << shift;
        shift += 7;
    } while (byte & 0x80);
    *bits = shift;
    return value;
}

uint64_t byte_reader_unsigned(struct bytes *bytes)
{
    unsigned bits;
    return read_packed(bytes, &bits);
}

uint64_t byte_reader_signed(struct bytes *bytes)
{
    unsigned bits;
    const uint64_t value = read_packed(bytes, &bits);
    return bits < 64 && value >> (bits - 1) & 1 ? value | ~(uint64_t)0 << bits : value;
}

const char *byte_reader_string(struct bytes *bytes)
{
    const unsigned char *start = bytes->at,
                        *zero = start < bytes->end ? memchr(start, 0, (size_t)(bytes->end - start))
                                                   : NULL;
    bytes->damaged |= !zero;
    bytes->at = zero ? zero + 1 : bytes->end;
    return zero ? (const char *)start : "";
}

struct bytes byte_reader_part(struct bytes *bytes, uint64_t count)
{
    struct bytes part = {bytes->at, bytes->at, 0};
    if (count > (uint64_t)(bytes->end - bytes->at)) {
        bytes->damaged = part.damaged = 1;
        count = (uint64_t)(bytes->end - bytes->at);
    }
    part.end = bytes->at += count;
    return part;
}

/* ---- line programs --------------------------------------------------------------------------- */

/* A row of the table, of any kernel. */
struct row {
    uint64_t address; /* in its section */
    int section;      /* of the code; NO_SECTION without a relocation */
    int ends;         /* the sequence ends here: it has no location */
    struct line_location location;
    int caller; /* index of the row of the call that was inlined, -1 for none */
};

struct decoder {
    struct dwarf_lines *table;
    const struct cubin *cubin;
    const unsigned char *start; /* of the section: relocations count from here */
    unsigned section;
    struct row *row;
    int row_count;
    int memory_failed;
};

/* One line program and the registers of its state machine. */
struct program {
    unsigned step; /* bytes of the shortest instruction */
    int line_base;
    unsigned line_range, opcode_base;
    unsigned char operands[256];
    struct bytes directories; /* their names, each with its NUL */
    int first_path;           /* of the table, the first of this program */
    int first_row;            /* of the decoder, the first of this sequence */
    struct row now;
    uint64_t file;   /* of the program, from 1 on */
    uint64_t caller; /* a row of the sequence, from 1 on; 0 for none */
};

static void start_sequence(const struct decoder *decoder, struct program *program)
{
    program->first_row = decoder->row_count;
    program->now = (struct row){.section = NO_SECTION, .location.line = 1};
    program->file = 1;
    program->caller = 0;
}

static void add_path(struct decoder *decoder, const struct program *program, struct bytes *bytes,
                     const char *name)
{
    struct dwarf_lines *table = decoder->table;
    const uint64_t number = byte_reader_unsigned(bytes);
    struct bytes directories = program->directories;
    const char *directory = "";
    byte_reader_unsigned(bytes); /* time of modification */
    byte_reader_unsigned(bytes); /* length in bytes */
    for (uint64_t i = 0; i < number && !bytes->damaged; i++) {
        directory = byte_reader_string(&directories);
        bytes->damaged |= directories.damaged;
    }
    if (bytes->damaged) return;
    const int alone = number == 0 || *name == '/';
    char *path = text_new("%s%s%s", alone ? "" : directory, alone ? "" : "/", name);
    if (path && ARRAY_GROWS(table->path, table->path_count)) {
        table->path[table->path_count++] = path;
    } else {
        free(path);
        decoder->memory_failed = 1;
    }
}

static void add_row(struct decoder *decoder, struct program *program, struct bytes *bytes)
{
    const uint64_t files = (uint64_t)(decoder->table->path_count - program->first_path);
    /* The row of a call comes before the rows inlined there, so no chain is circular. */
    const int sound = program->file > 0 && program->file <= files &&
                      program->caller <= (uint64_t)(decoder->row_count - program->first_row);
    bytes->damaged |= !sound && !program->now.ends;
    if (bytes->damaged || decoder->memory_failed) return;
    struct row *row = array_with_room(decoder->row, (size_t)decoder->row_count, sizeof *row);
    decoder->memory_failed = !row;
    if (!row) return;
    decoder->row = row;
    program->now.location.path =
        program->now.ends ? 0 : program->first_path + (int)program->file - 1;
    program->now.caller = program->now.ends || program->caller == 0
                              ? -1
                              : program->first_row + (int)program->caller - 1;
    decoder->row[decoder->row_count++] = program->now;
}

/* Relocates the address at an offset of the table. Returns the section of the code, or NO_SECTION
 * without a relocation. */
static int relocate(const struct decoder *decoder, uint64_t offset, uint64_t *address)
{
    Elf64_Shdr section, symbols;
    for (unsigned i = 1; i < decoder->cubin->header.e_shnum; i++) {
        if (!cubin_section(decoder->cubin, i, &section) || section.sh_info != decoder->section)
            continue;
        if ((section.sh_type != SHT_RELA && section.sh_type != SHT_REL) ||
            !cubin_section(decoder->cubin, section.sh_link, &symbols))
            continue;
        const size_t size = section.sh_type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
        for (uint64_t at = 0; at + size <= section.sh_size; at += size) {
            Elf64_Rela relocation = {0};
            Elf64_Sym symbol;
            memcpy(&relocation, cubin_section_data(decoder->cubin, &section) + at, size);
            const uint64_t index = ELF64_R_SYM(relocation.r_info);
            if (relocation.r_offset != offset || index >= symbols.sh_size / sizeof symbol) continue;
            memcpy(&symbol, cubin_section_data(decoder->cubin, &symbols) + index * sizeof symbol,
                   sizeof symbol);
            /* Without an addend in the relocation, the table holds it. */
            *address = symbol.st_value +
                       (section.sh_type == SHT_RELA ? (uint64_t)relocation.r_addend : *address);
            return symbol.st_shndx;
        }
    }
    return NO_SECTION;
}

static void extended_operation(struct decoder *decoder, struct program *program, struct bytes *all)
{
    struct bytes bytes = byte_reader_part(all, byte_reader_unsigned(all));
    const uint64_t offset = (uint64_t)(bytes.at - decoder->start) + 1;
    switch (byte_reader_number(&bytes, 1)) {
    case END_SEQUENCE:
        program->now.ends = 1;
        add_row(decoder, program, &bytes);
        start_sequence(decoder, program);
        break;
    case SET_ADDRESS:
        program->now.address = byte_reader_number(&bytes, sizeof(uint64_t));
        program->now.section = relocate(decoder, offset, &program->now.address);
        break;
    case DEFINE_FILE: add_path(decoder, program, &bytes, byte_reader_string(&bytes)); break;
    case INLINED_CALL: program->caller = byte_reader_unsigned(&bytes); break;
    default: break; /* skipped by its length */
    }
    all->damaged |= bytes.damaged;
}

static void standard_operation(struct decoder *decoder, struct program *program,
                               struct bytes *bytes, unsigned operation)
{
    switch (operation) {
    case COPY: add_row(decoder, program, bytes); break;
    case ADVANCE_PC: program->now.address += byte_reader_unsigned(bytes) * program->step; break;
    case ADVANCE_LINE: program->now.location.line += (unsigned)byte_reader_signed(bytes); break;
    case SET_FILE: program->file = byte_reader_unsigned(bytes); break;
    case CONSTANT_ADD_PC:
        program->now.address += (255 - program->opcode_base) / program->line_range * program->step;
        break;
    case FIXED_ADVANCE_PC: program->now.address += byte_reader_number(bytes, 2); break;
    default:
        for (int i = 0; i < program->operands[operation]; i++) byte_reader_unsigned(bytes);
        break;
    }
}

static void read_header(struct decoder *decoder, struct program *program, struct bytes *bytes)
{
    const char *name;
    program->step = (unsigned)byte_reader_number(bytes, 1);
    byte_reader_number(bytes, 1); /* default of is_stmt */
    program->line_base = (int8_t)byte_reader_number(bytes, 1);
    program->line_range = (unsigned)byte_reader_number(bytes, 1);
    program->opcode_base = (unsigned)byte_reader_number(bytes, 1);
    bytes->damaged |= program->line_range == 0 || program->opcode_base == 0;
    for (unsigned i = 1; i < program->opcode_base; i++)
        program->operands[i] = (unsigned char)byte_reader_number(bytes, 1);
    program->directories = *bytes;
    do {
        program->directories.end = bytes->at;
    } while (*byte_reader_string(bytes));
    program->first_path = decoder->table->path_count;
    while (!bytes->damaged && !decoder->memory_failed && *(name = byte_reader_string(bytes)))
        add_path(decoder, program, bytes, name);
}

/* Reads one program, after its length. Returns its version. */
static unsigned read_program(struct decoder *decoder, struct bytes *bytes)
{
    struct program program = {0};
    const unsigned version = (unsigned)byte_reader_number(bytes, 2);
    if (version != VERSION) return version;
    struct bytes header = byte_reader_part(bytes, byte_reader_number(bytes, HEADER_LENGTH_BYTES));
    read_header(decoder, &program, &header);
    bytes->damaged |= header.damaged;
    start_sequence(decoder, &program);
    while (bytes->at < bytes->end && !bytes->damaged && !decoder->memory_failed) {
        const unsigned operation = (unsigned)byte_reader_number(bytes, 1);
        if (operation == EXTENDED) {
            extended_operation(decoder, &program, bytes);
        } else if (operation < program.opcode_base) {
            standard_operation(decoder, &program, bytes, operation);
        } else {
            const unsigned number = operation - program.opcode_base;
            program.now.address += number / program.line_range * program.step;
            program.now.location.line += (unsigned)program.line_base + number % program.line_range;
            add_row(decoder, &program, bytes);
        }
    }
    return version;
}

/* ---- the rows of a kernel -------------------------------------------------------------------- */

/* Sorts by address; at the same address the end of a sequence comes first, then rows in order. */
static int compare_rows(const void *left, const void *right)
{
    const struct row *const *a = left, *const *b = right;
    if ((*a)->address != (*b)->address) return (*a)->address < (*b)->address ? -1 : 1;
    if ((*a)->ends != (*b)->ends) return (*b)->ends - (*a)->ends;
    return (*a > *b) - (*a < *b);
}

/* Adds a row and its chain of calls to the table. The end of a sequence has no location, and line 0
 * means none. Returns FAIL_INPUT, without a message, for a chain that is too long. */
static int fill_row(struct decoder *decoder, const struct row *row)
{
    struct dwarf_lines *table = decoder->table;
    if (!ARRAY_GROWS(table->row, table->row_count)) return error_memory();
    struct line_row *out = &table->row[table->row_count++];
    *out = (struct line_row){(unsigned)row->address, 0, table->location_count};
    while (row && !row->ends && row->location.line > 0) {
        if (out->location_count == CALL_DEPTH || table->location_count == INT_MAX)
            return FAIL_INPUT;
        if (!ARRAY_GROWS(table->location, table->location_count)) return error_memory();
        table->location[table->location_count++] = row->location;
        out->location_count++;
        row = row->caller < 0 ? NULL : &decoder->row[row->caller];
    }
    return 0;
}

/* Keeps the last of several rows at an address, which is that of the instruction; those before it
 * are calls that were inlined. */
static int take_kernel(struct decoder *decoder, unsigned kernel, uint64_t kernel_bytes,
                       char reason[LINE_REASON])
{
    int count = 0, result = 0;
    const struct row **sorted = malloc(((size_t)decoder->row_count + 1) * sizeof *sorted);
    if (!sorted) return error_memory();
    for (int i = 0; i < decoder->row_count; i++)
        if (decoder->row[i].section == (int)kernel && decoder->row[i].address <= kernel_bytes)
            sorted[count++] = &decoder->row[i];
    qsort(sorted, (size_t)count, sizeof *sorted, compare_rows);
    for (int i = 0; i < count && !result; i++)
        if (i + 1 == count || sorted[i + 1]->address != sorted[i]->address)
            result = fill_row(decoder, sorted[i]);
    free(sorted);
    if (result && result != FAIL_INPUT) return result;
    if (!result && decoder->table->location_count > 0) return 0;
    snprintf(reason, LINE_REASON, "the cubin's line table %s",
             result ? "is damaged" : "has no entry for this kernel");
    return FAIL_INPUT;
}

/* ---- whole tables ---------------------------------------------------------------------------- */

static int read_programs(struct decoder *decoder, struct bytes *bytes, char reason[LINE_REASON])
{
    while (bytes->at < bytes->end && !bytes->damaged && !decoder->memory_failed) {
        /* A length of 64-bit DWARF begins with 0xffffffff and exceeds any section. */
        const uint64_t length = byte_reader_number(bytes, 4);
        struct bytes program = byte_reader_part(bytes, length);
        const unsigned version = read_program(decoder, &program);
        bytes->damaged |= program.damaged;
        if (version == VERSION || bytes->damaged) continue;
        snprintf(reason, LINE_REASON, "the cubin's line table is DWARF version %u, not %d", version,
                 VERSION);
        return FAIL_INPUT;
    }
    if (decoder->memory_failed) return error_memory();
    if (bytes->damaged) snprintf(reason, LINE_REASON, "the cubin's line table is damaged");
    return bytes->damaged ? FAIL_INPUT : 0;
}

int dwarf_lines_read(struct dwarf_lines *table, const struct cubin *cubin, const char *kernel,
                     char reason[LINE_REASON])
{
    struct decoder decoder = {.table = table, .cubin = cubin};
    Elf64_Shdr lines, code;
    memset(table, 0, sizeof *table);
    const unsigned index = cubin_kernel_find(cubin, kernel, &code);
    decoder.section = cubin_section_find(cubin, ".debug_line", &lines);
    if (index == 0 || decoder.section == 0) {
        snprintf(reason, LINE_REASON, "the cubin has no %s",
                 index == 0 ? "such kernel" : "line table");
        return FAIL_INPUT;
    }
    if (lines.sh_size > MOST_BYTES || code.sh_size > UINT_MAX) {
        snprintf(reason, LINE_REASON, "the cubin is too large");
        return FAIL_INPUT;
    }
    decoder.start = cubin_section_data(cubin, &lines);
    struct bytes bytes = {decoder.start, decoder.start + lines.sh_size, 0};
    int result = read_programs(&decoder, &bytes, reason);
    if (!result) result = take_kernel(&decoder, index, code.sh_size, reason);
    if (result) dwarf_lines_free(table);
    free(decoder.row);
    return result;
}

void dwarf_lines_free(struct dwarf_lines *table)
{
    for (int i = 0; i < table->path_count; i++) free(table->path[i]);
    free(table->path);
    free(table->row);
    free(table->location);
    memset(table, 0, sizeof *table);
}

const struct line_row *dwarf_lines_at(const struct dwarf_lines *table, unsigned pc)
{
    /* Rows before `low` begin at or before the pc, rows from `high` on after it. */
    int low = 0, high = table->row_count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (table->row[middle].pc <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && table->row[low - 1].location_count > 0 ? &table->row[low - 1] : NULL;
}
