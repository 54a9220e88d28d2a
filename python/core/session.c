/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions and their steps.
 *
 * A _core.Step is a signature (feeds, fetches, targets) made ready once by Session.make: a run of
 * it converts the values, gives the interpreter's lock back, calls TF_SessionRun, and hands over
 * what was fetched. Made for small steps many times a second: nothing is looked up, and nothing
 * but the values is allocated.
 *
 * All sessions are listed, so that they can be closed before the interpreter goes: threads that
 * are inside of them come out then. */
#include <string.h>

#include "session.h"

PyTypeObject *core_step_type;
static PyTypeObject *session_type;
static struct session *open_sessions;

/* ---- life ---- */

static void unlist(struct session *s)
{
    if (!s->at)
        return;
    *s->at = s->next;
    if (s->next)
        s->next->at = s->at;
    s->at = NULL;
}

static bool text_of(PyObject *o, const char **p, Py_ssize_t *n, PyObject **keep)
{
    char *text = NULL;
    *keep = PyUnicode_Check(o) ? PyUnicode_AsUTF8String(o) : PyObject_Bytes(o);
    bool ok = *keep && PyBytes_AsStringAndSize(*keep, &text, n) == 0;
    *p = text;
    return ok;
}

/* The options of a target and a serialized ConfigProto; either may be None. */
static TF_SessionOptions *options_of(PyObject *target, PyObject *config)
{
    TF_SessionOptions *o = TF_NewSessionOptions();
    PyObject *keep = NULL;
    const char *p;
    Py_ssize_t n;
    bool ok = o != NULL;
    if (ok && target && target != Py_None && (ok = text_of(target, &p, &n, &keep)))
        TF_SetTarget(o, p);
    Py_CLEAR(keep);
    if (ok && config && config != Py_None && (ok = text_of(config, &p, &n, &keep))) {
        TF_Status *st = TF_NewStatus();
        TF_SetConfig(o, p, (size_t)n, st);
        ok = core_ok(st);
    }
    Py_XDECREF(keep);
    if (!ok)
        TF_DeleteSessionOptions(o);
    return ok ? o : NULL;
}

static PyObject *session_make_new(PyTypeObject *type, PyObject *args, PyObject *names)
{
    PyObject *graph, *target = NULL, *config = NULL;
    (void)names;
    if (!PyArg_ParseTuple(args, "O|OO:Session", &graph, &target, &config))
        return NULL;
    TF_Graph *g = core_graph(graph);
    TF_SessionOptions *o = g ? options_of(target, config) : NULL;
    if (!o)
        return NULL;
    TF_Status *st = TF_NewStatus();
    TF_Session *made;
    core_may_wait();
    Py_BEGIN_ALLOW_THREADS;
    made = TF_NewSession(g, o, st);
    TF_DeleteSessionOptions(o);
    Py_END_ALLOW_THREADS;
    if (!core_ok(st))
        return NULL;
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct session *s = (struct session *)alloc(type, 0);
    if (!s) {
        TF_DeleteSession(made, NULL);
        return NULL;
    }
    s->session = made;
    s->graph = graph;
    Py_INCREF(graph);
    s->next = open_sessions;
    s->at = &open_sessions;
    if (s->next)
        s->next->at = &s->next;
    open_sessions = s;
    return (PyObject *)s;
}

static void session_dealloc(PyObject *self)
{
    struct session *s = (struct session *)self;
    PyTypeObject *type = Py_TYPE(self);
    TF_Session *session = s->session;
    unlist(s);
    PyObject *type_before, *value, *trace;
    PyErr_Fetch(&type_before, &value, &trace);
    Py_BEGIN_ALLOW_THREADS;
    TF_DeleteSession(session, NULL);
    Py_END_ALLOW_THREADS;
    PyErr_Restore(type_before, value, trace);
    Py_XDECREF(s->graph);
    Py_XDECREF(s->known);
    freefunc give_back = (freefunc)PyType_GetSlot(type, Py_tp_free);
    give_back(self);
    Py_DECREF(type);
}

