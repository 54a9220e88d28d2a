/* SPDX-License-Identifier: Apache-2.0 */
/* TF_GraphImportGraphDef and its options and results. Options own copies of all names. */
#include <string.h>

#include "api/api_impl.h"
#include "base/mem.h"
#include "graph/graphdef.h"

struct TF_ImportGraphDefOptions {
    char *prefix, *default_device;
    bool uniquify_names, uniquify_prefix;
    struct import_map *maps, *returns; /* names owned */
    int64_t num_maps, cap_maps, num_returns, cap_returns;
    struct node **control;
    int64_t num_control, cap_control;
    char **return_nodes;
    int64_t num_return_nodes, cap_return_nodes;
};

struct TF_ImportGraphDefResults {
    struct import_result r;
    int num_returns, num_return_nodes;
};

TF_ImportGraphDefOptions *TF_NewImportGraphDefOptions(void)
{
    return mem_new(TF_ImportGraphDefOptions);
}

void TF_DeleteImportGraphDefOptions(TF_ImportGraphDefOptions *o)
{
    if (!o)
        return;
    for (int64_t i = 0; i < o->num_maps; i++)
        mem_free((char *)(uintptr_t)o->maps[i].src);
    for (int64_t i = 0; i < o->num_returns; i++)
        mem_free((char *)(uintptr_t)o->returns[i].src);
    for (int64_t i = 0; i < o->num_return_nodes; i++)
        mem_free(o->return_nodes[i]);
    mem_free(o->maps);
    mem_free(o->returns);
    mem_free(o->return_nodes);
    mem_free(o->control);
    mem_free(o->prefix);
    mem_free(o->default_device);
    mem_free(o);
}

void TF_ImportGraphDefOptionsSetPrefix(TF_ImportGraphDefOptions *opts, const char *prefix)
{
    if (!opts)
        return;
    mem_free(opts->prefix);
    opts->prefix = mem_strdup(prefix ? prefix : "");
}

void TF_ImportGraphDefOptionsSetDefaultDevice(TF_ImportGraphDefOptions *opts, const char *device)
{
    if (!opts)
        return;
    mem_free(opts->default_device);
    opts->default_device = mem_strdup(device ? device : "");
}

void TF_ImportGraphDefOptionsSetUniquifyNames(TF_ImportGraphDefOptions *opts,
                                              unsigned char uniquify_names)
{
    if (opts)
        opts->uniquify_names = uniquify_names != 0;
}

void TF_ImportGraphDefOptionsSetUniquifyPrefix(TF_ImportGraphDefOptions *opts,
                                               unsigned char uniquify_prefix)
{
    if (opts)
        opts->uniquify_prefix = uniquify_prefix != 0;
}

static void add_map(struct import_map **maps, int64_t *n, int64_t *cap, const char *src, int index,
                    struct output dst)
{
    *maps = vec_reserve(*maps, cap, *n + 1, sizeof **maps);
    (*maps)[(*n)++] = (struct import_map){mem_strdup(src ? src : ""), index, dst};
}

void TF_ImportGraphDefOptionsAddInputMapping(TF_ImportGraphDefOptions *opts, const char *src_name,
                                             int src_index, TF_Output dst)
{
    if (opts)
        add_map(&opts->maps, &opts->num_maps, &opts->cap_maps, src_name, src_index,
                api_output(dst));
}

void TF_ImportGraphDefOptionsRemapControlDependency(TF_ImportGraphDefOptions *opts,
                                                    const char *src_name, TF_Operation *dst)
{
    if (opts)
        add_map(&opts->maps, &opts->num_maps, &opts->cap_maps, src_name, -1,
                (struct output){api_node(dst), -1});
}

void TF_ImportGraphDefOptionsAddControlDependency(TF_ImportGraphDefOptions *opts,
                                                  TF_Operation *oper)
{
    if (!opts || !oper)
        return;
    opts->control = vec_reserve(opts->control, &opts->cap_control, opts->num_control + 1,
                                sizeof *opts->control);
    opts->control[opts->num_control++] = api_node(oper);
}

void TF_ImportGraphDefOptionsAddReturnOutput(TF_ImportGraphDefOptions *opts, const char *oper_name,
                                             int index)
{
    if (opts)
        add_map(&opts->returns, &opts->num_returns, &opts->cap_returns, oper_name, index,
                (struct output){0});
}

int TF_ImportGraphDefOptionsNumReturnOutputs(const TF_ImportGraphDefOptions *opts)
{
    return opts ? (int)opts->num_returns : 0;
}

void TF_ImportGraphDefOptionsAddReturnOperation(TF_ImportGraphDefOptions *opts,
                                                const char *oper_name)
{
    if (!opts)
        return;
    opts->return_nodes = vec_reserve(opts->return_nodes, &opts->cap_return_nodes,
                                     opts->num_return_nodes + 1, sizeof(char *));
    opts->return_nodes[opts->num_return_nodes++] = mem_strdup(oper_name ? oper_name : "");
}

