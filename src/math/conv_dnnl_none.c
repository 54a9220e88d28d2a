/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution where oneDNN was not there when Leat was built: our own way runs all. */
#include "config.h"
#include "math/conv_plan.h"

#if !LEAT_HAVE_ONEDNN
struct conv_dnnl *conv_dnnl_new(const struct math_conv *plan)
{
    (void)plan;
    return NULL;
}

void conv_dnnl_free(struct conv_dnnl *d)
{
    (void)d;
}

int64_t conv_dnnl_scratch_bytes(struct conv_dnnl *d, enum conv_pass pass)
{
    (void)d;
    (void)pass;
    return 0;
}

bool conv_dnnl_run(const struct math_conv *plan, enum conv_pass pass, struct pool *pool,
                   const struct math_conv_args *a, void *scratch)
{
    (void)plan;
    (void)pass;
    (void)pool;
    (void)a;
    (void)scratch;
    return false;
}
#endif
