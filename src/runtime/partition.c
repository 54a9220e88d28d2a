/* SPDX-License-Identifier: Apache-2.0 */
/* Partition by device: cuts the edges between devices and joins their ends by _Send and _Recv.
 *
 * One _Send per (value, receiving device); its key is the sender's device, incarnation, receiver,
 * and edge name. A control edge travels as an empty float tensor made next to its source. Loops
 * must stand on one device: one that spans several is refused. */
#include "runtime/partition.h"

#include <string.h>

#include "base/mem.h"
#include "runtime/session_impl.h"

struct cut { /* a value that has been sent to a device */
    struct rnode *from;
    int index; /* -1: a control edge */
    const struct device *to;
    struct rnode *recv;
    struct cut *next;
};

struct split {
    struct session *s;
    struct rgraph *rg;
    struct u64map cuts; /* (from id, index, device) -> cut */
    int64_t next_edge;
};

static const struct device *device_of(const struct session *s, const struct rnode *n)
{
    for (int i = 0; i < s->num_devices; i++) {
        if (n->device == s->devices[i].name || strcmp(n->device, s->devices[i].name) == 0)
            return &s->devices[i];
    }
    return &s->devices[0];
}

static void transfer_attrs(struct attrs *a, const char *type_attr, int dtype, const char *name,
                           const struct device *from, const struct device *to)
{
    attrs_set(a, type_attr, attr_type(dtype));
    attrs_set(a, "tensor_name", attr_string(str_of(name)));
    attrs_set(a, "send_device", attr_string(str_of(from->name)));
    attrs_set(a, "send_device_incarnation", attr_int((int64_t)from->incarnation));
    attrs_set(a, "recv_device", attr_string(str_of(to->name)));
    attrs_set(a, "client_terminated", attr_bool(false));
}

struct transfer { /* one value's way from device to device */
    const char *name;
    const struct device *from, *to;
    int dtype;
};

static struct rnode *add_transfer(struct split *p, const char *op_name, const struct transfer *t,
                                  const struct redge *input, struct status *st)
{
    const struct op *op = op_get(op_name, st);
    if (!op)
        return NULL;
    struct attrs a = {0};
    transfer_attrs(&a, input ? "T" : "tensor_type", t->dtype, t->name, t->from, t->to);
    char *node = mem_printf("%s/%s", t->name, op_name);
    struct rnode *n = rgraph_add(p->rg, node, op, &a, input, input ? 1 : 0, st);
    mem_free(node);
    attrs_clear(&a);
    if (n) {
        n->device = input ? t->from->name : t->to->name;
        n->keep = true;
    }
    return n;
}

/* What a control edge sends: a constant that waits for the edge's source. */
static struct rnode *control_value(struct split *p, struct rnode *from, struct status *st)
{
    struct tensor t = {0};
    struct shape empty = shape_1(0);
    if (!tensor_new(&t, DT_FLOAT, &empty, st))
        return NULL;
    struct rnode *c = rgraph_add_const(p->rg, "_control", &t, from->device, st);
    tensor_clear(&t);
    if (c)
        rnode_add_control(p->rg, c, from);
    return c;
}

static struct rnode *send_to(struct split *p, struct rnode *from, int index,
                             const struct device *to, struct status *st)
{
    uint64_t key = hash_bytes(&(uint64_t[3]){(uint64_t)(uintptr_t)from, (uint64_t)(int64_t)index,
                                             (uint64_t)(uintptr_t)to},
                              24, 0);
    struct cut *list = u64map_find(&p->cuts, key);
    for (struct cut *c = list; c; c = c->next) {
        if (c->from == from && c->index == index && c->to == to)
            return c->recv;
    }
    struct redge value = {from, index};
    if (index < 0) {
        value = (struct redge){control_value(p, from, st), 0};
        if (!value.node)
            return NULL;
    }
    const struct device *src = device_of(p->s, from);
    int dtype = dtype_base(value.node->output_types[value.index]);
    char *name = mem_printf("edge_%lld_%s", (long long)p->next_edge++, from->name);
    struct transfer t = {name, src, to, dtype};
    struct rnode *send = add_transfer(p, "_Send", &t, &value, st);
    struct rnode *recv = send ? add_transfer(p, "_Recv", &t, NULL, st) : NULL;
    mem_free(name);
    if (!recv)
        return NULL;
    struct cut *c = arena_new(&p->rg->arena, struct cut);
    *c = (struct cut){from, index, to, recv, list};
    u64map_put(&p->cuts, key, c);
    return recv;
}

