/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of tensors, values of dtype variant: tensorflow::TensorList. A list that others hold too is
 * never changed; one that nobody else can see is changed in place. */
#ifndef LEAT_OPS_LIST_LIST_H
#define LEAT_OPS_LIST_LIST_H

#include "op/infer.h"
#include "op/kernel.h"

struct list { /* counted, as variants are */
    struct variant base;
    int dtype;
    int64_t max_items;    /* -1: any number */
    struct shape shape;   /* of items; may be partial */
    struct tensor *items; /* dtype DT_INVALID: never set, counts as zeros */
    int64_t n, cap;
};

struct list *list_new(int dtype, const struct shape *item_shape);
/* n items that were never set; false: no memory. */
MUST_CHECK bool list_resize(struct list *l, int64_t n, struct status *st);
/* The list that input i is; INVALID_ARGUMENT where it is none. */
struct list *list_in(const struct kctx *c, int i, struct status *st) MUST_CHECK;
/* Element k of input i, whatever its shape. */
struct list *list_at(const struct kctx *c, int i, int64_t k, struct status *st) MUST_CHECK;
/* The list that input i is, with items of this type. */
struct list *list_of(const struct kctx *c, int i, int dtype, struct status *st) MUST_CHECK;
/* A list with the items of l that nobody else holds. */
struct list *list_dup(const struct list *l, struct status *st) MUST_CHECK;
/* Input 0 as output 0, ready to be changed. */
struct list *list_edit(struct kctx *c, struct status *st) MUST_CHECK;
/* Output i; l is taken. */
MUST_CHECK bool list_out(struct kctx *c, int i, struct list *l, struct status *st);
/* Input i holds a shape, with -1 where it is unknown (a scalar -1: all of it). */
MUST_CHECK bool list_shape_in(const struct kctx *c, int i, struct shape *out, struct status *st);
/* What is known of both; false: they contradict, and out is unset. */
bool list_merge_shapes(const struct shape *a, const struct shape *b, struct shape *out);
/* The shape of items, merged with want and with those that are set. */
MUST_CHECK bool list_item_shape(const struct list *l, const struct shape *want, struct shape *out,
                                struct status *st);
/* The error of those that contradict. */
bool list_contradict(const struct shape *a, const struct shape *b, struct status *st);
void list_shape_text(const struct shape *s, struct strbuf *out);
/* In shape functions: outputs of items, and of lists made of items, as far as the handle of a list
 * and a shape among the inputs tell. */
MUST_CHECK bool list_infer_item(struct infer_ctx *c, int shape_input, const struct shape **out,
                                struct status *st);
bool list_infer_same(struct infer_ctx *c, struct status *st); /* output 0 as the list input 0 */
bool list_infer_declared(struct infer_ctx *c, int shape_input, struct status *st);
/* The element_shape that input i gives: a vector, or a scalar -1 for one that is not known. */
MUST_CHECK bool list_infer_shape(struct infer_ctx *c, int i, const struct shape **out,
                                 struct status *st);

#endif
