/* SPDX-License-Identifier: Apache-2.0 */
/* The training cases of `leat bench`: the models and batches that bench/peers has too. Labels and
 * images are random: a step costs the same. */
#include <math.h>

#include "cli/bench_layers.h"

static TF_Output labels(struct bench_part *p, int64_t batch, int64_t classes)
{
    return bench_input(p, TF_INT32, &batch, 1, classes);
}

static TF_Output images(struct bench_part *p, int64_t batch, int64_t size)
{
    return bench_input(p, TF_FLOAT, (int64_t[]){batch, size}, 2, 0);
}

static TF_Output reshape(struct maker *m, TF_Output x, const int32_t *shape, int n)
{
    return op2(m, "Reshape", x, make_ints(m, shape, n));
}

static void build_softmax(struct bench_part *p, int part)
{
    (void)part;
    const TF_Output x = images(p, 100, 784), y = labels(p, 100, 10);
    bench_train(p, layer_loss(&p->m, layer_dense(&p->m, x, 784, 10), y), TRAIN_SGD, 0.05f, NULL, 0);
}

static TF_Output mlp_loss(struct bench_part *p)
{
    TF_Output x = images(p, 128, 784), y = labels(p, 128, 10);
    x = op1(&p->m, "Relu", layer_dense(&p->m, x, 784, 512));
    x = op1(&p->m, "Relu", layer_dense(&p->m, x, 512, 512));
    return layer_loss(&p->m, layer_dense(&p->m, x, 512, 10), y);
}

static void build_mlp_sgd(struct bench_part *p, int part)
{
    (void)part;
    bench_train(p, mlp_loss(p), TRAIN_SGD, 0.05f, NULL, 0);
}

static void build_mlp_adam(struct bench_part *p, int part)
{
    (void)part;
    bench_train(p, mlp_loss(p), TRAIN_ADAM, 0.001f, NULL, 0);
}

static void build_cnn(struct bench_part *p, int part)
{
    (void)part;
    struct maker *m = &p->m;
    TF_Output x = images(p, 128, 784), y = labels(p, 128, 10);
    x = reshape(m, x, (int32_t[]){-1, 28, 28, 1}, 4);
    x = layer_conv(m, x, (int64_t[]){5, 5, 1, 32}, "SAME");
    x = layer_max_pool(m, x, 2, 2, 2, 2, "SAME");
    x = layer_conv(m, x, (int64_t[]){5, 5, 32, 64}, "SAME");
    x = layer_max_pool(m, x, 2, 2, 2, 2, "SAME");
    x = reshape(m, x, (int32_t[]){-1, 7 * 7 * 64}, 2);
    x = op1(m, "Relu", layer_dense(m, x, 7 * 7 * 64, 1024));
    x = layer_dropout(m, x, (int32_t[]){128, 1024}, 2, 0.5f);
    bench_train(p, layer_loss(m, layer_dense(m, x, 1024, 10), y), TRAIN_ADAM, 1e-4f, NULL, 0);
}

/* ---- word2vec: skip-gram, noise-contrastive estimation, every table updated by rows */

enum { WORDS = 50000, WIDTH = 128, PAIRS = 128, NEGATIVES = 64 };

static TF_Output cast(struct maker *m, TF_Output x, TF_DataType to)
{
    const struct make_attr type = attr_type("DstT", to);
    return make(m,
                &(struct make_node){
                    .op = "Cast", .inputs = &x, .num_inputs = 1, .attrs = &type, .num_attrs = 1});
}

/* The rows of a table of its own, uniform in [-limit, limit] at the start. */
static TF_Output lookup(struct maker *m, struct train_table *t, const int64_t *dims, int num_dims,
                        float limit, TF_Output ids)
{
    *t = (struct train_table){.ids = ids, .num_dims = num_dims};
    for (int i = 0; i < num_dims; i++)
        t->dims[i] = dims[i];
    t->table = make_slot(m, dims, num_dims, make_uniform(m, dims, num_dims, limit));
    t->rows = op3(m, "GatherV2", op1(m, "Identity", t->table), ids, make_int(m, 0));
    return t->rows;
}

static TF_Output sigmoid_losses(struct maker *m, TF_Output x, TF_Output z)
{
    const TF_Output none = op1(m, "ZerosLike", x);
    const TF_Output positive = op2(m, "GreaterEqual", x, none);
    const TF_Output relu = op3(m, "Select", positive, x, none);
    const TF_Output minus = op3(m, "Select", positive, op1(m, "Neg", x), x);
    return op2(m, "Add", op2(m, "Sub", relu, op2(m, "Mul", x, z)),
               op1(m, "Log1p", op1(m, "Exp", minus)));
}

static TF_Output sampler(struct maker *m, TF_Output classes)
{
    const struct make_attr attrs[] = {
        attr_int("num_true", 1),  attr_int("num_sampled", NEGATIVES), attr_bool("unique", true),
        attr_int("seed", 123456), attr_int("range_max", WORDS),
    };
    return make(m, &(struct make_node){.op = "LogUniformCandidateSampler",
                                       .inputs = &classes,
                                       .num_inputs = 1,
                                       .attrs = attrs,
                                       .num_attrs = 5});
}

/* Half a bias or weight lookup: the rows of the true words, or of the negatives. */
static TF_Output half(struct maker *m, TF_Output rows, bool negatives, int n)
{
    const int32_t begin[2] = {negatives ? PAIRS : 0, 0};
    const int32_t size[2] = {negatives ? NEGATIVES : PAIRS, -1};
    return op_slice(m, rows, begin, size, n);
}

