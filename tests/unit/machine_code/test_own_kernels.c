/*
 * Tests the counts of instructions, the distances of reads and the hashes of the program's own
 * kernels, as this build carries them.
 */
#include "fixture.h"

#include "catalog/registry.h"
#include "machine_code/cubin.h"
#include "machine_code/disassembly.h"
#include "machine_code/kernel_listing.h"
#include "machine_code/machine_code.h"
#include "machine_code/read_distance.h"
#include "version.h"

enum { MACHINE = 190 };

/* ---- counts ---------------------------------------------------------------------------------- */

/* Architectures of the build, from its own compiler flags: "code=sm_90a" is 90. */
static int built_for(int architecture[32])
{
    int count = 0;
    for (const char *p = WHYFAST_NVCC_FLAGS; count < 32 && (p = strstr(p, "code=sm_")); p++)
        architecture[count++] = (int)strtol(p + strlen("code=sm_"), NULL, 10);
    return count;
}

/* A walk over the kernels of all cubins in this process' executable. */
struct own_kernel {
    struct executable program;
    struct cubin cubin;
    int architecture;
    unsigned next; /* section of the cubin */
    const char *name;
    const unsigned char *code;
    size_t bytes;
};

static struct own_kernel open_program(void)
{
    struct own_kernel kernel = {.next = 1};
    assert_true(executable_open(&kernel.program));
    return kernel;
}

/* Moves on to the next kernel. Returns 0 after the last one. */
static int next_kernel(struct own_kernel *kernel)
{
    Elf64_Shdr section;
    do {
        for (; kernel->next < kernel->cubin.header.e_shnum; kernel->next++) {
            if (!cubin_section(&kernel->cubin, kernel->next, &section)) continue;
            kernel->name = cubin_kernel(&kernel->cubin, &section);
            kernel->code = cubin_section_data(&kernel->cubin, &section);
            kernel->bytes = section.sh_size;
            kernel->architecture = cubin_architecture(&kernel->cubin);
            if (kernel->name) return (int)kernel->next++;
        }
        kernel->next = 1;
    } while (cubin_next(&kernel->program, ANY_ARCHITECTURE, &kernel->cubin));
    return 0;
}

/* Counts the images of machine code for a GPU in the executable, by their magic numbers alone. */
static int count_images(const struct executable *program)
{
    int count = 0;
    const unsigned char *end = program->data + program->size - sizeof(Elf64_Ehdr);
    for (const unsigned char *p = program->data;
         p < end && (p = memmem(p, (size_t)(end - p), ELFMAG, SELFMAG)); p++) {
        Elf64_Ehdr header;
        memcpy(&header, p, sizeof header);
        count += header.e_machine == MACHINE;
    }
    return count;
}

/* Returns 1, with its counts, if the kernel is the function of that name, else 0. */
static int is_function(const struct own_kernel *kernel, const char *function,
                       struct sass_counts *counts)
{
    char mangled[64];
    snprintf(mangled, sizeof mangled, "_Z%zu%s", strlen(function), function);
    if (strncmp(kernel->name, mangled, strlen(mangled))) return 0;
    assert_int_equal(sass_count(kernel->name, kernel->architecture, counts), 1);
    return 1;
}

TEST(every_kernel_is_found)
{
    int kernels = 0, cubins = 0;
    struct cubin cubin = {0};
    struct own_kernel kernel = open_program();
    for (; next_kernel(&kernel); kernels++) {
        struct sass_counts counts;
        if (!sass_count(kernel.name, kernel.architecture, &counts))
            fail_msg("%s of sm_%d is not found", kernel.name, kernel.architecture);
        /* Kernels are identified by name: two of the same name must be equal. */
        struct own_kernel other = {.program = kernel.program, .next = 1};
        while (next_kernel(&other) && other.cubin.data < kernel.cubin.data)
            if (other.architecture == kernel.architecture && !strcmp(other.name, kernel.name) &&
                (other.bytes != kernel.bytes || memcmp(other.code, kernel.code, kernel.bytes)))
                fail_msg("two kernels of sm_%d are called %s", kernel.architecture, kernel.name);
    }
    while (cubin_next(&kernel.program, ANY_ARCHITECTURE, &cubin)) cubins++;
    assert_int_equal(cubins, count_images(&kernel.program));
    executable_close(&kernel.program);
    assert_true(kernels >= 7);
}

