/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes of build/mk.h. */
#include "build/mk.h"

#include <string.h>

#include "base/mem.h"

/* Named as the innermost scope itself. */
static const char *scope_name(TF_Graph *g)
{
    return leat_current_scope(g);
}

TF_Output mk_op(TF_Graph *g, const char *op, const char *name, struct leat_outputs in)
{
    for (int i = 0; i < in.n; i++)
        if (!leat_valid(in.v[i]))
            return leat_fail(g, NULL, TF_INVALID_ARGUMENT, "%s: input %d is an invalid output", op,
                             i);
    TF_OperationDescription *d = leat_begin(g, op, name, NULL);
    if (!d)
        return MK_NONE;
    for (int i = 0; i < in.n; i++)
        leat_add_input(d, in.v[i]);
    return leat_output_of(leat_finish(d), 0);
}

TF_Output mk_unary(TF_Graph *g, const char *op, const char *name, TF_Output x)
{
    return mk_op(g, op, name, leat_outputs(x));
}

TF_Output mk_math(TF_Graph *g, const char *op, const char *name, struct mk_arg a, struct mk_arg b)
{
    if ((!a.is_number && !leat_valid(a.y)) || (!b.is_number && !leat_valid(b.y)))
        return leat_fail(g, NULL, TF_INVALID_ARGUMENT, "%s: an input is an invalid output", op);
    TF_Output y = MK_NONE;
    leat_with_scope(g, name) {
        if (a.is_number)
            a.y = mk_scalar(g, "x", leat_dtype(g, b.y), a.value);
        if (b.is_number)
            b.y = mk_scalar(g, "y", leat_dtype(g, a.y), b.value);
        y = mk_op(g, op, scope_name(g), leat_outputs(a.y, b.y));
    }
    return y;
}

TF_Output mk_cast(TF_Graph *g, TF_Output x, TF_DataType dtype)
{
    if (!leat_valid(x) || leat_dtype(g, x) == dtype)
        return x;
    TF_OperationDescription *d = leat_begin(g, "Cast", "Cast", NULL);
    if (!d)
        return MK_NONE;
    leat_add_input(d, x);
    TF_SetAttrType(d, "DstT", dtype);
    return leat_output_of(leat_finish(d), 0);
}

TF_Output mk_concat(TF_Graph *g, const char *name, struct leat_outputs in, int axis)
{
    TF_Output y = MK_NONE;
    leat_with_scope(g, name) {
        TF_Output dim = mk_i32(g, "axis", axis);
        TF_OperationDescription *d = leat_begin(g, "ConcatV2", scope_name(g), NULL);
        if (d) {
            leat_add_input_list(d, in.v, in.n);
            leat_add_input(d, dim);
            y = leat_output_of(leat_finish(d), 0);
        }
    }
    return y;
}

TF_Output mk_pack(TF_Graph *g, const char *name, struct leat_outputs in)
{
    TF_OperationDescription *d = leat_begin(g, "Pack", name, NULL);
    if (!d)
        return MK_NONE;
    leat_add_input_list(d, in.v, in.n);
    return leat_output_of(leat_finish(d), 0);
}

int mk_dims(TF_Graph *g, TF_Output x, int64_t *dims)
{
    int rank = leat_valid(x) ? leat_static_shape(g, x, dims, MK_MAX_RANK) : -1;
    return rank > MK_MAX_RANK ? -1 : rank;
}

int64_t mk_num_elements(TF_Graph *g, TF_Output x)
{
    int64_t dims[MK_MAX_RANK], n = 1;
    int rank = mk_dims(g, x, dims);
    if (rank < 0)
        return -1;
    for (int i = 0; i < rank; i++)
        if (dims[i] < 0 || __builtin_mul_overflow(n, dims[i], &n))
            return -1;
    return n;
}

/* A node of one input whose result is int32, by attribute out_type if it has one. */
static TF_Output shape_node(TF_Graph *g, const char *op, const char *name, TF_Output x)
{
    TF_OperationDescription *d = leat_begin(g, op, name, NULL);
    if (!d)
        return MK_NONE;
    leat_add_input(d, x);
    if (strcmp(op, "Rank") != 0)
        TF_SetAttrType(d, "out_type", TF_INT32);
    return leat_output_of(leat_finish(d), 0);
}

