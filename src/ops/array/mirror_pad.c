/* SPDX-License-Identifier: Apache-2.0 */
/* MirrorPad and its gradient: the input with its own reflection around it.
 *
 * REFLECT leaves the border out of the reflection, SYMMETRIC repeats it. The input is put in the
 * middle, then each axis in turn, the last first, is extended by copying rows of the result itself;
 * the gradient folds the margins back, the first axis first. */
#include "math/value_add.h"
#include "op/grad.h"
#include "ops/array/nd_copy.h"
#include "ops/array/pad.h"
#include "ops/array/text.h"

#include <string.h>

struct mirror_state {
    int border; /* 1: REFLECT leaves the border out; 0: SYMMETRIC */
};

static bool mirror_init(struct kernel *k, void *state, struct status *st)
{
    struct str mode = attrs_string(k->attrs, "mode");
    if (!str_is(mode, "REFLECT") && !str_is(mode, "SYMMETRIC"))
        return status_invalid(st, "mode must be either REFLECT or SYMMETRIC.");
    ((struct mirror_state *)state)->border = str_is(mode, "REFLECT");
    return true;
}

/* No reflection reaches past the far end of the dim. */
static bool check_amounts(const struct pad_amount *amounts, int i, int64_t dim, int border,
                          const char *what, struct status *st)
{
    int64_t a = amounts[i].before, b = amounts[i].after, most = dim - border;
    if (a <= most && b <= most)
        return true;
    return status_invalid(st, "paddings must be %s the %s size: %lld, %lld %s %lld",
                          border ? "less than" : "no greater than", what, (long long)a,
                          (long long)b, border ? "not less than" : "greater than", (long long)dim);
}

/* --- MirrorPad --- */

/* The axes of the region in `out` whose axis k is being extended by `n`: axes after k are whole,
 * axes before it hold the input's extent only. Returns where it begins, axis k apart. */
static int64_t region_axes(struct nd_copy *copy, const struct tensor *in, const struct tensor *out,
                           const struct pad_amount *amounts, const int64_t *to, int k, int64_t n)
{
    int64_t at = 0;
    for (int i = 0; i < tensor_rank(out); i++) {
        if (i < k)
            at += amounts[i].before * to[i];
        nd_axis(copy,
                i < k    ? tensor_dim(in, i)
                : i == k ? n
                         : tensor_dim(out, i),
                i == k ? -to[i] : to[i], to[i]);
    }
    return at;
}

/* Rows [first, first + n) of axis k become those before `mirror`, backwards. */
static bool extend(struct kctx *c, const struct pad_amount *amounts, const int64_t *to, int k,
                   const int64_t at[3], struct status *st)
{
    int64_t first = at[0], n = at[1], source = at[2];
    const struct tensor *in = kernel_in(c, 0), *out = &c->out[0];
    struct nd_copy copy;
    if (n == 0)
        return true;
    nd_begin(&copy, out->dtype, out->data, out->data);
    int64_t base = region_axes(&copy, in, out, amounts, to, k, n);
    int64_t item = (int64_t)dtype_size(out->dtype);
    copy.src += (base + source * to[k]) * item;
    copy.dst += (base + first * to[k]) * item;
    return nd_run(c, &copy, st);
}

static bool put_middle(struct kctx *c, const struct pad_amount *amounts, const int64_t *to,
                       struct status *st)
{
    const struct tensor *in = kernel_in(c, 0), *out = &c->out[0];
    int64_t from[SHAPE_MAX_RANK], at = 0;
    struct nd_copy copy;
    nd_steps(&in->shape, from);
    nd_begin(&copy, in->dtype, in->data, out->data);
    for (int i = 0; i < tensor_rank(in); i++) {
        at += amounts[i].before * to[i];
        nd_axis(&copy, tensor_dim(in, i), from[i], to[i]);
    }
    copy.dst += at * (int64_t)dtype_size(in->dtype);
    return nd_run(c, &copy, st);
}

