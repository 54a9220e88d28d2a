/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs from GraphDefs, and functions: graph_import, function_make, function_add, function_list.
 */
#include <string.h>

#include "graph.h"
#include "tensorflow/c/ops.h"

/* ---- GraphDefs ---- */

struct request {        /* what graph_import is asked for */
    PyObject *inputs;   /* [(name, index, output)]: instead of the GraphDef's own */
    PyObject *controls; /* [(name, operation)]: the same for control inputs */
    PyObject *deps;     /* [operation]: what the nodes wait for */
    PyObject *returns;  /* [(name, index)]; index -1: the operation */
};

static bool map_inputs(TF_ImportGraphDefOptions *o, const struct request *r)
{
    for (Py_ssize_t i = 0; i < PyList_Size(r->inputs); i++) {
        const char *name;
        int index;
        PyObject *pair;
        TF_Output out;
        if (!PyArg_ParseTuple(PyList_GetItem(r->inputs, i), "siO", &name, &index, &pair) ||
            !core_output(pair, &out))
            return false;
        TF_ImportGraphDefOptionsAddInputMapping(o, name, index, out);
    }
    for (Py_ssize_t i = 0; i < PyList_Size(r->controls); i++) {
        const char *name;
        PyObject *number;
        TF_Operation *op;
        if (!PyArg_ParseTuple(PyList_GetItem(r->controls, i), "sO", &name, &number) ||
            !(op = core_oper(number)))
            return false;
        TF_ImportGraphDefOptionsRemapControlDependency(o, name, op);
    }
    for (Py_ssize_t i = 0; i < PyList_Size(r->deps); i++) {
        TF_Operation *op = core_oper(PyList_GetItem(r->deps, i));
        if (!op)
            return false;
        TF_ImportGraphDefOptionsAddControlDependency(o, op);
    }
    return !PyErr_Occurred();
}

static bool ask_returns(TF_ImportGraphDefOptions *o, const struct request *r)
{
    for (Py_ssize_t i = 0; i < PyList_Size(r->returns); i++) {
        const char *name;
        int index;
        if (!PyArg_ParseTuple(PyList_GetItem(r->returns, i), "si", &name, &index))
            return false;
        if (index < 0)
            TF_ImportGraphDefOptionsAddReturnOperation(o, name);
        else
            TF_ImportGraphDefOptionsAddReturnOutput(o, name, index);
    }
    return !PyErr_Occurred();
}

