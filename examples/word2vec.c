/* SPDX-License-Identifier: Apache-2.0 */
/* word2vec, the skip-gram model of the workshop: a word's vector learns to tell the words beside it
 * from words drawn at random (noise-contrastive estimation); words used alike end up near each
 * other.
 *
 *     word2vec --data TEXT [--steps 100000] [--words of,king,seven]
 *
 * TEXT is plain text, words between blanks (such as the first 100 MB of Wikipedia, text8). At the
 * end it prints the nearest words, by the cosine of the angle, of the words asked for.
 */
#include <math.h>

#include "leat/leat.h"
#include "words.h"

enum { VOCABULARY = 50000, SIZE = 128, BATCH = 128, SAMPLED = 64, NEAREST = 8, ASKED = 16 };

struct model {
    TF_Output inputs, labels, loss; /* int32 [BATCH]; int64 [BATCH, 1]; a number */
    TF_Operation *step, *init;
    TF_Output asked, nearest; /* int32 [?] -> int32 [?, NEAREST + 1], the word itself first */
};

static struct model build(TF_Graph *g, int vocabulary)
{
    struct model m = {0};
    m.inputs = leat_placeholder(g, .dtype = TF_INT32, .shape = leat_shape(BATCH));
    m.labels = leat_placeholder(g, .dtype = TF_INT64, .shape = leat_shape(BATCH, 1));
    m.asked = leat_placeholder(g, .dtype = TF_INT32, .shape = leat_shape(-1));
    TF_Output embeddings = leat_variable(
        g, "embeddings",
        leat_random_uniform(g, leat_shape(vocabulary, SIZE), .minval = -1.0, .maxval = 1.0));
    TF_Output weights = leat_variable(
        g, "nce_weights",
        leat_truncated_normal(g, leat_shape(vocabulary, SIZE), .stddev = 1.0 / sqrt((double)SIZE)));
    TF_Output biases = leat_variable(g, "nce_biases", leat_zeros(g, leat_shape(vocabulary)));
    int64_t sampled = vocabulary / 2 < SAMPLED ? vocabulary / 2 : SAMPLED; /* all different */
    TF_Output embed = leat_embedding_lookup(g, leat_outputs(embeddings), m.inputs);
    m.loss = leat_reduce_mean(g, leat_nce_loss(g, leat_outputs(weights), biases, m.labels, embed,
                                               .num_sampled = sampled, .num_classes = vocabulary));
    leat_optimizer *descent = leat_gradient_descent(g, .learning_rate = 1.0);
    m.step = leat_minimize(descent, m.loss); /* touches the rows that the batch names, no more */
    leat_optimizer_free(descent);

    TF_Output unit = leat_l2_normalize(g, embeddings, .axis = leat_ints(1));
    TF_Output chosen = leat_gather_v2(g, unit, m.asked, leat_const_int(g, 0));
    TF_Output cosines = leat_matmul(g, chosen, unit, .transpose_b = true);
    m.nearest = leat_output(leat_top_k_v2(g, cosines, leat_const_int(g, NEAREST + 1)), 1);
    m.init = leat_global_variables_initializer(g);
    return m;
}

/* The pairs (word, neighbour) of a text, one after the other, for ever. */
struct pairs {
    const int32_t *text;
    int64_t n, at;
    int side; /* 0: the word before is next, 1: the word after */
};

static void next_batch(struct pairs *p, int32_t *inputs, int64_t *labels)
{
    for (int i = 0; i < BATCH; i++) {
        inputs[i] = p->text[p->at];
        labels[i] = p->text[p->side ? p->at + 1 : p->at - 1];
        p->at += p->side;
        p->side = !p->side;
        if (p->at == p->n - 1)
            p->at = 1;
    }
}

static int train(TF_Session *session, const struct model *m, struct pairs *p, int64_t steps,
                 TF_Status *s)
{
    int32_t inputs[BATCH];
    int64_t labels[BATCH];
    double smooth = 0;
    struct leat_progress bar;
    leat_progress_begin(&bar, "word2vec", steps, 1);
    for (int64_t i = 0; i < steps; i++) {
        float loss;
        next_batch(p, inputs, labels);
        if (!leat_run(session, s,
                      .feeds = leat_feeds(leat_feed(m->inputs, inputs, leat_shape(BATCH)),
                                          leat_feed(m->labels, labels, leat_shape(BATCH, 1))),
                      .fetches = leat_fetches(leat_fetch(m->loss, &loss, 1)),
                      .targets = leat_opers(m->step)))
            return 0;
        smooth = i == 0 ? (double)loss : smooth + 0.001 * ((double)loss - smooth);
        leat_progress_step(&bar, i + 1, "loss", smooth, NULL);
    }
    leat_progress_end(&bar);
    return 1;
}

