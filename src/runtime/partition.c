/* SPDX-License-Identifier: Apache-2.0 */
/* Partition by device, or by groups of devices: cuts the edges between devices and joins their ends
 * by _Send and _Recv.
 *
 * One _Send per (value, receiving device); its key is the sender's device, incarnation, receiver,
 * and edge name, and the frame and iteration of the step. A control edge travels as an empty float
 * tensor made next to its source. What loops that span devices need is partition_loops.c's. */
#include <string.h>

#include "base/mem.h"
#include "runtime/partition_impl.h"
#include "runtime/session_impl.h"

struct cut { /* a value that has been sent to a device */
    struct rnode *from;
    int index; /* -1: a control edge */
    const struct device *to;
    struct rnode *recv; /* what gives it there */
    struct cut *next;
};

const struct device *split_device(const struct split *p, const struct rnode *n)
{
    const struct session *s = p->s;
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
    const char *name, *from_name;
    const struct device *from, *to;
    int dtype;
};

/* The name of what is added for a value between tasks; to be mem_free'd. */
static char *added_name(const struct split *p, const char *from)
{
    return mem_printf("%s_S%lld", from, (long long)(*p->groups->next_name)++);
}

static struct rnode *add_transfer(struct split *p, const char *op_name, const struct transfer *t,
                                  const struct redge *input, struct status *st)
{
    const struct op *op = op_get(op_name, st);
    if (!op)
        return NULL;
    struct attrs a = {0};
    transfer_attrs(&a, input ? "T" : "tensor_type", t->dtype, t->name, t->from, t->to);
    char *node = p->groups ? added_name(p, t->from_name) : mem_printf("%s/%s", t->name, op_name);
    struct rnode *n = rgraph_add(p->rg, node, op, &a, input, input ? 1 : 0, st);
    mem_free(node);
    attrs_clear(&a);
    if (n) {
        n->device = input ? t->from->name : t->to->name;
        n->keep = true;
    }
    return n;
}

/* The value as another type, on the device. */
static struct rnode *add_cast(struct split *p, const struct redge *value, const char *name, int to,
                              const char *device, int frame, struct status *st)
{
    const struct op *op = op_get("Cast", st);
    if (!op)
        return NULL;
    struct attrs a = {0};
    attrs_set(&a, "SrcT", attr_type(dtype_base(value->node->output_types[value->index])));
    attrs_set(&a, "DstT", attr_type(to));
    attrs_set(&a, "Truncate", attr_bool(to == DT_BFLOAT16));
    char *node = added_name(p, name);
    struct rnode *n = rgraph_add(p->rg, node, op, &a, value, 1, st);
    mem_free(node);
    attrs_clear(&a);
    if (n) {
        n->device = device;
        n->frame = frame;
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
    if (c) {
        rnode_add_control(p->rg, c, from);
        c->frame = split_out_frame(p->rg, from);
    }
    return c;
}

/* Both ends are in the frame that the value is in; there the receiving one starts with each
 * iteration. */
static bool place_in_frame(struct split *p, struct rnode *from, struct rnode *send,
                           struct rnode *recv, const struct device *to)
{
    send->frame = recv->frame = split_out_frame(p->rg, from);
    struct rnode *trigger = split_trigger(p, recv->frame, to);
    if (trigger)
        rnode_add_control(p->rg, recv, trigger);
    return recv->frame == 0 || trigger;
}

/* Both ends of a value's way, and what gives it at the end. */
static struct rnode *transfer_value(struct split *p, struct rnode *from, struct redge value,
                                    bool is_data, const struct device *to, struct status *st)
{
    const struct device *src = split_device(p, from);
    const int frame = split_out_frame(p->rg, from);
    int dtype = dtype_base(value.node->output_types[value.index]);
    const bool narrow = is_data && dtype == DT_FLOAT && p->groups && p->groups->bfloat16;
    if (narrow) {
        dtype = DT_BFLOAT16;
        value = (struct redge){add_cast(p, &value, from->name, dtype, src->name, frame, st), 0};
        if (!value.node)
            return NULL;
    }
    char *name = mem_printf("edge_%lld_%s", (long long)p->next_edge++, from->name);
    struct transfer t = {name, from->name, src, to, dtype};
    struct rnode *send = add_transfer(p, "_Send", &t, &value, st);
    struct rnode *recv = send ? add_transfer(p, "_Recv", &t, NULL, st) : NULL;
    mem_free(name);
    if (!recv)
        return NULL;
    if (!place_in_frame(p, from, send, recv, to)) {
        status_invalid(st, "'%s' is read on %s in another frame than its own", from->name,
                       to->name);
        return NULL;
    }
    return narrow ? add_cast(p, &(struct redge){recv, 0}, from->name, DT_FLOAT, to->name, frame, st)
                  : recv;
}

struct rnode *split_send(struct split *p, struct rnode *from, int index, const struct device *to,
                         struct status *st)
{
    uint64_t key = hash_bytes(&(uint64_t[3]){(uint64_t)(uintptr_t)from, (uint64_t)(int64_t)index,
                                             (uint64_t)(uintptr_t)to},
                              24, 0);
    struct cut *list = u64map_find(&p->cuts, key);
    for (struct cut *c = list; c; c = c->next) {
        if (c->from == from && c->index == index && c->to == to)
            return c->recv;
    }
    if (p->irregular && from->id < p->num_nodes && p->irregular[from->id]) {
        status_unimplemented(st,
                             "'%s' goes from %s to %s and does not come in each iteration of its "
                             "loop; put both ends on one device",
                             from->name, from->device, to->name);
        return NULL;
    }
    struct redge value = {from, index};
    if (index < 0) {
        value = (struct redge){control_value(p, from, st), 0};
        if (!value.node)
            return NULL;
    }
    struct rnode *recv = transfer_value(p, from, value, index >= 0, to, st);
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

const struct device *split_group(const struct split *p, const struct device *d)
{
    return p->groups ? p->stands_for[d - p->s->devices] : d;
}

static void find_groups(struct split *p)
{
    int n = p->s->num_devices;
    p->stands_for = mem_new_array(const struct device *, n);
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i; k < n; k++) {
            if (p->groups->of[k] == p->groups->of[i])
                p->stands_for[k] = &p->s->devices[i];
        }
    }
}

