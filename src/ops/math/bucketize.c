/* SPDX-License-Identifier: Apache-2.0 */
/* Bucketize: how many of the ascending boundaries are not above each value. */
#include "base/mem.h"
#include "op/infer.h"
#include "op/kernel.h"

struct bucketize {
    const float *bounds; /* the attr's own */
    int64_t num;
};

static bool bucketize_init(struct kernel *k, void *state, struct status *st)
{
    struct bucketize *b = state;
    const struct attr_value *v = attrs_list(k->attrs, "boundaries");
    b->bounds = v->fs;
    b->num = v->n;
    for (int64_t i = 1; i < v->n; i++) {
        if (v->fs[i] < v->fs[i - 1])
            return status_invalid(st, "Expected sorted boundaries");
    }
    return true;
}

/* The first boundary above x: a NaN is below none. T: the type in which both are compared. */
#define BUCKETS(name, type, wide)                                                                  \
    static void name(const struct bucketize *b, const void *in, int32_t *y, int64_t n)             \
    {                                                                                              \
        const type *x = in;                                                                        \
        for (int64_t i = 0; i < n; i++) {                                                          \
            int64_t low = 0, high = b->num;                                                        \
            while (low < high) {                                                                   \
                int64_t mid = (low + high) / 2;                                                    \
                if ((wide)x[i] < (wide)b->bounds[mid])                                             \
                    high = mid;                                                                    \
                else                                                                               \
                    low = mid + 1;                                                                 \
            }                                                                                      \
            y[i] = (int32_t)low;                                                                   \
        }                                                                                          \
    }
BUCKETS(buckets_f32, float, float)
BUCKETS(buckets_f64, double, double)
BUCKETS(buckets_i32, int32_t, float)
BUCKETS(buckets_i64, int64_t, float)
#undef BUCKETS

static bool bucketize_run(struct kctx *c, struct status *st)
{
    const struct bucketize *b = kernel_state(c);
    const struct tensor *in = kernel_in(c, 0);
    struct tensor *out = kernel_out(c, 0, &in->shape, st);
    if (!out)
        return false;
    int32_t *y = tensor_i32(out);
    switch (in->dtype) {
    case DT_FLOAT:
        buckets_f32(b, in->data, y, in->num_elems);
        break;
    case DT_DOUBLE:
        buckets_f64(b, in->data, y, in->num_elems);
        break;
    case DT_INT32:
        buckets_i32(b, in->data, y, in->num_elems);
        break;
    default:
        buckets_i64(b, in->data, y, in->num_elems);
    }
    return true;
}

OP_DEF(bucketize) = {
    .name = "Bucketize",
    .summary = "The bucket, between ascending boundaries, of each value.",
    .inputs = {"input: T"},
    .outputs = {"output: int32"},
    .attrs = {"T: {int32, int64, float, double}", "boundaries: list(float)"},
    .shape = infer_unchanged,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL_DEF(bucketize_cpu) = {
    .op = "Bucketize",
    .device = "CPU",
    .types = {"T: {float, double, int32, int64}"},
    .state_bytes = sizeof(struct bucketize),
    .init = bucketize_init,
    .run = bucketize_run,
};
