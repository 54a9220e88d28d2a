/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing a kernel, making one for a node, and what its context gives: outputs, forwarding,
 * planned memory, references, scratch, checks. */
#include "op/cancel.h"
#include "op_fixture.h"

static struct status st;

static const struct op_def two_def = {
    .name = "TestTwo",
    .inputs = {"x: T", "ys: N * T", "ref: Ref(T)"},
    .outputs = {"a: T", "b: U", "s: string"},
    .attrs = {"T: type", "U: {float, int32} = DT_FLOAT", "N: int >= 0", "Tl: list(type) = []",
              "container: string = ''", "shared_name: string = ''"},
};

static bool run_nothing(struct kctx *c UNUSED, struct status *error UNUSED)
{
    return true;
}

struct state {
    int *owned;
    int64_t n;
};

static int num_released;

static bool init_state(struct kernel *k, void *state, struct status *error)
{
    struct state *s = state;
    s->owned = mem_new(int);
    s->n = attrs_int(k->attrs, "N");
    return s->n != 7 || status_invalid(error, "seven is refused");
}

static void release_state(void *state)
{
    struct state *s = state;
    mem_free(s->owned);
    num_released++;
}

static const struct kernel_def float_kernel = {.op = "TestTwo",
                                               .device = "CPU",
                                               .types = {"T: float", "U: {float, int32}"},
                                               .state_bytes = sizeof(struct state),
                                               .init = init_state,
                                               .release = release_state,
                                               .run = run_nothing};
static const struct kernel_def int_kernel = {.op = "TestTwo",
                                             .device = "CPU",
                                             .types = {"T: {int32, int64}", "Tl: {float, half}"},
                                             .run = run_nothing};
static const struct kernel_def fast_kernel = {
    .op = "TestTwo", .device = "CPU", .types = {"T: int64"}, .priority = 2, .run = run_nothing};
static const struct kernel_def labelled_kernel = {.op = "TestTwo",
                                                  .device = "CPU",
                                                  .types = {"T: numbertype"},
                                                  .label = "odd",
                                                  .run = run_nothing};
static const struct kernel_def gpu_kernel = {.op = "TestTwo", .device = "GPU", .run = run_nothing};

static const struct op *two(void)
{
    if (op_find("TestTwo"))
        return op_find("TestTwo");
    const struct kernel_def *defs[] = {&float_kernel, &int_kernel, &fast_kernel, &labelled_kernel,
                                       &gpu_kernel};
    for (size_t i = 0; i < ARRAY_LEN(defs); i++)
        assert_true(kernel_register(defs[i], &st));
    return fixture_op(&two_def);
}

static const struct kernel_def *find(int type, const char *label, const char *device)
{
    struct attrs a = {0};
    attrs_set(&a, "T", attr_type(type));
    attrs_set(&a, "N", attr_int(1));
    if (label)
        attrs_set(&a, "_kernel", attr_string(str_of(label)));
    const struct kernel_def *def = kernel_find(two(), device, &a, "n", &st);
    attrs_clear(&a);
    return def;
}

static void test_kernel__is_chosen_by_types_label_and_priority(void **state UNUSED)
{
    assert_ptr_equal(find(DT_FLOAT, NULL, "CPU"), &float_kernel);
    assert_ptr_equal(find(DT_INT32, NULL, "CPU"), &int_kernel);
    assert_ptr_equal(find(DT_INT64, NULL, "CPU"), &fast_kernel);
    assert_ptr_equal(find(DT_FLOAT, "odd", "CPU"), &labelled_kernel);
    assert_ptr_equal(find(DT_STRING, NULL, "GPU"), &gpu_kernel);
    assert_no_error(&st);
}

static void test_kernel__none_is_reported_with_those_there_are(void **state UNUSED)
{
    assert_null(find(DT_STRING, NULL, "CPU"));
    assert_failed_with(
        &st, STATUS_NOT_FOUND,
        "No OpKernel was registered to support Op 'TestTwo' used by {{node n}} with these attrs: "
        "[N=1, T=DT_STRING]\nRegistered devices: [");
    assert_null(find(DT_HALF, "even", "CPU"));
    assert_failed_with(&st, STATUS_NOT_FOUND,
                       "Registered kernels:\n"
                       "  device='CPU'; T in [DT_FLOAT]; U in [DT_FLOAT, DT_INT32]\n"
                       "  device='CPU'; T in [DT_INT32, DT_INT64]; Tl in [DT_FLOAT, DT_HALF]\n"
                       "  device='CPU'; T in [DT_INT64]\n"
                       "  device='CPU'; label='odd'; T in [DT_FLOAT, DT_DOUBLE, ");
    static const struct op_def lonely = {
        .name = "TestLonely", .outputs = {"x: float"}, .no_kernel = "nobody wrote one"};
    struct attrs none = {0};
    assert_null(kernel_find(fixture_op(&lonely), "CPU", &none, "n", &st));
    assert_failed_with(&st, STATUS_NOT_FOUND,
                       "  <no registered kernels>\nReason: nobody wrote one");
}

