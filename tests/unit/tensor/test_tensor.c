/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors: sharing, slices, managed elements, strings, handles, variants, lack of memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/failpoint.h"
#include "base/mem.h"
#include "tensor/tensor.h"

static struct status st;

static int check_leaks(void **state)
{
    (void)state;
    struct buffer_stats s;
    buffer_stats(&s);
    failpoint_clear_all();
    status_clear(&st);
    return s.in_use == 0 ? 0 : -1;
}

static void test_new(void **state)
{
    (void)state;
    for (int dtype = 1; dtype < DT_NUM; dtype++) {
        struct shape s = shape_3(3, 0, 5), full = shape_2(3, 5);
        struct tensor t = {0};
        assert_true(tensor_new(&t, dtype, &s, &st));
        assert_int_equal(t.num_elems, 0);
        assert_non_null(t.data);
        tensor_clear(&t);
        assert_true(tensor_new(&t, dtype, &full, &st));
        assert_int_equal(tensor_bytes(&t), 15 * dtype_size(dtype));
        assert_int_equal(tensor_rank(&t), 2);
        assert_int_equal(tensor_dim(&t, 1), 5);
        assert_true(tensor_is_sole(&t));
        tensor_clear(&t);
        assert_int_equal(t.dtype, DT_INVALID);
        tensor_clear(&t);
    }
}

static void expect_error(int dtype, struct shape s, int code, const char *message)
{
    struct tensor t = {.dtype = 77};
    assert_false(tensor_new(&t, dtype, &s, &st));
    assert_int_equal(t.dtype, 77);
    assert_int_equal(st.code, code);
    if (message)
        assert_string_equal(status_message(&st), message);
    status_clear(&st);
    shape_clear(&s);
}

static void test_new_errors(void **state)
{
    (void)state;
    expect_error(DT_FLOAT, shape_2((int64_t)1 << 20, (int64_t)1 << 30), STATUS_RESOURCE_EXHAUSTED,
                 "OOM when allocating tensor with shape[1048576,1073741824] and type float");
    expect_error(DT_COMPLEX128, shape_1(INT64_MAX), STATUS_RESOURCE_EXHAUSTED, NULL);
    expect_error(DT_FLOAT, shape_2(INT64_MAX, 3), STATUS_INVALID_ARGUMENT, NULL);
    expect_error(DT_FLOAT, shape_2(-1, 3), STATUS_INVALID_ARGUMENT, NULL);
    expect_error(DT_FLOAT, shape_unknown(), STATUS_INVALID_ARGUMENT, NULL);
    expect_error(DT_FLOAT + DT_REF, shape_1(1), STATUS_INVALID_ARGUMENT, NULL);
    expect_error(0, shape_1(1), STATUS_INVALID_ARGUMENT, NULL);
    expect_error(-7, shape_1(1), STATUS_INVALID_ARGUMENT, NULL);
    buffer_fail_after(1);
    expect_error(DT_HALF, shape_make((int64_t[]){1, 1, 1, 1, 2}, 5), STATUS_RESOURCE_EXHAUSTED,
                 "OOM when allocating tensor with shape[1,1,1,1,2] and type half");
}

static void test_sharing(void **state)
{
    (void)state;
    int32_t v[] = {1, 2, 3, 4, 5, 6};
    struct tensor a = {0}, b, c = {0}, d = {0};
    assert_true(tensor_from(&a, DT_INT32, (int64_t[]){3, 2}, 2, v, &st));
    b = tensor_copy(&a);
    assert_ptr_equal(a.data, b.data);
    assert_false(tensor_is_sole(&a));
    assert_true(tensor_dup(&a, &c, &st));
    assert_ptr_not_equal(a.data, c.data);
    assert_memory_equal(c.data, v, sizeof(v));
    struct shape flat = shape_1(6), wrong = shape_1(7), half_known = shape_2(-1, 2);
    assert_true(tensor_reshaped(&a, &flat, &d, &st));
    assert_ptr_equal(a.data, d.data);
    assert_int_equal(tensor_rank(&d), 1);
    tensor_clear(&d);
    assert_false(tensor_reshaped(&a, &wrong, &d, &st));
    assert_int_equal(st.code, STATUS_INVALID_ARGUMENT);
    status_clear(&st);
    assert_false(tensor_reshaped(&a, &half_known, &d, &st));
    status_clear(&st);
    tensor_clear(&a);
    assert_true(tensor_is_sole(&b));
    struct tensor moved = tensor_take(&b);
    assert_null(b.buf);
    assert_true(tensor_is_sole(&moved));
    assert_int_equal(tensor_index(&moved, 5), 6);
    tensor_clear(&moved);
    tensor_clear(&c);
}

