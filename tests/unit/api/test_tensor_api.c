/* SPDX-License-Identifier: Apache-2.0 */
/* TF_Status, TF_Buffer, TF_Tensor, and values across the border: answers are TensorFlow 1.15.5's
 * except where its are crashes or reads out of bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/api_tensor.h"
#include "base/failpoint.h"
#include "base/mem.h"
#include "tensorflow/c/c_api.h"

static TF_Status *s;
static struct status st;

static int set_up(void **state)
{
    (void)state;
    s = TF_NewStatus();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    TF_DeleteStatus(s);
    status_clear(&st);
    failpoint_clear_all();
    struct buffer_stats b;
    buffer_stats(&b);
    return b.in_use == 0 ? 0 : -1;
}

static void expect(TF_Code code, const char *message)
{
    assert_int_equal(TF_GetCode(s), code);
    assert_string_equal(TF_Message(s), message);
}

static void test_status(void **state)
{
    (void)state;
    expect(TF_OK, "");
    TF_SetStatus(s, TF_INVALID_ARGUMENT, "hi %s");
    expect(TF_INVALID_ARGUMENT, "hi %s");
    TF_SetStatus(s, TF_DATA_LOSS, NULL);
    expect(TF_DATA_LOSS, "");
    TF_SetStatus(s, TF_OK, "ignored");
    expect(TF_OK, "");
    TF_SetStatus(NULL, TF_ABORTED, "nobody");
    TF_DeleteStatus(NULL);
    assert_string_equal(TF_Message(NULL), "");
}

static int num_freed;
static void count_buffer(void *data, size_t n)
{
    assert_string_equal((char *)data, "abc");
    assert_int_equal(n, 3);
    num_freed++;
}

static void test_buffer(void **state)
{
    (void)state;
    TF_Buffer *b = TF_NewBuffer();
    TF_Buffer v = TF_GetBuffer(b);
    assert_null(v.data);
    assert_int_equal(v.length, 0);
    b->data = "abc";
    b->length = 3;
    b->data_deallocator = count_buffer;
    num_freed = 0;
    TF_DeleteBuffer(b);
    assert_int_equal(num_freed, 1);
    b = TF_NewBufferFromString("xyz", 3);
    assert_memory_equal(TF_GetBuffer(b).data, "xyz", 3);
    TF_DeleteBuffer(b);
    b = TF_NewBufferFromString(NULL, 0);
    assert_non_null(TF_GetBuffer(b).data);
    assert_non_null(TF_GetBuffer(b).data_deallocator);
    TF_DeleteBuffer(b);
    TF_DeleteBuffer(NULL);
    assert_true(failpoint_set("mem_try", "on"));
    assert_null(TF_NewBufferFromString("x", 1));
}

/* --- tensors --- */

static _Alignas(64) char bytes[256];

static void count_free(void *data, size_t len, void *arg)
{
    (void)data;
    assert_ptr_equal(arg, &num_freed);
    num_freed += (int)len + 1000;
}

static TF_Tensor *wrap(TF_DataType t, const int64_t *dims, int rank, size_t offset, size_t len)
{
    num_freed = 0;
    return TF_NewTensor(t, dims, rank, bytes + offset, len, count_free, &num_freed);
}