static bool mirror_run(struct kctx *c, struct status *st)
{
    static const struct pad_words words = {"paddings must be non-negative: ", " ", ", "};
    const struct tensor *in = kernel_in(c, 0);
    int border = ((const struct mirror_state *)kernel_state(c))->border, rank = tensor_rank(in);
    struct pad_amount amounts[SHAPE_MAX_RANK];
    int64_t dims[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK];
    if (!pad_read_amounts(c, &words, amounts, st))
        return false;
    for (int i = 0; i < rank; i++) {
        int64_t d = tensor_dim(in, i);
        if (!check_amounts(amounts, i, d, border, "dimension", st))
            return false;
        if (!size_add(d, amounts[i].before, &dims[i]) ||
            !size_add(dims[i], amounts[i].after, &dims[i]))
            return status_invalid(st, "MirrorPad: dimension %d would be too long", i);
    }
    struct shape shape = shape_make(dims, rank);
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    if (!out || out->num_elems == 0)
        return out != NULL;
    nd_steps(&out->shape, to);
    if (!put_middle(c, amounts, to, st))
        return false;
    for (int k = rank - 1; k >= 0; k--) {
        int64_t before = amounts[k].before, after = amounts[k].after, n = tensor_dim(in, k);
        int64_t left[3] = {0, before, 2 * before - 1 + border};
        int64_t right[3] = {before + n, after, before + n - 1 - border};
        if (!extend(c, amounts, to, k, left, st) || !extend(c, amounts, to, k, right, st))
            return false;
    }
    return true;
}

/* --- gradients: each is the other's --- */

static bool pass_mode(struct grad_ctx *g, const char *op, struct status *st)
{
    struct output in[] = {grad_dy(g, 0), grad_in(g, 1)};
    struct attr mode = {(char *)"mode", attr_string(attrs_string(grad_attrs(g), "mode"))};
    grad_set(g, 0, grad_opv(g, op, 2, in, 1, &mode));
    return grad_done(g, st);
}

static bool mirror_grad(struct grad_ctx *g, struct status *st)
{
    return pass_mode(g, "MirrorPadGrad", st);
}

static bool mirror_grad_grad(struct grad_ctx *g, struct status *st)
{
    return pass_mode(g, "MirrorPad", st);
}

OP_DEF(mirror_pad) = {
    .name = "MirrorPad",
    .summary = "The input with its reflection around it.",
    .inputs = {"input: T", "paddings: Tpaddings"},
    .outputs = {"output: T"},
    .attrs = {"T: type", "Tpaddings: {int32, int64} = DT_INT32", "mode: {'REFLECT', 'SYMMETRIC'}"},
    .shape = pad_shape,
    .grad = mirror_grad,
};
KERNEL_DEF(mirror_pad_cpu) = {.op = "MirrorPad",
                              .device = "CPU",
                              .state_bytes = sizeof(struct mirror_state),
                              .init = mirror_init,
                              .run = mirror_run};

/* --- MirrorPadGrad --- */

static bool mirror_grad_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *in;
    const struct tensor *pads;
    int64_t dims[SHAPE_MAX_RANK];
    if (!pad_infer_amounts(c, &in, &pads, st))
        return false;
    /* TensorFlow takes the rank from the paddings alone */
    bool known = infer_dim(infer_input(c, 1), 0) >= 0;
    infer_set(c, 0, known ? infer_of_rank(c, in->rank) : infer_unknown(c));
    if (!pads || in->rank < 0)
        return true;
    for (int i = 0; i < in->rank; i++) {
        int64_t d = shape_dim(in, i),
                p = infer_dim_add(tensor_index(pads, 2 * i), tensor_index(pads, 2 * i + 1));
        dims[i] = d < 0 || p < 0 ? DIM_UNKNOWN : d - p;
        if (d >= 0 && p > d)
            return status_invalid(st,
                                  "Negative dimension size caused by subtracting %lld from %lld",
                                  (long long)p, (long long)d);
    }
    infer_set(c, 0, infer_make(c, dims, in->rank));
    return true;
}

struct fold {
    char *x;
    value_add_fn add;
    int64_t item, n, inner; /* axis length, elements per step of it */
    int64_t before, after;
    int border;
};

