#include "fixture.h"

#include <dirent.h>

#include "machine_code/disassembly.h"

/* ---- output of the tools --------------------------------------------------------------------- */

static struct disassembly disassembly; /* until the next one */

/* Runs the tool on an image to its end. */
static int disassembled(const void *image, size_t bytes, char reason[DISASSEMBLY_REASON])
{
    struct disassembler disassembler;
    disassembly_free(&disassembly);
    const int started = disassembly_start(&disassembler, image, bytes, NULL, reason);
    const int finished = disassembly_finish(&disassembly, &disassembler, reason);
    return started ? started : finished;
}

static const char of_nvdisasm[] =
    "\t.target\tsm_90a\n\n\n"
    "//--------------------- .text.first --------------------------\n"
    "\t.section\t.text.first,\"ax\",@progbits\n\t.align\t128\n"
    ".text.first:\n"
    "        .type           first,@function\n"
    "        .size           first,(.L_x_3 - first)\n"
    "first:\n"
    "\t//## File \"/src/kernels/x.cu\", line 11\n"
    "        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
    "        /*0010*/               @P0 BRA `(.L_x_1) ;\n"
    ".L_x_0:\n"
    ".L_x_2:\n"
    "        /*0020*/                   STL.64 [R1], R4                        "
    "(*\"SpillRefill\"*);\n"
    "        /*0030*/                   CALL.REL.NOINC `($first$inner) ;\n"
    "        /*0040*/              @!P0 BRA `(.L_x_2) ;\n"
    ".L_x_1:\n"
    "        /*0050*/                   EXIT ;\n"
    "        .type           $first$inner,@function\n"
    "$first$inner:\n"
    "        /*0060*/                   RET.REL.NODEC R2 `(first) ;\n"
    "        /*0070*/                   BRA `(.L_x_4) ;\n" /* of the other kernel */
    ".L_x_3:\n\n"
    "//--------------------- .text.second --------------------------\n"
    ".text.second:\n"
    "second:\n"
    "        /*0000*/                   NOP ;\n"
    ".L_x_4:\n"
    "        /*10000*/                  BRA `(.L_x_4);\n"
    "        /*10010*/                  BRA `(.L_x_5) ;\n"
    ".L_x_5:\n"; /* before no instruction */

static const char of_cuobjdump[] =
    "\n\tcode for sm_90a\n\t.target\tsm_90a\n\n"
    "\t\tFunction : first\n"
    "\t.headerflags\t@\"EF_CUDA_ACCELERATORS\"\n"
    "        /*0000*/                   LDC R1, c[0x0][0x28] ;        /* 0x00000a00ff017b82 */\n"
    "                                                                 /* 0x000fe20000000800 */\n"
    "        /*0010*/               @P0 BRA 0x50 ;                    /* 0x0000000000057919 */\n"
    "                                                                 /* 0x000e220000002500 */\n"
    "\t\t..........\n\n\n"
    "\t\tFunction : second\n"
    "        /*0000*/                   NOP ;                         /* 0x0000000000007918 */\n";

static void parse(const char *text)
{
    char *copy = text_new("%s", text);
    assert_non_null(copy);
    disassembly_free(&disassembly);
    assert_int_equal(disassembly_parse(&disassembly, copy), 0);
}

static void check(const char *kernel, unsigned pc, const char *expected)
{
    const char *text = disassembly_text(&disassembly, kernel, pc);
    if (!text != !expected || (text && strcmp(text, expected)))
        fail_msg("%s at %x: '%s' instead of '%s'", kernel, pc, text ? text : "(none)",
                 expected ? expected : "(none)");
}

TEST(instructions_of_nvdisasm_are_read)
{
    parse(of_nvdisasm);
    assert_int_equal(disassembly.kernel_count, 2);
    assert_int_equal(disassembly.instruction_count, 11);
    check("first", 0x00, "LDC R1, c[0x0][0x28]");
    check("first", 0x10, "@P0 BRA 0x50");
    check("first", 0x20, "STL.64 [R1], R4");
    check("first", 0x30, "CALL.REL.NOINC 0x60");
    check("first", 0x40, "@!P0 BRA 0x20");
    check("first", 0x50, "EXIT");
    check("first", 0x60, "RET.REL.NODEC R2 0x0");
    check("first", 0x70, "BRA `(.L_x_4)");
    check("first", 0x80, NULL);
    check("first", 0x08, NULL);
    check("second", 0x00, "NOP");
    check("second", 0x10000, "BRA 0x10000");
    check("second", 0x10010, "BRA `(.L_x_5)");
    check("third", 0x00, NULL);
}

