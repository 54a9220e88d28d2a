/* SPDX-License-Identifier: Apache-2.0 */
/* Small ops and helpers that the tests of graph/ register and share. */
#include "graph_fixture.h"

#include "op/kernel.h"

/* --- shape functions --- */

static bool shape_from_attr(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;

    if (!attrs_get_shape(infer_attrs(c), "shape", &s, st))
        return false;
    infer_set(c, 0, s);
    return true;
}

static bool shape_of_const(struct infer_ctx *c, struct status *st)
{
    const struct tensor *t;

    if (!attrs_get_tensor(infer_attrs(c), "value", &t, st))
        return false;
    infer_set(c, 0, &t->shape);
    return true;
}

static bool shape_of_shape(struct infer_ctx *c, struct status *st UNUSED)
{
    for (int i = 0; i < infer_num_inputs(c); i++)
        infer_set(c, i, infer_vector(c, infer_input(c, i)->rank));
    return true;
}

static bool shape_of_pack(struct infer_ctx *c, struct status *st UNUSED)
{
    infer_set(c, 0, infer_concat(c, infer_vector(c, infer_num_inputs(c)), infer_input(c, 0)));
    return true;
}

static bool shape_of_concat(struct infer_ctx *c, struct status *st UNUSED)
{
    int64_t n = 0;

    for (int i = 0; i + 1 < infer_num_inputs(c); i++)
        n = infer_dim_add(n, infer_dim(infer_input(c, i), 0));
    infer_set(c, 0, infer_vector(c, n));
    return true;
}

static bool shape_of_slice(struct infer_ctx *c, struct status *st UNUSED)
{
    infer_set(c, 0, infer_vector(c, -1));
    return true;
}

static bool shape_of_fill(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;

    if (!infer_const_shape(c, 0, &s, st))
        return false;
    infer_set(c, 0, s);
    return true;
}

static bool shape_of_merge(struct infer_ctx *c, struct status *st UNUSED)
{
    bool same = true;

    for (int i = 1; i < infer_num_inputs(c); i++)
        same = same && shape_equal(infer_input(c, 0), infer_input(c, i));
    infer_set(c, 0, same ? infer_input(c, 0) : infer_unknown(c));
    infer_set(c, 1, infer_scalar(c));
    return true;
}

static bool shape_of_switch(struct infer_ctx *c, struct status *st UNUSED)
{
    infer_set(c, 0, infer_input(c, 0));
    infer_set(c, 1, infer_input(c, 0));
    return true;
}

static bool shape_of_handle(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    int dtype;

    if (!attrs_get_shape(infer_attrs(c), "shape", &s, st) ||
        !attrs_get_type(infer_attrs(c), "dtype", &dtype, st))
        return false;
    infer_set(c, 0, infer_scalar(c));
    infer_set_handle(c, 0, (struct infer_handle){1, &dtype, &s});
    return true;
}

static bool shape_of_read(struct infer_ctx *c, struct status *st UNUSED)
{
    struct infer_handle h = infer_handle_in(c, 0);

    if (h.n)
        infer_set(c, 0, h.shapes[0]);
    return true;
}

/* --- ops --- */

