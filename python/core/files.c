/* SPDX-License-Identifier: Apache-2.0 */
/* Records and checkpoints: the types RecordReader, RecordWriter and Checkpoint, and crc32c.
 *
 * An object may be used by one thread at a time: a call from a second one while the first has given
 * the interpreter's lock back is a RuntimeError, so that nothing is freed below a call. */
#include "core.h"

#include "leat/checkpoint.h"
#include "leat/record.h"

struct file {
    PyObject_HEAD;
    void *handle; /* NULL: closed */
    bool busy;    /* a call runs; guarded by the interpreter's lock */
};

static PyTypeObject *reader_type, *writer_type, *checkpoint_type;

/* Marks the object as busy; false with ValueError or RuntimeError. */
static bool enter(struct file *f)
{
    if (!f->handle)
        PyErr_SetString(PyExc_ValueError, "I/O operation on closed file");
    else if (f->busy)
        PyErr_SetString(PyExc_RuntimeError, "the file is in use by another thread");
    else
        f->busy = true;
    return f->handle && !PyErr_Occurred();
}

static PyObject *file_new(PyTypeObject *type, void *handle)
{
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct file *f = (struct file *)alloc(type, 0);
    if (f) {
        f->handle = handle;
        f->busy = false;
    }
    return (PyObject *)f;
}