TF_Output mk_shape(TF_Graph *g, const char *name, TF_Output x)
{
    int64_t dims[MK_MAX_RANK];
    if (!leat_valid(x))
        return leat_fail(g, NULL, TF_INVALID_ARGUMENT, "Shape: the input is an invalid output");
    if (mk_num_elements(g, x) < 0)
        return shape_node(g, "Shape", name, x);
    int rank = mk_dims(g, x, dims);
    return mk_i32s(g, name, (struct leat_ints){dims, rank});
}

TF_Output mk_size(TF_Graph *g, const char *name, TF_Output x)
{
    int64_t n = mk_num_elements(g, x);
    return n < 0 ? shape_node(g, "Size", name, x) : mk_i32(g, name, n);
}

TF_Output mk_rank(TF_Graph *g, const char *name, TF_Output x)
{
    int64_t dims[MK_MAX_RANK];
    int rank = mk_dims(g, x, dims);
    return rank < 0 ? shape_node(g, "Rank", name, x) : mk_i32(g, name, rank);
}

TF_Output mk_range(TF_Graph *g, const char *name, TF_Output limit)
{
    TF_Output y = MK_NONE;
    leat_with_scope(g, name) {
        TF_Output start = mk_i32(g, "start", 0);
        TF_Output delta = mk_i32(g, "delta", 1);
        y = mk_op(g, "Range", scope_name(g), leat_outputs(start, limit, delta));
    }
    return y;
}

TF_Output mk_reshape(TF_Graph *g, const char *name, TF_Output x, struct leat_ints shape)
{
    TF_Output y = MK_NONE;
    leat_with_scope(g, name) {
        TF_Output dims = mk_i32s(g, "shape", shape);
        y = mk_op(g, "Reshape", scope_name(g), leat_outputs(x, dims));
    }
    return y;
}

static TF_Output reduce_node(TF_Graph *g, const char *op, const char *name, TF_Output x,
                             TF_Output axes, bool keep_dims)
{
    TF_OperationDescription *d = leat_begin(g, op, name, NULL);
    if (!d)
        return MK_NONE;
    leat_add_input(d, x);
    leat_add_input(d, axes);
    TF_SetAttrBool(d, "keep_dims", keep_dims);
    return leat_output_of(leat_finish(d), 0);
}

/* Indices of all dims of x. */
static TF_Output all_axes(TF_Graph *g, TF_Output x)
{
    int64_t dims[MK_MAX_RANK];
    int rank = mk_dims(g, x, dims);
    if (rank < 0)
        return mk_range(g, "range", mk_rank(g, "Rank", x));
    for (int i = 0; i < rank; i++)
        dims[i] = i;
    return mk_i32s(g, "Const", (struct leat_ints){dims, rank});
}

TF_Output mk_reduce(TF_Graph *g, const char *op, const char *name, TF_Output x,
                    struct leat_ints axes, bool keep_dims)
{
    if (!leat_valid(x))
        return leat_fail(g, NULL, TF_INVALID_ARGUMENT, "%s: the input is an invalid output", op);
    if (axes.n < 0)
        return reduce_node(g, op, name, x, all_axes(g, x), keep_dims);
    TF_Output y = MK_NONE;
    leat_with_scope(g, name) {
        TF_Output dims = mk_i32s(g, "reduction_indices", axes);
        y = reduce_node(g, op, scope_name(g), x, dims, keep_dims);
    }
    return y;
}

/* Under the name of the scope: Fill(shape, value). */
static TF_Output fill(TF_Graph *g, TF_Output shape, TF_DataType dtype, double value)
{
    TF_Output c = mk_scalar(g, "Const", dtype, value);
    return mk_op(g, "Fill", scope_name(g), leat_outputs(shape, c));
}

enum { SMALL = 1000 }; /* elements below which a tensor of zeros is a constant */

