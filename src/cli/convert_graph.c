/* SPDX-License-Identifier: Apache-2.0 */
/* Rewriting GraphDefs: parts of them, variables as constants, without what inference does not need.
 */
#include "base/map.h"
#include "base/mem.h"
#include "cli/convert.h"
#include "cli/message.h"
#include "leat/leat_ops.h"
#include "leat/scope.h"

/* --- parts --- */

static bool keep(struct strmap *kept, struct pb_node_def ***queue, int64_t *n, int64_t *cap,
                 struct pb_node_def *node)
{
    if (strmap_find_n(kept, node->name.p, node->name.n))
        return false;
    strmap_put_n(kept, node->name.p, node->name.n, node);
    *queue = vec_reserve(*queue, cap, *n + 1, sizeof **queue);
    (*queue)[(*n)++] = node;
    return true;
}

static bool no_node(const char *name, struct status *st)
{
    return status_not_found(st, "the graph has no node '%s'", name);
}

/* A placeholder in place of a node that is an input of the part. */
static bool make_placeholder(struct arena *a, struct pb_node_def *n, struct status *st)
{
    const struct pb_attr_value *type = message_attr(n, "dtype"), *shape = message_attr(n, "shape");
    type = type ? type : message_attr(n, "T");
    if (!type || type->which_value != ATTR_TYPE)
        return status_invalid(st,
                              "input '%.*s' (%.*s) does not say its type: name a node with an "
                              "attribute dtype or T",
                              (int)n->name.n, n->name.p, (int)n->op.n, n->op.p);
    int32_t dtype = type->type % 100;
    struct pb_tensor_shape_proto *dims =
        shape && shape->which_value == ATTR_SHAPE ? shape->shape : NULL;
    convert_make_node(n, "Placeholder");
    convert_set_type(a, n, "dtype", dtype);
    struct pb_attr_value *v = convert_set_attr(a, n, "shape", ATTR_SHAPE);
    v->shape = dims ? dims : pb_tensor_shape_proto_new(a);
    if (!dims)
        v->shape->unknown_rank = true;
    return true;
}

static bool cut_inputs(struct arena *a, const struct strmap *x, const struct names *inputs,
                       struct status *st)
{
    for (int i = 0; i < inputs->n; i++) {
        struct pb_node_def *n = convert_find(x, str_of(inputs->v[i]));
        if (!n)
            return no_node(inputs->v[i], st);
        if (!str_is(n->op, "Placeholder") && !make_placeholder(a, n, st))
            return false;
    }
    return true;
}

/* Removes nodes that are not kept; the order of the others stays. */
static void drop_others(struct pb_graph_def *g, const struct strmap *kept)
{
    int64_t n = 0;
    for (int64_t i = 0; i < g->node.n; i++) {
        struct str name = g->node.v[i]->name;
        if (strmap_find_n(kept, name.p ? name.p : "", name.n))
            g->node.v[n++] = g->node.v[i];
    }
    g->node.n = n;
}

bool convert_extract(struct arena *a, struct pb_graph_def *g, const struct names *inputs,
                     const struct names *outputs, struct status *st)
{
    struct strmap x;
    struct strmap kept = {0};
    struct pb_node_def **queue = NULL;
    int64_t n = 0, cap = 0;
    convert_index(&x, g);
    bool ok = cut_inputs(a, &x, inputs, st);
    for (int i = 0; ok && i < outputs->n; i++) {
        struct pb_node_def *y = convert_find(&x, str_of(outputs->v[i]));
        ok = y || no_node(outputs->v[i], st);
        if (ok)
            keep(&kept, &queue, &n, &cap, y);
    }
    for (int64_t i = 0; ok && i < n; i++) { /* grows as it is walked */
        for (int64_t k = 0; ok && k < queue[i]->input.n; k++) {
            struct str in = queue[i]->input.v[k];
            struct pb_node_def *from = convert_find(&x, in);
            ok = from || status_invalid(st, "node '%.*s' has an input '%.*s' that is not there",
                                        (int)queue[i]->name.n, queue[i]->name.p, (int)in.n, in.p);
            if (ok)
                keep(&kept, &queue, &n, &cap, from);
        }
    }
    if (ok)
        drop_others(g, &kept);
    mem_free(queue);
    strmap_release(&kept);
    strmap_release(&x);
    return ok;
}

