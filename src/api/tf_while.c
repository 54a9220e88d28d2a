/* SPDX-License-Identifier: Apache-2.0 */
/* While loops: TF_NewWhile gives two graphs to describe one turn in, TF_FinishWhile puts them into
 * the parent graph between Enter, Merge, Switch, NextIteration and Exit.
 *
 * A loop that is being built is known by its condition's graph and kept in a list of the process,
 * so that parameters that were not made here, or that were finished before, are told from live
 * ones. It holds the parent graph. What is wrong is found before anything is added, as far as it
 * can be. Names of nodes and the words of errors are TensorFlow's. */
#include <string.h>

#include "api/api_impl.h"
#include "base/mem.h"
#include "graph/graphdef.h"
#include "proto/leat_proto.h"

struct open_while {
    TF_WhileParams params; /* as handed out */
    struct graph *parent;  /* counted */
    struct output *inputs;
    struct open_while *next;
};

static struct lock open_lock = LOCK_INIT("whiles", LOCK_RANK_LEAF);
static struct open_while *open_whiles; /* guarded by open_lock */

/* --- the list --- */

static void keep_open(struct open_while *w)
{
    lock_take(&open_lock);
    w->next = open_whiles;
    open_whiles = w;
    lock_drop(&open_lock);
}

static bool same_loop(const TF_WhileParams *a, const TF_WhileParams *b)
{
    return a->cond_graph == b->cond_graph && a->body_graph == b->body_graph &&
           a->ninputs == b->ninputs && a->cond_inputs == b->cond_inputs &&
           a->body_inputs == b->body_inputs && a->body_outputs == b->body_outputs;
}

/* Takes the loop out of the list; NULL: it is not there. */
static struct open_while *take_open(const TF_WhileParams *params)
{
    struct open_while *w = NULL;
    lock_take(&open_lock);
    for (struct open_while **at = &open_whiles; params && *at && !w; at = &(*at)->next) {
        if (same_loop(&(*at)->params, params)) {
            w = *at;
            *at = w->next;
            break;
        }
    }
    lock_drop(&open_lock);
    return w;
}

static void while_free(struct open_while *w)
{
    if (!w)
        return;
    graph_unref(api_graph(w->params.cond_graph));
    graph_unref(api_graph(w->params.body_graph));
    graph_unref(w->parent);
    mem_free((void *)(uintptr_t)w->params.cond_inputs);
    mem_free((void *)(uintptr_t)w->params.body_inputs);
    mem_free(w->params.body_outputs);
    mem_free(w->inputs);
    mem_free(w);
}

/* --- the start --- */

static bool inputs_ok(TF_Graph *g, const TF_Output *inputs, int ninputs, struct status *st)
{
    if (ninputs <= 0)
        return status_invalid(st, "TF_NewWhile() must be passed at least one input");
    if (!g || !inputs)
        return status_invalid(st, "TF_NewWhile: no %s", g ? "inputs" : "graph");
    for (int i = 0; i < ninputs; i++) {
        if (!api_check_output(inputs[i], st))
            return false;
        if (api_node(inputs[i].oper)->graph != api_graph(g))
            return status_invalid(st, "TF_NewWhile: input %d ('%s') is not in the graph", i,
                                  api_node(inputs[i].oper)->name);
    }
    return true;
}

/* The placeholders that stand for the variables in one of the two graphs. */
static TF_Output *add_placeholders(struct graph *g, const struct output *like, int n,
                                   const char *prefix, struct status *st)
{
    TF_Output *out = mem_new_array(TF_Output, n);
    for (int i = 0; i < n && status_ok(st); i++) {
        char *name = mem_printf("%s%d", prefix, i);
        struct node_desc *d = node_desc_new(g, "Placeholder", name);
        node_desc_attr(d, "dtype", attr_type(output_type(like[i])));
        struct node *made = node_finish(d, st);
        out[i] = (TF_Output){made ? api_oper(made) : NULL, 0};
        mem_free(name);
    }
    return out;
}

