/* SPDX-License-Identifier: Apache-2.0 */
/* Values at debug URLs: the Event message, the name of its file, and the file. */
#include "ops/debug/publish.h"

#include <stdlib.h>

#include "base/lock.h"
#include "base/mem.h"
#include "io/folder.h"
#include "io/output.h"
#include "op/tensor_proto.h"
#include "proto/leat_proto.h"

bool watched_of(const struct attrs *attrs, struct watched *w, struct status *st)
{
    struct str name = attrs_string(attrs, "tensor_name"), slot = {"0", 1};
    const char *colon = name.n ? memchr(name.p, ':', name.n) : NULL;
    if (colon)
        slot = str_make(colon + 1, name.n - (size_t)(colon + 1 - name.p));
    if (name.n == 0 || (slot.n && memchr(slot.p, ':', slot.n)))
        return status_invalid(st, "Failed to parse tensor name: \"%.*s\"",
                              name.n > 200 ? 200 : (int)name.n, name.p);
    *w = (struct watched){.node = str_make(name.p, colon ? (size_t)(colon - name.p) : name.n),
                          .device = attrs_string(attrs, "device_name"),
                          .urls = attrs_list(attrs, "debug_urls"),
                          .gated = attrs_bool(attrs, "gated_grpc")};
    return str_to_i64(slot, &w->slot) ||
           status_invalid(st, "Invalid string value for output slot: \"%.*s\"",
                          slot.n > 200 ? 200 : (int)slot.n, slot.p);
}

bool watched_is_shut(const struct watched *w)
{
    const int64_t n = w->urls ? w->urls->n : 0;
    for (int64_t i = 0; i < n; i++)
        if (!w->gated || !str_starts(w->urls->ss[i], "grpc://"))
            return false;
    return n > 0;
}

/* --- the message --- */

static void put_escaped(struct strbuf *b, struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        unsigned char ch = (unsigned char)s.p[i];
        if (ch == '"' || ch == '\\')
            strbuf_printf(b, "\\%c", ch);
        else if (ch < ' ')
            strbuf_printf(b, "\\u%04x", ch);
        else
            strbuf_putc(b, (char)ch);
    }
}

static bool encode(const struct watched *w, const char *op, const struct tensor *t, int64_t time_us,
                   struct strbuf *out, struct status *st)
{
    struct arena a = {0};
    struct strbuf about = {0};
    struct pb_event *e = pb_event_new(&a);
    e->wall_time = (double)time_us;
    e->summary = pb_summary_new(&a);
    e->which_what = 5;
    struct pb_summary_value *v = pb_summary_value_add(&a, &e->summary->value);
    v->tag = w->node;
    v->node_name =
        str_of(arena_printf(&a, "%.*s:%lld:%s", (int)w->node.n, w->node.p, (long long)w->slot, op));
    v->which_value = 8;
    v->tensor = tensor_to_proto_raw(&a, t);
    v->metadata = pb_summary_metadata_new(&a);
    v->metadata->plugin_data = pb_summary_metadata_plugin_data_new(&a);
    v->metadata->plugin_data->plugin_name = str_of("debugger");
    strbuf_puts(&about, "{\"device\":\"");
    put_escaped(&about, w->device);
    strbuf_printf(&about, "\",\"outputSlot\":%lld,\"numChunks\":1,\"chunkIndex\":0}",
                  (long long)w->slot);
    v->metadata->plugin_data->content = str_make(about.p, about.n);
    bool ok = pb_encode(e, out, st);
    strbuf_release(&about);
    arena_release(&a);
    return ok;
}

/* --- the file --- */

