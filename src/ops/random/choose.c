/* SPDX-License-Identifier: Apache-2.0 */
/* Random choices: rows in random order, classes drawn by their logits. */
#include <math.h>

#include "op/infer.h"
#include "ops/random/multinomial.h"
#include "ops/random/seeds.h"

/* --- RandomShuffle --- */

static void permutation(int64_t *order, int64_t n, const struct math_philox *g)
{
    struct math_philox_stream s;
    math_philox_stream_init(&s, g);
    for (int64_t i = 0; i < n; i++)
        order[i] = i;
    for (int64_t i = 0; i < n - 1; i++) {
        int64_t j = i + (int64_t)(math_philox_u32(&s) % (uint32_t)(n - i));
        int64_t swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
}

static bool shuffle_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    int64_t n = tensor_rank(in) > 0 ? tensor_dim(in, 0) : 1;
    if (n <= 1 || in->num_elems == 0) {
        kernel_out_share(c, 0, in);
        return true;
    }
    if (n > INT32_MAX)
        return status_invalid(st, "RandomShuffle: too many rows: %lld", (long long)n);
    struct tensor *out = kernel_out(c, 0, &in->shape, st);
    int64_t *order = out ? kernel_scratch(c, n * (int64_t)sizeof(*order), st) : NULL;
    if (!order)
        return false;
    struct math_philox g = seeds_reserve(kernel_state(c), (n + 2) / 4, 1);
    permutation(order, n, &g);
    int64_t row = in->num_elems / n, size = (int64_t)dtype_size(in->dtype);
    for (int64_t i = 0; i < n; i++)
        if (!elems_copy(in->dtype, (char *)out->data + i * row * size,
                        (const char *)in->data + order[i] * row * size, row))
            return status_exhausted(st, "RandomShuffle: no memory for a string");
    return true;
}

OP_DEF(random_shuffle) = {
    .name = "RandomShuffle",
    .summary = "The rows of a tensor in random order.",
    .inputs = {"value: T"},
    .outputs = {"output: T"},
    .attrs = {"seed: int = 0", "seed2: int = 0", "T: type"},
    .flags = OP_STATEFUL,
    .shape = infer_unchanged,
    .no_grad = "undefined: the order is random",
    .no_kernel = "TensorFlow has none for quantised and unsigned 32 and 64 bit types",
};
KERNEL_DEF(random_shuffle_cpu) = {
    .op = "RandomShuffle",
    .device = "CPU",
    .types = {"T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, "
              "complex64, complex128, bool, string, resource, variant}"},
    .state_bytes = sizeof(struct seeds),
    .init = seeds_only_init,
    .release = seeds_only_release,
    .run = shuffle_run,
};

/* --- Multinomial --- */

static double logit(const struct tensor *t, int64_t i)
{
    switch (t->dtype) {
    case DT_DOUBLE:
        return ((const double *)t->data)[i];
    case DT_HALF:
        return (double)f16_to_f32(((const struct f16 *)t->data)[i]);
    default:
        return (double)((const float *)t->data)[i];
    }
}

/* Running sums of the weights of n logits from `at`; those that are not finite weigh nothing. */
static double cumulate(const struct tensor *logits, int64_t at, int64_t n, double *cdf)
{
    double max = -INFINITY, total = 0;
    for (int64_t i = 0; i < n; i++) {
        double x = logit(logits, at + i);
        if (isfinite(x) && x > max)
            max = x;
    }
    for (int64_t i = 0; i < n; i++) {
        double x = logit(logits, at + i);
        if (isfinite(x))
            total += exp(x - max);
        cdf[i] = total;
    }
    return total;
}

/* How many of the n ascending numbers are <= x. */
static int64_t upper_bound(const double *a, int64_t n, double x)
{
    int64_t low = 0;
    while (low < n) {
        int64_t mid = low + (n - low) / 2;
        if (a[mid] <= x)
            low = mid + 1;
        else
            n = mid;
    }
    return low;
}