static struct open_while *while_new(struct graph *parent, const struct output *inputs, int n,
                                    struct status *st)
{
    struct graph *cond = graph_new(), *body = graph_new();
    TF_Output *outputs = mem_new_array(TF_Output, n);
    for (int i = 0; i < n; i++)
        outputs[i] = (TF_Output){NULL, -1};
    struct open_while made = {
        .params = {.ninputs = n,
                   .cond_graph = (TF_Graph *)cond,
                   .cond_inputs = add_placeholders(cond, inputs, n, "cond_input", st),
                   .cond_output = {NULL, -1},
                   .body_graph = (TF_Graph *)body,
                   .body_inputs = add_placeholders(body, inputs, n, "body_input", st),
                   .body_outputs = outputs},
        .parent = graph_ref(parent),
        .inputs = mem_alloc(sizeof *inputs * (size_t)n)};
    struct open_while *w = mem_new(struct open_while);
    memcpy(w, &made, sizeof made);
    memcpy(w->inputs, inputs, sizeof *inputs * (size_t)n);
    if (status_ok(st))
        return w;
    while_free(w);
    return NULL;
}

TF_WhileParams TF_NewWhile(TF_Graph *g, TF_Output *inputs, int ninputs, TF_Status *status)
{
    struct status st = {0};
    struct open_while *w = NULL;
    if (inputs_ok(g, inputs, ninputs, &st))
        w = while_new(api_graph(g), api_outputs(inputs), ninputs, &st);
    api_return(status, &st);
    if (!w)
        return (TF_WhileParams){.cond_output = {NULL, 0}};
    keep_open(w);
    return w->params;
}

/* --- the finish --- */

struct loop { /* the loop in the parent graph; outputs by variable */
    struct graph *g;
    const char *frame, *scope; /* scope: "" or "name/" */
    const TF_WhileParams *params;
    const struct output *inputs;
    int n;
    struct output *merges, *switches, *nexts, *body;
    struct output cond;
};

static struct output add_node(const struct loop *l, const char *op, const struct output *inputs,
                              int num_inputs, struct status *st)
{
    if (!status_ok(st))
        return (struct output){NULL, 0};
    char *wanted = mem_printf("%s%s", l->scope, op);
    char *name = graph_unique_name(l->g, wanted, false);
    struct node_desc *d = node_desc_new(l->g, op, name);
    if (strcmp(op, "Merge") == 0) {
        node_desc_input_list(d, inputs, num_inputs);
    } else {
        for (int i = 0; i < num_inputs; i++)
            node_desc_input(d, inputs[i]);
    }
    if (strcmp(op, "Enter") == 0)
        node_desc_attr(d, "frame_name", attr_string(str_of(l->frame)));
    struct node *n = node_finish(d, st);
    mem_free(name);
    mem_free(wanted);
    return (struct output){n, 0};
}

struct part { /* one of the two graphs, on its way into the parent */
    TF_Graph *graph;
    const char *name; /* "cond", "body" */
    const TF_Output *placeholders;
    const struct output *values; /* what the placeholders become */
    const TF_Output *wanted;
    int num_wanted;
    struct output *results;
};

/* Everything but the placeholders, which the import maps away. */
static struct pb_graph_def *part_def(const struct part *p, int n, struct arena *a)
{
    struct pb_graph_def *def = graph_to_def(api_graph(p->graph), a);
    struct strmap drop = {0};
    for (int i = 0; i < n; i++)
        strmap_put(&drop, api_node(p->placeholders[i].oper)->name, def);
    int64_t kept = 0;
    for (int64_t i = 0; i < def->node.n; i++) {
        struct pb_node_def *node = def->node.v[i];
        if (!strmap_find_n(&drop, node->name.p, node->name.n))
            def->node.v[kept++] = node;
    }
    def->node.n = kept;
    strmap_release(&drop);
    return def;
}

