/* SPDX-License-Identifier: Apache-2.0 */
/* Graph building for the commands, on the public API alone; see maker.h. */
#include <stdio.h>

#include "base/mem.h"
#include "cli/maker.h"

void maker_init(struct maker *m)
{
    *m = (struct maker){.graph = TF_NewGraph(), .s = TF_NewStatus(), .seed = 2017};
}

void maker_release(struct maker *m)
{
    TF_Status *s = TF_NewStatus();
    if (m->session)
        TF_DeleteSession(m->session, s);
    TF_DeleteStatus(s);
    TF_DeleteGraph(m->graph);
    TF_DeleteStatus(m->s);
    mem_free(m->vars);
    mem_free(m->inits);
}

uint64_t maker_random(uint64_t *state) /* splitmix64 */
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

TF_Tensor *maker_tensor(TF_DataType type, const int64_t *dims, int num_dims, const void *data)
{
    size_t n = TF_DataTypeSize(type);
    for (int i = 0; i < num_dims; i++)
        n *= (size_t)dims[i];
    TF_Tensor *t = TF_AllocateTensor(type, dims, num_dims, n);
    if (t && n > 0)
        memcpy(TF_TensorData(t), data, n);
    return t;
}

static bool stopped(const struct maker *m)
{
    return TF_GetCode(m->s) != TF_OK;
}

static TF_OperationDescription *begin(struct maker *m, const char *op)
{
    char name[64];
    snprintf(name, sizeof name, "%s_%d", op, m->num_ops++);
    TF_OperationDescription *d = TF_NewOperation(m->graph, op, name);
    if (m->device)
        TF_SetDevice(d, m->device);
    return d;
}

static TF_Output finish(struct maker *m, TF_OperationDescription *d)
{
    TF_Status *s = TF_NewStatus();
    TF_Operation *op = TF_FinishOperation(d, s);
    if (!stopped(m) && !op)
        TF_SetStatus(m->s, TF_GetCode(s), TF_Message(s));
    TF_DeleteStatus(s);
    return (TF_Output){op, 0};
}

static void set_attr(TF_OperationDescription *d, const struct make_attr *a)
{
    switch (a->kind) {
    case MAKE_TYPE:
        TF_SetAttrType(d, a->name, (TF_DataType)a->ints[0]);
        break;
    case MAKE_INT:
        TF_SetAttrInt(d, a->name, a->ints[0]);
        break;
    case MAKE_INTS:
        TF_SetAttrIntList(d, a->name, a->ints, a->num);
        break;
    case MAKE_BOOL:
        TF_SetAttrBool(d, a->name, a->ints[0] != 0);
        break;
    case MAKE_FLOAT:
        TF_SetAttrFloat(d, a->name, a->f);
        break;
    case MAKE_TEXT:
        TF_SetAttrString(d, a->name, a->text, strlen(a->text));
        break;
    case MAKE_SHAPE:
        TF_SetAttrShape(d, a->name, a->ints, a->num);
        break;
    }
}

TF_Output make(struct maker *m, const struct make_node *node)
{
    if (stopped(m))
        return (TF_Output){0};
    TF_OperationDescription *d = begin(m, node->op);
    if (node->list)
        TF_AddInputList(d, node->list, node->num_list);
    for (int i = 0; i < node->num_inputs; i++)
        TF_AddInput(d, node->inputs[i]);
    for (int i = 0; i < node->num_attrs; i++)
        set_attr(d, &node->attrs[i]);
    for (int i = 0; i < node->num_after; i++)
        TF_AddControlInput(d, node->after[i]);
    return finish(m, d);
}

TF_Output make_op(struct maker *m, const char *op, int n, const TF_Output *inputs)
{
    return make(m, &(struct make_node){.op = op, .inputs = inputs, .num_inputs = n});
}

