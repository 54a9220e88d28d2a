/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic simplification: a node whose output is one of its inputs, or an input's input, bit for
 * bit and dead when that is, is read past.
 *
 * x*1, x/1, x-0 and x+(-0) hold for every value, x+0 for whole numbers alone (it makes a zero of
 * -0). Complex products are left alone: an infinity times 1+0i is no infinity. The constant must be
 * a scalar, so that it cannot widen the shape. A node with control inputs stays: what reads it
 * waits for them. One visit a node in topological order. */
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "graph/pass_util.h"

/* The rules' ops. Those of `operands` give back one of two; of `same` their input; two of `undone`
 * in a row what the first was given, two of `settled` what the first gave; `reshapes` their input
 * when its shape stays; `reductions` theirs when they are along no axis. */
static const char *const operands[] = {"Mul", "Add",     "AddV2",      "Sub",
                                       "Div", "RealDiv", "TruncateDiv"};
static const char *const same[] = {"Identity", "StopGradient",          "PreventGradient",
                                   "Snapshot", "DebugGradientIdentity", "PlaceholderWithDefault"};
static const char *const undone[] = {"Neg", "LogicalNot", "Conj", "Invert"};
static const char *const settled[] = {"Abs",  "Sign", "Floor", "Ceil",
                                      "Rint", "Relu", "Relu6", "ZerosLike"};
static const char *const reshapes[] = {"Reshape", "Squeeze", "BroadcastTo", "Tile",
                                       "Slice",   "Pad",     "PadV2",       "MirrorPad"};
static const char *const reductions[] = {"Sum", "Prod", "Max", "Min", "Mean"};
static const char *const others[] = {"Cast", "Bitcast", "AddN", "IdentityN", "Pack", "Unpack"};

struct arith {
    struct rgraph *g;
    struct rnode **order;
    struct rforward f;
    bool *conditional, *sure; /* by node id; NULL: not asked for yet */
    struct u64map candidates; /* op -> whether a rule is for it */
};

static bool is_conditional(struct arith *a, const struct rnode *n)
{
    if (!a->conditional)
        a->conditional = rgraph_find_conditional(a->g, a->order);
    return a->conditional[n->id];
}

static bool is_sure(struct arith *a, const struct rnode *n)
{
    if (!a->sure)
        a->sure = rgraph_find_sure_shapes(a->g, a->order);
    return a->sure[n->id];
}

static bool one_of(const struct rnode *n, const char *const *ops, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        if (rnode_is(n, ops[i]))
            return true;
    }
    return false;
}

#define IN(n, list) one_of(n, list, ARRAY_LEN(list))

/* Some rule is for this op; asked once an op. */
static bool is_candidate(struct arith *a, const struct rnode *n)
{
    enum { NO = 1, YES = 2 };
    uint64_t key = (uint64_t)(uintptr_t)n->op;
    uintptr_t answer = (uintptr_t)u64map_find(&a->candidates, key);
    if (answer == 0) {
        bool yes = IN(n, operands) || IN(n, same) || IN(n, undone) || IN(n, settled) ||
                   IN(n, reshapes) || IN(n, reductions) || IN(n, others);
        answer = yes ? YES : NO;
        u64map_put(&a->candidates, key, (void *)answer);
    }
    return answer == YES;
}

/* The bytes of `value` as a scalar of this type; false: not a type that the rules are for. */
static bool number(int dtype, double value, unsigned char *out)
{
    switch (dtype) {
#define WHOLE(code, type)                                                                          \
    case code:                                                                                     \
        *(type *)(void *)out = (type)value;                                                        \
        return true;
        WHOLE(DT_INT8, int8_t)
        WHOLE(DT_INT16, int16_t)
        WHOLE(DT_INT32, int32_t)
        WHOLE(DT_INT64, int64_t)
        WHOLE(DT_UINT8, uint8_t)
        WHOLE(DT_UINT16, uint16_t)
        WHOLE(DT_UINT32, uint32_t)
        WHOLE(DT_UINT64, uint64_t)
        WHOLE(DT_FLOAT, float)
        WHOLE(DT_DOUBLE, double)
#undef WHOLE
    default:
        return false;
    }
}

static bool is_scalar_of(struct redge e, double value)
{
    const struct tensor *t = redge_const(e);
    union {
        double align;
        unsigned char bytes[8];
    } want = {0};
    return t && t->shape.rank == 0 && number(t->dtype, value, want.bytes) &&
           memcmp(t->data, want.bytes, dtype_size(t->dtype)) == 0;
}

