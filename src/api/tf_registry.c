/* SPDX-License-Identifier: Apache-2.0 */
/* What ops and kernels there are, as serialized protos: those of the build and those registered at
 * run time. Asked for once or twice in a program's life; made anew each time. */
#include <string.h>

#include "api/api_impl.h"
#include "api/registry_proto.h"
#include "base/mem.h"
#include "graph/graphdef.h"
#include "op/kernel_registry.h"
#include "proto/leat_proto.h"

TF_Buffer *api_buffer_of(const void *msg, struct status *st)
{
    struct strbuf b = {0};
    if (!pb_encode(msg, &b, st)) {
        strbuf_release(&b);
        return NULL;
    }
    TF_Buffer *out = TF_NewBufferFromString(strbuf_text(&b), b.n);
    if (!out)
        status_exhausted(st, "OOM when allocating a buffer of %zu bytes", b.n);
    strbuf_release(&b);
    return out;
}

/* --- ops --- */

struct op_list {
    struct arena *a;
    struct pb_op_list *list;
};

void api_list_op(struct arena *a, const struct op *op, struct pb_op_list *list)
{
    struct pb_op_def *p = op_to_proto(a, op);
    p->summary = p->description = str_of("");
    *pb_op_def_add(a, &list->op) = *p;
}

static bool add_op(const struct op *op, void *arg)
{
    const struct op_list *l = arg;
    api_list_op(l->a, op, l->list);
    return true;
}

TF_Buffer *TF_GetAllOpList(void)
{
    struct arena a = {0};
    struct status st = {0};
    struct op_list l = {&a, pb_op_list_new(&a)};
    op_each(add_op, &l);
    TF_Buffer *out = api_buffer_of(l.list, &st);
    status_clear(&st);
    arena_release(&a);
    return out;
}

/* --- kernels --- */

struct kernel_list {
    struct arena *a;
    struct pb_kernel_list *list;
    const char *op; /* NULL: of all ops */
};

static void add_constraints(struct arena *a, const struct kernel_def *def, struct pb_kernel_def *p)
{
    struct status st = {0};
    struct constraints *c = constraints_parse(def, &st);
    for (int i = 0; c && i < c->n; i++) {
        struct pb_kernel_def_attr_constraint *to =
            pb_kernel_def_attr_constraint_add(a, &p->constraint);
        to->name = pb_str_dup(a, str_of(c->items[i].attr));
        to->allowed_values = pb_attr_value_new(a);
        to->allowed_values->which_value = 1;
        to->allowed_values->list = pb_attr_value_list_value_new(a);
        for (int j = 0; j < c->items[i].n; j++)
            pb_add_i32(a, &to->allowed_values->list->type, c->items[i].list[j]);
    }
    constraints_free(c);
    status_clear(&st);
}

static bool add_kernel(const struct kernel_def *def, void *arg)
{
    const struct kernel_list *l = arg;
    if (l->op && strcmp(l->op, def->op) != 0)
        return true;
    struct pb_kernel_def *p = pb_kernel_def_add(l->a, &l->list->kernel);
    p->op = str_of(def->op);
    p->device_type = str_of(def->device);
    p->label = str_of(def->label);
    p->priority = def->priority;
    struct str rest = str_of(def->host_memory), name;
    while (rest.n && str_split(&rest, ',', &name))
        pb_add_str(l->a, &p->host_memory_arg, str_trim(name));
    add_constraints(l->a, def, p);
    return true;
}

static TF_Buffer *list_kernels(const char *op, TF_Status *status)
{
    struct arena a = {0};
    struct status st = {0};
    struct kernel_list l = {&a, pb_kernel_list_new(&a), op};
    kernel_each(add_kernel, &l);
    TF_Buffer *out = api_buffer_of(l.list, &st);
    arena_release(&a);
    api_return(status, &st);
    return out;
}

TF_Buffer *TF_GetAllRegisteredKernels(TF_Status *status)
{
    return list_kernels(NULL, status);
}

TF_Buffer *TF_GetRegisteredKernelsForOp(const char *name, TF_Status *status)
{
    return list_kernels(name ? name : "", status);
}
