/* SPDX-License-Identifier: Apache-2.0 */
/* ShardedFilename and ShardedFilespec: the names of the parts of a file. */
#include "base/mem.h"
#include "ops/io/common.h"

static bool check_scalars(const struct kctx *c, const char *const *names, struct status *st)
{
    for (int i = 0; i < kernel_num_inputs(c); i++)
        if (tensor_rank(kernel_in(c, i)) != 0) {
            char *shape = io_shape_text(&kernel_in(c, i)->shape);
            status_invalid(st, "%s must be a scalar, got shape %s", names[i], shape);
            mem_free(shape);
            return false;
        }
    return true;
}

/* "BASE" and what the format makes of the numbers. */
static bool put_name(struct kctx *c, const char *tail, struct status *st)
{
    struct shape scalar = shape_scalar();
    struct tensor *out = kernel_out(c, 0, &scalar, st);
    struct str base = tstr_view(tensor_str(kernel_in(c, 0)));
    size_t n = strlen(tail);
    char *to = out ? tstr_resize(tensor_str(out), base.n + n) : NULL;
    if (out && !to)
        return status_exhausted(st, "no memory for a name");
    if (!to)
        return false;
    memcpy(to, base.p, base.n);
    memcpy(to + base.n, tail, n);
    return true;
}

static bool filename_run(struct kctx *c, struct status *st)
{
    static const char *const names[] = {"basename", "shard", "num_shards"};
    char tail[64];
    if (!check_scalars(c, names, st))
        return false;
    snprintf(tail, sizeof tail, "-%05d-of-%05d", tensor_i32(kernel_in(c, 1))[0],
             tensor_i32(kernel_in(c, 2))[0]);
    return put_name(c, tail, st);
}

static bool filespec_run(struct kctx *c, struct status *st)
{
    static const char *const names[] = {"basename", "num_shards"};
    char tail[64];
    if (!check_scalars(c, names, st))
        return false;
    snprintf(tail, sizeof tail, "-%s-of-%05d", "?????", tensor_i32(kernel_in(c, 1))[0]);
    return put_name(c, tail, st);
}

static bool scalars_shape(struct infer_ctx *c, struct status *st)
{
    for (int i = 0; i < infer_num_inputs(c); i++)
        if (!io_want_rank(c, i, 0, st))
            return false;
    infer_set(c, 0, infer_scalar(c));
    return true;
}

OP_DEF(sharded_filename) = {
    .name = "ShardedFilename",
    .summary = "The name of one part of a file in parts, \"base-00003-of-00012\".",
    .inputs = {"basename: string", "shard: int32", "num_shards: int32"},
    .outputs = {"filename: string"},
    .shape = scalars_shape,
    .no_grad = "undefined: names have no gradient",
};
KERNEL_DEF(sharded_filename_cpu) = {.op = "ShardedFilename", .device = "CPU", .run = filename_run};

OP_DEF(sharded_filespec) = {
    .name = "ShardedFilespec",
    .summary = "The pattern that all parts of a file match, a ? for each digit of the part.",
    .inputs = {"basename: string", "num_shards: int32"},
    .outputs = {"filename: string"},
    .shape = scalars_shape,
    .no_grad = "undefined: names have no gradient",
};
KERNEL_DEF(sharded_filespec_cpu) = {.op = "ShardedFilespec", .device = "CPU", .run = filespec_run};