static struct import_map *map_array(const struct part *p, int n, struct arena *a)
{
    struct import_map *maps = arena_array(a, struct import_map, 2 * n);
    for (int i = 0; i < n; i++) {
        const char *src = api_node(p->placeholders[i].oper)->name;
        maps[2 * i] = (struct import_map){.src = src, .index = 0, .dst = p->values[i]};
        maps[2 * i + 1] = (struct import_map){
            .src = src, .index = -1, .dst = {p->values[i].node, -1}}; /* control edges */
    }
    return maps;
}

static bool import_part(const struct loop *l, const struct part *p, struct status *st)
{
    struct arena a = {0};
    struct import_map *returns = arena_array(&a, struct import_map, p->num_wanted);
    for (int i = 0; i < p->num_wanted; i++)
        returns[i] = (struct import_map){.src = api_node(p->wanted[i].oper)->name,
                                         .index = p->wanted[i].index};
    struct node *first = p->values[0].node;
    struct import_options o = {.prefix = arena_printf(&a, "%s%s", l->scope, p->name),
                               .maps = map_array(p, l->n, &a),
                               .num_maps = 2 * (int64_t)l->n,
                               .control = &first,
                               .num_control = 1,
                               .returns = returns,
                               .num_returns = p->num_wanted};
    struct import_result r;
    bool ok = graph_import_def(l->g, part_def(p, l->n, &a), &o, &r, st);
    for (int i = 0; ok && i < p->num_wanted; i++)
        p->results[i] = r.returns[i];
    if (ok)
        import_result_clear(&r);
    arena_release(&a);
    return ok;
}

static bool wanted_ok(TF_Graph *g, TF_Output o, struct status *st)
{
    const struct node *n = api_node(o.oper);
    if (n->graph != api_graph(g))
        return status_invalid(st, "Requested return tensor '%s:%d' not found in graph def", n->name,
                              o.index);
    if (o.index < 0 || o.index >= n->num_outputs)
        return status_invalid(st, "Invalid return output %d of node '%s', which has %d output(s)",
                              o.index, n->name, n->num_outputs);
    return true;
}

/* What the client wrote into params. */
static bool params_ok(const TF_WhileParams *p, const struct output *inputs, struct status *st)
{
    if (!p->cond_output.oper)
        return status_invalid(st, "TF_WhileParams `cond_output` field isn't set");
    for (int i = 0; i < p->ninputs; i++) {
        if (!p->body_outputs[i].oper)
            return status_invalid(st, "TF_WhileParams `body_outputs[%d]` field isn't set", i);
    }
    if (!p->name)
        return status_invalid(st, "TF_WhileParams `name` field is null");
    if (!wanted_ok(p->cond_graph, p->cond_output, st))
        return false;
    const int type = dtype_base(output_type(api_output(p->cond_output)));
    if (type != DT_BOOL)
        return status_invalid(
            st, "BuildWhileLoop: 'cond' argument must return a boolean output, got %s",
            dtype_name(type));
    for (int i = 0; i < p->ninputs; i++) {
        if (!wanted_ok(p->body_graph, p->body_outputs[i], st))
            return false;
        const int have = dtype_base(output_type(api_output(p->body_outputs[i])));
        if (have != dtype_base(output_type(inputs[i])))
            return status_invalid(st,
                                  "TF_FinishWhile: body_outputs[%d] ('%s') is %s, but the loop's "
                                  "input %d is %s",
                                  i, api_node(p->body_outputs[i].oper)->name, dtype_name(have), i,
                                  dtype_name(dtype_base(output_type(inputs[i]))));
    }
    return true;
}

static bool frame_is_new(struct graph *g, const char *frame, struct status *st)
{
    lock_take(&g->lock);
    bool is_new = !strmap_find(&g->while_frames, frame);
    if (is_new)
        strmap_put(&g->while_frames, frame, g);
    lock_drop(&g->lock);
    return is_new || status_invalid(st, "WhileContext with frame name '%s' already exists", frame);
}

