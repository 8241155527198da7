#include "run/packed_table.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/text.h"

enum { COLUMNS_MOST = 256 };

struct columns {
    const char *bytes, *end;
    size_t rows;
    int count;
    const char *cell[COLUMNS_MOST]; /* the next one of each column */
};

/* Whether the first line says that columns follow. Takes their number of rows, 0 if it is none. */
static int says_columns(FILE *file, size_t *rows)
{
    static const char begin[] = "#columns of ";
    const size_t length = sizeof begin - 1;
    char line[64] = "", *end = line;
    if (!fgets(line, sizeof line, file) || strncmp(line, begin, length) != 0) return 0;
    *rows = isdigit((unsigned char)line[length]) ? strtoull(line + length, &end, 10) : 0;
    if (strcmp(end, " rows\n") != 0) *rows = 0;
    return 1;
}

/* Finds where the columns begin. Returns what is wrong with them, or NULL. */
static const char *find_columns(struct columns *columns)
{
    const char *at = memchr(columns->bytes, '\n', (size_t)(columns->end - columns->bytes));
    if (!at || !columns->rows) return "its first line does not tell the number of rows";
    for (at++; at < columns->end;) {
        if (columns->count == COLUMNS_MOST) return "it has too many columns";
        columns->cell[columns->count++] = at;
        for (size_t row = 0; row < columns->rows; row++) {
            at = memchr(at, '\n', (size_t)(columns->end - at));
            if (!at) return "its last column is cut off";
            at++;
        }
    }
    return columns->count ? NULL : "it has no columns";
}

static void write_rows(struct columns *columns, FILE *file)
{
    for (size_t row = 0; row < columns->rows && !ferror(file); row++)
        for (int i = 0; i < columns->count; i++) {
            const char *cell = columns->cell[i],
                       *end = memchr(cell, '\n', (size_t)(columns->end - cell));
            fwrite(cell, 1, (size_t)(end - cell), file);
            putc(i + 1 < columns->count ? ',' : '\n', file);
            columns->cell[i] = end + 1;
        }
}

static int copy_columns(struct columns *columns, const char *packed, const char *directory,
                        const char *name)
{
    struct atomic_file output;
    const char *problem = find_columns(columns);
    if (problem) return error(FAIL_INPUT, "%s: is damaged: %s", packed, problem);
    int result = atomic_file_begin(&output, directory, name);
    if (result) return result;
    write_rows(columns, output.file);
    return atomic_file_end(&output, 0);
}

int packed_table_copy(const char *from, const char *packed, const char *directory, const char *name)
{
    struct columns columns = {0};
    struct stat status = {0};
    FILE *file = text_open_file(from);
    const int has_columns = file && says_columns(file, &columns.rows);
    /* Mapped, because the cells of a row lie far apart. */
    char *bytes = has_columns && !fstat(fileno(file), &status)
                      ? mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fileno(file), 0)
                      : MAP_FAILED;
    int result;
    if (file && !has_columns) {
        result = file_copy(from, directory, name);
    } else if (bytes == MAP_FAILED) {
        result = error(FAIL_INPUT, "%s: cannot read: %s", packed, strerror(errno));
    } else {
        columns.bytes = bytes;
        columns.end = bytes + status.st_size;
        result = copy_columns(&columns, packed, directory, name);
        munmap(bytes, (size_t)status.st_size);
    }
    if (file) fclose(file);
    return result;
}