/* Another one each time, so that values of one node do not meet in one file. */
static int64_t time_of_dump(void)
{
    static int64_t last;
    int64_t before = __atomic_load_n(&last, __ATOMIC_RELAXED), now;
    do {
        now = max_i64(clock_wall_us(), before + 1);
    } while (!__atomic_compare_exchange_n(&last, &before, now, false, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
    return now;
}

static bool take_allowance(size_t n, struct status *st)
{
    static int64_t used;
    int64_t most = (int64_t)100 << 30;
    const char *given = getenv("TFDBG_DISK_BYTES_LIMIT");
    if (given && !str_to_i64(str_of(given), &most))
        return status_invalid(st, "TFDBG_DISK_BYTES_LIMIT is no number: %s", given);
    int64_t all = __atomic_add_fetch(&used, (int64_t)n, __ATOMIC_RELAXED);
    if (most <= 0 || all <= most)
        return true;
    __atomic_sub_fetch(&used, (int64_t)n, __ATOMIC_RELAXED);
    return status_exhausted(st,
                            "Dumps of the debugger have used the %lld bytes that they may "
                            "(TFDBG_DISK_BYTES_LIMIT); %zu more are wanted",
                            (long long)most, n);
}

static char *dump_path(struct str folder, const struct watched *w, const char *op, int64_t time_us)
{
    struct strbuf b = {0};
    strbuf_printf(&b, "%.*s/_tfdbg_device_", (int)folder.n, folder.p);
    for (size_t i = 0; i < w->device.n; i++) {
        char ch = w->device.p[i];
        strbuf_putc(&b, ch == '/' ? ',' : ch == ':' ? '_' : ch);
    }
    strbuf_printf(&b, "/%.*s_%lld_%s_%lld", (int)w->node.n, w->node.p, (long long)w->slot, op,
                  (long long)time_us);
    return strbuf_take(&b);
}

static bool write_dump(const char *path, const struct strbuf *bytes, struct status *st)
{
    struct output o;
    struct str folder = path_folder(path);
    char *text = mem_strndup(folder.p, folder.n);
    bool ok = folder_make(text, st) && output_open(&o, path, st);
    mem_free(text);
    if (!ok)
        return false;
    if (output_write(&o, bytes->p, bytes->n, st))
        return output_name(&o, st);
    output_abandon(&o);
    return false;
}

/* --- URLs --- */

static bool publish_at(const struct watched *w, struct str url, const char *op,
                       const struct strbuf *bytes, int64_t time_us, struct status *st)
{
    enum { SCHEME_BYTES = 7 };
    if (str_starts(url, "grpc://") && w->gated)
        return true;
    if (str_starts(url, "grpc://") || str_starts(url, "memcbk://"))
        return status_unimplemented(st, "%s: nothing is sent to debug URLs but file://: %.*s", op,
                                    (int)min_i64((int64_t)url.n, 200), url.p);
    if (!str_starts(url, "file://"))
        return status_fail(st, STATUS_UNAVAILABLE, "Invalid debug target URL: %.*s",
                           (int)min_i64((int64_t)url.n, 200), url.p);
    struct str folder = str_make(url.p + SCHEME_BYTES, url.n - SCHEME_BYTES);
    if (folder.n == 0 || memchr(folder.p, 0, folder.n) || memchr(w->node.p, 0, w->node.n))
        return status_internal(st, "%s: a debug URL of file:// without a folder;", op);
    if (!take_allowance(bytes->n, st))
        return false;
    char *path = dump_path(folder, w, op, time_us);
    bool ok = write_dump(path, bytes, st);
    mem_free(path);
    if (!ok)
        st->code = STATUS_INTERNAL;
    return ok;
}

bool watched_publish(const struct watched *w, const char *op, const struct tensor *t,
                     struct status *st)
{
    const int64_t n = w->urls ? w->urls->n : 0, time_us = n ? time_of_dump() : 0;
    struct strbuf bytes = {0};
    int64_t failed = 0;
    if (n == 0)
        return true;
    bool ok = encode(w, op, t, time_us, &bytes, st);
    for (int64_t i = 0; ok && i < n; i++)
        failed += !publish_at(w, w->urls->ss[i], op, &bytes, time_us, st);
    strbuf_release(&bytes);
    if (failed > 0 && st->code == STATUS_INTERNAL)
        status_prepend(st,
                       "Publishing to %lld of %lld debug target URLs failed, due to the following "
                       "errors: ",
                       (long long)failed, (long long)n);
    return ok && failed == 0;
}
