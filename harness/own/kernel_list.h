/*
 * Finds the kernels that a CUDA file defines, from its text alone. A struct kernel_list owns its
 * strings until kernel_list_free.
 */
#ifndef WHYFAST_KERNEL_LIST_H
#define WHYFAST_KERNEL_LIST_H

enum { MOST_KERNELS = 64, MOST_PARAMETERS = 12 };

struct kernel {
    char *name;
    char *scope;               /* "::", or its namespaces: "::outer::inner::" */
    char *template_parameters; /* "typename T, int B", or NULL */
    char *template_arguments;  /* "<float, 256>", to be completed unless they are those of a
                                  specialization, or NULL */
    char *parameter[MOST_PARAMETERS];
    int parameter_count;
};

struct kernel_list {
    struct kernel kernel[MOST_KERNELS];
    int count;
    int has_hidden; /* macros define further kernels, which are not in the list */
};

/* Finds each __global__ function with a body that no macro and no "#if 0" contains. Returns a
 * failure if memory is short, or if there are too many kernels or parameters. */
int kernel_list_read(struct kernel_list *list, const char *source);
void kernel_list_free(struct kernel_list *list);

/* Returns how many other kernels have the name of this one, so that the name alone is ambiguous. */
int kernel_list_overloads(const struct kernel_list *list, int index);

enum parameter_kind {
    PARAMETER_INPUT,  /* a pointer to const */
    PARAMETER_OUTPUT, /* another pointer */
    PARAMETER_INTEGER,
    PARAMETER_FLOAT,
    PARAMETER_DOUBLE,
    PARAMETER_TENSOR_MAP,
    PARAMETER_FUNCTION, /* a pointer to a function */
    PARAMETER_OTHER     /* a struct, a texture object, a type that is defined elsewhere */
};

/* Tells the kind from the declaration alone: "const float *x". */
enum parameter_kind parameter_kind(const char *parameter);

#endif
