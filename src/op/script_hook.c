/* SPDX-License-Identifier: Apache-2.0 */
/* The hook of script ops: a function and its data, set and read as one. */
#include "op/script_hook.h"

#include "base/lock.h"

static struct lock lock = LOCK_INIT("script hook", LOCK_RANK_LEAF);
static script_hook_fn hook; /* guarded by lock, as is hook_data */
static void *hook_data;

void script_hook_set(script_hook_fn fn, void *data)
{
    lock_take(&lock);
    hook = fn;
    hook_data = data;
    lock_drop(&lock);
}

bool script_hook_call(const char *token, struct tensor *const *inputs, int num_inputs,
                      struct tensor *outputs, int num_outputs, struct status *st)
{
    lock_take(&lock);
    script_hook_fn fn = hook;
    void *data = hook_data;
    lock_drop(&lock);
    if (!fn)
        return status_precondition(
            st,
            "Function %s is not here: no front end has set a function for PyFunc to call "
            "(leat_set_py_func_hook)",
            token);
    return fn(data, token, inputs, num_inputs, outputs, num_outputs, st);
}
