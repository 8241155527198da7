/*
 * Writes the files of the injected library for the unit tests of harness/watched_program/. Nothing
 * is owned.
 */
#ifndef TESTS_UNIT_PARTS_H
#define TESTS_UNIT_PARTS_H

#include "fixture.h"
#include "watched_program/program_parts.h"

#define PART_KERNELS                                                                               \
    "kernel,symbol,device,grid_x,grid_y,grid_z,block_x,block_y,block_z,dynamic_shared,"            \
    "static_shared,registers,local_bytes,max_block_threads,blocks_per_sm,range,cubin,graph\n"
#define PART_LAUNCHES "kernel,ordinal,begin_ns,end_ns,stream\n"

/* One process with three kernels: 6 launches of 100 ns, 2 of 1000 ns, and 1 of 10 ns by a graph. */
static const char three_kernels[] =
    PART_KERNELS "0,add,0,4,1,1,256,1,1,0,1024,32,0,1024,8,\"a,b\",12ab,0\n"
                 "1,mul,0,2,3,1,32,1,1,512,0,16,0,1024,,,,0\n"
                 "2,mul,0,2,1,1,32,1,1,0,0,16,0,,,,,1\n";
static const char nine_launches[] = PART_LAUNCHES
    "0,0,0,100,7\n0,1,200,300,7\n0,2,400,500,7\n0,3,600,700,7\n0,4,800,900,7\n0,5,1000,1100,7\n"
    "1,0,2000,3000,7\n1,1,4000,5000,7\n2,0,6000,6010,8\n";

static inline void write_part(const char *directory, const char *name, const char *text)
{
    struct path path = path_in(place(directory), name);
    assert_int_equal(directory_make(place(directory)), 0);
    FILE *file = fopen(path.at, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static struct program_parts parts;

/* Reads the parts in this directory, in place of those before. */
static inline void read_from(const char *directory)
{
    program_parts_free(&parts);
    assert_int_equal(program_parts_read(&parts, place(directory)), 0);
}

static inline int read_parts(void **state)
{
    write_part("watch/0", "process.txt",
               "pid: 5\nexecutable: /usr/bin/python3.11\narguments: python3\t-u\tdir/train.py\t"
               "x\nchip: GH100\ncupti_version: 130001\ngraph: 1\nended: exit\ncut of");
    write_part("watch/0", "kernels.csv", three_kernels);
    write_part("watch/0", "launches.csv", nine_launches);
    read_from("watch");
    return 0;
}

static inline int free_parts(void **state)
{
    program_parts_free(&parts);
    return 0;
}

/* A test that finds the three kernels read. */
#define PARTS_TEST(test) TEST_WITHIN(test, read_parts, free_parts)

#endif
