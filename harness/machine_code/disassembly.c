#include "machine_code/disassembly.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/process.h"
#include "base/text.h"
#include "version.h"

/* ---- parsing the listings -------------------------------------------------------------------- */

struct label {
    const char *name;
    int instruction; /* index of the next instruction, if there is one */
};

struct parser {
    struct disassembly *out;
    const char *section; /* the name of a kernel's section, until its label */
    struct label *label; /* labels of the current kernel */
    int label_count;
};

/* Replaces a reference, "`(.L_x_2)", by its address, "0x1e0", if this kernel has the label. */
static void resolve_label(const struct parser *parser, char *reference)
{
    const struct disassembly *out = parser->out;
    char *end = strchr(reference, ')');
    char address[16];
    if (!end) return;
    const size_t length = (size_t)(end - reference) - 2;
    for (int i = 0; i < parser->label_count; i++) {
        const struct label *label = &parser->label[i];
        if (label->instruction >= out->instruction_count ||
            strncmp(label->name, reference + 2, length) || label->name[length])
            continue;
        const size_t bytes = (size_t)snprintf(address, sizeof address, "0x%x",
                                              out->instruction[label->instruction].pc);
        if (bytes > length + 3) return;
        memcpy(reference, address, bytes);
        memmove(reference + bytes, end + 1, strlen(end + 1) + 1);
        return;
    }
}

static void end_kernel(struct parser *parser)
{
    const struct disassembly *out = parser->out;
    if (out->kernel_count == 0) return;
    const struct disassembled_kernel *kernel = &out->kernel[out->kernel_count - 1];
    for (int i = kernel->first; i < kernel->first + kernel->count; i++) {
        char *reference = strstr(out->instruction[i].text, "`(");
        if (reference) resolve_label(parser, reference);
    }
}

static int begin_kernel(struct parser *parser, const char *name)
{
    struct disassembly *out = parser->out;
    end_kernel(parser);
    parser->label_count = 0;
    if (!ARRAY_GROWS(out->kernel, out->kernel_count)) return error_memory();
    out->kernel[out->kernel_count++] =
        (struct disassembled_kernel){name, out->instruction_count, 0};
    return 0;
}

static int add_label(struct parser *parser, const char *name)
{
    if (!ARRAY_GROWS(parser->label, parser->label_count)) return error_memory();
    parser->label[parser->label_count++] = (struct label){name, parser->out->instruction_count};
    return 0;
}

/* `text` follows the address: the instruction and a ';', and with cuobjdump its code. nvdisasm may
 * add a comment: (*"SpillRefill"*). */
static int add_instruction(struct parser *parser, unsigned pc, char *text)
{
    struct disassembly *out = parser->out;
    struct disassembled_kernel *kernel =
        out->kernel_count > 0 ? &out->kernel[out->kernel_count - 1] : NULL;
    char *comment = strstr(text, "(*"), *end = strchr(text, ';');
    if (!kernel || !end ||
        (kernel->count > 0 && out->instruction[out->instruction_count - 1].pc >= pc))
        return 0;
    if (comment && comment < end) end = comment;
    while (end > text && (end[-1] == ' ' || end[-1] == '\t')) end--;
    *end = 0;
    if (!ARRAY_GROWS(out->instruction, out->instruction_count)) return error_memory();
    out->instruction[out->instruction_count++] =
        (struct disassembled_instruction){pc, text + strspn(text, " \t")};
    kernel->count++;
    return 0;
}

static int parse_line(struct parser *parser, char *line)
{
    static const char nvdisasm_mark[] = ".text.",
                      cuobjdump_mark[] = "Function : ", section_mark[] = ".section\t.text.";
    char *word = line + strspn(line, " \t"), *end;
    const size_t length = strlen(line);
    if (!strncmp(word, "/*", 2) && isxdigit((unsigned char)word[2])) {
        const unsigned long pc = strtoul(word + 2, &end, 16);
        return strncmp(end, "*/", 2) ? 0 : add_instruction(parser, (unsigned)pc, end + 2);
    }
    if (!strncmp(word, cuobjdump_mark, sizeof cuobjdump_mark - 1))
        return begin_kernel(parser, word + sizeof cuobjdump_mark - 1);
    if (!strncmp(word, section_mark, sizeof section_mark - 1)) {
        parser->section = word + sizeof section_mark - 1;
        word[strcspn(word, ",")] = 0;
    }
    if (word > line || length == 0 || line[length - 1] != ':') return 0;
    line[length - 1] = 0;
    if (strncmp(line, nvdisasm_mark, sizeof nvdisasm_mark - 1)) return add_label(parser, line);
    const char *name = parser->section ? parser->section : line + sizeof nvdisasm_mark - 1;
    parser->section = NULL;
    return begin_kernel(parser, name);
}

