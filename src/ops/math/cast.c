/* SPDX-License-Identifier: Apache-2.0 */
/* Cast: between any two of the types that are numbers.
 *
 * A conversion has up to three steps, done tile by tile: the source to a plain type (half and
 * bfloat16 to float, complex to its real part), the tile function from plain type to plain type,
 * and the plain type to the result's. Most have only the middle one. */
#include <string.h>

#include "math/vec.h"
#include "ops/math/def.h"
#include "ops/math/tile.h"

enum { TILE = 512 };

struct cast {
    int from, to;             /* as integers of the same bits where quantised */
    int plain_from, plain_to; /* the middle step's */
    ewise_fn fn;              /* the middle step; NULL: none */
    bool same;                /* nothing to do */
    bool truncate;            /* of floats: drop the bits that do not fit instead of rounding */
    float cost_ns;
};

/* The bits of quantised types are those of integers. */
static int integer_of(int dtype)
{
    switch (dtype) {
    case DT_QINT8:
        return DT_INT8;
    case DT_QUINT8:
        return DT_UINT8;
    case DT_QINT16:
        return DT_INT16;
    case DT_QUINT16:
        return DT_UINT16;
    case DT_QINT32:
        return DT_INT32;
    default:
        return dtype;
    }
}

static int plain_of(int dtype)
{
    if (dtype == DT_HALF || dtype == DT_BFLOAT16 || dtype == DT_COMPLEX64)
        return DT_FLOAT;
    return dtype == DT_COMPLEX128 ? DT_DOUBLE : dtype;
}

static bool cast_init(struct kernel *k, void *state, struct status *st)
{
    struct cast *s = state;
    int src = dtype_base(k->input_types[0]), dst = dtype_base(k->output_types[0]);
    *s = (struct cast){.from = integer_of(src),
                       .to = integer_of(dst),
                       .truncate = attrs_bool(k->attrs, "Truncate"),
                       .cost_ns = 0.5f};
    s->same = src == dst;
    if (s->same)
        return true;
    if (dtype_is_managed(src) || dtype_is_managed(dst))
        return status_unimplemented(st, "Cast %s to %s is not supported", dtype_name(src),
                                    dtype_name(dst));
    s->plain_from = plain_of(s->from);
    s->plain_to = plain_of(s->to);
    if (s->plain_from != s->plain_to)
        s->fn = tile_cast_find(s->plain_from, s->plain_to);
    ASSERT(s->fn || s->plain_from == s->plain_to);
    if (s->from != s->plain_from || s->to != s->plain_to)
        s->cost_ns = 2;
    return true;
}

static ewise_fn cast_ewise(const struct attrs *attrs, const int *in_types, int num_in, int out_type)
{
    int from = in_types[0];
    bool plain = from == DT_FLOAT || from == DT_DOUBLE || from == DT_BOOL || from == DT_INT32 ||
                 from == DT_INT64;
    if (num_in != 1 || !plain || from == out_type || attrs_bool(attrs, "Truncate") ||
        (out_type != DT_FLOAT && out_type != DT_DOUBLE))
        return NULL;
    return tile_cast_find(from, out_type);
}

/* --- the outer steps --- */

static const void *to_plain(const struct cast *s, const void *x, void *room, int64_t n)
{
    switch (s->from) {
    case DT_HALF:
        math_f16_to_f32(x, room, n);
        return room;
    case DT_BFLOAT16:
        math_bf16_to_f32(x, room, n);
        return room;
    case DT_COMPLEX64:
        for (int64_t i = 0; i < n; i++)
            ((float *)room)[i] = ((const struct c64 *)x)[i].re;
        return room;
    case DT_COMPLEX128:
        for (int64_t i = 0; i < n; i++)
            ((double *)room)[i] = ((const struct c128 *)x)[i].re;
        return room;
    default:
        return x;
    }
}

static void from_plain(const struct cast *s, const void *x, void *y, int64_t n)
{
    switch (s->to) {
    case DT_HALF:
        math_f32_to_f16(x, y, n);
        return;
    case DT_BFLOAT16:
        math_f32_to_bf16(x, y, n);
        return;
    case DT_COMPLEX64:
        for (int64_t i = 0; i < n; i++)
            ((struct c64 *)y)[i] = (struct c64){((const float *)x)[i], 0};
        return;
    case DT_COMPLEX128:
        for (int64_t i = 0; i < n; i++)
            ((struct c128 *)y)[i] = (struct c128){((const double *)x)[i], 0};
        return;
    default:
        memcpy(y, x, (size_t)n * dtype_size(s->to));
    }
}

/* Clears the bits of a float or double that the result has no room for; those of bfloat16 only
 * when it comes straight from float. */