static void test_new_tensor(void **state)
{
    (void)state;
    const int64_t dims[] = {2, 2};
    TF_Tensor *t = wrap(TF_FLOAT, dims, 2, 0, 16);
    assert_ptr_equal(TF_TensorData(t), bytes);
    assert_int_equal(TF_TensorType(t), TF_FLOAT);
    assert_int_equal(TF_NumDims(t), 2);
    assert_int_equal(TF_Dim(t, 1), 2);
    assert_int_equal(TF_Dim(t, 2), -1);
    assert_int_equal(TF_Dim(t, -1), -1);
    assert_int_equal(TF_TensorByteSize(t), 16);
    assert_int_equal(TF_TensorElementCount(t), 4);
    assert_true(TF_TensorIsAligned(t));
    assert_null(TF_TensorMaybeMove(t));
    assert_int_equal(num_freed, 0);
    TF_DeleteTensor(t);
    assert_int_equal(num_freed, 1016);
    t = wrap(TF_FLOAT, dims, 2, 4, 20); /* longer than needed */
    assert_ptr_equal(TF_TensorData(t), bytes + 4);
    assert_int_equal(TF_TensorByteSize(t), 20);
    TF_DeleteTensor(t);
    t = wrap(TF_STRING, dims, 2, 3, 3); /* not looked at before it is used */
    assert_int_equal(TF_TensorByteSize(t), 3);
    TF_DeleteTensor(t);
    assert_int_equal(num_freed, 1003);
    t = TF_NewTensor(TF_INT8, (int64_t[]){0}, 1, NULL, 0, NULL, NULL);
    assert_int_equal(TF_TensorElementCount(t), 0);
    TF_DeleteTensor(t);
}

static void test_new_tensor_copies_odd_addresses(void **state)
{
    (void)state;
    static const struct {
        TF_DataType type;
        size_t offset;
        bool copied;
    } cases[] = {{TF_FLOAT, 1, true},      {TF_FLOAT, 2, true},    {TF_FLOAT, 4, false},
                 {TF_DOUBLE, 4, true},     {TF_HALF, 1, true},     {TF_HALF, 2, false},
                 {TF_COMPLEX64, 4, false}, {TF_UINT8, 1, false},   {TF_COMPLEX128, 8, false},
                 {TF_INT64, 4, true},      {TF_RESOURCE, 1, false}};
    const int64_t one = 1;
    for (int i = 0; i < 256; i++)
        bytes[i] = (char)i;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        TF_Tensor *t = wrap(cases[i].type, &one, 1, cases[i].offset, 16);
        assert_int_equal(TF_TensorData(t) != bytes + cases[i].offset, cases[i].copied);
        assert_int_equal(num_freed, cases[i].copied ? 1016 : 0);
        assert_memory_equal(TF_TensorData(t), bytes + cases[i].offset, 16);
        assert_true(TF_TensorIsAligned(t));
        TF_DeleteTensor(t);
        assert_int_equal(num_freed, 1016);
    }
}

static void test_new_tensor_errors(void **state)
{
    (void)state;
    const int64_t dims[] = {4, -1}, huge[] = {INT64_MAX, 2}, many[300] = {0};
    assert_null(wrap(TF_FLOAT, dims, 1, 0, 15));
    assert_int_equal(num_freed, 1015);
    assert_null(wrap(TF_FLOAT, dims, 2, 0, 16));
    assert_null(wrap(TF_FLOAT, huge, 1, 0, 16));
    assert_null(wrap(TF_FLOAT, huge, 2, 0, 16));
    assert_null(wrap(TF_STRING, huge, 2, 0, 16));
    assert_null(wrap(TF_FLOAT, many, 255, 0, 16));
    assert_null(wrap(TF_FLOAT, many, -1, 0, 16));
    assert_null(wrap(TF_FLOAT, NULL, 1, 0, 16));
    assert_null(wrap((TF_DataType)0, dims, 1, 0, 16));
    assert_null(wrap((TF_DataType)101, dims, 1, 0, 16));
    assert_null(wrap((TF_DataType)77, dims, 1, 0, 16));
    assert_int_equal(num_freed, 1016);
    num_freed = 0;
    assert_null(TF_NewTensor(TF_UINT8, dims, 1, NULL, 4, count_free, &num_freed));
    assert_int_equal(num_freed, 1004);
    buffer_fail_after(1);
    assert_null(wrap(TF_FLOAT, dims, 1, 1, 16));
    assert_int_equal(num_freed, 1016);
}

