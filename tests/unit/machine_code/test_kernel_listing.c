#include "fixture.h"

#include <elf.h>

#include "machine_code/cubin.h"
#include "machine_code/disassembly.h"
#include "machine_code/kernel_listing.h"
#include "catalog/registry.h"
#include "version.h"

/* ---- hand-made images ------------------------------------------------------------------------ */

/* Cubins without a line table, for architectures that do not exist, preceded by the name of their
 * source. The code under test reads the executable of this process, so it finds them here. The
 * second one has a section out of bounds. */
enum { MACHINE = 190, ARCHITECTURE = 221, BROKEN = 222, SECTIONS = 4 };

struct image {
    char label[24];
    Elf64_Ehdr header;
    Elf64_Shdr section[SECTIONS];
    char names[32];
    uint32_t code[3][4];
};

#define IN_IMAGE(member) (offsetof(struct image, member) - offsetof(struct image, header))
#define IMAGE(architecture, more_bytes)                                                            \
    {                                                                                              \
        .label = "kernels/made/by_hand.cu",                                                        \
        .header = {.e_ident = {0x7F, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT, 0x41, 8}, \
                   .e_machine = MACHINE,                                                           \
                   .e_flags = (architecture) << 8,                                                 \
                   .e_shoff = IN_IMAGE(section),                                                   \
                   .e_shentsize = sizeof(Elf64_Shdr),                                              \
                   .e_shnum = SECTIONS,                                                            \
                   .e_shstrndx = 1},                                                               \
        .section = {{.sh_type = SHT_NULL},                                                         \
                    {.sh_name = 1,                                                                 \
                     .sh_type = SHT_STRTAB,                                                        \
                     .sh_offset = IN_IMAGE(names),                                                 \
                     .sh_size = sizeof(((struct image *)0)->names)},                               \
                    {.sh_name = 11,                                                                \
                     .sh_type = SHT_PROGBITS,                                                      \
                     .sh_offset = IN_IMAGE(code),                                                  \
                     .sh_size = sizeof(((struct image *)0)->code)},                                \
                    {.sh_type = SHT_PROGBITS, .sh_offset = 64, .sh_size = (more_bytes)}},          \
        .names = "\0.shstrtab\0.text.hand_made"                                                    \
    }

__attribute__((used)) static const struct image images[] = {IMAGE(ARCHITECTURE, 16),
                                                            IMAGE(BROKEN, UINT64_MAX / 2)};

static char path_at_first[4096];

/* Makes this directory of the scratch directory the whole PATH. */
static void path_is(const char *directory)
{
    if (!*path_at_first)
        snprintf(path_at_first, sizeof path_at_first, "%s", getenv("PATH") ? getenv("PATH") : "");
    make_directory(directory);
    setenv("PATH", place(directory), 1);
    setenv("NVCC", "/nowhere/nvcc", 1);
}

/* Writes a tool that runs this script, which it frees. */
static void write_tool(const char *name, char *script)
{
    assert_int_equal(chmod(write_text(name, script), 0700), 0);
    free(script);
}

/* The disassembler of this machine. */
static char *own_disassembler(void)
{
    setenv("PATH", path_at_first, 1);
    unsetenv("NVCC");
    char *tool = disassembler_find("nvdisasm");
    if (!tool) SKIP("there is no nvdisasm");
    return tool;
}

/* The listing of one kernel of a file. */
static int listing_make(struct listing *listing, const char *file, const char *symbol,
                        int architecture)
{
    return listings_make(listing, &(struct listing_request){file, symbol}, 1, architecture);
}

/* All kernels of the first cubin of a source file. */
struct listings {
    struct listing *listing;
    int count;
};

/* Returns 0 if this executable carries no cubin of the file. */
static int list_file(struct listings *listings, const char *file, int architecture)
{
    struct executable executable;
    struct cubin cubin = {0};
    struct listing_request *request = NULL;
    memset(listings, 0, sizeof *listings);
    assert_true(executable_open(&executable));
    while (!listings->count && cubin_next(&executable, architecture, &cubin)) {
        if (!cubin_is_of_file(&cubin, file)) continue;
        request = calloc(cubin.header.e_shnum, sizeof *request);
        assert_non_null(request);
        for (unsigned i = 1; i < cubin.header.e_shnum; i++) {
            Elf64_Shdr section;
            const char *symbol =
                cubin_section(&cubin, i, &section) ? cubin_kernel(&cubin, &section) : NULL;
            if (symbol) request[listings->count++] = (struct listing_request){file, symbol};
        }
    }
    listings->listing = calloc((size_t)listings->count + 1, sizeof *listings->listing);
    assert_non_null(listings->listing);
    assert_int_equal(listings_make(listings->listing, request, listings->count, architecture), 0);
    free(request);
    executable_close(&executable);
    return listings->count > 0;
}

