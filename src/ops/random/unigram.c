/* SPDX-License-Identifier: Apache-2.0 */
/* Weighted choices: the alias method (M. Vose, "A linear algorithm for generating random numbers
 * with a given distribution", 1991) for fixed weights, a Fenwick tree for counts.
 *
 * Which slots the alias method pairs is part of the stream, so it works through its two stacks from
 * the top, as TensorFlow's does. */
#include "ops/random/unigram.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/str.h"

/* --- weights --- */

struct weight_list {
    struct unigram_fixed *to;
    int64_t cap, seen; /* seen: those of other shards too */
    int64_t shards, shard;
    float distortion;
};

static bool is_mine(struct weight_list *l)
{
    return l->seen++ % l->shards == l->shard;
}

static void add_weight(struct weight_list *l, float weight)
{
    struct unigram_fixed *u = l->to;
    u->weights = vec_reserve(u->weights, &l->cap, u->n + 1, sizeof *u->weights);
    u->weights[u->n++] = weight;
    u->total += weight;
}

static void add_distorted(struct weight_list *l, float weight)
{
    if (is_mine(l))
        add_weight(l, powf(weight, l->distortion));
}

/* The text behind a line's last comma is the weight. Blanks alone count as 0, nothing is wrong. */
static bool add_line(struct weight_list *l, struct str line, struct status *st)
{
    if (line.n == 0)
        return true;
    struct str rest = line;
    for (size_t i = line.n; i > 0; i--)
        if (line.p[i - 1] == ',') {
            rest = str_make(line.p + i, line.n - i);
            break;
        }
    double weight = 0;
    struct str text = str_trim(rest);
    if (rest.n == 0 || (text.n > 0 && !str_to_double(text, &weight)))
        return status_invalid(st, "Wrong vocabulary format at line: %.*s",
                              (int)min_i64((int64_t)line.n, 200), line.p);
    add_distorted(l, (float)weight);
    return true;
}

static bool read_lines(struct weight_list *l, FILE *f, int64_t limit, struct status *st)
{
    char *line = NULL;
    size_t cap = 0;
    bool ok = true;
    for (ssize_t n; ok && (n = getline(&line, &cap, f)) >= 0;) {
        if (n > 0 && line[n - 1] == '\n')
            n--;
        ok = add_line(l, str_make(line, (size_t)n), st);
        if (ok && l->to->n > limit)
            ok = status_invalid(st, "vocab_file holds more than range_max %lld entries",
                                (long long)limit);
    }
    if (ok && ferror(f))
        ok = status_fail(st, STATUS_DATA_LOSS, "vocab_file: %s", strerror(errno));
    free(line);
    return ok;
}

static bool read_file(struct weight_list *l, struct str name, int64_t limit, struct status *st)
{
    char *path = mem_strndup(name.p, name.n);
    FILE *f = fopen(path, "re");
    bool ok =
        f ? read_lines(l, f, limit, st) : status_not_found(st, "%s; %s", path, strerror(errno));
    if (f)
        (void)fclose(f);
    mem_free(path);
    return ok;
}

/* --- the alias method --- */

/* A slot that asks for less than its share of the draws is paired with one that asks for more. */
static void pair_slots(struct unigram_fixed *u, double *share, int32_t *stack)
{
    double sum = 0;
    for (int64_t i = 0; i < u->n; i++)
        sum += (double)u->weights[i];
    int64_t low = 0, high = u->n; /* two stacks in one array, from its ends */
    for (int64_t i = 0; i < u->n; i++) {
        share[i] = (double)(u->weights[i] * (float)u->n) / sum;
        stack[share[i] < 1.0 ? low++ : --high] = (int32_t)i;
    }
    while (low > 0 && high < u->n) {
        const int32_t small = stack[--low], big = stack[high++];
        u->slots[small] = (struct unigram_alias){(float)share[small], big};
        share[big] -= 1.0 - share[small];
        stack[share[big] < 1.0 ? low++ : --high] = big;
    }
    /* rounding may leave some over */
    while (low > 0 || high < u->n) {
        const int32_t i = low > 0 ? stack[--low] : stack[high++];
        u->slots[i] = (struct unigram_alias){1.0f, i};
    }
}

