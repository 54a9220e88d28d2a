/* SPDX-License-Identifier: Apache-2.0 */
/* Namespaces that are made one after another by this thread, which stays in the last. The relay
 * knows packets by their IPv4 destination; those that are late wait in a list. */
#include "netns.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/lock.h"

enum { MAX_ENDS = 12, MAX_PACKET = 1600, FIRST_HOST = 10, LOST_IN = 20 };

struct packet {
    struct packet *next;
    int64_t due_ns;
    int to;
    size_t n;
    char bytes[];
};
struct end { /* a namespace */
    int ns, tun;
    char address[20];
    bool slow; /* atomic */
};
static struct {
    struct end ends[MAX_ENDS]; /* the last one: this process's */
    int num;                   /* besides it */
    int64_t delay_ns;
    uint64_t random;
    struct packet *late, **late_end;
    bool stop; /* atomic */
    pthread_t thread;
    bool started;
} net;

static uint64_t next_random(uint64_t *s)
{
    uint64_t z = *s += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* --- making --- */

static bool set_address(int fd, struct ifreq *r, unsigned long request, const char *text)
{
    struct sockaddr_in a = {.sin_family = AF_INET};
    if (inet_pton(AF_INET, text, &a.sin_addr) != 1)
        return false;
    memcpy(&r->ifr_addr, &a, sizeof a);
    return ioctl(fd, request, r) == 0;
}

static bool set_up(int fd, struct ifreq *r)
{
    if (ioctl(fd, SIOCGIFFLAGS, r) != 0)
        return false;
    r->ifr_flags |= IFF_UP | IFF_RUNNING;
    return ioctl(fd, SIOCSIFFLAGS, r) == 0;
}

/* The interfaces of the namespace that this thread is in. */
static bool make_interfaces(struct end *e)
{
    struct ifreq tun = {.ifr_flags = IFF_TUN | IFF_NO_PI}, lo = {.ifr_flags = 0};
    memcpy(tun.ifr_name, "leat", sizeof "leat");
    memcpy(lo.ifr_name, "lo", sizeof "lo");
    e->tun = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool ok = e->tun >= 0 && fd >= 0 && ioctl(e->tun, TUNSETIFF, &tun) == 0 &&
              set_address(fd, &tun, SIOCSIFADDR, e->address) &&
              set_address(fd, &tun, SIOCSIFNETMASK, "255.255.255.0") && set_up(fd, &tun) &&
              set_up(fd, &lo);
    if (fd >= 0)
        close(fd);
    return ok;
}

static bool make_end(struct end *e, int host)
{
    snprintf(e->address, sizeof e->address, "10.77.0.%d", host);
    if (unshare(CLONE_NEWNET) != 0)
        return false;
    e->ns = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
    return e->ns >= 0 && make_interfaces(e);
}

/* --- passing on --- */

static int end_of(const char *packet, size_t n)
{
    const unsigned char *b = (const unsigned char *)packet;
    if (n < 20 || b[0] >> 4 != 4 || b[16] != 10 || b[17] != 77 || b[18] != 0)
        return -1;
    const int i = b[19] - FIRST_HOST;
    return i >= 0 && i <= net.num ? i : -1;
}

static void deliver(int to, const char *bytes, size_t n)
{
    const ssize_t put = write(net.ends[to].tun, bytes, n);
    (void)put; /* a packet that finds no room is lost, as packets are */
}

static void keep_for_later(int to, const char *bytes, size_t n)
{
    if (next_random(&net.random) % LOST_IN == 0)
        return;
    struct packet *p = malloc(sizeof *p + n);
    if (!p)
        return;
    *p = (struct packet){.due_ns = clock_now_ns() + net.delay_ns, .to = to, .n = n};
    memcpy(p->bytes, bytes, n);
    *net.late_end = p;
    net.late_end = &p->next;
}

static void pass_on(int from)
{
    char bytes[MAX_PACKET];
    for (int i = 0; i < 64; i++) {
        const ssize_t n = read(net.ends[from].tun, bytes, sizeof bytes);
        if (n <= 0)
            return;
        const int to = end_of(bytes, (size_t)n);
        if (to < 0)
            continue;
        if (__atomic_load_n(&net.ends[from].slow, __ATOMIC_RELAXED) ||
            __atomic_load_n(&net.ends[to].slow, __ATOMIC_RELAXED))
            keep_for_later(to, bytes, (size_t)n);
        else
            deliver(to, bytes, (size_t)n);
    }
}

/* All are late by the same time, so the first comes first. Milliseconds until the next. */
static int deliver_late(void)
{
    enum { LOOK_MS = 100 };
    const int64_t now = clock_now_ns();
    while (net.late && net.late->due_ns <= now) {
        struct packet *p = net.late;
        deliver(p->to, p->bytes, p->n);
        net.late = p->next;
        if (!net.late)
            net.late_end = &net.late;
        free(p);
    }
    if (!net.late)
        return LOOK_MS;
    const int64_t ms = (net.late->due_ns - now) / 1000000 + 1;
    return ms < LOOK_MS ? (int)ms : LOOK_MS;
}

static void *relay(void *arg)
{
    struct pollfd fds[MAX_ENDS];
    (void)arg;
    for (int i = 0; i <= net.num; i++)
        fds[i] = (struct pollfd){.fd = net.ends[i].tun, .events = POLLIN};
    while (!__atomic_load_n(&net.stop, __ATOMIC_ACQUIRE)) {
        if (poll(fds, (nfds_t)net.num + 1, deliver_late()) <= 0)
            continue;
        for (int i = 0; i <= net.num; i++) {
            if (fds[i].revents & POLLIN)
                pass_on(i);
        }
    }
    return NULL;
}

/* --- cuts --- */

bool netns_enter(int i)
{
    return setns(net.ends[i].ns, CLONE_NEWNET) == 0;
}

static const char *rules_of(enum netns_mode mode)
{
#define BEGIN "flush ruleset\ntable inet cut {\n"
#define IN(what) "chain in { type filter hook input priority 0; iif \"lo\" accept; " what "\n }\n"
#define OUT(what)                                                                                  \
    "chain out { type filter hook output priority 0; oif \"lo\" accept; " what "\n }\n"
    switch (mode) {
    case NETNS_DROP:
        return BEGIN IN("drop") OUT("drop") "}\n";
    case NETNS_REJECT:
        return BEGIN IN("meta l4proto tcp reject with tcp reset; drop")
            OUT("meta l4proto tcp reject with tcp reset; drop") "}\n";
    case NETNS_DEAF:
        return BEGIN IN("drop") "}\n";
    case NETNS_MUTE:
        return BEGIN OUT("drop") "}\n";
    default:
        return "flush ruleset\n";
    }
#undef BEGIN
#undef IN
#undef OUT
}

/* nft reads the rules in namespace i (-1: where it is). */
static bool run_nft(int i, const char *rules)
{
    int ends[2], status;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    const pid_t pid = fork();
    if (pid == 0) {
        if (i >= 0 && !netns_enter(i))
            _exit(126);
        dup2(ends[0], 0);
        execlp("nft", "nft", "-f", "-", (char *)NULL);
        execl("/usr/sbin/nft", "nft", "-f", "-", (char *)NULL);
        _exit(127);
    }
    close(ends[0]);
    const bool put = write(ends[1], rules, strlen(rules)) == (ssize_t)strlen(rules);
    close(ends[1]);
    return pid > 0 && waitpid(pid, &status, 0) == pid && put && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

void netns_set(int i, enum netns_mode mode)
{
    __atomic_store_n(&net.ends[i].slow, mode == NETNS_SLOW, __ATOMIC_RELAXED);
    if (!run_nft(i, rules_of(mode)))
        fail_msg("nft does not set its rules in namespace %d", i);
}

/* --- life --- */

static bool skip_as(const char *why)
{
    print_message("skipped: %s (%s)\n", why, strerror(errno));
    return false;
}

bool netns_open(int num, int delay_ms, uint64_t seed)
{
    net.num = num;
    net.delay_ns = (int64_t)delay_ms * 1000000;
    net.random = seed;
    net.late_end = &net.late;
    assert_true(num < MAX_ENDS);
    if (geteuid() != 0)
        return skip_as("network namespaces need root");
    if (access("/dev/net/tun", R_OK | W_OK) != 0)
        return skip_as("there is no /dev/net/tun");
    for (int i = 0; i <= num; i++) {
        if (!make_end(&net.ends[i], FIRST_HOST + i))
            return skip_as("network namespaces cannot be made here");
    }
    if (!run_nft(-1, "flush ruleset\n"))
        return skip_as("nft does not work here (Debian's package: nftables)");
    net.started = pthread_create(&net.thread, NULL, relay, NULL) == 0;
    return net.started || skip_as("no thread can be started");
}

const char *netns_address(int i)
{
    return net.ends[i < 0 ? net.num : i].address;
}

void netns_close(void)
{
    __atomic_store_n(&net.stop, true, __ATOMIC_RELEASE);
    if (net.started)
        pthread_join(net.thread, NULL);
    net.started = false;
    while (net.late) {
        struct packet *next = net.late->next;
        free(net.late);
        net.late = next;
    }
}
