/* SPDX-License-Identifier: Apache-2.0 */
/* Save, SaveSlices, Restore and RestoreSlice: checkpoints of format V1. */
#include "ops/io/v1.h"
#include "base/mem.h"
#include "io/slices_v1.h"
#include "ops/io/common.h"

static bool want_one(const struct kctx *c, int k, const char *name, struct status *st)
{
    if (kernel_in(c, k)->num_elems == 1)
        return true;
    return status_invalid(st, "Input %d (%s) must be a string scalar; got a tensor of %lldelements",
                          k, name, (long long)kernel_in(c, k)->num_elems);
}

/* --- Save, SaveSlices --- */

static bool add_tensor(struct v1_writer *w, struct str name, struct str spec,
                       const struct tensor *t, struct status *st)
{
    struct shape whole;
    struct slice slice;
    if (spec.n == 0) {
        if (t->shape.rank > SLICE_MAX_RANK)
            return status_unimplemented(st, "Checkpoints of format V1 with more than %d dims",
                                        SLICE_MAX_RANK);
        slice = slice_whole(t->shape.rank);
        return v1_add(w, name, &t->shape, &slice, t, st);
    }
    bool ok =
        io_slice_to_save(spec, t, &whole, &slice, st) && v1_add(w, name, &whole, &slice, t, st);
    shape_clear(&whole);
    return ok;
}

struct named {
    struct str name;
    int input;
};

static int by_name(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    int order = str_compare(x->name, y->name);
    return order != 0 ? order : (x->input > y->input) - (x->input < y->input);
}

/* In the order of the names, which is that of the file. first: the input of the first tensor; 3
 * when input 2 says slices. */
static bool save_tensors(struct kctx *c, int first, struct status *st)
{
    const struct tensor *names = kernel_in(c, 1);
    int n = kernel_num_inputs(c) - first;
    struct v1_writer w;
    if (!want_one(c, 0, "filename", st))
        return false;
    if (names->num_elems != n)
        return status_invalid(st,
                              "Expected totally %lld inputs as input #1 (which is a string tensor "
                              "of saved names) contains %lld names, but received %d inputs",
                              (long long)names->num_elems + first, (long long)names->num_elems,
                              n + first);
    if (first == 3 && kernel_in(c, 2)->num_elems != n)
        return status_invalid(st,
                              "Expected %d elements for the tensor shapes and slices but got %lld",
                              n, (long long)kernel_in(c, 2)->num_elems);
    char *path = io_path(c, 0, 0, st);
    struct named *order = path ? kernel_scratch(c, n * (int64_t)sizeof *order, st) : NULL;
    bool ok = order != NULL;
    v1_writer_init(&w);
    for (int i = 0; ok && i < n; i++)
        order[i] = (struct named){tstr_view(&tensor_str(names)[i]), i};
    if (ok)
        qsort(order, (size_t)n, sizeof *order, by_name);
    for (int k = 0; ok && k < n; k++) {
        int i = order[k].input;
        struct str spec = first == 3 ? tstr_view(&tensor_str(kernel_in(c, 2))[i]) : str_of("");
        ok = add_tensor(&w, order[k].name, spec, kernel_in(c, first + i), st);
    }
    ok = ok && v1_write(&w, path, st);
    v1_writer_release(&w);
    mem_free(path);
    return ok;
}

static bool save_run(struct kctx *c, struct status *st)
{
    return save_tensors(c, 2, st);
}

static bool save_slices_run(struct kctx *c, struct status *st)
{
    return save_tensors(c, 3, st);
}

static bool save_shape(struct infer_ctx *c, struct status *st)
{
    return io_want_rank(c, 0, 0, st) && io_want_names(c, 1, infer_num_inputs(c) - 2, st);
}

static bool save_slices_shape(struct infer_ctx *c, struct status *st)
{
    int n = infer_num_inputs(c) - 3;
    return io_want_rank(c, 0, 0, st) && io_want_names(c, 1, n, st) && io_want_names(c, 2, n, st);
}

OP_DEF(save) = {
    .name = "Save",
    .summary = "Saves tensors under names into a checkpoint of format V1.",
    .inputs = {"filename: string", "tensor_names: string", "data: T"},
    .attrs = {"T: list(type) >= 1"},
    .flags = OP_STATEFUL,
    .shape = save_shape,
    .no_grad = "undefined: files have no gradient",
};
KERNEL_DEF(save_cpu) = {.op = "Save", .device = "CPU", .flags = KERNEL_BLOCKING, .run = save_run};

OP_DEF(save_slices) = {
    .name = "SaveSlices",
    .summary = "Saves tensors, or slices of tensors, into a checkpoint of format V1.",
    .inputs = {"filename: string", "tensor_names: string", "shapes_and_slices: string", "data: T"},
    .attrs = {"T: list(type) >= 1"},
    .flags = OP_STATEFUL,
    .shape = save_slices_shape,
    .no_grad = "undefined: files have no gradient",
};
KERNEL_DEF(save_slices_cpu) = {
    .op = "SaveSlices", .device = "CPU", .flags = KERNEL_BLOCKING, .run = save_slices_run};