/* clang-format off */
static const struct op_def defs[] = {
    {.name = "Placeholder", .outputs = {"output: dtype"}, .attrs = {"dtype: type", "shape: shape = { unknown_rank: true }"}, .shape = shape_from_attr},
    {.name = "PlaceholderWithDefault", .inputs = {"input: dtype"}, .outputs = {"output: dtype"}, .attrs = {"dtype: type", "shape: shape"}, .shape = shape_from_attr},
    {.name = "Const", .outputs = {"output: dtype"}, .attrs = {"value: tensor", "dtype: type"}, .shape = shape_of_const},
    {.name = "Identity", .inputs = {"input: T"}, .outputs = {"output: T"}, .attrs = {"T: type"}, .shape = infer_unchanged},
    {.name = "IdentityN", .inputs = {"input: T"}, .outputs = {"output: T"}, .attrs = {"T: list(type) >= 1"}},
    {.name = "NoOp", .shape = infer_no_outputs},
    {.name = "AddN", .inputs = {"inputs: N * T"}, .outputs = {"sum: T"}, .attrs = {"N: int >= 1", "T: {float, double, int32}"}, .shape = infer_merged},
    {.name = "AddV2", .inputs = {"x: T", "y: T"}, .outputs = {"z: T"}, .attrs = {"T: {float, double, int32}"}, .shape = infer_binary},
    {.name = "Shape", .inputs = {"input: T"}, .outputs = {"output: out_type"}, .attrs = {"T: type", "out_type: {int32, int64} = DT_INT32"}, .shape = shape_of_shape},
    {.name = "ShapeN", .inputs = {"input: N * T"}, .outputs = {"output: N * out_type"}, .attrs = {"N: int >= 1", "T: type", "out_type: {int32, int64} = DT_INT32"}, .shape = shape_of_shape},
    {.name = "Rank", .inputs = {"input: T"}, .outputs = {"output: int32"}, .attrs = {"T: type"}, .shape = infer_scalars},
    {.name = "Pack", .inputs = {"values: N * T"}, .outputs = {"output: T"}, .attrs = {"N: int >= 1", "T: type", "axis: int = 0"}, .shape = shape_of_pack},
    {.name = "ConcatV2", .inputs = {"values: N * T", "axis: Tidx"}, .outputs = {"output: T"}, .attrs = {"N: int >= 2", "T: type", "Tidx: {int32, int64} = DT_INT32"}, .shape = shape_of_concat},
    {.name = "StridedSlice", .inputs = {"input: T", "begin: Index", "end: Index", "strides: Index"}, .outputs = {"output: T"},
     .attrs = {"T: type", "Index: {int32, int64}", "begin_mask: int = 0", "end_mask: int = 0", "ellipsis_mask: int = 0", "new_axis_mask: int = 0", "shrink_axis_mask: int = 0"}, .shape = shape_of_slice},
    {.name = "Fill", .inputs = {"dims: index_type", "value: T"}, .outputs = {"output: T"}, .attrs = {"T: type", "index_type: {int32, int64} = DT_INT32"}, .shape = shape_of_fill},
    {.name = "Merge", .inputs = {"inputs: N * T"}, .outputs = {"output: T", "value_index: int32"}, .attrs = {"T: type", "N: int >= 1"}, .shape = shape_of_merge},
    {.name = "Switch", .inputs = {"data: T", "pred: bool"}, .outputs = {"output_false: T", "output_true: T"}, .attrs = {"T: type"}, .shape = shape_of_switch},
    {.name = "NextIteration", .inputs = {"data: T"}, .outputs = {"output: T"}, .attrs = {"T: type"}, .shape = infer_unchanged},
    {.name = "VarHandleOp", .outputs = {"resource: resource"}, .attrs = {"container: string = ''", "shared_name: string = ''", "dtype: type", "shape: shape"}, .flags = OP_STATEFUL, .shape = shape_of_handle},
    {.name = "ReadVariableOp", .inputs = {"resource: resource"}, .outputs = {"value: dtype"}, .attrs = {"dtype: type"}, .flags = OP_STATEFUL, .shape = shape_of_read},
    {.name = "VariableV2", .outputs = {"ref: Ref(dtype)"}, .attrs = {"shape: shape", "dtype: type", "container: string = ''", "shared_name: string = ''"}, .flags = OP_STATEFUL, .shape = shape_from_attr},
    {.name = "Assign", .inputs = {"ref: Ref(T)", "value: T"}, .outputs = {"output_ref: Ref(T)"}, .attrs = {"T: type", "validate_shape: bool = true", "use_locking: bool = true"}, .flags = OP_UNINIT_OK, .shape = infer_unchanged},
    {.name = "_Arg", .outputs = {"output: T"}, .attrs = {"T: type", "index: int >= 0"}, .flags = OP_STATEFUL},
    {.name = "_Retval", .inputs = {"input: T"}, .attrs = {"T: type", "index: int >= 0"}, .flags = OP_STATEFUL},
    {.name = "BatchMatrixDiag", .inputs = {"diagonal: T"}, .outputs = {"output: T"}, .attrs = {"T: type"}, .deprecated_at = 14, .deprecated_why = "Use MatrixDiag"},
};
/* clang-format on */

/* --- kernels, for folding --- */

static bool run_add(struct kctx *c, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0), *y = kernel_in(c, 1);
    struct tensor *z = kernel_out(c, 0, &x->shape, st);

    for (int64_t i = 0; z && i < x->num_elems; i++)
        tensor_i32(z)[i] = tensor_i32(x)[i] + tensor_i32(y)[y->num_elems == 1 ? 0 : i];
    return z != NULL;
}

static bool run_identity(struct kctx *c, struct status *st UNUSED)
{
    kernel_out_share(c, 0, kernel_in(c, 0));
    return true;
}

static const struct kernel_def kernels[] = {
    {.op = "AddV2", .device = "CPU", .types = {"T: {int32}"}, .run = run_add},
    {.op = "Identity", .device = "CPU", .run = run_identity},
};

