/* SPDX-License-Identifier: Apache-2.0 */
/* RestoreV2: tensors out of checkpoints, of format V2, or V1 where there is none of V2. They are
 * read in the order of their names, which is that of the file. */
#include "ops/io/restore.h"

#include "base/mem.h"
#include "io/bundle.h"
#include "ops/io/v1.h"

struct wanted {
    struct str name, spec;
    int tensor;
};

static int by_name(const void *a, const void *b)
{
    return str_compare(((const struct wanted *)a)->name, ((const struct wanted *)b)->name);
}

/* The slice that w asks for is one of a tensor of the shape that the checkpoint has; with its own
 * shape, which the caller clears. */
static bool parse_slice(const struct wanted *w, const struct bundle_entry *e, struct slice *slice,
                        struct shape *part, struct status *st)
{
    struct shape whole;
    if (!slice_spec_parse(w->spec, &whole, slice, part, st))
        return false;
    bool ok = shape_equal(&whole, &e->shape);
    if (!ok) {
        char *asked = io_shape_text(&whole), *has = io_shape_text(&e->shape);
        status_invalid(st,
                       "tensor_name = %.*s; shape in shape_and_slice spec %s does not match the "
                       "shape stored in checkpoint: %s",
                       (int)w->name.n, w->name.p, asked, has);
        mem_free(asked);
        mem_free(has);
        shape_clear(part);
    }
    shape_clear(&whole);
    return ok;
}

/* What the index says of w, which is of the type asked for; the caller releases *e. */
static bool find_entry(const struct restore *r, struct bundle *b, const struct wanted *w,
                       struct bundle_entry *e, struct status *st)
{
    bool found;
    int dtype = r->types[w->tensor];
    if (!bundle_find(b, w->name, e, &found, st))
        return false;
    if (!found)
        return status_not_found(st, "Key %.*s not found in checkpoint", (int)w->name.n, w->name.p);
    if (e->p->dtype == dtype)
        return true;
    status_invalid(st, "tensor_name = %.*s; expected dtype %s does not equal original dtype %s",
                   (int)w->name.n, w->name.p, dtype_name(dtype), dtype_name(e->p->dtype));
    bundle_entry_release(e);
    return false;
}

/* Whether what the index says can be taken. */
static bool check_one(const struct restore *r, struct bundle *b, const struct wanted *w,
                      struct status *st)
{
    struct bundle_entry e;
    struct slice slice;
    struct shape part = {0};
    if (!find_entry(r, b, w, &e, st))
        return false;
    bool sliced = w->spec.n > 0, ok = !sliced || parse_slice(w, &e, &slice, &part, st);
    ok = ok && r->fits(r->arg, w->tensor, sliced ? &part : &e.shape, st);
    shape_clear(&part);
    bundle_entry_release(&e);
    return ok;
}

static bool restore_one(const struct restore *r, struct bundle *b, const struct wanted *w,
                        struct status *st)
{
    struct bundle_entry e;
    struct slice slice;
    struct shape part = {0};
    struct tensor t;
    if (!find_entry(r, b, w, &e, st))
        return false;
    bool sliced = w->spec.n > 0, ok = !sliced || parse_slice(w, &e, &slice, &part, st);
    ok = ok && bundle_read(b, w->name, &e, sliced ? &slice : NULL, &t, st);
    shape_clear(&part);
    bundle_entry_release(&e);
    return ok && r->take(r->arg, w->tensor, &t, st);
}

static bool check_names(const struct restore *r, struct status *st)
{
    int64_t names = kernel_in(r->c, 1)->num_elems;
    return io_check_v2(r->c, st) &&
           (names == r->n || status_invalid(st, "Got %lld tensor names, but %d expected dtypes.",
                                            (long long)names, r->n)) &&
           io_check_as_many(r->c, st);
}

