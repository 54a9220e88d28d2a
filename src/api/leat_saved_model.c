/* SPDX-License-Identifier: Apache-2.0 */
/* leat_saved_model_*, and MetaGraphs as buffers. A model's signatures are read once, into its
 * arena. */
#include "leat/saved_model.h"

#include <stdlib.h>
#include <string.h>

#include "api/meta_graph.h"
#include "api/saved_model.h"
#include "base/mem.h"

struct leat_saved_model {
    struct arena arena;
    struct graph *graph;
    TF_Session session;
    struct leat_signature *signatures;
    int num_signatures;
};

/* --- MetaGraphs --- */

static bool meta_graph_parse(struct arena *a, const TF_Buffer *b, struct pb_meta_graph_def **out,
                             struct status *st)
{
    struct status binary = {0}, text = {0};
    bool ok = pb_meta_graph_def_decode(a, b->data, b->length, PB_BORROW, out, &binary) ||
              pb_meta_graph_def_parse(a, b->data, b->length, out, &text);
    if (!ok)
        status_invalid(st, "no MetaGraphDef: as binary %s; as text %s", status_message(&binary),
                       status_message(&text));
    status_clear(&binary);
    status_clear(&text);
    return ok;
}

int leat_import_meta_graph(TF_Graph *g, const TF_Buffer *meta_graph, const char *scope,
                           TF_Status *status)
{
    struct status st = {0};
    struct arena a = {0};
    struct pb_meta_graph_def *meta;
    bool ok;
    if (!g || !meta_graph || !meta_graph->data)
        ok = status_invalid(&st, "leat_import_meta_graph: no graph or no MetaGraphDef");
    else
        ok = meta_graph_parse(&a, meta_graph, &meta, &st) &&
             meta_graph_in(api_graph(g), meta, scope ? scope : "", &st);
    arena_release(&a);
    api_return(status, &st);
    return ok;
}

TF_Buffer *leat_export_meta_graph(TF_Graph *g, const TF_Buffer *saver_def, TF_Status *status)
{
    struct status st = {0};
    struct arena a = {0};
    struct strbuf bytes = {0};
    TF_Buffer *out = NULL;
    bool ok = g || status_invalid(&st, "leat_export_meta_graph: no graph");
    if (ok) {
        struct pb_meta_graph_def *m = meta_graph_out(api_graph(g), &a);
        ok = !saver_def ||
             pb_saver_def_decode(&a, saver_def->data, saver_def->length, 0, &m->saver_def, &st);
        ok = ok && pb_encode(m, &bytes, &st);
    }
    if (ok) {
        out = TF_NewBuffer();
        ok = api_fill_buffer(out, &bytes, &st);
    }
    strbuf_release(&bytes);
    arena_release(&a);
    api_return(status, &st);
    return out;
}

/* --- signatures --- */

static int by_tensor_name(const void *x, const void *y)
{
    const struct leat_signature_tensor *a = x, *b = y;
    return strcmp(a->name, b->name);
}

static int by_signature_name(const void *x, const void *y)
{
    const struct leat_signature *a = x, *b = y;
    return strcmp(a->name, b->name);
}

static const char *own_text(struct leat_saved_model *m, struct str s)
{
    return arena_strndup(&m->arena, s.p ? s.p : "", s.n);
}

static struct leat_signature_tensor signature_tensor(struct leat_saved_model *m, struct str name,
                                                     const struct pb_tensor_info *info)
{
    struct leat_signature_tensor t = {.name = own_text(m, name), .dtype = (TF_DataType)info->dtype};
    struct status st = {0};
    struct output o = {0};
    if (info->name.n > 0 && graph_get_output(m->graph, own_text(m, info->name), &o, &st))
        t.tensor = (TF_Output){api_oper(o.node), o.index};
    status_clear(&st);
    return t;
}

static void read_signature(struct leat_saved_model *m, struct str name,
                           const struct pb_signature_def *d, struct leat_signature *out)
{
    struct leat_signature_tensor *in =
        arena_array(&m->arena, struct leat_signature_tensor, d->inputs.n);
    struct leat_signature_tensor *y =
        arena_array(&m->arena, struct leat_signature_tensor, d->outputs.n);
    for (int64_t i = 0; i < d->inputs.n; i++)
        in[i] = signature_tensor(m, d->inputs.v[i]->key, d->inputs.v[i]->value);
    for (int64_t i = 0; i < d->outputs.n; i++)
        y[i] = signature_tensor(m, d->outputs.v[i]->key, d->outputs.v[i]->value);
    if (d->inputs.n > 0)
        qsort(in, (size_t)d->inputs.n, sizeof *in, by_tensor_name);
    if (d->outputs.n > 0)
        qsort(y, (size_t)d->outputs.n, sizeof *y, by_tensor_name);
    *out = (struct leat_signature){.name = own_text(m, name),
                                   .method = own_text(m, d->method_name),
                                   .inputs = in,
                                   .outputs = y,
                                   .num_inputs = (int)d->inputs.n,
                                   .num_outputs = (int)d->outputs.n};
}

static void read_signatures(struct leat_saved_model *m, const struct pb_meta_graph_def *meta)
{
    m->signatures = arena_array(&m->arena, struct leat_signature, meta->signature_def.n);
    for (int64_t i = 0; i < meta->signature_def.n; i++) {
        const struct pb_meta_graph_def_signature_def_entry *e = meta->signature_def.v[i];
        if (!str_starts(e->key, "__saved_model")) /* the init and train ops */
            read_signature(m, e->key, e->value, &m->signatures[m->num_signatures++]);
    }
    if (m->num_signatures > 0)
        qsort(m->signatures, (size_t)m->num_signatures, sizeof *m->signatures, by_signature_name);
}

