/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that deal with graphs share, beside core.h. */
#ifndef LEAT_PYTHON_GRAPH_H
#define LEAT_PYTHON_GRAPH_H

#include "core.h"

enum { CORE_MAX_RANK = 254 };

/* An output as a tuple; None of the invalid one. */
PyObject *core_from_output(TF_Output out);
/* A list of outputs (None: none; an item None: the invalid output) into *outs, for PyMem_Free.
 * False with an exception. */
bool core_outputs(PyObject *list, TF_Output **outs, int *n);
/* A shape: None (rank -1) or a sequence of numbers and Nones. False with an exception. */
bool core_dims(PyObject *shape, int64_t *dims, int *rank);
/* The buffer's bytes; takes it. */
PyObject *core_buffer_take(TF_Buffer *buffer);
/* Raises the error of the last leat_* builder on g, or lets the exception stand that a callable
 * raised meanwhile; the graph's is forgotten. NULL. */
PyObject *core_graph_failed(TF_Graph *g);

/* ---- node.c ---- */

/* Graph.add_op(type, name, inputs, attrs, made_at): (operation, name, types of its outputs). */
PyObject *core_add_op(PyObject *graph, PyObject *args);

/* ---- operation.c ---- */

int core_add_operations(PyObject *module);

/* ---- flow.c ---- */

int core_add_flow(PyObject *module);

#endif