static void test_kernel__constraints_on_lists_hold_for_each_item(void **state UNUSED)
{
    struct attrs a = {0};
    attrs_set(&a, "T", attr_type(DT_INT32));
    attrs_set(&a, "Tl", attr_list(ATTR_TYPE, (int[]){DT_FLOAT, DT_HALF}, 2));
    assert_ptr_equal(kernel_find(two(), "CPU", &a, "n", &st), &int_kernel);
    attrs_set(&a, "Tl", attr_list(ATTR_TYPE, (int[]){DT_FLOAT, DT_BOOL}, 2));
    assert_null(kernel_find(two(), "CPU", &a, "n", &st));
    status_clear(&st);
    attrs_set(&a, "Tl", attr_list(ATTR_TYPE, (int[]){DT_FLOAT, 99}, 2));
    assert_null(kernel_find(two(), "CPU", &a, "n", &st));
    status_clear(&st);
    attrs_clear(&a);
}

static bool count(const struct kernel_def *def, void *arg)
{
    *(int *)arg += strcmp(def->op, "TestTwo") == 0;
    return true;
}

static void test_kernel__registry(void **state UNUSED)
{
    int n = 0;
    two();
    kernel_each(count, &n);
    assert_int_equal(n, 5);
    assert_true(kernel_allows(&float_kernel, "T", DT_FLOAT));
    assert_false(kernel_allows(&float_kernel, "T", DT_HALF));
    assert_true(kernel_allows(&float_kernel, "V", DT_HALF));
    assert_false(kernel_allows(&float_kernel, "T", 99));
    struct kernel_def bad = {
        .op = "X", .device = "CPU", .types = {"T {float}"}, .run = run_nothing};
    assert_false(kernel_register(&bad, &st));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "'ATTR: {types}' expected at column");
    bad.types[0] = "T: {float} 3";
    assert_false(kernel_register(&bad, &st));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "unexpected text");
    bad.run = NULL;
    assert_false(kernel_register(&bad, &st));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "a function to run");
}

static struct kernel *make(const struct kernel_def *def, int type, int64_t n)
{
    struct attrs a = {0};
    attrs_set(&a, "T", attr_type(type));
    attrs_set(&a, "N", attr_int(n));
    struct kernel *k = kernel_new(def, two(), "node", &a, "/device:CPU:0", &st);
    attrs_clear(&a);
    return k;
}

static void test_kernel__owns_what_it_needs(void **state UNUSED)
{
    int first, n;
    struct kernel *k = make(&float_kernel, DT_FLOAT, 2);
    assert_int_equal(k->num_inputs, 4);
    assert_int_equal(k->num_outputs, 3);
    assert_int_equal(k->input_types[3], DT_FLOAT + DT_REF);
    assert_string_equal(k->node_name, "node");
    assert_int_equal(attrs_type(k->attrs, "U"), DT_FLOAT); /* a default */
    assert_int_equal(((struct state *)k->state)->n, 2);
    assert_true(kernel_input_range(k, "ys", &first, &n));
    assert_int_equal(first, 1);
    assert_int_equal(n, 2);
    assert_true(kernel_input_range(k, "ref", &first, &n));
    assert_int_equal(first, 3);
    assert_true(kernel_output_range(k, "s", &first, &n));
    assert_int_equal(first, 2);
    assert_false(kernel_output_range(k, "x", &first, &n));
    num_released = 0;
    kernel_free(k);
    assert_int_equal(num_released, 1);
    kernel_free(NULL);
}

static void test_kernel__failed_init_is_released(void **state UNUSED)
{
    num_released = 0;
    assert_null(make(&float_kernel, DT_FLOAT, 7));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "seven is refused");
    assert_int_equal(num_released, 1);
    assert_null(make(&float_kernel, DT_FLOAT, -1));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "-1 values");
    assert_int_equal(num_released, 1); /* it never got a state */
}

