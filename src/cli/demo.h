/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of `leat demo` share: tables of numbers, images with labels, networks and their
 * training, and the figures that it reports. */
#ifndef LEAT_CLI_DEMO_H
#define LEAT_CLI_DEMO_H

#include "cli/cli.h"
#include "leat/leat.h"

struct table { /* rows x cols, row by row; release with mem_free(values) */
    float *values;
    int64_t rows, cols;
};
/* Numbers with commas between them; a head line is skipped. `path` is for messages. The values are
 * the caller's after an error too. */
MUST_CHECK bool table_parse(struct str text, const char *path, struct table *out,
                            struct status *st);
MUST_CHECK bool table_read(const char *path, struct table *out, struct status *st);

struct figures { /* "key": number, ... */
    struct strbuf json;
    bool quiet; /* --json: nothing but the figures */
};
void figure_add(struct figures *f, const char *model, const char *what, double value);

/* Images side x side in [0, 1], one after the other, and what each shows, 0 to 9. */
struct images {
    float *pixels;
    int32_t *labels;
    int64_t num, side;
};
void images_free(struct images *d);

/* A network that tells digits apart. `train` is one step on what is fed. */
struct net {
    TF_Graph *graph;
    TF_Output images, labels, keep; /* keep: of dropout; not fed where it is invalid */
    TF_Output logits, loss;
    TF_Operation *train, *init;
};
struct model {
    const char *key, *title;
    void (*build)(struct net *net, int64_t side); /* all but init, on net->graph */
    int epochs;
    int64_t steps; /* stop after so many; 0: after the epochs */
    int64_t batch;
    double wanted; /* least accuracy on images that it was not trained on */
};
extern const struct model digits_models[], mnist_models[];
enum { NUM_DIGITS_MODELS = 3, NUM_MNIST_MODELS = 2 };

/* Trains the model, reports loss, steps_per_s and accuracy; an error when that is below wanted. */
MUST_CHECK bool demo_train(const struct model *model, const struct images *train,
                           const struct images *test, struct figures *f, struct status *st);

/* The share of test's images that the network tells right. */
MUST_CHECK bool demo_accuracy(TF_Session *session, const struct net *net, const struct images *test,
                              double *out, TF_Status *s);

/* A number from *state, which moves on (splitmix64). */
uint64_t demo_random(uint64_t *state);
/* The graph's error as ours; false when there is one. */
MUST_CHECK bool demo_graph_ok(TF_Graph *g, struct status *st);

MUST_CHECK bool demo_ridge(const struct table *iris, struct figures *f, struct status *st);
MUST_CHECK bool demo_digits(const struct table *digits, struct figures *f, struct status *st);
/* The rows as images: 80 of 100, chosen by a fixed seed, train. The images are the caller's after
 * an error too. */
MUST_CHECK bool demo_digits_split(const struct table *digits, struct images *train,
                                  struct images *test, struct status *st);
/* folder: of the four idx files, with or without .gz. */
MUST_CHECK bool demo_mnist_there(const char *folder, struct status *st);
MUST_CHECK bool demo_mnist(const char *folder, struct figures *f, struct status *st);

/* A local cluster trains the digits (demo_cluster.c); csv: the folder of digits.csv. */
MUST_CHECK bool demo_cluster(const struct table *digits, const char *csv, struct figures *f,
                             struct status *st);
/* One of its workers: leat demo --worker INDEX CLUSTER --csv-dir DIR. */
MUST_CHECK bool demo_worker(int index, const char *cluster, const struct table *digits,
                            struct status *st);
/* A perceptron for images of side x side, all but its training. */
void demo_small_net(struct net *net, int64_t side);
/* The same with all names under scope, and a global step, which is given. */
TF_Output demo_cluster_net(struct net *net, const char *scope, int64_t side);

#endif
