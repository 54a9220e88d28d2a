/* SPDX-License-Identifier: Apache-2.0 */
/* GatherNd: slices of a tensor, each picked by a tuple of leading indices. */
#include "ops/gather/gather.h"
#include "ops/gather/gather_grad.h"

static bool fail_depth(const struct shape *indices, const struct shape *params, struct status *st)
{
    struct strbuf a = {0}, b = {0};
    shape_print(indices, &a);
    shape_print(params, &b);
    status_invalid(st,
                   "indices.shape[-1] must be <= params.rank, but saw indices shape: %s and params "
                   "shape: %s",
                   strbuf_text(&a), strbuf_text(&b));
    strbuf_release(&a);
    strbuf_release(&b);
    return false;
}

bool gather_nd_infer(struct infer_ctx *c, const struct shape *params, const struct shape *indices,
                     struct status *st)
{
    if (!infer_want_rank_min(c, indices, 1, &indices, st))
        return false;
    int64_t depth = infer_dim(indices, -1);
    if (indices->rank < 0 || depth < 0 || params->rank < 0)
        return true;
    if (depth > params->rank)
        return fail_depth(indices, params, st);
    infer_set(c, 0,
              infer_concat(c, infer_slice(c, indices, 0, indices->rank - 1),
                           infer_slice(c, params, (int)depth, params->rank)));
    return true;
}

static bool gather_nd_shape(struct infer_ctx *c, struct status *st)
{
    return gather_nd_infer(c, infer_input(c, 0), infer_input(c, 1), st);
}

void gather_nd_set(struct grad_ctx *g, struct output shape)
{
    struct output indices = grad_in(g, 1), dy = grad_dy(g, 0);
    const struct shape *s = grad_shape_of(g, indices);
    if (s->rank == 2 && shape_dim(s, 1) == 1) {
        struct attr last = {(char *)"squeeze_dims", attr_list(ATTR_INT, (int64_t[]){-1}, 1)};
        struct output flat = grad_opv(g, "Squeeze", 1, &indices, 1, &last);
        grad_set_slices(g, 0,
                        (struct grad_slices){.values = dy, .indices = flat, .dense_shape = shape});
    } else {
        grad_set(g, 0, grad_op3(g, "ScatterNd", indices, dy, shape));
    }
}

static bool gather_nd_grad(struct grad_ctx *g, struct status *st)
{
    struct output params = grad_in(g, 0);
    gather_nd_set(g, grad_shape_as(g, params, grad_type_of(g, grad_in(g, 1))));
    return grad_done(g, st);
}

bool gather_by_tuples(struct kctx *c, const struct tensor *params, const struct tensor *indices,
                      struct status *st)
{
    if (tensor_rank(params) < 1)
        return status_invalid(st, "params must be at least a vector");
    if (tensor_rank(indices) < 1)
        return status_invalid(st, "indices must be at least a vector");
    struct tuples t;
    struct shape shape;
    if (!tuples_read(c, indices, &params->shape, &t, st))
        return false;
    if (!gather_join(&indices->shape, tensor_rank(indices) - 1, &params->shape, t.depth, &shape,
                     st))
        return false;
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    if (!out)
        return false;
    if (params->num_elems == 0 && t.num > 0)
        return gather_fail_shapes(st,
                                  "Requested more than 0 entries, but params is empty.  "
                                  "Params shape: ",
                                  &params->shape, "", NULL, "");
    struct math_gather g = {.index_dtype = t.index_dtype,
                            .indices = t.rows,
                            .num = t.num,
                            .limit = t.limit,
                            .outer = 1,
                            .row_bytes = t.row_items * (int64_t)dtype_size(params->dtype),
                            .x = params->data,
                            .y = out->data};
    int64_t bad = -1;
    if (!dtype_is_managed(params->dtype))
        bad = math_gather(kernel_pool(c), &g);
    else if (!gather_managed(&g, params->dtype, &bad, st))
        return false;
    return bad < 0 || tuples_fail(st, indices, bad, "param shape", &params->shape);
}

static bool gather_nd_run(struct kctx *c, struct status *st)
{
    return gather_by_tuples(c, kernel_in(c, 0), kernel_in(c, 1), st);
}

OP_DEF(gather_nd) = {
    .name = "GatherNd",
    .summary = "Slices of params, each named by the tuple of its leading indices.",
    .inputs = {"params: Tparams", "indices: Tindices"},
    .outputs = {"output: Tparams"},
    .attrs = {"Tparams: type", "Tindices: {int32, int64}"},
    .shape = gather_nd_shape,
    .grad = gather_nd_grad,
};
KERNEL_DEF(gather_nd_cpu) = {
    .op = "GatherNd", .device = "CPU", .run = gather_nd_run, .flags = KERNEL_EXPENSIVE};
