/* SPDX-License-Identifier: Apache-2.0 */
/* TensorProto and TensorShapeProto messages to tensors and shapes and back, for all element types
 * and every form a writer may choose: raw bytes (tensor_content), or a list of values whose last
 * one repeats to the end.
 *
 * The size that counts is the shape's. Raw bytes must be just as many; a longer list is cut, an
 * empty one means zeros. Memory comes through tensor_new, which refuses what the machine lacks. */
#include "op/tensor_proto.h"

enum {
    SPLAT_MIN_BYTES = 1024, /* from here on a tensor of equal elements is written as one of them */
};

/* --- shapes --- */

bool shape_from_proto(const struct pb_tensor_shape_proto *p, struct shape *out, struct status *st)
{
    int64_t dims[SHAPE_MAX_RANK], elems = 1;
    bool overflow = false, zero = false;

    if (!p || p->unknown_rank) {
        if (p && p->dim.n > 0)
            return status_invalid(st, "An unknown shape must not have any dimensions set");
        *out = p ? shape_unknown() : shape_scalar();
        return true;
    }
    if (p->dim.n > SHAPE_MAX_RANK)
        return status_invalid(st, "Shape has %lld dimensions, at most %d are possible",
                              (long long)p->dim.n, SHAPE_MAX_RANK);
    for (int64_t i = 0; i < p->dim.n; i++) {
        dims[i] = p->dim.v[i]->size;
        if (dims[i] < DIM_UNKNOWN)
            return status_invalid(st, "Shape has dimension %lld with values below -1 (got %lld)",
                                  (long long)i, (long long)dims[i]);
        zero = zero || dims[i] == 0;
        if (dims[i] > 0 && !size_mul(elems, dims[i], &elems))
            overflow = true;
    }
    if (overflow && !zero)
        return status_invalid(st, "Shape has more than 2^63 - 1 elements");
    *out = shape_make(dims, (int)p->dim.n);
    return true;
}

struct pb_tensor_shape_proto *shape_to_proto(struct arena *a, const struct shape *s)
{
    struct pb_tensor_shape_proto *p = pb_tensor_shape_proto_new(a);

    if (s->rank == RANK_UNKNOWN) {
        p->unknown_rank = true;
        return p;
    }
    for (int i = 0; i < s->rank; i++)
        pb_tensor_shape_proto_dim_add(a, &p->dim)->size = shape_dim(s, i);
    return p;
}

/* --- variants: kept as they came --- */

static bool variant_in(const struct pb_variant_tensor_data_proto *p, struct variant **out,
                       struct status *st)
{
    struct strbuf bytes = {0};

    if (!pb_encode(p, &bytes, st)) {
        strbuf_release(&bytes);
        return false;
    }
    *out = variant_opaque(bytes.p, bytes.n);
    strbuf_release(&bytes);
    return true;
}

static void variant_out(struct arena *a, const struct variant *v, struct pb_tensor_proto *p)
{
    struct pb_variant_tensor_data_proto *d = pb_variant_tensor_data_proto_add(a, &p->variant_val);
    struct status st = {0};
    struct str bytes;

    if (!v)
        return;
    if (!variant_opaque_bytes(v, &bytes))
        d->type_name = str_of(v->type->name);
    else if (!pb_merge_bytes(a, d, bytes.p, bytes.n, 0, &st))
        status_clear(&st);
}

/* --- handles --- */

static bool handle_in(const struct pb_resource_handle_proto *p, struct handle **out,
                      struct status *st)
{
    struct str fields[] = {p->device, p->container, p->name, p->maybe_type_name};
    char *text[4];

    for (int i = 0; i < 4; i++)
        text[i] = mem_strndup(fields[i].p ? fields[i].p : "", fields[i].n);
    struct handle *h = handle_new(text[0], text[1], text[2], text[3], p->hash_code);

    for (int i = 0; i < 4; i++)
        mem_free(text[i]);
    int64_t n = p->dtypes_and_shapes.n, done = 0;

    h->dtypes = mem_new_array(int, n);
    h->shapes = mem_new_array(struct shape, n);
    while (done < n &&
           shape_from_proto(p->dtypes_and_shapes.v[done]->shape, &h->shapes[done], st)) {
        h->dtypes[done] = p->dtypes_and_shapes.v[done]->dtype;
        done++;
    }
    h->num_parts = (int)done;
    if (done < n) {
        handle_unref(h);
        return false;
    }
    *out = h;
    return true;
}

