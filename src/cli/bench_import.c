/* SPDX-License-Identifier: Apache-2.0 */
/* The case of `leat bench` that measures reading: GraphDefs made here, then imported into a new
 * graph again and again through the C API. One has 100 MiB of constants, as frozen models do; the
 * other 50,000 small nodes, as training graphs do. A run is a graph made, filled and deleted. */
#include <stdio.h>

#include "base/mem.h"
#include "cli/bench_layers.h"

enum { LAYERS = 25, SIDE = 1024, BLOCKS = 5000 };

/* Products with matrices of random numbers: no two alike. */
static void make_constants(struct maker *m)
{
    const int64_t dims[] = {-1, SIDE};
    TF_Output x = make_input(m, TF_FLOAT, dims, 2);
    float *v = mem_new_array(float, SIDE *SIDE);
    for (int i = 0; i < LAYERS; i++) {
        for (int k = 0; k < SIDE * SIDE; k++)
            v[k] = (float)((double)(maker_random(&m->seed) >> 11) * 0x1p-52 - 1.0);
        x = op1(m, "Relu", op2(m, "MatMul", x, make_floats(m, v, SIDE, SIDE)));
    }
    mem_free(v);
}

/* Ten nodes a block: constants, elementwise ops, shapes. */
static void make_small_nodes(struct maker *m)
{
    const int64_t dims[] = {-1, 4};
    TF_Output x = make_input(m, TF_FLOAT, dims, 2);
    for (int i = 0; i < BLOCKS; i++) {
        const float row[] = {(float)i, 1, 2, 3};
        TF_Output y = op2(m, "Mul", x, make_floats(m, row, 1, 4));
        y = op2(m, "Add", y, make_scalar(m, 0.5f));
        y = op1(m, "Tanh", y);
        y = op2(m, "Reshape", y, make_ints(m, (int32_t[]){-1, 4}, 2));
        x = op1(m, "Identity", op2(m, "Maximum", y, op1(m, "Neg", x)));
    }
}

static bool import(struct bench_part *p, struct status *st)
{
    TF_Graph *g = TF_NewGraph();
    TF_ImportGraphDefOptions *options = TF_NewImportGraphDefOptions();
    TF_GraphImportGraphDef(g, p->graph_def, options, p->m.s);
    TF_DeleteImportGraphDefOptions(options);
    TF_DeleteGraph(g);
    p->runs++;
    return cli_ok(p->m.s, st);
}

static void import_name(int part, char *name, size_t size)
{
    snprintf(name, size, "%s", part ? "50000 nodes" : "100 MiB of constants");
}

static void build_import(struct bench_part *p, int part)
{
    if (part)
        make_small_nodes(&p->m);
    else
        make_constants(&p->m);
    p->graph_def = TF_NewBuffer();
    if (TF_GetCode(p->m.s) == TF_OK)
        TF_GraphToGraphDef(p->m.graph, p->graph_def, p->m.s);
    TF_DeleteGraph(p->m.graph); /* its memory is none of an import's */
    p->m.graph = TF_NewGraph();
    p->call = import;
    p->work = 1;
}

const struct bench_case bench_import_cases[] = {
    {"import", BENCH_STEPS, "TF_GraphImportGraphDef into a new graph", 2, import_name,
     build_import},
    {0},
};
