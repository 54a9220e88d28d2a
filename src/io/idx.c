/* SPDX-License-Identifier: Apache-2.0 */
/* Reading idx arrays: the head is checked against the bytes that are there before it is believed.
 */
#include "io/idx.h"

static bool broken(const char *what, const char *why, struct status *st)
{
    return status_fail(st, STATUS_DATA_LOSS, "%s: %s", what, why);
}

bool idx_parse(const void *bytes, size_t n, const char *what, struct idx *out, struct status *st)
{
    const uint8_t *p = bytes;
    *out = (struct idx){.num = 1};
    if (n < 4 || p[0] != 0 || p[1] != 0)
        return broken(what, "does not begin as an idx file does", st);
    if (p[2] != 8)
        return status_unimplemented(st, "%s: an idx file of type %d; only bytes (8) are read", what,
                                    p[2]);
    out->num_dims = p[3];
    if (out->num_dims < 1 || out->num_dims > IDX_MAX_DIMS)
        return broken(what, "says that it has no dims, or more than 8", st);
    size_t head = 4 + 4 * (size_t)out->num_dims;
    if (n < head)
        return broken(what, "cut short in its head", st);
    for (int i = 0; i < out->num_dims; i++) {
        const uint8_t *d = p + 4 + 4 * i;
        out->dims[i] = (int64_t)d[0] << 24 | d[1] << 16 | d[2] << 8 | d[3];
        if (__builtin_mul_overflow(out->num, out->dims[i], &out->num))
            return broken(what, "its dims have no product", st);
    }
    if ((uint64_t)out->num != n - head)
        return broken(what, "the bytes are not as many as the dims say", st);
    out->data = p + head;
    return true;
}