static void listings_free(struct listings *listings)
{
    for (int i = 0; i < listings->count; i++) listing_free(&listings->listing[i]);
    free(listings->listing);
}

TEST(missing_parts_have_a_reason)
{
    struct listing listing;
    path_is("empty");
    WORKS(listing_make(&listing, "kernels/made/by_hand.cu", "hand_made", ARCHITECTURE));
    assert_string_equal(listing.symbol, "hand_made");
    assert_string_equal(listing.lines_status, "absent: the cubin has no line table");
    assert_string_equal(listing.sass_status,
                        "absent: neither nvdisasm nor cuobjdump is on the PATH or beside nvcc");
    assert_int_equal(listing.count, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(listing.instruction[i].pc, 16 * i);
        assert_int_equal(listing.instruction[i].location_count, 0);
        assert_null(listing.instruction[i].sass);
    }
    listing_free(&listing);
    assert_int_equal(listing_make(&listing, "kernels/made/by_hand.cu", "hand_made", BROKEN), 0);
    assert_string_equal(listing.sass_status, "absent: the cubin is damaged");
    assert_int_equal(listing.count, 3);
    listing_free(&listing);
}

/* A tool that omits some instructions of a kernel, or all. */
TEST(a_partial_disassembly_is_reported)
{
    static const struct {
        const char *text, *status, *last;
    } rows[] = {
        {".text.hand_made:\nhand_made:\n/*0000*/ ONE ;\n/*0010*/ TWO ;\n/*0020*/ BRA `(hand_made) "
         ";",
         "ok", "BRA 0x0"},
        {".text.hand_made:\n/*0000*/ ONE ;\n/*0020*/ THREE ;", "absent: of 1 of 3 instructions",
         "THREE"},
        {".text.other:\n/*0000*/ ONE ;", "absent: of 3 of 3 instructions", NULL},
    };
    path_is("tools");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct listing listing;
        write_tool(
            "tools/nvdisasm",
            text_new("#!/bin/sh\nwhile read -r line; do echo \"$line\"; done <<'END'\n%s\nEND\n",
                     rows[i].text));
        WORKS(listing_make(&listing, "kernels/made/by_hand.cu", "hand_made", ARCHITECTURE));
        assert_string_equal(listing.sass_status, rows[i].status);
        const char *last = listing.instruction[2].sass;
        if (!last != !rows[i].last || (last && strcmp(last, rows[i].last)))
            fail_msg("row %zu: %s", i, last ? last : "(none)");
        listing_free(&listing);
    }
}

/* Writes the first cubin of this program that has two kernels as two.cubin, and tells the index of
 * the function of each in its symbol table. */
static void write_cubin(char symbol[2][200], unsigned function[2])
{
    struct executable executable;
    struct cubin cubin = {0};
    int count = 0;
    assert_true(executable_open(&executable));
    while (count < 2 && cubin_next(&executable, ANY_ARCHITECTURE, &cubin)) {
        count = 0;
        for (unsigned i = 1; i < cubin.header.e_shnum && count < 2; i++) {
            Elf64_Shdr section;
            const char *name =
                cubin_section(&cubin, i, &section) ? cubin_kernel(&cubin, &section) : NULL;
            if (!name || strlen(name) >= sizeof symbol[0]) continue;
            strcpy(symbol[count], name);
            function[count++] = cubin_function_in(&cubin, i);
        }
    }
    assert_int_equal(count, 2);
    FILE *file = fopen(place("two.cubin"), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(cubin.data, cubin_bytes(&cubin), 1, file), 1);
    fclose(file);
    executable_close(&executable);
}

