/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of op/ share: checks of a failed status, small tensors, attrs, a kernel call. */
#ifndef LEAT_TESTS_OP_FIXTURE_H
#define LEAT_TESTS_OP_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "op/kernel.h"

/* Checks code and a piece of the message, and makes st OK again. */
#define assert_failed_with(st, wanted_code, piece)                                                 \
    do {                                                                                           \
        if (!strstr(status_message(st), piece))                                                    \
            print_error("message: %s\n", status_message(st));                                      \
        assert_int_equal((st)->code, wanted_code);                                                 \
        assert_non_null(strstr(status_message(st), piece));                                        \
        status_clear(st);                                                                          \
    } while (0)

#define assert_no_error(st) assert_string_equal(status_message(st), "")

struct tensor fixture_floats(const float *values, int64_t n);
struct tensor fixture_ints(const int32_t *values, int64_t n);
struct tensor fixture_int(int32_t value); /* a scalar */

/* The registered op of this definition; registers it first if need be. */
const struct op *fixture_op(const struct op_def *def);
/* One attr more; takes v. Returns a so that calls nest. */
struct attrs *fixture_attr(struct attrs *a, const char *name, struct attr_value v);

#endif
