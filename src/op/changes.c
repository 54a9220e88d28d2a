/* SPDX-License-Identifier: Apache-2.0 */
/* Which ops change state: kernels that say so, and by name those that write variables, since what
 * an op does to its references and handles is in its kernel alone. Asked once for each node of a
 * plan, and in each run on a task that notes changes. */
#include "op/changes.h"

#include <string.h>

#include "base/map.h"

static bool writes_variables(const char *op)
{
    static const char *const begins[] = {
        "Assign",
        "Apply",
        "SparseApply",
        "Scatter",
        "ResourceApply",
        "ResourceSparseApply",
        "ResourceScatter",
        "ResourceCountUpTo",
        "CountUpTo",
        "StridedSliceAssign",
        "ResourceStridedSliceAssign",
        "_RestoreInto",
        "DestroyResourceOp",
        "LookupTableInsert",
        "LookupTableImport",
        "LookupTableRemove",
        "InitializeTable",
    };
    for (size_t i = 0; i < ARRAY_LEN(begins); i++) {
        if (strncmp(op, begins[i], strlen(begins[i])) == 0)
            return strcmp(op, "ScatterNd") != 0;
    }
    return false;
}

bool changes_applies(const struct kernel *k)
{
    return (k->def->flags & KERNEL_NOTES) || writes_variables(k->op->name);
}

uint64_t changes_key(const struct kctx *c)
{
    const struct kernel_env *env = c->env;
    if (!env->changes || env->change_key == 0)
        return 0;
    const char *frame = c->frame ? c->frame : "";
    uint64_t parts[3] = {env->change_key,
                         hash_stable(c->kernel->node_name, strlen(c->kernel->node_name)),
                         hash_stable(frame, strlen(frame)) + (uint64_t)c->frame_iter};
    uint64_t key = hash_stable(parts, sizeof parts);
    return key ? key : 1;
}

int64_t changes_progress(const struct kctx *c)
{
    const uint64_t key = changes_key(c);
    return key ? c->env->changes->progress(c->env->changes, key) : 0;
}

void changes_log(struct resource *r, struct note *notes, int n, const struct noted *op)
{
    struct journal *j = r->journal;
    if (j)
        j->owner->log(j->owner, j, notes, n, op);
    for (int i = 0; i < n; i++)
        note_release(&notes[i]);
}
