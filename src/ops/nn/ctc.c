/* SPDX-License-Identifier: Apache-2.0 */
/* Checks and results of connectionist temporal classification, and its greedy decoder. */
#include "ops/nn/ctc.h"

#include <math.h>

bool ctc_check(const struct kctx *c, int lengths, struct ctc *k, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0), *n = kernel_in(c, lengths);
    if (tensor_rank(x) != 3)
        return status_invalid(st, "inputs is not a 3-Tensor");
    if (tensor_rank(n) != 1)
        return status_invalid(st, "sequence_length is not a vector");
    *k = (struct ctc){x, tensor_dim(x, 0), tensor_dim(x, 1), tensor_dim(x, 2), tensor_i32(n)};
    if (k->time > INT32_MAX || k->batch > INT32_MAX || k->classes > INT32_MAX)
        return status_invalid(st, "num_classes cannot exceed max int");
    if (k->batch == 0)
        return status_invalid(st, "batch_size must not be 0");
    if (tensor_dim(n, 0) != k->batch)
        return status_invalid(st,
                              "len(sequence_length) != batch_size.  len(sequence_length):  %lld "
                              "batch_size: %lld",
                              (long long)tensor_dim(n, 0), (long long)k->batch);
    return k->classes > 0 || status_invalid(st, "num_classes must not be 0");
}

bool ctc_check_lengths(const struct ctc *k, enum status_code too_long, struct status *st)
{
    for (int64_t b = 0; b < k->batch; b++) {
        if (k->lengths[b] > k->time)
            return status_fail(st, too_long, "sequence_length(%lld) <= %lld", (long long)b,
                               (long long)k->time);
        if (k->lengths[b] < 0)
            return status_invalid(st, "seq_len(%lld) < 0", (long long)b);
    }
    return true;
}

void ctc_row(const struct ctc *k, int64_t t, int64_t b, double *row)
{
    int64_t at = (t * k->batch + b) * k->classes;
    for (int64_t i = 0; i < k->classes; i++)
        row[i] =
            k->x->dtype == DT_DOUBLE ? tensor_f64(k->x)[at + i] : (double)tensor_f32(k->x)[at + i];
}

double ctc_log_add(double a, double b)
{
    if (a < b) {
        double swap = a;
        a = b;
        b = swap;
    }
    return b == -INFINITY ? a : a + log1p(exp(b - a));
}

bool ctc_put_labels(struct kctx *c, const struct ctc_labels *l, int64_t batch, int i, int step,
                    struct status *st)
{
    struct shape pairs = shape_2(l->total, 2), values = shape_1(l->total), two = shape_1(2);
    struct tensor *at = kernel_out(c, i, &pairs, st);
    struct tensor *v = at ? kernel_out(c, i + step, &values, st) : NULL;
    struct tensor *shape = v ? kernel_out(c, i + 2 * step, &two, st) : NULL;
    if (!shape)
        return false;
    int64_t n = 0, longest = 0;
    for (int64_t b = 0; b < batch; b++) {
        longest = max_i64(longest, l->lengths[b]);
        for (int64_t j = 0; j < l->lengths[b]; j++, n++) {
            tensor_i64(at)[2 * n] = b;
            tensor_i64(at)[2 * n + 1] = j;
            tensor_i64(v)[n] = l->labels[n];
        }
    }
    tensor_i64(shape)[0] = batch;
    tensor_i64(shape)[1] = longest;
    return true;
}

/* --- CTCGreedyDecoder --- */

static bool greedy_run(struct kctx *c, struct status *st)
{
    struct ctc k;
    int64_t bytes;
    if (!ctc_check(c, 1, &k, st) || !ctc_check_lengths(&k, STATUS_FAILED_PRECONDITION, st))
        return false;
    bool merge = attrs_bool(kernel_attrs(c), "merge_repeated");
    struct shape s = shape_2(k.batch, 1);
    struct tensor *score = kernel_out(c, 3, &s, st);
    if (!score || !size_mul(k.time * k.batch + 1, (int64_t)sizeof(int32_t), &bytes))
        return false;
    double *row = kernel_scratch(c, k.classes * (int64_t)sizeof(*row), st);
    struct ctc_labels l = {.labels = row ? kernel_scratch(c, bytes, st) : NULL};
    l.lengths = l.labels ? kernel_scratch(c, k.batch * (int64_t)sizeof(*l.lengths), st) : NULL;
    if (!l.lengths)
        return false;
    for (int64_t b = 0; b < k.batch; b++) {
        int64_t before = -1, first = l.total;
        double sum = 0;
        for (int64_t t = 0; t < k.lengths[b]; t++) {
            int64_t best = 0;
            ctc_row(&k, t, b, row);
            for (int64_t i = 1; i < k.classes; i++)
                best = row[i] > row[best] ? i : best;
            sum -= row[best];
            if (best != k.classes - 1 && !(merge && best == before))
                l.labels[l.total++] = (int32_t)best;
            before = best;
        }
        l.lengths[b] = l.total - first;
        ctc_put(score, b, sum);
    }
    return ctc_put_labels(c, &l, k.batch, 0, 1, st);
}

/* Both decoders: `paths` sparse matrices, then scores of each path. */
static bool decoder_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *x, *lengths;
    int64_t batch;
    if (!infer_want_rank(c, infer_input(c, 0), 3, &x, st) ||
        !infer_want_rank(c, infer_input(c, 1), 1, &lengths, st) ||
        !infer_merge_dim(infer_dim(x, 1), infer_dim(lengths, 0), &batch, st))
        return false;
    int paths = (infer_num_outputs(c) - 1) / 3;
    for (int i = 0; i < paths; i++) {
        infer_set(c, i, infer_matrix(c, DIM_UNKNOWN, 2));
        infer_set(c, paths + i, infer_vector(c, DIM_UNKNOWN));
        infer_set(c, 2 * paths + i, infer_vector(c, 2));
    }
    infer_set(c, 3 * paths, infer_matrix(c, batch, paths));
    return true;
}

OP_DEF(ctc_greedy_decoder) = {
    .name = "CTCGreedyDecoder",
    .summary = "Labels by the best class of each time, without blanks.",
    .inputs = {"inputs: T", "sequence_length: int32"},
    .outputs = {"decoded_indices: int64", "decoded_values: int64", "decoded_shape: int64",
                "log_probability: T"},
    .attrs = {"merge_repeated: bool = false", "T: {float, double} = DT_FLOAT"},
    .shape = decoder_shape,
    .no_grad = "TensorFlow gives none",
};
KERNEL_DEF(ctc_greedy_decoder_cpu) = {.op = "CTCGreedyDecoder", .device = "CPU", .run = greedy_run};

OP_DEF(ctc_beam_search_decoder) = {
    .name = "CTCBeamSearchDecoder",
    .summary = "The likeliest lists of labels that a beam search finds.",
    .inputs = {"inputs: T", "sequence_length: int32"},
    .outputs = {"decoded_indices: top_paths * int64", "decoded_values: top_paths * int64",
                "decoded_shape: top_paths * int64", "log_probability: T"},
    .attrs = {"beam_width: int >= 1", "top_paths: int >= 1", "merge_repeated: bool = true",
              "T: {float, double} = DT_FLOAT"},
    .shape = decoder_shape,
    .no_grad = "TensorFlow gives none",
};