TEST(only_the_requested_kernels_of_a_cubin_are_disassembled)
{
    char symbol[2][200], expected[64];
    unsigned function[2];
    path_is("tools");
    write_cubin(symbol, function);
    OWNED char *file = strdup(place("two.cubin"));
    assert_int_not_equal(function[0], 0);
    assert_int_not_equal(function[0], function[1]);
    write_tool("tools/nvdisasm",
               text_new("#!/bin/sh\necho \"$1 $3 $4 $5\" >'%s'\n", place("asked")));
    for (int count = 1; count <= 2; count++) {
        const struct listing_request request[] = {{file, symbol[1]}, {file, symbol[0]}};
        struct listing listing[2];
        struct listing_tools *tools = count == 1 ? NULL : listings_begin(request, count);
        assert_int_equal(listings_of_cubins(listing, request, count, tools), 0);
        for (int i = 0; i < count; i++) {
            assert_string_equal(listing[i].symbol, symbol[1 - i]);
            assert_true(listing[i].count > 0);
            assert_string_equal(listing[i].sass_status, "absent: nvdisasm printed no code");
            listing_free(&listing[i]);
        }
        if (count == 1)
            snprintf(expected, sizeof expected, "-c -ndf -fun %u\n", function[1]);
        else
            snprintf(expected, sizeof expected, "-c -ndf -fun %u,%u\n", function[1], function[0]);
        OWNED char *asked = text_read_file(place("asked"), NULL);
        assert_non_null(asked);
        assert_string_equal(asked, expected);
    }
}

/* More files than tools run at once, which cannot be joined with the one before, each of which was
 * asked for twice, and one that is none. */
TEST(many_cubins_are_disassembled_at_once)
{
    enum { FILES = 10, COUNT = 2 * FILES + 1 };
    char symbol[2][200], nothing[] = "/nowhere";
    unsigned function[2];
    struct listing listing[COUNT];
    struct listing_request request[COUNT];
    size_t length;
    path_is("tools");
    write_cubin(symbol, function);
    write_tool("tools/nvdisasm", text_new("#!/bin/sh\necho x >>'%s'\n", place("ran")));
    char *cubin = text_read_file(place("two.cubin"), &length);
    for (int i = 0; i < COUNT - 1; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d.cubin", i % FILES);
        cubin[EI_NIDENT - 1] = (char)(i % FILES % 2);
        request[i] =
            (struct listing_request){strdup(write_bytes(name, cubin, length)), symbol[i / FILES]};
    }
    free(cubin);
    request[COUNT - 1] = (struct listing_request){nothing, symbol[0]};
    WORKS(listings_of_cubins(listing, request, COUNT, listings_begin(request, COUNT)));
    for (int i = 0; i < COUNT; i++) {
        const char *status = i < COUNT - 1 ? "absent: nvdisasm printed no code"
                                           : "absent: the machine code is not known";
        assert_string_equal(listing[i].sass_status, status);
        assert_int_equal(listing[i].count > 0, i < COUNT - 1);
        listing_free(&listing[i]);
    }
    char *ran = text_read_file(place("ran"), NULL);
    assert_int_equal(strlen(ran), 2 * FILES);
    free(ran);
    listings_give_up(listings_begin(request, COUNT));
    for (int i = 0; i < COUNT - 1; i++) free((char *)(uintptr_t)request[i].file);
}

enum { CUBINS = 40, LACKING = 13 };

/* Lists a kernel of each of as many cubins, one of which lacks it. */
static void list_cubins(struct listing listing[CUBINS], char symbol[2][200], unsigned function[2])
{
    struct listing_request request[CUBINS];
    char name[32];
    size_t length;
    write_cubin(symbol, function);
    char *cubin = text_read_file(place("two.cubin"), &length);
    for (int i = 0; i < CUBINS; i++) {
        snprintf(name, sizeof name, "%d.cubin", i);
        request[i].file = strdup(write_bytes(name, cubin, length));
        request[i].symbol = i == LACKING ? "of_another" : symbol[i % 2];
    }
    free(cubin);
    WORKS(listings_of_cubins(listing, request, CUBINS, listings_begin(request, CUBINS)));
    for (int i = 0; i < CUBINS; i++) free((char *)(uintptr_t)request[i].file);
    assert_string_equal(listing[LACKING].sass_status, "absent: the machine code is not known");
}

