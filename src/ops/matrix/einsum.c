/* SPDX-License-Identifier: Apache-2.0 */
/* Einsum: sums of products of one or two tensors over labelled axes, "ij,jk->ik"; "..." stands for
 * axes that broadcast. Labels of one operand alone are summed first, repeated ones are diagonals;
 * then one product of matrices for each place of the labels that both have and the result keeps. */
#include "math/gemm.h"
#include "op/infer.h"
#include "op/kernel.h"

enum {
    NUM_LABELS = 128 + SHAPE_MAX_RANK, /* characters; axes of "..." behind them, last one first */
    ELLIPSIS = 128,
};

struct term { /* labels of the axes of an operand or of the result */
    int rank;
    int label[2 * SHAPE_MAX_RANK];
};

/* --- the equation --- */

struct equation {
    struct str terms[3]; /* operands, then the result */
    int num;             /* of operands */
};

static bool parse(struct str text, int num_inputs, struct equation *e, struct status *st)
{
    const int shown = (int)(text.n < 200 ? text.n : 200);
    size_t arrow = text.n, arrows = 0;
    for (size_t i = 0; i + 1 < text.n; i++)
        if (text.p[i] == '-' && text.p[i + 1] == '>') {
            arrow = i;
            arrows++;
        }
    if (arrows != 1)
        return status_invalid(st, "Expecting exactly one '->' in einsum equation: %.*s", shown,
                              text.p);
    size_t begin = 0;
    int found = 0;
    for (size_t i = 0; i <= arrow; i++) {
        if (i < arrow && text.p[i] != ',')
            continue;
        if (found < 2)
            e->terms[found] = str_make(text.p + begin, i - begin);
        found++;
        begin = i + 1;
    }
    if (found > 2)
        return status_invalid(st,
                              "Expecting 1 or 2 input subscripts in equation '%.*s' but got: %d",
                              shown, text.p, found);
    e->num = found;
    e->terms[found] = str_make(text.p + arrow + 2, text.n - arrow - 2);
    return found == num_inputs ||
           status_invalid(st, "Expecting %d inputs for equation '%.*s' but got: %d", found, shown,
                          text.p, num_inputs);
}

/* rank: of the operand, or -1 for the result, whose "..." has `dots` axes. */
static bool label(struct str s, int rank, int dots, struct term *t, struct status *st)
{
    const int named_most = 2 * SHAPE_MAX_RANK;
    int named = 0, ellipses = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (str_starts(str_make(s.p + i, s.n - i), "...")) {
            ellipses++;
            i += 2;
        } else if (s.p[i] == '.') {
            return status_invalid(st, "Invalid einsum subscript: %.*s",
                                  (int)(s.n < 200 ? s.n : 200), s.p);
        } else {
            named++;
        }
    }
    if (ellipses > 1)
        return status_invalid(st, "Expected at most one ellipsis in einsum subscript: %.*s",
                              (int)(s.n < 200 ? s.n : 200), s.p);
    const int between = rank < 0 ? (ellipses ? dots : 0) : rank - named;
    if (rank >= 0 && (between < 0 || (between > 0 && !ellipses)))
        return status_invalid(st, "Shape must be %srank %d but is rank %d",
                              ellipses ? "at least " : "", named, rank);
    if (named + between > named_most)
        return status_invalid(st, "Einsum: too many axes: %d", named + between);
    t->rank = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] != '.') {
            t->label[t->rank++] = (unsigned char)s.p[i] & 127;
            continue;
        }
        for (int k = between; k > 0; k--)
            t->label[t->rank++] = ELLIPSIS + k - 1;
        i += 2;
    }
    return true;
}

/* Labels of everything; sizes of the operands' axes agree (those of "..." broadcast) and go to
 * size[label], -1 where a label is nowhere. Sizes of -1 are not known. */
struct labelled {
    struct equation e;
    struct term term[3];
    int64_t size[NUM_LABELS];
    bool in[NUM_LABELS][3];
};

static bool join(int64_t *size, int64_t n, bool dots, struct status *st)
{
    if (*size == -2 || *size == n || (dots && *size == 1) || (*size == -1 && !(dots && n == 1)))
        *size = n;
    else if (!(n == -1 || (dots && n == 1)))
        return status_invalid(st, "Dimensions must be equal, but are %lld and %lld",
                              (long long)*size, (long long)n);
    return true;
}

