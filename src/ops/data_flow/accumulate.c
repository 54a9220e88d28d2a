/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients into accumulators and their mean or sum out of them: the wait, the arithmetic, and the
 * dense ops.
 *
 * The sum is one running sum in the accumulator's own type, and the mean that sum divided by the
 * count, as TensorFlow has them, halves rounded at each step. */
#include "base/mem.h"
#include "ops/data_flow/accumulator.h"

/* --- arithmetic --- */

static void add_f16(struct f16 *restrict sum, const struct f16 *restrict x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        sum[i] = f16_from_f32(f16_to_f32(sum[i]) + f16_to_f32(x[i]));
}

static void add_f32(float *restrict sum, const float *restrict x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        sum[i] += x[i];
}

static void add_f64(double *restrict sum, const double *restrict x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        sum[i] += x[i];
}

void accumulator_add(int dtype, void *sum, const void *x, int64_t n)
{
    if (dtype == DT_HALF)
        add_f16(sum, x, n);
    else if (dtype == DT_FLOAT)
        add_f32(sum, x, n);
    else
        add_f64(sum, x, n);
}

static void divide_f16(struct f16 *x, int64_t count, int64_t n)
{
    const float by = f16_to_f32(f16_from_f32((float)count));

    for (int64_t i = 0; i < n; i++)
        x[i] = f16_from_f32(f16_to_f32(x[i]) / by);
}

void accumulator_divide(int dtype, void *x, int64_t count, int64_t n)
{
    if (dtype == DT_HALF) {
        divide_f16(x, count, n);
    } else if (dtype == DT_FLOAT) {
        for (int64_t i = 0; i < n; i++)
            ((float *)x)[i] /= (float)count;
    } else {
        for (int64_t i = 0; i < n; i++)
            ((double *)x)[i] /= (double)count;
    }
}

/* --- waiting for enough of them --- */

struct taking {
    struct waiter base;
    struct kctx *c;
    struct accumulator *a;
    int64_t wanted;
    bool (*give)(struct kctx *c, struct accumulator *a, struct status *st);
};

static bool try_take(struct waiter *w)
{
    struct taking *t = (struct taking *)w;
    struct accumulator *a = t->a;

    if (a->count < t->wanted)
        return false;
    a->step++;
    if (t->give(t->c, a, &w->status)) {
        tensor_clear(&a->sum);
        a->count = 0;
        accumulator_log(a, t->c);
    }
    return true;
}

static void taken(struct waiter *w)
{
    struct kctx *c = ((struct taking *)w)->c;
    struct status st = {0};

    status_move(&st, &w->status);
    mem_free(w);
    kernel_done(c, &st);
    status_clear(&st);
}

void accumulator_take(struct kctx *c, struct accumulator *a,
                      bool (*give)(struct kctx *c, struct accumulator *a, struct status *st))
{
    struct status st = {0};
    int64_t wanted;

    if (!accumulator_number(c, "num_required", &wanted, &st) ||
        (wanted <= 0 && !status_invalid(&st, "Argument num_required must be positive, but was %lld",
                                        (long long)wanted))) {
        accumulator_unref(a);
        kernel_done(c, &st);
        status_clear(&st);
        return;
    }
    struct taking *t = mem_new(struct taking);

    *t = (struct taking){.c = c, .a = a, .wanted = wanted, .give = give};
    t->base = (struct waiter){.attempt = try_take,
                              .done = taken,
                              .cancel = c->env->cancel,
                              .cancelled = "TakeGrad operation was cancelled",
                              .owner = &a->base};
    waits_start(&a->waits, &t->base);
    accumulator_unref(a);
}

/* --- dense gradients --- */

static bool fail_shape(const struct shape *want, const struct shape *got, struct status *st)
{
    struct strbuf a = {0}, b = {0};

    shape_print(want, &a);
    shape_print(got, &b);
    status_invalid(st, "Shape mismatch: expected %s, got %s", strbuf_text(&a), strbuf_text(&b));
    strbuf_release(&a);
    strbuf_release(&b);
    return false;
}

