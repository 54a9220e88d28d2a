/* SPDX-License-Identifier: Apache-2.0 */
/* A convolutional network that tells kinds of sentences apart (Kim 2014), as in the workshop.
 *
 *     textcnn --data FOLDER [--epochs 3]
 *
 * Each file in FOLDER is a kind, each of its lines a sentence. Words become vectors, filters slide
 * over three, four and five words at a time, the strongest answer of each filter counts, and a
 * dense layer with dropout decides. A tenth of the sentences is kept apart and tells the accuracy.
 */
#include <dirent.h>

#include "leat/leat.h"
#include "words.h"

enum { VOCABULARY = 20000, SIZE = 128, FILTERS = 128, BATCH = 64, LONGEST = 56, KINDS = 16 };

struct sentence {
    int32_t words[LONGEST]; /* 0 behind the last */
    int32_t kind;
};
struct sentences {
    struct sentence *v;
    int n, num_kinds;
    char *texts[KINDS];
};

struct model {
    TF_Output words, kinds, rate, loss, accuracy;
    TF_Operation *step, *init;
};

static TF_Output weights(TF_Graph *g, const char *name, struct leat_shape shape)
{
    return leat_get_variable(g, name, shape, .initializer = leat_init_truncated_normal(0, 0.1));
}

static TF_Output biases(TF_Graph *g, const char *name, int64_t n)
{
    return leat_get_variable(g, name, leat_shape(n), .initializer = leat_init_constant(0.1));
}

/* [batch, LONGEST, SIZE, 1] -> [batch, 1, 1, FILTERS]: filters over `width` words, the greatest
 * answer of each. */
static TF_Output convolve(TF_Graph *g, TF_Output x, int64_t width)
{
    char name[32];
    TF_Output y = {0};
    snprintf(name, sizeof name, "conv%d", (int)width);
    leat_with_variable_scope(g, name, 0) {
        TF_Output w = weights(g, "W", leat_shape(width, SIZE, 1, FILTERS));
        TF_Output sum = leat_conv2d(g, x, w, .strides = leat_ints(1, 1, 1, 1), .padding = "VALID");
        y = leat_relu(g, leat_bias_add(g, sum, biases(g, "b", FILTERS)));
        y = leat_max_pool(g, y, .ksize = leat_ints(1, LONGEST - width + 1, 1, 1),
                          .strides = leat_ints(1, 1, 1, 1), .padding = "VALID");
    }
    return y;
}

static struct model build(TF_Graph *g, int vocabulary, int num_kinds)
{
    struct model m = {0};
    m.words = leat_placeholder(g, .dtype = TF_INT32, .shape = leat_shape(-1, LONGEST));
    m.kinds = leat_placeholder(g, .dtype = TF_INT32, .shape = leat_shape(-1));
    m.rate = leat_placeholder(g, .dtype = TF_FLOAT, .shape = leat_shape());
    TF_Output table = leat_get_variable(g, "embeddings", leat_shape(vocabulary, SIZE),
                                        .initializer = leat_init_random_uniform(-1, 1));
    TF_Output x = leat_embedding_lookup(g, leat_outputs(table), m.words);
    x = leat_expand_dims(g, x, leat_const_int(g, -1));
    TF_Output answers[3];
    for (int i = 0; i < 3; i++)
        answers[i] = convolve(g, x, 3 + i);
    x = leat_concat_v2(g, answers, 3, leat_const_int(g, 3));
    x = leat_reshape(g, x, leat_const_ints(g, ((int32_t[]){-1, 3 * FILTERS}), leat_shape(2)));
    x = leat_dropout(g, x, .rate_tensor = m.rate);
    TF_Output w = leat_get_variable(g, "W", leat_shape(3 * FILTERS, num_kinds));
    TF_Output logits = leat_bias_add(g, leat_matmul(g, x, w), biases(g, "b", num_kinds));
    m.loss = leat_reduce_mean(g, leat_sparse_softmax_cross_entropy(g, m.kinds, logits));
    TF_Output best = leat_arg_max(g, logits, leat_const_int(g, 1), .output_type = TF_INT32);
    TF_Output right = leat_equal(g, best, m.kinds);
    m.accuracy = leat_reduce_mean(g, leat_cast(g, right, .DstT = TF_FLOAT));
    leat_optimizer *adam = leat_adam(g, .learning_rate = 1e-3);
    m.step = leat_minimize(adam, m.loss);
    leat_optimizer_free(adam);
    m.init = leat_global_variables_initializer(g);
    return m;
}

/* Feeds n sentences; trains on them, or adds how many of them were told right. */
static int feed(TF_Session *session, const struct model *m, const struct sentence *v, int n,
                int trains, float *figure, TF_Status *s)
{
    int32_t words[BATCH][LONGEST], kinds[BATCH];
    for (int i = 0; i < n; i++) {
        memcpy(words[i], v[i].words, sizeof words[i]);
        kinds[i] = v[i].kind;
    }
    struct leat_feeds feeds = leat_feeds(leat_feed(m->words, words, leat_shape(n, LONGEST)),
                                         leat_feed(m->kinds, kinds, leat_shape(n)),
                                         leat_feed_number(m->rate, trains ? 0.5 : 0.0));
    TF_Operation *step = m->step;
    return leat_run(session, s, .feeds = feeds,
                    .fetches = leat_fetches(leat_fetch(trains ? m->loss : m->accuracy, figure, 1)),
                    .targets = {&step, trains ? 1 : 0});
}

