/* SPDX-License-Identifier: Apache-2.0 */
/* Values between numpy and the library.
 *
 * What is fetched belongs to a _core.Value, which numpy reads by __array_struct__: the array that
 * it makes keeps the Value, and so the bytes. Bytes that the library still shares (a constant's, a
 * variable's, a feed's) are copied first, since arrays may be written to. What is fed is read where
 * it lies; the array is kept until the library lets go, which may be on a thread that has no lock
 * of the interpreter: references to be dropped are listed, and dropped by the next caller. */
#include "values.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL_RANK = 8, MAX_RANK = 254, NUM_TYPES = 24 };

/* ---- numpy ---- */

static PyObject *numpy_names[NUMPY_NAMES]; /* guarded by the interpreter's lock */

PyObject *numpy_get(enum numpy_name name)
{
    static const char *const texts[NUMPY_NAMES] = {"asarray", "empty", "dtype"};
    if (numpy_names[name])
        return numpy_names[name];
    PyObject *numpy = PyImport_ImportModule("numpy");
    if (!numpy)
        return NULL;
    numpy_names[name] = PyObject_GetAttrString(numpy, texts[name]);
    Py_DECREF(numpy);
    return numpy_names[name];
}

/* Types by their number in TF_DataType. Quantised values are fetched as the integers that they are,
 * as TensorFlow has it, and fed as these or as structs of one (tf.qint8.as_numpy_dtype). */
static const struct type_row {
    const char *name; /* of numpy's scalar type */
    char kind;
    int size;
    bool quantised;
} type_rows[NUM_TYPES] = {
    [TF_FLOAT] = {"float32", 'f', 4, false},
    [TF_DOUBLE] = {"float64", 'f', 8, false},
    [TF_INT32] = {"int32", 'i', 4, false},
    [TF_UINT8] = {"uint8", 'u', 1, false},
    [TF_INT16] = {"int16", 'i', 2, false},
    [TF_INT8] = {"int8", 'i', 1, false},
    [TF_STRING] = {"object_", 'O', 8, false},
    [TF_COMPLEX64] = {"complex64", 'c', 8, false},
    [TF_INT64] = {"int64", 'i', 8, false},
    [TF_BOOL] = {"bool_", 'b', 1, false},
    [TF_QINT8] = {"int8", 'i', 1, true},
    [TF_QUINT8] = {"uint8", 'u', 1, true},
    [TF_QINT32] = {"int32", 'i', 4, true},
    [TF_BFLOAT16] = {"bfloat16", 'V', 2, false},
    [TF_QINT16] = {"int16", 'i', 2, true},
    [TF_QUINT16] = {"uint16", 'u', 2, true},
    [TF_UINT16] = {"uint16", 'u', 2, false},
    [TF_HALF] = {"float16", 'f', 2, false},
    [TF_COMPLEX128] = {"complex128", 'c', 16, false},
    [TF_UINT32] = {"uint32", 'u', 4, false},
    [TF_UINT64] = {"uint64", 'u', 8, false},
};

/* A type's numpy scalar type, or what makes its dtype: borrowed. */
static PyObject *make_numpy_type(const struct type_row *row, bool is_bfloat16)
{
    PyObject *module = PyImport_ImportModule(is_bfloat16 ? "ml_dtypes" : "numpy");
    const char *name = row->name;
    if (!module && is_bfloat16 && PyErr_ExceptionMatches(PyExc_ImportError)) {
        PyErr_Clear();
        module = PyImport_ImportModule("numpy");
        name = "uint16";
    }
    PyObject *type = module ? PyObject_GetAttrString(module, name) : NULL;
    Py_XDECREF(module);
    return type;
}

static PyObject *numpy_types[NUM_TYPES], *numpy_dtypes[NUM_TYPES];

static const struct type_row *type_row(int dtype)
{
    bool known = dtype > 0 && dtype < NUM_TYPES && type_rows[dtype].name;
    return known ? &type_rows[dtype] : NULL;
}

static PyObject *numpy_type(int dtype)
{
    if (!numpy_types[dtype])
        numpy_types[dtype] = make_numpy_type(&type_rows[dtype], dtype == TF_BFLOAT16);
    return numpy_types[dtype];
}

