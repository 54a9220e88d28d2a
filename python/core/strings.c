/* SPDX-License-Identifier: Apache-2.0 */
/* Strings between numpy and the library: arrays of kinds S (NULs at the end are padding), U (made
 * UTF-8) and O (bytes or str), and bytes on the way out. Strings are copied in both directions. */
#include "values.h"

#include <string.h>

enum { MAX_RANK = 254 };

struct texts { /* of one tensor; the bytes belong to the array, or to `keep` */
    const char **v;
    size_t *n;
    PyObject *keep; /* a list */
    Py_ssize_t count;
};

static bool texts_init(struct texts *t, Py_ssize_t count)
{
    *t = (struct texts){.count = count, .keep = PyList_New(0)};
    t->v = PyMem_Calloc((size_t)count + 1, sizeof *t->v);
    t->n = PyMem_Calloc((size_t)count + 1, sizeof *t->n);
    if (t->v && t->n && t->keep)
        return true;
    PyErr_NoMemory();
    return false;
}

static void texts_release(struct texts *t)
{
    PyMem_Free(t->v);
    PyMem_Free(t->n);
    Py_XDECREF(t->keep);
}

/* Text i is these bytes, which the object owns; keep: it must be kept, and is taken. */
static bool put_bytes(struct texts *t, Py_ssize_t i, PyObject *bytes, bool keep)
{
    char *p = NULL;
    Py_ssize_t n = 0;
    bool ok = bytes && PyBytes_AsStringAndSize(bytes, &p, &n) == 0 &&
              (!keep || PyList_Append(t->keep, bytes) == 0);
    if (keep)
        Py_XDECREF(bytes);
    t->v[i] = p;
    t->n[i] = (size_t)n;
    return ok;
}

static bool put_object(struct texts *t, Py_ssize_t i, PyObject *o)
{
    if (o && PyBytes_Check(o))
        return put_bytes(t, i, o, false);
    if (o && PyUnicode_Check(o))
        return put_bytes(t, i, PyUnicode_AsUTF8String(o), true);
    PyObject *name = o ? PyObject_GetAttrString((PyObject *)Py_TYPE(o), "__name__") : NULL;
    if (name || !o)
        PyErr_Format(PyExc_TypeError, "Unsupported object type %S", name ? name : Py_None);
    Py_XDECREF(name);
    return false;
}

/* Element i of a U array: UCS-4 in the machine's order, NULs at the end are padding. */
static bool put_ucs4(struct texts *t, Py_ssize_t i, const char *p, int itemsize, bool native)
{
    int order = native ? -1 : 1;
    uint32_t c = 0;
    int n = itemsize;
    for (; n >= 4; n -= 4) {
        memcpy(&c, p + n - 4, 4);
        if (c)
            break;
    }
    PyObject *text = PyUnicode_DecodeUTF32(p, n, "surrogatepass", &order);
    PyObject *bytes = text ? PyUnicode_AsUTF8String(text) : NULL;
    Py_XDECREF(text);
    return put_bytes(t, i, bytes, true);
}

static bool put_element(struct texts *t, Py_ssize_t i, const struct array_interface *a)
{
    const char *p = (const char *)a->data + i * a->itemsize;
    if (a->typekind == 'U')
        return put_ucs4(t, i, p, a->itemsize, a->flags & ARRAY_NATIVE);
    if (a->typekind == 'S') {
        size_t n = (size_t)a->itemsize;
        while (n && !p[n - 1])
            n--;
        t->v[i] = p;
        t->n[i] = n;
        return true;
    }
    PyObject *o;
    memcpy(&o, p, sizeof(PyObject *));
    return put_object(t, i, o);
}

static TF_Tensor *tensor_of(const struct texts *t, const int64_t *dims, int rank)
{
    TF_Status *st = TF_NewStatus();
    TF_Tensor *tensor = leat_string_tensor(t->v, t->n, dims, rank, st);
    return core_ok(st) ? tensor : NULL;
}

static TF_Tensor *elements_in(const struct array_interface *a)
{
    int64_t dims[MAX_RANK];
    Py_ssize_t count = 1;
    for (int i = 0; i < a->nd; i++) {
        dims[i] = (int64_t)a->shape[i];
        count *= (Py_ssize_t)a->shape[i];
    }
    struct texts t;
    bool ok = texts_init(&t, count);
    for (Py_ssize_t i = 0; ok && i < count; i++)
        ok = put_element(&t, i, a);
    TF_Tensor *tensor = ok ? tensor_of(&t, dims, a->nd) : NULL;
    texts_release(&t);
    return tensor;
}

static TF_Tensor *one_in(PyObject *object)
{
    struct texts t;
    TF_Tensor *tensor = NULL;
    if (texts_init(&t, 1) && put_object(&t, 0, object))
        tensor = tensor_of(&t, NULL, 0);
    texts_release(&t);
    return tensor;
}

TF_Tensor *strings_in(PyObject *object)
{
    if (PyBytes_Check(object) || PyUnicode_Check(object))
        return one_in(object);
    PyObject *capsule, *array = NULL;
    struct array_interface *a;
    TF_Tensor *t = NULL;
    if (!array_open(object, &capsule, &a)) {
        if (PyErr_Occurred())
            return NULL;
        array = array_make(object, (PyObject *)&PyBaseObject_Type);
    } else if (!(a->flags & ARRAY_C_CONTIGUOUS)) {
        Py_DECREF(capsule);
        array = array_make(object, NULL);
    } else {
        array = object;
        Py_INCREF(array);
        Py_DECREF(capsule);
    }
    if (array && array_open(array, &capsule, &a)) {
        if ((a->typekind == 'S' || a->typekind == 'U' || a->typekind == 'O') && a->nd <= MAX_RANK)
            t = elements_in(a);
        else
            PyErr_Format(PyExc_TypeError, "An array of kind '%c' where strings are needed",
                         a->typekind);
        Py_DECREF(capsule);
    } else if (array && !PyErr_Occurred()) {
        PyErr_SetString(PyExc_TypeError, "no strings");
    }
    Py_XDECREF(array);
    return t;
}

/* ---- out ---- */

static PyObject *text_at(const TF_Tensor *t, int64_t i)
{
    const char *p = NULL;
    size_t n = 0;
    TF_Status *st = TF_NewStatus();
    leat_tensor_string_at(t, i, &p, &n, st);
    return core_ok(st) ? PyBytes_FromStringAndSize(p, (Py_ssize_t)n) : NULL;
}

/* Puts the texts into an array of objects. */
static bool fill(PyObject *array, const TF_Tensor *t)
{
    PyObject *capsule;
    struct array_interface *a;
    if (!array_open(array, &capsule, &a))
        return false;
    PyObject **slots = a->data;
    int64_t count = TF_TensorElementCount(t);
    bool ok = true;
    for (int64_t i = 0; ok && i < count; i++) {
        PyObject *text = text_at(t, i), *before = slots[i];
        ok = text != NULL;
        if (ok)
            slots[i] = text;
        if (ok)
            Py_XDECREF(before);
    }
    Py_DECREF(capsule);
    return ok;
}

PyObject *strings_out(TF_Tensor *tensor)
{
    PyObject *out;
    if (TF_NumDims(tensor) == 0) {
        out = text_at(tensor, 0);
    } else {
        out = array_empty(tensor, (PyObject *)&PyBaseObject_Type);
        if (out && !fill(out, tensor))
            Py_CLEAR(out);
    }
    TF_DeleteTensor(tensor);
    return out;
}
