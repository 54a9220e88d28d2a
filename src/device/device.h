/* SPDX-License-Identifier: Apache-2.0 */
/* A device type, found by the build (one folder under device/), and the devices a session has of
 * it.
 *
 * Every optional member says what its absence means. Host devices (memory_is_host) compute on host
 * memory: tensors go to and from them without a copy. */
#ifndef LEAT_DEVICE_DEVICE_H
#define LEAT_DEVICE_DEVICE_H

#include "base/status.h"
#include "op/kernel.h"

struct device;

struct device_def {
    const char *type; /* "CPU" */
    int priority;     /* placement prefers higher where a kernel exists: GPU 100, CPU 50 */
    bool memory_is_host;
    int (*count)(void); /* devices by default: 1 for CPU; NULL: 1 */
    /* Fills name-independent facts; NULL: nothing to set up. */
    bool (*open)(struct device *d, struct status *st);
    void (*close)(struct device *d); /* NULL: nothing */
    /* NULL where memory_is_host. dst and src are tensors of equal type and size. */
    bool (*copy_in)(struct device *d, const struct tensor *host, struct tensor *out,
                    struct status *st);
    bool (*copy_out)(struct device *d, const struct tensor *dev, struct tensor *out,
                     struct status *st);
    void (*sync)(struct device *d); /* NULL: kernels finish before they return */
};
#define DEVICE_DEF(id)                                                                             \
    extern const struct device_def leat_device_def_##id;                                           \
    const struct device_def leat_device_def_##id

struct device { /* owned by its session */
    const struct device_def *def;
    char *name; /* "/job:localhost/replica:0/task:0/device:CPU:0" */
    int index;
    uint64_t incarnation; /* random, not 0 */
    int64_t memory_bytes;
    char *description;
    void *state; /* the type's own */
};

extern const struct device_def
    *const leat_all_device_defs[]; /* NULL at the end; made by the build */

#endif