TF_Output mk_zeros_like(TF_Graph *g, TF_Output x)
{
    int64_t dims[MK_MAX_RANK], n = mk_num_elements(g, x);
    if (n < 0)
        return mk_unary(g, "ZerosLike", "zeros_like", x);
    struct leat_shape shape = {dims, mk_dims(g, x, dims)};
    if (n < SMALL)
        return mk_full(g, "zeros_like", leat_dtype(g, x), shape, 0);
    TF_Output y = MK_NONE;
    leat_with_scope(g, "zeros_like") {
        TF_Output s = mk_i32s(g, "shape_as_tensor", (struct leat_ints){dims, shape.rank});
        y = fill(g, s, leat_dtype(g, x), 0);
    }
    return y;
}

TF_Output mk_ones_like(TF_Graph *g, TF_Output x)
{
    TF_Output y = MK_NONE;
    leat_with_scope(g, "ones_like") {
        TF_Output shape = mk_shape(g, "Shape", x);
        y = fill(g, shape, leat_dtype(g, x), 1);
    }
    return y;
}

TF_Output mk_slice1(TF_Graph *g, const char *name, TF_Output x, int begin, int end, bool shrink)
{
    TF_Output y = MK_NONE;
    leat_with_scope(g, name) {
        TF_Output stack = mk_i32s(g, "stack", leat_ints(begin));
        TF_Output stack_1 = mk_i32s(g, "stack_1", leat_ints(shrink ? begin + 1 : end));
        TF_Output stack_2 = mk_i32s(g, "stack_2", leat_ints(1));
        TF_OperationDescription *d = leat_begin(g, "StridedSlice", scope_name(g), NULL);
        if (d) {
            leat_add_input(d, x);
            leat_add_input(d, stack);
            leat_add_input(d, stack_1);
            leat_add_input(d, stack_2);
            TF_SetAttrInt(d, "begin_mask", !shrink && begin == 0);
            TF_SetAttrInt(d, "end_mask", !shrink && end == 0);
            TF_SetAttrInt(d, "shrink_axis_mask", shrink);
            y = leat_output_of(leat_finish(d), 0);
        }
    }
    return y;
}

static TF_Operation *no_op(TF_Graph *g, const char *name, TF_Operation *const *ops, int n)
{
    TF_Operation *op = NULL;
    leat_with_control_dependencies(g, ops, n)
        op = leat_finish(leat_begin(g, "NoOp", name, NULL));
    return op;
}

/* The least of the devices after `last` (NULL: the least of all), or NULL. */
static const char *next_device(TF_Operation *const *ops, int n, const char *last)
{
    const char *best = NULL;
    for (int i = 0; i < n; i++) {
        const char *device = TF_OperationDevice(ops[i]);
        if ((!last || strcmp(device, last) > 0) && (!best || strcmp(device, best) < 0))
            best = device;
    }
    return best;
}

TF_Operation *mk_group(TF_Graph *g, const char *name, TF_Operation *const *ops, int n)
{
    enum { MAX_DEVICES = 64 };
    TF_Operation *group[MAX_DEVICES], *made = NULL;
    int num_groups = 0;
    for (int i = 0; i < n; i++)
        if (!ops[i])
            return NULL;
    const char *device = next_device(ops, n, NULL);
    if (!device || !next_device(ops, n, device))
        return no_op(g, name, ops, n);
    TF_Operation **here = mem_new_array(TF_Operation *, n);
    leat_with_scope(g, name) {
        for (; device && num_groups < MAX_DEVICES; device = next_device(ops, n, device)) {
            int num_here = 0;
            for (int i = 0; i < n; i++)
                if (!strcmp(TF_OperationDevice(ops[i]), device))
                    here[num_here++] = ops[i];
            leat_with_device(g, device)
                group[num_groups++] = no_op(g, "NoOp", here, num_here);
        }
        made =
            device ? no_op(g, scope_name(g), ops, n) : no_op(g, scope_name(g), group, num_groups);
    }
    mem_free(here);
    return made;
}
