/* SPDX-License-Identifier: Apache-2.0 */
/* Writing V1 checkpoints. The slices are noted first and put into the order of their keys; then one
 * after the other becomes a message. */
#include "base/mem.h"
#include "io/slices_v1.h"
#include "proto/leat_proto.h"

enum { BYTES_AROUND = 256, MAX_VARINT_OF_INT = 10 };
#define MAX_MESSAGE_BYTES ((int64_t)1 << 31)

void v1_writer_init(struct v1_writer *w)
{
    *w = (struct v1_writer){0};
    w->meta = pb_saved_tensor_slice_meta_new(&w->arena);
    w->meta->versions = pb_version_def_new(&w->arena);
    w->meta->versions->producer = 1;
}

void v1_writer_release(struct v1_writer *w)
{
    for (int64_t i = 0; i < w->num_parts; i++)
        tensor_clear(&w->parts[i].value);
    mem_free(w->parts);
    strmap_release(&w->known);
    arena_release(&w->arena);
    *w = (struct v1_writer){0};
}

static char *dims_text(const struct pb_tensor_shape_proto *p)
{
    struct strbuf text = {0};
    strbuf_putc(&text, '[');
    for (int64_t i = 0; i < p->dim.n; i++)
        strbuf_printf(&text, "%s%lld", i > 0 ? "," : "", (long long)p->dim.v[i]->size);
    strbuf_putc(&text, ']');
    return strbuf_take(&text);
}

static struct pb_tensor_shape_proto *shape_out(struct arena *a, const struct shape *s)
{
    struct pb_tensor_shape_proto *p = pb_tensor_shape_proto_new(a);
    for (int i = 0; i < s->rank; i++)
        pb_tensor_shape_proto_dim_add(a, &p->dim)->size = shape_dim(s, i);
    return p;
}

/* The tensor of that name in the list, made when it comes first; slices of one must be of one. */
static struct pb_saved_slice_meta *meta_of(struct v1_writer *w, struct str name,
                                           const struct shape *whole, int dtype, struct status *st)
{
    struct pb_saved_slice_meta *m = strmap_find_n(&w->known, name.p, name.n);
    if (!m) {
        m = pb_saved_slice_meta_add(&w->arena, &w->meta->tensor);
        m->name = pb_str_dup(&w->arena, name);
        m->type = dtype;
        m->shape = shape_out(&w->arena, whole);
        strmap_put_n(&w->known, name.p, name.n, m);
        return m;
    }
    char *has = dims_text(m->shape);
    char *wants = dims_text(shape_out(&w->arena, whole));
    if (strcmp(has, wants) != 0) {
        status_internal(st,
                        "Mismatching shapes: existing tensor = %s, trying to add name %.*s, "
                        "shape = %s",
                        has, (int)name.n, name.p, wants);
        m = NULL;
    } else if (m->type != dtype) {
        status_internal(st,
                        "Mismatching types: existing type = %s, trying to add name %.*s, type = "
                        "%s",
                        dtype_name(m->type), (int)name.n, name.p, dtype_name(dtype));
        m = NULL;
    }
    mem_free(has);
    mem_free(wants);
    return m;
}

/* More than its message can be. */
static int64_t most_bytes(const struct tensor *t)
{
    int64_t n;
    size_t a_value =
        dtype_size(t->dtype) > MAX_VARINT_OF_INT ? dtype_size(t->dtype) : MAX_VARINT_OF_INT;
    if (t->dtype == DT_FLOAT || t->dtype == DT_DOUBLE || t->dtype == DT_BOOL)
        a_value = dtype_size(t->dtype);
    if (!size_mul(t->num_elems, (int64_t)a_value, &n))
        return INT64_MAX;
    for (int64_t i = 0; t->dtype == DT_STRING && i < t->num_elems; i++)
        n += (int64_t)tstr_len(&tensor_str(t)[i]);
    return n;
}

