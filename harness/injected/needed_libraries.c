#include "injected/needed_libraries.h"

#include <link.h>
#include <string.h>

typedef ElfW(Dyn) dynamic_entry;

struct question {
    const char *prefix;
    int answer;
};

static const dynamic_entry *dynamic_section(const struct dl_phdr_info *program)
{
    for (int i = 0; i < program->dlpi_phnum; i++)
        if (program->dlpi_phdr[i].p_type == PT_DYNAMIC)
            return (const dynamic_entry *)(program->dlpi_addr + program->dlpi_phdr[i].p_vaddr);
    return NULL; /* a static executable */
}

/* The names are offsets into a table of strings. Some loaders write its address into the section,
 * others leave its offset from the base of the executable there. */
static const char *string_table(const dynamic_entry *entry, ElfW(Addr) base)
{
    for (; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_STRTAB)
            return (const char *)(entry->d_un.d_ptr < base ? entry->d_un.d_ptr + base
                                                           : entry->d_un.d_ptr);
    return NULL;
}

/* Is called for the main program first. Returns 1, so that it is not called for libraries. */
static int ask(struct dl_phdr_info *program, size_t size, void *context)
{
    struct question *question = context;
    const dynamic_entry *entry = dynamic_section(program);
    const char *strings = entry ? string_table(entry, program->dlpi_addr) : NULL;
    (void)size;
    for (; strings && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_NEEDED &&
            !strncmp(strings + entry->d_un.d_val, question->prefix, strlen(question->prefix)))
            question->answer = 1;
    return 1;
}

int program_needs(const char *prefix)
{
    struct question question = {prefix, 0};
    dl_iterate_phdr(ask, &question);
    return question.answer;
}