static bool add_operand(struct labelled *l, int i, const struct shape *s, struct status *st)
{
    if (!label(l->e.terms[i], s->rank, 0, &l->term[i], st))
        return false;
    for (int a = 0; a < s->rank; a++) {
        const int name = l->term[i].label[a];
        if (!join(&l->size[name], shape_dim(s, a), name >= ELLIPSIS, st))
            return false;
        l->in[name][i] = true;
    }
    return true;
}

static bool add_result(struct labelled *l, struct str text, struct status *st)
{
    const int num = l->e.num;
    int dots = 0;
    while (dots < SHAPE_MAX_RANK && (l->in[ELLIPSIS + dots][0] || l->in[ELLIPSIS + dots][1]))
        dots++;
    if (!label(l->e.terms[num], -1, dots, &l->term[num], st))
        return false;
    for (int a = 0; a < l->term[num].rank; a++) {
        const int name = l->term[num].label[a];
        if (!l->in[name][0] && !l->in[name][1])
            return status_invalid(st,
                                  "Einsum output subscripts for equation '%.*s' has label '%c' "
                                  "which is not present in the input subscripts",
                                  (int)(text.n < 200 ? text.n : 200), text.p, name);
        l->in[name][2] = true;
    }
    if (l->term[num].rank > SHAPE_MAX_RANK)
        return status_invalid(st, "Einsum: the result has too many axes: %d", l->term[num].rank);
    if (dots > 0 && !l->in[ELLIPSIS][2])
        return status_invalid(st, "Shape must be at most rank 0 but is rank %d", dots);
    return true;
}

static bool labels_of(const struct attrs *attrs, int num, const struct shape *const *shapes,
                      struct labelled *l, struct status *st)
{
    struct str text = attrs_string(attrs, "equation");
    *l = (struct labelled){0};
    for (int i = 0; i < NUM_LABELS; i++)
        l->size[i] = -2;
    if (!parse(text, num, &l->e, st))
        return false;
    for (int i = 0; i < num; i++)
        if (!add_operand(l, i, shapes[i], st))
            return false;
    return add_result(l, text, st);
}

static bool einsum_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *shapes[2] = {0};
    struct equation e;
    struct labelled l;
    const int num = infer_num_inputs(c);
    bool known = true;
    if (!parse(attrs_string(infer_attrs(c), "equation"), num, &e, st))
        return false;
    for (int i = 0; i < num; i++) {
        shapes[i] = infer_input(c, i);
        known = known && shapes[i]->rank >= 0;
    }
    infer_set(c, 0, infer_unknown(c));
    if (!known)
        return true;
    if (!labels_of(infer_attrs(c), num, shapes, &l, st))
        return false;
    int64_t dims[SHAPE_MAX_RANK];
    const struct term *out = &l.term[num];
    for (int a = 0; a < out->rank; a++)
        dims[a] = l.size[out->label[a]];
    infer_set(c, 0, infer_make(c, dims, out->rank));
    return true;
}

/* --- arrays by label --- */

struct by_label { /* an array: how far apart the elements of each label are; 0: none */
    char *data;
    int64_t step[NUM_LABELS];
};

/* Dense axes in this order, the last one next to each other. */
static void lay_out(struct by_label *b, const int *order, int num, const int64_t *size)
{
    int64_t step = 1;
    for (int i = num - 1; i >= 0; i--) {
        b->step[order[i]] += step;
        step *= size[order[i]];
    }
}

struct walk {
    int num;
    int64_t size[2 * SHAPE_MAX_RANK], from[2 * SHAPE_MAX_RANK], to[2 * SHAPE_MAX_RANK];
};

static void walk_axis(struct walk *w, int64_t size, int64_t from, int64_t to)
{
    w->size[w->num] = size;
    w->from[w->num] = from;
    w->to[w->num++] = to;
}

