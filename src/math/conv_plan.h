/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of convolution share: the plan, and the two ways to run one. NHWC here: conv.c
 * transposes for NCHW. */
#ifndef LEAT_MATH_CONV_PLAN_H
#define LEAT_MATH_CONV_PLAN_H

#include "math/conv.h"

#define CONV_PIECES_MAX 16

enum conv_pass { CONV_FORWARD, CONV_BACKWARD_DATA, CONV_BACKWARD_FILTER, CONV_PASSES };

struct conv_dnnl; /* oneDNN's part of a plan */

struct math_conv {
    struct math_conv_shape shape; /* as given; the passes see it as NHWC */
    int64_t filter_items;         /* filter_h * filter_w * in_c */
    int64_t in_items, out_items;  /* of one image */
    int64_t item;                 /* bytes */
    double cost_ns;               /* of one image, one pass */
    int64_t partials;             /* filter gradients that are summed at the end */
    struct conv_dnnl *dnnl;       /* NULL: our own way */
    bool few;                     /* all passes are conv_few.c's */
    bool point[CONV_PASSES];      /* the pass is a product of matrices: conv_point.c */
    bool fast[CONV_PASSES];       /* the pass is conv_fast.c's, while all is finite */
    bool line[CONV_PASSES];       /* likewise conv_line.c's */
    bool direct[CONV_PASSES];     /* else it is conv_direct.c's */
};

/* First image of part i of num. */
static inline int64_t conv_share(int64_t batch, int64_t num, int64_t i)
{
    return batch / num * i + min_i64(i, batch % num);
}

/* Windows are the image itself. */
bool conv_is_pointwise(const struct math_conv_shape *s);
/* Those whose products we do best: forward and data are conv_own's then. */
bool conv_point_serves(const struct math_conv *plan, enum conv_pass pass);
int64_t conv_point_scratch_bytes(const struct math_conv *plan, enum conv_pass pass);
void conv_point_backward_filter(const struct math_conv *plan, struct pool *pool,
                                const struct math_conv_args *a, void *scratch);

/* Few positions, a large filter. */
bool conv_few_serves(const struct math_conv *plan);
int64_t conv_few_scratch_bytes(const struct math_conv *plan);
void conv_few_forward(const struct math_conv *plan, struct pool *pool,
                      const struct math_conv_args *a, void *scratch);
void conv_few_backward_data(const struct math_conv *plan, struct pool *pool,
                            const struct math_conv_args *a, void *scratch);
void conv_few_backward_filter(const struct math_conv *plan, struct pool *pool,
                              const struct math_conv_args *a, void *scratch);

/* Rows of `to`: the windows of output positions p0 .. p0 + num of an image; and the opposite, rows
 * of windows added to an image. */
void conv_lay_out(const struct math_conv *plan, const char *image, int64_t p0, int64_t num,
                  char *to);
void conv_fold_back(const struct math_conv *plan, const char *from, int64_t p0, int64_t num,
                    char *image);

/* Our own: im2col and products. partial: plan->partials filter gradients, when more than one. */
void conv_own_forward(const struct math_conv *plan, struct pool *pool,
                      const struct math_conv_args *a);
void conv_own_backward_data(const struct math_conv *plan, struct pool *pool,
                            const struct math_conv_args *a);
void conv_own_backward_filter(const struct math_conv *plan, struct pool *pool,
                              const struct math_conv_args *a, void *partial);

/* dfilter = the partial filter gradients, added in order. */
void conv_sum_partials(const struct math_conv *plan, const void *partial, void *dfilter);
/* Adds the bias to float outputs of some positions, and applies the activation. */
void conv_epilogue(const struct math_conv *plan, struct pool *pool, const struct math_conv_args *a,
                   float *y, int64_t positions);
/* to[i] += from[i] */
void conv_add(int dtype, void *to, const void *from, int64_t n);
/* to[last - k][oc][ic] = from[k][ic][oc] over the positions k of a float filter. */
void conv_turn_filter(const struct math_conv_shape *s, const float *from, float *to);

/* Winograd's way. False: a result is not finite, or would not be; compute it another way. */
bool conv_fast_serves(const struct math_conv *plan, enum conv_pass pass);
int64_t conv_fast_scratch_bytes(const struct math_conv *plan, enum conv_pass pass);
bool conv_fast_forward(const struct math_conv *plan, struct pool *pool,
                       const struct math_conv_args *a, void *scratch);
bool conv_fast_backward_data(const struct math_conv *plan, struct pool *pool,
                             const struct math_conv_args *a, void *scratch);
bool conv_fast_backward_filter(const struct math_conv *plan, struct pool *pool,
                               const struct math_conv_args *a, void *scratch);

/* The same for filters of one row or one column. */
bool conv_line_serves(const struct math_conv *plan, enum conv_pass pass);
int64_t conv_line_scratch_bytes(const struct math_conv *plan, enum conv_pass pass);
bool conv_line_forward(const struct math_conv *plan, struct pool *pool,
                       const struct math_conv_args *a, void *scratch);
bool conv_line_backward_data(const struct math_conv *plan, struct pool *pool,
                             const struct math_conv_args *a, void *scratch);
bool conv_line_backward_filter(const struct math_conv *plan, struct pool *pool,
                               const struct math_conv_args *a, void *scratch);

/* Direct loops over NHWC float images: whether they can do a pass, the scratch it takes (a turned
 * filter, or partial filter gradients). */
bool conv_direct_serves(const struct math_conv *plan, enum conv_pass pass);
int64_t conv_direct_scratch_bytes(const struct math_conv *plan, enum conv_pass pass);
void conv_direct_forward(const struct math_conv *plan, struct pool *pool,
                         const struct math_conv_args *a);
void conv_direct_backward_data(const struct math_conv *plan, struct pool *pool,
                               const struct math_conv_args *a, void *scratch);
void conv_direct_backward_filter(const struct math_conv *plan, struct pool *pool,
                                 const struct math_conv_args *a, void *partial);

/* oneDNN: NULL when it is absent or the shape is not one for it. */
struct conv_dnnl *conv_dnnl_new(const struct math_conv *plan);
void conv_dnnl_free(struct conv_dnnl *d);
int64_t conv_dnnl_scratch_bytes(struct conv_dnnl *d, enum conv_pass pass);
/* False: the pass cannot be done this way; nothing was written that our own does not overwrite. */
bool conv_dnnl_run(const struct math_conv *plan, enum conv_pass pass, struct pool *pool,
                   const struct math_conv_args *a, void *scratch);

#endif
