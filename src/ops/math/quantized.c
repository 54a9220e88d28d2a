/* SPDX-License-Identifier: Apache-2.0 */
/* QuantizedAdd and QuantizedMul: two tensors of small integers, each over its own range. Terms are
 * first laid over a range that holds both; factors only lose what stands for zero. */
#include <math.h>

#include "op/qrange.h"
#include "ops/math/bcast.h"

/* What each integer of an operand is in the result's range. */
struct operand_map {
    int32_t to[256];
};

struct pair {
    const struct bcast *bcast;
    const uint8_t *x, *y;
    int32_t *z;
    struct operand_map map_x, map_y;
    bool sum;
};

static void pair_range(void *arg, int64_t begin, int64_t end)
{
    const struct pair *p = arg;
    const int last = p->bcast->rank - 1;
    const int64_t step_x = p->bcast->stride[0][last], step_y = p->bcast->stride[1][last];
    struct bcast_at at;
    bcast_seek(p->bcast, &at, begin);
    for (int64_t i = begin; i < end;) {
        const int64_t n = min_i64(bcast_row_left(p->bcast, &at), end - i);
        const uint8_t *x = p->x + at.offset[0], *y = p->y + at.offset[1];
        for (int64_t j = 0; j < n; j++) {
            const uint32_t a = (uint32_t)p->map_x.to[x[j * step_x]];
            const uint32_t b = (uint32_t)p->map_y.to[y[j * step_y]];
            p->z[i + j] = (int32_t)(p->sum ? a + b : a * b);
        }
        i += n;
        bcast_next_row(p->bcast, &at);
    }
}

/* TensorFlow's words for a spread that is more than a vector along the last dims. */
static bool spread_is_known(const struct kctx *c, const struct bcast *b, struct status *st)
{
    if (b->rank <= 2)
        return true;
    struct strbuf text = {0};
    shape_print(&kernel_in(c, 0)->shape, &text);
    strbuf_puts(&text, " and ");
    shape_print(&kernel_in(c, 1)->shape, &text);
    status_unimplemented(st, "Broadcast between %s is not supported yet.", strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

static bool run_pair(struct kctx *c, struct pair *p, struct qrange out, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0), *y = kernel_in(c, 1);
    struct bcast b;
    if (!bcast_make(&b, (const struct shape *[]){&x->shape, &y->shape}, 2, st) ||
        !spread_is_known(c, &b, st))
        return false;
    struct shape s = shape_make(b.out_dims, b.out_rank);
    struct tensor *z = kernel_out(c, 0, &s, st);
    shape_clear(&s);
    if (!z)
        return false;
    p->bcast = &b;
    p->x = x->data;
    p->y = y->data;
    p->z = z->data;
    if (z->num_elems > 0)
        kernel_loop(c, z->num_elems, 1, pair_range, p);
    return qrange_out(c, 1, out, st);
}

static bool ranges_in(struct kctx *c, struct qrange *x, struct qrange *y, struct status *st)
{
    if (!qrange_in(c, 2, x, st) || !qrange_in(c, 4, y, st))
        return false;
    if (!(x->max > x->min))
        return status_invalid(st, "max_x must be larger than min_x.");
    return y->max > y->min || status_invalid(st, "max_y must be larger than min_y.");
}

/* --- sums --- */

/* In a tensor the integers lie at equal steps, which are whole numbers of the result's; a lone
 * number is placed as such. */
static void map_terms(const struct tensor *t, struct operand_map *map, struct qrange from,
                      struct qrange to, bool alone)
{
    int64_t at[256];
    for (int q = 0; q < 256; q++)
        at[q] = qrange_nearest(to, DT_QINT32, (double)(float)qrange_real(from, t->dtype, q));
    for (int q = 0; q < 256; q++)
        map->to[q] = (int32_t)(uint32_t)(alone ? at[q] : at[0] + q * (at[1] - at[0]));
}

static bool add_run(struct kctx *c, struct status *st)
{
    struct pair p = {.sum = true};
    struct qrange x, y;
    if (!ranges_in(c, &x, &y, st))
        return false;
    /* the greatest magnitude takes 18 of 32 bits: thousands of terms may follow */
    const float most = fmaxf(fmaxf(x.max, -x.min), fmaxf(y.max, -y.min)) * (1 << 14);
    const struct qrange z = {-most, most};
    const struct tensor *a = kernel_in(c, 0), *b = kernel_in(c, 1);
    map_terms(a, &p.map_x, x, z, a->num_elems == 1);
    map_terms(b, &p.map_y, y, z, a->num_elems != 1 && b->num_elems == 1);
    return run_pair(c, &p, z, st);
}

/* --- products --- */

static void map_factors(struct operand_map *map, struct qrange r)
{
    const int64_t zero = qrange_zero(r, DT_QUINT8);
    for (int q = 0; q < 256; q++)
        map->to[q] = (int32_t)(q - zero);
}

static bool mul_run(struct kctx *c, struct status *st)
{
    struct pair p = {.sum = false};
    struct qrange x, y;
    if (!ranges_in(c, &x, &y, st))
        return false;
    map_factors(&p.map_x, x);
    map_factors(&p.map_y, y);
    return run_pair(c, &p, qrange_of_product(x, y, DT_QUINT8), st);
}

static bool pair_shape(struct infer_ctx *c, struct status *st)
{
    qrange_infer_limits(c, 1);
    return infer_binary(c, st) && qrange_infer_scalars(c, 2, st);
}

#define PAIR(id, op_name, text, function)                                                          \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .inputs = {"x: T1", "y: T2", "min_x: float", "max_x: float", "min_y: float",               \
                   "max_y: float"},                                                                \
        .outputs = {"z: Toutput", "min_z: float", "max_z: float"},                                 \
        .attrs = {"T1: " QTYPES, "T2: " QTYPES, "Toutput: " QTYPES " = DT_QINT32"},                \
        .shape = pair_shape,                                                                       \
        .no_grad = "undefined: TensorFlow registers none",                                         \
        .no_kernel = "TensorFlow has one of quint8 to qint32 alone",                               \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {.op = op_name,                                                         \
                            .device = "CPU",                                                       \
                            .types = {"T1: {quint8}", "T2: {quint8}", "Toutput: {qint32}"},        \
                            .run = function};
PAIR(quantized_add, "QuantizedAdd", "Sums of quantised numbers.", add_run)
PAIR(quantized_mul, "QuantizedMul", "Products of quantised numbers.", mul_run)
