#include "evaluate/halves.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/beside.h"
#include "base/message.h"
#include "query/query.h"

/* ---- who does what --------------------------------------------------------------------------- */

int halves_choose(const struct run *run, char **split)
{
    struct query query;
    char *points = NULL;
    *split = NULL;
    int result = query_open(&query, run);
    if (result) return result;
    result = query_load(&query, TABLE_POINTS);
    if (!result) result = query_text(&query, NULL, "SELECT count(*) FROM points", NULL, &points);
    if (!result && points && strtoll(points, NULL, 10) >= HALVES_LEAST)
        result = query_text(
            &query, NULL,
            "SELECT family FROM (SELECT family, sum(count(*)) OVER (ORDER BY family ROWS BETWEEN "
            "UNBOUNDED PRECEDING AND 1 PRECEDING) AS before, sum(count(*)) OVER ()"
            " AS points FROM points GROUP BY family) WHERE before IS NOT NULL ORDER BY abs(2 * "
            "before - points), family LIMIT 1",
            NULL, split);
    free(points);
    query_close(&query);
    return result;
}

int half_keeps(void *context, const struct table_rows *row)
{
    const struct half *half = context;
    const int at = row->width > 1 && !strcmp(row->name[0], "family")   ? 0
                   : row->width > 1 && !strcmp(row->name[1], "family") ? 1
                                                                       : -1;
    return !half->split || at < 0 ||
           (strcmp(row->reader.cell[at], half->split) >= 0) == half->is_second;
}

struct half_work {
    struct half half;
    struct atomic_files pieces;
    int (*work)(void *context, const struct half *half, struct atomic_files *pieces, int *found);
    void *context;
};

static int do_half(void *context, int *found)
{
    struct half_work *half = context;
    const int result = half->work(half->context, &half->half, &half->pieces, found);
    return result ? result : atomic_files_flush(&half->pieces);
}

/* ---- joining --------------------------------------------------------------------------------- */

/* Lines of a piece, one after the other. */
struct lines {
    FILE *file;
    char *text;
    size_t size;
    ssize_t length; /* of the line at hand; -1 at the end */
};

static int begin_lines(struct lines *lines, const struct atomic_file *piece)
{
    memset(lines, 0, sizeof *lines);
    lines->file = fopen(piece->temporary, "rb");
    if (!lines->file)
        return error(FAIL_OUTPUT, "%s: cannot read: %s", piece->temporary, strerror(errno));
    lines->length = getline(&lines->text, &lines->size, lines->file);
    return 0;
}

static void put_line(struct lines *lines, FILE *to)
{
    fwrite(lines->text, 1, (size_t)lines->length, to);
    lines->length = getline(&lines->text, &lines->size, lines->file);
}

static int end_lines(struct lines *lines, const struct atomic_file *piece)
{
    const int failed = lines->file && ferror(lines->file);
    if (lines->file) fclose(lines->file);
    free(lines->text);
    return failed ? error(FAIL_OUTPUT, "%s: cannot read", piece->temporary) : 0;
}

/* What is left of the file, not line by line. */
static void put_rest(struct lines *lines, FILE *to)
{
    char block[1 << 16];
    size_t got;
    if (lines->length < 0) return;
    fwrite(lines->text, 1, (size_t)lines->length, to);
    while ((got = fread(block, 1, sizeof block, lines->file)) > 0) fwrite(block, 1, got, to);
}

/* Both have the same header. */
static int join(const struct atomic_file *first_piece, const struct atomic_file *second_piece,
                int by_number, FILE *to)
{
    struct lines first, second = {.file = NULL};
    int result = begin_lines(&first, first_piece);
    if (!result) result = begin_lines(&second, second_piece);
    if (!result && (first.length < 0 || second.length < 0))
        result = error(FAIL_OUTPUT, "%s: nothing was written",
                       first.length < 0 ? first_piece->temporary : second_piece->temporary);
    if (!result) {
        put_line(&first, to);
        second.length = getline(&second.text, &second.size, second.file);
        while (by_number && first.length >= 0 && second.length >= 0)
            put_line(strtoll(first.text, NULL, 10) <= strtoll(second.text, NULL, 10) ? &first
                                                                                     : &second,
                     to);
        put_rest(&first, to);
        put_rest(&second, to);
    }
    const int ended[] = {end_lines(&first, first_piece), end_lines(&second, second_piece)};
    return result ? result : ended[0] ? ended[0] : ended[1];
}

int halves_write(const struct run *run, const char *split, const struct half_file *file, int count,
                 int (*work)(void *context, const struct half *half, struct atomic_files *pieces,
                             int *found),
                 void *context, struct atomic_files *group, int *found)
{
    struct half_work half[] = {{.half = {split, 0}, .work = work, .context = context},
                               {.half = {split, 1}, .work = work, .context = context}};
    struct beside beside;
    FILE *to;
    int result = 0;
    for (int i = 0; i < count && !result; i++)
        for (int h = 0; h < 2 && !result; h++)
            result = atomic_files_begin(&half[h].pieces, run->directory, file[i].name, &to);
    if (!result) {
        beside_begin(&beside, do_half, &half[1], run->locked ? run->lock : -1);
        result = beside_end(&beside, do_half(&half[0], found), found);
    }
    for (int i = 0; i < count && !result; i++) {
        result = atomic_files_begin(group, run->directory, file[i].name, &to);
        if (!result)
            result =
                join(&half[0].pieces.output[i], &half[1].pieces.output[i], file[i].by_number, to);
    }
    for (int h = 0; h < 2; h++)
        atomic_files_end(&half[h].pieces, FAIL_OUTPUT); /* pieces are dropped */
    return result;
}