static const void *drop_bits(const struct cast *s, const void *x, void *room, int64_t n)
{
    int to = s->to == DT_COMPLEX64 ? DT_FLOAT : s->to;
    int kept = to == DT_HALF ? 10 : to == DT_BFLOAT16 && s->from == DT_FLOAT ? 7 : 23;
    if (s->plain_from == DT_FLOAT && kept < 23) {
        for (int64_t i = 0; i < n; i++)
            ((uint32_t *)room)[i] = ((const uint32_t *)x)[i] & ~((1u << (23 - kept)) - 1);
        return room;
    }
    if (s->plain_from == DT_DOUBLE && (to == DT_HALF || to == DT_FLOAT)) {
        for (int64_t i = 0; i < n; i++)
            ((uint64_t *)room)[i] = ((const uint64_t *)x)[i] & ~(((uint64_t)1 << (52 - kept)) - 1);
        return room;
    }
    return x;
}

/* --- the run --- */

struct cast_job {
    const struct cast *cast;
    const char *in;
    char *out;
};

static void cast_tiles(void *arg, int64_t begin, int64_t end)
{
    const struct cast_job *j = arg;
    const struct cast *s = j->cast;
    double first[TILE], second[TILE], third[TILE];
    size_t in_bytes = dtype_size(s->from), out_bytes = dtype_size(s->to);
    for (; begin < end; begin += TILE) {
        int64_t len = min_i64(TILE, end - begin);
        const void *x = to_plain(s, j->in + (size_t)begin * in_bytes, first, len);
        if (s->truncate)
            x = drop_bits(s, x, third, len);
        if (s->fn) {
            s->fn(second, &x, 0, len);
            x = second;
        }
        from_plain(s, x, j->out + (size_t)begin * out_bytes, len);
    }
}

static void cast_plain(void *arg, int64_t begin, int64_t end)
{
    const struct cast_job *j = arg;
    const struct cast *s = j->cast;
    const void *x = j->in + (size_t)begin * dtype_size(s->from);
    s->fn(j->out + (size_t)begin * dtype_size(s->to), &x, 0, end - begin);
}

/* Complex to complex is float to double or back, on twice as many numbers. */
static void cast_complex(void *arg, int64_t begin, int64_t end)
{
    const struct cast_job *j = arg;
    const struct cast *s = j->cast;
    double room[TILE];
    for (int64_t at = 2 * begin; at < 2 * end; at += TILE) {
        int64_t len = min_i64(TILE, 2 * end - at);
        const void *x = j->in + (size_t)at * dtype_size(s->plain_from);
        if (s->truncate)
            x = drop_bits(s, x, room, len);
        s->fn(j->out + (size_t)at * dtype_size(s->plain_to), &x, 0, len);
    }
}

static bool cast_run(struct kctx *c, struct status *st)
{
    const struct cast *s = kernel_state(c);
    const struct tensor *x = kernel_in(c, 0);
    if (s->same) {
        kernel_out_share(c, 0, x);
        return true;
    }
    struct tensor *out = kernel_out(c, 0, &x->shape, st);
    if (!out)
        return false;
    struct cast_job job = {s, x->data, out->data};
    bool plain = s->from == s->plain_from && s->to == s->plain_to && s->fn && !s->truncate;
    bool complex_both = dtype_is_complex(s->from) && dtype_is_complex(s->to);
    pool_loop_fn fn = complex_both ? cast_complex : plain ? cast_plain : cast_tiles;
    if ((double)out->num_elems * s->cost_ns < 30000)
        fn(&job, 0, out->num_elems);
    else
        kernel_loop(c, out->num_elems, s->cost_ns, fn, &job);
    return true;
}

/* Back to the source's type, where both can have gradients. */
static bool cast_grad(struct grad_ctx *g, struct status *st)
{
    int from = grad_type_of(g, grad_in(g, 0)), to = grad_type_of(g, grad_out(g, 0));
    bool both = (dtype_is_float(from) || dtype_is_complex(from)) &&
                (dtype_is_float(to) || dtype_is_complex(to));
    if (both)
        grad_set(g, 0, grad_cast(g, grad_dy(g, 0), from));
    return grad_done(g, st);
}

OP_DEF(cast) = {
    .name = "Cast",
    .summary = "x with its elements converted to DstT.",
    .inputs = {"x: SrcT"},
    .outputs = {"y: DstT"},
    .attrs = {"SrcT: type", "DstT: type", "Truncate: bool = false"},
    .shape = infer_unchanged,
    .grad = cast_grad,
    .no_kernel = "strings, resources and variants are not numbers",
};
KERNEL_DEF(cast_cpu) = {.op = "Cast",
                        .device = "CPU",
                        .state_bytes = sizeof(struct cast),
                        .init = cast_init,
                        .run = cast_run,
                        .ewise_of = cast_ewise};
