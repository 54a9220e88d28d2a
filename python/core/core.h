/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the extension _core share.
 *
 * _core binds libleat's C functions for the modules of python/leat; it decides nothing itself. It
 * is built on CPython's limited API, so that one build serves Python 3.8 and later, and knows numpy
 * by its array interface alone. Operations travel as ints, their addresses: they belong to their
 * graph, and whoever holds one in Python holds the graph too. Every call that may wait, or compute
 * for long, gives the interpreter's lock back; none of the library's locks is held while it is
 * taken. */
#ifndef LEAT_PYTHON_CORE_H
#define LEAT_PYTHON_CORE_H

#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x03080000
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

#include "leat/leat.h"
#include "tensorflow/c/c_api.h"

/* ---- module.c ---- */

/* The exception type _core.Error(code, message): borrowed, for the life of the process. */
extern PyObject *core_error_type;
/* Raises it from st, and returns NULL; deletes st. */
PyObject *core_raise(TF_Status *st);
/* Whether st is OK; else raises. Deletes st in any case. */
bool core_ok(TF_Status *st);

/* Each file's functions and types, added to the module when it is made: 0, or -1 with an error. */
int core_add_graph(PyObject *module);
int core_add_import(PyObject *module);
int core_add_values(PyObject *module);
int core_add_session(PyObject *module);
int core_add_messages(PyObject *module);
int core_add_files(PyObject *module);
int core_add_build(PyObject *module);
int core_add_cluster(PyObject *module);

/* ---- graph.c ---- */

/* The graph of a _core.Graph, borrowed from it; NULL and TypeError for anything else. */
TF_Graph *core_graph(PyObject *object);
/* An int (an operation's address) as the operation; NULL and TypeError. */
TF_Operation *core_oper(PyObject *number);
/* A tuple (operation, index) as the output: false and TypeError. */
bool core_output(PyObject *pair, TF_Output *out);

/* ---- values.c ---- */

/* A new tensor with the value of a numpy array (or what has __array_struct__) of a type that
 * dtype (0: the array's own) can hold; strings from arrays or lists of bytes. With borrow true and
 * a contiguous array its bytes are not copied: the tensor keeps a reference to the array. NULL with
 * an exception. */
TF_Tensor *core_tensor_from(PyObject *array, int dtype, bool borrow);
/* The value as a numpy array, or a numpy scalar when it has no dims (bytes, for a string). Takes
 * the tensor, also when it fails. */
PyObject *core_value_take(TF_Tensor *tensor);

/* ---- py_func.c ---- */

int core_add_py_func(PyObject *module);

/* ---- interrupt.c ---- */

/* To be called before the interpreter's lock is given back for a call that may wait: Ctrl-C, and
 * whatever else the program's signal handlers raise, then ends the wait. */
void core_may_wait(void);
/* Whether that happened; its exception is set then. */
bool core_stopped(void);
/* Keeps the exception that is set for core_stopped, on the main thread; false elsewhere. */
bool core_stop_later(void);

#endif
