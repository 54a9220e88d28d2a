/* SPDX-License-Identifier: Apache-2.0 */
/* Several V2 checkpoints become one: the shards of each in turn, their entries together. Data files
 * are renamed, never copied. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/mem.h"
#include "io/bundle.h"
#include "io/os_error.h"
#include "proto/pb_reflect.h"

enum { MAX_SHARDS = 1 << 20 };

struct merge {
    struct arena arena;
    struct bundle_items items;
    struct path_list files; /* shard i of the result */
    struct strmap known;    /* name -> entry; names without zero bytes, which slices' keys have */
};

/* The bytes are on disk, whoever wrote them. */
static bool sync_file(const char *path, struct status *st)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool ok = fd >= 0 && fsync(fd) == 0;
    if (!ok)
        os_error(path, errno, st);
    if (fd >= 0)
        close(fd);
    return ok;
}

/* Another part has `name` too: that is right for slices of one tensor. */
static bool join_slices(struct merge *m, struct pb_bundle_entry_proto *known,
                        const struct pb_bundle_entry_proto *e, struct str name, const char *prefix,
                        struct status *st)
{
    bool same = false;
    if (known->slices.n == 0 || e->slices.n == 0)
        return status_invalid(st,
                              "Duplicate tensor keyed by %.*s encountered, when merging prefix: %s",
                              (int)name.n, name.p, prefix);
    if (known->dtype != e->dtype || !pb_equal(known->shape, e->shape, &same, st) || !same)
        return status_invalid(st,
                              "Slices of %.*s of other types or shapes, when merging prefix: %s",
                              (int)name.n, name.p, prefix);
    for (int64_t i = 0; i < e->slices.n; i++)
        *pb_tensor_slice_proto_add(&m->arena, &known->slices) = *e->slices.v[i];
    return true;
}

static bool add_entry(struct merge *m, struct str key, struct str value, int64_t first_shard,
                      const char *prefix, struct status *st)
{
    struct pb_bundle_entry_proto *e;
    struct str name = pb_str_dup(&m->arena, key);
    if (!pb_bundle_entry_proto_decode(&m->arena, value.p, value.n, 0, &e, st)) {
        st->code = STATUS_DATA_LOSS;
        status_prepend(st, "%s.index: ", prefix);
        return false;
    }
    if (!e->shape)
        e->shape = pb_tensor_shape_proto_new(&m->arena);
    if (e->slices.n == 0)
        e->shard_id += (int32_t)first_shard;
    bool keeps = !memchr(name.p, 0, name.n);
    struct pb_bundle_entry_proto *known = keeps ? strmap_find_n(&m->known, name.p, name.n) : NULL;
    if (known)
        return join_slices(m, known, e, name, prefix, st);
    if (keeps)
        strmap_put_n(&m->known, name.p, name.n, e);
    bundle_items_add(&m->items, name, e);
    return true;
}

static bool add_bundle(struct merge *m, const char *prefix, struct status *st)
{
    struct bundle b;
    int64_t first_shard = m->files.n;
    if (!bundle_open(&b, prefix, NULL, st))
        return false;
    bool ok = b.num_shards <= MAX_SHARDS - first_shard ||
              status_invalid(st, "%s: more than %d shards", prefix, MAX_SHARDS);
    for (int i = 0; ok && i < b.num_shards; i++) {
        char *path = bundle_data_path(prefix, i, b.num_shards);
        path_list_add(&m->files, path);
        ok = sync_file(path, st);
        mem_free(path);
    }
    ok = ok && bundle_first(&b, st);
    while (ok && b.cursor.valid) {
        if (b.cursor.key.n > 0)
            ok = add_entry(m, b.cursor.key, b.cursor.value, first_shard, prefix, st);
        ok = ok && table_next(&b.cursor, st);
    }
    bundle_close(&b);
    return ok;
}

static void remove_indices(const char *const *prefixes, int64_t n, const char *prefix)
{
    for (int64_t i = 0; i < n; i++) {
        char *path = bundle_index_path(prefixes[i]);
        io_step();
        if (strcmp(prefixes[i], prefix) != 0)
            unlink(path);
        mem_free(path);
    }
}

bool bundle_merge(const char *const *prefixes, int64_t n, const char *prefix, struct status *st)
{
    struct merge m = {0};
    bool ok = true;
    for (int64_t i = 0; ok && i < n; i++)
        ok = add_bundle(&m, prefixes[i], st);
    bool there = n == 1 && strcmp(prefixes[0], prefix) == 0;
    ok = ok && (there || (bundle_make_folder(prefix, st) &&
                          bundle_publish(prefix, m.files.v, (int)m.files.n, &m.items, st)));
    if (ok)
        remove_indices(prefixes, n, prefix);
    strmap_release(&m.known);
    path_list_release(&m.files);
    mem_free(m.items.v);
    arena_release(&m.arena);
    return ok;
}
