/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs as MetaGraphs.
 *
 * A collection of the graph has items of one kind. Those that MetaGraphs fill with VariableDefs
 * hold names here, as leat_get_collection gives them; a VariableDef is taken apart on the way in
 * (the variable is registered, its own message kept for what we do not know of) and made again on
 * the way out. Messages of other collections are kept as bytes; names inside those that are known
 * (queue runners, control flow) get the prefix of an import. */
#include "api/meta_graph.h"

#include <stdlib.h>
#include <string.h>

#include "api/leat_builder.h"
#include "graph/graphdef.h"
#include "graph/undo.h"
#include "proto/pb_reflect.h"

static const char *const variable_collections[] = {
    "variables",        "trainable_variables",
    "local_variables",  "model_variables",
    "metric_variables", "moving_average_variables",
    "global_step",      "tpu_estimator_iterations_per_loop",
};

static const char unbound_inputs[] = "unbound_inputs";

static bool holds_variables(const char *collection)
{
    for (size_t i = 0; i < ARRAY_LEN(variable_collections); i++) {
        if (strcmp(collection, variable_collections[i]) == 0)
            return true;
    }
    return false;
}

/* What the bytes of other collections are, where names in them follow an import's prefix. */
static const struct pb_desc *known_message(const char *collection)
{
    if (strcmp(collection, "queue_runners") == 0)
        return &pb_queue_runner_def_desc;
    if (strcmp(collection, "cond_context") == 0)
        return &pb_cond_context_def_desc;
    if (strcmp(collection, "while_context") == 0)
        return &pb_while_context_def_desc;
    if (strcmp(collection, "savers") == 0)
        return &pb_saver_def_desc;
    return NULL;
}

/* --- names under a prefix --- */

/* "a:0" -> "P/a:0", "^a" -> "^P/a", "loc:@a" -> "loc:@P/a". */
static struct str prefixed(struct arena *a, struct str name, const char *prefix)
{
    if (name.n == 0 || !prefix[0])
        return name;
    size_t head = name.p[0] == '^' ? 1 : str_starts(name, "loc:@") ? 5 : 0;
    return str_of(arena_printf(a, "%.*s%s/%.*s", (int)head, name.p, prefix, (int)(name.n - head),
                               name.p + head));
}

static bool is_name_field(const struct pb_field *f)
{
    struct str name = str_of(f->name);
    return f->type == PB_TYPE_STRING &&
           (str_ends(name, "_name") || str_ends(name, "_names") || str_is(name, "values"));
}

/* Messages nest no deeper than the codec lets them. */
static void prefix_message(struct arena *a, void *msg, const struct pb_desc *d, const char *prefix)
{
    for (int i = 0; i < d->num_fields; i++) {
        const struct pb_field *f = &d->fields[i];
        bool name = is_name_field(f) || (d->is_map_entry && f->type == PB_TYPE_STRING);
        for (int64_t k = 0; (name || f->message) && k < pb_count(msg, f); k++) {
            struct pb_value v = pb_get(msg, f, k);
            if (name) {
                v.s = prefixed(a, v.s, prefix);
                pb_set(msg, f, k, v);
            } else if (v.m) {
                prefix_message(a, v.m, f->message, prefix);
            }
        }
    }
}

/* --- in: variables --- */

static TF_Output named_output(struct graph *g, struct str name)
{
    struct status st = {0};
    struct output o = {0};
    char *text = mem_strndup(name.p ? name.p : "", name.n);
    if (!graph_get_output(g, text, &o, &st)) {
        o.node = graph_find(g, text);
        o.index = 0;
    }
    status_clear(&st);
    mem_free(text);
    return (TF_Output){api_oper(o.node), o.index};
}

static void register_variable(struct graph *g, const struct pb_variable_def *d)
{
    struct leat_variable_parts v = {
        .ref = named_output(g, d->variable_name),
        .read = named_output(g, d->snapshot_name),
        .initial = named_output(g, d->initial_value_name),
        .init = named_output(g, d->initializer_name).oper,
        .is_resource = d->is_resource,
        .trainable = d->trainable,
    };
    if (!v.ref.oper || leat_find_variable((TF_Graph *)g, v.ref, NULL))
        return;
    TF_DataType type = TF_OperationOutputType(v.read.oper ? v.read : v.ref);
    v.dtype = (TF_DataType)((int)type % DT_REF);
    leat_register_variable((TF_Graph *)g, &v);
}

