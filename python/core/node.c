/* SPDX-License-Identifier: Apache-2.0 */
/* Making one node: Graph.add_op(type, name, inputs, attrs, made_at).
 *
 * inputs is a list whose items are outputs or, for a list of inputs, lists of outputs. attrs is a
 * list of (name, kind, value), where kind is one letter: s bytes, i int, f float, b bool, t type as
 * a number, h shape, T numpy array (or (array, type)), F a function's name, v a serialized
 * AttrValue; with l before it a list of such. Types that follow from the inputs need not be given.
 * The node stands under the scopes that are open on this thread. */
#include <string.h>

#include "graph.h"

/* An array for a list attribute, of n elements; never NULL but with MemoryError. */
static void *array_of(Py_ssize_t n, size_t size)
{
    void *p = PyMem_Calloc((size_t)n + 1, size);
    if (!p)
        PyErr_NoMemory();
    return p;
}

static bool bytes_of(PyObject *value, const char **p, size_t *n)
{
    char *text;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(value, &text, &size) != 0)
        return false;
    *p = text;
    *n = (size_t)size;
    return true;
}

static void set_strings(TF_OperationDescription *d, const char *name, PyObject *list, int n)
{
    const char **texts = array_of(n, sizeof *texts);
    size_t *sizes = array_of(n, sizeof *sizes);
    bool ok = texts && sizes;
    for (int i = 0; ok && i < n; i++)
        ok = bytes_of(PyList_GetItem(list, i), &texts[i], &sizes[i]);
    if (ok)
        TF_SetAttrStringList(d, name, (const void *const *)texts, sizes, n);
    PyMem_Free(texts);
    PyMem_Free(sizes);
}

static void set_ints(TF_OperationDescription *d, const char *name, PyObject *list, int n)
{
    int64_t *values = array_of(n, sizeof *values);
    for (int i = 0; values && i < n; i++)
        values[i] = PyLong_AsLongLong(PyList_GetItem(list, i));
    if (values && !PyErr_Occurred())
        TF_SetAttrIntList(d, name, values, n);
    PyMem_Free(values);
}

static void set_floats(TF_OperationDescription *d, const char *name, PyObject *list, int n)
{
    float *values = array_of(n, sizeof *values);
    for (int i = 0; values && i < n; i++)
        values[i] = (float)PyFloat_AsDouble(PyList_GetItem(list, i));
    if (values && !PyErr_Occurred())
        TF_SetAttrFloatList(d, name, values, n);
    PyMem_Free(values);
}

static void set_bools(TF_OperationDescription *d, const char *name, PyObject *list, int n)
{
    unsigned char *values = array_of(n, sizeof *values);
    for (int i = 0; values && i < n; i++)
        values[i] = PyObject_IsTrue(PyList_GetItem(list, i)) == 1;
    if (values && !PyErr_Occurred())
        TF_SetAttrBoolList(d, name, values, n);
    PyMem_Free(values);
}

static void set_types(TF_OperationDescription *d, const char *name, PyObject *list, int n)
{
    TF_DataType *values = array_of(n, sizeof *values);
    for (int i = 0; values && i < n; i++)
        values[i] = (TF_DataType)PyLong_AsLong(PyList_GetItem(list, i));
    if (values && !PyErr_Occurred())
        TF_SetAttrTypeList(d, name, values, n);
    PyMem_Free(values);
}

static void set_shapes(TF_OperationDescription *d, const char *name, PyObject *list, int n)
{
    int64_t(*dims)[CORE_MAX_RANK] = array_of(n, sizeof *dims);
    const int64_t **rows = array_of(n, sizeof *rows);
    int *ranks = array_of(n, sizeof *ranks);
    bool ok = dims && rows && ranks;
    for (int i = 0; ok && i < n; i++) {
        rows[i] = dims[i];
        ok = core_dims(PyList_GetItem(list, i), dims[i], &ranks[i]);
    }
    if (ok)
        TF_SetAttrShapeList(d, name, rows, ranks, n);
    PyMem_Free(dims);
    PyMem_Free(rows);
    PyMem_Free(ranks);
}

static TF_Tensor *tensor_of(PyObject *value)
{
    if (!PyTuple_Check(value))
        return core_tensor_from(value, 0, false);
    return core_tensor_from(PyTuple_GetItem(value, 0),
                            (int)PyLong_AsLong(PyTuple_GetItem(value, 1)), false);
}

static void set_tensors(TF_OperationDescription *d, const char *name, PyObject *list, int n)
{
    TF_Tensor **values = array_of(n, sizeof(TF_Tensor *));
    bool ok = values != NULL;
    for (int i = 0; ok && i < n; i++)
        ok = (values[i] = tensor_of(PyList_GetItem(list, i))) != NULL;
    TF_Status *st = TF_NewStatus();
    if (ok)
        TF_SetAttrTensorList(d, name, values, n, st);
    for (int i = 0; values && i < n && values[i]; i++)
        TF_DeleteTensor(values[i]);
    PyMem_Free(values);
    core_ok(st);
}

