/* SPDX-License-Identifier: Apache-2.0 */
/* The challenge behind rpc_auth.h. A session's place in the server's table is part of its id, so
 * that finding it is one look; one that never proved itself gives way to the next that asks. */
#include "dist/rpc_auth.h"

#include <errno.h>
#include <sys/random.h>

#include "base/mem.h"

enum { IDLE_S = 600 };

struct session {
    uint8_t id[AUTH_ID], key[SHA256_BYTES];
    bool used, proven;
    int64_t last_ns;
    uint64_t top;                    /* the highest counter seen */
    uint64_t seen[AUTH_WINDOW / 64]; /* bit c % AUTH_WINDOW: counter c, of those below top */
};
struct auth_server {
    struct strbuf token;
    struct lock lock;
    struct session *sessions[AUTH_MAX_SESSIONS]; /* guarded by lock; NULL: never used */
    uint32_t next;
};

static struct str bytes_of(const void *p, size_t n)
{
    return str_make(p, n);
}

static bool random_bytes(void *p, size_t n, struct status *st)
{
    for (size_t at = 0; at < n;) {
        ssize_t got = getrandom((char *)p + at, n - at, 0);
        if (got > 0)
            at += (size_t)got;
        else if (errno != EINTR)
            return status_internal(st, "rpc: no random bytes can be had");
    }
    return true;
}

static void derive(struct str token, const char *what, const uint8_t *c, const uint8_t *s,
                   uint8_t out[SHA256_BYTES])
{
    const struct str texts[] = {str_of(what), bytes_of(c, AUTH_NONCE), bytes_of(s, AUTH_NONCE)};
    hmac_sha256(token, texts, ARRAY_LEN(texts), out);
}

static void sign(const uint8_t *key, const uint8_t *id, uint64_t counter, struct str path,
                 uint8_t out[SHA256_BYTES])
{
    uint8_t count[8];
    for (int i = 0; i < 8; i++)
        count[i] = (uint8_t)(counter >> (8 * i));
    const struct str texts[] = {bytes_of(id, AUTH_ID), bytes_of(count, sizeof count), path};
    hmac_sha256(bytes_of(key, SHA256_BYTES), texts, ARRAY_LEN(texts), out);
}

