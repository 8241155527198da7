/*
 * Finds the devices of this machine that --device names, and makes CUDA see one of them alone: a
 * process measures the first device that it sees. Devices are known before CUDA is used, from NVML
 * or from CUDA_VISIBLE_DEVICES, so that no process holds a device that another one measures. A MIG
 * slice is a device. A struct device_choice owns its strings until device_choice_free.
 */
#ifndef WHYFAST_DEVICE_CHOICE_H
#define WHYFAST_DEVICE_CHOICE_H

struct device_choice {
    int count;
    char **visible; /* for each device, the value of CUDA_VISIBLE_DEVICES that shows it alone */
};

/* Finds the devices: each word is a number, a UUID ("GPU-...", "MIG-..."), the beginning of one, or
 * "all". Numbers count the entries of CUDA_VISIBLE_DEVICES if it is set, else the devices and MIG
 * slices as nvidia-smi lists them. Returns FAIL_USAGE for a word that names no device, and FAIL_GPU
 * if there are none. */
int device_choice_make(struct device_choice *choice, const char *const *word, int count);
void device_choice_free(struct device_choice *choice);

/* Shows this process, and those that it starts, one device alone. To be called before any call of
 * CUDA. */
int device_choice_use(const struct device_choice *choice, int device);

#endif
