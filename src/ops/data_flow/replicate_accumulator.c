/* SPDX-License-Identifier: Apache-2.0 */
/* Accumulators as other processes keep copies of them. Each change says all there is: of a dense
 * one that is as much as the gradient that came. */
#include <string.h>

#include "base/mem.h"
#include "ops/data_flow/accumulator.h"

enum { NOTE_STATE = 1 };
enum { SPARSE, MEAN, DTYPE, NUM_FIXED };
enum { STEP, COUNT, NUM_ROWS, NUM_NUMBERS };

static struct note note_of_state(const struct accumulator *a)
{
    const int64_t numbers[NUM_NUMBERS] = {a->step, a->count, a->rows.n};
    struct note n = {.kind = NOTE_STATE};

    note_put_ints(&n, numbers, NUM_NUMBERS);
    if (a->sparse) {
        note_put_ints(&n, a->rows.indices, a->rows.n);
        note_put_ints(&n, a->rows.counts, a->rows.n);
    }
    if (a->count > 0)
        note_put(&n, &a->sum);
    return n;
}

void accumulator_log(struct accumulator *a, const struct kctx *c)
{
    if (!changes_logged(&a->base))
        return;
    struct tensor outputs[3]; /* of the sparse one's take: the most */
    int num = 0;

    for (int i = 0; i < kernel_num_outputs(c) && num < (int)ARRAY_LEN(outputs); i++)
        outputs[num++] = c->out[i];
    struct note n = note_of_state(a);

    changes_log(&a->base, &n, 1,
                &(struct noted){.key = changes_key(c), .outputs = outputs, .num_outputs = num});
}

static void tell(struct resource *r, note_say_fn say, void *arg)
{
    struct accumulator *a = (struct accumulator *)r;
    const int64_t fixed[NUM_FIXED] = {a->sparse, a->mean, a->dtype};
    struct note n = {.kind = NOTE_MAKE};

    note_put_ints(&n, fixed, NUM_FIXED);
    note_put_shape(&n, &a->shape);
    lock_take(&a->waits.lock);
    say(arg, &n);
    n = note_of_state(a);
    say(arg, &n);
    lock_drop(&a->waits.lock);
}

static struct resource *make(const char *name, struct note_reader *in, struct status *st)
{
    int64_t fixed[NUM_FIXED];
    struct shape shape;

    if (!note_get_ints(in, fixed, NUM_FIXED, st))
        return NULL;
    if (fixed[DTYPE] != DT_HALF && fixed[DTYPE] != DT_FLOAT && fixed[DTYPE] != DT_DOUBLE) {
        (void)status_invalid(st, "A note of an accumulator has type %lld", (long long)fixed[DTYPE]);
        return NULL;
    }
    if (!note_get_shape(in, &shape, st))
        return NULL;
    struct accumulator *a = accumulator_new(name, (int)fixed[DTYPE], &shape);

    a->sparse = fixed[SPARSE] != 0;
    a->mean = fixed[MEAN] != 0;
    shape_clear(&shape);
    return &a->base;
}

/* --- a state, from a peer --- */

struct state { /* borrowed from the note */
    int64_t step, count, num_rows;
    const int64_t *indices, *counts;
    struct tensor *sum; /* NULL where nothing has been added */
};

static bool fail(const struct accumulator *a, struct status *st)
{
    return status_invalid(st, "A note of accumulator %s does not fit it", a->name);
}

static bool read_rows(const struct accumulator *a, struct note_reader *in, struct state *s,
                      struct status *st)
{
    int64_t num;

    if (!(s->indices = note_get_list(in, &num, st)))
        return false;
    bool fits = num == s->num_rows;

    if (!(s->counts = note_get_list(in, &num, st)))
        return false;
    fits = fits && num == s->num_rows;
    for (int64_t i = 0; fits && i < num; i++)
        fits = s->counts[i] > 0;
    return fits || fail(a, st);
}

static bool read_state(const struct accumulator *a, struct note_reader *in, struct state *s,
                       struct status *st)
{
    int64_t v[NUM_NUMBERS];

    if (!note_get_ints(in, v, NUM_NUMBERS, st))
        return false;
    *s = (struct state){.step = v[STEP], .count = v[COUNT], .num_rows = v[NUM_ROWS]};
    if (a->sparse && !read_rows(a, in, s, st))
        return false;
    if (s->count < 0 || (!a->sparse && s->num_rows != 0))
        return fail(a, st);
    if (s->count == 0)
        return true;
    s->sum = note_get(in, st);
    if (!s->sum)
        return false;
    bool fits = s->sum->dtype == a->dtype;

    if (a->sparse)
        fits = fits && tensor_rank(s->sum) > 0 && tensor_dim(s->sum, 0) == s->num_rows;
    else
        fits = fits && shape_compatible(&a->shape, &s->sum->shape);
    return fits || fail(a, st);
}

static void set_rows(struct sparse_sum *to, const struct state *s)
{
    const size_t bytes = (size_t)s->num_rows * sizeof(int64_t);

    mem_free(to->indices);
    mem_free(to->counts);
    *to = (struct sparse_sum){mem_new_array(int64_t, s->num_rows),
                              mem_new_array(int64_t, s->num_rows), s->num_rows};
    if (bytes > 0) {
        memcpy(to->indices, s->indices, bytes);
        memcpy(to->counts, s->counts, bytes);
    }
}

static bool apply(struct resource *r, int kind, struct note_reader *in, struct status *st)
{
    struct accumulator *a = (struct accumulator *)r;
    struct state s;

    if (kind != NOTE_STATE)
        return status_unimplemented(st, "A change of kind %d of an accumulator", kind);
    if (!read_state(a, in, &s, st))
        return false;
    lock_take(&a->waits.lock);
    a->step = s.step;
    a->count = s.count;
    tensor_clear(&a->sum);
    if (s.sum)
        a->sum = tensor_take(s.sum);
    if (a->sparse)
        set_rows(&a->rows, &s);
    lock_drop(&a->waits.lock);
    return true;
}

REPLICATED_DEF(accumulator) = {
    .type = &accumulator_type, .tell = tell, .make = make, .apply = apply};
