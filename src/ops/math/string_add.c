/* SPDX-License-Identifier: Apache-2.0 */
/* Joins two tensors of strings, with broadcasting. */
#include "ops/math/string_add.h"

#include <string.h>

#include "ops/math/bcast.h"

static bool join(struct tstr *out, const struct tstr *x, const struct tstr *y, struct status *st)
{
    size_t len_x = tstr_len(x), len_y = tstr_len(y);
    char *text = tstr_resize(out, len_x + len_y);
    if (!text)
        return status_exhausted(st, "Add: no memory for a string of %zu bytes", len_x + len_y);
    memcpy(text, tstr_data(x), len_x);
    memcpy(text + len_x, tstr_data(y), len_y);
    return true;
}

bool string_add_run(struct kctx *c, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0), *y = kernel_in(c, 1);
    struct bcast b;
    if (!bcast_make(&b, (const struct shape *[]){&x->shape, &y->shape}, 2, st))
        return false;
    struct shape shape = shape_make(b.out_dims, b.out_rank);
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    if (!out)
        return false;
    struct bcast_at at;
    bcast_seek(&b, &at, 0);
    int last = b.rank - 1;
    for (int64_t i = 0; i < b.num_elems; bcast_next_row(&b, &at)) {
        for (int64_t k = 0; k < b.dims[last]; k++, i++) {
            if (!join(tensor_str(out) + i, tensor_str(x) + at.offset[0] + k * b.stride[0][last],
                      tensor_str(y) + at.offset[1] + k * b.stride[1][last], st))
                return false;
        }
    }
    return true;
}
