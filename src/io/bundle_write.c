/* SPDX-License-Identifier: Apache-2.0 */
/* Writing V2 checkpoints of one shard. What the index will say is kept in memory; the tensors go to
 * the data file as they come. */
#include <errno.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "codec/crc32c.h"
#include "io/bundle.h"
#include "io/os_error.h"

void bundle_items_add(struct bundle_items *items, struct str key,
                      struct pb_bundle_entry_proto *entry)
{
    items->v = vec_reserve(items->v, &items->cap, items->n + 1, sizeof *items->v);
    items->v[items->n++] = (struct bundle_item){key, entry};
}

bool bundle_make_folder(const char *prefix, struct status *st)
{
    struct str folder = path_folder(prefix);
    char *path = mem_strndup(folder.p, folder.n);
    bool ok =
        folder.n == 0 || mkdir(path, 0777) == 0 || errno == EEXIST || os_error(path, errno, st);
    mem_free(path);
    return ok;
}

bool bundle_writer_open(struct bundle_writer *w, const char *prefix, struct status *st)
{
    *w = (struct bundle_writer){0};
    if (!*prefix)
        return status_invalid(st, "A checkpoint needs a name (the prefix of its files)");
    if (!bundle_make_folder(prefix, st))
        return false;
    char *path = bundle_data_path(prefix, 0, 1);
    bool ok = output_open(&w->data, path, st);
    mem_free(path);
    if (ok)
        w->prefix = mem_strdup(prefix);
    return ok;
}

void bundle_writer_abandon(struct bundle_writer *w)
{
    output_abandon(&w->data);
    mem_free(w->items.v);
    strmap_release(&w->partitioned);
    strbuf_release(&w->scratch);
    arena_release(&w->arena);
    mem_free(w->prefix);
    *w = (struct bundle_writer){0};
}

static struct pb_tensor_shape_proto *shape_out(struct arena *a, const struct shape *s)
{
    struct pb_tensor_shape_proto *p = pb_tensor_shape_proto_new(a);
    for (int i = 0; i < s->rank; i++)
        pb_tensor_shape_proto_dim_add(a, &p->dim)->size = shape_dim(s, i);
    return p;
}

/* The tensor's bytes, and an entry for them under `key`. */
static bool write_as(struct bundle_writer *w, struct str key, const struct tensor *t,
                     struct status *st)
{
    uint32_t crc;
    struct pb_bundle_entry_proto *e = pb_bundle_entry_proto_new(&w->arena);
    e->dtype = t->dtype;
    e->shape = shape_out(&w->arena, &t->shape);
    e->offset = w->data.size;
    if (!bundle_write_elems(&w->data, t, &e->size, &crc, st))
        return false;
    e->crc32c = crc32c_mask(crc);
    bundle_items_add(&w->items, pb_str_dup(&w->arena, key), e);
    return true;
}

static bool check_name(struct str name, struct status *st)
{
    if (name.n == 0)
        return status_invalid(st, "A tensor in a checkpoint needs a name");
    if (name.p[0] == '\0')
        return status_invalid(st, "The name of a tensor in a checkpoint begins with a zero byte");
    return true;
}

bool bundle_write(struct bundle_writer *w, struct str name, const struct tensor *t,
                  struct status *st)
{
    return check_name(name, st) && write_as(w, name, t, st);
}

/* The entry of the whole tensor, made when its first slice comes. */
static struct pb_bundle_entry_proto *whole_entry(struct bundle_writer *w, struct str name,
                                                 const struct shape *whole, int dtype,
                                                 struct status *st)
{
    struct pb_bundle_entry_proto *e = strmap_find_n(&w->partitioned, name.p, name.n);
    if (!e) {
        e = pb_bundle_entry_proto_new(&w->arena);
        e->dtype = dtype;
        e->shape = shape_out(&w->arena, whole);
        strmap_put_n(&w->partitioned, name.p, name.n, e);
        bundle_items_add(&w->items, pb_str_dup(&w->arena, name), e);
        return e;
    }
    bool same = e->dtype == dtype && e->shape->dim.n == whole->rank;
    for (int i = 0; same && i < whole->rank; i++)
        same = e->shape->dim.v[i]->size == shape_dim(whole, i);
    if (!same)
        status_invalid(st, "The slices of %.*s are of tensors of different types or shapes",
                       (int)name.n, name.p);
    return same ? e : NULL;
}

bool bundle_write_slice(struct bundle_writer *w, struct str name, const struct shape *whole,
                        const struct slice *slice, const struct tensor *t, struct status *st)
{
    if (!check_name(name, st))
        return false;
    if (memchr(name.p, 0, name.n))
        return status_invalid(st, "The name of a partitioned tensor has a zero byte");
    struct pb_bundle_entry_proto *e = whole_entry(w, name, whole, t->dtype, st);
    if (!e)
        return false;
    struct pb_tensor_slice_proto *p = slice_to_proto(&w->arena, slice);
    struct pb_tensor_slice_proto **list = arena_array(&w->arena, struct pb_tensor_slice_proto *, 1);
    list[0] = p;
    if (e->slices.n == 0)
        e->slices = (struct pb_tensor_slice_proto_vec){.v = list, .n = 1};
    else
        *pb_tensor_slice_proto_add(&w->arena, &e->slices) = *p;
    struct strbuf key = {0};
    slice_key(name, slice, &key);
    bool ok = write_as(w, str_make(key.p, key.n), t, st);
    strbuf_release(&key);
    return ok;
}

bool bundle_writer_finish(struct bundle_writer *w, struct status *st)
{
    char *temp = NULL;
    bool ok = output_finish_temp(&w->data, &temp, st) &&
              bundle_publish(w->prefix, &temp, 1, &w->items, st);
    mem_free(temp);
    bundle_writer_abandon(w);
    return ok;
}