/* Under the lock, of a gradient that is not late. */
static bool add_dense(struct kctx *c, struct accumulator *a, struct status *st)
{
    const struct tensor *x = kernel_in(c, 2);
    const struct shape *shape = a->count > 0 ? &a->sum.shape : &a->shape;

    if (!shape_compatible(shape, &x->shape))
        return fail_shape(shape, &x->shape, st);
    if (a->count == 0) {
        if (!kernel_in_keep(c, 2, &a->sum, st))
            return false;
    } else {
        if (!tensor_is_sole(&a->sum)) {
            struct tensor own;

            if (!tensor_dup(&a->sum, &own, st))
                return false;
            tensor_clear(&a->sum);
            a->sum = own;
        }
        accumulator_add(a->dtype, a->sum.data, x->data, x->num_elems);
    }
    a->count++;
    return true;
}

static bool apply_run(struct kctx *c, struct status *st)
{
    struct accumulator *a = accumulator_of(c, st);
    int64_t step;
    bool ok = a && accumulator_want_sparse(a, false, st) &&
              accumulator_check_type(c, a, true, 2, st) &&
              accumulator_number(c, "local_step", &step, st);

    if (ok) {
        waits_begin(&a->waits);
        ok = step < a->step || add_dense(c, a, st);
        if (ok && step >= a->step)
            accumulator_log(a, c);
        waits_end(&a->waits);
    }
    accumulator_unref(a);
    return ok;
}

static bool give_dense(struct kctx *c, struct accumulator *a, struct status *st)
{
    struct tensor out;

    if (!a->mean) {
        kernel_out_take(c, 0, &a->sum);
        return true;
    }
    if (tensor_is_sole(&a->sum))
        out = tensor_take(&a->sum);
    else if (!tensor_dup(&a->sum, &out, st))
        return false;
    accumulator_divide(a->dtype, out.data, a->count, out.num_elems);
    kernel_out_take(c, 0, &out);
    return true;
}

static void take_start(struct kctx *c)
{
    struct status st = {0};
    struct accumulator *a = accumulator_of(c, &st);

    if (a && accumulator_want_sparse(a, false, &st) &&
        accumulator_check_type(c, a, false, 0, &st)) {
        accumulator_take(c, a, give_dense);
        return;
    }
    accumulator_unref(a);
    kernel_done(c, &st);
    status_clear(&st);
}

/* --- the ops --- */

/* Of either op, nothing is known of what comes out. */
static bool number_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;

    return infer_want_rank(c, infer_input(c, 1), 0, &s, st);
}

#define APPLY(id, op_name, handle, op_flags)                                                       \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = "Adds a gradient to an accumulator, unless it comes from a step before its.",   \
        .inputs = {handle, "local_step: int64", "gradient: dtype"},                                \
        .attrs = {"dtype: numbertype"},                                                            \
        .flags = op_flags,                                                                         \
        .shape = number_shape,                                                                     \
        .no_grad = ACCUMULATOR_NO_GRAD,                                                            \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {.op = op_name, .device = "CPU", .flags = KERNEL_NOTES, .run = apply_run}
APPLY(accumulator_apply_gradient, "AccumulatorApplyGradient", "handle: Ref(string)", 0);
APPLY(resource_accumulator_apply_gradient, "ResourceAccumulatorApplyGradient", "handle: resource",
      OP_STATEFUL);

#define TAKE(id, op_name, handle, op_flags)                                                        \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = "Waits until an accumulator has so many gradients, and takes their mean or "    \
                   "sum.",                                                                         \
        .inputs = {handle, "num_required: int32"},                                                 \
        .outputs = {"average: dtype"},                                                             \
        .attrs = {"dtype: numbertype"},                                                            \
        .flags = op_flags,                                                                         \
        .shape = number_shape,                                                                     \
        .no_grad = ACCUMULATOR_NO_GRAD,                                                            \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {                                                                       \
        .op = op_name,                                                                             \
        .device = "CPU",                                                                           \
        .flags = KERNEL_ASYNC | KERNEL_NOTES,                                                      \
        .run_async = take_start,                                                                   \
    }
TAKE(accumulator_take_gradient, "AccumulatorTakeGradient", "handle: Ref(string)", 0);
TAKE(resource_accumulator_take_gradient, "ResourceAccumulatorTakeGradient", "handle: resource",
     OP_STATEFUL);
