/* SPDX-License-Identifier: Apache-2.0 */
/* The devices of a session: made from the device types that the build found. */
#include "runtime/devices.h"

#include <string.h>
#include <sys/random.h>

#include "base/mem.h"

static int count_of(const struct device_def *d, const struct config *c)
{
    if (strcmp(d->type, "CPU") == 0)
        return c->cpu_devices;
    return d->count ? d->count() : 1;
}

static bool open_one(struct device *dev, const char *task, const struct device_def *d, int index,
                     struct status *st)
{
    dev->def = d;
    dev->index = index;
    dev->name = mem_printf("%s/device:%s:%d", task, d->type, index);
    if (getrandom(&dev->incarnation, sizeof dev->incarnation, GRND_NONBLOCK) !=
        sizeof dev->incarnation)
        dev->incarnation = (uint64_t)(uintptr_t)dev * 0x9E3779B97F4A7C15u;
    dev->incarnation |= 1;
    dev->memory_bytes = 256 << 20;
    return !d->open || d->open(dev, st);
}

bool devices_open(const struct config *c, struct device **devices, int *n, struct status *st)
{
    return devices_open_at("/job:localhost/replica:0/task:0", c, devices, n, st);
}

bool devices_open_at(const char *task, const struct config *c, struct device **devices, int *n,
                     struct status *st)
{
    int total = 0;
    for (int i = 0; leat_all_device_defs[i]; i++)
        total += count_of(leat_all_device_defs[i], c);
    *devices = mem_new_array(struct device, total + 1);
    *n = 0;
    for (int cpu = 1; cpu >= 0; cpu--) { /* CPUs first */
        for (int i = 0; leat_all_device_defs[i]; i++) {
            const struct device_def *d = leat_all_device_defs[i];
            if ((strcmp(d->type, "CPU") == 0) != cpu)
                continue;
            for (int k = 0; k < count_of(d, c); k++) {
                if (!open_one(&(*devices)[(*n)++], task, d, k, st))
                    return false;
            }
        }
    }
    return *n > 0 || status_internal(st, "this build has no device");
}

void devices_close(struct device *devices, int n)
{
    for (int i = 0; i < n; i++) {
        if (devices[i].def->close)
            devices[i].def->close(&devices[i]);
        mem_free(devices[i].name);
        mem_free(devices[i].description);
    }
    mem_free(devices);
}
