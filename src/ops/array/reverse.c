/* SPDX-License-Identifier: Apache-2.0 */
/* Reverse and ReverseV2 (axes turned round: a copy with negative steps), and ReverseSequence (the
 * first part of each sequence of a batch turned round). */
#include "op/grad.h"
#include "op/infer.h"
#include "ops/array/nd_copy.h"
#include "ops/array/text.h"

enum { REVERSE_MAX_RANK = 8 };

static bool want_small_rank(const struct shape *in, struct status *st)
{
    if (in->rank > REVERSE_MAX_RANK)
        return status_invalid(st, "reverse does not work on tensors with more than 8 dimensions");
    return true;
}

/* Marks the axes that v names. */
static bool mark_axes(const struct tensor *v, int rank, bool *turn, struct status *st)
{
    for (int i = 0; i < rank; i++)
        turn[i] = false;
    for (int64_t i = 0; i < v->num_elems; i++) {
        int64_t a = tensor_index(v, i), axis = a < 0 ? a + rank : a;
        if (axis < 0 || axis >= rank)
            return status_invalid(st, "'axis'[%lld] = %lld is out of valid range [0, %d",
                                  (long long)i, (long long)a, rank - 1);
        if (turn[axis])
            return status_invalid(st, "axis %lld specified more than once.", (long long)axis);
        turn[axis] = true;
    }
    return true;
}

static bool turn_axes(struct kctx *c, const bool *turn, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    bool moves = false;
    int64_t steps[SHAPE_MAX_RANK], at = 0;
    for (int i = 0; i < tensor_rank(in); i++)
        moves = moves || (turn[i] && tensor_dim(in, i) > 1);
    if (!moves || in->num_elems == 0) {
        kernel_out_share(c, 0, in);
        return true;
    }
    struct tensor *out = kernel_out(c, 0, &in->shape, st);
    if (!out)
        return false;
    nd_steps(&in->shape, steps);
    struct nd_copy copy;
    nd_begin(&copy, in->dtype, in->data, out->data);
    for (int i = 0; i < tensor_rank(in); i++) {
        int64_t n = tensor_dim(in, i);
        if (turn[i])
            at += (n - 1) * steps[i];
        nd_axis(&copy, n, turn[i] ? -steps[i] : steps[i], steps[i]);
    }
    copy.src += at * (int64_t)dtype_size(in->dtype);
    return nd_run(c, &copy, st);
}

/* --- Reverse: a flag for each axis --- */

static bool reverse_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *in = infer_input(c, 0), *flags;
    if (!infer_want_rank(c, infer_input(c, 1), 1, &flags, st))
        return false;
    int64_t n = infer_dim(flags, 0);
    if (n > REVERSE_MAX_RANK)
        return status_invalid(st, "reverse does not work on tensors with more than 8 dimensions");
    if ((n >= 0 && !infer_want_rank(c, in, (int)n, &in, st)) || !want_small_rank(in, st))
        return false;
    infer_set(c, 0, in);
    return true;
}

static bool reverse_grad(struct grad_ctx *g, struct status *st)
{
    grad_set(g, 0, grad_op2(g, "Reverse", grad_dy(g, 0), grad_in(g, 1)));
    return grad_done(g, st);
}

static bool reverse_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0), *flags = kernel_in(c, 1);
    if (tensor_rank(flags) != 1)
        return status_invalid(st, "'dims' must be 1-dimension, not %d", tensor_rank(flags));
    if (flags->num_elems != tensor_rank(in))
        return status_invalid(st,
                              "'dims' must have the same number of values as 'input' has "
                              "dimensions. 'input' has %d'dims' has %lld values",
                              tensor_rank(in), (long long)flags->num_elems);
    if (tensor_rank(in) > REVERSE_MAX_RANK)
        return status_unimplemented(st, "reverse is not implemented for tensors of rank > 8.");
    return turn_axes(c, tensor_bool(flags), st);
}

OP_DEF(reverse) = {
    .name = "Reverse",
    .summary = "The input with the axes that dims marks turned round.",
    .inputs = {"tensor: T", "dims: bool"},
    .outputs = {"output: T"},
    .attrs = {"T: {uint8, int8, uint16, int16, int32, int64, bool, half, float, double, complex64, "
              "complex128, string}"},
    .shape = reverse_shape,
    .grad = reverse_grad,
};
KERNEL_DEF(reverse_cpu) = {
    .op = "Reverse", .device = "CPU", .run = reverse_run, .flags = KERNEL_ALIAS};

