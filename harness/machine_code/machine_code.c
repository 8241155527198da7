#include "machine_code/machine_code.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "machine_code/cubin.h"
#include "machine_code/sass_text.h"

/* Writes how the values of "x=1 y=0" are mangled as arguments of a template: ILi1ELi0EE. */
static void mangle_factors(const char *factors, struct text *mangled)
{
    text_append(mangled, "I");
    while ((factors = strchr(factors, '=')) != NULL) {
        factors++;
        text_format(mangled, "Li%.*sE", (int)strcspn(factors, " "), factors);
    }
    text_append(mangled, "E");
}

/* Adds the functions whose names contain `part` to the hash, and returns their number. */
static int hash_code(const struct cubin *cubin, const char *part, uint64_t *value)
{
    int functions = 0;
    for (unsigned i = 1; i < cubin->header.e_shnum; i++) {
        Elf64_Shdr section;
        if (!cubin_section(cubin, i, &section) || !cubin_kernel(cubin, &section)) continue;
        const char *name = cubin_section_name(cubin, &section);
        if (!strstr(name, part)) continue;
        *value = hash_bytes(*value, name, strlen(name) + 1);
        *value = hash_bytes(*value, cubin_section_data(cubin, &section), section.sh_size);
        functions++;
    }
    return functions;
}

int sass_hash(const char *file, const char *factors, int architecture, char hash[17],
              char reason[120])
{
    struct executable executable;
    struct text part = {0};
    struct cubin cubin = {0};
    uint64_t value = HASH_START;
    int functions = 0, whole = 0;
    if (!executable_open(&executable)) {
        snprintf(reason, 120, "the program cannot read its own code");
        return 0;
    }
    if (factors && text_matches("*/grid.cu", file)) mangle_factors(factors, &part);
    while (!whole && cubin_next(&executable, architecture, &cubin)) {
        const int of_file = cubin_is_of_file(&cubin, file);
        if (of_file || cubin_is_of_unit(&cubin, file))
            functions += hash_code(&cubin, text_string(&part), &value);
        whole = of_file && functions > 0;
    }
    executable_close(&executable);
    text_free(&part);
    if (functions > 0)
        hash_text(value, hash);
    else
        snprintf(reason, 120, "the program carries no code of this file for sm_%d", architecture);
    return functions > 0;
}

/* The low nine bits of an instruction's first word are the operation; the next three tell where its
 * operands are (register, constant, immediate). Found with nvdisasm; a test repeats that. */
enum {
    OPERATION_BITS = 0x1FF,
    SHFL = 0x189,
    REDUX = 0x1C4,
    BAR = 0x11D,
    FADD = 0x021,
    STS = 0x188
};

/* Jumps. Only BRA has a relative target: the others take a register or an absolute address. */
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

/* Returns the target of the BRA at an offset. The distance, from the next instruction and in units
 * of four bytes, is the signed number in bits 34 to 81; since compute capability 9.0 its low eight
 * bits are in bits 16 to 23, which have another meaning before. */
static int64_t jump_target(struct instruction jump, size_t at, int architecture)
{
    const int64_t sign = (int64_t)1 << 47;
    int64_t distance = ((int64_t)((jump.second & 0x3FFFF) << 30 | jump.first >> 34) ^ sign) - sign;
    if (architecture >= 90) distance = distance * 256 + (int64_t)(jump.first >> 16 & 0xFF);
    return (int64_t)at + SASS_BYTES + distance * 4;
}

static int is_in_loop(const unsigned char *code, size_t bytes, int architecture, size_t offset)
{
    for (size_t at = offset; at + SASS_BYTES <= bytes; at += SASS_BYTES) {
        const struct instruction instruction = instruction_at(code, at);
        if (operation(instruction) == BRA &&
            jump_target(instruction, at, architecture) <= (int64_t)offset)
            return 1;
    }
    return 0;
}

/* Returns -1 unless every jump has a known target that is an instruction of this kernel: the
 * encoding may be an unknown one. */
static int count_loop_barriers(const unsigned char *code, size_t bytes, int architecture)
{
    int count = 0;
    for (size_t at = 0; at + SASS_BYTES <= bytes; at += SASS_BYTES) {
        const struct instruction instruction = instruction_at(code, at);
        const unsigned name = operation(instruction);
        const int64_t target =
            name == BRA ? jump_target(instruction, at, architecture) : (int64_t)at;
        if (name == BRX || name == JMP || name == JMX || target < 0 || target % SASS_BYTES ||
            target + SASS_BYTES > (int64_t)bytes)
            return -1;
        if (name == BAR) count += is_in_loop(code, bytes, architecture, at);
    }
    return count;
}

static void count_code(const unsigned char *code, size_t bytes, int architecture,
                       struct sass_counts *counts)
{
    for (size_t at = 0; at + SASS_BYTES <= bytes; at += SASS_BYTES) {
        switch (operation(instruction_at(code, at))) {
        case SHFL: counts->shuffles++; break;
        case REDUX: counts->warp_reductions++; break;
        case BAR: counts->barriers++; break;
        case FADD: counts->float_adds++; break;
        case STS: counts->shared_stores++; break;
        default: break;
        }
    }
    counts->loop_barriers = count_loop_barriers(code, bytes, architecture);
}

int sass_count(const char *kernel, int architecture, struct sass_counts *counts)
{
    struct executable executable;
    struct cubin cubin = {0};
    Elf64_Shdr section;
    int found = 0;
    memset(counts, 0, sizeof *counts);
    if (!executable_open(&executable)) return 0;
    while (!found && cubin_next(&executable, architecture, &cubin)) {
        found = cubin_kernel_find(&cubin, kernel, &section) > 0;
        if (found)
            count_code(cubin_section_data(&cubin, &section), section.sh_size, architecture, counts);
    }
    executable_close(&executable);
    return found;
}
