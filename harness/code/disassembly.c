#include "code/disassembly.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/text.h"

/* The tools in the order of preference; the name of the image follows. To add one: a row, and
 * its mark of a kernel in begin_kernel. */
static const struct {
    const char *name, *option;
} tools[] = {{"nvdisasm", "-c"}, {"cuobjdump", "-sass"}};

/* ---- what the tools print -------------------------------------------------------------------- */

struct label {
    const char *name;
    int instruction; /* index of the one that it stands in front of, if there is one */
};

struct parser {
    struct disassembly *out;
    struct label *label; /* those of the kernel at hand */
    int label_count;
};

/* The array with room for one more behind `count`; NULL when out of memory, and then it is still
 * there. */
static void *with_room(void *array, int count, size_t size)
{
    return count > 0 && (count & (count - 1))
               ? array
               : realloc(array, (count > 0 ? (size_t)count * 2 : 1) * size);
}

/* "`(.L_x_2)" becomes "0x1e0" where the label is one of this kernel's. */
static void place_label(const struct parser *parser, char *reference)
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
        if (reference) place_label(parser, reference);
    }
}

static int begin_kernel(struct parser *parser, const char *name)
{
    struct disassembly *out = parser->out;
    end_kernel(parser);
    parser->label_count = 0;
    struct disassembled_kernel *kernel = with_room(out->kernel, out->kernel_count, sizeof *kernel);
    if (!kernel) return error_memory();
    out->kernel = kernel;
    kernel[out->kernel_count++] = (struct disassembled_kernel){name, out->instruction_count, 0};
    return 0;
}

static int add_label(struct parser *parser, const char *name)
{
    struct label *label = with_room(parser->label, parser->label_count, sizeof *label);
    if (!label) return error_memory();
    parser->label = label;
    label[parser->label_count++] = (struct label){name, parser->out->instruction_count};
    return 0;
}

/* What is behind the address: the text, a ';', with cuobjdump the code. nvdisasm may add what it
 * thinks of an instruction: (*"SpillRefill"*). */
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
    struct disassembled_instruction *instruction =
        with_room(out->instruction, out->instruction_count, sizeof *instruction);
    if (!instruction) return error_memory();
    out->instruction = instruction;
    instruction[out->instruction_count++] =
        (struct disassembled_instruction){pc, text + strspn(text, " \t")};
    kernel->count++;
    return 0;
}

