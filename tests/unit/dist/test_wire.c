/* SPDX-License-Identifier: Apache-2.0 */
/* Messages with tensors: what is written is what the codec would write, what is read is the same
 * whatever pieces it comes in, and damaged bytes are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dist/wire.h"
#include "op/tensor_proto.h"

static struct status st;
static const struct wire_tensors sends = {.number = 3, .named = true};
static const struct wire_tensors received = {.number = 1, .named = false};

static void assert_fails(int code, const char *words)
{
    if (st.code != code || !strstr(status_message(&st), words))
        print_error("%d: %s\n", st.code, status_message(&st));
    assert_int_equal(st.code, code);
    assert_non_null(strstr(status_message(&st), words));
    status_clear(&st);
}

/* The bytes of m as pieces of `cut` bytes each, an empty one among them. */
static struct rpc_msg cut_up(const struct rpc_msg *m, size_t cut)
{
    struct arena a = {0};
    struct rpc_msg out = {0};
    struct str all = rpc_msg_flat(m, &a);
    for (size_t at = 0; at < all.n; at += cut) {
        size_t n = cut < all.n - at ? cut : all.n - at;
        rpc_msg_add_copy(&out, all.p + at, n);
        if (at == 0) {
            out.v = vec_reserve(out.v, &out.cap, out.n + 1, sizeof *out.v);
            out.v[out.n++] = (struct rpc_piece){0};
        }
    }
    arena_release(&a);
    return out;
}

static struct tensor numbers(int dtype, const int64_t *dims, int rank)
{
    struct tensor t;
    struct shape shape = shape_make(dims, rank);
    assert_true(tensor_new(&t, dtype, &shape, &st));
    shape_clear(&shape);
    for (size_t i = 0; i < tensor_bytes(&t); i++)
        ((uint8_t *)t.data)[i] = dtype == DT_BOOL ? i % 3 == 0 : (uint8_t)(i * 37 + 11);
    return t;
}

static struct tensor strings(int64_t n)
{
    struct tensor t;
    struct shape shape = shape_1(n);
    assert_true(tensor_new(&t, DT_STRING, &shape, &st));
    for (int64_t i = 0; i < n; i++) {
        char *to = tstr_resize(&tensor_str(&t)[i], (size_t)(i * i));
        memset(to, (int)i, (size_t)(i * i));
    }
    return t;
}

static struct tensor handles(void)
{
    struct tensor t;
    struct shape shape = shape_1(2);
    assert_true(tensor_new(&t, DT_RESOURCE, &shape, &st));
    struct handle **h = t.data;
    h[0] = handle_new("/job:ps/replica:0/task:0/device:CPU:0", "c", "v", "tensorflow::Var", 7);
    return t;
}

static void assert_same(const struct tensor *a, const struct tensor *b)
{
    assert_int_equal(a->dtype, b->dtype);
    assert_true(shape_equal(&a->shape, &b->shape));
    for (int64_t i = 0; a->dtype == DT_STRING && i < a->num_elems; i++)
        assert_true(str_eq(tstr_view(&tensor_str(a)[i]), tstr_view(&tensor_str(b)[i])));
    if (a->dtype == DT_RESOURCE)
        assert_string_equal(((struct handle **)a->data)[0]->name,
                            ((struct handle **)b->data)[0]->name);
    if (!dtype_is_managed(a->dtype))
        assert_memory_equal(a->data, b->data, tensor_bytes(a));
}

/* A request around one tensor, with fields before and after it. */
static void write_request(struct rpc_msg *m, const struct tensor *t)
{
    struct arena a = {0};
    struct pb_run_graph_request *r = pb_run_graph_request_new(&a);
    r->step_id = 77;
    pb_set_str(&a, &r->graph_handle, "g");
    assert_true(wire_put(m, r, &st));
    assert_true(wire_put_named_tensor(m, sends.number, "key;0:0", t, &st));
    r = pb_run_graph_request_new(&a);
    pb_add_str(&a, &r->recv_key, str_of("back"));
    assert_true(wire_put(m, r, &st));
    arena_release(&a);
}