static PyObject *session_close(PyObject *self, PyObject *none)
{
    struct session *s = (struct session *)self;
    TF_Status *st = TF_NewStatus();
    (void)none;
    unlist(s);
    if (s->known)
        PyDict_Clear(s->known);
    Py_BEGIN_ALLOW_THREADS;
    TF_CloseSession(s->session, st);
    Py_END_ALLOW_THREADS;
    if (!core_ok(st))
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *close_all(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    while (open_sessions) {
        struct session *s = open_sessions;
        Py_INCREF(s);
        PyObject *closed = session_close((PyObject *)s, NULL);
        if (!closed)
            PyErr_Clear();
        Py_XDECREF(closed);
        Py_DECREF(s);
    }
    Py_RETURN_NONE;
}

static PyObject *reset(PyObject *module, PyObject *args)
{
    PyObject *target, *containers, *config = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO|O:reset", &target, &containers, &config))
        return NULL;
    Py_ssize_t n = PySequence_Size(containers);
    if (n < 0)
        return NULL;
    PyObject *kept = PyList_New(0);
    const char **names = PyMem_Calloc((size_t)n + 1, sizeof *names);
    bool ok = kept && names;
    for (Py_ssize_t i = 0; ok && i < n; i++) {
        PyObject *item = PySequence_GetItem(containers, i), *bytes = NULL;
        Py_ssize_t length;
        ok = item && text_of(item, &names[i], &length, &bytes) && PyList_Append(kept, bytes) == 0;
        Py_XDECREF(item);
        Py_XDECREF(bytes);
    }
    TF_SessionOptions *o = ok ? options_of(target, config) : NULL;
    if (o) {
        TF_Status *st = TF_NewStatus();
        core_may_wait();
        Py_BEGIN_ALLOW_THREADS;
        TF_Reset(o, names, (int)n, st);
        TF_DeleteSessionOptions(o);
        Py_END_ALLOW_THREADS;
        ok = core_ok(st);
    }
    PyMem_Free(names);
    Py_XDECREF(kept);
    if (!ok || !o)
        return NULL;
    Py_RETURN_NONE;
}

/* ---- signatures ---- */

/* The outputs of a sequence of pairs: PyMem_Free. NULL with an exception. */
static TF_Output *outputs_of(PyObject *pairs, int *n)
{
    Py_ssize_t count = PySequence_Size(pairs);
    TF_Output *v = count < 0 ? NULL : PyMem_Calloc((size_t)count + 1, sizeof *v);
    if (!v && count >= 0)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; v && i < count; i++) {
        PyObject *pair = PySequence_GetItem(pairs, i);
        if (!pair || !core_output(pair, &v[i])) {
            PyMem_Free(v);
            v = NULL;
        }
        Py_XDECREF(pair);
    }
    *n = (int)count;
    return v;
}

static const TF_Operation **targets_of(PyObject *opers, int *n)
{
    Py_ssize_t count = PySequence_Size(opers);
    const TF_Operation **v = count < 0 ? NULL : PyMem_Calloc((size_t)count + 1, sizeof *v);
    if (!v && count >= 0)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; v && i < count; i++) {
        PyObject *oper = PySequence_GetItem(opers, i);
        v[i] = oper ? core_oper(oper) : NULL;
        Py_XDECREF(oper);
        if (!v[i]) {
            PyMem_Free(v);
            v = NULL;
        }
    }
    *n = (int)count;
    return v;
}

static PyObject *session_make(PyObject *self, PyObject *args)
{
    PyObject *inputs, *outputs, *targets;
    if (!PyArg_ParseTuple(args, "OOO:make", &inputs, &outputs, &targets))
        return NULL;
    allocfunc alloc = (allocfunc)PyType_GetSlot(core_step_type, Py_tp_alloc);
    struct step *p = (struct step *)alloc(core_step_type, 0);
    if (!p)
        return NULL;
    p->session = (struct session *)self;
    Py_INCREF(self);
    p->inputs = outputs_of(inputs, &p->num_inputs);
    p->outputs = p->inputs ? outputs_of(outputs, &p->num_outputs) : NULL;
    p->targets = p->outputs ? targets_of(targets, &p->num_targets) : NULL;
    if (p->targets)
        return (PyObject *)p;
    Py_DECREF(p);
    return NULL;
}

