/* SPDX-License-Identifier: Apache-2.0 */
/* The program of _FusedEwise and _FusedUpdate, from the node's attrs: made once per kernel. A graph
 * from outside may hold such a node with any attrs; whatever is not a tree that tiles can do is
 * refused. */
#include <string.h>

#include "base/mem.h"
#include "ops/math/fused.h"

void fused_release(void *state)
{
    struct fused *f = state;
    for (int k = 0; f->ops && k < f->num_ops; k++)
        kernel_free(f->ops[k].kernel);
    mem_free(f->ops);
}

static bool fail_program(const struct kernel *k, const char *what, struct status *st)
{
    return status_invalid(st, "%s '%s': %s", k->op->name, k->node_name, what);
}

/* The chain step that computes what an op computes, bit for bit. */
static uint8_t chain_of(const char *op, const struct kernel *k)
{
    static const struct {
        const char *op;
        uint8_t chain;
    } rows[] = {{"Add", MATH_CHAIN_ADD},
                {"AddV2", MATH_CHAIN_ADD},
                {"AddN", MATH_CHAIN_ADD},
                {"BiasAdd", MATH_CHAIN_ADD},
                {"BiasAddV1", MATH_CHAIN_ADD},
                {"AssignAdd", MATH_CHAIN_ADD},
                {"Sub", MATH_CHAIN_SUB},
                {"AssignSub", MATH_CHAIN_SUB},
                {"Mul", MATH_CHAIN_MUL},
                {"Div", MATH_CHAIN_DIV},
                {"RealDiv", MATH_CHAIN_DIV},
                {"Maximum", MATH_CHAIN_MAX},
                {"Minimum", MATH_CHAIN_MIN},
                {"SquaredDifference", MATH_CHAIN_SQUARED_DIFF},
                {"TanhGrad", MATH_CHAIN_TANH_GRAD},
                {"SigmoidGrad", MATH_CHAIN_SIGMOID_GRAD},
                {"ReluGrad", MATH_CHAIN_RELU_GRAD},
                {"Neg", MATH_CHAIN_NEG},
                {"Abs", MATH_CHAIN_ABS},
                {"Square", MATH_CHAIN_SQUARE},
                {"Relu", MATH_CHAIN_RELU},
                {"Relu6", MATH_CHAIN_RELU6}};
    int type = dtype_base(k->output_types[0]);
    for (size_t i = 0; i < ARRAY_LEN(rows) && (type == DT_FLOAT || type == DT_DOUBLE); i++) {
        if (strcmp(op, rows[i].op) == 0)
            return rows[i].chain;
    }
    return MATH_CHAIN_NUM;
}

/* Nanoseconds an element, the memory apart. */
static double cost_of(const struct fused_op *o)
{
    const struct kernel *k = o->kernel;
    if (o->chain != MATH_CHAIN_NUM)
        return 0.02;
    bool known = k->def->run == ewise_run_unary || k->def->run == ewise_run_binary ||
                 k->def->run == ewise_run_same;
    return known ? (double)((const struct ewise_loop *)k->state)->cost_ns : 1;
}

static bool fail_holds(const struct kernel *k, const char *op, struct status *st)
{
    return status_invalid(st, "%s '%s': cannot hold this %s", k->op->name, k->node_name, op);
}

/* What the last instruction of an update does to a tile of the variable, or NULL. */
static ewise_fn update_fn(const struct kernel *own)
{
    const int type = own->num_inputs > 1 ? own->input_types[1] : DT_INVALID;
    if (strcmp(own->op->name, "AssignAdd") == 0)
        return ewise_for_fusion(EW_add, type);
    return strcmp(own->op->name, "AssignSub") == 0 ? ewise_for_fusion(EW_sub, type) : NULL;
}

