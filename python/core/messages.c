/* SPDX-License-Identifier: Apache-2.0 */
/* Protocol messages for python/leat/_message.py: field tables, and whole messages as trees.
 *
 * The tree of a message is a dict of its present fields by name; a message inside is such a dict,
 * or an object whose attribute _f is one; repeated fields are lists, maps dicts by key; the key ""
 * holds, as bytes, the fields that the type does not know. Types of values are checked here again:
 * a tree that does not fit is a TypeError, ValueError or OverflowError, never a crash. */
#include "core.h"

#include "leat/message.h"
#include "leat/scope.h"

enum { MAX_DEPTH = 100, COPY_BYTES = 4096 };

struct table { /* one type's fields, made when it is first met */
    int num_fields;
    struct leat_message_field *fields;
    PyObject **names;
};

static struct table **tables; /* by leat_message_type_index; guarded by the interpreter's lock */
static PyObject *tree_name, *unknown_name; /* "_f", "" */

static struct table *make_table(const struct leat_message_type *type)
{
    struct table *t = PyMem_Calloc(1, sizeof *t);
    int n = leat_message_num_fields(type);
    if (!t)
        return NULL;
    t->num_fields = n;
    t->fields = PyMem_Calloc((size_t)n + 1, sizeof *t->fields);
    t->names = PyMem_Calloc((size_t)n + 1, sizeof(PyObject *));
    bool ok = t->fields && t->names;
    for (int i = 0; ok && i < n; i++) {
        leat_message_field_at(type, i, &t->fields[i]);
        t->names[i] = PyUnicode_InternFromString(t->fields[i].name);
        ok = t->names[i] != NULL;
    }
    if (ok)
        return t;
    for (int i = 0; t->names && i < n; i++)
        Py_XDECREF(t->names[i]);
    PyMem_Free(t->fields);
    PyMem_Free(t->names);
    PyMem_Free(t);
    return NULL;
}

static struct table *table_of(const struct leat_message_type *type)
{
    int at = leat_message_type_index(type);
    if (!tables[at] && !(tables[at] = make_table(type)) && !PyErr_Occurred())
        PyErr_NoMemory();
    return tables[at];
}

/* NULL with KeyError. */
static const struct leat_message_type *type_named(const char *name)
{
    const struct leat_message_type *type = leat_message_type_named(name);
    if (!type)
        PyErr_Format(PyExc_KeyError, "Couldn't find message %.200s", name);
    return type;
}

/* ---- messages to trees ---- */

static PyObject *tree_of(const struct leat_part *part);

static PyObject *python_of(const struct leat_message_field *f, union leat_message_value v)
{
    switch (f->type) {
    case 1:
    case 2:
        return PyFloat_FromDouble(v.d);
    case 4:
    case 6:
    case 7:
    case 13:
        return PyLong_FromUnsignedLongLong(v.u);
    case 8:
        return PyBool_FromLong(v.i != 0);
    case 9:
        return PyUnicode_DecodeUTF8(v.s.n > 0 ? v.s.p : "", (Py_ssize_t)v.s.n, NULL);
    case 11:
        return v.m ? tree_of(v.m) : PyDict_New();
    case 12:
        return PyBytes_FromStringAndSize(v.s.n > 0 ? v.s.p : "", (Py_ssize_t)v.s.n);
    default:
        return PyLong_FromLongLong(v.i);
    }
}

