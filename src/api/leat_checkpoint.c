/* SPDX-License-Identifier: Apache-2.0 */
/* leat/checkpoint.h over io/bundle.h (V2) and io/slices_v1.h (V1). What is listed is read once, at
 * opening, into the arena. */
#include "leat/checkpoint.h"

#include <stdlib.h>
#include <string.h>

#include "api/api_tensor.h"
#include "base/arena.h"
#include "base/mem.h"
#include "io/bundle.h"
#include "io/slices_v1.h"

struct leat_checkpoint { /* owned by the client */
    struct arena arena;
    int version;
    struct bundle v2;
    struct v1_reader v1;
    struct leat_checkpoint_variable *variables; /* sorted */
    int64_t num_variables, cap_variables;
};

static int by_name(const void *x, const void *y)
{
    const struct leat_checkpoint_variable *a = x, *b = y;
    return strcmp(a->name, b->name);
}

static void add_variable(leat_checkpoint *c, struct str name, int dtype, const struct shape *shape)
{
    if (c->num_variables == c->cap_variables) {
        c->cap_variables = c->cap_variables ? 2 * c->cap_variables : 64;
        c->variables =
            mem_realloc(c->variables, mem_array_bytes(c->cap_variables, sizeof *c->variables));
    }
    char *copy = arena_alloc(&c->arena, name.n + 1);
    int64_t *dims = arena_array(&c->arena, int64_t, shape->rank + 1);
    memcpy(copy, name.p, name.n);
    copy[name.n] = '\0';
    for (int i = 0; i < shape->rank; i++)
        dims[i] = shape_dim(shape, i);
    c->variables[c->num_variables++] =
        (struct leat_checkpoint_variable){copy, (TF_DataType)dtype, shape->rank, dims};
}

static bool list_v2(leat_checkpoint *c, struct status *st)
{
    struct strbuf key = {0};
    bool ok = bundle_first(&c->v2, st), more = true;
    while (ok) {
        struct bundle_entry e = {0};
        ok = bundle_next(&c->v2, &key, &e, &more, st);
        if (!ok || !more)
            break;
        add_variable(c, (struct str){strbuf_text(&key), key.n}, e.p->dtype, &e.shape);
        bundle_entry_release(&e);
    }
    strbuf_release(&key);
    return ok;
}

static void list_v1(leat_checkpoint *c)
{
    const char *name;
    void *value;
    for (int64_t i = 0; strmap_next(&c->v1.tensors, &i, &name, &value);) {
        const struct v1_tensor *t = value;
        add_variable(c, str_of(name), t->dtype, &t->shape);
    }
}

static bool open_files(leat_checkpoint *c, const char *prefix, struct status *st)
{
    char *index = bundle_index_path(prefix);
    c->version = file_exists_at(index) ? 2 : 1;
    mem_free(index);
    if (c->version == 2)
        return bundle_open(&c->v2, prefix, NULL, st) && list_v2(c, st);
    if (!v1_open(&c->v1, prefix, st))
        return false;
    list_v1(c);
    return true;
}

leat_checkpoint *leat_checkpoint_open(const char *prefix, TF_Status *status)
{
    struct status st = {0};
    leat_checkpoint *c = mem_new(leat_checkpoint);
    if (!prefix || !open_files(c, prefix, &st)) {
        if (!prefix)
            (void)status_invalid(&st, "leat_checkpoint_open: no prefix");
        leat_checkpoint_close(c);
        c = NULL;
    } else if (c->num_variables > 1) {
        qsort(c->variables, (size_t)c->num_variables, sizeof *c->variables, by_name);
    }
    api_return(status, &st);
    return c;
}

void leat_checkpoint_close(leat_checkpoint *checkpoint)
{
    if (!checkpoint)
        return;
    bundle_close(&checkpoint->v2);
    v1_close(&checkpoint->v1);
    mem_free(checkpoint->variables);
    arena_release(&checkpoint->arena);
    mem_free(checkpoint);
}

int leat_checkpoint_version(const leat_checkpoint *checkpoint)
{
    return checkpoint ? checkpoint->version : 0;
}

int64_t leat_checkpoint_num_variables(const leat_checkpoint *checkpoint)
{
    return checkpoint ? checkpoint->num_variables : 0;
}

const struct leat_checkpoint_variable *
leat_checkpoint_variable_at(const leat_checkpoint *checkpoint, int64_t index)
{
    if (!checkpoint || index < 0 || index >= checkpoint->num_variables)
        return NULL;
    return &checkpoint->variables[index];
}

const struct leat_checkpoint_variable *
leat_checkpoint_variable_named(const leat_checkpoint *checkpoint, const char *name)
{
    const struct leat_checkpoint_variable key = {.name = name};
    if (!checkpoint || !name || checkpoint->num_variables == 0)
        return NULL;
    return bsearch(&key, checkpoint->variables, (size_t)checkpoint->num_variables, sizeof key,
                   by_name);
}

static bool read_v2(leat_checkpoint *c, struct str name, struct tensor *out, struct status *st)
{
    struct bundle_entry e = {0};
    bool found = false;
    if (!bundle_find(&c->v2, name, &e, &found, st))
        return false;
    if (!found)
        return status_not_found(st, "Key %s not found in checkpoint", name.p);
    bool ok = bundle_read(&c->v2, name, &e, NULL, out, st);
    bundle_entry_release(&e);
    return ok;
}

static bool read_v1(leat_checkpoint *c, struct str name, struct tensor *out, struct status *st)
{
    const struct v1_tensor *t = v1_find(&c->v1, name);
    if (!t)
        return status_not_found(st, "Key %s not found in checkpoint", name.p);
    struct slice whole = slice_whole((int)min_i64(t->shape.rank, SLICE_MAX_RANK)), want;
    if (!slice_resolve(&whole, &t->shape, &want))
        return status_unimplemented(st, "Checkpoints of format V1 with more than %d dims",
                                    SLICE_MAX_RANK);
    return v1_read(&c->v1, name, t, &want, out, st);
}

TF_Tensor *leat_checkpoint_read(leat_checkpoint *checkpoint, const char *name, TF_Status *status)
{
    struct status st = {0};
    struct tensor value = {0};
    TF_Tensor *out = NULL;
    bool ok;
    if (!checkpoint || !name)
        ok = status_invalid(&st, "leat_checkpoint_read: no checkpoint or no name");
    else if (checkpoint->version == 2)
        ok = read_v2(checkpoint, str_of(name), &value, &st);
    else
        ok = read_v1(checkpoint, str_of(name), &value, &st);
    if (ok)
        out = api_tensor_from_internal(&value, &st);
    tensor_clear(&value);
    api_return(status, &st);
    return out;
}