static PyObject *numpy_dtype(int dtype)
{
    if (numpy_dtypes[dtype])
        return numpy_dtypes[dtype];
    PyObject *type = numpy_type(dtype), *make = type ? numpy_get(NUMPY_DTYPE) : NULL;
    if (make)
        numpy_dtypes[dtype] = PyObject_CallFunctionObjArgs(make, type, NULL);
    return numpy_dtypes[dtype];
}

bool array_open(PyObject *object, PyObject **capsule, struct array_interface **out)
{
    static PyObject *name;
    if (!name)
        name = PyUnicode_InternFromString("__array_struct__");
    *capsule = name ? PyObject_GetAttr(object, name) : NULL;
    if (!*capsule) {
        if (PyErr_ExceptionMatches(PyExc_AttributeError))
            PyErr_Clear();
        return false;
    }
    *out = PyCapsule_CheckExact(*capsule) ? PyCapsule_GetPointer(*capsule, NULL) : NULL;
    if (*out && (*out)->two == 2)
        return true;
    PyErr_Clear();
    PyErr_SetString(PyExc_ValueError, "invalid __array_struct__");
    Py_CLEAR(*capsule);
    return false;
}

PyObject *array_make(PyObject *object, PyObject *dtype)
{
    PyObject *make = numpy_get(NUMPY_ASARRAY);
    PyObject *args = make ? PyTuple_Pack(1, object) : NULL;
    PyObject *names = args ? Py_BuildValue("{ss}", "order", "C") : NULL;
    PyObject *array = NULL;
    if (names && (!dtype || PyDict_SetItemString(names, "dtype", dtype) == 0))
        array = PyObject_Call(make, args, names);
    Py_XDECREF(args);
    Py_XDECREF(names);
    return array;
}

PyObject *array_empty(const TF_Tensor *shape_of, PyObject *dtype)
{
    int rank = TF_NumDims(shape_of);
    PyObject *make = numpy_get(NUMPY_EMPTY), *dims = make ? PyTuple_New(rank) : NULL;
    for (int i = 0; dims && i < rank; i++) {
        PyObject *dim = PyLong_FromLongLong(TF_Dim(shape_of, i));
        if (!dim)
            Py_CLEAR(dims);
        else
            PyTuple_SetItem(dims, i, dim);
    }
    PyObject *array = dims ? PyObject_CallFunctionObjArgs(make, dims, dtype, NULL) : NULL;
    Py_XDECREF(dims);
    return array;
}

/* ---- references that the library gives up ---- */

struct kept {
    struct kept *next;
    PyObject *object;
};
static struct kept *given_up; /* a stack; any thread pushes, a holder of the lock takes all */