static struct wanted wanted_at(const struct restore *r, int i)
{
    return (struct wanted){tstr_view(&tensor_str(kernel_in(r->c, 1))[i]),
                           tstr_view(&tensor_str(kernel_in(r->c, 2))[i]), i};
}

static bool restore_all(const struct restore *r, struct bundle *b, struct status *st)
{
    struct wanted *w = kernel_scratch(r->c, r->n * (int64_t)sizeof *w, st);
    if (!w)
        return false;
    for (int i = 0; i < r->n; i++)
        w[i] = wanted_at(r, i);
    qsort(w, (size_t)r->n, sizeof *w, by_name);
    for (int i = 0; r->fits && i < r->n; i++)
        if (!check_one(r, b, &w[i], st))
            return false;
    for (int i = 0; i < r->n; i++) {
        if (kernel_cancelled(r->c))
            return status_fail(st, STATUS_CANCELLED, "The step was cancelled while it restored");
        if (!restore_one(r, b, &w[i], st))
            return false;
    }
    return true;
}

static bool restore_v2(const struct restore *r, const char *prefix, struct status *st)
{
    struct bundle b;
    if (!bundle_open(&b, prefix, kernel_pool(r->c), st))
        return false;
    bool ok = restore_all(r, &b, st);
    bundle_close(&b);
    return ok;
}

/* There is no index of format V2: the prefix names files of format V1. */
static bool restore_v1(const struct restore *r, const char *pattern, struct status *st)
{
    struct v1_reader reader;
    bool ok = true;
    if (!v1_open(&reader, pattern, st))
        return false;
    for (int i = 0; ok && i < r->n; i++) {
        struct wanted w = wanted_at(r, i);
        struct tensor t;
        ok = io_restore_v1(&reader, w.name, w.spec, r->types[i], &t, st) &&
             r->take(r->arg, i, &t, st);
    }
    v1_close(&reader);
    return ok;
}

bool restore_tensors(const struct restore *r, struct status *st)
{
    if (!check_names(r, st))
        return false;
    char *prefix = io_path(r->c, 0, 0, st);
    if (!prefix)
        return false;
    char *index = bundle_index_path(prefix);
    bool ok = file_exists_at(index) ? restore_v2(r, prefix, st) : restore_v1(r, prefix, st);
    mem_free(index);
    mem_free(prefix);
    return ok;
}

static bool give_output(void *arg, int i, struct tensor *t, struct status *st UNUSED)
{
    kernel_out_take(arg, i, t);
    return true;
}

static bool restore_run(struct kctx *c, struct status *st)
{
    const struct restore r = {.c = c,
                              .types = c->kernel->output_types,
                              .n = kernel_num_outputs(c),
                              .take = give_output,
                              .arg = c};
    return restore_tensors(&r, st);
}

static bool restore_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *names, *slices, *both;
    return io_want_rank(c, 0, 0, st) && infer_want_rank(c, infer_input(c, 1), 1, &names, st) &&
           infer_want_rank(c, infer_input(c, 2), 1, &slices, st) &&
           infer_merge(c, names, slices, &both, st) && io_slice_shapes(c, 2, st);
}

OP_DEF(restore_v2) = {
    .name = "RestoreV2",
    .summary = "Tensors read by their names from a checkpoint.",
    .description = "A text of shape_and_slices that is not empty, \"4 3 0,2:-\", asks for a slice, "
                   "whatever slices the checkpoint has. Checkpoints of format V1 are read too.",
    .inputs = {"prefix: string", "tensor_names: string", "shape_and_slices: string"},
    .outputs = {"tensors: dtypes"},
    .attrs = {"dtypes: list(type) >= 1"},
    .flags = OP_STATEFUL,
    .shape = restore_shape,
    .no_grad = "undefined: files have no gradient",
};
KERNEL_DEF(restore_v2_cpu) = {
    .op = "RestoreV2", .device = "CPU", .flags = KERNEL_BLOCKING, .run = restore_run};