static void test_rows(void **state)
{
    (void)state;
    int64_t v[24], dims[] = {4, 1, 2, 1, 3};
    for (int i = 0; i < 24; i++)
        v[i] = i;
    struct tensor a = {0};
    assert_true(tensor_from(&a, DT_INT64, dims, 5, v, &st));
    struct tensor r = tensor_rows(&a, 1, 3), none = tensor_rows(&a, 4, 4);
    tensor_clear(&a);
    assert_int_equal(r.num_elems, 12);
    assert_int_equal(tensor_dim(&r, 0), 2);
    assert_int_equal(tensor_dim(&r, 4), 3);
    assert_int_equal(tensor_i64(&r)[0], 6);
    assert_int_equal(none.num_elems, 0);
    tensor_clear(&r);
    tensor_clear(&none);
    assert_true(tensor_from(&a, DT_INT64, (int64_t[]){0, 3}, 2, NULL, &st));
    r = tensor_rows(&a, 0, 0);
    assert_int_equal(r.num_elems, 0);
    tensor_clear(&r);
    tensor_clear(&a);
}

static void test_tstr(void **state)
{
    (void)state;
    struct tstr s = {0};
    char text[200];
    for (int i = 0; i < 200; i++)
        text[i] = (char)(i * 7);
    assert_int_equal(sizeof(struct tstr), 24);
    assert_int_equal(tstr_len(&s), 0);
    static const size_t lens[] = {0, 1, 22, 23, 24, 100, 50, 23, 22, 0, 150, 3};
    for (size_t i = 0; i < ARRAY_LEN(lens); i++) {
        assert_true(tstr_set(&s, text, lens[i]));
        assert_int_equal(tstr_len(&s), lens[i]);
        assert_int_equal(tstr_is_large(&s), lens[i] > 22);
        assert_memory_equal(tstr_data(&s), text, lens[i]);
        assert_int_equal(tstr_data(&s)[lens[i]], 0);
    }
    assert_true(tstr_set(&s, text, 10));
    assert_non_null(tstr_resize(&s, 60));
    assert_memory_equal(tstr_data(&s), text, 10);
    assert_non_null(tstr_resize(&s, 4));
    assert_memory_equal(tstr_data(&s), text, 4);
    assert_null(tstr_resize(&s, SIZE_MAX));
    assert_null(tstr_resize(&s, SIZE_MAX / 8));
    assert_int_equal(tstr_len(&s), 4);
    assert_true(failpoint_set("mem_try", "on"));
    assert_false(tstr_set(&s, text, 23));
    failpoint_clear_all();
    assert_memory_equal(tstr_data(&s), text, 4);
    tstr_clear(&s);
    tstr_clear(&s);
    assert_true(tstr_set(&s, NULL, 0));
}

static void test_string_tensor(void **state)
{
    (void)state;
    struct shape two = shape_1(2);
    struct tensor a = {0}, b = {0};
    const char *text = "a string of more than twenty-two bytes";
    assert_true(tensor_new(&a, DT_STRING, &two, &st));
    assert_int_equal(tstr_len(&tensor_str(&a)[1]), 0);
    assert_true(tstr_set(&tensor_str(&a)[0], "short", 5));
    assert_true(tstr_set(&tensor_str(&a)[1], text, strlen(text)));
    assert_true(tensor_dup(&a, &b, &st));
    tensor_clear(&a);
    assert_true(str_is(tstr_view(&tensor_str(&b)[0]), "short"));
    assert_true(str_is(tstr_view(&tensor_str(&b)[1]), text));
    assert_true(failpoint_set("mem_try", "on"));
    assert_false(tensor_dup(&b, &a, &st));
    assert_int_equal(st.code, STATUS_RESOURCE_EXHAUSTED);
    assert_string_equal(status_message(&st),
                        "OOM when allocating tensor with shape[2] and type string");
    status_clear(&st);
    assert_null(a.buf);
    tensor_clear(&b);
}

