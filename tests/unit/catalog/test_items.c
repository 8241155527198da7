/*
 * Tests that each item of the sources (metrics/sources/) refers to something that exists: a
 * variant, a claim, a metric, a picture or a section of a page; or says why it is absent.
 */
#include "fixture.h"

#include <ctype.h>

#include "base/atomic_file.h"
#include "catalog/records.h"
#include "catalog/registry.h"

static struct records records;

static int read_records(void **state)
{
    return records_read(&records, root());
}

static int free_records(void **state)
{
    records_free(&records);
    return 0;
}

/* Whether a page has the section "page.md#the-words-of-its-heading". */
static int section_is_there(const char *reference)
{
    char path[400], heading[200] = "";
    const char *anchor = strchr(reference, '#');
    const int length = (int)(anchor ? anchor - reference : (long)strlen(reference));
    snprintf(path, sizeof path, "%s/%.*s", root(), length, reference);
    char *text = text_read_file(path, NULL), *line, *rest = text;
    int found = text && !anchor;
    while (anchor && (line = strsep(&rest, "\n"))) {
        size_t count = 0;
        if (strncmp(line, "## ", 3)) continue;
        for (const char *p = line + 3; *p && count + 1 < sizeof heading; p++)
            if (isalnum((unsigned char)*p) || *p == ' ')
                heading[count++] = *p == ' ' ? '-' : (char)tolower((unsigned char)*p);
        heading[count] = 0;
        found |= !strcmp(heading, anchor + 1);
    }
    free(text);
    return found;
}

static const struct variant *find_variant(const char *name)
{
    char family[200];
    const char *slash = strchr(name, '/');
    if (!slash) return NULL;
    snprintf(family, sizeof family, "%.*s", (int)(slash - name), name);
    return registry_variant(family, slash + 1);
}

static int is_found(const char *reference)
{
    char name[200], file[300];
    int number, end = 0;
    if (!strncmp(reference, "absent: ", 8)) return strlen(reference) > 16;
    if (!strncmp(reference, "metric ", 7)) return records_is_column(&records, reference + 7);
    if (!strncmp(reference, "plots/", 6)) {
        snprintf(file, sizeof file, "%s.gp", reference);
        return file_exists(path_in(root(), file).at);
    }
    if (strstr(reference, ".md")) return section_is_there(reference);
    const int is_claim = sscanf(reference, "claim %d of %199s%n", &number, name, &end) == 2 && end;
    const struct variant *variant = find_variant(is_claim ? name : reference);
    return variant && (!is_claim ||
                       (number >= 1 && number <= CLAIM_COUNT && variant->claims[number - 1].says));
}

TEST(items_refer_to_what_is_there)
{
    int count = 0;
    for (int i = 0; i < records.count; i++) {
        const struct record *record = &records.record[i];
        if (record->kind != RECORD_ITEM) continue;
        char *shown = strdup(record_field(record, "shown")), *rest = shown, *part;
        while ((part = strsep(&rest, "|"))) {
            part += strspn(part, " ");
            part[strcspn(part, "|")] = 0;
            for (size_t n = strlen(part); n && part[n - 1] == ' ';) part[--n] = 0;
            if (!is_found(part))
                fail_msg("%s:%d: '%s' is not there", record->file, record->line, part);
        }
        free(shown);
        count++;
    }
    assert_true(count > 60);
}

TEST(references_are_told_from_nonsense)
{
    assert_false(is_found("metric no_such_metric"));
    assert_false(is_found("plots/99_none"));
    assert_false(is_found("reports/none.md"));
    assert_false(is_found("reports/pages/sources.md#no-such-section"));
    assert_true(is_found("reports/pages/sources.md#brents-theorem"));
    assert_false(is_found("absent: "));
    assert_false(is_found("reduce/99_none"));
    assert_false(is_found("claim 8 of reduce/01_interleaved_modulo"));
    assert_true(is_found("claim 1 of reduce/01_interleaved_modulo"));
}

RUN_TESTS(read_records, free_records)
