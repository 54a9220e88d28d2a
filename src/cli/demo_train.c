/* SPDX-License-Identifier: Apache-2.0 */
/* The loop that trains the demo's networks: batches of shuffled images, a progress bar, and the
 * accuracy on images that were kept apart. */
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "cli/demo.h"

enum { CLASSES = 10, TEST_BATCH = 500 };

struct run { /* of one training */
    const struct model *model;
    const struct images *train, *test;
    struct net net;
    TF_Session *session;
    TF_Status *s;
    int64_t *order; /* of the images, shuffled before each epoch */
    float *pixels;  /* of one batch */
    int32_t *labels;
};

uint64_t demo_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

bool demo_graph_ok(TF_Graph *g, struct status *st)
{
    TF_Status *s = TF_NewStatus();
    leat_graph_status(g, s);
    bool ok = cli_ok(s, st);
    TF_DeleteStatus(s);
    return ok;
}

void images_free(struct images *d)
{
    mem_free(d->pixels);
    mem_free(d->labels);
    *d = (struct images){0};
}

/* Feeds n images and what they show, and keep where the network has dropout. */
static int feeds(const struct net *net, int64_t side, const float *pixels, const int32_t *labels,
                 int64_t n, double keep, struct leat_feed out[3])
{
    static _Thread_local int64_t dims[4];
    memcpy(dims, (int64_t[]){n, side, side, 1}, sizeof dims);
    out[0] = leat_feed(net->images, pixels, (struct leat_shape){dims, 4});
    out[1] = leat_feed(net->labels, labels, (struct leat_shape){dims, 1});
    if (!leat_valid(net->keep))
        return 2;
    out[2] = leat_feed_number(net->keep, keep);
    return 3;
}

static void shuffle(int64_t *order, int64_t n, uint64_t *seed)
{
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = (int64_t)(demo_random(seed) % (uint64_t)(i + 1)), v = order[i];
        order[i] = order[j];
        order[j] = v;
    }
}

static bool train_step(struct run *r, int64_t first, float *loss)
{
    int64_t size = r->train->side * r->train->side, batch = r->model->batch;
    for (int64_t i = 0; i < batch; i++) {
        int64_t from = r->order[first + i];
        memcpy(r->pixels + i * size, r->train->pixels + from * size, (size_t)size * sizeof(float));
        r->labels[i] = r->train->labels[from];
    }
    struct leat_feed f[3];
    int n = feeds(&r->net, r->train->side, r->pixels, r->labels, batch, 0.5, f);
    return leat_run(r->session, r->s, .feeds = {f, n},
                    .fetches = leat_fetches(leat_fetch(r->net.loss, loss, 1)),
                    .targets = leat_opers(r->net.train));
}

static bool train(struct run *r, struct figures *f)
{
    const struct model *model = r->model;
    int64_t batches = r->train->num / model->batch;
    int64_t steps = model->steps > 0 ? model->steps : batches * model->epochs;
    uint64_t seed = 2017;
    double smooth = 0;
    struct leat_progress bar;
    leat_progress_begin(&bar, model->title, steps, f->quiet ? -1 : 1);
    bool ok = true;
    for (int64_t i = 0; ok && i < steps; i++) {
        if (i % batches == 0)
            shuffle(r->order, r->train->num, &seed);
        float loss;
        ok = train_step(r, i % batches * model->batch, &loss);
        if (ok) {
            smooth = i == 0 ? (double)loss : smooth + 0.05 * ((double)loss - smooth);
            leat_progress_step(&bar, i + 1, "loss", smooth, NULL);
        }
    }
    leat_progress_end(&bar);
    if (ok) {
        figure_add(f, model->key, "loss", smooth);
        figure_add(f, model->key, "steps_per_s", leat_progress_rate(&bar));
    }
    return ok;
}

static bool count_right(TF_Session *session, const struct net *net, const struct images *test,
                        int64_t first, int64_t n, int64_t *right, TF_Status *s)
{
    float logits[TEST_BATCH * CLASSES];
    struct leat_feed f[3];
    int num = feeds(net, test->side, test->pixels + first * test->side * test->side,
                    test->labels + first, n, 1.0, f);
    if (!leat_run(session, s, .feeds = {f, num},
                  .fetches = leat_fetches(leat_fetch(net->logits, logits, n * CLASSES))))
        return false;
    for (int64_t i = 0; i < n; i++) {
        int best = 0;
        for (int c = 1; c < CLASSES; c++)
            best = logits[i * CLASSES + c] > logits[i * CLASSES + best] ? c : best;
        *right += best == test->labels[first + i];
    }
    return true;
}

bool demo_accuracy(TF_Session *session, const struct net *net, const struct images *test,
                   double *out, TF_Status *s)
{
    int64_t right = 0;
    for (int64_t i = 0; i < test->num; i += TEST_BATCH) {
        int64_t n = test->num - i < TEST_BATCH ? test->num - i : TEST_BATCH;
        if (!count_right(session, net, test, i, n, &right, s))
            return false;
    }
    *out = (double)right / (double)test->num;
    return true;
}

static bool test(struct run *r, struct figures *f, struct status *st)
{
    double accuracy;
    if (!demo_accuracy(r->session, &r->net, r->test, &accuracy, r->s))
        return cli_ok(r->s, st);
    figure_add(f, r->model->key, "accuracy", accuracy);
    return accuracy >= r->model->wanted ||
           status_internal(st, "%s: accuracy %.4f, at least %.2f is expected", r->model->title,
                           accuracy, r->model->wanted);
}

bool demo_train(const struct model *model, const struct images *train_on,
                const struct images *test_on, struct figures *f, struct status *st)
{
    struct run r = {.model = model, .train = train_on, .test = test_on};
    if (train_on->num < model->batch)
        return status_invalid(st, "%s: too few images", model->title);
    r.net.graph = TF_NewGraph();
    r.s = TF_NewStatus();
    r.order = mem_new_array(int64_t, train_on->num);
    r.pixels = mem_new_array(float, model->batch * train_on->side * train_on->side);
    r.labels = mem_new_array(int32_t, model->batch);
    for (int64_t i = 0; i < train_on->num; i++)
        r.order[i] = i;
    leat_set_random_seed(r.net.graph, 2017);
    model->build(&r.net, train_on->side);
    r.net.init = leat_global_variables_initializer(r.net.graph);
    bool ok = demo_graph_ok(r.net.graph, st);
    if (ok) {
        r.session = leat_session_new(r.net.graph, r.s);
        ok = r.session && leat_run_op(r.session, r.net.init, leat_no_feeds(), r.s) && train(&r, f);
        ok = ok ? test(&r, f, st) : cli_ok(r.s, st);
    }
    leat_session_close(r.session);
    TF_DeleteGraph(r.net.graph);
    TF_DeleteStatus(r.s);
    mem_free(r.order);
    mem_free(r.pixels);
    mem_free(r.labels);
    return ok;
}
