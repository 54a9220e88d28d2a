/* SPDX-License-Identifier: Apache-2.0 */
/* See pass_fixture.h. */
#include "pass_fixture.h"

#include "base/mem.h"
#include "runtime/prune.h"

enum { MAX_FETCHES = 8 };

struct rgraph *p_run(struct graph *g, struct pass_options on, int num_fetches, ...)
{
    struct status st = {0};
    struct output fetches[MAX_FETCHES];
    va_list ap;
    va_start(ap, num_fetches);
    for (int i = 0; i < num_fetches; i++)
        fetches[i] = (struct output){va_arg(ap, struct node *), 0};
    va_end(ap);
    struct plan_request q = {.graph = g, .fetches = fetches, .num_fetches = num_fetches};
    struct rgraph *r = rgraph_new(g);
    on.max_folded_bytes = on.max_folded_bytes ? on.max_folded_bytes : 10 << 20;
    if (!prune(r, &q, &st) || !passes_run(r, &on, &st) || !rgraph_verify(r, &st))
        fail_msg("%s", status_message(&st));
    return r;
}

struct rnode *p_find(struct rgraph *r, const char *name)
{
    for (int64_t i = 0; i < r->num_nodes; i++) {
        if (!r->nodes[i]->dropped && strcmp(r->nodes[i]->name, name) == 0)
            return r->nodes[i];
    }
    return NULL;
}

void p_want(struct rgraph *r, const char *name, const char *text)
{
    struct rnode *n = p_find(r, name);
    if (!n && text)
        fail_msg("no node '%s'", name);
    if (n && !text)
        fail_msg("node '%s' is still there", name);
    if (!n)
        return;
    struct strbuf b = {0};
    strbuf_printf(&b, "%s(", n->op->name);
    for (int i = 0; i < n->num_inputs; i++) {
        strbuf_printf(&b, "%s%s", i ? "," : "", n->inputs[i].node->name);
        if (n->inputs[i].index)
            strbuf_printf(&b, ":%d", n->inputs[i].index);
    }
    for (int64_t i = 0; i < n->num_control; i++)
        strbuf_printf(&b, "%s^%s", i + n->num_inputs ? "," : "", n->control[i]->name);
    strbuf_putc(&b, ')');
    assert_string_equal(strbuf_text(&b), text);
    strbuf_release(&b);
}

int64_t p_count(struct rgraph *r, const char *op)
{
    int64_t n = 0;
    for (int64_t i = 0; i < r->num_nodes; i++)
        n += !r->nodes[i]->dropped && strcmp(r->nodes[i]->op->name, op) == 0;
    return n;
}

struct output p_in(struct graph *g, const char *name, int dtype, int rank, const int64_t *dims)
{
    struct node_desc *d = node_desc_new(g, "Placeholder", name);
    struct shape s = rank < 0 ? shape_unknown() : shape_make(dims, rank);
    node_desc_attr(d, "dtype", attr_type(dtype));
    node_desc_attr(d, "shape", attr_shape(&s));
    shape_clear(&s);
    return t_out(t_finish(d), 0);
}

static struct output constant(struct graph *g, const char *name, int dtype, const struct shape *s,
                              const void *bytes)
{
    struct status st = {0};
    struct tensor t;
    assert_true(tensor_new(&t, dtype, s, &st));
    if (t.num_elems)
        memcpy(t.data, bytes, tensor_bytes(&t));
    struct node_desc *d = node_desc_new(g, "Const", name);
    node_desc_attr(d, "value", attr_tensor(&t));
    node_desc_attr(d, "dtype", attr_type(dtype));
    tensor_clear(&t);
    return t_out(t_finish(d), 0);
}

struct output p_f32(struct graph *g, const char *name, float v)
{
    struct shape s = shape_scalar();
    return constant(g, name, DT_FLOAT, &s, &v);
}

struct output p_bool(struct graph *g, const char *name, bool v)
{
    struct shape s = shape_scalar();
    return constant(g, name, DT_BOOL, &s, &v);
}

struct output p_ints(struct graph *g, const char *name, int n, const int *v)
{
    struct shape s = shape_1(n);
    return constant(g, name, DT_INT32, &s, v);
}

struct output p_op1(struct graph *g, const char *op, const char *name, struct output x)
{
    return t_out(t_node(g, op, name, 1, x), 0);
}

struct output p_op2(struct graph *g, const char *op, const char *name, struct output x,
                    struct output y)
{
    return t_out(t_node(g, op, name, 2, x, y), 0);
}

struct output p_with(struct graph *g, const char *op, const char *name, struct output x,
                     const char *attr, struct attr_value v, struct node *wait)
{
    struct node_desc *d = node_desc_new(g, op, name);
    node_desc_input(d, x);
    if (attr)
        node_desc_attr(d, attr, v);
    else
        attr_value_clear(&v);
    if (wait)
        node_desc_control(d, wait);
    return t_out(t_finish(d), 0);
}
