/* SPDX-License-Identifier: Apache-2.0 */
/* One kernel run by itself: what may be, what is refused, and that nothing leaks. */
#include "op/evaluate.h"
#include "op_fixture.h"

static struct status st;

static bool run_double(struct kctx *c, struct status *error)
{
    const struct tensor *x = kernel_in(c, 0);
    int32_t *scratch = kernel_scratch(c, (int64_t)tensor_bytes(x), error);
    struct tensor *out = scratch ? kernel_out(c, 0, &x->shape, error) : NULL;
    if (!out)
        return false;
    for (int64_t i = 0; i < x->num_elems; i++) {
        scratch[i] = 2 * tensor_i32(x)[i];
        tensor_i32(out)[i] = scratch[i];
    }
    return tensor_i32(x)[0] >= 0 || status_invalid(error, "negative");
}

static bool run_nothing(struct kctx *c UNUSED, struct status *error UNUSED)
{
    return true;
}

static bool run_silent(struct kctx *c UNUSED, struct status *error UNUSED)
{
    return false;
}

static void run_later(struct kctx *c UNUSED)
{
}

static const struct op_def double_def = {
    .name = "TestDouble", .inputs = {"x: int32"}, .outputs = {"y: int32"}};
static const struct op_def silent_def = {.name = "TestSilent", .outputs = {"y: int32"}};
static const struct op_def empty_def = {.name = "TestEmpty", .outputs = {"y: int32"}};
static const struct op_def async_def = {.name = "TestAsync", .outputs = {"y: int32"}};
static const struct op_def nokernel_def = {.name = "TestNoKernel", .outputs = {"y: int32"}};
static const struct op_def stateful_def = {
    .name = "TestStateful", .outputs = {"y: int32"}, .flags = OP_STATEFUL};
static const struct op_def ref_def = {.name = "TestRefIn", .inputs = {"x: Ref(int32)"}};
static const struct op_def handle_def = {.name = "TestHandleOut", .outputs = {"x: resource"}};

static const struct kernel_def kernels[] = {
    {.op = "TestDouble", .device = "CPU", .run = run_double},
    {.op = "TestSilent", .device = "CPU", .run = run_silent},
    {.op = "TestEmpty", .device = "CPU", .run = run_nothing},
    {.op = "TestAsync", .device = "CPU", .flags = KERNEL_ASYNC, .run_async = run_later},
};

static int register_kernels(void **state UNUSED)
{
    for (size_t i = 0; i < ARRAY_LEN(kernels); i++) {
        if (!kernel_register(&kernels[i], &st))
            return -1;
    }
    return 0;
}

static bool evaluate(const struct op_def *def, struct tensor *in, int num_in, struct tensor *out)
{
    struct attrs none = {0};
    struct tensor *inputs[] = {in};
    struct evaluate_call call = {.op = fixture_op(def),
                                 .node_name = "n",
                                 .attrs = &none,
                                 .inputs = inputs,
                                 .num_inputs = num_in,
                                 .num_outputs = 1};
    return evaluate_node(&call, out, &st);
}

static void test_evaluate__runs_a_kernel(void **state UNUSED)
{
    struct tensor x = fixture_ints((int32_t[]){3, 4}, 2), y;
    assert_true(evaluate(&double_def, &x, 1, &y));
    assert_int_equal(tensor_i32(&y)[1], 8);
    tensor_clear(&y);
    tensor_i32(&x)[0] = -1;
    assert_false(evaluate(&double_def, &x, 1, &y)); /* after it had made its output */
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "negative");
    tensor_clear(&x);
}

static void test_evaluate__checks_what_it_is_given(void **state UNUSED)
{
    struct tensor x = fixture_floats((float[]){3}, 1), y;
    assert_false(evaluate(&double_def, &x, 1, &y));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "input 0 is float where int32 is needed");
    assert_false(evaluate(&double_def, &x, 0, &y));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "0 inputs given where 1 are needed");
    struct attrs none = {0};
    struct tensor *inputs[] = {&x};
    struct evaluate_call call = {.op = fixture_op(&double_def),
                                 .node_name = "n",
                                 .attrs = &none,
                                 .inputs = inputs,
                                 .num_inputs = 1,
                                 .num_outputs = 2};
    assert_false(evaluate_node(&call, &y, &st));
    assert_failed_with(&st, STATUS_INVALID_ARGUMENT, "room for 2 outputs");
    tensor_clear(&x);
}

static void test_evaluate__refuses_what_needs_a_step(void **state UNUSED)
{
    struct tensor y;
    assert_true(evaluate_possible(fixture_op(&double_def)));
    assert_false(evaluate_possible(fixture_op(&stateful_def)));
    assert_false(evaluate_possible(fixture_op(&ref_def)));
    assert_false(evaluate_possible(fixture_op(&handle_def)));
    assert_false(evaluate(&stateful_def, NULL, 0, &y));
    assert_failed_with(&st, STATUS_UNIMPLEMENTED, "has state");
    assert_false(evaluate(&async_def, NULL, 0, &y));
    assert_failed_with(&st, STATUS_UNIMPLEMENTED, "may wait");
    assert_false(evaluate(&nokernel_def, NULL, 0, &y));
    assert_failed_with(&st, STATUS_NOT_FOUND, "No OpKernel was registered");
}

static void test_evaluate__kernels_that_leave_nothing(void **state UNUSED)
{
    struct tensor y;
    assert_false(evaluate(&empty_def, NULL, 0, &y));
    assert_failed_with(&st, STATUS_UNIMPLEMENTED, "output 0 has no value");
    assert_false(evaluate(&silent_def, NULL, 0, &y));
    assert_failed_with(&st, STATUS_INTERNAL, "did not say why");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_evaluate__runs_a_kernel),
        cmocka_unit_test(test_evaluate__checks_what_it_is_given),
        cmocka_unit_test(test_evaluate__refuses_what_needs_a_step),
        cmocka_unit_test(test_evaluate__kernels_that_leave_nothing),
    };
    return cmocka_run_group_tests(tests, register_kernels, NULL);
}
