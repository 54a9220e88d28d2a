/* SPDX-License-Identifier: Apache-2.0 */
/* Messages read from the network's pieces.
 *
 * A TensorProto is scanned twice: once for its type and shape and for the form of its elements,
 * then, where that is tensor_content or a full list of strings, for the elements themselves, which
 * go straight into the new tensor. Any other form is gathered for the codec. Before memory is
 * taken, what the shape asks for is held against what a message may bring. */
#include "dist/wire.h"
#include "dist/wire_cursor.h"
#include "op/tensor_proto.h"

struct reader {
    struct arena *arena;
    uint64_t budget; /* bytes that further tensors may take */
    struct wire_values *values;
    struct status *st;
};

struct scan { /* of a TensorProto */
    uint64_t dtype;
    struct shape shape;
    struct cursor content;
    bool has_content, has_strings, has_others;
    int64_t num_strings;
    uint64_t last_string; /* bytes */
};

static bool malformed(struct status *st, const char *what)
{
    return status_invalid(st, "Cannot parse the bytes of a message from the network: %s", what);
}

void wire_values_clear(struct wire_values *v)
{
    for (int64_t i = 0; i < v->n; i++)
        tensor_clear(&v->v[i].value);
    mem_free(v->v);
    *v = (struct wire_values){0};
}

static bool tensor_fits(struct reader *r, uint64_t bytes)
{
    if (bytes > r->budget)
        return status_exhausted(r->st,
                                "Tensors in one message would take more than %lld bytes, which is "
                                "all that a message may bring",
                                (long long)RPC_HARD_MAX);
    r->budget -= bytes;
    return true;
}

/* --- shapes --- */

static bool read_shape(struct cursor c, struct strbuf *shape, struct status *st)
{
    const uint8_t *p;
    size_t n;
    if (c.left > 1 << 16)
        return malformed(st, "a shape is too long");
    while ((n = cursor_run(&c, c.left, &p)) > 0)
        strbuf_add(shape, p, n);
    return true;
}

/* Occurrences of a message field merge, as if their bytes stood one after another. */
static bool decode_shape(const struct strbuf *bytes, struct shape *out, struct status *st)
{
    struct arena a = {0};
    struct pb_tensor_shape_proto *p;
    bool ok = pb_tensor_shape_proto_decode(&a, strbuf_text(bytes), bytes->n, PB_BORROW, &p, st) &&
              shape_from_proto(p, out, st);
    arena_release(&a);
    if (ok && !shape_known(out)) {
        shape_clear(out);
        return malformed(st, "a tensor's shape is not fully known");
    }
    return ok;
}

/* --- a tensor's fields --- */

static bool scan_field(struct scan *s, const struct wire_field *f, struct strbuf *shape,
                       struct status *st)
{
    if (f->number == 1 && f->type == 0) {
        s->dtype = f->value;
    } else if (f->number == 2 && f->type == 2) {
        return read_shape(f->inside, shape, st);
    } else if (f->number == 4 && f->type == 2) {
        s->content = f->inside;
        s->has_content = f->inside.left > 0;
    } else if (f->number == 8 && f->type == 2) {
        s->has_strings = true;
        s->num_strings++;
        s->last_string = f->inside.left;
    } else if (f->number >= 5 && f->number <= 17) {
        s->has_others = true;
    }
    return true;
}

static bool scan_tensor(struct cursor c, struct scan *s, struct status *st)
{
    struct strbuf shape = {0};
    struct wire_field f;
    bool ok = true;
    while (ok && c.left > 0)
        ok = cursor_field(&c, &f) ? scan_field(s, &f, &shape, st) : malformed(st, "a tensor");
    ok = ok && decode_shape(&shape, &s->shape, st);
    strbuf_release(&shape);
    if (!ok)
        return false;
    if (s->dtype > INT32_MAX || !dtype_valid((int)s->dtype) || dtype_is_ref((int)s->dtype)) {
        shape_clear(&s->shape);
        return status_invalid(st, "Cannot parse tensor from proto: its dtype is %lld",
                              (long long)s->dtype);
    }
    return true;
}

/* --- its elements --- */

static bool fill_content(struct scan *s, struct tensor *t, struct status *st)
{
    if (s->content.left != tensor_bytes(t))
        return status_invalid(
            st, "Cannot parse tensor from proto: %lld elements of %s are %zu bytes, there are %lld",
            (long long)t->num_elems, dtype_name(t->dtype), tensor_bytes(t),
            (long long)s->content.left);
    if (!cursor_read(&s->content, t->data, s->content.left))
        return malformed(st, "a tensor's content");
    for (int64_t i = 0; t->dtype == DT_BOOL && i < t->num_elems; i++)
        ((uint8_t *)t->data)[i] = ((uint8_t *)t->data)[i] != 0;
    return true;
}

static bool fill_strings(struct cursor c, struct tensor *t, struct status *st)
{
    struct wire_field f;
    for (int64_t i = 0; c.left > 0 && i < t->num_elems;) {
        if (!cursor_field(&c, &f))
            return malformed(st, "a tensor's strings");
        if (f.number != 8 || f.type != 2)
            continue;
        size_t n = (size_t)f.inside.left;
        char *to = tstr_resize(&tensor_str(t)[i++], n);
        if (!to)
            return status_exhausted(st, "No memory for a string of %zu bytes", n);
        if (!cursor_read(&f.inside, to, n))
            return malformed(st, "a tensor's string");
    }
    return true;
}

