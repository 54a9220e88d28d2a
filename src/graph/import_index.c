/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a GraphDef's nodes before any is made: unique names, inputs as positions, and the order.
 *
 * Nodes are made when their inputs are, the first of the GraphDef first, as TensorFlow does it. A
 * Merge that a NextIteration feeds waits for one data input only: its back edge is added at the
 * end. Everything here is linear in the GraphDef (times the logarithm of what is ready at once). */
#include "graph/import.h"

static bool str_any(struct str s, const char *a, const char *b)
{
    return str_is(s, a) || str_is(s, b);
}

static bool def_is_merge(const struct pb_node_def *n)
{
    return str_any(n->op, "Merge", "RefMerge");
}

static bool def_is_next_iteration(const struct pb_node_def *n)
{
    return str_any(n->op, "NextIteration", "RefNextIteration");
}

struct str import_parse_input(struct str text, int32_t *index)
{
    size_t digits = 0;
    int64_t value = 0, mul = 1;

    *index = 0;
    if (text.n && text.p[0] == '^') {
        *index = IMPORT_CONTROL;
        return str_make(text.p + 1, text.n - 1);
    }
    while (digits < text.n && digits < 9 && text.p[text.n - 1 - digits] >= '0' &&
           text.p[text.n - 1 - digits] <= '9') {
        value += mul * (text.p[text.n - 1 - digits] - '0');
        mul *= 10;
        digits++;
    }
    if (digits == 0 || digits + 1 >= text.n || text.p[text.n - 1 - digits] != ':')
        return text;
    *index = (int32_t)value;
    return str_make(text.p, text.n - 1 - digits);
}

/* --- the heap of ready nodes --- */

