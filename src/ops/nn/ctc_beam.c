/* SPDX-License-Identifier: Apache-2.0 */
/* CTCBeamSearchDecoder: prefixes of labels, of which the best `width` live on from time to time. A
 * prefix holds the probability (a logarithm) that it was read with a blank at its end, and with its
 * last label there; it grows by each label, and dies when it leaves the beam. */
#include <math.h>
#include <string.h>

#include "ops/nn/ctc.h"

struct odds { /* logarithms */
    double total, blank, label;
};
static const struct odds never = {-INFINITY, -INFINITY, -INFINITY};

struct prefix {
    struct prefix *parent, *first_child, *next_sibling;
    int32_t label; /* the last; -1: none */
    struct odds was, is;
};

enum { BLOCK_PREFIXES = 512 };

struct beam {
    struct kctx *c;
    int64_t width, classes;
    struct prefix **leaves, **branches; /* width, best first */
    int64_t num_leaves;
    struct prefix **children; /* by label, of the prefix that grows */
    double *row;              /* scores, normalised: logarithms of probabilities */
    struct prefix *block;     /* new prefixes come from here */
    int64_t left;
};

static struct prefix *prefix_new(struct beam *m, struct prefix *parent, int32_t label,
                                 struct status *st)
{
    if (m->left == 0) {
        m->block = kernel_scratch(m->c, BLOCK_PREFIXES * (int64_t)sizeof(*m->block), st);
        if (!m->block)
            return NULL;
        m->left = BLOCK_PREFIXES;
    }
    struct prefix *p = &m->block[--m->left];
    *p = (struct prefix){.parent = parent, .label = label, .was = never, .is = never};
    if (parent) {
        p->next_sibling = parent->first_child;
        parent->first_child = p;
    }
    return p;
}

static bool alive(const struct prefix *p)
{
    return p->is.total != -INFINITY;
}

/* Into its place among the leaves; the last one falls off where there is no room. */
static void leaf_add(struct beam *m, struct prefix *p)
{
    int64_t i = m->num_leaves < m->width ? m->num_leaves++ : m->width - 1;
    for (; i > 0 && m->leaves[i - 1]->is.total < p->is.total; i--)
        m->leaves[i] = m->leaves[i - 1];
    m->leaves[i] = p;
}

static bool has_room(const struct beam *m, double total)
{
    return total > -INFINITY &&
           (m->num_leaves < m->width || total > m->leaves[m->width - 1]->is.total);
}

static void normalise(double *row, int64_t n)
{
    double max = -INFINITY, sum = 0;
    for (int64_t i = 0; i < n; i++)
        max = fmax(max, row[i]);
    for (int64_t i = 0; i < n; i++)
        sum += exp(row[i] - max);
    for (int64_t i = 0; i < n; i++)
        row[i] -= max + log(sum);
}

/* The prefix stays as it is, by a blank or its last label again. */
static void stay(const struct beam *m, struct prefix *p)
{
    if (p->parent) {
        if (alive(p->parent)) {
            const struct odds *before = &p->parent->was;
            p->is.label = ctc_log_add(p->is.label,
                                      p->label == p->parent->label ? before->blank : before->total);
        }
        p->is.label += m->row[p->label];
    }
    p->is.blank = p->was.total + m->row[m->classes - 1];
    p->is.total = ctc_log_add(p->is.blank, p->is.label);
}

/* Each label behind the prefix; those that live already were seen to by stay. */
static bool grow(struct beam *m, struct prefix *p, struct status *st)
{
    memset(m->children, 0, (size_t)m->classes * sizeof(*m->children));
    for (struct prefix *q = p->first_child; q; q = q->next_sibling)
        m->children[q->label] = q;
    for (int32_t label = 0; label < m->classes - 1; label++) {
        struct prefix *q = m->children[label];
        if (q && alive(q))
            continue;
        double total = m->row[label] + (label == p->label ? p->was.blank : p->was.total);
        if (!has_room(m, total))
            continue;
        if (m->num_leaves == m->width)
            m->leaves[m->width - 1]->is = never;
        if (!q && !(q = prefix_new(m, p, label, st)))
            return false;
        q->is = (struct odds){total, -INFINITY, total};
        leaf_add(m, q);
    }
    return true;
}

static bool step(struct beam *m, struct status *st)
{
    int64_t n = m->num_leaves;
    normalise(m->row, m->classes);
    memcpy(m->branches, m->leaves, (size_t)n * sizeof(*m->leaves));
    m->num_leaves = 0;
    for (int64_t i = 0; i < n; i++)
        m->branches[i]->was = m->branches[i]->is;
    for (int64_t i = 0; i < n; i++) {
        stay(m, m->branches[i]);
        leaf_add(m, m->branches[i]);
    }
    for (int64_t i = 0; i < n; i++) {
        if (has_room(m, m->branches[i]->was.total) && !grow(m, m->branches[i], st))
            return false;
    }
    return true;
}