static bool same_device(const struct rnode *a, const struct rnode *b)
{
    return a->device == b->device || strcmp(a->device, b->device) == 0;
}

static bool refuse(const struct rnode *from, const struct rnode *to, struct status *st)
{
    return status_unimplemented(
        st,
        "A while loop that spans devices is not supported: '%s' is on %s, '%s' on %s; put the "
        "loop on one device",
        from->name, from->device, to->name, to->device);
}

static bool cut_node(struct split *p, struct rnode *n, struct status *st)
{
    const struct device *here = device_of(p->s, n);
    for (int k = 0; k < n->num_inputs; k++) {
        struct redge e = n->inputs[k];
        if (same_device(e.node, n))
            continue;
        if (dtype_is_ref(n->input_types[k]))
            return status_internal(st, "reference edge from '%s' to '%s' crosses devices",
                                   e.node->name, n->name);
        if (n->frame != 0 || e.node->frame != 0)
            return refuse(e.node, n, st);
        struct rnode *recv = send_to(p, e.node, e.index, here, st);
        if (!recv)
            return false;
        n->inputs[k] = (struct redge){recv, 0};
    }
    int64_t kept = 0;
    for (int64_t k = 0; k < n->num_control; k++) {
        struct rnode *from = n->control[k];
        if (!same_device(from, n)) {
            if (n->frame != 0 || from->frame != 0)
                return refuse(from, n, st);
            from = send_to(p, from, -1, here, st);
            if (!from)
                return false;
        }
        n->control[kept++] = from;
    }
    n->num_control = kept;
    return true;
}

static bool one_device(const struct rgraph *rg)
{
    for (int64_t i = 1; i < rg->num_nodes; i++) {
        if (!same_device(rg->nodes[i], rg->nodes[0]))
            return false;
    }
    return true;
}

static void number_parts(struct split *p, struct partition *out)
{
    out->part_of = mem_new_array(int, p->rg->num_nodes + 1);
    int *part = mem_new_array(int, p->s->num_devices + 1); /* device -> part + 1 */
    for (int64_t i = 0; i < p->rg->num_nodes; i++) {
        struct rnode *n = p->rg->nodes[i];
        n->id = (int)i;
        const struct device *d = device_of(p->s, n);
        int at = (int)(d - p->s->devices);
        if (!part[at]) {
            out->devices[out->num_parts] = d;
            part[at] = ++out->num_parts;
        }
        out->part_of[i] = part[at] - 1;
    }
    mem_free(part);
}

bool partition_rgraph(struct session *s, struct rgraph *rg, struct partition *out,
                      struct status *st)
{
    out->devices = mem_new_array(const struct device *, s->num_devices + 1);
    if (one_device(rg)) {
        out->num_parts = 1;
        out->devices[0] = rg->num_nodes ? device_of(s, rg->nodes[0]) : &s->devices[0];
        return true;
    }
    struct split p = {.s = s, .rg = rg};
    int64_t n = rg->num_nodes; /* transfers that are added need no cut */
    bool ok = true;
    for (int64_t i = 0; ok && i < n; i++)
        ok = cut_node(&p, rg->nodes[i], st);
    u64map_release(&p.cuts);
    if (ok)
        number_parts(&p, out);
    return ok;
}

void partition_clear(struct partition *p)
{
    mem_free(p->part_of);
    mem_free(p->devices);
    *p = (struct partition){0};
}
