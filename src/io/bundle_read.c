/* SPDX-License-Identifier: Apache-2.0 */
/* Reading V2 checkpoints. */
#include "base/mem.h"
#include "codec/crc32c.h"
#include "io/bundle.h"

enum { BUNDLE_VERSION = 1 };

char *bundle_index_path(const char *prefix)
{
    return mem_printf("%s.index", prefix);
}

char *bundle_data_path(const char *prefix, int shard, int num_shards)
{
    return mem_printf("%s.data-%05d-of-%05d", prefix, shard, num_shards);
}

#define NAME_ARG(s) (int)min_i64((int64_t)(s).n, 200), (s).p ? (s).p : ""

/* --- opening --- */

static bool check_version(const struct bundle *b, const struct pb_version_def *v, struct status *st)
{
    if (!v)
        return true;
    if (v->min_consumer > BUNDLE_VERSION)
        return status_invalid(st,
                              "%s: Checkpoint min_consumer version %d above current version %d: "
                              "this checkpoint is too new",
                              b->index.in.name, v->min_consumer, BUNDLE_VERSION);
    for (int64_t i = 0; i < v->bad_consumers.n; i++)
        if (v->bad_consumers.v[i] == BUNDLE_VERSION)
            return status_invalid(st,
                                  "%s: Checkpoint disallows consumer version %d: it was made "
                                  "by a version with a known problem",
                                  b->index.in.name, BUNDLE_VERSION);
    return true;
}

static bool read_header(struct bundle *b, struct status *st)
{
    struct arena a = {0};
    struct pb_bundle_header_proto *h = NULL;
    bool ok = table_seek(&b->cursor, &b->index, str_of(""), st);
    if (ok && (!b->cursor.valid || b->cursor.key.n > 0))
        ok = status_fail(st, STATUS_DATA_LOSS,
                         "%s: no header of a checkpoint (the empty key must come first)",
                         b->index.in.name);
    ok = ok &&
         pb_bundle_header_proto_decode(&a, b->cursor.value.p, b->cursor.value.n, PB_BORROW, &h, st);
    if (!ok && st->code == STATUS_INVALID_ARGUMENT) {
        st->code = STATUS_DATA_LOSS;
        status_prepend(st, "%s: ", b->index.in.name);
    }
    if (ok && h->endianness != 0)
        ok = status_unimplemented(st, "%s: written on a machine of the other byte order",
                                  b->index.in.name);
    if (ok && h->num_shards < 0)
        ok = status_fail(st, STATUS_DATA_LOSS, "%s: %d shards", b->index.in.name, h->num_shards);
    ok = ok && check_version(b, h->version, st);
    b->num_shards = ok ? h->num_shards : 0;
    arena_release(&a);
    return ok;
}

bool bundle_open_input(struct bundle *b, struct input *index, struct status *st)
{
    *b = (struct bundle){.prefix = mem_strdup(index->name)};
    size_t n = strlen(b->prefix);
    if (n > 6 && strcmp(b->prefix + n - 6, ".index") == 0)
        b->prefix[n - 6] = '\0';
    if (table_open(&b->index, index, st) && read_header(b, st))
        return true;
    bundle_close(b);
    return false;
}

bool bundle_open(struct bundle *b, const char *prefix, struct pool *pool, struct status *st)
{
    struct input in;
    char *path = bundle_index_path(prefix);
    *b = (struct bundle){0};
    bool ok = input_open(&in, path, st) && bundle_open_input(b, &in, st);
    mem_free(path);
    b->pool = pool;
    return ok;
}

static void close_data(struct bundle *b)
{
    if (b->data)
        input_close(b->data);
    mem_free(b->data);
    b->data = NULL;
}

void bundle_close(struct bundle *b)
{
    table_cursor_release(&b->cursor);
    table_close(&b->index);
    close_data(b);
    mem_free(b->prefix);
    *b = (struct bundle){0};
}

/* --- entries --- */

static bool bad_entry(const struct bundle *b, struct str key, const char *what, struct status *st)
{
    return status_fail(st, STATUS_DATA_LOSS, "%s: the entry of %.*s: %s", b->index.in.name,
                       NAME_ARG(key), what);
}

