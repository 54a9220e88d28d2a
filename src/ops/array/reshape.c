/* SPDX-License-Identifier: Apache-2.0 */
/* Reshape, QuantizedReshape, ExpandDims, Squeeze: the same elements under another shape. The buffer
 * is shared; the gradients of all three reshape back. */
#include "op/grad.h"
#include "op/infer.h"
#include "op/kernel.h"
#include "op/qrange.h"
#include "ops/array/text.h"

static bool reshape_grad(struct grad_ctx *g, struct status *st)
{
    grad_set(g, 0, grad_reshape(g, grad_dy(g, 0), grad_shape(g, grad_in(g, 0))));
    return grad_done(g, st);
}

static bool share_as(struct kctx *c, const struct shape *shape, struct status *st)
{
    struct tensor out;
    if (!tensor_reshaped(kernel_in(c, 0), shape, &out, st))
        return false;
    kernel_out_take(c, 0, &out);
    return true;
}

/* --- Reshape: shape function --- */

struct dims_product { /* of the known dims */
    int64_t product;  /* DIM_UNKNOWN past int64 */
    int unknown;      /* the one unknown dim, or -1 */
    bool several;     /* more than one unknown */
};

/* A zero dim settles the product whatever the others are. */
static struct dims_product product_of(const struct shape *s)
{
    struct dims_product p = {.product = 1, .unknown = -1};
    for (int i = 0; i < s->rank; i++) {
        if (shape_dim(s, i) == 0)
            return (struct dims_product){.product = 0, .unknown = -1};
    }
    for (int i = 0; i < s->rank; i++) {
        int64_t d = shape_dim(s, i);
        if (d != DIM_UNKNOWN) {
            p.product = infer_dim_mul(p.product, d);
        } else {
            p.several = p.unknown >= 0;
            if (p.several)
                break;
            p.unknown = i;
        }
    }
    return p;
}

static bool divide_dim(int64_t a, int64_t b, int64_t *out, struct status *st)
{
    if (a % b != 0)
        return status_invalid(st, "Dimension size must be evenly divisible by %lld but is %lld",
                              (long long)b, (long long)a);
    *out = a / b;
    return true;
}

static bool fail_count(const struct shape *out, int64_t in_elems, int64_t out_elems,
                       struct status *st)
{
    struct strbuf text = {0};
    shape_print(out, &text);
    status_invalid(st, "Cannot reshape a tensor with %lld elements to shape %s (%lld elements)",
                   (long long)in_elems, strbuf_text(&text), (long long)out_elems);
    strbuf_release(&text);
    return false;
}

/* Fills the unknown dim of out where the counts of elements settle it. */
static bool refine(struct infer_ctx *c, const struct shape *in, const struct shape **out,
                   struct status *st)
{
    struct dims_product a = product_of(in), b = product_of(*out);
    int64_t dim = 0;
    if (a.several || b.several || a.product == DIM_UNKNOWN || b.product == DIM_UNKNOWN)
        return true;
    if (a.unknown < 0 && b.unknown < 0)
        return a.product == b.product || fail_count(*out, a.product, b.product, st);
    if (a.unknown < 0 && b.product > 0) {
        if (!divide_dim(a.product, b.product, &dim, st))
            return false;
        *out = infer_with_dim(c, *out, b.unknown, dim);
    } else if (b.unknown < 0 && a.product != 0) {
        return divide_dim(b.product, a.product, &dim, st);
    }
    return true;
}

static bool reshape_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *in = infer_input(c, 0), *out;
    if (!infer_const_shape(c, 1, &out, st) ||
        (in->rank >= 0 && out->rank >= 0 && !refine(c, in, &out, st)))
        return false;
    infer_set(c, 0, out);
    return true;
}

/* --- Reshape: kernel --- */

/* Reads the wanted dims; *missing is the index of -1, or -1. *product is that of the others. */
static bool wanted_dims(const struct tensor *t, int64_t *dims, int *missing, int64_t *product,
                        struct status *st)
{
    bool has_zero = false, over = false;
    *missing = -1;
    *product = 1;
    for (int i = 0; i < (int)t->num_elems; i++) {
        int64_t d = dims[i] = tensor_index(t, i);
        if (d == -1) {
            if (*missing >= 0)
                return status_invalid(st, "Only one input size may be -1, not both %d and %d",
                                      *missing, i);
            *missing = i;
        } else if (d < 0) {
            return status_invalid(st, "Size %d must be non-negative, not %lld", i, (long long)d);
        } else if (d == 0) {
            has_zero = true;
        } else if (!over && !size_mul(*product, d, product)) {
            over = true;
        }
    }
    if (has_zero && *missing < 0)
        *product = 0;
    else if (over)
        return status_invalid(st, "The requested shape has too many elements");
    return true;
}

/* The dim behind -1. Where the wanted dims have zeros, zeros of the input stand aside: [0,3] as
 * [0,-1] is [0,3]. */
