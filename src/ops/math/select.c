/* SPDX-License-Identifier: Apache-2.0 */
/* Select and SelectV2: element by element one of two tensors, of any type. V2 broadcasts all three;
 * the first takes a condition of the same shape, a scalar, or a vector that chooses rows. */
#include "ops/math/def.h"
#include "ops/math/simd_tiles.h"

static bool select_init(struct kernel *k, void *state, struct status *st UNUSED)
{
    size_t bytes = dtype_size(dtype_base(k->input_types[1]));
    *(struct ewise_loop *)state = (struct ewise_loop){.fn = SIMD_CALL(tile_select)(bytes),
                                                      .num_in = 3,
                                                      .bytes = {1, (uint8_t)bytes, (uint8_t)bytes},
                                                      .out_bytes = (uint8_t)bytes,
                                                      .cost_ns = (float)bytes * 0.1f};
    return true;
}

static ewise_fn select_ewise(const struct attrs *attrs UNUSED, const int *in_types, int num_in,
                             int out_type)
{
    bool fits = num_in == 3 && in_types[0] == DT_BOOL && in_types[1] == out_type &&
                in_types[2] == out_type && (out_type == DT_FLOAT || out_type == DT_DOUBLE);
    return fits ? SIMD_CALL(tile_select)(dtype_size(out_type)) : NULL;
}

/* Elements that own memory, one by one. */
static bool select_managed(const struct bcast *b, struct tensor *out, const void *const *in,
                           struct status *st)
{
    size_t bytes = dtype_size(out->dtype);
    const bool *cond = in[0];
    struct bcast_at at;
    bcast_seek(b, &at, 0);
    int last = b->rank - 1;
    for (int64_t i = 0; i < b->num_elems; bcast_next_row(b, &at)) {
        for (int64_t k = 0; k < b->dims[last]; k++, i++) {
            int from = cond[at.offset[0] + k * b->stride[0][last]] ? 1 : 2;
            int64_t elem = at.offset[from] + k * b->stride[from][last];
            if (!elems_copy(out->dtype, (char *)out->data + (size_t)i * bytes,
                            (const char *)in[from] + (size_t)elem * bytes, 1))
                return status_exhausted(st, "Select: no memory for a string");
        }
    }
    return true;
}

static bool select_spread(struct kctx *c, const struct bcast *b, struct status *st)
{
    const struct ewise_loop *l = kernel_state(c);
    const void *in[3];
    for (int i = 0; i < 3; i++)
        in[i] = kernel_in(c, i)->data;
    bool managed = dtype_is_managed(kernel_output_type(c, 0));
    struct shape shape = shape_make(b->out_dims, b->out_rank);
    struct tensor *out =
        managed ? kernel_out(c, 0, &shape, st) : ewise_out(c, l, &shape, b->num_elems, st);
    shape_clear(&shape);
    if (!out)
        return false;
    if (managed)
        return select_managed(b, out, in, st);
    ewise_run_spread(kernel_pool(c), l, out->data, in, b);
    return true;
}

/* --- Select --- */

static bool fail_same(struct kctx *c, int i, struct status *st)
{
    struct strbuf a = {0}, b = {0};
    shape_print(&kernel_in(c, i == 1 ? 0 : 1)->shape, &a);
    shape_print(&kernel_in(c, i)->shape, &b);
    status_invalid(st,
                   "Inputs to operation %s of type Select must have the same size and shape.  "
                   "Input 0: %s != input %d: %s",
                   c->kernel->node_name, strbuf_text(&a), i, strbuf_text(&b));
    strbuf_release(&a);
    strbuf_release(&b);
    return false;
}

/* The condition's shape as broadcasting sees it: a vector stands for a column of rows. */
static bool condition_shape(struct kctx *c, struct shape *out, struct status *st)
{
    const struct shape *cond = &kernel_in(c, 0)->shape, *t = &kernel_in(c, 1)->shape;
    if (cond->rank == 0 || shape_equal(cond, t)) {
        *out = shape_copy(cond);
        return true;
    }
    if (cond->rank != 1)
        return fail_same(c, 1, st);
    if (t->rank == 0)
        return status_invalid(st, "'then' must be at least a vector, but saw shape: []");
    if (shape_dim(t, 0) != shape_dim(cond, 0))
        return status_invalid(
            st, "Number of batches of 'then' must match size of 'cond', but saw: %lld vs. %lld",
            (long long)shape_dim(t, 0), (long long)shape_dim(cond, 0));
    int64_t dims[SHAPE_MAX_RANK];
    for (int i = 0; i < t->rank; i++)
        dims[i] = i == 0 ? shape_dim(cond, 0) : 1;
    *out = shape_make(dims, t->rank);
    return true;
}

static bool select_run(struct kctx *c, struct status *st)
{
    const struct tensor *cond = kernel_in(c, 0), *t = kernel_in(c, 1), *e = kernel_in(c, 2);
    if (!shape_equal(&t->shape, &e->shape))
        return fail_same(c, 2, st);
    if (cond->shape.rank == 0) {
        kernel_out_share(c, 0, tensor_bool(cond)[0] ? t : e);
        return true;
    }
    struct shape as;
    if (!condition_shape(c, &as, st))
        return false;
    struct bcast b;
    bool ok = bcast_make(&b, (const struct shape *[]){&as, &t->shape, &e->shape}, 3, st);
    shape_clear(&as);
    return ok && select_spread(c, &b, st);
}

