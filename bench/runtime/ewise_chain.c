/* SPDX-License-Identifier: Apache-2.0 */
/* Chains of elementwise ops through a session, beside a memcpy of the same bytes and a single Add
 * in the same run: 1M and 16M floats, one and two threads. Columns are milliseconds (the best of
 * several) and the ratio to the memcpy; for the chain with functions, the ratio to the sum of its
 * single ops in the cache. A size may be given. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/lock.h"
#include "base/pool.h"
#include "tensorflow/c/c_api.h"

static TF_Status *st;

static void check(void)
{
    if (TF_GetCode(st) != TF_OK) {
        fprintf(stderr, "%s\n", TF_Message(st));
        exit(1);
    }
}

static TF_Output node(TF_Graph *g, const char *op, int n, TF_Output a, TF_Output b)
{
    static int count;
    char name[32];
    snprintf(name, sizeof name, "n%d", count++);
    TF_OperationDescription *d = TF_NewOperation(g, op, name);
    TF_AddInput(d, a);
    if (n == 2)
        TF_AddInput(d, b);
    TF_Output o = {TF_FinishOperation(d, st), 0};
    check();
    return o;
}

static TF_Output placeholder(TF_Graph *g, const char *name)
{
    TF_OperationDescription *d = TF_NewOperation(g, "Placeholder", name);
    TF_SetAttrType(d, "dtype", TF_FLOAT);
    TF_Output o = {TF_FinishOperation(d, st), 0};
    check();
    return o;
}

static TF_Output scalar(TF_Graph *g, const char *name, float v)
{
    TF_Tensor *t = TF_AllocateTensor(TF_FLOAT, NULL, 0, 4);
    *(float *)TF_TensorData(t) = v;
    TF_OperationDescription *d = TF_NewOperation(g, "Const", name);
    TF_SetAttrTensor(d, "value", t, st);
    TF_SetAttrType(d, "dtype", TF_FLOAT);
    TF_Output o = {TF_FinishOperation(d, st), 0};
    check();
    TF_DeleteTensor(t);
    return o;
}

struct rig {
    TF_Session *s;
    TF_Output feeds[2];
    TF_Tensor *values[2];
    int rounds;
};

/* Milliseconds of one run, the best. */
static double time_of(struct rig *r, TF_Output y)
{
    double best = 1e9;
    for (int i = 0; i < r->rounds; i++) {
        TF_Tensor *out = NULL;
        int64_t start = clock_now_ns();
        TF_SessionRun(r->s, NULL, r->feeds, r->values, 2, &y, &out, 1, NULL, 0, NULL, st);
        double ms = (double)(clock_now_ns() - start) / 1e6;
        check();
        TF_DeleteTensor(out);
        best = ms < best ? ms : best;
    }
    return best;
}

struct copy {
    char *to;
    const char *from;
};

static void copy_piece(void *arg, int64_t begin, int64_t end)
{
    struct copy *c = arg;
    memcpy(c->to + begin, c->from + begin, (size_t)(end - begin));
}

static double time_copy(struct pool *pool, const void *from, int64_t bytes, int rounds)
{
    char *to = aligned_alloc(64, (size_t)bytes);
    memset(to, 1, (size_t)bytes);
    struct copy c = {to, from};
    double best = 1e9;
    for (int i = 0; i < rounds; i++) {
        int64_t start = clock_now_ns();
        if (pool_num_threads(pool) == 1)
            memcpy(to, from, (size_t)bytes);
        else
            pool_loop(pool, bytes, bytes / pool_num_threads(pool), 1, copy_piece, &c);
        double ms = (double)(clock_now_ns() - start) / 1e6;
        best = ms < best ? ms : best;
    }
    free(to);
    return best;
}

static TF_Output chain(TF_Graph *g, TF_Output x, TF_Output y, TF_Output z)
{
    static const char *const ops[] = {"Add", "Mul", "Maximum"};
    for (int i = 0; i < 10; i++)
        x = node(g, ops[i % 3], 2, x, i % 2 ? z : y);
    return x;
}

static void bench(int64_t n, int threads)
{
    TF_Graph *g = TF_NewGraph();
    TF_SessionOptions *o = TF_NewSessionOptions();
    char config[100];
    snprintf(config, sizeof config, "intra_op_parallelism_threads: %d", threads);
    TF_SetConfig(o, config, strlen(config), st);
    struct rig r = {.s = TF_NewSession(g, o, st), .rounds = n > 4 << 20 ? 12 : 60};
    check();
    r.feeds[0] = placeholder(g, "x");
    r.feeds[1] = placeholder(g, "y");
    for (int i = 0; i < 2; i++) {
        r.values[i] = TF_AllocateTensor(TF_FLOAT, &n, 1, (size_t)n * 4);
        for (int64_t k = 0; k < n; k++)
            ((float *)TF_TensorData(r.values[i]))[k] = (float)(k % 1000) / 1000 - 0.3f;
    }
    TF_Output a = scalar(g, "a", 1.25f), b = scalar(g, "b", 0.75f);
    TF_Output x = r.feeds[0], y = r.feeds[1];
    TF_Output exp_chain = node(g, "Tanh", 1, node(g, "Mul", 2, x, a), x);
    exp_chain = node(g, "Exp", 1, node(g, "Sub", 2, exp_chain, b), x);
    struct pool *pool = pool_new("copy", threads);
    double copy = time_copy(pool, TF_TensorData(r.values[0]), n * 4, r.rounds);
    pool_free(pool);
    double add = time_of(&r, node(g, "Add", 2, x, a)),
           add_two = time_of(&r, node(g, "Add", 2, x, y));
    double ten = time_of(&r, chain(g, x, a, b)), ten_two = time_of(&r, chain(g, x, y, b));
    double functions = time_of(&r, exp_chain);
    double alone = time_of(&r, node(g, "Tanh", 1, x, x)) + time_of(&r, node(g, "Exp", 1, x, x));
    printf("%4lldM floats, %d thread%s: memcpy %.2f ms\n", (long long)(n >> 20), threads,
           threads > 1 ? "s" : "", copy);
    printf("  Add of a scalar        %7.2f  %.2f\n", add, add / copy);
    printf("  ten ops with scalars   %7.2f  %.2f\n", ten, ten / copy);
    printf("  Add of a tensor        %7.2f  %.2f\n", add_two, add_two / copy);
    printf("  ten ops with a tensor  %7.2f  %.2f\n", ten_two, ten_two / copy);
    printf("  exp(tanh(x a) - b)     %7.2f  %.2f of tanh and exp alone, %.2f\n", functions,
           functions / alone, alone);
    TF_DeleteSession(r.s, st);
    TF_DeleteSessionOptions(o);
    TF_DeleteTensor(r.values[0]);
    TF_DeleteTensor(r.values[1]);
    TF_DeleteGraph(g);
}

int main(int argc, char **argv)
{
    st = TF_NewStatus();
    int64_t sizes[] = {1 << 20, 16 << 20};
    if (argc > 1)
        sizes[0] = sizes[1] = atoll(argv[1]);
    for (int threads = 1; threads <= 2; threads++) {
        for (int i = 0; i < (argc > 1 ? 1 : 2); i++)
            bench(sizes[i], threads);
    }
    TF_DeleteStatus(st);
    return 0;
}