/* Any form, by way of the codec. */
static bool read_other(struct reader *r, struct cursor c, const struct scan *s, int64_t elems,
                       struct tensor *out)
{
    if (s->has_strings && elems > s->num_strings &&
        s->last_string > RPC_HARD_MAX / (uint64_t)(elems - s->num_strings))
        return tensor_fits(r, UINT64_MAX); /* the last one repeats */
    const size_t n = (size_t)c.left;
    char *flat = mem_try(n, "a tensor's message", r->st);
    if (!flat)
        return false;
    struct arena a = {0};
    struct pb_tensor_proto *p;
    bool ok = cursor_read(&c, flat, n) ? pb_tensor_proto_decode(&a, flat, n, PB_BORROW, &p, r->st)
                                       : malformed(r->st, "a tensor");
    ok = ok && tensor_from_proto(p, out, r->st);
    arena_release(&a);
    mem_free(flat);
    return ok;
}

static bool read_scanned(struct reader *r, struct cursor c, struct scan *s, struct tensor *out)
{
    int64_t elems, bytes;
    const int dtype = (int)s->dtype;
    if (!shape_num_elems(&s->shape, &elems, r->st))
        return false;
    if (!size_mul(elems, (int64_t)dtype_size(dtype), &bytes))
        bytes = INT64_MAX;
    if (!tensor_fits(r, (uint64_t)bytes))
        return false;
    const bool content = s->has_content && !dtype_is_managed(dtype) && elems > 0;
    const bool strings = dtype == DT_STRING && !s->has_content && s->num_strings >= elems;
    if (!content && !strings && elems > 0)
        return read_other(r, c, s, elems, out);
    struct tensor t;
    if (!tensor_new(&t, dtype, &s->shape, r->st))
        return false;
    if ((content && !fill_content(s, &t, r->st)) || (strings && !fill_strings(c, &t, r->st))) {
        tensor_clear(&t);
        return false;
    }
    *out = t;
    return true;
}

static bool read_tensor(struct reader *r, struct cursor c, struct tensor *out)
{
    struct scan s = {0};
    if (!scan_tensor(c, &s, r->st))
        return false;
    bool ok = read_scanned(r, c, &s, out);
    shape_clear(&s.shape);
    return ok;
}

/* --- values and the message around them --- */

static bool read_name(struct reader *r, struct cursor c, struct str *out)
{
    if (c.left > 1 << 20)
        return malformed(r->st, "a tensor's name is too long");
    const size_t n = (size_t)c.left;
    char *p = arena_alloc(r->arena, n + 1);
    *out = str_make(p, n);
    return cursor_read(&c, p, n);
}

static bool read_named(struct reader *r, struct cursor c, struct wire_value *v)
{
    struct wire_field f;
    struct cursor tensor;
    int num_tensors = 0;
    while (c.left > 0) {
        if (!cursor_field(&c, &f))
            return malformed(r->st, "a named tensor");
        if (f.number == 1 && f.type == 2 && !read_name(r, f.inside, &v->name))
            return false;
        if (f.number == 2 && f.type == 2) {
            tensor = f.inside;
            num_tensors++;
        }
    }
    if (num_tensors != 1)
        return malformed(r->st, "a named tensor has not one value");
    return read_tensor(r, tensor, &v->value);
}

static bool read_value(struct reader *r, struct cursor c, bool named)
{
    struct wire_value v = {0};
    if (named ? !read_named(r, c, &v) : !read_tensor(r, c, &v.value))
        return false;
    struct wire_values *all = r->values;
    all->v = vec_reserve(all->v, &all->cap, all->n + 1, sizeof *all->v);
    all->v[all->n++] = v;
    return true;
}

/* Fields that hold tensors are read, the bytes of others are appended to rest. */
static bool read_fields(struct reader *r, const struct rpc_msg *m, const struct wire_tensors *where,
                        struct strbuf *rest)
{
    struct cursor c = cursor_of(m);
    struct wire_field f;
    const uint8_t *p;
    size_t n;
    while (c.left > 0) {
        struct cursor begin = c;
        if (!cursor_field(&c, &f))
            return malformed(r->st, "its fields");
        if (where && f.type == 2 && f.number == where->number) {
            if (!read_value(r, f.inside, where->named))
                return false;
            continue;
        }
        begin.left -= c.left;
        while ((n = cursor_run(&begin, begin.left, &p)) > 0)
            strbuf_add(rest, p, n);
    }
    return true;
}

bool wire_read(const struct rpc_msg *m, const struct pb_desc *desc,
               const struct wire_tensors *where, struct arena *a, void *out,
               struct wire_values *values, struct status *st)
{
    ASSERT(!values || values->n == 0);
    struct reader r = {.arena = a, .budget = RPC_HARD_MAX, .values = values, .st = st};
    struct strbuf rest = {0};
    void *message = NULL;
    bool ok = read_fields(&r, m, where, &rest) &&
              pb_decode(a, desc, strbuf_text(&rest), rest.n, 0, &message, st);
    strbuf_release(&rest);
    if (!ok && values)
        wire_values_clear(values);
    memcpy(out, &message, sizeof message);
    return ok;
}