void builder_keep_variable_def(struct graph *g, const struct pb_variable_def *d, bool replace)
{
    TF_Output v = named_output(g, d->variable_name);
    struct strbuf *bytes = mem_new(struct strbuf);
    struct status st = {0};
    struct builder *b = builder_get(g);
    uint64_t key = v.oper ? (uint64_t)api_node(v.oper)->id + 1 : 0;
    bool ok = v.oper && pb_encode(d, bytes, &st);
    lock_take(&b->lock);
    struct strbuf *old = ok ? u64map_find(&b->defs, key) : NULL;
    if (ok && old && replace) {
        struct strbuf had = *old;
        *old = *bytes;
        *bytes = had;
    } else if (ok && !old) {
        u64map_put(&b->defs, key, bytes);
        bytes = NULL;
    }
    lock_drop(&b->lock);
    if (bytes)
        strbuf_release(bytes);
    mem_free(bytes);
    status_clear(&st);
}

struct pb_variable_def *builder_variable_def(struct graph *g, TF_Output v, struct arena *a)
{
    struct builder *b = builder_get(g);
    lock_take(&b->lock);
    const struct strbuf *bytes = u64map_find(&b->defs, (uint64_t)api_node(v.oper)->id + 1);
    struct pb_variable_def *d = NULL;
    struct status st = {0};
    if (bytes && !pb_variable_def_decode(a, strbuf_text(bytes), bytes->n, 0, &d, &st))
        d = NULL;
    lock_drop(&b->lock);
    status_clear(&st);
    return d;
}

struct reading {
    struct graph *g;
    struct arena *a;
    const char *prefix;
    bool says_trainable; /* VariableDefs do */
};

static bool variable_in(const struct reading *r, const char *collection, struct str bytes,
                        struct status *st)
{
    struct graph *g = r->g;
    struct arena *a = r->a;
    struct pb_variable_def *d;
    if (!pb_variable_def_decode(a, bytes.p ? bytes.p : "", bytes.n, 0, &d, st)) {
        status_prepend(st, "collection %s: ", collection);
        return false;
    }
    prefix_message(a, d, &pb_variable_def_desc, r->prefix);
    if (!r->says_trainable)
        d->trainable = strcmp(collection, "trainable_variables") == 0;
    register_variable(g, d);
    builder_keep_variable_def(g, d, false);
    if (!graph_collect_kind(g, collection, COLLECTION_NAMES, d->variable_name.p,
                            d->variable_name.n))
        return status_invalid(st, "collection %s: the graph has one of another kind", collection);
    return true;
}

/* --- in: the other collections --- */

/* A message whose names get the prefix. */
static bool message_in(const struct reading *r, const struct pb_desc *d, struct str bytes,
                       struct strbuf *out, struct status *st)
{
    void *msg;
    if (!pb_decode(r->a, d, bytes.p ? bytes.p : "", bytes.n, 0, &msg, st))
        return false;
    prefix_message(r->a, msg, d, r->prefix);
    if (d == &pb_while_context_def_desc)
        meta_graph_name_frames(r->g, msg);
    else if (d == &pb_cond_context_def_desc)
        meta_graph_name_frames_in_branch(r->g, msg);
    return pb_encode(msg, out, st);
}

static bool is_plain_text(struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        if ((unsigned char)s.p[i] < ' ' || s.p[i] == 127)
            return false;
    }
    return true;
}

static bool is_own_queue_runner(const struct reading *r, const char *collection, struct str bytes)
{
    struct pb_queue_runner_def *d;
    struct status st = {0};
    if (strcmp(collection, "queue_runners") != 0)
        return false;
    if (!pb_queue_runner_def_decode(r->a, bytes.p ? bytes.p : "", bytes.n, 0, &d, &st)) {
        status_clear(&st);
        return false;
    }
    prefix_message(r->a, d, &pb_queue_runner_def_desc, r->prefix);
    return meta_graph_queue_runner_in(r->g, d);
}

