/* SPDX-License-Identifier: Apache-2.0 */
/* Pack and Unpack: tensors of one shape as the slices of one tensor along a new axis, and back.
 * Unpacking along axis 0 shares the buffer. */
#include "base/mem.h"
#include "op/grad.h"
#include "op/infer.h"
#include "ops/array/nd_copy.h"
#include "ops/array/text.h"

#include <limits.h>
#include <stdio.h>

struct pack_state {
    int64_t axis;
};

static bool pack_init(struct kernel *k, void *state, struct status *st UNUSED)
{
    ((struct pack_state *)state)->axis = attrs_int(k->attrs, "axis");
    return true;
}

static bool attr_axis(struct infer_ctx *c, int rank, int *axis, struct status *st)
{
    int64_t a = attrs_int(infer_attrs(c), "axis");
    if (a < -rank || a >= rank)
        return status_invalid(st, "Invalid axis: %lld; must be in [%d,%d)", (long long)a, -rank,
                              rank);
    *axis = (int)(a < 0 ? a + rank : a);
    return true;
}

static bool kernel_axis(struct kctx *c, int rank, int *axis, struct status *st)
{
    int64_t a = ((const struct pack_state *)kernel_state(c))->axis;
    if (a < -rank || a >= rank)
        return status_invalid(st, "axis = %lld not in [%d, %d)", (long long)a, -rank, rank);
    *axis = (int)(a < 0 ? a + rank : a);
    return true;
}

/* --- Pack --- */

static bool pack_shape(struct infer_ctx *c, struct status *st)
{
    int n = infer_num_inputs(c), axis = 0;
    const struct shape *s = infer_input(c, n - 1);
    for (int i = n - 2; i >= 0; i--) {
        if (!infer_merge(c, infer_input(c, i), s, &s, st)) {
            status_append(st, "\n\tFrom merging shape %d with other shapes.", i);
            return false;
        }
    }
    infer_set(c, 0, infer_unknown(c));
    if (s->rank < 0 || s->rank == SHAPE_MAX_RANK)
        return true;
    if (!attr_axis(c, s->rank + 1, &axis, st))
        return false;
    const struct shape *before = infer_concat(c, infer_slice(c, s, 0, axis), infer_vector(c, n));
    infer_set(c, 0, infer_concat(c, before, infer_slice(c, s, axis, INT_MAX)));
    return true;
}

static bool pack_grad(struct grad_ctx *g, struct status *st)
{
    int n = grad_num_inputs(g);
    struct node *pieces =
        grad_nodev(g, "unstack=Unpack", 1, (struct output[]){grad_dy(g, 0)}, 2,
                   (struct attr[]){{(char *)"num", attr_int(n)},
                                   {(char *)"axis", attr_int(attrs_int(grad_attrs(g), "axis"))}});
    for (int i = 0; i < n; i++)
        grad_set(g, i, grad_node_out(g, pieces, i));
    return grad_done(g, st);
}

static bool check_pack_shapes(struct kctx *c, struct status *st)
{
    const struct shape *s = &kernel_in(c, 0)->shape;
    for (int i = 1; i < kernel_num_inputs(c); i++) {
        const struct shape *o = &kernel_in(c, i)->shape;
        char words[64];
        if (LIKELY(shape_equal(s, o)))
            continue;
        snprintf(words, sizeof words, " != values[%d].shape = ", i);
        return array_fail_shapes(st, "Shapes of all inputs must match: values[0].shape = ", s,
                                 words, o, "");
    }
    return true;
}

static bool pack_run(struct kctx *c, struct status *st)
{
    const struct tensor *first = kernel_in(c, 0);
    int n = kernel_num_inputs(c), rank = tensor_rank(first), axis = 0;
    int64_t dims[SHAPE_MAX_RANK], before = 1;
    if (!kernel_axis(c, rank + 1, &axis, st) || !check_pack_shapes(c, st))
        return false;
    if (rank == SHAPE_MAX_RANK)
        return status_invalid(st, "Too many dimensions in tensor: %d", rank + 1);
    for (int i = 0; i <= rank; i++)
        dims[i] = i == axis ? n : tensor_dim(first, i < axis ? i : i - 1);
    struct shape shape = shape_make(dims, rank + 1);
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    if (!out || out->num_elems == 0)
        return out != NULL;
    for (int i = 0; i < axis; i++)
        before *= dims[i];
    int64_t run = first->num_elems / before;
    for (int i = 0; i < n; i++) {
        struct nd_copy copy;
        nd_begin(&copy, out->dtype, kernel_in(c, i)->data,
                 (char *)out->data + i * run * (int64_t)dtype_size(out->dtype));
        nd_axis(&copy, before, run, run * n);
        nd_axis(&copy, run, 1, 1);
        if (!nd_run(c, &copy, st))
            return false;
    }
    return true;
}

