/* SPDX-License-Identifier: Apache-2.0 */
/* If, StatelessIf and Case: one of several functions is called. */
#include "base/mem.h"
#include "ops/function/functions.h"

/* --- If --- */

struct if_state { /* borrowed from the kernel's attrs */
    const struct attr_func *then_branch, *else_branch;
};

static bool if_init(struct kernel *k, void *state, struct status *st)
{
    struct if_state *s = state;

    return attrs_get_func(k->attrs, "then_branch", &s->then_branch, st) &&
           attrs_get_func(k->attrs, "else_branch", &s->else_branch, st);
}

static void if_start(struct kctx *c)
{
    const struct if_state *s = kernel_state(c);
    struct status st = {0};
    bool cond;

    if (!kernel_truth(kernel_in(c, 0), &cond, &st)) {
        kernel_done(c, &st);
        status_clear(&st);
        return;
    }
    kernel_call(c, cond ? s->then_branch : s->else_branch, 1, kernel_num_inputs(c) - 1);
}

/* --- gradients: the op again, on the gradients of its functions --- */

static bool set_gradients(struct grad_ctx *g, const struct grad_branches *b, struct attrs *attrs,
                          struct status *st)
{
    const int all = b->num_inputs + 1;
    const char *op = grad_op_name(g);

    if (b->num_x > 0) {
        struct output *in = mem_new_array(struct output, all);

        in[0] = grad_in(g, 0);
        for (int i = 1; i < all; i++)
            in[i] = b->inputs[i - 1];
        attrs_set(attrs, "Tout", attr_list(ATTR_TYPE, b->types, b->num_x));
        struct node *n = grad_node(g, &(struct grad_build){.op = op,
                                                           .inputs = in,
                                                           .num_inputs = all,
                                                           .list_sizes = (int[]){1, all - 1},
                                                           .attrs = attrs});

        mem_free(in);
        for (int i = 0; n && i < b->num_x; i++)
            grad_set(g, b->x[i], grad_node_out(g, n, i));
    }
    return grad_done(g, st);
}

static bool if_grad(struct grad_ctx *g, struct status *st)
{
    static const char *const names[2] = {"then_branch", "else_branch"};
    const struct attr_func *f[2];
    struct grad_branches b;
    struct attrs attrs = {0};

    for (int i = 0; i < 2; i++)
        if (!attrs_get_func(grad_attrs(g), names[i], &f[i], st))
            return false;
    if (!grad_make_branches(g, f, 2, 1, &b, st))
        return false;
    for (int i = 0; i < 2; i++)
        attrs_set(&attrs, names[i], attr_func(b.names[i], NULL));
    bool ok = set_gradients(g, &b, &attrs, st);

    attrs_clear(&attrs);
    return ok;
}

static bool case_grad(struct grad_ctx *g, struct status *st)
{
    const struct attr_value *f;
    struct grad_branches b;
    struct attrs attrs = {0};

    if (!attrs_get_list(grad_attrs(g), "branches", ATTR_FUNC, &f, st) ||
        !grad_make_branches(g, (const struct attr_func *const *)f->funcs, (int)f->n, 1, &b, st))
        return false;
    struct attr_func *made = mem_new_array(struct attr_func, f->n);
    struct attr_func **list = mem_new_array(struct attr_func *, f->n);

    for (int64_t i = 0; i < f->n; i++) {
        made[i].name = (char *)(uintptr_t)b.names[i];
        list[i] = &made[i];
    }
    attrs_set(&attrs, "branches", attr_list(ATTR_FUNC, list, f->n));
    bool ok = set_gradients(g, &b, &attrs, st);

    attrs_clear(&attrs);
    mem_free(made);
    mem_free(list);
    return ok;
}

/* clang-format off */
#define IF_ATTRS                                                                                   \
    {"Tcond: type", "Tin: list(type) >= 0", "Tout: list(type) >= 0", "then_branch: func",          \
     "else_branch: func", "output_shapes: list(shape) = []"}
/* clang-format on */

