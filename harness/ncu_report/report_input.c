#include "ncu_report/report_input.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"

/* How large a report can be that is read, decompressed. */
#define MOST_BYTES ((uint64_t)8 << 30)

/* The stable interface of libzstd.so.1, as its manual describes it. It is declared here because
 * many machines have the library, as part of their package manager, but not its header. */
struct zstd_in {
    const void *bytes;
    size_t size, at;
};
struct zstd_out {
    void *bytes;
    size_t size, at;
};

enum { CHUNK = 1 << 16 };

struct zstd {
    void *library, *stream;
    void *(*create)(void);
    size_t (*decompress)(void *stream, struct zstd_out *out, struct zstd_in *in);
    size_t (*destroy)(void *stream);
    unsigned (*is_error)(size_t result);
    struct zstd_in in;
    int is_inside; /* a frame has begun and not ended */
    unsigned char chunk[CHUNK];
};

static void zstd_close(struct zstd *zstd)
{
    if (zstd->stream) zstd->destroy(zstd->stream);
    if (zstd->library) dlclose(zstd->library);
    free(zstd);
}

static void *function(const struct zstd *zstd, const char *name)
{
    return zstd->library ? dlsym(zstd->library, name) : NULL;
}

static int zstd_open(struct report_input *input)
{
    struct zstd *zstd = calloc(1, sizeof *zstd);
    if (!zstd) return error_memory();
    zstd->library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
    *(void **)&zstd->create = function(zstd, "ZSTD_createDStream");
    *(void **)&zstd->decompress = function(zstd, "ZSTD_decompressStream");
    *(void **)&zstd->destroy = function(zstd, "ZSTD_freeDStream");
    *(void **)&zstd->is_error = function(zstd, "ZSTD_isError");
    input->zstd = zstd;
    if (!zstd->create || !zstd->decompress || !zstd->destroy || !zstd->is_error)
        return error(FAIL_INPUT,
                     "%s: is compressed, and libzstd.so.1 is not installed; 'zstd -dc %s > "
                     "unpacked.ncu-rep' unpacks it elsewhere",
                     input->path, input->path);
    zstd->stream = zstd->create();
    return zstd->stream ? 0 : error_memory();
}

int report_input_open(struct report_input *input, const char *path)
{
    static const unsigned char magic[] = {0x28, 0xB5, 0x2F, 0xFD};
    unsigned char begin[sizeof magic];
    *input = (struct report_input){.path = path, .file = text_open_file(path)};
    if (!input->file) return error(FAIL_INPUT, "%s: cannot open: %s", path, strerror(errno));
    const size_t count = fread(begin, 1, sizeof begin, input->file);
    rewind(input->file);
    return count == sizeof magic && !memcmp(begin, magic, sizeof magic) ? zstd_open(input) : 0;
}

void report_input_close(struct report_input *input)
{
    if (input->zstd) zstd_close(input->zstd);
    if (input->file) fclose(input->file);
    *input = (struct report_input){0};
}

/* Decompresses up to `count` bytes. Returns their number, or FAIL_INPUT. */
static long decompress(struct report_input *input, void *bytes, size_t count)
{
    struct zstd *zstd = input->zstd;
    struct zstd_out out = {bytes, count, 0};
    while (out.at < count) {
        const size_t before = out.at;
        if (zstd->in.at == zstd->in.size) {
            zstd->in = (struct zstd_in){zstd->chunk, fread(zstd->chunk, 1, CHUNK, input->file), 0};
            if (!zstd->in.size && !zstd->is_inside) break;
        }
        const int is_end = !zstd->in.size;
        const size_t result = zstd->decompress(zstd->stream, &out, &zstd->in);
        if (zstd->is_error(result))
            return error(FAIL_INPUT, "%s: is damaged: zstd cannot decompress it", input->path);
        zstd->is_inside = result > 0;
        if (is_end && out.at == before)
            return error(FAIL_INPUT, "%s: is damaged: it ends inside its compressed data",
                         input->path);
    }
    return (long)out.at;
}

int report_input_read(struct report_input *input, void *bytes, size_t count)
{
    const long got =
        input->zstd ? decompress(input, bytes, count) : (long)fread(bytes, 1, count, input->file);
    if (got < 0) return (int)got;
    if (ferror(input->file))
        return error(FAIL_INPUT, "%s: cannot read: %s", input->path, strerror(errno));
    input->at += (uint64_t)got;
    if (input->at > MOST_BYTES)
        return error(FAIL_INPUT, "%s: has more than 8 GB, which no report has", input->path);
    return (size_t)got == count ? 1 : got ? REPORT_INPUT_ENDS_INSIDE : 0;
}

int report_input_append(struct report_input *input, struct text *text, size_t count)
{
    static char piece[CHUNK];
    text->length = 0;
    while (text->length < count) {
        const size_t left = count - text->length, bytes = left < CHUNK ? left : CHUNK;
        const int result = report_input_read(input, piece, bytes);
        if (result != 1) return result ? result : REPORT_INPUT_ENDS_INSIDE;
        text_append_bytes(text, piece, bytes);
        if (text->failed) return error_memory();
    }
    return 0;
}
