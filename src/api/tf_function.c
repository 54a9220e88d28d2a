/* SPDX-License-Identifier: Apache-2.0 */
/* TF_Function: a definition by itself. Graphs that it is added to have copies of their own; all
 * that it can be is checked there. */
#include "api/api_impl.h"
#include "base/mem.h"
#include "graph/function.h"
#include "graph/function_make.h"
#include "graph/graphdef.h"
#include "proto/leat_proto.h"

struct TF_Function {
    struct arena arena; /* holds def */
    struct pb_function_def *def;
    char *name;
};

/* A copy of def. */
static TF_Function *function_new(const struct pb_function_def *def, struct status *st)
{
    struct strbuf bytes = {0};
    TF_Function *f = mem_new(TF_Function);

    bool ok = pb_encode(def, &bytes, st) &&
              pb_function_def_decode(&f->arena, bytes.p ? bytes.p : "", bytes.n, 0, &f->def, st);
    strbuf_release(&bytes);
    if (!ok) {
        TF_DeleteFunction(f);
        return NULL;
    }
    if (!f->def->signature)
        f->def->signature = pb_op_def_new(&f->arena);
    struct str name = f->def->signature->name;
    f->name = mem_strndup(name.p ? name.p : "", name.n);
    return f;
}

void TF_DeleteFunction(TF_Function *func)
{
    if (!func)
        return;
    arena_release(&func->arena);
    mem_free(func->name);
    mem_free(func);
}

const char *TF_FunctionName(TF_Function *func)
{
    return func ? func->name : "";
}

/* --- in and out --- */

TF_Function *TF_FunctionImportFunctionDef(const void *proto, size_t proto_len, TF_Status *status)
{
    struct status st = {0};
    struct arena a = {0};
    struct pb_function_def *def;
    TF_Function *f = NULL;

    if (!proto && proto_len > 0) {
        status_invalid(&st, "TF_FunctionImportFunctionDef: no bytes");
    } else if (pb_function_def_decode(&a, proto ? proto : "", proto_len, 0, &def, &st)) {
        f = function_new(def, &st);
    } else {
        status_prepend(&st, "Invalid FunctionDef given to TF_FunctionImportFunctionDef: ");
        st.code = STATUS_INVALID_ARGUMENT;
    }
    arena_release(&a);
    api_return(status, &st);
    return f;
}

void TF_FunctionToFunctionDef(TF_Function *func, TF_Buffer *output_func_def, TF_Status *status)
{
    struct status st = {0};
    struct strbuf bytes = {0};

    if (!func)
        status_invalid(&st, "TF_FunctionToFunctionDef: no function");
    else if (pb_encode(func->def, &bytes, &st) && !api_fill_buffer(output_func_def, &bytes, &st))
        ASSERT(!status_ok(&st));
    strbuf_release(&bytes);
    api_return(status, &st);
}

/* --- attrs of the definition --- */

void TF_FunctionSetAttrValueProto(TF_Function *func, const char *attr_name, const void *proto,
                                  size_t proto_len, TF_Status *status)
{
    struct status st = {0};
    struct pb_attr_value *v;

    if (!func || !attr_name || (!proto && proto_len > 0)) {
        status_invalid(&st, "TF_FunctionSetAttrValueProto: no function, name or bytes");
    } else if (!pb_attr_value_decode(&func->arena, proto ? proto : "", proto_len, 0, &v, &st)) {
        status_clear(&st);
        status_invalid(&st, "Unparseable AttrValue proto passed to TF_FunctionSetAttrValueProto");
    } else {
        struct pb_function_def_attr_entry *e = pb_map_put(
            &func->arena, &func->def->attr, &pb_function_def_attr_entry_desc, str_of(attr_name));

        e->value = v;
    }
    api_return(status, &st);
}

void TF_FunctionGetAttrValueProto(TF_Function *func, const char *attr_name,
                                  TF_Buffer *output_attr_value, TF_Status *status)
{
    struct status st = {0};
    struct strbuf bytes = {0};
    const struct pb_function_def_attr_entry *e =
        func && attr_name ? pb_map_find(&func->def->attr, str_of(attr_name)) : NULL;

    if (!func || !attr_name)
        status_invalid(&st, "TF_FunctionGetAttrValueProto: no function or name");
    else if (!e)
        status_invalid(&st, "Function '%s' has no attr named '%s'.", func->name, attr_name);
    else if (pb_encode(e->value, &bytes, &st) && !api_fill_buffer(output_attr_value, &bytes, &st))
        ASSERT(!status_ok(&st));
    strbuf_release(&bytes);
    api_return(status, &st);
}

/* --- functions of a graph --- */

