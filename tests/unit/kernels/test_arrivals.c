/*
 * Tests the machine code of all kernels for Hopper: no warp arrives at a barrier in shared memory
 * while words that it loads from shared memory are still on their way to registers. Others may
 * overwrite the words once it has arrived (once_loaded in mbarrier.h). Branches are not followed;
 * loads that may be from any memory, and arrivals of asynchronous copies, are left out.
 *
 * An instruction takes 16 bytes. Its lowest 12 bits are the operation. Bits 110 to 112 name the
 * scoreboard that it sets until its result is there, 7 for none, and bits 116 to 121 the
 * scoreboards that it waits for. Bits 87 to 91 of a branch are 7 unless it depends on something
 * besides its predicate, as BRA.DIV does on whether the warp has diverged. (Read off the listings
 * of nvdisasm 13.)
 */
#include "fixture.h"

#include "catalog/registry.h"
#include "machine_code/cubin.h"

enum { SCOREBOARDS = 6, INSTRUCTION = 16, HOPPER = 90 };
enum { LOAD = 0x984, LOAD_MATRIX = 0x83b, ARRIVAL = 0x9a7, BRANCH = 0x947, EXIT = 0x94d };

struct instruction {
    uint64_t low, high;
};

static unsigned operation(const struct instruction *i)
{
    return i->low & 0xfff;
}

static unsigned scoreboard_set(const struct instruction *i)
{
    return i->high >> 46 & 7;
}

static unsigned scoreboards_awaited(const struct instruction *i)
{
    return i->high >> 52 & 63;
}

/* Predicate 7 is always true. */
static int goes_elsewhere(const struct instruction *i)
{
    const int is_always = (i->low >> 12 & 15) == 7;
    return is_always &&
           (operation(i) == EXIT || (operation(i) == BRANCH && (i->high >> 23 & 31) == 7));
}

struct counts {
    int loads, arrivals, early; /* early: arrivals before a load has finished */
    size_t first_early;         /* its place in the code */
};

/* Reads the code from beginning to end, and forgets the loads after what always goes elsewhere. */
static struct counts scan(const unsigned char *code, size_t bytes)
{
    struct counts counts = {0};
    unsigned loading = 0; /* scoreboards of loads that nothing has waited for */
    for (size_t at = 0; at + INSTRUCTION <= bytes; at += INSTRUCTION) {
        struct instruction i;
        memcpy(&i, code + at, sizeof i);
        const unsigned what = operation(&i);
        loading &= ~scoreboards_awaited(&i);
        if (what == LOAD || what == LOAD_MATRIX) {
            counts.loads++;
            if (scoreboard_set(&i) < SCOREBOARDS) loading |= 1u << scoreboard_set(&i);
        }
        if (what == ARRIVAL) {
            counts.arrivals++;
            if (loading && !counts.early++) counts.first_early = at;
        }
        if (goes_elsewhere(&i)) loading = 0;
    }
    return counts;
}

static struct instruction made(unsigned operation, unsigned set, unsigned awaited)
{
    return (struct instruction){operation | 7 << 12,
                                (uint64_t)7 << 23 | (uint64_t)set << 46 | (uint64_t)awaited << 52};
}

TEST(an_early_arrival_is_found)
{
    const struct instruction code[] = {made(LOAD, 1, 0),         made(LOAD_MATRIX, 3, 0),
                                       made(ARRIVAL, 7, 1 << 1), made(ARRIVAL, 7, 1 << 3),
                                       made(LOAD, 1, 0),         made(BRANCH, 7, 0),
                                       made(ARRIVAL, 7, 0)};
    const struct counts counts = scan((const unsigned char *)code, sizeof code);
    assert_int_equal(counts.loads, 3);
    assert_int_equal(counts.arrivals, 3);
    assert_int_equal(counts.early, 1);
    assert_int_equal(counts.first_early, 2 * INSTRUCTION);
}

/* A branch under predicate 0, one that depends on the warp, and an exit under predicate 0. */
TEST(branches_that_may_not_be_taken_hide_nothing)
{
    struct instruction code[] = {made(LOAD, 1, 0), made(BRANCH, 7, 0), made(ARRIVAL, 7, 0)};
    assert_int_equal(scan((const unsigned char *)code, sizeof code).early, 0);
    code[1].low &= ~(uint64_t)(15 << 12);
    assert_int_equal(scan((const unsigned char *)code, sizeof code).early, 1);
    code[1] = made(BRANCH, 7, 0);
    code[1].high |= (uint64_t)16 << 23;
    assert_int_equal(scan((const unsigned char *)code, sizeof code).early, 1);
    code[1] = made(EXIT, 7, 0);
    assert_int_equal(scan((const unsigned char *)code, sizeof code).early, 0);
    code[1].low &= ~(uint64_t)(15 << 12);
    assert_int_equal(scan((const unsigned char *)code, sizeof code).early, 1);
}

TEST(no_kernel_arrives_early)
{
    struct executable executable;
    struct cubin cubin = {0};
    int images = 0, loads = 0, arrivals = 0, early = 0;
    assert_non_null(registry_variants[0]); /* which links the kernels with the test */
    assert_true(executable_open(&executable));
    while (cubin_next(&executable, HOPPER, &cubin)) {
        Elf64_Shdr section;
        images++;
        for (unsigned index = 1; index < cubin.header.e_shnum; index++) {
            if (!cubin_section(&cubin, index, &section) || !cubin_kernel(&cubin, &section))
                continue;
            const struct counts counts =
                scan(cubin_section_data(&cubin, &section), section.sh_size);
            loads += counts.loads;
            arrivals += counts.arrivals;
            early += counts.early;
            if (counts.early)
                print_message("%s: %d of %d arrivals before the end of a load, first at 0x%zx\n",
                              cubin_kernel(&cubin, &section), counts.early, counts.arrivals,
                              counts.first_early);
        }
    }
    executable_close(&executable);
    if (!images) SKIP("this build carries no code for Hopper");
    assert_in_range(loads, 1000, 10000000);
    assert_in_range(arrivals, 100, 10000000);
    assert_int_equal(early, 0);
}

RUN_TESTS(NULL, NULL)
