/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of an operation: _core.op_*(operation, ...). */
#include <string.h>

#include "graph.h"

static PyObject *op_name(PyObject *self, PyObject *arg)
{
    (void)self;
    TF_Operation *op = core_oper(arg);
    return op ? PyUnicode_FromString(TF_OperationName(op)) : NULL;
}

static PyObject *op_type(PyObject *self, PyObject *arg)
{
    (void)self;
    TF_Operation *op = core_oper(arg);
    return op ? PyUnicode_FromString(TF_OperationOpType(op)) : NULL;
}

static PyObject *op_device(PyObject *self, PyObject *arg)
{
    (void)self;
    TF_Operation *op = core_oper(arg);
    return op ? PyUnicode_FromString(TF_OperationDevice(op)) : NULL;
}

/* The types of an operation's n ends, each told by type_of. */
static PyObject *types_of(TF_Operation *op, int n, TF_DataType (*type_of)(TF_Operation *, int))
{
    PyObject *types = PyTuple_New(n);
    for (int i = 0; types && i < n; i++)
        PyTuple_SetItem(types, i, PyLong_FromLong(type_of(op, i)));
    return types;
}

static TF_DataType output_type(TF_Operation *op, int i)
{
    return TF_OperationOutputType((TF_Output){op, i});
}

static TF_DataType input_type(TF_Operation *op, int i)
{
    return TF_OperationInputType((TF_Input){op, i});
}

static PyObject *op_output_types(PyObject *self, PyObject *arg)
{
    (void)self;
    TF_Operation *op = core_oper(arg);
    return op ? types_of(op, TF_OperationNumOutputs(op), output_type) : NULL;
}

static PyObject *op_input_types(PyObject *self, PyObject *arg)
{
    (void)self;
    TF_Operation *op = core_oper(arg);
    return op ? types_of(op, TF_OperationNumInputs(op), input_type) : NULL;
}

static PyObject *op_inputs(PyObject *self, PyObject *arg)
{
    (void)self;
    TF_Operation *op = core_oper(arg);
    int n = op ? TF_OperationNumInputs(op) : 0;
    PyObject *list = op ? PyList_New(n) : NULL;
    for (int i = 0; list && i < n; i++)
        PyList_SetItem(list, i, core_from_output(TF_OperationInput((TF_Input){op, i})));
    return list;
}

/* The operations at one side of an operation's control edges, at most n. */
static PyObject *controls_of(TF_Operation *op, int n,
                             int (*get)(TF_Operation *, TF_Operation **, int))
{
    TF_Operation **ops = PyMem_Calloc((size_t)n + 1, sizeof *ops);
    if (!ops)
        return PyErr_NoMemory();
    n = get(op, ops, n);
    PyObject *list = PyList_New(n);
    for (int i = 0; list && i < n; i++)
        PyList_SetItem(list, i, PyLong_FromVoidPtr(ops[i]));
    PyMem_Free(ops);
    return list;
}

static PyObject *op_control_inputs(PyObject *self, PyObject *arg)
{
    (void)self;
    TF_Operation *op = core_oper(arg);
    return op ? controls_of(op, TF_OperationNumControlInputs(op), TF_OperationGetControlInputs)
              : NULL;
}

static PyObject *op_control_outputs(PyObject *self, PyObject *arg)
{
    (void)self;
    TF_Operation *op = core_oper(arg);
    return op ? controls_of(op, TF_OperationNumControlOutputs(op), TF_OperationGetControlOutputs)
              : NULL;
}

