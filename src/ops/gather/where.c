/* SPDX-License-Identifier: Apache-2.0 */
/* Where: the coordinates of the elements that are not zero, in row-major order. */
#include <string.h>

#include "ops/gather/gather.h"

static bool where_shape(struct infer_ctx *c, struct status *st)
{
    (void)st;
    infer_set(c, 0, infer_matrix(c, DIM_UNKNOWN, infer_input(c, 0)->rank));
    return true;
}

/* Each tells whether element i of x is not zero; NaN is not, -0 is. */
#define TRUTH(name, T, expr)                                                                       \
    static int64_t count_##name(const void *data, int64_t n)                                       \
    {                                                                                              \
        const T *x = data;                                                                         \
        int64_t sum = 0;                                                                           \
        for (int64_t i = 0; i < n; i++)                                                            \
            sum += (expr);                                                                         \
        return sum;                                                                                \
    }                                                                                              \
    static int64_t next_##name(const void *data, int64_t i, int64_t n)                             \
    {                                                                                              \
        const T *x = data;                                                                         \
        while (i < n && !(expr))                                                                   \
            i++;                                                                                   \
        return i;                                                                                  \
    }
TRUTH(u8, uint8_t, x[i] != 0)
TRUTH(u16, uint16_t, x[i] != 0)
TRUTH(half, uint16_t, (x[i] & 0x7fff) != 0)
TRUTH(u32, uint32_t, x[i] != 0)
TRUTH(u64, uint64_t, x[i] != 0)
TRUTH(f32, float, x[i] != 0)
TRUTH(f64, double, x[i] != 0)
TRUTH(c64, struct c64, x[i].re != 0 || x[i].im != 0)
TRUTH(c128, struct c128, x[i].re != 0 || x[i].im != 0)

struct where_fns {
    int64_t (*count)(const void *data, int64_t n);
    int64_t (*next)(const void *data, int64_t i, int64_t n);
};
#define FNS(name) ((struct where_fns){count_##name, next_##name})

static bool where_init(struct kernel *k, void *state, struct status *st)
{
    (void)st;
    struct where_fns *f = state;
    switch (k->input_types[0]) {
    case DT_FLOAT:
        *f = FNS(f32);
        break;
    case DT_DOUBLE:
        *f = FNS(f64);
        break;
    case DT_COMPLEX64:
        *f = FNS(c64);
        break;
    case DT_COMPLEX128:
        *f = FNS(c128);
        break;
    case DT_HALF:
    case DT_BFLOAT16:
        *f = FNS(half);
        break;
    default: {
        size_t size = dtype_size(k->input_types[0]);
        *f = size == 1 ? FNS(u8) : size == 2 ? FNS(u16) : size == 4 ? FNS(u32) : FNS(u64);
    }
    }
    return true;
}

static bool where_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    const struct where_fns *f = kernel_state(c);
    int rank = tensor_rank(in);
    if (rank == 0)
        return status_invalid(st, "WhereOp : Unhandled input dimensions: 0");
    int64_t n = in->num_elems, room = f->count(in->data, n);
    struct shape shape = shape_2(room, rank);
    struct tensor *out = kernel_out(c, 0, &shape, st);
    if (!out)
        return false;
    int64_t *y = tensor_i64(out), found = 0;
    for (int64_t i = 0; found < room; i++, found++, y += rank) {
        i = f->next(in->data, i, n);
        if (i >= n)
            return status_invalid(st, "WhereOp: the input changed while it was read");
        int64_t left = i;
        for (int k = rank - 1; k >= 0; k--) {
            int64_t d = tensor_dim(in, k);
            y[k] = k == 0 ? left : left % d;
            left /= d;
        }
    }
    return true;
}

OP_DEF(where) = {
    .name = "Where",
    .summary = "The coordinates of the elements that are not zero, in row-major order.",
    .inputs = {"input: T"},
    .outputs = {"index: int64"},
    .attrs = {"T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, "
              "qint32, bfloat16, uint16, complex128, half, uint32, uint64, bool} = DT_BOOL"},
    .shape = where_shape,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL_DEF(where_cpu) = {
    .op = "Where",
    .device = "CPU",
    .types = {"T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, "
              "complex64, complex128, bool}"},
    .state_bytes = sizeof(struct where_fns),
    .init = where_init,
    .run = where_run,
};
