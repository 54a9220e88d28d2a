/* SPDX-License-Identifier: Apache-2.0 */
/* _Send and _Recv: the two ends of an edge that crosses devices, meeting at the step's rendezvous.
 *
 * The key's constant part is made once per kernel; a call adds the frame and iteration, so that
 * each iteration of a loop has keys of its own. _Recv holds no thread while it waits. */
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "op/cancel.h"
#include "op/infer.h"
#include "op/kernel.h"
#include "op/rendezvous.h"

struct transfer_state {
    char *prefix;  /* "src;incarnation;dst;name;" */
    bool numbered; /* frames, as in TensorFlow 2 */
};

static bool transfer_init(struct kernel *k, void *state, struct status *st)
{
    (void)st;
    struct str src = attrs_string(k->attrs, "send_device"),
               dst = attrs_string(k->attrs, "recv_device");
    struct str name = attrs_string(k->attrs, "tensor_name");
    struct transfer_state *s = state;
    const struct attr_value *numbered = attrs_find(k->attrs, RENDEZVOUS_NUMBERS_ATTR);
    s->numbered = numbered && numbered->kind == ATTR_BOOL && numbered->b;
    s->prefix = mem_printf("%.*s;%016llx;%.*s;%.*s;", (int)src.n, src.p,
                           (unsigned long long)attrs_int(k->attrs, "send_device_incarnation"),
                           (int)dst.n, dst.p, (int)name.n, name.p);
    return true;
}

static void transfer_release(void *state)
{
    mem_free(((struct transfer_state *)state)->prefix);
}

static char *put_number(char *end, uint64_t n)
{
    do {
        *--end = (char)('0' + n % 10);
        n /= 10;
    } while (n > 0);
    return end;
}

/* "FRAME:ITERATION" of the frame, written backwards from the end of text; what printf does costs
 * more than the rest of a transfer. */
static const char *frame_part(const struct kctx *c, char *text, size_t size)
{
    char *p = text + size;
    *--p = 0;
    p = put_number(p, (uint64_t)c->frame_iter);
    *--p = ':';
    const struct transfer_state *s = kernel_state(c);
    return put_number(p, s->numbered ? c->frame_number : rendezvous_frame_hash(c->frame));
}

static void make_key(const struct kctx *c, struct strbuf *key)
{
    const struct transfer_state *s = kernel_state(c);
    char text[48];
    strbuf_puts(key, s->prefix);
    strbuf_puts(key, c->frame && c->frame[0] ? frame_part(c, text, sizeof text) : "0:0");
}

static bool send_run(struct kctx *c, struct status *st)
{
    if (!c->env->rendezvous)
        return status_internal(st, "_Send %s: this step has no rendezvous", c->kernel->node_name);
    bool dead = c->in_dead && c->in_dead[0];
    struct strbuf key = {0};
    make_key(c, &key);
    bool ok = rendezvous_send(c->env->rendezvous, strbuf_text(&key), dead ? NULL : kernel_in(c, 0),
                              dead, st);
    strbuf_release(&key);
    return ok;
}

static void received(void *arg, const struct status *st, const struct tensor *value, bool dead)
{
    struct kctx *c = arg;
    struct status copy = {0};
    if (!status_ok(st)) {
        status_copy(&copy, st);
    } else if (dead) {
        c->output_dead_set = true;
        c->out_dead = 1;
    } else {
        kernel_out_share(c, 0, value);
    }
    kernel_done(c, &copy);
    status_clear(&copy);
}

static void recv_start(struct kctx *c)
{
    struct status st = {0};
    if (!c->env->rendezvous) {
        status_internal(&st, "_Recv %s: this step has no rendezvous", c->kernel->node_name);
        kernel_done(c, &st);
        status_clear(&st);
        return;
    }
    struct strbuf key = {0};
    make_key(c, &key);
    rendezvous_recv(c->env->rendezvous, strbuf_text(&key), received, c);
    strbuf_release(&key);
}

#define TRANSFER_ATTRS                                                                             \
    "tensor_name: string", "send_device: string", "send_device_incarnation: int",                  \
        "recv_device: string", "client_terminated: bool = false"

#define SEND(id, op_name)                                                                          \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = "Sends a tensor to another device.",                                            \
        .inputs = {"tensor: T"},                                                                   \
        .attrs = {"T: type", TRANSFER_ATTRS},                                                      \
        .flags = OP_STATEFUL,                                                                      \
        .shape = infer_no_outputs,                                                                 \
        .no_grad = "gradients are taken before the graph is partitioned",                          \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {.op = op_name,                                                         \
                            .device = "CPU",                                                       \
                            .state_bytes = sizeof(struct transfer_state),                          \
                            .init = transfer_init,                                                 \
                            .release = transfer_release,                                           \
                            .run = send_run}
#define RECV(id, op_name)                                                                          \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = "Receives a tensor that another device sends.",                                 \
        .outputs = {"tensor: tensor_type"},                                                        \
        .attrs = {"tensor_type: type", TRANSFER_ATTRS},                                            \
        .flags = OP_STATEFUL,                                                                      \
        .shape = infer_unknown_outputs,                                                            \
        .no_grad = "gradients are taken before the graph is partitioned",                          \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {.op = op_name,                                                         \
                            .device = "CPU",                                                       \
                            .flags = KERNEL_ASYNC,                                                 \
                            .state_bytes = sizeof(struct transfer_state),                          \
                            .init = transfer_init,                                                 \
                            .release = transfer_release,                                           \
                            .run_async = recv_start}

SEND(send, "_Send");
SEND(host_send, "_HostSend");
RECV(recv, "_Recv");
RECV(host_recv, "_HostRecv");