static bool make_slots(struct unigram_fixed *u, struct status *st)
{
    double *share = mem_try(mem_array_bytes(u->n, sizeof *share), "unigrams", st);
    int32_t *stack = share ? mem_try(mem_array_bytes(u->n, sizeof *stack), "unigrams", st) : NULL;
    if (stack)
        u->slots = mem_try(mem_array_bytes(u->n, sizeof *u->slots), "unigrams", st);
    if (u->slots)
        pair_slots(u, share, stack);
    mem_free(share);
    mem_free(stack);
    return u->slots != NULL;
}

bool unigram_fixed_init(struct unigram_fixed *u, const struct attrs *attrs, struct status *st)
{
    const struct attr_value *unigrams = attrs_list(attrs, "unigrams");
    const struct str file = attrs_string(attrs, "vocab_file");
    const int64_t range = attrs_int(attrs, "range_max");
    struct weight_list l = {.to = u,
                            .shards = attrs_int(attrs, "num_shards"),
                            .shard = attrs_int(attrs, "shard"),
                            .distortion = attrs_float(attrs, "distortion")};
    if (file.n == 0 && unigrams->n == 0)
        return status_invalid(st, "Must provide either vocab_file or unigrams.");
    if (file.n > 0 && unigrams->n > 0)
        return status_invalid(st, "Must only provide one of vocab_file and unigrams.");
    const int64_t reserved = attrs_int(attrs, "num_reserved_ids");
    if (range > INT32_MAX || l.shard >= l.shards || reserved / l.shards > range)
        return status_invalid(st, "range_max, shard or num_reserved_ids is out of range");
    while (l.seen < reserved)
        if (is_mine(&l))
            add_weight(&l, 0);
    if (file.n > 0 && !read_file(&l, file, range, st))
        return false;
    for (int64_t i = 0; i < unigrams->n; i++)
        add_distorted(&l, unigrams->fs[i]);
    if (u->n != range)
        return status_invalid(st, "range_max is %lld, but there are %lld weights", (long long)range,
                              (long long)u->n);
    return make_slots(u, st);
}

void unigram_fixed_release(struct unigram_fixed *u)
{
    mem_free(u->weights);
    mem_free(u->slots);
    *u = (struct unigram_fixed){0};
}

int64_t unigram_fixed_draw(const struct unigram_fixed *u, struct math_philox_stream *s)
{
    const float r = math_philox_float(s);
    const int64_t i = (int64_t)math_philox_below(s, (uint32_t)u->n);
    return r < u->slots[i].keep ? i : u->slots[i].other;
}

float unigram_fixed_probability(const struct unigram_fixed *u, int64_t i)
{
    return i < 0 || i >= u->n ? 0 : u->weights[i] / u->total;
}

/* --- counts --- */

bool unigram_counts_init(struct unigram_counts *u, int64_t n, struct status *st)
{
    if (n >= INT32_MAX)
        return status_invalid(st, "range_max must be less than %d, got %lld", INT32_MAX,
                              (long long)n);
    u->counts = mem_try(mem_array_bytes(n, sizeof *u->counts), "class counts", st);
    if (u->counts)
        u->tree = mem_try(mem_array_bytes(n + 1, sizeof *u->tree), "class counts", st);
    if (!u->tree)
        return false;
    u->n = n;
    u->total = (int32_t)n;
    u->tree[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        u->counts[i] = 1;
        u->tree[i + 1] = (int32_t)((i + 1) & -(i + 1)); /* a node spans its lowest set bit */
    }
    return true;
}

void unigram_counts_release(struct unigram_counts *u)
{
    mem_free(u->counts);
    mem_free(u->tree);
    *u = (struct unigram_counts){0};
}

int64_t unigram_counts_draw(const struct unigram_counts *u, struct math_philox_stream *s)
{
    int32_t left = (int32_t)math_philox_below(s, (uint32_t)u->total);
    int64_t at = 0, step = 1;
    while (step * 2 <= u->n)
        step *= 2;
    for (; step > 0; step /= 2)
        if (at + step <= u->n && u->tree[at + step] <= left) {
            at += step;
            left -= u->tree[at];
        }
    return at;
}

float unigram_counts_probability(const struct unigram_counts *u, int64_t i)
{
    return (float)u->counts[i] / (float)u->total;
}

void unigram_counts_add(struct unigram_counts *u, int64_t i)
{
    if (u->total == INT32_MAX)
        return;
    u->total++;
    u->counts[i]++;
    for (int64_t at = i + 1; at <= u->n; at += at & -at)
        u->tree[at]++;
}
