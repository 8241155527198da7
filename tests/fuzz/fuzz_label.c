/*
 * Labels kernels whose names are the lines of the input. Each has a label that fits and a plain
 * key; the same names have the same label; and their order does not matter.
 */
#include "fuzz.h"

#include <ctype.h>

#include "base/names.h"
#include "machine_code/kernel_label.h"
#include "machine_code/kernel_name.h"

FUZZ_INPUT("", "input.txt")

enum { MOST = 16 };

static void check(const char label[KERNEL_LABEL])
{
    char key[KERNEL_LABEL];
    if (strnlen(label, KERNEL_LABEL) == KERNEL_LABEL) abort();
    names_key(label, key);
    if (strlen(key) > strlen(label) || !*key != !*label) abort();
    for (const char *at = key; *at; at++)
        if (!isalnum((unsigned char)*at) && (at == key || !strchr("_.-", *at))) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *rest = text;
    char *name[MOST], label[MOST][KERNEL_LABEL], backwards[MOST][KERNEL_LABEL];
    const char *names[MOST];
    int count = 0;
    for (char *line; count < MOST && (line = strsep(&rest, "\n"));)
        if (!(name[count++] = kernel_name(line))) abort();
    for (int i = 0; i < count; i++) names[i] = name[i];
    if (kernel_labels_make(names, count, label)) abort();
    for (int i = 0; i < count; i++) names[i] = name[count - 1 - i];
    if (kernel_labels_make(names, count, backwards)) abort();
    for (int i = 0; i < count; i++) {
        check(label[i]);
        if (strcmp(label[i], backwards[count - 1 - i])) abort();
        for (int k = 0; k < i; k++)
            if (!strcmp(name[i], name[k]) && strcmp(label[i], label[k])) abort();
    }
    for (int i = 0; i < count; i++) free(name[i]);
    free(text);
    return 0;
}