static void test_allocate(void **state)
{
    (void)state;
    const int64_t dims[] = {4};
    TF_Tensor *t = TF_AllocateTensor(TF_FLOAT, dims, 1, 16);
    assert_int_equal((uintptr_t)TF_TensorData(t) % 64, 0);
    assert_int_equal(TF_TensorByteSize(t), 16);
    assert_null(TF_TensorMaybeMove(t));
    TF_DeleteTensor(t);
    t = TF_AllocateTensor(TF_STRING, dims, 1, 0);
    assert_non_null(TF_TensorData(t));
    TF_DeleteTensor(t);
    assert_null(TF_AllocateTensor(TF_FLOAT, dims, 1, 15));
    assert_null(TF_AllocateTensor(TF_UINT8, dims, 1, (size_t)1 << 60));
    assert_null(TF_AllocateTensor(TF_UINT8, dims, 1, SIZE_MAX));
    buffer_fail_after(1);
    assert_null(TF_AllocateTensor(TF_FLOAT, dims, 1, 16));
}

static void test_null_tensor(void **state)
{
    (void)state;
    TF_DeleteTensor(NULL);
    assert_null(TF_TensorData(NULL));
    assert_int_equal(TF_TensorByteSize(NULL), 0);
    assert_int_equal(TF_NumDims(NULL), 0);
    assert_int_equal(TF_Dim(NULL, 0), -1);
    assert_int_equal(TF_TensorElementCount(NULL), 0);
    assert_int_equal(TF_TensorType(NULL), 0);
    assert_false(TF_TensorIsAligned(NULL));
    assert_null(TF_TensorMaybeMove(NULL));
}

static void bitcast(const TF_Tensor *from, TF_Tensor *to, TF_DataType type, int64_t a, int64_t b,
                    const char *message)
{
    const int64_t dims[] = {a, b};
    TF_TensorBitcastFrom(from, type, to, dims, 2, s);
    expect(*message ? TF_INVALID_ARGUMENT : TF_OK, message);
}

static void test_bitcast(void **state)
{
    (void)state;
    const char *differ = "input and output shapes/data type sizes are not compatible";
    const char *unsized = "specified output type is zero-sized";
    const int64_t four = 4, one = 1;
    TF_Tensor *a = TF_AllocateTensor(TF_FLOAT, &four, 1, 16);
    TF_Tensor *b = TF_AllocateTensor(TF_INT32, &one, 1, 4);
    TF_Tensor *text = TF_AllocateTensor(TF_STRING, &one, 1, 16);
    bitcast(a, b, TF_INT32, 5, 1, differ);
    bitcast(a, b, TF_INT32, -1, 4, differ);
    bitcast(a, b, TF_INT32, INT64_MAX, INT64_MAX, differ);
    bitcast(a, b, TF_INT32, 1, 3, differ);
    bitcast(a, b, TF_STRING, 4, 1, unsized);
    bitcast(a, b, TF_RESOURCE, 4, 1, unsized);
    bitcast(a, b, (TF_DataType)0, 4, 1, unsized);
    bitcast(a, b, (TF_DataType)103, 4, 1, unsized);
    bitcast(text, b, TF_INT32, 2, 2, "input type is zero-sized");
    assert_int_equal(TF_TensorByteSize(b), 4);
    bitcast(a, b, TF_INT64, 2, 1, "");
    assert_ptr_equal(TF_TensorData(a), TF_TensorData(b));
    assert_int_equal(TF_TensorElementCount(b), 2);
    bitcast(b, b, TF_UINT8, 2, 8, "");
    assert_int_equal(TF_TensorType(b), TF_UINT8);
    TF_DeleteTensor(a);
    ((char *)TF_TensorData(b))[15] = 1;
    TF_DeleteTensor(b);
    TF_DeleteTensor(text);
    bitcast(NULL, NULL, TF_UINT8, 2, 8, "TF_TensorBitcastFrom: a tensor is NULL");
}

/* --- strings --- */

static void encode(size_t len, size_t room, size_t expected, const char *message)
{
    char *src = mem_zalloc(len + 1), *dst = mem_zalloc(room + 1);
    assert_int_equal(TF_StringEncode(src, len, dst, room, s), expected);
    expect(*message ? TF_INVALID_ARGUMENT : TF_OK, message);
    mem_free(src);
    mem_free(dst);
}