static bool multinomial_check(struct kctx *c, int64_t *num, struct status *st)
{
    const struct tensor *logits = kernel_in(c, 0), *samples = kernel_in(c, 1);
    if (tensor_rank(logits) != 2)
        return status_invalid(st, "logits should be a matrix, got rank %d", tensor_rank(logits));
    if (tensor_rank(samples) != 0)
        return status_invalid(st, "num_samples should be a scalar, got rank %d",
                              tensor_rank(samples));
    *num = tensor_i32(samples)[0];
    if (*num < 0)
        return status_invalid(st, "num_samples should be nonnegative, got %lld", (long long)*num);
    if (tensor_dim(logits, 0) > INT32_MAX || tensor_dim(logits, 1) > INT32_MAX)
        return status_invalid(st, "logits has too many rows or columns for int");
    return tensor_dim(logits, 1) > 0 || status_invalid(st, "num_classes should be positive, got 0");
}

bool multinomial_draw(struct kctx *c, const struct math_philox *g, struct status *st)
{
    const struct tensor *logits = kernel_in(c, 0);
    int64_t num = 0;
    if (!multinomial_check(c, &num, st))
        return false;
    int64_t rows = tensor_dim(logits, 0), classes = tensor_dim(logits, 1);
    struct shape shape = shape_2(rows, num);
    struct tensor *out = kernel_out(c, 0, &shape, st);
    if (!out || out->num_elems == 0)
        return out != NULL;
    double *cdf = kernel_scratch(c, classes * (int64_t)sizeof(*cdf), st);
    if (!cdf)
        return false;
    struct math_philox_stream s;
    math_philox_stream_init(&s, g);
    for (int64_t i = 0; i < rows; i++) {
        double total = cumulate(logits, i * classes, classes, cdf);
        for (int64_t j = 0; j < num; j++) {
            int64_t found = upper_bound(cdf, classes, math_philox_double(&s) * total);
            if (out->dtype == DT_INT32)
                tensor_i32(out)[i * num + j] = (int32_t)found;
            else
                tensor_i64(out)[i * num + j] = found;
        }
    }
    return true;
}

static bool multinomial_run(struct kctx *c, struct status *st)
{
    int64_t num = 0;
    if (!multinomial_check(c, &num, st))
        return false;
    const int64_t blocks = tensor_dim(kernel_in(c, 0), 0) * ((num + 3) / 4 * 4) * 2;
    struct math_philox g = seeds_reserve(kernel_state(c), blocks, 256);
    return multinomial_draw(c, &g, st);
}

bool multinomial_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *logits, *scalar;
    bool known;
    int64_t num = 0;
    if (!infer_want_rank(c, infer_input(c, 0), 2, &logits, st) ||
        !infer_want_rank(c, infer_input(c, 1), 0, &scalar, st) ||
        !infer_const_int(c, 1, &known, &num, st))
        return false;
    if (known && num < 0)
        return status_invalid(st, "num_samples should be nonnegative, got %lld", (long long)num);
    infer_set(c, 0, infer_matrix(c, infer_dim(logits, 0), known ? num : DIM_UNKNOWN));
    return true;
}

OP_DEF(multinomial) = {
    .name = "Multinomial",
    .summary = "Classes drawn at random, each row's by the row's logits.",
    .inputs = {"logits: T", "num_samples: int32"},
    .outputs = {"output: output_dtype"},
    .attrs = {"seed: int = 0", "seed2: int = 0", "T: realnumbertype",
              "output_dtype: {int32, int64} = DT_INT64"},
    .flags = OP_STATEFUL,
    .shape = multinomial_shape,
    .no_grad = "a draw has no gradient",
    .no_kernel = "TensorFlow has kernels for half, float and double alone",
};
KERNEL_DEF(multinomial_cpu) = {
    .op = "Multinomial",
    .device = "CPU",
    .types = {"T: {half, float, double}"},
    .state_bytes = sizeof(struct seeds),
    .init = seeds_only_init,
    .release = seeds_only_release,
    .run = multinomial_run,
};
