/* SPDX-License-Identifier: Apache-2.0 */
/* DebugIdentity, DebugNanCount, DebugNumericSummary, Copy, CopyHost: a value, or numbers about it,
 * shown at debug URLs too (publish.h). */
#include <math.h>

#include "op/infer.h"
#include "op/kernel.h"
#include "ops/debug/publish.h"

static bool debug_init(struct kernel *k, void *state, struct status *st)
{
    return watched_of(k->attrs, state, st);
}

/* Output 0 without elements: no URL waits for it. */
static bool shut_out(struct kctx *c, struct status *st)
{
    struct shape none = shape_make((const int64_t[]){0}, 1);
    bool ok = kernel_out(c, 0, &none, st) != NULL;
    shape_clear(&none);
    return ok;
}

static bool publish(struct kctx *c, struct status *st)
{
    return watched_publish(kernel_state(c), c->kernel->op->name, &c->out[0], st);
}

static double number_at(const struct tensor *t, int64_t i)
{
    switch (t->dtype) {
    case DT_FLOAT:
        return (double)((const float *)t->data)[i];
    case DT_DOUBLE:
        return ((const double *)t->data)[i];
    case DT_HALF:
        return (double)f16_to_f32(((const struct f16 *)t->data)[i]);
    case DT_BFLOAT16:
        return (double)bf16_to_f32(((const struct bf16 *)t->data)[i]);
    case DT_INT8:
        return ((const int8_t *)t->data)[i];
    case DT_INT16:
        return ((const int16_t *)t->data)[i];
    case DT_UINT16:
        return ((const uint16_t *)t->data)[i];
    case DT_INT32:
        return ((const int32_t *)t->data)[i];
    case DT_INT64:
        return (double)((const int64_t *)t->data)[i];
    default: /* uint8, bool */
        return ((const uint8_t *)t->data)[i];
    }
}

/* --- values that pass --- */

static bool copy_run(struct kctx *c, struct status *st UNUSED)
{
    kernel_out_share(c, 0, kernel_in(c, 0));
    return true;
}

static bool identity_run(struct kctx *c, struct status *st)
{
    if (watched_is_shut(kernel_state(c)))
        return shut_out(c, st);
    return copy_run(c, st) && publish(c, st);
}

/* --- numbers about them --- */

static bool nan_run(struct kctx *c, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0);
    if (watched_is_shut(kernel_state(c)))
        return shut_out(c, st);
    struct shape shape = shape_make((const int64_t[]){1}, 1);
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    if (!out)
        return false;
    int64_t n = 0;
    for (int64_t i = 0; i < x->num_elems; i++)
        n += isnan(number_at(x, i));
    tensor_i64(out)[0] = n;
    return publish(c, st);
}

enum { /* what the numbers are; behind them the dimensions */
       INITIALIZED,
       TOTAL,
       NANS,
       BELOW, /* at the lower bound or below */
       NEGATIVE,
       ZERO,
       POSITIVE,
       ABOVE, /* at the upper bound or above */
       LEAST, /* of the finite ones, as what follows */
       GREATEST,
       MEAN,
       VARIANCE,
       TYPE,
       RANK,
       NUM_NUMBERS
};

static void count(double v, double low, double high, double *y)
{
    if (isnan(v))
        y[NANS]++;
    else if (v <= low)
        y[BELOW]++;
    else if (v >= high)
        y[ABOVE]++;
    else
        y[v < 0 ? NEGATIVE : v > 0 ? POSITIVE : ZERO]++;
}

/* A variable without a value comes as its shape alone. */
static bool initialized(const struct tensor *x)
{
    bool any = true;
    for (int d = 0; d < tensor_rank(x); d++)
        any = any && tensor_dim(x, d) > 0;
    return x->num_elems > 0 || !any;
}

static bool healthy(const double *y)
{
    return y[INITIALIZED] && y[NANS] == 0 && y[BELOW] == 0 && y[ABOVE] == 0;
}