static void handle_out(struct arena *a, const struct handle *h, struct pb_tensor_proto *p)
{
    struct pb_resource_handle_proto *r = pb_resource_handle_proto_add(a, &p->resource_handle_val);

    if (!h)
        return;
    pb_set_str(a, &r->device, h->device);
    pb_set_str(a, &r->container, h->container);
    pb_set_str(a, &r->name, h->name);
    pb_set_str(a, &r->maybe_type_name, h->type_name);
    r->hash_code = h->hash_code;
    for (int i = 0; i < h->num_parts; i++) {
        struct pb_resource_handle_proto_dtype_and_shape *d =
            pb_resource_handle_proto_dtype_and_shape_add(a, &r->dtypes_and_shapes);

        d->dtype = h->dtypes[i];
        d->shape = shape_to_proto(a, &h->shapes[i]);
    }
}

/* --- in, from raw bytes --- */

static bool varint(const char **p, const char *end, uint64_t *out)
{
    *out = 0;
    for (int shift = 0; shift < 35 && *p < end; shift += 7) {
        uint8_t byte = (uint8_t) * (*p)++;

        *out |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return true;
    }
    return false;
}

/* All lengths, then all bytes. */
static bool strings_from_content(struct str content, struct tensor *t, struct status *st)
{
    const char *len_at = content.p, *end = content.p + content.n, *text = content.p;
    uint64_t len, total = 0;

    for (int64_t i = 0; i < t->num_elems; i++) {
        if (!varint(&text, end, &len) || len > content.n || total + len > content.n)
            return status_invalid(st, "Cannot parse tensor from proto: bad lengths of strings");
        total += len;
    }
    if (total != (uint64_t)(end - text))
        return status_invalid(st,
                              "Cannot parse tensor from proto: its strings need %llu bytes, "
                              "there are %lld",
                              (unsigned long long)total, (long long)(end - text));
    for (int64_t i = 0; i < t->num_elems; i++) {
        (void)varint(&len_at, end, &len);
        if (!tstr_set(&tensor_str(t)[i], text, (size_t)len))
            return status_exhausted(st, "No memory for a string of %llu bytes",
                                    (unsigned long long)len);
        text += len;
    }
    return true;
}

static bool from_content(struct str content, struct tensor *t, struct status *st)
{
    if (t->dtype == DT_STRING)
        return strings_from_content(content, t, st);
    if (dtype_is_managed(t->dtype))
        return status_invalid(st, "Cannot parse tensor from proto: %s has no raw bytes",
                              dtype_name(t->dtype));
    if (content.n != tensor_bytes(t))
        return status_invalid(
            st, "Cannot parse tensor from proto: %lld elements of %s are %zu bytes, there are %zu",
            (long long)t->num_elems, dtype_name(t->dtype), tensor_bytes(t), content.n);
    memcpy(t->data, content.p, content.n);
    for (int64_t i = 0; t->dtype == DT_BOOL && i < t->num_elems; i++)
        ((uint8_t *)t->data)[i] = ((uint8_t *)t->data)[i] != 0;
    return true;
}

/* --- in, from a list --- */

/* The last of `have` elements repeats to the end; none: zeros. */
static void repeat_last(struct tensor *t, int64_t have)
{
    size_t size = dtype_size(t->dtype);
    char *data = t->data;

    if (have == 0) {
        memset(data, 0, tensor_bytes(t));
        return;
    }
    for (int64_t done = have; done < t->num_elems;) { /* what has been filled, again */
        int64_t n = min_i64(t->num_elems - done, done - (have - 1));

        memcpy(data + (size_t)done * size, data + (size_t)(have - 1) * size, (size_t)n * size);
        done += n;
    }
}

/* Where plain numbers stand in a message: of which type, as what in C, in which list, whose
 * elements are added by pb_add_LAST. */