static bool entry_shape(const struct bundle *b, struct str key, struct bundle_entry *e,
                        struct status *st)
{
    int64_t dims[SHAPE_MAX_RANK];
    const struct pb_tensor_shape_proto *p = e->p->shape;
    int64_t rank = p ? p->dim.n : 0;
    struct status bad = {0};
    if (rank > SHAPE_MAX_RANK || (p && p->unknown_rank))
        return bad_entry(b, key, "no shape of a tensor", st);
    for (int64_t i = 0; i < rank; i++) {
        dims[i] = p->dim.v[i]->size;
        if (dims[i] < 0)
            return bad_entry(b, key, "a negative dim", st);
    }
    e->shape = shape_make(dims, (int)rank);
    if (shape_num_elems(&e->shape, &e->num_elems, &bad))
        return true;
    status_clear(&bad);
    shape_clear(&e->shape);
    return bad_entry(b, key, "too many elements", st);
}

/* What can be known to be wrong without looking into the data. */
static bool entry_check(const struct bundle *b, struct str key, const struct bundle_entry *e,
                        struct status *st)
{
    const struct pb_bundle_entry_proto *p = e->p;
    int64_t want;
    if (!dtype_valid(p->dtype) || dtype_is_ref(p->dtype) || p->dtype == DT_RESOURCE)
        return bad_entry(b, key, "no type of a saved tensor", st);
    if (p->slices.n > 0)
        return true;
    if (p->shard_id < 0 || p->shard_id >= b->num_shards)
        return bad_entry(b, key, "a shard that is not there", st);
    if (p->offset < 0 || p->size < 0)
        return bad_entry(b, key, "a negative place", st);
    if (dtype_is_managed(p->dtype)) /* a byte for each at least */
        return e->num_elems <= p->size || bad_entry(b, key, "more elements than bytes", st);
    if (size_mul(e->num_elems, (int64_t)dtype_size(p->dtype), &want) && want == p->size)
        return true;
    return status_fail(st, STATUS_DATA_LOSS,
                       "%s: Invalid size in bundle entry: key %.*s; stored size %lld; expected "
                       "size %lld elements of %s",
                       b->index.in.name, NAME_ARG(key), (long long)p->size, (long long)e->num_elems,
                       dtype_name(p->dtype));
}

static bool entry_decode(const struct bundle *b, struct str key, struct str value,
                         struct bundle_entry *e, struct status *st)
{
    struct status bad = {0};
    *e = (struct bundle_entry){0};
    if (!pb_bundle_entry_proto_decode(&e->arena, value.p, value.n, 0, &e->p, &bad)) {
        bad_entry(b, key, status_message(&bad), st);
        status_clear(&bad);
        arena_release(&e->arena);
        return false;
    }
    e->crc = crc32c_unmask(e->p->crc32c);
    if (entry_shape(b, key, e, st) && entry_check(b, key, e, st))
        return true;
    bundle_entry_release(e);
    return false;
}

void bundle_entry_release(struct bundle_entry *e)
{
    shape_clear(&e->shape);
    arena_release(&e->arena);
    *e = (struct bundle_entry){0};
}

bool bundle_find(struct bundle *b, struct str key, struct bundle_entry *e, bool *found,
                 struct status *st)
{
    *found = false;
    if (key.n == 0)
        return true;
    if (!table_seek(&b->cursor, &b->index, key, st))
        return false;
    if (!b->cursor.valid || !str_eq(b->cursor.key, key))
        return true;
    *found = entry_decode(b, key, b->cursor.value, e, st);
    return *found;
}

bool bundle_first(struct bundle *b, struct status *st)
{
    return table_seek(&b->cursor, &b->index, str_of(""), st);
}

