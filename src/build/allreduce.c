/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients averaged between processes: small dense ones joined to buckets, each of which is one
 * CollectiveReduce; slices gathered. And variables that all get from one process.
 *
 * Instances are numbered by the collectives that the graph has: processes that build the same graph
 * number them alike. */
#include "leat/allreduce.h"

#include <string.h>

#include "build/build.h"
#include "build/mk.h"
#include "build/optimizer.h"

enum { GROUP_KEY = 0x1ea7 };

static bool started(TF_Graph *g)
{
    if (leat_allreduce_size() > 0)
        return true;
    leat_fail(g, NULL, TF_FAILED_PRECONDITION, "all-reduce: leat_allreduce_init comes first");
    return false;
}

/* --- nodes --- */

static int64_t next_instance(TF_Graph *g)
{
    size_t at = 0;
    int64_t n = 1;
    for (TF_Operation *op; (op = TF_GraphNextOperation(g, &at));)
        n += strncmp(TF_OperationOpType(op), "Collective", strlen("Collective")) == 0;
    return n;
}

static TF_OperationDescription *begin(TF_Graph *g, const char *op, int64_t instance)
{
    TF_OperationDescription *d = leat_begin(g, op, NULL, NULL);
    if (d) {
        TF_SetAttrInt(d, "group_size", leat_allreduce_size());
        TF_SetAttrInt(d, "group_key", GROUP_KEY);
        TF_SetAttrInt(d, "instance_key", instance);
        TF_SetAttrString(d, "communication_hint", "mpi", strlen("mpi"));
    }
    return d;
}

static TF_Output finish(TF_OperationDescription *d)
{
    return d ? leat_output_of(leat_finish(d), 0) : MK_NONE;
}

static TF_Output mean(TF_Graph *g, TF_Output x, int64_t *instance)
{
    TF_OperationDescription *d = begin(g, "CollectiveReduce", (*instance)++);
    if (d) {
        leat_add_input(d, x);
        TF_SetAttrString(d, "merge_op", "Add", 3);
        TF_SetAttrString(d, "final_op", "Div", 3);
        TF_SetAttrIntList(d, "subdiv_offsets", (const int64_t[]){0}, 1);
    }
    return finish(d);
}

/* Rows of all processes, one after the other. */
static TF_Output gather(TF_Graph *g, TF_Output x, int64_t *instance)
{
    int64_t dims[MK_MAX_RANK];
    const int rank = mk_dims(g, x, dims);
    TF_OperationDescription *d = begin(g, "CollectiveGather", (*instance)++);
    if (d) {
        leat_add_input(d, x);
        if (rank > 0)
            dims[0] = -1;
        TF_SetAttrShape(d, "shape", dims, rank);
    }
    return finish(d);
}

/* --- buckets --- */

struct bucket { /* dense gradients of one type whose shapes are known */
    TF_DataType dtype;
    int64_t bytes;
    int *members; /* indices of gradients */
    int64_t n, cap;
};

static TF_Output flat(TF_Graph *g, TF_Output x, int64_t n)
{
    return mk_reshape(g, "Reshape", x, (struct leat_ints){&n, 1});
}

static void send_one(TF_Graph *g, struct leat_grad *grad, int64_t *instance)
{
    grad->values = mean(g, grad->values, instance);
}

static void send_bucket(TF_Graph *g, struct bucket *b, struct leat_grad *grads, int64_t *instance)
{
    int64_t dims[MK_MAX_RANK], *sizes = mem_new_array(int64_t, b->n + 1);
    TF_Output *parts = mem_new_array(TF_Output, b->n + 1);
    for (int64_t i = 0; i < b->n; i++) {
        sizes[i] = mk_num_elements(g, grads[b->members[i]].values);
        parts[i] = flat(g, grads[b->members[i]].values, sizes[i]);
    }
    TF_Output all = mk_concat(g, "concat", (struct leat_outputs){parts, (int)b->n}, 0);
    all = mean(g, all, instance);
    TF_OperationDescription *d = leat_begin(g, "SplitV", "split", NULL);
    TF_Output split = MK_NONE;
    if (d) {
        leat_add_input(d, all);
        leat_add_input(d, mk_i32s(g, "sizes", (struct leat_ints){sizes, (int)b->n}));
        leat_add_input(d, mk_i32(g, "split_dim", 0));
        TF_SetAttrInt(d, "num_split", b->n);
        split = finish(d);
    }
    for (int64_t i = 0; i < b->n && leat_valid(split); i++) {
        TF_Output *value = &grads[b->members[i]].values;
        const int rank = mk_dims(g, *value, dims);
        *value =
            mk_reshape(g, "Reshape", leat_output(split, (int)i), (struct leat_ints){dims, rank});
    }
    mem_free(sizes);
    mem_free(parts);
}

static void close_bucket(TF_Graph *g, struct bucket *b, struct leat_grad *grads, int64_t *instance)
{
    if (b->n == 1)
        send_one(g, &grads[b->members[0]], instance);
    else if (b->n > 1)
        send_bucket(g, b, grads, instance);
    b->n = 0;
    b->bytes = 0;
}

struct sending {
    TF_Graph *g;
    struct leat_grad *grads;
    int64_t bucket_bytes, instance;
    struct bucket buckets[3]; /* one a type */
    int num_buckets;
};

static struct bucket *bucket_of(struct sending *s, TF_DataType dtype)
{
    for (int i = 0; i < s->num_buckets; i++) {
        if (s->buckets[i].dtype == dtype)
            return &s->buckets[i];
    }
    s->buckets[s->num_buckets] = (struct bucket){.dtype = dtype};
    return &s->buckets[s->num_buckets++];
}