/* Texts get the prefix as names do: TensorFlow cannot tell one from the other. */
static bool bytes_in(const struct reading *r, const char *collection, struct str bytes,
                     struct status *st)
{
    const struct pb_desc *d = r->prefix[0] ? known_message(collection) : NULL;
    struct strbuf changed = {0};
    bool ok = true;
    if (is_own_queue_runner(r, collection, bytes))
        return true;
    if (d) {
        ok = message_in(r, d, bytes, &changed, st);
        bytes = str_make(changed.p, changed.n);
    } else if (r->prefix[0] && is_plain_text(bytes)) {
        bytes = bytes.n > 0 ? prefixed(r->a, bytes, r->prefix)
                            : str_of(arena_printf(r->a, "%s/", r->prefix));
    }
    if (ok && !graph_collect_kind(r->g, collection, COLLECTION_BYTES, bytes.p, bytes.n))
        ok = status_invalid(st, "collection %s: the graph has one of another kind", collection);
    strbuf_release(&changed);
    return ok;
}

static bool any_in(struct graph *g, const char *collection, const struct pb_any *item,
                   struct status *st)
{
    struct strbuf bytes = {0};
    bool ok = pb_encode(item, &bytes, st);
    if (ok && !graph_collect_kind(g, collection, COLLECTION_ANY, bytes.p, bytes.n))
        ok = status_invalid(st, "collection %s: the graph has one of another kind", collection);
    strbuf_release(&bytes);
    return ok;
}

static bool collection_in(const struct reading *r, const char *name,
                          const struct pb_collection_def *c, struct status *st)
{
    struct graph *g = r->g;
    bool ok = true;
    for (int64_t i = 0; ok && c->node_list && i < c->node_list->value.n; i++) {
        struct str item = prefixed(r->a, c->node_list->value.v[i], r->prefix);
        ok = graph_collect_kind(g, name, COLLECTION_NAMES, item.p, item.n);
    }
    for (int64_t i = 0; ok && c->bytes_list && i < c->bytes_list->value.n; i++) {
        struct str item = c->bytes_list->value.v[i];
        if (!(holds_variables(name) ? variable_in(r, name, item, st) : bytes_in(r, name, item, st)))
            return false;
    }
    for (int64_t i = 0; ok && c->int64_list && i < c->int64_list->value.n; i++)
        ok = graph_collect_kind(g, name, COLLECTION_INTS, &c->int64_list->value.v[i],
                                sizeof(int64_t));
    for (int64_t i = 0; ok && c->float_list && i < c->float_list->value.n; i++)
        ok = graph_collect_kind(g, name, COLLECTION_FLOATS, &c->float_list->value.v[i],
                                sizeof(float));
    for (int64_t i = 0; ok && c->any_list && i < c->any_list->value.n; i++) {
        if (!any_in(g, name, c->any_list->value.v[i], st))
            return false;
    }
    return ok || status_invalid(st, "collection %s: the graph has one of another kind", name);
}

static bool collections_in(const struct reading *r, const struct pb_meta_graph_def *meta,
                           bool trainable, struct status *st)
{
    bool ok = true;
    for (int64_t i = 0; ok && i < meta->collection_def.n; i++) {
        const struct pb_meta_graph_def_collection_def_entry *e = meta->collection_def.v[i];
        if (str_is(e->key, "trainable_variables") != trainable || str_is(e->key, unbound_inputs) ||
            !e->value)
            continue;
        char *name = mem_strndup(e->key.p ? e->key.p : "", e->key.n);
        ok = collection_in(r, name, e->value, st);
        mem_free(name);
    }
    return ok;
}