/* The margins of the axis are added to what they mirror, in lines [begin, end) of the outer axes.
 */
static void fold_lines(void *arg, int64_t begin, int64_t end)
{
    const struct fold *f = arg;
    int64_t row = f->inner * f->item, middle_end = f->n - f->after;
    for (int64_t o = begin; o < end; o++) {
        char *x = f->x + o * f->n * row;
        for (int64_t j = 0; j < f->before; j++)
            f->add(x + (f->before + f->border + j) * row, x + (f->before - 1 - j) * row, f->inner);
        for (int64_t j = 0; j < f->after; j++)
            f->add(x + (middle_end - 1 - f->border - j) * row, x + (middle_end + j) * row,
                   f->inner);
    }
}

static bool crop(struct kctx *c, const struct tensor *in, const char *x,
                 const struct pad_amount *amounts, struct status *st)
{
    struct tensor *out = &c->out[0];
    int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK], at = 0;
    struct nd_copy copy;
    nd_steps(&in->shape, from);
    nd_steps(&out->shape, to);
    nd_begin(&copy, in->dtype, x, out->data);
    for (int i = 0; i < tensor_rank(in); i++) {
        at += amounts[i].before * from[i];
        nd_axis(&copy, tensor_dim(out, i), from[i], to[i]);
    }
    copy.src += at * (int64_t)dtype_size(in->dtype);
    return nd_run(c, &copy, st);
}

static bool mirror_grad_run(struct kctx *c, struct status *st)
{
    static const struct pad_words words = {"Paddings must be non-negative: ", ", ", " "};
    const struct tensor *in = kernel_in(c, 0);
    int border = ((const struct mirror_state *)kernel_state(c))->border, rank = tensor_rank(in);
    struct pad_amount amounts[SHAPE_MAX_RANK];
    int64_t dims[SHAPE_MAX_RANK], outer = 1;
    if (!pad_read_amounts(c, &words, amounts, st))
        return false;
    for (int i = 0; i < rank; i++) {
        int64_t d = tensor_dim(in, i);
        dims[i] = amounts[i].before > d || amounts[i].after > d
                      ? -1
                      : d - amounts[i].before - amounts[i].after;
        if (!check_amounts(amounts, i, dims[i], border, "output dimension", st))
            return false;
    }
    struct shape shape = shape_make(dims, rank);
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    if (!out || out->num_elems == 0)
        return out != NULL;
    char *x = kernel_scratch(c, (int64_t)tensor_bytes(in), st);
    if (!x)
        return false;
    memcpy(x, in->data, tensor_bytes(in));
    struct fold f = {.x = x,
                     .add = value_add_of(in->dtype),
                     .item = (int64_t)dtype_size(in->dtype),
                     .border = border};
    for (int i = 0; i < rank; i++) {
        f.n = tensor_dim(in, i);
        f.inner = in->num_elems / outer / f.n;
        f.before = amounts[i].before;
        f.after = amounts[i].after;
        if (f.before + f.after > 0)
            kernel_loop(c, outer, 0.5 * (double)(f.inner * (f.before + f.after)), fold_lines, &f);
        outer *= f.n;
    }
    return crop(c, in, x, amounts, st);
}

OP_DEF(mirror_pad_grad) = {
    .name = "MirrorPadGrad",
    .summary = "The gradient of MirrorPad: the margins added to what they mirror, and cut off.",
    .inputs = {"input: T", "paddings: Tpaddings"},
    .outputs = {"output: T"},
    .attrs = {"T: type", "Tpaddings: {int32, int64} = DT_INT32", "mode: {'REFLECT', 'SYMMETRIC'}"},
    .shape = mirror_grad_shape,
    .grad = mirror_grad_grad,
    .no_kernel = "only numbers can be added",
};
KERNEL_DEF(mirror_pad_grad_cpu) = {.op = "MirrorPadGrad",
                                   .device = "CPU",
                                   .types = {"T: {numbertype}"},
                                   .state_bytes = sizeof(struct mirror_state),
                                   .init = mirror_init,
                                   .run = mirror_grad_run};