/* clang-format off */
#define PLAIN_NUMBERS(ROW)                            \
    ROW(DT_FLOAT, float, float_val, f32)              \
    ROW(DT_DOUBLE, double, double_val, f64)           \
    ROW(DT_INT32, int32_t, int_val, i32)              \
    ROW(DT_QINT32, int32_t, int_val, i32)             \
    ROW(DT_INT16, int16_t, int_val, i32)              \
    ROW(DT_QINT16, int16_t, int_val, i32)             \
    ROW(DT_UINT16, uint16_t, int_val, i32)            \
    ROW(DT_QUINT16, uint16_t, int_val, i32)           \
    ROW(DT_INT8, int8_t, int_val, i32)                \
    ROW(DT_QINT8, int8_t, int_val, i32)               \
    ROW(DT_UINT8, uint8_t, int_val, i32)              \
    ROW(DT_QUINT8, uint8_t, int_val, i32)             \
    ROW(DT_INT64, int64_t, int64_val, i64)            \
    ROW(DT_UINT32, uint32_t, uint32_val, u32)         \
    ROW(DT_UINT64, uint64_t, uint64_val, u64)         \
    ROW(DT_BOOL, bool, bool_val, bool)                \
    ROW(DT_HALF, uint16_t, half_val, i32)             \
    ROW(DT_BFLOAT16, uint16_t, half_val, i32)
/* clang-format on */

#define FILL(dtype, type, list, add)                                                               \
    case dtype:                                                                                    \
        n = min_i64(t->num_elems, p->list.n);                                                      \
        for (int64_t i = 0; i < n; i++)                                                            \
            ((type *)t->data)[i] = (type)p->list.v[i];                                             \
        break;

/* Elements taken from the list of the tensor's type; false: the type has none of plain numbers. */
static bool fill_numbers(const struct pb_tensor_proto *p, struct tensor *t, int64_t *have)
{
    int64_t n = 0;

    switch (t->dtype) {
        PLAIN_NUMBERS(FILL)
    case DT_COMPLEX64:
        n = min_i64(t->num_elems, p->scomplex_val.n / 2);
        if (n)
            memcpy(t->data, p->scomplex_val.v, (size_t)n * sizeof(struct c64));
        break;
    case DT_COMPLEX128:
        n = min_i64(t->num_elems, p->dcomplex_val.n / 2);
        if (n)
            memcpy(t->data, p->dcomplex_val.v, (size_t)n * sizeof(struct c128));
        break;
    default:
        return false;
    }
    *have = n;
    return true;
}

static bool fill_strings(const struct pb_strs *list, struct tensor *t, struct status *st)
{
    for (int64_t i = 0; list->n && i < t->num_elems; i++) {
        struct str s = list->v[min_i64(i, list->n - 1)];

        if (!tstr_set(&tensor_str(t)[i], s.p ? s.p : "", s.n))
            return status_exhausted(st, "No memory for a string of %zu bytes", s.n);
    }
    return true;
}

static bool fill_handles(const struct pb_tensor_proto *p, struct tensor *t, struct status *st)
{
    struct handle **out = t->data;
    int64_t have = min_i64(p->resource_handle_val.n, t->num_elems);

    for (int64_t i = 0; i < have; i++)
        if (!handle_in(p->resource_handle_val.v[i], &out[i], st))
            return false;
    for (int64_t i = have; have && i < t->num_elems; i++)
        out[i] = handle_ref(out[have - 1]);
    return true;
}

static bool fill_variants(const struct pb_tensor_proto *p, struct tensor *t, struct status *st)
{
    struct variant **out = t->data;
    int64_t have = min_i64(p->variant_val.n, t->num_elems);

    for (int64_t i = 0; i < have; i++)
        if (!variant_in(p->variant_val.v[i], &out[i], st))
            return false;
    for (int64_t i = have; have && i < t->num_elems; i++)
        out[i] = variant_ref(out[have - 1]);
    return true;
}

static bool fill(const struct pb_tensor_proto *p, struct tensor *t, struct status *st)
{
    int64_t have;

    if (t->num_elems == 0)
        return true;
    if (p->tensor_content.n)
        return from_content(p->tensor_content, t, st);
    if (t->dtype == DT_STRING)
        return fill_strings(&p->string_val, t, st);
    if (t->dtype == DT_RESOURCE)
        return fill_handles(p, t, st);
    if (t->dtype == DT_VARIANT)
        return fill_variants(p, t, st);
    if (!fill_numbers(p, t, &have))
        return status_internal(st, "No values of type %s", dtype_name(t->dtype));
    repeat_last(t, have);
    return true;
}