/* If cubins cannot be disassembled together, each is by itself. */
TEST(every_listing_has_the_code_of_its_own_cubin)
{
    char symbol[2][200], expected[32];
    unsigned function[2];
    struct listing listing[CUBINS];
    path_is("each");
    write_cubin(symbol, function);
    write_tool("each/nvdisasm", text_new("#!/bin/sh\necho >>\"${0%%/*}/runs\"\n"
                                         "case $5 in %u) n=%s ;; %u) n=%s ;; *) exit 1 ;; esac\n"
                                         "printf '.text.%%s:\\n/*0000*/ OF_%%s ;\\n' $n $5\n",
                                         function[0], symbol[0], function[1], symbol[1]));
    list_cubins(listing, symbol, function);
    for (int i = 0; i < CUBINS; i++) {
        snprintf(expected, sizeof expected, "OF_%u", function[i % 2]);
        if (i != LACKING) assert_string_equal(listing[i].instruction[0].sass, expected);
        listing_free(&listing[i]);
    }
    assert_in_range(strlen(read_text("each/runs")), CUBINS, CUBINS + 2);
}

/* Writes cubins of this program as files, and requests a kernel of each. Returns their number. */
static int request_cubins(struct listing_request *request, char (*symbol)[200], int most)
{
    struct executable executable;
    struct cubin cubin = {0};
    Elf64_Shdr section;
    int count = 0;
    assert_true(executable_open(&executable));
    while (count < most && cubin_next(&executable, ANY_ARCHITECTURE, &cubin)) {
        const char *name = NULL;
        char file[32];
        for (unsigned i = 1; i < cubin.header.e_shnum && !name; i++)
            if (cubin_section(&cubin, i, &section)) name = cubin_kernel(&cubin, &section);
        if (!name || strlen(name) >= sizeof *symbol || !strncmp(name, "hand_", 5)) continue;
        snprintf(file, sizeof file, "%d.cubin", count);
        strcpy(symbol[count], name);
        request[count].file =
            strdup(write_bytes(file, (const char *)cubin.data, cubin_bytes(&cubin)));
        request[count].symbol = symbol[count];
        count++;
    }
    executable_close(&executable);
    return count;
}

TEST(different_cubins_are_disassembled_together)
{
    enum { MOST = 8 };
    struct listing_request request[MOST];
    struct listing together[MOST], alone;
    char symbol[MOST][200];
    free(own_disassembler());
    const int count = request_cubins(request, symbol, MOST);
    assert_true(count > 1);
    assert_int_equal(listings_of_cubins(together, request, count, NULL), 0);
    for (int i = 0; i < count; i++) {
        assert_int_equal(listings_of_cubins(&alone, &request[i], 1, NULL), 0);
        assert_string_equal(together[i].sass_status, "ok");
        assert_int_equal(together[i].count, alone.count);
        for (int k = 0; k < alone.count; k++)
            assert_string_equal(together[i].instruction[k].sass, alone.instruction[k].sass);
        listing_free(&alone);
        listing_free(&together[i]);
        free((char *)(uintptr_t)request[i].file);
    }
}

/* The code of cubins that are disassembled together is that of each by itself. */
TEST(cubins_are_disassembled_together)
{
    char symbol[2][200];
    unsigned function[2];
    struct listing listing[CUBINS], alone[2];
    OWNED char *tool = own_disassembler();
    path_is("joined");
    write_tool("joined/nvdisasm",
               text_new("#!/bin/sh\necho >>\"${0%%/*}/runs\"\nexec %s \"$@\"\n", tool));
    list_cubins(listing, symbol, function);
    assert_in_range(strlen(read_text("joined/runs")), 1, 4);
    for (int i = 0; i < 2; i++) {
        const struct listing_request request = {place("two.cubin"), symbol[i]};
        assert_int_equal(listings_of_cubins(&alone[i], &request, 1, NULL), 0);
        assert_string_equal(alone[i].sass_status, "ok");
    }
    for (int i = 0; i < CUBINS; i++) {
        assert_int_equal(listing[i].count, i == LACKING ? 0 : alone[i % 2].count);
        for (int k = 0; k < listing[i].count; k++)
            assert_string_equal(listing[i].instruction[k].sass, alone[i % 2].instruction[k].sass);
        listing_free(&listing[i]);
    }
    for (int i = 0; i < 2; i++) listing_free(&alone[i]);
}