static bool read_request(const struct rpc_msg *m, struct arena *a, struct pb_run_graph_request **r,
                         struct wire_values *values)
{
    return wire_read(m, &pb_run_graph_request_desc, &sends, a, r, values, &st);
}

static void check_request(const struct rpc_msg *m, const struct tensor *t)
{
    struct arena a = {0};
    struct wire_values values = {0};
    struct pb_run_graph_request *r;
    assert_true(read_request(m, &a, &r, &values));
    assert_int_equal(r->step_id, 77);
    assert_true(str_is(r->graph_handle, "g"));
    assert_int_equal(r->recv_key.n, 1);
    assert_int_equal(r->send.n, 0);
    assert_int_equal(values.n, 1);
    assert_true(str_is(values.v[0].name, "key;0:0"));
    assert_same(t, &values.v[0].value);
    wire_values_clear(&values);
    arena_release(&a);
}

/* What we write means the same to the codec. */
static void check_codec(const struct rpc_msg *m, const struct tensor *t)
{
    struct arena a = {0};
    struct pb_run_graph_request *r;
    struct tensor got;
    struct str all = rpc_msg_flat(m, &a);
    assert_true(pb_run_graph_request_decode(&a, all.p, all.n, 0, &r, &st));
    assert_int_equal(r->send.n, 1);
    assert_true(tensor_from_proto(r->send.v[0]->tensor, &got, &st));
    assert_same(t, &got);
    tensor_clear(&got);
    arena_release(&a);
}

static void round_trip(struct tensor *t)
{
    struct rpc_msg m = {0};
    write_request(&m, t);
    check_request(&m, t);
    check_codec(&m, t);
    for (size_t cut = 1; cut < 40; cut += 1 + cut / 3) {
        struct rpc_msg pieces = cut_up(&m, cut);
        check_request(&pieces, t);
        rpc_msg_clear(&pieces);
    }
    struct rpc_msg alone = {0};
    assert_true(wire_put_tensor(&alone, 1, t, &st));
    assert_true(alone.bytes <= wire_tensor_bytes(t) && alone.bytes + 20 > wire_tensor_bytes(t));
    rpc_msg_clear(&alone);
    rpc_msg_clear(&m);
    tensor_clear(t);
}

static void test_wire__every_type_of_numbers_comes_back(void **state UNUSED)
{
    static const int64_t dims[] = {3, 5}, none[] = {4, 0, 7}, many[] = {1, 2, 1, 3, 1, 1, 2};
    for (int dtype = 1; dtype < DT_NUM; dtype++) {
        if (dtype_is_managed(dtype))
            continue;
        struct tensor t = numbers(dtype, NULL, 0);
        round_trip(&t);
        t = numbers(dtype, dims, 2);
        round_trip(&t);
        t = numbers(dtype, none, 3);
        round_trip(&t);
        t = numbers(dtype, many, 7);
        round_trip(&t);
    }
}

static void test_wire__big_tensors_are_not_copied_to_be_sent(void **state UNUSED)
{
    static const int64_t dims[] = {3, 1000, 1001};
    struct tensor t = numbers(DT_FLOAT, dims, 3);
    struct rpc_msg m = {0};
    write_request(&m, &t);
    int64_t inside = 0;
    for (int64_t i = 0; i < m.n; i++)
        if (m.v[i].p >= (uint8_t *)t.data && m.v[i].p < (uint8_t *)t.data + tensor_bytes(&t))
            inside += (int64_t)m.v[i].n;
    assert_int_equal(inside, tensor_bytes(&t));
    rpc_msg_clear(&m);
    assert_true(tensor_is_sole(&t));
    write_request(&m, &t);
    check_request(&m, &t);
    rpc_msg_clear(&m);
    tensor_clear(&t);
}

static void test_wire__rows_of_a_tensor_are_sent_alone(void **state UNUSED)
{
    static const int64_t dims[] = {100, 100};
    struct tensor t = numbers(DT_INT32, dims, 2);
    struct tensor rows = tensor_rows(&t, 20, 70);
    tensor_clear(&t);
    round_trip(&rows);
}

static void test_wire__strings_and_handles_come_back(void **state UNUSED)
{
    struct tensor t = strings(40);
    round_trip(&t);
    t = strings(0);
    round_trip(&t);
    t = handles();
    round_trip(&t);
}

