/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of functions of the graph's library: PartitionedCall and StatefulPartitionedCall,
 * RemoteCall on a device of this session, and SymbolicGradient, which calls a function's gradient.
 */
#include "base/mem.h"
#include "ops/function/functions.h"

bool function_state_init(struct kernel *k, void *state, struct status *st)
{
    return attrs_get_func(k->attrs, "f", &((struct function_state *)state)->f, st);
}

bool infer_declared_shapes(struct infer_ctx *c, struct status *st)
{
    const struct attr_value *v = attrs_list(infer_attrs(c), "output_shapes");

    if (v->n == 0)
        return true;
    if (v->n != infer_num_outputs(c))
        return status_invalid(
            st, "`output_shapes` must be the same length as num outputs (%lld vs. %d)",
            (long long)v->n, infer_num_outputs(c));
    for (int i = 0; i < infer_num_outputs(c); i++)
        infer_set(c, i, &v->shapes[i]);
    return true;
}

/* --- PartitionedCall --- */

static void partitioned_start(struct kctx *c)
{
    const struct function_state *s = kernel_state(c);

    kernel_call(c, s->f, 0, kernel_num_inputs(c));
}

static bool partitioned_grad(struct grad_ctx *g, struct status *st)
{
    const struct attr_func *f;

    return attrs_get_func(grad_attrs(g), "f", &f, st) && grad_set_call(g, f, st);
}

OP_DEF(partitioned_call) = {
    .name = "PartitionedCall",
    .summary = "Calls a function that has no effects, whose nodes may lie on several devices.",
    .inputs = {"args: Tin"},
    .outputs = {"output: Tout"},
    .attrs = {"Tin: list(type) >= 0", "Tout: list(type) >= 0", "f: func", "config: string = ''",
              "config_proto: string = ''", "executor_type: string = ''"},
    .shape = infer_unknown_outputs,
    .grad = partitioned_grad,
};
KERNEL_DEF(partitioned_call_cpu) = {.op = "PartitionedCall",
                                    .device = "CPU",
                                    .flags = KERNEL_ASYNC,
                                    .state_bytes = sizeof(struct function_state),
                                    .init = function_state_init,
                                    .run_async = partitioned_start};

OP_DEF(stateful_partitioned_call) = {
    .name = "StatefulPartitionedCall",
    .summary = "Calls a function that may have effects, whose nodes may lie on several devices.",
    .inputs = {"args: Tin"},
    .outputs = {"output: Tout"},
    .attrs = {"Tin: list(type) >= 0", "Tout: list(type) >= 0", "f: func", "config: string = ''",
              "config_proto: string = ''", "executor_type: string = ''"},
    .flags = OP_STATEFUL,
    .shape = infer_unknown_outputs,
    .grad = partitioned_grad,
};
KERNEL_DEF(stateful_partitioned_call_cpu) = {.op = "StatefulPartitionedCall",
                                             .device = "CPU",
                                             .flags = KERNEL_ASYNC,
                                             .state_bytes = sizeof(struct function_state),
                                             .init = function_state_init,
                                             .run_async = partitioned_start};

/* --- RemoteCall --- */

struct remote { /* what runs while a function is called on a device named by a value */
    struct kctx *c;
    struct attr_func f;
    struct tensor inputs[];
};

static void remote_over(void *arg, struct status *st, struct tensor *results, int n)
{
    struct remote *r = arg;
    struct kctx *c = r->c;
    struct status out = {0};

    status_move(&out, st);
    if (status_ok(&out) && !kernel_take_results(c, results, n, &out))
        ASSERT(!status_ok(&out));
    for (int i = 1; i < kernel_num_inputs(c); i++)
        tensor_clear(&r->inputs[i - 1]);
    attrs_clear(&r->f.attrs);
    mem_free(r->f.name);
    mem_free(r);
    kernel_done(c, &out);
    status_clear(&out);
}

/* The device goes along as the attr _target of what is called. */
static void remote_start(struct kctx *c)
{
    const struct function_state *s = kernel_state(c);
    struct status st = {0};
    int n = kernel_num_inputs(c);

    if (!kernel_want_scalar(c, 0, &st)) {
        kernel_done(c, &st);
        status_clear(&st);
        return;
    }
    struct remote *r = mem_zalloc(sizeof *r + sizeof(struct tensor) * (size_t)n);

    r->c = c;
    r->f = (struct attr_func){.name = mem_strdup(s->f->name), .attrs = attrs_dup(&s->f->attrs)};
    attrs_set(&r->f.attrs, "_target", attr_string(tstr_view(&tensor_str(kernel_in(c, 0))[0])));
    for (int i = 1; i < n; i++)
        r->inputs[i - 1] = tensor_copy(kernel_in(c, i));
    c->env->run_function(c->env, c, &r->f, r->inputs, n - 1, remote_over, r);
}

OP_DEF(remote_call) = {
    .name = "RemoteCall",
    .summary = "Calls a function on the device that target names.",
    .inputs = {"target: string", "args: Tin"},
    .outputs = {"output: Tout"},
    .attrs = {"Tin: list(type) >= 1", "Tout: list(type) >= 1", "f: func"},
    .flags = OP_STATEFUL,
    .shape = infer_unknown_outputs,
    .no_grad = "undefined: TensorFlow registers none for it",
};
KERNEL_DEF(remote_call_cpu) = {.op = "RemoteCall",
                               .device = "CPU",
                               .flags = KERNEL_ASYNC,
                               .state_bytes = sizeof(struct function_state),
                               .init = function_state_init,
                               .run_async = remote_start};

/* --- SymbolicGradient --- */

struct gradient_state {
    struct attr_func f; /* "SymbolicGradient" with the attrs of the node, borrowed */
};

static bool gradient_init(struct kernel *k, void *state, struct status *st)
{
    const struct attr_func *f;

    ((struct gradient_state *)state)->f =
        (struct attr_func){.name = (char *)(uintptr_t)k->op->name, .attrs = *k->attrs};
    return attrs_get_func(k->attrs, "f", &f, st);
}

static void gradient_start(struct kctx *c)
{
    const struct gradient_state *s = kernel_state(c);

    kernel_call(c, &s->f, 0, kernel_num_inputs(c));
}

/* Gradients look like the inputs; that of a resource, like what lies behind it. */
static bool gradient_shape(struct infer_ctx *c, struct status *st)
{
    if (infer_num_inputs(c) < infer_num_outputs(c))
        return status_invalid(st, "len(inputs) < len(outputs)");
    for (int i = 0; i < infer_num_outputs(c); i++) {
        struct infer_handle h = infer_handle_in(c, i);

        if (infer_input_type(c, i) != DT_RESOURCE)
            infer_set(c, i, infer_input(c, i));
        else if (h.n > 0)
            infer_set(c, i, h.shapes[0]);
    }
    return true;
}

OP_DEF(symbolic_gradient) = {
    .name = "SymbolicGradient",
    .summary = "From a function's arguments and the gradients of its results, the gradients of its "
               "arguments.",
    .inputs = {"input: Tin"},
    .outputs = {"output: Tout"},
    .attrs = {"Tin: list(type) >= 1", "Tout: list(type) >= 1", "f: func"},
    .shape = gradient_shape,
    .no_grad = "undefined: TensorFlow registers none for it",
};
KERNEL_DEF(symbolic_gradient_cpu) = {.op = "SymbolicGradient",
                                     .device = "CPU",
                                     .flags = KERNEL_ASYNC,
                                     .state_bytes = sizeof(struct gradient_state),
                                     .init = gradient_init,
                                     .run_async = gradient_start};
