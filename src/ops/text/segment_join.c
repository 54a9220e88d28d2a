/* SPDX-License-Identifier: Apache-2.0 */
/* UnsortedSegmentJoin: the strings of each segment, joined in the order in which they come. */
#include "op/infer.h"
#include "op/kernel.h"
#include "ops/text/text.h"

static bool check(const struct tensor *in, const struct tensor *ids, const struct tensor *num,
                  struct status *st)
{
    if (tensor_rank(num) != 0)
        return status_invalid(st, "Number of segments must be a scalar");
    if (tensor_index(num, 0) < 0)
        return status_invalid(st, "Number of segments must be non-negative but is %lld",
                              (long long)tensor_index(num, 0));
    if (tensor_rank(ids) == 0)
        return status_invalid(st, "Segment_id cannot have rank 0");
    bool fits = tensor_rank(ids) <= tensor_rank(in);
    for (int i = 0; fits && i < tensor_rank(ids); i++)
        fits = tensor_dim(ids, i) == tensor_dim(in, i);
    if (!fits)
        return status_invalid(st, "The shape of segment_ids must be a prefix of that of inputs");
    for (int64_t i = 0; i < ids->num_elems; i++) {
        int64_t id = tensor_index(ids, i);
        if (id < 0 || id >= tensor_index(num, 0))
            return status_invalid(st, "segment_ids are not allowed to exceed num_segments or to "
                                      "have negative values.");
    }
    return true;
}

static bool append(struct tstr *y, struct str s, struct status *st)
{
    size_t n = tstr_len(y);
    char *p = tstr_resize(y, n + s.n);
    if (!p)
        return status_exhausted(st, "no memory for strings");
    if (s.n)
        memcpy(p + n, s.p, s.n);
    return true;
}

static bool join_segments(struct kctx *c, struct tensor *out, int64_t row, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0), *ids = kernel_in(c, 1);
    struct str separator = attrs_string(kernel_attrs(c), "separator");
    for (int64_t i = 0; i < ids->num_elems; i++) {
        int64_t id = tensor_index(ids, i);
        for (int64_t k = 0; k < row; k++) {
            struct tstr *y = &tensor_str(out)[id * row + k];
            /* as TensorFlow: what is empty so far counts as not begun */
            if ((tstr_len(y) > 0 && !append(y, separator, st)) ||
                !append(y, tstr_view(&tensor_str(in)[i * row + k]), st))
                return false;
        }
    }
    return true;
}

static bool run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0), *ids = kernel_in(c, 1), *num = kernel_in(c, 2);
    int64_t dims[SHAPE_MAX_RANK], row = 1, elems;
    int rank = 0;
    if (!check(in, ids, num, st))
        return false;
    dims[rank++] = tensor_index(num, 0);
    for (int i = tensor_rank(ids); i < tensor_rank(in); i++) {
        dims[rank++] = tensor_dim(in, i);
        row *= tensor_dim(in, i);
    }
    struct shape s = shape_make(dims, rank);
    struct tensor *out = shape_num_elems(&s, &elems, st) ? kernel_out(c, 0, &s, st) : NULL;
    shape_clear(&s);
    return out && join_segments(c, out, row, st);
}

static bool shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *in = infer_input(c, 0), *ids = infer_input(c, 1), *s;
    int64_t num;
    bool known;
    if (!infer_want_rank(c, infer_input(c, 2), 0, &s, st) ||
        !infer_const_int(c, 2, &known, &num, st))
        return false;
    if (known && num < 0)
        return status_invalid(
            st, "Dimension size, given by scalar input 2, must be non-negative but is %lld",
            (long long)num);
    if (in->rank == RANK_UNKNOWN || ids->rank == RANK_UNKNOWN) {
        infer_set(c, 0, infer_unknown(c));
        return true;
    }
    if (!infer_want_rank_min(c, in, ids->rank, &s, st) ||
        !infer_merge(c, infer_slice(c, in, 0, ids->rank), ids, &s, st))
        return false;
    infer_set(c, 0,
              infer_concat(c, infer_vector(c, known ? num : -1),
                           infer_slice(c, in, ids->rank, in->rank)));
    return true;
}

OP_DEF(unsorted_segment_join) = {
    .name = "UnsortedSegmentJoin",
    .summary = "The strings of each segment, joined.",
    .inputs = {"inputs: string", "segment_ids: Tindices", "num_segments: Tnumsegments"},
    .outputs = {"output: string"},
    .attrs = {"separator: string = ''", "Tindices: {int32, int64}",
              "Tnumsegments: {int32, int64} = DT_INT32"},
    .shape = shape,
    .no_grad = "undefined: strings have no gradient",
};
KERNEL_DEF(unsorted_segment_join_cpu) = {.op = "UnsortedSegmentJoin", .device = "CPU", .run = run};
