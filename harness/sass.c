#include "sass.h"

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

enum { MACHINE_CUDA = 190 };

/* One ELF image inside the executable; all offsets are checked against its size before use. */
struct cubin {
    const unsigned char *data;
    size_t size;
    const Elf64_Ehdr *header;
};

static int in_bounds(const struct cubin *cubin, uint64_t offset, uint64_t length)
{
    return offset <= cubin->size && length <= cubin->size - offset;
}

static int section(const struct cubin *cubin, unsigned index, Elf64_Shdr *out)
{
    const uint64_t offset = cubin->header->e_shoff + (uint64_t)index * sizeof *out;
    if (index >= cubin->header->e_shnum || !in_bounds(cubin, offset, sizeof *out)) return 0;
    memcpy(out, cubin->data + offset, sizeof *out);
    return out->sh_type == SHT_NOBITS || in_bounds(cubin, out->sh_offset, out->sh_size);
}

static const char *section_name(const struct cubin *cubin, const Elf64_Shdr *header)
{
    Elf64_Shdr strings;
    if (!section(cubin, cubin->header->e_shstrndx, &strings) || header->sh_name >= strings.sh_size) return "";
    const char *name = (const char *)cubin->data + strings.sh_offset + header->sh_name;
    return memchr(name, 0, strings.sh_size - header->sh_name) ? name : "";
}

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < count; i++) hash = (hash ^ p[i]) * 0x100000001B3u;
    return hash;
}

/* Does the line table name the file? */
static int is_of_file(const struct cubin *cubin, const char *file)
{
    const char *base = strrchr(file, '/');
    base = base ? base + 1 : file;
    for (unsigned i = 0; i < cubin->header->e_shnum; i++) {
        Elf64_Shdr header;
        if (!section(cubin, i, &header) || strcmp(section_name(cubin, &header), ".debug_line")) continue;
        if (memmem(cubin->data + header.sh_offset, header.sh_size, base, strlen(base) + 1)) return 1;
    }
    return 0;
}

static uint64_t hash_code(const struct cubin *cubin, int *functions)
{
    uint64_t hash = 0xCBF29CE484222325u;
    *functions = 0;
    for (unsigned i = 0; i < cubin->header->e_shnum; i++) {
        Elf64_Shdr header;
        if (!section(cubin, i, &header)) continue;
        const char *name = section_name(cubin, &header);
        if (strncmp(name, ".text.", 6)) continue;
        hash = hash_bytes(hash, name, strlen(name) + 1);
        hash = hash_bytes(hash, cubin->data + header.sh_offset, header.sh_size);
        (*functions)++;
    }
    return hash;
}

/* The SM of a cubin: in bits 8 to 15 of e_flags since CUDA 13 (ABI version 8), in bits 0 to 7 before. */
static int cubin_architecture(const Elf64_Ehdr *header)
{
    const unsigned abi = header->e_ident[EI_ABIVERSION];
    return (int)(abi >= 8 ? header->e_flags >> 8 & 0xFF : header->e_flags & 0xFF);
}

int sass_hash(const char *file, int architecture, char hash[17], char reason[120])
{
    size_t size;
    unsigned char *program = (unsigned char *)text_read_file("/proc/self/exe", &size);
    int functions = 0;
    if (!program) {
        snprintf(reason, 120, "the program cannot read its own code");
        return 0;
    }
    for (size_t at = 1; at + sizeof(Elf64_Ehdr) < size && functions == 0; at++) {
        const unsigned char *found = memmem(program + at, size - at, ELFMAG, SELFMAG);
        if (!found) break;
        at = (size_t)(found - program);
        if (size - at < sizeof(Elf64_Ehdr)) break;
        Elf64_Ehdr header;
        memcpy(&header, found, sizeof header);
        const struct cubin cubin = {found, size - at, &header};
        if (header.e_machine != MACHINE_CUDA || cubin_architecture(&header) != architecture || header.e_shentsize != sizeof(Elf64_Shdr) ||
            !is_of_file(&cubin, file))
            continue;
        snprintf(hash, 17, "%016llx", (unsigned long long)hash_code(&cubin, &functions));
    }
    free(program);
    if (functions) return 1;
    snprintf(reason, 120, "the program carries no code of this file for sm_%d", architecture);
    return 0;
}
