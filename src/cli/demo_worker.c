/* SPDX-License-Identifier: Apache-2.0 */
/* A worker of the demo's cluster: a server, and a session on it that trains on this worker's share
 * of the images whenever a line "WAY STEPS" comes; answers "done", and closes the session when a
 * line comes. The variables are the parameter server's, and have their first values by then. */
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

/* Who waits for a token needs the chief's session, until all are done: then a line comes. */
static void wait_for_others(void)
{
    char line[16];
    puts("done");
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin))
        return; /* the end of all */
}

/* Asynchronous: each worker's updates count by themselves, so many steps of each. Synchronous: the
 * chief applies the gradients that come first, and the training ends when all have made so many. */
static bool train(struct worker *w, struct net *net, TF_Output global_step, leat_optimizer *sync,
                  TF_Operation *tokens, int64_t steps)
{
    float *pixels = mem_new_array(float, BATCH * w->train->side * w->train->side);
    int32_t labels[BATCH];
    TF_Session *session =
        leat_session_new(net->graph, w->s, .target = w->target, .timeout_ms = DEADLINE_MS);
    leat_coordinator *c = leat_coordinator_new();
    bool ok = session != NULL;
    if (ok && sync)
        ok = w->index == 0 ? leat_sync_start_chief(sync, session, c, tokens, w->s)
                           : leat_sync_start_worker(sync, session, w->s);
    for (int64_t i = 0; ok && i < steps; i++) {
        ok = step(w, session, net, pixels, labels);
        if (ok && sync)
            i = (int64_t)leat_run_number(session, global_step, leat_no_feeds(), w->s) - 1;
        ok = ok && TF_GetCode(w->s) == TF_OK;
    }
    if (ok)
        wait_for_others();
    leat_request_stop(c, NULL);
    leat_session_close(session);
    ok = leat_join(c, 10, ok ? w->s : NULL) && ok;
    leat_coordinator_free(c);
    mem_free(pixels);
    return ok;
}

static bool train_as(struct worker *w, const char *way, int64_t steps, struct status *st)
{
    struct net net = {.graph = TF_NewGraph()};
    leat_optimizer *sgd = NULL, *sync = NULL;
    TF_Operation *tokens = NULL;
    TF_Output global_step = {0};
    char device[64];
    snprintf(device, sizeof device, "/job:worker/task:%d", w->index);
    leat_device_setter *ps = leat_replica_device_setter(.ps_tasks = 1, .worker_device = device);
    leat_with_replica_devices(net.graph, ps)
    {
        global_step = demo_cluster_net(&net, way, w->train->side);
        sgd = leat_gradient_descent(net.graph, .learning_rate = 0.2);
        if (strcmp(way, "sync") == 0) /* one worker's gradients are enough: the other is a backup */
            sync = leat_sync_replicas(sgd, .replicas_to_aggregate = 1,
                                      .total_num_replicas = NUM_WORKERS);
        net.train = leat_minimize(sync ? sync : sgd, net.loss, .global_step = global_step);
        if (sync)
            tokens = leat_sync_init_tokens(sync, -1);
    }
    leat_device_setter_free(ps);
    bool ok = demo_graph_ok(net.graph, st) &&
              (train(w, &net, global_step, sync, tokens, steps) || cli_ok(w->s, st));
    leat_optimizer_free(sync);
    leat_optimizer_free(sgd);
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
    return train_as(w, line, steps, st);
}

bool demo_worker(int index, const char *cluster, const struct table *digits, struct status *st)
{
    struct images train = {0}, test = {0};
    char line[128];
    struct worker w = {.index = index, .train = &train, .seed = 2017 + (uint64_t)index};
    if (index < 0 || index >= NUM_WORKERS)
        return status_invalid(st, "there are %d workers", NUM_WORKERS);
    w.s = TF_NewStatus();
    TF_Server *server = task_serve("worker", index, cluster, NULL, w.s);
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
