/*
 * Makes short names of kernels from the readable ones of machine_code/kernel_name.h: the function
 * without namespaces, its template arguments as they are written, and the function object that a
 * generic kernel was made for: "sgemm2DBlocktiling<128,128,8,8,8>",
 * "vectorized_elementwise_kernel<CUDAFunctor_add>". What is too long is left out in this order:
 * arguments that only carry data, numbers and types, what stands around the function object.
 *
 * A label depends on its name alone, unless another name of the same run would have the same label
 * or key. Nothing is owned.
 */
#ifndef WHYFAST_KERNEL_LABEL_H
#define WHYFAST_KERNEL_LABEL_H

enum { KERNEL_LABEL = 49 }; /* bytes, with the final 0 */

/* Labels names, which may repeat: the same names have the same label, and names that differ have
 * labels with different keys, unless nothing that fits tells them apart. Returns FAIL_OUTPUT, with
 * a message, if memory is short. */
int kernel_labels_make(const char *const *names, int count, char (*labels)[KERNEL_LABEL]);

#endif
