/*
 * Parses arbitrary output of a disassembler: all instructions are found again, in order, and their
 * texts lie in the output.
 */
#include "fuzz.h"

#include "machine_code/disassembly.h"

FUZZ_INPUT("", "input")

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct disassembly disassembly;
    char *text = fuzz_text(data, size);
    if (disassembly_parse(&disassembly, text)) abort();
    int expected = 0;
    for (int k = 0; k < disassembly.kernel_count; k++) {
        const struct disassembled_kernel *kernel = &disassembly.kernel[k];
        if (kernel->first != expected || kernel->count < 0 ||
            kernel->count > disassembly.instruction_count - kernel->first)
            abort();
        for (int i = kernel->first; i < kernel->first + kernel->count; i++) {
            const struct disassembled_instruction *instruction = &disassembly.instruction[i];
            if (i > kernel->first && instruction->pc <= instruction[-1].pc) abort();
            if (instruction->text < text ||
                instruction->text + strlen(instruction->text) > text + size)
                abort();
            if (strpbrk(instruction->text, ";\n")) abort();
            if (!disassembly_text(&disassembly, kernel->name, instruction->pc)) {
                /* Only if a kernel of the same name came first. */
                int first = 0;
                while (strcmp(disassembly.kernel[first].name, kernel->name) ||
                       !disassembly.kernel[first].count)
                    first++;
                if (first == k) abort();
            }
        }
        expected += kernel->count;
    }
    if (expected != disassembly.instruction_count) abort();
    disassembly_free(&disassembly);
    return 0;
}