static bool is_zero_to_add(struct redge e)
{
    int type = e.node->output_types[e.index];
    return is_scalar_of(e, dtype_is_float(type) ? -0.0 : 0.0);
}

/* Which operand a binary node passes on, or -1. */
static int passed_operand(const struct rnode *n)
{
    if (n->num_inputs != 2)
        return -1;
    if (rnode_is(n, "Mul"))
        return is_scalar_of(n->inputs[1], 1) ? 0 : is_scalar_of(n->inputs[0], 1) ? 1 : -1;
    if (rnode_is(n, "Add") || rnode_is(n, "AddV2"))
        return is_zero_to_add(n->inputs[1]) ? 0 : is_zero_to_add(n->inputs[0]) ? 1 : -1;
    if (rnode_is(n, "Sub"))
        return is_scalar_of(n->inputs[1], 0) ? 0 : -1;
    return IN(n, operands) && is_scalar_of(n->inputs[1], 1) ? 0 : -1; /* the divisions */
}

static bool is_identity(const struct rnode *n)
{
    if (rnode_is(n, "Cast"))
        return attrs_type(n->attrs, "SrcT") == attrs_type(n->attrs, "DstT");
    if (rnode_is(n, "Bitcast"))
        return attrs_type(n->attrs, "T") == attrs_type(n->attrs, "type");
    if (IN(n, reductions)) { /* along no axis */
        const struct tensor *axes = redge_const(n->inputs[1]);
        return axes && axes->num_elems == 0;
    }
    return IN(n, same) || (rnode_is(n, "AddN") && n->num_inputs == 1);
}

/* The inner node of n = op(op(x)); NULL: another op, or one that waits for something. */
static struct rnode *same_op_below(const struct rnode *n)
{
    struct rnode *in = n->num_inputs == 1 ? n->inputs[0].node : NULL;
    return in && in->op == n->op && in->num_control == 0 && rnode_is_pure(in) &&
                   rnode_same_device(in, n)
               ? in
               : NULL;
}

static bool twice(const struct rnode *n, struct redge *with)
{
    struct rnode *in = same_op_below(n);
    if (!in)
        return false;
    if (IN(n, undone))
        *with = in->inputs[0];
    else if (IN(n, settled) && n->output_types[0] == in->output_types[0])
        *with = n->inputs[0];
    else
        return false;
    return true;
}

/* Ops that give their first input back when they change nothing about its shape, the other inputs
 * being constants. */
static bool keeps_shape(struct arith *a, const struct rnode *n)
{
    if (!IN(n, reshapes) || !is_sure(a, n))
        return false;
    for (int i = 1; i < n->num_inputs; i++) {
        if (!redge_const(n->inputs[i]))
            return false;
    }
    struct redge x = n->inputs[0];
    const struct shape *in = &x.node->shapes[x.index];
    return shape_known(in) && shape_known(&n->shapes[0]) && shape_equal(in, &n->shapes[0]);
}

/* Squeeze(ExpandDims(x, d), [d]). */
static bool squeezed_back(struct arith *a, const struct rnode *n, struct redge *with)
{
    struct rnode *in = rnode_is(n, "Squeeze") ? n->inputs[0].node : NULL;
    int64_t d;
    int count;
    if (!in || !rnode_is(in, "ExpandDims") || in->num_control > 0 || !is_sure(a, in) ||
        !redge_ints(in->inputs[1], &d, 1, &count) || count != 1)
        return false;
    const struct attr_value *dims = attrs_list(n->attrs, "squeeze_dims");
    struct redge x = in->inputs[0];
    int64_t rank = x.node->shapes[x.index].rank;
    *with = x;
    return dims->n == 1 && dims->is[0] == d && rank >= 0 && d >= -rank - 1 && d <= rank &&
           rnode_same_device(x.node, n);
}

/* Pack(Unpack(x)): every part, in order, along the same axis. */
static bool packed_back(struct arith *a, const struct rnode *n, struct redge *with)
{
    struct rnode *in = rnode_is(n, "Pack") && n->num_inputs > 0 ? n->inputs[0].node : NULL;
    if (!in || !rnode_is(in, "Unpack") || in->num_control > 0 || in->num_outputs != n->num_inputs ||
        attrs_int(in->attrs, "axis") != attrs_int(n->attrs, "axis"))
        return false;
    for (int i = 0; i < n->num_inputs; i++) {
        if (n->inputs[i].node != in || n->inputs[i].index != i)
            return false;
    }
    *with = in->inputs[0]; /* whose dim is then known to be the number of parts */
    return is_sure(a, in) && shape_known(&with->node->shapes[with->index]) &&
           rnode_same_device(with->node, n);
}