/* op_consumers((operation, index)): the operations that take it, with the place in each. */
static PyObject *op_consumers(PyObject *self, PyObject *pair)
{
    (void)self;
    TF_Output out;
    if (!core_output(pair, &out))
        return NULL;
    int n = TF_OperationOutputNumConsumers(out);
    TF_Input *inputs = PyMem_Calloc((size_t)n + 1, sizeof *inputs);
    if (!inputs)
        return PyErr_NoMemory();
    n = TF_OperationOutputConsumers(out, inputs, n);
    PyObject *list = PyList_New(n);
    for (int i = 0; list && i < n; i++)
        PyList_SetItem(list, i,
                       Py_BuildValue("(Ni)", PyLong_FromVoidPtr(inputs[i].oper), inputs[i].index));
    PyMem_Free(inputs);
    return list;
}

static PyObject *op_node_def(PyObject *self, PyObject *arg)
{
    (void)self;
    TF_Operation *op = core_oper(arg);
    if (!op)
        return NULL;
    TF_Buffer *buffer = TF_NewBuffer();
    TF_Status *st = TF_NewStatus();
    TF_OperationToNodeDef(op, buffer, st);
    if (core_ok(st))
        return core_buffer_take(buffer);
    TF_DeleteBuffer(buffer);
    return NULL;
}

/* The kind of an attribute as add_op has it ("s", "li"...); None: there is none of this name. */
static PyObject *op_attr_kind(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *number;
    const char *name;
    if (!PyArg_ParseTuple(args, "Os", &number, &name))
        return NULL;
    TF_Operation *op = core_oper(number);
    if (!op)
        return NULL;
    TF_Status *st = TF_NewStatus();
    TF_AttrMetadata m = TF_OperationGetAttrMetadata(op, name, st);
    bool found = TF_GetCode(st) == TF_OK;
    TF_DeleteStatus(st);
    if (!found)
        Py_RETURN_NONE;
    static const char kinds[] = "sifbthTpF";
    char kind[3] = {'l', (unsigned)m.type < sizeof kinds - 1 ? kinds[m.type] : 'v', 0};
    return PyUnicode_FromString(kind + !m.is_list);
}

/* A serialized AttrValue. */
static PyObject *op_attr(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *number;
    const char *name;
    if (!PyArg_ParseTuple(args, "Os", &number, &name))
        return NULL;
    TF_Operation *op = core_oper(number);
    if (!op)
        return NULL;
    TF_Buffer *buffer = TF_NewBuffer();
    TF_Status *st = TF_NewStatus();
    TF_OperationGetAttrValueProto(op, name, buffer, st);
    if (core_ok(st))
        return core_buffer_take(buffer);
    TF_DeleteBuffer(buffer);
    return NULL;
}

static PyObject *attr_ints(TF_Operation *op, const char *name, TF_AttrMetadata m, TF_Status *st)
{
    Py_ssize_t n = m.list_size;
    int64_t *values = PyMem_Calloc((size_t)n + 1, sizeof *values);
    if (!values)
        return PyErr_NoMemory();
    TF_OperationGetAttrIntList(op, name, values, (int)n, st);
    PyObject *list = PyList_New(n);
    for (Py_ssize_t i = 0; list && i < n; i++)
        PyList_SetItem(list, i, PyLong_FromLongLong(values[i]));
    PyMem_Free(values);
    return list;
}

static PyObject *attr_types(TF_Operation *op, const char *name, TF_AttrMetadata m, TF_Status *st)
{
    Py_ssize_t n = m.list_size;
    TF_DataType *values = PyMem_Calloc((size_t)n + 1, sizeof *values);
    if (!values)
        return PyErr_NoMemory();
    TF_OperationGetAttrTypeList(op, name, values, (int)n, st);
    PyObject *list = PyList_New(n);
    for (Py_ssize_t i = 0; list && i < n; i++)
        PyList_SetItem(list, i, PyLong_FromLong(values[i]));
    PyMem_Free(values);
    return list;
}