static bool make_op(struct kernel *k, struct fused *f, int at, struct status *st)
{
    const struct attr_func *node = attrs_list(k->attrs, "nodes")->funcs[at];
    struct str name = attrs_list(k->attrs, "names")->ss[at];
    struct str made = attrs_list(k->attrs, "made")->ss[at];
    struct fused_op *o = &f->ops[at];
    const bool updates = f->update && at == f->num_ops - 1;
    const struct op *op = op_find(node->name);
    if (!op || op->function || (op->def->flags & OP_STATEFUL))
        return fail_holds(k, node->name, st);
    const char *called = name.n > 0 ? name.p : k->node_name;
    if (!op_check_attrs(op, &node->attrs, called, st))
        return false;
    const struct kernel_def *def = kernel_find(op, "CPU", &node->attrs, called, st);
    if (!def)
        return false;
    if (!updates && !def->ewise && !def->ewise_of)
        return fail_holds(k, node->name, st);
    o->kernel = kernel_new(def, op, called, &node->attrs, k->device, st);
    if (!o->kernel)
        return false;
    o->kernel->made_at = made.n > 0 ? made.p : NULL;
    const struct kernel *own = o->kernel;
    if (own->num_inputs < 1 || own->num_inputs > FUSED_ARGS || own->num_outputs != 1)
        return fail_holds(k, node->name, st);
    o->num_args = (uint8_t)own->num_inputs;
    o->fn = updates ? update_fn(own)
                    : kernel_ewise(def, own->attrs, own->input_types, o->num_args,
                                   own->output_types[0]);
    if (!o->fn)
        return fail_holds(k, node->name, st);
    o->same_shape = updates || (def->flags & KERNEL_SAME_SHAPE) || def->run == ewise_run_same;
    o->chain = chain_of(op->name, own);
    o->bias = def->flags & KERNEL_BIAS;
    o->like_first = def->flags & KERNEL_LIKE_FIRST;
    f->particular = f->particular || o->bias || o->like_first;
    if (o->bias && str_is(attrs_string(own->attrs, "data_format"), "NCHW"))
        return fail_program(k, "a bias along another dim than the last", st);
    o->by_one_value = strcmp(op->name, "Pow") == 0;
    o->out = -1;
    f->bytes[f->num_in + at] = (uint8_t)dtype_size(dtype_base(own->output_types[0]));
    return true;
}

static int type_of(const struct kernel *k, const struct fused *f, int value)
{
    return value < f->num_in ? k->input_types[value]
                             : f->ops[value - f->num_in].kernel->output_types[0];
}

static bool read_args(struct kernel *k, struct fused *f, struct status *st)
{
    const struct attr_value *v = attrs_list(k->attrs, "operands");
    bool used[FUSED_MAX_VALUES] = {false};
    int64_t at = 0;
    for (int i = 0; i < f->num_ops; i++) {
        struct fused_op *o = &f->ops[i];
        for (int j = 0; j < o->num_args; j++, at++) {
            if (at >= v->n || v->is[at] < 0 || v->is[at] >= f->num_in + i)
                return fail_program(k, "an operand that is not there", st);
            if (type_of(k, f, (int)v->is[at]) != o->kernel->input_types[j])
                return fail_program(k, "an operand of another type", st);
            o->args[j] = (int16_t)v->is[at];
            used[v->is[at]] = true;
            if (v->is[at] >= f->num_in)
                f->ops[v->is[at] - f->num_in].num_uses++;
        }
    }
    if (f->update && f->ops[f->num_ops - 1].args[0] != 0)
        return fail_program(k, "another variable than its own", st);
    if (at != v->n)
        return fail_program(k, "more operands than its nodes have", st);
    for (int i = 0; i < f->num_in; i++) {
        if (!used[i])
            return fail_program(k, "a value that nothing reads", st);
    }
    return true;
}

