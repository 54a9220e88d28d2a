/* SPDX-License-Identifier: Apache-2.0 */
/* A cluster of this machine trains the digits: a parameter server and two workers, each a process
 * of this command. This process is a client of the parameter server: it gives the variables their
 * first values, tells the workers to begin, and measures what they made of them. The variables
 * live on the server alone and are shared by their names. */
#include <math.h>
#include <stdio.h>

#include "cli/demo.h"
#include "cli/task.h"

enum { NUM_WORKERS = 2, POLL_MS = 50, DEADLINE_MS = 120000 };

static const struct way {
    const char *name, *title;
    int steps;     /* of each worker, or of all together */
    int all_steps; /* that the bar shows */
    double wanted; /* least accuracy */
} ways[] = {{"async", "cluster, asynchronous", 500, 1000, 0.94},
            {"sync", "cluster, synchronous with a backup", 400, 400, 0.94}};

struct cluster {
    struct strbuf spec, target;
    struct task ps, workers[NUM_WORKERS];
};

static bool cluster_start(struct cluster *c, const char *csv, struct status *st)
{
    if (!task_cluster(1, NUM_WORKERS, &c->spec, st))
        return false;
    /* "ps=localhost:PORT;worker=..." */
    struct str rest = str_of(c->spec.p + 3), address;
    bool ok = str_split(&rest, ';', &address);
    strbuf_printf(&c->target, "grpc://%.*s", (int)address.n, address.p);
    const char *ps[] = {"leat", "task", "ps:0", c->spec.p, NULL};
    ok = ok && task_start(&c->ps, ps, -1, st);
    for (int i = 0; ok && i < NUM_WORKERS; i++) {
        char index[2] = {(char)('0' + i), 0};
        const char *words[] = {"leat",    "demo",      "--worker", index,
                               c->spec.p, "--csv-dir", csv,        NULL};
        ok = task_start(&c->workers[i], words, -1, st);
    }
    ok = ok && task_line(&c->ps, st);
    for (int i = 0; ok && i < NUM_WORKERS; i++)
        ok = task_line(&c->workers[i], st);
    return ok;
}

/* The workers first: a server that they still use would be missed. */
static bool cluster_stop(struct cluster *c, bool ok, struct status *st)
{
    for (int i = 0; ok && i < NUM_WORKERS; i++)
        ok = task_end(&c->workers[i], st);
    ok = ok && task_end(&c->ps, st);
    for (int i = 0; i < NUM_WORKERS; i++)
        task_kill(&c->workers[i]);
    task_kill(&c->ps);
    strbuf_release(&c->spec);
    strbuf_release(&c->target);
    return ok;
}

/* Waits until all workers have said that they are done. */
static bool watch(struct cluster *c, const struct way *way, TF_Session *session, TF_Output step,
                  struct figures *f, TF_Status *s, struct status *st)
{
    struct leat_progress bar;
    bool ok = true;
    leat_progress_begin(&bar, way->title, way->all_steps, f->quiet ? -1 : 1);
    for (int i = 0; ok && i < NUM_WORKERS; i++) {
        int said = 0;
        while (ok && (said = task_poll(&c->workers[i], POLL_MS)) == 0) {
            leat_progress_tick(&bar, (int64_t)leat_run_number(session, step, leat_no_feeds(), s));
            ok = cli_ok(s, st);
        }
        ok = ok && task_said(&c->workers[i], said, st);
    }
    for (int i = 0; ok && i < NUM_WORKERS; i++)
        ok = task_say(&c->workers[i], "all are done\n", st);
    if (ok)
        leat_progress_tick(&bar, way->all_steps);
    leat_progress_end(&bar);
    return ok;
}

static bool train(struct cluster *c, const struct way *way, const struct net *net, TF_Output step,
                  const struct images *test, struct figures *f, struct status *st)
{
    char line[64], key[64];
    double accuracy = 0;
    TF_Status *s = TF_NewStatus();
    TF_Session *session =
        leat_session_new(net->graph, s, .target = c->target.p, .timeout_ms = DEADLINE_MS);
    bool ok = session && leat_run_op(session, net->init, leat_no_feeds(), s);
    ok = ok || cli_ok(s, st);
    snprintf(line, sizeof line, "%s %d\n", way->name, way->steps);
    for (int i = 0; ok && i < NUM_WORKERS; i++)
        ok = task_say(&c->workers[i], line, st);
    ok = ok && watch(c, way, session, step, f, s, st);
    double steps = ok ? leat_run_number(session, step, leat_no_feeds(), s) : 0;
    if (ok && !demo_accuracy(session, net, test, &accuracy, s))
        ok = cli_ok(s, st);
    if (ok) {
        snprintf(key, sizeof key, "cluster_%s", way->name);
        figure_add(f, key, "steps", steps);
        figure_add(f, key, "accuracy", accuracy);
        ok = accuracy >= way->wanted ||
             status_internal(st, "%s: accuracy %.4f, at least %.2f is expected", way->title,
                             accuracy, way->wanted);
    }
    leat_session_close(session);
    TF_DeleteStatus(s);
    return ok;
}

static bool train_as(struct cluster *c, const struct way *way, const struct images *test,
                     struct figures *f, struct status *st)
{
    struct net net = {.graph = TF_NewGraph()};
    TF_Output step = {0};
    leat_set_random_seed(net.graph, 2017);
    leat_with_device(net.graph, "/job:ps/task:0") {
        step = demo_cluster_net(&net, way->name, test->side);
        net.init = leat_global_variables_initializer(net.graph);
    }
    bool ok = demo_graph_ok(net.graph, st) && train(c, way, &net, step, test, f, st);
    TF_DeleteGraph(net.graph);
    return ok;
}

bool demo_cluster(const struct table *digits, const char *csv, struct figures *f, struct status *st)
{
    struct cluster c = {.ps = {.in = -1, .out = -1}};
    struct images train_on = {0}, test = {0};
    for (int i = 0; i < NUM_WORKERS; i++)
        c.workers[i] = c.ps;
    bool ok = demo_digits_split(digits, &train_on, &test, st) && cluster_start(&c, csv, st);
    for (size_t i = 0; ok && i < ARRAY_LEN(ways); i++)
        ok = train_as(&c, &ways[i], &test, f, st);
    ok = cluster_stop(&c, ok, st);
    images_free(&train_on);
    images_free(&test);
    return ok;
}
