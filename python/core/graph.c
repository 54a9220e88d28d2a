/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs: the type _core.Graph, its scopes and what is asked of its operations.
 *
 * Nodes are made in node.c. An operation is an int, an output a tuple of an operation and an index;
 * a dead graph's ints must not be used, which the Python objects that wrap them see to by holding
 * the graph. */
#include <string.h>

#include "core.h"
#include "graph.h"

struct core_graph {
    PyObject_HEAD TF_Graph *g;
    PyObject *device_fns; /* callables that the graph's device scopes refer to, innermost last */
};

static PyTypeObject *graph_type;

TF_Graph *core_graph(PyObject *object)
{
    if (Py_TYPE(object) != graph_type) {
        PyErr_SetString(PyExc_TypeError, "a _core.Graph is wanted");
        return NULL;
    }
    return ((struct core_graph *)object)->g;
}

TF_Operation *core_oper(PyObject *number)
{
    if (!PyLong_Check(number)) {
        PyErr_SetString(PyExc_TypeError, "an operation is an int");
        return NULL;
    }
    TF_Operation *op = PyLong_AsVoidPtr(number);
    if (!op && !PyErr_Occurred())
        PyErr_SetString(PyExc_TypeError, "no operation");
    return op;
}

bool core_output(PyObject *pair, TF_Output *out)
{
    if (!PyTuple_Check(pair) || PyTuple_Size(pair) != 2) {
        PyErr_SetString(PyExc_TypeError, "an output is a tuple of an operation and an index");
        return false;
    }
    out->oper = core_oper(PyTuple_GetItem(pair, 0));
    out->index = out->oper ? (int)PyLong_AsLong(PyTuple_GetItem(pair, 1)) : 0;
    return out->oper && !(out->index == -1 && PyErr_Occurred());
}

PyObject *core_from_output(TF_Output out)
{
    if (!out.oper)
        Py_RETURN_NONE;
    return Py_BuildValue("(Ni)", PyLong_FromVoidPtr(out.oper), out.index);
}

bool core_outputs(PyObject *list, TF_Output **outs, int *n)
{
    *n = 0;
    *outs = NULL;
    if (list == Py_None)
        return true;
    Py_ssize_t size = PyList_Check(list) ? PyList_Size(list) : -1;
    if (size < 0 || size > INT32_MAX / 2) {
        PyErr_SetString(PyExc_TypeError, "a list of outputs is wanted");
        return false;
    }
    *outs = PyMem_Calloc((size_t)size + 1, sizeof **outs);
    if (!*outs) {
        PyErr_NoMemory();
        return false;
    }
    for (Py_ssize_t i = 0; i < size; i++) {
        PyObject *item = PyList_GetItem(list, i);
        if (item != Py_None && !core_output(item, &(*outs)[i])) {
            PyMem_Free(*outs);
            *outs = NULL;
            return false;
        }
    }
    *n = (int)size;
    return true;
}

PyObject *core_graph_failed(TF_Graph *g)
{
    TF_Status *st = TF_NewStatus();
    leat_graph_status(g, st);
    leat_graph_clear_status(g);
    if (PyErr_Occurred()) { /* a callable's own exception */
        TF_DeleteStatus(st);
        return NULL;
    }
    if (TF_GetCode(st) == TF_OK)
        TF_SetStatus(st, TF_INTERNAL, "the graph tells of no error");
    return core_raise(st);
}

/* ---- scopes ---- */

static PyObject *push_scope(PyObject *self, PyObject *arg)
{
    TF_Graph *g = core_graph(self);
    const char *name = NULL;
    PyObject *bytes = arg == Py_None ? NULL : PyUnicode_AsUTF8String(arg);
    if (arg != Py_None && (!bytes || !(name = PyBytes_AsString(bytes))))
        return NULL;
    leat_push_scope(g, name);
    Py_XDECREF(bytes);
    return PyUnicode_FromString(leat_current_scope(g));
}

static PyObject *current_scope(PyObject *self, PyObject *none)
{
    (void)none;
    return PyUnicode_FromString(leat_current_scope(core_graph(self)));
}

static PyObject *unique_name(PyObject *self, PyObject *arg)
{
    PyObject *bytes = PyUnicode_AsUTF8String(arg);
    if (!bytes)
        return NULL;
    char *name = leat_unique_name(core_graph(self), PyBytes_AsString(bytes));
    PyObject *result = PyUnicode_FromString(name ? name : "");
    leat_free(name);
    Py_DECREF(bytes);
    return result;
}

