/* SPDX-License-Identifier: Apache-2.0 */
/* Common subexpressions: of pure nodes that compute the same, consumers read the first.
 *
 * The same is: op, attrs, inputs, device, loop frame and control inputs. The operands of Add, Mul
 * and their like may be swapped; not those of ops where a NaN or the sign of a zero would tell, and
 * not of longer lists, whose order rounds. Protected nodes stay, and stand for others. One visit a
 * node in topological order, with a table of hashes. */
#include <string.h>

#include "base/mem.h"
#include "graph/pass_util.h"

enum {
    HASHED_BYTES = 256, /* of a constant: enough to tell most apart, and all are compared */
    MAX_TRIES = 64,     /* nodes of one hash: what keeps the pass linear on any graph */
};

struct cse {
    struct rgraph *g;
    const struct pass_options *o;
    struct rforward f;
    struct u64map first; /* hash -> the latest of the nodes with it */
    struct rnode **next; /* by id: another node with the same hash */
};

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0xFF51AFD7ED558CCDu;
    return h ^ (h >> 29);
}

static uint64_t hash_tensor(const struct tensor *t)
{
    uint64_t h = mix((uint64_t)t->dtype, (uint64_t)t->num_elems);
    if (t->num_elems == 0)
        return h;
    if (t->dtype == DT_STRING) {
        struct str s = tstr_view(&tensor_str(t)[0]);
        return mix(h, hash_bytes(s.p, s.n < HASHED_BYTES ? s.n : HASHED_BYTES, 1));
    }
    if (dtype_is_managed(t->dtype))
        return h;
    size_t n = tensor_bytes(t);
    return mix(h, hash_bytes(t->data, n < HASHED_BYTES ? n : HASHED_BYTES, 1));
}

static uint64_t hash_value(const struct attr_value *v)
{
    uint64_t h = mix((uint64_t)v->kind, (uint64_t)v->n * 2 + v->is_list);
    if (v->is_list)
        return v->kind == ATTR_INT && v->n ? mix(h, (uint64_t)v->is[0]) : h;
    switch (v->kind) {
    case ATTR_STRING:
        return mix(h, hash_bytes(v->s.p, v->s.n, 2));
    case ATTR_INT:
        return mix(h, (uint64_t)v->i);
    case ATTR_FLOAT:
        return mix(h, hash_bytes(&v->f, sizeof v->f, 3));
    case ATTR_BOOL:
        return mix(h, v->b);
    case ATTR_TYPE:
        return mix(h, (uint64_t)v->type);
    case ATTR_TENSOR:
        return mix(h, hash_tensor(&v->tensor));
    default:
        return h;
    }
}

static bool dtype_orders(int dtype) /* a NaN, or two zeros, tell operands apart */
{
    return dtype_is_float(dtype) || dtype_is_complex(dtype);
}

static bool swaps(const struct rnode *n)
{
    if (!(n->op->def->flags & OP_COMMUTATIVE) || n->num_inputs != 2)
        return false;
    bool picks = rnode_is(n, "Maximum") || rnode_is(n, "Minimum");
    return !(picks && dtype_orders(n->input_types[0])) && !dtype_is_complex(n->input_types[0]);
}

static uint64_t hash_edge(struct redge e)
{
    return mix((uint64_t)(uintptr_t)e.node, (uint64_t)e.index);
}

static uint64_t hash_node(const struct rnode *n)
{
    uint64_t h = mix((uint64_t)(uintptr_t)n->op, (uint64_t)n->frame);
    h = mix(h, hash_bytes(n->device, strlen(n->device), 4));
    bool sum = swaps(n);
    for (int i = 0; i < n->num_inputs; i++)
        h = sum ? h + hash_edge(n->inputs[i]) : mix(h, hash_edge(n->inputs[i]));
    uint64_t control = 0; /* a set */
    for (int64_t i = 0; i < n->num_control; i++)
        control += mix(5, (uint64_t)(uintptr_t)n->control[i]);
    h = mix(h, control);
    for (int64_t i = 0; i < n->attrs->n; i++)
        h = mix(h, hash_value(&n->attrs->items[i].value));
    return h;
}

static bool same_edge(struct redge a, struct redge b)
{
    return a.node == b.node && a.index == b.index;
}

static bool same_inputs(const struct rnode *a, const struct rnode *b)
{
    if (a->num_inputs != b->num_inputs)
        return false;
    bool straight = true;
    for (int i = 0; i < a->num_inputs && straight; i++)
        straight = same_edge(a->inputs[i], b->inputs[i]);
    return straight || (swaps(a) && same_edge(a->inputs[0], b->inputs[1]) &&
                        same_edge(a->inputs[1], b->inputs[0]));
}

static bool same_attrs(const struct attrs *a, const struct attrs *b)
{
    if (a->n != b->n)
        return false;
    for (int64_t i = 0; i < a->n; i++) {
        if (strcmp(a->items[i].name, b->items[i].name) != 0 ||
            !attr_value_equal(&a->items[i].value, &b->items[i].value))
            return false;
    }
    return true;
}

/* Control edges are in the order of creation, and few; a set written in another order is another.
 */
static bool same_control(const struct rnode *a, const struct rnode *b)
{
    if (a->num_control != b->num_control)
        return false;
    for (int64_t i = 0; i < a->num_control; i++) {
        if (a->control[i] != b->control[i])
            return false;
    }
    return true;
}

static bool same(const struct rnode *a, const struct rnode *b)
{
    return a->op == b->op && a->frame == b->frame && rnode_same_device(a, b) && same_inputs(a, b) &&
           same_control(a, b) && same_attrs(a->attrs, b->attrs);
}

static bool may_merge(const struct cse *c, const struct rnode *n)
{
    if (n->dropped || n->num_outputs == 0 || !n->op->def || !rnode_is_pure(n))
        return false;
    const struct attr_value *v =
        rnode_facts(n) & RNODE_CONST ? attrs_find(n->attrs, "value") : NULL;
    if (v && v->tensor.dtype != DT_STRING && dtype_is_managed(v->tensor.dtype))
        return false;
    return !v || (int64_t)tensor_bytes(&v->tensor) <= c->o->max_folded_bytes;
}

static void visit(struct cse *c, struct rnode *n)
{
    uint64_t h = hash_node(n);
    struct rnode *there = u64map_find(&c->first, h);
    int tries = MAX_TRIES;
    for (struct rnode *r = there; r && tries > 0; r = c->next[r->id], tries--) {
        if (!same(r, n))
            continue;
        for (int i = 0; i < n->num_outputs && !n->keep; i++)
            rforward_set(&c->f, c->g, n, i, (struct redge){r, i});
        return;
    }
    c->next[n->id] = there;
    u64map_put(&c->first, h, n);
}

static bool run(struct rgraph *g, const struct pass_options *o, struct status *st)
{
    struct rnode **order;
    if (!rgraph_sort(g, &order, st))
        return false;
    struct cse c = {.g = g, .o = o, .f = rforward_new(g)};
    c.next = mem_new_array(struct rnode *, g->num_nodes + 1);
    for (int64_t i = 0; i < c.f.n && order[i]; i++) {
        rforward_inputs(&c.f, order[i]);
        if (may_merge(&c, order[i]))
            visit(&c, order[i]);
    }
    mem_free(c.next);
    u64map_release(&c.first);
    rforward_end(&c.f, g, true);
    return true;
}

static bool enabled(const struct pass_options *o)
{
    return o->cse;
}

PASS_DEF(cse) = {
    .name = "cse",
    .summary = "Computes once what several nodes would compute alike.",
    .order = 200,
    .enabled = enabled,
    .run = run,
};