bool split_together(const struct split *p, const struct rnode *a, const struct rnode *b)
{
    return same_device(a, b) ||
           (p->groups && split_group(p, split_device(p, a)) == split_group(p, split_device(p, b)));
}

/* The input of n by which it gets e's value on its own device. */
static bool cut_input(struct split *p, struct rnode *n, int k, struct status *st)
{
    struct redge e = n->inputs[k];
    if (dtype_is_ref(n->input_types[k]))
        return status_internal(st, "reference edge from '%s' to '%s' crosses devices", e.node->name,
                               n->name);
    const struct device *here = split_device(p, n);
    if (split_is_loop_entry(e.node)) {
        struct rnode *twin = split_twin(p, e.node, here, st);
        n->inputs[k] = (struct redge){twin, e.index};
        return twin;
    }
    struct rnode *recv = split_send(p, e.node, e.index, here, st);
    n->inputs[k] = (struct redge){recv, 0};
    return recv;
}

bool split_cut_node(struct split *p, struct rnode *n, struct status *st)
{
    for (int k = 0; k < n->num_inputs; k++) {
        if (!split_together(p, n->inputs[k].node, n) && !cut_input(p, n, k, st))
            return false;
    }
    int64_t kept = 0;
    for (int64_t k = 0; k < n->num_control; k++) {
        struct rnode *from = n->control[k];
        const struct device *here = split_device(p, n);
        if (!split_together(p, from, n))
            from = split_is_loop_entry(from) ? split_twin(p, from, here, st)
                                             : split_send(p, from, -1, here, st);
        if (!from)
            return false;
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

/* In the order in which their first nodes come. */
static void number_parts(struct split *p, struct partition *out)
{
    out->part_of = mem_new_array(int, p->rg->num_nodes + 1);
    int *part = mem_new_array(int, p->s->num_devices + 1); /* device -> part + 1 */
    for (int64_t i = 0; i < p->rg->num_nodes; i++) {
        struct rnode *n = p->rg->nodes[i];
        n->id = (int)i;
        const struct device *d = split_group(p, split_device(p, n));
        int at = (int)(d - p->s->devices);
        if (!part[at]) {
            out->devices[out->num_parts] = d;
            part[at] = ++out->num_parts;
        }
        out->part_of[i] = part[at] - 1;
    }
    mem_free(part);
}

static bool cut(struct split *p, struct partition *out, struct status *st)
{
    int64_t n = p->rg->num_nodes; /* what is added is cut where it is made */
    if (p->groups)
        find_groups(p);
    bool ok = split_add_loops(p, st);
    for (int64_t i = 0; ok && i < n; i++)
        ok = split_cut_node(p, p->rg->nodes[i], st);
    u64map_release(&p->cuts);
    u64map_release(&p->loops);
    u64map_release(&p->twins);
    mem_free(p->irregular);
    if (ok)
        number_parts(p, out);
    mem_free(p->stands_for);
    return ok;
}

bool partition_rgraph(struct session *s, struct rgraph *rg, struct partition *out,
                      struct status *st)
{
    out->devices = mem_new_array(const struct device *, s->num_devices + 1);
    if (one_device(rg)) {
        out->num_parts = 1;
        out->devices[0] =
            rg->num_nodes ? split_device(&(struct split){.s = s}, rg->nodes[0]) : &s->devices[0];
        return true;
    }
    return cut(&(struct split){.s = s, .rg = rg}, out, st);
}

bool partition_by_group(struct session *s, struct rgraph *rg, const struct device_groups *groups,
                        struct partition *out, struct status *st)
{
    out->devices = mem_new_array(const struct device *, s->num_devices + 1);
    return cut(&(struct split){.s = s, .rg = rg, .groups = groups}, out, st);
}

void partition_clear(struct partition *p)
{
    mem_free(p->part_of);
    mem_free(p->devices);
    *p = (struct partition){0};
}
