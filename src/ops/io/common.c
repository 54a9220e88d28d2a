/* SPDX-License-Identifier: Apache-2.0 */
/* Names, shapes and their texts for the ops on files. */
#include "ops/io/common.h"

#include "base/mem.h"

char *io_path(const struct kctx *c, int k, int64_t i, struct status *st)
{
    struct str s = tstr_view(&tensor_str(kernel_in(c, k))[i]);
    if (memchr(s.p, 0, s.n)) {
        status_invalid(st, "The name of a file has a zero byte: %.*s...",
                       (int)min_i64((int64_t)s.n, 200), s.p);
        return NULL;
    }
    return mem_strndup(s.p, s.n);
}

bool io_want_rank(struct infer_ctx *c, int k, int rank, struct status *st)
{
    const struct shape *s;
    return infer_want_rank(c, infer_input(c, k), rank, &s, st);
}

bool io_want_names(struct infer_ctx *c, int k, int n, struct status *st)
{
    const struct shape *s;
    int64_t dim;
    return infer_want_rank(c, infer_input(c, k), 1, &s, st) &&
           infer_want_dim(c, infer_dim(s, 0), n, &dim, st);
}

bool io_slice_shapes(struct infer_ctx *c, int k, struct status *st)
{
    const struct tensor *t = infer_const(c, k);
    int n = infer_num_outputs(c);
    for (int i = 0; i < n; i++)
        infer_set(c, i, infer_unknown(c));
    if (!t)
        return true;
    if (t->num_elems != n)
        return status_invalid(st, "The number of shape_and_slice doesn't match tensor outputs.");
    for (int i = 0; i < n; i++) {
        struct shape whole, part;
        struct slice slice;
        struct str text = tstr_view(&tensor_str(t)[i]);
        if (text.n == 0)
            continue;
        if (!slice_spec_parse(text, &whole, &slice, &part, st))
            return false;
        infer_set(c, i, infer_copy(c, &part));
        shape_clear(&whole);
        shape_clear(&part);
    }
    return true;
}

char *io_shape_text(const struct shape *s)
{
    struct strbuf text = {0};
    shape_print(s, &text);
    return text.p ? strbuf_take(&text) : mem_strdup("");
}

bool io_check_v2(const struct kctx *c, struct status *st)
{
    const struct tensor *prefix = kernel_in(c, 0), *names = kernel_in(c, 1);
    const struct tensor *slices = kernel_in(c, 2);
    if (prefix->num_elems != 1)
        return status_invalid(st, "Input prefix should have a single element, got %lld instead.",
                              (long long)prefix->num_elems);
    if (tensor_rank(names) == 1 && tensor_rank(slices) == 1)
        return true;
    char *a = io_shape_text(&names->shape), *b = io_shape_text(&slices->shape);
    status_invalid(st,
                   "Input tensor_names and shape_and_slices should be an 1-D tensors, got %s and "
                   "%s instead.",
                   a, b);
    mem_free(a);
    mem_free(b);
    return false;
}

bool io_check_as_many(const struct kctx *c, struct status *st)
{
    int64_t names = kernel_in(c, 1)->num_elems, slices = kernel_in(c, 2)->num_elems;
    return names == slices || status_invalid(st,
                                             "tensor_names and shape_and_slices have different "
                                             "number of elements: %lld vs. %lld",
                                             (long long)names, (long long)slices);
}

bool io_slice_to_save(struct str spec, const struct tensor *t, struct shape *whole,
                      struct slice *slice, struct status *st)
{
    struct shape part = {0};
    *whole = (struct shape){0};
    bool ok = slice_spec_parse(spec, whole, slice, &part, st);
    if (ok && !shape_equal(&part, &t->shape)) {
        char *shape = io_shape_text(&t->shape);
        ok = status_invalid(st,
                            "Slice in shape_and_slice specification does not match the shape of "
                            "the tensor to  save: %.*s, tensor: %s",
                            (int)min_i64((int64_t)spec.n, 200), spec.p, shape);
        mem_free(shape);
    }
    shape_clear(&part);
    return ok;
}
