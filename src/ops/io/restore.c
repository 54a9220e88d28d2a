/* SPDX-License-Identifier: Apache-2.0 */
/* RestoreV2: tensors out of checkpoints, of format V2, or V1 where there is none of V2. They are
 * read in the order of their names, which is that of the file. */
#include "base/mem.h"
#include "io/bundle.h"
#include "ops/io/common.h"
#include "ops/io/v1.h"

struct wanted {
    struct str name, spec;
    int output;
};

static int by_name(const void *a, const void *b)
{
    return str_compare(((const struct wanted *)a)->name, ((const struct wanted *)b)->name);
}

/* The slice that w asks for fits the tensor that the checkpoint has. */
static bool read_slice(struct bundle *b, const struct wanted *w, const struct bundle_entry *e,
                       struct tensor *out, struct status *st)
{
    struct shape whole, part;
    struct slice slice;
    if (!slice_spec_parse(w->spec, &whole, &slice, &part, st))
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
    }
    shape_clear(&whole);
    shape_clear(&part);
    return ok && bundle_read(b, w->name, e, &slice, out, st);
}

static bool restore_one(struct kctx *c, struct bundle *b, const struct wanted *w, struct status *st)
{
    struct bundle_entry e;
    struct tensor t;
    bool found;
    int dtype = kernel_output_type(c, w->output);
    if (!bundle_find(b, w->name, &e, &found, st))
        return false;
    if (!found)
        return status_not_found(st, "Key %.*s not found in checkpoint", (int)w->name.n, w->name.p);
    bool ok = e.p->dtype == dtype ||
              status_invalid(st,
                             "tensor_name = %.*s; expected dtype %s does not equal original dtype "
                             "%s",
                             (int)w->name.n, w->name.p, dtype_name(dtype), dtype_name(e.p->dtype));
    ok = ok &&
         (w->spec.n > 0 ? read_slice(b, w, &e, &t, st) : bundle_read(b, w->name, &e, NULL, &t, st));
    bundle_entry_release(&e);
    if (ok)
        kernel_out_take(c, w->output, &t);
    return ok;
}

static bool check_names(const struct kctx *c, struct status *st)
{
    const struct tensor *prefix = kernel_in(c, 0), *names = kernel_in(c, 1);
    const struct tensor *slices = kernel_in(c, 2);
    if (prefix->num_elems != 1)
        return status_invalid(st, "Input prefix should have a single element, got %lld instead.",
                              (long long)prefix->num_elems);
    if (tensor_rank(names) != 1 || tensor_rank(slices) != 1) {
        char *a = io_shape_text(&names->shape), *b = io_shape_text(&slices->shape);
        status_invalid(st,
                       "Input tensor_names and shape_and_slices should be an 1-D tensors, got %s "
                       "and %s instead.",
                       a, b);
        mem_free(a);
        mem_free(b);
        return false;
    }
    if (names->num_elems != kernel_num_outputs(c))
        return status_invalid(st, "Got %lld tensor names, but %d expected dtypes.",
                              (long long)names->num_elems, kernel_num_outputs(c));
    if (names->num_elems != slices->num_elems)
        return status_invalid(
            st,
            "tensor_names and shape_and_slices have different number of elements: %lld vs. %lld",
            (long long)names->num_elems, (long long)slices->num_elems);
    return true;
}

static bool restore_all(struct kctx *c, struct bundle *b, struct status *st)
{
    int n = kernel_num_outputs(c);
    struct wanted *w = kernel_scratch(c, n * (int64_t)sizeof *w, st);
    if (!w)
        return false;
    for (int i = 0; i < n; i++)
        w[i] = (struct wanted){tstr_view(&tensor_str(kernel_in(c, 1))[i]),
                               tstr_view(&tensor_str(kernel_in(c, 2))[i]), i};
    qsort(w, (size_t)n, sizeof *w, by_name);
    for (int i = 0; i < n; i++) {
        if (kernel_cancelled(c))
            return status_fail(st, STATUS_CANCELLED, "The step was cancelled while it restored");
        if (!restore_one(c, b, &w[i], st))
            return false;
    }
    return true;
}

static bool restore_v2(struct kctx *c, const char *prefix, struct status *st)
{
    struct bundle b;
    if (!bundle_open(&b, prefix, kernel_pool(c), st))
        return false;
    bool ok = restore_all(c, &b, st);
    bundle_close(&b);
    return ok;
}

/* There is no index of format V2: the prefix names files of format V1. */
static bool restore_v1(struct kctx *c, const char *pattern, struct status *st)
{
    struct v1_reader r;
    bool ok = true;
    if (!v1_open(&r, pattern, st))
        return false;
    for (int i = 0; ok && i < kernel_num_outputs(c); i++) {
        struct tensor t;
        ok = io_restore_v1(&r, tstr_view(&tensor_str(kernel_in(c, 1))[i]),
                           tstr_view(&tensor_str(kernel_in(c, 2))[i]), kernel_output_type(c, i), &t,
                           st);
        if (ok)
            kernel_out_take(c, i, &t);
    }
    v1_close(&r);
    return ok;
}

static bool restore_run(struct kctx *c, struct status *st)
{
    if (!check_names(c, st))
        return false;
    char *prefix = io_path(c, 0, 0, st);
    if (!prefix)
        return false;
    char *index = bundle_index_path(prefix);
    bool ok = file_exists_at(index) ? restore_v2(c, prefix, st) : restore_v1(c, prefix, st);
    mem_free(index);
    mem_free(prefix);
    return ok;
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