/* Unpack(Pack(xs)) of values whose shapes are known to be the same, and none of which may be dead
 * alone. */
static bool unpacks(struct arith *a, const struct rnode *n)
{
    struct rnode *in = rnode_is(n, "Unpack") ? n->inputs[0].node : NULL;
    if (!in || !rnode_is(in, "Pack") || in->num_control > 0 || is_conditional(a, n) ||
        !is_sure(a, in) || in->num_inputs != n->num_outputs ||
        attrs_int(in->attrs, "axis") != attrs_int(n->attrs, "axis") || !shape_known(&in->shapes[0]))
        return false;
    const struct shape *first = &in->inputs[0].node->shapes[in->inputs[0].index];
    for (int i = 0; i < in->num_inputs; i++) {
        struct redge x = in->inputs[i];
        if (!shape_known(first) || !shape_equal(first, &x.node->shapes[x.index]) ||
            !rnode_same_device(x.node, n))
            return false;
    }
    return true;
}

static bool may_pass(struct arith *a, const struct rnode *n)
{
    return is_candidate(a, n) && !n->keep && !n->dropped && n->num_control == 0 &&
           n->num_inputs > 0 &&
           (rnode_is_pure(n) || (rnode_is(n, "PlaceholderWithDefault") && !rnode_reads_ref(n)) ||
            (rnode_is(n, "Identity") && !rnode_reads_ref(n)));
}

static void pass_all(struct arith *a, const struct rnode *n, const struct redge *with)
{
    for (int i = 0; i < n->num_outputs; i++)
        rforward_set(&a->f, a->g, n, i, with[i]);
}

static void visit(struct arith *a, const struct rnode *n)
{
    struct redge with = n->inputs[0];
    int operand = passed_operand(n);
    if (rnode_is(n, "IdentityN")) {
        bool here = true;
        for (int i = 0; i < n->num_inputs && here; i++)
            here = rnode_same_device(n->inputs[i].node, n) && !is_conditional(a, n);
        if (here)
            pass_all(a, n, n->inputs);
        return;
    }
    if (unpacks(a, n)) {
        pass_all(a, n, n->inputs[0].node->inputs);
        return;
    }
    if (operand >= 0)
        with = n->inputs[operand];
    else if (!is_identity(n) && !keeps_shape(a, n) && !twice(n, &with) &&
             !squeezed_back(a, n, &with) && !packed_back(a, n, &with))
        return;
    bool loop_edge = rnode_is(with.node, "NextIteration");
    if (rnode_same_device(with.node, n) && !loop_edge)
        rforward_set(&a->f, a->g, n, 0, with);
}

/* Reshape(Reshape(x)): the inner one, where it is sure to succeed, is skipped. */
static void skip_reshape(struct arith *a, struct rnode *n)
{
    struct rnode *in = rnode_is(n, "Reshape") ? n->inputs[0].node : NULL;
    if (!in || !rnode_is(in, "Reshape") || in->num_control > 0 || !is_sure(a, in) ||
        is_conditional(a, in) || !rnode_same_device(in, n) ||
        !rnode_same_device(in->inputs[0].node, n) || !redge_const(in->inputs[1]))
        return;
    struct redge x = in->inputs[0];
    struct status st = {0};
    int64_t from = -1, to = -1;
    bool known = shape_num_elems(&x.node->shapes[x.index], &from, &st) &&
                 shape_num_elems(&in->shapes[0], &to, &st);
    status_clear(&st);
    if (known && from == to)
        n->inputs[0] = x;
}

static bool run(struct rgraph *g, const struct pass_options *o, struct status *st)
{
    (void)o;
    struct rnode **order;
    if (!rgraph_sort(g, &order, st))
        return false;
    struct arith a = {.g = g, .order = order, .f = rforward_new(g)};
    for (int64_t i = 0; i < a.f.n && order[i]; i++) {
        struct rnode *n = order[i];
        rforward_inputs(&a.f, n);
        if (may_pass(&a, n)) {
            skip_reshape(&a, n);
            visit(&a, n);
        }
    }
    mem_free(a.conditional);
    mem_free(a.sure);
    u64map_release(&a.candidates);
    rforward_end(&a.f, g, true);
    return true;
}

static bool enabled(const struct pass_options *o)
{
    return o->arithmetic;
}

PASS_DEF(arith) = {
    .name = "arithmetic",
    .summary = "Reads past nodes that give back a value they were given.",
    .order = 300,
    .enabled = enabled,
    .run = run,
};