static PyObject *list_of(const struct leat_part *part, const struct leat_message_field *f,
                         int field, int64_t n)
{
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (int64_t i = 0; list && i < n; i++) {
        union leat_message_value v;
        leat_part_get(part, field, i, &v);
        PyObject *item = python_of(f, v);
        if (!item || PyList_SetItem(list, (Py_ssize_t)i, item) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *map_of(const struct leat_part *part, const struct leat_message_field *f, int field,
                        int64_t n)
{
    struct table *t = table_of(f->message);
    PyObject *map = t ? PyDict_New() : NULL;
    for (int64_t i = 0; map && i < n; i++) {
        union leat_message_value entry, key, value;
        leat_part_get(part, field, i, &entry);
        leat_part_get(entry.m, 0, 0, &key);
        leat_part_get(entry.m, 1, 0, &value);
        PyObject *k = python_of(&t->fields[0], key);
        PyObject *v = k ? python_of(&t->fields[1], value) : NULL;
        if (!v || PyDict_SetItem(map, k, v) < 0)
            Py_CLEAR(map);
        Py_XDECREF(k);
        Py_XDECREF(v);
    }
    return map;
}

/* 0, or -1 with an exception. */
static int put_field(PyObject *tree, const struct leat_part *part, const struct table *t, int i)
{
    const struct leat_message_field *f = &t->fields[i];
    int64_t n = leat_part_count(part, i);
    if (n == 0)
        return 0;
    PyObject *value;
    if (f->label == LEAT_MESSAGE_MAP) {
        value = map_of(part, f, i, n);
    } else if (f->label == LEAT_MESSAGE_REPEATED) {
        value = list_of(part, f, i, n);
    } else {
        union leat_message_value v;
        leat_part_get(part, i, 0, &v);
        value = python_of(f, v);
    }
    int rc = value ? PyDict_SetItem(tree, t->names[i], value) : -1;
    Py_XDECREF(value);
    return rc;
}

static PyObject *tree_of(const struct leat_part *part)
{
    struct table *t = table_of(leat_part_type(part));
    PyObject *tree = t ? PyDict_New() : NULL;
    for (int i = 0; tree && i < t->num_fields; i++)
        if (put_field(tree, part, t, i) < 0)
            Py_CLEAR(tree);
    struct leat_message_text unknown = leat_part_unknown(part);
    if (tree && unknown.n > 0) {
        PyObject *bytes = PyBytes_FromStringAndSize(unknown.p, (Py_ssize_t)unknown.n);
        if (!bytes || PyDict_SetItem(tree, unknown_name, bytes) < 0)
            Py_CLEAR(tree);
        Py_XDECREF(bytes);
    }
    return tree;
}

/* The tree of m, which is deleted; m NULL: status says why. */
static PyObject *take_tree(struct leat_message *m, TF_Status *st)
{
    if (!m)
        return core_raise(st);
    TF_DeleteStatus(st);
    PyObject *tree = tree_of(leat_message_root(m));
    leat_message_delete(m);
    return tree;
}

/* ---- trees to messages ---- */

struct filling {
    struct leat_message *message;
    PyObject *keep; /* a list: what the message borrows bytes from */
    int depth;
};

static bool fill(struct filling *f, struct leat_part *part, PyObject *tree);

/* Reads a text of a value into *out. Bytes of some length are borrowed, and kept alive. */
static bool text_of(struct filling *f, const struct leat_message_field *field, PyObject *value,
                    struct leat_message_text *out, bool *copy, PyObject **temporary)
{
    char *p = NULL;
    Py_ssize_t n = 0;
    PyObject *bytes = value;
    if (PyUnicode_Check(value))
        *temporary = bytes = PyUnicode_AsUTF8String(value);
    if (!bytes)
        return false;
    if (!PyBytes_Check(bytes)) {
        PyErr_Format(PyExc_TypeError, "field %s takes str or bytes, not %R", field->name, value);
        return false;
    }
    if (PyBytes_AsStringAndSize(bytes, &p, &n) < 0)
        return false;
    *copy = n < COPY_BYTES;
    if (!*copy && PyList_Append(f->keep, bytes) < 0)
        return false;
    *out = (struct leat_message_text){p, (size_t)n};
    return true;
}

static bool scalar(struct filling *f, struct leat_part *part,
                   const struct leat_message_field *field, int at, PyObject *value)
{
    union leat_message_value v = {.u = 0};
    PyObject *temporary = NULL;
    bool copy = true, ok = true;
    switch (field->type) {
    case 1:
    case 2:
        v.d = PyFloat_AsDouble(value);
        break;
    case 4:
    case 6:
    case 7:
    case 13:
        v.u = PyLong_AsUnsignedLongLong(value);
        break;
    case 8:
        v.i = PyObject_IsTrue(value);
        break;
    case 9:
    case 12:
        ok = text_of(f, field, value, &v.s, &copy, &temporary);
        break;
    default:
        v.i = PyLong_AsLongLong(value);
    }
    ok = ok && !PyErr_Occurred();
    if (ok)
        leat_part_put(f->message, part, at, v, copy);
    Py_XDECREF(temporary);
    return ok;
}

static bool child(struct filling *f, struct leat_part *part, int at, PyObject *value)
{
    return fill(f, leat_part_add(f->message, part, at), value);
}

static bool fill_list(struct filling *f, struct leat_part *part,
                      const struct leat_message_field *field, int at, PyObject *list)
{
    if (!PyList_Check(list)) {
        PyErr_Format(PyExc_TypeError, "field %s takes a list, not %R", field->name, list);
        return false;
    }
    for (Py_ssize_t i = 0; i < PyList_Size(list); i++) {
        PyObject *item = PyList_GetItem(list, i);
        Py_XINCREF(item);
        bool ok = item &&
                  (field->type == 11 ? child(f, part, at, item) : scalar(f, part, field, at, item));
        Py_XDECREF(item);
        if (!ok)
            return false;
    }
    return true;
}

static bool fill_map(struct filling *f, struct leat_part *part,
                     const struct leat_message_field *field, int at, PyObject *map)
{
    struct table *t = table_of(field->message);
    if (!t)
        return false;
    PyObject *items = PyDict_Check(map) ? PyDict_Items(map) : NULL;
    if (!items && !PyErr_Occurred())
        PyErr_Format(PyExc_TypeError, "field %s takes a dict, not %R", field->name, map);
    bool ok = items != NULL;
    for (Py_ssize_t i = 0; ok && i < PyList_Size(items); i++) {
        PyObject *pair = PyList_GetItem(items, i);
        PyObject *key = PyTuple_GetItem(pair, 0), *value = PyTuple_GetItem(pair, 1);
        struct leat_part *entry = leat_part_add(f->message, part, at);
        ok = key && value && scalar(f, entry, &t->fields[0], 0, key) &&
             (t->fields[1].type == 11 ? child(f, entry, 1, value)
                                      : scalar(f, entry, &t->fields[1], 1, value));
    }
    Py_XDECREF(items);
    return ok;
}

static bool fill_unknown(struct filling *f, struct leat_part *part, PyObject *tree)
{
    PyObject *bytes = PyDict_GetItemWithError(tree, unknown_name);
    char *p;
    Py_ssize_t n;
    if (!bytes)
        return !PyErr_Occurred();
    if (PyBytes_AsStringAndSize(bytes, &p, &n) < 0)
        return false;
    TF_Status *st = TF_NewStatus();
    leat_part_merge(f->message, part, p, (size_t)n, st);
    return core_ok(st);
}

static bool fill_fields(struct filling *f, struct leat_part *part, PyObject *tree)
{
    struct table *t = table_of(leat_part_type(part));
    bool ok = t != NULL;
    for (int i = 0; ok && i < t->num_fields; i++) {
        const struct leat_message_field *field = &t->fields[i];
        PyObject *value = PyDict_GetItemWithError(tree, t->names[i]);
        if (!value) {
            ok = !PyErr_Occurred();
            continue;
        }
        Py_INCREF(value);
        if (field->label == LEAT_MESSAGE_MAP)
            ok = fill_map(f, part, field, i, value);
        else if (field->label == LEAT_MESSAGE_REPEATED)
            ok = fill_list(f, part, field, i, value);
        else
            ok = field->type == 11 ? child(f, part, i, value) : scalar(f, part, field, i, value);
        Py_DECREF(value);
    }
    return ok && fill_unknown(f, part, tree);
}

static bool fill(struct filling *f, struct leat_part *part, PyObject *tree)
{
    if (f->depth >= MAX_DEPTH) {
        PyErr_Format(PyExc_ValueError, "messages nested more than %d deep", (int)MAX_DEPTH);
        return false;
    }
    PyObject *fields = tree;
    if (PyDict_Check(tree))
        Py_INCREF(tree);
    else
        fields = PyObject_GetAttr(tree, tree_name);
    if (!fields)
        return false;
    bool ok = PyDict_Check(fields);
    if (!ok)
        PyErr_Format(PyExc_TypeError, "not a message: %R", tree);
    f->depth++;
    ok = ok && fill_fields(f, part, fields);
    f->depth--;
    Py_DECREF(fields);
    return ok;
}

/* A message of that type filled from the tree, with what it borrows from in f->keep; false with an
 * exception, and then nothing is left to delete. */
static bool fill_new(struct filling *f, const char *name, PyObject *tree)
{
    const struct leat_message_type *type = type_named(name);
    if (!type)
        return false;
    f->keep = PyList_New(0);
    if (!f->keep)
        return false;
    f->message = leat_message_new(type);
    if (fill(f, leat_message_root(f->message), tree))
        return true;
    leat_message_delete(f->message);
    Py_CLEAR(f->keep);
    return false;
}

/* ---- the functions ---- */

static PyObject *message_types(PyObject *self, PyObject *none)
{
    (void)self, (void)none;
    PyObject *out = PyList_New(0);
    for (int i = 0; out && i < leat_message_num_types(); i++) {
        const struct leat_message_type *type = leat_message_type_at(i);
        if (leat_message_is_map_entry(type))
            continue;
        PyObject *name = PyUnicode_FromString(leat_message_type_name(type));
        if (!name || PyList_Append(out, name) < 0)
            Py_CLEAR(out);
        Py_XDECREF(name);
    }
    return out;
}

static PyObject *message_enums(PyObject *self, PyObject *none)
{
    (void)self, (void)none;
    PyObject *out = PyDict_New();
    for (int i = 0; out && i < leat_message_num_enums(); i++) {
        const struct leat_message_enum *e = leat_message_enum_at(i);
        PyObject *values = PyList_New(0);
        for (int k = 0; values && k < leat_message_enum_size(e); k++) {
            const char *name;
            int number;
            leat_message_enum_value(e, k, &name, &number);
            PyObject *pair = Py_BuildValue("(si)", name, number);
            if (!pair || PyList_Append(values, pair) < 0)
                Py_CLEAR(values);
            Py_XDECREF(pair);
        }
        if (!values || PyDict_SetItemString(out, leat_message_enum_name(e), values) < 0)
            Py_CLEAR(out);
        Py_XDECREF(values);
    }
    return out;
}

static PyObject *message_fields(PyObject *self, PyObject *args)
{
    (void)self;
    const char *name;
    if (!PyArg_ParseTuple(args, "s", &name))
        return NULL;
    const struct leat_message_type *type = type_named(name);
    struct table *t = type ? table_of(type) : NULL;
    PyObject *out = t ? PyList_New(0) : NULL;
    for (int i = 0; out && i < t->num_fields; i++) {
        const struct leat_message_field *f = &t->fields[i];
        PyObject *field =
            Py_BuildValue("(Oiiizzz)", t->names[i], f->number, f->type, f->label, f->oneof,
                          f->message ? leat_message_type_name(f->message) : NULL,
                          f->enumeration ? leat_message_enum_name(f->enumeration) : NULL);
        if (!field || PyList_Append(out, field) < 0)
            Py_CLEAR(out);
        Py_XDECREF(field);
    }
    return out;
}

static PyObject *message_decode(PyObject *self, PyObject *args)
{
    (void)self;
    const char *name;
    PyObject *bytes;
    char *p;
    Py_ssize_t n;
    if (!PyArg_ParseTuple(args, "sS", &name, &bytes) || PyBytes_AsStringAndSize(bytes, &p, &n) < 0)
        return NULL;
    const struct leat_message_type *type = type_named(name);
    if (!type)
        return NULL;
    TF_Status *st = TF_NewStatus();
    struct leat_message *m;
    Py_BEGIN_ALLOW_THREADS m = leat_message_decode(type, p, (size_t)n, 1, st);
    Py_END_ALLOW_THREADS return take_tree(m, st);
}

static PyObject *message_parse(PyObject *self, PyObject *args)
{
    (void)self;
    const char *name, *text;
    Py_ssize_t n;
    if (!PyArg_ParseTuple(args, "ss#", &name, &text, &n))
        return NULL;
    const struct leat_message_type *type = type_named(name);
    if (!type)
        return NULL;
    TF_Status *st = TF_NewStatus();
    return take_tree(leat_message_parse(type, text, (size_t)n, st), st);
}

static PyObject *message_encode(PyObject *self, PyObject *args)
{
    (void)self;
    const char *name;
    PyObject *tree;
    int sorted = 0;
    struct filling f = {0};
    if (!PyArg_ParseTuple(args, "sO|p", &name, &tree, &sorted) || !fill_new(&f, name, tree))
        return NULL;
    TF_Status *st = TF_NewStatus();
    TF_Buffer *b = leat_message_encode(f.message, sorted, st);
    PyObject *out = NULL;
    if (core_ok(st))
        out = PyBytes_FromStringAndSize(b->data, (Py_ssize_t)b->length);
    if (b)
        TF_DeleteBuffer(b);
    leat_message_delete(f.message);
    Py_DECREF(f.keep);
    return out;
}

static PyObject *message_print(PyObject *self, PyObject *args)
{
    (void)self;
    const char *name;
    PyObject *tree;
    int as_str = 0;
    struct filling f = {0};
    if (!PyArg_ParseTuple(args, "sO|p", &name, &tree, &as_str) || !fill_new(&f, name, tree))
        return NULL;
    TF_Status *st = TF_NewStatus();
    size_t n;
    char *text = leat_message_print(f.message, as_str, &n, st);
    PyObject *out = NULL;
    if (core_ok(st))
        out = PyUnicode_DecodeUTF8(n > 0 ? text : "", (Py_ssize_t)n, NULL);
    leat_free(text);
    leat_message_delete(f.message);
    Py_DECREF(f.keep);
    return out;
}

static PyMethodDef methods[] = {
    {"message_types", message_types, METH_NOARGS, "names of all message types, sorted"},
    {"message_enums", message_enums, METH_NOARGS, "{name: [(value's name, number)]} of all enums"},
    {"message_fields", message_fields, METH_VARARGS,
     "(type) -> [(name, number, type, label, oneof, message type, enum)] by number"},
    {"message_decode", message_decode, METH_VARARGS, "(type, bytes) -> tree"},
    {"message_encode", message_encode, METH_VARARGS, "(type, tree, sorted=False) -> bytes"},
    {"message_parse", message_parse, METH_VARARGS, "(type, text) -> tree"},
    {"message_print", message_print, METH_VARARGS, "(type, tree, as_str=False) -> text"},
    {NULL, NULL, 0, NULL},
};

int core_add_messages(PyObject *module)
{
    if (!tables) {
        tables = PyMem_Calloc((size_t)leat_message_num_types() + 1, sizeof *tables);
        tree_name = PyUnicode_InternFromString("_f");
        unknown_name = PyUnicode_InternFromString("");
        if (!tables)
            PyErr_NoMemory();
        if (!tables || !tree_name || !unknown_name)
            return -1;
    }
    return PyModule_AddFunctions(module, methods);
}