static void test_encode(void **state)
{
    (void)state;
    encode(0, 1, 1, "");
    encode(0, 0, 0, "dst_len (0) too small to encode a 0-byte string");
    encode(5, 6, 6, "");
    encode(5, 5, 0, "dst_len (5) too small to encode a 5-byte string");
    encode(127, 128, 128, "");
    encode(128, 129, 0, "dst_len (129) too small to encode a 128-byte string");
    encode(128, 130, 130, "");
    encode(200, 300, 202, "");
    assert_int_equal(TF_StringEncode("a", SIZE_MAX, bytes, 256, s), 0);
    assert_int_equal(TF_GetCode(s), TF_INVALID_ARGUMENT);
    assert_int_equal(TF_StringEncode(NULL, 1, bytes, 256, s), 0);
    assert_int_equal(TF_GetCode(s), TF_INVALID_ARGUMENT);
    assert_int_equal(TF_StringEncode("a", 1, NULL, 256, s), 0);
    assert_int_equal(TF_GetCode(s), TF_INVALID_ARGUMENT);
    assert_int_equal(TF_StringEncodedSize(0), 1);
    assert_int_equal(TF_StringEncodedSize(128), 130);
    assert_int_equal(TF_StringEncodedSize(16383), 16385);
    assert_int_equal(TF_StringEncodedSize((size_t)1 << 32), 4294967301);
    assert_int_equal(TF_StringEncodedSize((size_t)1 << 63), ((size_t)1 << 63) + 10);
}

static void decode(const char *src, size_t n, size_t used, size_t len)
{
    const char *dst = "untouched";
    size_t dst_len = 77;
    char *exact = mem_alloc(n ? n : 1); /* so that asan sees reads past the end */
    memcpy(exact, src, n);
    assert_int_equal(TF_StringDecode(exact, n, &dst, &dst_len, s), used);
    if (used) {
        expect(TF_OK, "");
        assert_int_equal(dst_len, len);
        assert_ptr_equal(dst, exact + used - len);
    } else {
        expect(TF_INVALID_ARGUMENT, "invalid string encoding or truncated src buffer");
        assert_string_equal(dst, "untouched");
        assert_int_equal(dst_len, 77);
    }
    mem_free(exact);
}

