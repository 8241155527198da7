/*
 * Makes a run with per-line data, for the tests about lines: three launches of three variants whose
 * sums can be done in the head.
 *
 *   kernel 0   f/01_a, launch 0: a load, a store without conflicts, a two-way conflict in an
 *              inlined function, a product in a toolkit header
 *   kernel 1   f/02_b, launch 0: no conflicts, but a wide read that needs less than its ideal
 *   kernel 2   f/02_b, launch 1: nothing was counted, nothing sampled, and no line is known
 *   kernel 3   f/03_c, launch 0: conflicts that cost nothing, not sampled
 */
#ifndef TESTS_UNIT_LINES_RUN_H
#define TESTS_UNIT_LINES_RUN_H

#include "fixture.h"

#include "base/text.h"

static const char source_a[] = "/* A story of conflicts. */\n"
                               "#include \"shared.h\"\n"
                               "\n"
                               "static __global__ void a(float *x)\n"
                               "{\n"
                               "    __shared__ float s[64];\n"
                               "\ts[threadIdx.x] = x[0];\n"
                               "    x[0] = twice(s);\n"
                               "}\n"
                               "\n"
                               "/* What follows has no instructions. */\n"
                               "VARIANT_DEFINITION = {\n"
                               "};\n";

static const char source_shared[] = "static __device__ float twice(const float *s)\n"
                                    "{\n"
                                    "    return 2 * s[threadIdx.x * 2];\n"
                                    "}\n";

static const char source_b[] =
    "static __global__ void b(float *x) {\n    x[0] = 1; /* \xC3\xA9t\xC3\xA9 \033[31m */\n}\n";

UNUSED_IS_FINE static const char lines_kernels[] =
    "0,f,01_a,1024,32,0,0,_Z1aPf,a,ok,ok,2,1000,103,1,2,ok,ok,5.5,12,ok\n"
    "1,f,02_b,1024,32,0,0,_Z1bPf,b,ok,ok,2,1000,40,0,0,ok,ok,,,absent: no loop\n"
    "2,f,02_b,1024,32,0,1,_Z1bPf,b,absent: refused,absent: nothing came,,,,,,absent: no line "
    "table,absent: no disassembler\n"
    "3,f,03_c,1024,32,0,0,_Z1cPf,c,ok,absent: nothing came,,,,,,ok,ok\n";

UNUSED_IS_FINE static const char lines_rows[] =
    "0,0,0,7,,\"LDG R1, [R2]\",100,3200,3200,,,,,800,400,,50,35,long_scoreboard=40/35 "
    "selected=10/0\n"
    "0,16,0,7,,\"STS [R3], R1\",100,3200,3200,,,100,100,,,,10,5,short_scoreboard=6/5 wait=4/0\n"
    "0,32,1,3,0:8,\"LDS R4, [R5]\",100,3200,1600,,,200,100,,,,30,20,short_scoreboard=20/15 "
    "mio_throttle=5/5 selected=5/0\n"
    "0,48,2,99,1:3 0:8,\"FMUL R4, R4, 2\",100,3200,1600,,,,,,,,8,2,wait=8/2\n"
    "0,64,0,9,,EXIT,100,3200,3200,90,10,,,,,,2,1,wait=2/1\n"
    "0,80,,,,NOP,0,0,0,,,,,,,,0,0,\n"
    "1,0,3,2,,\"LDS.128 R4, [R5]\",10,320,320,,,20,40,,,,30,10,short_scoreboard=15/5 wait=15/5\n"
    "1,16,3,2,,\"STG [R2], R4\",10,320,320,,,,,40,40,,10,0,selected=10/0\n"
    "3,0,3,2,,\"LDS R4, [R5]\",10,320,320,,,15,10,,,,,,\n";

/* metrics.csv: a clean time of 1000 cycles, in which the pipe of 10 SMs could take 10000
 * wavefronts. */
UNUSED_IS_FINE static const char lines_metrics[] =
    "family,variant,size,block,sweep,best,time_kernels_ns,sm_clock_mhz,launches\n"
    "f,01_a,1024,32,0,1,1000,1000,1\n"
    "f,02_b,1024,32,0,1,2000,1000,2\n"
    "f,03_c,1024,32,0,1,1000,1000,1\n";

/* kernel_counters.csv: the hardware's counts. */
UNUSED_IS_FINE static const char lines_counters[] =
    "kernel,shared_conflicts_all\n0,104\n1,3\n3,5\n";

/* Writes sources.csv, and source_files.csv with this text of shared.h, or without one if it is
 * NULL. */
UNUSED_IS_FINE static void write_sources(const char *shared)
{
    const struct {
        const char *path, *bytes, *text;
    } source[] = {{"kernels/f/01_a.cu", source_a, source_a},
                  {"kernels/f/shared.h", source_shared, shared},
                  {"include/toolkit/product.h", NULL, NULL},
                  {"kernels/f/02_b.cu", source_b, source_b}};
    OWNED_BY(text_free) struct text rows = {0};
    struct csv_writer files = {.file = fopen(place("l/source_files.csv"), "w")};
    assert_non_null(files.file);
    table_header(&files, TABLE_SOURCE_FILES);
    for (int i = 0; i < 4; i++) {
        const char *bytes = source[i].bytes;
        char hash[17] = "";
        if (bytes) hash_text(hash_bytes(HASH_START, bytes, strlen(bytes)), hash);
        text_format(&rows, "%d,%s,%s,%s\n", i, source[i].path, hash,
                    bytes ? "ok" : "absent: no file of the project");
        if (!source[i].text) continue;
        csv_integer(&files, i);
        csv_text(&files, source[i].text);
        csv_end(&files);
    }
    fclose(files.file);
    write_table("l", TABLE_SOURCES, text_string(&rows));
}

/* Makes the run l/. */
UNUSED_IS_FINE static void make_lines_run(void)
{
    make_data("");
    make_run("l");
    write_variants("l", "f,01_a,1,A,,kernel\nf,02_b,2,B,01_a,kernel\nf,03_c,3,C,02_b,kernel\nf,04_"
                        "d,4,D,03_c,kernel\n");
    write_sources(source_shared);
    write_table("l", TABLE_KERNELS, lines_kernels);
    write_table("l", TABLE_LINES, lines_rows);
    /* Closed forms: 100, none, none, 5. */
    write_table("l", TABLE_LAUNCHES,
                "f,01_a,1024,32,0,0,1,32,8,0,0,0,1,50,warps,100\nf,02_b,1024,32,0,0,1,32,8,0,0,0,1,"
                "50,warps,\n"
                "f,02_b,1024,32,0,1,1,32,8,0,0,0,1,50,warps,\nf,03_c,1024,32,0,0,1,32,8,0,0,0,1,50,"
                "warps,5\n");
    write_text("l/metrics.csv", lines_metrics);
    write_text("l/kernel_counters.csv", lines_counters);
}

#endif