static PyObject *attr_shape(TF_Operation *op, const char *name, TF_AttrMetadata m, TF_Status *st)
{
    int64_t dims[CORE_MAX_RANK];
    if (m.total_size < 0 || m.total_size > CORE_MAX_RANK)
        Py_RETURN_NONE;
    TF_OperationGetAttrShape(op, name, dims, (int)m.total_size, st);
    PyObject *shape = PyTuple_New((Py_ssize_t)m.total_size);
    for (int i = 0; shape && i < m.total_size; i++)
        PyTuple_SetItem(shape, i, PyLong_FromLongLong(dims[i]));
    return shape;
}

static PyObject *attr_string(TF_Operation *op, const char *name, TF_AttrMetadata m, TF_Status *st)
{
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)m.total_size);
    if (bytes)
        TF_OperationGetAttrString(op, name, PyBytes_AsString(bytes), (size_t)m.total_size, st);
    return bytes;
}

static PyObject *attr_scalar(TF_Operation *op, const char *name, TF_AttrType type, TF_Status *st)
{
    int64_t i = 0;
    float f = 0;
    unsigned char b = 0;
    TF_DataType t = 0;
    switch (type) {
    case TF_ATTR_INT:
        TF_OperationGetAttrInt(op, name, &i, st);
        return PyLong_FromLongLong(i);
    case TF_ATTR_FLOAT:
        TF_OperationGetAttrFloat(op, name, &f, st);
        return PyFloat_FromDouble(f);
    case TF_ATTR_BOOL:
        TF_OperationGetAttrBool(op, name, &b, st);
        return PyBool_FromLong(b);
    default:
        TF_OperationGetAttrType(op, name, &t, st);
        return PyLong_FromLong(t);
    }
}

/* op_attr_value(operation, name): (kind, value) of the kinds s i f b t h li lt; of others (kind,
 * serialized AttrValue). */
static PyObject *op_attr_value(PyObject *self, PyObject *args)
{
    PyObject *number, *value;
    const char *name;
    if (!PyArg_ParseTuple(args, "Os", &number, &name))
        return NULL;
    TF_Operation *op = core_oper(number);
    if (!op)
        return NULL;
    TF_Status *st = TF_NewStatus();
    TF_AttrMetadata m = TF_OperationGetAttrMetadata(op, name, st);
    if (TF_GetCode(st) != TF_OK)
        return core_raise(st);
    const char *kind = "v";
    if (m.is_list && m.type == TF_ATTR_INT)
        kind = "li", value = attr_ints(op, name, m, st);
    else if (m.is_list && m.type == TF_ATTR_TYPE)
        kind = "lt", value = attr_types(op, name, m, st);
    else if (m.is_list)
        value = op_attr(self, args);
    else if (m.type == TF_ATTR_STRING)
        kind = "s", value = attr_string(op, name, m, st);
    else if (m.type == TF_ATTR_SHAPE)
        kind = "h", value = attr_shape(op, name, m, st);
    else if (m.type == TF_ATTR_INT || m.type == TF_ATTR_FLOAT || m.type == TF_ATTR_BOOL ||
             m.type == TF_ATTR_TYPE)
        kind = m.type == TF_ATTR_INT     ? "i"
               : m.type == TF_ATTR_FLOAT ? "f"
               : m.type == TF_ATTR_BOOL  ? "b"
                                         : "t",
        value = attr_scalar(op, name, m.type, st);
    else
        value = op_attr(self, args);
    if (!core_ok(st)) {
        Py_XDECREF(value);
        return NULL;
    }
    return value ? Py_BuildValue("(sN)", kind, value) : NULL;
}

static PyObject *op_spec(PyObject *self, PyObject *arg)
{
    (void)self;
    PyObject *bytes = PyUnicode_AsUTF8String(arg);
    if (!bytes)
        return NULL;
    char *spec = leat_op_spec(PyBytes_AsString(bytes));
    Py_DECREF(bytes);
    if (!spec)
        Py_RETURN_NONE;
    PyObject *text = PyUnicode_FromString(spec);
    leat_free(spec);
    return text;
}

