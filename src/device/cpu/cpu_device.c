/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU device: kernels run on host memory and are over when they return. */
#include "base/cpu.h"
#include "base/mem.h"
#include "device/device.h"

static bool cpu_open(struct device *d, struct status *st)
{
    (void)st;
    d->memory_bytes = cpu_memory_limit();
    d->description = mem_printf("CPU with %s instructions", cpu_level_name(cpu_level()));
    return true;
}

DEVICE_DEF(cpu) = {
    .type = "CPU",
    .priority = 50,
    .memory_is_host = true,
    .open = cpu_open,
};
