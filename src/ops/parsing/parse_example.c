/* SPDX-License-Identifier: Apache-2.0 */
/* ParseExample and ParseSingleExample: tensors from Example messages, a batch of them or one. */
#include "ops/parsing/example_attrs.h"

/* --- ParseExample --- */

static bool check_batch_attrs(const struct attrs *a, struct status *st)
{
    struct same_length sparse = {"sparse", attrs_int(a, "Nsparse"), {"sparse_types"}},
                       dense = {"dense", attrs_int(a, "Ndense"), {"Tdense", "dense_shapes"}};
    return attrs_same_length(a, sparse, st) && attrs_same_length(a, dense, st) &&
           attrs_dense_shapes(a, "dense_shapes", true, st);
}

static bool batch_init(struct kernel *k, void *state UNUSED, struct status *st)
{
    return check_batch_attrs(k->attrs, st);
}

static bool want_rank(const struct tensor *t, int rank, const char *name, const char *what,
                      struct status *st)
{
    if (tensor_rank(t) == rank)
        return true;
    struct strbuf text = {0};
    shape_print(&t->shape, &text);
    status_invalid(st, "Expected %s to be a %s, got shape: %s", name, what, strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

static bool batch_run(struct kctx *c, struct status *st)
{
    enum { SERIALIZED, NAMES, SPARSE_KEYS };
    const struct attrs *a = kernel_attrs(c);
    const struct tensor *in = kernel_in(c, SERIALIZED);
    const struct attr_value *sparse = attrs_list(a, "sparse_types"),
                            *dense = attrs_list(a, "Tdense");
    int ns = (int)sparse->n, nd = (int)dense->n;
    struct parse_job job = {.c = c, .names = kernel_in(c, NAMES)};
    struct columns *cs = &job.features;
    if (!want_rank(in, 1, "serialized", "vector", st) ||
        !want_rank(job.names, 1, "names", "vector", st))
        return false;
    job.texts = tensor_str(in);
    job.num = in->num_elems;
    struct key_source sparse_keys = {NULL, SPARSE_KEYS}, dense_keys = {NULL, SPARSE_KEYS + ns};
    if (!check_names(&job, "names", st) || !columns_init(&job.lists, c, 0, 0, st) ||
        !columns_init(cs, c, ns, nd, st) || !columns_name(cs, c, 0, sparse_keys, sparse, st) ||
        !columns_name(cs, c, ns, dense_keys, dense, st) ||
        !columns_shapes(cs, attrs_list(a, "dense_shapes"), st) ||
        !columns_defaults(cs, c, SPARSE_KEYS + ns + nd, "dense_shapes", st))
        return false;
    cs->first_values = ns;
    cs->first_shapes = 2 * ns;
    cs->first_dense = 3 * ns;
    return parse_job_run(&job, st);
}

static bool batch_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *in, *names;
    int ns = (int)attrs_int(infer_attrs(c), "Nsparse");
    if (!check_batch_attrs(infer_attrs(c), st) ||
        !infer_want_rank(c, infer_input(c, 0), 1, &in, st) ||
        !infer_want_rank(c, infer_input(c, 1), 1, &names, st))
        return false;
    infer_sparse_outputs(c, 0, ns, 2);
    infer_dense_outputs(c, 3 * ns, in, "dense_shapes");
    return true;
}

OP_DEF(parse_example) = {
    .name = "ParseExample",
    .summary = "Tensors from a vector of Example messages, sparse or dense for each key.",
    .inputs = {"serialized: string", "names: string", "sparse_keys: Nsparse * string",
               "dense_keys: Ndense * string", "dense_defaults: Tdense"},
    .outputs = {"sparse_indices: Nsparse * int64", "sparse_values: sparse_types",
                "sparse_shapes: Nsparse * int64", "dense_values: Tdense"},
    .attrs = {"Nsparse: int >= 0", "Ndense: int >= 0",
              "sparse_types: list({float, int64, string}) >= 0",
              "Tdense: list({float, int64, string}) >= 0", "dense_shapes: list(shape) >= 0"},
    .shape = batch_shape,
    .no_grad = "undefined: messages have no gradient",
};
KERNEL_DEF(parse_example_cpu) = {
    .op = "ParseExample",
    .device = "CPU",
    .flags = KERNEL_EXPENSIVE,
    .init = batch_init,
    .run = batch_run,
};

/* --- ParseSingleExample --- */

static bool check_single_attrs(const struct attrs *a, struct status *st)
{
    struct same_length sparse = {
        "sparse", attrs_int(a, "num_sparse"), {"sparse_keys", "sparse_types"}};
    struct same_length dense = {
        "dense", attrs_list(a, "Tdense")->n, {"dense_keys", "dense_shapes"}};
    return attrs_same_length(a, sparse, st) && attrs_same_length(a, dense, st) &&
           attrs_dense_shapes(a, "dense_shapes", true, st);
}

static bool single_init(struct kernel *k, void *state UNUSED, struct status *st)
{
    return check_single_attrs(k->attrs, st);
}

static bool single_run(struct kctx *c, struct status *st)
{
    const struct attrs *a = kernel_attrs(c);
    const struct tensor *in = kernel_in(c, 0);
    const struct attr_value *sparse = attrs_list(a, "sparse_types"),
                            *dense = attrs_list(a, "Tdense");
    int ns = (int)sparse->n, nd = (int)dense->n;
    struct parse_job job = {.c = c, .single = true, .num = 1};
    struct columns *cs = &job.features;
    struct key_source sparse_keys = {attrs_list(a, "sparse_keys"), 0},
                      dense_keys = {attrs_list(a, "dense_keys"), 0};
    if (!want_rank(in, 0, "serialized", "scalar", st) || !columns_init(&job.lists, c, 0, 0, st) ||
        !columns_init(cs, c, ns, nd, st) || !columns_name(cs, c, 0, sparse_keys, sparse, st) ||
        !columns_name(cs, c, ns, dense_keys, dense, st) ||
        !columns_shapes(cs, attrs_list(a, "dense_shapes"), st) ||
        !columns_defaults(cs, c, 1, "dense_shapes", st))
        return false;
    job.texts = tensor_str(in);
    cs->first_values = ns;
    cs->first_shapes = 2 * ns;
    cs->first_dense = 3 * ns;
    return parse_job_run(&job, st);
}

static bool single_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *in;
    int ns = (int)attrs_int(infer_attrs(c), "num_sparse");
    if (!check_single_attrs(infer_attrs(c), st) ||
        !infer_want_rank(c, infer_input(c, 0), 0, &in, st))
        return false;
    infer_sparse_outputs(c, 0, ns, 1);
    infer_dense_outputs(c, 3 * ns, infer_scalar(c), "dense_shapes");
    return true;
}

OP_DEF(parse_single_example) = {
    .name = "ParseSingleExample",
    .summary = "Tensors from one Example message, sparse or dense for each key.",
    .inputs = {"serialized: string", "dense_defaults: Tdense"},
    .outputs = {"sparse_indices: num_sparse * int64", "sparse_values: sparse_types",
                "sparse_shapes: num_sparse * int64", "dense_values: Tdense"},
    .attrs = {"num_sparse: int >= 0", "sparse_keys: list(string) >= 0",
              "dense_keys: list(string) >= 0", "sparse_types: list({float, int64, string}) >= 0",
              "Tdense: list({float, int64, string}) >= 0", "dense_shapes: list(shape) >= 0"},
    .shape = single_shape,
    .no_grad = "undefined: messages have no gradient",
};
KERNEL_DEF(parse_single_example_cpu) = {
    .op = "ParseSingleExample", .device = "CPU", .init = single_init, .run = single_run};