static void step_dealloc(PyObject *self)
{
    struct step *p = (struct step *)self;
    PyTypeObject *type = Py_TYPE(self);
    PyMem_Free(p->inputs);
    PyMem_Free(p->outputs);
    PyMem_Free((void *)p->targets);
    Py_XDECREF(p->session);
    freefunc give_back = (freefunc)PyType_GetSlot(type, Py_tp_free);
    give_back(self);
    Py_DECREF(type);
}

/* ---- runs ---- */

bool step_values_init(struct values *v, int num_in, int num_out)
{
    v->num_in = num_in;
    v->num_out = num_out;
    v->in = v->few;
    v->out = v->few + FEW;
    if (num_in > FEW)
        v->in = PyMem_Malloc(sizeof *v->in * (size_t)num_in);
    if (num_out > FEW)
        v->out = PyMem_Malloc(sizeof *v->out * (size_t)num_out);
    if (v->in)
        memset(v->in, 0, sizeof *v->in * (size_t)num_in);
    if (v->out)
        memset(v->out, 0, sizeof *v->out * (size_t)num_out);
    if (v->in && v->out)
        return true;
    PyErr_NoMemory();
    return false;
}

void step_values_release(struct values *v)
{
    for (int i = 0; v->in && i < v->num_in; i++)
        TF_DeleteTensor(v->in[i]);
    for (int i = 0; v->out && i < v->num_out; i++)
        TF_DeleteTensor(v->out[i]);
    if (v->in != v->few)
        PyMem_Free(v->in);
    if (v->out != v->few + FEW)
        PyMem_Free(v->out);
}

bool step_values_in(struct values *v, const TF_Output *inputs, PyObject *objects)
{
    if (v->num_in && PySequence_Size(objects) != v->num_in) {
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_ValueError, "%d values are to be fed", v->num_in);
        return false;
    }
    for (int i = 0; i < v->num_in; i++) {
        int dtype = (int)TF_OperationOutputType(inputs[i]) % 100; /* a reference: of its values */
        PyObject *o = PySequence_GetItem(objects, i);
        v->in[i] = o ? core_tensor_from(o, dtype, true) : NULL;
        Py_XDECREF(o);
        if (!v->in[i])
            return false;
    }
    return true;
}

PyObject *step_values_out(struct values *v)
{
    PyObject *list = PyList_New(v->num_out);
    for (int i = 0; list && i < v->num_out; i++) {
        PyObject *o = core_value_take(v->out[i]);
        v->out[i] = NULL;
        if (!o || PyList_SetItem(list, i, o) != 0)
            Py_CLEAR(list);
    }
    return list;
}

/* A step's bytes of options, which may be None: false with an exception. */
static bool buffer_of(PyObject *options, TF_Buffer *b, const TF_Buffer **out)
{
    char *p;
    Py_ssize_t n;
    *out = NULL;
    if (!options || options == Py_None)
        return true;
    if (PyBytes_AsStringAndSize(options, &p, &n) != 0)
        return false;
    *b = (TF_Buffer){.data = p, .length = (size_t)n};
    *out = b;
    return true;
}

/* (values, bytes of the metadata). Takes values, which may be NULL. */
static PyObject *with_metadata(PyObject *values, TF_Buffer *metadata)
{
    if (!values || !metadata)
        return values;
    PyObject *bytes = PyBytes_FromStringAndSize(metadata->data, (Py_ssize_t)metadata->length);
    return bytes ? Py_BuildValue("(NN)", values, bytes) : (Py_DECREF(values), NULL);
}

bool step_ok(TF_Status *st)
{
    if (core_stopped()) {
        TF_DeleteStatus(st);
        return false;
    }
    return core_ok(st);
}

