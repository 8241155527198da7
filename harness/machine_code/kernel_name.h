/*
 * Makes readable names of kernels from their mangled ones. In a build without the C++ runtime names
 * stay mangled. The caller frees the results.
 */
#ifndef WHYFAST_KERNEL_NAME_H
#define WHYFAST_KERNEL_NAME_H

/* Returns the kernel's readable name: demangled, without return type and arguments. Returns NULL,
 * with a message, if memory is short. */
char *kernel_name(const char *symbol);

/* Returns the same, and the types of the parameters behind it in *types: "float const*, int)"; ""
 * for a name without them. */
char *kernel_name_and_types(const char *symbol, char **types);

/* Returns the same of a name that another tool has demangled. */
char *kernel_name_of(const char *demangled);

/* Returns the name without namespaces and template arguments. */
char *kernel_short_name(const char *symbol);

#endif