/* --- variables --- */

static bool is_variable(const struct pb_node_def *n)
{
    return str_is(n->op, "Variable") || str_is(n->op, "VariableV2") || str_is(n->op, "VarHandleOp");
}

/* The value of a tensor as a message: the TF_Tensor's bytes are those of tensor_content. */
static bool value_message(struct arena *a, const TF_Tensor *t, struct pb_tensor_proto *out,
                          struct status *st)
{
    if (TF_TensorType(t) == TF_STRING)
        return status_unimplemented(st, "a variable of strings cannot be frozen");
    out->dtype = TF_TensorType(t);
    out->tensor_shape = pb_tensor_shape_proto_new(a);
    for (int i = 0; i < TF_NumDims(t); i++)
        pb_tensor_shape_proto_dim_add(a, &out->tensor_shape->dim)->size = TF_Dim(t, i);
    out->tensor_content = pb_str_dup(a, str_make(TF_TensorData(t), TF_TensorByteSize(t)));
    return true;
}

/* The tensor that reads a variable: itself, or for a handle a reader in the graph it is loaded in.
 */
static bool read_variable(const struct loaded *from, const char *name, TF_Tensor **out,
                          struct status *st)
{
    TF_Output v;
    if (!load_output(from->graph, name, strlen(name), &v, st))
        return false;
    TF_Status *status = TF_NewStatus();
    if (TF_OperationOutputType(v) == TF_RESOURCE) {
        TF_DataType dtype = TF_FLOAT;
        TF_OperationGetAttrType(v.oper, "dtype", &dtype, status);
        v = leat_read_variable_op(from->graph, v, .dtype = dtype);
        leat_graph_status(from->graph, status);
    }
    bool ok = cli_ok(status, st);
    if (ok) {
        TF_SessionRun(from->session, NULL, NULL, NULL, 0, &v, out, 1, NULL, 0, NULL, status);
        ok = cli_ok(status, st);
    }
    TF_DeleteStatus(status);
    return ok;
}

static bool freeze_variable(struct arena *a, struct pb_node_def *n, const struct loaded *from,
                            struct status *st)
{
    TF_Tensor *t = NULL;
    const char *name = arena_strndup(a, n->name.p, n->name.n);
    if (!read_variable(from, name, &t, st)) {
        status_prepend(st, "variable '%s': ", name);
        return false;
    }
    struct pb_tensor_proto *value = pb_tensor_proto_new(a);
    bool ok = value_message(a, t, value, st);
    convert_make_node(n, "Const");
    convert_set_type(a, n, "dtype", value->dtype);
    convert_set_attr(a, n, "value", ATTR_TENSOR)->tensor = value;
    TF_DeleteTensor(t);
    return ok;
}

/* A node that read a handle passes the constant on. */
static bool freeze_reader(struct arena *a, const struct strmap *x, struct pb_node_def *n,
                          struct status *st)
{
    const struct pb_node_def *v = n->input.n > 0 ? convert_find(x, n->input.v[0]) : NULL;
    const struct pb_attr_value *type = v ? message_attr(v, "dtype") : NULL;
    if (!v || !str_is(v->op, "Const") || !type)
        return true;
    int32_t dtype = type->type;
    if (str_is(n->op, "ReadVariableOp")) {
        struct pb_strs input = n->input;
        convert_make_node(n, "Identity");
        n->input = input;
        convert_set_type(a, n, "T", dtype);
        return true;
    }
    if (!str_is(n->op, "ResourceGather"))
        return status_invalid(st,
                              "node '%.*s' (%.*s) uses the variable '%.*s' other than by reading "
                              "it: name outputs that do not train (--outputs)",
                              (int)n->name.n, n->name.p, (int)n->op.n, n->op.p, (int)v->name.n,
                              v->name.p);
    const struct pb_attr_value *indices = message_attr(n, "Tindices");
    int32_t index_type = indices ? indices->type : TF_INT32;
    struct pb_strs input = n->input;
    convert_make_node(n, "Gather");
    n->input = input;
    convert_set_type(a, n, "Tparams", dtype);
    convert_set_type(a, n, "Tindices", index_type);
    return true;
}