/* to += from (or to = from) over all axes. */
#define ADD_OVER(T, ADD)                                                                           \
    static void add_over_##T(const struct walk *w, const T *from, T *to, int axis)                 \
    {                                                                                              \
        for (int64_t i = 0; i < (axis < w->num ? w->size[axis] : 1); i++) {                        \
            if (axis + 1 < w->num)                                                                 \
                add_over_##T(w, from, to, axis + 1);                                               \
            else                                                                                   \
                ADD;                                                                               \
            if (axis < w->num) {                                                                   \
                from += w->from[axis];                                                             \
                to += w->to[axis];                                                                 \
            }                                                                                      \
        }                                                                                          \
    }
typedef struct c64 c64;
typedef struct c128 c128;
typedef struct bf16 bf16;
ADD_OVER(float, *to += *from)
ADD_OVER(double, *to += *from)
ADD_OVER(int32_t, *to = (int32_t)((uint32_t)*to + (uint32_t)*from))
ADD_OVER(int64_t, *to = (int64_t)((uint64_t)*to + (uint64_t)*from))
ADD_OVER(bf16, *to = bf16_from_f32(bf16_to_f32(*to) + bf16_to_f32(*from)))
ADD_OVER(c64, (to->re += from->re, to->im += from->im))
ADD_OVER(c128, (to->re += from->re, to->im += from->im))

/* The array at `to` is zero before. */
static void add_over(int dtype, const struct walk *w, const void *from, void *to)
{
    for (int i = 0; i < w->num; i++)
        if (w->size[i] == 0)
            return;
    switch (dtype) {
    case DT_FLOAT:
        add_over_float(w, from, to, 0);
        break;
    case DT_DOUBLE:
        add_over_double(w, from, to, 0);
        break;
    case DT_INT32:
        add_over_int32_t(w, from, to, 0);
        break;
    case DT_INT64:
        add_over_int64_t(w, from, to, 0);
        break;
    case DT_BFLOAT16:
        add_over_bf16(w, from, to, 0);
        break;
    case DT_COMPLEX64:
        add_over_c64(w, from, to, 0);
        break;
    default:
        add_over_c128(w, from, to, 0);
        break;
    }
}

/* --- the kernel --- */

/* Which labels an array has, in an order: those for which is_in says so, ones of "..." too. */
enum group { BATCH, ROWS, COLS, SUMMED, NUM_GROUPS };

struct product {
    struct labelled l;
    int order[NUM_GROUPS][NUM_LABELS], num[NUM_GROUPS];
    int64_t size[NUM_GROUPS]; /* elements */
    int dtype;
};

static void sort_labels(struct product *p)
{
    const bool two = p->l.e.num == 2;
    for (int g = 0; g < NUM_GROUPS; g++)
        p->size[g] = 1;
    for (int i = 0; i < NUM_LABELS; i++) {
        const bool *in = p->l.in[i];
        if (!in[2] && !(two && in[0] && in[1]))
            continue; /* of one operand alone, and summed at once */
        const enum group g = !in[2] ? SUMMED : !two || !in[1] ? ROWS : in[0] ? BATCH : COLS;
        p->order[g][p->num[g]++] = i;
        p->size[g] *= p->l.size[i];
    }
}

/* Operand i, summed and turned: axes of the groups in this order. NULL: no memory. */
static void *prepare(struct kctx *c, const struct product *p, int i, const enum group *groups,
                     int num_groups, struct status *st)
{
    const struct tensor *t = kernel_in(c, i);
    int order[NUM_LABELS], num = 0;
    int64_t elems = 1, steps[NUM_LABELS] = {0}, step = 1;
    for (int g = 0; g < num_groups; g++) {
        for (int k = 0; k < p->num[groups[g]]; k++)
            order[num++] = p->order[groups[g]][k];
        elems *= p->size[groups[g]];
    }
    struct by_label to = {0};
    lay_out(&to, order, num, p->l.size);
    for (int a = tensor_rank(t) - 1; a >= 0; a--) { /* an axis of 1 that broadcasts has no step */
        if (tensor_dim(t, a) == p->l.size[p->l.term[i].label[a]])
            steps[p->l.term[i].label[a]] += step;
        step *= tensor_dim(t, a);
    }
    struct walk w = {0};
    for (int k = 0; k < NUM_LABELS; k++)
        if (p->l.in[k][i] || to.step[k])
            walk_axis(&w, p->l.size[k], steps[k], to.step[k]);
    const int64_t bytes = max_i64(1, elems) * (int64_t)dtype_size(t->dtype);
    void *out = kernel_scratch(c, bytes, st);
    if (!out)
        return NULL;
    memset(out, 0, (size_t)bytes);
    add_over(t->dtype, &w, t->data, out);
    return out;
}

