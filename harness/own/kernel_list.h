/*
 * Finds the kernels that a CUDA file defines, from its text alone. A struct kernel_list owns its
 * strings until kernel_list_free.
 */
#ifndef WHYFAST_KERNEL_LIST_H
#define WHYFAST_KERNEL_LIST_H

enum { MOST_KERNELS = 64, MOST_PARAMETERS = 12 };

struct kernel {
    char *name;
    char *template_arguments; /* "<256, float>" to be completed, or "" */
    char *parameter[MOST_PARAMETERS];
    int parameter_count;
};

struct kernel_list {
    struct kernel kernel[MOST_KERNELS];
    int count;
};

/* Finds each __global__ function with a body. Returns a failure if memory is short, or if there are
 * too many kernels or parameters. */
int kernel_list_read(struct kernel_list *list, const char *source);
void kernel_list_free(struct kernel_list *list);

enum parameter_kind {
    PARAMETER_INPUT,  /* a pointer to const */
    PARAMETER_OUTPUT, /* another pointer */
    PARAMETER_INTEGER,
    PARAMETER_FLOAT,
    PARAMETER_DOUBLE,
    PARAMETER_TENSOR_MAP,
    PARAMETER_OTHER /* a struct, a texture object, a type that is defined elsewhere */
};

/* Tells the kind from the declaration alone: "const float *x". */
enum parameter_kind parameter_kind(const char *parameter);

#endif
