/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of fused nodes; see part.h. */
#include "op/part.h"

#include <string.h>

static const struct op *part_op(const struct attr_func *node, const char *const *ops, int num)
{
    const struct op *op = op_find(node->name);
    for (int i = 0; op && !op->function && i < num; i++) {
        if (strcmp(op->name, ops[i]) == 0)
            return op;
    }
    return NULL;
}

struct kernel *part_new(const struct kernel *fused, int i, const char *const *ops, int num,
                        struct status *st)
{
    const struct attr_func *node = attrs_list(fused->attrs, "nodes")->funcs[i];
    struct str name = attrs_list(fused->attrs, "names")->ss[i];
    struct str made = attrs_list(fused->attrs, "made")->ss[i];
    const struct op *op = part_op(node, ops, num);
    if (!op || attrs_type(&node->attrs, "T") != attrs_type(fused->attrs, "T")) {
        status_invalid(st, "%s '%s': cannot hold this %s", fused->op->name, fused->node_name,
                       node->name);
        return NULL;
    }
    const char *called = name.n > 0 ? name.p : fused->node_name;
    if (!op_check_attrs(op, &node->attrs, called, st))
        return NULL;
    const struct kernel_def *def = kernel_find(op, "CPU", &node->attrs, called, st);
    if (!def)
        return NULL;
    struct kernel *k = kernel_new(def, op, called, &node->attrs, fused->device, st);
    if (k)
        k->made_at = made.n > 0 ? made.p : NULL;
    return k;
}

bool part_check_count(const struct kernel *fused, int64_t n, struct status *st)
{
    if (attrs_list(fused->attrs, "nodes")->n == n && attrs_list(fused->attrs, "names")->n == n &&
        attrs_list(fused->attrs, "made")->n == n)
        return true;
    return status_invalid(st, "%s '%s': nodes, names and places differ in number", fused->op->name,
                          fused->node_name);
}

static void explain(const struct kernel *part, struct tensor *const *in, struct status *st)
{
    struct strbuf shapes = {0};
    for (int i = 0; i < part->num_inputs; i++) {
        strbuf_puts(&shapes, i ? ", " : "");
        shape_print(&in[i]->shape, &shapes);
    }
    status_append(st, "\n\t [[{{node %s}}]] (op %s, input shapes: %s%s%s)", part->node_name,
                  part->op->name, strbuf_text(&shapes), part->made_at ? ", made at " : "",
                  part->made_at ? part->made_at : "");
    strbuf_release(&shapes);
}

bool part_run(struct kctx *c, const struct kernel *part, struct tensor **in, struct tensor *out,
              struct status *st)
{
    struct kctx sub = {.kernel = (struct kernel *)(uintptr_t)part,
                       .in = in,
                       .out = out,
                       .env = c->env,
                       .frame = c->frame,
                       .frame_iter = c->frame_iter,
                       .expected_alive = -1};
    bool ok = part->def->run(&sub, st);
    if (sub.scratch_head)
        kernel_scratch_release(&sub);
    if (!ok)
        explain(part, in, st);
    return ok;
}