TEST(kernels_not_carried_have_empty_listings)
{
    static const struct {
        const char *file, *symbol;
        int architecture;
    } rows[] = {{"kernels/made/by_hand.cu", "hand_mad", ARCHITECTURE},
                {"kernels/made/by_foot.cu", "hand_made", ARCHITECTURE},
                {"kernels/made/by_hand.cu", "hand_made", 223},
                {"kernels/made/by_hand.cu", "", ARCHITECTURE}};
    path_is("empty");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct listing listing;
        listen_to_stderr();
        const int result =
            listing_make(&listing, rows[i].file, rows[i].symbol, rows[i].architecture);
        assert_string_equal(heard(), "");
        assert_string_equal(listing.lines_status,
                            "absent: the code belongs to a library, not to this program");
        assert_string_equal(listing.sass_status, listing.lines_status);
        if (result || listing.count || listing.instruction || listing.symbol)
            fail_msg("row %zu: %d", i, result);
    }
    struct listings listings;
    assert_false(list_file(&listings, "kernels/made/by_foot.cu", ARCHITECTURE));
    listings_free(&listings);
    assert_true(list_file(&listings, "kernels/made/by_hand.cu", ARCHITECTURE));
    assert_int_equal(listings.count, 1);
    listings_free(&listings);
}

/* Kernels of one file share a run of the disassembler; one that is not carried changes nothing. */
TEST(the_disassembler_runs_once_for_a_file)
{
    static const struct listing_request request[] = {{"kernels/made/by_hand.cu", "hand_made"},
                                                     {"kernels/made/by_foot.cu", "hand_made"},
                                                     {"kernels/made/by_hand.cu", "hand_made"}};
    struct listing listing[3];
    path_is("counted");
    WORKS(chmod(write_text("counted/nvdisasm", "#!/bin/sh\necho >>\"${0%/*}/runs\"\n"
                                               "echo .text.hand_made:\n"
                                               "echo '/*0000*/ ONE ;'\n"),
                0700));
    assert_int_equal(listings_make(listing, request, 3, ARCHITECTURE), 0);
    assert_string_equal(read_text("counted/runs"), "\n");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(listing[i].count, i == 1 ? 0 : 3);
        if (i != 1) assert_string_equal(listing[i].instruction[0].sass, "ONE");
        listing_free(&listing[i]);
    }
}

/* ---- the program's own kernels --------------------------------------------------------------- */

/* Architectures of the build, from its own compiler flags: "code=sm_90a" is 90. */
static int built_for(int architecture[32])
{
    int count = 0;
    for (const char *p = WHYFAST_NVCC_FLAGS; count < 32 && (p = strstr(p, "code=sm_")); p++)
        architecture[count++] = (int)strtol(p + strlen("code=sm_"), NULL, 10);
    return count;
}

/* Returns 1 if the variant's code comes from its own file and the project's headers. The code of
 * CUB comes from the toolkit's. */
static int is_ours(const struct variant *variant)
{
    return variant_kind(variant) == KIND_KERNEL;
}

/* Counts the lines of a file of the project; 0 if there is no such file. */
static unsigned lines_of(const char *file)
{
    unsigned count = 0;
    char *path = text_new("%s/%s", root(), file), *text = text_read_file(path, NULL);
    for (const char *p = text; p && (p = strchr(p, '\n')); p++) count++;
    free(path);
    free(text);
    return count;
}

/* Every location is in a file that has such a line, or in a header of the toolkit; no path reveals
 * a place on this machine. */
static void check_files(const struct variant *variant, const struct listing *listing)
{
    unsigned lines[64] = {0};
    assert_in_range(listing->file_count, 1, 64);
    for (int i = 0; i < listing->file_count; i++) {
        const int in_project = !strncmp(listing->file[i], "kernels/", strlen("kernels/"));
        lines[i] = in_project ? lines_of(listing->file[i]) : UINT32_MAX;
        if (lines[i] == 0 ||
            (!in_project && strncmp(listing->file[i], "include/", strlen("include/")) != 0))
            fail_msg("%s: a location in %s", variant->file, listing->file[i]);
    }
    for (int i = 0; i < listing->count; i++) {
        const struct listing_instruction *instruction = &listing->instruction[i];
        for (int k = 0; k < instruction->location_count; k++) {
            int file = 0;
            while (file < listing->file_count &&
                   listing->file[file] != instruction->location[k].file)
                file++;
            assert_in_range(file, 0, listing->file_count - 1);
            assert_in_range(instruction->location[k].line, 1, lines[file]);
        }
        const char *outermost = instruction->location_count
                                    ? instruction->location[instruction->location_count - 1].file
                                    : "(nowhere)";
        if (strncmp(outermost, is_ours(variant) ? "kernels/" : "include/", strlen("kernels/")) != 0)
            fail_msg("%s, %s: the instruction at %x comes from %s", variant->file, listing->symbol,
                     instruction->pc, outermost);
    }
}

