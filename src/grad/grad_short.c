/* SPDX-License-Identifier: Apache-2.0 */
/* Shorthands of gradient functions: constants, the common ops, and the sums that undo
 * broadcasting. */
#include "grad/grad_impl.h"

#include "base/mem.h"

static struct output const_from(struct grad_ctx *g, int dtype, const int64_t *dims, int rank,
                                const void *elems)
{
    struct tensor t = {0};
    if (!status_ok(&g->error) || !tensor_from(&t, dtype, dims, rank, elems, &g->error))
        return (struct output){NULL, 0};
    struct output o = grad_const(g, &t);
    tensor_clear(&t);
    return o;
}

struct output grad_const_i32(struct grad_ctx *g, int32_t v)
{
    return const_from(g, DT_INT32, NULL, 0, &v);
}

struct output grad_const_i32s(struct grad_ctx *g, const int32_t *v, int64_t n)
{
    return const_from(g, DT_INT32, &n, 1, v);
}

struct output grad_cast(struct grad_ctx *g, struct output x, int dtype)
{
    if (grad_type_of(g, x) == dtype)
        return x;
    return grad_opv(g, "Cast", 1, &x, 1, (struct attr[]){{(char *)"DstT", attr_type(dtype)}});
}

/* A scalar is made as double and cast where double cannot hold the type as is. */
struct output grad_const_of_type(struct grad_ctx *g, int type, double v)
{
    union {
        bool t;
        float f;
        double d;
        int32_t i;
        int64_t l;
        struct f16 h;
        struct bf16 b;
        struct c64 c;
        struct c128 z;
    } u;
    switch (type) {
    case DT_FLOAT:
        u.f = (float)v;
        break;
    case DT_DOUBLE:
        u.d = v;
        break;
    case DT_INT32:
        u.i = (int32_t)v;
        break;
    case DT_INT64:
        u.l = (int64_t)v;
        break;
    case DT_HALF:
        u.h = f16_from_f32((float)v);
        break;
    case DT_BFLOAT16:
        u.b = bf16_from_f32((float)v);
        break;
    case DT_COMPLEX64:
        u.c = (struct c64){(float)v, 0};
        break;
    case DT_COMPLEX128:
        u.z = (struct c128){v, 0};
        break;
    case DT_BOOL:
        u.t = v != 0;
        break;
    default:
        return grad_cast(g, const_from(g, DT_DOUBLE, NULL, 0, &v), type);
    }
    return const_from(g, type, NULL, 0, &u);
}

struct output grad_const_like(struct grad_ctx *g, struct output like, double v)
{
    return grad_const_of_type(g, grad_type_of(g, like), v);
}

enum { KNOWN_DIMS = 16 };

struct output grad_shape(struct grad_ctx *g, struct output x)
{
    /* A constant where the graph knows it: then x itself need not be computed. */
    const struct shape *s = output_valid(x) ? grad_shape_of(g, x) : NULL;
    int32_t dims[KNOWN_DIMS];
    if (!s || s->rank < 0 || s->rank > KNOWN_DIMS)
        return grad_op1(g, "Shape", x);
    for (int i = 0; i < s->rank; i++) {
        if (shape_dim(s, i) < 0 || shape_dim(s, i) > INT32_MAX)
            return grad_op1(g, "Shape", x);
        dims[i] = (int32_t)shape_dim(s, i);
    }
    if (!g->next_name && grad_as_python(g))
        g->next_name = "Shape";
    return grad_const_i32s(g, dims, s->rank);
}

struct output grad_zeros_like(struct grad_ctx *g, struct output x)
{
    if (output_valid(x) && g->w && (g->w->cur || grad_type_of(g, x) == DT_RESOURCE))
        return walk_zeros(g, x); /* in a loop x itself would have to be kept */
    if (!grad_as_python(g))
        return grad_op1(g, "ZerosLike", x);
    return grad_zeros_as_python(g, x);
}

struct output grad_neg(struct grad_ctx *g, struct output x)
{
    return grad_op1(g, "Neg", x);
}

struct output grad_mul(struct grad_ctx *g, struct output a, struct output b)
{
    return grad_op2(g, "mul=Mul", a, b);
}

struct output grad_add(struct grad_ctx *g, struct output a, struct output b)
{
    return grad_op2(g, grad_as_python(g) ? "add=AddV2" : "Add", a, b);
}

struct output grad_sub(struct grad_ctx *g, struct output a, struct output b)
{
    return grad_op2(g, "sub=Sub", a, b);
}

struct output grad_div(struct grad_ctx *g, struct output a, struct output b)
{
    return grad_op2(g, "truediv=RealDiv", a, b);
}

struct output grad_conj(struct grad_ctx *g, struct output x)
{
    return dtype_is_complex(grad_type_of(g, x)) ? grad_op1(g, "Conj", x) : x;
}

struct output grad_identity(struct grad_ctx *g, struct output x)
{
    return grad_op1(g, "Identity", x);
}

struct output grad_reshape(struct grad_ctx *g, struct output x, struct output shape)
{
    return grad_op2(g, "Reshape", x, shape);
}

/* dx, of the broadcast shape, summed to x's shape; both shapes known. Where x has fewer dims they
 * stand at the end. */
