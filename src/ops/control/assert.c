/* SPDX-License-Identifier: Apache-2.0 */
/* Assert and Print: stopping a step with values in the message, and showing values as they pass. */
#include <stdio.h>

#include "op/grad.h"
#include "op/infer.h"
#include "op/kernel.h"

/* --- Assert --- */

static bool assert_run(struct kctx *c, struct status *st)
{
    const struct tensor *condition = kernel_in(c, 0);
    if (tensor_rank(condition) != 0) {
        struct strbuf shape = {0};
        shape_print(&condition->shape, &shape);
        status_invalid(st, "In[0] should be a scalar: %s", strbuf_text(&shape));
        strbuf_release(&shape);
        return false;
    }
    if (tensor_bool(condition)[0])
        return true;
    int64_t summarize = attrs_int(kernel_attrs(c), "summarize");
    struct strbuf text = {0};
    for (int i = 1; i < kernel_num_inputs(c); i++) {
        strbuf_puts(&text, i > 1 ? " [" : "[");
        tensor_summarize(kernel_in(c, i), summarize, &text);
        strbuf_putc(&text, ']');
    }
    status_invalid(st, "assertion failed: %s", strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

OP_DEF(assert) = {
    .name = "Assert",
    .summary = "Fails, showing data, where the condition is false.",
    .inputs = {"condition: bool", "data: T"},
    .attrs = {"T: list(type) >= 1", "summarize: int = 3"},
    .flags = OP_STATEFUL,
    .shape = infer_no_outputs,
    .no_grad = "it has no outputs",
};
KERNEL_DEF(assert_cpu) = {.op = "Assert", .device = "CPU", .run = assert_run};

/* --- Print --- */

struct print_state {
    int64_t first_n, shown; /* shown: atomic */
};

static bool print_init(struct kernel *k, void *state, struct status *st)
{
    struct print_state *p = state;
    return attrs_get_int(k->attrs, "first_n", &p->first_n, st);
}

static bool print_run(struct kctx *c, struct status *st)
{
    (void)st;
    struct print_state *p = kernel_state(c);
    kernel_out_share(c, 0, kernel_in(c, 0));
    if (p->first_n >= 0 && (__atomic_load_n(&p->shown, __ATOMIC_RELAXED) >= p->first_n ||
                            __atomic_fetch_add(&p->shown, 1, __ATOMIC_RELAXED) >= p->first_n))
        return true;
    struct str message = attrs_string(kernel_attrs(c), "message");
    int64_t summarize = attrs_int(kernel_attrs(c), "summarize");
    struct strbuf text = {0};
    strbuf_add(&text, message.p, message.n);
    for (int i = 1; i < kernel_num_inputs(c); i++) {
        strbuf_putc(&text, '[');
        tensor_summarize(kernel_in(c, i), summarize, &text);
        strbuf_putc(&text, ']');
    }
    strbuf_putc(&text, '\n');
    (void)fwrite(strbuf_text(&text), 1, text.n, stderr);
    strbuf_release(&text);
    return true;
}

static bool print_shape(struct infer_ctx *c, struct status *st)
{
    (void)st;
    infer_set(c, 0, infer_input(c, 0));
    infer_set_handle(c, 0, infer_handle_in(c, 0));
    return true;
}

static bool print_grad(struct grad_ctx *g, struct status *st)
{
    grad_set(g, 0, grad_dy(g, 0));
    return grad_done(g, st);
}

OP_DEF(print) = {
    .name = "Print",
    .summary = "Passes its input on and shows data on the standard error output.",
    .inputs = {"input: T", "data: U"},
    .outputs = {"output: T"},
    .attrs = {"T: type", "U: list(type) >= 0", "message: string = ''", "first_n: int = -1",
              "summarize: int = 3"},
    .flags = OP_STATEFUL,
    .shape = print_shape,
    .grad = print_grad,
};
KERNEL_DEF(print_cpu) = {.op = "Print",
                         .device = "CPU",
                         .state_bytes = sizeof(struct print_state),
                         .init = print_init,
                         .run = print_run};