/* From [batch, rows, cols] to the result's axes; repeated labels are diagonals among zeros. */
static void deliver(const struct product *p, const void *from, struct tensor *out)
{
    static const enum group groups[] = {BATCH, ROWS, COLS};
    const struct term *t = &p->l.term[p->l.e.num];
    struct by_label source = {0}, to = {0};
    int order[NUM_LABELS], num = 0;
    for (int g = 0; g < 3; g++)
        for (int k = 0; k < p->num[groups[g]]; k++)
            order[num++] = p->order[groups[g]][k];
    lay_out(&source, order, num, p->l.size);
    lay_out(&to, t->label, t->rank, p->l.size);
    struct walk w = {0};
    for (int i = 0; i < num; i++)
        walk_axis(&w, p->l.size[order[i]], source.step[order[i]], to.step[order[i]]);
    memset(out->data, 0, tensor_bytes(out));
    add_over(p->dtype, &w, from, out->data);
}

static struct tensor *result(struct kctx *c, const struct product *p, struct status *st)
{
    const struct term *t = &p->l.term[p->l.e.num];
    int64_t dims[SHAPE_MAX_RANK];
    for (int a = 0; a < t->rank; a++)
        dims[a] = p->l.size[t->label[a]];
    struct shape shape = shape_make(dims, t->rank);
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    return out;
}

static void *multiply(struct kctx *c, const struct product *p, struct status *st)
{
    const int64_t m = p->size[ROWS], n = p->size[COLS], k = p->size[SUMMED];
    const int64_t items = max_i64(1, p->size[BATCH] * m * n);
    const void *a = prepare(c, p, 0, (enum group[]){BATCH, ROWS, SUMMED}, 3, st);
    const void *b = a ? prepare(c, p, 1, (enum group[]){BATCH, SUMMED, COLS}, 3, st) : NULL;
    void *out = b ? kernel_scratch(c, items * (int64_t)dtype_size(p->dtype), st) : NULL;
    if (!out)
        return NULL;
    const struct math_gemm g = {
        .m = m, .n = n, .k = k, .a = a, .b = b, .c = out, .lda = k, .ldb = n, .ldc = n};
    const struct math_gemm_batch batch = {
        .num = p->size[BATCH], .a_stride = m * k, .b_stride = k * n, .c_stride = m * n};
    math_gemm_batched(kernel_pool(c), p->dtype, &g, &batch);
    return out;
}

static bool einsum_run(struct kctx *c, struct status *st)
{
    struct product p = {.dtype = kernel_in(c, 0)->dtype};
    const struct shape *shapes[2] = {0};
    const int num = kernel_num_inputs(c);
    for (int i = 0; i < num && i < 2; i++)
        shapes[i] = &kernel_in(c, i)->shape;
    if (!labels_of(kernel_attrs(c), num, shapes, &p.l, st))
        return false;
    sort_labels(&p);
    struct tensor *out = result(c, &p, st);
    if (!out || out->num_elems == 0)
        return out != NULL;
    const void *values = num == 2 ? multiply(c, &p, st)
                                  : prepare(c, &p, 0, (enum group[]){BATCH, ROWS, COLS}, 3, st);
    if (values)
        deliver(&p, values, out);
    return values != NULL;
}

OP_DEF(einsum) = {
    .name = "Einsum",
    .summary = "Sums of products of one or two tensors over labelled axes.",
    .inputs = {"inputs: N * T"},
    .outputs = {"output: T"},
    .attrs = {"equation: string", "N: int >= 1", "T: type"},
    .shape = einsum_shape,
    .no_kernel = "products are of few types",
    .no_grad = "undefined: TensorFlow has none",
};
KERNEL_DEF(einsum_cpu) = {
    .op = "Einsum",
    .device = "CPU",
    .types = {"T: {bfloat16, float, double, int32, int64, complex64, complex128}"},
    .run = einsum_run,
    .flags = KERNEL_EXPENSIVE};
