/* SPDX-License-Identifier: Apache-2.0 */
/* RecordInput: batches of the records of TFRecord files, over and over, in a random order.
 *
 * Made for training input that lies in many files: `file_parallelism` files are open at once, and
 * a record of each in turn goes into a buffer of `file_buffer_size`, from which one is drawn by
 * chance. A batch takes what the buffer lacks from the files, so a record is read once it is needed
 * to keep the buffer full. An epoch gives each record once and ends before the next begins;
 * batches may reach over the end. The order is that of the seed alone; it is not TensorFlow's,
 * which depends on its threads. After an error the next run begins a new epoch. */
#include <string.h>

#include "base/mem.h"
#include "io/folder.h"
#include "io/record.h"
#include "math/rng.h"
#include "op/infer.h"
#include "op/kernel.h"
#include "op/op.h"

struct source {
    char *pattern;
    double shift;
    int64_t room, parallelism;
    enum record_form form;
    struct lock lock;
    struct math_philox_stream random; /* guarded by lock, like what follows */
    struct path_list files;           /* of the epoch, in its order */
    int64_t next_file;
    struct record_reader **open;
    int64_t num_open, cap_open, turn;
    struct tstr *held; /* what may be drawn */
    int64_t num_held, cap_held;
};

static void end_epoch(struct source *s)
{
    for (int64_t i = 0; i < s->num_open; i++)
        record_reader_free(s->open[i]);
    for (int64_t i = 0; i < s->num_held; i++)
        tstr_clear(&s->held[i]);
    path_list_release(&s->files);
    s->files = (struct path_list){0};
    s->num_open = s->num_held = s->next_file = s->turn = 0;
}

static int64_t below(struct source *s, int64_t n)
{
    return (int64_t)math_philox_below64(&s->random, (uint64_t)n);
}

static void shuffle(struct source *s, struct path_list *files)
{
    for (int64_t i = files->n - 1; i > 0; i--) {
        int64_t k = below(s, i + 1);
        char *path = files->v[i];
        files->v[i] = files->v[k];
        files->v[k] = path;
    }
}

/* The files that match now, shuffled, then moved round by the ratio. */
static bool begin_epoch(struct source *s, struct status *st)
{
    struct path_list found = {0};
    end_epoch(s);
    if (!path_glob(s->pattern, &found, st)) {
        path_list_release(&found);
        return false;
    }
    if (found.n == 0)
        return status_not_found(st, "Found no files at %s", s->pattern);
    shuffle(s, &found);
    int64_t first = (int64_t)(s->shift * (double)found.n) % found.n;
    for (int64_t i = 0; i < found.n; i++)
        path_list_add(&s->files, found.v[(first + i) % found.n]);
    path_list_release(&found);
    return true;
}

static bool open_next(struct source *s, struct status *st)
{
    struct record_reader *r = record_reader_open(s->files.v[s->next_file], s->form, st);
    if (!r)
        return false;
    s->open = vec_reserve(s->open, &s->cap_open, s->num_open + 1, sizeof(struct record_reader *));
    s->open[s->num_open++] = r;
    s->next_file++;
    return true;
}

static bool hold(struct source *s, struct str record, struct status *st)
{
    s->held = vec_reserve(s->held, &s->cap_held, s->num_held + 1, sizeof *s->held);
    s->held[s->num_held] = (struct tstr){0};
    if (!tstr_set(&s->held[s->num_held], record.p, record.n))
        return status_exhausted(st, "RecordInput: no memory for a record of %zu bytes", record.n);
    s->num_held++;
    return true;
}

/* Until the buffer is full or the epoch's files are. */
static bool fill(struct source *s, struct status *st)
{
    while (s->num_held < s->room) {
        if (s->num_open < s->parallelism && s->next_file < s->files.n) {
            if (!open_next(s, st))
                return false;
            continue;
        }
        if (s->num_open == 0)
            return true;
        struct record_reader **r = &s->open[s->turn % s->num_open];
        struct str record;
        bool end = false;
        if (!record_reader_next(*r, &record, &end, st))
            return false;
        if (end) {
            record_reader_free(*r);
            *r = s->open[--s->num_open];
        } else {
            s->turn++;
            if (!hold(s, record, st))
                return false;
        }
    }
    return true;
}