static bool updates_variable(struct str op)
{
    return str_starts(op, "Assign") || str_starts(op, "Apply") || str_starts(op, "Scatter") ||
           str_starts(op, "SparseApply");
}

bool convert_freeze(struct arena *a, struct pb_graph_def *g, const struct loaded *from,
                    struct status *st)
{
    struct strmap x;
    bool ok = true;
    convert_index(&x, g);
    for (int64_t i = 0; ok && i < g->node.n; i++) {
        if (is_variable(g->node.v[i]))
            ok = freeze_variable(a, g->node.v[i], from, st);
    }
    for (int64_t i = 0; ok && i < g->node.n; i++) {
        struct pb_node_def *n = g->node.v[i];
        const struct pb_node_def *v = n->input.n > 0 ? convert_find(&x, n->input.v[0]) : NULL;
        if (updates_variable(n->op) && v && str_is(v->op, "Const"))
            ok = status_invalid(st,
                                "node '%.*s' (%.*s) updates a variable: name outputs that do not "
                                "train (--outputs)",
                                (int)n->name.n, n->name.p, (int)n->op.n, n->op.p);
        else if (str_is(n->op, "ReadVariableOp") || str_starts(n->op, "Resource"))
            ok = freeze_reader(a, &x, n, st);
    }
    strmap_release(&x);
    return ok;
}

/* --- stripping --- */

static bool passes_through(const struct pb_node_def *n)
{
    static const char *const ops[] = {"Identity", "StopGradient", "PreventGradient",
                                      "CheckNumerics", "Snapshot"};
    bool known = false;
    for (size_t i = 0; i < ARRAY_LEN(ops); i++)
        known = known || str_is(n->op, ops[i]);
    return known && n->input.n == 1 && n->input.v[0].n > 0 && n->input.v[0].p[0] != '^';
}

static bool is_output(const struct names *outputs, struct str name)
{
    for (int i = 0; i < outputs->n; i++) {
        int64_t k;
        if (str_eq(convert_node_of(str_of(outputs->v[i]), &k), name))
            return true;
    }
    return false;
}

/* What stands behind nodes that pass their input on. A switch's outputs may not be taken for its
 * input, and a loop of such nodes ends the walk. */
static struct str behind(const struct strmap *x, const struct names *outputs, struct str input)
{
    for (int64_t steps = 0; steps <= x->num_live; steps++) {
        const struct pb_node_def *n = convert_find(x, input);
        if (!n || !passes_through(n) || is_output(outputs, n->name))
            break;
        const struct pb_node_def *from = convert_find(x, n->input.v[0]);
        if (!from || str_is(from->op, "Switch") || str_is(from->op, "RefSwitch"))
            break; /* control edges hang on the Identity of a branch */
        input = n->input.v[0];
    }
    return input;
}

static void drop_private_attrs(struct pb_node_def *n)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < n->attr.n; i++) {
        if (!str_starts(n->attr.v[i]->key, "_"))
            n->attr.v[kept++] = n->attr.v[i];
    }
    n->attr.n = kept;
}

bool convert_strip(struct arena *a, struct pb_graph_def *g, const struct names *outputs,
                   struct status *st)
{
    struct strmap x;
    convert_index(&x, g);
    for (int64_t i = 0; i < g->node.n; i++) {
        struct pb_node_def *n = g->node.v[i];
        n->device = str_make("", 0);
        drop_private_attrs(n);
        for (int64_t k = 0; k < n->input.n; k++) {
            if (n->input.v[k].n > 0 && n->input.v[k].p[0] != '^')
                n->input.v[k] = behind(&x, outputs, n->input.v[k]);
        }
    }
    strmap_release(&x);
    struct names none = {0};
    return convert_extract(a, g, &none, outputs, st);
}
