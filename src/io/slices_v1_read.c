/* SPDX-License-Identifier: Apache-2.0 */
/* Reading V1 checkpoints. */
#include "base/mem.h"
#include "io/slices_v1.h"
#include "proto/leat_proto.h"

#define NAME_ARG(s) (int)min_i64((int64_t)(s).n, 200), (s).p ? (s).p : ""

static bool bad_file(const struct input *in, const char *what, struct status *st)
{
    return status_fail(st, STATUS_DATA_LOSS, "%s: %s", in->name, what);
}

/* --- the list of tensors --- */

static bool meta_shape(const struct input *in, const struct pb_tensor_shape_proto *p,
                       struct shape *out, struct status *st)
{
    int64_t dims[SHAPE_MAX_RANK], num;
    int64_t rank = p ? p->dim.n : 0;
    struct status bad = {0};
    if (rank > SHAPE_MAX_RANK || (p && p->unknown_rank))
        return bad_file(in, "a tensor without a shape", st);
    for (int64_t i = 0; i < rank; i++)
        dims[i] = p->dim.v[i]->size;
    *out = shape_make(dims, (int)rank);
    if (shape_num_elems(out, &num, &bad))
        return true;
    shape_clear(out);
    status_clear(&bad);
    return bad_file(in, "a tensor of an impossible shape", st);
}

static void tensor_free(struct v1_tensor *t)
{
    shape_clear(&t->shape);
    mem_free(t->slices);
    mem_free(t);
}

static bool add_slice(const struct input *in, struct v1_tensor *t, int64_t file,
                      const struct pb_tensor_slice_proto *p, struct status *st)
{
    struct v1_slice s = {.file = file};
    if (!slice_from_proto(p, &s.listed, st))
        return false;
    if (!slice_resolve(&s.listed, &t->shape, &s.slice))
        return bad_file(in, "a slice that leaves its tensor", st);
    t->slices = vec_reserve(t->slices, &t->cap_slices, t->num_slices + 1, sizeof *t->slices);
    t->slices[t->num_slices++] = s;
    return true;
}

/* A tensor of one file, which other files may have slices of too. */
static bool add_tensor(struct v1_reader *r, int64_t file, const struct pb_saved_slice_meta *m,
                       struct status *st)
{
    const struct input *in = &r->files[file].in;
    struct shape shape;
    if (memchr(m->name.p ? m->name.p : "", 0, m->name.n))
        return bad_file(in, "the name of a tensor has a zero byte", st);
    if (!v1_has_type(m->type))
        return status_unimplemented(st, "%s: tensor %.*s is of type %d, which V1 has not", in->name,
                                    NAME_ARG(m->name), (int)m->type);
    if (!meta_shape(in, m->shape, &shape, st))
        return false;
    struct v1_tensor *t = strmap_find_n(&r->tensors, m->name.p, m->name.n);
    bool ok = true;
    if (!t) {
        t = mem_new(struct v1_tensor);
        *t = (struct v1_tensor){.dtype = m->type, .shape = shape_copy(&shape)};
        strmap_put_n(&r->tensors, m->name.p, m->name.n, t);
    } else if (t->dtype != m->type || !shape_equal(&t->shape, &shape)) {
        ok = status_internal(st, "%s: Mismatching types or shapes of tensor %.*s in several files",
                             in->name, NAME_ARG(m->name));
    }
    shape_clear(&shape);
    for (int64_t i = 0; ok && i < m->slice.n; i++)
        ok = add_slice(in, t, file, m->slice.v[i], st);
    return ok;
}

static bool check_version(const struct input *in, const struct pb_version_def *v, struct status *st)
{
    enum { VERSION = 1 };
    if (v && v->min_consumer > VERSION)
        return status_invalid(st,
                              "%s: Checkpoint min_consumer version %d above current version %d: "
                              "this checkpoint is too new",
                              in->name, v->min_consumer, VERSION);
    for (int64_t i = 0; v && i < v->bad_consumers.n; i++)
        if (v->bad_consumers.v[i] == VERSION)
            return status_invalid(st, "%s: Checkpoint disallows consumer version %d", in->name,
                                  VERSION);
    return true;
}

