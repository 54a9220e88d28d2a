/* SPDX-License-Identifier: Apache-2.0 */
/* Roll: moves elements along axes, those that leave at one end coming in at the other. Each rolled
 * axis is two pieces that change places; every combination of pieces is one block copy. */
#include "op/grad.h"
#include "op/infer.h"
#include "ops/array/nd_copy.h"
#include "ops/array/text.h"

struct roll { /* axes that move; each has at least 2 elements, so there are fewer than 63 */
    int num;
    int axis[64];
    int64_t by[64]; /* 0 < by < dim */
};

static bool vector_or_scalar(const struct tensor *t, const char *name, struct status *st)
{
    char text[80];
    if (tensor_rank(t) <= 1)
        return true;
    snprintf(text, sizeof(text), "%s must be a scalar or a 1-D vector. Found: ", name);
    return array_fail_shape(st, text, &t->shape);
}

/* How far each axis moves in all, 0 <= by[i] < dim. */
static bool read_moves(const struct kctx *c, int64_t *by, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0), *shift = kernel_in(c, 1), *axis = kernel_in(c, 2);
    int rank = tensor_rank(in);
    if (rank < 1)
        return status_invalid(st, "input must be 1-D or higher");
    if (!vector_or_scalar(shift, "shift", st) || !vector_or_scalar(axis, "axis", st))
        return false;
    if (!shape_equal(&shift->shape, &axis->shape))
        return status_invalid(st, "shift and axis must have the same size");
    for (int i = 0; i < rank; i++)
        by[i] = 0;
    for (int64_t i = 0; i < axis->num_elems; i++) {
        int64_t a = tensor_index(axis, i);
        a = a < 0 ? a + rank : a;
        if (a < 0 || a >= rank)
            return status_invalid(st, "axis %lld is out of range",
                                  (long long)tensor_index(axis, i));
        int64_t d = tensor_dim(in, (int)a);
        if (d < 2)
            continue;
        int64_t s = tensor_index(shift, i) % d;
        s = s < 0 ? s + d : s;
        by[a] = by[a] >= d - s ? by[a] - (d - s) : by[a] + s;
    }
    return true;
}

/* The block where bit i of pieces says which end of moving axis i it comes from. */
static bool copy_piece(struct kctx *c, const struct roll *r, uint64_t pieces, const int64_t *steps,
                       struct tensor *out, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    size_t item = dtype_size(in->dtype);
    struct nd_copy copy;
    int64_t from = 0, to = 0;
    int m = 0;
    nd_begin(&copy, in->dtype, in->data, out->data);
    for (int i = 0; i < tensor_rank(in); i++) {
        int64_t n = tensor_dim(in, i);
        if (m < r->num && r->axis[m] == i) {
            bool tail = pieces >> m & 1;
            int64_t by = r->by[m++];
            from += tail ? (n - by) * steps[i] : 0;
            to += tail ? 0 : by * steps[i];
            n = tail ? by : n - by;
        }
        nd_axis(&copy, n, steps[i], steps[i]);
    }
    copy.src += (size_t)from * item;
    copy.dst += (size_t)to * item;
    return nd_run(c, &copy, st);
}

static bool roll_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    int64_t by[SHAPE_MAX_RANK], steps[SHAPE_MAX_RANK];
    struct roll r = {0};
    if (!read_moves(c, by, st))
        return false;
    for (int i = 0; in->num_elems > 0 && i < tensor_rank(in); i++) {
        if (by[i]) {
            r.axis[r.num] = i;
            r.by[r.num++] = by[i];
        }
    }
    if (r.num == 0) {
        kernel_out_share(c, 0, in);
        return true;
    }
    struct tensor *out = kernel_out(c, 0, &in->shape, st);
    if (!out)
        return false;
    nd_steps(&in->shape, steps);
    for (uint64_t pieces = 0; pieces < (uint64_t)1 << r.num; pieces++) {
        if (!copy_piece(c, &r, pieces, steps, out, st))
            return false;
    }
    return true;
}

static bool roll_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    if (!infer_want_rank_min(c, infer_input(c, 0), 1, &s, st) ||
        !infer_want_rank_max(c, infer_input(c, 1), 1, &s, st) ||
        !infer_want_rank_max(c, infer_input(c, 2), 1, &s, st) ||
        !infer_merge(c, infer_input(c, 1), infer_input(c, 2), &s, st))
        return false;
    infer_set(c, 0, infer_input(c, 0));
    return true;
}

static bool roll_grad(struct grad_ctx *g, struct status *st)
{
    grad_set(g, 0, grad_op3(g, "Roll", grad_dy(g, 0), grad_neg(g, grad_in(g, 1)), grad_in(g, 2)));
    return grad_done(g, st);
}

OP_DEF(roll) = {
    .name = "Roll",
    .summary = "Moves elements along axes, around the ends.",
    .inputs = {"input: T", "shift: Tshift", "axis: Taxis"},
    .outputs = {"output: T"},
    .attrs = {"T: type", "Tshift: {int32, int64}", "Taxis: {int32, int64}"},
    .shape = roll_shape,
    .grad = roll_grad,
};
KERNEL_DEF(roll_cpu) = {
    .op = "Roll",
    .device = "CPU",
    .types = {"T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, "
              "complex64, complex128, bool, string, resource, variant}"},
    .run = roll_run,
};