bool tensor_from_proto(const struct pb_tensor_proto *p, struct tensor *out, struct status *st)
{
    struct shape shape;
    struct tensor t = {0};

    if (!dtype_valid(p->dtype) || dtype_is_ref(p->dtype))
        return status_invalid(st, "Cannot parse tensor from proto: its dtype is %d", (int)p->dtype);
    if (!shape_from_proto(p->tensor_shape, &shape, st))
        return false;
    if (!shape_known(&shape)) {
        struct strbuf text = {0};

        shape_print(&shape, &text);
        shape_clear(&shape);
        status_invalid(st, "Cannot parse tensor from proto: its shape is %s, not fully known",
                       strbuf_text(&text));
        strbuf_release(&text);
        return false;
    }
    bool ok = tensor_new(&t, p->dtype, &shape, st);

    shape_clear(&shape);
    if (!ok)
        return false;
    if (!fill(p, &t, st)) {
        tensor_clear(&t);
        return false;
    }
    *out = t;
    return true;
}

/* --- out --- */

static bool all_equal(const struct tensor *t)
{
    size_t size = dtype_size(t->dtype), bytes = tensor_bytes(t);

    return memcmp(t->data, (const char *)t->data + size, bytes - size) == 0;
}

#define ONE(dtype, type, list, add)                                                                \
    case dtype:                                                                                    \
        pb_add_##add(a, &p->list, *(const type *)t->data);                                         \
        break;

/* The first element, in the list of its type. */
static void one_value(struct arena *a, const struct tensor *t, struct pb_tensor_proto *p)
{
    switch (t->dtype) {
        PLAIN_NUMBERS(ONE)
    case DT_COMPLEX64:
        pb_add_f32(a, &p->scomplex_val, ((const float *)t->data)[0]);
        pb_add_f32(a, &p->scomplex_val, ((const float *)t->data)[1]);
        break;
    case DT_COMPLEX128:
        pb_add_f64(a, &p->dcomplex_val, ((const double *)t->data)[0]);
        pb_add_f64(a, &p->dcomplex_val, ((const double *)t->data)[1]);
        break;
    default:
        break;
    }
}

static void managed_values(struct arena *a, const struct tensor *t, struct pb_tensor_proto *p)
{
    if (t->dtype == DT_STRING) {
        p->string_val.v = arena_array(a, struct str, t->num_elems);
        p->string_val.n = t->num_elems;
        for (int64_t i = 0; i < t->num_elems; i++)
            p->string_val.v[i] = tstr_view(&tensor_str(t)[i]);
    }
    for (int64_t i = 0; t->dtype == DT_RESOURCE && i < t->num_elems; i++)
        handle_out(a, ((struct handle *const *)t->data)[i], p);
    for (int64_t i = 0; t->dtype == DT_VARIANT && i < t->num_elems; i++)
        variant_out(a, ((struct variant *const *)t->data)[i], p);
}

struct pb_tensor_proto *tensor_to_proto_raw(struct arena *a, const struct tensor *t)
{
    struct pb_tensor_proto *p = pb_tensor_proto_new(a);

    p->dtype = t->dtype;
    p->tensor_shape = shape_to_proto(a, &t->shape);
    if (t->num_elems == 0)
        return p;
    if (dtype_is_managed(t->dtype))
        managed_values(a, t, p);
    else
        p->tensor_content = str_make(t->data, tensor_bytes(t));
    return p;
}

struct pb_tensor_proto *tensor_to_proto(struct arena *a, const struct tensor *t)
{
    struct pb_tensor_proto *p = pb_tensor_proto_new(a);

    p->dtype = t->dtype;
    p->tensor_shape = shape_to_proto(a, &t->shape);
    if (t->num_elems == 0)
        return p;
    if (dtype_is_managed(t->dtype))
        managed_values(a, t, p);
    else if (t->num_elems == 1 || (tensor_bytes(t) >= SPLAT_MIN_BYTES && all_equal(t)))
        one_value(a, t, p);
    else
        p->tensor_content = str_make(t->data, tensor_bytes(t));
    return p;
}
