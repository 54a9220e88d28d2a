/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients: tf.gradients, and functions of Python's that give an op's gradient.
 *
 * A gradient is a tuple (values, indices, dense_shape) of outputs: of a dense one the last two are
 * None, of none all are. A function of Python's is called as f(operation, [gradients]) while the
 * walk holds none of the library's locks, and gives a list of gradients, one for each input. */
#include "graph.h"

struct request {
    TF_Output *ys, *xs, *grad_ys, *stops;
    int ny, nx, num_grad_ys, num_stops;
};

static void request_free(struct request *r)
{
    PyMem_Free(r->ys);
    PyMem_Free(r->xs);
    PyMem_Free(r->grad_ys);
    PyMem_Free(r->stops);
}

static PyObject *from_grads(const struct leat_grad *grads, int n)
{
    PyObject *list = PyList_New(n);
    for (int i = 0; list && i < n; i++) {
        PyObject *row = Py_BuildValue("(NNN)", core_from_output(grads[i].values),
                                      core_from_output(grads[i].indices),
                                      core_from_output(grads[i].dense_shape));
        if (!row || PyList_SetItem(list, i, row) != 0)
            Py_CLEAR(list);
    }
    return list;
}

static bool optional_output(PyObject *item, TF_Output *out)
{
    *out = (TF_Output){NULL, 0};
    return item == Py_None || core_output(item, out);
}

/* list as exactly n gradients. */
static bool to_grads(PyObject *list, struct leat_grad *grads, int n)
{
    if (!PyList_Check(list) || PyList_Size(list) != n) {
        PyErr_Format(PyExc_ValueError, "a list of %d gradients is wanted", n);
        return false;
    }
    for (int i = 0; i < n; i++) {
        PyObject *v, *k, *s, *row = PyList_GetItem(list, i);
        if (!PyTuple_Check(row) || !PyArg_ParseTuple(row, "OOO", &v, &k, &s) ||
            !optional_output(v, &grads[i].values) || !optional_output(k, &grads[i].indices) ||
            !optional_output(s, &grads[i].dense_shape)) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_TypeError, "a gradient is a tuple of three");
            return false;
        }
    }
    return true;
}

/* gradients(graph, ys, xs, grad_ys or None, stops, name, made_at, colocate=0, gate=0,
 * aggregation=0) */
static PyObject *gradients(PyObject *module, PyObject *args)
{
    PyObject *graph, *ys, *xs, *grad_ys, *stops, *result = NULL;
    struct request r = {0};
    struct leat_gradients_args a = {0};
    TF_Graph *g;
    (void)module;
    int aggregation = 0;
    if (!PyArg_ParseTuple(args, "OOOOOzz|iii", &graph, &ys, &xs, &grad_ys, &stops, &a.name,
                          &a.made_at, &a.colocate, &a.gate, &aggregation) ||
        !(g = core_graph(graph)))
        return NULL;
    struct leat_grad *grads = NULL;
    if (!core_outputs(ys, &r.ys, &r.ny) || !core_outputs(xs, &r.xs, &r.nx) ||
        !core_outputs(grad_ys, &r.grad_ys, &r.num_grad_ys) ||
        !core_outputs(stops, &r.stops, &r.num_stops))
        goto done;
    if (grad_ys != Py_None && r.num_grad_ys != r.ny) {
        PyErr_SetString(PyExc_ValueError, "Passed unequal lengths of ys and grad_ys");
        goto done;
    }
    grads = PyMem_Calloc((size_t)r.nx + 1, sizeof *grads);
    if (!grads) {
        PyErr_NoMemory();
        goto done;
    }
    a.aggregation = (enum leat_aggregation)aggregation;
    a.grad_ys = r.grad_ys;
    a.stop_gradients = (struct leat_outputs){r.stops, r.num_stops};
    if (leat_gradients_fn(g, r.ys, r.ny, r.xs, r.nx, grads, &a))
        result = from_grads(grads, r.nx);
    else
        core_graph_failed(g);
done:
    PyMem_Free(grads);
    request_free(&r);
    return result;
}

/* An exception stays set until the walk is given up, and is then raised. */
static int call_function(void *data, TF_Graph *g, TF_Operation *op, const struct leat_grad *dys,
                         int num_dys, struct leat_grad *dxs, int num_dxs)
{
    (void)g;
    if (PyErr_Occurred())
        return 0;
    PyObject *list = from_grads(dys, num_dys);
    PyObject *result =
        list ? PyObject_CallFunction(data, "NO", PyLong_FromVoidPtr(op), list) : NULL;
    const bool ok = result && to_grads(result, dxs, num_dxs);
    Py_XDECREF(result);
    Py_XDECREF(list);
    return ok;
}

/* set_gradient_function(name, f): for all graphs; f lives as long as the process. */
static PyObject *set_gradient_function(PyObject *module, PyObject *args)
{
    const char *name;
    PyObject *function;
    (void)module;
    if (!PyArg_ParseTuple(args, "sO", &name, &function))
        return NULL;
    if (function == Py_None) {
        leat_set_no_gradient(NULL, name);
    } else {
        Py_INCREF(function);
        leat_set_gradient_function(NULL, name, call_function, function);
    }
    Py_RETURN_NONE;
}

/* call_gradient(graph, name or None, operation, dys): the library's own gradients. */
static PyObject *call_gradient(PyObject *module, PyObject *args)
{
    PyObject *graph, *number, *list, *result = NULL;
    const char *name;
    TF_Graph *g;
    TF_Operation *op;
    (void)module;
    if (!PyArg_ParseTuple(args, "OzOO", &graph, &name, &number, &list) ||
        !(g = core_graph(graph)) || !(op = core_oper(number)))
        return NULL;
    const int ny = TF_OperationNumOutputs(op), nx = TF_OperationNumInputs(op);
    struct leat_grad *dys = PyMem_Calloc((size_t)ny + 1, sizeof *dys);
    struct leat_grad *dxs = PyMem_Calloc((size_t)nx + 1, sizeof *dxs);
    if (!dys || !dxs)
        PyErr_NoMemory();
    else if (to_grads(list, dys, ny))
        result =
            leat_call_gradient(g, name, op, dys, dxs) ? from_grads(dxs, nx) : core_graph_failed(g);
    PyMem_Free(dys);
    PyMem_Free(dxs);
    return result;
}

static PyMethodDef functions[] = {
    {"gradients", gradients, METH_VARARGS,
     "gradients(graph, ys, xs, grad_ys, stops, name, made_at, colocate=0, gate=0, aggregation=0): "
     "a list."},
    {"set_gradient_function", set_gradient_function, METH_VARARGS,
     "set_gradient_function(name, f): f gives the gradient of ops called so; None: there is none."},
    {"call_gradient", call_gradient, METH_VARARGS,
     "call_gradient(graph, name, operation, dys): the library's own."},
    {NULL, NULL, 0, NULL},
};

int core_add_build(PyObject *module)
{
    return PyModule_AddFunctions(module, functions) == 0 ? core_add_flow(module) : -1;
}
