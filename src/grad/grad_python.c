/* SPDX-License-Identifier: Apache-2.0 */
/* What tf.gradients makes by calling tf's own composites: zeros, ones, pieces of a vector. */
#include <string.h>

#include "base/mem.h"
#include "grad/grad_impl.h"

enum { MAX_ZEROS = 999 }; /* in a constant */

static struct output zeros_const(struct grad_ctx *g, const struct shape *s, int type)
{
    struct tensor t;
    if (!status_ok(&g->error) || !tensor_new(&t, type, s, &g->error))
        return (struct output){NULL, 0};
    memset(t.data, 0, tensor_bytes(&t));
    struct output o = grad_const(g, &t);
    tensor_clear(&t);
    return o;
}

static struct output filled(struct grad_ctx *g, const char *text, struct output shape,
                            struct output like, double value)
{
    struct output v = grad_called(g, grad_const_like(g, like, value), "Const");
    return grad_op2(g, text, shape, v);
}

struct output grad_zeros_as_python(struct grad_ctx *g, struct output x)
{
    const struct shape *s = grad_shape_of(g, x);
    if (!shape_known(s))
        return grad_op1(g, "zeros_like=ZerosLike", x);
    int64_t n = 1;
    for (int i = 0; i < s->rank && n <= MAX_ZEROS; i++)
        n *= shape_dim(s, i) < MAX_ZEROS + 1 ? shape_dim(s, i) : MAX_ZEROS + 1;
    if (n > MAX_ZEROS)
        return filled(g, "zeros_like=Fill",
                      grad_called(g, grad_shape_literal(g, s), "shape_as_tensor"), x, 0);
    grad_name(g, "zeros_like");
    return zeros_const(g, s, grad_type_of(g, x));
}

struct output grad_zeros(struct grad_ctx *g, struct output shape, struct output like)
{
    return filled(g, "zeros=Fill", shape, like, 0);
}

/* The graph's names know it: no node's begins like this. */
bool grad_first_time(struct grad_ctx *g, const char *key)
{
    char *wanted = mem_printf("//%s", key);
    char *name = graph_unique_name(g->graph, wanted, true);
    const bool first = strcmp(name, wanted) == 0;
    mem_free(name);
    mem_free(wanted);
    return first;
}

void grad_beside(struct grad_ctx *g, struct output x)
{
    if (grad_as_python(g))
        grad_place_with(g, x.node);
}

void grad_beside_end(struct grad_ctx *g)
{
    if (grad_as_python(g))
        grad_place_end(g);
}

struct output grad_rank(struct grad_ctx *g, struct output x)
{
    const int rank = grad_shape_of(g, x)->rank;
    if (rank < 0 || !grad_as_python(g))
        return grad_op1(g, "Rank", x);
    grad_name(g, "Rank");
    return grad_const_i32(g, rank);
}

struct output grad_size(struct grad_ctx *g, struct output x)
{
    const struct shape *s = grad_shape_of(g, x);
    int64_t n = 1;
    if (!shape_known(s) || !grad_as_python(g))
        return grad_op1(g, "Size", x);
    for (int i = 0; i < s->rank && n <= INT32_MAX; i++)
        n *= shape_dim(s, i) <= INT32_MAX ? shape_dim(s, i) : 1 + (int64_t)INT32_MAX;
    if (n > INT32_MAX)
        return grad_op1(g, "Size", x);
    grad_name(g, "Size");
    return grad_const_i32(g, (int32_t)n);
}

struct output grad_matmul(struct grad_ctx *g, struct output x, struct output y, bool adj_x,
                          bool adj_y)
{
    const struct output in[] = {x, y};
    const bool plain = grad_as_python(g) && grad_shape_of(g, x)->rank == 2 &&
                       grad_shape_of(g, y)->rank == 2 && !dtype_is_complex(grad_type_of(g, x));
    if (plain)
        return grad_opv(g, "MatMul", 2, in, 2,
                        (struct attr[]){{(char *)"transpose_a", attr_bool(adj_x)},
                                        {(char *)"transpose_b", attr_bool(adj_y)}});
    return grad_opv(
        g, "MatMul=BatchMatMulV2", 2, in, 2,
        (struct attr[]){{(char *)"adj_x", attr_bool(adj_x)}, {(char *)"adj_y", attr_bool(adj_y)}});
}

struct output grad_column(struct grad_ctx *g, struct output n)
{
    const struct grad_build b = {.op = "stack=Pack",
                                 .inputs = (struct output[]){n, grad_const_i32(g, 1)},
                                 .num_inputs = 2,
                                 .list_sizes = (int[]){2}};
    return grad_node_out(g, grad_node(g, &b), 0);
}

struct output grad_shape_as(struct grad_ctx *g, struct output x, int type)
{
    const struct shape *s = grad_shape_of(g, x);
    if (type == DT_INT32)
        return grad_shape(g, x);
    if (!shape_known(s) || !grad_as_python(g))
        return grad_opv(g, "Shape", 1, &x, 1,
                        (struct attr[]){{(char *)"out_type", attr_type(type)}});
    int64_t dims[SHAPE_MAX_RANK];
    for (int i = 0; i < s->rank; i++)
        dims[i] = shape_dim(s, i);
    struct tensor t;
    if (!status_ok(&g->error) ||
        !tensor_from(&t, DT_INT64, (int64_t[]){s->rank}, 1, dims, &g->error))
        return (struct output){NULL, 0};
    grad_name(g, "Shape");
    struct output o = grad_const(g, &t);
    tensor_clear(&t);
    return o;
}

struct output grad_take_rows(struct grad_ctx *g, struct output x, struct output indices)
{
    return grad_as_python(g) ? grad_op3(g, "GatherV2", x, indices, grad_const_i32(g, 0))
                             : grad_op2(g, "Gather", x, indices);
}

struct output grad_piece(struct grad_ctx *g, struct output v, int begin, int end)
{
    const struct output in[] = {v, grad_const_i32s(g, (int32_t[]){begin}, 1),
                                grad_const_i32s(g, (int32_t[]){end}, 1),
                                grad_const_i32s(g, (int32_t[]){1}, 1)};
    return grad_opv(g, "strided_slice=StridedSlice", 4, in, 2,
                    (struct attr[]){{(char *)"begin_mask", attr_int(begin == 0)},
                                    {(char *)"end_mask", attr_int(end == 0)}});
}

struct output grad_zeros_of(struct grad_ctx *g, struct output x)
{
    return grad_as_python(g) && !(g->w && g->w->cur) ? grad_zeros(g, grad_shape(g, x), x)
                                                     : grad_zeros_like(g, x);
}

struct output grad_ones_like(struct grad_ctx *g, struct output x)
{
    return grad_as_python(g) ? grad_ones_as(g, x, grad_type_of(g, x)) : grad_op1(g, "OnesLike", x);
}

struct output grad_ones_as(struct grad_ctx *g, struct output x, int type)
{
    const char *outer = g->prefix;
    char *scope =
        graph_unique_name(g->graph, arena_printf(&g->arena, "%s/%s", outer, "ones_like"), true);
    g->prefix = scope;
    struct output shape = grad_resolve(g, grad_shape(g, x));
    g->next_name = "Const";
    struct output one = grad_const_of_type(g, type, 1);
    g->prefix = outer;
    g->scope_name = arena_strdup(&g->arena, scope);
    mem_free(scope);
    return grad_op2(g, "Fill", shape, one);
}
