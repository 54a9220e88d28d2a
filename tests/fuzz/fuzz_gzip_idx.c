/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes what reads data files: gzip, and the idx array within or without it. */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "codec/gzip.h"
#include "io/idx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse(const void *bytes, size_t n)
{
    struct status st = {0};
    struct idx x;
    if (idx_parse(bytes, n, "fuzz", &x, &st)) {
        unsigned sum = 0;
        for (int64_t i = 0; i < x.num; i++)
            sum += x.data[i];
        if (sum > 255u * (uint64_t)x.num)
            abort();
    }
    status_clear(&st);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct status st = {0};
    char *out;
    size_t n;
    if (gzip_unpack(data, size, 1 << 20, "fuzz", &out, &n, &st)) {
        parse(out, n);
        mem_free(out);
    }
    status_clear(&st);
    parse(data, size);
    return 0;
}