static int same_locations(const struct listing_instruction *a, const struct listing_instruction *b)
{
    int same = a->pc == b->pc && a->location_count == b->location_count;
    for (int i = 0; same && i < a->location_count; i++)
        same = a->location[i].line == b->location[i].line &&
               !strcmp(a->location[i].file, b->location[i].file);
    return same;
}

/* The listing of one kernel equals the one among those of its file. */
static void check_alone(const struct variant *variant, int architecture,
                        const struct listing *among)
{
    OWNED_BY(listing_free) struct listing alone;
    assert_int_equal(listing_make(&alone, variant->file, among->symbol, architecture), 0);
    assert_string_equal(alone.symbol, among->symbol);
    assert_int_equal(alone.count, among->count);
    for (int i = 0; i < alone.count; i++)
        assert_true(same_locations(&alone.instruction[i], &among->instruction[i]));
}

/* The listing has all the code of the kernel. */
static void check_code(const struct variant *variant, int architecture,
                       const struct listing *listing)
{
    OWNED_BY(executable_close) struct executable executable;
    struct cubin cubin;
    Elf64_Shdr code;
    assert_true(executable_open(&executable));
    assert_true(cubin_find(&executable, variant->file, listing->symbol, architecture, &cubin));
    assert_true(cubin_kernel_find(&cubin, listing->symbol, &code) > 0);
    assert_int_equal(listing->count * 16, code.sh_size);
    for (int i = 0; i < listing->count; i++) assert_int_equal(listing->instruction[i].pc, 16 * i);
}

/* Counts the kernels of a file, and the instructions that were inlined. */
static void check_variant(const struct variant *variant, int architecture, int *kernels,
                          int *inlined)
{
    OWNED_BY(listings_free) struct listings listings;
    if (!list_file(&listings, variant->file, architecture) && is_ours(variant))
        fail_msg("%s, sm_%d: no kernels", variant->file, architecture);
    for (int i = 0; i < listings.count; i++) {
        const struct listing *listing = &listings.listing[i];
        assert_string_equal(listing->lines_status, "ok");
        check_files(variant, listing);
        check_code(variant, architecture, listing);
        if (i == 0) check_alone(variant, architecture, listing);
        for (int k = 0; k < listing->count; k++)
            *inlined += listing->instruction[k].location_count > 1;
    }
    *kernels += listings.count;
}

TEST(every_instruction_has_its_location)
{
    int architecture[32], kernels = 0, inlined = 0;
    const int count = built_for(architecture);
    path_is("empty");
    for (int v = 0; registry_variants[v]; v++)
        for (int a = 0; a < count; a++)
            check_variant(registry_variants[v], architecture[a], &kernels, &inlined);
    assert_true(kernels >= 7 && inlined > 100);
}

/* ---- comparison with NVIDIA's disassembler --------------------------------------------------- */

/* The lines of nvdisasm about the next instruction. */
struct said {
    const struct listings *listings;
    const struct listing *listing;       /* of the current kernel; NULL before the first */
    struct source_location location[64]; /* its files by their full paths, in `paths` */
    struct text paths[64];
    int count;
    int is_new; /* about this instruction, not an earlier one */
    int compared;
};

/* `//## File "/src/kernels/x.h", line 3 inlined at "/src/kernels/x.cu", line 7`: one such line for
 * each location, the innermost first. */
static void hear_location(struct said *said, const char *text)
{
    const char *end = strchr(text, '"'), *line = end ? strstr(end, ", line ") : NULL;
    assert_non_null(line);
    if (!said->is_new) said->count = 0;
    said->is_new = 1;
    assert_in_range(said->count, 0, 63);
    text_free(&said->paths[said->count]);
    text_append_bytes(&said->paths[said->count], text, (size_t)(end - text));
    said->location[said->count++].line = (unsigned)strtoul(line + strlen(", line "), NULL, 10);
}

/* nvdisasm prints nothing if the innermost location is that of the instruction before, even if
 * another call was inlined: then only that location can be compared. */
