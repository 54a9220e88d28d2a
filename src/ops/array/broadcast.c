/* SPDX-License-Identifier: Apache-2.0 */
/* BroadcastTo, BroadcastArgs, BroadcastGradientArgs: NumPy's broadcasting, of a tensor and of
 * shapes held in vectors. */
#include "op/grad.h"
#include "op/infer.h"
#include "ops/array/nd_copy.h"
#include "ops/array/text.h"

/* --- BroadcastTo --- */

static bool to_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *in = infer_input(c, 0), *out;
    if (!infer_const_shape(c, 1, &out, st))
        return false;
    if (in->rank >= 0 && out->rank >= 0) {
        if (!infer_want_rank_max(c, in, out->rank, &in, st))
            return false;
        for (int i = 1; i <= in->rank; i++) {
            int64_t d = infer_dim(in, -i), o = infer_dim(out, -i);
            if (d <= 1)
                continue;
            if (!infer_merge_dim(d, o, &o, st))
                return false;
            out = infer_with_dim(c, out, -i, o);
        }
    }
    infer_set(c, 0, out);
    return true;
}

/* Sums dy over what was spread. */
static bool to_grad(struct grad_ctx *g, struct status *st)
{
    struct output x = grad_in(g, 0), wanted = grad_in(g, 1);
    struct attr type = {(char *)"out_type", attr_type(grad_type_of(g, wanted))};
    struct output shape = grad_opv(g, "Shape", 1, &x, 1, &type);
    struct node *args =
        grad_nodev(g, "BroadcastGradientArgs", 2, (struct output[]){wanted, shape}, 0, NULL);
    struct output sum = grad_op2(g, "Sum", grad_dy(g, 0), grad_node_out(g, args, 1));
    grad_set(g, 0, grad_reshape(g, sum, shape));
    return grad_done(g, st);
}

static bool to_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    struct shape shape;
    if (!kernel_shape_from(kernel_in(c, 1), &shape, st))
        return false;
    int lead = shape.rank - tensor_rank(in);
    bool ok = true;
    if (lead < 0)
        ok = status_invalid(st,
                            "Rank of input (%d) must be no greater than rank of output shape (%d).",
                            tensor_rank(in), shape.rank);
    bool same = ok && shape_equal(&shape, &in->shape);
    if (same)
        kernel_out_share(c, 0, in);
    struct tensor *out = ok && !same ? kernel_out(c, 0, &shape, st) : NULL;
    shape_clear(&shape);
    if (!out || out->num_elems == 0)
        return same || out;
    int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK];
    nd_steps(&in->shape, from);
    nd_steps(&out->shape, to);
    struct nd_copy copy;
    nd_begin(&copy, in->dtype, in->data, out->data);
    for (int i = 0; i < tensor_rank(out); i++) {
        int64_t d = i < lead ? 1 : tensor_dim(in, i - lead), o = tensor_dim(out, i);
        if (d != o && d != 1)
            return in->num_elems == 0
                       ? array_fail_shapes(st, "Unable to broadcast tensor of shape ", &in->shape,
                                           " to tensor of shape ", &out->shape, "")
                       : array_fail_shapes(st, "Incompatible shapes: ", &in->shape, " vs. ",
                                           &out->shape, "");
        nd_axis(&copy, o, d == 1 ? 0 : from[i - lead], to[i]);
    }
    return nd_run(c, &copy, st);
}

OP_DEF(broadcast_to) = {
    .name = "BroadcastTo",
    .summary =
        "The input spread to the given shape: dims of length one, and missing ones in front, "
        "are repeated.",
    .inputs = {"input: T", "shape: Tidx"},
    .outputs = {"output: T"},
    .attrs = {"T: type", "Tidx: {int32, int64} = DT_INT32"},
    .shape = to_shape,
    .grad = to_grad,
};
KERNEL_DEF(broadcast_to_cpu) = {
    .op = "BroadcastTo", .device = "CPU", .run = to_run, .flags = KERNEL_ALIAS};

/* --- shapes in vectors --- */

struct dims_pair { /* counted from the end: the shorter one is ones in front */
    const struct tensor *t[2];
    int64_t rank;
};

static int64_t dim_at(const struct dims_pair *p, int which, int64_t i)
{
    int64_t k = i - (p->rank - p->t[which]->num_elems);
    return k < 0 ? 1 : tensor_index(p->t[which], k);
}

static bool fail_pair(const struct dims_pair *p, struct status *st)
{
    struct strbuf text[2] = {{0}};
    for (int k = 0; k < 2; k++) {
        for (int64_t i = 0; i < p->t[k]->num_elems && i < SHAPE_MAX_RANK; i++)
            strbuf_printf(&text[k], "%s%lld", i ? "," : "", (long long)tensor_index(p->t[k], i));
    }
    status_invalid(st, "Incompatible shapes: [%s] vs. [%s]", strbuf_text(&text[0]),
                   strbuf_text(&text[1]));
    strbuf_release(&text[0]);
    strbuf_release(&text[1]);
    return false;
}