/* --- ReverseV2: a list of axes --- */

static bool reverse_v2_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *in = infer_input(c, 0), *unused;
    const struct tensor *axes = infer_const(c, 1);
    bool turn[REVERSE_MAX_RANK];
    if (!infer_want_rank(c, infer_input(c, 1), 1, &unused, st) || !want_small_rank(in, st) ||
        (axes && in->rank >= 0 && !mark_axes(axes, in->rank, turn, st)))
        return false;
    infer_set(c, 0, in);
    return true;
}

static bool reverse_v2_grad(struct grad_ctx *g, struct status *st)
{
    grad_set(g, 0, grad_op2(g, "ReverseV2", grad_dy(g, 0), grad_in(g, 1)));
    return grad_done(g, st);
}

static bool reverse_v2_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0), *axes = kernel_in(c, 1);
    bool turn[REVERSE_MAX_RANK];
    if (tensor_rank(in) == 0 || in->num_elems == 0) {
        kernel_out_share(c, 0, in);
        return true;
    }
    if (tensor_rank(axes) != 1)
        return status_invalid(st, "'dims' must be 1-dimension, not %d", tensor_rank(axes));
    if (tensor_rank(in) > REVERSE_MAX_RANK)
        return status_unimplemented(st, "reverse is not implemented for tensors of rank > 8.");
    return mark_axes(axes, tensor_rank(in), turn, st) && turn_axes(c, turn, st);
}

OP_DEF(reverse_v2) = {
    .name = "ReverseV2",
    .summary = "The input with the listed axes turned round.",
    .inputs = {"tensor: T", "axis: Tidx"},
    .outputs = {"output: T"},
    .attrs = {"Tidx: {int32, int64} = DT_INT32",
              "T: {uint8, int8, uint16, int16, int32, int64, bool, bfloat16, half, float, double, "
              "complex64, complex128, string}"},
    .shape = reverse_v2_shape,
    .grad = reverse_v2_grad,
};
KERNEL_DEF(reverse_v2_cpu) = {
    .op = "ReverseV2", .device = "CPU", .run = reverse_v2_run, .flags = KERNEL_ALIAS};

/* --- ReverseSequence --- */

static bool sequence_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *in = infer_input(c, 0), *lengths;
    int64_t batch = attrs_int(infer_attrs(c), "batch_dim"), dim;
    int64_t seq = attrs_int(infer_attrs(c), "seq_dim");
    if (!infer_want_rank(c, infer_input(c, 1), 1, &lengths, st))
        return false;
    infer_set(c, 0, in);
    if (in->rank < 0)
        return true;
    if (batch >= in->rank)
        return status_invalid(st, "batch_dim must be < input rank: %lld vs. %d", (long long)batch,
                              in->rank);
    if (seq >= in->rank)
        return status_invalid(st, "seq_dim must be < input rank: %lld vs. %d", (long long)seq,
                              in->rank);
    if (batch < -in->rank) /* the kernel says it */
        return true;
    if (!infer_merge_dim(infer_dim(in, (int)batch), infer_dim(lengths, 0), &dim, st))
        return false;
    infer_set(c, 0, infer_with_dim(c, in, (int)batch, dim));
    return true;
}

static bool sequence_grad(struct grad_ctx *g, struct status *st)
{
    const struct attrs *a = grad_attrs(g);
    struct output in[] = {grad_dy(g, 0), grad_in(g, 1)};
    grad_set(g, 0,
             grad_opv(g, "ReverseSequence", 2, in, 2,
                      (struct attr[]){{(char *)"seq_dim", attr_int(attrs_int(a, "seq_dim"))},
                                      {(char *)"batch_dim", attr_int(attrs_int(a, "batch_dim"))}}));
    return grad_done(g, st);
}

struct sequence_state {
    int64_t batch, seq;
};

