/* SPDX-License-Identifier: Apache-2.0 */
/* DataFormatDimMap and DataFormatVecPermute: what names dimensions of one layout, or lists
 * something for each, turned to another layout. */
#include "op/infer.h"
#include "op/kernel.h"
#include "ops/array/text.h"

enum { MOST = 5 };

struct formats {
    int n;
    int to[MOST]; /* where a dimension of the source lies in the destination */
};

static bool want_length(const char *which, const char *name, struct str s, struct status *st)
{
    return s.n == 4 || s.n == 5 ||
           status_invalid(st, "%s format must be of length 4 or 5, received %s = %.*s", which, name,
                          s.n > 50 ? 50 : (int)s.n, s.p);
}

static bool formats_init(struct kernel *k, void *state, struct status *st)
{
    struct formats *f = state;
    struct str src = attrs_string(k->attrs, "src_format"),
               dst = attrs_string(k->attrs, "dst_format");
    if (!want_length("Source", "src_format", src, st) ||
        !want_length("Destination", "dst_format", dst, st))
        return false;
    unsigned seen = 0;
    f->n = (int)src.n;
    for (int i = 0; i < f->n; i++) {
        const char *at = memchr(dst.p, src.p[i], dst.n);
        f->to[i] = at ? (int)(at - dst.p) : 0;
        seen |= at ? 1u << f->to[i] : 0;
    }
    return (src.n == dst.n && seen == (1u << f->n) - 1) ||
           status_invalid(st,
                          "Destination and source format must determine a permutation, got %.*s "
                          "and %.*s",
                          (int)src.n, src.p, (int)dst.n, dst.p);
}

/* Numbers wrap around at four, as in TensorFlow: of five dimensions the last is the first again. */
static bool map_run(struct kctx *c, struct status *st)
{
    const struct formats *f = kernel_state(c);
    const struct tensor *x = kernel_in(c, 0);
    struct tensor *y = kernel_out_forward(c, 0, 0, &x->shape, st);
    for (int64_t i = 0; y && i < y->num_elems; i++) {
        int64_t v = x->dtype == DT_INT32 ? tensor_i32(x)[i] : tensor_i64(x)[i];
        v = v % 4;
        const int to = f->to[v < 0 ? v + 4 : v];
        if (y->dtype == DT_INT32)
            tensor_i32(y)[i] = to;
        else
            tensor_i64(y)[i] = to;
    }
    return y != NULL;
}

static bool permute_run(struct kctx *c, struct status *st)
{
    const struct formats *f = kernel_state(c);
    const struct tensor *x = kernel_in(c, 0);
    const int rank = tensor_rank(x);
    if (rank != 1 && rank != 2)
        return array_fail_shape(st, "input must be a vector or 2D tensor, but got shape ",
                                &x->shape);
    if (f->n != 4 || tensor_dim(x, 0) != 4)
        return array_fail_shape(st,
                                rank == 1 ? "1D input must be of size 4, but got shape "
                                          : "First dimension of 2D input must be of size 4, but "
                                            "got shape ",
                                &x->shape);
    if (rank == 2 && tensor_dim(x, 1) != 2)
        return array_fail_shape(
            st, "Second dimension of 2D input must be of size 2, but got shape ", &x->shape);
    struct tensor *y = kernel_out(c, 0, &x->shape, st);
    const size_t bytes = dtype_size(x->dtype) * (rank == 2 ? 2 : 1);
    for (int i = 0; y && i < f->n; i++)
        memcpy((char *)y->data + (size_t)f->to[i] * bytes,
               (const char *)x->data + (size_t)i * bytes, bytes);
    return y != NULL;
}

#define FORMAT_OP(id, op_name, text, run_fn)                                                       \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .inputs = {"x: T"},                                                                        \
        .outputs = {"y: T"},                                                                       \
        .attrs = {"T: {int32, int64} = DT_INT32", "src_format: string = 'NHWC'",                   \
                  "dst_format: string = 'NCHW'"},                                                  \
        .shape = infer_unchanged,                                                                  \
        .no_grad = "undefined: it takes integers",                                                 \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {.op = op_name,                                                         \
                            .device = "CPU",                                                       \
                            .state_bytes = sizeof(struct formats),                                 \
                            .init = formats_init,                                                  \
                            .run = run_fn};                                                        \
    KERNEL_DEF(id##_host) = {.op = op_name,                                                        \
                             .device = "CPU",                                                      \
                             .label = "host",                                                      \
                             .state_bytes = sizeof(struct formats),                                \
                             .init = formats_init,                                                 \
                             .run = run_fn}

FORMAT_OP(data_format_dim_map, "DataFormatDimMap",
          "The numbers that dimensions of one layout have in another.", map_run);
FORMAT_OP(data_format_vec_permute, "DataFormatVecPermute",
          "A vector with an element (or pair) for each dimension, in the order of another layout.",
          permute_run);