static bool read_meta(struct v1_reader *r, int64_t file, struct status *st)
{
    struct table_cursor c = {0};
    struct arena a = {0};
    struct pb_saved_tensor_slices *s = NULL;
    struct table *t = &r->files[file];
    bool ok = table_seek(&c, t, str_of(""), st);
    if (ok && (!c.valid || c.key.n > 0))
        ok = bad_file(&t->in, "no list of tensors (the empty key must come first)", st);
    if (ok && !pb_saved_tensor_slices_decode(&a, c.value.p, c.value.n, PB_BORROW, &s, st)) {
        st->code = STATUS_DATA_LOSS;
        status_prepend(st, "%s: ", t->in.name);
        ok = false;
    }
    const struct pb_saved_tensor_slice_meta *meta = ok ? s->meta : NULL;
    ok = ok && check_version(&t->in, meta ? meta->versions : NULL, st);
    for (int64_t i = 0; ok && meta && i < meta->tensor.n; i++)
        ok = add_tensor(r, file, meta->tensor.v[i], st);
    arena_release(&a);
    table_cursor_release(&c);
    return ok;
}

/* --- opening --- */

/* Takes *in as file number r->num_files, for which there is room. */
static bool add_file(struct v1_reader *r, struct input *in, struct status *st)
{
    char *name = mem_strdup(in->name);
    bool ok = table_open(&r->files[r->num_files], in, st);
    if (!ok && st->code == STATUS_DATA_LOSS)
        status_prepend(st,
                       "Unable to open table file %s (perhaps your file is in a different file "
                       "format and you need to use a different restore operator?): ",
                       name);
    mem_free(name);
    return ok && read_meta(r, r->num_files++, st);
}

bool v1_open_input(struct v1_reader *r, struct input *in, struct status *st)
{
    *r = (struct v1_reader){.pattern = mem_strdup(in->name),
                            .files = mem_new_array(struct table, 1)};
    if (add_file(r, in, st))
        return true;
    v1_close(r);
    return false;
}

bool v1_open(struct v1_reader *r, const char *pattern, struct status *st)
{
    struct path_list paths;
    *r = (struct v1_reader){0};
    if (!path_glob(pattern, &paths, st))
        return false;
    if (paths.n == 0)
        return status_not_found(st,
                                "Unsuccessful TensorSliceReader constructor: Failed to find any "
                                "matching files for %s",
                                pattern);
    r->pattern = mem_strdup(pattern);
    r->files = mem_new_array(struct table, paths.n);
    bool ok = true;
    for (int64_t i = 0; ok && i < paths.n; i++) {
        struct input in;
        ok = input_open(&in, paths.v[i], st) && add_file(r, &in, st);
    }
    path_list_release(&paths);
    if (!ok)
        v1_close(r);
    return ok;
}

void v1_close(struct v1_reader *r)
{
    const char *name;
    void *t;
    for (int64_t i = 0; i < r->num_files; i++)
        table_close(&r->files[i]);
    for (int64_t i = 0; strmap_next(&r->tensors, &i, &name, &t);)
        tensor_free(t);
    strmap_release(&r->tensors);
    mem_free(r->files);
    mem_free(r->pattern);
    *r = (struct v1_reader){0};
}

const struct v1_tensor *v1_find(const struct v1_reader *r, struct str name)
{
    return strmap_find_n(&r->tensors, name.p, name.n);
}

/* --- values --- */

struct part { /* one slice as it lies in its file; release it */
    struct table_cursor cursor;
    struct arena arena;
    const struct pb_tensor_proto *values;
};

static void part_release(struct part *p)
{
    arena_release(&p->arena);
    table_cursor_release(&p->cursor);
}

