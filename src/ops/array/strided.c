/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the spec of a strided slice. First the entries are laid on the input's axes (the ellipsis
 * spread, new axes set aside), then each axis is clamped to its length. */
#include "ops/array/strided.h"

struct strided_masks strided_masks(const struct attrs *attrs)
{
    return (struct strided_masks){.begin = (uint32_t)attrs_int(attrs, "begin_mask"),
                                  .end = (uint32_t)attrs_int(attrs, "end_mask"),
                                  .ellipsis = (uint32_t)attrs_int(attrs, "ellipsis_mask"),
                                  .new_axis = (uint32_t)attrs_int(attrs, "new_axis_mask"),
                                  .shrink = (uint32_t)attrs_int(attrs, "shrink_axis_mask")};
}

enum { RESULT_NEW_AXIS = -1, RESULT_DROPPED = -2 };

struct dense { /* entries laid on axes */
    int rank;
    struct dense_axis {
        int64_t begin, end, stride;
        bool begin_masked, end_masked, shrink;
    } axis[SHAPE_MAX_RANK];
    int num_results;
    int result[SHAPE_MAX_RANK + STRIDED_MAX_SPEC]; /* axis of the input, or RESULT_... */
};

static bool fail_spec(const struct strided_spec *s, struct status *st)
{
    const struct tensor *t[3] = {s->begin, s->end, s->strides};
    struct strbuf text[3] = {{0}};
    for (int i = 0; i < 3; i++) {
        if (t[i])
            shape_print(&t[i]->shape, &text[i]);
        else
            strbuf_puts(&text[i], "<unknown>");
    }
    status_invalid(st,
                   "Expected begin, end, and strides to be 1D equal size tensors, but got shapes "
                   "%s, %s, and %s instead.",
                   strbuf_text(&text[0]), strbuf_text(&text[1]), strbuf_text(&text[2]));
    for (int i = 0; i < 3; i++)
        strbuf_release(&text[i]);
    return false;
}

static bool spec_vector(const struct tensor *t, int64_t n)
{
    return !t || (t->shape.rank == 1 && t->num_elems == n);
}

static void take_whole(struct dense *d, int *axis, int until)
{
    for (; *axis < until; ++*axis) {
        d->axis[*axis] = (struct dense_axis){.stride = 1, .begin_masked = true, .end_masked = true};
        d->result[d->num_results++] = *axis;
    }
}

/* Entries after entry i that name an axis of the input. */
static int axes_after(const struct strided_masks *m, int i, int n)
{
    int count = 0;
    for (int k = i + 1; k < n; k++)
        count += !((m->new_axis >> k) & 1) || ((m->ellipsis >> k) & 1);
    return count;
}

static bool lay_out(const struct strided_spec *s, struct dense *d, struct status *st)
{
    const struct strided_masks *m = &s->masks;
    int n = (int)s->strides->num_elems, axis = 0;
    bool has_ellipsis = n > 0 && (m->ellipsis & ((1u << n) - 1));
    for (int i = 0; i < n; i++) {
        uint32_t bit = 1u << i;
        if (m->ellipsis & bit) {
            int until = d->rank - axes_after(m, i, n);
            take_whole(d, &axis, until);
            continue;
        }
        if (m->new_axis & bit) {
            d->result[d->num_results++] = RESULT_NEW_AXIS;
            continue;
        }
        if (axis == d->rank)
            return status_invalid(
                st, "Index out of range using input dim %d; input has only %d dims", axis, d->rank);
        bool shrink = m->shrink & bit;
        d->axis[axis] = (struct dense_axis){.begin = s->begin ? tensor_index(s->begin, i) : 0,
                                            .end = s->end ? tensor_index(s->end, i) : 0,
                                            .stride = tensor_index(s->strides, i),
                                            .begin_masked = m->begin & bit,
                                            .end_masked = m->end & bit,
                                            .shrink = shrink};
        d->result[d->num_results++] = shrink ? RESULT_DROPPED : axis;
        axis++;
    }
    if (!has_ellipsis)
        take_whole(d, &axis, d->rank);
    return true;
}

/* x, counted from the end where negative, in the range that a slice may begin or end in. */
static int64_t clamp(int64_t x, int64_t dim, int64_t stride)
{
    int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? dim : dim - 1;
    if (x < 0)
        x += dim;
    return x < low ? low : x > high ? high : x;
}

