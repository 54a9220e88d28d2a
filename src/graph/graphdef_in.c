/* SPDX-License-Identifier: Apache-2.0 */
/* Importing a GraphDef: all of it or nothing.
 *
 * Order of work, and so of errors, is TensorFlow's: versions, names, options, inputs, functions,
 * nodes in topological order, back edges, what the caller wants returned. The graph's lock is held
 * throughout. */
#include "graph/function.h"
#include "graph/import.h"

/* --- versions --- */

static bool check_versions(const struct pb_version_def *v, struct status *st)
{
    if (!v)
        return true;
    if (v->producer < 0)
        return status_invalid(st,
                              "GraphDef producer version %d below min producer 0 supported by "
                              "TensorFlow 1.15.5.  Please regenerate your graph.",
                              v->producer);
    if (v->min_consumer > GRAPH_PRODUCER)
        return status_invalid(st,
                              "GraphDef min consumer version %d above current version %d for "
                              "TensorFlow 1.15.5.  Please upgrade TensorFlow.",
                              v->min_consumer, GRAPH_PRODUCER);
    for (int64_t i = 0; i < v->bad_consumers.n; i++)
        if (v->bad_consumers.v[i] == GRAPH_PRODUCER)
            return status_invalid(st,
                                  "GraphDef disallows consumer version %d.  Please upgrade "
                                  "TensorFlow: this version is likely buggy.",
                                  GRAPH_PRODUCER);
    return true;
}

static void add_bad_consumer(struct graph *g, int version)
{
    int at = 0;

    while (at < g->num_bad_consumers && g->bad_consumers[at] < version)
        at++;
    if (at < g->num_bad_consumers && g->bad_consumers[at] == version)
        return;
    g->bad_consumers =
        mem_realloc(g->bad_consumers, sizeof(int) * ((size_t)g->num_bad_consumers + 1));
    memmove(&g->bad_consumers[at + 1], &g->bad_consumers[at],
            sizeof(int) * (size_t)(g->num_bad_consumers - at));
    g->bad_consumers[at] = version;
    g->num_bad_consumers++;
}

static void merge_versions(struct graph *g, const struct pb_version_def *v)
{
    enum { MAX_BAD = 1000 };

    if (v && v->min_consumer > g->min_consumer)
        g->min_consumer = v->min_consumer;
    for (int64_t i = 0; v && i < v->bad_consumers.n && g->num_bad_consumers < MAX_BAD; i++)
        add_bad_consumer(g, v->bad_consumers.v[i]);
}

/* --- functions --- */

static bool import_functions(struct importer *im, struct status *st)
{
    const struct pb_function_def_library *l = im->def->library;

    for (int64_t i = 0; l && i < l->function.n; i++) {
        const struct pb_function_def *f = l->function.v[i];
        struct str name = f->signature ? f->signature->name : str_make("", 0);
        char *text = mem_strndup(name.p ? name.p : "", name.n);
        bool had = graph_function(im->g, text) != NULL;
        bool ok = graph_add_function(im->g, f, st);

        if (ok && !had)
            strmap_put(&im->functions_added, text, im);
        mem_free(text);
        if (!ok)
            return false;
    }
    for (int64_t i = 0; l && i < l->gradient.n; i++) {
        const struct pb_gradient_def *d = l->gradient.v[i];
        char *f = mem_strndup(d->function_name.p ? d->function_name.p : "", d->function_name.n);
        char *grad = mem_strndup(d->gradient_func.p ? d->gradient_func.p : "", d->gradient_func.n);
        bool ok = library_add_grad(im->g->library, f, grad, st);

        mem_free(f);
        mem_free(grad);
        if (!ok)
            return false;
    }
    return true;
}

static void undo(struct importer *im, int producer)
{
    const char *key;
    void *value;

    graph_truncate(im->g, im->first_node);
    for (int64_t i = 0; strmap_next(&im->functions_added, &i, &key, &value);)
        library_remove(im->g->library, key);
    im->g->producer = producer;
}

/* --- what the caller wants back --- */

static bool return_output(struct importer *im, const struct import_map *want, struct output *out,
                          struct status *st)
{
    char *key = mem_printf("%s:%d", want->src, want->index);
    intptr_t at = (intptr_t)strmap_find(&im->maps, key);

    mem_free(key);
    if (at) {
        *out = im->o->maps[at - 1].dst;
        return true;
    }
    at = (intptr_t)strmap_find(&im->index, want->src);
    if (!at)
        return status_invalid(st, "Requested return tensor '%s:%d' not found in graph def",
                              want->src, want->index);
    struct node *n = im->nodes[at - 1].made;

    if (want->index < 0 || want->index >= n->num_outputs)
        return status_invalid(st, "Invalid return output %d of node '%s', which has %d output(s)",
                              want->index, want->src, n->num_outputs);
    *out = (struct output){n, want->index};
    return true;
}

