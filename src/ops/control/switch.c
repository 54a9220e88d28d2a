/* SPDX-License-Identifier: Apache-2.0 */
/* Switch and Merge: the branches of a dataflow graph.
 *
 * An output that Switch leaves empty is dead; the executor passes deadness on. Merge is run with
 * its one live input named by expected_alive. The reference forms do the same with references. */
#include "op/grad.h"
#include "op/infer.h"
#include "op/kernel.h"

static bool switch_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *pred;
    if (!infer_want_rank(c, infer_input(c, 1), 0, &pred, st))
        return false;
    for (int i = 0; i < 2; i++) {
        infer_set(c, i, infer_input(c, 0));
        infer_set_handle(c, i, infer_handle_in(c, 0));
    }
    return true;
}

/* The gradient of the branch not taken is zeros that live only where that branch does. */
static struct output dead_zeros(struct grad_ctx *g, int branch)
{
    struct output zeros = grad_zeros_like(g, grad_in(g, 0));
    struct node *sw = grad_nodev(g, "Switch", 2, (struct output[]){zeros, grad_in(g, 1)}, 0, NULL);
    return grad_node_out(g, sw, branch);
}

static bool switch_grad(struct grad_ctx *g, struct status *st)
{
    struct output dy[2];
    for (int i = 0; i < 2; i++)
        dy[i] = grad_has_dy(g, i) ? grad_dy(g, i) : dead_zeros(g, i);
    struct grad_build b = {.op = "Merge", .inputs = dy, .num_inputs = 2, .list_sizes = (int[]){2}};
    grad_set(g, 0, grad_node_out(g, grad_node(g, &b), 0));
    return grad_done(g, st);
}

static bool switch_run(struct kctx *c, struct status *st)
{
    const struct tensor *pred = kernel_in(c, 1);
    if (pred->shape.rank != 0)
        return status_invalid(st, "The second input must be a scalar, but it has rank %d",
                              pred->shape.rank);
    kernel_out_share(c, tensor_bool(pred)[0] ? 1 : 0, kernel_in(c, 0));
    return true;
}

OP_DEF(switch) = {
    .name = "Switch",
    .summary = "Forwards data to the output that pred chooses; the other output is dead.",
    .inputs = {"data: T", "pred: bool"},
    .outputs = {"output_false: T", "output_true: T"},
    .attrs = {"T: type"},
    .shape = switch_shape,
    .grad = switch_grad,
};
KERNEL_DEF(switch_cpu) = {.op = "Switch", .device = "CPU", .run = switch_run};

OP_DEF(ref_switch) = {
    .name = "RefSwitch",
    .summary = "Forwards a reference to the output that pred chooses; the other output is dead.",
    .inputs = {"data: Ref(T)", "pred: bool"},
    .outputs = {"output_false: Ref(T)", "output_true: Ref(T)"},
    .attrs = {"T: type"},
    .flags = OP_UNINIT_OK,
    .shape = switch_shape,
    .grad = switch_grad,
};
KERNEL_DEF(ref_switch_cpu) = {.op = "RefSwitch", .device = "CPU", .run = switch_run};

/* --- Merge --- */

/* Dims that all inputs share; rank unknown where ranks differ or one is unknown. */
static bool merge_shape(struct infer_ctx *c, struct status *st)
{
    (void)st;
    const struct shape *out = infer_input(c, 0);
    for (int i = 1; i < infer_num_inputs(c) && out->rank >= 0; i++) {
        const struct shape *s = infer_input(c, i);
        if (s->rank != out->rank) {
            out = infer_unknown(c);
            break;
        }
        for (int k = 0; k < s->rank; k++) {
            if (shape_dim(s, k) != shape_dim(out, k))
                out = infer_with_dim(c, out, k, DIM_UNKNOWN);
        }
    }
    infer_set(c, 0, out);
    infer_set(c, 1, infer_scalar(c));
    return true;
}