static void test_decode(void **state)
{
    (void)state;
    decode("\5hello", 6, 6, 5);
    decode("\5hellow", 7, 6, 5);
    decode("\5hell", 5, 0, 0);
    decode("", 0, 0, 0);
    decode("\0", 1, 1, 0);
    decode("\x80", 1, 0, 0);
    decode("\x80\1", 2, 0, 0);
    decode("\x80\0", 2, 2, 0);
    decode("\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", 10, 0, 0);
    decode("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 11, 0, 0);
    decode("\x81\x80\x80\x80\x80\x80\x80\x80\x80\2", 10, 0, 0);
    assert_int_equal(TF_StringDecode(NULL, 5, NULL, NULL, s), 0);
    assert_int_equal(TF_StringDecode("\1a", 2, NULL, NULL, s), 2);
}

/* A TF_STRING tensor of n elements with the given offsets and area. */
static TF_Tensor *raw_strings(int64_t n, const uint64_t *offsets, const char *area, size_t len)
{
    size_t head = (size_t)n * 8;
    TF_Tensor *t = TF_AllocateTensor(TF_STRING, &n, 1, head + len);
    if (head)
        memcpy(TF_TensorData(t), offsets, head);
    memcpy((char *)TF_TensorData(t) + head, area, len);
    return t;
}

static void reject(TF_Tensor *t, const char *message)
{
    struct tensor out = {.dtype = 55};
    assert_false(api_tensor_to_internal(t, &out, &st));
    assert_int_equal(out.dtype, 55);
    assert_int_equal(st.code, STATUS_INVALID_ARGUMENT);
    assert_string_equal(status_message(&st), message);
    status_clear(&st);
    TF_DeleteTensor(t);
}

static struct tensor accept(TF_Tensor *t)
{
    struct tensor out = {0};
    bool ok = api_tensor_to_internal(t, &out, &st);
    assert_string_equal(status_message(&st), "");
    assert_true(ok);
    TF_DeleteTensor(t);
    return out;
}

static void test_strings(void **state)
{
    (void)state;
    const char *range = "Malformed TF_STRING tensor; element 0 out of range";
    const char *encoding = "invalid string encoding or truncated src buffer";
    const char *shortness = "Malformed TF_STRING tensor; too short to hold number of elements";
    struct tensor v = accept(raw_strings(3, (uint64_t[]){0, 3, 4}, "\2ab\0\3xyz", 8));
    assert_true(str_is(tstr_view(&tensor_str(&v)[0]), "ab"));
    assert_true(str_is(tstr_view(&tensor_str(&v)[1]), ""));
    assert_true(str_is(tstr_view(&tensor_str(&v)[2]), "xyz"));
    TF_Tensor *t = api_tensor_from_internal(&v, &st);
    assert_int_equal(TF_TensorByteSize(t), 32);
    assert_memory_equal(TF_TensorData(t),
                        "\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0\2ab\0\3xyz", 32);
    tensor_clear(&v);
    v = accept(t);
    tensor_clear(&v);
    v = accept(raw_strings(2, (uint64_t[]){0, 0}, "\2ab", 3)); /* shared */
    assert_true(str_is(tstr_view(&tensor_str(&v)[1]), "ab"));
    tensor_clear(&v);
    v = accept(raw_strings(0, NULL, "extra", 5));
    assert_int_equal(v.num_elems, 0);
    t = api_tensor_from_internal(&v, &st);
    assert_int_equal(TF_TensorByteSize(t), 0);
    tensor_clear(&v);
    TF_DeleteTensor(t);
    reject(raw_strings(1, (uint64_t[]){9}, "\2ab", 3), range);
    reject(raw_strings(1, (uint64_t[]){3}, "\2ab", 3), range);
    reject(raw_strings(1, (uint64_t[]){UINT64_MAX}, "\2ab", 3), range);
    reject(raw_strings(1, (uint64_t[]){0}, "", 0), range);
    reject(raw_strings(1, (uint64_t[]){0}, "\5ab", 3), encoding);
    reject(raw_strings(1, (uint64_t[]){0}, "\x80", 1), encoding);
    reject(TF_AllocateTensor(TF_STRING, (int64_t[]){2}, 1, 8), shortness);
    reject(TF_AllocateTensor(TF_STRING, (int64_t[]){INT64_MAX}, 1, 8), shortness);
    reject(TF_AllocateTensor(TF_STRING, (int64_t[]){1}, 1, 7), shortness);
    reject(NULL, "A tensor is NULL");
}

static void test_strings_that_overlap_are_bounded(void **state)
{
    (void)state;
    enum { NUM = 1 << 20, LEN = 64 << 20 };
    const int64_t n = NUM;
    TF_Tensor *t = TF_AllocateTensor(TF_STRING, &n, 1, NUM * 8 + LEN + 4);
    assert_non_null(t);
    memset(TF_TensorData(t), 0, NUM * 8 + 4);
    char *area = (char *)TF_TensorData(t) + NUM * 8;
    memcpy(area, "\x80\x80\x80\x20", 4); /* 64 MiB */
    struct tensor out = {0};
    assert_false(api_tensor_to_internal(t, &out, &st));
    assert_int_equal(st.code, STATUS_RESOURCE_EXHAUSTED);
    TF_DeleteTensor(t);
}

static void test_lack_of_memory(void **state)
{
    (void)state;
    struct tensor out = {0};
    TF_Tensor *t = raw_strings(2, (uint64_t[]){0, 2}, "\1a\36this one is not a short string", 33);
    buffer_fail_after(1);
    assert_false(api_tensor_to_internal(t, &out, &st));
    assert_int_equal(st.code, STATUS_RESOURCE_EXHAUSTED);
    status_clear(&st);
    assert_true(failpoint_set("mem_try", "on"));
    assert_false(api_tensor_to_internal(t, &out, &st));
    assert_int_equal(st.code, STATUS_RESOURCE_EXHAUSTED);
    status_clear(&st);
    failpoint_clear_all();
    out = accept(t);
    buffer_fail_after(1);
    assert_null(api_tensor_from_internal(&out, &st));
    assert_int_equal(st.code, STATUS_RESOURCE_EXHAUSTED);
    tensor_clear(&out);
}

/* --- numbers, resources, variants --- */

static void test_numbers_are_shared(void **state)
{
    (void)state;
    const int64_t dims[] = {2, 2};
    TF_Tensor *t = wrap(TF_FLOAT, dims, 2, 8, 20);
    struct tensor v = accept(t);
    assert_ptr_equal(v.data, bytes + 8);
    assert_true(tensor_is_borrowed(&v));
    assert_false(tensor_is_sole(&v));
    assert_int_equal(num_freed, 0);
    struct tensor kept = {0};
    assert_true(tensor_dup(&v, &kept, &st));
    assert_false(tensor_is_borrowed(&kept));
    tensor_clear(&v);
    assert_int_equal(num_freed, 1020);
    t = api_tensor_from_internal(&kept, &st);
    assert_ptr_equal(TF_TensorData(t), kept.data);
    assert_false(tensor_is_sole(&kept));
    assert_int_equal(TF_TensorByteSize(t), 16);
    tensor_clear(&kept);
    v = accept(t);
    assert_true(tensor_is_sole(&v));
    tensor_clear(&v);
    v = accept(TF_NewTensor(TF_FLOAT, (int64_t[]){3, 0}, 2, NULL, 0, NULL, NULL));
    assert_non_null(v.data);
    assert_int_equal(tensor_dim(&v, 0), 3);
    tensor_clear(&v);
}

static void test_odd_addresses_after_bitcast(void **state)
{
    (void)state;
    TF_Tensor *a = wrap(TF_UINT8, (int64_t[]){8}, 1, 1, 8), *b = wrap(TF_UINT8, NULL, 0, 0, 1);
    TF_TensorBitcastFrom(a, TF_INT32, b, (int64_t[]){2}, 1, s);
    expect(TF_OK, "");
    assert_false(TF_TensorIsAligned(b));
    struct tensor v = accept(b);
    assert_int_equal((uintptr_t)v.data % 64, 0);
    assert_memory_equal(v.data, bytes + 1, 8);
    tensor_clear(&v);
    TF_DeleteTensor(a);
}

static TF_Tensor *raw_resource(const char *text, size_t n)
{
    TF_Tensor *t = TF_AllocateTensor(TF_RESOURCE, NULL, 0, n);
    memcpy(TF_TensorData(t), text, n);
    return t;
}

static void test_resources(void **state)
{
    (void)state;
    struct handle *h = handle_new("/cpu:0", "box", "var", "Var", 1234567890123);
    h->num_parts = 2;
    h->dtypes = mem_new_array(int, 2);
    h->shapes = mem_new_array(struct shape, 2);
    h->dtypes[0] = DT_FLOAT;
    h->dtypes[1] = DT_INT64;
    h->shapes[0] = shape_make((int64_t[]){1, -1, 3, 4, 5}, 5);
    h->shapes[1] = shape_unknown();
    struct shape scalar = shape_scalar(), two = shape_1(2);
    struct tensor v = {0}, w = {0};
    assert_true(tensor_new(&v, DT_RESOURCE, &scalar, &st));
    w = accept(api_tensor_from_internal(&v, &st)); /* no handle yet */
    assert_string_equal((*(struct handle **)w.data)->name, "");
    tensor_clear(&w);
    *(struct handle **)v.data = h;
    w = accept(api_tensor_from_internal(&v, &st));
    struct handle *g = *(struct handle **)w.data;
    assert_string_equal(g->device, "/cpu:0");
    assert_string_equal(g->container, "box");
    assert_string_equal(g->name, "var");
    assert_string_equal(g->type_name, "Var");
    assert_int_equal(g->hash_code, 1234567890123);
    assert_int_equal(g->num_parts, 2);
    assert_int_equal(g->dtypes[1], DT_INT64);
    assert_true(shape_equal(&g->shapes[0], &h->shapes[0]));
    assert_true(shape_equal(&g->shapes[1], &h->shapes[1]));
    tensor_clear(&v);
    tensor_clear(&w);
    assert_true(tensor_new(&v, DT_RESOURCE, &two, &st));
    assert_null(api_tensor_from_internal(&v, &st));
    assert_int_equal(st.code, STATUS_INVALID_ARGUMENT);
    status_clear(&st);
    tensor_clear(&v);
    v = accept(raw_resource("\12\2ab", 4));
    assert_string_equal((*(struct handle **)v.data)->device, "ab");
    tensor_clear(&v);
}

static void test_malformed_resources(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t n;
    } wrong[] = {{"\xff\xff", 2},
                 {"\12\5ab", 4},
                 {"\12", 1},
                 /* a part whose shape has a size of -2 */
                 {"\62\17\22\15\22\13\10\xfe\xff\xff\xff\xff\xff\xff\xff\xff\1", 17}};
    struct tensor out = {0};
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
        TF_Tensor *t = raw_resource(wrong[i].text, wrong[i].n);
        assert_false(api_tensor_to_internal(t, &out, &st));
        assert_int_equal(st.code, STATUS_INVALID_ARGUMENT);
        assert_non_null(strstr(status_message(&st), "unable to parse resource handle"));
        status_clear(&st);
        TF_DeleteTensor(t);
    }
    reject(TF_AllocateTensor(TF_RESOURCE, (int64_t[]){2}, 1, 4),
           "Malformed TF_RESOURCE tensor: expected a scalar, got a tensor with shape [2]");
}

