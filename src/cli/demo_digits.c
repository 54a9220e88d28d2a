/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax regression and a perceptron with a hidden layer on 8x8 images of digits: 80 of 100 rows,
 * chosen by a fixed seed, train, and the rest tell the accuracy.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "base/mem.h"
#include "cli/demo.h"

enum { PIXELS = 64, CLASSES = 10, BATCH = 50 };

struct digits {
    float *images;
    int32_t *labels;
    int64_t num, num_train; /* the first num_train rows train */
};

struct model {
    const char *name, *title;
    TF_Output (*logits)(struct maker *m, TF_Output images);
    int epochs;
    float rate;
    double wanted; /* least accuracy on the rows held out */
};

struct net {
    TF_Output images, labels, logits, loss;
    const TF_Operation *train[16];
};

static bool digits_split(const struct table *t, struct digits *d, struct status *st)
{
    if (t->cols != PIXELS + 1 || t->rows < 10 * BATCH)
        return status_invalid(st, "digits.csv: rows of %d numbers are wanted", PIXELS + 1);
    uint64_t seed = 42;
    d->num = t->rows;
    d->num_train = t->rows * 4 / 5;
    d->images = mem_new_array(float, t->rows *PIXELS);
    d->labels = mem_new_array(int32_t, t->rows);
    int64_t *order = mem_new_array(int64_t, t->rows);
    for (int64_t i = 0; i < t->rows; i++) {
        int64_t j = (int64_t)(maker_random(&seed) % (uint64_t)(i + 1));
        order[i] = order[j];
        order[j] = i;
    }
    bool ok = true;
    for (int64_t i = 0; i < t->rows; i++) {
        const float *row = t->values + order[i] * t->cols;
        for (int k = 0; k < PIXELS; k++)
            d->images[i * PIXELS + k] = row[k] / 16.0f;
        ok = ok && row[PIXELS] >= 0 && row[PIXELS] < CLASSES;
        d->labels[i] = ok ? (int32_t)row[PIXELS] : 0;
    }
    mem_free(order);
    return ok || status_invalid(st, "digits.csv: a label is no digit");
}

static TF_Output dense(struct maker *m, TF_Output x, int64_t in, int64_t out)
{
    TF_Output w = make_variable(m, (int64_t[]){in, out}, 2, sqrtf(6.0f / (float)(in + out)));
    TF_Output b = make_variable(m, &out, 1, 0.0f);
    TF_Output product = make_op(m, "MatMul", 2, (TF_Output[]){x, w});
    return make_op(m, "BiasAdd", 2, (TF_Output[]){product, b});
}

static TF_Output softmax_logits(struct maker *m, TF_Output images)
{
    return dense(m, images, PIXELS, CLASSES);
}

static TF_Output mlp_logits(struct maker *m, TF_Output images)
{
    TF_Output hidden = dense(m, images, PIXELS, 256);
    return dense(m, make_op(m, "Relu", 1, &hidden), 256, CLASSES);
}

static const struct model models[] = {
    {"softmax", "softmax regression", softmax_logits, 60, 0.5f, 0.93},
    {"mlp", "a perceptron, 256 hidden", mlp_logits, 200, 0.1f, 0.97},
};

static void build(struct maker *m, const struct model *model, struct net *net)
{
    net->images = make_placeholder(m, TF_FLOAT);
    net->labels = make_placeholder(m, TF_INT32);
    net->logits = model->logits(m, net->images);
    TF_Output losses = make_op(m, "SparseSoftmaxCrossEntropyWithLogits", 2,
                               (TF_Output[]){net->logits, net->labels});
    net->loss = make_op(m, "Mean", 2, (TF_Output[]){losses, make_ints(m, (int32_t[]){0}, 1)});
    TF_Output gradients[16] = {0};
    if (TF_GetCode(m->s) == TF_OK)
        TF_AddGradients(m->graph, &net->loss, 1, m->vars, m->num_vars, NULL, m->s, gradients);
    for (int i = 0; i < m->num_vars; i++)
        net->train[i] =
            make_op(m, "ApplyGradientDescent", 3,
                    (TF_Output[]){m->vars[i], make_scalar(m, model->rate), gradients[i]})
                .oper;
}

