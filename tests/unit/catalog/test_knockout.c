#include "fixture.h"

#include "catalog/knockout.h"

TEST(lines_are_numbers_with_or_without_a_file)
{
    static const struct {
        const char *line;
        long number;
    } rows[] = {{"7", 7},      {"a.h:12", 12}, {"c:/a.h:3", 3}, {"a:b:4", 4},        {"", 0},
                {":7", 0},     {"a.h:", 0},    {"7x", 0},       {"a.h", 0},          {"0", 0},
                {"a.h:-3", 0}, {"a.h:0", 0},   {" 7", 0},       {"a.h:999999999", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (knockout_line(rows[i].line) != rows[i].number) fail_msg("%s", rows[i].line);
}

TEST(a_line_is_of_any_file_or_of_those_whose_path_ends_so)
{
    static const struct {
        const char *line, *file;
        long number;
        int expected;
    } rows[] = {{"7", "kernels/gemm/quad.h", 7, 1},
                {"7", "kernels/gemm/quad.h", 8, 0},
                {"quad.h:7", "kernels/gemm/quad.h", 7, 1},
                {"quad.h:7", "kernels/gemm/quad.h", 8, 0},
                {"gemm/quad.h:7", "kernels/gemm/quad.h", 7, 1},
                {"kernels/gemm/quad.h:7", "kernels/gemm/quad.h", 7, 1},
                {"uad.h:7", "kernels/gemm/quad.h", 7, 0},
                {"dot/quad.h:7", "kernels/gemm/quad.h", 7, 0},
                {"/kernels/gemm/quad.h:7", "kernels/gemm/quad.h", 7, 0},
                {"x", "x", 0, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (knockout_line_is(rows[i].line, rows[i].file, rows[i].number) != rows[i].expected)
            fail_msg("%s in %s:%ld", rows[i].line, rows[i].file, rows[i].number);
}

RUN_TESTS(NULL, NULL)
