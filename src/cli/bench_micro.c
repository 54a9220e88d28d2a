/* SPDX-License-Identifier: Apache-2.0 */
/* The cases of `leat bench` that measure one thing: what a run and a node cost, products,
 * convolutions, a chain of elementwise ops. Values are variables, so that nothing is folded, and
 * nothing is fetched, so that nothing is copied out. */
#include <stdio.h>

#include "cli/bench.h"

enum { CHAIN_NODES = 2000 };

static void one_target(struct bench_part *p, TF_Output out)
{
    p->target = out.oper;
}

static TF_Output pair(struct maker *m, const char *op, TF_Output a, TF_Output b)
{
    return make_op(m, op, 2, (TF_Output[]){a, b});
}

static void build_null_run(struct bench_part *p, int part)
{
    (void)part;
    bench_target(p, NULL, 0);
    p->work = 1;
}

static TF_Output add_chain(struct maker *m, TF_Output x)
{
    const TF_Output one = make_scalar(m, 1);
    for (int i = 0; i < CHAIN_NODES; i++)
        x = pair(m, "Add", x, one);
    return x;
}

static void build_node_tape(struct bench_part *p, int part)
{
    (void)part;
    one_target(p, add_chain(&p->m, bench_input(p, TF_FLOAT, NULL, 0, 0)));
    p->work = CHAIN_NODES;
}

/* The chain hangs on a Switch, so that it may be dead: the dataflow executor runs it. */
static void build_node_dataflow(struct bench_part *p, int part)
{
    (void)part;
    const TF_Output x = bench_input(p, TF_FLOAT, NULL, 0, 0);
    const TF_Output which = bench_input(p, TF_BOOL, NULL, 0, 0);
    TF_Output taken = pair(&p->m, "Switch", x, which);
    taken.index = 1;
    one_target(p, add_chain(&p->m, taken));
    p->work = CHAIN_NODES;
}

/* ---- products: m x n x k, odd sizes too */

static const int64_t gemm_sizes[][3] = {
    {16, 16, 16},    {32, 32, 32},     {64, 64, 64},      {128, 128, 128},
    {512, 512, 512}, {128, 128, 784},  {128, 1000, 1024}, {100, 10, 784},
    {37, 53, 71},    {1000, 1000, 17}, {129, 257, 385},   {2048, 2048, 2048},
};
static const char gemm_forms[][3] = {"NN", "TN", "NT"};

static void gemm_name(int part, char *name, size_t size)
{
    const int64_t *s = gemm_sizes[part / 3];
    snprintf(name, size, "%dx%dx%d %s", (int)s[0], (int)s[1], (int)s[2], gemm_forms[part % 3]);
}

static void build_gemm(struct bench_part *p, int part)
{
    const int64_t m = gemm_sizes[part / 3][0], n = gemm_sizes[part / 3][1];
    const int64_t k = gemm_sizes[part / 3][2];
    const bool ta = part % 3 == 1, tb = part % 3 == 2;
    const TF_Output in[2] = {make_variable(&p->m, (int64_t[]){ta ? k : m, ta ? m : k}, 2, 1),
                             make_variable(&p->m, (int64_t[]){tb ? n : k, tb ? k : n}, 2, 1)};
    const struct make_attr attrs[] = {attr_bool("transpose_a", ta), attr_bool("transpose_b", tb)};
    one_target(
        p,
        make(&p->m,
             &(struct make_node){
                 .op = "MatMul", .inputs = in, .num_inputs = 2, .attrs = attrs, .num_attrs = 2}));
    p->work = 2e-9 * (double)m * (double)n * (double)k;
}

/* ---- convolutions, NHWC, filters HWIO */

static const struct {
    int64_t batch, size, in, out, filter;
} layers[] = {{128, 14, 32, 64, 5}, {32, 56, 64, 64, 3}, {32, 56, 64, 256, 1}};
static const char *const conv_passes[] = {"forward", "data", "filter"};

static void conv_name(int part, char *name, size_t size)
{
    const int b = (int)layers[part / 3].batch, hw = (int)layers[part / 3].size;
    const int f = (int)layers[part / 3].filter;
    snprintf(name, size, "%dx%dx%d %d-%d %dx%d %s", b, hw, hw, (int)layers[part / 3].in,
             (int)layers[part / 3].out, f, f, conv_passes[part % 3]);
}

static void build_conv(struct bench_part *p, int part)
{
    const int64_t b = layers[part / 3].batch, hw = layers[part / 3].size, in = layers[part / 3].in;
    const int64_t out = layers[part / 3].out, f = layers[part / 3].filter;
    const int64_t x_dims[] = {b, hw, hw, in}, f_dims[] = {f, f, in, out},
                  y_dims[] = {b, hw, hw, out};
    struct maker *m = &p->m;
    static const char *const ops[] = {"Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter"};
    TF_Output args[3];
    int n = 0;
    if (part % 3 == 1)
        args[n++] = make_ints(m, (int32_t[]){(int)b, (int)hw, (int)hw, (int)in}, 4);
    else
        args[n++] = make_variable(m, x_dims, 4, 1);
    if (part % 3 == 2)
        args[n++] = make_ints(m, (int32_t[]){(int)f, (int)f, (int)in, (int)out}, 4);
    else
        args[n++] = make_variable(m, f_dims, 4, 1);
    if (part % 3 != 0)
        args[n++] = make_variable(m, y_dims, 4, 1);
    const struct make_attr attrs[] = {attr_ints("strides", (int64_t[]){1, 1, 1, 1}, 4),
                                      attr_text("padding", "SAME")};
    one_target(p, make(m, &(struct make_node){.op = ops[part % 3],
                                              .inputs = args,
                                              .num_inputs = n,
                                              .attrs = attrs,
                                              .num_attrs = 2}));
    p->work = 2e-9 * (double)(b * hw * hw) * (double)(f * f) * (double)(in * out);
}

/* ---- ten elementwise ops; bytes are one read and one write of the array */

static void ewise_name(int part, char *name, size_t size)
{
    snprintf(name, size, "%dM floats", part ? 16 : 1);
}

static void build_ewise_chain(struct bench_part *p, int part)
{
    static const char *const ops[] = {"Add", "Mul", "Maximum"};
    const int64_t n = (int64_t)(part ? 16 : 1) << 20;
    TF_Output x = make_variable(&p->m, &n, 1, 1);
    for (int i = 0; i < 10; i++)
        x = pair(&p->m, ops[i % 3], x, make_scalar(&p->m, 0.5f + 0.1f * (float)i));
    one_target(p, x);
    p->work = 8e-9 * (double)n;
}

const struct bench_case bench_micro_cases[] = {
    {"null_run", BENCH_NS, "TF_SessionRun of nothing", 1, NULL, build_null_run},
    {"node_tape", BENCH_NS, "a node of a chain of scalar adds", 1, NULL, build_node_tape},
    {"node_dataflow", BENCH_NS, "the same behind a Switch", 1, NULL, build_node_dataflow},
    {"gemm", BENCH_GFLOPS, "MatMul through a session", 3 * (int)ARRAY_LEN(gemm_sizes), gemm_name,
     build_gemm},
    {"conv", BENCH_GFLOPS, "Conv2D and its gradients", 3 * (int)ARRAY_LEN(layers), conv_name,
     build_conv},
    {"ewise_chain", BENCH_GBS, "ten adds, products and maxima", 2, ewise_name, build_ewise_chain},
    {0},
};