/* A part of a graph names the inputs that it lacks. */
static bool is_whole(const struct pb_meta_graph_def *meta, struct status *st)
{
    const struct pb_meta_graph_def_collection_def_entry *e =
        pb_map_find(&meta->collection_def, str_of(unbound_inputs));
    const struct pb_collection_def *c = e ? e->value : NULL;
    const struct pb_strs *names = c && c->bytes_list  ? &c->bytes_list->value
                                  : c && c->node_list ? &c->node_list->value
                                                      : NULL;
    if (!names || names->n == 0)
        return true;
    return status_invalid(st, "Graph contains %lld unbound inputs, the first of them %.*s",
                          (long long)names->n, (int)names->v[0].n,
                          names->v[0].p ? names->v[0].p : "");
}

bool meta_graph_in(struct graph *g, struct pb_meta_graph_def *meta, const char *prefix,
                   struct status *st)
{
    struct import_options o = {.prefix = prefix};
    struct import_result imported = {0};
    struct arena a = {0};
    struct reading r = {g, &a, prefix, meta_graph_says_trainable(meta)};
    struct graph_undo undo;
    if (!is_whole(meta, st))
        return false;
    meta_graph_drop_defaults(meta);
    graph_undo_begin(g, &undo);
    bool ok = !meta->graph_def || graph_import_def(g, meta->graph_def, &o, &imported, st);
    import_result_clear(&imported);
    if (ok && !(collections_in(&r, meta, true, st) && collections_in(&r, meta, false, st))) {
        builder_forget(g, undo.num_nodes);
        graph_undo(g, &undo);
        ok = false;
    }
    graph_undo_release(&undo);
    arena_release(&a);
    return ok;
}

/* --- out --- */

static struct str output_text(struct arena *a, TF_Output y)
{
    if (!y.oper)
        return str_make("", 0);
    return str_of(arena_printf(a, "%s:%d", api_node(y.oper)->name, y.index));
}

struct pb_variable_def *
builder_describe_variable(struct graph *g, const struct leat_variable_parts *v, struct arena *a)
{
    struct pb_variable_def *d = builder_variable_def(g, v->ref, a);
    if (d)
        return d;
    d = pb_variable_def_new(a);
    d->variable_name = output_text(a, v->ref);
    d->snapshot_name = output_text(a, v->read);
    d->initial_value_name = output_text(a, v->initial);
    d->initializer_name = str_of(v->init ? api_node(v->init)->name : "");
    d->is_resource = v->is_resource;
    d->trainable = v->trainable;
    return d;
}

/* The VariableDef of an item that names a variable; NULL: it names none. */
static struct pb_variable_def *variable_out(struct graph *g, struct arena *a, struct str item)
{
    struct leat_variable_parts v;
    if (!leat_find_variable((TF_Graph *)g, named_output(g, item), &v))
        return NULL;
    return builder_describe_variable(g, &v, a);
}

static bool variables_out(struct graph *g, struct arena *a, const struct collection *c,
                          struct pb_collection_def *out)
{
    struct pb_strs list = {0};
    for (int64_t i = 0; i < c->n; i++) {
        struct pb_variable_def *d = variable_out(g, a, str_make(c->items[i].p, c->items[i].n));
        struct strbuf bytes = {0};
        struct status st = {0};
        bool ok = d && pb_encode(d, &bytes, &st);
        if (ok)
            pb_add_str(a, &list, str_make(bytes.p, bytes.n));
        strbuf_release(&bytes);
        status_clear(&st);
        if (!ok)
            return false;
    }
    out->which_kind = 2;
    out->bytes_list = pb_collection_def_bytes_list_new(a);
    out->bytes_list->value = list;
    return true;
}

static void any_out(struct arena *a, struct pb_collection_def *out, const struct collection *c)
{
    out->which_kind = 5;
    out->any_list = pb_collection_def_any_list_new(a);
    for (int64_t i = 0; i < c->n; i++) {
        struct status st = {0};
        (void)!pb_merge_bytes(a, pb_any_add(a, &out->any_list->value), c->items[i].p, c->items[i].n,
                              0, &st);
        status_clear(&st);
    }
}

