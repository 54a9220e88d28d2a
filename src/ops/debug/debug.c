/* SPDX-License-Identifier: Apache-2.0 */
/* DebugIdentity, DebugNanCount, DebugNumericSummary, Copy, CopyHost: a value, or numbers about it.
 * What debug_urls name gets nothing: UNIMPLEMENTED where TensorFlow would send it there. */
#include <math.h>

#include "op/infer.h"
#include "op/kernel.h"

/* A name as "node:slot"; the slot may be left out. */
static bool debug_init(struct kernel *k, void *state UNUSED, struct status *st)
{
    struct str name = attrs_string(k->attrs, "tensor_name"), slot = name;
    const char *colon = name.n ? memchr(name.p, ':', name.n) : NULL;
    int64_t number = 0;
    if (colon)
        slot = str_make(colon + 1, name.n - (size_t)(colon + 1 - name.p));
    if (name.n == 0 || (colon && slot.n && memchr(slot.p, ':', slot.n)))
        return status_invalid(st, "Failed to parse tensor name: \"%.*s\"",
                              name.n > 200 ? 200 : (int)name.n, name.p);
    return !colon || str_to_i64(slot, &number) ||
           status_invalid(st, "Invalid string value for output slot: \"%.*s\"",
                          slot.n > 200 ? 200 : (int)slot.n, slot.p);
}

/* Nothing can be sent anywhere. */
static bool no_urls(const struct kctx *c, struct status *st)
{
    const struct attr_value *urls = attrs_list(kernel_attrs(c), "debug_urls");
    if (!urls || urls->n == 0)
        return true;
    struct str url = urls->ss[0];
    if (str_starts(url, "file://") || str_starts(url, "grpc://") || str_starts(url, "memcbk://"))
        return status_unimplemented(st, "%s: nothing is sent to debug URLs: %.*s",
                                    c->kernel->op->name, url.n > 200 ? 200 : (int)url.n, url.p);
    return status_fail(st, STATUS_UNAVAILABLE, "Invalid debug target URL: %.*s",
                       url.n > 200 ? 200 : (int)url.n, url.p);
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
    return no_urls(c, st) && copy_run(c, st);
}

/* --- numbers about them --- */

static bool nan_run(struct kctx *c, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0);
    struct shape shape = shape_make((const int64_t[]){1}, 1);
    struct tensor *out = no_urls(c, st) ? kernel_out(c, 0, &shape, st) : NULL;
    shape_clear(&shape);
    if (!out)
        return false;
    int64_t n = 0;
    for (int64_t i = 0; i < x->num_elems; i++)
        n += isnan(number_at(x, i));
    tensor_i64(out)[0] = n;
    return true;
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

static void sum_up(const struct tensor *x, double low, double high, double *y)
{
    int64_t finite = 0;
    double sum = 0, squares = 0;
    memset(y, 0, NUM_NUMBERS * sizeof *y);
    y[INITIALIZED] = 1;
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
    struct shape shape = shape_make(&n, 1);
    struct tensor *out = no_urls(c, st) ? kernel_out(c, 0, &shape, st) : NULL;
    shape_clear(&shape);
    if (!out)
        return false;
    double *y = tensor_f64(out);
    sum_up(x, (double)attrs_float(kernel_attrs(c), "lower_bound"),
           (double)attrs_float(kernel_attrs(c), "upper_bound"), y);
    for (int d = 0; d < tensor_rank(x); d++)
        y[NUM_NUMBERS + d] = (double)tensor_dim(x, d);
    return true;
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
        .flags = OP_UNINIT_OK,                                                                     \
        .no_grad = "undefined: TensorFlow registers none",                                         \
        __VA_ARGS__,                                                                               \
    }

DEBUG_OP(debug_identity, "DebugIdentity", "Its input, shown to a debugger.", "T",
         .shape = infer_unchanged, .attrs = {DEBUG_ATTRS});
KERNEL_DEF(debug_identity_cpu) = {
    .op = "DebugIdentity", .device = "CPU", .init = debug_init, .run = identity_run};

DEBUG_OP(debug_nan_count, "DebugNanCount", "How many elements are NaN.", "int64",
         .shape = infer_unknown_outputs, .attrs = {DEBUG_ATTRS});
KERNEL_DEF(debug_nan_count_cpu) = {
    .op = "DebugNanCount",
    .device = "CPU",
    .types = {"T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64}"},
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
    .init = debug_init,
    .run = summary_run};

#define COPY_OP(id, op_name, text)                                                                 \
    DEBUG_OP(                                                                                      \
        id, op_name, text, "T", .shape = infer_unchanged,                                          \
        .attrs = {"T: type", "tensor_name: string = ''", "debug_ops_spec: list(string) = []"});    \
    KERNEL_DEF(id##_cpu) = {.op = op_name, .device = "CPU", .run = copy_run}
COPY_OP(copy, "Copy", "Its input, kept for a debugger.");
COPY_OP(copy_host, "CopyHost", "Its input, kept for a debugger in the host's memory.");