static int num_released;
static void release_variant(struct variant *v)
{
    num_released++;
    mem_free(v);
}

static void test_variants(void **state)
{
    (void)state;
    static const struct variant_type type = {.name = "T", .release = release_variant};
    struct shape two = shape_1(2);
    struct tensor v = {0};
    assert_true(tensor_new(&v, DT_VARIANT, &two, &st));
    struct variant *x = mem_new(struct variant);
    *x = (struct variant){.refs = 1, .type = &type};
    ((struct variant **)v.data)[1] = x;
    TF_Tensor *t = api_tensor_from_internal(&v, &st);
    tensor_clear(&v);
    v = accept(t);
    assert_ptr_equal(((struct variant **)v.data)[1], x);
    num_released = 0;
    tensor_clear(&v);
    assert_int_equal(num_released, 1);
    const char *message = "A TF_VARIANT tensor cannot be made of a client's bytes";
    reject(TF_AllocateTensor(TF_VARIANT, (int64_t[]){2}, 1, 16), message);
    reject(TF_AllocateTensor(TF_VARIANT, (int64_t[]){1}, 1, 0), message);
    v = (struct tensor){0};
    assert_null(api_tensor_from_internal(&v, &st));
    assert_int_equal(st.code, STATUS_INTERNAL);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_status),
        TEST(test_buffer),
        TEST(test_new_tensor),
        TEST(test_new_tensor_copies_odd_addresses),
        TEST(test_new_tensor_errors),
        TEST(test_allocate),
        TEST(test_null_tensor),
        TEST(test_bitcast),
        TEST(test_encode),
        TEST(test_decode),
        TEST(test_strings),
        TEST(test_strings_that_overlap_are_bounded),
        TEST(test_lack_of_memory),
        TEST(test_numbers_are_shared),
        TEST(test_odd_addresses_after_bitcast),
        TEST(test_resources),
        TEST(test_malformed_resources),
        TEST(test_variants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