static char *put_hex(char *to, const uint8_t *p, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < n; i++) {
        *to++ = digits[p[i] >> 4];
        *to++ = digits[p[i] & 15];
    }
    return to;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool take_hex(struct str *s, uint8_t *out, size_t n)
{
    if (s->n < 2 * n)
        return false;
    for (size_t i = 0; i < n; i++) {
        int high = hex_digit(s->p[2 * i]), low = hex_digit(s->p[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        out[i] = (uint8_t)(high << 4 | low);
    }
    *s = str_make(s->p + 2 * n, s->n - 2 * n);
    return true;
}

static bool take_dot(struct str *s)
{
    if (s->n == 0 || s->p[0] != '.')
        return false;
    *s = str_make(s->p + 1, s->n - 1);
    return true;
}

/* --- the client's side --- */

bool auth_hello(uint8_t out[AUTH_HELLO], struct status *st)
{
    out[0] = AUTH_VERSION;
    return random_bytes(out + 1, AUTH_NONCE, st);
}

bool auth_begin(struct str token, const uint8_t hello[AUTH_HELLO], struct str welcome,
                struct auth_session *out, struct status *st)
{
    const uint8_t *p = (const uint8_t *)welcome.p;
    uint8_t proof[SHA256_BYTES];
    if (welcome.n != AUTH_WELCOME || p[0] != AUTH_VERSION)
        return status_fail(st, STATUS_UNAUTHENTICATED,
                           "rpc: the server's answer to the token's challenge is of another kind");
    const uint8_t *id = p + 1, *nonce = id + AUTH_ID;
    derive(token, "server", hello + 1, nonce, proof);
    if (!hmac_equal(proof, nonce + AUTH_NONCE))
        return status_fail(st, STATUS_UNAUTHENTICATED, "rpc: the server has another token");
    *out = (struct auth_session){.counter = 0};
    memcpy(out->id, id, AUTH_ID);
    derive(token, "session", hello + 1, nonce, out->key);
    return true;
}

void auth_prove(struct auth_session *s, const char *path, char out[AUTH_PROOF + 1])
{
    uint64_t counter = __atomic_add_fetch(&s->counter, 1, __ATOMIC_RELAXED);
    uint8_t mac[SHA256_BYTES], count[8];
    sign(s->key, s->id, counter, str_of(path), mac);
    for (int i = 0; i < 8; i++)
        count[i] = (uint8_t)(counter >> (56 - 8 * i));
    char *p = put_hex(out, s->id, AUTH_ID);
    *p++ = '.';
    p = put_hex(p, count, sizeof count);
    *p++ = '.';
    *put_hex(p, mac, sizeof mac) = 0;
}

/* --- the server's side --- */

struct auth_server *auth_server_new(struct str token)
{
    struct auth_server *s = mem_new(struct auth_server);
    strbuf_add(&s->token, token.p, token.n);
    lock_init(&s->lock, "auth_server", LOCK_RANK_LEAF);
    return s;
}

void auth_server_free(struct auth_server *s)
{
    if (!s)
        return;
    for (int i = 0; i < AUTH_MAX_SESSIONS; i++)
        mem_free(s->sessions[i]);
    strbuf_release(&s->token);
    lock_release_memory(&s->lock);
    mem_free(s);
}

/* A place for a new session: one that is free, unproven, or else long idle. -1: none. */
static int find_place(const struct auth_server *s, int64_t now)
{
    int idle = -1;
    for (uint32_t k = 0; k < AUTH_MAX_SESSIONS; k++) {
        int i = (int)((s->next + k) % AUTH_MAX_SESSIONS);
        const struct session *x = s->sessions[i];
        if (!x || !x->used || !x->proven)
            return i;
        if (now - x->last_ns > (int64_t)IDLE_S * 1000000000 && idle < 0)
            idle = i;
    }
    return idle;
}

bool auth_welcome(struct auth_server *s, struct str hello, uint8_t out[AUTH_WELCOME],
                  struct status *st)
{
    const uint8_t *c = (const uint8_t *)hello.p + 1;
    uint8_t *id = out + 1, *nonce = id + AUTH_ID;
    if (hello.n != AUTH_HELLO || hello.p[0] != AUTH_VERSION)
        return status_invalid(st, "rpc: a challenge of another kind");
    if (!random_bytes(id, AUTH_ID + AUTH_NONCE, st))
        return false;
    out[0] = AUTH_VERSION;
    const int64_t now = clock_now_ns();
    struct session fresh = {.used = true, .last_ns = now};
    derive(bytes_of(s->token.p, s->token.n), "server", c, nonce, nonce + AUTH_NONCE);
    derive(bytes_of(s->token.p, s->token.n), "session", c, nonce, fresh.key);
    lock_take(&s->lock);
    int place = find_place(s, now);
    if (place >= 0) {
        id[0] = (uint8_t)(place & 0xff);
        id[1] = (uint8_t)(place >> 8);
        memcpy(fresh.id, id, AUTH_ID);
        if (!s->sessions[place])
            s->sessions[place] = mem_new(struct session);
        *s->sessions[place] = fresh;
        s->next = (uint32_t)place + 1;
    }
    lock_drop(&s->lock);
    return place >= 0 || status_exhausted(st, "rpc: %d sessions are open here", AUTH_MAX_SESSIONS);
}

/* False: the counter came before, or is too old to be told. */
static bool take_counter(struct session *x, uint64_t counter)
{
    if (counter + AUTH_WINDOW <= x->top || counter == 0)
        return false;
    if (counter > x->top) {
        uint64_t fresh = counter - x->top < AUTH_WINDOW ? counter - x->top : AUTH_WINDOW;
        for (uint64_t i = 1; i <= fresh; i++) {
            uint64_t bit = (counter - fresh + i) % AUTH_WINDOW;
            x->seen[bit / 64] &= ~((uint64_t)1 << bit % 64);
        }
        x->top = counter;
    }
    uint64_t bit = counter % AUTH_WINDOW, mask = (uint64_t)1 << bit % 64;
    if (x->seen[bit / 64] & mask)
        return false;
    x->seen[bit / 64] |= mask;
    return true;
}

static bool known(const struct auth_server *s, const uint8_t *id, struct session **out)
{
    unsigned place = id[0] | (unsigned)id[1] << 8;
    *out = place < AUTH_MAX_SESSIONS ? s->sessions[place] : NULL;
    return *out && (*out)->used && memcmp((*out)->id, id, AUTH_ID) == 0;
}

bool auth_check(struct auth_server *s, struct str path, struct str proof, struct status *st)
{
    uint8_t id[AUTH_ID], count[8], mac[SHA256_BYTES], wanted[SHA256_BYTES], key[SHA256_BYTES];
    struct session *x;
    uint64_t counter = 0;
    if (!take_hex(&proof, id, sizeof id) || !take_dot(&proof) ||
        !take_hex(&proof, count, sizeof count) || !take_dot(&proof) ||
        !take_hex(&proof, mac, sizeof mac) || proof.n > 0)
        return status_fail(st, STATUS_UNAUTHENTICATED, "rpc: a call without proof of the token");
    for (int i = 0; i < 8; i++)
        counter = counter << 8 | count[i];
    lock_take(&s->lock);
    bool there = known(s, id, &x);
    if (there)
        memcpy(key, x->key, sizeof key);
    lock_drop(&s->lock);
    if (!there)
        return status_fail(st, STATUS_UNAVAILABLE,
                           "rpc: the server does not know this session: it was restarted");
    sign(key, id, counter, path, wanted);
    if (!hmac_equal(mac, wanted))
        return status_fail(st, STATUS_UNAUTHENTICATED, "rpc: a call with a wrong proof");
    lock_take(&s->lock);
    bool fresh = known(s, id, &x) && take_counter(x, counter);
    if (fresh) {
        x->proven = true;
        x->last_ns = clock_now_ns();
    }
    lock_drop(&s->lock);
    return fresh || status_fail(st, STATUS_UNAUTHENTICATED, "rpc: a call that came before");
}