bool bundle_next(struct bundle *b, struct strbuf *key, struct bundle_entry *e, bool *more,
                 struct status *st)
{
    struct table_cursor *c = &b->cursor;
    *more = false;
    while (c->valid && (c->key.n == 0 || bundle_key_is_slice(c->key)))
        if (!table_next(c, st))
            return false;
    if (!c->valid)
        return true;
    strbuf_clear(key);
    strbuf_add(key, c->key.p, c->key.n);
    if (!entry_decode(b, c->key, c->value, e, st))
        return false;
    *more = table_next(c, st);
    if (!*more)
        bundle_entry_release(e);
    return *more;
}

/* --- tensors --- */

static bool open_shard(struct bundle *b, int shard, struct status *st)
{
    if (b->data && b->data_shard == shard)
        return true;
    close_data(b);
    struct input *in = mem_new(struct input);
    char *path = bundle_data_path(b->prefix, shard, b->num_shards);
    bool ok = input_open(in, path, st);
    mem_free(path);
    if (!ok) {
        mem_free(in);
        return false;
    }
    b->data = in;
    b->data_shard = shard;
    return true;
}

/* Where e's bytes are; they are in the file. */
static bool find_place(struct bundle *b, struct str name, const struct bundle_entry *e,
                       struct bundle_place *place, struct status *st)
{
    if (!open_shard(b, e->p->shard_id, st))
        return false;
    if (e->p->offset > b->data->size || e->p->size > b->data->size - e->p->offset)
        return status_fail(st, STATUS_DATA_LOSS,
                           "%s: tensor %.*s should be %lld bytes at offset %lld, but the file "
                           "ends at %lld",
                           b->data->name, NAME_ARG(name), (long long)e->p->size,
                           (long long)e->p->offset, (long long)b->data->size);
    *place = (struct bundle_place){.in = b->data,
                                   .at = e->p->offset,
                                   .n = e->p->size,
                                   .name = name,
                                   .crc = e->crc,
                                   .pool = b->pool};
    return true;
}

static bool read_whole(struct bundle *b, struct str name, const struct bundle_entry *e,
                       struct tensor *out, struct status *st)
{
    struct bundle_place place;
    struct tensor t;
    if (!find_place(b, name, e, &place, st) || !tensor_new(&t, e->p->dtype, &e->shape, st))
        return false;
    if (!bundle_read_elems(&place, t.dtype, t.data, t.num_elems, st)) {
        tensor_clear(&t);
        return false;
    }
    *out = t;
    return true;
}

/* --- tensors in slices --- */

struct assembly {
    struct bundle *b;
    struct str name;
    const struct bundle_entry *e;
    const struct slice *want; /* resolved */
    struct tensor *out;       /* NULL in the pass that only looks */
    int64_t covered;          /* elements of want that the slices have */
};

/* Whether the part's elements are one run among those of `in`. */
static bool is_run(const struct slice *part, const struct slice *in)
{
    int i = 0;
    while (i < in->rank && part->len[i] == 1)
        i++;
    for (i++; i < in->rank; i++)
        if (part->start[i] != in->start[i] || part->len[i] != in->len[i])
            return false;
    return true;
}

static int64_t run_begin(const struct slice *part, const struct slice *in)
{
    int64_t at = 0;
    for (int i = 0; i < in->rank; i++)
        at = at * in->len[i] + part->start[i] - in->start[i];
    return at;
}

/* Reads slice `has`, whose entry is e, into the place that it has in the output. */
static bool read_part(struct assembly *a, const struct slice *has, const struct slice *both,
                      const struct bundle_entry *e, struct status *st)
{
    struct bundle_place place;
    struct tensor t;
    int dtype = a->out->dtype;
    if (!find_place(a->b, a->name, e, &place, st))
        return false;
    if (slice_num_elems(both) == e->num_elems && is_run(both, a->want)) {
        char *to = (char *)a->out->data + (size_t)run_begin(both, a->want) * dtype_size(dtype);
        return bundle_read_elems(&place, dtype, to, e->num_elems, st);
    }
    if (!read_whole(a->b, a->name, e, &t, st))
        return false;
    bool ok = slice_copy(dtype, a->out->data, a->want, t.data, has) ||
              status_exhausted(st, "no memory for strings");
    tensor_clear(&t);
    return ok;
}