/* The next record, into a string that is empty. */
static bool draw(struct source *s, struct tstr *out, struct status *st)
{
    if (!fill(s, st))
        return false;
    if (s->num_held == 0 && (!begin_epoch(s, st) || !fill(s, st)))
        return false;
    if (s->num_held == 0)
        return status_not_found(st, "RecordInput: no records in the files at %s", s->pattern);
    int64_t k = below(s, s->num_held);
    *out = s->held[k];
    s->held[k] = s->held[--s->num_held];
    return true;
}

/* --- the op --- */

static bool source_init(struct kernel *k, void *state, struct status *st)
{
    struct source *s = state;
    struct str pattern = attrs_string(k->attrs, "file_pattern");
    struct math_philox seeded;
    lock_init(&s->lock, "record input", LOCK_RANK_PLAN);
    s->shift = (double)attrs_float(k->attrs, "file_shuffle_shift_ratio");
    s->room = attrs_int(k->attrs, "file_buffer_size");
    s->parallelism = attrs_int(k->attrs, "file_parallelism");
    math_philox_init(&seeded, (uint64_t)attrs_int(k->attrs, "file_random_seed"), 0);
    math_philox_stream_init(&s->random, &seeded);
    if (pattern.n > 0 && memchr(pattern.p, '\0', pattern.n))
        return status_invalid(st, "RecordInput: file_pattern has a NUL");
    s->pattern = mem_strndup(pattern.p, pattern.n);
    if (s->room < 1 || s->parallelism < 1 || attrs_int(k->attrs, "batch_size") < 0)
        return status_invalid(st, "RecordInput: file_buffer_size and file_parallelism must be "
                                  "positive, batch_size not negative");
    if (!(s->shift >= 0 && s->shift <= 1))
        return status_invalid(st, "RecordInput: file_shuffle_shift_ratio must be in [0, 1]: %g",
                              s->shift);
    return record_form_named(attrs_string(k->attrs, "compression_type"), &s->form, st);
}

static void source_release(void *state)
{
    struct source *s = state;
    end_epoch(s);
    mem_free(s->open);
    mem_free(s->held);
    mem_free(s->pattern);
    lock_release_memory(&s->lock);
}

static bool run(struct kctx *c, struct status *st)
{
    struct source *s = kernel_state(c);
    struct shape shape = shape_1(attrs_int(c->kernel->attrs, "batch_size"));
    struct tensor *out = kernel_out(c, 0, &shape, st);
    bool ok = out != NULL;
    lock_take(&s->lock);
    for (int64_t i = 0; ok && i < out->num_elems; i++)
        ok = draw(s, (struct tstr *)out->data + i, st);
    if (!ok)
        end_epoch(s);
    lock_drop(&s->lock);
    return ok;
}

OP_DEF(record_input) = {
    .name = "RecordInput",
    .summary = "Batches of the records of TFRecord files, over and over, in a random order.",
    .description = "An epoch gives each record once. The order is that of the seed alone.",
    .outputs = {"records: string"},
    .attrs = {"file_pattern: string", "file_random_seed: int = 301",
              "file_shuffle_shift_ratio: float = 0", "file_buffer_size: int = 10000",
              "file_parallelism: int = 16", "batch_size: int = 32",
              "compression_type: string = ''"},
    .flags = OP_STATEFUL,
    .shape = infer_unknown_outputs,
    .no_grad = "it has no inputs",
};
KERNEL_DEF(record_input_cpu) = {.op = "RecordInput",
                                .device = "CPU",
                                .flags = KERNEL_BLOCKING,
                                .state_bytes = sizeof(struct source),
                                .init = source_init,
                                .release = source_release,
                                .run = run};