/* --- Restore, RestoreSlice --- */

/* What is to be restored of t; *want is resolved. */
static bool wanted_slice(const struct v1_tensor *t, struct str spec, struct slice *want,
                         struct status *st)
{
    struct shape whole, part;
    struct slice slice = slice_whole(min_i64(t->shape.rank, SLICE_MAX_RANK));
    if (spec.n == 0)
        return slice_resolve(&slice, &t->shape, want) ||
               status_unimplemented(st, "Checkpoints of format V1 with more than %d dims",
                                    SLICE_MAX_RANK);
    if (!slice_spec_parse(spec, &whole, &slice, &part, st))
        return false;
    bool ok = shape_equal(&whole, &t->shape) && slice_resolve(&slice, &t->shape, want);
    if (!ok) {
        char *asked = io_shape_text(&whole), *has = io_shape_text(&t->shape);
        status_invalid(st,
                       "Shape in shape_and_slice spec does not match the shape in the save file: "
                       "%s, save file shape: %s",
                       asked, has);
        mem_free(asked);
        mem_free(has);
    }
    shape_clear(&whole);
    shape_clear(&part);
    return ok;
}

bool io_restore_v1(struct v1_reader *r, struct str name, struct str spec, int dtype,
                   struct tensor *out, struct status *st)
{
    struct slice want;
    const struct v1_tensor *t = v1_find(r, name);
    if (!t)
        return status_not_found(st, "Tensor name \"%.*s\" not found in checkpoint files %s",
                                (int)name.n, name.p, r->pattern);
    if (t->dtype != dtype)
        return status_invalid(st,
                              "Expected to restore a tensor of type %s, got a tensor of type %s "
                              "instead: tensor_name = %.*s",
                              dtype_name(dtype), dtype_name(t->dtype), (int)name.n, name.p);
    return wanted_slice(t, spec, &want, st) && v1_read(r, name, t, &want, out, st);
}

static bool restore_tensor(struct kctx *c, struct str spec, struct status *st)
{
    struct v1_reader r;
    struct tensor t;
    if (!want_one(c, 0, "file_pattern", st))
        return false;
    if (kernel_in(c, 1)->num_elems < 1)
        return status_invalid(st, "Input 1 (tensor_name) must be a string scalar; got none");
    char *pattern = io_path(c, 0, 0, st);
    bool ok = pattern && v1_open(&r, pattern, st);
    mem_free(pattern);
    if (!ok)
        return false;
    ok = io_restore_v1(&r, tstr_view(tensor_str(kernel_in(c, 1))), spec, kernel_output_type(c, 0),
                       &t, st);
    v1_close(&r);
    if (ok)
        kernel_out_take(c, 0, &t);
    return ok;
}

static bool restore_run(struct kctx *c, struct status *st)
{
    return restore_tensor(c, str_of(""), st);
}

static bool restore_slice_run(struct kctx *c, struct status *st)
{
    if (kernel_in(c, 2)->num_elems < 1)
        return status_invalid(st, "Input 2 (shape_and_slice) must be a string scalar; got none");
    return restore_tensor(c, tstr_view(tensor_str(kernel_in(c, 2))), st);
}

static bool restore_shape(struct infer_ctx *c, struct status *st)
{
    infer_set(c, 0, infer_unknown(c));
    return io_want_rank(c, 0, 0, st) && io_want_rank(c, 1, 0, st);
}

static bool restore_slice_shape(struct infer_ctx *c, struct status *st)
{
    return restore_shape(c, st) && io_want_rank(c, 2, 0, st) && io_slice_shapes(c, 2, st);
}

OP_DEF(restore) = {
    .name = "Restore",
    .summary = "A tensor read by its name from the files of a V1 checkpoint.",
    .inputs = {"file_pattern: string", "tensor_name: string"},
    .outputs = {"tensor: dt"},
    .attrs = {"dt: type", "preferred_shard: int = -1"},
    .flags = OP_STATEFUL,
    .shape = restore_shape,
    .no_grad = "undefined: files have no gradient",
};
KERNEL_DEF(restore_cpu) = {
    .op = "Restore", .device = "CPU", .flags = KERNEL_BLOCKING, .run = restore_run};

OP_DEF(restore_slice) = {
    .name = "RestoreSlice",
    .summary = "A slice of a tensor read from the files of a V1 checkpoint.",
    .inputs = {"file_pattern: string", "tensor_name: string", "shape_and_slice: string"},
    .outputs = {"tensor: dt"},
    .attrs = {"dt: type", "preferred_shard: int = -1"},
    .flags = OP_STATEFUL,
    .shape = restore_slice_shape,
    .no_grad = "undefined: files have no gradient",
};
KERNEL_DEF(restore_slice_cpu) = {
    .op = "RestoreSlice", .device = "CPU", .flags = KERNEL_BLOCKING, .run = restore_slice_run};