/* The labels of a prefix behind those that there are. */
static void read_labels(const struct prefix *p, bool merge, int64_t b, struct ctc_labels *out)
{
    int64_t n = 0;
    for (const struct prefix *q = p, *behind = NULL; q->parent; behind = q, q = q->parent)
        n += !merge || !behind || behind->label != q->label;
    int32_t *to = out->labels + out->total + n;
    for (const struct prefix *q = p, *behind = NULL; q->parent; behind = q, q = q->parent) {
        if (!merge || !behind || behind->label != q->label)
            *--to = q->label;
    }
    out->lengths[b] = n;
    out->total += n;
}

static bool beam_room(struct kctx *c, const struct ctc *k, struct beam *m, struct status *st)
{
    const int64_t pointer = (int64_t)sizeof(void *);
    int64_t bytes;
    m->c = c;
    m->classes = k->classes;
    m->width = attrs_int(kernel_attrs(c), "beam_width");
    if (m->width > INT32_MAX || !size_mul(m->width + 1, pointer, &bytes))
        return status_invalid(st, "beam_width is too great: %lld", (long long)m->width);
    m->leaves = kernel_scratch(c, bytes, st);
    m->branches = m->leaves ? kernel_scratch(c, bytes, st) : NULL;
    m->children = m->branches ? kernel_scratch(c, k->classes * pointer, st) : NULL;
    m->row = m->children ? kernel_scratch(c, k->classes * (int64_t)sizeof(double), st) : NULL;
    return m->row != NULL;
}

/* One of the batch; its best paths go to the lists. */
static bool search(struct beam *m, const struct ctc *k, int64_t b, int64_t paths,
                   struct ctc_labels *lists, struct tensor *score, struct status *st)
{
    struct prefix *root = prefix_new(m, NULL, -1, st);
    if (!root)
        return false;
    root->is = (struct odds){0, 0, -INFINITY};
    m->leaves[0] = root;
    m->num_leaves = 1;
    for (int64_t t = 0; t < k->lengths[b]; t++) {
        ctc_row(k, t, b, m->row);
        if (!step(m, st))
            return false;
    }
    if (paths > m->num_leaves)
        return status_invalid(st, "Less leaves in the beam search than requested.");
    bool merge = attrs_bool(kernel_attrs(m->c), "merge_repeated");
    for (int64_t p = 0; p < paths; p++) {
        read_labels(m->leaves[p], merge, b, &lists[p]);
        ctc_put(score, b * paths + p, m->leaves[p]->is.total);
    }
    return true;
}

static bool beam_run(struct kctx *c, struct status *st)
{
    struct ctc k;
    struct beam m = {0};
    int64_t paths = attrs_int(kernel_attrs(c), "top_paths"), bytes;
    if (!ctc_check(c, 1, &k, st) || !ctc_check_lengths(&k, STATUS_FAILED_PRECONDITION, st))
        return false;
    if (paths > attrs_int(kernel_attrs(c), "beam_width"))
        return status_invalid(st, "requested more paths than the beam width.");
    struct shape s = shape_2(k.batch, paths);
    struct tensor *score = kernel_out(c, (int)(3 * paths), &s, st);
    struct ctc_labels *lists =
        score ? kernel_scratch(c, paths * (int64_t)sizeof(*lists), st) : NULL;
    if (!lists || !beam_room(c, &k, &m, st))
        return false;
    if (!size_mul(k.time * k.batch + 1, (int64_t)sizeof(int32_t), &bytes))
        return status_invalid(st, "too many times");
    for (int64_t p = 0; p < paths; p++) {
        lists[p] = (struct ctc_labels){.labels = kernel_scratch(c, bytes, st)};
        lists[p].lengths =
            lists[p].labels ? kernel_scratch(c, k.batch * (int64_t)sizeof(int64_t), st) : NULL;
        if (!lists[p].lengths)
            return false;
    }
    for (int64_t b = 0; b < k.batch; b++) {
        if (!search(&m, &k, b, paths, lists, score, st))
            return false;
    }
    for (int64_t p = 0; p < paths; p++) {
        if (!ctc_put_labels(c, &lists[p], k.batch, (int)p, (int)paths, st))
            return false;
    }
    return true;
}

KERNEL_DEF(ctc_beam_search_decoder_cpu) = {
    .op = "CTCBeamSearchDecoder", .device = "CPU", .run = beam_run};
