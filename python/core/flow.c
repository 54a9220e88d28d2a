/* SPDX-License-Identifier: Apache-2.0 */
/* Loops and branches, step by step: what control_flow_ops.py builds them with.
 *
 * A loop, or a pair of branches, that is being built is an int here, its address, which whoever
 * began it gives to _end or _abandon, once. A flow is an int too: the same for the same loop or
 * branch, as long as its graph. */
#include "graph.h"

static PyObject *from_outputs(const TF_Output *outs, int n)
{
    PyObject *list = PyList_New(n);
    for (int i = 0; list && i < n; i++) {
        PyObject *pair = core_from_output(outs[i]);
        if (!pair || PyList_SetItem(list, i, pair) != 0)
            Py_CLEAR(list);
    }
    return list;
}

/* ---- loops ---- */

/* Shapes of a list: None: nothing known; an item True: that of the first value. */
static bool take_shapes(PyObject *list, int n, struct leat_shape **shapes, int64_t **dims)
{
    *shapes = NULL;
    *dims = NULL;
    if (list == Py_None)
        return true;
    if (!PyList_Check(list) || PyList_Size(list) != n) {
        PyErr_SetString(PyExc_ValueError, "a shape for each variable of the loop is wanted");
        return false;
    }
    *shapes = PyMem_Calloc((size_t)n + 1, sizeof **shapes);
    *dims = PyMem_Calloc((size_t)n + 1, CORE_MAX_RANK * sizeof **dims);
    if (!*shapes || !*dims) {
        PyErr_NoMemory();
        return false;
    }
    for (int i = 0; i < n; i++) {
        PyObject *item = PyList_GetItem(list, i);
        int64_t *own = *dims + (size_t)i * CORE_MAX_RANK;
        int rank = LEAT_NOT_GIVEN;
        if (item != Py_True && !core_dims(item, own, &rank))
            return false;
        (*shapes)[i].rank = item != Py_True && rank < 0 ? LEAT_UNKNOWN_RANK : rank;
        (*shapes)[i].dims = own;
    }
    return true;
}

/* loop_begin(graph, variables, shapes, name, made_at, parallel, back_prop, swap, maximum=None):
 * (loop, merged) */
static PyObject *loop_begin(PyObject *module, PyObject *args)
{
    PyObject *graph, *list, *shape_list, *maximum = Py_None, *result = NULL;
    struct leat_while_loop_args a = {0};
    struct leat_shape *shapes = NULL;
    int64_t *dims = NULL;
    TF_Output *vars = NULL, *merged = NULL;
    int n, back_prop;
    TF_Graph *g;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOzzipp|O", &graph, &list, &shape_list, &a.name, &a.made_at,
                          &a.parallel_iterations, &back_prop, &a.swap_memory, &maximum) ||
        !(g = core_graph(graph)) ||
        (maximum != Py_None && !core_output(maximum, &a.maximum_iterations)) ||
        !core_outputs(list, &vars, &n))
        return NULL;
    a.no_back_prop = !back_prop;
    if (take_shapes(shape_list, n, &shapes, &dims)) {
        a.shape_invariants = shapes;
        merged = PyMem_Calloc((size_t)n + 1, sizeof *merged);
        struct leat_loop *l = merged ? leat_loop_begin(g, vars, n, merged, &a) : NULL;
        if (l)
            result = Py_BuildValue("(NN)", PyLong_FromVoidPtr(l), from_outputs(merged, n));
        else if (merged)
            core_graph_failed(g);
        else
            PyErr_NoMemory();
    }
    PyMem_Free(shapes);
    PyMem_Free(dims);
    PyMem_Free(vars);
    PyMem_Free(merged);
    return result;
}

/* loop_body(graph, loop, more, n): the variables as the body sees them. */
static PyObject *loop_body(PyObject *module, PyObject *args)
{
    PyObject *graph, *number, *pair, *result = NULL;
    TF_Output more;
    int n;
    TF_Graph *g;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOi", &graph, &number, &pair, &n) || !(g = core_graph(graph)) ||
        !core_output(pair, &more))
        return NULL;
    struct leat_loop *l = PyLong_AsVoidPtr(number);
    TF_Output *vars = l ? PyMem_Calloc((size_t)n + 1, sizeof *vars) : NULL;
    if (!vars)
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    if (leat_loop_body_begin(l, more, vars))
        result = from_outputs(vars, n);
    else
        core_graph_failed(g);
    PyMem_Free(vars);
    return result;
}

/* loop_end(graph, loop, next): the loop's results. The loop is over in any case. */
static PyObject *loop_end(PyObject *module, PyObject *args)
{
    PyObject *graph, *number, *list, *result = NULL;
    TF_Output *next, *results;
    int n;
    TF_Graph *g;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOO", &graph, &number, &list) || !(g = core_graph(graph)))
        return NULL;
    struct leat_loop *l = PyLong_AsVoidPtr(number);
    if (!l)
        return NULL;
    if (!core_outputs(list, &next, &n)) {
        leat_loop_abandon(l);
        return NULL;
    }
    results = PyMem_Calloc((size_t)n + 1, sizeof *results);
    if (!results) {
        leat_loop_abandon(l);
        PyErr_NoMemory();
    } else if (leat_loop_end(l, next, results)) {
        result = from_outputs(results, n);
    } else {
        core_graph_failed(g);
    }
    PyMem_Free(next);
    PyMem_Free(results);
    return result;
}

static PyObject *loop_abandon(PyObject *module, PyObject *number)
{
    (void)module;
    struct leat_loop *l = PyLong_AsVoidPtr(number);
    if (PyErr_Occurred())
        return NULL;
    leat_loop_abandon(l);
    Py_RETURN_NONE;
}

/* ---- branches ---- */

