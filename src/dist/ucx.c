/* SPDX-License-Identifier: Apache-2.0 */
/* needs: ucx */
/* The library, and the thread that calls it. */
#include "dist/ucx.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/log.h"

enum { SPIN_NS = 50000 };

/* --- the library --- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct ucx_library library;
static char *missing; /* NULL: it is there */

/* As libucs has it in headers that not everybody installs: 0 is its gravest level, and stops what
 * else would print the line. */
typedef int (*log_fn)(const char *file, unsigned line, const char *function, int level,
                      const void *component, const char *format, va_list args);

/* Its own lines go to the log, where they are asked for: what matters comes as a status. */
static int log_line(const char *file, unsigned line, const char *function, int level,
                    const void *component, const char *format, va_list args)
{
    char text[512];
    (void)function;
    (void)component;
    if (level > 0 && log_debug_level() < 1)
        return 0;
    vsnprintf(text, sizeof text, format, args);
    log_warning("UCX: %s (%s:%u)", text, file, line);
    return 0;
}

/* Signal handlers are the program's: libucs sets some when it is loaded. */
static void be_quiet(void *ucs)
{
    void (*disable)(void);
    void (*push)(log_fn);
    *(void **)&disable = dlsym(ucs, "ucs_debug_disable_signals");
    *(void **)&push = dlsym(ucs, "ucs_log_push_handler");
    if (disable)
        disable();
    if (push && !getenv("UCX_LOG_LEVEL"))
        push(log_line);
}

