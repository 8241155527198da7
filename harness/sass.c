#include "sass.h"

#include <elf.h>
#include <stddef.h>
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
    size_t before;           /* bytes of the executable in front of data */
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

/* nvcc writes the name of the source right before the image; kernels that all come from a library's headers have no other trace of the file. */
static int is_labelled(const struct cubin *cubin, const char *file)
{
    const size_t length = strlen(file) + 1;
    size_t padding = 0;
    while (padding < 8 && cubin->before >= length + padding && cubin->data[-1 - (ptrdiff_t)padding] == 0) padding++;
    return padding > 0 && cubin->before >= length + padding && !memcmp(cubin->data - padding - length + 1, file, length);
}

/* Does the line table name the file? It lists directories, by their full path or as the compiler was given them, and names apart. */
static int is_of_file(const struct cubin *cubin, const char *file)
{
    const char *base = strrchr(file, '/');
    const size_t directory_length = base ? (size_t)(base - file) : 0;
    base = base ? base + 1 : file;
    char directory[256] = "";
    if (directory_length + 1 >= sizeof directory) return 0;
    memcpy(directory, file, directory_length);
    for (unsigned i = 0; i < cubin->header->e_shnum; i++) {
        Elf64_Shdr header;
        if (!section(cubin, i, &header) || strcmp(section_name(cubin, &header), ".debug_line")) continue;
        const unsigned char *table = cubin->data + header.sh_offset;
        if (memmem(table, header.sh_size, base, strlen(base) + 1) && memmem(table, header.sh_size, directory, directory_length + 1)) return 1;
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

/* Visits every cubin of the architecture until `visit` returns 1. Returns what it returned last, or -1 when the program cannot be read. */
static int each_cubin(int architecture, int (*visit)(const struct cubin *cubin, void *context), void *context)
{
    size_t size;
    int done = 0;
    unsigned char *program = (unsigned char *)text_read_file("/proc/self/exe", &size);
    if (!program) return -1;
    for (size_t at = 1; at + sizeof(Elf64_Ehdr) < size && !done; at++) {
        const unsigned char *found = memmem(program + at, size - at, ELFMAG, SELFMAG);
        if (!found) break;
        at = (size_t)(found - program);
        if (size - at < sizeof(Elf64_Ehdr)) break;
        Elf64_Ehdr header;
        memcpy(&header, found, sizeof header);
        const struct cubin cubin = {found, size - at, &header, at};
        if (header.e_machine == MACHINE_CUDA && cubin_architecture(&header) == architecture && header.e_shentsize == sizeof(Elf64_Shdr))
            done = visit(&cubin, context);
    }
    free(program);
    return done;
}

struct hash_request {
    const char *file;
    char *hash;
};

static int hash_file(const struct cubin *cubin, void *context)
{
    const struct hash_request *request = context;
    int functions;
    if (!is_of_file(cubin, request->file) && !is_labelled(cubin, request->file)) return 0;
    const uint64_t hash = hash_code(cubin, &functions);
    if (functions > 0) snprintf(request->hash, 17, "%016llx", (unsigned long long)hash);
    return functions > 0;
}

int sass_hash(const char *file, int architecture, char hash[17], char reason[120])
{
    struct hash_request request = {file, hash};
    const int found = each_cubin(architecture, hash_file, &request);
    if (found < 0) snprintf(reason, 120, "the program cannot read its own code");
    if (found == 0) snprintf(reason, 120, "the program carries no code of this file for sm_%d", architecture);
    return found > 0;
}

/* The low nine bits of an instruction's first word name the operation; the next three say where its operands are (register, constant,
 * immediate). Found by disassembling with the toolkit's nvdisasm, which a test does again. */
enum { OPERATION_BITS = 0x1FF, SHFL = 0x189, REDUX = 0x1C4, BAR = 0x11D, FADD = 0x021, INSTRUCTION_BYTES = 16 };

/* Of the jumps only BRA says where it goes to: the others take a register, or an absolute address. */
enum { BRA = 0x147, BRX = 0x149, JMP = 0x14A, JMX = 0x14C };

/* The two words of the instruction at an offset. */
struct instruction {
    uint64_t first, second;
};

static struct instruction instruction_at(const unsigned char *code, size_t at)
{
    struct instruction instruction;
    memcpy(&instruction, code + at, sizeof instruction);
    return instruction;
}

static unsigned operation(struct instruction instruction)
{
    return instruction.first & OPERATION_BITS;
}

/* Where the BRA at an offset goes to. Counted from the next instruction, in units of four bytes, the distance is the signed number in bits 34 to 81;
 * since compute capability 9.0 its low eight bits stand apart, in bits 16 to 23, which belong to something else before. */
static int64_t jump_target(struct instruction jump, size_t at, int architecture)
{
    const int64_t sign = (int64_t)1 << 47;
    int64_t distance = ((int64_t)((jump.second & 0x3FFFF) << 30 | jump.first >> 34) ^ sign) - sign;
    if (architecture >= 90) distance = distance * 256 + (int64_t)(jump.first >> 16 & 0xFF);
    return (int64_t)at + INSTRUCTION_BYTES + distance * 4;
}

/* Does every jump say where it goes to, and lead to an instruction of this kernel? If not, the encoding may be another than we know. */
static int jumps_are_known(const unsigned char *code, size_t bytes, int architecture)
{
    for (size_t at = 0; at + INSTRUCTION_BYTES <= bytes; at += INSTRUCTION_BYTES) {
        const struct instruction instruction = instruction_at(code, at);
        const unsigned name = operation(instruction);
        if (name == BRX || name == JMP || name == JMX) return 0;
        if (name != BRA) continue;
        const int64_t target = jump_target(instruction, at, architecture);
        if (target < 0 || target % INSTRUCTION_BYTES || target + INSTRUCTION_BYTES > (int64_t)bytes) return 0;
    }
    return 1;
}

static int is_in_loop(const unsigned char *code, size_t bytes, int architecture, size_t place)
{
    for (size_t at = place; at + INSTRUCTION_BYTES <= bytes; at += INSTRUCTION_BYTES) {
        const struct instruction instruction = instruction_at(code, at);
        if (operation(instruction) == BRA && jump_target(instruction, at, architecture) <= (int64_t)place) return 1;
    }
    return 0;
}

static int count_loop_barriers(const unsigned char *code, size_t bytes, int architecture)
{
    int count = 0;
    if (!jumps_are_known(code, bytes, architecture)) return -1;
    for (size_t at = 0; at + INSTRUCTION_BYTES <= bytes; at += INSTRUCTION_BYTES)
        if (operation(instruction_at(code, at)) == BAR) count += is_in_loop(code, bytes, architecture, at);
    return count;
}

static void count_code(const unsigned char *code, size_t bytes, int architecture, struct sass_counts *counts)
{
    for (size_t at = 0; at + INSTRUCTION_BYTES <= bytes; at += INSTRUCTION_BYTES) {
        switch (operation(instruction_at(code, at))) {
        case SHFL: counts->shuffles++; break;
        case REDUX: counts->warp_reductions++; break;
        case BAR: counts->barriers++; break;
        case FADD: counts->float_adds++; break;
        default: break;
        }
    }
    counts->loop_barriers = count_loop_barriers(code, bytes, architecture);
}

struct count_request {
    const char *kernel;
    struct sass_counts *counts;
};

static int count_kernel(const struct cubin *cubin, void *context)
{
    const struct count_request *request = context;
    for (unsigned i = 0; i < cubin->header->e_shnum; i++) {
        Elf64_Shdr header;
        if (!section(cubin, i, &header)) continue;
        const char *name = section_name(cubin, &header);
        if (strncmp(name, ".text.", 6) || strcmp(name + 6, request->kernel)) continue;
        count_code(cubin->data + header.sh_offset, header.sh_size, cubin_architecture(cubin->header), request->counts);
        return 1;
    }
    return 0;
}

int sass_count(const char *kernel, int architecture, struct sass_counts *counts)
{
    struct count_request request = {kernel, counts};
    memset(counts, 0, sizeof *counts);
    return each_cubin(architecture, count_kernel, &request) > 0;
}