/* Feeds rows [first, first + n) and fetches `what`; trains when asked. The caller deletes it. */
static TF_Tensor *step(struct maker *m, const struct net *net, const struct digits *d,
                       int64_t first, int64_t n, bool train, struct status *st)
{
    TF_Tensor *in[2] = {
        maker_tensor(TF_FLOAT, (int64_t[]){n, PIXELS}, 2, d->images + first * PIXELS),
        maker_tensor(TF_INT32, &n, 1, d->labels + first)};
    TF_Tensor *out = NULL;
    TF_SessionRun(m->session, NULL, (TF_Output[]){net->images, net->labels}, in, 2,
                  train ? &net->loss : &net->logits, &out, 1, net->train, train ? m->num_vars : 0,
                  NULL, m->s);
    TF_DeleteTensor(in[0]);
    TF_DeleteTensor(in[1]);
    if (cli_ok(m->s, st))
        return out;
    TF_DeleteTensor(out);
    return NULL;
}

static double accuracy(const float *logits, const int32_t *labels, int64_t n)
{
    int64_t right = 0;
    for (int64_t i = 0; i < n; i++) {
        int best = 0;
        for (int c = 1; c < CLASSES; c++)
            best = logits[i * CLASSES + c] > logits[i * CLASSES + best] ? c : best;
        right += best == labels[i];
    }
    return (double)right / (double)n;
}

static void show_progress(const struct model *model, int epoch, double loss)
{
    char bar[31];
    int full = (epoch + 1) * 30 / model->epochs;
    memset(bar, '.', 30);
    memset(bar, '#', (size_t)full);
    bar[30] = 0;
    printf("\r%-26s [%s] loss %.4f", model->title, bar, loss);
    fflush(stdout);
}

/* Another order of the rows that train. */
static void shuffle(const struct digits *d, uint64_t *seed)
{
    for (int64_t i = d->num_train - 1; i > 0; i--) {
        int64_t j = (int64_t)(maker_random(seed) % (uint64_t)(i + 1));
        for (int k = 0; k < PIXELS; k++) {
            float v = d->images[i * PIXELS + k];
            d->images[i * PIXELS + k] = d->images[j * PIXELS + k];
            d->images[j * PIXELS + k] = v;
        }
        int32_t label = d->labels[i];
        d->labels[i] = d->labels[j];
        d->labels[j] = label;
    }
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool train(struct maker *m, const struct net *net, const struct model *model,
                  const struct digits *d, struct figures *f, struct status *st)
{
    double start = now(), loss = 0;
    int64_t steps = 0;
    for (int epoch = 0; epoch < model->epochs; epoch++) {
        double sum = 0;
        int64_t batches = d->num_train / BATCH;
        shuffle(d, &m->seed);
        for (int64_t b = 0; b < batches; b++, steps++) {
            TF_Tensor *t = step(m, net, d, b * BATCH, BATCH, true, st);
            if (!t)
                return false;
            sum += (double)*(const float *)TF_TensorData(t);
            TF_DeleteTensor(t);
        }
        loss = sum / (double)batches;
        if (!f->quiet)
            show_progress(model, epoch, loss);
    }
    double seconds = now() - start;
    figure_add(f, model->name, "loss", loss);
    figure_add(f, model->name, "steps_per_s", (double)steps / seconds);
    return true;
}

static bool train_model(const struct model *model, const struct digits *d, struct figures *f,
                        struct status *st)
{
    struct maker m;
    struct net net = {0};
    maker_init(&m);
    build(&m, model, &net);
    bool ok = maker_start(&m, st) && train(&m, &net, model, d, f, st);
    int64_t held_out = d->num - d->num_train;
    TF_Tensor *logits = ok ? step(&m, &net, d, d->num_train, held_out, false, st) : NULL;
    ok = logits != NULL;
    if (ok) {
        double right = accuracy(TF_TensorData(logits), d->labels + d->num_train, held_out);
        figure_add(f, model->name, "accuracy", right);
        if (right < model->wanted)
            ok = status_internal(st, "%s: accuracy %.4f, at least %.2f is expected", model->title,
                                 right, model->wanted);
    }
    TF_DeleteTensor(logits);
    maker_release(&m);
    return ok;
}

bool demo_digits(const struct table *digits, struct figures *f, struct status *st)
{
    struct digits d = {0};
    bool ok = digits_split(digits, &d, st);
    for (size_t i = 0; ok && i < ARRAY_LEN(models); i++)
        ok = train_model(&models[i], &d, f, st);
    mem_free(d.images);
    mem_free(d.labels);
    return ok;
}