static void collection_out(struct graph *g, struct arena *a, const struct collection *c,
                           struct pb_collection_def *out)
{
    if (c->kind == COLLECTION_NAMES && holds_variables(c->name) && variables_out(g, a, c, out))
        return;
    if (c->kind == COLLECTION_ANY) {
        any_out(a, out, c);
        return;
    }
    out->which_kind = (int)c->kind + 1; /* the kinds stand in the order of the fields */
    out->node_list = pb_collection_def_node_list_new(a);
    out->bytes_list = pb_collection_def_bytes_list_new(a);
    out->int64_list = pb_collection_def_int64_list_new(a);
    out->float_list = pb_collection_def_float_list_new(a);
    for (int64_t i = 0; i < c->n; i++) {
        struct str item = str_make(c->items[i].p, c->items[i].n);
        int64_t whole = 0;
        float real = 0;
        if (c->kind == COLLECTION_NAMES) {
            pb_add_str(a, &out->node_list->value, item);
        } else if (c->kind == COLLECTION_BYTES) {
            pb_add_str(a, &out->bytes_list->value, item);
        } else if (c->kind == COLLECTION_INTS) {
            memcpy(&whole, item.p, sizeof whole);
            pb_add_i64(a, &out->int64_list->value, whole);
        } else {
            memcpy(&real, item.p, sizeof real);
            pb_add_f32(a, &out->float_list->value, real);
        }
    }
}

static int by_op_name(const void *x, const void *y)
{
    const struct op *const *a = x, *const *b = y;
    return strcmp((*a)->name, (*b)->name);
}

struct op_set {
    struct strmap seen;
    const struct op **ops;
    int64_t n, cap;
};

static void use_op(struct op_set *s, const struct op *op)
{
    if (!op || !op->def || strmap_put(&s->seen, op->name, s))
        return;
    s->ops = vec_reserve(s->ops, &s->cap, s->n + 1, sizeof *s->ops);
    s->ops[s->n++] = op;
}

/* The registered ops of the nodes and of the functions' bodies, each once, by name. */
static void stripped_ops(struct graph *g, struct arena *a, const struct pb_graph_def *def,
                         struct pb_op_list *out)
{
    struct op_set s = {0};
    int64_t n = __atomic_load_n(&g->num_nodes, __ATOMIC_ACQUIRE);
    for (int64_t i = 0; i < n; i++)
        use_op(&s, g->nodes[i]->op);
    for (int64_t i = 0; def->library && i < def->library->function.n; i++) {
        const struct pb_function_def *f = def->library->function.v[i];
        for (int64_t k = 0; k < f->node_def.n; k++) {
            struct str name = f->node_def.v[k]->op;
            use_op(&s, op_find(arena_strndup(a, name.p ? name.p : "", name.n)));
        }
    }
    strmap_release(&s.seen);
    if (s.n > 0)
        qsort(s.ops, (size_t)s.n, sizeof *s.ops, by_op_name);
    out->op.v = arena_array(a, struct pb_op_def *, s.n);
    for (int64_t i = 0; i < s.n; i++) {
        struct pb_op_def *d = op_to_proto(a, s.ops[i]);
        d->summary = d->description = str_make("", 0);
        out->op.v[out->op.n++] = d;
    }
    mem_free(s.ops);
}

struct pb_meta_graph_def *meta_graph_out(struct graph *g, struct arena *a)
{
    struct pb_meta_graph_def *m = pb_meta_graph_def_new(a);
    m->graph_def = graph_to_def(g, a);
    m->meta_info_def = pb_meta_graph_def_meta_info_def_new(a);
    m->meta_info_def->tensorflow_version = str_of("1.15.5");
    m->meta_info_def->tensorflow_git_version = str_of("leat");
    m->meta_info_def->stripped_op_list = pb_op_list_new(a);
    stripped_ops(g, a, m->graph_def, m->meta_info_def->stripped_op_list);
    const char *name;
    void *value;
    for (int64_t i = 0; strmap_next(&g->collections, &i, &name, &value);) {
        if (strcmp(name, meta_graph_queue_runners) == 0)
            continue;
        struct pb_meta_graph_def_collection_def_entry *e = pb_map_put(
            a, &m->collection_def, &pb_meta_graph_def_collection_def_entry_desc, str_of(name));
        collection_out(g, a, value, e->value);
    }
    meta_graph_queue_runners_out(g, a, m);
    meta_graph_flows_out(g, a, m);
    return m;
}
