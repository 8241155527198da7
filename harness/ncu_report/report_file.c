#include "ncu_report/report_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "ncu_report/report_input.h"

/* The longest entry, and the most of the table of names. Real ones have some megabytes. */
enum { MOST_ENTRY = 64 << 20, MOST_NAMES = 1 << 20, MOST_NAME_BYTES = 64 << 20 };

/* Fields of the header of a block. */
enum {
    HEADER_SOURCES = 1,
    HEADER_RESULTS = 2,
    HEADER_SESSION = 3,
    HEADER_NAMES = 4,
    HEADER_PAYLOAD = 5,
    HEADER_PROCESS = 6,
    HEADER_RANGES = 7
};

struct reading {
    const char *path;
    const struct report_visitor *visitor;
    struct report_input input;
    struct report_block block;
    struct text entry;
};

static int damaged(const struct reading *reading, const char *what)
{
    return error(FAIL_INPUT, "%s: is damaged at byte %llu: %s", reading->path,
                 (unsigned long long)reading->input.at, what);
}

/* Reads a length, and the bytes behind it, into *entry. Returns 1, 0 at the end of the file, or a
 * failure. */
static int read_entry(struct reading *reading, struct wire *entry)
{
    unsigned char head[4];
    int result = report_input_read(&reading->input, head, sizeof head);
    if (result == REPORT_INPUT_ENDS_INSIDE) return damaged(reading, "it ends in a length");
    if (result <= 0) return result;
    const size_t length =
        head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16 | (size_t)head[3] << 24;
    if (length > MOST_ENTRY) return damaged(reading, "an entry is longer than 64 MB");
    result = report_input_append(&reading->input, &reading->entry, length);
    if (result == REPORT_INPUT_ENDS_INSIDE) return damaged(reading, "it ends inside an entry");
    if (result < 0) return result;
    const unsigned char *bytes = (const unsigned char *)text_string(&reading->entry);
    *entry = (struct wire){bytes, bytes + length};
    return 1;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static int add_name(struct reading *reading, struct wire name)
{
    struct report_block *block = &reading->block;
    block->bytes += wire_length(name);
    if (block->count == MOST_NAMES || block->bytes > MOST_NAME_BYTES)
        return damaged(reading, "it has too many names of metrics");
    if (!ARRAY_GROWS(block->name, block->count)) return error_memory();
    block->name[block->count] = wire_string(name);
    return block->name[block->count++] ? 0 : error_memory();
}

static int add_names(struct reading *reading, struct wire table)
{
    struct wire_field field;
    int more = 0, result = 0;
    while (!result && (more = wire_next(&table, &field)) > 0)
        if (field.number == 1 && field.type == WIRE_BYTES) result = add_name(reading, field.bytes);
    return more < 0 ? damaged(reading, "its table of names cannot be decoded") : result;
}

static int set_program(struct reading *reading, struct wire process)
{
    const struct wire path = wire_bytes(process, 3);
    free(reading->block.program);
    reading->block.program = wire_string(path);
    return reading->block.program ? 0 : error_memory();
}

/* Takes the names and facts of a header, and the numbers of entries behind it. */
static int read_header(struct reading *reading, struct wire header, uint64_t count[3],
                       uint64_t *payload)
{
    struct wire_field field;
    int more, result = 0;
    count[0] = count[1] = count[2] = *payload = 0;
    while (!result && (more = wire_next(&header, &field)) > 0) {
        if (field.type == WIRE_BYTES && field.number == HEADER_NAMES)
            result = add_names(reading, field.bytes);
        else if (field.type == WIRE_BYTES && field.number == HEADER_PROCESS)
            result = set_program(reading, field.bytes);
        else if (field.type == WIRE_BYTES && field.number == HEADER_SESSION)
            result = reading->visitor->session(reading->visitor->context, field.bytes);
        if (field.type != WIRE_VARINT) continue;
        if (field.number == HEADER_SOURCES) count[0] = field.value;
        if (field.number == HEADER_RESULTS) count[1] = field.value;
        if (field.number == HEADER_RANGES) count[2] = field.value;
        if (field.number == HEADER_PAYLOAD) *payload = field.value;
    }
    if (!result && more < 0) result = damaged(reading, "the header of a block cannot be decoded");
    return result;
}

static int visit(struct reading *reading, int kind, struct wire entry)
{
    const struct report_visitor *visitor = reading->visitor;
    struct wire_field field;
    struct wire rest = entry;
    int more;
    while ((more = wire_next(&rest, &field)) > 0) continue;
    if (more < 0) return damaged(reading, "an entry cannot be decoded");
    return kind == 0 && visitor->source ? visitor->source(visitor->context, entry)
           : kind == 1                  ? visitor->result(visitor->context, entry, &reading->block)
                       : 0; /* results of ranges of several kernels are no launches */
}

/* Reads a block. Returns 1, 0 at the end of the file, or a failure. */
static int read_block(struct reading *reading)
{
    struct wire entry;
    uint64_t count[3], payload;
    int result = read_entry(reading, &entry);
    if (result <= 0) return result;
    if (entry.at == entry.end) return damaged(reading, "the header of a block is empty");
    result = read_header(reading, entry, count, &payload);
    const uint64_t begin = reading->input.at;
    for (int kind = 0; kind < 3; kind++)
        for (uint64_t i = 0; i < count[kind] && !result; i++) {
            result = read_entry(reading, &entry);
            if (result == 0) return damaged(reading, "it ends before the last entry of a block");
            result = result < 0 ? result : visit(reading, kind, entry);
            if (!result && interrupted()) return FAIL_INTERRUPTED;
        }
    if (result) return result;
    if (reading->input.at - begin != payload)
        return damaged(reading, "the entries of a block are not as long as its header says");
    return 1;
}

/* ---- files ----------------------------------------------------------------------------------- */

static int read_begin(struct reading *reading)
{
    enum { VERSION_SEEN = 7 };
    unsigned char magic[4];
    struct wire header;
    int result = report_input_read(&reading->input, magic, sizeof magic);
    if (result < 0 && result != REPORT_INPUT_ENDS_INSIDE) return result;
    if (result != 1 || memcmp(magic, "NVR", sizeof magic))
        return error(FAIL_INPUT, "%s: is no report of Nsight Compute", reading->path);
    result = read_entry(reading, &header);
    if (result <= 0) return result ? result : damaged(reading, "it ends before its header");
    const uint64_t version = wire_integer(header, 1, 0);
    if (version != VERSION_SEEN)
        warning("%s: has version %llu of the format; whyfast was tried with version %d",
                reading->path, (unsigned long long)version, VERSION_SEEN);
    return 0;
}

int report_file_read(const char *path, const struct report_visitor *visitor)
{
    struct reading reading = {.path = path, .visitor = visitor};
    int result = report_input_open(&reading.input, path);
    if (!result) result = read_begin(&reading);
    int more = 1;
    while (!result && more > 0) {
        more = read_block(&reading);
        if (more < 0) result = more;
    }
    report_input_close(&reading.input);
    for (size_t i = 0; i < reading.block.count; i++) free(reading.block.name[i]);
    free(reading.block.name);
    free(reading.block.program);
    text_free(&reading.entry);
    return result;
}

int report_file_is_named(const char *path)
{
    return text_before(path, ".ncu-rep") || text_before(path, ".ncu-repz");
}
