/* SPDX-License-Identifier: Apache-2.0 */
/* What a shape function of a plug-in sees (ops.h). A TF_ShapeInferenceContext is a struct
 * infer_ctx; a TF_ShapeHandle is a box with a pointer to a shape that the context owns, NULL for
 * the unknown one; a TF_DimensionHandle is a box with a size. NULLs are answered as the unknown. */
#include "api/api_tensor.h"
#include "api/plugin.h"
#include "base/mem.h"
#include "op/infer.h"
#include "tensorflow/c/ops.h"

struct TF_ShapeHandle {
    const struct shape *shape;
};
struct TF_DimensionHandle {
    int64_t size;
};

static struct infer_ctx *infer(TF_ShapeInferenceContext *ctx)
{
    return (struct infer_ctx *)ctx;
}

static const struct shape *shape_in(struct infer_ctx *c, const TF_ShapeHandle *h)
{
    return h && h->shape ? h->shape : infer_unknown(c);
}

static void put(TF_ShapeHandle *h, const struct shape *s)
{
    if (h)
        h->shape = s;
}

/* --- boxes --- */

TF_ShapeHandle *TF_NewShapeHandle(void)
{
    return mem_new(struct TF_ShapeHandle);
}

void TF_DeleteShapeHandle(TF_ShapeHandle *handle)
{
    mem_free(handle);
}

TF_DimensionHandle *TF_NewDimensionHandle(void)
{
    TF_DimensionHandle *d = mem_new(struct TF_DimensionHandle);
    d->size = DIM_UNKNOWN;
    return d;
}

void TF_DeleteDimensionHandle(TF_DimensionHandle *handle)
{
    mem_free(handle);
}

int TF_DimensionHandleValueKnown(TF_DimensionHandle *dim_handle)
{
    return TF_DimensionHandleValue(dim_handle) != DIM_UNKNOWN;
}

int64_t TF_DimensionHandleValue(TF_DimensionHandle *dim_handle)
{
    return dim_handle ? dim_handle->size : DIM_UNKNOWN;
}

/* --- the node --- */

int64_t TF_ShapeInferenceContextNumInputs(TF_ShapeInferenceContext *ctx)
{
    return ctx ? infer_num_inputs(infer(ctx)) : 0;
}

void TF_ShapeInferenceContextGetInput(TF_ShapeInferenceContext *ctx, int i, TF_ShapeHandle *handle,
                                      TF_Status *status)
{
    struct status st = {0};
    if (!ctx || i < 0 || i >= infer_num_inputs(infer(ctx)))
        status_invalid(&st, "input index out of range");
    else
        put(handle, infer_input(infer(ctx), i));
    api_return(status, &st);
}

void TF_ShapeInferenceContextSetOutput(TF_ShapeInferenceContext *ctx, int i, TF_ShapeHandle *handle,
                                       TF_Status *status)
{
    struct status st = {0};
    if (!ctx || i < 0 || i >= infer_num_outputs(infer(ctx)))
        status_invalid(&st, "output index out of range");
    else
        infer_set(infer(ctx), i, shape_in(infer(ctx), handle));
    api_return(status, &st);
}

void TF_ShapeInferenceContextSetUnknownShape(TF_ShapeInferenceContext *ctx, TF_Status *status)
{
    struct status st = {0};
    for (int i = 0; ctx && i < infer_num_outputs(infer(ctx)); i++)
        infer_set(infer(ctx), i, infer_unknown(infer(ctx)));
    api_return(status, &st);
}

void TF_ShapeInferenceContext_GetAttrType(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                          TF_DataType *val, TF_Status *status)
{
    struct status st = {0};
    const struct attr_value *v = NULL;
    if (!ctx || !val)
        status_invalid(&st, "TF_ShapeInferenceContext_GetAttrType: an argument is NULL");
    else
        v = plugin_attr(infer_attrs(infer(ctx)), attr_name, ATTR_TYPE, infer_node_name(infer(ctx)),
                        &st);
    if (v)
        *val = (TF_DataType)v->type;
    api_return(status, &st);
}

/* --- shapes --- */

TF_ShapeHandle *TF_ShapeInferenceContextVectorFromSize(TF_ShapeInferenceContext *ctx, size_t size)
{
    TF_ShapeHandle *h = TF_NewShapeHandle();
    if (ctx)
        put(h, infer_vector(infer(ctx), size > INT64_MAX ? DIM_UNKNOWN : (int64_t)size));
    return h;
}

int64_t TF_ShapeInferenceContextRank(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *handle)
{
    (void)ctx;
    return handle && handle->shape ? handle->shape->rank : RANK_UNKNOWN;
}

