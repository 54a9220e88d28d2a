/* SPDX-License-Identifier: Apache-2.0 */
/* leat inspect on graphs: GraphDef, MetaGraphDef, SavedModel. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/mem.h"
#include "cli/inspect.h"
#include "cli/message.h"
#include "io/saved_model.h"
#include "leat/info.h"

enum {
    MAX_SHOWN = 200, /* of a list of nodes */
    MAX_RANK = 254   /* what a tensor may have */
};

/* --- ops --- */

struct op_count {
    const char *name;
    int64_t n;
};

static int by_count(const void *x, const void *y)
{
    const struct op_count *a = x, *b = y;
    return a->n != b->n ? (a->n < b->n ? 1 : -1) : strcmp(a->name, b->name);
}

static void count_nodes(struct strmap *counts, struct arena *a, const struct pb_node_def_vec *nodes)
{
    for (int64_t i = 0; i < nodes->n; i++) {
        struct str op = nodes->v[i]->op;
        int64_t *n = strmap_find_n(counts, op.p ? op.p : "", op.n);
        if (!n) {
            n = arena_new(a, int64_t);
            *n = 0;
            strmap_put_n(counts, op.p ? op.p : "", op.n, n);
        }
        ++*n;
    }
}

static bool is_function(const struct pb_graph_def *g, const char *op)
{
    for (int64_t i = 0; g->library && i < g->library->function.n; i++) {
        const struct pb_op_def *d = g->library->function.v[i]->signature;
        if (d && str_is(d->name, op))
            return true;
    }
    return false;
}

static void known_ops(struct strmap *known)
{
    struct leat_op_info op;
    for (int i = 0; leat_op_info(i, &op); i++)
        strmap_put(known, op.name, known);
}

/* How often each op is there, functions' bodies included, and which of them this library lacks. */
static void report_ops(struct inspect *in, struct report_node *to, const struct pb_graph_def *g)
{
    struct strmap counts = {0}, known = {0};
    struct arena a = {0};
    struct op_count *list = NULL;
    int64_t n = 0, cap = 0, pos = 0;
    const char *name;
    void *value;
    count_nodes(&counts, &a, &g->node);
    for (int64_t i = 0; g->library && i < g->library->function.n; i++)
        count_nodes(&counts, &a, &g->library->function.v[i]->node_def);
    while (strmap_next(&counts, &pos, &name, &value)) {
        list = vec_reserve(list, &cap, n + 1, sizeof *list);
        list[n++] = (struct op_count){name, *(int64_t *)value};
    }
    if (n > 0)
        qsort(list, (size_t)n, sizeof *list, by_count);
    known_ops(&known);
    struct report_node *ops = report_object(&in->report, to, "ops");
    for (int64_t i = 0; i < n; i++)
        report_int(&in->report, ops, list[i].name, list[i].n);
    struct report_node *missing = report_list(&in->report, to, "ops_missing_here");
    for (int64_t i = 0; i < n; i++) {
        if (!strmap_has(&known, list[i].name) && !is_function(g, list[i].name))
            report_words(&in->report, missing, NULL, list[i].name);
    }
    mem_free(list);
    strmap_release(&counts);
    strmap_release(&known);
    arena_release(&a);
}

/* --- nodes that a user looks for --- */

static void report_type(struct inspect *in, struct report_node *to, int dtype,
                        const struct pb_tensor_shape_proto *shape)
{
    bool known = shape && !shape->unknown_rank && shape->dim.n <= MAX_RANK;
    int rank = known ? (int)shape->dim.n : -1;
    int64_t dims[MAX_RANK];
    for (int i = 0; i < rank; i++)
        dims[i] = shape->dim.v[i]->size;
    inspect_type(in, to, dtype, dims, rank);
}

static void report_nodes(struct inspect *in, struct report_node *to, const char *key,
                         const struct pb_graph_def *g, const char *const *ops)
{
    struct report_node *list = report_list(&in->report, to, key);
    int64_t found = 0;
    for (int64_t i = 0; i < g->node.n; i++) {
        const struct pb_node_def *n = g->node.v[i];
        bool wanted = false;
        for (int k = 0; ops[k]; k++)
            wanted = wanted || str_is(n->op, ops[k]);
        if (!wanted || found++ >= MAX_SHOWN)
            continue;
        const struct pb_attr_value *dtype = message_attr(n, "dtype"),
                                   *shape = message_attr(n, "shape");
        struct report_node *item = report_object(&in->report, list, NULL);
        report_text(&in->report, item, "name", n->name);
        report_type(in, item, dtype ? dtype->type : 0, shape ? shape->shape : NULL);
    }
    if (found > MAX_SHOWN)
        report_int(&in->report, to, "and_more", found - MAX_SHOWN);
}

static int64_t constant_bytes(const struct pb_graph_def *g)
{
    int64_t bytes = 0;
    for (int64_t i = 0; i < g->node.n; i++) {
        const struct pb_attr_value *v =
            str_is(g->node.v[i]->op, "Const") ? message_attr(g->node.v[i], "value") : NULL;
        int64_t size = v && v->tensor ? pb_encoded_size(v->tensor) : 0;
        bytes += size > 0 ? size : 0;
    }
    return bytes;
}