int graph_fixture_ops(void **state UNUSED)
{
    struct status st = {0};
    bool own[ARRAY_LEN(kernels)] = {false};

    for (size_t i = 0; i < ARRAY_LEN(defs); i++) {
        if (op_find(defs[i].name))
            continue;
        if (!op_register(&defs[i], &st)) {
            print_error("%s\n", status_message(&st));
            return -1;
        }
        for (size_t k = 0; k < ARRAY_LEN(kernels); k++)
            own[k] = own[k] || strcmp(kernels[k].op, defs[i].name) == 0;
    }
    for (size_t k = 0; k < ARRAY_LEN(kernels); k++)
        if (own[k] && !kernel_register(&kernels[k], &st))
            return -1;
    return 0;
}

/* --- nodes --- */

struct node *t_finish(struct node_desc *d)
{
    struct status st = {0};
    struct node *n = node_finish(d, &st);

    if (!n)
        fail_msg("%s", status_message(&st));
    return n;
}

struct node *t_placeholder(struct graph *g, const char *name, int dtype, int rank, ...)
{
    struct node_desc *d = node_desc_new(g, "Placeholder", name);
    int64_t dims[8];
    va_list ap;

    va_start(ap, rank);
    for (int i = 0; i < rank; i++)
        dims[i] = va_arg(ap, int);
    va_end(ap);
    struct shape s = shape_make(dims, rank);

    node_desc_attr(d, "dtype", attr_type(dtype));
    node_desc_attr(d, "shape", attr_shape(&s));
    shape_clear(&s);
    return t_finish(d);
}

static struct node *const_node(struct graph *g, const char *name, const int64_t *dims, int rank,
                               const int32_t *v)
{
    struct node_desc *d = node_desc_new(g, "Const", name);
    struct tensor t = {0};
    struct status st = {0};

    assert_true(tensor_from(&t, DT_INT32, dims, rank, v, &st));
    node_desc_attr(d, "value", attr_tensor(&t));
    node_desc_attr(d, "dtype", attr_type(DT_INT32));
    tensor_clear(&t);
    return t_finish(d);
}

struct node *t_const_i32s(struct graph *g, const char *name, int n, ...)
{
    int32_t v[16];
    int64_t dim = n;
    va_list ap;

    va_start(ap, n);
    for (int i = 0; i < n; i++)
        v[i] = va_arg(ap, int);
    va_end(ap);
    return const_node(g, name, &dim, 1, v);
}

struct node *t_const_i32(struct graph *g, const char *name, int v)
{
    int32_t value = v;

    return const_node(g, name, NULL, 0, &value);
}

struct node *t_node(struct graph *g, const char *op, const char *name, int n, ...)
{
    struct node_desc *d = node_desc_new(g, op, name);
    va_list ap;

    va_start(ap, n);
    for (int i = 0; i < n; i++)
        node_desc_input(d, va_arg(ap, struct output));
    va_end(ap);
    return t_finish(d);
}

struct node *t_list(struct graph *g, const char *op, const char *name, int n, ...)
{
    struct node_desc *d = node_desc_new(g, op, name);
    struct output in[16];
    va_list ap;

    va_start(ap, n);
    for (int i = 0; i < n; i++)
        in[i] = va_arg(ap, struct output);
    va_end(ap);
    node_desc_input_list(d, in, n);
    return t_finish(d);
}

/* --- wishes --- */

void t_want_shape(struct output o, const char *text)
{
    struct shape s = output_shape(o);
    struct strbuf b = {0};

    shape_print(&s, &b);
    assert_string_equal(strbuf_text(&b), text);
    strbuf_release(&b);
    shape_clear(&s);
}

void t_want_error(struct status *st, int code, const char *text)
{
    if (st->code != code || !strstr(status_message(st), text))
        fail_msg("want %s '%s'\ngot %s '%s'", status_code_name(code), text,
                 status_code_name(st->code), status_message(st));
    status_clear(st);
}

bool t_import(struct graph *g, const char *text, const struct import_options *o,
              struct import_result *r, struct status *st)
{
    return graph_import(g, text, strlen(text), o, r, st);
}

void t_want_import(struct graph *g, const char *text)
{
    struct status st = {0};

    if (!t_import(g, text, NULL, NULL, &st))
        fail_msg("%s", status_message(&st));
}

void t_want_nodes(struct graph *g, const char *text)
{
    struct arena a = {0};
    struct strbuf b = {0};
    struct pb_graph_def *d = graph_to_def(g, &a);

    for (int64_t i = 0; i < d->node.n; i++) {
        struct pb_node_def *n = d->node.v[i];

        strbuf_printf(&b, "%s%.*s(", i ? " " : "", (int)n->name.n, n->name.p);
        for (int64_t k = 0; k < n->input.n; k++)
            strbuf_printf(&b, "%s%.*s", k ? "," : "", (int)n->input.v[k].n, n->input.v[k].p);
        strbuf_putc(&b, ')');
    }
    assert_string_equal(strbuf_text(&b), text);
    strbuf_release(&b);
    arena_release(&a);
}
