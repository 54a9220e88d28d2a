/* SPDX-License-Identifier: Apache-2.0 */
/* needs: zlib */
/* The workshop's first model: softmax regression on MNIST, batches of 100, 1,000 steps of gradient
 * descent with rate 0.003 on the summed cross-entropy; about 0.92 of the test images are told
 * right.
 *
 *     mnist_softmax DIR     DIR holds train-images-idx3-ubyte.gz and the other three files
 */
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "leat/leat.h"

enum { PIXELS = 784, CLASSES = 10, BATCH = 100, STEPS = 1000 };

struct images {
    int n;
    float *pixels; /* n x PIXELS, 0 to 1 */
    float *labels; /* n x CLASSES, one-hot */
};

/* An idx file: a head of `head` bytes whose bytes 4-7 tell how many items follow, `size` bytes
 * each. NULL when it cannot be read. */
static unsigned char *read_items(const char *dir, const char *name, int head, int size, int *n)
{
    char path[4096];
    unsigned char top[16], *items = NULL;
    snprintf(path, sizeof path, "%s/%s.gz", dir, name);
    gzFile f = gzopen(path, "rb");
    if (f && gzread(f, top, (unsigned)head) == head) {
        *n = top[4] << 24 | top[5] << 16 | top[6] << 8 | top[7];
        if (*n > 0 && *n <= 100000 && (items = malloc((size_t)*n * (size_t)size)) &&
            gzread(f, items, (unsigned)(*n * size)) != *n * size) {
            free(items);
            items = NULL;
        }
    }
    if (f)
        gzclose(f);
    if (!items)
        fprintf(stderr, "%s: cannot be read\n", path);
    return items;
}

static int read_images(const char *dir, const char *which, struct images *out)
{
    char name[2][64];
    int n = 0, num_labels = 0;
    snprintf(name[0], sizeof name[0], "%s-images-idx3-ubyte", which);
    snprintf(name[1], sizeof name[1], "%s-labels-idx1-ubyte", which);
    unsigned char *pixels = read_items(dir, name[0], 16, PIXELS, &n);
    unsigned char *labels = pixels ? read_items(dir, name[1], 8, 1, &num_labels) : NULL;
    int ok = pixels && labels && n == num_labels;
    if (ok) {
        *out = (struct images){n, malloc(sizeof(float) * PIXELS * (size_t)n),
                               calloc((size_t)n * CLASSES, sizeof(float))};
        ok = out->pixels && out->labels;
    }
    for (int i = 0; ok && i < n; i++) {
        for (int k = 0; k < PIXELS; k++)
            out->pixels[i * PIXELS + k] = (float)pixels[i * PIXELS + k] / 255;
        out->labels[i * CLASSES + labels[i] % CLASSES] = 1;
    }
    free(pixels);
    free(labels);
    return ok;
}

int main(int argc, char **argv)
{
    struct images train = {0}, test = {0};
    if (argc != 2 || !read_images(argv[1], "train", &train) ||
        !read_images(argv[1], "t10k", &test)) {
        fprintf(stderr, "usage: %s FOLDER-WITH-MNIST\n", argv[0]);
        return 2;
    }
    TF_Status *s = TF_NewStatus();
    TF_Graph *g = TF_NewGraph();
    TF_Output x = leat_placeholder(g, .dtype = TF_FLOAT, .shape = leat_shape(-1, PIXELS));
    TF_Output w = leat_variable(g, "W", leat_zeros(g, leat_shape(PIXELS, CLASSES)));
    TF_Output b = leat_variable(g, "b", leat_zeros(g, leat_shape(CLASSES)));
    TF_Output logits = leat_bias_add(g, leat_matmul(g, x, w), b);
    TF_Output truth = leat_placeholder(g, .dtype = TF_FLOAT, .shape = leat_shape(-1, CLASSES));
    TF_Output cross_entropy =
        leat_reduce_sum(g, leat_softmax_cross_entropy_with_logits_v2(g, truth, logits));
    TF_Output axis = leat_const_int(g, 1);
    TF_Output right = leat_equal(g, leat_arg_max(g, logits, axis), leat_arg_max(g, truth, axis));
    TF_Output accuracy = leat_reduce_mean(g, leat_cast(g, right, .DstT = TF_FLOAT));
    leat_optimizer *descent = leat_gradient_descent(g, .learning_rate = 0.003);
    TF_Operation *step = leat_minimize(descent, cross_entropy);
    leat_optimizer_free(descent);
    TF_Operation *init = leat_global_variables_initializer(g);

    TF_Session *session = leat_session_new(g, s);
    int ok = leat_run_op(session, init, leat_no_feeds(), s);
    struct leat_progress bar;
    leat_progress_begin(&bar, "softmax", STEPS, 0);
    for (int i = 0; ok && i < STEPS; i++) {
        int first = i * BATCH % (train.n - BATCH + 1);
        float loss = 0;
        ok = leat_run(session, s,
                      .feeds = leat_feeds(leat_feed(x, train.pixels + (size_t)first * PIXELS,
                                                    leat_shape(BATCH, PIXELS)),
                                          leat_feed(truth, train.labels + (size_t)first * CLASSES,
                                                    leat_shape(BATCH, CLASSES))),
                      .fetches = leat_fetches(leat_fetch(cross_entropy, &loss, 1)),
                      .targets = leat_opers(step));
        leat_progress_step(&bar, i + 1, "loss", (double)loss / BATCH, NULL);
    }
    leat_progress_end(&bar);
    float share = 0;
    ok = ok &&
         leat_run(session, s,
                  .feeds = leat_feeds(leat_feed(x, test.pixels, leat_shape(test.n, PIXELS)),
                                      leat_feed(truth, test.labels, leat_shape(test.n, CLASSES))),
                  .fetches = leat_fetches(leat_fetch(accuracy, &share, 1)));
    if (ok)
        printf("accuracy on %d test images: %.4f\n", test.n, (double)share);
    else
        fprintf(stderr, "%s\n", TF_Message(s));
    leat_session_close(session);
    TF_DeleteGraph(g);
    TF_DeleteStatus(s);
    free(train.pixels);
    free(train.labels);
    free(test.pixels);
    free(test.labels);
    return ok ? 0 : 1;
}
