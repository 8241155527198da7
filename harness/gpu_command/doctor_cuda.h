/*
 * The doctor's checks of CUDA and CUPTI.
 */
#ifndef WHYFAST_DOCTOR_CUDA_H
#define WHYFAST_DOCTOR_CUDA_H

#include "doctor/doctor.h"

extern const struct doctor_gpu doctor_cuda;

#endif