static int parse_line(struct parser *parser, char *line)
{
    static const char nvdisasm_mark[] = ".text.", cuobjdump_mark[] = "Function : ";
    char *word = line + strspn(line, " \t"), *end;
    const size_t length = strlen(line);
    if (!strncmp(word, "/*", 2) && isxdigit((unsigned char)word[2])) {
        const unsigned long pc = strtoul(word + 2, &end, 16);
        return strncmp(end, "*/", 2) ? 0 : add_instruction(parser, (unsigned)pc, end + 2);
    }
    if (!strncmp(word, cuobjdump_mark, sizeof cuobjdump_mark - 1))
        return begin_kernel(parser, word + sizeof cuobjdump_mark - 1);
    if (word > line || length == 0 || line[length - 1] != ':') return 0;
    line[length - 1] = 0;
    if (!strncmp(line, nvdisasm_mark, sizeof nvdisasm_mark - 1))
        return begin_kernel(parser, line + sizeof nvdisasm_mark - 1);
    return add_label(parser, line);
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

/* ---- starting them --------------------------------------------------------------------------- */

/* Starts a tool on a file, its output going into a pipe: 0 with the end to read from, or an
 * error number. */
static int start(size_t tool, char *path, pid_t *child, int *reading)
{
    char name[16], option[16];
    int ends[2];
    snprintf(name, sizeof name, "%s", tools[tool].name);
    snprintf(option, sizeof option, "%s", tools[tool].option);
    char *words[] = {name, option, path, NULL};
    posix_spawn_file_actions_t actions;
    if (pipe2(ends, O_CLOEXEC)) return errno;
    int result = posix_spawn_file_actions_init(&actions);
    if (!result) {
        result = posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        if (!result)
            result =
                posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        if (!result)
            result =
                posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        if (!result) result = posix_spawnp(child, name, &actions, NULL, words, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    close(ends[1]);
    *reading = ends[0];
    if (result) close(ends[0]);
    return result;
}

/* All that can be read. A tool that still prints when there is no memory left finds the pipe
 * closed. */
static void read_all(int from, struct text *output)
{
    char buffer[1 << 16];
    ssize_t count;
    while (((count = read(from, buffer, sizeof buffer)) > 0 || (count < 0 && errno == EINTR)) &&
           !output->failed)
        if (count > 0) text_append_bytes(output, buffer, (size_t)count);
    close(from);
}

/* What a tool prints on a file. 0; 1 where it is not on the PATH; FAIL_CHECK with the reason;
 * FAIL_OUTPUT. */
static int run_tool(size_t tool, char *path, struct text *output, char reason[DISASSEMBLY_REASON])
{
    const char *name = tools[tool].name;
    int reading = -1, status = 0;
    pid_t child, ended;
    const int failure = start(tool, path, &child, &reading);
    if (failure == ENOENT) return 1;
    if (failure) {
        snprintf(reason, DISASSEMBLY_REASON, "%s cannot be started: %s", name, strerror(failure));
        return FAIL_CHECK;
    }
    read_all(reading, output);
    while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR) continue;
    if (output->failed) return error_memory();
    if (ended == child && WIFEXITED(status) && WEXITSTATUS(status) == 0) return 0;
    if (ended == child && WIFSIGNALED(status))
        snprintf(reason, DISASSEMBLY_REASON, "%s was ended by signal %d", name, WTERMSIG(status));
    else
        snprintf(reason, DISASSEMBLY_REASON, "%s failed with exit status %d", name,
                 WEXITSTATUS(status));
    return FAIL_CHECK;
}

static int run_first_tool(struct disassembly *disassembly, char *path,
                          char reason[DISASSEMBLY_REASON])
{
    enum { TOOLS = sizeof tools / sizeof *tools };
    struct text output = {0};
    int result = 1;
    size_t tool = 0;
    while (tool < TOOLS && (result = run_tool(tool, path, &output, reason)) == 1) tool++;
    if (result == 1) {
        snprintf(reason, DISASSEMBLY_REASON, "neither nvdisasm nor cuobjdump is on the PATH");
        result = FAIL_CHECK;
    }
    if (!result && output.length > 0) {
        result = disassembly_parse(disassembly, output.data);
        memset(&output, 0, sizeof output); /* it is the disassembly's now */
    }
    text_free(&output);
    if (result || disassembly->instruction_count > 0) return result;
    snprintf(reason, DISASSEMBLY_REASON, "%s printed no code", tools[tool].name);
    disassembly_free(disassembly);
    return FAIL_CHECK;
}

static int write_image(int file, const char *image, size_t bytes)
{
    while (bytes > 0) {
        const ssize_t count = write(file, image, bytes);
        if (count < 0 && errno != EINTR) return errno;
        if (count > 0) {
            image += count;
            bytes -= (size_t)count;
        }
    }
    return 0;
}

int disassembly_make(struct disassembly *disassembly, const void *image, size_t bytes,
                     char reason[DISASSEMBLY_REASON])
{
    char *path;
    memset(disassembly, 0, sizeof *disassembly);
    const int file = temporary_file(&path);
    if (file < 0 && errno == ENOMEM) return error_memory();
    int failure = file < 0 ? errno : write_image(file, image, bytes), result = FAIL_CHECK;
    if (file >= 0 && close(file) && !failure) failure = errno;
    if (failure)
        snprintf(reason, DISASSEMBLY_REASON, "no temporary file can be written: %s",
                 strerror(failure));
    else
        result = run_first_tool(disassembly, path, reason);
    if (file >= 0) unlink(path);
    free(path);
    return result;
}