static void sum_up(const struct tensor *x, double low, double high, double *y)
{
    int64_t finite = 0;
    double sum = 0, squares = 0;
    memset(y, 0, NUM_NUMBERS * sizeof *y);
    y[INITIALIZED] = initialized(x);
    y[TOTAL] = (double)x->num_elems;
    y[LEAST] = INFINITY;
    y[GREATEST] = -INFINITY;
    for (int64_t i = 0; i < x->num_elems; i++) {
        const double v = number_at(x, i);
        count(v, low, high, y);
        if (!isfinite(v))
            continue;
        finite++;
        sum += v;
        y[LEAST] = fmin(y[LEAST], v);
        y[GREATEST] = fmax(y[GREATEST], v);
    }
    y[MEAN] = finite ? sum / (double)finite : NAN;
    for (int64_t i = 0; i < x->num_elems; i++) {
        const double v = number_at(x, i);
        if (isfinite(v))
            squares += (v - y[MEAN]) * (v - y[MEAN]);
    }
    y[VARIANCE] = finite ? squares / (double)finite : NAN;
    y[TYPE] = x->dtype;
    y[RANK] = tensor_rank(x);
}

static bool summary_run(struct kctx *c, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0);
    const int64_t n = NUM_NUMBERS + tensor_rank(x);
    if (watched_is_shut(kernel_state(c)))
        return shut_out(c, st);
    struct shape shape = shape_make(&n, 1);
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    if (!out)
        return false;
    double *y = tensor_f64(out);
    sum_up(x, (double)attrs_float(kernel_attrs(c), "lower_bound"),
           (double)attrs_float(kernel_attrs(c), "upper_bound"), y);
    for (int d = 0; d < tensor_rank(x); d++)
        y[NUM_NUMBERS + d] = (double)tensor_dim(x, d);
    return (attrs_bool(kernel_attrs(c), "mute_if_healthy") && healthy(y)) || publish(c, st);
}

#define DEBUG_ATTRS                                                                                \
    "T: type", "device_name: string = ''", "tensor_name: string = ''",                             \
        "debug_urls: list(string) = []", "gated_grpc: bool = false"
#define DEBUG_OP(id, op_name, text, out_type, ...)                                                 \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .inputs = {"input: T"},                                                                    \
        .outputs = {"output: " out_type},                                                          \
        .flags = OP_UNINIT_OK | OP_UNINIT_VALUES,                                                  \
        .no_grad = "undefined: TensorFlow registers none",                                         \
        __VA_ARGS__,                                                                               \
    }

DEBUG_OP(debug_identity, "DebugIdentity", "Its input, shown to a debugger.", "T",
         .shape = infer_unchanged, .attrs = {DEBUG_ATTRS});
KERNEL_DEF(debug_identity_cpu) = {.op = "DebugIdentity",
                                  .device = "CPU",
                                  .flags = KERNEL_BLOCKING,
                                  .state_bytes = sizeof(struct watched),
                                  .init = debug_init,
                                  .run = identity_run};

DEBUG_OP(debug_nan_count, "DebugNanCount", "How many elements are NaN.", "int64",
         .shape = infer_unknown_outputs, .attrs = {DEBUG_ATTRS});
KERNEL_DEF(debug_nan_count_cpu) = {
    .op = "DebugNanCount",
    .device = "CPU",
    .types = {"T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64}"},
    .flags = KERNEL_BLOCKING,
    .state_bytes = sizeof(struct watched),
    .init = debug_init,
    .run = nan_run};

DEBUG_OP(debug_numeric_summary, "DebugNumericSummary",
         "Counts of kinds of elements, least, greatest, mean, variance, type and shape.", "double",
         .shape = infer_unknown_outputs,
         .attrs = {DEBUG_ATTRS, "lower_bound: float = -inf", "upper_bound: float = inf",
                   "mute_if_healthy: bool = false"});
KERNEL_DEF(debug_numeric_summary_cpu) = {
    .op = "DebugNumericSummary",
    .device = "CPU",
    .types = {"T: {float, double, int8, uint8, int16, uint16, int32, int64, bool}"},
    .flags = KERNEL_BLOCKING,
    .state_bytes = sizeof(struct watched),
    .init = debug_init,
    .run = summary_run};

#define COPY_OP(id, op_name, text)                                                                 \
    DEBUG_OP(                                                                                      \
        id, op_name, text, "T", .shape = infer_unchanged,                                          \
        .attrs = {"T: type", "tensor_name: string = ''", "debug_ops_spec: list(string) = []"});    \
    KERNEL_DEF(id##_cpu) = {.op = op_name, .device = "CPU", .run = copy_run}
COPY_OP(copy, "Copy", "Its input, kept for a debugger.");
COPY_OP(copy_host, "CopyHost", "Its input, kept for a debugger in the host's memory.");