static bool missing_dim(const struct tensor *in, const int64_t *dims, int rank, int64_t product,
                        int64_t *out, struct status *st)
{
    bool has_zero = false;
    int64_t elems = 1;
    for (int i = 0; i < rank; i++)
        has_zero |= dims[i] == 0;
    for (int i = 0; i < tensor_rank(in); i++) {
        int64_t d = tensor_dim(in, i);
        if ((d > 0 || !has_zero) && !size_mul(elems, d, &elems))
            return status_invalid(st, "Reshape: the input's other dims overflow");
    }
    *out = elems / product;
    return *out * product == elems ||
           status_invalid(st,
                          "Input to reshape is a tensor with %lld values, but the requested shape "
                          "requires a multiple of %lld",
                          (long long)elems, (long long)product);
}

static bool reshape_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0), *wanted = kernel_in(c, 1);
    int64_t dims[SHAPE_MAX_RANK], product;
    int missing, rank = (int)wanted->num_elems;
    if (tensor_rank(wanted) != 1)
        return array_fail_shape(st, "sizes input must be 1-D, not ", &wanted->shape);
    if (wanted->num_elems > SHAPE_MAX_RANK)
        return status_invalid(st, "Too many dimensions in tensor: %lld",
                              (long long)wanted->num_elems);
    if (!wanted_dims(wanted, dims, &missing, &product, st) ||
        (missing >= 0 && !missing_dim(in, dims, rank, product, &dims[missing], st)))
        return false;
    int64_t elems = missing >= 0 ? in->num_elems : product;
    for (int i = 0; i < rank && missing >= 0; i++)
        elems = dims[i] == 0 ? 0 : elems;
    if (elems != in->num_elems)
        return status_invalid(
            st, "Input to reshape is a tensor with %lld values, but the requested shape has %lld",
            (long long)in->num_elems, (long long)elems);
    struct shape shape = shape_make(dims, rank);
    bool ok = share_as(c, &shape, st);
    shape_clear(&shape);
    return ok;
}

OP_DEF(reshape) = {
    .name = "Reshape",
    .summary = "The elements of the input, in their order, under another shape.",
    .inputs = {"tensor: T", "shape: Tshape"},
    .outputs = {"output: T"},
    .attrs = {"T: type", "Tshape: {int32, int64} = DT_INT32"},
    .shape = reshape_shape,
    .grad = reshape_grad,
};
KERNEL_DEF(reshape_cpu) = {
    .op = "Reshape", .device = "CPU", .run = reshape_run, .flags = KERNEL_ALIAS};

/* --- QuantizedReshape: the range goes along --- */

static bool quantized_reshape_shape(struct infer_ctx *c, struct status *st)
{
    qrange_infer_limits(c, 1);
    return reshape_shape(c, st) && qrange_infer_scalars(c, 2, st);
}

static bool quantized_reshape_run(struct kctx *c, struct status *st)
{
    struct qrange r;
    return qrange_in(c, 2, &r, st) && reshape_run(c, st) && qrange_out(c, 1, r, st);
}

OP_DEF(quantized_reshape) = {
    .name = "QuantizedReshape",
    .summary = "Quantised numbers, in their order, under another shape.",
    .inputs = {"tensor: T", "shape: Tshape", "input_min: float", "input_max: float"},
    .outputs = {"output: T", "output_min: float", "output_max: float"},
    .attrs = {"T: type", "Tshape: {int32, int64} = DT_INT32"},
    .shape = quantized_reshape_shape,
    .no_grad = "undefined: TensorFlow registers none",
    .no_kernel = "TensorFlow has them of quint8 and qint32 alone",
};
KERNEL_DEF(quantized_reshape_cpu) = {.op = "QuantizedReshape",
                                     .device = "CPU",
                                     .types = {"T: {quint8, qint32}"},
                                     .run = quantized_reshape_run,
                                     .flags = KERNEL_ALIAS};

/* --- ExpandDims --- */

static bool expand_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *in = infer_input(c, 0);
    const struct tensor *dim = infer_const(c, 1);
    if (dim && dim->num_elems != 1)
        return status_invalid(st, "'dim' input must be a tensor with a single value");
    if (!dim || in->rank < 0) {
        infer_set(c, 0, infer_unknown(c));
        return true;
    }
    int64_t d = tensor_index(dim, 0);
    if (d < -in->rank - 1 || d > in->rank)
        return status_invalid(st, "dim %lld not in the interval [%d, %d].", (long long)d,
                              -in->rank - 1, in->rank);
    int at = (int)(d < 0 ? d + in->rank + 1 : d);
    const struct shape *before = infer_slice(c, in, 0, at);
    before = infer_concat(c, before, infer_vector(c, 1));
    infer_set(c, 0, infer_concat(c, before, infer_slice(c, in, at, in->rank)));
    return true;
}

