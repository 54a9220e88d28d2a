/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates, tokens, and who may reach a port. */
#include "dist/rpc_security.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <unistd.h>

#include "io/file.h"

enum { MAX_PEM = 1 << 20, MAX_TOKEN = 4096 };

static bool read_text(const char *path, size_t limit, const char *what, char **out,
                      struct status *st)
{
    char *bytes;
    size_t n;
    if (!path || !*path)
        return true;
    if (!file_read(path, limit, &bytes, &n, st)) {
        status_prepend(st, "rpc: %s: ", what);
        return false;
    }
    struct str text = str_trim(str_make(bytes, n));
    bool ok = text.n > 0 && !memchr(text.p, 0, text.n);
    *out = ok ? mem_strndup(text.p, text.n) : NULL;
    mem_free(bytes);
    return ok || status_invalid(st, "rpc: %s: %s holds no text", what, path);
}

void rpc_secrets_clear(struct rpc_secrets *s)
{
    mem_free(s->cert);
    mem_free(s->key);
    mem_free(s->ca);
    mem_free(s->token);
    *s = (struct rpc_secrets){0};
}

bool rpc_secrets_read(const struct rpc_security *security, struct rpc_secrets *out,
                      struct status *st)
{
    *out = (struct rpc_secrets){0};
    if (!security)
        return true;
    if (!security->cert_file != !security->key_file)
        return status_invalid(st, "rpc: a TLS certificate needs its key, and a key its "
                                  "certificate: set both LEAT_TLS_CERT and LEAT_TLS_KEY");
    bool ok = read_text(security->cert_file, MAX_PEM, "the TLS certificate", &out->cert, st) &&
              read_text(security->key_file, MAX_PEM, "the TLS key", &out->key, st) &&
              read_text(security->ca_file, MAX_PEM, "the TLS authority", &out->ca, st) &&
              read_text(security->token_file, MAX_TOKEN, "the token", &out->token, st);
    if (!ok)
        rpc_secrets_clear(out);
    return ok;
}

/* --- addresses --- */

static struct str host_of(const char *address)
{
    const char *colon = strrchr(address, ':');
    struct str host = str_make(address, colon ? (size_t)(colon - address) : strlen(address));
    if (host.n >= 2 && host.p[0] == '[' && host.p[host.n - 1] == ']')
        host = str_make(host.p + 1, host.n - 2);
    return host;
}

bool rpc_is_loopback(const char *address)
{
    char text[64];
    struct in_addr v4;
    struct in6_addr v6;
    if (strncmp(address, "unix:", 5) == 0)
        return true;
    struct str host = host_of(address);
    if (str_is(host, "localhost"))
        return true;
    if (host.n >= sizeof text || host.n == 0)
        return false;
    memcpy(text, host.p, host.n);
    text[host.n] = 0;
    if (inet_pton(AF_INET, text, &v4) == 1)
        return ntohl(v4.s_addr) >> 24 == 127;
    if (inet_pton(AF_INET6, text, &v6) != 1)
        return false;
    return IN6_IS_ADDR_LOOPBACK(&v6) || (IN6_IS_ADDR_V4MAPPED(&v6) && v6.s6_addr[12] == 127);
}

bool rpc_may_bind(const char *address, const struct rpc_security *security, struct status *st)
{
    if (rpc_is_loopback(address) || (security && (security->cert_file || security->insecure)))
        return true;
    return status_fail(
        st, STATUS_PERMISSION_DENIED,
        "rpc: whoever reaches %s could run graphs here, as it is not a loopback address and there "
        "is no TLS. Set\n    export LEAT_TLS_CERT=cert.pem LEAT_TLS_KEY=key.pem "
        "LEAT_TLS_CA=ca.pem\n"
        "or, in a network that you trust,\n    export LEAT_INSECURE=1",
        address);
}

/* --- peers of this host --- */

/* The address and port of "ipv4:127.0.0.1:41234" or "ipv6:[::1]:41234" as /proc/net/tcp writes
 * them; percent signs of URIs do not occur in loopback addresses. */
static bool proc_address(const char *peer, bool *v6, char *out, size_t bytes)
{
    char text[64];
    struct in_addr a4;
    struct in6_addr a6;
    int64_t port;
    *v6 = strncmp(peer, "ipv6:", 5) == 0;
    if (!*v6 && strncmp(peer, "ipv4:", 5) != 0)
        return false;
    char decoded[128];
    size_t n = 0;
    for (const char *p = peer + 5; *p && n + 1 < sizeof decoded; p++) {
        unsigned c = (unsigned char)*p;
        if (c == '%' && sscanf(p + 1, "%2x", &c) == 1)
            p += 2;
        decoded[n++] = (char)c;
    }
    decoded[n] = 0;
    struct str host = host_of(decoded);
    const char *colon = strrchr(decoded, ':');
    if (!colon || !str_to_i64(str_of(colon + 1), &port) || host.n >= sizeof text ||
        !rpc_is_loopback(decoded))
        return false;
    memcpy(text, host.p, host.n);
    text[host.n] = 0;
    if (!*v6 && inet_pton(AF_INET, text, &a4) == 1)
        return snprintf(out, bytes, "%08X:%04X", a4.s_addr, (unsigned)port) > 0;
    uint32_t w[4];
    if (!*v6 || inet_pton(AF_INET6, text, &a6) != 1)
        return false;
    memcpy(w, &a6, sizeof w);
    return snprintf(out, bytes, "%08X%08X%08X%08X:%04X", w[0], w[1], w[2], w[3], (unsigned)port) >
           0;
}

static bool table_has_own(const char *path, const char *address)
{
    FILE *f = fopen(path, "re");
    if (!f)
        return false;
    char line[512], local[64];
    unsigned uid;
    bool own = false;
    while (!own && fgets(line, sizeof line, f))
        own = sscanf(line, " %*d: %63s %*s %*s %*s %*s %*s %u", local, &uid) == 2 &&
              strcmp(local, address) == 0 && uid == (unsigned)geteuid();
    fclose(f);
    return own;
}

bool rpc_peer_is_own(const char *peer)
{
    char address[64];
    bool v6;
    if (strncmp(peer, "unix:", 5) == 0)
        return true;
    if (!proc_address(peer, &v6, address, sizeof address))
        return false;
    if (table_has_own(v6 ? "/proc/net/tcp6" : "/proc/net/tcp", address))
        return true;
    /* an IPv4 connection of a socket for both */
    char mapped[128];
    snprintf(mapped, sizeof mapped, "0000000000000000FFFF0000%s", address);
    return !v6 && table_has_own("/proc/net/tcp6", mapped);
}