/* The ladder of sums begins with barriers and shared memory, goes on with shuffles, and ends with
 * one instruction for a warp. */
TEST(known_rungs_have_known_instructions)
{
    enum { NONE, SOME, ANY };
    static const struct {
        const char *name;
        int shuffles, warp_reductions, barriers;
    } rows[] = {
        {"reduce_interleaved_modulo", NONE, NONE, SOME},
        {"reduce_interleaved_strided", NONE, NONE, SOME},
        {"reduce_sequential", NONE, NONE, SOME},
        {"reduce_first_add_on_load", NONE, NONE, SOME},
        {"reduce_last_warp_unrolled", NONE, NONE, SOME},
        {"reduce_fully_unrolled", NONE, NONE, SOME},
        {"reduce_many_per_thread", NONE, NONE, SOME},
        {"reduce_shuffle_xor", SOME, NONE, ANY},
        {"reduce_shuffle_down", SOME, NONE, ANY},
        {"reduce_warp_reduction", NONE, SOME, ANY},
    };
    int seen = 0;
    struct own_kernel kernel = open_program();
    while (next_kernel(&kernel)) {
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            struct sass_counts counts;
            if (kernel.architecture < 80 || !is_function(&kernel, rows[r].name, &counts)) continue;
            if ((rows[r].shuffles != ANY && (counts.shuffles > 0) != (rows[r].shuffles == SOME)) ||
                (rows[r].warp_reductions != ANY &&
                 (counts.warp_reductions > 0) != (rows[r].warp_reductions == SOME)) ||
                (rows[r].barriers != ANY && (counts.barriers > 0) != (rows[r].barriers == SOME)) ||
                counts.float_adds > 0)
                fail_msg("%s of sm_%d: %u shuffles, %u warp reductions, %u barriers, %u float "
                         "additions",
                         kernel.name, kernel.architecture, counts.shuffles, counts.warp_reductions,
                         counts.barriers, counts.float_adds);
            seen++;
        }
    }
    executable_close(&kernel.program);
    if (seen == 0) SKIP("no code for compute capability 8.0 or later in this build");
    assert_true(seen >= 7);
}

/* A step of each ladder of products has one barrier per tile instead of two; a ring of tiles that
 * the copy engine fills has no barrier of the whole block. */
TEST(known_loops_have_known_barriers)
{
    static const struct {
        const char *name;
        int since, barriers;
    } rows[] = {
        {"gemm_shared_tiles", 75, 2},
        {"gemm_wide_loads", 75, 2},
        {"gemm_double_buffer", 75, 1},
        {"gemm_compute_first", 75, 1},
        {"gemm_halves_in_turn", 75, 3},
        {"gemm_async_copies", 80, 1},
        {"gemm_tma_stages", 90, 0},
        {"gemm_tensor_mma_global", 80, 0},
        {"gemm_tensor_swizzled", 80, 2},
        {"gemm_tensor_double_buffer", 80, 1},
        {"gemm_tensor_fragment_buffers", 80, 1},
    };
    int seen = 0, expected = 0, built[32];
    for (int a = built_for(built) - 1; a >= 0; a--)
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
            expected += built[a] >= rows[r].since;
    struct own_kernel kernel = open_program();
    while (next_kernel(&kernel)) {
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            struct sass_counts counts;
            if (kernel.architecture < rows[r].since || !is_function(&kernel, rows[r].name, &counts))
                continue;
            if (counts.loop_barriers != rows[r].barriers)
                fail_msg("%s of sm_%d: %d barriers in loops", kernel.name, kernel.architecture,
                         counts.loop_barriers);
            seen++;
        }
    }
    executable_close(&kernel.program);
    assert_int_equal(seen, expected);
}

/* The kernel's part of nvdisasm's output read so far. */
struct said {
    char kernel[4096];
    struct sass_counts counts;
    char label[512][32]; /* labels passed, and the number of barriers before each */
    unsigned barriers_before[512];
    int labels;
    int in_loop[512]; /* barrier by barrier */
};

