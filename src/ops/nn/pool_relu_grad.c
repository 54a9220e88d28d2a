/* SPDX-License-Identifier: Apache-2.0 */
/* _MaxPoolReluGrad: the gradients of a pooling and of the Relu before it in one pass over the
 * image, made by the optimiser out of MaxPoolGrad and ReluGrad. The bits are those of the two
 * nodes; whatever does not fit goes through their own kernels, one after the other. */
#include "op/part.h"

#include "ops/nn/window.h"

struct pool_relu_grad {
    struct kernel *pool, *relu; /* owned */
    struct window window;
    bool sound; /* the window */
};

static void fused_release(void *state)
{
    struct pool_relu_grad *f = state;
    kernel_free(f->pool);
    kernel_free(f->relu);
}

static bool fused_init(struct kernel *k, void *state, struct status *st)
{
    static const char *const pools[] = {"MaxPoolGrad"}, *const relus[] = {"ReluGrad"};
    struct pool_relu_grad *f = state;
    if (!part_check_count(k, 2, st))
        return false;
    f->pool = part_new(k, 0, pools, 1, st);
    f->relu = f->pool ? part_new(k, 1, relus, 1, st) : NULL;
    if (!f->relu)
        return false;
    struct status unsound = {0};
    f->sound = window_read(f->pool->attrs, f->pool->op->name, &f->window, &unsound) &&
               window_check(&f->window, &unsound) && f->window.depth == 1;
    status_clear(&unsound); /* the pooling's own kernel says so when it runs */
    return true;
}

static bool run_apart(struct kctx *c, struct status *st)
{
    const struct pool_relu_grad *f = kernel_state(c);
    struct tensor moved = {0}, out = {0};
    struct tensor *in[3] = {c->in[0], c->in[1], c->in[2]}, *masked[2] = {&moved, c->in[0]};
    const bool ok = part_run(c, f->pool, in, &moved, st) && part_run(c, f->relu, masked, &out, st);
    if (ok)
        kernel_out_take(c, 0, &out);
    tensor_clear(&moved);
    tensor_clear(&out);
    return ok;
}

/* Float images, channels last, and gradients of the right shape, none of them empty. */
static bool fits(struct kctx *c, const struct pool_relu_grad *f, struct math_pooling *p)
{
    const struct tensor *x = kernel_in(c, 0), *y = kernel_in(c, 1), *dy = kernel_in(c, 2);
    if (!f->sound || tensor_rank(x) != 4 || x->dtype != DT_FLOAT || x->num_elems == 0 ||
        y->num_elems == 0)
        return false;
    struct status st = {0};
    const bool ok = window_sizes(&f->window, x->dtype, shape_dims(&x->shape), p, &st);
    status_clear(&st);
    const struct shape s = ok ? window_out_shape(p) : (struct shape){0};
    return ok && !p->nchw && shape_equal(&y->shape, &s) && shape_equal(&dy->shape, &s);
}

static bool fused_run(struct kctx *c, struct status *st)
{
    const struct pool_relu_grad *f = kernel_state(c);
    struct math_pooling p;
    if (!fits(c, f, &p))
        return run_apart(c, st);
    const struct tensor *x = kernel_in(c, 0);
    struct tensor *dx = kernel_out(c, 0, &x->shape, st);
    if (!dx)
        return false;
    math_maxpool_relu_grad(kernel_pool(c), &p, x->data, kernel_in(c, 2)->data, dx->data);
    return true;
}

OP_DEF(max_pool_relu_grad) = {
    .name = "_MaxPoolReluGrad",
    .summary = "The gradient of a pooling of what a Relu gave; made by the optimiser.",
    .description = "nodes: the MaxPoolGrad and the ReluGrad; names and made say what they are "
                   "called and where they were made.",
    .inputs = {"orig_input: T", "orig_output: T", "grad: T"},
    .outputs = {"output: T"},
    .attrs = {"T: {float}", "nodes: list(func)", "names: list(string)", "made: list(string)"},
    .shape = infer_unknown_outputs,
    .no_grad = "made by the optimiser, after gradients",
};
KERNEL_DEF(max_pool_relu_grad_cpu) = {.op = "_MaxPoolReluGrad",
                                      .device = "CPU",
                                      .state_bytes = sizeof(struct pool_relu_grad),
                                      .init = fused_init,
                                      .release = fused_release,
                                      .run = fused_run};