static bool select_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *cond = infer_input(c, 0), *data, *with;
    if (!infer_merge(c, infer_input(c, 1), infer_input(c, 2), &data, st))
        return false;
    struct infer_handle h = infer_handle_in(c, 1), h2 = infer_handle_in(c, 2);
    if (h.n && h2.n)
        infer_set_handle(c, 0, h);
    infer_set(c, 0, data);
    if (cond->rank <= 0 || data->rank < 0)
        return true;
    with = cond;
    if (cond->rank == 1 && data->rank > 1)
        with = infer_with_dim(c, infer_of_rank(c, data->rank), 0, shape_dim(cond, 0));
    if (!infer_merge(c, data, with, &data, st))
        return false;
    infer_set(c, 0, data);
    return true;
}

static bool select_grad(struct grad_ctx *g, struct status *st)
{
    struct output dy = grad_dy(g, 0), cond = grad_in(g, 0),
                  zeros = grad_zeros_like(g, grad_in(g, 1));
    grad_set(g, 1, grad_op3(g, "Select", cond, dy, zeros));
    grad_set(g, 2, grad_op3(g, "Select", cond, zeros, dy));
    return grad_done(g, st);
}

#define K_SELECT                                                                                   \
    "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, complex64, "     \
    "complex128, bool, string, resource, variant}"

OP_DEF(select) = {
    .name = "Select",
    .summary = "Elements of t where condition is true, of e elsewhere.",
    .inputs = {"condition: bool", "t: T", "e: T"},
    .outputs = {"output: T"},
    .attrs = {"T: type"},
    .shape = select_shape,
    .grad = select_grad,
};
KERNEL_DEF(select_cpu) = {.op = "Select",
                          .device = "CPU",
                          .types = {K_SELECT},
                          .state_bytes = sizeof(struct ewise_loop),
                          .init = select_init,
                          .run = select_run,
                          .flags = KERNEL_SAME_SHAPE,
                          .ewise_of = select_ewise};

/* --- SelectV2 --- */

static bool fail_unfit(struct kctx *c, struct status *st)
{
    struct strbuf s[3] = {{0}};
    for (int i = 0; i < 3; i++)
        shape_print(&kernel_in(c, i)->shape, &s[i]);
    status_invalid(st, "condition %s, then %s, and else %s must be broadcastable",
                   strbuf_text(&s[0]), strbuf_text(&s[1]), strbuf_text(&s[2]));
    for (int i = 0; i < 3; i++)
        strbuf_release(&s[i]);
    return false;
}

static bool select_v2_run(struct kctx *c, struct status *st)
{
    const struct shape *shapes[3];
    for (int i = 0; i < 3; i++)
        shapes[i] = &kernel_in(c, i)->shape;
    struct status unfit = {0};
    struct bcast b;
    bool fits = bcast_make(&b, shapes, 3, &unfit);
    status_clear(&unfit);
    return fits ? select_spread(c, &b, st) : fail_unfit(c, st);
}

static bool select_v2_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *data, *cond = infer_input(c, 0);
    const struct shape *t = infer_input(c, 1), *e = infer_input(c, 2);
    if (t->rank < 0 || e->rank < 0 || cond->rank < 0)
        return true;
    if (!infer_broadcast(c, t, e, &data, st) || !infer_broadcast(c, data, cond, &data, st))
        return false;
    infer_set(c, 0, data);
    return true;
}

/* Sums dx, of the output's shape, to x's. *out_shape: made at the first call. */
static struct output sum_to(struct grad_ctx *g, struct output dx, struct output x,
                            struct output *out_shape)
{
    struct output shape = grad_shape(g, x);
    if (!output_valid(*out_shape))
        *out_shape = grad_shape(g, grad_out(g, 0));
    if (!grad_as_python(g) && shape_known(grad_shape_of(g, x)) &&
        shape_equal(grad_shape_of(g, x), grad_shape_of(g, grad_out(g, 0))))
        return dx;
    struct node *args =
        grad_nodev(g, "BroadcastGradientArgs", 2, (struct output[]){shape, *out_shape}, 0, NULL);
    return grad_reshape(g, grad_op2(g, "Sum", dx, grad_node_out(g, args, 0)), shape);
}

static bool select_v2_grad(struct grad_ctx *g, struct status *st)
{
    struct output dy = grad_dy(g, 0), cond = grad_in(g, 0), shape = {NULL, 0};
    grad_name(g, "zeros");
    struct output zero = grad_const_like(g, dy, 0);
    grad_set(g, 1, sum_to(g, grad_op3(g, "SelectV2", cond, dy, zero), grad_in(g, 1), &shape));
    grad_set(g, 2, sum_to(g, grad_op3(g, "SelectV2", cond, zero, dy), grad_in(g, 2), &shape));
    return grad_done(g, st);
}

OP_DEF(select_v2) = {
    .name = "SelectV2",
    .summary = "Elements of t where condition is true, of e elsewhere; all three broadcast.",
    .inputs = {"condition: bool", "t: T", "e: T"},
    .outputs = {"output: T"},
    .attrs = {"T: type"},
    .shape = select_v2_shape,
    .grad = select_v2_grad,
};
KERNEL_DEF(select_v2_cpu) = {.op = "SelectV2",
                             .device = "CPU",
                             .types = {K_SELECT},
                             .state_bytes = sizeof(struct ewise_loop),
                             .init = select_init,
                             .run = select_v2_run,
                             .ewise_of = select_ewise};