static void build_entry(struct loop *l, struct status *st)
{
    struct output *enters = mem_new_array(struct output, l->n);
    for (int i = 0; i < l->n; i++)
        enters[i] = add_node(l, "Enter", &l->inputs[i], 1, st);
    for (int i = 0; i < l->n; i++)
        l->merges[i] = add_node(l, "Merge", (struct output[]){enters[i], enters[i]}, 2, st);
    mem_free(enters);
}

static bool build_cond(struct loop *l, struct status *st)
{
    struct output raw = {NULL, 0};
    struct part cond = {l->params->cond_graph,
                        "cond",
                        l->params->cond_inputs,
                        l->merges,
                        &l->params->cond_output,
                        1,
                        &raw};
    if (!status_ok(st) || !import_part(l, &cond, st))
        return false;
    l->cond = add_node(l, "LoopCond", &raw, 1, st);
    for (int i = 0; i < l->n; i++)
        l->switches[i] = add_node(l, "Switch", (struct output[]){l->merges[i], l->cond}, 2, st);
    return status_ok(st);
}

static bool build_body(struct loop *l, struct status *st)
{
    struct output *values = mem_new_array(struct output, l->n);
    for (int i = 0; i < l->n; i++)
        values[i] = (struct output){l->switches[i].node, 1};
    struct part body = {l->params->body_graph,
                        "body",
                        l->params->body_inputs,
                        values,
                        l->params->body_outputs,
                        l->n,
                        l->body};
    bool ok = import_part(l, &body, st);
    for (int i = 0; i < l->n; i++)
        l->nexts[i] = add_node(l, "NextIteration", &l->body[i], 1, st);
    for (int i = 0; ok && status_ok(st) && i < l->n; i++)
        ok = graph_update_input(l->merges[i].node, 1, l->nexts[i], st);
    mem_free(values);
    return ok && status_ok(st);
}

static bool build_loop(struct loop *l, TF_Output *outputs, struct status *st)
{
    build_entry(l, st);
    if (!build_cond(l, st) || !build_body(l, st))
        return false;
    for (int i = 0; i < l->n; i++) {
        struct output exit = add_node(l, "Exit", &l->switches[i], 1, st);
        outputs[i] = (TF_Output){api_oper(exit.node), 0};
    }
    return status_ok(st);
}

static bool finish(const struct open_while *w, const TF_WhileParams *p, TF_Output *outputs,
                   struct status *st)
{
    if (!params_ok(p, w->inputs, st) || !frame_is_new(w->parent, p->name, st))
        return false;
    char *scope = NULL;
    if (p->name[0]) {
        char *unique = graph_unique_name(w->parent, p->name, true);
        scope = mem_printf("%s/", unique);
        mem_free(unique);
    }
    struct output *all = mem_new_array(struct output, 4 * (int64_t)p->ninputs);
    struct loop l = {.g = w->parent,
                     .frame = p->name,
                     .scope = scope ? scope : "",
                     .params = p,
                     .inputs = w->inputs,
                     .n = p->ninputs,
                     .merges = all,
                     .switches = all + p->ninputs,
                     .nexts = all + 2 * (int64_t)p->ninputs,
                     .body = all + 3 * (int64_t)p->ninputs};
    bool ok = build_loop(&l, outputs, st);
    mem_free(all);
    mem_free(scope);
    return ok;
}

void TF_FinishWhile(const TF_WhileParams *params, TF_Status *status, TF_Output *outputs)
{
    struct status st = {0};
    struct open_while *w = take_open(params);
    if (!w)
        status_invalid(&st, "TF_WhileParams must be created by successful TF_NewWhile() call");
    else if (!outputs)
        status_invalid(&st, "TF_FinishWhile: no outputs to write to");
    bool ok = w && outputs && finish(w, params, outputs, &st);
    for (int i = 0; w && outputs && !ok && i < params->ninputs; i++)
        outputs[i] = (TF_Output){NULL, -1};
    while_free(w);
    api_return(status, &st);
}

void TF_AbortWhile(const TF_WhileParams *params)
{
    while_free(take_open(params));
}
