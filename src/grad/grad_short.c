/* SPDX-License-Identifier: Apache-2.0 */
/* Shorthands of gradient functions: constants, the common ops, and the sums that undo
 * broadcasting. */
#include "grad/grad_impl.h"

#include "base/mem.h"

struct output grad_const(struct grad_ctx *g, const struct tensor *t)
{
    struct attr attrs[] = {{(char *)"value", attr_tensor(t)},
                           {(char *)"dtype", attr_type(t->dtype)}};
    return grad_opv(g, "Const", 0, NULL, 2, attrs);
}

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
    if (!g->next_name && g->r && g->r->node_scopes)
        g->next_name = "Shape";
    return grad_const_i32s(g, dims, s->rank);
}

struct output grad_zeros_like(struct grad_ctx *g, struct output x)
{
    if (output_valid(x) && g->w && (g->w->cur || grad_type_of(g, x) == DT_RESOURCE))
        return walk_zeros(g, x); /* in a loop x itself would have to be kept */
    return grad_op1(g, "ZerosLike", x);
}

struct output grad_neg(struct grad_ctx *g, struct output x)
{
    return grad_op1(g, "Neg", x);
}

struct output grad_mul(struct grad_ctx *g, struct output a, struct output b)
{
    return grad_op2(g, "Mul", a, b);
}

struct output grad_add(struct grad_ctx *g, struct output a, struct output b)
{
    return grad_op2(g, "Add", a, b);
}

struct output grad_sub(struct grad_ctx *g, struct output a, struct output b)
{
    return grad_op2(g, "Sub", a, b);
}

struct output grad_div(struct grad_ctx *g, struct output a, struct output b)
{
    return grad_op2(g, "RealDiv", a, b);
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
    if (g->r && g->r->node_scopes)
        g->next_name = "Sum/reduction_indices";
    struct output sum = grad_op2(g, "Sum", dx, grad_const_i32s(g, axes, num_axes));
    if (g->r && g->r->node_scopes)
        g->next_name = "Reshape/shape";
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
    const bool known = !(g->r && g->r->node_scopes) || (g->w && g->w->cur);
    return known ? grad_shape(g, x) : grad_op1(g, "Shape", x);
}

void grad_set_broadcast(struct grad_ctx *g, struct output dx_a, struct output dx_b)
{
    struct output a = grad_in(g, 0), b = grad_in(g, 1);
    const struct shape *sa = grad_shape_of(g, a), *sb = grad_shape_of(g, b);
    int64_t dims[SHAPE_MAX_RANK];
    int rank;
    if (broadcast_known(sa, sb, dims, &rank)) {
        struct shape full = shape_make(dims, rank);
        if (output_valid(dx_a))
            grad_set(g, 0, unbroadcast_known(g, dx_a, sa, &full));
        if (output_valid(dx_b))
            grad_set(g, 1, unbroadcast_known(g, dx_b, sb, &full));
        shape_clear(&full);
        return;
    }
    struct output shape_a = shape_at_run(g, a), shape_b = shape_at_run(g, b);
    struct node *args =
        grad_nodev(g, "BroadcastGradientArgs", 2, (struct output[]){shape_a, shape_b}, 0, NULL);
    if (output_valid(dx_a))
        grad_set(g, 0,
                 grad_reshape(g, grad_op2(g, "Sum", dx_a, grad_node_out(g, args, 0)), shape_a));
    if (output_valid(dx_b))
        grad_set(g, 1,
                 grad_reshape(g, grad_op2(g, "Sum", dx_b, grad_node_out(g, args, 1)), shape_b));
}