int leat_saved_model_signatures(leat_saved_model *m, const struct leat_signature **list)
{
    if (list)
        *list = m ? m->signatures : NULL;
    return m ? m->num_signatures : 0;
}

static const struct leat_signature *find_signature(leat_saved_model *m, const char *name,
                                                   struct status *st)
{
    struct strbuf known = {0};
    for (int i = 0; i < m->num_signatures; i++) {
        if (strcmp(m->signatures[i].name, name) == 0) {
            strbuf_release(&known);
            return &m->signatures[i];
        }
        strbuf_printf(&known, "%s%s", i > 0 ? ", " : "", m->signatures[i].name);
    }
    status_not_found(st, "the model has no signature '%s'; it has: %s", name,
                     known.n > 0 ? known.p : "none");
    strbuf_release(&known);
    return NULL;
}

const struct leat_signature *leat_saved_model_signature(leat_saved_model *m, const char *name,
                                                        TF_Status *status)
{
    struct status st = {0};
    const struct leat_signature *found = NULL;
    if (m && name)
        found = find_signature(m, name, &st);
    else
        status_invalid(&st, "leat_saved_model_signature: no model or no name");
    api_return(status, &st);
    return found;
}

static bool find_tensor(const struct leat_signature *s, bool input, const char *name,
                        TF_Output *out, struct status *st)
{
    const struct leat_signature_tensor *list = input ? s->inputs : s->outputs;
    int n = input ? s->num_inputs : s->num_outputs;
    struct strbuf known = {0};
    for (int i = 0; i < n; i++) {
        if (name && strcmp(list[i].name, name) == 0) {
            strbuf_release(&known);
            *out = list[i].tensor;
            return out->oper || status_invalid(st,
                                               "signature %s: '%s' is no single tensor of the "
                                               "graph",
                                               s->name, name);
        }
        strbuf_printf(&known, "%s%s", i > 0 ? ", " : "", list[i].name);
    }
    status_not_found(st, "signature %s has no %s '%s'; it has: %s", s->name,
                     input ? "input" : "output", name ? name : "", known.n > 0 ? known.p : "none");
    strbuf_release(&known);
    return false;
}

/* --- life --- */

leat_saved_model *leat_saved_model_load(const char *dir, struct leat_strings tags,
                                        TF_Status *status)
{
    static const char *const serve[] = {"serve"};
    struct status st = {0};
    struct config config;
    struct pb_meta_graph_def *meta;
    config_init(&config);
    struct load_args args = {.dir = dir,
                             .tags = tags.n > 0 ? tags.v : serve,
                             .num_tags = tags.n > 0 ? tags.n : 1,
                             .config = &config};
    leat_saved_model *m = mem_new(leat_saved_model);
    m->graph = graph_new();
    if (dir)
        m->session.s = load_saved_model(&m->arena, m->graph, &args, &meta, &st);
    else
        status_invalid(&st, "leat_saved_model_load: no folder");
    if (m->session.s) {
        read_signatures(m, meta);
    } else {
        leat_saved_model_free(m);
        m = NULL;
    }
    api_return(status, &st);
    return m;
}

void leat_saved_model_free(leat_saved_model *m)
{
    if (!m)
        return;
    if (m->session.s)
        session_free(m->session.s);
    graph_unref(m->graph);
    arena_release(&m->arena);
    mem_free(m);
}

TF_Graph *leat_saved_model_graph(leat_saved_model *m)
{
    return m ? (TF_Graph *)m->graph : NULL;
}

TF_Session *leat_saved_model_session(leat_saved_model *m)
{
    return m ? &m->session : NULL;
}

/* --- running --- */

/* Where the tensors that names[0, n) say are, into at. */
static bool names_in(const struct leat_signature *s, bool input, const leat_named_tensor *names,
                     int n, TF_Output *at, struct status *st)
{
    for (int i = 0; i < n; i++) {
        if (!find_tensor(s, input, names[i].name, &at[i], st))
            return false;
    }
    return true;
}

int leat_saved_model_run(leat_saved_model *m, const char *signature,
                         const leat_named_tensor *inputs, int num_inputs,
                         leat_named_tensor *outputs, int num_outputs, TF_Status *status)
{
    struct status st = {0};
    for (int i = 0; outputs && i < num_outputs; i++)
        outputs[i].tensor = NULL;
    bool ok = m && num_inputs >= 0 && num_outputs >= 0 && (inputs || num_inputs == 0) &&
              (outputs || num_outputs == 0);
    if (!ok) {
        status_invalid(&st, "leat_saved_model_run: no model, or no array");
        api_return(status, &st);
        return 0;
    }
    TF_Output *at = mem_new_array(TF_Output, (int64_t)num_inputs + num_outputs + 1);
    TF_Tensor **values = mem_new_array(TF_Tensor *, (int64_t)num_inputs + num_outputs + 1);
    const struct leat_signature *s =
        find_signature(m, signature ? signature : "serving_default", &st);
    ok = s && names_in(s, true, inputs, num_inputs, at, &st) &&
         names_in(s, false, outputs, num_outputs, at + num_inputs, &st);
    for (int i = 0; i < num_inputs; i++)
        values[i] = inputs[i].tensor;
    api_return(status, &st);
    if (ok) {
        TF_Status *own = status ? status : TF_NewStatus();
        TF_SessionRun(&m->session, NULL, at, values, num_inputs, at + num_inputs,
                      values + num_inputs, num_outputs, NULL, 0, NULL, own);
        ok = TF_GetCode(own) == TF_OK;
        for (int i = 0; ok && i < num_outputs; i++)
            outputs[i].tensor = values[num_inputs + i];
        if (!status)
            TF_DeleteStatus(own);
    }
    mem_free(at);
    mem_free(values);
    return ok;
}
