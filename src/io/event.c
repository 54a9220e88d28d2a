/* SPDX-License-Identifier: Apache-2.0 */
/* Writing and reading event files. */
#include "io/event.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/lock.h"
#include "base/mem.h"
#include "io/folder.h"
#include "io/os_error.h"

enum { MAX_HOST = 256, MAX_TRIES = 10000 };

struct event_writer {
    char *path; /* owned */
    struct event_options o;
    struct lock lock; /* guards what follows */
    struct cond wake; /* the thread's */
    struct record_writer *out;
    int64_t queued, last_flush_ns;
    struct status failed; /* of the thread: reported by the next call */
    bool stop, has_thread;
    pthread_t thread;
};

/* --- the file --- */

/* A path that no file has; the empty file is made, so that nobody else takes it. */
static char *new_path(const char *folder, const char *suffix, struct status *st)
{
    char host[MAX_HOST] = "localhost";
    if (gethostname(host, sizeof(host)) != 0)
        host[0] = 0;
    host[sizeof(host) - 1] = 0;
    long long seconds = clock_wall_us() / 1000000;
    for (int i = 0; i < MAX_TRIES; i++) {
        char unique[16] = "";
        if (i)
            snprintf(unique, sizeof(unique), ".%d", i);
        char *path = mem_printf("%s/events.out.tfevents.%010lld.%s%s%s", folder, seconds, host,
                                unique, suffix ? suffix : "");
        int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0) {
            close(fd);
            return path;
        }
        if (errno != EEXIST) {
            os_error(path, errno, st);
            mem_free(path);
            return NULL;
        }
        mem_free(path);
    }
    status_fail(st, STATUS_ALREADY_EXISTS, "%s: too many event files", folder);
    return NULL;
}

static bool write_version(struct record_writer *out, struct status *st)
{
    struct arena a = {0};
    struct strbuf bytes = {0};
    struct pb_event *e = pb_event_new(&a);
    e->wall_time = (double)(clock_wall_us() / 1000000);
    e->which_what = 3;
    e->file_version = str_of("brain.Event:2");
    bool ok = pb_encode(e, &bytes, st) && record_writer_add(out, str_make(bytes.p, bytes.n), st) &&
              record_writer_flush(out, st);
    strbuf_release(&bytes);
    arena_release(&a);
    return ok;
}

static bool flush_locked(struct event_writer *w, struct status *st)
{
    w->queued = 0;
    w->last_flush_ns = clock_now_ns();
    return record_writer_flush(w->out, st);
}

/* --- the thread, where one is asked for --- */

static void *flush_in_time(void *arg)
{
    struct event_writer *w = arg;
    lock_take(&w->lock);
    while (!w->stop) {
        int64_t due = w->last_flush_ns + w->o.flush_ns;
        if (clock_now_ns() < due) {
            cond_wait_until(&w->wake, &w->lock, due);
            continue;
        }
        struct status st = {0};
        if (!flush_locked(w, &st))
            status_move(&w->failed, &st);
        status_clear(&st);
    }
    lock_drop(&w->lock);
    return NULL;
}

static void start_thread(struct event_writer *w)
{
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    w->has_thread = pthread_create(&w->thread, NULL, flush_in_time, w) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* --- the writer --- */

struct event_writer *event_writer_new(const char *folder, const struct event_options *o,
                                      struct status *st)
{
    if (!*folder)
        folder = ".";
    char *path = folder_make(folder, st) ? new_path(folder, o->suffix, st) : NULL;
    struct record_writer *out = path ? record_writer_open(path, RECORD_PLAIN, st) : NULL;
    if (!out || !write_version(out, st)) {
        struct status rest = {0};
        if (!record_writer_close(out, &rest))
            status_clear(&rest);
        mem_free(path);
        return NULL;
    }
    struct event_writer *w = mem_new(struct event_writer);
    *w = (struct event_writer){.path = path, .o = *o, .out = out};
    w->o.suffix = NULL; /* the caller's */
    w->last_flush_ns = clock_now_ns();
    lock_init(&w->lock, "event_writer", LOCK_RANK_LEAF);
    cond_init(&w->wake);
    if (o->own_thread && o->flush_ns > 0)
        start_thread(w);
    return w;
}

const char *event_writer_path(const struct event_writer *w)
{
    return w->path;
}

bool event_writer_add_bytes(struct event_writer *w, struct str event, struct status *st)
{
    lock_take(&w->lock);
    bool ok = status_ok(&w->failed) && record_writer_add(w->out, event, st);
    if (!status_ok(&w->failed))
        status_copy(st, &w->failed);
    if (ok && (++w->queued >= w->o.max_queue ||
               clock_now_ns() - w->last_flush_ns >= max_i64(w->o.flush_ns, 0)))
        ok = flush_locked(w, st);
    lock_drop(&w->lock);
    return ok;
}

bool event_writer_add(struct event_writer *w, struct pb_event *event, struct status *st)
{
    struct strbuf bytes = {0};
    if (event->wall_time == 0)
        event->wall_time = (double)clock_wall_us() * 1e-6;
    bool ok = pb_encode(event, &bytes, st) &&
              event_writer_add_bytes(w, str_make(strbuf_text(&bytes), bytes.n), st);
    strbuf_release(&bytes);
    return ok;
}

bool event_writer_flush(struct event_writer *w, struct status *st)
{
    lock_take(&w->lock);
    bool ok = flush_locked(w, st);
    lock_drop(&w->lock);
    return ok;
}

bool event_writer_close(struct event_writer *w, struct status *st)
{
    if (!w)
        return true;
    lock_take(&w->lock);
    w->stop = true;
    cond_signal(&w->wake);
    lock_drop(&w->lock);
    if (w->has_thread)
        pthread_join(w->thread, NULL);
    bool ok = record_writer_close(w->out, st);
    if (!status_ok(&w->failed)) {
        ok = false;
        status_move(st, &w->failed);
    }
    status_clear(&w->failed);
    cond_release(&w->wake);
    lock_release_memory(&w->lock);
    mem_free(w->path);
    mem_free(w);
    return ok;
}

/* --- reading --- */

bool event_next(struct record_reader *r, struct arena *a, struct pb_event **event, bool *end,
                struct status *st)
{
    struct str record;
    uint64_t offset = record_reader_offset(r);
    struct status why = {0};
    *event = NULL;
    if (!record_reader_next(r, &record, end, st) || *end)
        return status_ok(st);
    if (pb_event_decode(a, record.p, record.n, 0, event, &why))
        return true;
    status_fail(st, STATUS_DATA_LOSS, "record at %llu is no Event: %s", (unsigned long long)offset,
                status_message(&why));
    status_clear(&why);
    return false;
}