/* One of the slices that the entry lists: counted, or read. */
static bool take_slice(struct assembly *a, const struct pb_tensor_slice_proto *p, struct status *st)
{
    struct slice listed, has, both;
    struct strbuf key = {0};
    struct bundle_entry e;
    struct bundle_place place;
    struct shape shape;
    bool found;
    if (!slice_from_proto(p, &listed, st))
        return false;
    if (!slice_resolve(&listed, &a->e->shape, &has))
        return bad_entry(a->b, a->name, "a slice outside of its shape", st);
    if (!slice_intersect(&has, a->want, &both))
        return true;
    slice_key(a->name, &listed, &key);
    bool ok = bundle_find(a->b, str_make(key.p, key.n), &e, &found, st);
    strbuf_release(&key);
    if (!ok)
        return false;
    if (!found)
        return bad_entry(a->b, a->name, "a slice that is not there", st);
    shape = slice_shape(&has);
    if (e.p->slices.n > 0 || e.p->dtype != a->e->p->dtype || !shape_equal(&e.shape, &shape))
        ok = bad_entry(a->b, a->name, "a slice of another type or shape", st);
    shape_clear(&shape);
    if (ok && a->out)
        ok = read_part(a, &has, &both, &e, st);
    else if (ok)
        ok = find_place(a->b, a->name, &e, &place, st);
    a->covered += slice_num_elems(&both);
    bundle_entry_release(&e);
    return ok;
}

static bool take_slices(struct assembly *a, struct status *st)
{
    int64_t elems = slice_num_elems(a->want);
    a->covered = 0;
    for (int64_t i = 0; i < a->e->p->slices.n && a->covered <= elems; i++)
        if (!take_slice(a, a->e->p->slices.v[i], st))
            return false;
    return true;
}

static bool read_slices(struct bundle *b, struct str name, const struct bundle_entry *e,
                        const struct slice *want, struct tensor *out, struct status *st)
{
    struct assembly a = {.b = b, .name = name, .e = e, .want = want};
    struct tensor t;
    if (!take_slices(&a, st))
        return false;
    if (a.covered != slice_num_elems(want)) {
        struct strbuf text = {0};
        slice_print(want, &text);
        status_invalid(st,
                       "Does not have sufficient slices for partitioned tensor %.*s to restore in "
                       "slice_spec: %s",
                       NAME_ARG(name), strbuf_text(&text));
        strbuf_release(&text);
        return false;
    }
    struct shape shape = slice_shape(want);
    bool ok = tensor_new(&t, e->p->dtype, &shape, st);
    shape_clear(&shape);
    if (!ok)
        return false;
    a.out = &t;
    if (!take_slices(&a, st)) {
        tensor_clear(&t);
        return false;
    }
    *out = t;
    return true;
}

bool bundle_read(struct bundle *b, struct str name, const struct bundle_entry *e,
                 const struct slice *want, struct tensor *out, struct status *st)
{
    bool in_slices = e->p->slices.n > 0;
    if (!in_slices && (!want || slice_is_whole(want)))
        return read_whole(b, name, e, out, st);
    if (e->shape.rank > SLICE_MAX_RANK)
        return status_unimplemented(st, "Slices of more than %d dims: %.*s", SLICE_MAX_RANK,
                                    NAME_ARG(name));
    struct slice all = slice_whole(e->shape.rank), part;
    if (!slice_resolve(want ? want : &all, &e->shape, &part))
        return status_invalid(st, "The slice to restore of %.*s leaves its shape", NAME_ARG(name));
    if (in_slices)
        return read_slices(b, name, e, &part, out, st);
    struct tensor whole, t;
    struct slice has;
    if (!slice_resolve(&all, &e->shape, &has) || !read_whole(b, name, e, &whole, st))
        return false;
    struct shape shape = slice_shape(&part);
    bool ok = tensor_new(&t, whole.dtype, &shape, st);
    shape_clear(&shape);
    if (ok && !slice_copy(whole.dtype, t.data, &part, whole.data, &has)) {
        tensor_clear(&t);
        ok = status_exhausted(st, "no memory for strings");
    }
    tensor_clear(&whole);
    if (ok)
        *out = t;
    return ok;
}
