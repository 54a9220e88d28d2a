/* SPDX-License-Identifier: Apache-2.0 */
/* timeout: 120 */
/* A network trained by one process, and by a parameter server and a worker, from the same seed and
 * on the same data: the losses are the same to the last bit. Skipped, counted, without gRPC. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "leat/leat.h"
#include "unit/dist/cluster.h"

enum { STEPS = 100, BATCH = 32, WIDTH = 20, HIDDEN = 16, CLASSES = 4 };

struct model {
    TF_Graph *g;
    TF_Output x, y, loss;
    TF_Operation *train, *init;
};

static leat_optimizer *optimizer(TF_Graph *g, const char *name)
{
    return strcmp(name, "adam") == 0 ? leat_adam(g, 0.01)
                                     : leat_gradient_descent(g, .learning_rate = 0.1);
}

static void build_inside(struct model *m, const char *name)
{
    TF_Graph *g = m->g;
    m->x = leat_placeholder(g, .dtype = TF_FLOAT, .shape = leat_shape(BATCH, WIDTH), .name = "x");
    m->y = leat_placeholder(g, .dtype = TF_INT64, .shape = leat_shape(BATCH), .name = "y");
    TF_Output h = leat_layers_dense(g, m->x, HIDDEN, .activation = LEAT_RELU);
    m->loss = leat_losses_sparse_softmax_cross_entropy(g, m->y, leat_layers_dense(g, h, CLASSES));
    leat_optimizer *opt = optimizer(g, name);
    m->train = leat_minimize(opt, m->loss);
    leat_optimizer_free(opt);
}

static void build(struct model *m, const char *name, bool cluster)
{
    TF_Status *s = TF_NewStatus();
    m->g = TF_NewGraph();
    leat_set_random_seed(m->g, 11);
    if (cluster) {
        leat_device_setter *setter =
            leat_replica_device_setter(.ps_tasks = 1, .worker_device = "/job:worker/task:0");
        leat_with_replica_devices(m->g, setter) build_inside(m, name);
        leat_device_setter_free(setter);
    } else {
        build_inside(m, name);
    }
    m->init = leat_global_variables_initializer(m->g);
    assert_non_null(m->init);
    leat_graph_status(m->g, s);
    if (TF_GetCode(s) != TF_OK)
        fail_msg("%s", TF_Message(s));
    TF_DeleteStatus(s);
}

struct batch {
    float x[BATCH * WIDTH];
    int64_t y[BATCH];
};

static void make_batch(struct batch *b, uint32_t step)
{
    uint32_t seed = step * 2654435761u + 7;
    for (int i = 0; i < BATCH * WIDTH; i++) {
        seed = seed * 1664525u + 1013904223u;
        b->x[i] = (float)(seed >> 8) / (float)(1 << 24) - 0.5f;
    }
    for (int i = 0; i < BATCH; i++)
        b->y[i] = (b->x[i * WIDTH] > 0) * 2 + (b->x[i * WIDTH + 1] > 0);
}

static void train_here(struct model *m, float *losses)
{
    TF_Status *s = TF_NewStatus();
    TF_Session *session = leat_session_new(m->g, s);
    assert_true(leat_run_op(session, m->init, leat_no_feeds(), s));
    for (int i = 0; i < STEPS; i++) {
        struct batch b;
        make_batch(&b, (uint32_t)i);
        assert_true(leat_run(session, s,
                             .feeds = leat_feeds(leat_feed(m->x, b.x, leat_shape(BATCH, WIDTH)),
                                                 leat_feed(m->y, b.y, leat_shape(BATCH))),
                             .fetches = leat_fetches(leat_fetch(m->loss, &losses[i], 1)),
                             .targets = leat_opers(m->train)));
    }
    leat_session_close(session);
    TF_DeleteStatus(s);
}

static void train_there(struct cluster *c, int master, struct model *m, float *losses)
{
    struct status st = {0};
    TF_Status *s = TF_NewStatus();
    TF_Buffer *graph = TF_NewBuffer();
    TF_GraphToGraphDef(m->g, graph, s);
    assert_int_equal(TF_GetCode(s), TF_OK);
    char *session = client_session_bytes(c, master, graph->data, graph->length);
    char *loss = mem_printf("%s:%d", TF_OperationName(m->loss.oper), m->loss.index);
    struct client_run r = {.session = session, .targets = TF_OperationName(m->init)};
    client_must(client_run(c, master, &r, NULL, &st), &st);
    for (int i = 0; i < STEPS; i++) {
        struct batch b;
        struct tensor t = {0};
        struct client_feed f[2] = {{.name = "x:0"}, {.name = "y:0"}};
        make_batch(&b, (uint32_t)i);
        client_must(tensor_from(&f[0].value, DT_FLOAT, (int64_t[]){BATCH, WIDTH}, 2, b.x, &st) &&
                        tensor_from(&f[1].value, DT_INT64, (int64_t[]){BATCH}, 1, b.y, &st),
                    &st);
        r = (struct client_run){.session = session,
                                .feeds = f,
                                .num_feeds = 2,
                                .fetches = loss,
                                .targets = TF_OperationName(m->train)};
        client_must(client_run(c, master, &r, &t, &st), &st);
        losses[i] = tensor_f32(&t)[0];
        tensor_clear(&t);
        tensor_clear(&f[0].value);
        tensor_clear(&f[1].value);
    }
    client_close(c, master, session);
    mem_free(loss);
    mem_free(session);
    TF_DeleteBuffer(graph);
    TF_DeleteStatus(s);
}

static void compare(const char *name)
{
    static const char *const jobs[] = {"ps", "worker"};
    struct cluster c;
    struct model here = {0}, there = {0};
    float one[STEPS], two[STEPS];
    if (!cluster_start(&c, jobs, 2))
        skip();
    build(&here, name, false);
    build(&there, name, true);
    train_here(&here, one);
    assert_true(one[STEPS - 1] < 0.8f * one[0]);
    for (int master = 0; master < 2; master++) {
        train_there(&c, master, &there, two);
        for (int i = 0; i < STEPS; i++) {
            if (memcmp(&one[i], &two[i], sizeof one[i]) != 0)
                fail_msg("step %d: %.9g in one process, %.9g on the cluster", i, (double)one[i],
                         (double)two[i]);
        }
    }
    TF_DeleteGraph(here.g);
    TF_DeleteGraph(there.g);
    cluster_stop(&c);
}

static void test_same_numbers__gradient_descent(void **state)
{
    (void)state;
    compare("sgd");
}

static void test_same_numbers__adam(void **state)
{
    (void)state;
    compare("adam");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_numbers__gradient_descent),
        cmocka_unit_test(test_same_numbers__adam),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
