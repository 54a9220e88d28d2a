/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes device names: an accepted one fits itself, and its parts are words and numbers. */
#include <stdlib.h>

#include "base/mem.h"
#include "runtime/placer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct status st = {0};
    struct device_spec spec;
    char *name = mem_strndup((const char *)data, size);
    if (device_spec_parse(name, &spec, &st)) {
        if (!device_spec_matches(&spec, &spec) || spec.replica < -1 || spec.task < -1 ||
            spec.index < -1 || strchr(spec.job, '/') || strchr(spec.type, '/'))
            abort();
    } else if (st.code != STATUS_INVALID_ARGUMENT) {
        abort();
    }
    status_clear(&st);
    mem_free(name);
    return 0;
}
