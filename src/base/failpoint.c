/* SPDX-License-Identifier: Apache-2.0 */
/* The table of failpoints: a handful, fixed, looked through under one lock. It allocates nothing,
 * since it is asked from inside the allocator. Speed matters only while nothing is armed. */
#include "base/failpoint.h"

#include <stdlib.h>
#include <string.h>

#include "base/lock.h"
#include "base/log.h"
#include "base/str.h"

enum { MAX_POINTS = 32, NAME_BYTES = 48 };

struct point {
    char name[NAME_BYTES]; /* "": free */
    int64_t first, last;   /* fails when first <= count <= last */
    int percent;           /* or with this probability, where first is 0 */
    int64_t count;
    uint64_t random;
};

int failpoint_armed = 1; /* until the environment was read */

/* Above the leaves: a failpoint may stand under any lock. */
static struct lock table_lock = LOCK_INIT("failpoints", LOCK_RANK_LEAF + 1);
static struct point table[MAX_POINTS]; /* table_lock */
static bool env_was_read;              /* table_lock */

static struct point *point_find(struct str name)
{
    for (int i = 0; i < MAX_POINTS; i++)
        if (table[i].name[0] && str_is(name, table[i].name))
            return &table[i];
    return NULL;
}

static bool spec_parse(struct str spec, struct point *p)
{
    if (str_is(spec, "on")) {
        p->first = 1;
        p->last = INT64_MAX;
        return true;
    }
    char kind = spec.n ? spec.p[spec.n - 1] : '\0';
    bool has_suffix = kind == '+' || kind == '%';
    int64_t number;
    if (!str_to_i64(str_make(spec.p, spec.n - has_suffix), &number) || number < 0)
        return false;
    if (kind == '%') {
        p->percent = number <= 100 ? (int)number : 100;
        return true;
    }
    p->first = number;
    p->last = kind == '+' ? INT64_MAX : number;
    return number > 0;
}

/* The caller holds table_lock. */
static bool point_set(struct str name, struct str spec)
{
    if (name.n == 0 || name.n >= NAME_BYTES)
        return false;
    struct point *p = point_find(name);
    if (str_is(spec, "off")) {
        if (p)
            p->name[0] = '\0';
        return true;
    }
    struct point made = {.random = 0x9E3779B97F4A7C15u};
    if (!spec_parse(spec, &made))
        return false;
    for (int i = 0; !p && i < MAX_POINTS; i++)
        if (!table[i].name[0])
            p = &table[i];
    if (!p)
        return false;
    memcpy(made.name, name.p, name.n);
    *p = made;
    return true;
}

static void read_env(void)
{
    if (env_was_read)
        return;
    env_was_read = true;
    struct str rest = str_of(getenv("LEAT_FAILPOINTS")), piece, name;
    while (str_split(&rest, ',', &piece)) {
        piece = str_trim(piece);
        if (str_split(&piece, '=', &name) && !point_set(name, piece))
            log_warning("LEAT_FAILPOINTS: \"%.*s=%.*s\" is no failpoint and is passed over",
                        (int)name.n, name.p, (int)piece.n, piece.n ? piece.p : "");
    }
}

static void update_armed(void)
{
    int armed = 0;
    for (int i = 0; i < MAX_POINTS; i++)
        armed += table[i].name[0] != '\0';
    __atomic_store_n(&failpoint_armed, armed, __ATOMIC_RELAXED);
}

static bool point_fires(struct point *p)
{
    p->count++;
    if (p->first > 0)
        return p->count >= p->first && p->count <= p->last;
    p->random = p->random * 6364136223846793005u + 1442695040888963407u;
    return (int)((p->random >> 33) % 100) < p->percent;
}

bool failpoint_hit(const char *name)
{
    lock_take(&table_lock);
    read_env();
    update_armed();
    struct point *p = point_find(str_of(name));
    bool fires = p && point_fires(p);
    lock_drop(&table_lock);
    return fires;
}

bool failpoint_set(const char *name, const char *spec)
{
    lock_take(&table_lock);
    read_env();
    bool ok = point_set(str_of(name), str_of(spec));
    update_armed();
    lock_drop(&table_lock);
    return ok;
}

void failpoint_clear_all(void)
{
    lock_take(&table_lock);
    env_was_read = true;
    memset(table, 0, sizeof table);
    update_armed();
    lock_drop(&table_lock);
}

int64_t failpoint_count(const char *name)
{
    lock_take(&table_lock);
    struct point *p = point_find(str_of(name));
    int64_t count = p ? p->count : 0;
    lock_drop(&table_lock);
    return count;
}