static TF_Output make_const(struct maker *m, TF_Tensor *t)
{
    if (!t && !stopped(m))
        TF_SetStatus(m->s, TF_RESOURCE_EXHAUSTED, "no memory for a constant");
    TF_Output out = {0};
    if (!stopped(m)) {
        TF_OperationDescription *d = begin(m, "Const");
        TF_SetAttrType(d, "dtype", TF_TensorType(t));
        TF_SetAttrTensor(d, "value", t, m->s);
        out = finish(m, d);
    }
    TF_DeleteTensor(t);
    return out;
}

TF_Output make_floats(struct maker *m, const float *v, int64_t rows, int64_t cols)
{
    return make_const(m, maker_tensor(TF_FLOAT, (int64_t[]){rows, cols}, 2, v));
}

TF_Output make_scalar(struct maker *m, float v)
{
    return make_const(m, maker_tensor(TF_FLOAT, NULL, 0, &v));
}

TF_Output make_ints(struct maker *m, const int32_t *v, int64_t n)
{
    return make_const(m, maker_tensor(TF_INT32, &n, 1, v));
}

TF_Output make_int(struct maker *m, int32_t v)
{
    return make_const(m, maker_tensor(TF_INT32, NULL, 0, &v));
}

TF_Output make_placeholder(struct maker *m, TF_DataType type)
{
    return make(m, &(struct make_node){.op = "Placeholder",
                                       .attrs = (struct make_attr[]){attr_type("dtype", type)},
                                       .num_attrs = 1});
}

TF_Output make_input(struct maker *m, TF_DataType type, const int64_t *dims, int num_dims)
{
    const struct make_attr attrs[] = {attr_type("dtype", type),
                                      attr_shape("shape", dims, num_dims)};
    return make(m, &(struct make_node){.op = "Placeholder", .attrs = attrs, .num_attrs = 2});
}

TF_Output make_slot(struct maker *m, const int64_t *dims, int num_dims, TF_Output start)
{
    const struct make_attr attrs[] = {attr_type("dtype", TF_FLOAT),
                                      attr_shape("shape", dims, num_dims)};
    const char *device = m->device;
    m->device = m->variable_device ? m->variable_device : device;
    TF_Output var =
        make(m, &(struct make_node){.op = "VariableV2", .attrs = attrs, .num_attrs = 2});
    TF_Output assign = make_op(m, "Assign", 2, (TF_Output[]){var, start});
    m->device = device;
    m->inits = vec_reserve(m->inits, &m->cap_inits, m->num_inits + 1, sizeof *m->inits);
    m->inits[m->num_inits++] = assign.oper;
    return var;
}

TF_Output make_uniform(struct maker *m, const int64_t *dims, int num_dims, float limit)
{
    int32_t shape[8];
    ASSERT(num_dims <= (int)ARRAY_LEN(shape));
    for (int i = 0; i < num_dims; i++)
        shape[i] = (int32_t)dims[i];
    const TF_Output sizes = make_ints(m, shape, num_dims);
    const struct make_attr attrs[] = {attr_type("dtype", TF_FLOAT),
                                      attr_int("seed", (int64_t)(maker_random(&m->seed) >> 2))};
    TF_Output u = make(m, &(struct make_node){.op = "RandomUniform",
                                              .inputs = &sizes,
                                              .num_inputs = 1,
                                              .attrs = attrs,
                                              .num_attrs = 2});
    u = make_op(m, "Mul", 2, (TF_Output[]){u, make_scalar(m, 2 * limit)});
    return make_op(m, "Sub", 2, (TF_Output[]){u, make_scalar(m, limit)});
}

/* Uniform in [-limit, limit]; large ones are no constants: the graph would hold their bytes. */
static TF_Output start_value(struct maker *m, const int64_t *dims, int num_dims, float limit)
{
    int64_t n = 1;
    for (int i = 0; i < num_dims; i++)
        n *= dims[i];
    if (n > 65536)
        return make_uniform(m, dims, num_dims, limit);
    float *v = mem_new_array(float, n);
    for (int64_t i = 0; i < n; i++)
        v[i] = limit * (float)((double)(maker_random(&m->seed) >> 11) * 0x1p-52 - 1.0);
    TF_Output start = make_const(m, maker_tensor(TF_FLOAT, dims, num_dims, v));
    mem_free(v);
    return start;
}

