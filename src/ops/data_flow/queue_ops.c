/* SPDX-License-Identifier: Apache-2.0 */
/* From a handle to its queue, and from the end of an attempt to the end of a kernel. */
#include "ops/data_flow/queue_ops.h"

#include "op/changes.h"
#include "op/resource_pair.h"

struct queue *queue_of_input(struct kctx *c, struct status *st)
{
    return (struct queue *)resource_from_either(c, 0, &queue_type, st);
}

/* --- types --- */

static void print_types(struct strbuf *b, int n, const int *types)
{
    for (int i = 0; i < n; i++)
        strbuf_printf(b, "%s%s", i > 0 ? ", " : "", dtype_name(types[i]));
}

static bool fail_types(const struct kctx *c, const struct queue_spec *q, bool ins,
                       struct status *st)
{
    const struct kernel *k = c->kernel;
    struct strbuf b = {0};

    print_types(&b, k->num_inputs, k->input_types);
    strbuf_puts(&b, "->");
    print_types(&b, k->num_outputs, k->output_types);
    strbuf_puts(&b, " expected: ");
    print_types(&b, ins ? 1 : k->num_inputs, k->input_types);
    strbuf_puts(&b, ins ? ", " : "->");
    print_types(&b, q->num_types, q->types);
    strbuf_puts(&b, ins ? "->" : "");
    status_invalid(st, "Signature mismatch, have: %s", strbuf_text(&b));
    strbuf_release(&b);
    return false;
}

bool queue_check_types(const struct kctx *c, const struct queue *q, bool ins, struct status *st)
{
    const struct queue_spec *spec = queue_spec(q);
    const struct kernel *k = c->kernel;
    const int *have = ins ? k->input_types + 1 : k->output_types;
    bool same = (ins ? k->num_inputs - 1 : k->num_outputs) == spec->num_types;

    for (int i = 0; same && i < spec->num_types; i++)
        same = dtype_base(have[i]) == spec->types[i];
    return same || fail_types(c, spec, ins, st);
}

bool queue_no_timeout(struct kernel *k, void *state, struct status *st)
{
    (void)state;
    return attrs_int(k->attrs, "timeout_ms") == -1 ||
           status_invalid(st, "Timeout not supported yet.");
}

/* --- ends --- */

static void on_done(void *arg, struct status *st, struct tensor *values)
{
    struct kctx *c = arg;

    for (int i = 0; values && i < kernel_num_outputs(c); i++)
        kernel_out_take(c, i, &values[i]);
    kernel_done(c, st);
}

struct queue_wait queue_wait_of(struct kctx *c)
{
    return (struct queue_wait){.done = on_done,
                               .arg = c,
                               .cancel = c->env->cancel,
                               .key = changes_key(c),
                               .progress = changes_progress(c)};
}

void queue_refuse(struct kctx *c, struct status *st)
{
    kernel_done(c, st);
    status_clear(st);
}

/* --- shapes --- */

bool queue_infer_handle_v1(struct infer_ctx *c, struct status *st)
{
    (void)st;
    infer_set(c, 0, infer_vector(c, 2));
    return true;
}

bool queue_check_handle(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    int64_t dim;

    if (infer_input_type(c, 0) == DT_RESOURCE)
        return true; /* what it holds is asked when it runs */
    return infer_want_rank(c, infer_input(c, 0), 1, &s, st) &&
           infer_want_dim(c, infer_dim(s, 0), 2, &dim, st);
}

bool queue_infer_no_outputs(struct infer_ctx *c, struct status *st)
{
    return queue_check_handle(c, st);
}

bool queue_infer_scalar(struct infer_ctx *c, struct status *st)
{
    if (!queue_check_handle(c, st))
        return false;
    infer_set(c, 0, infer_scalar(c));
    return true;
}
