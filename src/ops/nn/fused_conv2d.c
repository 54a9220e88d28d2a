/* SPDX-License-Identifier: Apache-2.0 */
/* _FusedConv2D: a convolution, a vector added along its channels and an activation, in one kernel,
 * made by the optimiser. The vector and the activation are applied where outputs are formed
 * (math/conv.h), with the bits that the three nodes give. Operands that do not fit, or are empty,
 * go through the nodes' own kernels, one after the other: so errors are as they were. */
#include "op/fused_sum.h"
#include "ops/nn/conv2d.h"

struct fused_conv2d {
    struct fused_sum sum;
    struct conv2d_state conv;
    bool has_conv;
};

static bool fused_init(struct kernel *k, void *state, struct status *st)
{
    struct fused_conv2d *f = state;
    f->has_conv = fused_sum_init(&f->sum, k, "Conv2D", st);
    return f->has_conv && conv2d_state_init(&f->conv, f->sum.parts[0]->attrs, st);
}

static void fused_release(void *state)
{
    struct fused_conv2d *f = state;
    if (f->has_conv)
        conv2d_release(&f->conv);
    fused_sum_release(&f->sum);
}

/* Whether one pass does it: sound operands, none of them empty, and a vector as long as the
 * channels. */
static bool fits(struct kctx *c, const struct fused_conv2d *f, struct math_conv_shape *m)
{
    const struct tensor *x = kernel_in(c, 0), *filter = kernel_in(c, 1), *bias = kernel_in(c, 2);
    if (tensor_rank(x) != 4 || tensor_rank(filter) != 4 || tensor_rank(bias) != 1)
        return false;
    struct status st = {0};
    int64_t dims[4];
    conv2d_from_layout(f->conv.attrs.nchw, shape_dims(&x->shape), dims);
    const bool ok =
        conv2d_sizes(&f->conv.attrs, x->dtype, dims, shape_dims(&filter->shape), m, &st);
    status_clear(&st);
    return ok && bias->num_elems == m->out_c && x->num_elems > 0 && filter->num_elems > 0 &&
           m->out_h > 0 && m->out_w > 0;
}

static bool fused_run(struct kctx *c, struct status *st)
{
    struct fused_conv2d *f = kernel_state(c);
    struct math_conv_shape m;
    if (!fits(c, f, &m))
        return fused_sum_run_apart(c, &f->sum, st);
    return conv2d_forward(c, &f->conv, &m,
                          (struct math_conv_args){.x = kernel_in(c, 0)->data,
                                                  .filter = kernel_in(c, 1)->data,
                                                  .bias = kernel_in(c, 2)->data,
                                                  .act = (enum math_act)f->sum.act},
                          st);
}

OP_DEF(fused_conv2d) = {
    .name = "_FusedConv2D",
    .summary = "A convolution, plus a vector, through an activation; made by the optimiser.",
    .description =
        "nodes: the Conv2D, the sum, and perhaps the activation; names and made say what each is "
        "called and where it was made, for messages.",
    .inputs = {"input: T", "filter: T", "bias: T"},
    .outputs = {"output: T"},
    .attrs = {"T: {float, double}", "nodes: list(func)", "names: list(string)",
              "made: list(string)", "bias_first: bool = false"},
    .shape = infer_unknown_outputs,
    .no_grad = "made by the optimiser, after gradients",
};
KERNEL_DEF(fused_conv2d_cpu) = {.op = "_FusedConv2D",
                                .device = "CPU",
                                .state_bytes = sizeof(struct fused_conv2d),
                                .init = fused_init,
                                .release = fused_release,
                                .run = fused_run,
                                .flags = KERNEL_EXPENSIVE};