TF_Output make_variable(struct maker *m, const int64_t *dims, int num_dims, float limit)
{
    return make_variable_from(m, dims, num_dims, start_value(m, dims, num_dims, limit));
}

TF_Output make_variable_from(struct maker *m, const int64_t *dims, int num_dims, TF_Output start)
{
    if (stopped(m))
        return (TF_Output){0};
    TF_Output var = make_slot(m, dims, num_dims, start);
    m->vars = vec_reserve(m->vars, &m->cap_vars, m->num_vars + 1, sizeof *m->vars);
    m->vars[m->num_vars++] = var;
    /* read once a step: what computes with it never sees the step's own update */
    return make_op(m, "Identity", 1, &var);
}

TF_Output make_conv(struct maker *m, TF_Output x, TF_Output filter, int64_t stride)
{
    const struct make_attr attrs[] = {attr_ints("strides", (int64_t[]){1, stride, stride, 1}, 4),
                                      attr_text("padding", "SAME")};
    return make(m, &(struct make_node){.op = "Conv2D",
                                       .inputs = (TF_Output[]){x, filter},
                                       .num_inputs = 2,
                                       .attrs = attrs,
                                       .num_attrs = 2});
}

void make_gradients(struct maker *m, TF_Output loss, TF_Output *xs, int n, TF_Output *dxs)
{
    if (!stopped(m))
        TF_AddGradients(m->graph, &loss, 1, xs, n, NULL, m->s, dxs);
}

bool maker_start(struct maker *m, struct status *st)
{
    if (!cli_ok(m->s, st))
        return false;
    TF_SessionOptions *options = TF_NewSessionOptions();
    if (m->config)
        TF_SetConfig(options, m->config, strlen(m->config), m->s);
    if (m->target)
        TF_SetTarget(options, m->target);
    if (!stopped(m))
        m->session = TF_NewSession(m->graph, options, m->s);
    TF_DeleteSessionOptions(options);
    if (cli_ok(m->s, st) && m->num_inits > 0)
        TF_SessionRun(m->session, NULL, NULL, NULL, 0, NULL, NULL, 0, m->inits, m->num_inits, NULL,
                      m->s);
    return cli_ok(m->s, st);
}

/* ---- attributes */

struct make_attr attr_type(const char *name, TF_DataType v)
{
    return (struct make_attr){.name = name, .kind = MAKE_TYPE, .ints = {v}};
}

struct make_attr attr_int(const char *name, int64_t v)
{
    return (struct make_attr){.name = name, .kind = MAKE_INT, .ints = {v}};
}

struct make_attr attr_bool(const char *name, bool v)
{
    return (struct make_attr){.name = name, .kind = MAKE_BOOL, .ints = {v}};
}

struct make_attr attr_float(const char *name, float v)
{
    return (struct make_attr){.name = name, .kind = MAKE_FLOAT, .f = v};
}

struct make_attr attr_text(const char *name, const char *v)
{
    return (struct make_attr){.name = name, .kind = MAKE_TEXT, .text = v};
}

struct make_attr attr_ints(const char *name, const int64_t *v, int num)
{
    struct make_attr a = {.name = name, .kind = MAKE_INTS, .num = num};
    ASSERT(num >= 0 && num <= (int)ARRAY_LEN(a.ints));
    for (int i = 0; i < num; i++)
        a.ints[i] = v[i];
    return a;
}

struct make_attr attr_shape(const char *name, const int64_t *v, int num)
{
    struct make_attr a = attr_ints(name, v, num);
    a.kind = MAKE_SHAPE;
    return a;
}
