/* SPDX-License-Identifier: Apache-2.0 */
/* SpaceToBatchND, BatchToSpaceND and their forms for images: blocks of positions become entries of
 * the batch, and back. For each place within a block there is one strided copy. */
#include "base/mem.h"
#include "op/grad.h"
#include "op/infer.h"
#include "ops/array/nd_copy.h"
#include "ops/array/text.h"
#include "ops/array/value.h"

struct blocks { /* of the n dims behind the batch */
    int n;
    int64_t size[SHAPE_MAX_RANK], before[SHAPE_MAX_RANK], after[SHAPE_MAX_RANK];
    int64_t in_block; /* product of size */
};

static const char *word_of(bool to_batch)
{
    return to_batch ? "paddings" : "crops";
}

static bool fail_rows(bool to_batch, int n, const struct shape *got, struct status *st)
{
    char text[80];
    snprintf(text, sizeof(text), "%s should have shape [%d, 2] instead of ", word_of(to_batch), n);
    return array_fail_shape(st, text, got);
}

/* edges: a tensor [n, 2]; sizes from the tensor, or block_size everywhere. */
static bool read_blocks(const struct tensor *sizes, int64_t block_size, const struct tensor *edges,
                        bool to_batch, struct blocks *b, struct status *st)
{
    if (sizes && tensor_rank(sizes) != 1)
        return status_invalid(st, "block_shape rank should be 1 instead of %d", tensor_rank(sizes));
    if (sizes && sizes->num_elems >= SHAPE_MAX_RANK)
        return status_invalid(st, "block_shape has too many entries: %lld",
                              (long long)sizes->num_elems);
    b->n = sizes ? (int)sizes->num_elems : 2;
    if (tensor_rank(edges) != 2 || tensor_dim(edges, 0) != b->n || tensor_dim(edges, 1) != 2)
        return fail_rows(to_batch, b->n, &edges->shape, st);
    b->in_block = 1;
    for (int i = 0; i < b->n; i++) {
        b->size[i] = sizes ? tensor_index(sizes, i) : block_size;
        b->before[i] = tensor_index(edges, 2 * i);
        b->after[i] = tensor_index(edges, 2 * i + 1);
        if (b->size[i] < 1)
            return status_invalid(st,
                                  "All values in block_shape must be positive, but "
                                  "block_shape[%d] is %lld",
                                  i, (long long)b->size[i]);
        if (b->before[i] < 0 || b->after[i] < 0)
            return status_invalid(st, "%s must be non-negative", to_batch ? "Paddings" : "Crops");
        if (__builtin_mul_overflow(b->in_block, b->size[i], &b->in_block))
            return status_invalid(st, "block_shape is too large");
    }
    return true;
}

/* One dim of the result. */
static bool dim_to_batch(const struct blocks *b, int i, int64_t in, int64_t *out, struct status *st)
{
    int64_t padded;
    if (__builtin_add_overflow(in, b->before[i], &padded) ||
        __builtin_add_overflow(padded, b->after[i], &padded))
        return status_invalid(st, "paddings are too large");
    if (padded % b->size[i] != 0)
        return status_invalid(st, "padded_shape[%d]=%lld is not divisible by block_shape[%d]=%lld",
                              i, (long long)padded, i, (long long)b->size[i]);
    *out = padded / b->size[i];
    return true;
}

static bool dim_to_space(const struct blocks *b, int i, int64_t in, int64_t *out, struct status *st)
{
    int64_t full;
    if (__builtin_mul_overflow(in, b->size[i], &full))
        return status_invalid(st, "block_shape is too large");
    bool fits = b->before[i] <= full && b->after[i] <= full - b->before[i];
    if (!fits)
        return status_invalid(st, "cropped_shape[%d] must be non-negative: %lld - %lld - %lld", i,
                              (long long)full, (long long)b->before[i], (long long)b->after[i]);
    *out = full - b->before[i] - b->after[i];
    return true;
}

