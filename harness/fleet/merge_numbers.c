#include "fleet/merge_numbers.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"

int numbers_set(struct numbers *numbers, long old, int now)
{
    const size_t needed = (size_t)old + 1;
    if (needed > numbers->count) {
        const size_t room = needed + needed / 2 + 16;
        int *grown = realloc(numbers->now, room * sizeof *grown);
        if (!grown) return error_memory();
        for (size_t i = numbers->count; i < room; i++) grown[i] = -1;
        numbers->now = grown;
        numbers->count = room;
    }
    numbers->now[old] = now;
    return 0;
}

int numbers_get(const struct numbers *numbers, const char *digits)
{
    char *end;
    const long old = strtol(digits, &end, 10);
    return end != digits && old >= 0 && (size_t)old < numbers->count ? numbers->now[old] : -1;
}

const char *numbers_append_list(struct text *text, const struct numbers *sources, const char *list)
{
    while (*list) {
        const int now = numbers_get(sources, list);
        const size_t digits = strspn(list, "0123456789"), length = strcspn(list, " ");
        if (now < 0 || !digits || digits > length) return list;
        text_format(text, "%d%.*s%s", now, (int)(length - digits), list + digits,
                    list[length] ? " " : "");
        list += length + (list[length] == ' ');
    }
    return NULL;
}

void numbers_free(struct numbers *numbers)
{
    free(numbers->now);
    *numbers = (struct numbers){NULL, 0};
}
