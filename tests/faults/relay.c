/* SPDX-License-Identifier: Apache-2.0 */
/* Connections that are passed on: one poll loop; a way of a connection reads a piece, keeps it
 * until it is due, and writes it. What may not arrive is not read, so the sender's own buffers fill
 * as they would if nothing were acknowledged. */
#include "relay.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/lock.h"

enum { MAX_LINKS = 64, MAX_CONNECTIONS = 400, PIECE = 65536 };

struct way { /* one direction of a connection */
    char bytes[PIECE];
    size_t n, sent;
    int64_t due_ns;
    bool ended;
};
struct connection {
    int link, fds[2]; /* who connected, and whom to */
    struct way ways[2];
};
struct link {
    int fd, target;
    int mode; /* atomic */
};
struct relay {
    struct link links[MAX_LINKS];
    int n; /* atomic */
    struct connection *v[MAX_CONNECTIONS];
    int num;
    int64_t delay_ns;
    uint64_t random;
    bool stop; /* atomic */
    int wake[2];
    pthread_t thread;
};

static uint64_t next_random(uint64_t *s)
{
    uint64_t z = *s += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static int mode_of(const struct relay *r, int link)
{
    return __atomic_load_n(&r->links[link].mode, __ATOMIC_ACQUIRE);
}

static void drop_connection(struct relay *r, int i)
{
    const struct linger now = {1, 0};
    for (int k = 0; k < 2; k++) {
        setsockopt(r->v[i]->fds[k], SOL_SOCKET, SO_LINGER, &now, sizeof now); /* a reset */
        close(r->v[i]->fds[k]);
    }
    free(r->v[i]);
    r->v[i] = r->v[--r->num];
}

static void accept_one(struct relay *r, int link)
{
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_addr = {htonl(INADDR_LOOPBACK)},
                            .sin_port = htons((uint16_t)r->links[link].target)};
    int from = accept4(r->links[link].fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (from < 0)
        return;
    int to = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool ok = mode_of(r, link) != RELAY_REJECT && r->num < MAX_CONNECTIONS && to >= 0 &&
              connect(to, (struct sockaddr *)&a, sizeof a) == 0 &&
              fcntl(to, F_SETFL, O_NONBLOCK) == 0;
    struct connection *c = ok ? calloc(1, sizeof *c) : NULL;
    if (!c) {
        close(from);
        if (to >= 0)
            close(to);
        return;
    }
    c->link = link;
    c->fds[0] = from;
    c->fds[1] = to;
    r->v[r->num++] = c;
}

static bool is_open(int mode, int way)
{
    return mode != RELAY_DROP && mode != (way == 0 ? RELAY_BACK : RELAY_THERE);
}

/* False: the connection is over. */
static bool move(struct relay *r, struct connection *c, int way, int64_t now)
{
    struct way *w = &c->ways[way];
    const int mode = mode_of(r, c->link);
    if (mode == RELAY_REJECT)
        return false;
    if (!is_open(mode, way))
        return true;
    if (w->n == 0 && !w->ended) {
        ssize_t n = recv(c->fds[way], w->bytes, PIECE, 0);
        if (n < 0)
            return errno == EAGAIN || errno == EINTR;
        w->ended = n == 0;
        w->n = (size_t)n;
        w->sent = 0;
        w->due_ns = mode == RELAY_SLOW
                        ? now + r->delay_ns * (next_random(&r->random) % 20 == 0 ? 4 : 1)
                        : now;
    }
    if (now >= w->due_ns && w->sent < w->n) {
        ssize_t n = send(c->fds[1 - way], w->bytes + w->sent, w->n - w->sent, MSG_NOSIGNAL);
        if (n < 0)
            return errno == EAGAIN || errno == EINTR;
        w->sent += (size_t)n;
        if (w->sent == w->n)
            w->n = w->sent = 0;
    }
    return !w->ended || w->n > 0;
}

/* What to poll for; *wait_ms: no longer than until the next piece is due. */
static int fill(struct relay *r, struct pollfd *p, int64_t now, int *wait_ms)
{
    int n = 0;
    const int links = __atomic_load_n(&r->n, __ATOMIC_ACQUIRE);
    p[n++] = (struct pollfd){r->wake[0], POLLIN, 0};
    for (int i = 0; i < links; i++)
        p[n++] = (struct pollfd){r->links[i].fd, POLLIN, 0};
    for (int i = 0; i < r->num; i++) {
        struct connection *c = r->v[i];
        const int mode = mode_of(r, c->link);
        short events[2] = {0, 0};
        for (int k = 0; k < 2; k++) {
            const struct way *w = &c->ways[k];
            if (mode == RELAY_REJECT)
                *wait_ms = 0;
            if (!is_open(mode, k))
                continue;
            if (w->n == 0)
                events[k] |= POLLIN;
            else if (w->due_ns <= now)
                events[1 - k] |= POLLOUT;
            else
                *wait_ms = (int)((w->due_ns - now) / 1000000) + 1 < *wait_ms
                               ? (int)((w->due_ns - now) / 1000000) + 1
                               : *wait_ms;
        }
        for (int k = 0; k < 2; k++) /* nothing to wait for: its hang-up is not news either */
            p[n++] = (struct pollfd){events[k] ? c->fds[k] : -1, events[k], 0};
    }
    return n;
}

static void *run(void *arg)
{
    struct relay *r = arg;
    static struct pollfd p[1 + MAX_LINKS + 2 * MAX_CONNECTIONS];
    char bytes[64];
    while (!__atomic_load_n(&r->stop, __ATOMIC_ACQUIRE)) {
        int wait_ms = 1000;
        const int links = __atomic_load_n(&r->n, __ATOMIC_ACQUIRE);
        const int n = fill(r, p, clock_now_ns(), &wait_ms);
        if (poll(p, (nfds_t)n, wait_ms) < 0 && errno != EINTR)
            break;
        if (p[0].revents && read(r->wake[0], bytes, sizeof bytes) < 0)
            break;
        const int64_t now = clock_now_ns();
        for (int i = r->num - 1; i >= 0; i--) {
            if (!move(r, r->v[i], 0, now) || !move(r, r->v[i], 1, now))
                drop_connection(r, i);
        }
        for (int i = 0; i < links; i++) {
            if (p[1 + i].revents)
                accept_one(r, i);
        }
    }
    return NULL;
}

struct relay *relay_new(int delay_ms, uint64_t seed)
{
    struct relay *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->delay_ns = (int64_t)delay_ms * 1000000;
    r->random = seed;
    assert_int_equal(pipe2(r->wake, O_CLOEXEC | O_NONBLOCK), 0);
    assert_int_equal(pthread_create(&r->thread, NULL, run, r), 0);
    return r;
}

static void wake(struct relay *r)
{
    if (write(r->wake[1], "", 1) < 0 && errno != EAGAIN)
        fail_msg("the relay's pipe: %s", strerror(errno));
}

int relay_add(struct relay *r, int target, int *port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t n = sizeof a;
    const int i = r->n;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    assert_true(i < MAX_LINKS && fd >= 0 && bind(fd, (struct sockaddr *)&a, n) == 0);
    assert_true(listen(fd, 64) == 0 && getsockname(fd, (struct sockaddr *)&a, &n) == 0);
    *port = ntohs(a.sin_port);
    r->links[i] = (struct link){.fd = fd, .target = target};
    __atomic_store_n(&r->n, i + 1, __ATOMIC_RELEASE);
    wake(r);
    return i;
}

void relay_set(struct relay *r, int link, enum relay_mode mode)
{
    __atomic_store_n(&r->links[link].mode, (int)mode, __ATOMIC_RELEASE);
    wake(r);
}

void relay_free(struct relay *r)
{
    if (!r)
        return;
    __atomic_store_n(&r->stop, true, __ATOMIC_RELEASE);
    wake(r);
    pthread_join(r->thread, NULL);
    while (r->num > 0)
        drop_connection(r, 0);
    for (int i = 0; i < r->n; i++)
        close(r->links[i].fd);
    close(r->wake[0]);
    close(r->wake[1]);
    free(r);
}
