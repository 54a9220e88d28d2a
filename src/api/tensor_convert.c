/* SPDX-License-Identifier: Apache-2.0 */
/* Values across the border of the C API: the client's bytes to struct tensor and back. Whatever
 * the client's bytes say (offsets, lengths, protos) is checked before it is used. */
#include <inttypes.h>
#include <string.h>

#include "api/api_tensor.h"
#include "api/string_layout.h"
#include "api/tensor_bytes.h"
#include "base/cpu.h"
#include "base/mem.h"
#include "leat/strings.h"
#include "proto/leat_proto.h"

/* --- strings --- */

/* Strings may overlap, so that small input could ask for a lot of memory: measured first. */
static bool check_strings(const TF_Tensor *t, int layout, struct status *st)
{
    if (!api_strings_fit(t, layout, st))
        return false;
    int64_t total = 0;
    for (int64_t i = 0; i < t->num_elems; i++) {
        struct str s;
        if (!api_string_at(t, layout, i, &s, st))
            return false;
        if (!size_add(total, (int64_t)s.n, &total) || total > cpu_memory_limit())
            return status_exhausted(
                st, "OOM when decoding a TF_STRING tensor of %" PRId64 " elements", t->num_elems);
    }
    return true;
}

static bool strings_in(const TF_Tensor *t, struct tensor *out, struct status *st)
{
    struct tensor made = {0};
    int layout = string_layout_use(st);
    if (!layout || !check_strings(t, layout, st) || !tensor_new(&made, DT_STRING, &t->shape, st))
        return false;
    for (int64_t i = 0; i < t->num_elems; i++) {
        struct str s = {0};
        if (!api_string_at(t, layout, i, &s, st))
            goto fail;
        if (!tstr_set(&tensor_str(&made)[i], s.p, s.n)) {
            status_exhausted(st, "OOM when decoding a string of %zu bytes", s.n);
            goto fail;
        }
    }
    *out = made;
    return true;
fail:
    tensor_clear(&made);
    return false;
}

/* Bytes of t in the client's layout; false when they leave int64. */
static bool strings_size(const struct tensor *t, int64_t *out)
{
    int64_t total;
    bool ok = size_mul(t->num_elems, sizeof(uint64_t), &total);
    for (int64_t i = 0; ok && i < t->num_elems; i++) {
        size_t n = tstr_len(&tensor_str(t)[i]);
        ok = n < INT64_MAX / 2 && size_add(total, (int64_t)TF_StringEncodedSize(n), &total);
    }
    *out = total;
    return ok;
}

static void write_strings(const struct tensor *t, char *to, size_t bytes)
{
    size_t head = (size_t)t->num_elems * sizeof(uint64_t);
    uint64_t offset = 0;
    for (int64_t i = 0; i < t->num_elems; i++) {
        const struct tstr *s = &tensor_str(t)[i];
        memcpy(to + (size_t)i * sizeof(offset), &offset, sizeof(offset));
        offset += TF_StringEncode(tstr_data(s), tstr_len(s), to + head + offset,
                                  bytes - head - (size_t)offset, NULL);
    }
}

/* An empty TF_Tensor of t's shape with room for `bytes`. */
static TF_Tensor *new_like(const struct tensor *t, size_t bytes, struct status *st)
{
    TF_Tensor *made =
        TF_AllocateTensor((TF_DataType)t->dtype, shape_dims(&t->shape), t->shape.rank, bytes);
    if (!made)
        status_exhausted(st, "OOM when allocating %zu bytes for a %s tensor", bytes,
                         dtype_name(t->dtype));
    return made;
}

static TF_Tensor *offsets_out(const struct tensor *t, struct status *st)
{
    int64_t bytes;
    if (!strings_size(t, &bytes)) {
        status_exhausted(st, "The strings of a tensor are too long to be encoded");
        return NULL;
    }
    TF_Tensor *made = new_like(t, (size_t)bytes, st);
    if (made)
        write_strings(t, made->data, (size_t)bytes);
    return made;
}

/* Copies: the client may free or change elements that it was given. */
static TF_Tensor *tstrings_out(const struct tensor *t, struct status *st)
{
    TF_Tensor *made = api_tstring_tensor(shape_dims(&t->shape), t->shape.rank);
    bool ok = made != NULL;
    for (int64_t i = 0; ok && i < t->num_elems; i++) {
        struct str s = tstr_view(&tensor_str(t)[i]);
        ok = tstr_set(&((struct tstr *)made->data)[i], s.p, s.n);
    }
    if (ok)
        return made;
    TF_DeleteTensor(made);
    status_exhausted(st, "OOM when allocating the strings of a tensor of %" PRId64 " elements",
                     t->num_elems);
    return NULL;
}