static PyObject *step_run(PyObject *self, PyObject *args)
{
    const struct step *p = (struct step *)self;
    PyObject *objects = NULL, *options = NULL;
    int traced = 0;
    struct values v;
    TF_Buffer place;
    const TF_Buffer *run_options;
    if (!PyArg_ParseTuple(args, "|OOp:run", &objects, &options, &traced) ||
        !buffer_of(options, &place, &run_options))
        return NULL;
    if (p->num_inputs && !objects) {
        PyErr_Format(PyExc_ValueError, "%d values are to be fed", p->num_inputs);
        return NULL;
    }
    PyObject *out = NULL;
    if (step_values_init(&v, p->num_inputs, p->num_outputs) &&
        step_values_in(&v, p->inputs, objects)) {
        TF_Status *st = TF_NewStatus();
        TF_Buffer *metadata = traced ? TF_NewBuffer() : NULL;
        core_may_wait();
        Py_BEGIN_ALLOW_THREADS;
        TF_SessionRun(p->session->session, run_options, p->inputs, v.in, p->num_inputs, p->outputs,
                      v.out, p->num_outputs, p->targets, p->num_targets, metadata, st);
        Py_END_ALLOW_THREADS;
        if (step_ok(st))
            out = with_metadata(step_values_out(&v), metadata);
        TF_DeleteBuffer(metadata);
    }
    step_values_release(&v);
    return out;
}

/* ---- partial runs ---- */

static PyObject *partial_setup(PyObject *self, PyObject *args)
{
    PyObject *step = session_make(self, args);
    if (!step)
        return NULL;
    const struct step *p = (struct step *)step;
    TF_Status *st = TF_NewStatus();
    const char *handle = NULL;
    core_may_wait();
    Py_BEGIN_ALLOW_THREADS;
    TF_SessionPRunSetup(p->session->session, p->inputs, p->num_inputs, p->outputs, p->num_outputs,
                        p->targets, p->num_targets, &handle, st);
    Py_END_ALLOW_THREADS;
    PyObject *out = step_ok(st) ? PyUnicode_FromString(handle) : NULL;
    TF_DeletePRunHandle(handle);
    Py_DECREF(step);
    return out;
}

static PyObject *partial_run(PyObject *self, PyObject *args)
{
    struct session *s = (struct session *)self;
    const char *handle;
    PyObject *in, *objects, *wanted, *out = NULL;
    if (!PyArg_ParseTuple(args, "sOOO:partial_run", &handle, &in, &objects, &wanted))
        return NULL;
    int num_in = 0, num_out = 0;
    TF_Output *inputs = outputs_of(in, &num_in);
    TF_Output *outputs = inputs ? outputs_of(wanted, &num_out) : NULL;
    struct values v;
    if (outputs) {
        if (step_values_init(&v, num_in, num_out) && step_values_in(&v, inputs, objects)) {
            TF_Status *st = TF_NewStatus();
            core_may_wait();
            Py_BEGIN_ALLOW_THREADS;
            TF_SessionPRun(s->session, handle, inputs, v.in, num_in, outputs, v.out, num_out, NULL,
                           0, st);
            Py_END_ALLOW_THREADS;
            if (step_ok(st))
                out = step_values_out(&v);
        }
        step_values_release(&v);
    }
    PyMem_Free(inputs);
    PyMem_Free(outputs);
    return out;
}

/* ---- devices ---- */

static PyObject *list_devices(PyObject *self, PyObject *none)
{
    struct session *s = (struct session *)self;
    TF_Status *st = TF_NewStatus();
    TF_DeviceList *l;
    (void)none;
    core_may_wait();
    Py_BEGIN_ALLOW_THREADS;
    l = TF_SessionListDevices(s->session, st);
    Py_END_ALLOW_THREADS;
    if (!step_ok(st))
        return NULL;
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < TF_DeviceListCount(l); i++) {
        PyObject *row =
            Py_BuildValue("(ssLK)", TF_DeviceListName(l, i, NULL), TF_DeviceListType(l, i, NULL),
                          (long long)TF_DeviceListMemoryBytes(l, i, NULL),
                          (unsigned long long)TF_DeviceListIncarnation(l, i, NULL));
        if (!row || PyList_Append(list, row) != 0)
            Py_CLEAR(list);
        Py_XDECREF(row);
    }
    TF_DeleteDeviceList(l);
    return list;
}