static bool fill_returns(struct importer *im, struct import_result *r, struct status *st)
{
    const struct import_options *o = im->o;

    r->returns = mem_new_array(struct output, o->num_returns);
    for (int64_t i = 0; i < o->num_returns; i++)
        if (!return_output(im, &o->returns[i], &r->returns[i], st))
            return false;
    r->return_nodes = mem_new_array(struct node *, o->num_return_nodes);
    for (int64_t i = 0; i < o->num_return_nodes; i++) {
        intptr_t at = (intptr_t)strmap_find(&im->index, o->return_nodes[i]);

        if (!at)
            return status_invalid(st, "Requested return node '%s' not found in graph def",
                                  o->return_nodes[i]);
        r->return_nodes[i] = im->nodes[at - 1].made;
    }
    return true;
}

/* Maps that nothing used, of tensors that the GraphDef does not have. */
static void fill_unused(struct importer *im, struct import_result *r)
{
    int64_t n = im->o->num_maps;

    r->unused_maps = mem_new_array(char *, n);
    r->unused_indices = mem_new_array(int, n);
    for (int64_t i = 0; i < n; i++) {
        const struct import_map *m = &im->o->maps[i];
        intptr_t at = (intptr_t)strmap_find(&im->index, m->src);

        if (im->map_used[i] || (at && m->index < im->nodes[at - 1].made->num_outputs))
            continue;
        r->unused_maps[r->num_unused] = mem_strdup(m->src);
        r->unused_indices[r->num_unused++] = m->index;
    }
}

void import_result_clear(struct import_result *r)
{
    mem_free(r->returns);
    mem_free(r->return_nodes);
    for (int64_t i = 0; i < r->num_unused; i++)
        mem_free(r->unused_maps[i]);
    mem_free(r->unused_maps);
    mem_free(r->unused_indices);
    *r = (struct import_result){0};
}

/* --- the whole --- */

static void importer_release(struct importer *im)
{
    const char *key;
    void *value;

    for (int64_t i = 0; strmap_next(&im->renamed, &i, &key, &value);)
        mem_free(value);
    strmap_release(&im->renamed);
    strmap_release(&im->index);
    strmap_release(&im->maps);
    strmap_release(&im->functions_added);
    u64map_release(&im->prefixes);
    mem_free(im->prefix);
    mem_free(im->nodes);
    mem_free(im->inputs);
    mem_free(im->consumers_begin);
    mem_free(im->consumers);
    mem_free(im->ready);
    mem_free(im->map_used);
    mem_free(im->back_edges);
}

static bool import_steps(struct importer *im, struct import_result *r, struct status *st)
{
    if (!import_check_names(im, st) || !import_read(im, st) || !import_functions(im, st) ||
        !import_make_nodes(im, st) || !fill_returns(im, r, st))
        return false;
    import_fix_colocation(im);
    fill_unused(im, r);
    merge_versions(im->g, im->def->versions);
    return true;
}

static bool import_locked(struct importer *im, struct import_result *r, struct status *st)
{
    struct graph *g = im->g;
    int producer = g->producer;

    if (!check_versions(im->def->versions, st))
        return false;
    im->first_node = g->num_nodes;
    if (!im->internal) /* shape functions and deprecations go by the oldest producer */
        g->producer = (int)min_i64(producer, im->def->versions ? im->def->versions->producer : 0);
    if (import_steps(im, r, st))
        return true;
    undo(im, producer);
    return false;
}

static bool import(struct importer *im, struct import_result *out, struct status *st)
{
    struct import_result r = {0};

    lock_take(&im->g->lock);
    bool ok = import_locked(im, &r, st);
    lock_drop(&im->g->lock);
    importer_release(im);
    if (ok && out)
        *out = r;
    else
        import_result_clear(&r);
    return ok;
}

bool graph_import_def(struct graph *g, const struct pb_graph_def *def,
                      const struct import_options *o, struct import_result *out, struct status *st)
{
    static const struct import_options none;
    struct importer im = {.g = g, .def = def, .o = o ? o : &none};

    if (out)
        *out = (struct import_result){0};
    return import(&im, out, st);
}

bool graph_import_body(struct graph *g, const struct pb_graph_def *def, struct status *st)
{
    static const struct import_options none;
    struct importer im = {.g = g, .def = def, .o = &none, .internal = true};

    return import(&im, NULL, st);
}

static bool looks_like_text(const char *p, size_t n)
{
    size_t blank = 0;

    while (blank < n && strchr(" \t\r\n", p[blank]) && p[blank])
        blank++;
    if (blank == n || !strchr("abcdefghijklmnopqrstuvwxyz#[", p[blank]) || !p[blank])
        return false;
    for (size_t i = blank; i < n && i < 4096; i++)
        if ((unsigned char)p[i] < ' ' && !strchr("\t\r\n", p[i]))
            return false;
    return true;
}

bool graph_import(struct graph *g, const void *bytes, size_t n, const struct import_options *o,
                  struct import_result *out, struct status *st)
{
    struct arena a = {0};
    struct pb_graph_def *def;
    struct status binary = {0};

    if (out)
        *out = (struct import_result){0};
    bool ok = pb_graph_def_decode(&a, bytes, n, PB_BORROW, &def, &binary);

    if (!ok && looks_like_text(bytes, n)) {
        ok = pb_graph_def_parse(&a, bytes, n, &def, st);
    } else if (!ok) {
        status_prepend(&binary, "Invalid GraphDef: ");
        status_move(st, &binary);
    }
    status_clear(&binary);
    ok = ok && graph_import_def(g, def, o, out, st);
    arena_release(&a);
    return ok;
}