static void compare_locations(struct said *said, unsigned pc)
{
    const struct listing *listing = said->listing;
    assert_true(listing && pc / 16 < (unsigned)listing->count);
    const struct listing_instruction *ours = &listing->instruction[pc / 16];
    const int count = said->is_new ? said->count : 1;
    assert_int_equal(ours->pc, pc);
    if (said->count == 0 || (said->is_new && ours->location_count != count))
        fail_msg("%s at %x: %d locations; nvdisasm says %d", listing->symbol, pc,
                 ours->location_count, said->count);
    for (int i = 0; i < count; i++) {
        const char *path = text_string(&said->paths[i]), *file = ours->location[i].file;
        const size_t length = strlen(path), bytes = strlen(file);
        if (ours->location[i].line != said->location[i].line || length < bytes ||
            strcmp(path + length - bytes, file) != 0)
            fail_msg("%s at %x: location %d is %s:%u; nvdisasm says %s:%u", listing->symbol, pc, i,
                     file, ours->location[i].line, path, said->location[i].line);
    }
    said->is_new = 0;
    said->compared++;
}

static void hear_line(struct said *said, const char *line)
{
    static const char begins[] = ".text.", location_begins[] = "//## File \"";
    const char *word = line + strspn(line, " \t");
    if (!strncmp(line, begins, strlen(begins))) {
        const char *name = line + strlen(begins);
        said->listing = NULL;
        for (int i = 0; i < said->listings->count; i++) {
            const char *symbol = said->listings->listing[i].symbol;
            if (!strncmp(symbol, name, strlen(symbol)) && name[strlen(symbol)] == ':')
                said->listing = &said->listings->listing[i];
        }
        said->count = said->is_new = 0;
    } else if (!strncmp(word, location_begins, strlen(location_begins))) {
        hear_location(said, word + strlen(location_begins));
    } else if (word[0] == '/' && word[1] == '*') {
        compare_locations(said, (unsigned)strtoul(word + 2, NULL, 16));
    }
}

/* Makes the listings of a file with a nvdisasm that also prints locations and keeps its output.
 * Returns how many instructions agree. */
static int compare_file(const char *file, int architecture, int *kernels)
{
    struct listings listings;
    if (!list_file(&listings, file, architecture)) {
        listings_free(&listings);
        return 0;
    }
    struct said said = {.listings = &listings};
    int instructions = 0;
    char *text = text_read_file(place("said"), NULL);
    assert_non_null(text);
    for (char *line = text; *line; line += strcspn(line, "\n") + 1) {
        char *end = line + strcspn(line, "\n");
        if (!*end) break;
        hear_line(&said, line);
    }
    free(text);
    for (int i = 0; i < listings.count; i++) {
        assert_string_equal(listings.listing[i].sass_status, "ok");
        instructions += listings.listing[i].count;
    }
    assert_int_equal(said.compared, instructions);
    for (int i = 0; i < 64; i++) text_free(&said.paths[i]);
    *kernels += listings.count;
    listings_free(&listings);
    return instructions;
}

/* Every fourth variant is compared, or all if ALL is set. */
TEST(the_disassembler_agrees)
{
    if (getenv("MEMCHECK")) SKIP("too slow under valgrind");
    OWNED char *tool = own_disassembler();
    int architecture[32], instructions = 0, kernels = 0;
    const int count = built_for(architecture);
    path_is("wrapped");
    char *said = text_new("%s", place("said"));
    write_tool("wrapped/nvdisasm",
               text_new("#!/bin/sh\nPATH='%s'\nexport PATH\n'%s' -gi \"$@\" >'%s' && cat '%s'\n",
                        path_at_first, tool, said, said));
    free(said);
    path_is("wrapped");
    for (int v = 0; registry_variants[v]; v++)
        for (int a = 0; a < count; a++)
            if (v % 4 == 0 || getenv("ALL"))
                instructions += compare_file(registry_variants[v]->file, architecture[a], &kernels);
    print_message("# %d instructions of %d kernels compared with nvdisasm\n", instructions,
                  kernels);
    assert_true(kernels >= 7);
}

TEST(the_disassembler_takes_the_kernels_of_a_cubin)
{
    char symbol[2][200];
    unsigned function[2];
    free(own_disassembler());
    write_cubin(symbol, function);
    OWNED char *file = strdup(place("two.cubin"));
    for (int k = 0; k < 2; k++) {
        const struct listing_request request = {file, symbol[k]};
        OWNED_BY(listing_free) struct listing listing;
        assert_int_equal(listings_of_cubins(&listing, &request, 1, NULL), 0);
        assert_string_equal(listing.sass_status, "ok");
    }
}

RUN_TESTS(fixture_open, fixture_close)
