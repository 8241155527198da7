/*
 * Finds the device of this machine that --device names, and makes CUDA see that one alone: a
 * process measures the first device that it sees. Devices are known before CUDA is used, from NVML
 * or from CUDA_VISIBLE_DEVICES, so that no process holds a device that another one measures. A MIG
 * slice is a device.
 */
#ifndef WHYFAST_DEVICE_CHOICE_H
#define WHYFAST_DEVICE_CHOICE_H

/* Finds the device by a number, a UUID ("GPU-...", "MIG-...") or the beginning of one, and shows it
 * alone to this process and to those that it starts. Numbers count the entries of
 * CUDA_VISIBLE_DEVICES if it is set, else the devices and MIG slices as nvidia-smi lists them.
 * Returns FAIL_USAGE for a word that names no device, and FAIL_GPU if there are none. To be called
 * before any call of CUDA. */
int device_choice_use(const char *word);

#endif
