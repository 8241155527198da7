#include "fixture.h"
#include "versions/version_driver.h"

static struct text program, shown;

/* Writes the program for a kernel with these types of parameters, up to NULL, in the file's second
 * line. Returns the calls that are shown. */
static const char *driver(const char *code, struct version_calls *calls, const char *const *types)
{
    struct kernel_parameter parameter[8] = {{NULL, 0}};
    struct kernel_signature kernel = {.symbol = (char *)(uintptr_t) "_ZN5outer5tiledIfEEvv",
                                      .name = (char *)(uintptr_t) "outer::tiled<float>",
                                      .line = 2,
                                      .parameter = parameter};
    const struct path path = path_in(place("."), "kernels.cu");
    const struct kernel_source source = {
        .path = path.at, .kernels = {.kernel = &kernel, .count = 1}, .count = 1};
    FILE *file = fopen(path.at, "w");
    assert_non_null(file);
    fprintf(file, "// kernels\n%s\n", code);
    fclose(file);
    for (; *types; types++) parameter[kernel.parameter_count++].type = *types;
    text_free(&program);
    text_free(&shown);
    assert_int_equal(version_driver_append(&program, &shown, &source, calls, NULL), 0);
    return text_string(&shown);
}

#define DRIVER(code, calls, ...) driver(code, calls, (const char *const[]){__VA_ARGS__, NULL})

TEST(a_call_follows_from_the_parameters)
{
    OWNED_BY(version_calls_free) struct version_calls calls;
    assert_int_equal(version_calls_read(&calls, NULL, NULL), 0);
    assert_string_equal(
        DRIVER("i = blockIdx.x;", &calls, "float const*", "float*", "float", "int"),
        "outer::tiled<float><<<(n + block - 1) / block, block>>>(array(n), array(n), 1, n), "
        "n = 8388608\n");
    assert_non_null(strstr(program.data, "void (*const kernel)(float const*, float*, float, int) "
                                         "= ::outer::tiled<float>;"));
    assert_non_null(strstr(program.data, "(arrays.array(0, n), arrays.array(1, n), 1, n);"));
    assert_non_null(strstr(program.data, "(\"outer::tiled<float>\", (const void *)kernel,"));
    DRIVER("printf(format);", &calls, "float*");
    assert_non_null(strstr(program.data, "(\"outer::tiled<float>\", (const void *)nullptr,"));
    assert_string_equal(
        DRIVER("y = blockIdx.y;", &calls, "float*", "unsigned int"),
        "outer::tiled<float><<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(array(n * n), "
        "n), n = 1024\n");
    assert_string_equal(DRIVER("extern __shared__ float s[];", &calls, "float*", "int", "long"),
                        "outer::tiled<float><<<n, block, 4096>>>(array(n * n), n, n), n = 1024\n");
    assert_string_equal(
        DRIVER("", &calls, "__half2", "(anonymous namespace)::parameters", "void (*)(int)"),
        "outer::tiled<float><<<(n + block - 1) / block, block>>>(__half2(1, 1), parameters{}, "
        "nullptr), n = 8388608\n");
}

TEST(the_user_names_the_call)
{
    struct version_calls calls;
    WORKS(version_calls_read(&calls,
                             " other<<<1, 1>>>(n); outer::tiled< float ><<<2, 64>>>("
                             "array(3), my_array(4), array(5)) ;",
                             "2^10"));
    assert_int_equal(calls.count, 2);
    assert_string_equal(
        DRIVER("", &calls, "float*", "int", "float*"),
        "outer::tiled<float><<<2, 64>>>(array(3), my_array(4), array(5)), n = 1024\n");
    assert_non_null(strstr(program.data, "(arrays.array(0, 3), my_array(4), arrays.array(1, 5));"));
    assert_int_equal(calls.used[0], 0);
    assert_int_equal(calls.used[1], 1);
    version_calls_free(&calls);
    assert_int_equal(version_calls_read(&calls, "tiled<<<1, 2>>>(array(1))", NULL), 0);
    DRIVER("", &calls, "float*");
    assert_int_equal(calls.used[0], 1);
    version_calls_free(&calls);
}

TEST(sizes_may_be_powers)
{
    static const struct {
        const char *word;
        unsigned long long n;
    } cases[] = {{"7", 7}, {"2^0", 1}, {"2^1", 2}, {"2^39", 1ull << 39}};
    struct version_calls calls;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(version_calls_read(&calls, NULL, cases[i].word), 0);
        assert_int_equal(calls.n, cases[i].n);
        version_calls_free(&calls);
    }
}

TEST(damaged_words_are_refused)
{
    static const char *const sizes[] = {"",     "x",   "0",    "2^",  "2^^2",
                                        "2^99", "-1",  "1.5",  "3x3", "1^99999999999999",
                                        "1^2",  "0^2", "2^40", "10^3"};
    struct version_calls calls;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        FAILS(version_calls_read(&calls, NULL, sizes[i]), FAIL_USAGE, "--size: expected a number");
        version_calls_free(&calls);
    }
    FAILS(version_calls_read(&calls, "f(1)", NULL), FAIL_USAGE, "found 'f(1)'");
    version_calls_free(&calls);
}

static int close_all(void **state)
{
    text_free(&program);
    text_free(&shown);
    return fixture_close(state);
}

RUN_TESTS(fixture_open, close_all)
