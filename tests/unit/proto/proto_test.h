/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the codec share: bytes written as text, and checks that print the error. */
#ifndef LEAT_TESTS_PROTO_TEST_H
#define LEAT_TESTS_PROTO_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "proto/leat_proto.h"
#include "proto/pb_reflect.h"

/* A string literal as bytes, NULs inside it included. */
#define BYTES(literal) literal, sizeof(literal) - 1

#define ASSERT_OK(call)                                                                            \
    do {                                                                                           \
        struct status st_ = {0};                                                                   \
        struct status *st = &st_;                                                                  \
        if (!(call))                                                                               \
            fail_msg("%s: %s", #call, status_message(st));                                         \
        status_clear(st);                                                                          \
    } while (0)

/* The call fails with that code and a message that has the text. */
#define ASSERT_FAILS(call, want_code, text)                                                        \
    do {                                                                                           \
        struct status st_ = {0};                                                                   \
        struct status *st = &st_;                                                                  \
        assert_false(call);                                                                        \
        assert_int_equal(st->code, want_code);                                                     \
        if (!strstr(status_message(st), text))                                                     \
            fail_msg("\"%s\" is not in \"%s\"", text, status_message(st));                         \
        status_clear(st);                                                                          \
    } while (0)

static inline UNUSED void assert_str(struct str s, const char *want)
{
    if (!str_is(s, want))
        fail_msg("\"%.*s\" is not \"%s\"", (int)s.n, s.p ? s.p : "", want);
}

#endif
