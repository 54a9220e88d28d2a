/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of convolutions of any kind; see conv_grad.h. */
#include "ops/nn/conv_grad.h"

struct output conv_grad_op(struct grad_ctx *g, const char *op, int n, const struct output *in)
{
    static const char *const names[] = {
        "ksize",       "strides",   "use_cudnn_on_gpu",      "padding", "explicit_paddings",
        "data_format", "dilations", "include_batch_in_index"};
    struct attr items[ARRAY_LEN(names)];
    int num = 0;
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const struct attr_value *v = attrs_find(grad_attrs(g), names[i]);
        if (v)
            items[num++] = (struct attr){(char *)names[i], attr_value_dup(v)};
    }
    return grad_opv(g, op, n, in, num, items);
}

static struct output by_input(struct grad_ctx *g, const struct conv_family *f, struct output size,
                              struct output filter, struct output dy)
{
    const struct output in[3] = {size, filter, dy};
    return conv_grad_op(g, f->by_input, 3, in);
}

static struct output by_filter(struct grad_ctx *g, const struct conv_family *f, struct output x,
                               struct output size, struct output dy)
{
    const struct output in[3] = {x, size, dy};
    return conv_grad_op(g, f->by_filter, 3, in);
}

static struct output forward(struct grad_ctx *g, const struct conv_family *f, struct output x,
                             struct output filter)
{
    return conv_grad_op(g, f->forward, 2, (const struct output[]){x, filter});
}

bool conv_forward_grad(struct grad_ctx *g, const struct conv_family *f, struct status *st)
{
    const struct output x = grad_in(g, 0), filter = grad_in(g, 1), dy = grad_dy(g, 0);
    struct output size[2];
    if (grad_as_python(g) && f->shapes_at_once) {
        const struct grad_build b = {.op = "ShapeN",
                                     .inputs = (struct output[]){x, filter},
                                     .num_inputs = 2,
                                     .list_sizes = (int[]){2}};
        struct node *n = grad_node(g, &b);
        size[0] = grad_node_out(g, n, 0);
        size[1] = grad_node_out(g, n, 1);
    } else {
        size[0] = grad_shape(g, x);
        size[1] = grad_shape(g, filter);
    }
    grad_set(g, 0, by_input(g, f, size[0], filter, dy));
    grad_set(g, 1, by_filter(g, f, x, size[1], dy));
    return grad_done(g, st);
}

bool conv_by_input_grad(struct grad_ctx *g, const struct conv_family *f, struct status *st)
{
    const struct output filter = grad_in(g, 1), dy = grad_in(g, 2), ddx = grad_dy(g, 0);
    grad_set(g, 1, by_filter(g, f, ddx, grad_shape(g, filter), dy));
    grad_set(g, 2, forward(g, f, ddx, filter));
    return grad_done(g, st);
}

bool conv_by_filter_grad(struct grad_ctx *g, const struct conv_family *f, struct status *st)
{
    const struct output x = grad_in(g, 0), dy = grad_in(g, 2), ddf = grad_dy(g, 0);
    grad_set(g, 0, by_input(g, f, grad_shape(g, x), ddf, dy));
    grad_set(g, 2, forward(g, f, x, ddf));
    return grad_done(g, st);
}