static struct output unbroadcast_known(struct grad_ctx *g, struct output dx, const struct shape *x,
                                       const struct shape *full)
{
    int32_t axes[SHAPE_MAX_RANK], dims[SHAPE_MAX_RANK];
    int64_t num_axes = 0;
    int lead = full->rank - x->rank;
    for (int i = 0; i < full->rank; i++) {
        bool spread = i < lead || (shape_dim(x, i - lead) == 1 && shape_dim(full, i) != 1);
        if (spread)
            axes[num_axes++] = i;
    }
    if (num_axes == 0)
        return dx;
    for (int i = 0; i < x->rank; i++)
        dims[i] = (int32_t)shape_dim(x, i);
    struct output sum = grad_op2(g, "Sum", dx, grad_const_i32s(g, axes, num_axes));
    return grad_reshape(g, sum, grad_const_i32s(g, dims, x->rank));
}

static bool known_and_small(const struct shape *s)
{
    if (!shape_known(s))
        return false;
    for (int i = 0; i < s->rank; i++) {
        if (shape_dim(s, i) > INT32_MAX)
            return false;
    }
    return true;
}

/* The dims that a and b broadcast to; false where they are not known or do not fit. */
static bool broadcast_known(const struct shape *a, const struct shape *b, int64_t *dims, int *rank)
{
    if (!known_and_small(a) || !known_and_small(b))
        return false;
    *rank = a->rank > b->rank ? a->rank : b->rank;
    for (int i = 0; i < *rank; i++) {
        int ia = i - (*rank - a->rank), ib = i - (*rank - b->rank);
        int64_t da = ia < 0 ? 1 : shape_dim(a, ia), db = ib < 0 ? 1 : shape_dim(b, ib);
        if (da != db && da != 1 && db != 1)
            return false;
        dims[i] = da == 1 ? db : da;
    }
    return true;
}

/* As tf.gradients has it: by a node even where it is known, since the other's is not. In a loop
 * that would have to be kept for each turn. */
static struct output shape_at_run(struct grad_ctx *g, struct output x)
{
    const bool known = !grad_as_python(g) || (g->w && g->w->cur);
    return known ? grad_shape(g, x) : grad_op1(g, "Shape", x);
}

static struct node *broadcast_args(struct grad_ctx *g, struct output a, struct output b)
{
    return grad_nodev(g, "BroadcastGradientArgs", 2, (struct output[]){a, b}, 0, NULL);
}

struct output grad_shape_literal(struct grad_ctx *g, const struct shape *s)
{
    int32_t dims[SHAPE_MAX_RANK];
    for (int i = 0; i < s->rank; i++)
        dims[i] = (int32_t)shape_dim(s, i);
    return grad_const_i32s(g, dims, s->rank);
}

static bool first_pair(struct grad_ctx *g, const struct shape *a, const struct shape *b)
{
    struct strbuf key = {0};
    strbuf_puts(&key, "broadcast ");
    shape_print(a, &key);
    shape_print(b, &key);
    const bool first = grad_first_time(g, strbuf_text(&key));
    strbuf_release(&key);
    return first;
}

struct grad_broadcast grad_broadcast(struct grad_ctx *g, enum grad_broadcast_how how)
{
    struct output a = grad_in(g, 0), b = grad_in(g, 1);
    const struct shape *sa = grad_shape_of(g, a), *sb = grad_shape_of(g, b);
    const bool python = grad_as_python(g);
    struct grad_broadcast s = {.shape = {a, b}};
    s.known = broadcast_known(sa, sb, s.dims, &s.rank) && !(python && how == GRAD_BY_SHAPES);
    if (s.known) {
        if (python && (how == GRAD_BY_DIMS_ALWAYS || !shape_equal(sa, sb)) && first_pair(g, sa, sb))
            (void)broadcast_args(g, grad_shape_literal(g, sa),
                                 grad_shape_literal(g, sb)); /* which nothing reads */
        return s;
    }
    s.shape[0] = how == GRAD_BY_SHAPES ? grad_shape(g, a) : shape_at_run(g, a);
    s.shape[1] = how == GRAD_BY_SHAPES ? grad_shape(g, b) : shape_at_run(g, b);
    s.args = broadcast_args(g, s.shape[0], s.shape[1]);
    return s;
}

struct output grad_summed(struct grad_ctx *g, const struct grad_broadcast *s, int i,
                          struct output dx)
{
    if (!s->known)
        return grad_reshape(g, grad_op2(g, "Sum", dx, grad_node_out(g, s->args, i)), s->shape[i]);
    struct shape full = shape_make(s->dims, s->rank);
    struct output sum = unbroadcast_known(g, dx, grad_shape_of(g, s->shape[i]), &full);
    shape_clear(&full);
    return sum;
}

void grad_set_broadcast(struct grad_ctx *g, struct output dx_a, struct output dx_b)
{
    const struct grad_broadcast s = grad_broadcast(g, GRAD_BY_DIMS);
    if (output_valid(dx_a))
        grad_set(g, 0, grad_summed(g, &s, 0, dx_a));
    if (output_valid(dx_b))
        grad_set(g, 1, grad_summed(g, &s, 1, dx_b));
}
