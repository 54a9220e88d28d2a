/* SPDX-License-Identifier: Apache-2.0 */
/* leat/checkpoint.h: checkpoints of both formats, written here and given; and what is no
 * checkpoint. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "leat/checkpoint.h"

static TF_Status *st;
static char folder[] = "/tmp/leat_api_checkpoint_XXXXXX";

static int start(void **state)
{
    (void)state;
    st = TF_NewStatus();
    return mkdtemp(folder) == NULL;
}

static int end(void **state)
{
    char command[200];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    TF_DeleteStatus(st);
    return system(command);
}

static void check_open(const char *prefix, int version)
{
    leat_checkpoint *c = leat_checkpoint_open(prefix, st);
    if (!c)
        print_error("%s\n", TF_Message(st));
    assert_non_null(c);
    assert_int_equal(leat_checkpoint_version(c), version);
    int64_t n = leat_checkpoint_num_variables(c);
    assert_true(n > 0);
    assert_null(leat_checkpoint_variable_at(c, n));
    assert_null(leat_checkpoint_variable_at(c, -1));
    for (int64_t i = 0; i < n; i++) {
        const struct leat_checkpoint_variable *v = leat_checkpoint_variable_at(c, i);
        assert_ptr_equal(leat_checkpoint_variable_named(c, v->name), v);
        assert_true(i == 0 || strcmp(v[-1].name, v->name) < 0);
        TF_Tensor *t = leat_checkpoint_read(c, v->name, st);
        assert_non_null(t);
        assert_int_equal(TF_TensorType(t), v->dtype);
        assert_int_equal(TF_NumDims(t), v->num_dims);
        for (int d = 0; d < v->num_dims; d++)
            assert_int_equal(TF_Dim(t, d), v->dims[d]);
        TF_DeleteTensor(t);
    }
    assert_null(leat_checkpoint_variable_named(c, "not there"));
    assert_null(leat_checkpoint_read(c, "not there", st));
    assert_int_equal(TF_GetCode(st), TF_NOT_FOUND);
    assert_null(leat_checkpoint_read(c, NULL, st));
    leat_checkpoint_close(c);
}

static void check_given(const char *name, int version)
{
    char prefix[1000];
    const char *shared = getenv("LEAT_SHARED");
    if (!shared)
        skip();
    snprintf(prefix, sizeof prefix, "%s/models/%s", shared, name);
    check_open(prefix, version);
}

static void test_v1(void **state)
{
    (void)state;
    check_given("checkpoint_v1_mnist/MNISTBias.ckpt", 1);
}

static void test_v2(void **state)
{
    (void)state;
    check_given("checkpoint_v2_linear_regression/linear-regression", 2);
}

static void test_none(void **state)
{
    char prefix[200];
    (void)state;
    snprintf(prefix, sizeof prefix, "%s/none", folder);
    assert_null(leat_checkpoint_open(prefix, st));
    assert_int_equal(TF_GetCode(st), TF_NOT_FOUND);
    assert_null(leat_checkpoint_open(NULL, st));
    assert_int_equal(TF_GetCode(st), TF_INVALID_ARGUMENT);
    assert_int_equal(leat_checkpoint_num_variables(NULL), 0);
    assert_int_equal(leat_checkpoint_version(NULL), 0);
    assert_null(leat_checkpoint_variable_at(NULL, 0));
    assert_null(leat_checkpoint_read(NULL, "x", st));
    leat_checkpoint_close(NULL);
}

static void put(const char *name, const char *bytes, size_t n)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
}

static void test_junk(void **state)
{
    char prefix[200], junk[100];
    (void)state;
    memset(junk, 'j', sizeof junk);
    put("junk.index", junk, sizeof junk);
    put("junk_v1", junk, sizeof junk);
    put("empty.index", junk, 0);
    const char *names[] = {"junk", "junk_v1", "empty"};
    for (int i = 0; i < 3; i++) {
        snprintf(prefix, sizeof prefix, "%s/%s", folder, names[i]);
        assert_null(leat_checkpoint_open(prefix, st));
        assert_int_equal(TF_GetCode(st), TF_DATA_LOSS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_v1),
        cmocka_unit_test(test_v2),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_junk),
    };
    return cmocka_run_group_tests(tests, start, end);
}
