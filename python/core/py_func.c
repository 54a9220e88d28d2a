/* SPDX-License-Identifier: Apache-2.0 */
/* Python functions inside a graph: the hook of leat/script.h, on any thread. Exceptions become
 * statuses by their class, with the traceback in the text. */
#include <stdio.h>
#include <string.h>

#include "core.h"

static PyObject *function; /* guarded by the interpreter's lock */

static TF_Code code_of(void)
{
    const struct {
        PyObject *type;
        TF_Code code;
    } rows[] = {
        {PyExc_ValueError, TF_INVALID_ARGUMENT},       {PyExc_TypeError, TF_INVALID_ARGUMENT},
        {PyExc_StopIteration, TF_OUT_OF_RANGE},        {PyExc_MemoryError, TF_RESOURCE_EXHAUSTED},
        {PyExc_NotImplementedError, TF_UNIMPLEMENTED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (PyErr_ExceptionMatches(rows[i].type))
            return rows[i].code;
    }
    return TF_UNKNOWN;
}

/* "ValueError: text", and where it came from: NULL when even that fails. */
static PyObject *describe(PyObject *type, PyObject *value, PyObject *trace)
{
    PyObject *name = PyObject_GetAttrString(type, "__name__");
    PyObject *module = PyImport_ImportModule("traceback");
    PyObject *lines = module ? PyObject_CallMethod(module, "format_exception", "OOO", type, value,
                                                   trace ? trace : Py_None)
                             : NULL;
    PyObject *line_end = PyUnicode_FromString("\n");
    PyObject *where = lines && line_end ? PyUnicode_Join(line_end, lines) : NULL;
    PyErr_Clear();
    PyObject *text = NULL;
    if (name && where)
        text = PyUnicode_FromFormat("%S: %S\n%S\n", name, value ? value : Py_None, where);
    Py_XDECREF(name);
    Py_XDECREF(module);
    Py_XDECREF(lines);
    Py_XDECREF(line_end);
    Py_XDECREF(where);
    return text;
}

static void to_status(TF_Status *status)
{
    if (!PyErr_ExceptionMatches(PyExc_Exception) && core_stop_later()) {
        TF_SetStatus(status, TF_CANCELLED, "The step was interrupted.");
        return;
    }
    TF_Code code = code_of();
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    PyObject *text = describe(type, value, trace);
    PyObject *bytes = text ? PyUnicode_AsEncodedString(text, "utf-8", "replace") : NULL;
    const char *p = bytes ? PyBytes_AsString(bytes) : NULL;
    TF_SetStatus(status, code, p ? p : "an exception that cannot be printed");
    PyErr_Clear();
    Py_XDECREF(bytes);
    Py_XDECREF(text);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
}

static PyObject *inputs_list(TF_Tensor *const *inputs, int n)
{
    PyObject *list = PyList_New(n);
    for (int i = 0; list && i < n; i++) {
        PyObject *o = core_value_take(leat_tensor_share(inputs[i]));
        if (!o || PyList_SetItem(list, i, o) != 0)
            Py_CLEAR(list);
    }
    return list;
}

/* Failing, it sets an exception or the status. */
static bool outputs_from(const char *token, PyObject *results, TF_Tensor **outputs, int n,
                         TF_Status *status)
{
    Py_ssize_t got = PySequence_Size(results);
    bool ok = got == n;
    if (got >= 0 && !ok) {
        char text[256];
        snprintf(text, sizeof text, "%.128s returns %lld values, but expects to see %d values.",
                 token, (long long)got, n);
        TF_SetStatus(status, TF_INVALID_ARGUMENT, text);
    }
    for (int i = 0; ok && i < n; i++) {
        PyObject *o = PySequence_GetItem(results, i);
        outputs[i] = o ? core_tensor_from(o, 0, true) : NULL;
        Py_XDECREF(o);
        ok = outputs[i] != NULL;
    }
    return ok;
}

static void call(void *data, const char *token, TF_Tensor *const *inputs, int num_inputs,
                 TF_Tensor **outputs, int num_outputs, TF_Status *status)
{
    (void)data;
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *called = function;
    Py_XINCREF(called);
    PyObject *list = inputs_list(inputs, num_inputs);
    PyObject *results = list && called ? PyObject_CallFunction(called, "sO", token, list) : NULL;
    if (!called)
        PyErr_SetString(PyExc_RuntimeError, "no function of the front end is set");
    if (!results || !outputs_from(token, results, outputs, num_outputs, status)) {
        if (PyErr_Occurred())
            to_status(status);
    }
    Py_XDECREF(results);
    Py_XDECREF(list);
    Py_XDECREF(called);
    PyGILState_Release(state);
}

static PyObject *set_py_func(PyObject *module, PyObject *callable)
{
    (void)module;
    PyObject *before = function;
    function = callable == Py_None ? NULL : callable;
    Py_XINCREF(function);
    leat_set_py_func_hook(function ? call : NULL, NULL);
    Py_XDECREF(before);
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"set_py_func", set_py_func, METH_O,
     "set_py_func(f): the ops PyFunc and alike call f(token, [arrays]), which gives a sequence."},
    {NULL, NULL, 0, NULL},
};

int core_add_py_func(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