static PyObject *peek_unique_name(PyObject *self, PyObject *arg)
{
    PyObject *bytes = PyUnicode_AsUTF8String(arg);
    if (!bytes)
        return NULL;
    char *name = leat_peek_unique_name(core_graph(self), PyBytes_AsString(bytes));
    PyObject *result = PyUnicode_FromString(name ? name : "");
    leat_free(name);
    Py_DECREF(bytes);
    return result;
}

/* The callable's answer: a text that lives as long as its graph's scope does, by hanging on the
 * callable's own list. */
static const char *ask_device(void *arg, const struct leat_device_request *r)
{
    PyObject *entry = arg; /* [callable, last answer] */
    if (PyErr_Occurred())
        return "";
    PyObject *answer = PyObject_CallFunction(PyList_GetItem(entry, 0), "sssL", r->op, r->name,
                                             r->device, (long long)r->output_bytes);
    PyObject *bytes = NULL;
    if (answer == Py_None)
        bytes = PyBytes_FromString("");
    else if (answer)
        bytes = PyUnicode_AsUTF8String(answer);
    Py_XDECREF(answer);
    if (!bytes)
        return ""; /* the exception is seen when the node is done */
    PyList_SetItem(entry, 1, bytes);
    return PyBytes_AsString(bytes);
}

