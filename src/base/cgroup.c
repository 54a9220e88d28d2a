/* SPDX-License-Identifier: Apache-2.0 */
/* Reading control groups where Linux has them mounted by custom: /sys/fs/cgroup (v2), or one
 * folder below it per controller (v1). Inside a container /proc/self/cgroup may name the group as
 * the host sees it; the folders of that path that are not there are passed over, and the mounted
 * root, which is then our own group, is read last. Anything unreadable means no limit. */
#include "base/cgroup.h"

#include "base/mem.h"
#include "base/sysfile.h"

static bool list_has(struct str list, const char *item)
{
    struct str piece;
    while (str_split(&list, ',', &piece))
        if (str_is(piece, item))
            return true;
    return false;
}

/* Our group's path for a controller ("": version 2), from lines "id:controllers:path". */
static bool group_path(struct str lines, const char *controller, struct str *path)
{
    struct str line, id, controllers;
    while (str_split(&lines, '\n', &line)) {
        if (!str_split(&line, ':', &id) || line.n == 0)
            continue;
        bool v2 = line.p[0] == ':';
        if (v2)
            line = str_make(line.p + 1, line.n - 1);
        else if (!str_split(&line, ':', &controllers))
            continue;
        if (v2 ? controller[0] == '\0' : controller[0] && list_has(controllers, controller)) {
            *path = line;
            return true;
        }
    }
    return false;
}

/* Reads one limit from a group's folder; INT64_MAX for none. */
typedef int64_t (*limit_fn)(const char *folder);

/* The least limit of the folders mount + path, its parents, and mount itself. */
static int64_t limit_upwards(const char *mount, struct str path, limit_fn limit)
{
    int64_t least = INT64_MAX;
    while (path.n && path.p[path.n - 1] == '/')
        path.n--;
    for (;;) {
        char *folder = mem_printf("%s%.*s", mount, (int)path.n, path.n ? path.p : "");
        least = min_i64(least, limit(folder));
        mem_free(folder);
        if (path.n == 0)
            return least;
        while (path.n && path.p[--path.n] != '/')
            continue;
    }
}

static int64_t number_in(const char *folder, const char *file)
{
    struct strbuf text = sysfile_read("%s/%s", folder, file);
    int64_t v;
    if (!str_to_i64(sysfile_text(&text), &v))
        v = -1; /* "max", or not there */
    strbuf_release(&text);
    return v;
}

static int64_t memory_v1(const char *folder)
{
    int64_t v = number_in(folder, "memory.limit_in_bytes");
    return v > 0 ? v : INT64_MAX;
}

static int64_t memory_v2(const char *folder)
{
    int64_t v = number_in(folder, "memory.max");
    return v >= 0 ? v : INT64_MAX;
}

static int64_t milli_of(int64_t quota_us, int64_t period_us)
{
    int64_t scaled;
    if (quota_us <= 0 || period_us <= 0 || !size_mul(quota_us, 1000, &scaled))
        return INT64_MAX;
    return max_i64(scaled / period_us, 1);
}

static int64_t cpu_v1(const char *folder)
{
    return milli_of(number_in(folder, "cpu.cfs_quota_us"), number_in(folder, "cpu.cfs_period_us"));
}

static int64_t cpu_v2(const char *folder) /* "QUOTA PERIOD" or "max PERIOD" */
{
    struct strbuf text = sysfile_read("%s/cpu.max", folder);
    struct str rest = sysfile_text(&text), quota;
    int64_t q, period = 100000, milli = INT64_MAX;
    if (str_split(&rest, ' ', &quota) && str_to_i64(quota, &q) &&
        (rest.n == 0 || str_to_i64(str_trim(rest), &period)))
        milli = milli_of(q, period);
    strbuf_release(&text);
    return milli;
}

struct place {
    const char *controller; /* in /proc/self/cgroup */
    const char *mount;
    limit_fn limit;
};

static int64_t least_of(const char *root, const struct place *places, size_t n)
{
    struct strbuf lines = sysfile_read("%s/proc/self/cgroup", root);
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < n; i++) {
        struct str path;
        if (!group_path(str_make(lines.p, lines.n), places[i].controller, &path))
            continue;
        char *mount = mem_printf("%s%s", root, places[i].mount);
        least = min_i64(least, limit_upwards(mount, path, places[i].limit));
        mem_free(mount);
    }
    strbuf_release(&lines);
    return least;
}

int64_t cgroup_memory_limit(const char *root)
{
    static const struct place places[] = {
        {"", "/sys/fs/cgroup", memory_v2},
        {"", "/sys/fs/cgroup/unified", memory_v2},
        {"memory", "/sys/fs/cgroup/memory", memory_v1},
    };
    return least_of(root, places, ARRAY_LEN(places));
}

int64_t cgroup_cpu_milli(const char *root)
{
    static const struct place places[] = {
        {"", "/sys/fs/cgroup", cpu_v2},
        {"", "/sys/fs/cgroup/unified", cpu_v2},
        {"cpu", "/sys/fs/cgroup/cpu", cpu_v1},
        {"cpu", "/sys/fs/cgroup/cpu,cpuacct", cpu_v1},
    };
    return least_of(root, places, ARRAY_LEN(places));
}
