/* SPDX-License-Identifier: Apache-2.0 */
/* The choice of boxes: the best is taken again and again off a heap, and compared with those that
 * were chosen since it was last looked at. TensorFlow 1.15 puts a chosen item back and looks at it
 * once more, when it is compared with itself: what is not like itself (a box without an area) is
 * chosen over and over. */
#include "ops/image/suppress.h"

#include <math.h>

static inline float narrow(float x, bool half)
{
    return half ? f16_to_f32(f16_from_f32(x)) : x;
}

float boxes_alike(const void *arg, int64_t i, int64_t j)
{
    const struct boxes *b = arg;
    const float *p = b->corners + i * b->step, *q = b->corners + j * b->step;
    float low[2], high[2], area_p = 1, area_q = 1, shared = 1;
    for (int k = 0; k < 2; k++) {
        float p_low = fminf(p[k], p[k + 2]), p_high = fmaxf(p[k], p[k + 2]);
        float q_low = fminf(q[k], q[k + 2]), q_high = fmaxf(q[k], q[k + 2]);
        area_p = narrow(area_p * narrow(p_high - p_low, b->half), b->half);
        area_q = narrow(area_q * narrow(q_high - q_low, b->half), b->half);
        low[k] = fmaxf(p_low, q_low);
        high[k] = fminf(p_high, q_high);
        shared = narrow(shared * fmaxf(narrow(high[k] - low[k], b->half), 0), b->half);
    }
    if (area_p <= 0 || area_q <= 0)
        return 0;
    float both = narrow(narrow(area_p + area_q, b->half) - shared, b->half);
    return narrow(shared / both, b->half);
}

/* --- a heap, the best on top. Which of equal scores comes first is TensorFlow's by the moves of
 * its heap, so these are the same: what goes in rises from the end; when the top goes, the better
 * child rises all the way down, and the last item rises from there. --- */

static void rise(struct candidate *heap, int64_t i, struct candidate x)
{
    for (int64_t parent; i > 0 && heap[parent = (i - 1) / 2].score < x.score; i = parent)
        heap[i] = heap[parent];
    heap[i] = x;
}

static void drop_top(struct candidate *heap, int64_t n)
{
    int64_t i = 0, child, last = n - 1;
    for (; (child = 2 * i + 2) < last; i = child) {
        child -= heap[child].score < heap[child - 1].score;
        heap[i] = heap[child];
    }
    if (child == last) { /* one child alone */
        heap[i] = heap[last - 1];
        i = last - 1;
    }
    if (last > 0)
        rise(heap, i, heap[last]);
}

/* Whether x survives those chosen since it was looked at; its score falls as it is like them. */
static bool survives(const struct suppress *s, const struct chosen *out, struct candidate *x)
{
    bool soft = s->sigma > 0;
    float scale = soft ? narrow(narrow(-0.5f, s->half) / s->sigma, s->half) : 0;
    for (int64_t j = out->n - 1; j >= x->begin; j--) {
        float like = s->alike(s->arg, x->item, out->items[j]);
        if (like >= s->threshold)
            return false;
        if (soft) {
            float power = narrow(narrow(scale * like, s->half) * like, s->half);
            x->score = narrow(x->score * narrow(expf(power), s->half), s->half);
        }
        if (x->score <= s->score_threshold)
            break;
    }
    return true;
}

bool chosen_room(struct kctx *c, int64_t num, struct chosen *out, struct status *st)
{
    int64_t bytes;
    if (!size_mul(num + 1, (int64_t)sizeof(*out->heap), &bytes))
        return status_invalid(st, "too many boxes: %lld", (long long)num);
    *out = (struct chosen){.heap = kernel_scratch(c, bytes, st)};
    out->items = out->heap ? kernel_scratch(c, (num + 1) * (int64_t)sizeof(*out->items), st) : NULL;
    out->scores =
        out->items ? kernel_scratch(c, (num + 1) * (int64_t)sizeof(*out->scores), st) : NULL;
    return out->scores != NULL;
}

static int64_t fill_heap(const struct suppress *s, struct candidate *heap)
{
    int64_t n = 0;
    for (int64_t i = 0; i < s->num; i++) {
        if (s->scores[i] > s->score_threshold)
            rise(heap, n++, (struct candidate){s->scores[i], (int32_t)i, 0});
    }
    return n;
}

void suppress_choose(const struct suppress *s, struct chosen *out)
{
    int64_t n = fill_heap(s, out->heap), most = s->most < 0 ? s->num : s->most;
    for (out->n = 0; n > 0 && out->n < most;) {
        struct candidate x = out->heap[0];
        float before = x.score;
        drop_top(out->heap, n--);
        bool alive = survives(s, out, &x);
        x.begin = (int32_t)out->n;
        if (alive && x.score == before) {
            if (out->n > 0 && out->items[out->n - 1] == x.item) {
                out->kept = out->n; /* and so for ever */
                out->n = most;
                return;
            }
            out->scores[out->n] = x.score;
            out->items[out->n++] = x.item;
            alive = !s->once;
        }
        if (alive && x.score > s->score_threshold)
            rise(out->heap, n++, x);
    }
    out->kept = out->n;
}