static bool out_dims(const struct blocks *b, const struct shape *in, bool to_batch, int64_t *dims,
                     struct status *st)
{
    if (in->rank < b->n + 1)
        return status_invalid(st, "input rank should be >= %d instead of %d", b->n + 1, in->rank);
    int64_t batch = shape_dim(in, 0);
    if (to_batch && __builtin_mul_overflow(batch, b->in_block, &dims[0]))
        return status_invalid(st, "block_shape is too large");
    if (!to_batch && batch % b->in_block != 0)
        return status_invalid(
            st, "Input batch dimension (%lld) is not divisible by product of block sizes (%lld)",
            (long long)batch, (long long)b->in_block);
    if (!to_batch)
        dims[0] = batch / b->in_block;
    for (int i = 0; i < b->n; i++) {
        int64_t in_dim = shape_dim(in, i + 1);
        if (!(to_batch ? dim_to_batch(b, i, in_dim, &dims[i + 1], st)
                       : dim_to_space(b, i, in_dim, &dims[i + 1], st)))
            return false;
    }
    for (int i = b->n + 1; i < in->rank; i++)
        dims[i] = shape_dim(in, i);
    return true;
}

/* Copies what lies at the places `at` of the blocks. The side with the large batch is `many`, the
 * other `wide`: wide position = position * size + at - before. */
static bool copy_place(struct kctx *c, const struct blocks *b, const struct tensor *out,
                       const int64_t *at, int64_t place, bool to_batch, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    const struct tensor *many = to_batch ? out : in, *wide = to_batch ? in : out;
    int64_t many_steps[SHAPE_MAX_RANK], wide_steps[SHAPE_MAX_RANK];
    int64_t batch = tensor_dim(wide, 0), many_from, wide_from = 0;
    size_t item = dtype_size(wide->dtype);
    struct nd_copy copy;
    nd_steps(&many->shape, many_steps);
    nd_steps(&wide->shape, wide_steps);
    many_from = place * batch * many_steps[0];
    nd_begin(&copy, wide->dtype, to_batch ? wide->data : many->data,
             to_batch ? many->data : wide->data);
#define AXIS(n, many_step, wide_step)                                                              \
    nd_axis(&copy, n, to_batch ? (wide_step) : (many_step), to_batch ? (many_step) : (wide_step))
    AXIS(batch, many_steps[0], wide_steps[0]);
    for (int i = 0; i < b->n; i++) {
        int64_t size = b->size[i], off = b->before[i] - at[i];
        /* first and last position p with 0 <= p * size - off < dim */
        int64_t first = off > 0 ? (off + size - 1) / size : 0;
        int64_t room = tensor_dim(wide, i + 1) + off;
        int64_t end = room > 0 ? (room - 1) / size + 1 : 0;
        end = end < tensor_dim(many, i + 1) ? end : tensor_dim(many, i + 1);
        if (end <= first)
            return true;
        many_from += first * many_steps[i + 1];
        wide_from += (first * size - off) * wide_steps[i + 1];
        AXIS(end - first, many_steps[i + 1], size * wide_steps[i + 1]);
    }
    for (int i = b->n + 1; i < tensor_rank(wide); i++)
        AXIS(tensor_dim(wide, i), many_steps[i], wide_steps[i]);
#undef AXIS
    copy.src += (size_t)(to_batch ? wide_from : many_from) * item;
    copy.dst += (size_t)(to_batch ? many_from : wide_from) * item;
    return nd_run(c, &copy, st);
}

static bool space_batch(struct kctx *c, const struct blocks *b, bool to_batch, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    int64_t dims[SHAPE_MAX_RANK], at[SHAPE_MAX_RANK] = {0}, elems;
    if (!out_dims(b, &in->shape, to_batch, dims, st))
        return false;
    struct shape shape = shape_make(dims, tensor_rank(in));
    struct tensor *out = shape_num_elems(&shape, &elems, st) ? kernel_out(c, 0, &shape, st) : NULL;
    shape_clear(&shape);
    if (!out)
        return false;
    if (out->num_elems == 0)
        return true;
    if (to_batch)
        value_zero(c, out);
    if (in->num_elems == 0)
        return true;
    for (int64_t place = 0; place < b->in_block; place++) {
        if (!copy_place(c, b, out, at, place, to_batch, st))
            return false;
        for (int i = b->n - 1; i >= 0 && ++at[i] == b->size[i]; i--)
            at[i] = 0;
    }
    return true;
}

static bool to_batch_nd_run(struct kctx *c, struct status *st)
{
    struct blocks b;
    return read_blocks(kernel_in(c, 1), 0, kernel_in(c, 2), true, &b, st) &&
           space_batch(c, &b, true, st);
}

