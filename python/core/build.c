/* SPDX-License-Identifier: Apache-2.0 */
/* Composites of C that Python offers under their own names: gradients. */
#include "graph.h"

struct gradients_request {
    TF_Output *ys, *xs, *grad_ys, *stops;
    int ny, nx, num_grad_ys, num_stops;
};

static void request_free(struct gradients_request *r)
{
    PyMem_Free(r->ys);
    PyMem_Free(r->xs);
    PyMem_Free(r->grad_ys);
    PyMem_Free(r->stops);
}

/* [(values, indices, dense_shape)], None where there is none. */
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

/* gradients(graph, ys, xs, grad_ys or None, stops, name, made_at) */
static PyObject *gradients(PyObject *module, PyObject *args)
{
    PyObject *graph, *ys, *xs, *grad_ys, *stops, *result = NULL;
    struct gradients_request r = {0};
    struct leat_gradients_args a = {0};
    TF_Graph *g;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOOOzz", &graph, &ys, &xs, &grad_ys, &stops, &a.name,
                          &a.made_at) ||
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

static PyMethodDef functions[] = {
    {"gradients", gradients, METH_VARARGS,
     "gradients(graph, ys, xs, grad_ys, stops, name, made_at): [(values, indices, shape)]."},
    {NULL, NULL, 0, NULL},
};

int core_add_build(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
