/* SPDX-License-Identifier: Apache-2.0 */
/* One graph from many threads at once: nodes are added, found, read, imported and exported. Run
 * under tsan it says whether what is shared is guarded. */
#include "graph_fixture.h"

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 60 };

struct work {
    struct graph *g;
    int id, failures;
    int64_t made;
};

static struct node *add_one(struct work *w, struct output from)
{
    struct status st = {0};
    char *name = graph_unique_name(w->g, "Node", true);
    struct node_desc *d = node_desc_new(w->g, "Identity", name);

    node_desc_input(d, from);
    struct node *n = node_finish(d, &st);

    w->failures += !n || graph_find(w->g, name) != n;
    w->made += n != NULL;
    status_clear(&st);
    mem_free(name);
    return n;
}

static void import_one(struct work *w, int round)
{
    struct status st = {0};
    struct import_options o = {.uniquify_names = true};
    char text[200];

    snprintf(text, sizeof text,
             "library{function{signature{name:'f%d'}}} node{name:'t%d' op:'NoOp'} "
             "versions{producer:134}",
             round, w->id);
    w->failures += !graph_import(w->g, text, strlen(text), &o, NULL, &st);
    w->made++;
    status_clear(&st);
}

static void read_all(struct work *w)
{
    struct strbuf bytes = {0};
    struct status st = {0};

    w->failures += !graph_export(w->g, &bytes, &st) || !graph_check_cycles(w->g, 0, &st);
    strbuf_release(&bytes);
    status_clear(&st);
}

static void *run(void *arg)
{
    struct work *w = arg;
    struct node *first = graph_find(w->g, "first");

    for (int i = 0; i < ROUNDS; i++) {
        struct node *n = add_one(w, t_out(first, 0));
        struct shape s = output_shape(t_out(n ? n : first, 0));
        struct shape known = shape_1(7);
        struct status st = {0};
        struct tensor t = {0};

        w->failures += !graph_set_shape(w->g, t_out(first, 0), &known, &st);
        w->failures += graph_constant(t_out(first, 0), &t);
        shape_clear(&s);
        if (i % 10 == 0)
            import_one(w, i);
        if (i % 20 == 0)
            read_all(w);
        w->failures += i > 0 && !graph_function(w->g, "f0");
        graph_collect(w->g, "all", "x", 1);
    }
    return NULL;
}

static void test_graph_threads__all_at_once(void **state UNUSED)
{
    struct graph *g = graph_new();
    struct work work[THREADS];
    pthread_t threads[THREADS];
    int64_t made = 1;

    t_placeholder(g, "first", DT_FLOAT, 1, -1);
    for (int i = 0; i < THREADS; i++) {
        work[i] = (struct work){.g = g, .id = i};
        assert_int_equal(pthread_create(&threads[i], NULL, run, &work[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(work[i].failures, 0);
        made += work[i].made;
    }
    assert_int_equal(g->num_nodes, made);
    assert_int_equal(graph_collection(g, "all")->n, THREADS * ROUNDS);
    graph_unref(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_graph_threads__all_at_once)};
    return cmocka_run_group_tests(tests, graph_fixture_ops, NULL);
}
