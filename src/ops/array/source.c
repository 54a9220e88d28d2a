/* SPDX-License-Identifier: Apache-2.0 */
/* Const and the placeholders: where values enter a graph.
 *
 * A constant's tensor is shared, never copied. Executors serve Const themselves; the kernel is for
 * graphs that are run in other ways. */
#include "op/infer.h"
#include "op/kernel.h"

static bool const_shape(struct infer_ctx *c, struct status *st)
{
    const struct tensor *t;
    if (!attrs_get_tensor(infer_attrs(c), "value", &t, st))
        return false;
    infer_set(c, 0, infer_copy(c, &t->shape));
    return true;
}

struct const_state {
    const struct tensor *value; /* the kernel's attr */
};

static bool const_init(struct kernel *k, void *state, struct status *st)
{
    const struct tensor *t;
    if (!attrs_get_tensor(k->attrs, "value", &t, st))
        return false;
    if (t->dtype != k->output_types[0])
        return status_invalid(st, "Type mismatch between value (%s) and dtype (%s)",
                              dtype_name(t->dtype), dtype_name(k->output_types[0]));
    ((struct const_state *)state)->value = t;
    return true;
}

static bool const_run(struct kctx *c, struct status *st UNUSED)
{
    kernel_out_share(c, 0, ((const struct const_state *)kernel_state(c))->value);
    return true;
}

OP_DEF(const) = {
    .name = "Const",
    .summary = "A tensor that is part of the graph.",
    .outputs = {"output: dtype"},
    .attrs = {"value: tensor", "dtype: type"},
    .shape = const_shape,
    .no_grad = "a source has no inputs",
};
KERNEL_DEF(const_cpu) = {.op = "Const",
                         .device = "CPU",
                         .state_bytes = sizeof(struct const_state),
                         .init = const_init,
                         .run = const_run};

OP_DEF(host_const) = {
    .name = "HostConst",
    .summary = "A tensor that is part of the graph, in the host's memory.",
    .outputs = {"output: dtype"},
    .attrs = {"value: tensor", "dtype: type"},
    .shape = infer_unknown_outputs,
    .no_grad = "a source has no inputs",
};
KERNEL_DEF(host_const_cpu) = {.op = "HostConst",
                              .device = "CPU",
                              .state_bytes = sizeof(struct const_state),
                              .init = const_init,
                              .run = const_run};

/* --- placeholders --- */

static bool placeholder_shape(struct infer_ctx *c, struct status *st)
{
    enum { LAST_LEGACY_PRODUCER = 21 };
    const struct shape *s;
    if (!attrs_get_shape(infer_attrs(c), "shape", &s, st))
        return false;
    /* In old graphs a scalar shape meant "not given". */
    bool legacy = infer_producer_version(c) <= LAST_LEGACY_PRODUCER && s->rank <= 0;
    infer_set(c, 0, legacy ? infer_unknown(c) : infer_copy(c, s));
    return true;
}

static bool placeholder_v2_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    if (!attrs_get_shape(infer_attrs(c), "shape", &s, st))
        return false;
    infer_set(c, 0, infer_copy(c, s));
    return true;
}

/* Runs only where a step needs a value that it was not fed. */
static bool placeholder_run(struct kctx *c, struct status *st)
{
    const struct shape *s;
    const char *dtype = dtype_name(kernel_output_type(c, 0)), *name = c->kernel->node_name;
    if (!attrs_get_shape(kernel_attrs(c), "shape", &s, st))
        return false;
    if (s->rank <= 0)
        return status_invalid(st, "You must feed a value for placeholder tensor '%s' with dtype %s",
                              name, dtype);
    struct strbuf text = {0};
    shape_print(s, &text);
    status_invalid(st,
                   "You must feed a value for placeholder tensor '%s' with dtype %s and shape %s",
                   name, dtype, strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

OP_DEF(placeholder) = {
    .name = "Placeholder",
    .summary = "A value that each run must feed.",
    .outputs = {"output: dtype"},
    .attrs = {"dtype: type", "shape: shape = <unknown>"},
    .shape = placeholder_shape,
    .no_grad = "a source has no inputs",
};
KERNEL_DEF(placeholder_cpu) = {.op = "Placeholder", .device = "CPU", .run = placeholder_run};

OP_DEF(placeholder_v2) = {
    .name = "PlaceholderV2",
    .summary = "A value that each run must feed; the older form of Placeholder.",
    .outputs = {"output: dtype"},
    .attrs = {"dtype: type", "shape: shape"},
    .deprecated_at = 23,
    .deprecated_why = "Placeholder now behaves the same as PlaceholderV2.",
    .shape = placeholder_v2_shape,
    .no_grad = "a source has no inputs",
};
KERNEL_DEF(placeholder_v2_cpu) = {.op = "PlaceholderV2", .device = "CPU", .run = placeholder_run};
