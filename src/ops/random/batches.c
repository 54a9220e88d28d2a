/* SPDX-License-Identifier: Apache-2.0 */
/* Outputs in batches, each with parameters of its own (numbers.h). */
#include "ops/random/numbers.h"

enum { SAME_BATCH = 100 };

struct params {
    const char *const *names;
    int first, n;
};

static bool check_params(const struct kctx *c, struct params p, const struct batches *b,
                         int64_t rows, bool *same, struct status *st)
{
    *same = tensor_rank(kernel_in(c, p.first + p.n - 1)) == 0 || !b->last_scalar;
    for (int i = 0; i < p.n; i++) {
        const struct tensor *t = kernel_in(c, p.first + i);
        if (tensor_rank(t) > 1)
            return status_invalid(st, "Input %s should be a scalar or vector, got rank %d",
                                  p.names[i], tensor_rank(t));
        *same = *same && t->num_elems == 1;
    }
    for (int i = 0; i < p.n && !*same; i++) {
        const struct tensor *t = kernel_in(c, p.first + i);
        if (t->num_elems != 1 && t->num_elems != rows)
            return status_invalid(st,
                                  "Input %s should have length 1 or shape[0], got shape: [%lld]",
                                  p.names[i], (long long)t->num_elems);
    }
    return true;
}

bool batches_begin(struct kctx *c, int shape, const char *const *names, int num_params,
                   struct batches *b, struct status *st)
{
    const struct params p = {names, shape + 1, num_params};
    struct shape s = {0};
    bool same;
    if (!kernel_want_vector(c, shape, st))
        return false;
    if (kernel_in(c, shape)->num_elems == 0)
        return status_invalid(st, "Shape tensor must not be empty, got DT_INT32");
    if (!kernel_shape_from(kernel_in(c, shape), &s, st))
        return false;
    const int64_t rows = shape_dim(&s, 0);
    b->out = kernel_out(c, 0, &s, st);
    shape_clear(&s);
    if (!b->out || !check_params(c, p, b, rows, &same, st))
        return false;
    const int64_t n = b->out->num_elems;
    b->each = same ? SAME_BATCH : n / max_i64(rows, 1);
    b->num = n == 0 ? 0 : same ? (n + SAME_BATCH - 1) / SAME_BATCH : rows;
    return true;
}

bool batches_shape(struct infer_ctx *c, int shape, struct status *st)
{
    const struct shape *s;
    for (int i = shape + 1; i < infer_num_inputs(c); i++) {
        if (!infer_want_rank_max(c, infer_input(c, i), 1, &s, st))
            return false;
    }
    if (!infer_const_shape(c, shape, &s, st))
        return false;
    infer_set(c, 0, s);
    return true;
}