static int num_released;
static void release_variant(struct variant *v)
{
    num_released++;
    mem_free(v);
}
static void print_variant(const struct variant *v, struct strbuf *out)
{
    (void)v;
    strbuf_puts(out, "TensorList");
}
static const struct variant_type list_type = {
    .name = "tensorflow::TensorList", .release = release_variant, .print = print_variant};
static const struct variant_type other_type = {.name = "other", .release = release_variant};

static struct variant *new_variant(const struct variant_type *type)
{
    struct variant *v = mem_new(struct variant);
    v->refs = 1;
    v->type = type;
    return v;
}

static void test_variants(void **state)
{
    (void)state;
    struct shape three = shape_1(3);
    struct tensor a = {0}, b = {0};
    num_released = 0;
    assert_true(tensor_new(&a, DT_VARIANT, &three, &st));
    struct variant **v = a.data;
    v[0] = new_variant(&list_type);
    v[2] = new_variant(&other_type);
    assert_true(tensor_dup(&a, &b, &st));
    struct strbuf text = {0};
    tensor_summarize(&a, -1, &text);
    assert_string_equal(strbuf_text(&text),
                        "Variant<type: tensorflow::TensorList value: TensorList> "
                        "Variant<type:  value: [empty]> Variant<type: other value: ?>");
    strbuf_release(&text);
    tensor_clear(&a);
    assert_int_equal(num_released, 0);
    assert_true(elems_copy(DT_VARIANT, b.data, b.data, 0));
    struct variant *spare[3] = {new_variant(&other_type)};
    assert_true(elems_copy(DT_VARIANT, spare, b.data, 3));
    assert_int_equal(num_released, 1);
    elems_release(DT_VARIANT, spare, 3);
    assert_null(spare[2]);
    tensor_clear(&b);
    assert_int_equal(num_released, 3);
}

static int num_unrefs;
static void unref_object(void *object)
{
    assert_ptr_equal(object, &num_unrefs);
    num_unrefs++;
}

static void test_handles(void **state)
{
    (void)state;
    struct handle *h = handle_new("/cpu:0", NULL, "var", "N10tensorflow3VarE", 42);
    assert_string_equal(h->container, "");
    h->num_parts = 2;
    h->dtypes = mem_new_array(int, 2);
    h->shapes = mem_new_array(struct shape, 2);
    h->shapes[0] = shape_of_rank(7);
    h->object = &num_unrefs;
    h->object_unref = unref_object;
    struct shape scalar = shape_scalar();
    struct tensor a = {0}, b = {0};
    assert_true(tensor_new(&a, DT_RESOURCE, &scalar, &st));
    *(struct handle **)a.data = h;
    assert_true(tensor_dup(&a, &b, &st));
    struct strbuf text = {0};
    tensor_summarize(&a, -1, &text);
    assert_string_equal(strbuf_text(&text), "?");
    strbuf_release(&text);
    tensor_clear(&a);
    assert_int_equal(num_unrefs, 0);
    tensor_clear(&b);
    assert_int_equal(num_unrefs, 1);
    assert_null(handle_ref(NULL));
    handle_unref(NULL);
    variant_unref(variant_ref(NULL));
}

static void test_from_errors(void **state)
{
    (void)state;
    int64_t dims[300] = {0};
    struct tensor t = {0};
    assert_false(tensor_from(&t, DT_INT8, dims, 255, NULL, &st));
    status_clear(&st);
    assert_false(tensor_from(&t, DT_INT8, dims, -1, NULL, &st));
    status_clear(&st);
    assert_true(tensor_from(&t, DT_INT8, dims, 254, NULL, &st));
    tensor_clear(&t);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_teardown(f, check_leaks)
    const struct CMUnitTest tests[] = {
        TEST(test_new),      TEST(test_new_errors), TEST(test_sharing),
        TEST(test_rows),     TEST(test_tstr),       TEST(test_string_tensor),
        TEST(test_variants), TEST(test_handles),    TEST(test_from_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