static TF_Tensor *strings_out(const struct tensor *t, struct status *st)
{
    int layout = string_layout_use(st);
    if (!layout)
        return NULL;
    return layout == STRINGS_OFFSETS ? offsets_out(t, st) : tstrings_out(t, st);
}

/* --- resources --- */

static char *text_of(struct str s)
{
    return mem_strndup(s.n ? s.p : "", s.n);
}

static bool shape_of_proto(const struct pb_tensor_shape_proto *p, struct shape *out,
                           struct status *st)
{
    int64_t dims[SHAPE_MAX_RANK];
    int64_t rank = !p ? 0 : p->unknown_rank ? -1 : p->dim.n;
    if (rank > SHAPE_MAX_RANK)
        return status_invalid(st, "a shape of rank %" PRId64 " in a resource handle", rank);
    for (int64_t i = 0; i < rank; i++) {
        dims[i] = p->dim.v[i]->size;
        if (dims[i] < DIM_UNKNOWN)
            return status_invalid(st, "a negative size in a resource handle");
    }
    *out = shape_make(dims, (int)rank);
    return true;
}

static bool parts_of_proto(const struct pb_resource_handle_proto *p, struct handle *h,
                           struct status *st)
{
    int64_t n = p->dtypes_and_shapes.n;
    h->dtypes = mem_new_array(int, n);
    h->shapes = mem_new_array(struct shape, n);
    for (int64_t i = 0; i < n; i++) {
        const struct pb_resource_handle_proto_dtype_and_shape *part = p->dtypes_and_shapes.v[i];
        h->dtypes[i] = part->dtype;
        if (!shape_of_proto(part->shape, &h->shapes[i], st))
            return false;
        h->num_parts++;
    }
    return true;
}

static struct handle *handle_of_proto(const struct pb_resource_handle_proto *p, struct status *st)
{
    char *device = text_of(p->device), *container = text_of(p->container);
    char *name = text_of(p->name), *type_name = text_of(p->maybe_type_name);
    struct handle *h = handle_new(device, container, name, type_name, p->hash_code);
    mem_free(device);
    mem_free(container);
    mem_free(name);
    mem_free(type_name);
    if (!parts_of_proto(p, h, st)) {
        handle_unref(h);
        return NULL;
    }
    return h;
}

static bool resource_in(const TF_Tensor *t, struct tensor *out, struct status *st)
{
    if (t->shape.rank != 0) {
        struct strbuf text = {0};
        shape_print(&t->shape, &text);
        status_invalid(
            st, "Malformed TF_RESOURCE tensor: expected a scalar, got a tensor with shape %s",
            strbuf_text(&text));
        strbuf_release(&text);
        return false;
    }
    struct arena a = {0};
    struct pb_resource_handle_proto *p;
    struct status why = {0};
    struct tensor made = {0};
    struct handle *h = NULL;
    if (pb_resource_handle_proto_decode(&a, t->data, t->bytes, PB_BORROW, &p, &why))
        h = handle_of_proto(p, &why);
    if (!h)
        status_invalid(st, "Malformed TF_RESOURCE tensor: unable to parse resource handle: %s",
                       status_message(&why));
    else if (tensor_new(&made, DT_RESOURCE, &t->shape, st))
        *(struct handle **)made.data = handle_ref(h);
    handle_unref(h);
    status_clear(&why);
    arena_release(&a);
    if (made.buf)
        *out = made;
    return made.buf != NULL;
}

static void handle_to_proto(struct arena *a, const struct handle *h,
                            struct pb_resource_handle_proto *p)
{
    p->device = str_of(h->device);
    p->container = str_of(h->container);
    p->name = str_of(h->name);
    p->maybe_type_name = str_of(h->type_name);
    p->hash_code = h->hash_code;
    for (int i = 0; i < h->num_parts; i++) {
        struct pb_resource_handle_proto_dtype_and_shape *part =
            pb_resource_handle_proto_dtype_and_shape_add(a, &p->dtypes_and_shapes);
        part->dtype = h->dtypes[i];
        part->shape = pb_tensor_shape_proto_new(a);
        part->shape->unknown_rank = h->shapes[i].rank < 0;
        for (int d = 0; d < h->shapes[i].rank; d++)
            pb_tensor_shape_proto_dim_add(a, &part->shape->dim)->size = shape_dim(&h->shapes[i], d);
    }
}