static bool read_results(struct kernel *k, struct fused *f, struct status *st)
{
    const struct attr_value *v = attrs_list(k->attrs, "results");
    if (v->n < 1 || v->n != k->num_outputs || v->n > FUSED_MAX_OUTPUTS ||
        v->is[0] != f->num_ops - 1)
        return fail_program(k, "its results are not its outputs", st);
    f->num_outs = (int)v->n;
    for (int i = 0; i < f->num_outs; i++) {
        if (v->is[i] < 0 || v->is[i] >= f->num_ops || f->ops[v->is[i]].out >= 0 ||
            type_of(k, f, f->num_in + (int)v->is[i]) != k->output_types[i])
            return fail_program(k, "a result that is not there or of another type", st);
        f->results[i] = (int16_t)v->is[i];
        f->ops[v->is[i]].out = (int8_t)i;
    }
    for (int i = 0; i < f->num_ops; i++) {
        if (f->ops[i].num_uses == 0 && f->ops[i].out < 0)
            return fail_program(k, "a value that nothing reads", st);
    }
    return true;
}

/* Frees the tiles of o's operands that instruction k is the last to read. */
static void free_operands(struct fused *f, int k, const int *last, bool *taken)
{
    const struct fused_op *o = &f->ops[k];
    for (int i = 0; i < o->num_args; i++) {
        if (o->args[i] >= f->num_in && last[o->args[i]] == k)
            taken[f->ops[o->args[i] - f->num_in].reg] = false;
    }
}

/* Each result lies in a tile from its instruction to its last use. An instruction may write where
 * one of its operands lies, if all are of one size. */
static void place_results(struct fused *f)
{
    int last[FUSED_MAX_VALUES] = {0};
    bool taken[FUSED_MAX_OPS] = {false};
    for (int k = 0; k < f->num_ops; k++) {
        for (int i = 0; i < f->ops[k].num_args; i++)
            last[f->ops[k].args[i]] = k;
    }
    for (int k = 0; k < f->num_ops; k++) {
        struct fused_op *o = &f->ops[k];
        bool alike = true;
        for (int i = 0; i < o->num_args; i++)
            alike = alike && f->bytes[o->args[i]] == f->bytes[f->num_in + k];
        if (alike)
            free_operands(f, k, last, taken);
        int reg = 0;
        while (taken[reg])
            reg++;
        taken[reg] = true;
        o->reg = (uint8_t)reg;
        f->num_regs = reg + 1 > f->num_regs ? reg + 1 : f->num_regs;
        if (!alike)
            free_operands(f, k, last, taken);
    }
}

bool fused_init(struct kernel *k, void *state, struct status *st)
{
    struct fused *f = state;
    int64_t n = attrs_list(k->attrs, "nodes")->n;
    if (n < 1 || n > FUSED_MAX_OPS || attrs_list(k->attrs, "names")->n != n ||
        attrs_list(k->attrs, "made")->n != n)
        return fail_program(k, "its nodes, names and places differ in number", st);
    if (k->num_inputs > FUSED_MAX_INPUTS)
        return fail_program(k, "too many inputs", st);
    f->num_in = k->num_inputs;
    f->num_ops = (int)n;
    f->update = strcmp(k->op->name, "_FusedUpdate") == 0;
    f->most_bytes = 1;
    for (int i = 0; i < f->num_in; i++)
        f->bytes[i] = (uint8_t)dtype_size(dtype_base(k->input_types[i]));
    f->cost_ns = 0.08 * (k->num_inputs + k->num_outputs); /* the memory */
    f->ops = mem_new_array(struct fused_op, n);
    for (int i = 0; i < n; i++) {
        if (!make_op(k, f, i, st))
            return false;
        f->cost_ns += cost_of(&f->ops[i]);
    }
    if (!read_args(k, f, st) || !read_results(k, f, st))
        return false;
    for (int i = 0; i < f->num_in + f->num_ops; i++)
        f->most_bytes = f->bytes[i] > f->most_bytes ? f->bytes[i] : f->most_bytes;
    place_results(f);
    f->whole = f->num_regs <= FUSED_MAX_REGS;
    return true;
}