static bool part_read(struct v1_reader *r, struct str name, const struct v1_slice *s,
                      struct part *p, struct status *st)
{
    struct table *t = &r->files[s->file];
    struct pb_saved_tensor_slices *m = NULL;
    struct strbuf key = {0};
    *p = (struct part){0};
    slice_key(name, &s->listed, &key);
    bool ok = table_seek(&p->cursor, t, str_make(key.p, key.n), st);
    if (ok && (!p->cursor.valid || !str_eq(p->cursor.key, str_make(key.p, key.n))))
        ok = status_fail(st, STATUS_DATA_LOSS, "%s: a slice of %.*s is listed and not there",
                         t->in.name, NAME_ARG(name));
    strbuf_release(&key);
    if (ok && !pb_saved_tensor_slices_decode(&p->arena, p->cursor.value.p, p->cursor.value.n,
                                             PB_BORROW, &m, st)) {
        st->code = STATUS_DATA_LOSS;
        status_prepend(st, "%s: a slice of %.*s: ", t->in.name, NAME_ARG(name));
        ok = false;
    }
    if (ok && (!m->data || !m->data->data))
        ok = status_fail(st, STATUS_DATA_LOSS, "%s: a slice of %.*s has no values", t->in.name,
                         NAME_ARG(name));
    if (ok)
        p->values = m->data->data;
    else
        part_release(p);
    return ok;
}

/* Reads slice s; what `to` (whose elements are those of want) lacks of it is set. */
static bool take_part(struct v1_reader *r, struct str name, const struct v1_tensor *t,
                      const struct v1_slice *s, const struct slice *want, struct tensor *to,
                      struct status *st)
{
    struct part p;
    struct tensor whole;
    if (!part_read(r, name, s, &p, st))
        return false;
    struct shape shape = slice_shape(&s->slice);
    bool ok = tensor_new(&whole, t->dtype, &shape, st);
    shape_clear(&shape);
    if (ok) {
        ok = (v1_values_in(p.values, t->dtype, whole.data, whole.num_elems) ||
              status_fail(st, STATUS_DATA_LOSS, "%s: a slice of %.*s has too few values",
                          r->files[s->file].in.name, NAME_ARG(name))) &&
             (slice_copy(t->dtype, to->data, want, whole.data, &s->slice) ||
              status_exhausted(st, "no memory for strings"));
        tensor_clear(&whole);
    }
    part_release(&p);
    return ok;
}

/* Whether the slices have each element of want once. Their values are in the files: elements of
 * the result are no more than the files' bytes say. */
static bool covers(struct v1_reader *r, const struct v1_tensor *t, const struct slice *want)
{
    int64_t covered = 0, elems = slice_num_elems(want), bytes = 0;
    struct slice both;
    for (int64_t i = 0; i < r->num_files; i++)
        bytes += r->files[i].in.size;
    for (int64_t i = 0; i < t->num_slices && covered <= elems; i++)
        if (slice_intersect(&t->slices[i].slice, want, &both))
            covered += slice_num_elems(&both);
    enum { MOST_ELEMS_A_BYTE = 64 }; /* Snappy may have packed them */
    return covered == elems && elems / MOST_ELEMS_A_BYTE <= bytes;
}

bool v1_read(struct v1_reader *r, struct str name, const struct v1_tensor *t,
             const struct slice *want, struct tensor *out, struct status *st)
{
    struct tensor made;
    struct slice both;
    if (!covers(r, t, want))
        return status_invalid(st, "Error copying slice data: %s has not all of tensor %.*s",
                              r->pattern, NAME_ARG(name));
    struct shape shape = slice_shape(want);
    bool ok = tensor_new(&made, t->dtype, &shape, st);
    shape_clear(&shape);
    if (!ok)
        return false;
    for (int64_t i = 0; ok && i < t->num_slices; i++)
        if (slice_intersect(&t->slices[i].slice, want, &both))
            ok = take_part(r, name, t, &t->slices[i], want, &made, st);
    if (ok)
        *out = made;
    else
        tensor_clear(&made);
    return ok;
}