/* ---- the types ---- */

static PyMethodDef session_methods[] = {
    {"make", session_make, METH_VARARGS,
     "make(inputs, outputs, targets): a Step. Inputs and outputs are pairs (operation, index)."},
    {"partial_setup", partial_setup, METH_VARARGS,
     "partial_setup(inputs, outputs, targets): the handle of a step that is run piece by piece."},
    {"partial_run", partial_run, METH_VARARGS,
     "partial_run(handle, inputs, values, outputs): the outputs' values."},
    {"list_devices", list_devices, METH_NOARGS, "Tuples: name, type, bytes, incarnation."},
    {"quick", session_quick, METH_VARARGS,
     "quick(fetches, feed_dict): the result, or NotImplemented for what was not learnt."},
    {"learn", session_learn, METH_VARARGS,
     "learn(fetches, feed_dict, step, kind, places): how quick runs this from now on."},
    {"close", session_close, METH_NOARGS, "Cancels what runs, and waits for it."},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot session_slots[] = {
    {Py_tp_new, (void *)session_make_new},
    {Py_tp_dealloc, (void *)session_dealloc},
    {Py_tp_methods, session_methods},
    {Py_tp_doc, (void *)(uintptr_t) "Session(graph, target=None, config=None): config is a "
                                    "serialized ConfigProto."},
    {0, NULL},
};
static PyType_Spec session_spec = {"_core.Session", sizeof(struct session), 0, Py_TPFLAGS_DEFAULT,
                                   session_slots};

static PyMethodDef step_methods[] = {
    {"run", step_run, METH_VARARGS,
     "run(values=(), options=None, metadata=False): the list of what was fetched; with metadata a "
     "pair of it and the bytes of a RunMetadata."},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot step_slots[] = {
    {Py_tp_dealloc, (void *)step_dealloc},
    {Py_tp_methods, step_methods},
    {Py_tp_doc, (void *)(uintptr_t) "What a session is to feed, fetch and run, many times."},
    {0, NULL},
};
static PyType_Spec step_spec = {"_core.Step", sizeof(struct step), 0, Py_TPFLAGS_DEFAULT,
                                step_slots};

static PyMethodDef functions[] = {
    {"reset", reset, METH_VARARGS,
     "reset(target, containers, config=None): clears containers, and closes their sessions."},
    {"close_all", close_all, METH_NOARGS, "Closes every session of this process."},
    {NULL, NULL, 0, NULL},
};

/* The interpreter closes all sessions before it goes. */
static bool close_at_exit(PyObject *module)
{
    PyObject *close = PyObject_GetAttrString(module, "close_all");
    PyObject *atexit = close ? PyImport_ImportModule("atexit") : NULL;
    PyObject *done = atexit ? PyObject_CallMethod(atexit, "register", "O", close) : NULL;
    Py_XDECREF(close);
    Py_XDECREF(atexit);
    Py_XDECREF(done);
    return done != NULL;
}

static bool add_type(PyObject *module, PyType_Spec *spec, const char *name, PyTypeObject **out)
{
    *out = (PyTypeObject *)PyType_FromSpec(spec);
    if (!*out)
        return false;
    Py_INCREF(*out);
    return PyModule_AddObject(module, name, (PyObject *)*out) == 0;
}

int core_add_session(PyObject *module)
{
    bool ok = PyModule_AddFunctions(module, functions) == 0 &&
              add_type(module, &session_spec, "Session", &session_type) &&
              add_type(module, &step_spec, "Step", &core_step_type) && close_at_exit(module);
    return ok ? core_add_py_func(module) : -1;
}