bool v1_add(struct v1_writer *w, struct str name, const struct shape *whole,
            const struct slice *slice, const struct tensor *t, struct status *st)
{
    if (!v1_has_type(t->dtype))
        return status_unimplemented(st, "Saving data type %s not yet supported",
                                    dtype_name(t->dtype));
    if (memchr(name.p, 0, name.n))
        return status_invalid(st, "The name of a saved tensor has a zero byte");
    int64_t bytes = most_bytes(t);
    if (bytes > MAX_MESSAGE_BYTES - BYTES_AROUND - (int64_t)name.n)
        return status_invalid(st,
                              "Tensor slice is too large to serialize (conservative estimate: "
                              "%lld bytes)",
                              (long long)bytes);
    struct pb_saved_slice_meta *m = meta_of(w, name, whole, t->dtype, st);
    if (!m)
        return false;
    *pb_tensor_slice_proto_add(&w->arena, &m->slice) = *slice_to_proto(&w->arena, slice);
    struct strbuf key = {0};
    slice_key(name, slice, &key);
    w->parts = vec_reserve(w->parts, &w->cap_parts, w->num_parts + 1, sizeof *w->parts);
    w->parts[w->num_parts++] =
        (struct v1_part){.name = m->name,
                         .key = pb_str_dup(&w->arena, str_make(key.p, key.n)),
                         .slice = *slice,
                         .value = tensor_copy(t)};
    strbuf_release(&key);
    return true;
}

static int by_key(const void *a, const void *b)
{
    return str_compare(((const struct v1_part *)a)->key, ((const struct v1_part *)b)->key);
}

static bool put_message(struct table_writer *t, struct str key, const void *message,
                        struct status *st)
{
    struct strbuf bytes = {0};
    bool ok = pb_encode(message, &bytes, st) && table_add(t, key, str_make(bytes.p, bytes.n), st);
    strbuf_release(&bytes);
    return ok;
}

static bool put_part(struct table_writer *t, const struct v1_part *part, struct status *st)
{
    struct arena a = {0};
    struct pb_saved_tensor_slices *m = pb_saved_tensor_slices_new(&a);
    m->data = pb_saved_slice_new(&a);
    m->data->name = part->name;
    m->data->slice = slice_to_proto(&a, &part->slice);
    m->data->data = pb_tensor_proto_new(&a);
    v1_values_out(&a, &part->value, m->data->data);
    bool ok = put_message(t, part->key, m, st);
    arena_release(&a);
    return ok;
}

static bool put_table(struct v1_writer *w, struct output *out, struct status *st)
{
    struct table_writer t;
    struct pb_saved_tensor_slices *list = pb_saved_tensor_slices_new(&w->arena);
    list->meta = w->meta;
    table_writer_init(&t, out);
    bool ok = put_message(&t, str_of(""), list, st);
    for (int64_t i = 0; ok && i < w->num_parts; i++)
        ok = put_part(&t, &w->parts[i], st);
    ok = ok && table_finish(&t, st);
    table_writer_release(&t);
    return ok;
}

/* Of slices that come twice the last is kept. */
static void drop_doubles(struct v1_writer *w)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < w->num_parts; i++) {
        if (i + 1 < w->num_parts && str_eq(w->parts[i].key, w->parts[i + 1].key))
            tensor_clear(&w->parts[i].value);
        else
            w->parts[kept++] = w->parts[i];
    }
    w->num_parts = kept;
}

bool v1_write(struct v1_writer *w, const char *path, struct status *st)
{
    struct output out;
    if (w->num_parts > 0)
        qsort(w->parts, (size_t)w->num_parts, sizeof *w->parts, by_key);
    drop_doubles(w);
    if (!output_open(&out, path, st))
        return false;
    if (!put_table(w, &out, st)) {
        output_abandon(&out);
        return false;
    }
    return output_commit(&out, st);
}
