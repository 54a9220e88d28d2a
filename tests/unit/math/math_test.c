/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of the math tests. */
#include "math_test.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t seed_state = 1;

void test_seed(uint64_t seed)
{
    seed_state = seed * 2 + 1;
}

uint64_t test_bits(void)
{
    /* splitmix64 */
    uint64_t z = seed_state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double test_uniform(double lo, double hi)
{
    return lo + (hi - lo) * ((double)(test_bits() >> 11) * 0x1p-53);
}

int64_t test_below(int64_t n)
{
    return (int64_t)(test_bits() % (uint64_t)n);
}

void test_set(int dtype, void *p, int64_t i, double re, double im)
{
    switch (dtype) {
    case DT_FLOAT:
        ((float *)p)[i] = (float)re;
        break;
    case DT_DOUBLE:
        ((double *)p)[i] = re;
        break;
    case DT_HALF:
        ((struct f16 *)p)[i] = f16_from_f32((float)re);
        break;
    case DT_BFLOAT16:
        ((struct bf16 *)p)[i] = bf16_from_f32((float)re);
        break;
    case DT_COMPLEX64:
        ((struct c64 *)p)[i] = (struct c64){(float)re, (float)im};
        break;
    case DT_COMPLEX128:
        ((struct c128 *)p)[i] = (struct c128){re, im};
        break;
    case DT_BOOL:
    case DT_UINT8:
        ((uint8_t *)p)[i] = (uint8_t)re;
        break;
    case DT_INT8:
        ((int8_t *)p)[i] = (int8_t)re;
        break;
    case DT_INT16:
        ((int16_t *)p)[i] = (int16_t)re;
        break;
    case DT_UINT16:
        ((uint16_t *)p)[i] = (uint16_t)re;
        break;
    case DT_INT32:
        ((int32_t *)p)[i] = (int32_t)re;
        break;
    case DT_UINT32:
        ((uint32_t *)p)[i] = (uint32_t)re;
        break;
    case DT_INT64:
        ((int64_t *)p)[i] = (int64_t)re;
        break;
    case DT_UINT64:
        ((uint64_t *)p)[i] = (uint64_t)re;
        break;
    default:
        fail_msg("type %d", dtype);
    }
}

double test_get(int dtype, const void *p, int64_t i)
{
    switch (dtype) {
    case DT_FLOAT:
        return (double)((const float *)p)[i];
    case DT_DOUBLE:
        return ((const double *)p)[i];
    case DT_HALF:
        return (double)f16_to_f32(((const struct f16 *)p)[i]);
    case DT_BFLOAT16:
        return (double)bf16_to_f32(((const struct bf16 *)p)[i]);
    case DT_COMPLEX64:
        return (double)((const struct c64 *)p)[i].re;
    case DT_COMPLEX128:
        return ((const struct c128 *)p)[i].re;
    case DT_BOOL:
    case DT_UINT8:
        return ((const uint8_t *)p)[i];
    case DT_INT8:
        return ((const int8_t *)p)[i];
    case DT_INT16:
        return ((const int16_t *)p)[i];
    case DT_UINT16:
        return ((const uint16_t *)p)[i];
    case DT_INT32:
        return ((const int32_t *)p)[i];
    case DT_UINT32:
        return ((const uint32_t *)p)[i];
    case DT_INT64:
        return (double)((const int64_t *)p)[i];
    case DT_UINT64:
        return (double)((const uint64_t *)p)[i];
    default:
        fail_msg("type %d", dtype);
        return 0;
    }
}

double test_get_im(int dtype, const void *p, int64_t i)
{
    if (dtype == DT_COMPLEX64)
        return (double)((const struct c64 *)p)[i].im;
    return dtype == DT_COMPLEX128 ? ((const struct c128 *)p)[i].im : 0;
}

double test_eps(int dtype)
{
    switch (dtype) {
    case DT_HALF:
        return 0x1p-11;
    case DT_BFLOAT16:
        return 0x1p-8;
    case DT_FLOAT:
    case DT_COMPLEX64:
        return 0x1p-24;
    case DT_DOUBLE:
    case DT_COMPLEX128:
        return 0x1p-53;
    default:
        return 0;
    }
}

void *test_zeros(int dtype, int64_t n)
{
    void *p = calloc((size_t)n + 1, dtype_size(dtype));
    assert_non_null(p);
    return p;
}

void *test_array(int dtype, int64_t n)
{
    void *p = test_zeros(dtype, n);
    const bool sign = dtype != DT_BOOL && dtype != DT_UINT8 && dtype != DT_UINT16 &&
                      dtype != DT_UINT32 && dtype != DT_UINT64;
    for (int64_t i = 0; i <= n; i++) {
        if (test_eps(dtype) > 0)
            test_set(dtype, p, i, test_uniform(-1, 1), test_uniform(-1, 1));
        else if (dtype == DT_BOOL)
            test_set(dtype, p, i, (double)test_below(2), 0);
        else
            test_set(dtype, p, i, (double)(sign ? test_below(19) - 9 : test_below(10)), 0);
    }
    return p;
}

void test_close(double got, double want, double rel, double abs, const char *what, int64_t i)
{
    if (isnan(want) ? isnan(got) : got == want)
        return;
    if (!(fabs(got - want) <= rel * fabs(want) + abs))
        fail_msg("%s, element %lld: %.17g, wanted %.17g", what, (long long)i, got, want);
}

struct pool *test_pool(int threads)
{
    static struct pool *pools[8];
    if (!pools[threads])
        pools[threads] = pool_new("test", threads);
    return pools[threads];
}

#if defined(__x86_64__)
static int test_child(const char *level, test_group_fn run)
{
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        setenv("LEAT_CPU", level, 1);
        if (level[0] == 'b')
            setenv("LEAT_MATH_LIBS", "none", 1);
        printf("[ level %s ]\n", level);
        const int failed = run();
        fflush(NULL);
        _exit(failed != 0);
    }
    int status = 1;
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return 1;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
}
#endif

int test_levels(test_group_fn run)
{
    int failed = 0;
#if defined(__x86_64__) /* elsewhere there is one level and no library */
    failed = test_child("avx2", run) + test_child("base", run);
#endif
    return failed + run();
}
