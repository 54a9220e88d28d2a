/* SPDX-License-Identifier: Apache-2.0 */
/* ParseSequenceExample and ParseSingleSequenceExample: tensors from SequenceExample messages, the
 * features of the whole (context) and those of its steps (feature lists). */
#include "ops/parsing/example_attrs.h"

/* The parts that both ops name alike. */
struct sequence {
    const struct attr_value *sparse, *dense, *list_sparse, *list_dense; /* types */
    int ns, nd, nls, nld;
};

static struct sequence sequence_of(const struct attrs *a)
{
    struct sequence s = {.sparse = attrs_list(a, "context_sparse_types"),
                         .dense = attrs_list(a, "Tcontext_dense"),
                         .list_sparse = attrs_list(a, "feature_list_sparse_types"),
                         .list_dense = attrs_list(a, "feature_list_dense_types")};
    s.ns = (int)s.sparse->n;
    s.nd = (int)s.dense->n;
    s.nls = (int)s.list_sparse->n;
    s.nld = (int)s.list_dense->n;
    return s;
}

static bool check_attrs(const struct attrs *a, bool keys, struct status *st)
{
#define KEYS(name) keys ? name : NULL
    struct same_length lists[] = {
        {"context_sparse",
         attrs_int(a, "Ncontext_sparse"),
         {"context_sparse_types", KEYS("context_sparse_keys")}},
        {"context_dense",
         attrs_int(a, "Ncontext_dense"),
         {"Tcontext_dense", "context_dense_shapes", KEYS("context_dense_keys")}},
        {"feature_list_sparse",
         attrs_int(a, "Nfeature_list_sparse"),
         {"feature_list_sparse_types", KEYS("feature_list_sparse_keys")}},
        {"feature_list_dense",
         attrs_int(a, "Nfeature_list_dense"),
         {"feature_list_dense_types", "feature_list_dense_shapes",
          KEYS("feature_list_dense_keys")}},
    };
#undef KEYS
    for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
        if (!attrs_same_length(a, lists[i], st))
            return false;
    }
    return attrs_dense_shapes(a, "context_dense_shapes", false, st) &&
           attrs_dense_shapes(a, "feature_list_dense_shapes", false, st);
}

