/* SPDX-License-Identifier: Apache-2.0 */
/* TF_Tensor: making, reading, freeing. NULL tensors are answered, not dereferenced.
 *
 * Bytes of the client are used where they lie whenever the elements are aligned as C wants them
 * (TensorFlow copies all that is not at a multiple of 64): kernels load from any such address. */
#include <string.h>

#include "api/api_tensor.h"
#include "api/string_layout.h"
#include "api/tensor_bytes.h"
#include "base/mem.h"
#include "leat/strings.h"
#include "tensorflow/c/tf_datatype.h"

typedef void (*deallocator_fn)(void *data, size_t len, void *arg);

/* Bytes in an element of the client's layout; 0 where they vary. */
static size_t client_size(int dtype)
{
    return dtype_is_managed(dtype) ? 0 : dtype_size(dtype);
}

size_t TF_DataTypeSize(TF_DataType dt)
{
    return dtype_is_ref((int)dt) ? 0 : client_size((int)dt);
}

/* Alignment of elements: that of their numbers (a complex is two of them). */
static size_t elem_align(int dtype)
{
    size_t size = client_size(dtype_real_of(dtype));
    return size ? size : 1;
}

bool api_is_aligned(int dtype, const void *data)
{
    return (uintptr_t)data % elem_align(dtype) == 0;
}

/* The shape, and whether `len` bytes hold it. */
static bool check_size(int dtype, const int64_t *dims, int num_dims, size_t len,
                       struct TF_Tensor *out)
{
    struct status st = {0};
    int64_t bytes;
    if (!dtype_valid(dtype) || dtype_is_ref(dtype) || num_dims < 0 || num_dims > SHAPE_MAX_RANK ||
        (num_dims > 0 && !dims) || len > INT64_MAX)
        return false;
    *out = (struct TF_Tensor){.dtype = dtype, .shape = shape_make(dims, num_dims), .bytes = len};
    bool ok = shape_num_elems(&out->shape, &out->num_elems, &st) &&
              size_mul(out->num_elems, (int64_t)client_size(dtype), &bytes) &&
              (uint64_t)bytes <= len;
    status_clear(&st);
    if (!ok)
        shape_clear(&out->shape);
    return ok;
}

static TF_Tensor *on_heap(const struct TF_Tensor *t)
{
    TF_Tensor *made = mem_alloc(sizeof(*made));
    *made = *t;
    return made;
}

/* A buffer of len bytes that the client will write to; NULL: no memory. */
static struct buffer *client_buffer(size_t len)
{
    struct status st = {0};
    struct buffer *b = buffer_new(DT_UINT8, (int64_t)len, &st);
    status_clear(&st);
    if (b)
        b->borrowed = true;
    return b;
}

TF_Tensor *TF_AllocateTensor(TF_DataType dtype, const int64_t *dims, int num_dims, size_t len)
{
    struct TF_Tensor t;
    if (!check_size((int)dtype, dims, num_dims, len, &t))
        return NULL;
    t.buf = client_buffer(len);
    if (!t.buf) {
        shape_clear(&t.shape);
        return NULL;
    }
    t.data = t.buf->data;
    if (t.dtype == DT_STRING && len && leat_get_string_layout() == LEAT_STRINGS_TSTRING)
        memset(t.data, 0, len); /* a TF_TString that is forgotten is an empty one */
    return on_heap(&t);
}

TF_Tensor *api_tstring_tensor(const int64_t *dims, int num_dims)
{
    struct TF_Tensor t;
    struct status st = {0};
    if (!check_size(DT_STRING, dims, num_dims, 0, &t))
        return NULL;
    t.buf = buffer_new(DT_STRING, t.num_elems, &st);
    status_clear(&st);
    if (!t.buf) {
        shape_clear(&t.shape);
        return NULL;
    }
    t.data = t.buf->data;
    t.bytes = (size_t)t.num_elems * sizeof(struct tstr);
    return on_heap(&t);
}

static void give_back(deallocator_fn deallocator, void *data, size_t len, void *arg)
{
    if (deallocator)
        deallocator(data, len, arg);
}

