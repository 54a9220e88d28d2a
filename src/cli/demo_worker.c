/* SPDX-License-Identifier: Apache-2.0 */
/* A worker of the demo's cluster: a server, and a session on it that trains on this worker's share
 * of the images whenever a line "WAY STEPS" comes; answers "done". The variables are the parameter
 * server's, and have their first values by then. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "cli/demo.h"
#include "cli/task.h"

enum { NUM_WORKERS = 2, BATCH = 50, DEADLINE_MS = 120000 };

struct worker {
    int index;
    const char *target;
    const struct images *train;
    uint64_t seed;
    TF_Status *s;
};

TF_Output demo_cluster_net(struct net *net, const char *scope, int64_t side)
{
    TF_Output step = {0};
    leat_with_scope(net->graph, scope) {
        step = leat_variable(net->graph, "step", leat_const_int64(net->graph, 0), .trainable = 0);
        demo_small_net(net, side);
    }
    return step;
}

/* A batch of this worker's share: every image whose number it has, by the number of workers. */
static bool step(struct worker *w, TF_Session *session, const struct net *net, float *pixels,
                 int32_t *labels)
{
    int64_t side = w->train->side, size = side * side, share = w->train->num / NUM_WORKERS;
    for (int i = 0; i < BATCH; i++) {
        int64_t at = (int64_t)(demo_random(&w->seed) % (uint64_t)share) * NUM_WORKERS + w->index;
        memcpy(pixels + i * size, w->train->pixels + at * size, (size_t)size * sizeof *pixels);
        labels[i] = w->train->labels[at];
    }
    return leat_run(session, w->s,
                    .feeds =
                        leat_feeds(leat_feed(net->images, pixels, leat_shape(BATCH, side, side, 1)),
                                   leat_feed(net->labels, labels, leat_shape(BATCH))),
                    .targets = leat_opers(net->train));
}

static bool train_async(struct worker *w, struct net *net, int64_t steps)
{
    float *pixels = mem_new_array(float, BATCH * w->train->side * w->train->side);
    int32_t labels[BATCH];
    TF_Session *session =
        leat_session_new(net->graph, w->s, .target = w->target, .timeout_ms = DEADLINE_MS);
    bool ok = session != NULL;
    for (int64_t i = 0; ok && i < steps; i++)
        ok = step(w, session, net, pixels, labels);
    leat_session_close(session);
    mem_free(pixels);
    return ok;
}

static bool train_as(struct worker *w, const char *way, int64_t steps, struct status *st)
{
    struct net net = {.graph = TF_NewGraph()};
    char device[64];
    snprintf(device, sizeof device, "/job:worker/task:%d", w->index);
    leat_device_setter *ps = leat_replica_device_setter(.ps_tasks = 1, .worker_device = device);
    leat_with_replica_devices(net.graph, ps)
    {
        TF_Output global_step = demo_cluster_net(&net, way, w->train->side);
        leat_optimizer *sgd = leat_gradient_descent(net.graph, .learning_rate = 0.2);
        net.train = leat_minimize(sgd, net.loss, .global_step = global_step);
        leat_optimizer_free(sgd);
    }
    leat_device_setter_free(ps);
    bool ok = demo_graph_ok(net.graph, st) && (train_async(w, &net, steps) || cli_ok(w->s, st));
    TF_DeleteGraph(net.graph);
    return ok;
}

static bool obey(struct worker *w, char *line, struct status *st)
{
    char *space = strchr(line, ' ');
    int64_t steps = 0;
    line[strcspn(line, "\n")] = 0;
    if (!space || !str_to_i64(str_of(space + 1), &steps) || steps < 0)
        return status_invalid(st, "a line \"WAY STEPS\" is wanted, not '%s'", line);
    *space = 0;
    if (!train_as(w, line, steps, st))
        return false;
    puts("done");
    fflush(stdout);
    return true;
}

bool demo_worker(int index, const char *cluster, const struct table *digits, struct status *st)
{
    struct images train = {0}, test = {0};
    char line[128];
    struct worker w = {.index = index, .train = &train, .seed = 2017 + (uint64_t)index};
    if (index < 0 || index >= NUM_WORKERS)
        return status_invalid(st, "there are %d workers", NUM_WORKERS);
    w.s = TF_NewStatus();
    TF_Server *server = task_serve("worker", index, cluster, w.s);
    bool ok = server ? demo_digits_split(digits, &train, &test, st) : cli_ok(w.s, st);
    if (server)
        w.target = TF_ServerTarget(server);
    while (ok && fgets(line, sizeof line, stdin))
        ok = obey(&w, line, st);
    task_stop(server, w.s);
    ok = ok && cli_ok(w.s, st);
    if (!ok && server)
        printf("error %d %s\n", (int)st->code, status_message(st));
    TF_DeleteStatus(w.s);
    images_free(&train);
    images_free(&test);
    return ok;
}