/* branches_begin(graph, pred, name, made_at): the branches, the true one of which is open. */
static PyObject *branches_begin(PyObject *module, PyObject *args)
{
    PyObject *graph, *pair;
    struct leat_cond_args a = {0};
    TF_Output pred;
    TF_Graph *g;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOzz", &graph, &pair, &a.name, &a.made_at) ||
        !(g = core_graph(graph)) || !core_output(pair, &pred))
        return NULL;
    struct leat_branches *b = leat_branches_begin(g, pred, &a);
    return b ? PyLong_FromVoidPtr(b) : core_graph_failed(g);
}

/* branches_other(graph, branches, results): the true branch is done. */
static PyObject *branches_other(PyObject *module, PyObject *args)
{
    PyObject *graph, *number, *list;
    TF_Output *results;
    int n;
    TF_Graph *g;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOO", &graph, &number, &list) || !(g = core_graph(graph)) ||
        !core_outputs(list, &results, &n))
        return NULL;
    struct leat_branches *b = PyLong_AsVoidPtr(number);
    const bool ok = b && leat_branches_other(b, results, n);
    PyMem_Free(results);
    if (!ok)
        return PyErr_Occurred() ? NULL : core_graph_failed(g);
    Py_RETURN_NONE;
}

/* branches_end(graph, branches, results): the merged ones. They are over in any case. */
static PyObject *branches_end(PyObject *module, PyObject *args)
{
    PyObject *graph, *number, *list, *result = NULL;
    TF_Output *results, *merged;
    int n;
    TF_Graph *g;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOO", &graph, &number, &list) || !(g = core_graph(graph)))
        return NULL;
    struct leat_branches *b = PyLong_AsVoidPtr(number);
    if (!b)
        return NULL;
    if (!core_outputs(list, &results, &n)) {
        leat_branches_abandon(b);
        return NULL;
    }
    merged = PyMem_Calloc((size_t)n + 1, sizeof *merged);
    if (!merged) {
        leat_branches_abandon(b);
        PyErr_NoMemory();
    } else if (leat_branches_end(b, results, n, merged)) {
        result = from_outputs(merged, n);
    } else {
        core_graph_failed(g);
    }
    PyMem_Free(results);
    PyMem_Free(merged);
    return result;
}

static PyObject *branches_abandon(PyObject *module, PyObject *number)
{
    (void)module;
    struct leat_branches *b = PyLong_AsVoidPtr(number);
    if (PyErr_Occurred())
        return NULL;
    leat_branches_abandon(b);
    Py_RETURN_NONE;
}

/* ---- asking ---- */

static PyObject *describe(const struct leat_flow *f)
{
    return Py_BuildValue("(NNsNNii)", PyLong_FromVoidPtr((void *)(uintptr_t)f->id),
                         PyBool_FromLong(f->is_loop), f->name, core_from_output(f->pivot),
                         core_from_output(f->pred), f->branch, f->depth);
}

/* current_flow(graph, level): (flow, is_loop, name, pivot, pred, branch, depth), or None. */
static PyObject *current_flow(PyObject *module, PyObject *args)
{
    PyObject *graph;
    struct leat_flow f;
    int level;
    TF_Graph *g;
    (void)module;
    if (!PyArg_ParseTuple(args, "Oi", &graph, &level) || !(g = core_graph(graph)))
        return NULL;
    if (!leat_current_flow(g, level, &f))
        Py_RETURN_NONE;
    return describe(&f);
}

/* flow_of(graph, operation, level): the same. */
static PyObject *flow_of(PyObject *module, PyObject *args)
{
    PyObject *graph, *number;
    struct leat_flow f;
    int level;
    TF_Graph *g;
    TF_Operation *op;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOi", &graph, &number, &level) || !(g = core_graph(graph)) ||
        !(op = core_oper(number)))
        return NULL;
    if (!leat_flow_of(g, op, level, &f))
        Py_RETURN_NONE;
    return describe(&f);
}

/* flow_def(graph, flow): a serialized WhileContextDef or CondContextDef. */
static PyObject *flow_def(PyObject *module, PyObject *args)
{
    PyObject *graph, *number, *result = NULL;
    TF_Graph *g;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO", &graph, &number) || !(g = core_graph(graph)))
        return NULL;
    const void *id = PyLong_AsVoidPtr(number);
    if (PyErr_Occurred())
        return NULL;
    TF_Status *st = TF_NewStatus();
    TF_Buffer *bytes = leat_flow_def(g, id, st);
    if (core_ok(st)) {
        result = PyBytes_FromStringAndSize(bytes->data, (Py_ssize_t)bytes->length);
        TF_DeleteBuffer(bytes);
    }
    return result;
}

static PyMethodDef functions[] = {
    {"loop_begin", loop_begin, METH_VARARGS, "Begins a loop: (loop, merged variables)."},
    {"loop_body", loop_body, METH_VARARGS, "Ends the condition: the body's variables."},
    {"loop_end", loop_end, METH_VARARGS, "Ends the body: the loop's results."},
    {"loop_abandon", loop_abandon, METH_O, "Gives a loop up."},
    {"branches_begin", branches_begin, METH_VARARGS, "Begins the true branch."},
    {"branches_other", branches_other, METH_VARARGS, "Begins the false branch."},
    {"branches_end", branches_end, METH_VARARGS, "Ends it: the merged results."},
    {"branches_abandon", branches_abandon, METH_O, "Gives branches up."},
    {"current_flow", current_flow, METH_VARARGS, "What is being built, or None."},
    {"flow_of", flow_of, METH_VARARGS, "What an operation was made in, or None."},
    {"flow_def", flow_def, METH_VARARGS, "A loop or branch as a serialized context."},
    {NULL, NULL, 0, NULL},
};

int core_add_flow(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
