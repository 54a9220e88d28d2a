/* SPDX-License-Identifier: Apache-2.0 */
/* SaveV2 and MergeV2Checkpoints: tensors into V2 checkpoints. The values of variables are
 * snapshots that share their memory, so that a save takes none of its own. */
#include "io/bundle.h"
#include "ops/io/common.h"

#include <unistd.h>

#include "base/mem.h"

static bool check_names(const struct kctx *c, int num_tensors, struct status *st)
{
    int64_t names = kernel_in(c, 1)->num_elems;
    return io_check_v2(c, st) && io_check_as_many(c, st) &&
           (names == num_tensors || status_invalid(st, "Got %lld tensor names but %d tensors.",
                                                   (long long)names, num_tensors));
}

static bool write_slice(struct bundle_writer *w, struct str name, struct str spec,
                        const struct tensor *t, struct status *st)
{
    struct shape whole;
    struct slice slice;
    bool ok = io_slice_to_save(spec, t, &whole, &slice, st) &&
              bundle_write_slice(w, name, &whole, &slice, t, st);
    shape_clear(&whole);
    return ok;
}

static bool save_run(struct kctx *c, struct status *st)
{
    struct bundle_writer w;
    int n = kernel_num_inputs(c) - 3;
    if (!check_names(c, n, st))
        return false;
    char *prefix = io_path(c, 0, 0, st);
    bool ok = prefix && bundle_writer_open(&w, prefix, st);
    mem_free(prefix);
    if (!ok)
        return false;
    for (int i = 0; ok && i < n; i++) {
        struct str name = tstr_view(&tensor_str(kernel_in(c, 1))[i]);
        struct str spec = tstr_view(&tensor_str(kernel_in(c, 2))[i]);
        const struct tensor *t = kernel_in(c, 3 + i);
        if (kernel_cancelled(c))
            ok = status_fail(st, STATUS_CANCELLED, "The step was cancelled while it saved");
        else if (spec.n > 0)
            ok = write_slice(&w, name, spec, t, st);
        else
            ok = bundle_write(&w, name, t, st);
    }
    if (ok)
        return bundle_writer_finish(&w, st);
    bundle_writer_abandon(&w);
    return false;
}

static bool save_shape(struct infer_ctx *c, struct status *st)
{
    int n = infer_num_inputs(c) - 3;
    return io_want_rank(c, 0, 0, st) && io_want_names(c, 1, n, st) && io_want_names(c, 2, n, st);
}

OP_DEF(save_v2) = {
    .name = "SaveV2",
    .summary = "Saves tensors under names into a checkpoint of format V2.",
    .description = "A text of shape_and_slices that is not empty, \"4 3 0,2:-\", says of which "
                   "tensor the one at hand is a slice. The checkpoint is there when all of it is.",
    .inputs = {"prefix: string", "tensor_names: string", "shape_and_slices: string",
               "tensors: dtypes"},
    .attrs = {"dtypes: list(type) >= 1"},
    .flags = OP_STATEFUL,
    .shape = save_shape,
    .no_grad = "undefined: files have no gradient",
};
KERNEL_DEF(save_v2_cpu) = {
    .op = "SaveV2", .device = "CPU", .flags = KERNEL_BLOCKING, .run = save_run};

/* --- MergeV2Checkpoints --- */

/* The folders of the parts, but that of the result; those that are not empty stay. */
static void remove_folders(char *const *prefixes, int64_t n, const char *destination)
{
    struct str kept = path_folder(destination);
    for (int64_t i = 0; i < n; i++) {
        struct str folder = path_folder(prefixes[i]);
        if (folder.n == 0 || str_eq(folder, kept))
            continue;
        char *path = mem_strndup(folder.p, folder.n);
        rmdir(path);
        mem_free(path);
    }
}

static bool merge_run(struct kctx *c, struct status *st)
{
    const struct tensor *t = kernel_in(c, 0);
    if (tensor_rank(t) != 1 || tensor_rank(kernel_in(c, 1)) != 0) {
        bool first = tensor_rank(t) != 1;
        char *shape = io_shape_text(&kernel_in(c, first ? 0 : 1)->shape);
        status_invalid(st, "Input %s should be %s tensor, got %s instead.",
                       first ? "checkpoint_prefixes" : "destination_prefix",
                       first ? "an 1-D" : "a scalar", shape);
        mem_free(shape);
        return false;
    }
    char **prefixes = mem_new_array(char *, t->num_elems + 1);
    char *destination = io_path(c, 1, 0, st);
    bool ok = destination != NULL;
    for (int64_t i = 0; ok && i < t->num_elems; i++)
        ok = (prefixes[i] = io_path(c, 0, i, st)) != NULL;
    ok = ok && bundle_merge((const char *const *)prefixes, t->num_elems, destination, st);
    if (ok && attrs_bool(kernel_attrs(c), "delete_old_dirs"))
        remove_folders(prefixes, t->num_elems, destination);
    for (int64_t i = 0; i < t->num_elems; i++)
        mem_free(prefixes[i]);
    mem_free(prefixes);
    mem_free(destination);
    return ok;
}

static bool merge_shape(struct infer_ctx *c, struct status *st)
{
    return io_want_rank(c, 0, 1, st) && io_want_rank(c, 1, 0, st);
}

OP_DEF(merge_v2_checkpoints) = {
    .name = "MergeV2Checkpoints",
    .summary = "Makes one checkpoint of several, whose data files it renames.",
    .inputs = {"checkpoint_prefixes: string", "destination_prefix: string"},
    .attrs = {"delete_old_dirs: bool = true"},
    .flags = OP_STATEFUL,
    .shape = merge_shape,
    .no_grad = "undefined: files have no gradient",
};
KERNEL_DEF(merge_v2_checkpoints_cpu) = {
    .op = "MergeV2Checkpoints", .device = "CPU", .flags = KERNEL_BLOCKING, .run = merge_run};