static void give_up(void *data, size_t n, void *arg)
{
    (void)data;
    (void)n;
    struct kept *k = arg;
    k->next = __atomic_load_n(&given_up, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&given_up, &k->next, k, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
        ;
}

static void drop_given_up(void)
{
    if (!__atomic_load_n(&given_up, __ATOMIC_RELAXED))
        return;
    struct kept *k = __atomic_exchange_n(&given_up, NULL, __ATOMIC_ACQUIRE), *next;
    for (; k; k = next) {
        next = k->next;
        Py_DECREF(k->object);
        free(k);
    }
}

/* ---- _core.Value ---- */

struct value {
    PyObject_HEAD;
    TF_Tensor *tensor;
    struct array_interface face;
    intptr_t small[2 * SMALL_RANK], *dims; /* shape, then strides */
};
static PyTypeObject *value_type;

static void value_dealloc(PyObject *self)
{
    struct value *v = (struct value *)self;
    PyTypeObject *type = Py_TYPE(self);
    TF_DeleteTensor(v->tensor);
    if (v->dims != v->small)
        PyMem_Free(v->dims);
    Py_XDECREF(v->face.descr);
    freefunc give_back = (freefunc)PyType_GetSlot(type, Py_tp_free);
    give_back(self);
    Py_DECREF(type);
}

static void capsule_free(PyObject *capsule)
{
    Py_XDECREF((PyObject *)PyCapsule_GetContext(capsule));
}

static bool value_describe(struct value *v)
{
    int dtype = (int)TF_TensorType(v->tensor), rank = TF_NumDims(v->tensor);
    const struct type_row *row = type_row(dtype);
    v->dims = v->small;
    if (rank > SMALL_RANK)
        v->dims = PyMem_Malloc(sizeof *v->dims * 2 * (size_t)rank);
    if (!v->dims) {
        v->dims = v->small;
        PyErr_NoMemory();
        return false;
    }
    intptr_t stride = row->size;
    for (int i = rank - 1; i >= 0; i--) {
        v->dims[i] = (intptr_t)TF_Dim(v->tensor, i);
        v->dims[rank + i] = stride;
        stride *= v->dims[i];
    }
    bool plain = dtype != TF_BFLOAT16;
    v->face = (struct array_interface){.two = 2,
                                       .nd = rank,
                                       .typekind = plain ? row->kind : 'V',
                                       .itemsize = row->size,
                                       .flags = ARRAY_C_CONTIGUOUS | ARRAY_ALIGNED | ARRAY_NATIVE |
                                                ARRAY_WRITEABLE | (plain ? 0 : ARRAY_HAS_DESCR),
                                       .shape = v->dims,
                                       .strides = v->dims + rank,
                                       .data = TF_TensorData(v->tensor)};
    if (plain)
        return true;
    v->face.descr = numpy_dtype(dtype);
    Py_XINCREF(v->face.descr);
    return v->face.descr != NULL;
}

static PyObject *value_array_struct(PyObject *self, void *unused)
{
    struct value *v = (struct value *)self;
    int dtype = (int)TF_TensorType(v->tensor);
    (void)unused;
    if (!type_row(dtype) || dtype == TF_STRING) {
        PyErr_SetString(PyExc_AttributeError, "__array_struct__: the value is no array of numbers");
        return NULL;
    }
    if (!v->face.two && !value_describe(v))
        return NULL;
    PyObject *capsule = PyCapsule_New(&v->face, NULL, capsule_free);
    if (capsule && PyCapsule_SetContext(capsule, self) == 0)
        Py_INCREF(self);
    return capsule;
}

static PyObject *value_dtype(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromLong((long)TF_TensorType(((struct value *)self)->tensor));
}

static PyObject *value_shape(PyObject *self, void *unused)
{
    const TF_Tensor *t = ((struct value *)self)->tensor;
    int rank = TF_NumDims(t);
    PyObject *dims = PyTuple_New(rank);
    (void)unused;
    for (int i = 0; dims && i < rank; i++) {
        PyObject *dim = PyLong_FromLongLong(TF_Dim(t, i));
        if (!dim)
            Py_CLEAR(dims);
        else
            PyTuple_SetItem(dims, i, dim);
    }
    return dims;
}

static PyObject *value_bytes(PyObject *self, void *unused)
{
    const TF_Tensor *t = ((struct value *)self)->tensor;
    (void)unused;
    if (TF_TensorType(t) == TF_VARIANT) {
        PyErr_SetString(PyExc_AttributeError, "a variant has no bytes");
        return NULL;
    }
    return PyBytes_FromStringAndSize(TF_TensorData(t), (Py_ssize_t)TF_TensorByteSize(t));
}

static PyGetSetDef value_members[] = {
    {"__array_struct__", value_array_struct, NULL, "numpy's view of the bytes, writeable", NULL},
    {"dtype", value_dtype, NULL, "the number of the type", NULL},
    {"shape", value_shape, NULL, "a tuple", NULL},
    {"bytes", value_bytes, NULL, "of a resource: its serialized handle", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot value_slots[] = {
    {Py_tp_dealloc, (void *)value_dealloc},
    {Py_tp_getset, value_members},
    {Py_tp_doc, (void *)(uintptr_t) "A tensor of the library: numpy.asarray makes an array of it "
                                    "without a copy."},
    {0, NULL},
};
static PyType_Spec value_spec = {"_core.Value", sizeof(struct value), 0, Py_TPFLAGS_DEFAULT,
                                 value_slots};

static PyObject *value_new(TF_Tensor *tensor)
{
    allocfunc alloc = (allocfunc)PyType_GetSlot(value_type, Py_tp_alloc);
    struct value *v = (struct value *)alloc(value_type, 0);
    if (!v) {
        TF_DeleteTensor(tensor);
        return NULL;
    }
    v->tensor = tensor;
    v->dims = v->small;
    return (PyObject *)v;
}

/* ---- out ---- */

/* A tensor whose bytes nobody else has. Takes t. */
static TF_Tensor *unshared(TF_Tensor *t)
{
    if (!leat_tensor_is_shared(t))
        return t;
    int64_t dims[MAX_RANK];
    int rank = TF_NumDims(t);
    for (int i = 0; i < rank; i++)
        dims[i] = TF_Dim(t, i);
    size_t bytes = TF_TensorByteSize(t);
    TF_Tensor *copy = TF_AllocateTensor(TF_TensorType(t), dims, rank, bytes);
    if (!copy)
        PyErr_NoMemory();
    else if (bytes)
        memcpy(TF_TensorData(copy), TF_TensorData(t), bytes);
    TF_DeleteTensor(t);
    return copy;
}

/* The number at p as an object of Python that numpy's scalar type takes without loss. */
static PyObject *number_out(const struct type_row *row, const void *p)
{
    float f[2];
    double d[2];
    int64_t i = 0;
    switch (row->kind) {
    case 'f':
        if (row->size == 4) {
            memcpy(f, p, 4);
            return PyFloat_FromDouble((double)f[0]);
        }
        memcpy(d, p, 8);
        return PyFloat_FromDouble(d[0]);
    case 'c':
        if (row->size == 8) {
            memcpy(f, p, 8);
            return PyComplex_FromDoubles((double)f[0], (double)f[1]);
        }
        memcpy(d, p, 16);
        return PyComplex_FromDoubles(d[0], d[1]);
    case 'b':
        return PyBool_FromLong(*(const uint8_t *)p != 0);
    case 'i':
        memcpy(&i, p, (size_t)row->size); /* little-endian */
        i = (int64_t)((uint64_t)i << (64 - 8 * row->size)) >> (64 - 8 * row->size);
        return PyLong_FromLongLong(i);
    default:
        memcpy(&i, p, (size_t)row->size);
        return PyLong_FromUnsignedLongLong((uint64_t)i);
    }
}

static PyObject *scalar_out(TF_Tensor *t, int dtype)
{
    const struct type_row *row = type_row(dtype);
    PyObject *type = numpy_type(dtype);
    PyObject *number = type ? number_out(row, TF_TensorData(t)) : NULL;
    PyObject *out = number ? PyObject_CallFunctionObjArgs(type, number, NULL) : NULL;
    Py_XDECREF(number);
    TF_DeleteTensor(t);
    return out;
}

/* array[()]: a numpy scalar when there are no dims. Takes array, which may be NULL. */
static PyObject *scalar_of_array(PyObject *array)
{
    PyObject *nothing = array ? PyTuple_New(0) : NULL;
    PyObject *out = nothing ? PyObject_GetItem(array, nothing) : NULL;
    Py_XDECREF(nothing);
    Py_XDECREF(array);
    return out;
}

PyObject *core_value_take(TF_Tensor *tensor)
{
    int dtype = (int)TF_TensorType(tensor), rank = TF_NumDims(tensor);
    const struct type_row *row = type_row(dtype);
    if (!row)
        return value_new(tensor);
    if (dtype == TF_STRING)
        return strings_out(tensor);
    if (rank == 0 && row->size != 2)
        return scalar_out(tensor, dtype);
    tensor = unshared(tensor);
    PyObject *value = tensor ? value_new(tensor) : NULL;
    PyObject *make = value ? numpy_get(NUMPY_ASARRAY) : NULL;
    PyObject *array = make ? PyObject_CallFunctionObjArgs(make, value, NULL) : NULL;
    Py_XDECREF(value);
    return rank == 0 ? scalar_of_array(array) : array;
}

/* ---- in ---- */

/* The type of the library that these elements are; 0: none. want helps where bytes may be either.
 */
static int type_of(const struct array_interface *a, int want)
{
    if (a->typekind == 'S' || a->typekind == 'U' || a->typekind == 'O')
        return TF_STRING;
    const struct type_row *wanted = type_row(want);
    if (wanted && want != TF_STRING && wanted->size == a->itemsize &&
        (wanted->kind == a->typekind ||
         (a->typekind == 'V' && (wanted->quantised || want == TF_BFLOAT16)) ||
         (a->typekind == 'u' && want == TF_BFLOAT16)))
        return want;
    for (int i = 1; i < NUM_TYPES; i++) {
        const struct type_row *row = type_row(i);
        if (row && !row->quantised && i != TF_STRING && row->kind == a->typekind &&
            row->size == a->itemsize)
            return i;
    }
    return 0;
}

/* Without the flags, which numpy leaves out for structured types. */
static bool lies_densely(const struct array_interface *a)
{
    intptr_t stride = a->itemsize;
    for (int i = a->nd - 1; i >= 0; i--) {
        if (a->shape[i] != 1 && a->strides[i] != stride)
            return false;
        stride *= a->shape[i];
    }
    return true;
}

static bool is_plain(const struct array_interface *a)
{
    if (a->typekind == 'V')
        return a->nd <= MAX_RANK && lies_densely(a);
    const int need = ARRAY_C_CONTIGUOUS | ARRAY_NATIVE; /* at odd addresses it is copied later */
    return (a->flags & need) == need && a->nd <= MAX_RANK;
}

/* The tensor of an array's bytes; owner is kept instead of a copy if it is not NULL. */
static TF_Tensor *bytes_in(const struct array_interface *a, int dtype, PyObject *owner)
{
    int64_t dims[MAX_RANK];
    size_t bytes = (size_t)a->itemsize;
    for (int i = 0; i < a->nd; i++) {
        dims[i] = (int64_t)a->shape[i];
        bytes *= (size_t)a->shape[i];
    }
    TF_Tensor *t = NULL;
    struct kept *k = owner && bytes ? malloc(sizeof *k) : NULL;
    if (k) {
        k->object = owner;
        Py_INCREF(owner);
        t = TF_NewTensor((TF_DataType)dtype, dims, a->nd, a->data, bytes, give_up, k);
    } else {
        t = TF_AllocateTensor((TF_DataType)dtype, dims, a->nd, bytes);
        if (t && bytes)
            memcpy(TF_TensorData(t), a->data, bytes);
    }
    if (!t)
        PyErr_NoMemory();
    return t;
}

static TF_Tensor *array_in(PyObject *array, int want, bool borrow, bool again);

/* By way of numpy: lists, numbers, other types, other strides. */
static TF_Tensor *converted_in(PyObject *object, int want, bool borrow)
{
    const struct type_row *row = type_row(want);
    PyObject *dtype = row ? numpy_dtype(want) : NULL;
    if (row && !dtype)
        return NULL;
    PyObject *array = array_make(object, dtype);
    TF_Tensor *t = array ? array_in(array, want, borrow, true) : NULL;
    Py_XDECREF(array);
    return t;
}

static TF_Tensor *array_in(PyObject *array, int want, bool borrow, bool again)
{
    PyObject *capsule;
    struct array_interface *a;
    if (!array_open(array, &capsule, &a)) {
        if (!PyErr_Occurred() && again)
            PyErr_SetString(PyExc_TypeError, "not an array");
        return PyErr_Occurred() ? NULL : converted_in(array, want, borrow);
    }
    int dtype = type_of(a, want);
    TF_Tensor *t = NULL;
    if (dtype == TF_STRING && (!want || want == TF_STRING))
        t = strings_in(array);
    else if (dtype && dtype != TF_STRING && (!want || want == dtype) && is_plain(a))
        t = bytes_in(a, dtype, borrow ? array : NULL);
    else if (!again && (dtype || want))
        t = converted_in(array, want, borrow);
    else
        PyErr_Format(PyExc_TypeError,
                     "Unable to convert an array of kind '%c' and %d bytes to a tensor of type %d",
                     a->typekind, a->itemsize, want);
    Py_DECREF(capsule);
    return t;
}

/* A tensor that shares a Value's bytes. */
static TF_Tensor *value_in(const struct value *v, int want)
{
    int dtype = (int)TF_TensorType(v->tensor);
    if (want && want != dtype) {
        PyErr_Format(PyExc_TypeError, "A value of type %d where one of type %d is needed", dtype,
                     want);
        return NULL;
    }
    TF_Tensor *t = leat_tensor_share(v->tensor);
    if (!t)
        PyErr_NoMemory();
    return t;
}

TF_Tensor *core_tensor_from(PyObject *array, int dtype, bool borrow)
{
    drop_given_up();
    if (Py_TYPE(array) == value_type)
        return value_in((struct value *)array, dtype);
    if (dtype == TF_STRING || PyBytes_Check(array) || PyUnicode_Check(array))
        return dtype && dtype != TF_STRING ? converted_in(array, dtype, borrow) : strings_in(array);
    return array_in(array, dtype, borrow, false);
}

int core_add_values(PyObject *module)
{
    value_type = (PyTypeObject *)PyType_FromSpec(&value_spec);
    if (!value_type)
        return -1;
    Py_INCREF(value_type);
    return PyModule_AddObject(module, "Value", (PyObject *)value_type);
}
