/* SPDX-License-Identifier: Apache-2.0 */
/* The function library of a graph: what is in it, by name. */
#include "graph/function.h"

#include "graph/graphdef.h"
#include "proto/leat_proto.h"

struct function_library *library_new(void)
{
    struct function_library *l = mem_new(struct function_library);

    l->refs = 1;
    lock_init(&l->lock, "function library", LOCK_RANK_GRAPH + 5);
    return l;
}

struct function_library *library_ref(struct function_library *l)
{
    __atomic_fetch_add(&l->refs, 1, __ATOMIC_RELAXED);
    return l;
}

struct function *function_ref(struct function *f)
{
    __atomic_fetch_add(&f->refs, 1, __ATOMIC_RELAXED);
    return f;
}

void function_unref(struct function *f)
{
    if (!f || __atomic_sub_fetch(&f->refs, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    op_free(f->op);
    mem_free(f->name);
    mem_free(f->grad_name);
    arena_release(&f->arena);
    mem_free(f);
}

bool function_is_stateful(const struct function *f)
{
    return f && f->def->signature->is_stateful;
}

void library_unref(struct function_library *l)
{
    const char *key;
    void *value;

    if (!l || __atomic_sub_fetch(&l->refs, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    for (int64_t i = 0; strmap_next(&l->functions, &i, &key, &value);)
        function_unref(value);
    strmap_release(&l->functions);
    lock_release_memory(&l->lock);
    mem_free(l);
}

void library_remove(struct function_library *l, const char *name)
{
    lock_take(&l->lock);
    struct function *f = strmap_remove(&l->functions, name);
    lock_drop(&l->lock);
    function_unref(f);
}

struct function *graph_function(struct graph *g, const char *name)
{
    lock_take(&g->library->lock);
    struct function *f = strmap_find(&g->library->functions, name);
    lock_drop(&g->library->lock);
    return f;
}

int64_t graph_functions(struct graph *g, struct function **out, int64_t max)
{
    const char *key;
    void *value;
    int64_t n = 0;

    lock_take(&g->library->lock);
    for (int64_t i = 0; n < max && strmap_next(&g->library->functions, &i, &key, &value);)
        out[n++] = value;
    n = g->library->functions.num_live;
    lock_drop(&g->library->lock);
    return n;
}

/* A copy in an arena of its own; maps sorted, so that equal bodies have equal bytes. */
static struct function *function_new(const struct strbuf *bytes, struct status *st)
{
    struct function *f = mem_new(struct function);

    f->refs = 1;
    if (!pb_function_def_decode(&f->arena, bytes->p ? bytes->p : "", bytes->n, 0, &f->def, st))
        goto failed;
    f->op = op_from_proto(f->def->signature, st);
    if (!f->op)
        goto failed;
    f->op->function = f;
    f->name = mem_strdup(f->op->name);
    return f;
failed:
    function_unref(f);
    return NULL;
}

static bool same_body(const struct function *f, const struct strbuf *bytes)
{
    struct strbuf mine = {0};
    struct status st = {0};
    bool same = pb_encode_with(f->def, PB_DETERMINISTIC, &mine, &st) && mine.n == bytes->n &&
                memcmp(mine.p, bytes->p, mine.n) == 0;

    status_clear(&st);
    strbuf_release(&mine);
    return same;
}

/* Adds f unless its name is taken. Takes f. */
static bool add_to_library(struct function_library *l, struct function *f,
                           const struct strbuf *bytes, struct status *st)
{
    bool ok = true;

    lock_take(&l->lock);
    struct function *had = strmap_find(&l->functions, f->name);
    if (!had)
        strmap_put(&l->functions, f->name, function_ref(f));
    else if (!same_body(had, bytes))
        ok = status_invalid(st,
                            "Cannot add function '%s' because a different function with the same "
                            "name already exists.",
                            f->name);
    lock_drop(&l->lock);
    function_unref(f);
    return ok;
}

bool graph_add_function(struct graph *g, const struct pb_function_def *def, struct status *st)
{
    struct strbuf bytes = {0};
    struct function *f = NULL;
    bool ok = false;

    if (!def->signature || def->signature->name.n == 0)
        return status_invalid(st, "A function without a name");
    if (pb_encode_with(def, PB_DETERMINISTIC, &bytes, st))
        f = function_new(&bytes, st);
    if (f && op_find(f->name)) {
        status_invalid(st,
                       "Cannot add function '%s' because an op with the same name already exists.",
                       f->name);
        function_unref(f);
    } else if (f) {
        ok = add_to_library(g->library, f, &bytes, st);
    }
    strbuf_release(&bytes);
    return ok;
}

bool library_add_grad(struct function_library *l, const char *f, const char *grad,
                      struct status *st)
{
    bool ok = true;

    lock_take(&l->lock);
    struct function *fn = strmap_find(&l->functions, f);
    if (fn && fn->grad_name && strcmp(fn->grad_name, grad) != 0)
        ok = status_invalid(st,
                            "Cannot assign gradient function '%s' to '%s' because it already has "
                            "gradient function '%s'",
                            grad, f, fn->grad_name);
    else if (fn && !fn->grad_name)
        fn->grad_name = mem_strdup(grad);
    lock_drop(&l->lock);
    return ok;
}

void graph_set_function_grad(struct graph *g, const char *name, const char *grad)
{
    lock_take(&g->library->lock);
    struct function *f = strmap_find(&g->library->functions, name);
    if (f) {
        mem_free(f->grad_name);
        f->grad_name = grad ? mem_strdup(grad) : NULL;
    }
    lock_drop(&g->library->lock);
}
