/* SPDX-License-Identifier: Apache-2.0 */
/* What a step and a node cost: null_run, node_tape, node_dataflow, and while loops, in ns.
 *
 * Every graph is of scalar float additions, so a figure is the executor's cost plus that of the
 * smallest kernel there is. The same chain runs on the tape and, where its start comes out of a
 * Switch, in the dataflow executor. A loop's figure is per node executed, all iterations together.
 * Each figure is the best of several rounds. Argument: threads, 1 if there is none. */
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/lock.h"
#include "graph/graph.h"
#include "runtime/session.h"

enum { ROUNDS = 15, MAX_NODES = 4096 };

static struct status st;
static struct graph *g;
static const char *device = ""; /* of the nodes that come */
static const char *frame;       /* of the loop that is made */

static void must(bool ok)
{
    if (ok)
        return;
    fprintf(stderr, "%s\n", status_message(&st));
    exit(1);
}

static struct output finish(struct node_desc *d)
{
    struct node *made = node_finish(d, &st);
    must(made != NULL);
    graph_set_device(made, device);
    return (struct output){made, 0};
}

static struct output op(const char *type, int n, struct output a, struct output b)
{
    char *name = graph_unique_name(g, type, true);
    struct node_desc *d = node_desc_new(g, type, name);
    if (n > 0)
        node_desc_input(d, a);
    if (n > 1)
        node_desc_input(d, b);
    free(name);
    return finish(d);
}

static struct output op2(const char *type, struct output a, struct output b)
{
    return op(type, 2, a, b);
}

static struct output op1(const char *type, struct output a)
{
    return op(type, 1, a, a);
}

static struct output constant(int dtype, const void *value, struct output after)
{
    struct tensor t = {0};
    must(tensor_from(&t, dtype, NULL, 0, value, &st));
    char *name = graph_unique_name(g, "Const", true);
    struct node_desc *d = node_desc_new(g, "Const", name);
    node_desc_attr(d, "dtype", attr_type(dtype));
    node_desc_attr(d, "value", attr_tensor(&t));
    if (after.node)
        node_desc_control(d, after.node);
    tensor_clear(&t);
    free(name);
    return finish(d);
}

static struct output f32(float v)
{
    return constant(DT_FLOAT, &v, (struct output){0});
}

static struct output placeholder(void)
{
    struct node_desc *d = node_desc_new(g, "Placeholder", "x");
    node_desc_attr(d, "dtype", attr_type(DT_FLOAT));
    return finish(d);
}

static struct output enter(struct output v, bool is_constant)
{
    char *name = graph_unique_name(g, "Enter", true);
    struct node_desc *d = node_desc_new(g, "Enter", name);
    node_desc_input(d, v);
    node_desc_attr(d, "frame_name", attr_string(str_of(frame)));
    node_desc_attr(d, "is_constant", attr_bool(is_constant));
    free(name);
    return finish(d);
}

static struct output merge(struct output a)
{
    char *name = graph_unique_name(g, "Merge", true);
    struct node_desc *d = node_desc_new(g, "Merge", name);
    node_desc_input_list(d, (struct output[]){a, a}, 2);
    free(name);
    return finish(d);
}

/* --- the graphs: each gives what is fetched and the nodes that a run executes --- */

static struct output chain(struct output x, int n)
{
    struct output one = f32(1);
    for (int i = 0; i < n; i++)
        x = op2("Add", x, one);
    return x;
}

/* n nodes in 64 independent chains that are added up. */
static struct output wide(struct output x, int n)
{
    enum { WIDTH = 64 };
    struct output one = f32(1), ends[WIDTH];
    for (int w = 0; w < WIDTH; w++) {
        ends[w] = x;
        for (int i = 0; i < n / WIDTH - 1; i++)
            ends[w] = op2("Add", ends[w], one);
    }
    struct output sum = ends[0];
    for (int w = 1; w < WIDTH; w++)
        sum = op2("Add", sum, ends[w]);
    return sum;
}

/* n nodes that become ready at once. */
static struct output fan(struct output x, int n)
{
    struct output one = f32(1), last = x;
    struct node_desc *d = node_desc_new(g, "Identity", "fan");
    for (int i = 0; i < n; i++) {
        last = op2("Add", x, one);
        node_desc_control(d, last.node);
    }
    node_desc_input(d, last);
    return finish(d);
}

static struct output switched(struct output x)
{
    bool yes = true;
    struct output s = op2("Switch", x, constant(DT_BOOL, &yes, (struct output){0}));
    s.index = 1;
    return s;
}

struct variable_of_loop {
    struct output merged;
    struct node *sw;
};