static PyObject *op_names(PyObject *self, PyObject *none)
{
    (void)self, (void)none;
    int n = leat_num_ops();
    PyObject *list = PyList_New(n);
    for (int i = 0; list && i < n; i++) {
        struct leat_op_info info;
        leat_op_info(i, &info);
        PyList_SetItem(list, i, PyUnicode_FromString(info.name));
    }
    return list;
}

static PyObject *edited(TF_Status *st)
{
    if (!core_ok(st))
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *set_op_attr(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *number;
    const char *name, *value;
    Py_ssize_t n;
    TF_Operation *op;
    if (!PyArg_ParseTuple(args, "Osy#", &number, &name, &value, &n) || !(op = core_oper(number)))
        return NULL;
    TF_Status *st = TF_NewStatus();
    leat_set_attr(op, name, value, (size_t)n, st);
    return edited(st);
}

static PyObject *set_op_device(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *number;
    const char *device;
    TF_Operation *op;
    if (!PyArg_ParseTuple(args, "Os", &number, &device) || !(op = core_oper(number)))
        return NULL;
    TF_Status *st = TF_NewStatus();
    leat_set_device(op, device, st);
    return edited(st);
}

static PyObject *add_control(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *a, *b;
    TF_Operation *op, *before;
    if (!PyArg_ParseTuple(args, "OO", &a, &b) || !(op = core_oper(a)) || !(before = core_oper(b)))
        return NULL;
    TF_Status *st = TF_NewStatus();
    leat_add_control_input(op, before, st);
    return edited(st);
}

static PyObject *remove_controls(PyObject *self, PyObject *number)
{
    (void)self;
    TF_Operation *op = core_oper(number);
    if (!op)
        return NULL;
    TF_Status *st = TF_NewStatus();
    leat_remove_control_inputs(op, st);
    return edited(st);
}

static PyObject *update_input(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *a, *b;
    int index;
    TF_Operation *op;
    TF_Output out;
    if (!PyArg_ParseTuple(args, "OiO", &a, &index, &b) || !(op = core_oper(a)) ||
        !core_output(b, &out))
        return NULL;
    TF_Status *st = TF_NewStatus();
    leat_update_input(op, index, out, st);
    return edited(st);
}

static PyMethodDef functions[] = {
    {"set_op_attr", set_op_attr, METH_VARARGS, "(operation, name, serialized AttrValue)."},
    {"set_op_device", set_op_device, METH_VARARGS, "(operation, device)."},
    {"add_control", add_control, METH_VARARGS, "(operation, the one that it waits for)."},
    {"remove_controls", remove_controls, METH_O, "(operation)."},
    {"update_input", update_input, METH_VARARGS, "(operation, index, output)."},
    {"op_name", op_name, METH_O, "Its name."},
    {"op_type", op_type, METH_O, "Its op's name."},
    {"op_device", op_device, METH_O, "The device that was asked for."},
    {"op_output_types", op_output_types, METH_O, "The types of its outputs, references marked."},
    {"op_inputs", op_inputs, METH_O, "The outputs that it takes."},
    {"op_input_types", op_input_types, METH_O, "The types that it takes them as."},
    {"op_control_inputs", op_control_inputs, METH_O, "What it waits for."},
    {"op_control_outputs", op_control_outputs, METH_O, "What waits for it."},
    {"op_consumers", op_consumers, METH_O, "Who takes an output: (operation, place)."},
    {"op_node_def", op_node_def, METH_O, "A serialized NodeDef."},
    {"op_attr_kind", op_attr_kind, METH_VARARGS, "The kind of an attribute, or None."},
    {"op_attr", op_attr, METH_VARARGS, "A serialized AttrValue."},
    {"op_attr_value", op_attr_value, METH_VARARGS, "(kind, value) of an attribute."},
    {"op_spec", op_spec, METH_O, "The definition of an op as text, or None."},
    {"op_names", op_names, METH_NOARGS, "The names of all ops."},
    {NULL, NULL, 0, NULL},
};

int core_add_operations(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
