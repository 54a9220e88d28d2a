/* SPDX-License-Identifier: Apache-2.0 */
/* Hash maps, and the hashes.
 *
 * strmap: slots in insertion order beside a table of positions, linear probing, at most 3/4 full.
 * A removed slot keeps its place in both until the next rebuild, which drops it.
 * u64map: one table with linear probing; a removal moves later slots back, so there is no debris.
 * Workload: tens to a million entries, built once, found often. */
#include "base/map.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "base/lock.h"
#include "base/mem.h"

/* Hashing: 16 bytes at a time are mixed by a 64x64 -> 128 bit product whose halves are folded.
 * Both factors are masked with secrets of this process, so that nobody outside can choose bytes
 * that make a factor zero or two names collide. */

static uint64_t secrets[3]; /* odd; drawn at the first hash */

static uint64_t splitmix(uint64_t *state)
{
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static void draw_secrets(void)
{
    uint64_t drawn[3];
    int saved = errno;
    if (getrandom(drawn, sizeof drawn, GRND_NONBLOCK) != (ssize_t)sizeof drawn) {
        /* too early in the machine's life: the clock and where the loader put us */
        uint64_t state = (uint64_t)clock_now_ns() ^ (uint64_t)(uintptr_t)&secrets ^
                         ((uint64_t)(uintptr_t)&saved << 20);
        for (int i = 0; i < 3; i++)
            drawn[i] = splitmix(&state);
    }
    errno = saved;
    for (int i = 0; i < 3; i++)
        secrets[i] = drawn[i] | 1;
}

static inline const uint64_t *secrets_get(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static bool drawn; /* atomic */
    if (UNLIKELY(!__atomic_load_n(&drawn, __ATOMIC_ACQUIRE))) {
        pthread_once(&once, draw_secrets);
        __atomic_store_n(&drawn, true, __ATOMIC_RELEASE);
    }
    return secrets;
}

static inline uint64_t fold(uint64_t a, uint64_t b)
{
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t load64(const unsigned char *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* The last 0 to 16 bytes as two words; their count is mixed in by the caller. */
static inline void load_tail(const unsigned char *p, size_t n, uint64_t *a, uint64_t *b)
{
    if (n >= 8) {
        *a = load64(p);
        *b = load64(p + n - 8);
        return;
    }
    unsigned char word[8] = {0};
    if (n)
        memcpy(word, p, n);
    *a = load64(word);
    *b = 0;
}

uint64_t hash_bytes(const void *bytes, size_t n, uint64_t seed)
{
    const uint64_t *s = secrets_get();
    const unsigned char *p = bytes;
    uint64_t h = fold(seed ^ s[0], s[1] ^ n), a, b;
    size_t left = n;
    for (; left > 16; p += 16, left -= 16)
        h = fold(load64(p) ^ s[1], load64(p + 8) ^ h) ^ s[2];
    load_tail(p, left, &a, &b);
    h = fold(a ^ s[1], b ^ h);
    return fold(h ^ s[2], s[0]);
}

uint64_t hash_stable(const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    uint64_t h = 0xCBF29CE484222325u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 0x100000001B3u;
    h ^= h >> 33;
    h *= 0xFF51AFD7ED558CCDu;
    h ^= h >> 33;
    h *= 0xC4CEB9FE1A85EC53u;
    return h ^ (h >> 33);
}

/* The place in the index that holds the key's slot, or the free place where it would go. */
static int64_t strmap_probe(const struct strmap *m, const char *key, size_t n, uint64_t hash)
{
    int64_t mask = m->index_size - 1;
    for (int64_t i = (int64_t)(hash & (uint64_t)mask);; i = (i + 1) & mask) {
        if (m->index[i] < 0)
            return i;
        const struct strmap_slot *s = &m->slots[m->index[i]];
        if (s->hash == hash && s->key && (n == 0 || strncmp(s->key, key, n) == 0) &&
            s->key[n] == '\0')
            return i;
    }
}

static struct strmap_slot *strmap_slot_find(const struct strmap *m, const char *key, size_t n)
{
    if (m->num_live == 0)
        return NULL;
    n = n ? strnlen(key, n) : 0;
    int32_t at = m->index[strmap_probe(m, key, n, hash_bytes(key, n, 0))];
    return at < 0 ? NULL : &m->slots[at];
}

void *strmap_find_n(const struct strmap *m, const char *key, size_t n)
{
    const struct strmap_slot *s = strmap_slot_find(m, key, n);
    return s ? s->value : NULL;
}

void *strmap_find(const struct strmap *m, const char *key)
{
    return strmap_find_n(m, key, strlen(key));
}

bool strmap_has(const struct strmap *m, const char *key)
{
    return strmap_slot_find(m, key, strlen(key)) != NULL;
}

/* Drops removed slots and makes an index with room for twice the live ones. */
static void strmap_rebuild(struct strmap *m)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < m->num_used; i++)
        if (m->slots[i].key)
            m->slots[kept++] = m->slots[i];
    m->num_used = kept;
    int64_t size = 16;
    while (size < (kept + 1) * 2)
        size *= 2;
    if (size != m->index_size) {
        mem_free(m->index);
        m->index = mem_alloc(mem_array_bytes(size, sizeof *m->index));
        m->index_size = size;
    }
    memset(m->index, 0xFF, (size_t)size * sizeof *m->index);
    for (int64_t i = 0; i < kept; i++) {
        int64_t at = (int64_t)(m->slots[i].hash & (uint64_t)(size - 1));
        while (m->index[at] >= 0)
            at = (at + 1) & (size - 1);
        m->index[at] = (int32_t)i;
    }
}

void *strmap_put_n(struct strmap *m, const char *key, size_t n, void *value)
{
    if ((m->num_used + 1) * 4 > m->index_size * 3)
        strmap_rebuild(m);
    n = n ? strnlen(key, n) : 0;
    uint64_t hash = hash_bytes(key, n, 0);
    int64_t at = strmap_probe(m, key, n, hash);
    if (m->index[at] >= 0) {
        struct strmap_slot *s = &m->slots[m->index[at]];
        void *old = s->value;
        s->value = value;
        return old;
    }
    m->slots = vec_reserve(m->slots, &m->cap, m->num_used + 1, sizeof *m->slots);
    m->slots[m->num_used] =
        (struct strmap_slot){.key = mem_strndup(key, n), .hash = hash, .value = value};
    m->index[at] = (int32_t)m->num_used++;
    m->num_live++;
    return NULL;
}

void *strmap_put(struct strmap *m, const char *key, void *value)
{
    return strmap_put_n(m, key, strlen(key), value);
}

void *strmap_remove(struct strmap *m, const char *key)
{
    struct strmap_slot *s = strmap_slot_find(m, key, strlen(key));
    if (!s)
        return NULL;
    void *old = s->value;
    mem_free(s->key);
    s->key = NULL;
    s->value = NULL;
    m->num_live--;
    return old;
}

bool strmap_next(const struct strmap *m, int64_t *pos, const char **key, void **value)
{
    while (*pos < m->num_used && !m->slots[*pos].key)
        ++*pos;
    if (*pos >= m->num_used)
        return false;
    const struct strmap_slot *s = &m->slots[(*pos)++];
    if (key)
        *key = s->key;
    if (value)
        *value = s->value;
    return true;
}

void strmap_release(struct strmap *m)
{
    for (int64_t i = 0; i < m->num_used; i++)
        mem_free(m->slots[i].key);
    mem_free(m->slots);
    mem_free(m->index);
    *m = (struct strmap){0};
}

static int64_t u64map_home(const struct u64map *m, uint64_t key)
{
    const uint64_t *s = secrets_get();
    return (int64_t)(fold(key ^ s[1], s[0]) & (uint64_t)(m->cap - 1));
}

/* The key's place, or the free place where it would go. */
static int64_t u64map_probe(const struct u64map *m, uint64_t key)
{
    int64_t i = u64map_home(m, key);
    while (m->slots[i].value && m->slots[i].key != key)
        i = (i + 1) & (m->cap - 1);
    return i;
}

void *u64map_find(const struct u64map *m, uint64_t key)
{
    return m->num_live ? m->slots[u64map_probe(m, key)].value : NULL;
}

static void u64map_grow(struct u64map *m)
{
    struct u64map old = *m;
    m->cap = max_i64(old.cap * 2, 16);
    m->slots = mem_new_array(struct u64map_slot, m->cap);
    for (int64_t i = 0; i < old.cap; i++)
        if (old.slots[i].value)
            m->slots[u64map_probe(m, old.slots[i].key)] = old.slots[i];
    mem_free(old.slots);
}

void *u64map_put(struct u64map *m, uint64_t key, void *value)
{
    ASSERT(value);
    if (!value)
        return u64map_remove(m, key);
    if ((m->num_live + 1) * 4 > m->cap * 3)
        u64map_grow(m);
    struct u64map_slot *s = &m->slots[u64map_probe(m, key)];
    void *old = s->value;
    m->num_live += !old;
    *s = (struct u64map_slot){.key = key, .value = value};
    return old;
}

void *u64map_remove(struct u64map *m, uint64_t key)
{
    if (m->num_live == 0)
        return NULL;
    int64_t hole = u64map_probe(m, key), mask = m->cap - 1;
    void *old = m->slots[hole].value;
    if (!old)
        return NULL;
    m->num_live--;
    /* A later slot may move into the hole unless its home lies after the hole on the way to it. */
    for (int64_t i = (hole + 1) & mask; m->slots[i].value; i = (i + 1) & mask) {
        int64_t home = u64map_home(m, m->slots[i].key);
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            m->slots[hole] = m->slots[i];
            hole = i;
        }
    }
    m->slots[hole] = (struct u64map_slot){0};
    return old;
}

bool u64map_next(const struct u64map *m, int64_t *pos, uint64_t *key, void **value)
{
    while (*pos < m->cap && !m->slots[*pos].value)
        ++*pos;
    if (*pos >= m->cap)
        return false;
    const struct u64map_slot *s = &m->slots[(*pos)++];
    if (key)
        *key = s->key;
    if (value)
        *value = s->value;
    return true;
}

void u64map_release(struct u64map *m)
{
    mem_free(m->slots);
    *m = (struct u64map){0};
}