static void shuffle(struct sentence *v, int n, unsigned *state)
{
    for (int i = n - 1; i > 0; i--) {
        *state = *state * 1664525u + 1013904223u;
        int j = (int)((*state >> 4) % (unsigned)(i + 1));
        struct sentence swap = v[i];
        v[i] = v[j];
        v[j] = swap;
    }
}

static int train(TF_Session *session, const struct model *m, struct sentences *all, int epochs,
                 TF_Status *s)
{
    unsigned state = 2017;
    shuffle(all->v, all->n, &state);
    int num_train = all->n - all->n / 10, batches = num_train / BATCH;
    struct leat_progress bar;
    leat_progress_begin(&bar, "textcnn", (int64_t)batches * epochs, 1);
    int ok = leat_run_op(session, m->init, leat_no_feeds(), s);
    for (int i = 0; ok && i < batches * epochs; i++) {
        float loss = 0;
        if (i % batches == 0)
            shuffle(all->v, num_train, &state);
        ok = feed(session, m, all->v + i % batches * BATCH, BATCH, 1, &loss, s);
        leat_progress_step(&bar, i + 1, "loss", (double)loss, NULL);
    }
    leat_progress_end(&bar);
    double right = 0;
    for (int i = num_train; ok && i < all->n; i += BATCH) {
        float share = 0;
        int n = all->n - i < BATCH ? all->n - i : BATCH;
        ok = feed(session, m, all->v + i, n, 0, &share, s);
        right += (double)share * n;
    }
    if (ok)
        printf("accuracy on %d sentences kept apart: %.4f\n", all->n - num_train,
               right / (all->n - num_train));
    return ok;
}

/* The lines of text as sentences of this kind; counts them only where v is NULL. */
static int take_lines(const struct words *w, const char *text, int kind, struct sentence *v)
{
    int n = 0;
    for (const char *p = text; *p;) {
        const char *end = p + strcspn(p, "\n"), *start;
        int length, num = 0;
        while ((start = next_word(&p, end, &length))) {
            if (v && num < LONGEST)
                v[n].words[num] = word_number(w, start, length);
            num++;
        }
        if (num > 0 && v)
            v[n].kind = kind;
        n += num > 0;
        p = *end ? end + 1 : end;
    }
    return n;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int visible(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

static int read_folder(const char *folder, struct sentences *all, struct words *w)
{
    struct dirent **names;
    int n = scandir(folder, &names, visible, by_name), ok = n >= 2 && n <= KINDS;
    for (int i = 0; i < n; i++) {
        char path[4400];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        if (ok && (all->texts[i] = read_text(path))) {
            printf("kind %d: %s\n", i, names[i]->d_name);
            words_count(w, all->texts[i]);
            all->n += take_lines(w, all->texts[i], i, NULL);
        }
        ok = ok && all->texts[i];
        free(names[i]);
    }
    if (n >= 0)
        free(names);
    all->num_kinds = n;
    if (!ok || all->n < 10 * BATCH) {
        fprintf(stderr, "%s: two to %d files, at least %d sentences in all, are wanted\n", folder,
                KINDS, 10 * BATCH);
        return 0;
    }
    words_number(w, VOCABULARY);
    all->v = calloc((size_t)all->n, sizeof *all->v);
    for (int i = 0, at = 0; all->v && i < n; i++)
        at += take_lines(w, all->texts[i], i, all->v + at);
    return all->v != NULL;
}

int main(int argc, char **argv)
{
    const char *folder = NULL;
    int epochs = 3;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--data") == 0)
            folder = argv[i + 1];
        else if (strcmp(argv[i], "--epochs") == 0)
            epochs = atoi(argv[i + 1]);
    }
    if (!folder || argc % 2 == 0) {
        fprintf(stderr, "usage: %s --data FOLDER [--epochs N]\n", argv[0]);
        return 2;
    }
    struct sentences all = {0};
    struct words w = {0};
    int ok = read_folder(folder, &all, &w);
    if (ok) {
        TF_Status *s = TF_NewStatus();
        TF_Graph *g = TF_NewGraph();
        leat_set_random_seed(g, 2017);
        struct model m = build(g, w.num, all.num_kinds);
        TF_Session *session = leat_session_new(g, s);
        ok = session && train(session, &m, &all, epochs, s);
        if (!ok)
            fprintf(stderr, "%s\n", TF_Message(s));
        leat_session_close(session);
        TF_DeleteGraph(g);
        TF_DeleteStatus(s);
    }
    for (int i = 0; i < all.num_kinds && i < KINDS; i++)
        free(all.texts[i]);
    free(all.v);
    words_free(&w);
    return ok ? 0 : 1;
}
