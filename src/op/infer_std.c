/* SPDX-License-Identifier: Apache-2.0 */
/* Shape functions that many ops share, named in their OP_DEF. */
#include "op/infer.h"

bool infer_unchanged(struct infer_ctx *c, struct status *st UNUSED)
{
    for (int i = 0; i < infer_num_outputs(c); i++) {
        infer_set(c, i, infer_num_inputs(c) ? infer_input(c, 0) : infer_unknown(c));
        if (infer_num_inputs(c))
            infer_set_handle(c, i, infer_handle_in(c, 0));
    }
    return true;
}

bool infer_scalars(struct infer_ctx *c, struct status *st UNUSED)
{
    for (int i = 0; i < infer_num_outputs(c); i++)
        infer_set(c, i, infer_scalar(c));
    return true;
}

bool infer_unknown_outputs(struct infer_ctx *c, struct status *st UNUSED)
{
    for (int i = 0; i < infer_num_outputs(c); i++)
        infer_set(c, i, infer_unknown(c));
    return true;
}

bool infer_no_outputs(struct infer_ctx *c UNUSED, struct status *st UNUSED)
{
    return true;
}

bool infer_binary(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    if (!infer_broadcast(c, infer_input(c, 0), infer_input(c, 1), &s, st))
        return false;
    infer_set(c, 0, s);
    return true;
}

bool infer_merged(struct infer_ctx *c, struct status *st)
{
    const struct shape *s = infer_unknown(c);
    for (int i = infer_num_inputs(c) - 1; i >= 0; i--) {
        if (!infer_merge(c, infer_input(c, i), s, &s, st)) {
            status_append(st, "\n\tFrom merging shape %d with other shapes.", i);
            return false;
        }
    }
    for (int i = 0; i < infer_num_outputs(c); i++)
        infer_set(c, i, s);
    return true;
}

/* Marks the dims that the constant axes name. */
static bool mark_axes(const struct tensor *axes, int rank, bool *reduced, struct status *st)
{
    for (int64_t i = 0; i < axes->num_elems; i++) {
        int64_t axis = tensor_index(axes, i);
        if (axis < -rank || axis >= rank)
            return status_invalid(st,
                                  "Invalid reduction dimension %lld for input with %d dimensions.",
                                  (long long)axis, rank);
        reduced[axis < 0 ? axis + rank : axis] = true;
    }
    return true;
}

bool infer_reduction(struct infer_ctx *c, struct status *st)
{
    const struct shape *in = infer_input(c, 0), *unused;
    if (!infer_want_rank_max(c, infer_input(c, 1), 1, &unused, st))
        return false;
    bool keep = attrs_bool(infer_attrs(c), "keep_dims");
    const struct tensor *axes = infer_const(c, 1);
    if (in->rank < 0 || !axes || (axes->dtype != DT_INT32 && axes->dtype != DT_INT64)) {
        infer_set(c, 0, keep && in->rank >= 0 ? infer_of_rank(c, in->rank) : infer_unknown(c));
        return true;
    }
    bool reduced[SHAPE_MAX_RANK] = {false};
    if (!mark_axes(axes, in->rank, reduced, st))
        return false;
    int64_t dims[SHAPE_MAX_RANK];
    int rank = 0;
    for (int i = 0; i < in->rank; i++) {
        if (!reduced[i] || keep)
            dims[rank++] = reduced[i] ? 1 : shape_dim(in, i);
    }
    infer_set(c, 0, infer_make(c, dims, rank));
    return true;
}
