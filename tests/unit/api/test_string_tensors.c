/* SPDX-License-Identifier: Apache-2.0 */
/* leat/strings.h in a process that has 1.15's string tensors, and what happens when the other
 * layout is asked for after that one was used. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "leat/strings.h"
#include "misuse.h"

static TF_Status *s;

static void expect(TF_Code code, const char *words)
{
    if (TF_GetCode(s) != code || !strstr(TF_Message(s), words))
        fail_msg("wanted %d '%s', got %d '%s'", (int)code, words, (int)TF_GetCode(s),
                 TF_Message(s));
}

static void test_accessors(void **state)
{
    (void)state;
    const char *texts[] = {"one", "", "a longer string than fits into a few bytes", "x\0y"}, *text;
    size_t lengths[] = {3, 0, 42, 3}, n;
    TF_Tensor *t = leat_string_tensor(texts, lengths, (int64_t[]){2, 2}, 2, s);
    expect(TF_OK, "");
    for (int i = 0; i < 4; i++) {
        assert_int_equal(leat_tensor_string_at(t, i, &text, &n, s), 1);
        assert_int_equal(n, lengths[i]);
        assert_memory_equal(text, texts[i], n);
    }
    assert_int_equal(leat_tensor_string_at(t, 3, NULL, NULL, NULL), 1);
    assert_int_equal(leat_tensor_string_at(t, 4, &text, &n, s), 0);
    expect(TF_OUT_OF_RANGE, "element 4 of 4");
    assert_int_equal(leat_tensor_string_at(t, -1, &text, &n, s), 0);
    expect(TF_OUT_OF_RANGE, "element -1 of 4");
    TF_DeleteTensor(t);
    t = leat_string_tensor(NULL, NULL, (int64_t[]){0}, 1, s);
    expect(TF_OK, "");
    assert_int_equal(TF_TensorElementCount(t), 0);
    TF_DeleteTensor(t);
}

static void test_misuse(void **state)
{
    (void)state;
    const char *none[] = {NULL}, *text;
    size_t n;
    assert_null(leat_string_tensor(none, NULL, NULL, 0, s));
    expect(TF_INVALID_ARGUMENT, "text 0 is NULL");
    assert_null(leat_string_tensor(NULL, NULL, NULL, 0, s));
    expect(TF_INVALID_ARGUMENT, "text 0 is NULL");
    assert_null(leat_string_tensor(none, NULL, NULL, 2, s));
    expect(TF_INVALID_ARGUMENT, "rank 2");
    assert_null(leat_string_tensor(none, NULL, NULL, -1, s));
    expect(TF_INVALID_ARGUMENT, "rank -1");
    assert_null(leat_string_tensor(none, NULL, (int64_t[]){-4}, 1, s));
    assert_int_equal(TF_GetCode(s), TF_INVALID_ARGUMENT);
    assert_int_equal(leat_tensor_string_at(NULL, 0, &text, &n, s), 0);
    expect(TF_INVALID_ARGUMENT, "no string tensor");
    TF_Tensor *t = TF_AllocateTensor(TF_FLOAT, NULL, 0, 4);
    assert_int_equal(leat_tensor_string_at(t, 0, &text, &n, s), 0);
    expect(TF_INVALID_ARGUMENT, "no string tensor");
    TF_DeleteTensor(t);
    t = TF_AllocateTensor(TF_STRING, NULL, 0, 9);
    memset(TF_TensorData(t), 0xff, 9);
    assert_int_equal(leat_tensor_string_at(t, 0, &text, &n, s), 0);
    expect(TF_INVALID_ARGUMENT, "element 0 out of range");
    TF_DeleteTensor(t);
}

/* A program that writes TF_TStrings without having asked for them is told what to do. */
static void test_the_hint(void **state)
{
    (void)state;
    TF_Tensor *t = TF_AllocateTensor(TF_STRING, NULL, 0, sizeof(TF_TString));
    TF_StringInit(TF_TensorData(t));
    TF_StringCopy(TF_TensorData(t), "words", 5);
    assert_int_equal(leat_tensor_string_at(t, 0, NULL, NULL, s), 0);
    expect(TF_INVALID_ARGUMENT, "load libtensorflow.so.2");
    TF_DeleteTensor(t);
}

static void test_too_late(void **state)
{
    (void)state;
    assert_int_equal(leat_get_string_layout(), LEAT_STRINGS_OFFSETS);
    assert_int_equal(leat_set_string_layout(LEAT_STRINGS_TSTRING, s), 0);
    expect(TF_FAILED_PRECONDITION, "A process can use one of them");
    const char *text = "still works";
    TF_Tensor *t = leat_string_tensor(&text, NULL, NULL, 0, s);
    expect(TF_OK, "");
    assert_int_equal(leat_set_string_layout(LEAT_STRINGS_TSTRING, NULL), 0); /* nobody listens */
    assert_int_equal(leat_tensor_string_at(t, 0, NULL, NULL, s), 0);
    expect(TF_FAILED_PRECONDITION, "libtensorflow.so.2 is not to be loaded beside");
    TF_DeleteTensor(t);
}

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
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accessors),
        cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_the_hint),
        cmocka_unit_test(test_too_late),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
