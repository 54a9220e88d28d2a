/* SPDX-License-Identifier: Apache-2.0 */
/* Transposes: pairs that cancel and permutations that change nothing are read past, two in a row
 * become one, and one that feeds a matrix product becomes the product's own flag.
 *
 * Permutations must be constants and of the rank that is known, so that no error is lost. After the
 * product's flag is turned its kernel is another one, with a plan's own state; protected products
 * are left alone. */
#include <string.h>

#include "base/mem.h"
#include "graph/pass_util.h"

enum { MAX_RANK = 16 };

struct perm {
    int64_t at[MAX_RANK];
    int n;
};

static bool is_transpose(const struct rnode *n)
{
    return rnode_facts(n) & RNODE_TRANSPOSE;
}

/* The permutation of a transpose whose result is sure: a valid one, of its input's rank. */
static bool read_perm(const struct rnode *n, struct perm *p)
{
    bool seen[MAX_RANK] = {0};
    if (!is_transpose(n) || !redge_ints(n->inputs[1], p->at, MAX_RANK, &p->n) ||
        n->inputs[0].node->shapes[n->inputs[0].index].rank != p->n)
        return false;
    for (int i = 0; i < p->n; i++) {
        int64_t d = p->at[i] < 0 ? p->at[i] + p->n : p->at[i];
        if (d < 0 || d >= p->n || seen[d])
            return false;
        seen[d] = true;
        p->at[i] = d;
    }
    return true;
}

static bool changes_nothing(const struct perm *p)
{
    for (int i = 0; i < p->n; i++) {
        if (p->at[i] != i)
            return false;
    }
    return true;
}

/* Swaps the last two dims and nothing else. */
static bool swaps_last(const struct perm *p)
{
    for (int i = 0; i < p->n - 2; i++) {
        if (p->at[i] != i)
            return false;
    }
    return p->n >= 2 && p->at[p->n - 1] == p->n - 2 && p->at[p->n - 2] == p->n - 1;
}

static bool conjugates(const struct rnode *n)
{
    return rnode_is(n, "ConjugateTranspose") && dtype_is_complex(n->output_types[0]);
}

/* The constant that holds both permutations in one. */
static bool compose(struct rgraph *g, struct rnode *n, const struct perm *p, struct status *st)
{
    struct tensor t = {0};
    struct shape s = shape_1(p->n);
    if (!tensor_new(&t, n->input_types[1], &s, st))
        return false;
    for (int i = 0; i < p->n; i++) {
        if (t.dtype == DT_INT32)
            ((int32_t *)t.data)[i] = (int32_t)p->at[i];
        else
            ((int64_t *)t.data)[i] = p->at[i];
    }
    char *name = mem_printf("%s/perm", n->name);
    struct rnode *c = rgraph_add_const(g, name, &t, n->device, st);
    mem_free(name);
    tensor_clear(&t);
    if (!c)
        return false;
    n->inputs[0] = n->inputs[0].node->inputs[0];
    n->inputs[1] = (struct redge){c, 0};
    return true;
}

/* The transpose right below n, when both are of one kind: conjugations then undo each other. */
static struct rnode *transpose_below(const struct rnode *n, struct perm *q)
{
    struct rnode *in = n->inputs[0].node;
    bool pair = read_perm(in, q) && in->op == n->op && in->num_control == 0 && rnode_is_pure(in) &&
                rnode_same_device(in, n) && rnode_same_device(in->inputs[0].node, n);
    return pair ? in : NULL;
}

static bool visit_transpose(struct rgraph *g, struct rforward *f, struct rnode *n,
                            struct status *st)
{
    struct perm p, q;
    if (!read_perm(n, &p))
        return true;
    struct rnode *below = transpose_below(n, &q);
    for (int i = 0; below && i < p.n; i++)
        p.at[i] = q.at[p.at[i]];
    struct redge x = below ? below->inputs[0] : n->inputs[0];
    bool flips = conjugates(n);
    if (changes_nothing(&p) && (below || !flips)) {
        if (!n->keep && rnode_same_device(x.node, n) && !rnode_is(x.node, "NextIteration"))
            rforward_set(f, g, n, 0, x);
        return true;
    }
    return !below || flips || n->frame != 0 || compose(g, n, &p, st);
}

/* The product's flag for operand `side`: transposes as they are, or conjugated ones too, which are
 * the same for real numbers. */
static const char *flag_of(const struct rnode *n, int side)
{
    if (rnode_is(n, "MatMul"))
        return side ? "transpose_b" : "transpose_a";
    if ((rnode_is(n, "BatchMatMul") || rnode_is(n, "BatchMatMulV2")) &&
        !dtype_is_complex(n->output_types[0]))
        return side ? "adj_y" : "adj_x";
    return NULL;
}

static void turn_flag(struct rgraph *g, struct rnode *n, const char *flag)
{
    struct attrs a = attrs_dup(n->attrs);
    attrs_set(&a, flag, attr_bool(!attrs_bool(n->attrs, flag)));
    rgraph_set_attrs(g, n, &a);
    attrs_clear(&a);
}

static void visit_product(struct rgraph *g, struct rnode *n)
{
    for (int side = 0; side < 2; side++) {
        struct perm p;
        const char *flag = flag_of(n, side);
        struct rnode *in = flag && !n->keep && n->num_inputs == 2 ? n->inputs[side].node : NULL;
        if (!in || !read_perm(in, &p) || !swaps_last(&p) || conjugates(in) || in->num_control > 0 ||
            !rnode_is_pure(in) || !rnode_same_device(in, n) ||
            !rnode_same_device(in->inputs[0].node, n))
            continue;
        turn_flag(g, n, flag);
        n->inputs[side] = in->inputs[0];
    }
}

static bool run(struct rgraph *g, const struct pass_options *o, struct status *st)
{
    (void)o;
    struct rnode **order;
    if (!rgraph_has(g, RNODE_TRANSPOSE))
        return true;
    if (!rgraph_sort(g, &order, st))
        return false;
    struct rforward f = rforward_new(g);
    bool ok = true;
    for (int64_t i = 0; i < f.n && order[i] && ok; i++) {
        struct rnode *n = order[i];
        rforward_inputs(&f, n);
        if (n->num_control == 0 && is_transpose(n) && rnode_is_pure(n))
            ok = visit_transpose(g, &f, n, st);
        else if (rnode_facts(n) & RNODE_PRODUCT && rnode_is_pure(n))
            visit_product(g, n);
    }
    rforward_end(&f, g, ok);
    return ok;
}

static bool enabled(const struct pass_options *o)
{
    return o->arithmetic;
}

PASS_DEF(transpose) = {
    .name = "transposes",
    .summary = "Cancels transposes, or lets matrix products do them.",
    .order = 310,
    .enabled = enabled,
    .run = run,
};