static void set_list(TF_OperationDescription *d, const char *name, char kind, PyObject *list)
{
    Py_ssize_t n = PyList_Size(list);
    if (n < 0 || n > INT32_MAX / 4) {
        PyErr_Format(PyExc_TypeError, "attr '%s': a list is wanted", name);
        return;
    }
    switch (kind) {
    case 's':
        set_strings(d, name, list, (int)n);
        break;
    case 'i':
        set_ints(d, name, list, (int)n);
        break;
    case 'f':
        set_floats(d, name, list, (int)n);
        break;
    case 'b':
        set_bools(d, name, list, (int)n);
        break;
    case 't':
        set_types(d, name, list, (int)n);
        break;
    case 'h':
        set_shapes(d, name, list, (int)n);
        break;
    case 'T':
        set_tensors(d, name, list, (int)n);
        break;
    default:
        PyErr_Format(PyExc_ValueError, "attr '%s': no kind l%c", name, kind);
    }
}

static void set_tensor(TF_OperationDescription *d, const char *name, PyObject *value)
{
    TF_Tensor *tensor = tensor_of(value);
    if (!tensor)
        return;
    TF_Status *st = TF_NewStatus();
    TF_SetAttrTensor(d, name, tensor, st);
    TF_DeleteTensor(tensor);
    core_ok(st);
}

static void set_shape_attr(TF_OperationDescription *d, const char *name, PyObject *value)
{
    int64_t dims[CORE_MAX_RANK];
    int rank;
    if (core_dims(value, dims, &rank))
        TF_SetAttrShape(d, name, dims, rank);
}

static void set_bytes(TF_OperationDescription *d, const char *name, char kind, PyObject *value)
{
    const char *p;
    size_t n;
    if (!bytes_of(value, &p, &n))
        return;
    if (kind == 's') {
        TF_SetAttrString(d, name, p, n);
    } else if (kind == 'F') {
        TF_SetAttrFuncName(d, name, p, n);
    } else {
        TF_Status *st = TF_NewStatus();
        TF_SetAttrValueProto(d, name, p, n, st);
        core_ok(st);
    }
}

static void set_one(TF_OperationDescription *d, const char *name, char kind, PyObject *value)
{
    switch (kind) {
    case 's':
    case 'F':
    case 'v':
        set_bytes(d, name, kind, value);
        break;
    case 'i': {
        long long i = PyLong_AsLongLong(value);
        if (!PyErr_Occurred())
            TF_SetAttrInt(d, name, i);
        break;
    }
    case 'f': {
        double f = PyFloat_AsDouble(value);
        if (!PyErr_Occurred())
            TF_SetAttrFloat(d, name, (float)f);
        break;
    }
    case 'b':
        TF_SetAttrBool(d, name, PyObject_IsTrue(value) == 1);
        break;
    case 't': {
        long t = PyLong_AsLong(value);
        if (!PyErr_Occurred())
            TF_SetAttrType(d, name, (TF_DataType)t);
        break;
    }
    case 'h':
        set_shape_attr(d, name, value);
        break;
    case 'T':
        set_tensor(d, name, value);
        break;
    default:
        PyErr_Format(PyExc_ValueError, "attr '%s': no kind %c", name, kind);
    }
}

static bool set_attrs(TF_OperationDescription *d, PyObject *attrs)
{
    Py_ssize_t n = PyList_Size(attrs);
    for (Py_ssize_t i = 0; i < n && !PyErr_Occurred(); i++) {
        const char *name, *kind;
        PyObject *value;
        if (!PyArg_ParseTuple(PyList_GetItem(attrs, i), "ssO", &name, &kind, &value))
            break;
        if (kind[0] == 'l')
            set_list(d, name, kind[1], value);
        else
            set_one(d, name, kind[0], value);
    }
    return !PyErr_Occurred();
}

static bool add_inputs(TF_OperationDescription *d, PyObject *inputs)
{
    Py_ssize_t n = PyList_Size(inputs);
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *item = PyList_GetItem(inputs, i);
        TF_Output *list, one;
        int count;
        if (!PyList_Check(item)) {
            if (!core_output(item, &one))
                return false;
            leat_add_input(d, one);
        } else if (core_outputs(item, &list, &count)) {
            leat_add_input_list(d, list, count);
            PyMem_Free(list);
        } else {
            return false;
        }
    }
    return n >= 0;
}

static PyObject *made(TF_Operation *op)
{
    int n = TF_OperationNumOutputs(op);
    PyObject *types = PyTuple_New(n);
    for (int i = 0; types && i < n; i++)
        PyTuple_SetItem(types, i, PyLong_FromLong(TF_OperationOutputType((TF_Output){op, i})));
    return types ? Py_BuildValue("(NsN)", PyLong_FromVoidPtr(op), TF_OperationName(op), types)
                 : NULL;
}

PyObject *core_add_op(PyObject *self, PyObject *args)
{
    const char *type, *name, *made_at;
    PyObject *inputs, *attrs;
    TF_Graph *g = core_graph(self);
    if (!g || !PyArg_ParseTuple(args, "szO!O!z", &type, &name, &PyList_Type, &inputs, &PyList_Type,
                                &attrs, &made_at))
        return NULL;
    TF_OperationDescription *d = leat_begin(g, type, name, made_at);
    bool ok = d && add_inputs(d, inputs) && set_attrs(d, attrs);
    if (d && !ok) /* there is no other end of a description: one that cannot become a node */
        leat_add_input(d, (TF_Output){NULL, 0});
    TF_Operation *op = d ? leat_finish(d) : NULL;
    if (!op || PyErr_Occurred())
        return core_graph_failed(g);
    return made(op);
}