static void leat_variant_release(struct variant *v)
{
    mem_free(v);
}

static void test_wire__variants_of_this_process_are_refused(void **state UNUSED)
{
    static const struct variant_type type = {.name = "leat::Test", .release = leat_variant_release};
    struct variant *v = mem_new(struct variant);
    v->refs = 1;
    v->type = &type;
    struct tensor t;
    struct shape shape = shape_scalar();
    assert_true(tensor_new(&t, DT_VARIANT, &shape, &st));
    ((struct variant **)t.data)[0] = v;
    struct rpc_msg m = {0};
    assert_false(wire_put_tensor(&m, 1, &t, &st));
    assert_fails(STATUS_UNIMPLEMENTED, "leat::Test");
    assert_int_equal(m.n, 0);
    tensor_clear(&t);
}

/* All other forms in which TensorFlow may write elements. */
static void test_wire__lists_of_values_are_read(void **state UNUSED)
{
    struct arena a = {0};
    struct pb_recv_tensor_response *r = pb_recv_tensor_response_new(&a), *back;
    r->tensor = pb_tensor_proto_new(&a);
    r->tensor->dtype = DT_FLOAT;
    struct shape shape = shape_1(5);
    r->tensor->tensor_shape = shape_to_proto(&a, &shape);
    pb_add_f32(&a, &r->tensor->float_val, 1.5f);
    pb_add_f32(&a, &r->tensor->float_val, 2.5f);
    r->send_start_micros = 9;
    struct rpc_msg m = {0};
    struct wire_values values = {0};
    assert_true(wire_put(&m, r, &st));
    assert_true(wire_read(&m, &pb_recv_tensor_response_desc, &received, &a, &back, &values, &st));
    assert_int_equal(back->send_start_micros, 9);
    assert_int_equal(values.n, 1);
    static const float want[] = {1.5f, 2.5f, 2.5f, 2.5f, 2.5f};
    assert_memory_equal(values.v[0].value.data, want, sizeof want);
    wire_values_clear(&values);
    rpc_msg_clear(&m);
    arena_release(&a);
}

static void refuses(const char *bytes, size_t n, int code, const char *words)
{
    struct rpc_msg m = {0};
    struct arena a = {0};
    struct wire_values values = {0};
    struct pb_recv_tensor_response *r;
    rpc_msg_add_copy(&m, bytes, n);
    assert_false(wire_read(&m, &pb_recv_tensor_response_desc, &received, &a, &r, &values, &st));
    assert_null(r);
    assert_int_equal(values.n, 0);
    assert_fails(code, words);
    rpc_msg_clear(&m);
    arena_release(&a);
}

