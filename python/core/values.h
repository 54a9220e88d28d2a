/* SPDX-License-Identifier: Apache-2.0 */
/* Between values.c and strings.c: numpy's array interface, and what is imported from numpy once.
 *
 * The struct is numpy's published protocol (__array_struct__), the same in numpy 1.x and 2.x; no
 * header of numpy is used. */
#ifndef LEAT_PYTHON_VALUES_H
#define LEAT_PYTHON_VALUES_H

#include "core.h"

enum {
    ARRAY_C_CONTIGUOUS = 0x1,
    ARRAY_ALIGNED = 0x100,
    ARRAY_NATIVE = 0x200,
    ARRAY_WRITEABLE = 0x400,
    ARRAY_HAS_DESCR = 0x800,
};

struct array_interface { /* the layout is the protocol's */
    int two;             /* 2, or it is none */
    int nd;
    char typekind; /* 'b' 'i' 'u' 'f' 'c' 'S' 'U' 'V' 'O' */
    int itemsize;
    int flags;
    intptr_t *shape;
    intptr_t *strides; /* in bytes */
    void *data;
    PyObject *descr;
};

/* What numpy has under this name, imported once and kept: borrowed, NULL with an error. */
enum numpy_name { NUMPY_ASARRAY, NUMPY_EMPTY, NUMPY_DTYPE, NUMPY_NAMES };
PyObject *numpy_get(enum numpy_name name);

/* The interface of an array, valid as long as *capsule, a new reference. False: the object has
 * none, and no exception is set; with *capsule NULL and an exception: it has a broken one. */
bool array_open(PyObject *object, PyObject **capsule, struct array_interface **out);
/* numpy.asarray(object, dtype, order="C"); dtype may be NULL. */
PyObject *array_make(PyObject *object, PyObject *dtype);
/* numpy.empty(dims, dtype). */
PyObject *array_empty(const TF_Tensor *shape_of, PyObject *dtype);

/* ---- strings.c ---- */

/* A TF_STRING tensor of bytes, str, an array of either, or nested lists of them. */
TF_Tensor *strings_in(PyObject *object);
/* bytes, or an array of such objects. Takes the tensor. */
PyObject *strings_out(TF_Tensor *tensor);

#endif