static void open_library(void)
{
    const char *unwanted = getenv("LEAT_UCX");
    if (unwanted && strcmp(unwanted, "none") == 0) {
        missing = mem_strdup("LEAT_UCX=none turns it off");
        return;
    }
    void *before = dlopen("libucs.so.0", RTLD_NOW | RTLD_NOLOAD);
    void *ucp = dlopen("libucp.so.0", RTLD_NOW | RTLD_LOCAL);
    void *ucs = ucp ? dlopen("libucs.so.0", RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!ucs) {
        missing = mem_printf("UCX cannot be opened (Debian: libucx0): %s", dlerror());
        return;
    }
    if (!before)
        be_quiet(ucs);
    const char *absent = NULL;
#define X(name)                                                                                    \
    *(void **)&library.name = dlsym(ucp, #name);                                                   \
    if (!library.name)                                                                             \
        *(void **)&library.name = dlsym(ucs, #name);                                               \
    absent = library.name ? absent : #name;
    UCX_TABLE(X)
#undef X
    if (absent)
        missing = mem_printf("libucp.so.0 has no %s", absent);
}

const struct ucx_library *ucx_library(struct status *st)
{
    pthread_once(&once, open_library);
    if (!missing)
        return &library;
    status_unimplemented(st, "%s", missing);
    return NULL;
}

bool ucx_fail(const struct ucx *u, ucs_status_t s, const char *what, struct status *st)
{
    return status_precondition(st, "UCX: %s: %s", what, u->lib->ucs_status_string(s));
}

/* --- jobs --- */

bool ucx_post(struct ucx *u, struct ucx_job *j)
{
    j->next = NULL;
    lock_take(&u->lock);
    const bool taken = !u->stopping, wake = u->asleep;
    if (taken) {
        *u->last = j;
        u->last = &j->next;
        u->asleep = false;
    }
    lock_drop(&u->lock);
    if (taken && wake && eventfd_write(u->wake_fd, 1) != 0)
        log_error("the thread of UCX cannot be woken");
    return taken;
}

/* Whether there were some. */
static bool run_jobs(struct ucx *u)
{
    lock_take(&u->lock);
    struct ucx_job *j = u->first;
    u->first = NULL;
    u->last = &u->first;
    lock_drop(&u->lock);
    const bool some = j != NULL;
    while (j) {
        struct ucx_job *next = j->next;
        j->run(u, j);
        j = next;
    }
    return some;
}

/* --- the thread --- */

static bool progress(struct ucx *u)
{
    bool moved = false;
    for (struct ucx_link *l = u->links; l; l = l->next)
        moved |= ucx_link_progress(l);
    ucx_link_progress_kept(u);
    for (struct ucx_link *l = u->links, *next; l; l = next) {
        next = l->next;
        if (l->broken)
            ucx_link_drop(l);
    }
    return moved;
}

/* Whether all workers' descriptors will tell what happens next. */
static bool arm(struct ucx *u)
{
    for (struct ucx_link *l = u->links; l; l = l->next)
        if (u->lib->ucp_worker_arm(l->worker) != UCS_OK)
            return false;
    for (struct ucx_link *l = u->kept; l; l = l->next)
        if (u->lib->ucp_worker_arm(l->worker) != UCS_OK)
            return false;
    return true;
}

static void sleep_until_woken(struct ucx *u)
{
    struct epoll_event events[16];
    eventfd_t count;
    lock_take(&u->lock);
    const bool sleeps = !u->first && !u->stopping;
    u->asleep = sleeps;
    lock_drop(&u->lock);
    if (!sleeps)
        return;
    while (epoll_wait(u->epoll_fd, events, ARRAY_LEN(events), -1) < 0 && errno == EINTR) {
    }
    lock_take(&u->lock);
    u->asleep = false;
    lock_drop(&u->lock);
    (void)!eventfd_read(u->wake_fd, &count); /* it does not block */
}

static bool under_way(const struct ucx *u)
{
    for (const struct ucx_link *l = u->links; l; l = l->next)
        if (l->recvs || l->sends)
            return true;
    return false;
}

/* Between the parts of a tensor it looks for a while before it sleeps: each waking costs both ends
 * more than a part does. */
static void *ucx_thread(void *arg)
{
    struct ucx *u = arg;
    int64_t moved_ns = 0;
    for (;;) {
        const bool some = run_jobs(u);
        const bool moved = progress(u);
        lock_take(&u->lock);
        const bool over = u->stopping && !u->first;
        lock_drop(&u->lock);
        if (over)
            break;
        if (some || moved)
            moved_ns = clock_now_ns();
        else if ((!under_way(u) || clock_now_ns() - moved_ns > SPIN_NS) && arm(u))
            sleep_until_woken(u);
    }
    while (u->links)
        ucx_link_drop(u->links);
    u->left = !ucx_link_leave_kept(u);
    return NULL;
}

/* With all signals blocked, in UCX's own threads too: they are the program's. */
static bool start(struct ucx *u, struct status *st)
{
    sigset_t all, old;
    ucp_config_t *config = NULL;
    ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_NAME,
                           .features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP,
                           .name = "leat"};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    ucs_status_t s = u->lib->ucp_config_read(NULL, NULL, &config);
    if (s == UCS_OK && !getenv("UCX_TLS"))
        s = u->lib->ucp_config_modify(config, "TLS", "^posix,sysv,cma,knem,xpmem");
    if (s == UCS_OK)
        s = u->lib->ucp_init_version(UCP_API_MAJOR, UCP_API_MINOR, &params, config, &u->context);
    if (config)
        u->lib->ucp_config_release(config);
    bool ok = s == UCS_OK || ucx_fail(u, s, "ucp_init", st);
    if (ok && pthread_create(&u->thread, NULL, ucx_thread, u) != 0) {
        u->lib->ucp_cleanup(u->context);
        ok = status_exhausted(st, "UCX: no thread can be started");
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return ok;
}

/* --- the plane's life --- */

static void release(struct ucx *u)
{
    if (u->wake_fd >= 0)
        close(u->wake_fd);
    if (u->epoll_fd >= 0)
        close(u->epoll_fd);
    u64map_release(&u->expected);
    lock_release_memory(&u->lock);
    mem_free(u);
}

bool ucx_open(struct planes *p, struct status *st)
{
    const struct ucx_library *lib;
    if (!p->security || !p->security->insecure)
        return false; /* between hosts it is plain text */
    if (!(lib = ucx_library(st)))
        return false;
    struct ucx *u = mem_new(struct ucx);
    *u = (struct ucx){.planes = p, .lib = lib};
    u->last = &u->first;
    lock_init(&u->lock, "UCX", LOCK_RANK_LEAF);
    u->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    u->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event e = {.events = EPOLLIN};
    bool ok = (u->wake_fd >= 0 && u->epoll_fd >= 0 &&
               epoll_ctl(u->epoll_fd, EPOLL_CTL_ADD, u->wake_fd, &e) == 0) ||
              status_exhausted(st, "UCX: no file descriptor is left");
    ok = ok && start(u, st);
    if (ok)
        p->own[PB_LEAT_PEER_PLANE_UCX] = u;
    else
        release(u);
    return ok;
}

void ucx_stop(struct planes *p)
{
    struct ucx *u = p->own[PB_LEAT_PEER_PLANE_UCX];
    lock_take(&u->lock);
    u->stopping = true;
    lock_drop(&u->lock);
    if (eventfd_write(u->wake_fd, 1) != 0)
        log_error("the thread of UCX cannot be woken");
    pthread_join(u->thread, NULL);
    if (!u->left)
        u->lib->ucp_cleanup(u->context);
}

void ucx_close(struct planes *p)
{
    release(p->own[PB_LEAT_PEER_PLANE_UCX]);
}