static TF_Output nce_losses(struct bench_part *p, TF_Output embedded, TF_Output y,
                            struct train_table tables[2])
{
    struct maker *m = &p->m;
    const TF_Output classes = cast(m, reshape(m, y, (int32_t[]){-1, 1}, 2), TF_INT64);
    const TF_Output ids = sampler(m, classes);
    const TF_Output true_count = {ids.oper, 1}, sampled_count = {ids.oper, 2};
    const TF_Output list[2] = {reshape(m, classes, (int32_t[]){-1}, 1), ids};
    const TF_Output all = op_list(m, "ConcatV2", list, 2, 0);
    const int64_t dims[2] = {WORDS, WIDTH};
    const TF_Output w = lookup(m, &tables[0], dims, 2, 1 / sqrtf(WIDTH), all);
    const TF_Output b = lookup(m, &tables[1], dims, 1, 0, all);
    const TF_Output product[2] = {embedded, half(m, w, true, 2)};
    const struct make_attr transposed = attr_bool("transpose_b", true);
    TF_Output sampled = make(m, &(struct make_node){.op = "MatMul",
                                                    .inputs = product,
                                                    .num_inputs = 2,
                                                    .attrs = &transposed,
                                                    .num_attrs = 1});
    TF_Output right = op2(m, "Sum", op2(m, "Mul", embedded, half(m, w, false, 2)),
                          make_ints(m, (int32_t[]){1}, 1));
    right = op2(m, "Add", reshape(m, right, (int32_t[]){-1, 1}, 2),
                reshape(m, half(m, b, false, 1), (int32_t[]){-1, 1}, 2));
    sampled = op2(m, "Add", sampled, half(m, b, true, 1));
    right = op2(m, "Sub", right, op1(m, "Log", true_count));
    sampled = op2(m, "Sub", sampled, op1(m, "Log", sampled_count));
    const TF_Output logits[2] = {right, sampled};
    const TF_Output targets[2] = {op1(m, "OnesLike", right), op1(m, "ZerosLike", sampled)};
    const TF_Output losses = sigmoid_losses(m, op_list(m, "ConcatV2", logits, 2, 1),
                                            op_list(m, "ConcatV2", targets, 2, 1));
    return op2(m, "Sum", losses, make_ints(m, (int32_t[]){1}, 1));
}

static void build_w2v(struct bench_part *p, int part)
{
    (void)part;
    struct train_table tables[3];
    const int64_t dims[2] = {WORDS, WIDTH};
    const TF_Output x = labels(p, PAIRS, WORDS), y = labels(p, PAIRS, WORDS);
    const TF_Output embedded = lookup(&p->m, &tables[2], dims, 2, 1, x);
    const TF_Output losses = nce_losses(p, embedded, y, tables);
    bench_train(p, layer_mean(&p->m, losses, (int32_t[]){0}, 1), TRAIN_SGD, 1.0f, tables, 3);
}

/* ---- sentences: an embedding, filters of 3, 4 and 5 words, the largest of each */

static void build_textcnn(struct bench_part *p, int part)
{
    (void)part;
    enum { BATCH = 64, LENGTH = 56, FILTERS = 128 };
    struct maker *m = &p->m;
    struct train_table table;
    TF_Output pooled[3];
    const TF_Output x = bench_input(p, TF_INT32, (int64_t[]){BATCH, LENGTH}, 2, 20000);
    const TF_Output y = labels(p, BATCH, 2);
    const TF_Output ids = reshape(m, x, (int32_t[]){-1}, 1);
    const TF_Output rows = lookup(m, &table, (int64_t[]){20000, WIDTH}, 2, 1, ids);
    const TF_Output words = reshape(m, rows, (int32_t[]){BATCH, LENGTH, WIDTH, 1}, 4);
    for (int i = 0; i < 3; i++) {
        const TF_Output y3 = layer_conv(m, words, (int64_t[]){3 + i, WIDTH, 1, FILTERS}, "VALID");
        pooled[i] = layer_max_pool(m, y3, LENGTH - 2 - i, 1, 1, 1, "VALID");
    }
    TF_Output all = op_list(m, "ConcatV2", pooled, 3, 3);
    all = reshape(m, all, (int32_t[]){-1, 3 * FILTERS}, 2);
    all = layer_dropout(m, all, (int32_t[]){BATCH, 3 * FILTERS}, 2, 0.5f);
    bench_train(p, layer_loss(m, layer_dense(m, all, 3 * FILTERS, 2), y), TRAIN_ADAM, 1e-3f, &table,
                1);
}

const struct bench_case bench_model_cases[] = {
    {"softmax", BENCH_STEPS, "784-10, batch 100, SGD", 1, NULL, build_softmax},
    {"mlp_sgd", BENCH_STEPS, "784-512-512-10, batch 128, SGD", 1, NULL, build_mlp_sgd},
    {"mlp_adam", BENCH_STEPS, "784-512-512-10, batch 128, Adam", 1, NULL, build_mlp_adam},
    {"cnn", BENCH_STEPS, "two 5x5 layers, dense 1024, dropout, batch 128, Adam", 1, NULL,
     build_cnn},
    {"w2v", BENCH_STEPS, "skip-gram, 50,000 x 128, 64 negatives, sparse SGD", 1, NULL, build_w2v},
    {"textcnn", BENCH_STEPS, "20,000 x 128, filters 3, 4, 5 x 128, batch 64, Adam", 1, NULL,
     build_textcnn},
    {0},
};