/* --- the context --- */

struct call {
    struct kernel *k;
    struct tensor values[4], out[3];
    struct tensor *in[4];
    struct kernel_env env;
    struct kctx c;
};

static void begin(struct call *call, int type)
{
    *call = (struct call){.k = make(type == DT_FLOAT ? &float_kernel : &gpu_kernel, type, 2)};
    for (int i = 0; i < 4; i++)
        call->in[i] = &call->values[i];
    call->c = (struct kctx){.kernel = call->k,
                            .in = call->in,
                            .out = call->out,
                            .env = &call->env,
                            .frame = "",
                            .expected_alive = -1};
}

static void end(struct call *call)
{
    for (int i = 0; i < 4; i++)
        tensor_clear(&call->values[i]);
    for (int i = 0; i < 3; i++)
        tensor_clear(&call->out[i]);
    kernel_scratch_release(&call->c);
    kernel_free(call->k);
}

static void test_kernel__outputs(void **state UNUSED)
{
    struct call call;
    begin(&call, DT_FLOAT);
    struct shape s = shape_2(2, 3), bad = shape_2(INT64_MAX, 3);
    struct tensor *out = kernel_out(&call.c, 0, &s, &st);
    assert_ptr_equal(out, &call.out[0]);
    assert_int_equal(out->dtype, DT_FLOAT);
    assert_int_equal(out->num_elems, 6);
    assert_non_null(kernel_out(&call.c, 0, &s, &st)); /* again: the first one goes */
    assert_null(kernel_out(&call.c, 1, &bad, &st));
    status_clear(&st);
    kernel_out_share(&call.c, 1, &call.out[0]);
    assert_ptr_equal(call.out[1].buf, call.out[0].buf);
    kernel_out_share(&call.c, 1, &call.out[1]); /* onto itself */
    assert_ptr_equal(call.out[1].buf, call.out[0].buf);
    struct tensor t = fixture_floats((float[]){1}, 1);
    kernel_out_take(&call.c, 1, &t);
    assert_int_equal(t.dtype, DT_INVALID);
    assert_int_equal(call.out[1].num_elems, 1);
    end(&call);
}

static void test_kernel__forwards_a_dying_sole_input(void **state UNUSED)
{
    struct call call;
    begin(&call, DT_FLOAT);
    call.values[0] = fixture_floats((float[]){1, 2, 3, 4}, 4);
    float *data = call.values[0].data;
    struct shape s = shape_2(2, 2);
    call.c.in_last_use = 1;
    struct tensor *out = kernel_out_forward(&call.c, 0, 0, &s, &st);
    assert_ptr_equal(out->data, data);
    assert_int_equal(tensor_rank(out), 2);
    /* the kernel still reads its input there */
    assert_int_equal(tensor_rank(kernel_in(&call.c, 0)), 1);
    assert_true(tensor_f32(kernel_in(&call.c, 0))[3] == 4);
    assert_true(tensor_is_sole(out));
    end(&call);
}

static void check_not_forwarded(struct call *call, int i, const struct shape *s)
{
    void *data = call->values[0].data;
    struct tensor *out = kernel_out_forward(&call->c, 0, i, s, &st);
    assert_non_null(out);
    assert_ptr_not_equal(out->data, data);
    tensor_clear(out);
}

static void test_kernel__forwards_nothing_else(void **state UNUSED)
{
    struct call call;
    begin(&call, DT_FLOAT);
    struct shape four = shape_1(4), five = shape_1(5);
    call.values[0] = fixture_floats((float[]){1, 2, 3, 4}, 4);
    check_not_forwarded(&call, 0, &four); /* not the last use */
    call.c.in_last_use = 1;
    check_not_forwarded(&call, 0, &five); /* another count */
    check_not_forwarded(&call, 2, &four); /* strings */
    struct tensor other = tensor_copy(&call.values[0]);
    check_not_forwarded(&call, 0, &four); /* someone else looks */
    tensor_clear(&other);
    /* a reference in its place */
    struct tensor kept = tensor_take(&call.values[0]);
    struct variable *v = variable_new("v", DT_FLOAT);
    call.values[0] = (struct tensor){.dtype = DT_FLOAT + DT_REF, .num_elems = 4, .data = v};
    check_not_forwarded(&call, 0, &four);
    variable_unref(v);
    call.values[0] = kept;
    assert_ptr_equal(kernel_out_forward(&call.c, 0, 1, &four, &st)->data, call.values[0].data);
    end(&call);
}

