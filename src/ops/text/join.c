/* SPDX-License-Identifier: Apache-2.0 */
/* StringJoin and ReduceJoin: strings one after another, with a separator; of several tensors, or
 * along axes of one. Each result is allocated once. */
#include <string.h>

#include "op/infer.h"
#include "op/kernel.h"

struct pieces {
    const struct tstr **p;
    int64_t n;
};

static bool join(const struct pieces *s, struct str separator, struct tstr *y, struct status *st)
{
    size_t len = 0;
    for (int64_t i = 0; i < s->n; i++)
        len += tstr_len(s->p[i]) + (i ? separator.n : 0);
    char *to = tstr_resize(y, len);
    if (!to)
        return status_exhausted(st, "no memory for strings");
    for (int64_t i = 0; i < s->n; i++) {
        if (i && separator.n)
            memcpy(to, separator.p, separator.n);
        to += i ? separator.n : 0;
        memcpy(to, tstr_data(s->p[i]), tstr_len(s->p[i]));
        to += tstr_len(s->p[i]);
    }
    return true;
}

/* --- StringJoin --- */

/* The shape of all inputs that are no scalars; NULL: they differ. */
static const struct shape *joined_shape(const struct kctx *c, struct status *st)
{
    const struct shape *s = &kernel_in(c, 0)->shape;
    for (int i = 1; i < kernel_num_inputs(c); i++) {
        const struct shape *t = &kernel_in(c, i)->shape;
        if (t->rank == 0)
            continue;
        if (s->rank != 0 && !shape_equal(s, t)) {
            struct strbuf a = {0}, b = {0};
            shape_print(s, &a);
            shape_print(t, &b);
            status_invalid(st, "Input shapes do not match: %s vs. %s", strbuf_text(&a),
                           strbuf_text(&b));
            strbuf_release(&a);
            strbuf_release(&b);
            return NULL;
        }
        s = t;
    }
    return s;
}

static bool join_run(struct kctx *c, struct status *st)
{
    struct pieces s = {.n = kernel_num_inputs(c)};
    const struct shape *shape = joined_shape(c, st);
    struct tensor *out = shape ? kernel_out(c, 0, shape, st) : NULL;
    s.p = out ? kernel_scratch(c, s.n * (int64_t)sizeof(*s.p), st) : NULL;
    for (int64_t i = 0; s.p && i < out->num_elems; i++) {
        for (int k = 0; k < s.n; k++) {
            const struct tensor *t = kernel_in(c, k);
            s.p[k] = &tensor_str(t)[tensor_rank(t) ? i : 0];
        }
        if (!join(&s, attrs_string(kernel_attrs(c), "separator"), &tensor_str(out)[i], st))
            return false;
    }
    return s.p != NULL;
}

static bool join_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *out = infer_scalar(c);
    for (int i = 0; i < infer_num_inputs(c); i++) {
        if (infer_input(c, i)->rank == RANK_UNKNOWN) {
            infer_set(c, 0, infer_unknown(c));
            return true;
        }
    }
    for (int i = 0; i < infer_num_inputs(c); i++) {
        const struct shape *s = infer_input(c, i);
        if (s->rank == 0)
            continue;
        if (out->rank == 0)
            out = s;
        else if (!infer_merge(c, out, s, &out, st))
            return false;
    }
    infer_set(c, 0, out);
    return true;
}

OP_DEF(string_join) = {
    .name = "StringJoin",
    .summary = "The strings of several tensors, joined element by element.",
    .inputs = {"inputs: N * string"},
    .outputs = {"output: string"},
    .attrs = {"N: int >= 1", "separator: string = ''"},
    .shape = join_shape,
    .no_grad = "strings have no gradient",
};
KERNEL_DEF(string_join_cpu) = {.op = "StringJoin", .device = "CPU", .run = join_run};

/* --- ReduceJoin --- */

struct axes { /* in the order in which they are joined: the first moves fastest */
    int num;
    int axis[SHAPE_MAX_RANK];
    bool reduced[SHAPE_MAX_RANK];
};

static bool read_axes(const struct tensor *t, int rank, struct axes *a, struct status *st)
{
    *a = (struct axes){0};
    for (int64_t i = 0; i < t->num_elems; i++) {
        int64_t d = tensor_i32(t)[i];
        if (d < -rank || d >= rank)
            return status_fail(st, STATUS_OUT_OF_RANGE,
                               "Invalid reduction dimension %lld for input with %d dimension(s)",
                               (long long)d, rank);
        int at = (int)(d < 0 ? d + rank : d);
        if (a->reduced[at])
            return status_invalid(st, "Duplicate reduction dimension %lld", (long long)d);
        a->reduced[at] = true;
        a->axis[a->num++] = at;
    }
    return true;
}