int disassembly_parse(struct disassembly *disassembly, char *text)
{
    struct parser parser = {.out = disassembly};
    int result = 0;
    memset(disassembly, 0, sizeof *disassembly);
    disassembly->text = text;
    for (char *line = text, *next; *line && !result; line = next) {
        next = line + strcspn(line, "\n");
        if (*next) *next++ = 0;
        result = parse_line(&parser, line);
    }
    end_kernel(&parser);
    free(parser.label);
    if (result) disassembly_free(disassembly);
    return result;
}

void disassembly_free(struct disassembly *disassembly)
{
    free(disassembly->text);
    free(disassembly->instruction);
    free(disassembly->kernel);
    memset(disassembly, 0, sizeof *disassembly);
}

static int compare_pcs(const void *key, const void *element)
{
    const unsigned pc = *(const unsigned *)key,
                   other = ((const struct disassembled_instruction *)element)->pc;
    return (pc > other) - (pc < other);
}

const char *disassembly_text(const struct disassembly *disassembly, const char *kernel, unsigned pc)
{
    for (int i = 0; i < disassembly->kernel_count; i++) {
        const struct disassembled_kernel *candidate = &disassembly->kernel[i];
        if (candidate->count == 0 || strcmp(candidate->name, kernel) != 0) continue;
        const struct disassembled_instruction *found =
            bsearch(&pc, &disassembly->instruction[candidate->first], (size_t)candidate->count,
                    sizeof *found, compare_pcs);
        return found ? found->text : NULL;
    }
    return NULL;
}

/* ---- running the tools ----------------------------------------------------------------------- */

static void explain_end(const char *name, int status, char reason[DISASSEMBLY_REASON])
{
    if (WIFSIGNALED(status))
        snprintf(reason, DISASSEMBLY_REASON, "%s was ended by signal %d", name, WTERMSIG(status));
    else
        snprintf(reason, DISASSEMBLY_REASON, "%s failed with exit status %d", name,
                 WEXITSTATUS(status));
}

/* Where pip puts NVIDIA's packages, if it has installed this program. */
static char *find_for_python(const char *tool)
{
    glob_t found = {0};
    char *data = data_find(), *path = NULL,
         *pattern = text_new("%s/../../lib/python3*/*-packages/nvidia/cu13/bin/%s",
                             data ? data : "", tool);
    if (data && pattern && !glob(pattern, 0, NULL, &found)) path = strdup(found.gl_pathv[0]);
    globfree(&found);
    free(pattern);
    free(data);
    return path;
}

char *disassembler_find(const char *tool)
{
    const char *asked = getenv("NVCC"), *beside = asked && *asked ? asked : WHYFAST_NVDISASM;
    const char *name = strrchr(beside, '/');
    char *found = process_find(tool);
    if (!found) found = find_for_python(tool);
    if (found || !name) return found;
    found = text_new("%.*s%s", (int)(name + 1 - beside), beside, tool);
    if (found && access(found, X_OK) == 0) return found;
    free(found);
    return NULL;
}

/* Runs the first tool that there is; for an architecture, that takes code without a cubin. nvdisasm
 * starts a third faster without its analysis of the data flow, which adds only comments. */