OP_DEF(pack) = {
    .name = "Pack",
    .summary = "The values as slices of one tensor along a new axis.",
    .inputs = {"values: N * T"},
    .outputs = {"output: T"},
    .attrs = {"N: int >= 1", "T: type", "axis: int = 0"},
    .shape = pack_shape,
    .grad = pack_grad,
};
KERNEL_DEF(pack_cpu) = {.op = "Pack",
                        .device = "CPU",
                        .state_bytes = sizeof(struct pack_state),
                        .init = pack_init,
                        .run = pack_run};

/* --- Unpack --- */

static bool unpack_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s = infer_input(c, 0);
    int n = infer_num_outputs(c), axis = 0;
    int64_t unused;
    if (s->rank < 0)
        return infer_unknown_outputs(c, st);
    if (!attr_axis(c, s->rank, &axis, st) || !infer_want_dim(c, infer_dim(s, axis), n, &unused, st))
        return false;
    s = infer_concat(c, infer_slice(c, s, 0, axis), infer_slice(c, s, axis + 1, INT_MAX));
    for (int i = 0; i < n; i++)
        infer_set(c, i, s);
    return true;
}

static bool unpack_grad(struct grad_ctx *g, struct status *st)
{
    int n = grad_num_outputs(g);
    if (n == 0)
        return grad_done(g, st);
    struct output *dys = mem_new_array(struct output, n);
    for (int i = 0; i < n; i++)
        dys[i] = grad_dy(g, i);
    struct attrs attrs = {0};
    attrs_set(&attrs, "axis", attr_int(attrs_int(grad_attrs(g), "axis")));
    struct grad_build b = {.op = "stack=Pack",
                           .inputs = dys,
                           .num_inputs = n,
                           .list_sizes = (int[]){n},
                           .attrs = &attrs};
    grad_set(g, 0, grad_node_out(g, grad_node(g, &b), 0));
    attrs_clear(&attrs);
    mem_free(dys);
    return grad_done(g, st);
}

static bool unpack_rows(struct kctx *c, const struct tensor *in, const struct shape *shape,
                        struct status *st)
{
    for (int i = 0; i < kernel_num_outputs(c); i++) {
        struct tensor row = tensor_rows(in, i, i + 1), out;
        bool ok = tensor_reshaped(&row, shape, &out, st);
        tensor_clear(&row);
        if (!ok)
            return false;
        kernel_out_take(c, i, &out);
    }
    return true;
}

static bool unpack_copy(struct kctx *c, const struct tensor *in, int axis,
                        const struct shape *shape, struct status *st)
{
    int n = kernel_num_outputs(c);
    int64_t before = 1;
    for (int i = 0; i < axis; i++)
        before *= tensor_dim(in, i);
    for (int i = 0; i < n; i++) {
        struct tensor *out = kernel_out(c, i, shape, st);
        if (!out)
            return false;
        if (out->num_elems == 0)
            continue;
        int64_t run = out->num_elems / before;
        struct nd_copy copy;
        nd_begin(&copy, in->dtype,
                 (const char *)in->data + i * run * (int64_t)dtype_size(in->dtype), out->data);
        nd_axis(&copy, before, run * n, run);
        nd_axis(&copy, run, 1, 1);
        if (!nd_run(c, &copy, st))
            return false;
    }
    return true;
}

static bool unpack_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    int n = kernel_num_outputs(c), rank = tensor_rank(in), axis = 0;
    int64_t dims[SHAPE_MAX_RANK];
    if (!kernel_axis(c, rank, &axis, st))
        return false;
    if (tensor_dim(in, axis) != n) {
        char words[96];
        snprintf(words, sizeof words, "Input shape axis %d must equal %d, got shape ", axis, n);
        return array_fail_shape(st, words, &in->shape);
    }
    for (int i = 0, k = 0; i < rank; i++) {
        if (i != axis)
            dims[k++] = tensor_dim(in, i);
    }
    struct shape shape = shape_make(dims, rank - 1);
    bool ok = axis == 0 ? unpack_rows(c, in, &shape, st) : unpack_copy(c, in, axis, &shape, st);
    shape_clear(&shape);
    return ok;
}

OP_DEF(unpack) = {
    .name = "Unpack",
    .summary = "The slices of a tensor along an axis.",
    .inputs = {"value: T"},
    .outputs = {"output: num * T"},
    .attrs = {"num: int >= 0", "T: type", "axis: int = 0"},
    .shape = unpack_shape,
    .grad = unpack_grad,
};
KERNEL_DEF(unpack_cpu) = {.op = "Unpack",
                          .device = "CPU",
                          .state_bytes = sizeof(struct pack_state),
                          .init = pack_init,
                          .run = unpack_run};
