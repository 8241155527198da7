#include "measure/ceiling_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/text.h"

/* The file begins with this; the key follows. */
struct kept_file {
    uint64_t check;   /* hash of all that follows */
    int64_t measured; /* seconds since 1970 */
    struct kept_ceiling kept[CEILING_COUNT];
};

static const long MOST_AGE_S = 7 * 24 * 3600;

static void append_key(struct text *key, const struct run *run)
{
    static const char *const facts[] = {
        "git_revision", "device_uuid",         "device_sm_count",       "device_mig",
        "driver",       "device_sm_clock_khz", "device_dram_clock_khz", "device_power_limit_w"};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        const char *fact = run_fact(run, facts[i]);
        text_format(key, "%s: %s\n", facts[i], fact ? fact : "");
    }
}

static uint64_t check_of(const struct kept_file *file, const struct text *key)
{
    const size_t head = sizeof file->check;
    return hash_bytes(hash_bytes(HASH_START, (const char *)file + head, sizeof *file - head),
                      text_string(key), key->length);
}

/* Where the ceilings of the board are kept; "" if there is no cache, which is no failure here. */
static struct path place_of(const struct text *key)
{
    struct path place = {""};
    struct text unsaid = {0}, *said = message_keep(&unsaid);
    char name[32], *directory = data_cache("ceilings");
    message_keep(said);
    snprintf(name, sizeof name, "%016llx",
             (unsigned long long)hash_bytes(HASH_START, text_string(key), key->length));
    if (directory) place = path_in(directory, name);
    text_free(&unsaid);
    free(directory);
    return place;
}

int ceiling_cache_read(struct run *run, struct kept_ceiling kept[CEILING_COUNT])
{
    struct text key = {0};
    struct kept_file file;
    char date[32] = "";
    size_t length = 0;
    append_key(&key, run);
    const struct path place = place_of(&key);
    char *bytes = *place.at ? text_read_file(place.at, &length) : NULL;
    int found = bytes && length == sizeof file + key.length && !key.failed;
    if (found) memcpy(&file, bytes, sizeof file);
    found = found && !memcmp(bytes + sizeof file, text_string(&key), key.length) &&
            file.check == check_of(&file, &key) && file.measured <= time(NULL) &&
            time(NULL) - file.measured < MOST_AGE_S;
    if (found) {
        struct tm utc;
        const time_t measured = (time_t)file.measured;
        memcpy(kept, file.kept, sizeof file.kept);
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&measured, &utc));
        detail("the ceilings of this board were measured at %s and kept in %s", date, place.at);
        found = !run_fact_set(run, "ceilings_date", "%s", date);
    }
    free(bytes);
    text_free(&key);
    return found;
}

void ceiling_cache_write(const struct run *run, const struct kept_ceiling kept[CEILING_COUNT])
{
    struct text key = {0}, unsaid = {0};
    struct kept_file file;
    struct atomic_file output;
    memset(&file, 0, sizeof file);
    file.measured = time(NULL);
    memcpy(file.kept, kept, sizeof file.kept);
    append_key(&key, run);
    file.check = check_of(&file, &key);
    const struct path place = place_of(&key);
    struct text *said = message_keep(&unsaid);
    int failed = !*place.at || key.failed || atomic_file_open(&output, place.at);
    if (!failed) {
        fwrite(&file, sizeof file, 1, output.file);
        fwrite(text_string(&key), key.length, 1, output.file);
        failed = atomic_file_end(&output, 0);
    }
    message_keep(said);
    if (failed) detail("the ceilings of this board are not kept for later runs");
    text_free(&key);
    text_free(&unsaid);
}