static void test_kernel__forwards_strings_to_strings(void **state UNUSED)
{
    struct call call;
    begin(&call, DT_STRING);
    struct shape s = shape_1(2);
    assert_true(tensor_new(&call.values[0], DT_STRING, &s, &st));
    const char *long_text = "a text that is too long to lie inside of the element";
    assert_true(tstr_set(&tensor_str(&call.values[0])[1], long_text, strlen(long_text)));
    call.c.in_last_use = 1;
    struct tensor *out = kernel_out_forward(&call.c, 0, 2, &s, &st);
    assert_ptr_equal(out->data, call.values[0].data);
    assert_true(str_is(tstr_view(&tensor_str(out)[1]), long_text));
    end(&call);
}

static void test_kernel__uses_planned_memory_that_fits(void **state UNUSED)
{
    struct call call;
    begin(&call, DT_FLOAT);
    struct shape four = shape_1(4), many = shape_1(100000);
    call.out[0].buf = buffer_new(DT_UINT8, 64, &st);
    void *data = call.out[0].buf->data;
    struct tensor *out = kernel_out(&call.c, 0, &four, &st);
    assert_ptr_equal(out->data, data);
    assert_int_equal(out->dtype, DT_FLOAT);
    tensor_clear(out);
    call.out[0].buf = buffer_new(DT_UINT8, 64, &st);
    assert_int_equal(kernel_out(&call.c, 0, &many, &st)->num_elems, 100000); /* too small */
    call.out[2].buf = buffer_new(DT_UINT8, 1024, &st);
    data = call.out[2].buf->data;
    out = kernel_out(&call.c, 2, &four, &st); /* strings need a buffer that knows them */
    assert_int_equal(out->buf->elems, 4);
    struct buffer *shared = buffer_new(DT_UINT8, 64, &st);
    call.out[1].buf = buffer_ref(shared);
    assert_ptr_not_equal(kernel_out(&call.c, 1, &four, &st)->buf, shared);
    buffer_unref(shared);
    call.out[1].dtype = DT_INVALID;
    end(&call);
}

static void test_kernel__references_are_counted_by_copies(void **state UNUSED)
{
    struct call call;
    begin(&call, DT_FLOAT);
    struct variable *v = variable_new("v", DT_FLOAT);
    kernel_out_ref(&call.c, 0, v);
    assert_int_equal(call.out[0].dtype, DT_FLOAT + DT_REF);
    call.values[3] = tensor_copy(&call.out[0]);
    assert_ptr_equal(kernel_ref(&call.c, 3), v);
    variable_unref(v); /* the two values keep it */
    struct variable *again = variable_ref(kernel_ref(&call.c, 3));
    tensor_clear(&call.out[0]);
    tensor_clear(&call.values[3]);
    assert_false(variable_initialized(again));
    variable_unref(again);
    end(&call);
}

static void test_kernel__keeps_a_copy_of_what_clients_can_write(void **state UNUSED)
{
    struct call call;
    begin(&call, DT_FLOAT);
    struct tensor kept;
    call.values[0] = fixture_floats((float[]){1, 2}, 2);
    assert_true(kernel_in_keep(&call.c, 0, &kept, &st));
    assert_ptr_equal(kept.buf, call.values[0].buf);
    tensor_clear(&kept);
    call.values[0].buf->borrowed = true;
    assert_true(kernel_in_keep(&call.c, 0, &kept, &st));
    assert_ptr_not_equal(kept.buf, call.values[0].buf);
    assert_true(tensor_f32(&kept)[1] == 2 && !tensor_is_borrowed(&kept));
    tensor_clear(&kept);
    end(&call);
}

static void test_kernel__scratch_lives_for_the_call(void **state UNUSED)
{
    struct call call;
    begin(&call, DT_FLOAT);
    struct buffer_stats before, during, after;
    buffer_stats(&before);
    for (int i = 0; i < 3; i++) {
        char *p = kernel_scratch(&call.c, 1000 * i, &st);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 64, 0);
        memset(p, i, (size_t)(1000 * i));
    }
    buffer_stats(&during);
    assert_true(during.in_use > before.in_use);
    kernel_scratch_release(&call.c);
    buffer_stats(&after);
    assert_int_equal(after.in_use, before.in_use);
    assert_null(kernel_scratch(&call.c, -1, &st));
    status_clear(&st);
    assert_null(kernel_scratch(&call.c, INT64_MAX, &st));
    assert_failed_with(&st, STATUS_RESOURCE_EXHAUSTED, "");
    struct shape s = shape_1(3);
    struct tensor t;
    assert_true(kernel_temp(&call.c, DT_INT64, &s, &t, &st));
    tensor_clear(&t);
    end(&call);
}

