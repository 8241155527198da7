#include "injected/code_origin.h"

#include <elf.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

/* ---- names ----------------------------------------------------------------------------------- */

/* Libraries between the launch and its caller. */
static const char *const passed[] = {"libwhyfast_inject.so", "libcupti.so", "libcuda.so",
                                     "libcudart.so", NULL};

static const char *const vendors[] = {
    "libcublas",     "libcudnn",      "libcufft",  "libcusparse",  "libcusolver",     "libcurand",
    "libcutensor",   "libcudss",      "libnccl",   "libnvinfer",   "libnpp",          "libnvjpeg",
    "libnvshmem",    "libcustatevec", "libnvcomp", "libnvonnx",    "libcudensitymat", "libnvtiff",
    "libnvimgcodec", "libcuvs",       "libnvrtc",  "libnvJitLink", "libcal.so",       NULL};

/* Settings that these libraries look for: a file that holds one was linked with the library. */
static const char *const settings[][2] = {{"CUBLASLT_LOG_MASK", "cuBLAS"},
                                          {"CUBLASXT_NVTX_LEVEL", "cuBLAS"},
                                          {"CUDNN_LOGLEVEL_DBG", "cuDNN"},
                                          {"CUFFT_SHUFFLER_OVERRIDE", "cuFFT"},
                                          {"CUSPARSE_LOG_MASK", "cuSPARSE"},
                                          {"CUSOLVERDN_LOG_MASK", "cuSOLVER"},
                                          {"CURAND_DETAIL_OVERRIDE_MPCOUNT", "cuRAND"},
                                          {"NCCL_COLLNET_NODE_THRESHOLD", "NCCL"}};

/* How kernels of these libraries are called, wherever they come from. */
static const char *const kernels[][2] = {
    {"_ZN6cublas", "cuBLAS"},     {"_ZN8cublasLt", "cuBLAS"},  {"xmma_gemm", "cuBLAS"},
    {"_ZN5cudnn", "cuDNN"},       {"xmma_fprop", "cuDNN"},     {"_ZN8cusparse", "cuSPARSE"},
    {"_ZN8cusolver", "cuSOLVER"}, {"ncclDevKernel", "NCCL"},   {"ncclKernel", "NCCL"},
    {"_Z10vector_fft", "cuFFT"},  {"_Z11regular_fft", "cuFFT"}};

static int begins_with_any(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (!strncmp(name, *list, strlen(*list))) return 1;
    return 0;
}

/* ---- files ----------------------------------------------------------------------------------- */

struct mapped {
    const unsigned char *bytes;
    size_t size;
};

static int map_file(struct mapped *file, const char *path)
{
    struct stat status;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    file->bytes = MAP_FAILED;
    if (descriptor >= 0 && !fstat(descriptor, &status) && status.st_size > 0) {
        file->size = (size_t)status.st_size;
        file->bytes = mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    }
    if (descriptor >= 0) close(descriptor);
    return file->bytes != MAP_FAILED;
}

/* Returns 1 if the file, an ELF image, has device code: a section .nv_fatbin. */
static int has_device_code(const struct mapped *file)
{
    static const char section[] = ".nv_fatbin";
    return memmem(file->bytes, file->size, section, sizeof section) != NULL;
}

static const char *holds_vendor(const struct mapped *file)
{
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (memmem(file->bytes, file->size, settings[i][0], strlen(settings[i][0])))
            return settings[i][1];
    return NULL;
}

static int judge_contents(const char *path, int is_program, char reason[ORIGIN_REASON])
{
    struct mapped file;
    if (!map_file(&file, path)) {
        snprintf(reason, ORIGIN_REASON, "%.80s, which launches it, cannot be read",
                 text_base_name(path));
        return 0;
    }
    const char *vendor = holds_vendor(&file);
    const int is_known = is_program || has_device_code(&file);
    munmap((void *)(uintptr_t)file.bytes, file.size);
    if (vendor)
        snprintf(reason, ORIGIN_REASON,
                 "%.60s was linked with %s, whose kernels cannot be told from others in it",
                 is_program ? "the program" : text_base_name(path), vendor);
    else if (!is_known)
        snprintf(reason, ORIGIN_REASON,
                 "the origin of its machine code is not known: %.60s "
                 "launches it",
                 text_base_name(path));
    return !vendor && is_known;
}

/* PyTorch; and the files by which Triton and CuPy launch what they have compiled. */
static int is_of_framework(const char *path, const char *name)
{
    return !strncmp(name, "libtorch", 8) || !strncmp(name, "__triton_launcher", 17) ||
           strstr(path, "-packages/triton/") || strstr(path, "-packages/cupy");
}

int code_origin_of_file(const char *path, int is_program, char reason[ORIGIN_REASON])
{
    const char *name = text_base_name(path);
    if (begins_with_any(name, vendors)) {
        snprintf(reason, ORIGIN_REASON, "it is a kernel of %.60s, which is not changed", name);
        return 0;
    }
    if (!is_program && is_of_framework(path, name)) return 1;
    return judge_contents(path, is_program, reason);
}

/* ---- the stack ------------------------------------------------------------------------------- */

struct search {
    uintptr_t address;
    const char *path; /* "" is the program */
};

static int find_object(struct dl_phdr_info *object, size_t size, void *context)
{
    struct search *search = context;
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || search->address < object->dlpi_addr + part->p_vaddr ||
            search->address >= object->dlpi_addr + part->p_vaddr + part->p_memsz)
            continue;
        search->path = object->dlpi_name ? object->dlpi_name : "";
        return 1;
    }
    return 0;
}

/* Returns the file of the first caller that is not passed; NULL if there is none. Code without a
 * file is one. */
static const char *caller(void)
{
    enum { MOST_FRAMES = 64 };
    void *frame[MOST_FRAMES];
    const int count = backtrace(frame, MOST_FRAMES);
    for (int i = 0; i < count; i++) {
        struct search search = {(uintptr_t)frame[i], NULL};
        if (!dl_iterate_phdr(find_object, &search)) return NULL;
        if (!begins_with_any(text_base_name(search.path), passed)) return search.path;
    }
    return NULL;
}

int code_origin_is_known(const char *symbol, char reason[ORIGIN_REASON])
{
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (strstr(symbol, kernels[i][0])) {
            snprintf(reason, ORIGIN_REASON, "it is a kernel of %s, which is not changed",
                     kernels[i][1]);
            return 0;
        }
    const char *path = caller();
    if (path) return code_origin_of_file(*path ? path : "/proc/self/exe", !*path, reason);
    snprintf(reason, ORIGIN_REASON,
             "the origin of its machine code is not known: its launch cannot be traced back");
    return 0;
}