static int start_tool(struct disassembler *disassembler, int architecture, char *functions,
                      char reason[DISASSEMBLY_REASON])
{
    static struct {
        char name[16], option[8];
    } tools[] = {{"nvdisasm", "-c"}, {"cuobjdump", "-sass"}, {"nvdisasm", "-b"}};
    char *program = disassembler_find(tools[0].name), binary[16], path[PROCESS_PATH];
    const int tool = architecture ? 2 : !program;
    disassembler->tool = tools[tool].name;
    disassembler->is_raw = architecture != 0;
    if (!program && !architecture) program = disassembler_find(tools[1].name);
    if (!program) {
        snprintf(reason, DISASSEMBLY_REASON, "%s on the PATH or beside nvcc",
                 architecture ? "nvdisasm is not" : "neither nvdisasm nor cuobjdump is");
        return FAIL_CHECK;
    }
    snprintf(binary, sizeof binary, "SM%d", architecture);
    process_path(disassembler->file, path);
    char no_analysis[] = "-ndf", restrict_to[] = "-fun";
    char *raw[] = {program, tools[tool].option, binary, path, NULL};
    char *words[] = {program,
                     tools[tool].option,
                     path,
                     tool ? NULL : no_analysis,
                     functions ? restrict_to : NULL,
                     functions,
                     NULL};
    fcntl(disassembler->file, F_SETFD, 0); /* the tool inherits it */
    const int result =
        process_start(&disassembler->child, architecture ? raw : words, PROCESS_OF_OURS);
    disassembler->is_started = !result;
    fcntl(disassembler->file, F_SETFD, FD_CLOEXEC); /* no other program inherits it */
    free(program);
    return result;
}

static int start(struct disassembler *disassembler, const void *code, size_t bytes,
                 int architecture, char *functions, char reason[DISASSEMBLY_REASON])
{
    memset(disassembler, 0, sizeof *disassembler);
    disassembler->file = memfd_create("code", 0);
    const int is_written =
        disassembler->file >= 0 && write(disassembler->file, code, bytes) == (ssize_t)bytes;
    if (is_written) return start_tool(disassembler, architecture, functions, reason);
    if (errno == ENOMEM) return error_memory();
    snprintf(reason, DISASSEMBLY_REASON, "cannot write a file in memory: %s", strerror(errno));
    return FAIL_CHECK;
}

int disassembly_start_raw(struct disassembler *disassembler, const void *code, size_t bytes,
                          int architecture, char reason[DISASSEMBLY_REASON])
{
    return start(disassembler, code, bytes, architecture, NULL, reason);
}

int disassembly_start(struct disassembler *disassembler, const void *image, size_t bytes,
                      char *functions, char reason[DISASSEMBLY_REASON])
{
    char *left = functions ? strchr(functions, ';') : NULL;
    if (left) *left = 0;
    const int result = start(disassembler, image, bytes, 0, functions, reason);
    disassembler->left = left ? strdup(left + 1) : NULL;
    return left && !disassembler->left ? error_memory() : result;
}

static int finish_tool(struct disassembler *disassembler, struct text *output,
                       char reason[DISASSEMBLY_REASON])
{
    struct process *child = &disassembler->child;
    process_wait(child, 1);
    if (interrupted()) return FAIL_INTERRUPTED;
    if (!process_succeeded(child)) {
        explain_end(disassembler->tool, child->status, reason);
        return FAIL_CHECK;
    }
    char *text = process_read(child->output);
    text_append(output, disassembler->is_raw ? ".text.:\n" : "");
    text_append(output, text ? text : "");
    output->failed |= !text;
    free(text);
    return output->failed ? error_memory() : 0;
}

/* Starts the tool again for the functions that were left. */
static int start_again(struct disassembler *disassembler, char reason[DISASSEMBLY_REASON])
{
    char *functions = disassembler->left, *left = strchr(functions, ';');
    if (left) *left = 0;
    process_free(&disassembler->child);
    const int result = start_tool(disassembler, 0, functions, reason);
    disassembler->left = left ? strdup(left + 1) : NULL;
    free(functions);
    return left && !disassembler->left ? error_memory() : result;
}

int disassembly_finish(struct disassembly *disassembly, struct disassembler *disassembler,
                       char reason[DISASSEMBLY_REASON])
{
    struct text output = {0};
    int result = FAIL_CHECK;
    memset(disassembly, 0, sizeof *disassembly);
    if (disassembler->is_started) {
        result = finish_tool(disassembler, &output, reason);
        while (!result && disassembler->left) {
            result = start_again(disassembler, reason);
            if (!result) result = finish_tool(disassembler, &output, reason);
        }
        if (!result && output.data)
            result = disassembly_parse(disassembly, output.data);
        else
            text_free(&output);
        process_free(&disassembler->child);
    }
    free(disassembler->left);
    if (!result && disassembly->instruction_count == 0) {
        snprintf(reason, DISASSEMBLY_REASON, "%s printed no code", disassembler->tool);
        disassembly_free(disassembly);
        result = FAIL_CHECK;
    }
    if (disassembler->file > 0) close(disassembler->file);
    return result;
}