static PyObject *push_device(PyObject *self, PyObject *arg)
{
    TF_Graph *g = core_graph(self);
    if (arg == Py_None) {
        leat_push_device(g, NULL);
        Py_RETURN_NONE;
    }
    if (PyCallable_Check(arg)) {
        PyObject *entry = Py_BuildValue("[OO]", arg, Py_None);
        if (!entry || PyList_Append(((struct core_graph *)self)->device_fns, entry) != 0)
            return NULL;
        leat_push_device_function(g, ask_device, entry);
        return entry;
    }
    PyObject *bytes = PyUnicode_AsUTF8String(arg);
    if (!bytes)
        return NULL;
    TF_Status *st = TF_NewStatus();
    char *merged = leat_merge_devices("", PyBytes_AsString(bytes), st);
    if (TF_GetCode(st) == TF_OK)
        leat_push_device(g, PyBytes_AsString(bytes));
    leat_free(merged);
    Py_DECREF(bytes);
    if (!core_ok(st))
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *push_controls(PyObject *self, PyObject *arg)
{
    TF_Graph *g = core_graph(self);
    if (arg == Py_None) {
        leat_push_control_dependencies(g, NULL, 0);
        Py_RETURN_NONE;
    }
    Py_ssize_t n = PyList_Size(arg);
    TF_Operation **ops = n < 0 ? NULL : PyMem_Calloc((size_t)n + 1, sizeof *ops);
    if (!ops)
        return n < 0 ? NULL : PyErr_NoMemory();
    bool ok = true;
    for (Py_ssize_t i = 0; i < n && ok; i++)
        ok = (ops[i] = core_oper(PyList_GetItem(arg, i))) != NULL;
    if (ok)
        leat_push_control_dependencies(g, ops, (int)n);
    PyMem_Free(ops);
    if (!ok)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *push_colocation(PyObject *self, PyObject *arg)
{
    TF_Graph *g = core_graph(self);
    if (PyUnicode_Check(arg)) {
        PyObject *bytes = PyUnicode_AsUTF8String(arg);
        if (!bytes)
            return NULL;
        leat_push_colocation_name(g, PyBytes_AsString(bytes));
        Py_DECREF(bytes);
        Py_RETURN_NONE;
    }
    TF_Operation *op = arg == Py_None ? NULL : core_oper(arg);
    if (PyErr_Occurred())
        return NULL;
    leat_push_colocation(g, op);
    Py_RETURN_NONE;
}

static PyObject *pop(PyObject *self, PyObject *none)
{
    (void)none;
    leat_pop(core_graph(self));
    Py_RETURN_NONE;
}

static PyObject *drop_device_function(PyObject *self, PyObject *entry)
{
    PyObject *list = ((struct core_graph *)self)->device_fns;
    for (Py_ssize_t i = PyList_Size(list); i-- > 0;) {
        if (PyList_GetItem(list, i) == entry && PyList_SetSlice(list, i, i + 1, NULL) != 0)
            return NULL;
    }
    Py_RETURN_NONE;
}

/* ---- the graph as a whole ---- */

static PyObject *op_by_name(PyObject *self, PyObject *arg)
{
    PyObject *bytes = PyUnicode_AsUTF8String(arg);
    if (!bytes)
        return NULL;
    TF_Operation *op = TF_GraphOperationByName(core_graph(self), PyBytes_AsString(bytes));
    Py_DECREF(bytes);
    if (!op)
        Py_RETURN_NONE;
    return PyLong_FromVoidPtr(op);
}

/* ops_from(position): the operations from there on, and the new position. */
static PyObject *ops_from(PyObject *self, PyObject *arg)
{
    size_t pos = PyLong_AsSize_t(arg);
    if (PyErr_Occurred())
        return NULL;
    PyObject *list = PyList_New(0);
    for (TF_Operation *op; list && (op = TF_GraphNextOperation(core_graph(self), &pos));) {
        PyObject *number = PyLong_FromVoidPtr(op);
        if (!number || PyList_Append(list, number) != 0)
            Py_CLEAR(list);
        Py_XDECREF(number);
    }
    return list ? Py_BuildValue("(nN)", (Py_ssize_t)pos, list) : NULL;
}

PyObject *core_buffer_take(TF_Buffer *buffer)
{
    PyObject *bytes =
        PyBytes_FromStringAndSize(buffer->length ? buffer->data : "", (Py_ssize_t)buffer->length);
    TF_DeleteBuffer(buffer);
    return bytes;
}

static PyObject *to_graph_def(PyObject *self, PyObject *none)
{
    (void)none;
    TF_Buffer *buffer = TF_NewBuffer();
    TF_Status *st = TF_NewStatus();
    TF_GraphToGraphDef(core_graph(self), buffer, st);
    if (core_ok(st))
        return core_buffer_take(buffer);
    TF_DeleteBuffer(buffer);
    return NULL;
}

static PyObject *versions(PyObject *self, PyObject *none)
{
    (void)none;
    TF_Buffer *buffer = TF_NewBuffer();
    TF_Status *st = TF_NewStatus();
    TF_GraphVersions(core_graph(self), buffer, st);
    if (core_ok(st))
        return core_buffer_take(buffer);
    TF_DeleteBuffer(buffer);
    return NULL;
}

/* A serialized OpDef, or None. */
static PyObject *op_def(PyObject *self, PyObject *arg)
{
    PyObject *name = PyUnicode_AsUTF8String(arg);
    if (!name)
        return NULL;
    TF_Buffer *buffer = TF_NewBuffer();
    TF_Status *st = TF_NewStatus();
    TF_GraphGetOpDef(core_graph(self), PyBytes_AsString(name), buffer, st);
    bool found = TF_GetCode(st) == TF_OK;
    TF_DeleteStatus(st);
    Py_DECREF(name);
    if (found)
        return core_buffer_take(buffer);
    TF_DeleteBuffer(buffer);
    Py_RETURN_NONE;
}

static PyObject *get_shape(PyObject *self, PyObject *args)
{
    PyObject *pair;
    int64_t dims[254];
    TF_Output out;
    if (!PyArg_ParseTuple(args, "O", &pair) || !core_output(pair, &out))
        return NULL;
    int rank = leat_static_shape(core_graph(self), out, dims, 254);
    if (rank < 0)
        Py_RETURN_NONE;
    PyObject *shape = PyTuple_New(rank);
    for (int i = 0; shape && i < rank; i++)
        PyTuple_SetItem(shape, i, PyLong_FromLongLong(dims[i]));
    return shape;
}

bool core_dims(PyObject *shape, int64_t *dims, int *rank)
{
    *rank = -1;
    if (shape == Py_None)
        return true;
    PyObject *tuple = PySequence_Tuple(shape);
    Py_ssize_t n = tuple ? PyTuple_Size(tuple) : 0;
    if (tuple && n > CORE_MAX_RANK)
        PyErr_Format(PyExc_ValueError, "a shape of %zd dims: at most %d", n, CORE_MAX_RANK);
    for (Py_ssize_t i = 0; i < n && !PyErr_Occurred(); i++) {
        PyObject *dim = PyTuple_GetItem(tuple, i);
        dims[i] = dim == Py_None ? -1 : PyLong_AsLongLong(dim);
    }
    Py_XDECREF(tuple);
    *rank = (int)n;
    return !PyErr_Occurred();
}

static PyObject *set_shape(PyObject *self, PyObject *args)
{
    PyObject *pair, *shape;
    int64_t dims[CORE_MAX_RANK];
    int rank;
    TF_Output out;
    if (!PyArg_ParseTuple(args, "OO", &pair, &shape) || !core_output(pair, &out) ||
        !core_dims(shape, dims, &rank))
        return NULL;
    TF_Status *st = TF_NewStatus();
    TF_GraphSetTensorShape(core_graph(self), out, dims, rank, st);
    if (!core_ok(st))
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *value_dtype(PyObject *self, PyObject *pair)
{
    TF_Output out;
    if (!core_output(pair, &out))
        return NULL;
    return PyLong_FromLong(leat_dtype(core_graph(self), out));
}

/* set_seed(n): of the C graph, so that composites draw as Python's random ops do. */
static PyObject *set_seed(PyObject *self, PyObject *arg)
{
    long long seed = arg == Py_None ? LEAT_INT_NOT_GIVEN : PyLong_AsLongLong(arg);
    if (PyErr_Occurred())
        return NULL;
    leat_set_random_seed(core_graph(self), seed);
    Py_RETURN_NONE;
}

/* ---- the type ---- */

static PyObject *graph_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    (void)args, (void)kwargs;
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct core_graph *self = (struct core_graph *)alloc(type, 0);
    if (!self)
        return NULL;
    self->g = TF_NewGraph();
    self->device_fns = PyList_New(0);
    return (PyObject *)self;
}

static void graph_dealloc(PyObject *object)
{
    struct core_graph *self = (struct core_graph *)object;
    PyTypeObject *type = Py_TYPE(object);
    if (self->g)
        TF_DeleteGraph(self->g);
    Py_XDECREF(self->device_fns);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static PyMethodDef graph_methods[] = {
    {"add_op", core_add_op, METH_VARARGS, "A node: see node.c."},
    {"push_scope", push_scope, METH_O, "Enters a name scope; its name with a slash."},
    {"current_scope", current_scope, METH_NOARGS, "'' or 'a/b/'."},
    {"unique_name", unique_name, METH_O, "A name made unique, and taken."},
    {"peek_unique_name", peek_unique_name, METH_O, "A name made unique, not taken."},
    {"push_device", push_device, METH_O, "A device, a function, or None."},
    {"drop_device_function", drop_device_function, METH_O, "What push_device gave is done with."},
    {"push_controls", push_controls, METH_O, "Operations that new ones wait for, or None."},
    {"push_colocation", push_colocation, METH_O, "An operation, a name, or None."},
    {"pop", pop, METH_NOARGS, "Ends the innermost scope."},
    {"op_by_name", op_by_name, METH_O, "The operation, or None."},
    {"ops_from", ops_from, METH_O, "(position, operations from the position on)."},
    {"to_graph_def", to_graph_def, METH_NOARGS, "A serialized GraphDef."},
    {"versions", versions, METH_NOARGS, "A serialized VersionDef."},
    {"op_def", op_def, METH_O, "A serialized OpDef, or None."},
    {"get_shape", get_shape, METH_VARARGS, "None, or the dims, -1 where not known."},
    {"set_shape", set_shape, METH_VARARGS, "Merges a shape into an output's."},
    {"value_dtype", value_dtype, METH_O, "An output's type, or of the variable behind it."},
    {"set_seed", set_seed, METH_O, "The graph's random seed."},
    {NULL, NULL, 0, NULL},
};

static char graph_doc[] = "A TF_Graph, which lives as long as this.";

static PyType_Slot graph_slots[] = {
    {Py_tp_new, graph_new},
    {Py_tp_dealloc, graph_dealloc},
    {Py_tp_methods, graph_methods},
    {Py_tp_doc, graph_doc},
    {0, NULL},
};

static PyType_Spec graph_spec = {"leat._core.Graph", sizeof(struct core_graph), 0,
                                 Py_TPFLAGS_DEFAULT, graph_slots};

int core_add_graph(PyObject *module)
{
    graph_type = (PyTypeObject *)PyType_FromSpec(&graph_spec);
    if (!graph_type)
        return -1;
    Py_INCREF(graph_type);
    if (PyModule_AddObject(module, "Graph", (PyObject *)graph_type) != 0)
        return -1;
    return core_add_operations(module);
}