/* (what was asked for, in order, [(name, index)] of mapped inputs that are not in the GraphDef). */
static PyObject *delivered(TF_ImportGraphDefResults *results, const struct request *r)
{
    TF_Output *outs;
    TF_Operation **ops;
    const char **names;
    int *indexes, num_outs, num_ops, num_missing, out = 0, op = 0;
    TF_ImportGraphDefResultsReturnOutputs(results, &num_outs, &outs);
    TF_ImportGraphDefResultsReturnOperations(results, &num_ops, &ops);
    TF_ImportGraphDefResultsMissingUnusedInputMappings(results, &num_missing, &names, &indexes);
    PyObject *list = PyList_New(0), *missing = PyList_New(0);
    for (Py_ssize_t i = 0; list && i < PyList_Size(r->returns); i++) {
        long index = PyLong_AsLong(PyTuple_GetItem(PyList_GetItem(r->returns, i), 1));
        PyObject *item = index < 0 ? PyLong_FromVoidPtr(ops[op++]) : core_from_output(outs[out++]);
        if (!item || PyList_Append(list, item) != 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    for (int i = 0; missing && i < num_missing; i++) {
        PyObject *item = Py_BuildValue("(si)", names[i], indexes[i]);
        if (!item || PyList_Append(missing, item) != 0)
            Py_CLEAR(missing);
        Py_XDECREF(item);
    }
    if (list && missing)
        return Py_BuildValue("(NN)", list, missing);
    Py_XDECREF(list);
    Py_XDECREF(missing);
    return NULL;
}

/* graph_import(graph, bytes, prefix, device, inputs, controls, deps, returns). */
static PyObject *graph_import(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *object, *result = NULL;
    const char *data, *prefix, *device;
    Py_ssize_t n;
    struct request r;
    if (!PyArg_ParseTuple(args, "Oy#ssO!O!O!O!", &object, &data, &n, &prefix, &device, &PyList_Type,
                          &r.inputs, &PyList_Type, &r.controls, &PyList_Type, &r.deps, &PyList_Type,
                          &r.returns))
        return NULL;
    TF_Graph *g = core_graph(object);
    if (!g)
        return NULL;
    TF_ImportGraphDefOptions *o = TF_NewImportGraphDefOptions();
    TF_ImportGraphDefOptionsSetPrefix(o, prefix);
    TF_ImportGraphDefOptionsSetUniquifyNames(o, 1);
    if (device[0])
        TF_ImportGraphDefOptionsSetDefaultDevice(o, device);
    if (map_inputs(o, &r) && ask_returns(o, &r)) {
        TF_Buffer buffer = {data, (size_t)n, NULL};
        TF_Status *st = TF_NewStatus();
        TF_ImportGraphDefResults *results;
        Py_BEGIN_ALLOW_THREADS results = TF_GraphImportGraphDefWithResults(g, &buffer, o, st);
        Py_END_ALLOW_THREADS if (core_ok(st)) result = delivered(results, &r);
        if (results)
            TF_DeleteImportGraphDefResults(results);
    }
    TF_DeleteImportGraphDefOptions(o);
    return result;
}

/* ---- functions ---- */

/* A list of texts, or None, into *texts (for PyMem_Free), which point into *kept. */
static bool texts_of(PyObject *list, PyObject **kept, const char ***texts, int *n)
{
    *kept = NULL;
    *texts = NULL;
    *n = 0;
    if (list == Py_None)
        return true;
    Py_ssize_t size = PyList_Size(list);
    *kept = size < 0 ? NULL : PyList_New(size);
    *texts = *kept ? PyMem_Calloc((size_t)size + 1, sizeof(char *)) : NULL;
    for (Py_ssize_t i = 0; *texts && i < size; i++) {
        PyObject *bytes = PyUnicode_AsUTF8String(PyList_GetItem(list, i));
        if (!bytes)
            return false;
        PyList_SetItem(*kept, i, bytes);
        (*texts)[i] = PyBytes_AsString(bytes);
    }
    *n = (int)size;
    return *texts != NULL;
}

/* A list of operations, or None, for PyMem_Free. */
static bool opers_of(PyObject *list, const TF_Operation ***ops, int *n)
{
    *ops = NULL;
    *n = 0;
    if (list == Py_None)
        return true;
    Py_ssize_t size = PyList_Size(list);
    if (size < 0 || !(*ops = PyMem_Calloc((size_t)size + 1, sizeof **ops)))
        return false;
    for (; *n < size; (*n)++) {
        if (!((*ops)[*n] = core_oper(PyList_GetItem(list, *n))))
            return false;
    }
    return true;
}

static PyObject *function_bytes(TF_Function *f)
{
    TF_Buffer *buffer = TF_NewBuffer();
    TF_Status *st = TF_NewStatus();
    TF_FunctionToFunctionDef(f, buffer, st);
    if (core_ok(st))
        return core_buffer_take(buffer);
    TF_DeleteBuffer(buffer);
    return NULL;
}

struct parts { /* of a function to be made */
    const TF_Operation **ops, **controls;
    TF_Output *inputs, *outputs;
    const char **names, **control_names;
    PyObject *kept, *control_kept;
    int num_ops, num_controls, num_inputs, num_outputs, num_names, num_control_names;
};

static void parts_free(struct parts *p)
{
    PyMem_Free(p->ops);
    PyMem_Free(p->controls);
    PyMem_Free(p->inputs);
    PyMem_Free(p->outputs);
    PyMem_Free(p->names);
    PyMem_Free(p->control_names);
    Py_XDECREF(p->kept);
    Py_XDECREF(p->control_kept);
}

/* function_make(graph, name, append_hash, operations or None, inputs, outputs, output names or
 * None, control outputs or None, their names or None, description): a serialized FunctionDef. */
static PyObject *function_make(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *object, *ops, *inputs, *outputs, *names, *controls, *control_names, *result = NULL;
    const char *name, *description;
    int hash;
    if (!PyArg_ParseTuple(args, "OspOOOOOOz", &object, &name, &hash, &ops, &inputs, &outputs,
                          &names, &controls, &control_names, &description))
        return NULL;
    TF_Graph *g = core_graph(object);
    struct parts p = {0};
    if (g && opers_of(ops, &p.ops, &p.num_ops) &&
        opers_of(controls, &p.controls, &p.num_controls) &&
        core_outputs(inputs, &p.inputs, &p.num_inputs) &&
        core_outputs(outputs, &p.outputs, &p.num_outputs) &&
        texts_of(names, &p.kept, &p.names, &p.num_names) &&
        texts_of(control_names, &p.control_kept, &p.control_names, &p.num_control_names)) {
        TF_Status *st = TF_NewStatus();
        TF_Function *f = TF_GraphToFunctionWithControlOutputs(
            g, name, (unsigned char)hash, ops == Py_None ? -1 : p.num_ops, p.ops, p.num_inputs,
            p.inputs, p.num_outputs, p.outputs, p.names, p.num_controls, p.controls,
            p.control_names, NULL, description, st);
        if (core_ok(st))
            result = function_bytes(f);
        if (f)
            TF_DeleteFunction(f);
    }
    parts_free(&p);
    return result;
}

static TF_Function *function_of(const char *data, Py_ssize_t n)
{
    TF_Status *st = TF_NewStatus();
    TF_Function *f = TF_FunctionImportFunctionDef(data, (size_t)n, st);
    return core_ok(st) ? f : NULL;
}

/* function_add(graph, FunctionDef, its gradient's FunctionDef or None). */
static PyObject *function_add(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *object;
    const char *data, *grad_data = NULL;
    Py_ssize_t n, grad_n = 0;
    if (!PyArg_ParseTuple(args, "Oy#|z#", &object, &data, &n, &grad_data, &grad_n))
        return NULL;
    TF_Graph *g = core_graph(object);
    TF_Function *f = g ? function_of(data, n) : NULL;
    TF_Function *grad = f && grad_data ? function_of(grad_data, grad_n) : NULL;
    bool ok = f && (grad || !grad_data);
    if (ok) {
        TF_Status *st = TF_NewStatus();
        TF_GraphCopyFunction(g, f, grad, st);
        ok = core_ok(st);
    }
    if (f)
        TF_DeleteFunction(f);
    if (grad)
        TF_DeleteFunction(grad);
    if (!ok)
        return NULL;
    Py_RETURN_NONE;
}

/* function_list(graph): the FunctionDefs of the graph. */
static PyObject *function_list(PyObject *self, PyObject *object)
{
    (void)self;
    TF_Graph *g = core_graph(object);
    int n = g ? TF_GraphNumFunctions(g) : 0;
    TF_Function **fs = g ? PyMem_Calloc((size_t)n + 1, sizeof *fs) : NULL;
    if (!fs)
        return g ? PyErr_NoMemory() : NULL;
    TF_Status *st = TF_NewStatus();
    n = TF_GraphGetFunctions(g, fs, n, st);
    PyObject *list = core_ok(st) ? PyList_New(n) : NULL;
    for (int i = 0; i < n; i++) {
        PyObject *bytes = list ? function_bytes(fs[i]) : NULL;
        if (list && bytes)
            PyList_SetItem(list, i, bytes);
        else
            Py_CLEAR(list);
        TF_DeleteFunction(fs[i]);
    }
    PyMem_Free(fs);
    return list;
}

/* load_library(path): the shared object's ops and kernels, for the life of the process; a
 * serialized OpList of the ops that it brought. */
static PyObject *load_library(PyObject *self, PyObject *arg)
{
    (void)self;
    PyObject *path = PyUnicode_AsUTF8String(arg);
    if (!path)
        return NULL;
    TF_Status *st = TF_NewStatus();
    TF_Library *library = TF_LoadLibrary(PyBytes_AsString(path), st);
    Py_DECREF(path);
    if (!core_ok(st))
        return NULL;
    TF_Buffer ops = TF_GetOpList(library);
    PyObject *list = PyBytes_FromStringAndSize(ops.length ? ops.data : "", (Py_ssize_t)ops.length);
    TF_DeleteLibraryHandle(library);
    return list;
}

/* Lists of texts go to one of the builder's functions, one by one. False with an exception set. */
static bool add_texts(TF_OpDefinitionBuilder *op, PyObject *texts,
                      void (*add)(TF_OpDefinitionBuilder *, const char *))
{
    Py_ssize_t n = PySequence_Size(texts);
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *item = PySequence_GetItem(texts, i);
        PyObject *bytes = item ? PyUnicode_AsUTF8String(item) : NULL;
        Py_XDECREF(item);
        if (!bytes)
            return false;
        add(op, PyBytes_AsString(bytes));
        Py_DECREF(bytes);
    }
    return n >= 0;
}

/* op_register(name, inputs, outputs, attrs, stateful, removed_in, why): an op with that interface,
 * for the life of the process, with no kernel; removed_in is a version of graphs, or 0. */
static PyObject *op_register(PyObject *self, PyObject *args)
{
    (void)self;
    const char *name, *why;
    PyObject *inputs, *outputs, *attrs;
    int stateful, removed_in;
    if (!PyArg_ParseTuple(args, "sOOOpis", &name, &inputs, &outputs, &attrs, &stateful, &removed_in,
                          &why))
        return NULL;
    TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder(name);
    if (!add_texts(op, inputs, TF_OpDefinitionBuilderAddInput) ||
        !add_texts(op, outputs, TF_OpDefinitionBuilderAddOutput) ||
        !add_texts(op, attrs, TF_OpDefinitionBuilderAddAttr)) {
        TF_DeleteOpDefinitionBuilder(op);
        return NULL;
    }
    if (stateful)
        TF_OpDefinitionBuilderSetIsStateful(op, true);
    if (removed_in)
        TF_OpDefinitionBuilderDeprecated(op, removed_in, why);
    TF_Status *st = TF_NewStatus();
    TF_RegisterOpDefinition(op, st);
    if (!core_ok(st))
        return NULL;
    Py_RETURN_NONE;
}

/* kernel_list(op or None): a serialized KernelList of the kernels of an op, or of all. */
static PyObject *kernel_list(PyObject *self, PyObject *arg)
{
    (void)self;
    PyObject *name = arg == Py_None ? NULL : PyUnicode_AsUTF8String(arg);
    if (arg != Py_None && !name)
        return NULL;
    TF_Status *st = TF_NewStatus();
    TF_Buffer *list = name ? TF_GetRegisteredKernelsForOp(PyBytes_AsString(name), st)
                           : TF_GetAllRegisteredKernels(st);
    Py_XDECREF(name);
    if (!core_ok(st))
        return NULL;
    PyObject *bytes =
        PyBytes_FromStringAndSize(list->length ? list->data : "", (Py_ssize_t)list->length);
    TF_DeleteBuffer(list);
    return bytes;
}

static PyMethodDef functions[] = {
    {"graph_import", graph_import, METH_VARARGS, "Adds a GraphDef's nodes."},
    {"function_make", function_make, METH_VARARGS, "A part of a graph as a FunctionDef."},
    {"function_add", function_add, METH_VARARGS, "Adds a FunctionDef to a graph."},
    {"function_list", function_list, METH_O, "The FunctionDefs of a graph."},
    {"load_library", load_library, METH_O, "Ops and kernels of a shared object: an OpList."},
    {"kernel_list", kernel_list, METH_O, "The kernels of an op, or all: a KernelList."},
    {"op_register", op_register, METH_VARARGS, "An op of the program's own."},
    {NULL, NULL, 0, NULL},
};

int core_add_import(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