TEST(instructions_of_cuobjdump_are_read)
{
    parse(of_cuobjdump);
    assert_int_equal(disassembly.kernel_count, 2);
    assert_int_equal(disassembly.instruction_count, 3);
    check("first", 0x00, "LDC R1, c[0x0][0x28]");
    check("first", 0x10, "@P0 BRA 0x50");
    check("second", 0x00, "NOP");
}

/* Other lines are not instructions, nor are lines whose addresses do not ascend. */
TEST(other_lines_are_passed_over)
{
    static const char *const rows[] = {
        "",
        "\n\n",
        "/*0000*/ NOP ;\n",         /* of no kernel */
        ".text.a:\n/*0000*/ NOP\n", /* without its end */
        ".text.a:\n/* 0000 */ NOP ;\n/**/ NOP ;\n/*zz*/ NOP ;\n/*0000 NOP ;\n",
        " .text.a:\n/*0000*/ NOP ;\n", /* no line of nvdisasm's begins so */
        ":\n.text.a\n/*0000*/ NOP ;",
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        parse(rows[i]);
        if (disassembly.instruction_count)
            fail_msg("row %zu: %d instructions", i, disassembly.instruction_count);
    }
    parse(".text.a:\n/*0010*/ NOP ;\n/*0010*/ EXIT ;\n/*0000*/ BRA `(a ;\n/*0020*/ BRA `(b) ;");
    assert_int_equal(disassembly.instruction_count, 2);
    check("a", 0x10, "NOP");
    check("a", 0x20, "BRA `(b)");
}

/* ---- made-up tools --------------------------------------------------------------------------- */

/* Makes a directory the whole PATH, and another one TMPDIR. */
static void only_these(void)
{
    directory_remove(place("bin"));
    directory_remove(place("temporary"));
    make_directory("bin");
    make_directory("temporary");
    setenv("PATH", place("bin"), 1);
    setenv("NVCC", "/nowhere/nvcc", 1);
    setenv("TMPDIR", place("temporary"), 1);
}

/* Makes a tool of this name. Its script gets the arguments; no program is on its PATH. */
static void make_tool(const char *name, const char *script)
{
    char file[64], *text = text_new("#!/bin/sh\n%s\n", script);
    snprintf(file, sizeof file, "bin/%s", name);
    assert_int_equal(chmod(write_text(file, text), 0700), 0);
    free(text);
}

static int temporary_files(void)
{
    int count = 0;
    DIR *directory = opendir(place("temporary"));
    assert_non_null(directory);
    for (const struct dirent *entry; (entry = readdir(directory));)
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

/* Disassembles "image" with the current tools: fails with the expected reason, or succeeds if that
 * is NULL. No temporary file remains. */
static void makes(const char *expected)
{
    char reason[DISASSEMBLY_REASON] = "";
    listen_to_stderr();
    const int result = disassembled("image\0\n", 7, reason);
    const char *said = heard();
    if (result != (expected ? FAIL_CHECK : 0) || strcmp(reason, expected ? expected : ""))
        fail_msg("%d: %s", result, reason);
    assert_string_equal(said, "");
    assert_int_equal(temporary_files(), 0);
    if (expected) assert_int_equal(disassembly.instruction_count + disassembly.kernel_count, 0);
}

#define PRINT(code) "while read -r line; do echo \"$line\"; done <<'END'\n" code "END"

TEST(tools_are_tried_in_turn)
{
    static const char neither[] = "neither nvdisasm nor cuobjdump is on the PATH or beside nvcc";
    only_these();
    makes(neither);
    make_tool("cuobjdump", "[ \"$1\" = -sass ] && [ -f \"$2\" ] || exit 9\n" PRINT(
                               "Function : a\n/*0000*/ FROM_CUOBJDUMP ;  /* 0x1 */\n"));
    makes(NULL);
    check("a", 0, "FROM_CUOBJDUMP");
    make_tool("nvdisasm", "[ \"$*\" = \"-c $2 -ndf\" ] && [ -f \"$2\" ] || exit 9\n" PRINT(
                              ".text.a:\n/*0000*/ FROM_NVDISASM ;\n"));
    makes(NULL);
    check("a", 0, "FROM_NVDISASM");
    setenv("PATH", "", 1);
    makes(neither);
    setenv("NVCC", place("bin/nvcc"), 1);
    makes(NULL);
    check("a", 0, "FROM_NVDISASM");
    setenv("NVCC", "nvcc", 1); /* it is on the PATH, and so would be the others */
    makes(neither);
}

TEST(failures_have_a_reason)
{
    static const struct {
        const char *script, *reason;
    } rows[] = {
        {"echo oh no >&2; exit 3", "nvdisasm failed with exit status 3"},
        {PRINT(".text.a:\n/*0000*/ NOP ;\n") "\nexit 1",
         "nvdisasm failed with exit status 1"}, /* output before a failure is dropped */
        {"kill -9 $$", "nvdisasm was ended by signal 9"},
        {"exit 0", "nvdisasm printed no code"},
        {"echo .text.a:", "nvdisasm printed no code"},
        {"read -r line; [ -z \"$line\" ] || exit 7",
         "nvdisasm printed no code"}, /* its input is empty */
    };
    only_these();
    make_tool("cuobjdump",
              PRINT("Function : a\n/*0000*/ NOP ;\n")); /* not tried: it starts nvdisasm itself */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        make_tool("nvdisasm", rows[i].script);
        makes(rows[i].reason);
    }
    /* A file that is not executable is no tool. */
    assert_int_equal(chmod(place("bin/nvdisasm"), 0600), 0);
    makes(NULL);
}

