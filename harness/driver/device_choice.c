#include "driver/device_choice.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "driver/nvml.h"

static const char variable[] = "CUDA_VISIBLE_DEVICES";

struct devices {
    int count;
    char **visible; /* for each device, the value of the variable that shows it alone */
};

static int add(struct devices *all, const char *visible)
{
    if (!ARRAY_GROWS(all->visible, all->count)) return error_memory();
    all->visible[all->count] = strdup(visible);
    return all->visible[all->count] ? (all->count++, 0) : error_memory();
}

static void devices_free(struct devices *all)
{
    for (int i = 0; i < all->count; i++) free(all->visible[i]);
    free(all->visible);
}

/* ---- the devices of this machine ------------------------------------------------------------- */

static int add_handle(struct devices *all, const struct nvml *nvml, void *device)
{
    char uuid[96];
    if (!nvml->uuid || nvml->uuid(device, uuid, sizeof uuid)) return 0;
    return add(all, uuid);
}

static int add_device(struct devices *all, const struct nvml *nvml, void *device)
{
    unsigned divided = 0, pending = 0, slices = 0;
    if (!nvml->mig || nvml->mig(device, &divided, &pending) || !divided || !nvml->mig_by_index ||
        !nvml->mig_count || nvml->mig_count(device, &slices))
        return add_handle(all, nvml, device);
    int result = 0;
    for (unsigned i = 0; i < slices && !result; i++) {
        void *slice;
        if (!nvml->mig_by_index(device, i, &slice)) result = add_handle(all, nvml, slice);
    }
    return result;
}

static int list_by_nvml(struct devices *all)
{
    char reason[NVML_REASON];
    struct nvml nvml;
    unsigned count = 0;
    const int status = nvml_open(&nvml, reason);
    if (status)
        return error(
            FAIL_GPU, "%s%s",
            status < 0 ? "no NVIDIA driver, so --device finds no GPU: " : "--device: ", reason);
    int result = nvml.count && nvml.by_index && !nvml.count(&count)
                     ? 0
                     : error(FAIL_GPU, "--device: NVML does not list the devices");
    for (unsigned i = 0; i < count && !result; i++) {
        void *device;
        if (!nvml.by_index(i, &device)) result = add_device(all, &nvml, device);
    }
    nvml_close(&nvml);
    return result;
}

static int list_visible(struct devices *all, const char *list)
{
    int result = 0;
    while (*list && !result) {
        const size_t length = strcspn(list, ",");
        char *entry = strndup(list, length);
        if (!entry) return error_memory();
        if (*entry) result = add(all, entry);
        free(entry);
        list += length + (list[length] == ',');
    }
    if (!result && !all->count) result = error(FAIL_GPU, "%s hides every GPU", variable);
    return result;
}

/* ---- the choice ------------------------------------------------------------------------------ */

static int find(const struct devices *all, const char *word, int *found)
{
    int matches = 0;
    if (*word && !word[strspn(word, "0123456789")] && strtol(word, NULL, 10) < all->count) {
        *found = (int)strtol(word, NULL, 10);
        return 0;
    }
    for (int i = 0; i < all->count; i++)
        if (text_begins_uuid(word, all->visible[i])) {
            *found = i;
            matches++;
        }
    if (matches == 1) return 0;
    if (matches) return error(FAIL_USAGE, "--device: several devices have the UUID '%s'", word);
    return error(FAIL_USAGE, "--device: there is no device '%s'; there %s %d, counted from 0", word,
                 all->count == 1 ? "is" : "are", all->count);
}

int device_choice_use(const char *word)
{
    struct devices all = {0, NULL};
    const char *visible = getenv(variable);
    int at = 0, result = visible ? list_visible(&all, visible) : list_by_nvml(&all);
    if (!result && !all.count) result = error(FAIL_GPU, "--device: no GPU here");
    if (!result) result = find(&all, word, &at);
    if (!result && setenv(variable, all.visible[at], 1)) result = error_memory();
    devices_free(&all);
    return result;
}
