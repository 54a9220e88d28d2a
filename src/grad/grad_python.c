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

struct output grad_ones_like(struct grad_ctx *g, struct output x)
{
    if (!grad_as_python(g))
        return grad_op1(g, "OnesLike", x);
    const char *outer = g->prefix;
    char *scope =
        graph_unique_name(g->graph, arena_printf(&g->arena, "%s/%s", outer, "ones_like"), true);
    g->prefix = scope;
    struct output shape = grad_resolve(g, grad_shape(g, x));
    g->next_name = "Const";
    struct output one = grad_const_like(g, x, 1);
    g->prefix = outer;
    g->scope_name = arena_strdup(&g->arena, scope);
    mem_free(scope);
    return grad_op2(g, "Fill", shape, one);
}
