/* SPDX-License-Identifier: Apache-2.0 */
/* Constants of the caller's arrays and numbers (leat/constant.h). */
#include <string.h>

#include "api/leat_builder.h"
#include "leat/constant.h"

/* The node; takes *t. */
static TF_Output add_const(TF_Graph *g, struct tensor *t, const char *name, const char *made_at)
{
    TF_OperationDescription *d = leat_begin(g, "Const", name, made_at);
    if (d) {
        node_desc_attr((struct node_desc *)d, "dtype", attr_type(t->dtype));
        node_desc_attr((struct node_desc *)d, "value", attr_tensor(t));
    }
    tensor_clear(t);
    return leat_output_of(leat_finish(d), 0);
}

static TF_Output refused(TF_Graph *g, struct status *st, const char *at)
{
    if (g)
        builder_record(api_graph(g), st, NULL, at);
    status_clear(st);
    return (TF_Output){NULL, 0};
}

/* Uninitialised elements of a known shape. */
static bool make_tensor(struct tensor *t, int dtype, struct leat_shape shape, struct status *st)
{
    if (!dtype_valid(dtype) || dtype_is_ref(dtype) || dtype == DT_RESOURCE || dtype == DT_VARIANT)
        return status_invalid(st, "constant: %d is not the number of a type of values", dtype);
    if (shape.rank < 0 || shape.rank > SHAPE_MAX_RANK || (shape.rank > 0 && !shape.dims))
        return status_invalid(st, "constant: a known shape is wanted, given is rank %d",
                              shape.rank);
    for (int i = 0; i < shape.rank; i++) {
        if (shape.dims[i] < 0)
            return status_invalid(st, "constant: dimension %d is %lld", i,
                                  (long long)shape.dims[i]);
    }
    struct shape s = shape_make(shape.dims, shape.rank);
    bool ok = tensor_new(t, dtype, &s, st);
    shape_clear(&s);
    return ok;
}

static bool copy_texts(struct tensor *t, const char *const *texts, struct status *st)
{
    for (int64_t i = 0; i < t->num_elems; i++) {
        if (!tstr_set(&tensor_str(t)[i], texts[i] ? texts[i] : "", texts[i] ? strlen(texts[i]) : 0))
            return status_exhausted(st, "constant: no memory for string %lld", (long long)i);
    }
    return true;
}

TF_Output leat_const_array_fn(TF_Graph *g, TF_DataType dtype, const void *data,
                              struct leat_shape shape, const struct leat_const_args *args)
{
    struct status st = {0};
    struct tensor t = {0};
    const char *at = args ? args->made_at : NULL;
    bool ok = make_tensor(&t, (int)dtype, shape, &st);
    if (ok && t.num_elems > 0 && !data)
        ok = status_invalid(&st, "constant: no data");
    if (ok && dtype == TF_STRING)
        ok = copy_texts(&t, data, &st);
    else if (ok && t.num_elems > 0)
        memcpy(t.data, data, tensor_bytes(&t));
    if (ok)
        return add_const(g, &t, args ? args->name : NULL, at);
    tensor_clear(&t);
    return refused(g, &st, at);
}

TF_Output leat_constant_fn(TF_Graph *g, TF_Tensor *value, const struct leat_const_args *args)
{
    struct status st = {0};
    struct tensor borrowed = {0}, own = {0};
    const char *at = args ? args->made_at : NULL;
    bool ok = value || status_invalid(&st, "leat_constant: no tensor");
    ok = ok && api_tensor_to_internal(value, &borrowed, &st) && tensor_dup(&borrowed, &own, &st);
    tensor_clear(&borrowed);
    if (ok)
        return add_const(g, &own, args ? args->name : NULL, at);
    return refused(g, &st, at);
}

/* --- one number everywhere --- */

#define FILL(ctype, value)                                                                         \
    for (int64_t i = 0; i < t->num_elems; i++)                                                     \
    ((ctype *)t->data)[i] = (value)

static bool fill_other(struct tensor *t, double v, struct status *st)
{
    switch (t->dtype) {
    case DT_HALF:
        FILL(struct f16, f16_from_f32((float)v));
        return true;
    case DT_BFLOAT16:
        FILL(struct bf16, bf16_from_f32((float)v));
        return true;
    case DT_COMPLEX64:
        FILL(struct c64, ((struct c64){(float)v, 0}));
        return true;
    case DT_COMPLEX128:
        FILL(struct c128, ((struct c128){v, 0}));
        return true;
    case DT_STRING: /* empty texts are what zeros are */
        return v == 0 || status_invalid(st, "constant: strings filled with the number %g", v);
    default:
        return status_unimplemented(st, "constant: a filled tensor of type %s",
                                    dtype_name(t->dtype));
    }
}

static bool fill(struct tensor *t, double v, struct status *st)
{
    switch (t->dtype) {
    case DT_FLOAT:
        FILL(float, (float)v);
        return true;
    case DT_DOUBLE:
        FILL(double, v);
        return true;
    case DT_BOOL:
        FILL(bool, v != 0);
        return true;
    case DT_INT8:
    case DT_UINT8:
        FILL(uint8_t, (uint8_t)(int64_t)v);
        return true;
    case DT_INT16:
    case DT_UINT16:
        FILL(uint16_t, (uint16_t)(int64_t)v);
        return true;
    case DT_INT32:
    case DT_UINT32:
        FILL(uint32_t, (uint32_t)(int64_t)v);
        return true;
    case DT_INT64:
    case DT_UINT64:
        FILL(int64_t, (int64_t)v);
        return true;
    default:
        return fill_other(t, v, st);
    }
}

TF_Output leat_const_filled_fn(TF_Graph *g, struct leat_shape shape, double value,
                               const struct leat_const_args *args)
{
    struct status st = {0};
    struct tensor t = {0};
    const char *at = args ? args->made_at : NULL;
    int dtype = args && args->dtype ? (int)args->dtype : DT_FLOAT;
    bool whole = dtype_is_integer(dtype);
    bool ok = make_tensor(&t, dtype, shape, &st);
    if (ok && whole && !(value >= -9.2e18 && value <= 9.2e18))
        ok = status_invalid(&st, "constant: %g does not fit in %s", value, dtype_name(dtype));
    if (ok && fill(&t, value, &st))
        return add_const(g, &t, args ? args->name : NULL, at);
    tensor_clear(&t);
    return refused(g, &st, at);
}