void TF_GraphCopyFunction(TF_Graph *g, const TF_Function *func, const TF_Function *grad,
                          TF_Status *status)
{
    struct status st = {0};
    struct graph *graph = api_graph(g);

    if (!g)
        status_invalid(&st, "TF_GraphCopyFunction: no graph");
    else if (!func)
        status_invalid(&st, "'func' argument to TF_GraphCopyFunction cannot be null");
    else if (graph_add_function(graph, func->def, &st) && grad &&
             graph_add_function(graph, grad->def, &st) &&
             !library_add_grad(graph->library, func->name, grad->name, &st))
        ASSERT(!status_ok(&st));
    api_return(status, &st);
}

int TF_GraphNumFunctions(TF_Graph *g)
{
    return g ? (int)graph_functions(api_graph(g), NULL, 0) : 0;
}

int TF_GraphGetFunctions(TF_Graph *g, TF_Function **funcs, int max_func, TF_Status *status)
{
    struct status st = {0};
    int made = 0;

    if (!g || max_func < 0 || (max_func > 0 && !funcs)) {
        status_invalid(&st, "TF_GraphGetFunctions: no graph or array");
        api_return(status, &st);
        return 0;
    }
    int64_t n = graph_functions(api_graph(g), NULL, 0);
    struct function **all = mem_new_array(struct function *, n + 1);

    n = min_i64(n, graph_functions(api_graph(g), all, n));
    for (; made < n && made < max_func; made++) {
        funcs[made] = function_new(all[made]->def, &st);
        if (!funcs[made])
            break;
    }
    mem_free(all);
    if (!status_ok(&st)) {
        while (made > 0)
            TF_DeleteFunction(funcs[--made]);
    }
    api_return(status, &st);
    return made;
}

/* --- functions out of graphs --- */

static bool counts_ok(const struct function_spec *s, int num_opers, const void *opers,
                      struct status *st)
{
    if (!s->name)
        return status_invalid(st, "TF_GraphToFunction: no name");
    if (num_opers < -1 || s->num_inputs < 0 || s->num_outputs < 0 || s->num_control < 0)
        return status_invalid(st, "TF_GraphToFunction: a count is negative");
    if ((num_opers > 0 && !opers) || (s->num_inputs && !s->inputs) ||
        (s->num_outputs && !s->outputs) || (s->num_control && !s->control))
        return status_invalid(st, "TF_GraphToFunction: an array is missing");
    return true;
}

TF_Function *TF_GraphToFunctionWithControlOutputs(
    const TF_Graph *fn_body, const char *fn_name, unsigned char append_hash_to_fn_name,
    int num_opers, const TF_Operation *const *opers, int ninputs, const TF_Output *inputs,
    int noutputs, const TF_Output *outputs, const char *const *output_names, int ncontrol_outputs,
    const TF_Operation *const *control_outputs, const char *const *control_output_names,
    const TF_FunctionOptions *opts, const char *description, TF_Status *status)
{
    static struct node *const no_nodes[1];
    struct status st = {0};
    struct arena a = {0};
    struct pb_function_def *def;
    TF_Function *f = NULL;
    struct function_spec s = {.name = fn_name,
                              .append_hash = append_hash_to_fn_name,
                              .num_nodes = num_opers,
                              .inputs = api_outputs(inputs),
                              .num_inputs = ninputs,
                              .outputs = api_outputs(outputs),
                              .num_outputs = noutputs,
                              .output_names = output_names,
                              .control = (struct node *const *)(uintptr_t)control_outputs,
                              .num_control = ncontrol_outputs,
                              .control_names = control_output_names,
                              .description = description};

    (void)opts;
    if (num_opers >= 0)
        s.nodes = num_opers ? (struct node *const *)(uintptr_t)opers : no_nodes;
    if (!fn_body)
        status_invalid(&st, "TF_GraphToFunction: no graph");
    else if (counts_ok(&s, num_opers, opers, &st) &&
             function_from_graph(api_graph((TF_Graph *)(uintptr_t)fn_body), &s, &a, &def, &st))
        f = function_new(def, &st);
    arena_release(&a);
    api_return(status, &st);
    return f;
}

TF_Function *TF_GraphToFunction(const TF_Graph *fn_body, const char *fn_name,
                                unsigned char append_hash_to_fn_name, int num_opers,
                                const TF_Operation *const *opers, int ninputs,
                                const TF_Output *inputs, int noutputs, const TF_Output *outputs,
                                const char *const *output_names, const TF_FunctionOptions *opts,
                                const char *description, TF_Status *status)
{
    return TF_GraphToFunctionWithControlOutputs(
        fn_body, fn_name, append_hash_to_fn_name, num_opers, opers, ninputs, inputs, noutputs,
        outputs, output_names, 0, NULL, NULL, opts, description, status);
}
