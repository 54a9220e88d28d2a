/* SPDX-License-Identifier: Apache-2.0 */
/* The small types that leat_* functions take: shapes and lists, and where a call stands.
 *
 * They are passed by value and point to the caller's arrays, which are read during the call only.
 * A list or shape that says "not given" makes the function take its default, which is not the same
 * as an empty one. In C the macros leat_shape(2, 3), leat_ints(1, 2, 2, 1)... make them of values
 * in place; C++ and others fill the structs. Any thread. */
#ifndef LEAT_TYPES_H
#define LEAT_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tensorflow/c/c_api.h"

#ifndef LEAT_EXPORT
#define LEAT_EXPORT __attribute__((visibility("default")))
#endif

/* "model.c:12": the line that it stands on. */
#define LEAT_HERE __FILE__ ":" LEAT_TEXT_(__LINE__)
#define LEAT_TEXT_(x) LEAT_TEXT2_(x)
#define LEAT_TEXT2_(x) #x

/* "Not given" of each kind of argument: the default is taken or, where there is none, an error
 * tells the argument's name. Types: 0. Texts, tensors, functions: NULL. */
#define LEAT_INT_NOT_GIVEN INT64_MIN
#define LEAT_FLOAT_NOT_GIVEN __builtin_nanf("0x1ea7") /* told from other NaNs by its bits */
#define LEAT_BOOL_NOT_GIVEN (-1)
enum { LEAT_NOT_GIVEN = -2, LEAT_UNKNOWN_RANK = -1 };

struct leat_shape {
    const int64_t *dims; /* -1: not known */
    int rank;            /* LEAT_UNKNOWN_RANK, LEAT_NOT_GIVEN; at most 254 */
};
struct leat_ints {
    const int64_t *v;
    int n; /* LEAT_NOT_GIVEN */
};
struct leat_floats {
    const float *v;
    int n;
};
struct leat_bools {
    const bool *v;
    int n;
};
struct leat_types {
    const TF_DataType *v;
    int n;
};
struct leat_strings { /* NUL-terminated; of functions: their names */
    const char *const *v;
    int n;
};
struct leat_shapes {
    const struct leat_shape *v;
    int n;
};
struct leat_tensors {
    TF_Tensor *const *v;
    int n;
};
struct leat_outputs {
    const TF_Output *v;
    int n;
};

#ifndef __cplusplus

/* Of values in place, none for an empty one; they live as long as the enclosing block. */
#define LEAT_LIST_(type, item, ...)                                                                \
    ((struct type){(const item[]){0, __VA_ARGS__} + 1,                                             \
                   (int)(sizeof((const item[]){0, __VA_ARGS__}) / sizeof(item)) - 1})
#define leat_shape(...) LEAT_LIST_(leat_shape, int64_t, __VA_ARGS__)
#define leat_ints(...) LEAT_LIST_(leat_ints, int64_t, __VA_ARGS__)
#define leat_floats(...) LEAT_LIST_(leat_floats, float, __VA_ARGS__)
#define leat_bools(...) LEAT_LIST_(leat_bools, bool, __VA_ARGS__)
#define leat_types(...) LEAT_LIST_(leat_types, TF_DataType, __VA_ARGS__)
#define leat_strings(...) LEAT_LIST_(leat_strings, char *, __VA_ARGS__)
/* At least one. */
#define leat_outputs(...)                                                                          \
    ((struct leat_outputs){(const TF_Output[]){__VA_ARGS__},                                       \
                           (int)(sizeof((const TF_Output[]){__VA_ARGS__}) / sizeof(TF_Output))})
#define leat_unknown_shape() ((struct leat_shape){NULL, LEAT_UNKNOWN_RANK})

/* A call whose arguments may be left out. `call` is a struct that begins with the members that must
 * be given; `...` gives these in order, then others by name (.name = "y"), over the defaults.
 * do_call gets a pointer to it. */
#ifdef __clang__
#define LEAT_QUIET_ _Pragma("clang diagnostic ignored \"-Winitializer-overrides\"")
#define LEAT_PUSH_ _Pragma("clang diagnostic push")
#define LEAT_POP_ _Pragma("clang diagnostic pop")
#else
#define LEAT_QUIET_ _Pragma("GCC diagnostic ignored \"-Woverride-init\"")
#define LEAT_PUSH_ _Pragma("GCC diagnostic push")
#define LEAT_POP_ _Pragma("GCC diagnostic pop")
#endif
#define LEAT_CALL_(do_call, call, defaults, first, ...)                                            \
    __extension__({                                                                                \
        LEAT_PUSH_ LEAT_QUIET_ do_call(                                                            \
            &(struct call){.made_at = LEAT_HERE, defaults first = __VA_ARGS__});                   \
        LEAT_POP_                                                                                  \
    })

#endif

#endif
