/* SPDX-License-Identifier: Apache-2.0 */
/* Notes: values in a row, written here and read back with distrust. */
#include "op/notes.h"

#include <string.h>

#include "base/mem.h"

/* --- writing --- */

static struct tensor *next_value(struct note *n)
{
    if (n->n == n->cap) {
        n->cap = n->cap ? n->cap * 2 : 4;
        n->values = mem_realloc(n->values, sizeof *n->values * (size_t)n->cap);
    }
    n->values[n->n] = (struct tensor){0};
    return &n->values[n->n++];
}

/* One that the client can still write to is copied. */
void note_put(struct note *n, const struct tensor *value)
{
    struct status st = {0};
    struct tensor *t = next_value(n);

    if (!tensor_is_borrowed(value)) {
        *t = tensor_copy(value);
    } else if (!tensor_dup(value, t, &st)) {
        *t = (struct tensor){0};
        n->failed = true;
    }
    status_clear(&st);
}

static void put_vector(struct note *n, int dtype, const void *p, int64_t num)
{
    struct shape s = shape_1(num);
    struct status st = {0};
    struct tensor *t = next_value(n);

    if (tensor_new(t, dtype, &s, &st)) {
        if (num > 0)
            memcpy(t->data, p, (size_t)num * dtype_size(dtype));
    } else {
        n->failed = true;
        n->n--;
    }
    status_clear(&st);
}

void note_put_ints(struct note *n, const int64_t *v, int64_t num)
{
    put_vector(n, DT_INT64, v, num);
}

void note_put_int(struct note *n, int64_t v)
{
    put_vector(n, DT_INT64, &v, 1);
}

void note_put_bytes(struct note *n, const void *p, size_t num)
{
    put_vector(n, DT_UINT8, p, (int64_t)num);
}

/* The rank, then the dims. */
void note_put_shape(struct note *n, const struct shape *s)
{
    int64_t v[SHAPE_MAX_RANK + 1] = {s->rank};
    const int rank = s->rank > 0 ? s->rank : 0;

    for (int i = 0; i < rank; i++)
        v[i + 1] = shape_dim(s, i);
    put_vector(n, DT_INT64, v, rank + 1);
}

void note_release(struct note *n)
{
    for (int i = 0; i < n->n; i++)
        tensor_clear(&n->values[i]);
    mem_free(n->values);
    *n = (struct note){0};
}

/* --- reading --- */

struct tensor *note_get(struct note_reader *r, struct status *st)
{
    if (r->at < r->n)
        return &r->values[r->at++];
    (void)status_invalid(st, "A note of a change ends after %d values", r->n);
    return NULL;
}

static struct tensor *get_vector(struct note_reader *r, int dtype, struct status *st)
{
    struct tensor *t = note_get(r, st);

    if (!t || (t->dtype == dtype && tensor_rank(t) == 1))
        return t;
    (void)status_invalid(st, "A note of a change has value %d of another form", r->at - 1);
    return NULL;
}

const int64_t *note_get_list(struct note_reader *r, int64_t *num, struct status *st)
{
    static const int64_t none;
    const struct tensor *t = get_vector(r, DT_INT64, st);

    *num = t ? t->num_elems : 0;
    return !t ? NULL : *num > 0 ? t->data : &none;
}

bool note_get_ints(struct note_reader *r, int64_t *out, int64_t num, struct status *st)
{
    int64_t have;
    const int64_t *v = note_get_list(r, &have, st);

    if (v && have != num)
        return status_invalid(st, "A note of a change has %lld numbers: %lld are needed",
                              (long long)have, (long long)num);
    if (v)
        memcpy(out, v, (size_t)num * sizeof *v);
    return v != NULL;
}

bool note_get_bytes(struct note_reader *r, void *out, size_t num, struct status *st)
{
    const struct tensor *t = get_vector(r, DT_UINT8, st);

    if (t && t->num_elems != (int64_t)num)
        return status_invalid(st, "A note of a change has %lld bytes: %lld are needed",
                              (long long)t->num_elems, (long long)num);
    if (t && num > 0)
        memcpy(out, t->data, num);
    return t != NULL;
}

bool note_get_shape(struct note_reader *r, struct shape *out, struct status *st)
{
    int64_t num;
    const int64_t *v = note_get_list(r, &num, st);

    if (!v)
        return false;
    bool ok = num >= 1 && v[0] >= -1 && v[0] <= SHAPE_MAX_RANK && num == 1 + max_i64(v[0], 0);
    for (int64_t i = 1; ok && i < num; i++)
        ok = v[i] >= -1;
    if (!ok)
        return status_invalid(st, "A note of a change has a shape that is none");
    *out = v[0] < 0 ? shape_unknown() : shape_make(v + 1, (int)v[0]);
    return true;
}

/* --- types and journals --- */

const struct replicated_def *replicated_find(const char *type_name)
{
    for (int i = 0; leat_all_replicated_defs[i]; i++) {
        if (strcmp(leat_all_replicated_defs[i]->type->name, type_name) == 0)
            return leat_all_replicated_defs[i];
    }
    return NULL;
}

struct journal *journal_new(struct changes *owner, const struct replicated_def *def,
                            const char *container, const char *name)
{
    struct journal *j = mem_new(struct journal);

    *j = (struct journal){
        .owner = owner, .def = def, .container = mem_strdup(container), .name = mem_strdup(name)};
    return j;
}

void journal_free(struct journal *j)
{
    if (!j)
        return;
    mem_free(j->container);
    mem_free(j->name);
    mem_free(j);
}