/* Counts `place` over n dims up by one, the last fastest; `at` goes along by steps. */
static void advance(int n, const int64_t *dims, const int64_t *steps, int64_t *place, int64_t *at)
{
    for (int d = n - 1; d >= 0; d--) {
        *at += steps[d];
        if (++place[d] < dims[d])
            return;
        *at -= dims[d] * steps[d];
        place[d] = 0;
    }
}

struct walk {
    int num_kept, num_joined;
    int64_t kept[SHAPE_MAX_RANK], kept_steps[SHAPE_MAX_RANK];
    int64_t joined[SHAPE_MAX_RANK], joined_steps[SHAPE_MAX_RANK];
};

static void plan_walk(const struct shape *s, const struct axes *a, struct walk *w)
{
    int64_t steps[SHAPE_MAX_RANK], step = 1;
    for (int i = s->rank - 1; i >= 0; i--) {
        steps[i] = step;
        step *= shape_dim(s, i);
    }
    w->num_kept = 0;
    for (int i = 0; i < s->rank; i++) {
        if (!a->reduced[i]) {
            w->kept[w->num_kept] = shape_dim(s, i);
            w->kept_steps[w->num_kept++] = steps[i];
        }
    }
    w->num_joined = a->num;
    for (int i = 0; i < a->num; i++) {
        int axis = a->axis[a->num - 1 - i];
        w->joined[i] = shape_dim(s, axis);
        w->joined_steps[i] = steps[axis];
    }
}

static bool join_all(struct kctx *c, const struct walk *w, struct pieces *s, struct tensor *out,
                     struct status *st)
{
    const struct tstr *x = tensor_str(kernel_in(c, 0));
    struct str separator = attrs_string(kernel_attrs(c), "separator");
    int64_t outer[SHAPE_MAX_RANK] = {0}, inner[SHAPE_MAX_RANK] = {0}, base = 0;
    for (int64_t i = 0; i < out->num_elems; i++) {
        int64_t at = base;
        for (int64_t k = 0; k < s->n; k++) {
            s->p[k] = &x[at];
            advance(w->num_joined, w->joined, w->joined_steps, inner, &at);
        }
        if (!join(s, separator, &tensor_str(out)[i], st))
            return false;
        advance(w->num_kept, w->kept, w->kept_steps, outer, &base);
    }
    return true;
}

static bool reduce_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0), *ix = kernel_in(c, 1);
    bool keep = attrs_bool(kernel_attrs(c), "keep_dims");
    int64_t dims[SHAPE_MAX_RANK], elems;
    struct axes a;
    struct walk w;
    int rank = 0;
    if (!read_axes(ix, tensor_rank(in), &a, st))
        return false;
    struct pieces s = {.n = 1};
    for (int i = 0; i < tensor_rank(in); i++) {
        if (a.reduced[i] && __builtin_mul_overflow(s.n, tensor_dim(in, i), &s.n))
            return status_invalid(st, "too many strings to join");
        if (!a.reduced[i] || keep)
            dims[rank++] = a.reduced[i] ? 1 : tensor_dim(in, i);
    }
    struct shape shape = shape_make(dims, rank);
    struct tensor *out = shape_num_elems(&shape, &elems, st) ? kernel_out(c, 0, &shape, st) : NULL;
    shape_clear(&shape);
    int64_t bytes;
    if (!out || out->num_elems == 0)
        return out != NULL;
    if (__builtin_mul_overflow(s.n, (int64_t)sizeof(*s.p), &bytes))
        return status_exhausted(st, "too many strings to join");
    s.p = kernel_scratch(c, bytes, st);
    plan_walk(&in->shape, &a, &w);
    return s.p && join_all(c, &w, &s, out, st);
}

OP_DEF(reduce_join) = {
    .name = "ReduceJoin",
    .summary = "The strings of a tensor, joined along axes.",
    .inputs = {"inputs: string", "reduction_indices: int32"},
    .outputs = {"output: string"},
    .attrs = {"keep_dims: bool = false", "separator: string = ''"},
    .shape = infer_reduction,
    .no_grad = "strings have no gradient",
};
KERNEL_DEF(reduce_join_cpu) = {.op = "ReduceJoin", .device = "CPU", .run = reduce_run};