static int show_nearest(TF_Session *session, const struct model *m, const struct words *w,
                        const int32_t *asked, int n, TF_Status *s)
{
    int32_t nearest[ASKED][NEAREST + 1];
    if (!leat_run(session, s, .feeds = leat_feeds(leat_feed(m->asked, asked, leat_shape(n))),
                  .fetches = leat_fetches(
                      leat_fetch(m->nearest, &nearest[0][0], (int64_t)n * (NEAREST + 1)))))
        return 0;
    for (int i = 0; i < n; i++) {
        const struct word *word = w->by_number[asked[i]];
        printf("nearest to %.*s:", word->length, word->text);
        for (int k = 1; k <= NEAREST; k++) {
            word = w->by_number[nearest[i][k]];
            printf(" %.*s", word ? word->length : 6, word ? word->text : "(rare)");
        }
        puts("");
    }
    return 1;
}

/* The numbers of the words in "of,king,seven", or of the most frequent words. */
static int choose(const struct words *w, const char *list, int32_t *asked)
{
    int n = 0;
    for (const char *p = list; p && *p && n < ASKED;) {
        int length = (int)strcspn(p, ",");
        int number = word_number(w, p, length);
        if (number > 0)
            asked[n++] = number;
        else
            fprintf(stderr, "%.*s: not among the words\n", length, p);
        p += length + (p[length] == ',');
    }
    for (int i = 1; !list && i < w->num && n < 8; i++)
        asked[n++] = i;
    return n;
}

static int run(struct words *w, const char *text, int64_t steps, const char *list)
{
    int64_t n = 0, cap = (int64_t)strlen(text) / 2 + 1;
    int32_t *numbers = malloc((size_t)cap * sizeof *numbers), asked[ASKED];
    const char *p = text, *end = text + strlen(text), *start;
    int length;
    while (numbers && (start = next_word(&p, end, &length)))
        numbers[n++] = word_number(w, start, length);
    if (n < 3 || w->num <= NEAREST + 1) {
        fputs("the text is too short\n", stderr);
        free(numbers);
        return 0;
    }
    TF_Status *s = TF_NewStatus();
    TF_Graph *g = TF_NewGraph();
    leat_set_random_seed(g, 2017);
    struct model m = build(g, w->num);
    TF_Session *session = leat_session_new(g, s);
    struct pairs pairs = {numbers, n, 1, 0};
    int num_asked = choose(w, list, asked);
    int ok = leat_run_op(session, m.init, leat_no_feeds(), s) &&
             train(session, &m, &pairs, steps, s) &&
             (num_asked == 0 || show_nearest(session, &m, w, asked, num_asked, s));
    if (!ok)
        fprintf(stderr, "%s\n", TF_Message(s));
    leat_session_close(session);
    TF_DeleteGraph(g);
    TF_DeleteStatus(s);
    free(numbers);
    return ok;
}

int main(int argc, char **argv)
{
    const char *data = NULL, *list = NULL;
    int64_t steps = 100000;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--data") == 0)
            data = argv[i + 1];
        else if (strcmp(argv[i], "--steps") == 0)
            steps = atoll(argv[i + 1]);
        else if (strcmp(argv[i], "--words") == 0)
            list = argv[i + 1];
        else
            data = NULL, i = argc;
    }
    if (!data || argc % 2 == 0) {
        fprintf(stderr, "usage: %s --data TEXT [--steps N] [--words A,B,...]\n", argv[0]);
        return 2;
    }
    char *text = read_text(data);
    if (!text)
        return 1;
    struct words w = {0};
    words_count(&w, text);
    words_number(&w, VOCABULARY);
    int ok = run(&w, text, steps, list);
    words_free(&w);
    free(text);
    return ok ? 0 : 1;
}
