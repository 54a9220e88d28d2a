/* SPDX-License-Identifier: Apache-2.0 */
/* The log writes to file descriptor 2, not to stdio's stderr, whose buffer and lock are the
 * program's. Rare lines; nothing here is fast. */
#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/lock.h"
#include "base/mem.h"
#include "base/str.h"

static int env_number(const char *name)
{
    int64_t v;
    return str_to_i64(str_trim(str_of(getenv(name))), &v) && v > 0 ? (int)min_i64(v, 99) : 0;
}

/* -1: not read yet. Two threads may read it at once and store the same. */
static int env_cached(int *cache, const char *name)
{
    int v = __atomic_load_n(cache, __ATOMIC_RELAXED);
    if (v < 0) {
        v = env_number(name);
        __atomic_store_n(cache, v, __ATOMIC_RELAXED);
    }
    return v;
}

int log_debug_level(void)
{
    static int cache = -1;
    return env_cached(&cache, "LEAT_DEBUG");
}

static int min_level(void)
{
    static int cache = -1;
    return env_cached(&cache, "TF_CPP_MIN_LOG_LEVEL");
}

/* Build folders make __FILE__ begin with any number of "../". */
static const char *file_shown(const char *file)
{
    while (strncmp(file, "../", 3) == 0)
        file += 3;
    return file;
}

static void write_all(const char *p, size_t n)
{
    while (n) {
        ssize_t done = write(STDERR_FILENO, p, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return; /* nowhere left to complain */
        p += done;
        n -= (size_t)done;
    }
}

void log_write(enum log_level level, const char *file, int line, const char *fmt, ...)
{
    if ((int)level < min_level())
        return;
    int saved_errno = errno;
    int64_t now_us = clock_wall_us();
    time_t seconds = (time_t)(now_us / 1000000);
    struct tm tm = {0};
    localtime_r(&seconds, &tm);
    char when[32] = "";
    strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &tm);

    struct strbuf b = {0};
    strbuf_printf(&b, "%s.%06d: %c %s:%d] ", when, (int)(now_us % 1000000), "IWE"[level],
                  file_shown(file), line);
    va_list ap;
    va_start(ap, fmt);
    strbuf_vprintf(&b, fmt, ap);
    va_end(ap);
    strbuf_putc(&b, '\n');
    write_all(b.p, b.n);
    strbuf_release(&b);
    errno = saved_errno;
}

/* A list that only grows, at its end: walked without a lock. */
struct listener {
    void (*call)(const char *text);
    struct listener *next; /* atomic */
};
static struct listener *listeners; /* atomic; written under listeners_lock */
static struct lock listeners_lock = LOCK_INIT("log listeners", LOCK_RANK_LEAF);

void log_add_listener(void (*call)(const char *text))
{
    struct listener *l = mem_new(struct listener);
    l->call = call;
    lock_take(&listeners_lock);
    struct listener **end = &listeners;
    while (*end)
        end = &(*end)->next;
    __atomic_store_n(end, l, __ATOMIC_RELEASE);
    lock_drop(&listeners_lock);
}

bool log_to_listeners(const char *text)
{
    struct listener *l = __atomic_load_n(&listeners, __ATOMIC_ACQUIRE);
    bool any = l != NULL;
    for (; l; l = __atomic_load_n(&l->next, __ATOMIC_ACQUIRE))
        l->call(text);
    return any;
}
