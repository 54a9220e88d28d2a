/* SPDX-License-Identifier: Apache-2.0 */
/* Small makers for the tests of op/. */
#include "op_fixture.h"

static struct tensor make(int dtype, const void *values, int64_t n)
{
    struct tensor t = {0};
    struct status st = {0};
    assert_true(tensor_from(&t, dtype, &n, 1, values, &st));
    return t;
}

struct tensor fixture_floats(const float *values, int64_t n)
{
    return make(DT_FLOAT, values, n);
}

struct tensor fixture_ints(const int32_t *values, int64_t n)
{
    return make(DT_INT32, values, n);
}

struct tensor fixture_int(int32_t value)
{
    struct tensor t = {0};
    struct status st = {0};
    assert_true(tensor_from(&t, DT_INT32, NULL, 0, &value, &st));
    return t;
}

const struct op *fixture_op(const struct op_def *def)
{
    struct status st = {0};
    const struct op *op = op_find(def->name);
    if (op)
        return op;
    bool ok = op_register(def, &st);
    assert_no_error(&st);
    assert_true(ok);
    return op_find(def->name);
}

struct attrs *fixture_attr(struct attrs *a, const char *name, struct attr_value v)
{
    attrs_set(a, name, v);
    return a;
}
