/* SPDX-License-Identifier: Apache-2.0 */
/* Control group limits, read from folders made to look like a machine's /proc and /sys. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cgroup.h"
#include "base/mem.h"

static char root[] = "/tmp/leat_cgroup_XXXXXX";

/* Writes root/path, and the folders on the way. */
static void put(const char *path, const char *text)
{
    char *full = mem_printf("%s%s", root, path);
    for (char *slash = full + sizeof root; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        if (mkdir(full, 0755) != 0 && errno != EEXIST)
            fail_msg("mkdir %s", full);
        *slash = '/';
    }
    FILE *f = fopen(full, "w");
    if (!f)
        fail_msg("cannot write %s", full);
    fputs(text, f);
    fclose(f);
    mem_free(full);
}

static int remove_one(const char *path, const struct stat *s UNUSED, int kind UNUSED,
                      struct FTW *at UNUSED)
{
    return remove(path);
}

static int make_root(void **state UNUSED)
{
    memcpy(root + sizeof root - 7, "XXXXXX", 6);
    return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state UNUSED)
{
    return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void test_cgroup__nothing_is_no_limit(void **state UNUSED)
{
    assert_true(cgroup_memory_limit(root) == INT64_MAX);
    assert_true(cgroup_cpu_milli(root) == INT64_MAX);
    assert_true(cgroup_memory_limit("/nonexistent") == INT64_MAX);
}

static void test_cgroup__v2_takes_the_tightest_parent(void **state UNUSED)
{
    put("/proc/self/cgroup", "0::/user.slice/job\n");
    put("/sys/fs/cgroup/user.slice/job/memory.max", "max\n");
    put("/sys/fs/cgroup/user.slice/memory.max", "2147483648\n");
    put("/sys/fs/cgroup/user.slice/job/cpu.max", "250000 100000\n");
    put("/sys/fs/cgroup/user.slice/cpu.max", "max 100000\n");
    assert_true(cgroup_memory_limit(root) == (int64_t)1 << 31);
    assert_true(cgroup_cpu_milli(root) == 2500);
    put("/sys/fs/cgroup/cpu.max", "1000 100000\n");
    assert_true(cgroup_cpu_milli(root) == 10);
}

static void test_cgroup__container_sees_its_own_root(void **state UNUSED)
{
    put("/proc/self/cgroup", "0::/docker/0123456789abcdef\n");
    put("/sys/fs/cgroup/memory.max", "1000000\n");
    put("/sys/fs/cgroup/cpu.max", "150000 100000\n");
    assert_true(cgroup_memory_limit(root) == 1000000);
    assert_true(cgroup_cpu_milli(root) == 1500);
}

static void test_cgroup__v1_and_hybrid(void **state UNUSED)
{
    put("/proc/self/cgroup", "9:memory:/a/b\n4:cpu,cpuacct:/a\n1:name=systemd:/x\n0::/\n");
    put("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "500000\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "50000\n");
    put("/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
    put("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
    put("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    assert_true(cgroup_memory_limit(root) == 500000);
    assert_true(cgroup_cpu_milli(root) == 500);
    put("/sys/fs/cgroup/unified/memory.max", "400000\n");
    assert_true(cgroup_memory_limit(root) == 400000);
}

static void test_cgroup__odd_contents_are_no_limit(void **state UNUSED)
{
    put("/proc/self/cgroup", "garbage\n:\n::\n0:\n5:cpu\n0::/../..\n7:memory:\n\n0::");
    put("/sys/fs/cgroup/memory.max", "99999999999999999999999\n");
    put("/sys/fs/cgroup/cpu.max", "-5 0\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "12 34\n");
    assert_true(cgroup_memory_limit(root) == INT64_MAX);
    assert_true(cgroup_cpu_milli(root) == INT64_MAX);
    put("/sys/fs/cgroup/cpu.max", "9223372036854775807 1\n");
    assert_true(cgroup_cpu_milli(root) == INT64_MAX);
    put("/sys/fs/cgroup/cpu.max", "");
    assert_true(cgroup_cpu_milli(root) == INT64_MAX);
    put("/sys/fs/cgroup/cpu.max", "1 100000");
    assert_true(cgroup_cpu_milli(root) == 1);
}

#define WITH_ROOT(test) cmocka_unit_test_setup_teardown(test, make_root, remove_root)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_ROOT(test_cgroup__nothing_is_no_limit),
        WITH_ROOT(test_cgroup__v2_takes_the_tightest_parent),
        WITH_ROOT(test_cgroup__container_sees_its_own_root),
        WITH_ROOT(test_cgroup__v1_and_hybrid),
        WITH_ROOT(test_cgroup__odd_contents_are_no_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