static void add_dense(struct sending *s, int i)
{
    const TF_Output x = s->grads[i].values;
    const TF_DataType dtype = TF_OperationOutputType(x);
    const int64_t n = mk_num_elements(s->g, x);
    if (dtype != TF_FLOAT && dtype != TF_DOUBLE && dtype != TF_HALF) {
        leat_fail(s->g, NULL, TF_INVALID_ARGUMENT,
                  "all-reduce: the gradient '%s' is neither float, double nor half",
                  TF_OperationName(x.oper));
        return;
    }
    const int64_t bytes = n < 0 ? -1 : n * (int64_t)TF_DataTypeSize(dtype);
    if (bytes < 0 || bytes > s->bucket_bytes / 2) {
        send_one(s->g, &s->grads[i], &s->instance);
        return;
    }
    struct bucket *b = bucket_of(s, dtype);
    if (b->bytes + bytes > s->bucket_bytes)
        close_bucket(s->g, b, s->grads, &s->instance);
    b->members = vec_reserve(b->members, &b->cap, b->n + 1, sizeof *b->members);
    b->members[b->n++] = i;
    b->bytes += bytes;
}

static void send_sparse(struct sending *s, struct leat_grad *grad)
{
    TF_Graph *g = s->g;
    TF_Output values = gather(g, grad->values, &s->instance);
    grad->indices = gather(g, grad->indices, &s->instance);
    grad->values = mk_math(g, "RealDiv", "mean", mk_t(values), mk_n((double)leat_allreduce_size()));
}

/* The last layers' gradients are there first: they go first. */
int leat_allreduce_gradients(TF_Graph *g, struct leat_grad *grads, int n, int64_t bucket_bytes)
{
    if (!g || n < 0 || (n > 0 && !grads) || !started(g))
        return 0;
    if (leat_allreduce_size() == 1)
        return 1;
    struct sending s = {
        .g = g, .grads = grads, .bucket_bytes = bucket_bytes, .instance = next_instance(g)};
    leat_with_scope(g, "allreduce") {
        for (int i = n - 1; i >= 0; i--) {
            if (leat_grad_is_sparse(grads[i]))
                send_sparse(&s, &grads[i]);
            else if (leat_valid(grads[i].values))
                add_dense(&s, i);
        }
        for (int i = 0; i < s.num_buckets; i++) {
            close_bucket(g, &s.buckets[i], grads, &s.instance);
            mem_free(s.buckets[i].members);
        }
    }
    return leat_graph_ok(g);
}

/* --- the optimizer --- */

void leat_allreduce_args_init(struct leat_allreduce_args *args)
{
    *args = (struct leat_allreduce_args){.bucket_bytes = 4 << 20};
}

leat_optimizer *leat_allreduce_optimizer_fn(const struct leat_allreduce_args *a)
{
    if (!a || !a->opt || !started(a->opt->g))
        return NULL;
    if (a->bucket_bytes < 0) {
        leat_fail(a->opt->g, a->made_at, TF_INVALID_ARGUMENT,
                  "all-reduce: bucket_bytes is %lld, less than 0", (long long)a->bucket_bytes);
        return NULL;
    }
    a->opt->allreduce_bytes = a->bucket_bytes;
    a->opt->allreduce = true;
    return a->opt;
}

/* --- variables --- */

static TF_Operation *broadcast_one(TF_Graph *g, TF_Output v, int root, int64_t instance)
{
    int64_t dims[MK_MAX_RANK];
    struct leat_variable_parts parts;
    if (!optimizer_find_variable(g, v, &parts))
        return NULL;
    TF_Output now = optimizer_read(g, &parts);
    const bool sends = leat_allreduce_rank() == root;
    const int rank = leat_valid(now) ? mk_dims(g, now, dims) : -1;
    if (leat_valid(now) && mk_num_elements(g, now) < 0) {
        leat_fail(g, NULL, TF_INVALID_ARGUMENT,
                  "all-reduce: the shape of variable '%s' is not known", TF_OperationName(v.oper));
        return NULL;
    }
    TF_OperationDescription *d =
        begin(g, sends ? "CollectiveBcastSend" : "CollectiveBcastRecv", instance);
    if (!d)
        return NULL;
    if (sends)
        leat_add_input(d, now);
    TF_SetAttrType(d, "T", parts.dtype);
    TF_SetAttrShape(d, "shape", dims, rank);
    TF_Output given = finish(d);
    if (sends || !leat_valid(given))
        return given.oper;
    return leat_assign(g, parts.ref, given).oper;
}

TF_Operation *leat_broadcast_variables(TF_Graph *g, int root)
{
    if (!g || !started(g))
        return NULL;
    if (root < 0 || root >= leat_allreduce_size()) {
        leat_fail(g, NULL, TF_INVALID_ARGUMENT, "all-reduce: root %d of %d processes", root,
                  leat_allreduce_size());
        return NULL;
    }
    const int n = leat_allreduce_size() == 1
                      ? 0
                      : leat_get_collection(g, LEAT_GLOBAL_VARIABLES, NULL, NULL, 0);
    TF_Output *vars = mem_new_array(TF_Output, n + 1);
    TF_Operation **ops = mem_new_array(TF_Operation *, n + 1), *made = NULL;
    bool ok = true;
    leat_get_collection(g, LEAT_GLOBAL_VARIABLES, NULL, vars, n);
    int64_t instance = next_instance(g);
    leat_with_scope(g, "broadcast_variables") {
        for (int i = 0; ok && i < n; i++) {
            ops[i] = broadcast_one(g, vars[i], root, instance++);
            ok = ops[i] != NULL;
        }
        if (ok)
            made = mk_group(g, leat_current_scope(g), ops, n);
    }
    mem_free(vars);
    mem_free(ops);
    return made;
}
