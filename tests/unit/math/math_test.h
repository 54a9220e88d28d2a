/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of math share: random arrays that are the same on every run, comparison, and
 * running a program's tests once per instruction level. */
#ifndef LEAT_TESTS_UNIT_MATH_TEST_H
#define LEAT_TESTS_UNIT_MATH_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/pool.h"
#include "tensor/dtype.h"

/* Uniform in [lo, hi), from a sequence that test_seed restarts. */
void test_seed(uint64_t seed);
uint64_t test_bits(void);
double test_uniform(double lo, double hi);
int64_t test_below(int64_t n);

/* n elements of a type, small random values (integers: -9..9 or 0..9); the caller frees. One
 * element more than asked is allocated and filled, never fewer than one. */
void *test_array(int dtype, int64_t n);
/* Cleared. */
void *test_zeros(int dtype, int64_t n);

/* Element i as double (complex: the real part; im the other). */
double test_get(int dtype, const void *p, int64_t i);
double test_get_im(int dtype, const void *p, int64_t i);
void test_set(int dtype, void *p, int64_t i, double re, double im);

/* Relative rounding of the type: 2^-24 for float, 0 for integers. */
double test_eps(int dtype);

/* Fails unless |got - want| <= rel * |want| + abs, or both are the same infinity or NaN. */
void test_close(double got, double want, double rel, double abs, const char *what, int64_t i);

/* A pool of `threads`, shared by the program. */
struct pool *test_pool(int threads);

/* Runs `tests` as they are, then in children with LEAT_CPU=avx2, and LEAT_CPU=base without any
 * library. The sum of the failures. */
typedef int (*test_group_fn)(void);
int test_levels(test_group_fn run);

#endif