static bool to_space_nd_run(struct kctx *c, struct status *st)
{
    struct blocks b;
    return read_blocks(kernel_in(c, 1), 0, kernel_in(c, 2), false, &b, st) &&
           space_batch(c, &b, false, st);
}

static bool image_run(struct kctx *c, bool to_batch, struct status *st)
{
    struct blocks b;
    int64_t size = attrs_int(kernel_attrs(c), "block_size");
    if (tensor_rank(kernel_in(c, 0)) != 4)
        return status_invalid(st, "input rank should be >= 4 instead of %d",
                              tensor_rank(kernel_in(c, 0)));
    return read_blocks(NULL, size, kernel_in(c, 1), to_batch, &b, st) &&
           space_batch(c, &b, to_batch, st);
}

static bool to_batch_run(struct kctx *c, struct status *st)
{
    return image_run(c, true, st);
}

static bool to_space_run(struct kctx *c, struct status *st)
{
    return image_run(c, false, st);
}

/* --- shapes --- */

/* As much as is known: constants give blocks and edges, their shapes how many there are. */
static bool infer_blocks(struct infer_ctx *c, const struct shape *in, int n,
                         const struct tensor *sizes, const struct tensor *edges, bool to_batch,
                         struct status *st)
{
    int64_t block_size = sizes ? 0 : attrs_int(infer_attrs(c), "block_size");
    bool image = infer_num_inputs(c) == 2;
    int64_t dims[SHAPE_MAX_RANK];
    struct blocks b;
    if (in->rank == RANK_UNKNOWN) {
        infer_set(c, 0, image ? infer_of_rank(c, 4) : infer_unknown(c));
        return true;
    }
    for (int i = 0; i < in->rank; i++)
        dims[i] = i > n ? shape_dim(in, i) : DIM_UNKNOWN;
    if (to_batch && image)
        dims[0] = infer_dim_mul(shape_dim(in, 0), infer_dim_mul(block_size, block_size));
    if (edges && (sizes || image)) {
        if (!read_blocks(sizes, block_size, edges, to_batch, &b, st))
            return false;
        int64_t batch = shape_dim(in, 0);
        if (to_batch)
            dims[0] = infer_dim_mul(batch, b.in_block);
        else if (!infer_dim_div(batch, b.in_block, &dims[0], st))
            return false;
        for (int i = 0; i < n; i++) {
            int64_t d = shape_dim(in, i + 1);
            if (d != DIM_UNKNOWN && !(to_batch ? dim_to_batch(&b, i, d, &dims[i + 1], st)
                                               : dim_to_space(&b, i, d, &dims[i + 1], st)))
                return false;
        }
    }
    infer_set(c, 0, infer_make(c, dims, in->rank));
    return true;
}

static bool infer_nd(struct infer_ctx *c, bool to_batch, struct status *st)
{
    const struct shape *in = infer_input(c, 0), *sizes, *edges;
    int64_t n, two;
    if (!infer_want_rank(c, infer_input(c, 1), 1, &sizes, st))
        return false;
    n = infer_dim(sizes, 0);
    if (n >= 0 && n < SHAPE_MAX_RANK && !infer_want_rank_min(c, in, (int)n + 1, &in, st))
        return false;
    if (!infer_want_rank(c, infer_input(c, 2), 2, &edges, st) ||
        !infer_merge_dim(n, infer_dim(edges, 0), &n, st) ||
        !infer_want_dim(c, infer_dim(edges, 1), 2, &two, st))
        return false;
    if (n == DIM_UNKNOWN) {
        if (!infer_want_rank_min(c, in, 1, &in, st))
            return false;
        infer_set(c, 0, infer_unknown(c));
        return true;
    }
    if (n >= SHAPE_MAX_RANK)
        return status_invalid(st, "block_shape has too many entries: %lld", (long long)n);
    return infer_want_rank_min(c, in, (int)n + 1, &in, st) &&
           infer_blocks(c, in, (int)n, infer_const(c, 1), infer_const(c, 2), to_batch, st);
}

static bool infer_image(struct infer_ctx *c, bool to_batch, struct status *st)
{
    const struct shape *in, *edges, *want = infer_matrix(c, 2, 2);
    return infer_want_rank(c, infer_input(c, 0), 4, &in, st) &&
           infer_merge(c, infer_input(c, 1), want, &edges, st) &&
           infer_blocks(c, in, 2, NULL, infer_const(c, 1), to_batch, st);
}

