/*
 * Tests the counts of instructions in hand-made images.
 */
#include "fixture.h"

#include <elf.h>

#include "machine_code/machine_code.h"

/* ---- hand-made images ------------------------------------------------------------------------ */

/* Cubins for architectures that do not exist. The code under test reads the executable of this
 * process, so it finds them here. Each has three sections: the null one, the names, and code.
 */
enum {
    INSTRUCTIONS = 16,
    MACHINE = 190,
    ARCHITECTURE = 211,
    OLDER = 212,
    BROKEN_TABLE = 213,
    BROKEN_CODE = 214,
    LOOPS = 216,
    LOOPS_BEFORE_90 = 33,
    JUMPS_OUT = 217,
    JUMPS_BETWEEN = 218,
    JUMPS_BY_REGISTER = 219,
    JUMPS_BEFORE = 220
};

struct image {
    Elf64_Ehdr header;
    Elf64_Shdr section[3];
    char names[64];
    uint32_t code[INSTRUCTIONS][4];
};

#define CODE_NAME 11
#define HEADER(abi, flags, sections_at)                                                            \
    {                                                                                              \
        .e_ident = {0x7F, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT, 51, (abi)},          \
        .e_type = ET_EXEC, .e_machine = MACHINE, .e_version = EV_CURRENT,                          \
        .e_shoff = (sections_at), .e_flags = (flags), .e_ehsize = sizeof(Elf64_Ehdr),              \
        .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 3, .e_shstrndx = 1                           \
    }
#define SECTIONS(code_bytes)                                                                       \
    {                                                                                              \
        {.sh_type = SHT_NULL},                                                                     \
            {.sh_name = 1,                                                                         \
             .sh_type = SHT_STRTAB,                                                                \
             .sh_offset = offsetof(struct image, names),                                           \
             .sh_size = 64},                                                                       \
        {                                                                                          \
            .sh_name = CODE_NAME, .sh_type = SHT_PROGBITS,                                         \
            .sh_offset = offsetof(struct image, code), .sh_size = (code_bytes)                     \
        }                                                                                          \
    }
/* Four words of an instruction of 16 bytes; a jump over `distance` bytes counted from the next
 * one, as it is written since 9.0 and before. */
#define BARRIER                                                                                    \
    {                                                                                              \
        0x00007B1D                                                                                 \
    }
#define JUMP(predicate, distance)                                                                  \
    {                                                                                              \
        0x947u | (predicate) << 12 | ((unsigned)((distance) / 4) & 0xFF) << 16,                    \
            (uint32_t)((uint64_t)((distance) / 4) >> 6) & ~3u,                                     \
            0x03800000u | (uint32_t)((uint64_t)((distance) / 4) >> 38 & 0x3FFFF), 0x000FEA00       \
    }
#define JUMP_BEFORE_90(predicate, distance)                                                        \
    {                                                                                              \
        0x947u | (predicate) << 12, (uint32_t)(distance),                                          \
            0x03800000u | (uint32_t)((uint64_t)(distance) >> 32 & 0x3FFFF), 0x000FEA00             \
    }
#define NAMES "\0.shstrtab\0.text.hand_made\0"

/* By bits: 0 to 8 the operation, 9 to 11 the kind of the operands, 12 to 15 the predicate, the
 * rest operands. */