void import_push_ready(struct importer *im, int32_t node)
{
    int64_t i = im->num_ready++;

    while (i > 0 && im->ready[(i - 1) / 2] > node) {
        im->ready[i] = im->ready[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    im->ready[i] = node;
}

int32_t import_pop_ready(struct importer *im)
{
    int32_t top = im->ready[0], last = im->ready[--im->num_ready];
    int64_t i = 0;

    for (;;) {
        int64_t child = 2 * i + 1;

        if (child >= im->num_ready)
            break;
        if (child + 1 < im->num_ready && im->ready[child + 1] < im->ready[child])
            child++;
        if (im->ready[child] >= last)
            break;
        im->ready[i] = im->ready[child];
        i = child;
    }
    im->ready[i] = last;
    return top;
}

/* --- names and maps --- */

static bool node_ok(const struct pb_node_def *n, bool internal, struct status *st)
{
    bool control = false;

    if (!import_name_ok(n->name, internal))
        return status_invalid(st, "Node '%.*s': Node name contains invalid characters",
                              (int)n->name.n, n->name.p ? n->name.p : "");
    if (n->op.n == 0)
        return status_invalid(st, "Node '%.*s' does not specify an operation", (int)n->name.n,
                              n->name.p);
    for (int64_t i = 0; i < n->input.n; i++) {
        if (n->input.v[i].n && n->input.v[i].p[0] == '^')
            control = true;
        else if (control)
            return status_invalid(
                st, "Node '%.*s': Control dependencies must come after regular dependencies",
                (int)n->name.n, n->name.p);
    }
    return true;
}

static bool index_names(struct importer *im, struct status *st)
{
    for (int64_t i = 0; i < im->def->node.n; i++) {
        const struct pb_node_def *n = im->def->node.v[i];

        if (!node_ok(n, im->internal, st))
            return false;
        if (strmap_put_n(&im->index, n->name.p, n->name.n, (void *)(intptr_t)(i + 1)))
            return status_invalid(st, "Node '%.*s' is not unique", (int)n->name.n, n->name.p);
    }
    return true;
}

static bool map_ok(const struct importer *im, const struct import_map *m, struct status *st)
{
    struct node *to = m->dst.node;
    bool control = m->index < 0;

    if (!to || to->graph != im->g)
        return status_invalid(st,
                              "node '%s' in input_map does not exist in graph (input_map entry: "
                              "%s:%d->%s:%d)",
                              to ? to->name : "", m->src, m->index, to ? to->name : "",
                              m->dst.index);
    if (control != (m->dst.index < 0))
        return status_invalid(st,
                              "input_map entry %s:%d->%s:%d between control edge and non-control "
                              "edge",
                              m->src, m->index, to->name, m->dst.index);
    if (!control && m->dst.index >= to->num_outputs)
        return status_invalid(st, "input_map entry %s:%d->%s:%d: the node has %d outputs", m->src,
                              m->index, to->name, m->dst.index, to->num_outputs);
    return true;
}

static bool index_maps(struct importer *im, struct status *st)
{
    im->map_used = mem_new_array(bool, im->o->num_maps);
    for (int64_t i = 0; i < im->o->num_maps; i++) {
        const struct import_map *m = &im->o->maps[i];

        if (!map_ok(im, m, st))
            return false;
        char *key = mem_printf("%s:%d", m->src, m->index < 0 ? IMPORT_CONTROL : m->index);

        strmap_put(&im->maps, key, (void *)(intptr_t)(i + 1));
        mem_free(key);
    }
    for (int64_t i = 0; i < im->o->num_control; i++)
        if (!im->o->control[i] || im->o->control[i]->graph != im->g)
            return status_invalid(st, "node '%s' in control_dependencies does not exist in graph",
                                  im->o->control[i] ? im->o->control[i]->name : "");
    return true;
}

/* --- inputs --- */

static bool find_input(struct importer *im, const struct pb_node_def *n, struct str text,
                       struct parsed_input *out, struct status *st)
{
    struct str name = import_parse_input(text, &out->index);

    out->src = -1;
    if (im->maps.num_live) {
        char *key = mem_printf("%.*s:%d", (int)name.n, name.p, out->index);
        intptr_t at = (intptr_t)strmap_find(&im->maps, key);

        mem_free(key);
        if (at) {
            out->map = at - 1;
            im->map_used[out->map] = true;
            return true;
        }
    }
    intptr_t at = (intptr_t)strmap_find_n(&im->index, name.p ? name.p : "", name.n);

    if (!at)
        return status_invalid(st, "Node '%.*s': Unknown input node '%.*s'", (int)n->name.n,
                              n->name.p, (int)text.n, text.p ? text.p : "");
    out->src = (int32_t)(at - 1);
    return true;
}

static bool parse_inputs(struct importer *im, struct status *st)
{
    int64_t total = 0, n = im->def->node.n;

    for (int64_t i = 0; i < n; i++)
        total += im->def->node.v[i]->input.n;
    im->inputs = mem_new_array(struct parsed_input, total);
    im->nodes = mem_new_array(struct import_node, n + 1);
    struct parsed_input *next = im->inputs;

    for (int64_t i = 0; i < n; i++) {
        const struct pb_node_def *d = im->def->node.v[i];

        im->nodes[i].first_input = next - im->inputs;
        for (int64_t k = 0; k < d->input.n; k++)
            if (!find_input(im, d, d->input.v[k], next++, st))
                return false;
    }
    im->nodes[n].first_input = total;
    return true;
}

/* How many of its inputs node i waits for. */
static int64_t count_pending(const struct importer *im, int64_t i)
{
    int64_t begin = im->nodes[i].first_input, end = im->nodes[i + 1].first_input;
    int64_t data = 0, control = 0, mapped = 0;
    bool loop = false;

    for (int64_t k = begin; k < end; k++) {
        const struct parsed_input *in = &im->inputs[k];

        *(in->index == IMPORT_CONTROL ? &control : &data) += 1;
        mapped += in->src < 0;
        loop = loop || (in->src >= 0 && in->index != IMPORT_CONTROL &&
                        def_is_next_iteration(im->def->node.v[in->src]));
    }
    if (loop && def_is_merge(im->def->node.v[i]))
        data = 1;
    return max_i64(data + control - mapped, 0);
}

static void index_consumers(struct importer *im)
{
    int64_t n = im->def->node.n, total = im->nodes[n].first_input;
    int64_t *begin = mem_new_array(int64_t, n + 2);

    for (int64_t k = 0; k < total; k++)
        if (im->inputs[k].src >= 0)
            begin[im->inputs[k].src + 2]++;
    for (int64_t i = 0; i < n; i++)
        begin[i + 2] += begin[i + 1];
    im->consumers = mem_new_array(int32_t, total);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = im->nodes[i].first_input; k < im->nodes[i + 1].first_input; k++)
            if (im->inputs[k].src >= 0)
                im->consumers[begin[im->inputs[k].src + 1]++] = (int32_t)i;
    im->consumers_begin = begin; /* begin[i] .. begin[i + 1] */
}

bool import_read(struct importer *im, struct status *st)
{
    int64_t n = im->def->node.n;

    if (n + im->g->num_nodes >= MAX_NODES)
        return status_exhausted(st, "A graph cannot have more than %d nodes", MAX_NODES);
    if (!index_maps(im, st) || !index_names(im, st) || !parse_inputs(im, st))
        return false;
    index_consumers(im);
    im->ready = mem_new_array(int32_t, n);
    for (int64_t i = 0; i < n; i++) {
        im->nodes[i].pending = count_pending(im, i);
        if (im->nodes[i].pending == 0)
            import_push_ready(im, (int32_t)i);
    }
    return true;
}
