/* SPDX-License-Identifier: Apache-2.0 */
/* Making the nodes of a GraphDef in their order, then the loops' back edges. */
#include "base/log.h"
#include "graph/import.h"

struct making { /* one node being made; arrays are kept from node to node */
    struct importer *im;
    int32_t at;
    const struct pb_node_def *def;
    struct output *inputs;
    int64_t num_inputs, cap_inputs;
    struct node **control;
    int64_t num_control, cap_control;
    struct attrs attrs;
    bool back_edge;
};

static void add_control(struct making *m, struct node *n)
{
    m->control = vec_reserve(m->control, &m->cap_control, m->num_control + 1, sizeof *m->control);
    m->control[m->num_control++] = n;
}

static void add_input(struct making *m, struct output o)
{
    m->inputs = vec_reserve(m->inputs, &m->cap_inputs, m->num_inputs + 1, sizeof *m->inputs);
    m->inputs[m->num_inputs++] = o;
}

static bool gather_input(struct making *m, const struct parsed_input *in, struct status *st)
{
    struct importer *im = m->im;
    struct output o = {NULL, in->index};

    if (in->src < 0)
        o = im->o->maps[in->map].dst;
    else
        o.node = im->nodes[in->src].made;
    if (in->index == IMPORT_CONTROL) {
        if (o.node)
            add_control(m, o.node);
        else
            m->back_edge = true;
        return true;
    }
    if (!o.node)
        m->back_edge = true;
    else if (o.index >= o.node->num_outputs)
        return status_invalid(
            st,
            "Node '%.*s': Connecting to invalid output %d of source node %.*s which has %d "
            "outputs.",
            (int)m->def->name.n, m->def->name.p, o.index,
            in->src < 0 ? (int)strlen(o.node->name) : (int)im->def->node.v[in->src]->name.n,
            in->src < 0 ? o.node->name : im->def->node.v[in->src]->name.p, o.node->num_outputs);
    add_input(m, o);
    return true;
}

/* Nodes that get nothing from inside the GraphDef wait for the options' control inputs. */
static void inherit_control(struct making *m)
{
    const struct importer *im = m->im;

    if (!im->o->num_control)
        return;
    for (int64_t k = im->nodes[m->at].first_input; k < im->nodes[m->at + 1].first_input; k++)
        if (im->inputs[k].src >= 0 && im->nodes[im->inputs[k].src].made)
            return;
    for (int64_t i = 0; i < im->o->num_control; i++)
        add_control(m, im->o->control[i]);
}

static bool gather_inputs(struct making *m, struct status *st)
{
    const struct importer *im = m->im;

    m->num_inputs = m->num_control = 0;
    m->back_edge = false;
    for (int64_t k = im->nodes[m->at].first_input; k < im->nodes[m->at + 1].first_input; k++)
        if (!gather_input(m, &im->inputs[k], st))
            return false;
    inherit_control(m);
    if (m->back_edge && !str_is(m->def->op, "Merge") && !str_is(m->def->op, "RefMerge"))
        return status_invalid(
            st, "Node '%.*s' had a back edge, but only Merge nodes can have back edges.",
            (int)m->def->name.n, m->def->name.p);
    return true;
}

/* Each "loc:@x" names a node of the GraphDef; it gets the prefix. */
static bool fix_colocation(struct making *m, struct attr_value *v, struct status *st)
{
    struct importer *im = m->im;

    if (!v->is_list || v->kind != ATTR_STRING)
        return true;
    for (int64_t i = 0; i < v->n; i++) {
        if (!str_starts(v->ss[i], "loc:@"))
            continue;
        struct str name = str_make(v->ss[i].p + 5, v->ss[i].n - 5);

        if (!strmap_find_n(&im->index, name.p, name.n))
            return status_invalid(st,
                                  "Node '%.*s' expects to be colocated with unknown node '%.*s'",
                                  (int)m->def->name.n, m->def->name.p, (int)name.n, name.p);
        if (!im->prefix[0])
            continue;
        char *text = mem_printf("loc:@%s%.*s", im->prefix, (int)name.n, name.p);

        mem_free((char *)(uintptr_t)v->ss[i].p);
        v->ss[i] = str_of(text);
    }
    return true;
}

static bool gather_attrs(struct making *m, struct status *st)
{
    const struct pb_node_def_attr_entry_vec *from = &m->def->attr;

    if (from->n > IMPORT_MAX_ATTRS)
        return status_invalid(st, "Node '%.*s' has %lld attrs, more than %d", (int)m->def->name.n,
                              m->def->name.p, (long long)from->n, IMPORT_MAX_ATTRS);
    for (int64_t i = 0; i < from->n; i++) {
        struct attr_value v;
        struct str key = from->v[i]->key;

        if (!attr_from_proto(from->v[i]->value, &v, st)) {
            status_append(st, " for attr '%.*s'; NodeDef: {{node %.*s}}", (int)key.n,
                          key.p ? key.p : "", (int)m->def->name.n, m->def->name.p);
            return false;
        }
        if (!m->im->internal && str_is(key, "_class") && !fix_colocation(m, &v, st)) {
            attr_value_clear(&v);
            return false;
        }
        char *name = mem_strndup(key.p ? key.p : "", key.n);

        attrs_set(&m->attrs, name, v);
        mem_free(name);
    }
    return true;
}