static bool to_batch_nd_shape(struct infer_ctx *c, struct status *st)
{
    return infer_nd(c, true, st);
}

static bool to_space_nd_shape(struct infer_ctx *c, struct status *st)
{
    return infer_nd(c, false, st);
}

static bool to_batch_shape(struct infer_ctx *c, struct status *st)
{
    return infer_image(c, true, st);
}

static bool to_space_shape(struct infer_ctx *c, struct status *st)
{
    return infer_image(c, false, st);
}

/* --- gradients: each is the other's --- */

static bool back_nd(struct grad_ctx *g, const char *op, struct status *st)
{
    grad_set(g, 0, grad_op3(g, op, grad_dy(g, 0), grad_in(g, 1), grad_in(g, 2)));
    return grad_done(g, st);
}

static bool back_image(struct grad_ctx *g, const char *op, struct status *st)
{
    struct output in[] = {grad_dy(g, 0), grad_in(g, 1)};
    int64_t size = attrs_int(grad_attrs(g), "block_size");
    grad_set(g, 0,
             grad_opv(g, op, 2, in, 1, (struct attr[]){{(char *)"block_size", attr_int(size)}}));
    return grad_done(g, st);
}

static bool to_batch_nd_grad(struct grad_ctx *g, struct status *st)
{
    return back_nd(g, "BatchToSpaceND", st);
}

static bool to_space_nd_grad(struct grad_ctx *g, struct status *st)
{
    return back_nd(g, "SpaceToBatchND", st);
}

static bool to_batch_grad(struct grad_ctx *g, struct status *st)
{
    return back_image(g, "BatchToSpace", st);
}

static bool to_space_grad(struct grad_ctx *g, struct status *st)
{
    return back_image(g, "SpaceToBatch", st);
}

#define TYPES "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64}"

OP_DEF(space_to_batch_nd) = {
    .name = "SpaceToBatchND",
    .summary = "Blocks of positions become entries of the batch.",
    .inputs = {"input: T", "block_shape: Tblock_shape", "paddings: Tpaddings"},
    .outputs = {"output: T"},
    .attrs = {"T: type", "Tblock_shape: {int32, int64} = DT_INT32",
              "Tpaddings: {int32, int64} = DT_INT32"},
    .shape = to_batch_nd_shape,
    .grad = to_batch_nd_grad,
};
KERNEL_DEF(space_to_batch_nd_cpu) = {
    .op = "SpaceToBatchND", .device = "CPU", .types = {TYPES}, .run = to_batch_nd_run};

OP_DEF(batch_to_space_nd) = {
    .name = "BatchToSpaceND",
    .summary = "Entries of the batch become blocks of positions.",
    .inputs = {"input: T", "block_shape: Tblock_shape", "crops: Tcrops"},
    .outputs = {"output: T"},
    .attrs = {"T: type", "Tblock_shape: {int32, int64} = DT_INT32",
              "Tcrops: {int32, int64} = DT_INT32"},
    .shape = to_space_nd_shape,
    .grad = to_space_nd_grad,
};
KERNEL_DEF(batch_to_space_nd_cpu) = {
    .op = "BatchToSpaceND", .device = "CPU", .types = {TYPES}, .run = to_space_nd_run};

OP_DEF(space_to_batch) = {
    .name = "SpaceToBatch",
    .summary = "Square blocks of an image's positions become entries of the batch.",
    .inputs = {"input: T", "paddings: Tpaddings"},
    .outputs = {"output: T"},
    .attrs = {"T: type", "Tpaddings: {int32, int64} = DT_INT32", "block_size: int >= 2"},
    .shape = to_batch_shape,
    .grad = to_batch_grad,
};
KERNEL_DEF(space_to_batch_cpu) = {
    .op = "SpaceToBatch", .device = "CPU", .types = {TYPES}, .run = to_batch_run};

OP_DEF(batch_to_space) = {
    .name = "BatchToSpace",
    .summary = "Entries of the batch become square blocks of an image's positions.",
    .inputs = {"input: T", "crops: Tidx"},
    .outputs = {"output: T"},
    .attrs = {"T: type", "block_size: int >= 2", "Tidx: {int32, int64} = DT_INT32"},
    .shape = to_space_shape,
    .grad = to_space_grad,
};
KERNEL_DEF(batch_to_space_cpu) = {
    .op = "BatchToSpace", .device = "CPU", .types = {TYPES}, .run = to_space_run};