int TF_ImportGraphDefOptionsNumReturnOperations(const TF_ImportGraphDefOptions *opts)
{
    return opts ? (int)opts->num_return_nodes : 0;
}

/* --- the import --- */

static bool import(TF_Graph *graph, const TF_Buffer *graph_def, const TF_ImportGraphDefOptions *o,
                   struct import_result *out, struct status *st)
{
    static const TF_ImportGraphDefOptions defaults;
    if (!graph || !graph_def || (!graph_def->data && graph_def->length))
        return status_invalid(st, "TF_GraphImportGraphDef: no graph or no GraphDef");
    o = o ? o : &defaults;
    struct import_options in = {.prefix = o->prefix,
                                .default_device = o->default_device,
                                .uniquify_names = o->uniquify_names,
                                .uniquify_prefix = o->uniquify_prefix,
                                .maps = o->maps,
                                .num_maps = o->num_maps,
                                .control = o->control,
                                .num_control = o->num_control,
                                .returns = o->returns,
                                .num_returns = o->num_returns,
                                .return_nodes = (const char *const *)o->return_nodes,
                                .num_return_nodes = o->num_return_nodes};
    return graph_import(api_graph(graph), graph_def->data ? graph_def->data : "", graph_def->length,
                        &in, out, st);
}

TF_ImportGraphDefResults *TF_GraphImportGraphDefWithResults(TF_Graph *graph,
                                                            const TF_Buffer *graph_def,
                                                            const TF_ImportGraphDefOptions *options,
                                                            TF_Status *status)
{
    struct status st = {0};
    TF_ImportGraphDefResults *r = mem_new(TF_ImportGraphDefResults);
    if (import(graph, graph_def, options, &r->r, &st)) {
        r->num_returns = TF_ImportGraphDefOptionsNumReturnOutputs(options);
        r->num_return_nodes = TF_ImportGraphDefOptionsNumReturnOperations(options);
    } else {
        mem_free(r);
        r = NULL;
    }
    api_return(status, &st);
    return r;
}

void TF_GraphImportGraphDefWithReturnOutputs(TF_Graph *graph, const TF_Buffer *graph_def,
                                             const TF_ImportGraphDefOptions *options,
                                             TF_Output *return_outputs, int num_return_outputs,
                                             TF_Status *status)
{
    struct status st = {0};
    struct import_result r = {0};
    if (num_return_outputs != TF_ImportGraphDefOptionsNumReturnOutputs(options)) {
        status_invalid(&st, "Expected 'num_return_outputs' to be %d, got %d",
                       TF_ImportGraphDefOptionsNumReturnOutputs(options), num_return_outputs);
    } else if (num_return_outputs > 0 && !return_outputs) {
        status_invalid(&st, "'return_outputs' must be preallocated to length %d",
                       num_return_outputs);
    } else if (import(graph, graph_def, options, &r, &st)) {
        for (int i = 0; i < num_return_outputs; i++)
            return_outputs[i] = (TF_Output){api_oper(r.returns[i].node), r.returns[i].index};
        import_result_clear(&r);
    }
    api_return(status, &st);
}

void TF_GraphImportGraphDef(TF_Graph *graph, const TF_Buffer *graph_def,
                            const TF_ImportGraphDefOptions *options, TF_Status *status)
{
    struct status st = {0};
    struct import_result r = {0};
    if (TF_ImportGraphDefOptionsNumReturnOutputs(options) > 0)
        status_invalid(
            &st,
            "the options ask for return outputs: call TF_GraphImportGraphDefWithReturnOutputs");
    else if (import(graph, graph_def, options, &r, &st))
        import_result_clear(&r);
    api_return(status, &st);
}

/* --- results --- */

void TF_DeleteImportGraphDefResults(TF_ImportGraphDefResults *results)
{
    if (!results)
        return;
    import_result_clear(&results->r);
    mem_free(results);
}

void TF_ImportGraphDefResultsReturnOutputs(TF_ImportGraphDefResults *results, int *num_outputs,
                                           TF_Output **outputs)
{
    if (num_outputs)
        *num_outputs = results ? results->num_returns : 0;
    if (outputs)
        *outputs = results ? (TF_Output *)results->r.returns : NULL;
}

void TF_ImportGraphDefResultsReturnOperations(TF_ImportGraphDefResults *results, int *num_opers,
                                              TF_Operation ***opers)
{
    if (num_opers)
        *num_opers = results ? results->num_return_nodes : 0;
    if (opers)
        *opers = results ? (TF_Operation **)results->r.return_nodes : NULL;
}

void TF_ImportGraphDefResultsMissingUnusedInputMappings(TF_ImportGraphDefResults *results,
                                                        int *num_missing_unused_input_mappings,
                                                        const char ***src_names, int **src_indexes)
{
    if (num_missing_unused_input_mappings)
        *num_missing_unused_input_mappings = results ? (int)results->r.num_unused : 0;
    if (src_names)
        *src_names = results ? (const char **)results->r.unused_maps : NULL;
    if (src_indexes)
        *src_indexes = results ? results->r.unused_indices : NULL;
}