/* dy goes back to the input that was taken: Switch on value_index, twice where there are two. */
static bool merge_grad(struct grad_ctx *g, struct status *st)
{
    if (!grad_has_dy(g, 0))
        return grad_done(g, st);
    struct output dy = grad_dy(g, 0), index = grad_out(g, 1);
    for (int i = 0; i < grad_num_inputs(g); i++) {
        struct output taken = grad_op2(g, "Equal", index, grad_const_i32(g, i));
        struct node *sw = grad_nodev(g, "Switch", 2, (struct output[]){dy, taken}, 0, NULL);
        grad_set(g, i, grad_node_out(g, sw, 1));
    }
    return grad_done(g, st);
}

static bool merge_run(struct kctx *c, struct status *st)
{
    int64_t taken = c->expected_alive;
    if (taken < 0)
        return status_internal(st, "Merge ran without a live input");
    struct shape scalar = shape_scalar();
    struct tensor *index = kernel_out(c, 1, &scalar, st);
    if (!index)
        return false;
    tensor_i32(index)[0] = (int32_t)taken;
    kernel_out_share(c, 0, kernel_in(c, (int)taken));
    return true;
}

OP_DEF(merge) = {
    .name = "Merge",
    .summary = "Forwards the first of its inputs that is alive, and says which it was.",
    .inputs = {"inputs: N * T"},
    .outputs = {"output: T", "value_index: int32"},
    .attrs = {"T: type", "N: int >= 1"},
    .shape = merge_shape,
    .grad = merge_grad,
};
KERNEL_DEF(merge_cpu) = {.op = "Merge", .device = "CPU", .run = merge_run};

OP_DEF(ref_merge) = {
    .name = "RefMerge",
    .summary = "Forwards the first of its reference inputs that is alive, and says which it was.",
    .inputs = {"inputs: Ref(N * T)"},
    .outputs = {"output: Ref(T)", "value_index: int32"},
    .attrs = {"T: type", "N: int >= 1"},
    .shape = merge_shape,
    .grad = merge_grad,
};
KERNEL_DEF(ref_merge_cpu) = {.op = "RefMerge", .device = "CPU", .run = merge_run};

/* --- RefSelect --- */

static bool select_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *scalar, *out = infer_input(c, 1);
    if (!infer_want_rank(c, infer_input(c, 0), 0, &scalar, st))
        return false;
    for (int i = 2; i < infer_num_inputs(c) && out->rank >= 0; i++) {
        const struct shape *s = infer_input(c, i);
        bool same = s->rank == out->rank;
        for (int k = 0; same && k < s->rank; k++)
            same = shape_dim(s, k) == shape_dim(out, k) && shape_dim(s, k) >= 0;
        if (!same)
            out = infer_unknown(c);
    }
    infer_set(c, 0, out);
    return true;
}

static bool select_run(struct kctx *c, struct status *st)
{
    const struct tensor *index = kernel_in(c, 0);
    const int n = kernel_num_inputs(c) - 1;
    if (tensor_rank(index) != 0) {
        struct strbuf text = {0};
        shape_print(&index->shape, &text);
        status_invalid(st, "Index must be a scalar, but it has shape %s", strbuf_text(&text));
        strbuf_release(&text);
        return false;
    }
    const int32_t i = tensor_i32(index)[0];
    if (i < 0 || i >= n)
        return status_invalid(st, "Index must be in the range [0, %d) but got %d", n, i);
    kernel_out_share(c, 0, kernel_in(c, 1 + i));
    return true;
}

OP_DEF(ref_select) = {
    .name = "RefSelect",
    .summary = "One of several references.",
    .inputs = {"index: int32", "inputs: Ref(N * T)"},
    .outputs = {"output: Ref(T)"},
    .attrs = {"T: type", "N: int >= 1"},
    .shape = select_shape,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL_DEF(ref_select_cpu) = {.op = "RefSelect", .device = "CPU", .run = select_run};