static void report_graph(struct inspect *in, struct report_node *to, const struct pb_graph_def *g)
{
    static const char *const placeholders[] = {"Placeholder", "PlaceholderV2",
                                               "PlaceholderWithDefault", NULL};
    static const char *const variables[] = {"Variable", "VariableV2", "VarHandleOp", NULL};
    static const struct pb_graph_def empty = {.base = {&pb_graph_def_desc, NULL}};
    g = g ? g : &empty;
    report_int(&in->report, to, "producer", g->versions ? g->versions->producer : g->version);
    report_int(&in->report, to, "nodes", g->node.n);
    report_int(&in->report, to, "constant_bytes", constant_bytes(g));
    struct report_node *functions = report_list(&in->report, to, "functions");
    for (int64_t i = 0; g->library && i < g->library->function.n && i < MAX_SHOWN; i++) {
        const struct pb_op_def *d = g->library->function.v[i]->signature;
        report_text(&in->report, functions, NULL, d ? d->name : str_make("", 0));
    }
    report_nodes(in, to, "placeholders", g, placeholders);
    report_nodes(in, to, "variables", g, variables);
    report_ops(in, to, g);
}

/* --- MetaGraphs --- */

static int64_t collection_size(const struct pb_collection_def *c)
{
    return c->node_list    ? c->node_list->value.n
           : c->bytes_list ? c->bytes_list->value.n
           : c->int64_list ? c->int64_list->value.n
           : c->float_list ? c->float_list->value.n
           : c->any_list   ? c->any_list->value.n
                           : 0;
}

static void report_signature_tensor(struct inspect *in, struct report_node *to, struct str name,
                                    const struct pb_tensor_info *info)
{
    struct report_node *item = report_object(&in->report, to, NULL);
    report_text(&in->report, item, "name", name);
    report_text(&in->report, item, "tensor", info->name);
    report_type(in, item, info->dtype, info->tensor_shape);
}

static void report_signatures(struct inspect *in, struct report_node *to,
                              const struct pb_meta_graph_def *m)
{
    struct report_node *list = report_list(&in->report, to, "signatures");
    for (int64_t i = 0; i < m->signature_def.n; i++) {
        const struct pb_signature_def *d = m->signature_def.v[i]->value;
        struct report_node *s = report_object(&in->report, list, NULL);
        report_text(&in->report, s, "name", m->signature_def.v[i]->key);
        report_text(&in->report, s, "method", d->method_name);
        struct report_node *inputs = report_list(&in->report, s, "inputs");
        for (int64_t k = 0; k < d->inputs.n; k++)
            report_signature_tensor(in, inputs, d->inputs.v[k]->key, d->inputs.v[k]->value);
        struct report_node *outputs = report_list(&in->report, s, "outputs");
        for (int64_t k = 0; k < d->outputs.n; k++)
            report_signature_tensor(in, outputs, d->outputs.v[k]->key, d->outputs.v[k]->value);
    }
}

static void report_meta_graph(struct inspect *in, struct report_node *to,
                              const struct pb_meta_graph_def *m)
{
    const struct pb_meta_graph_def_meta_info_def *info = m->meta_info_def;
    struct report_node *tags = report_list(&in->report, to, "tags");
    for (int64_t i = 0; info && i < info->tags.n; i++)
        report_text(&in->report, tags, NULL, info->tags.v[i]);
    if (info)
        report_text(&in->report, to, "written_by_tensorflow", info->tensorflow_version);
    report_signatures(in, to, m);
    struct report_node *collections = report_object(&in->report, to, "collections");
    for (int64_t i = 0; i < m->collection_def.n; i++) {
        char *name = mem_strndup(m->collection_def.v[i]->key.p ? m->collection_def.v[i]->key.p : "",
                                 m->collection_def.v[i]->key.n);
        report_int(&in->report, collections, name, collection_size(m->collection_def.v[i]->value));
        mem_free(name);
    }
    if (m->saver_def)
        report_text(&in->report, to, "restore_op", m->saver_def->restore_op_name);
    struct report_node *assets = report_list(&in->report, to, "assets");
    for (int64_t i = 0; i < m->asset_file_def.n; i++)
        report_text(&in->report, assets, NULL, m->asset_file_def.v[i]->filename);
    report_graph(in, report_object(&in->report, to, "graph"), m->graph_def);
}

static void report_saved_model(struct inspect *in, const struct pb_saved_model *m)
{
    report_words(&in->report, in->root, "kind", "SavedModel");
    report_int(&in->report, in->root, "schema", m->saved_model_schema_version);
    struct report_node *list = report_list(&in->report, in->root, "meta_graphs");
    for (int64_t i = 0; i < m->meta_graphs.n; i++)
        report_meta_graph(in, report_object(&in->report, list, NULL), m->meta_graphs.v[i]);
}

bool inspect_saved_model(struct inspect *in, const char *dir, struct status *st)
{
    struct arena a = {0};
    struct pb_saved_model *m;
    bool ok = saved_model_read(&a, dir, &m, st);
    if (ok)
        report_saved_model(in, m);
    if (ok && saved_model_has_variables(dir)) {
        char *prefix = mem_printf("%s/variables/variables", dir);
        ok = inspect_bundle(in, prefix, report_object(&in->report, in->root, "checkpoint"), st);
        mem_free(prefix);
    }
    arena_release(&a);
    return ok;
}

bool inspect_message(struct inspect *in, const char *bytes, size_t n)
{
    struct message m = {0};
    if (n > 0)
        message_read(bytes, n, &m);
    bool known = m.kind != MESSAGE_NONE;
    if (m.kind == MESSAGE_SAVED_MODEL) {
        report_saved_model(in, m.saved_model);
    } else if (known) {
        bool graph = m.kind == MESSAGE_GRAPH;
        report_words(&in->report, in->root, "kind", graph ? "GraphDef" : "MetaGraphDef");
        report_words(&in->report, in->root, "form", m.is_text ? "text" : "binary");
        if (graph)
            report_graph(in, in->root, m.graph);
        else
            report_meta_graph(in, in->root, m.meta_graph);
    }
    message_release(&m);
    return known;
}