/* A jump to an earlier label closes a loop around all barriers since that label. */
static void close_loop(struct said *said, const char *target)
{
    char label[32];
    snprintf(label, sizeof label, "%.*s", (int)strcspn(target, ")"), target);
    for (int i = 0; i < said->labels; i++)
        for (unsigned b = strcmp(said->label[i], label) ? 512 : said->barriers_before[i];
             b < said->counts.barriers && b < 512; b++)
            said->in_loop[b] = 1;
    said->counts.loop_barriers = 0;
    for (unsigned b = 0; b < said->counts.barriers && b < 512; b++)
        said->counts.loop_barriers += said->in_loop[b];
}

/* Reads one line of nvdisasm: the beginning of a kernel, a label, or an instruction, which is
 * counted by its name. */
static void read_line(const char *line, struct said *said)
{
    static const char begins[] = ".text.";
    const char *p = strstr(line, "*/");
    if (!strncmp(line, begins, strlen(begins))) {
        memset(said, 0, sizeof *said);
        snprintf(said->kernel, sizeof said->kernel, "%.*s",
                 (int)strcspn(line + strlen(begins), ":\n"), line + strlen(begins));
    } else if (!strncmp(line, ".L", 2) && said->labels < 512) {
        snprintf(said->label[said->labels], sizeof said->label[0], "%.*s",
                 (int)strcspn(line, ":\n"), line);
        said->barriers_before[said->labels++] = said->counts.barriers;
    }
    if (!p || line[strspn(line, " \t")] != '/') return;
    p += 2;
    p += strspn(p, " \t{");
    if (*p == '@') {
        p += strcspn(p, " ");
        p += strspn(p, " ");
    }
    const size_t length = strcspn(p, " .;\n");
    const struct {
        const char *name;
        unsigned *count;
    } rows[] = {{"SHFL", &said->counts.shuffles},
                {"REDUX", &said->counts.warp_reductions},
                {"BAR", &said->counts.barriers},
                {"FADD", &said->counts.float_adds},
                {"STS", &said->counts.shared_stores}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strlen(rows[i].name) == length && !strncmp(rows[i].name, p, length)) ++*rows[i].count;
    const char *target = length == 3 && !strncmp(p, "BRA", 3) ? strstr(p, "`(") : NULL;
    if (target) close_loop(said, target + 2);
}

static int agree(const char *kernel, int architecture, const struct sass_counts *expected)
{
    struct sass_counts counts;
    if (!*kernel) return 0;
    if (!sass_count(kernel, architecture, &counts))
        fail_msg("%s of sm_%d is not found", kernel, architecture);
    if (counts.shuffles != expected->shuffles ||
        counts.warp_reductions != expected->warp_reductions ||
        counts.barriers != expected->barriers || counts.float_adds != expected->float_adds ||
        counts.shared_stores != expected->shared_stores ||
        counts.loop_barriers != expected->loop_barriers)
        fail_msg("%s of sm_%d: counted %u %u %u %u %u %d; nvdisasm says %u SHFL, %u REDUX, %u BAR, "
                 "%u FADD, %u STS, %d BAR in loops",
                 kernel, architecture, counts.shuffles, counts.warp_reductions, counts.barriers,
                 counts.float_adds, counts.shared_stores, counts.loop_barriers, expected->shuffles,
                 expected->warp_reductions, expected->barriers, expected->float_adds,
                 expected->shared_stores, expected->loop_barriers);
    return 1;
}

/* The counts equal those of nvdisasm: in every fourth cubin, or in all if ALL is set. */
TEST(the_disassembler_agrees)
{
    if (getenv("MEMCHECK")) SKIP("too slow under valgrind");
    char *tool = disassembler_find("nvdisasm");
    static struct said said;
    char command[1400], line[4096];
    int kernels = 0, cubins = 0;
    struct executable program;
    struct cubin cubin = {0};
    if (!tool) SKIP("there is no nvdisasm");
    assert_true(executable_open(&program));
    while (cubin_next(&program, ANY_ARCHITECTURE, &cubin)) {
        if (cubins++ % 4 && !getenv("ALL")) continue;
        const int architecture = cubin_architecture(&cubin);
        memset(&said, 0, sizeof said);
        snprintf(command, sizeof command, "'%s' --no-dataflow '%s' 2>&1", tool,
                 write_bytes("one.cubin", (const char *)cubin.data, cubin_bytes(&cubin)));
        FILE *output = popen(command, "r");
        assert_non_null(output);
        while (fgets(line, sizeof line, output)) {
            if (!strncmp(line, ".text.", 6))
                kernels += agree(said.kernel, architecture, &said.counts);
            read_line(line, &said);
        }
        kernels += agree(said.kernel, architecture, &said.counts);
        if (pclose(output)) fail_msg("%s fails on a cubin of sm_%d: %s", tool, architecture, line);
    }
    executable_close(&program);
    free(tool);
    print_message("# %d kernels compared with nvdisasm\n", kernels);
    assert_true(kernels >= 7);
}