static bool sequence_init(struct kernel *k, void *state, struct status *st UNUSED)
{
    struct sequence_state *s = state;
    s->batch = attrs_int(k->attrs, "batch_dim");
    s->seq = attrs_int(k->attrs, "seq_dim");
    return true;
}

static bool check_sequences(struct kctx *c, const struct sequence_state *s, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0), *len = kernel_in(c, 1);
    int rank = tensor_rank(in);
    if (s->batch == s->seq)
        return status_invalid(st, "batch_dim == seq_dim == %lld", (long long)s->seq);
    if (tensor_rank(len) != 1)
        return status_invalid(st, "seq_lens input must be 1-dim, not %d", tensor_rank(len));
    if (s->seq >= rank || s->seq < 0)
        return status_invalid(st, "seq_dim must be < input.dims()( %lld vs. %d)", (long long)s->seq,
                              rank);
    if (s->batch >= rank || s->batch < 0)
        return status_invalid(st, "batch_dim must be < input.dims()( %lld vs. %d)",
                              (long long)s->batch, rank);
    int64_t batch = tensor_dim(in, (int)s->batch), longest = tensor_dim(in, (int)s->seq);
    if (len->num_elems != batch)
        return status_invalid(st, "len(seq_lens) != input.dims(%lld), (%lld vs. %lld)",
                              (long long)s->batch, (long long)len->num_elems, (long long)batch);
    for (int64_t i = 0; i < batch; i++) {
        int64_t n = tensor_index(len, i);
        if (n < 0)
            return status_invalid(st, "seq_lens(%lld) < 0", (long long)i);
        if (n > longest)
            return status_invalid(st, "seq_lens(%lld) > input.dims(%lld)", (long long)i,
                                  (long long)s->seq);
    }
    return true;
}

/* Steps [from, to) of the sequence axis of batch b, turned round or straight. */
static bool copy_steps(struct kctx *c, const struct sequence_state *s, int64_t b, int64_t from,
                       int64_t to, bool turn, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    int64_t steps[SHAPE_MAX_RANK];
    struct nd_copy copy;
    if (from >= to)
        return true;
    nd_steps(&in->shape, steps);
    nd_begin(&copy, in->dtype, in->data, c->out[0].data);
    for (int i = 0; i < tensor_rank(in); i++) {
        if (i == (int)s->seq)
            nd_axis(&copy, to - from, turn ? -steps[i] : steps[i], steps[i]);
        else if (i != (int)s->batch)
            nd_axis(&copy, tensor_dim(in, i), steps[i], steps[i]);
    }
    int64_t item = (int64_t)dtype_size(in->dtype), batch = b * steps[s->batch];
    copy.src += (batch + (turn ? to - 1 : from) * steps[s->seq]) * item;
    copy.dst += (batch + from * steps[s->seq]) * item;
    return nd_run(c, &copy, st);
}

static bool sequence_run(struct kctx *c, struct status *st)
{
    const struct sequence_state *s = kernel_state(c);
    const struct tensor *in = kernel_in(c, 0), *len = kernel_in(c, 1);
    if (!check_sequences(c, s, st))
        return false;
    struct tensor *out = kernel_out(c, 0, &in->shape, st);
    if (!out || out->num_elems == 0)
        return out != NULL;
    int64_t longest = tensor_dim(in, (int)s->seq);
    for (int64_t b = 0; b < len->num_elems; b++) {
        int64_t n = tensor_index(len, b);
        if (!copy_steps(c, s, b, 0, n, true, st) || !copy_steps(c, s, b, n, longest, false, st))
            return false;
    }
    return true;
}

OP_DEF(reverse_sequence) = {
    .name = "ReverseSequence",
    .summary = "The input with the first seq_lengths[b] steps of each sequence b turned round.",
    .inputs = {"input: T", "seq_lengths: Tlen"},
    .outputs = {"output: T"},
    .attrs = {"seq_dim: int", "batch_dim: int = 0", "T: type", "Tlen: {int32, int64} = DT_INT64"},
    .shape = sequence_shape,
    .grad = sequence_grad,
};
KERNEL_DEF(reverse_sequence_cpu) = {.op = "ReverseSequence",
                                    .device = "CPU",
                                    .state_bytes = sizeof(struct sequence_state),
                                    .init = sequence_init,
                                    .run = sequence_run};