/* The tool reads the whole image, and may print more than a pipe holds. */
TEST(the_image_is_handed_over)
{
    only_these();
    make_tool("nvdisasm",
              "read -r line <\"$2\"; [ \"$line\" = image ] || exit 9\necho .text.a:\ni=0\n"
              "while [ $i -lt 5000 ]; do printf '/*%x*/ IADD3 R%d, R%d, 0x1, RZ ;\\n' $i $i $i; "
              "i=$((i + 1)); done");
    makes(NULL);
    assert_int_equal(disassembly.instruction_count, 5000);
    check("a", 4999, "IADD3 R4999, R4999, 0x1, RZ");
}

TEST(functions_are_disassembled_in_several_starts)
{
    struct disassembler disassembler;
    char functions[] = "7,9;11;13", reason[DISASSEMBLY_REASON];
    only_these();
    make_tool("nvdisasm", "read -r line <\"$2\"; [ \"$line\" = image ] || exit 9\n"
                          "printf '.text.%s:\\n/*0000*/ NOP ;\\n' \"$5\"");
    disassembly_free(&disassembly);
    assert_int_equal(disassembly_start(&disassembler, "image\n", 6, functions, reason), 0);
    assert_int_equal(disassembly_finish(&disassembly, &disassembler, reason), 0);
    assert_int_equal(disassembly.kernel_count, 3);
    check("7,9", 0, "NOP");
    check("11", 0, "NOP");
    check("13", 0, "NOP");
}

TEST(instructions_without_a_cubin_are_a_kernel_without_a_name)
{
    static const unsigned char code[] = "0123456789abcdef";
    char reason[DISASSEMBLY_REASON] = "";
    struct disassembler disassembler;
    only_these();
    make_tool("cuobjdump", "exit 9");
    disassembly_free(&disassembly);
    assert_int_equal(disassembly_start_raw(&disassembler, code, 16, 90, reason), FAIL_CHECK);
    assert_string_equal(reason, "nvdisasm is not on the PATH or beside nvcc");
    assert_int_equal(disassembly_finish(&disassembly, &disassembler, reason), FAIL_CHECK);
    make_tool("nvdisasm", "[ \"$1 $2\" = '-b SM90' ] && read -r word <\"$3\"\n"
                          "echo \"/*0000*/ $word ;\"");
    assert_int_equal(disassembly_start_raw(&disassembler, code, 16, 90, reason), 0);
    assert_int_equal(disassembly_finish(&disassembly, &disassembler, reason), 0);
    check("", 0, "0123456789abcdef");
}

static int close_all(void **state)
{
    disassembly_free(&disassembly);
    return fixture_close(state);
}

RUN_TESTS(fixture_open, close_all)