static void test_wire__claims_beyond_the_bytes_are_refused(void **state UNUSED)
{
#define REFUSES(bytes, code, words) refuses(bytes, sizeof bytes - 1, code, words)
    /* lengths past the end, of 2^63, of 2^64 - 1; a varint of eleven bytes */
    REFUSES("\x0a\x05\x08\x01", STATUS_INVALID_ARGUMENT, "Cannot parse");
    REFUSES("\x0a\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", STATUS_INVALID_ARGUMENT, "parse");
    REFUSES("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", STATUS_INVALID_ARGUMENT, "parse");
    REFUSES("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", STATUS_INVALID_ARGUMENT, "parse");
    /* a group; field 0; a dtype that is none; a reference */
    REFUSES("\x0b\x0c", STATUS_INVALID_ARGUMENT, "parse");
    REFUSES("\x02\x00", STATUS_INVALID_ARGUMENT, "parse");
    REFUSES("\x0a\x02\x08\x63", STATUS_INVALID_ARGUMENT, "dtype is 99");
    REFUSES("\x0a\x02\x08\x65", STATUS_INVALID_ARGUMENT, "dtype is 101");
    REFUSES("\x0a\x00", STATUS_INVALID_ARGUMENT, "dtype is 0");
    /* 2^40 floats of no bytes, and of one value; dims whose product overflows; unknown ones */
    REFUSES("\x0a\x0d\x08\x01\x12\x09\x12\x07\x08\x80\x80\x80\x80\x80\x20",
            STATUS_RESOURCE_EXHAUSTED, "a message may bring");
    REFUSES("\x0a\x12\x08\x01\x2d\x00\x00\x80\x3f\x12\x09\x12\x07\x08\x80\x80\x80\x80\x80\x20",
            STATUS_RESOURCE_EXHAUSTED, "a message may bring");
    REFUSES("\x0a\x14\x08\x01\x12\x10\x12\x06\x08\x80\x80\x80\x80\x40\x12\x06\x08\x80\x80\x80\x80"
            "\x40",
            STATUS_INVALID_ARGUMENT, "more than 2^63 - 1");
    REFUSES("\x0a\x11\x08\x01\x12\x0d\x12\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
            STATUS_INVALID_ARGUMENT, "not fully known");
    /* content that is too short, too long */
    REFUSES("\x0a\x0b\x08\x01\x12\x04\x12\x02\x08\x01\x22\x01x", STATUS_INVALID_ARGUMENT,
            "1 elements of float are 4 bytes, there are 1");
    REFUSES("\x0a\x0f\x08\x01\x12\x04\x12\x02\x08\x01\x22\x05xxxxx", STATUS_INVALID_ARGUMENT,
            "there are 5");
    /* one string of 40 bytes, said to repeat 2^26 times over */
    REFUSES("\x0a\x35\x08\x07\x12\x07\x12\x05\x08\x80\x80\x80\x20\x42\x28"
            "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            STATUS_RESOURCE_EXHAUSTED, "a message may bring");
#undef REFUSES
}

static void try_bytes(const char *p, size_t n, size_t cut)
{
    struct rpc_msg whole = {0};
    rpc_msg_add_copy(&whole, p, n);
    struct rpc_msg m = cut_up(&whole, cut);
    struct arena a = {0};
    struct wire_values values = {0};
    struct pb_run_graph_request *r;
    if (!read_request(&m, &a, &r, &values))
        assert_int_equal(values.n, 0);
    status_clear(&st);
    wire_values_clear(&values);
    arena_release(&a);
    rpc_msg_clear(&m);
    rpc_msg_clear(&whole);
}

static void damage(struct tensor *t)
{
    struct rpc_msg m = {0};
    struct arena a = {0};
    write_request(&m, t);
    struct str all = rpc_msg_flat(&m, &a);
    for (size_t n = 0; n < all.n; n++)
        try_bytes(all.p, n, 1 + n % 9);
    char *copy = arena_memdup(&a, all.p, all.n);
    for (size_t i = 0; i < all.n * 8; i++) {
        copy[i / 8] = (char)(copy[i / 8] ^ 1 << i % 8);
        try_bytes(copy, all.n, 1 + i % 17);
        copy[i / 8] = all.p[i / 8];
    }
    arena_release(&a);
    rpc_msg_clear(&m);
    tensor_clear(t);
}

static void test_wire__damaged_bytes_harm_nobody(void **state UNUSED)
{
    static const int64_t dims[] = {2, 3};
    struct tensor t = numbers(DT_FLOAT, dims, 2);
    damage(&t);
    t = numbers(DT_BOOL, dims, 2);
    damage(&t);
    t = strings(5);
    damage(&t);
    t = handles();
    damage(&t);
}

static void test_wire__messages_without_tensors(void **state UNUSED)
{
    struct arena a = {0};
    struct rpc_msg m = {0};
    struct pb_get_status_request *r;
    assert_true(wire_read(&m, &pb_get_status_request_desc, NULL, &a, &r, NULL, &st));
    assert_non_null(r);
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wire__every_type_of_numbers_comes_back),
        cmocka_unit_test(test_wire__big_tensors_are_not_copied_to_be_sent),
        cmocka_unit_test(test_wire__rows_of_a_tensor_are_sent_alone),
        cmocka_unit_test(test_wire__strings_and_handles_come_back),
        cmocka_unit_test(test_wire__variants_of_this_process_are_refused),
        cmocka_unit_test(test_wire__lists_of_values_are_read),
        cmocka_unit_test(test_wire__claims_beyond_the_bytes_are_refused),
        cmocka_unit_test(test_wire__damaged_bytes_harm_nobody),
        cmocka_unit_test(test_wire__messages_without_tensors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
