/* SPDX-License-Identifier: Apache-2.0 */
/* Which addresses a task binds. An address is of this machine when a socket can be bound to it. */
#include "dist/server_bind.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"

void server_bind_clear(struct server_bind *b)
{
    for (int i = 0; i < b->n; i++)
        mem_free(b->v[i]);
    b->n = 0;
}

static void add(struct server_bind *b, char *address) /* takes it */
{
    bool there = b->n == SERVER_MAX_BIND;
    for (int i = 0; i < b->n; i++)
        there |= strcmp(b->v[i], address) == 0;
    if (there)
        mem_free(address);
    else
        b->v[b->n++] = address;
}

static bool is_loopback(const struct sockaddr *a)
{
    if (a->sa_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)(const void *)a)->sin_addr.s_addr) >> 24 == 127;
    return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)(const void *)a)->sin6_addr);
}

static bool is_any(const struct sockaddr *a)
{
    if (a->sa_family == AF_INET)
        return ((const struct sockaddr_in *)(const void *)a)->sin_addr.s_addr == INADDR_ANY;
    return IN6_IS_ADDR_UNSPECIFIED(&((const struct sockaddr_in6 *)(const void *)a)->sin6_addr);
}

static bool is_here(const struct addrinfo *a)
{
    int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool here = fd >= 0 && bind(fd, a->ai_addr, a->ai_addrlen) == 0; /* port 0 */
    if (fd >= 0)
        close(fd);
    return here;
}

static char *with_port(const struct addrinfo *a, int port)
{
    char host[NI_MAXHOST];
    if (getnameinfo(a->ai_addr, a->ai_addrlen, host, sizeof host, NULL, 0, NI_NUMERICHOST) != 0)
        return NULL;
    return mem_printf(a->ai_family == AF_INET6 ? "[%s]:%d" : "%s:%d", host, port);
}

static struct addrinfo *resolve(const char *host)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *all = NULL;
    size_t n = strlen(host);
    bool bracketed = n > 2 && host[0] == '[' && host[n - 1] == ']';
    char *bare = bracketed ? mem_strndup(host + 1, n - 2) : mem_strdup(host);
    int error = getaddrinfo(bare, NULL, &hints, &all);
    mem_free(bare);
    return error ? NULL : all;
}

/* Those addresses of a host that are here. loopback: IPv4's, which always comes first, is enough
 * for all names of the loopback. */
static void add_host(struct server_bind *b, const char *host, int port, bool *any)
{
    struct addrinfo *all = resolve(host);
    for (struct addrinfo *a = all; a; a = a->ai_next) {
        bool inet = a->ai_family == AF_INET || a->ai_family == AF_INET6;
        bool plain_loopback = inet && is_loopback(a->ai_addr) && host[0] != '[';
        if (!inet || !is_here(a))
            continue;
        char *address = plain_loopback && a->ai_family == AF_INET6
                            ? mem_printf("127.0.0.1:%d", port)
                            : with_port(a, port);
        *any |= is_any(a->ai_addr);
        if (address)
            add(b, address);
    }
    if (all)
        freeaddrinfo(all);
}

static bool add_given(struct server_bind *b, const char *given, int port, bool *any,
                      struct status *st)
{
    struct str rest = str_of(given), piece;
    while (str_split(&rest, ',', &piece)) {
        char *text = mem_strndup(piece.p, piece.n), *host = NULL;
        struct status no_port = {0};
        int own = port, before = b->n;
        if (!spec_split_address(text, &host, &own, &no_port))
            host = mem_strdup(text);
        status_clear(&no_port);
        add_host(b, host, own, any);
        bool ok = b->n > before || *any;
        if (!ok)
            status_fail(st, STATUS_UNAVAILABLE, "--bind: %.200s is no address of this machine",
                        text);
        mem_free(host);
        mem_free(text);
        if (!ok)
            return false;
    }
    return b->n > 0 || status_invalid(st, "--bind: no address");
}

bool server_bind_find(const struct spec_task *task, const char *given, struct server_bind *out,
                      struct status *st)
{
    char *host = NULL;
    int port;
    bool any = false, ok = true;
    *out = (struct server_bind){.n = 0};
    if (!spec_split_address(task->address, &host, &port, st))
        return false;
    if (given && given[0])
        ok = add_given(out, given, port, &any, st);
    else
        add_host(out, host, port, &any);
    if (ok && out->n == 0)
        ok = status_precondition(
            st,
            "/job:%s/task:%d: its address %s is not of this machine. Say where to listen: "
            "--bind=ADDRESS:PORT, or LEAT_BIND=ADDRESS:PORT",
            task->job, task->index, task->address);
    /* The port that the first one has; 0.0.0.0 holds the loopback already. */
    const char *colon = ok ? strrchr(out->v[0], ':') : NULL;
    if (ok && !any)
        add(out, mem_printf("127.0.0.1%s", colon));
    mem_free(host);
    if (!ok)
        server_bind_clear(out);
    return ok;
}