static bool read_pair(struct kctx *c, struct dims_pair *p, struct status *st)
{
    for (int k = 0; k < 2; k++) {
        p->t[k] = kernel_in(c, k);
        if (tensor_rank(p->t[k]) != 1)
            return array_fail_shape(st, k ? "In[1] must be a vector." : "In[0] must be a vector.",
                                    &p->t[k]->shape);
    }
    p->rank = max_i64(p->t[0]->num_elems, p->t[1]->num_elems);
    for (int64_t i = 0; i < p->rank; i++) {
        int64_t a = dim_at(p, 0, i), b = dim_at(p, 1, i);
        if (a != b && a != 1 && b != 1)
            return fail_pair(p, st);
    }
    return true;
}

static void put_index(struct tensor *t, int64_t i, int64_t v)
{
    if (t->dtype == DT_INT64)
        tensor_i64(t)[i] = v;
    else
        tensor_i32(t)[i] = (int32_t)v;
}

static bool want_vectors(struct infer_ctx *c, struct status *st)
{
    const struct shape *unused;
    return infer_want_rank(c, infer_input(c, 0), 1, &unused, st) &&
           infer_want_rank(c, infer_input(c, 1), 1, &unused, st);
}

static bool args_shape(struct infer_ctx *c, struct status *st)
{
    if (!want_vectors(c, st))
        return false;
    int64_t a = infer_dim(infer_input(c, 0), 0), b = infer_dim(infer_input(c, 1), 0);
    infer_set(c, 0, infer_vector(c, a < 0 || b < 0 ? DIM_UNKNOWN : max_i64(a, b)));
    return true;
}

static bool args_run(struct kctx *c, struct status *st)
{
    struct dims_pair p;
    if (!read_pair(c, &p, st))
        return false;
    struct shape shape = shape_1(p.rank);
    struct tensor *out = kernel_out(c, 0, &shape, st);
    if (!out)
        return false;
    for (int64_t i = 0; i < p.rank; i++) {
        int64_t a = dim_at(&p, 0, i), b = dim_at(&p, 1, i);
        put_index(out, i, a == 1 ? b : a);
    }
    return true;
}

OP_DEF(broadcast_args) = {
    .name = "BroadcastArgs",
    .summary = "The shape to which two shapes broadcast.",
    .inputs = {"s0: T", "s1: T"},
    .outputs = {"r0: T"},
    .attrs = {"T: {int32, int64} = DT_INT32"},
    .shape = args_shape,
    .no_grad = "undefined: BroadcastArgs",
};
KERNEL_DEF(broadcast_args_cpu) = {.op = "BroadcastArgs", .device = "CPU", .run = args_run};

/* --- BroadcastGradientArgs --- */

static bool gradient_args_shape(struct infer_ctx *c, struct status *st)
{
    if (!want_vectors(c, st))
        return false;
    infer_set(c, 0, infer_vector(c, DIM_UNKNOWN));
    infer_set(c, 1, infer_vector(c, DIM_UNKNOWN));
    return true;
}

/* Axis i was spread in shape `which`. Where both are one it counts for both, so that the sums
 * leave as few axes as the reshapes expect; equal shapes spread nothing. */
static bool is_spread(const struct dims_pair *p, int which, int64_t i)
{
    return dim_at(p, which, i) == 1;
}

static bool same_dims(const struct dims_pair *p)
{
    if (p->t[0]->num_elems != p->t[1]->num_elems)
        return false;
    for (int64_t i = 0; i < p->rank; i++) {
        if (dim_at(p, 0, i) != dim_at(p, 1, i))
            return false;
    }
    return true;
}

static bool gradient_args_run(struct kctx *c, struct status *st)
{
    struct dims_pair p;
    if (!read_pair(c, &p, st))
        return false;
    bool same = same_dims(&p);
    for (int k = 0; k < 2; k++) {
        int64_t n = 0;
        for (int64_t i = 0; i < p.rank && !same; i++)
            n += is_spread(&p, k, i);
        struct shape shape = shape_1(n);
        struct tensor *out = kernel_out(c, k, &shape, st);
        if (!out)
            return false;
        n = 0;
        for (int64_t i = 0; i < p.rank && !same; i++) {
            if (is_spread(&p, k, i))
                put_index(out, n++, i);
        }
    }
    return true;
}

OP_DEF(broadcast_gradient_args) = {
    .name = "BroadcastGradientArgs",
    .summary = "For two shapes that broadcast, the axes over which the gradient of each is summed.",
    .inputs = {"s0: T", "s1: T"},
    .outputs = {"r0: T", "r1: T"},
    .attrs = {"T: {int32, int64} = DT_INT32"},
    .shape = gradient_args_shape,
    .no_grad = "shapes are integers",
};
KERNEL_DEF(broadcast_gradient_args_cpu) = {
    .op = "BroadcastGradientArgs", .device = "CPU", .run = gradient_args_run};