static TF_Tensor *copy_in(TF_DataType dtype, const int64_t *dims, int num_dims, const void *data,
                          size_t len)
{
    TF_Tensor *t = TF_AllocateTensor(dtype, dims, num_dims, len);
    if (t && len)
        memcpy(t->data, data, len);
    return t;
}

TF_Tensor *TF_NewTensor(TF_DataType dtype, const int64_t *dims, int num_dims, void *data,
                        size_t len, deallocator_fn deallocator, void *deallocator_arg)
{
    struct TF_Tensor t;
    TF_Tensor *made = NULL;
    if ((!data && len) || !check_size((int)dtype, dims, num_dims, len, &t)) {
        give_back(deallocator, data, len, deallocator_arg);
        return NULL;
    }
    if (api_is_aligned(t.dtype, data)) {
        t.buf = buffer_wrap(DT_UINT8, data, len, deallocator, deallocator_arg);
        t.buf->borrowed = true;
        t.data = data;
        return on_heap(&t);
    }
    made = copy_in(dtype, dims, num_dims, data, len);
    shape_clear(&t.shape);
    give_back(deallocator, data, len, deallocator_arg);
    return made;
}

/* 1.15 never moves a tensor that a client can hold: NULL is its answer for wrapped, allocated and
 * fetched ones alike. */
TF_Tensor *TF_TensorMaybeMove(TF_Tensor *t)
{
    (void)t;
    return NULL;
}

void TF_DeleteTensor(TF_Tensor *t)
{
    if (!t)
        return;
    shape_clear(&t->shape);
    buffer_unref(t->buf);
    mem_free(t);
}

TF_DataType TF_TensorType(const TF_Tensor *t)
{
    return (TF_DataType)(t ? t->dtype : DT_INVALID);
}

int TF_NumDims(const TF_Tensor *t)
{
    return t ? t->shape.rank : 0;
}

int64_t TF_Dim(const TF_Tensor *t, int i)
{
    return t && i >= 0 && i < t->shape.rank ? shape_dim(&t->shape, i) : -1;
}

size_t TF_TensorByteSize(const TF_Tensor *t)
{
    return t ? t->bytes : 0;
}

void *TF_TensorData(const TF_Tensor *t)
{
    return t ? t->data : NULL;
}

int64_t TF_TensorElementCount(const TF_Tensor *t)
{
    return t ? t->num_elems : 0;
}

bool TF_TensorIsAligned(const TF_Tensor *t)
{
    return t && api_is_aligned(t->dtype, t->data);
}

static bool bitcast(const TF_Tensor *from, int dtype, const int64_t *dims, int num_dims,
                    struct TF_Tensor *out, struct status *st)
{
    if (!dtype_valid(dtype) || dtype_is_ref(dtype) || client_size(dtype) == 0)
        return status_invalid(st, "specified output type is zero-sized");
    if (client_size(from->dtype) == 0)
        return status_invalid(st, "input type is zero-sized");
    size_t bytes = (size_t)from->num_elems * client_size(from->dtype);
    if (!check_size(dtype, dims, num_dims, bytes, out))
        return status_invalid(st, "input and output shapes/data type sizes are not compatible");
    if ((size_t)out->num_elems * client_size(dtype) != bytes) {
        shape_clear(&out->shape);
        return status_invalid(st, "input and output shapes/data type sizes are not compatible");
    }
    out->data = from->data;
    out->buf = buffer_ref(from->buf);
    return true;
}

void TF_TensorBitcastFrom(const TF_Tensor *from, TF_DataType type, TF_Tensor *to,
                          const int64_t *new_dims, int num_new_dims, TF_Status *status)
{
    struct status st = {0};
    struct TF_Tensor made;
    if (!from || !to)
        status_invalid(&st, "TF_TensorBitcastFrom: a tensor is NULL");
    else if (bitcast(from, (int)type, new_dims, num_new_dims, &made, &st)) {
        shape_clear(&to->shape);
        buffer_unref(to->buf);
        *to = made;
    }
    api_return(status, &st);
}
