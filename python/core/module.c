/* SPDX-License-Identifier: Apache-2.0 */
/* The module _core: its exception, and what the other files add. */
#include <string.h>

#include "core.h"

PyObject *core_error_type;

/* Error(code, message), of st, which is deleted. */
PyObject *core_raise(TF_Status *st)
{
    const char *text = TF_Message(st);
    PyObject *message = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    PyObject *args = message ? Py_BuildValue("(iN)", (int)TF_GetCode(st), message) : NULL;
    TF_DeleteStatus(st);
    if (args) {
        PyErr_SetObject(core_error_type, args);
        Py_DECREF(args);
    }
    return NULL;
}

bool core_ok(TF_Status *st)
{
    if (TF_GetCode(st) == TF_OK) {
        TF_DeleteStatus(st);
        return true;
    }
    core_raise(st);
    return false;
}

static int add_parts(PyObject *module)
{
    int (*const parts[])(PyObject *) = {core_add_graph,   core_add_import,   core_add_values,
                                        core_add_session, core_add_messages, core_add_files,
                                        core_add_build,   core_add_cluster};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i](module) != 0)
            return -1;
    }
    return 0;
}

static PyObject *version(PyObject *self, PyObject *none)
{
    (void)self, (void)none;
    return PyUnicode_FromString(TF_Version());
}

static PyMethodDef functions[] = {
    {"version", version, METH_NOARGS, "The version of the library."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "_core",
    "What Leat's Python modules call in libleat.",
    -1,
    functions,
    NULL,
    NULL,
    NULL,
    NULL,
};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (!module)
        return NULL;
    core_error_type = PyErr_NewException("leat._core.Error", NULL, NULL);
    if (!core_error_type)
        goto failed;
    Py_INCREF(core_error_type);
    if (PyModule_AddObject(module, "Error", core_error_type) != 0 || add_parts(module) != 0)
        goto failed;
    return module;
failed:
    Py_DECREF(module);
    return NULL;
}
