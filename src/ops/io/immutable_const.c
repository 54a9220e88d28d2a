/* SPDX-License-Identifier: Apache-2.0 */
/* ImmutableConst: the bytes of a file as a tensor. The file is read, not mapped: one that is cut
 * while it is mapped would kill the process. It is read once for each kernel and then shared. */
#include "base/lock.h"
#include "base/mem.h"
#include "io/input.h"
#include "ops/io/common.h"

struct constant {
    struct lock lock;
    bool has_lock;
    struct tensor value; /* guarded by lock; empty until it was read */
};

static bool constant_init(struct kernel *k, void *state, struct status *st)
{
    struct constant *s = state;
    int dtype = attrs_type(k->attrs, "dtype");
    lock_init(&s->lock, "immutable const", LOCK_RANK_KERNEL);
    s->has_lock = true;
    return !dtype_is_managed(dtype) ||
           status_invalid(st, "ImmutableConst: a file has no elements of type %s",
                          dtype_name(dtype));
}

static void constant_release(void *state)
{
    struct constant *s = state;
    tensor_clear(&s->value);
    if (s->has_lock)
        lock_release_memory(&s->lock);
}

/* Reads as many bytes as the shape says from the front of the file. */
static bool read_value(const struct kctx *c, struct tensor *out, struct status *st)
{
    const struct shape *shape;
    struct input in;
    struct tensor t;
    struct str name = attrs_string(kernel_attrs(c), "memory_region_name");
    if (!attrs_get_shape(kernel_attrs(c), "shape", &shape, st))
        return false;
    char *path = mem_strndup(name.p, name.n);
    bool ok = input_open(&in, path, st);
    mem_free(path);
    if (!ok)
        return false;
    int64_t num, bytes;
    int dtype = kernel_output_type(c, 0);
    ok = shape_num_elems(shape, &num, st);
    if (ok && (!size_mul(num, (int64_t)dtype_size(dtype), &bytes) || bytes > in.size))
        ok = status_internal(st,
                             "Readonly memory region has wrong length (%lld) when allocating "
                             "%lld elements of %s",
                             (long long)in.size, (long long)num, dtype_name(dtype));
    ok = ok && tensor_new(&t, dtype, shape, st);
    if (ok && !input_read(&in, 0, t.data, (int64_t)tensor_bytes(&t), "the elements", st)) {
        tensor_clear(&t);
        ok = false;
    }
    input_close(&in);
    for (int64_t i = 0; ok && dtype == DT_BOOL && i < num; i++)
        ((uint8_t *)t.data)[i] = ((uint8_t *)t.data)[i] != 0;
    if (ok)
        *out = t;
    return ok;
}

static bool constant_run(struct kctx *c, struct status *st)
{
    struct constant *s = kernel_state(c);
    lock_take(&s->lock);
    bool ok = s->value.dtype != DT_INVALID || read_value(c, &s->value, st);
    struct tensor t = ok ? tensor_copy(&s->value) : (struct tensor){0};
    lock_drop(&s->lock);
    if (ok)
        kernel_out_take(c, 0, &t);
    return ok;
}

static bool constant_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    if (!attrs_get_shape(infer_attrs(c), "shape", &s, st))
        return false;
    infer_set(c, 0, infer_copy(c, s));
    return true;
}

OP_DEF(immutable_const) = {
    .name = "ImmutableConst",
    .summary = "The first bytes of a file as a tensor.",
    .outputs = {"tensor: dtype"},
    .attrs = {"dtype: type", "shape: shape", "memory_region_name: string"},
    .shape = constant_shape,
    .no_grad = "undefined: files have no gradient",
};
KERNEL_DEF(immutable_const_cpu) = {.op = "ImmutableConst",
                                   .device = "CPU",
                                   .flags = KERNEL_BLOCKING,
                                   .state_bytes = sizeof(struct constant),
                                   .init = constant_init,
                                   .release = constant_release,
                                   .run = constant_run};