int TF_ShapeInferenceContextRankKnown(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *handle)
{
    return TF_ShapeInferenceContextRank(ctx, handle) != RANK_UNKNOWN;
}

typedef bool (*want_fn)(struct infer_ctx *c, const struct shape *s, int rank,
                        const struct shape **out, struct status *st);

static void want(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *handle, int64_t rank, want_fn check,
                 TF_ShapeHandle *result, TF_Status *status)
{
    struct status st = {0};
    const struct shape *out = NULL;
    if (!ctx)
        status_invalid(&st, "a shape function's context is NULL");
    else if (rank > INT32_MAX)
        status_invalid(&st, "Rank cannot exceed kint32max");
    else if (rank > SHAPE_MAX_RANK && check == infer_want_rank)
        status_invalid(&st, "Shape must be rank %lld, which is more than %d", (long long)rank,
                       SHAPE_MAX_RANK);
    else if (!check(infer(ctx), shape_in(infer(ctx), handle), rank < INT32_MIN ? -1 : (int)rank,
                    &out, &st))
        out = NULL;
    put(result, out);
    api_return(status, &st);
}

void TF_ShapeInferenceContextWithRank(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *handle,
                                      int64_t rank, TF_ShapeHandle *result, TF_Status *status)
{
    want(ctx, handle, rank, infer_want_rank, result, status);
}

void TF_ShapeInferenceContextWithRankAtLeast(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *handle,
                                             int64_t rank, TF_ShapeHandle *result,
                                             TF_Status *status)
{
    want(ctx, handle, rank, infer_want_rank_min, result, status);
}

void TF_ShapeInferenceContextWithRankAtMost(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *handle,
                                            int64_t rank, TF_ShapeHandle *result, TF_Status *status)
{
    want(ctx, handle, rank, infer_want_rank_max, result, status);
}

/* A bound of a subshape, counted from the start; false: before it. */
static bool bound(int64_t at, int rank, int64_t *out)
{
    *out = at > rank ? rank : at < 0 ? at + rank : at;
    return *out >= 0;
}

static bool subshape(struct infer_ctx *c, const struct shape *s, int64_t start, int64_t end,
                     const struct shape **out, struct status *st)
{
    int64_t first, last;
    *out = infer_unknown(c);
    if (s->rank == RANK_UNKNOWN)
        return true;
    if (!bound(start, s->rank, &first) || !bound(end, s->rank, &last)) {
        bool is_start = !bound(start, s->rank, &first);
        return status_invalid(st, "Subshape %s out of bounds: %lld, for shape with rank %d",
                              is_start ? "start" : "end", (long long)(is_start ? start : end),
                              s->rank);
    }
    if (first > last)
        return status_invalid(st,
                              "Subshape must have computed start <= end, but is %lld and %lld "
                              "(computed from start %lld and end %lld over shape with rank %d)",
                              (long long)first, (long long)last, (long long)start, (long long)end,
                              s->rank);
    *out = infer_make(c, shape_dims(s) + first, (int)(last - first));
    return true;
}

void TF_ShapeInferenceContextSubshape(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape_handle,
                                      int64_t start, int64_t end, TF_ShapeHandle *result,
                                      TF_Status *status)
{
    struct status st = {0};
    const struct shape *out = NULL;
    if (!ctx)
        status_invalid(&st, "a shape function's context is NULL");
    else if (!subshape(infer(ctx), shape_in(infer(ctx), shape_handle), start, end, &out, &st))
        out = NULL;
    put(result, out);
    api_return(status, &st);
}

void TF_ShapeInferenceContextConcatenateShapes(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *first,
                                               TF_ShapeHandle *second, TF_ShapeHandle *result,
                                               TF_Status *status)
{
    struct status st = {0};
    const struct shape *out = NULL;
    if (!ctx)
        status_invalid(&st, "a shape function's context is NULL");
    else if (TF_ShapeInferenceContextRank(ctx, first) + TF_ShapeInferenceContextRank(ctx, second) >
             SHAPE_MAX_RANK)
        status_invalid(&st, "The shapes have more than %d dimensions together", SHAPE_MAX_RANK);
    else
        out = infer_concat(infer(ctx), shape_in(infer(ctx), first), shape_in(infer(ctx), second));
    put(result, out);
    api_return(status, &st);
}

void TF_ShapeInferenceContextDim(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape_handle,
                                 int64_t i, TF_DimensionHandle *result)
{
    int64_t rank = TF_ShapeInferenceContextRank(ctx, shape_handle);
    if (!result)
        return;
    result->size = i < -rank || i >= rank ? DIM_UNKNOWN : infer_dim(shape_handle->shape, (int)i);
}