/* ---- distances of reads ---------------------------------------------------------------------- */

static struct read_distances of_kernel(const char *file, const char *function, int architecture)
{
    char path[64], symbol[64];
    snprintf(path, sizeof path, "kernels/gemm/%s.cu", file);
    snprintf(symbol, sizeof symbol, "_Z%zu%sPKfS0_Pfjjj", strlen(function), function);
    const struct listing_request request = {path, symbol};
    OWNED_BY(listing_free) struct listing listing;
    struct read_distances found;
    assert_int_equal(listings_make(&listing, &request, 1, architecture), 0);
    if (strcmp(listing.sass_status, "ok") != 0)
        fail_msg("%s of sm_%d: %s", symbol, architecture, listing.sass_status);
    assert_int_equal(read_distances_of(&found, &listing), 0);
    return found;
}

/* Rungs that multiply what they have just read, and rungs that read ahead. */
TEST(rungs_read_as_they_say)
{
    static const struct {
        const char *file, *function;
        double least, most;
    } rows[] = {{"06_wide_loads", "gemm_wide_loads", 0, 31},
                {"08_double_buffer", "gemm_double_buffer", 32, 64},
                {"10_warp_tiles", "gemm_warp_tiles", 32, 64},
                {"20_fragments_in_turn", "gemm_fragments_in_turn", 0, 4},
                {"21_register_double_buffer", "gemm_register_double_buffer", 44, 64}};
    int built[32];
    char *tool = disassembler_find("nvdisasm");
    if (!tool) SKIP("there is no nvdisasm");
    free(tool);
    for (int a = built_for(built) - 1; a >= 0; a--)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            const double read = of_kernel(rows[i].file, rows[i].function, built[a]).read;
            if (!(read >= rows[i].least && read <= rows[i].most))
                fail_msg("%s of sm_%d: %g instructions ahead, not %g to %g", rows[i].file, built[a],
                         read, rows[i].least, rows[i].most);
        }
}

/* ---- hashes ---------------------------------------------------------------------------------- */

TEST(every_variant_has_its_own_hash)
{
    int architecture[32];
    const int count = built_for(architecture);
    assert_true(count > 0);
    for (int a = 0; a < count; a++) {
        enum { MOST = 512 };
        char hash[MOST][17] = {{0}};
        for (int v = 0; registry_variants[v] && v < MOST; v++) {
            const struct variant *variant = registry_variants[v];
            char reason[120] = "", again[17] = "";
            const int known =
                sass_hash(variant->file, variant->factors, architecture[a], hash[v], reason);
            if (!known) {
                /* Code of a library has its own files in its line table, and the CPU has no
                 * machine code of a GPU: absent, with the reason. */
                if (variant_kind(variant) == KIND_KERNEL || !*reason)
                    fail_msg("%s, sm_%d: %s", variant->file, architecture[a], reason);
                assert_string_equal(hash[v], "");
                continue;
            }
            assert_int_equal(strspn(hash[v], "0123456789abcdef"), 16);
            assert_true(sass_hash(variant->file, variant->factors, architecture[a], again, reason));
            assert_string_equal(again, hash[v]);
            for (int i = 0; i < v; i++)
                if (!strcmp(hash[i], hash[v]))
                    fail_msg("%s and %s have the same hash", registry_variants[i]->file,
                             variant->file);
        }
    }
}

TEST(missing_code_has_a_reason)
{
    char hash[17] = "untouched", reason[120];
    int architecture[32] = {90};
    built_for(architecture);
    assert_false(sass_hash("kernels/reduce/99_not_there.cu", NULL, architecture[0], hash, reason));
    holds(reason, "carries no code of this file for sm_");
    assert_string_equal(hash, "untouched");
    if (!registry_variants[0]) return;
    assert_false(sass_hash(registry_variants[0]->file, NULL, 12, hash, reason));
    holds(reason, "sm_12");
}

RUN_TESTS(fixture_open, fixture_close)