static bool not_a_scalar_or_vector(const struct tensor *in, struct status *st)
{
    struct strbuf text = {0};
    shape_print(&in->shape, &text);
    status_invalid(st, "Expected serialized to be a scalar or vector, got shape: %s",
                   strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

struct keys {
    struct key_source sparse, dense, list_sparse, list_dense;
    int first_default;
};

/* Columns and outputs; both ops have their outputs in this order. */
static bool make_columns(struct parse_job *job, const struct keys *keys, struct status *st)
{
    const struct attrs *a = kernel_attrs(job->c);
    const struct sequence s = sequence_of(a);
    struct columns *cs = &job->features, *ls = &job->lists;
    if (!columns_init(cs, job->c, s.ns, s.nd, st) || !columns_init(ls, job->c, s.nls, s.nld, st) ||
        !columns_name(cs, job->c, 0, keys->sparse, s.sparse, st) ||
        !columns_name(cs, job->c, s.ns, keys->dense, s.dense, st) ||
        !columns_name(ls, job->c, 0, keys->list_sparse, s.list_sparse, st) ||
        !columns_name(ls, job->c, s.nls, keys->list_dense, s.list_dense, st) ||
        !columns_shapes(cs, attrs_list(a, "context_dense_shapes"), st) ||
        !columns_shapes(ls, attrs_list(a, "feature_list_dense_shapes"), st) ||
        !columns_defaults(cs, job->c, keys->first_default, "context_dense_shapes", st))
        return false;
    cs->first_values = s.ns;
    cs->first_shapes = 2 * s.ns;
    cs->first_dense = 3 * s.ns;
    ls->first_indices = 3 * s.ns + s.nd;
    ls->first_values = ls->first_indices + s.nls;
    ls->first_shapes = ls->first_values + s.nls;
    ls->first_dense = ls->first_shapes + s.nls;
    return true;
}

static void allow_missing(struct columns *ls, struct str key)
{
    for (int k = ls->num_sparse; k < ls->num; k++)
        ls->v[k].may_miss = ls->v[k].may_miss || str_eq(ls->v[k].key, key);
}

/* The shapes of both ops: without a batch, with one, or it is not known which. */
static void infer_sequence(struct infer_ctx *c, const struct shape *in)
{
    const struct sequence s = sequence_of(infer_attrs(c));
    int at = 3 * s.ns + s.nd, width = in->rank < 0 ? -3 : in->rank;
    const struct shape *steps =
        in->rank < 0 ? in : infer_concat(c, in, infer_vector(c, DIM_UNKNOWN));
    infer_sparse_outputs(c, 0, s.ns, 1 + width);
    infer_dense_outputs(c, 3 * s.ns, in, "context_dense_shapes");
    infer_sparse_outputs(c, at, s.nls, 2 + width);
    infer_dense_outputs(c, at + 3 * s.nls, steps, "feature_list_dense_shapes");
    for (int i = 0; at + 3 * s.nls + s.nld + i < infer_num_outputs(c); i++)
        infer_set(c, at + 3 * s.nls + s.nld + i, in);
}

#define OUTPUTS                                                                                    \
    "context_sparse_indices: Ncontext_sparse * int64",                                             \
        "context_sparse_values: context_sparse_types",                                             \
        "context_sparse_shapes: Ncontext_sparse * int64", "context_dense_values: Tcontext_dense",  \
        "feature_list_sparse_indices: Nfeature_list_sparse * int64",                               \
        "feature_list_sparse_values: feature_list_sparse_types",                                   \
        "feature_list_sparse_shapes: Nfeature_list_sparse * int64",                                \
        "feature_list_dense_values: feature_list_dense_types"
#define ATTRS                                                                                      \
    "Ncontext_sparse: int >= 0 = 0", "Ncontext_dense: int >= 0 = 0",                               \
        "Nfeature_list_sparse: int >= 0 = 0", "Nfeature_list_dense: int >= 0 = 0",                 \
        "context_sparse_types: list({float, int64, string}) >= 0 = []",                            \
        "Tcontext_dense: list({float, int64, string}) >= 0 = []",                                  \
        "feature_list_dense_types: list({float, int64, string}) >= 0 = []",                        \
        "context_dense_shapes: list(shape) >= 0 = []",                                             \
        "feature_list_sparse_types: list({float, int64, string}) >= 0 = []",                       \
        "feature_list_dense_shapes: list(shape) >= 0 = []"

/* --- ParseSequenceExample --- */

static bool batch_init(struct kernel *k, void *state UNUSED, struct status *st)
{
    return check_attrs(k->attrs, true, st);
}

static bool batch_run(struct kctx *c, struct status *st)
{
    const struct attrs *a = kernel_attrs(c);
    const struct tensor *in = kernel_in(c, 0);
    struct parse_job job = {.c = c, .names = kernel_in(c, 1), .num = in->num_elems};
    struct keys keys = {{attrs_list(a, "context_sparse_keys"), 0},
                        {attrs_list(a, "context_dense_keys"), 0},
                        {attrs_list(a, "feature_list_sparse_keys"), 0},
                        {attrs_list(a, "feature_list_dense_keys"), 0},
                        2};
    const struct attr_value *may_miss = attrs_list(a, "feature_list_dense_missing_assumed_empty");
    if (tensor_rank(in) > 1)
        return not_a_scalar_or_vector(in, st);
    job.single = tensor_rank(in) == 0;
    job.texts = tensor_str(in);
    if (!check_names(&job, "debug_name", st) || !make_columns(&job, &keys, st))
        return false;
    job.lists.first_lengths = job.lists.first_dense + job.lists.num - job.lists.num_sparse;
    for (int64_t i = 0; i < may_miss->n; i++)
        allow_missing(&job.lists, may_miss->ss[i]);
    return parse_job_run(&job, st);
}

static bool batch_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *in, *names;
    if (!check_attrs(infer_attrs(c), true, st) ||
        !infer_want_rank_max(c, infer_input(c, 0), 1, &in, st) ||
        !infer_want_rank_max(c, infer_input(c, 1), 1, &names, st))
        return false;
    infer_sequence(c, in);
    return true;
}

OP_DEF(parse_sequence_example) = {
    .name = "ParseSequenceExample",
    .summary = "Tensors from SequenceExample messages: of the whole, and of every step.",
    .inputs = {"serialized: string", "debug_name: string",
               "context_dense_defaults: Tcontext_dense"},
    .outputs = {OUTPUTS, "feature_list_dense_lengths: Nfeature_list_dense * int64"},
    .attrs = {"feature_list_dense_missing_assumed_empty: list(string) >= 0",
              "context_sparse_keys: list(string) >= 0", "context_dense_keys: list(string) >= 0",
              "feature_list_sparse_keys: list(string) >= 0",
              "feature_list_dense_keys: list(string) >= 0", ATTRS},
    .shape = batch_shape,
    .no_grad = "undefined: messages have no gradient",
};
KERNEL_DEF(parse_sequence_example_cpu) = {
    .op = "ParseSequenceExample",
    .device = "CPU",
    .flags = KERNEL_EXPENSIVE,
    .init = batch_init,
    .run = batch_run,
};

/* --- ParseSingleSequenceExample --- */

static bool single_init(struct kernel *k, void *state UNUSED, struct status *st)
{
    return check_attrs(k->attrs, false, st);
}

static bool single_run(struct kctx *c, struct status *st)
{
    enum { SERIALIZED, MAY_MISS, FIRST_KEY };
    const struct sequence s = sequence_of(kernel_attrs(c));
    const struct tensor *in = kernel_in(c, SERIALIZED), *may_miss = kernel_in(c, MAY_MISS);
    int dense = FIRST_KEY + s.ns, list_sparse = dense + s.nd, list_dense = list_sparse + s.nls,
        defaults = list_dense + s.nld;
    struct keys keys = {
        {NULL, FIRST_KEY}, {NULL, dense}, {NULL, list_sparse}, {NULL, list_dense}, defaults};
    struct parse_job job = {
        .c = c, .names = kernel_in(c, defaults + s.nd), .num = 1, .single = true};
    if (tensor_rank(in) != 0)
        return not_a_scalar_or_vector(in, st);
    job.texts = tensor_str(in);
    if (!make_columns(&job, &keys, st))
        return false;
    for (int64_t i = 0; i < may_miss->num_elems; i++)
        allow_missing(&job.lists, tstr_view(&tensor_str(may_miss)[i]));
    return parse_job_run(&job, st);
}

static bool single_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *in, *may_miss;
    if (!check_attrs(infer_attrs(c), false, st) ||
        !infer_want_rank(c, infer_input(c, 0), 0, &in, st) ||
        !infer_want_rank(c, infer_input(c, 1), 1, &may_miss, st))
        return false;
    infer_sequence(c, in);
    return true;
}

OP_DEF(parse_single_sequence_example) = {
    .name = "ParseSingleSequenceExample",
    .summary = "Tensors from one SequenceExample message: of the whole, and of every step.",
    .inputs = {"serialized: string", "feature_list_dense_missing_assumed_empty: string",
               "context_sparse_keys: Ncontext_sparse * string",
               "context_dense_keys: Ncontext_dense * string",
               "feature_list_sparse_keys: Nfeature_list_sparse * string",
               "feature_list_dense_keys: Nfeature_list_dense * string",
               "context_dense_defaults: Tcontext_dense", "debug_name: string"},
    .outputs = {OUTPUTS},
    .attrs = {ATTRS},
    .shape = single_shape,
    .no_grad = "undefined: messages have no gradient",
};
KERNEL_DEF(parse_single_sequence_example_cpu) = {
    .op = "ParseSingleSequenceExample",
    .device = "CPU",
    .init = single_init,
    .run = single_run,
};