static int done_code;

static void note_done(struct kctx *c UNUSED, struct status *error)
{
    done_code = error->code;
    status_clear(error);
}

static void test_kernel__done_and_cancelled(void **state UNUSED)
{
    struct call call;
    begin(&call, DT_FLOAT);
    call.c.done = note_done;
    status_fail(&st, STATUS_ABORTED, "x");
    kernel_done(&call.c, &st);
    assert_int_equal(done_code, STATUS_ABORTED);
    assert_false(kernel_cancelled(&call.c));
    call.env.cancel = cancel_new(NULL);
    assert_false(kernel_cancelled(&call.c));
    cancel_fire(call.env.cancel, STATUS_CANCELLED, "enough");
    assert_true(kernel_cancelled(&call.c));
    cancel_unref(call.env.cancel);
    end(&call);
}

static void test_kernel__checks_name_the_argument(void **state UNUSED)
{
    struct call call;
    begin(&call, DT_FLOAT);
    call.values[2] = fixture_floats((float[]){1, 2}, 2);
    assert_false(kernel_want_scalar(&call.c, 2, &st));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "ys must be a scalar, not shape [2]");
    assert_true(kernel_want_vector(&call.c, 2, &st));
    assert_true(kernel_want_scalar(&call.c, 0, &st));
    assert_false(kernel_want_vector(&call.c, 0, &st));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "x must be a vector, not shape []");
    end(&call);
}

static void test_kernel__shapes_from_values(void **state UNUSED)
{
    struct shape s;
    struct tensor t = fixture_ints((int32_t[]){2, 0, 3, 1, 5}, 5);
    assert_true(kernel_shape_from(&t, &s, &st));
    assert_int_equal(s.rank, 5);
    assert_int_equal(shape_dim(&s, 2), 3);
    shape_clear(&s);
    tensor_i32(&t)[1] = -3;
    assert_false(kernel_shape_from(&t, &s, &st));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "Dimension -3 must be >= 0");
    tensor_clear(&t);
    t = fixture_int(3);
    assert_false(kernel_shape_from(&t, &s, &st));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "shape must be a vector");
    tensor_clear(&t);
    int64_t huge[] = {INT64_MAX, 2}, two_dims = 2, many = 300;
    assert_true(tensor_from(&t, DT_INT64, &two_dims, 1, huge, &st));
    assert_false(kernel_shape_from(&t, &s, &st));
    assert_int_equal(st.code, STATUS_INVALID_ARGUMENT);
    status_clear(&st);
    tensor_clear(&t);
    struct shape of_many = shape_1(many);
    assert_true(tensor_new(&t, DT_INT64, &of_many, &st));
    memset(t.data, 0, tensor_bytes(&t));
    assert_false(kernel_shape_from(&t, &s, &st));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "300 dimensions");
    tensor_clear(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernel__is_chosen_by_types_label_and_priority),
        cmocka_unit_test(test_kernel__none_is_reported_with_those_there_are),
        cmocka_unit_test(test_kernel__constraints_on_lists_hold_for_each_item),
        cmocka_unit_test(test_kernel__registry),
        cmocka_unit_test(test_kernel__owns_what_it_needs),
        cmocka_unit_test(test_kernel__failed_init_is_released),
        cmocka_unit_test(test_kernel__outputs),
        cmocka_unit_test(test_kernel__forwards_a_dying_sole_input),
        cmocka_unit_test(test_kernel__forwards_nothing_else),
        cmocka_unit_test(test_kernel__forwards_strings_to_strings),
        cmocka_unit_test(test_kernel__uses_planned_memory_that_fits),
        cmocka_unit_test(test_kernel__references_are_counted_by_copies),
        cmocka_unit_test(test_kernel__keeps_a_copy_of_what_clients_can_write),
        cmocka_unit_test(test_kernel__scratch_lives_for_the_call),
        cmocka_unit_test(test_kernel__done_and_cancelled),
        cmocka_unit_test(test_kernel__checks_name_the_argument),
        cmocka_unit_test(test_kernel__shapes_from_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