/* The attr _output_shapes refines what was inferred, and goes. */
static bool apply_output_shapes(struct node *n, struct status *st)
{
    const struct attr_value *v = attrs_find(&n->attrs, "_output_shapes");

    if (!v || !v->is_list || (v->kind != ATTR_SHAPE && v->n > 0))
        return true;
    if (v->n != n->num_outputs)
        log_warning("Node '%s' has %d outputs but the _output_shapes attribute specifies shapes "
                    "for %lld outputs. Output shapes may be inaccurate.",
                    n->name, n->num_outputs, (long long)v->n);
    for (int64_t i = 0; i < v->n && i < n->num_outputs; i++) {
        if (node_merge_shape(n, (int)i, &v->shapes[i], st))
            continue;
        status_prepend(st,
                       "Node '%s' has an _output_shapes attribute inconsistent with the GraphDef "
                       "for output #%d: ",
                       n->name, (int)i);
        return false;
    }
    attrs_remove(&n->attrs, "_output_shapes");
    return true;
}

/* What the message holds and a node does not, kept as bytes. */
static bool keep_extra(struct node *n, const struct pb_node_def *def, struct status *st)
{
    struct pb_node_def rest = {.base = def->base,
                               .experimental_debug_info = def->experimental_debug_info};
    struct strbuf bytes = {0};

    if (!def->base.unknown && !def->experimental_debug_info)
        return true;
    if (!pb_encode(&rest, &bytes, st)) {
        strbuf_release(&bytes);
        return false;
    }
    n->extra_bytes = bytes.n;
    n->extra = (uint8_t *)strbuf_take(&bytes);
    return true;
}

static const struct op *find_op(struct importer *im, struct str name, struct status *st)
{
    char *text = mem_strndup(name.p, name.n);
    const struct op *op = graph_find_op(im->g, text);

    if (!op)
        op = op_get(text, st);
    mem_free(text);
    return op;
}

static void note_back_edges(struct making *m, struct node *n)
{
    struct importer *im = m->im;
    int64_t first = im->nodes[m->at].first_input, end = im->nodes[m->at + 1].first_input;

    for (int64_t k = first; m->back_edge && k < end; k++) {
        const struct parsed_input *in = &im->inputs[k];

        if (in->src < 0 || im->nodes[in->src].made)
            continue;
        im->back_edges = vec_reserve(im->back_edges, &im->cap_back_edges, im->num_back_edges + 1,
                                     sizeof *im->back_edges);
        im->back_edges[im->num_back_edges++] = (struct back_edge){
            .to = n, .input = (int)(k - first), .src = in->src, .index = in->index};
    }
}

static bool make_node(struct making *m, struct status *st)
{
    struct importer *im = m->im;
    const struct op *op = find_op(im, m->def->op, st);

    if (!op || !gather_inputs(m, st) || !gather_attrs(m, st))
        return false;
    char *name = import_name(im, m->def->name);
    struct str device = m->def->device;

    if (device.n == 0)
        device = str_of(im->o->default_device);
    char *device_text = mem_strndup(device.p ? device.p : "", device.n);
    struct node *n = graph_add_node(im->g,
                                    &(struct node_spec){.op = op,
                                                        .name = name,
                                                        .device = device_text,
                                                        .attrs = &m->attrs,
                                                        .inputs = m->inputs,
                                                        .num_inputs = m->num_inputs,
                                                        .control = m->control,
                                                        .num_control = m->num_control,
                                                        .back_edges = true},
                                    st);
    mem_free(name);
    mem_free(device_text);
    if (!n)
        return false;
    note_back_edges(m, n);
    im->nodes[m->at].made = n;
    return (im->internal || apply_output_shapes(n, st)) && keep_extra(n, m->def, st);
}

/* A Merge that waits for one data input of several goes below zero later, and is made once. */
static void release_consumers(struct importer *im, int32_t at)
{
    for (int64_t k = im->consumers_begin[at]; k < im->consumers_begin[at + 1]; k++) {
        int32_t to = im->consumers[k];

        if (--im->nodes[to].pending == 0)
            import_push_ready(im, to);
    }
}

static bool link_back_edges(struct importer *im, struct status *st)
{
    for (int64_t i = 0; i < im->num_back_edges; i++) {
        struct back_edge *e = &im->back_edges[i];
        struct node *src = im->nodes[e->src].made;

        if (e->index == IMPORT_CONTROL) {
            node_link_control(src, e->to);
            continue;
        }
        if (e->index >= src->num_outputs)
            return status_invalid(st,
                                  "Node '%s': Connecting to invalid output %d of source node %s "
                                  "which has %d outputs.",
                                  e->to->name, e->index, src->name, src->num_outputs);
        int expected = e->to->input_types[e->input], actual = src->output_types[e->index];

        if (!input_type_fits(expected, actual))
            return status_invalid(
                st, "Input %d of node %s was passed %s from %s:%d incompatible with expected %s.",
                e->input, e->to->name, dtype_name(actual), src->name, e->index,
                dtype_name(expected));
        node_link_input(e->to, e->input, (struct output){src, e->index});
    }
    return true;
}

bool import_make_nodes(struct importer *im, struct status *st)
{
    struct making m = {.im = im};
    int64_t made = 0, n = im->def->node.n;
    bool ok = true;

    while (ok && im->num_ready > 0) {
        m.at = import_pop_ready(im);
        m.def = im->def->node.v[m.at];
        ok = make_node(&m, st);
        attrs_clear(&m.attrs);
        if (!ok)
            break;
        made++;
        release_consumers(im, m.at);
    }
    mem_free(m.inputs);
    mem_free(m.control);
    if (!ok)
        return false;
    if (made < n)
        return status_invalid(st, "%lld nodes in a cycle", (long long)(n - made));
    return link_back_edges(im, st);
}