__attribute__((used)) static const struct image images[] = {
    {HEADER(8, ARCHITECTURE << 8, offsetof(struct image, section)),
     SECTIONS(sizeof images[0].code),
     NAMES,
     {
         {0x01027F89}, /* SHFL, its lane and its mask as constants */
         {0x01020389}, /* SHFL, both in registers, under a predicate */
         {0x00009589},
         {0x000073C4}, /* REDUX */
         {0x00007B1D}, /* BAR */
         {0x0000131D},
         {0x02037221}, /* FADD: of registers, of an immediate, of a constant, predicated off */
         {0x02037421},
         {0x02037621},
         {0x0203F221},
         {0x00007220, 0x7F89, 0x73C4, 0x7B1D}, /* FMUL: its other words are not operations */
         {0x00007223, 0x7221, 0x7221, 0x7221}, /* FFMA */
         {0x00007188},                         /* one bit off each of the four */
         {0x000073C5},
         {0x00007B1C},
         {0x00007021 ^ 0x100},
     }},
    {HEADER(7, OLDER, offsetof(struct image, section)),
     SECTIONS(24),
     NAMES,
     {{0x7F89}, {0x7F89}}}, /* one instruction and a half */
    {HEADER(8, LOOPS << 8, offsetof(struct image, section)),
     SECTIONS(sizeof images[0].code),
     NAMES,
     {
         BARRIER,     /* before the loops */
         JUMP(0, 16), /* over a barrier: forward, no loop */
         BARRIER,
         {0x00007223}, /* 0x30: a loop begins */
         BARRIER,
         {0x00007223}, /* 0x50: one within it */
         BARRIER,
         JUMP(1, -48),
         JUMP(2, -96), /* 0x70, 0x80: the inner one's end, the outer one's */
         BARRIER,      /* 0x90 */
         {0x00007547u | 0xFCu << 16, 0xFFFFFFFC, 0x0383FFFF,
          0}, /* 0xA0: by a uniform predicate, to itself */
         BARRIER,
         {0x0080794D, 0, 0x03800000, 0}, /* EXIT */
         {0x00FC7947, 0xFFFFFFFC, 0x0383FFFF,
          0x000FC000}, /* the jump to itself that ends a kernel, as ptxas writes it */
     }},
    {HEADER(8, LOOPS_BEFORE_90 << 8, offsetof(struct image, section)),
     SECTIONS(sizeof images[0].code),
     NAMES,
     {BARRIER,
      {0x00007223},
      BARRIER,
      {0x00FF9947, 0xFFFFFFD0, 0x0383FFFF, 0},
      BARRIER,
      JUMP_BEFORE_90(7, 16),
      BARRIER,
      JUMP_BEFORE_90(7, -16)}},
    {HEADER(8, JUMPS_OUT << 8, offsetof(struct image, section)),
     SECTIONS(64),
     NAMES,
     {BARRIER, JUMP(7, -32), {0}, JUMP(7, 0)}},
    {HEADER(8, JUMPS_BEFORE << 8, offsetof(struct image, section)),
     SECTIONS(64),
     NAMES,
     {BARRIER, JUMP(7, -48), {0}, {0}}},
    {HEADER(8, JUMPS_BETWEEN << 8, offsetof(struct image, section)),
     SECTIONS(64),
     NAMES,
     {BARRIER, {0}, JUMP(7, -40), {0}}},
    {HEADER(8, JUMPS_BY_REGISTER << 8, offsetof(struct image, section)),
     SECTIONS(64),
     NAMES,
     {BARRIER, JUMP(7, -32), {0x00007949}, {0}}},
    {HEADER(8, BROKEN_TABLE << 8, 0xFFFFFFFFFFFFFF00u), SECTIONS(64), NAMES, {{0x7F89}}},
    {HEADER(8, BROKEN_CODE << 8, offsetof(struct image, section)),
     SECTIONS(0x7FFFFFFFFFFFFFFFu),
     NAMES,
     {{0x7F89}}},
};

TEST(kinds_of_instructions_are_counted)
{
    struct sass_counts counts;
    assert_int_equal(sass_count("hand_made", ARCHITECTURE, &counts), 1);
    assert_int_equal(counts.shuffles, 3);
    assert_int_equal(counts.warp_reductions, 1);
    assert_int_equal(counts.barriers, 2);
    assert_int_equal(counts.float_adds, 4);
    assert_int_equal(sass_count("hand_made", OLDER, &counts), 1);
    assert_int_equal(counts.shuffles, 1);
    assert_int_equal(counts.warp_reductions + counts.barriers + counts.float_adds, 0);
}

/* The code between a jump back and its target is a loop; with a jump of unknown target, loops are
 * unknown. */
TEST(barriers_in_loops_are_counted)
{
    static const struct {
        int architecture, barriers, in_loops;
    } rows[] = {{ARCHITECTURE, 2, 0},      {LOOPS, 6, 2},         {LOOPS_BEFORE_90, 4, 1},
                {JUMPS_OUT, 1, -1},        {JUMPS_BEFORE, 1, -1}, {JUMPS_BETWEEN, 1, -1},
                {JUMPS_BY_REGISTER, 1, -1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sass_counts counts;
        assert_int_equal(sass_count("hand_made", rows[i].architecture, &counts), 1);
        if ((int)counts.barriers != rows[i].barriers || counts.loop_barriers != rows[i].in_loops)
            fail_msg("image %d: %u barriers, %d in loops", rows[i].architecture, counts.barriers,
                     counts.loop_barriers);
    }
}

TEST(missing_kernels_are_not_counted)
{
    static const struct {
        const char *kernel;
        int architecture;
    } rows[] = {
        {"hand_mad", ARCHITECTURE}, {"hand_made_too", ARCHITECTURE},   {"and_made", ARCHITECTURE},
        {"", ARCHITECTURE},         {".text.hand_made", ARCHITECTURE}, {"hand_made", 215},
        {"hand_made", 0},           {"hand_made", BROKEN_TABLE},       {"hand_made", BROKEN_CODE},
        {"_Z13no_such_thingv", 90}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sass_counts counts = {1, 2, 3, 4, 5, 6};
        if (sass_count(rows[i].kernel, rows[i].architecture, &counts))
            fail_msg("'%s' of sm_%d is found", rows[i].kernel, rows[i].architecture);
        WORKS(counts.shuffles + counts.warp_reductions + counts.barriers + counts.float_adds +
              counts.shared_stores); /* nothing left of before */
        assert_int_equal(counts.loop_barriers, 0);
    }
}

RUN_TESTS(fixture_open, fixture_close)