static void file_end(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* (path, compression) of a call's arguments: new references to bytes. */
static bool paths_of(PyObject *args, PyObject **path, const char **compression)
{
    *compression = "";
    return PyArg_ParseTuple(args, "O&|s", PyUnicode_FSConverter, path, compression);
}

/* ---- readers ---- */

static PyObject *reader_open(PyObject *self, PyObject *args)
{
    PyObject *path = NULL;
    const char *compression;
    (void)self;
    if (!paths_of(args, &path, &compression))
        return NULL;
    TF_Status *st = TF_NewStatus();
    leat_record_reader *r;
    const char *name = PyBytes_AsString(path);
    Py_BEGIN_ALLOW_THREADS;
    r = leat_record_reader_open(name, compression, st);
    Py_END_ALLOW_THREADS;
    Py_DECREF(path);
    if (!core_ok(st))
        return NULL;
    PyObject *made = file_new(reader_type, r);
    if (!made)
        leat_record_reader_close(r);
    return made;
}

static PyObject *reader_next(PyObject *self, PyObject *none)
{
    struct file *f = (struct file *)self;
    const void *record = NULL;
    size_t n = 0;
    int got;
    (void)none;
    if (!enter(f))
        return NULL;
    TF_Status *st = TF_NewStatus();
    Py_BEGIN_ALLOW_THREADS;
    got = leat_record_reader_next(f->handle, &record, &n, st);
    Py_END_ALLOW_THREADS;
    PyObject *bytes = NULL;
    if (core_ok(st)) {
        if (got > 0) {
            bytes = PyBytes_FromStringAndSize(record, (Py_ssize_t)n);
        } else {
            Py_INCREF(Py_None);
            bytes = Py_None;
        }
    }
    f->busy = false;
    return bytes;
}

static PyObject *reader_offset(PyObject *self, PyObject *none)
{
    struct file *f = (struct file *)self;
    (void)none;
    if (!enter(f))
        return NULL;
    f->busy = false;
    return PyLong_FromUnsignedLongLong(leat_record_reader_offset(f->handle));
}

static PyObject *reader_close(PyObject *self, PyObject *none)
{
    struct file *f = (struct file *)self;
    (void)none;
    if (f->handle && !enter(f))
        return NULL;
    leat_record_reader_close(f->handle);
    f->handle = NULL;
    f->busy = false;
    Py_RETURN_NONE;
}

static void reader_dealloc(PyObject *self)
{
    leat_record_reader_close(((struct file *)self)->handle);
    file_end(self);
}

static PyMethodDef reader_methods[] = {
    {"next", reader_next, METH_NOARGS, "The next record as bytes, or None at the end."},
    {"offset", reader_offset, METH_NOARGS, "Where the next record begins, unpacked."},
    {"close", reader_close, METH_NOARGS, "Closes the file."},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot reader_slots[] = {
    {Py_tp_dealloc, reader_dealloc}, {Py_tp_methods, reader_methods}, {0, NULL}};
static PyType_Spec reader_spec = {"leat._core.RecordReader", sizeof(struct file), 0,
                                  Py_TPFLAGS_DEFAULT, reader_slots};

/* ---- writers ---- */

static PyObject *writer_open(PyObject *self, PyObject *args)
{
    PyObject *path = NULL;
    const char *compression;
    (void)self;
    if (!paths_of(args, &path, &compression))
        return NULL;
    TF_Status *st = TF_NewStatus();
    leat_record_writer *w = leat_record_writer_open(PyBytes_AsString(path), compression, st);
    Py_DECREF(path);
    if (!core_ok(st))
        return NULL;
    PyObject *made = file_new(writer_type, w);
    if (!made)
        leat_record_writer_close(w, NULL);
    return made;
}

static PyObject *writer_write(PyObject *self, PyObject *record)
{
    struct file *f = (struct file *)self;
    char *p;
    Py_ssize_t n;
    if (PyBytes_AsStringAndSize(record, &p, &n) != 0 || !enter(f))
        return NULL;
    TF_Status *st = TF_NewStatus();
    Py_BEGIN_ALLOW_THREADS;
    leat_record_writer_add(f->handle, p, (size_t)n, st);
    Py_END_ALLOW_THREADS;
    f->busy = false;
    if (!core_ok(st))
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *writer_flush(PyObject *self, PyObject *none)
{
    struct file *f = (struct file *)self;
    (void)none;
    if (!enter(f))
        return NULL;
    TF_Status *st = TF_NewStatus();
    Py_BEGIN_ALLOW_THREADS;
    leat_record_writer_flush(f->handle, st);
    Py_END_ALLOW_THREADS;
    f->busy = false;
    if (!core_ok(st))
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *writer_close(PyObject *self, PyObject *none)
{
    struct file *f = (struct file *)self;
    void *handle = f->handle;
    (void)none;
    if (!handle)
        Py_RETURN_NONE;
    if (!enter(f))
        return NULL;
    f->handle = NULL;
    f->busy = false;
    TF_Status *st = TF_NewStatus();
    Py_BEGIN_ALLOW_THREADS;
    leat_record_writer_close(handle, st);
    Py_END_ALLOW_THREADS;
    if (!core_ok(st))
        return NULL;
    Py_RETURN_NONE;
}

static void writer_dealloc(PyObject *self)
{
    leat_record_writer_close(((struct file *)self)->handle, NULL);
    file_end(self);
}

static PyMethodDef writer_methods[] = {
    {"write", writer_write, METH_O, "Adds a record: bytes."},
    {"flush", writer_flush, METH_NOARGS, "What was added can be read by others."},
    {"close", writer_close, METH_NOARGS, "Ends the file."},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot writer_slots[] = {
    {Py_tp_dealloc, writer_dealloc}, {Py_tp_methods, writer_methods}, {0, NULL}};
static PyType_Spec writer_spec = {"leat._core.RecordWriter", sizeof(struct file), 0,
                                  Py_TPFLAGS_DEFAULT, writer_slots};

/* ---- checkpoints ---- */

static PyObject *checkpoint_open(PyObject *self, PyObject *args)
{
    PyObject *path = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path))
        return NULL;
    TF_Status *st = TF_NewStatus();
    const char *prefix = PyBytes_AsString(path);
    leat_checkpoint *c;
    Py_BEGIN_ALLOW_THREADS;
    c = leat_checkpoint_open(prefix, st);
    Py_END_ALLOW_THREADS;
    Py_DECREF(path);
    if (!core_ok(st))
        return NULL;
    PyObject *made = file_new(checkpoint_type, c);
    if (!made)
        leat_checkpoint_close(c);
    return made;
}

/* (name, dtype, (dim...)); NULL with an exception. */
static PyObject *variable_row(const struct leat_checkpoint_variable *v)
{
    PyObject *dims = PyTuple_New(v->num_dims);
    for (int i = 0; dims && i < v->num_dims; i++) {
        PyObject *dim = PyLong_FromLongLong(v->dims[i]);
        if (!dim || PyTuple_SetItem(dims, i, dim) != 0)
            Py_CLEAR(dims);
    }
    return dims ? Py_BuildValue("(siN)", v->name, (int)v->dtype, dims) : NULL;
}

static PyObject *checkpoint_variables(PyObject *self, PyObject *none)
{
    struct file *f = (struct file *)self;
    (void)none;
    if (!enter(f))
        return NULL;
    int64_t n = leat_checkpoint_num_variables(f->handle);
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (int64_t i = 0; list && i < n; i++) {
        PyObject *row = variable_row(leat_checkpoint_variable_at(f->handle, i));
        if (!row || PyList_SetItem(list, (Py_ssize_t)i, row) != 0)
            Py_CLEAR(list);
    }
    f->busy = false;
    return list;
}

static PyObject *checkpoint_version(PyObject *self, PyObject *none)
{
    struct file *f = (struct file *)self;
    (void)none;
    if (!enter(f))
        return NULL;
    f->busy = false;
    return PyLong_FromLong(leat_checkpoint_version(f->handle));
}

static PyObject *checkpoint_read(PyObject *self, PyObject *name)
{
    struct file *f = (struct file *)self;
    PyObject *bytes = PyUnicode_Check(name) ? PyUnicode_AsUTF8String(name) : PyObject_Bytes(name);
    char *text;
    if (!bytes || PyBytes_AsStringAndSize(bytes, &text, NULL) != 0 || !enter(f)) {
        Py_XDECREF(bytes);
        return NULL;
    }
    TF_Status *st = TF_NewStatus();
    TF_Tensor *value;
    Py_BEGIN_ALLOW_THREADS;
    value = leat_checkpoint_read(f->handle, text, st);
    Py_END_ALLOW_THREADS;
    f->busy = false;
    Py_DECREF(bytes);
    return core_ok(st) ? core_value_take(value) : NULL;
}

static PyObject *checkpoint_close(PyObject *self, PyObject *none)
{
    struct file *f = (struct file *)self;
    (void)none;
    if (f->handle && !enter(f))
        return NULL;
    leat_checkpoint_close(f->handle);
    f->handle = NULL;
    f->busy = false;
    Py_RETURN_NONE;
}

static void checkpoint_dealloc(PyObject *self)
{
    leat_checkpoint_close(((struct file *)self)->handle);
    file_end(self);
}

static PyMethodDef checkpoint_methods[] = {
    {"variables", checkpoint_variables, METH_NOARGS, "[(name, dtype, (dim...))], sorted."},
    {"version", checkpoint_version, METH_NOARGS, "1 or 2."},
    {"read", checkpoint_read, METH_O, "The value under a name, as a numpy array."},
    {"close", checkpoint_close, METH_NOARGS, "Closes the files."},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot checkpoint_slots[] = {
    {Py_tp_dealloc, checkpoint_dealloc}, {Py_tp_methods, checkpoint_methods}, {0, NULL}};
static PyType_Spec checkpoint_spec = {"leat._core.Checkpoint", sizeof(struct file), 0,
                                      Py_TPFLAGS_DEFAULT, checkpoint_slots};

/* ---- the module's part ---- */

static PyObject *crc(PyObject *self, PyObject *args)
{
    const char *p;
    Py_ssize_t n;
    unsigned int before = 0;
    (void)self;
    if (!PyArg_ParseTuple(args, "y#|I", &p, &n, &before))
        return NULL;
    return PyLong_FromUnsignedLong(leat_crc32c(before, p, (size_t)n));
}

static PyMethodDef functions[] = {
    {"record_reader", reader_open, METH_VARARGS, "record_reader(path, compression='')"},
    {"record_writer", writer_open, METH_VARARGS, "record_writer(path, compression='')"},
    {"checkpoint", checkpoint_open, METH_VARARGS, "checkpoint(prefix)"},
    {"crc32c", crc, METH_VARARGS, "crc32c(bytes, before=0)"},
    {NULL, NULL, 0, NULL},
};

int core_add_files(PyObject *module)
{
    reader_type = (PyTypeObject *)PyType_FromSpec(&reader_spec);
    writer_type = (PyTypeObject *)PyType_FromSpec(&writer_spec);
    checkpoint_type = (PyTypeObject *)PyType_FromSpec(&checkpoint_spec);
    if (!reader_type || !writer_type || !checkpoint_type)
        return -1;
    return PyModule_AddFunctions(module, functions);
}
