/* SPDX-License-Identifier: Apache-2.0 */
/* Where the demo's images come from: the rows of digits.csv, 80 of 100 of which, chosen by a fixed
 * seed, train; and MNIST's four files. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/demo.h"
#include "io/file.h"
#include "io/folder.h"
#include "io/idx.h"

enum { PIXELS = 64, CLASSES = 10 };

static void images_new(struct images *d, int64_t num, int64_t side)
{
    *d = (struct images){.num = num, .side = side};
    d->pixels = mem_new_array(float, num *side *side);
    d->labels = mem_new_array(int32_t, num);
}

/* Row `from` of the table becomes image i. */
static bool take_row(const struct table *t, int64_t from, struct images *d, int64_t i)
{
    const float *row = t->values + from * t->cols;
    for (int k = 0; k < PIXELS; k++)
        d->pixels[i * PIXELS + k] = row[k] / 16.0f;
    if (!(row[PIXELS] >= 0 && row[PIXELS] < CLASSES))
        return false;
    d->labels[i] = (int32_t)row[PIXELS];
    return true;
}

bool demo_digits_split(const struct table *t, struct images *train, struct images *test,
                       struct status *st)
{
    if (t->cols != PIXELS + 1 || t->rows < 10)
        return status_invalid(st, "digits.csv: rows of %d numbers are wanted", PIXELS + 1);
    uint64_t seed = 42;
    int64_t num_train = t->rows * 4 / 5;
    int64_t *order = mem_new_array(int64_t, t->rows);
    for (int64_t i = 0; i < t->rows; i++) {
        int64_t j = (int64_t)(demo_random(&seed) % (uint64_t)(i + 1));
        order[i] = order[j];
        order[j] = i;
    }
    images_new(train, num_train, 8);
    images_new(test, t->rows - num_train, 8);
    bool ok = true;
    for (int64_t i = 0; i < t->rows; i++) {
        bool trains = i < num_train;
        ok = take_row(t, order[i], trains ? train : test, trains ? i : i - num_train) && ok;
    }
    mem_free(order);
    return ok || status_invalid(st, "digits.csv: a label is no digit");
}

bool demo_digits(const struct table *t, struct figures *f, struct status *st)
{
    struct images train = {0}, test = {0};
    bool ok = demo_digits_split(t, &train, &test, st);
    for (int i = 0; ok && i < NUM_DIGITS_MODELS; i++)
        ok = demo_train(&digits_models[i], &train, &test, f, st);
    images_free(&train);
    images_free(&test);
    return ok;
}

/* FOLDER/NAME.gz where it is there, else FOLDER/NAME, which may be missing. */
static void idx_path(const char *folder, const char *name, struct strbuf *out)
{
    strbuf_printf(out, "%s/%s.gz", folder, name);
    if (!file_exists_at(out->p)) {
        strbuf_clear(out);
        strbuf_printf(out, "%s/%s", folder, name);
    }
}

/* Reads an array of num_dims dims. *bytes is the caller's. */
static bool read_idx(const char *folder, const char *name, int num_dims, char **bytes,
                     struct idx *out, struct status *st)
{
    size_t n;
    struct strbuf path = {0};
    idx_path(folder, name, &path);
    bool ok =
        file_read(path.p, (size_t)1 << 30, bytes, &n, st) &&
        idx_parse(*bytes, n, path.p, out, st) &&
        (out->num_dims == num_dims || status_invalid(st, "%s: an array of %d dims, %d are wanted",
                                                     path.p, out->num_dims, num_dims));
    strbuf_release(&path);
    return ok;
}

static bool read_mnist(const char *folder, const char *which, struct images *out, struct status *st)
{
    char name[2][64], *bytes[2] = {NULL, NULL};
    struct idx pixels, labels;
    snprintf(name[0], sizeof name[0], "%s-images-idx3-ubyte", which);
    snprintf(name[1], sizeof name[1], "%s-labels-idx1-ubyte", which);
    bool ok = read_idx(folder, name[0], 3, &bytes[0], &pixels, st) &&
              read_idx(folder, name[1], 1, &bytes[1], &labels, st);
    if (ok && (pixels.dims[0] != labels.dims[0] || pixels.dims[1] != 28 || pixels.dims[2] != 28))
        ok = status_invalid(st, "%s: the images are not 28x28, or not as many as the labels",
                            folder);
    if (ok) {
        images_new(out, pixels.dims[0], 28);
        for (int64_t i = 0; i < pixels.num; i++)
            out->pixels[i] = (float)pixels.data[i] / 255.0f;
        for (int64_t i = 0; i < out->num; i++) {
            out->labels[i] = labels.data[i];
            ok = ok && labels.data[i] < CLASSES;
        }
        if (!ok)
            status_invalid(st, "%s: a label is no digit", folder);
    }
    mem_free(bytes[0]);
    mem_free(bytes[1]);
    return ok;
}

bool demo_mnist_there(const char *folder, struct status *st)
{
    static const char *const names[] = {"train-images-idx3-ubyte", "train-labels-idx1-ubyte",
                                        "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"};
    bool ok = true;
    for (size_t i = 0; ok && i < ARRAY_LEN(names); i++) {
        struct strbuf path = {0};
        idx_path(folder, names[i], &path);
        if (access(path.p, R_OK) != 0)
            ok = status_not_found(st, "%s (or .gz): %s; --data-dir wants MNIST's four idx files",
                                  path.p, strerror(errno));
        strbuf_release(&path);
    }
    return ok;
}

bool demo_mnist(const char *folder, struct figures *f, struct status *st)
{
    struct images train = {0}, test = {0};
    bool ok = read_mnist(folder, "train", &train, st) && read_mnist(folder, "t10k", &test, st);
    for (int i = 0; ok && i < NUM_MNIST_MODELS; i++)
        ok = demo_train(&mnist_models[i], &train, &test, f, st);
    images_free(&train);
    images_free(&test);
    return ok;
}
