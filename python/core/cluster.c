/* SPDX-License-Identifier: Apache-2.0 */
/* Servers of clusters: the type Server, of a serialized ServerDef.
 *
 * Any thread may use a server; join gives the interpreter's lock back and ends with Ctrl-C. The
 * server stops, and is freed, when Python holds it no more: threads that join hold it too. */
#include "core.h"

struct server {
    PyObject_HEAD;
    TF_Server *handle;
};

static PyTypeObject *server_type;

static PyObject *server_open(PyObject *self, PyObject *proto)
{
    char *bytes;
    Py_ssize_t n;
    TF_Server *handle;
    (void)self;
    if (PyBytes_AsStringAndSize(proto, &bytes, &n) != 0)
        return NULL;
    TF_Status *st = TF_NewStatus();
    Py_BEGIN_ALLOW_THREADS;
    handle = TF_NewServer(bytes, (size_t)n, st);
    Py_END_ALLOW_THREADS;
    if (!core_ok(st))
        return NULL;
    allocfunc alloc = (allocfunc)PyType_GetSlot(server_type, Py_tp_alloc);
    struct server *made = (struct server *)alloc(server_type, 0);
    if (made)
        made->handle = handle;
    else
        TF_DeleteServer(handle);
    return (PyObject *)made;
}

/* Calls what may wait, without the interpreter's lock; None, or the exception. */
static PyObject *call(PyObject *self, void (*function)(TF_Server *, TF_Status *))
{
    TF_Server *handle = ((struct server *)self)->handle;
    TF_Status *st = TF_NewStatus();
    core_may_wait();
    Py_BEGIN_ALLOW_THREADS;
    function(handle, st);
    Py_END_ALLOW_THREADS;
    if (core_stopped()) {
        TF_DeleteStatus(st);
        return NULL;
    }
    if (!core_ok(st))
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *server_start(PyObject *self, PyObject *none)
{
    (void)none;
    return call(self, TF_ServerStart);
}

static PyObject *server_stop(PyObject *self, PyObject *none)
{
    (void)none;
    return call(self, TF_ServerStop);
}

static PyObject *server_join(PyObject *self, PyObject *none)
{
    (void)none;
    return call(self, TF_ServerJoin);
}

static PyObject *server_target(PyObject *self, PyObject *none)
{
    (void)none;
    return PyUnicode_FromString(TF_ServerTarget(((struct server *)self)->handle));
}

static void server_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    TF_Server *handle = ((struct server *)self)->handle;
    Py_BEGIN_ALLOW_THREADS;
    TF_DeleteServer(handle);
    Py_END_ALLOW_THREADS;
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyMethodDef server_methods[] = {
    {"start", server_start, METH_NOARGS, "Starts to serve."},
    {"stop", server_stop, METH_NOARGS, "Stops to serve."},
    {"join", server_join, METH_NOARGS, "Waits until the server has stopped."},
    {"target", server_target, METH_NOARGS, "What a session takes to reach it."},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot server_slots[] = {
    {Py_tp_dealloc, server_dealloc}, {Py_tp_methods, server_methods}, {0, NULL}};
static PyType_Spec server_spec = {"leat._core.Server", sizeof(struct server), 0, Py_TPFLAGS_DEFAULT,
                                  server_slots};

static PyMethodDef functions[] = {
    {"server", server_open, METH_O, "A Server of a serialized ServerDef."},
    {NULL, NULL, 0, NULL},
};

int core_add_cluster(PyObject *module)
{
    server_type = (PyTypeObject *)PyType_FromSpec(&server_spec);
    if (!server_type)
        return -1;
    return PyModule_AddFunctions(module, functions);
}