static bool expand_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0), *dim = kernel_in(c, 1);
    int rank = tensor_rank(in);
    if (dim->num_elems != 1)
        return status_invalid(st, "'dim' must be a tensor with a single value");
    int64_t d = tensor_index(dim, 0);
    if (d < -rank - 1 || d > rank)
        return status_invalid(st, "Tried to expand dim index %lld for tensor with %d dimensions.",
                              (long long)d, rank);
    if (rank == SHAPE_MAX_RANK)
        return status_invalid(st, "Too many dimensions in tensor: %d", rank + 1);
    int at = (int)(d < 0 ? d + rank + 1 : d);
    int64_t dims[SHAPE_MAX_RANK];
    for (int i = 0; i <= rank; i++)
        dims[i] = i == at ? 1 : tensor_dim(in, i < at ? i : i - 1);
    struct shape shape = shape_make(dims, rank + 1);
    bool ok = share_as(c, &shape, st);
    shape_clear(&shape);
    return ok;
}

OP_DEF(expand_dims) = {
    .name = "ExpandDims",
    .summary = "The input with a dim of length one put in at the given place.",
    .inputs = {"input: T", "dim: Tdim"},
    .outputs = {"output: T"},
    .attrs = {"T: type", "Tdim: {int32, int64} = DT_INT32"},
    .shape = expand_shape,
    .grad = reshape_grad,
};
KERNEL_DEF(expand_dims_cpu) = {
    .op = "ExpandDims", .device = "CPU", .run = expand_run, .flags = KERNEL_ALIAS};

/* --- Squeeze --- */

/* Marks the dims to squeeze; false where a listed one does not exist: *bad is its place. */
static bool mark_squeezed(const struct attr_value *list, int rank, bool *squeeze, int64_t *bad)
{
    for (int i = 0; i < rank; i++)
        squeeze[i] = false;
    for (*bad = 0; *bad < list->n; ++*bad) {
        int64_t d = list->is[*bad];
        if (d < -rank || d >= rank)
            return false;
        squeeze[d < 0 ? d + rank : d] = true;
    }
    return true;
}

static bool squeeze_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *in = infer_input(c, 0);
    const struct attr_value *list = attrs_list(infer_attrs(c), "squeeze_dims");
    bool squeeze[SHAPE_MAX_RANK];
    int64_t dims[SHAPE_MAX_RANK], bad;
    int rank = 0;
    infer_set(c, 0, infer_unknown(c));
    if (in->rank < 0)
        return true;
    if (!mark_squeezed(list, in->rank, squeeze, &bad))
        return status_invalid(st, "squeeze_dims[%lld] not in [%d,%d).", (long long)bad, -in->rank,
                              in->rank);
    for (int i = 0; i < in->rank; i++) {
        int64_t d = shape_dim(in, i);
        if (d == DIM_UNKNOWN && list->n == 0)
            return true;
        if (squeeze[i] && d != DIM_UNKNOWN && d != 1)
            return status_invalid(st,
                                  "Can not squeeze dim[%d], expected a dimension of 1, got %lld", i,
                                  (long long)d);
        if (!squeeze[i] && (list->n > 0 || d != 1))
            dims[rank++] = d;
    }
    infer_set(c, 0, infer_make(c, dims, rank));
    return true;
}

struct squeeze_state {
    const struct attr_value *list; /* the kernel's attr */
};

static bool squeeze_init(struct kernel *k, void *state, struct status *st UNUSED)
{
    ((struct squeeze_state *)state)->list = attrs_list(k->attrs, "squeeze_dims");
    return true;
}

static bool squeeze_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    const struct attr_value *list = ((const struct squeeze_state *)kernel_state(c))->list;
    bool squeeze[SHAPE_MAX_RANK];
    int64_t dims[SHAPE_MAX_RANK], bad;
    int rank = 0;
    if (!mark_squeezed(list, tensor_rank(in), squeeze, &bad))
        return status_invalid(st, "Tried to squeeze dim index %lld for tensor with %d dimensions.",
                              (long long)list->is[bad], tensor_rank(in));
    for (int i = 0; i < tensor_rank(in); i++) {
        int64_t d = tensor_dim(in, i);
        if (squeeze[i] && d != 1)
            return status_invalid(st,
                                  "Can not squeeze dim[%d], expected a dimension of 1, got %lld", i,
                                  (long long)d);
        if (!squeeze[i] && (list->n > 0 || d != 1))
            dims[rank++] = d;
    }
    struct shape shape = shape_make(dims, rank);
    bool ok = share_as(c, &shape, st);
    shape_clear(&shape);
    return ok;
}

OP_DEF(squeeze) = {
    .name = "Squeeze",
    .summary = "The input without its dims of length one, or without the listed ones of them.",
    .inputs = {"input: T"},
    .outputs = {"output: T"},
    .attrs = {"T: type", "squeeze_dims: list(int) >= 0 = []"},
    .shape = squeeze_shape,
    .grad = reshape_grad,
};
KERNEL_DEF(squeeze_cpu) = {.op = "Squeeze",
                           .device = "CPU",
                           .flags = KERNEL_ALIAS,
                           .state_bytes = sizeof(struct squeeze_state),
                           .init = squeeze_init,
                           .run = squeeze_run};
