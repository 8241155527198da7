#include "fixture.h"

#include "machine_code/source_names.h"

TEST(names_are_independent_of_the_machine)
{
    static const struct {
        const char *path, *root, *name;
    } rows[] = {
        {"/src/why/kernels/gemm/classic.h", "/src/why/", "kernels/gemm/classic.h"},
        {"/src/why/./kernels//gemm/../sum.h", "/src/why/", "kernels/sum.h"},
        {"/src/whyfast/kernels/sum.h", "/src/why/", "sum.h"},
        {"/src/why/kernels/sum.h", NULL, "sum.h"},
        {"/kernels/sum.h", "/", "kernels/sum.h"},
        {"/usr/local/cuda-13.0/include/cccl/cub/block/block_reduce.cuh", "/src/why/",
         "include/cccl/cub/block/block_reduce.cuh"},
        {"/usr/local/cuda/bin/../targets/x86_64-linux/include/sm_30_intrinsics.hpp", NULL,
         "include/sm_30_intrinsics.hpp"},
        {"/opt/include/cuda/include/cub/a.h", NULL, "include/cub/a.h"},
        {"/opt/include/include/a.h", NULL, "include/a.h"},
        {"/opt/include/../secret/a.h", NULL, "a.h"},
        {"/opt/includes/a.h", NULL, "a.h"},
        {"/src/include/why/kernels/sum.h", "/src/include/why/",
         "kernels/sum.h"}, /* a project that lies in such a directory */
        {"/src/why/build/cuda/include/cub/a.h", "/src/why/",
         "include/cub/a.h"}, /* a toolkit that lies in the project */
        {"kernels/gemm/classic.h", "", "kernels/gemm/classic.h"},
        {"./kernels/gemm/../sum.h", NULL, "kernels/sum.h"},
        {"build/cuda/include/a.h", "", "include/a.h"},
        {"include/a.h", "", "include/a.h"},
        {"../why/kernels/sum.h", "../why/", "kernels/sum.h"},
        {"../../other/x.h", "", "x.h"},
        {"a/../../x.h", NULL, "x.h"},
        {"/../x.h", NULL, "x.h"},
        {"x.h", NULL, "x.h"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWNED char *name = source_name(rows[i].path, rows[i].root);
        if (!name || strcmp(name, rows[i].name))
            fail_msg("%s: %s instead of %s", rows[i].path, name ? name : "(none)", rows[i].name);
    }
}

TEST(roots_are_found)
{
    static const struct {
        const char *paths[3], *root;
    } rows[] = {
        {{"/usr/include/a.h", "/src/why/kernels/gemm/01_x.cu"}, "/src/why/"},
        {{"/src/why/kernels/gemm/../gemm/01_x.cu"}, "/src/why/"},
        {{"kernels/gemm/01_x.cu", "/usr/include/a.h"}, ""},
        {{"../why/kernels/gemm/01_x.cu"}, "../why/"},
        {{"/kernels/gemm/01_x.cu"}, "/"},
        {{"/src/include/why/kernels/gemm/01_x.cu"}, "/src/include/why/"},
        /* If the file itself is not named, its directory or the one above identifies the project.
         */
        {{"/usr/include/a.h", "/src/why/kernels/sum.h", "/src/why/kernels/gemm/grid.h"},
         "/src/why/"},
        {{"/usr/include/cub/kernels/reduce.h", "/src/why/kernels/sum.h"}, "/src/why/"},
        {{"kernels/sum.h"}, ""},
        /* The file itself takes precedence over its neighbours. */
        {{"/elsewhere/kernels/gemm/grid.h", "/src/why/kernels/gemm/01_x.cu"}, "/src/why/"},
        /* Parts of names do not count. */
        {{"/src/mykernels/gemm/01_x.cu", "/src/kernels/mygemm/y.h", "/src/x_kernels/y.h"}, NULL},
        {{"/usr/include/cub/kernels/gemm/grid.h", "/usr/include/cub/kernels/reduce.h"}, NULL},
        {{"/usr/include/a.h"}, NULL},
        {{NULL}, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *paths[3];
        int count = 0;
        for (; count < 3 && rows[i].paths[count]; count++)
            paths[count] = text_new("%s", rows[i].paths[count]);
        char *root;
        assert_int_equal(source_root(paths, count, "kernels/gemm/01_x.cu", &root), 0);
        if (!root != !rows[i].root || (root && strcmp(root, rows[i].root)))
            fail_msg("row %zu: %s", i, root ? root : "(none)");
        free(root);
        while (count > 0) free(paths[--count]);
    }
}

RUN_TESTS(fixture_open, fixture_close)
