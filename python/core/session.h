/* SPDX-License-Identifier: Apache-2.0 */
/* Between session.c and quick.c: sessions, and the values of one run. */
#ifndef LEAT_PYTHON_SESSION_H
#define LEAT_PYTHON_SESSION_H

#include "core.h"

struct session {
    PyObject_HEAD;
    TF_Session *session;
    PyObject *graph;
    PyObject *known;            /* a dict: see quick.c; NULL while it is empty */
    struct session *next, **at; /* of the open ones; guarded by the interpreter's lock */
};
struct step {
    PyObject_HEAD;
    struct session *session;
    int num_inputs, num_outputs, num_targets;
    TF_Output *inputs, *outputs;
    const TF_Operation **targets;
};
extern PyTypeObject *core_step_type;

enum { FEW = 16 };

struct values { /* of one run, on the stack */
    TF_Tensor *few[2 * FEW], **in, **out;
    int num_in, num_out;
};

/* False, with an exception: no memory. Released in any case. */
bool step_values_init(struct values *v, int num_in, int num_out);
void step_values_release(struct values *v);
/* The tensors of a sequence of objects. */
bool step_values_in(struct values *v, const TF_Output *inputs, PyObject *objects);
/* What was fetched, as a list. */
PyObject *step_values_out(struct values *v);
/* After a run: whether all is well; else an exception is set. Takes st. */
bool step_ok(TF_Status *st);

/* ---- quick.c ---- */

PyObject *session_quick(PyObject *self, PyObject *args);
PyObject *session_learn(PyObject *self, PyObject *args);

#endif
