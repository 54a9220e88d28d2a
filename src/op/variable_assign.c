/* SPDX-License-Identifier: Apache-2.0 */
/* What every op that gives a variable a new value asks first: which variable, and whether the value
 * fits. */
#include "op/kernel.h"
#include "op/variable.h"

bool variable_accepts(struct variable *v, const struct shape *shape, struct status *st)
{
    struct strbuf text = {0};
    lock_take(&v->lock);
    const struct shape *now = v->value.dtype != DT_INVALID ? &v->value.shape : &v->shape;
    bool same = now->rank < 0 || shape_compatible(now, shape);
    if (!same)
        shape_print(now, &text);
    lock_drop(&v->lock);
    if (!same) {
        strbuf_puts(&text, " rhs shape= ");
        shape_print(shape, &text);
        status_invalid(st, "Assign requires shapes of both tensors to match. lhs shape= %s",
                       strbuf_text(&text));
    }
    strbuf_release(&text);
    return same;
}

struct make_args {
    const char *name;
    int dtype;
};

static struct resource *make_variable(void *arg, struct status *st)
{
    (void)st;
    const struct make_args *m = arg;
    return &variable_new(m->name, m->dtype)->base;
}

struct variable *variable_of_handle(struct kctx *c, int i, int dtype, struct status *st)
{
    struct handle *const *h = kernel_in(c, i)->data;
    if (kernel_in(c, i)->num_elems != 1 || !*h) {
        status_invalid(st, "AssignVariableOp: the first input is not a resource handle");
        return NULL;
    }
    struct make_args m = {(*h)->name, dtype};
    struct variable *v =
        (struct variable *)resource_find_or_make(c->env->container_resources, (*h)->container,
                                                 &variable_type, (*h)->name, make_variable, &m, st);
    if (!v || v->dtype == dtype)
        return v;
    status_invalid(st, "Trying to assign variable with wrong dtype. Expected %s got %s",
                   dtype_name(v->dtype), dtype_name(dtype));
    variable_unref(v);
    return NULL;
}