static TF_Tensor *resource_out(const struct tensor *t, struct status *st)
{
    if (t->shape.rank != 0) {
        struct strbuf text = {0};
        shape_print(&t->shape, &text);
        status_invalid(st, "Unexpected non-scalar DT_RESOURCE tensor seen (shape: %s)",
                       strbuf_text(&text));
        strbuf_release(&text);
        return NULL;
    }
    struct arena a = {0};
    struct strbuf bytes = {0};
    struct pb_resource_handle_proto *p = pb_resource_handle_proto_new(&a);
    const struct handle *h = *(struct handle **)t->data;
    TF_Tensor *made = NULL;
    if (h)
        handle_to_proto(&a, h, p);
    if (pb_encode(p, &bytes, st))
        made = new_like(t, bytes.n, st);
    if (made && bytes.n)
        memcpy(made->data, bytes.p, bytes.n);
    strbuf_release(&bytes);
    arena_release(&a);
    return made;
}

/* --- numbers and variants --- */

static bool numbers_in(const TF_Tensor *t, struct tensor *out, struct status *st)
{
    if (t->num_elems > 0 && api_is_aligned(t->dtype, t->data)) {
        *out = (struct tensor){.dtype = t->dtype,
                               .shape = shape_copy(&t->shape),
                               .num_elems = t->num_elems,
                               .data = t->data,
                               .buf = buffer_ref(t->buf)};
        return true;
    }
    if (!tensor_new(out, t->dtype, &t->shape, st))
        return false;
    if (t->num_elems > 0)
        memcpy(out->data, t->data, tensor_bytes(out));
    return true;
}

/* Elements are pointers: only a buffer of ours, with as many of them, may hold some. */
static bool variants_in(const TF_Tensor *t, struct tensor *out, struct status *st)
{
    if (t->num_elems > 0 && (t->buf->dtype != DT_VARIANT || t->buf->elems < t->num_elems))
        return status_invalid(st, "A TF_VARIANT tensor cannot be made of a client's bytes");
    return numbers_in(t, out, st);
}

bool api_tensor_to_internal(const TF_Tensor *t, struct tensor *out, struct status *st)
{
    if (!t)
        return status_invalid(st, "A tensor is NULL");
    switch (t->dtype) {
    case DT_STRING:
        return strings_in(t, out, st);
    case DT_RESOURCE:
        return resource_in(t, out, st);
    case DT_VARIANT:
        return variants_in(t, out, st);
    default:
        return numbers_in(t, out, st);
    }
}

TF_Tensor *api_tensor_from_internal(const struct tensor *t, struct status *st)
{
    if (t->dtype == DT_STRING)
        return strings_out(t, st);
    if (t->dtype == DT_RESOURCE)
        return resource_out(t, st);
    if (t->dtype == DT_INVALID) {
        status_internal(st, "A value that does not exist was to be given to the client");
        return NULL;
    }
    TF_Tensor *made = mem_new(struct TF_Tensor);
    *made = (struct TF_Tensor){.dtype = t->dtype,
                               .shape = shape_copy(&t->shape),
                               .num_elems = t->num_elems,
                               .bytes = tensor_bytes(t),
                               .data = t->data,
                               .buf = buffer_ref(t->buf)};
    return made;
}

TF_Tensor *leat_string_tensor(const char *const *texts, const size_t *lengths, const int64_t *dims,
                              int rank, TF_Status *status)
{
    struct status st = {0};
    struct tensor t = {0};
    TF_Tensor *made = NULL;
    if (rank < 0 || rank > SHAPE_MAX_RANK || (rank > 0 && !dims)) {
        status_invalid(&st, "leat_string_tensor: a shape of rank %d", rank);
        api_return(status, &st);
        return NULL;
    }
    struct shape shape = shape_make(dims, rank);
    bool ok = tensor_new(&t, DT_STRING, &shape, &st);
    for (int64_t i = 0; ok && i < t.num_elems; i++) {
        const char *text = texts ? texts[i] : NULL;
        size_t n = lengths ? lengths[i] : text ? strlen(text) : 0;
        if (!text && (n || !lengths))
            ok = status_invalid(&st, "leat_string_tensor: text %" PRId64 " is NULL", i);
        else if (!tstr_set(&tensor_str(&t)[i], text ? text : "", n))
            ok = status_exhausted(&st, "OOM when copying a string of %zu bytes", n);
    }
    if (ok)
        made = strings_out(&t, &st);
    tensor_clear(&t);
    shape_clear(&shape);
    api_return(status, &st);
    return made;
}