static struct variable_of_loop loop_variable(struct output start)
{
    return (struct variable_of_loop){.merged = merge(enter(start, false))};
}

static struct output loop_body(struct variable_of_loop *v, struct output cond)
{
    v->sw = op2("Switch", v->merged, cond).node;
    return op1("Identity", (struct output){v->sw, 1});
}

static void loop_close(struct variable_of_loop *v, struct output next)
{
    struct output back = op1("NextIteration", next);
    must(graph_update_input(v->merged.node, 1, back, &st));
}

/* while (i < limit) { i += 1; sum += i * step; }, as TensorFlow writes it: constants of the body
 * live in the frame, step comes in through a constant Enter. The sum is made on sum_device. */
static struct output loop(struct output x, float limit, const char *sum_device, int *nodes_per_turn)
{
    frame = sum_device[0] ? "far" : "near";
    struct variable_of_loop i = loop_variable(f32(0)), sum = loop_variable(x);
    struct output step = enter(f32(0.5f), true);
    struct output end = constant(DT_FLOAT, &limit, i.merged);
    struct output cond = op1("LoopCond", op2("Less", i.merged, end));
    struct output i_body = loop_body(&i, cond), sum_body = loop_body(&sum, cond);
    float v = 1;
    struct output one = constant(DT_FLOAT, &v, i_body);
    struct output next = op2("Add", i_body, one);
    loop_close(&i, next);
    device = sum_device;
    loop_close(&sum, op2("Add", sum_body, op2("Mul", next, step)));
    device = "";
    *nodes_per_turn = 2 + 1 + 1 + 1 + 2 + 2 + 1 + 3 + 2;
    return op1("Exit", (struct output){sum.sw, 0});
}

/* --- measuring --- */

static double run(const char *what, struct output x, struct output fetch, double nodes,
                  const struct config *config)
{
    struct session *s = session_new(g, config, &st);
    must(s != NULL);
    struct tensor feed = {0}, out = {0};
    float v = 1;
    must(tensor_from(&feed, DT_FLOAT, NULL, 0, &v, &st));
    struct run_args a = {.feeds = &x,
                         .feed_values = &feed,
                         .num_feeds = 1,
                         .fetches = &fetch,
                         .fetch_values = &out,
                         .num_fetches = 1};
    double best = 1e30;
    int repeat = 1 + (int)(2e4 / nodes);
    for (int round = 0; round < ROUNDS; round++) {
        int64_t start = clock_now_ns();
        for (int k = 0; k < repeat; k++) {
            must(session_run(s, &a, &st));
            tensor_clear(&out);
        }
        double now = (double)(clock_now_ns() - start) / repeat / nodes;
        best = now < best ? now : best;
    }
    printf("%-22s %9.1f ns\n", what, best);
    struct callable *c = nodes == 1 ? callable_new(s, &a, &st) : NULL;
    for (int round = 0; c && round < ROUNDS; round++) {
        int64_t start = clock_now_ns();
        for (int k = 0; k < repeat; k++) {
            must(callable_run(c, &feed, &out, &st));
            tensor_clear(&out);
        }
        double now = (double)(clock_now_ns() - start) / repeat;
        best = now < best || round == 0 ? now : best;
    }
    if (c)
        printf("%-22s %9.1f ns\n", "null_callable", best);
    callable_free(c);
    tensor_clear(&feed);
    session_free(s);
    return best;
}

int main(int argc, char **argv)
{
    struct config config;
    config_init(&config);
    config.passes =
        (struct pass_options){0}; /* what is measured are nodes, not what becomes of them */
    config.cpu_devices = 2;
    config.intra_threads = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 1;
    g = graph_new();
    struct output x = placeholder();
    int turn = 0;
    const int n = MAX_NODES;
    struct output id = op1("Identity", x), line = chain(id, n), many = wide(id, n);
    struct output dead_line = chain(switched(x), n), dead_many = wide(switched(x), n);
    struct output spread = fan(switched(x), n);
    struct output null_flow = op1("Identity", switched(x));
    struct output turns = loop(x, 1000, "", &turn), far_turns = loop(x, 1000, "/cpu:1", &turn);
    run("null_run", x, id, 1, &config);
    run("null_dataflow", x, null_flow, 1, &config);
    run("node_tape chain", x, line, n, &config);
    run("node_tape wide", x, many, n, &config);
    run("node_dataflow chain", x, dead_line, n, &config);
    run("node_dataflow wide", x, dead_many, n, &config);
    run("node_dataflow fan", x, spread, n, &config);
    run("node_dataflow loop", x, turns, 1000.0 * turn, &config);
    run("turn on 2 devices", x, far_turns, 1000, &config);
    config_clear(&config);
    graph_unref(g);
    return 0;
}
