/* SPDX-License-Identifier: Apache-2.0 */
/* Products with a sum and an activation, as kernels one after the other; see fused_sum.h. */
#include "op/fused_sum.h"

#include <string.h>

static const char *const acts[] = {"Relu", "Relu6", "Elu", "Tanh", "Sigmoid"};

/* What may stand at each place of the parts. */
static bool make_part(struct fused_sum *f, const struct kernel *k, const char *product, int i,
                      struct status *st)
{
    static const char *const sums[] = {"BiasAdd", "BiasAddV1", "Add", "AddV2"};
    const char *const *ops[FUSED_SUM_PARTS] = {&product, sums, acts};
    const int num[FUSED_SUM_PARTS] = {1, ARRAY_LEN(sums), ARRAY_LEN(acts)};
    f->parts[i] = part_new(k, i, ops[i], num[i], st);
    if (!f->parts[i])
        return false;
    f->num_parts = i + 1;
    for (int a = 0; i == 2 && a < num[i]; a++) {
        if (strcmp(f->parts[i]->op->name, acts[a]) == 0)
            f->act = a + 1;
    }
    return true;
}

bool fused_sum_init(struct fused_sum *f, const struct kernel *k, const char *product,
                    struct status *st)
{
    const int64_t n = attrs_list(k->attrs, "nodes")->n == FUSED_SUM_PARTS ? FUSED_SUM_PARTS : 2;
    if (!part_check_count(k, n, st))
        return false;
    for (int i = 0; i < n; i++) {
        if (!make_part(f, k, product, i, st))
            return false;
    }
    f->bias_first = attrs_bool(k->attrs, "bias_first");
    return true;
}

void fused_sum_release(struct fused_sum *f)
{
    for (int i = 0; i < f->num_parts; i++)
        kernel_free(f->parts[i]);
}

bool fused_sum_run_apart(struct kctx *c, const struct fused_sum *f, struct status *st)
{
    struct tensor results[FUSED_SUM_PARTS] = {0};
    struct tensor *product[2] = {c->in[0], c->in[1]}, *sum[2] = {&results[0], c->in[2]};
    struct tensor *act[1] = {&results[1]};
    if (f->bias_first) {
        sum[0] = c->in[2];
        sum[1] = &results[0];
    }
    bool ok = part_run(c, f->parts[0], product, &results[0], st) &&
              part_run(c, f->parts[1], sum, &results[1], st) &&
              (f->num_parts < 3 || part_run(c, f->parts[2], act, &results[2], st));
    if (ok)
        kernel_out_take(c, 0, &results[f->num_parts - 1]);
    for (int i = 0; i < FUSED_SUM_PARTS; i++)
        tensor_clear(&results[i]);
    return ok;
}
