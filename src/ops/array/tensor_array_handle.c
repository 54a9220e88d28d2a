/* SPDX-License-Identifier: Apache-2.0 */
/* Handles of tensor arrays, and their gradients' arrays, in the ops' three forms: two strings
 * behind a reference, two strings, a resource. The strings are a fixed container and the array's
 * name; the array itself is in the step's resources under its name, whatever the form. */
#include <string.h>

#include "base/mem.h"
#include "op/resource_pair.h"
#include "ops/array/tensor_array_use.h"

#define CONTAINER "_tensor_arrays"

/* --- values --- */

bool tensor_array_put_handle(struct kctx *c, const char *name, struct status *st)
{
    struct tensor handle;
    int type = c->kernel->output_types[0];
    if (dtype_base(type) == DT_STRING) {
        if (!resource_pair(c, CONTAINER, name, &handle, st))
            return false;
    } else if (!resource_make_handle(c, resource_map_default(c->env->step_resources), name,
                                     &tensor_array_type, &handle, st)) {
        return false;
    }
    if (!dtype_is_ref(type)) {
        kernel_out_take(c, 0, &handle);
        return true;
    }
    struct variable *v = variable_new(c->kernel->node_name, DT_STRING);
    variable_assign(v, &handle);
    kernel_out_ref(c, 0, v);
    variable_unref(v);
    return true;
}

static struct tensor_array *array_of_pair(struct kctx *c, const struct tensor *t, struct status *st)
{
    if (t->dtype != DT_STRING || t->num_elems != 2) {
        struct strbuf text = {0};
        shape_print(&t->shape, &text);
        status_invalid(st, "Tensor array handle must be 2-element vector, but had shape: %s",
                       strbuf_text(&text));
        strbuf_release(&text);
        return NULL;
    }
    struct str container = tstr_view(&tensor_str(t)[0]), name = tstr_view(&tensor_str(t)[1]);
    if (!str_is(container, CONTAINER)) {
        status_fail(st, STATUS_NOT_FOUND, "Resource %.*s%.*s/%s does not exist.", (int)container.n,
                    container.p, (int)name.n, name.p, tensor_array_type.name);
        return NULL;
    }
    char *own = mem_strndup(name.p, name.n);
    struct resource *r = resource_get(c->env->step_resources, "", &tensor_array_type, own, st);
    mem_free(own);
    return (struct tensor_array *)r;
}

struct tensor_array *tensor_array_of(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    if (in->dtype == DT_STRING)
        return array_of_pair(c, in, st);
    if (!dtype_is_ref(in->dtype))
        return (struct tensor_array *)resource_from_input(c, 0, &tensor_array_type, st);
    struct tensor t = {0};
    struct tensor_array *a =
        variable_read(kernel_ref(c, 0), &t, st) ? array_of_pair(c, &t, st) : NULL;
    tensor_clear(&t);
    return a;
}

/* --- gradients --- */

/* "", "V2" or "V3". */
static const char *version_of(struct grad_ctx *g)
{
    const char *name = grad_op_name(g);
    size_t n = strlen(name);
    return n > 2 && name[n - 2] == 'V' ? name + n - 2 : "";
}

struct tensor_array_side tensor_array_side(struct grad_ctx *g, struct output flow)
{
    const char *scope = grad_scope(g), *version = version_of(g);
    struct output in[] = {grad_in(g, 0), flow};
    char op[32];
    snprintf(op, sizeof(op), "TensorArrayGrad%s", version);
    struct node *n = grad_nodev(g, op, 2, in, 1,
                                (struct attr[]){{(char *)"source", attr_string(str_of(scope))}});
    struct tensor_array_side side = {.handle = grad_node_out(g, n, 0)};
    if (strcmp(version, "V3") == 0) {
        side.flow = grad_node_out(g, n, 1);
        return side;
    }
    /* the handle's node gives no flow: what writes waits for it through this one */
    struct grad_build behind = {.op = "Identity",
                                .inputs = &flow,
                                .num_inputs = 1,
                                .control = &side.handle,
                                .num_control = 1};
    side.flow = grad_node_out(g, n ? grad_node(g, &behind) : NULL, 0);
    return side;
}

struct output tensor_array_opv(struct grad_ctx *g, const char *what, int num_inputs,
                               const struct output *inputs, int num_attrs, struct attr *attrs)
{
    char op[48];
    snprintf(op, sizeof(op), "TensorArray%s%s", what, version_of(g));
    return grad_opv(g, op, num_inputs, inputs, num_attrs, attrs);
}
