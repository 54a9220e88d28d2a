/* SPDX-License-Identifier: Apache-2.0 */
/* Array functions against the C library in double (float) and long double (double): ulp distance
 * over random arguments of all sizes, special values, and independence of an element's place. */
#include "math_test.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "math/vec.h"

typedef long double (*reference)(long double);

static long double ref_rsqrt(long double x)
{
    return 1 / sqrtl(x);
}
static long double ref_sigmoid(long double x)
{
    return 1 / (1 + expl(-x));
}
static long double ref_softplus(long double x)
{
    return x > 0 ? x + log1pl(expl(-x)) : log1pl(expl(x));
}
static long double ref_lgamma(long double x)
{
    int sign;
    return lgammal_r(x, &sign);
}

#define REF(name, fn, lo, hi, ulp)                                                                 \
    {                                                                                              \
#name, MATH_VEC_##name, fn, lo, hi, ulp                                                    \
    }
static const struct function {
    const char *name;
    enum math_vec which;
    reference ref;
    double lo, hi; /* arguments lie here */
    double ulp;
} functions[] = {
    REF(exp, expl, -87, 88, 2),
    REF(expm1, expm1l, -80, 80, 2),
    REF(log, logl, 1e-30, 1e30, 2),
    REF(log1p, log1pl, -0.999, 1e10, 2),
    REF(sin, sinl, -1000, 1000, 2),
    REF(cos, cosl, -1000, 1000, 2),
    REF(tan, tanl, -1000, 1000, 2),
    REF(asin, asinl, -1, 1, 2),
    REF(acos, acosl, -1, 1, 2),
    REF(atan, atanl, -100, 100, 2),
    REF(sinh, sinhl, -80, 80, 2),
    REF(cosh, coshl, -80, 80, 2),
    REF(tanh, tanhl, -10, 10, 4),
    REF(asinh, asinhl, -1000, 1000, 2),
    REF(acosh, acoshl, 1, 1000, 2),
    REF(atanh, atanhl, -1, 1, 2),
    REF(erf, erfl, -5, 5, 2),
    REF(erfc, erfcl, -5, 5, 3),
    REF(lgamma, ref_lgamma, 0.1, 50, 6),
    REF(sqrt, sqrtl, 0, 1e20, 0.51),
    REF(rsqrt, ref_rsqrt, 1e-20, 1e20, 1.6),
    REF(sigmoid, ref_sigmoid, -80, 80, 4),
    REF(softplus, ref_softplus, -80, 80, 4),
};

/* Half of the arguments even, half crowded around zero. */
static double argument(const struct function *f)
{
    const double x = test_uniform(f->lo, f->hi), small = x * exp2(-test_uniform(0, 20));
    return test_bits() % 2 && small >= f->lo && small <= f->hi ? small : x;
}

static void check_ulp(const struct function *f, double got, double x, bool f64)
{
    const long double want = f->ref((long double)x);
    const double tiny = f64 ? DBL_MIN : (double)FLT_MIN,
                 eps = f64 ? DBL_EPSILON : (double)FLT_EPSILON;
    /* sigmoid and tanh lose a little where they cancel; results below the normal range may flush */
    const double scale = fmax(fabs((double)want), tiny);
    int exponent;
    frexp(scale, &exponent);
    const double ulp = ldexp(eps, exponent - 1);
    const double error = (double)fabsl((long double)got - want) / ulp;
    if (!(error <= f->ulp) && !(got == (double)want))
        fail_msg("%s(%a) = %a, wanted %La: %.2f ulp", f->name, x, got, want, error);
}

static void test_vec__unary_functions_are_within_a_few_ulp(void **state)
{
    (void)state;
    enum { N = 4099 };
    static float x32[N], y32[N];
    static double x64[N], y64[N];
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
        const struct function *f = &functions[k];
        test_seed(k);
        for (int i = 0; i < N; i++) {
            x64[i] = argument(f);
            x32[i] = (float)x64[i];
        }
        math_vec_find_f32(f->which)(x32, y32, N);
        math_vec_find_f64(f->which)(x64, y64, N);
        for (int i = 0; i < N; i++) {
            check_ulp(f, (double)y32[i], (double)x32[i], false);
            check_ulp(f, y64[i], x64[i], true);
        }
    }
}

/* The same bit pattern class: NaN, or equal with equal sign. */
static void check_same(const char *name, double x, double got, double want)
{
    if (isnan(want) ? isnan(got) : got == want && signbit(got) == signbit(want))
        return;
    if (isfinite(want) && want != 0 && fabs(got - want) <= 1e-6 * fabs(want))
        return;
    fail_msg("%s(%g) = %g, wanted %g", name, x, got, want);
}

