/* SPDX-License-Identifier: Apache-2.0 */
/* Runs that were resolved before: Session.quick finds the step by what is fetched and fed, feeds
 * the values, runs it, and puts the result together. Python resolves a signature once, and calls
 * Session.learn.
 *
 * A key is the fetch itself, or a tuple of the structure's type and its elements, of None and of
 * what is fed. Only flat structures are learnt, so that equal keys mean equal structures. */
#include "session.h"

enum { MAX_KNOWN = 512 };
enum kind { ONE, LIST, TUPLE }; /* what the result is */

static bool is_flat(PyObject *o)
{
    return Py_TYPE(o) == &PyList_Type || Py_TYPE(o) == &PyTuple_Type;
}

static bool put(PyObject *tuple, Py_ssize_t *at, PyObject *item)
{
    Py_INCREF(item);
    return PyTuple_SetItem(tuple, (*at)++, item) == 0;
}

/* feeds: a dict, or NULL. */
static PyObject *key_of(PyObject *fetches, PyObject *feeds)
{
    bool list = Py_TYPE(fetches) == &PyList_Type, flat = is_flat(fetches);
    Py_ssize_t n = !flat ? 0 : list ? PyList_Size(fetches) : PyTuple_Size(fetches), at = 0;
    Py_ssize_t fed = feeds ? PyDict_Size(feeds) : 0;
    if (!flat && !fed) {
        Py_INCREF(fetches);
        return fetches;
    }
    PyObject *key = PyTuple_New(1 + n + (fed ? 1 + fed : 0));
    bool ok = key && put(key, &at, flat ? (PyObject *)Py_TYPE(fetches) : fetches);
    for (Py_ssize_t i = 0; ok && i < n; i++)
        ok = put(key, &at, list ? PyList_GetItem(fetches, i) : PyTuple_GetItem(fetches, i));
    PyObject *name, *value;
    Py_ssize_t place = 0;
    if (ok && fed)
        ok = put(key, &at, Py_None);
    while (ok && fed && PyDict_Next(feeds, &place, &name, &value))
        ok = put(key, &at, name);
    if (!ok)
        Py_CLEAR(key);
    return key;
}

/* Whether the objects can go to the step as they are; ints are looked at by Python first. */
static bool feed_dict_in(struct values *v, const struct step *p, PyObject *feeds)
{
    PyObject *name, *value;
    Py_ssize_t place = 0;
    for (int i = 0; feeds && PyDict_Next(feeds, &place, &name, &value); i++) {
        int dtype = (int)TF_OperationOutputType(p->inputs[i]) % 100;
        if (PyLong_Check(value) || i >= v->num_in)
            return false;
        Py_INCREF(value); /* an object's own conversion may change the dict */
        v->in[i] = core_tensor_from(value, dtype, true);
        Py_DECREF(value);
        if (!v->in[i])
            return false;
    }
    return true;
}

static PyObject *result_of(struct values *v, int kind, PyObject *places)
{
    PyObject *got = step_values_out(v);
    if (!got || (kind == LIST && places == Py_None))
        return got;
    PyObject *out = NULL;
    if (kind == ONE) {
        out = v->num_out ? PyList_GetItem(got, 0) : Py_None;
        Py_XINCREF(out);
    } else if (places == Py_None) {
        out = PyList_AsTuple(got);
    } else {
        Py_ssize_t n = PyTuple_Size(places);
        out = kind == LIST ? PyList_New(n) : PyTuple_New(n);
        for (Py_ssize_t i = 0; out && i < n; i++) {
            PyObject *place = PyTuple_GetItem(places, i);
            PyObject *item =
                place == Py_None ? place : PyList_GetItem(got, PyLong_AsSsize_t(place));
            Py_XINCREF(item);
            if (!item ||
                (kind == LIST ? PyList_SetItem(out, i, item) : PyTuple_SetItem(out, i, item)) != 0)
                Py_CLEAR(out);
        }
    }
    Py_DECREF(got);
    return out;
}

static PyObject *not_known(void)
{
    bool soft = !PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_Exception);
    if (!soft)
        return NULL;
    PyErr_Clear();
    PyObject *none = Py_NotImplemented;
    Py_INCREF(none);
    return none;
}

static PyObject *run(const struct step *p, PyObject *feeds, int kind, PyObject *places)
{
    struct values v;
    PyObject *out = NULL;
    if (!step_values_init(&v, p->num_inputs, p->num_outputs)) {
        step_values_release(&v);
        return NULL;
    }
    if (!feed_dict_in(&v, p, feeds)) {
        step_values_release(&v);
        return not_known();
    }
    TF_Status *st = TF_NewStatus();
    core_may_wait();
    Py_BEGIN_ALLOW_THREADS;
    TF_SessionRun(p->session->session, NULL, p->inputs, v.in, p->num_inputs, p->outputs, v.out,
                  p->num_outputs, p->targets, p->num_targets, NULL, st);
    Py_END_ALLOW_THREADS;
    if (step_ok(st))
        out = result_of(&v, kind, places);
    step_values_release(&v);
    return out;
}

PyObject *session_quick(PyObject *self, PyObject *args)
{
    const struct session *s = (struct session *)self;
    PyObject *fetches, *feeds;
    if (!PyArg_ParseTuple(args, "OO:quick", &fetches, &feeds))
        return NULL;
    if (!s->known)
        return not_known();
    if (feeds == Py_None)
        feeds = NULL;
    else if (Py_TYPE(feeds) != &PyDict_Type)
        return not_known();
    PyObject *key = key_of(fetches, feeds);
    PyObject *known = key ? PyDict_GetItemWithError(s->known, key) : NULL;
    Py_XDECREF(key);
    if (!known)
        return not_known();
    PyObject *step = PyTuple_GetItem(known, 0), *places = PyTuple_GetItem(known, 2);
    int kind = (int)PyLong_AsLong(PyTuple_GetItem(known, 1));
    Py_INCREF(known); /* other threads may learn */
    PyObject *out = run((struct step *)step, feeds, kind, places);
    Py_DECREF(known);
    return out;
}

PyObject *session_learn(PyObject *self, PyObject *args)
{
    struct session *s = (struct session *)self;
    PyObject *fetches, *feeds, *step, *kind, *places;
    if (!PyArg_ParseTuple(args, "OOOOO:learn", &fetches, &feeds, &step, &kind, &places))
        return NULL;
    if (Py_TYPE(step) != core_step_type || !PyLong_Check(kind) ||
        !(places == Py_None || PyTuple_Check(places)) ||
        !(feeds == Py_None || Py_TYPE(feeds) == &PyDict_Type)) {
        PyErr_SetString(PyExc_TypeError, "learn: a step, a number, a tuple or None");
        return NULL;
    }
    const struct step *p = (struct step *)step;
    if ((feeds == Py_None ? 0 : PyDict_Size(feeds)) != p->num_inputs) {
        PyErr_SetString(PyExc_ValueError, "learn: as many feeds as the step has");
        return NULL;
    }
    if (!s->known)
        s->known = PyDict_New();
    if (s->known && PyDict_Size(s->known) >= MAX_KNOWN)
        PyDict_Clear(s->known);
    PyObject *key = s->known ? key_of(fetches, feeds == Py_None ? NULL : feeds) : NULL;
    PyObject *row = key ? PyTuple_Pack(3, step, kind, places) : NULL;
    bool ok = row && PyDict_SetItem(s->known, key, row) == 0;
    Py_XDECREF(key);
    Py_XDECREF(row);
    if (!ok)
        return NULL;
    Py_RETURN_NONE;
}
