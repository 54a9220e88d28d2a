/* SPDX-License-Identifier: Apache-2.0 */
/* Ctrl-C in a call that waits: the library asks the main thread's hook every 20 ms, which runs the
 * program's signal handlers; what they raise is kept until the call has returned. */
#include "core.h"

static unsigned long main_thread; /* 0: not known yet */
/* The main thread's alone. */
static PyObject *raised_type, *raised, *raised_trace;

static bool find_main_thread(void)
{
    PyObject *module = PyImport_ImportModule("threading");
    PyObject *thread = module ? PyObject_CallMethod(module, "main_thread", NULL) : NULL;
    PyObject *ident = thread ? PyObject_GetAttrString(thread, "ident") : NULL;
    if (ident)
        main_thread = PyLong_AsUnsignedLong(ident);
    Py_XDECREF(ident);
    Py_XDECREF(thread);
    Py_XDECREF(module);
    PyErr_Clear();
    return main_thread != 0;
}

bool core_stop_later(void)
{
    if (PyThread_get_thread_ident() != main_thread)
        return false;
    Py_CLEAR(raised_type);
    Py_CLEAR(raised);
    Py_CLEAR(raised_trace);
    PyErr_Fetch(&raised_type, &raised, &raised_trace);
    return true;
}

static bool should_stop(void *unused)
{
    (void)unused;
    PyGILState_STATE state = PyGILState_Ensure();
    bool stop = PyErr_CheckSignals() != 0 && core_stop_later();
    PyGILState_Release(state);
    return stop;
}

void core_may_wait(void)
{
    static _Thread_local bool known;
    if (known)
        return;
    known = main_thread || find_main_thread();
    if (known && PyThread_get_thread_ident() == main_thread)
        leat_set_stop_hook(should_stop, NULL);
}

bool core_stopped(void)
{
    if (!raised_type || PyThread_get_thread_ident() != main_thread)
        return false;
    PyErr_Restore(raised_type, raised, raised_trace);
    raised_type = raised = raised_trace = NULL;
    return true;
}