static void test_vec__special_values_are_those_of_math_h(void **state)
{
    (void)state;
    const double special[] = {NAN, INFINITY, -INFINITY, 0.0,   -0.0, 1.0, -1.0,
                              0.5, -0.5,     1e30,      -1e30, 200,  -200};
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
        const struct function *f = &functions[k];
        for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
            const double x = special[i];
            float x32 = (float)x, y32;
            double y64;
            math_vec_find_f32(f->which)(&x32, &y32, 1);
            math_vec_find_f64(f->which)(&x, &y64, 1);
            check_same(f->name, x, y64, (double)f->ref((long double)x));
            const float want = (float)f->ref((long double)x32);
            if (fabsf(want) == 0 || fabsf(want) >= FLT_MIN || isnan(want))
                check_same(f->name, x, (double)y32, (double)want);
        }
    }
}

static void test_vec__a_result_does_not_depend_on_its_place(void **state)
{
    (void)state;
    enum { N = 133 };
    float x[N], whole[N], parts[N];
    double xd[N], whole_d[N], parts_d[N];
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
        for (int i = 0; i < N; i++)
            xd[i] = argument(&functions[k]), x[i] = (float)xd[i];
        const math_vec_f32 f = math_vec_find_f32(functions[k].which);
        const math_vec_f64 d = math_vec_find_f64(functions[k].which);
        f(x, whole, N);
        d(xd, whole_d, N);
        for (int i = 0; i < N;) {
            const int n = i + 7 < N ? 7 : N - i;
            f(x + i, parts + i, n);
            d(xd + i, parts_d + i, n);
            i += n;
        }
        assert_memory_equal(whole, parts, sizeof whole);
        assert_memory_equal(whole_d, parts_d, sizeof whole_d);
        f(x, x, N); /* in place */
        assert_memory_equal(whole, x, sizeof whole);
    }
}

static void test_vec__pow_atan2_fmod_agree_with_math_h(void **state)
{
    (void)state;
    const double v[] = {NAN, INFINITY, -INFINITY, 0.0,  -0.0, 1,    -1,  2,
                        -2,  3,        0.5,       -0.5, 2.5,  -2.5, 100, 1e5};
    enum { M = sizeof v / sizeof *v };
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < M; j++) {
            const float a = (float)v[i], b = (float)v[j];
            float p, q, r;
            double pd, qd, rd;
            math_pow_f32(&a, &b, &p, 1);
            math_atan2_f32(&a, &b, &q, 1);
            math_fmod_f32(&a, &b, &r, 1);
            math_pow_f64(&v[i], &v[j], &pd, 1);
            math_atan2_f64(&v[i], &v[j], &qd, 1);
            math_fmod_f64(&v[i], &v[j], &rd, 1);
            check_same("pow", v[i], pd, pow(v[i], v[j]));
            check_same("atan2", v[i], qd, atan2(v[i], v[j]));
            check_same("fmod", v[i], rd, fmod(v[i], v[j]));
            const float want = powf(a, b);
            if (fabsf(want) == 0 || fabsf(want) >= FLT_MIN || isnan(want))
                check_same("powf", v[i], (double)p, (double)want);
            check_same("atan2f", v[i], (double)q, (double)atan2f(a, b));
            check_same("fmodf", v[i], (double)r, (double)fmodf(a, b));
        }
    }
}

static void test_vec__half_conversions_round_as_the_scalar_ones(void **state)
{
    (void)state;
    enum { N = 65536 };
    static struct f16 h[N], back[N];
    static float f[N + 16];
    for (int i = 0; i < N; i++)
        h[i].bits = (uint16_t)i;
    math_f16_to_f32(h, f, N);
    for (int i = 0; i < N; i++) {
        const float want = f16_to_f32(h[i]);
        assert_true(isnan(want) ? isnan(f[i]) : memcmp(&want, &f[i], 4) == 0);
    }
    for (int i = 0; i < N; i++)
        f[i] = (float)(test_uniform(-1, 1) * exp2(test_uniform(-30, 20)));
    math_f32_to_f16(f, back, N);
    for (int i = 0; i < N; i++)
        assert_int_equal(back[i].bits, f16_from_f32(f[i]).bits);
}

static int run(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vec__unary_functions_are_within_a_few_ulp),
        cmocka_unit_test(test_vec__special_values_are_those_of_math_h),
        cmocka_unit_test(test_vec__a_result_does_not_depend_on_its_place),
        cmocka_unit_test(test_vec__pow_atan2_fmod_agree_with_math_h),
        cmocka_unit_test(test_vec__half_conversions_round_as_the_scalar_ones),
    };
    return cmocka_run_group_tests_name("math/vec", tests, NULL, NULL);
}

int main(void)
{
    return test_levels(run);
}
