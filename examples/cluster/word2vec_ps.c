/* SPDX-License-Identifier: Apache-2.0 */
/* word2vec on a cluster, between-graph: the tables of vectors are the parameter servers', each
 * worker is a process with a graph of its own and a part of the text, and a Supervisor sees to who
 * initialises, who waits, and what is saved. ../word2vec.c explains the model.
 *
 *     leat cluster --ps 1 --workers 2 -- build/examples/word2vec_ps TEXT [STEPS [FOLDER]]
 *
 * STEPS are all workers' together; with FOLDER, checkpoints go there and training goes on from
 * them.
 */
#include <math.h>

#include "../words.h"
#include "leat/leat.h"

enum { VOCABULARY = 50000, SIZE = 64, BATCH = 64, SAMPLED = 16, PS = 1 };

struct model {
    TF_Output inputs, labels, loss, step;
    TF_Operation *train;
};

static struct model build(TF_Graph *g, int vocabulary)
{
    struct model m = {.step = leat_get_or_create_global_step(g)};
    m.inputs = leat_placeholder(g, .dtype = TF_INT32, .shape = leat_shape(BATCH));
    m.labels = leat_placeholder(g, .dtype = TF_INT64, .shape = leat_shape(BATCH, 1));
    TF_Output embeddings = leat_get_variable(g, "embeddings", leat_shape(vocabulary, SIZE),
                                             .initializer = leat_init_random_uniform(-1, 1));
    TF_Output weights =
        leat_get_variable(g, "nce_weights", leat_shape(vocabulary, SIZE),
                          .initializer = leat_init_truncated_normal(0, 1.0 / sqrt((double)SIZE)));
    TF_Output biases = leat_get_variable(g, "nce_biases", leat_shape(vocabulary),
                                         .initializer = leat_init_zeros());
    int64_t sampled = vocabulary / 2 < SAMPLED ? vocabulary / 2 : SAMPLED; /* all different */
    TF_Output embed = leat_embedding_lookup(g, leat_outputs(embeddings), m.inputs);
    m.loss = leat_reduce_mean(g, leat_nce_loss(g, leat_outputs(weights), biases, m.labels, embed,
                                               .num_sampled = sampled, .num_classes = vocabulary));
    leat_optimizer *descent = leat_gradient_descent(g, .learning_rate = 1.0);
    m.train = leat_minimize(descent, m.loss, .global_step = m.step);
    leat_optimizer_free(descent);
    return m;
}

struct text {
    const int32_t *words;
    int64_t n;
};

/* Words and their right neighbours, from `at` on, round and round. */
static void next_batch(struct text t, int64_t *at, int32_t *inputs, int64_t *labels)
{
    for (int i = 0; i < BATCH; i++) {
        inputs[i] = t.words[*at];
        labels[i] = t.words[*at + 1];
        *at = *at + 2 < t.n ? *at + 1 : 0;
    }
}

/* Until the workers have done so many steps together. */
static int train(leat_supervisor *sv, TF_Session *session, const struct model *m, struct text t,
                 int64_t at, int64_t steps, TF_Status *s)
{
    int32_t inputs[BATCH];
    int64_t labels[BATCH], step = 0, mine = 0;
    double smooth = 0;
    int ok = 1;
    while (ok && step < steps && !leat_supervisor_should_stop(sv)) {
        float loss = 0;
        next_batch(t, &at, inputs, labels);
        ok = leat_run(
            session, s,
            .feeds = leat_feeds(leat_feed(m->inputs, inputs, leat_shape(BATCH)),
                                leat_feed(m->labels, labels, leat_shape(BATCH, 1))),
            .fetches = leat_fetches(leat_fetch(m->loss, &loss, 1), leat_fetch(m->step, &step, 1)),
            .targets = leat_opers(m->train));
        smooth = mine++ == 0 ? (double)loss : smooth + 0.05 * ((double)loss - smooth);
    }
    if (ok)
        printf("%lld steps of mine of %lld, loss %.3f\n", (long long)mine, (long long)steps,
               smooth);
    return ok;
}

static int run(TF_Server *server, struct text t, int vocabulary, int64_t steps, const char *folder,
               TF_Status *s)
{
    int task = 0;
    (void)sscanf(leat_server_name(server), "/job:worker/replica:0/task:%d", &task);
    char here[64];
    snprintf(here, sizeof here, "/job:worker/task:%d", task);
    TF_Graph *g = TF_NewGraph();
    struct model m;
    leat_set_random_seed(g, 2017);
    leat_device_setter *ps = leat_replica_device_setter(.ps_tasks = PS, .worker_device = here);
    leat_with_replica_devices(g, ps) m = build(g, vocabulary);
    leat_device_setter_free(ps);
    leat_supervisor *sv = leat_supervisor_new(g, s, .target = TF_ServerTarget(server),
                                              .is_chief = task == 0, .checkpoint_dir = folder);
    TF_Session *session = sv ? leat_supervisor_session(sv, s) : NULL;
    int ok = session && train(sv, session, &m, t, (t.n - 1) * task / (task + 1), steps, s);
    TF_Status *why = TF_NewStatus();
    TF_SetStatus(why, ok ? TF_OK : TF_GetCode(s), ok ? "" : TF_Message(s));
    ok = leat_supervisor_stop(sv, why, s) && ok;
    TF_DeleteStatus(why);
    TF_DeleteGraph(g);
    return ok;
}

static struct text read_words(struct words *w, const char *text)
{
    int64_t cap = (int64_t)strlen(text) / 2 + 1, n = 0;
    int32_t *numbers = malloc((size_t)cap * sizeof *numbers);
    const char *p = text, *end = text + strlen(text), *start;
    int length;
    words_count(w, text);
    words_number(w, VOCABULARY);
    while (numbers && (start = next_word(&p, end, &length)))
        numbers[n++] = word_number(w, start, length);
    return (struct text){numbers, n};
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: %s TEXT [STEPS [FOLDER]]\n", argv[0]);
        return 2;
    }
    char *all = read_text(argv[1]);
    TF_Status *s = TF_NewStatus();
    TF_Server *server = all ? leat_server_new(NULL, s) : NULL; /* as TF_CONFIG says */
    struct words w = {0};
    int ok = server != NULL;
    if (ok) {
        TF_ServerStart(server, s);
        struct text t = read_words(&w, all);
        ok = t.n > 2 && w.num > 2 &&
             run(server, t, w.num, argc > 2 ? atoll(argv[2]) : 1000, argc > 3 ? argv[3] : NULL, s);
        free((void *)(uintptr_t)t.words);
        words_free(&w);
    }
    if (!ok)
        fprintf(stderr, "word2vec_ps: %s\n", TF_Message(s));
    TF_DeleteServer(server); /* says goodbye to the others */
    TF_DeleteStatus(s);
    free(all);
    return ok ? 0 : 1;
}