static int64_t count(int64_t begin, int64_t end, int64_t stride)
{
    int64_t len = end - begin;
    if (len == 0 || (len < 0) != (stride < 0))
        return 0;
    return len / stride + (len % stride != 0);
}

/* Axis i of a known length. `known`: begin and end are. */
static bool plan_axis(const struct dense_axis *a, int i, int64_t dim, bool known,
                      struct strided_plan *p, struct status *st)
{
    if (a->shrink && a->stride <= 0)
        return status_invalid(st, "only stride 1 allowed on non-range indexing.");
    int64_t begin = a->begin, end;
    p->stride[i] = a->stride;
    p->begin[i] = 0;
    p->size[i] = DIM_UNKNOWN;
    if (known && a->shrink) {
        int64_t at = begin < 0 ? begin + dim : begin;
        if (at < 0 || at >= dim)
            return status_invalid(st, "slice index %lld of dimension %d out of bounds.",
                                  (long long)at, i);
        begin = at;
        end = at + 1;
    } else if (known || (a->begin_masked && a->end_masked)) {
        bool forward = a->stride > 0;
        begin = a->begin_masked ? (forward ? 0 : dim - 1) : clamp(begin, dim, a->stride);
        end = a->end_masked ? (forward ? dim : -1) : clamp(a->end, dim, a->stride);
    } else {
        p->size[i] = a->shrink ? 1 : DIM_UNKNOWN;
        return true;
    }
    p->begin[i] = begin;
    p->size[i] = a->shrink ? 1 : count(begin, end, a->stride);
    return true;
}

static bool finish(const struct dense *d, struct strided_plan *p, struct status *st)
{
    p->final_rank = 0;
    for (int i = 0; i < d->num_results; i++) {
        int from = d->result[i];
        if (from == RESULT_DROPPED)
            continue;
        if (p->final_rank == SHAPE_MAX_RANK)
            return status_invalid(st, "Too many dimensions in tensor: %d", p->final_rank + 1);
        p->final[p->final_rank++] = from == RESULT_NEW_AXIS ? 1 : p->size[from];
    }
    return true;
}

bool strided_plan_make(const struct strided_spec *s, const struct shape *in, struct strided_plan *p,
                       struct status *st)
{
    int64_t n = s->strides->num_elems;
    if (n >= STRIDED_MAX_SPEC || !spec_vector(s->strides, n) || !spec_vector(s->begin, n) ||
        !spec_vector(s->end, n))
        return fail_spec(s, st);
    if (s->masks.ellipsis & (s->masks.ellipsis - 1))
        return status_invalid(st, "Multiple ellipses in slice spec not allowed");
    struct dense d;
    d.rank = in->rank;
    d.num_results = 0;
    if (!lay_out(s, &d, st))
        return false;
    p->rank = in->rank;
    p->rows = true;
    for (int i = 0; i < in->rank; i++) {
        const struct dense_axis *a = &d.axis[i];
        int64_t dim = shape_dim(in, i);
        if (a->stride == 0)
            return status_invalid(st, "strides[%d] must be non-zero", i);
        if (dim == DIM_UNKNOWN) {
            p->size[i] = a->shrink ? 1 : DIM_UNKNOWN;
            p->begin[i] = 0;
            p->stride[i] = a->stride;
            p->rows = false;
            continue;
        }
        if (!plan_axis(a, i, dim, s->begin && s->end, p, st))
            return false;
        bool whole = p->begin[i] == 0 && p->size[i] == dim;
        p->rows = p->rows && a->stride == 1 && (i == 0 || whole);
    }
    return finish(&d, p, st);
}

int64_t strided_axes(const struct strided_plan *p, const int64_t *steps, bool gather,
                     struct nd_copy *copy)
{
    int64_t at = 0, dense[SHAPE_MAX_RANK], step = 1;
    for (int i = p->rank - 1; i >= 0; i--) {
        dense[i] = step;
        step *= p->size[i];
    }
    for (int i = 0; i < p->rank; i++) {
        int64_t s = p->size[i] == 1 ? steps[i] : steps[i] * p->stride[i];
        at += p->begin[i] * steps[i];
        nd_axis(copy, p->size[i], gather ? s : dense[i], gather ? dense[i] : s);
    }
    return at;
}