OP_DEF(if) = {
    .name = "If",
    .summary = "Calls then_branch where cond is true, else_branch where it is not.",
    .inputs = {"cond: Tcond", "input: Tin"},
    .outputs = {"output: Tout"},
    .attrs = IF_ATTRS,
    .flags = OP_STATEFUL,
    .shape = infer_declared_shapes,
    .grad = if_grad,
};
KERNEL_DEF(if_cpu) = {.op = "If",
                      .device = "CPU",
                      .flags = KERNEL_ASYNC,
                      .state_bytes = sizeof(struct if_state),
                      .init = if_init,
                      .run_async = if_start};

OP_DEF(stateless_if) = {
    .name = "StatelessIf",
    .summary = "Calls then_branch where cond is true, else_branch where it is not; neither has "
               "effects.",
    .inputs = {"cond: Tcond", "input: Tin"},
    .outputs = {"output: Tout"},
    .attrs = IF_ATTRS,
    .shape = infer_declared_shapes,
    .grad = if_grad,
};
KERNEL_DEF(stateless_if_cpu) = {.op = "StatelessIf",
                                .device = "CPU",
                                .flags = KERNEL_ASYNC,
                                .state_bytes = sizeof(struct if_state),
                                .init = if_init,
                                .run_async = if_start};

/* --- Case --- */

struct case_state {
    const struct attr_value *branches; /* borrowed from the kernel's attrs */
};

static bool case_init(struct kernel *k, void *state, struct status *st)
{
    return attrs_get_list(k->attrs, "branches", ATTR_FUNC, &((struct case_state *)state)->branches,
                          st);
}

/* An index that names no branch means the last one. */
static void case_start(struct kctx *c)
{
    const struct case_state *s = kernel_state(c);
    struct status st = {0};

    if (!kernel_want_scalar(c, 0, &st)) {
        kernel_done(c, &st);
        status_clear(&st);
        return;
    }
    int64_t i = tensor_i32(kernel_in(c, 0))[0];

    if (i < 0 || i >= s->branches->n)
        i = s->branches->n - 1;
    kernel_call(c, s->branches->funcs[i], 1, kernel_num_inputs(c) - 1);
}

OP_DEF(case) = {
    .name = "Case",
    .summary = "Calls the branch of that index; the last one where there is none.",
    .inputs = {"branch_index: int32", "input: Tin"},
    .outputs = {"output: Tout"},
    .attrs = {"Tin: list(type) >= 0", "Tout: list(type) >= 0", "branches: list(func) >= 1",
              "output_shapes: list(shape) = []"},
    .flags = OP_STATEFUL,
    .shape = infer_declared_shapes,
    .grad = case_grad,
};
KERNEL_DEF(case_cpu) = {.op = "Case",
                        .device = "CPU",
                        .flags = KERNEL_ASYNC,
                        .state_bytes = sizeof(struct case_state),
                        .init = case_init,
                        .run_async = case_start};

/* --- FakeParam --- */

/* A value for results that only the other branch has. Unknown dims are empty. */
static bool fake_run(struct kctx *c, struct status *st)
{
    const struct shape *s;
    int64_t dims[SHAPE_MAX_RANK];

    if (!attrs_get_shape(kernel_attrs(c), "shape", &s, st))
        return false;
    const int rank = s->rank < 0 ? 1 : s->rank; /* of unknown rank: an empty vector */

    for (int i = 0; i < rank; i++)
        dims[i] = s->rank > 0 ? max_i64(shape_dim(s, i), 0) : 0;
    struct shape known = shape_make(dims, rank);
    struct tensor *out = kernel_out(c, 0, &known, st);

    shape_clear(&known);
    if (out && !dtype_is_managed(out->dtype))
        memset(out->data, 0, tensor_bytes(out));
    return out != NULL;
}

static bool fake_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;

    if (!attrs_get_shape(infer_attrs(c), "shape", &s, st))
        return false;
    infer_set(c, 0, s);
    return true;
}

OP_DEF(fake_param) = {
    .name = "FakeParam",
    .summary = "A value of that type and shape that nobody looks at.",
    .outputs = {"output: dtype"},
    .attrs = {"dtype: type", "shape: shape"},
    .shape = fake_shape,
    .no_grad = "a source has no inputs",
};
KERNEL_DEF(fake_param_cpu) = {.op = "FakeParam", .device = "CPU", .run = fake_run};
