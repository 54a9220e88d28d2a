/* SPDX-License-Identifier: Apache-2.0 */
/* Several gradients become one: dense ones are added, slices joined; and gates, behind which the
 * gradients of an op's inputs wait for each other.
 *
 * A sum stands with its first part; parts on several devices are added there first. Names are those
 * of tf.gradients. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "grad/grad_impl.h"

void grad_place_with(struct grad_ctx *g, struct node *n)
{
    if (g->r && g->r->placed_with)
        g->r->placed_with(g->r->hook_arg, n, false);
}

void grad_place_end(struct grad_ctx *g)
{
    if (g->r && g->r->placed_with)
        g->r->placed_with(g->r->hook_arg, NULL, true);
}

/* --- dense forms, slices --- */

struct output grad_densify(struct grad_ctx *g, const struct grad_value *v)
{
    if (!output_valid(v->indices))
        return v->values;
    struct output num_rows =
        grad_opv(g, "strided_slice=StridedSlice", 4,
                 (struct output[]){v->dense_shape, grad_const_i32s(g, (int32_t[]){0}, 1),
                                   grad_const_i32s(g, (int32_t[]){1}, 1),
                                   grad_const_i32s(g, (int32_t[]){1}, 1)},
                 1, (struct attr[]){{(char *)"shrink_axis_mask", attr_int(1)}});
    return grad_op3(g, "UnsortedSegmentSum", v->values, v->indices, num_rows);
}

static struct output concat_rows(struct grad_ctx *g, const struct output *parts, int n)
{
    struct output *inputs = arena_array(&g->arena, struct output, n + 1);
    for (int i = 0; i < n; i++)
        inputs[i] = parts[i];
    inputs[n] = grad_const_i32(g, 0);
    struct node *node = grad_node(g, &(struct grad_build){.op = "concat=ConcatV2",
                                                          .inputs = inputs,
                                                          .num_inputs = n + 1,
                                                          .list_sizes = (int[]){n, 1}});
    return grad_node_out(g, node, 0);
}

static struct grad_value sum_slices(struct grad_ctx *g, const struct grad_value *v, int64_t n)
{
    struct output *values = arena_array(&g->arena, struct output, n);
    struct output *indices = arena_array(&g->arena, struct output, n);
    bool same = true;
    for (int64_t i = 0; i < n; i++)
        same = same && grad_type_of(g, v[i].indices) == grad_type_of(g, v[0].indices);
    for (int64_t i = 0; i < n; i++) {
        values[i] = v[i].values;
        indices[i] = same ? v[i].indices : grad_cast(g, v[i].indices, DT_INT64);
    }
    return (struct grad_value){concat_rows(g, values, (int)n), concat_rows(g, indices, (int)n),
                               v[0].dense_shape};
}

/* --- dense sums --- */

static struct output add_n(struct grad_ctx *g, const struct output *v, int n)
{
    const struct grad_build b = {
        .op = "AddN", .inputs = v, .num_inputs = n, .list_sizes = (int[]){n}};
    return n == 1 ? v[0] : grad_node_out(g, grad_node(g, &b), 0);
}

struct part {
    struct output o;
    int64_t at;
};

static int by_device(const void *a, const void *b)
{
    const struct part *x = a, *y = b;
    const int order = strcmp(x->o.node->device, y->o.node->device);
    return order ? order : (x->at > y->at) - (x->at < y->at);
}

/* Per device in the order of their names, then the sums. */
static struct output sum_by_device(struct grad_ctx *g, const struct output *v, int64_t n)
{
    struct part *parts = arena_array(&g->arena, struct part, n);
    struct output *sums = arena_array(&g->arena, struct output, n);
    struct output *some = arena_array(&g->arena, struct output, n);
    int num_sums = 0;
    for (int64_t i = 0; i < n; i++) {
        if (!output_valid(v[i]))
            return v[i];
        parts[i] = (struct part){v[i], i};
    }
    qsort(parts, (size_t)n, sizeof *parts, by_device);
    for (int64_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && !strcmp(parts[end].o.node->device, parts[i].o.node->device); end++)
            some[end - i] = parts[end].o;
        grad_place_with(g, some[0].node);
        sums[num_sums++] = add_n(g, some, (int)(end - i));
        grad_place_end(g);
    }
    return add_n(g, sums, num_sums);
}

static struct output sum_in_pairs(struct grad_ctx *g, const struct node *of, const struct output *v,
                                  int64_t n)
{
    const char *outer = g->prefix;
    char *wanted = arena_printf(&g->arena, "%s/%s_gradient_sum", outer, of->name);
    char *scope = graph_unique_name(g->graph, wanted, true);
    struct output sum = v[0];
    g->prefix = scope;
    for (int64_t i = 1; i < n; i++)
        sum = add_n(g, (struct output[]){sum, v[i]}, 2);
    g->prefix = outer;
    mem_free(scope);
    return sum;
}

/* The shape that all must have, where it is known in full. */
static const struct shape *shape_of_all(struct grad_ctx *g, const struct output *v, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        const struct shape *s = grad_shape_of(g, v[i]);
        if (shape_known(s))
            return s;
    }
    return NULL;
}

static struct output accumulate(struct grad_ctx *g, const struct shape *shape,
                                const struct output *v, int64_t n)
{
    struct attrs set = {0};
    attrs_set(&set, "shape", attr_shape(shape));
    struct node *sum = grad_node(g, &(struct grad_build){.op = "AccumulateNV2",
                                                         .inputs = v,
                                                         .num_inputs = (int)n,
                                                         .attrs = &set,
                                                         .list_sizes = (int[]){(int)n}});
    attrs_clear(&set);
    return grad_node_out(g, sum, 0);
}

struct grad_value grad_sum(struct grad_ctx *g, const struct node *of, const struct grad_value *v,
                           int64_t n)
{
    if (n == 1)
        return v[0];
    bool all_slices = true, any_slices = false;
    for (int64_t i = 0; i < n; i++) {
        all_slices = all_slices && output_valid(v[i].indices);
        any_slices = any_slices || output_valid(v[i].indices);
    }
    if (all_slices)
        return sum_slices(g, v, n);
    struct output *dense = arena_array(&g->arena, struct output, n);
    for (int64_t i = 0; i < n; i++)
        dense[i] = grad_densify(g, &v[i]);
    struct output sum;
    const enum grad_aggregation how = g->r && of ? g->r->aggregation : GRAD_ADD_N;
    const struct shape *shape =
        how == GRAD_ACCUMULATE_N && n > 2 ? shape_of_all(g, dense, n) : NULL;
    if (any_slices || !g->r || !g->r->placed_with)
        sum = add_n(g, dense, (int)n);
    else if (shape)
        sum = accumulate(g, shape, dense, n);
    else if (how != GRAD_ADD_N)
        sum = sum_in_pairs(g, of, dense, n);
    else
        sum = sum_by_device(g, dense, n);
    return (struct grad_value){.values = sum};
}

/* --- gates --- */

/* A node of no output that waits for v[0, n), made where place is (NULL: anywhere). */
static struct node *wait_for(struct grad_ctx *g, const char *name, struct node *place,
                             struct output *v, int n)
{
    grad_place_with(g, NULL);
    g->next_device = place && place->device[0] ? place->device : NULL;
    g->next_name = name;
    struct node *gate = grad_node(
        g,
        &(struct grad_build){.op = "NoOp", .control = v, .num_control = n, .control_here = true});
    g->next_device = NULL;
    grad_place_end(g);
    return gate;
}

static struct node *make_gate(struct grad_ctx *g, struct output *v, int n)
{
    struct part *parts = arena_array(&g->arena, struct part, n);
    struct output *some = arena_array(&g->arena, struct output, n);
    struct output *gates = arena_array(&g->arena, struct output, n);
    int num_gates = 0;
    for (int i = 0; i < n; i++)
        parts[i] = (struct part){v[i], i};
    qsort(parts, (size_t)n, sizeof *parts, by_device);
    if (strcmp(parts[0].o.node->device, parts[n - 1].o.node->device) == 0)
        return wait_for(g, "tuple/group_deps", parts[0].o.node, v, n);
    for (int i = 0, end; i < n; i = end) {
        for (end = i; end < n && !strcmp(parts[end].o.node->device, parts[i].o.node->device); end++)
            some[end - i] = parts[end].o;
        struct node *one = wait_for(g, "tuple/group_deps/NoOp", parts[i].o.node, some, end - i);
        if (!one)
            return NULL;
        gates[num_gates++] = (struct output){one, 0};
    }
    return wait_for(g, "tuple/group_deps", NULL, gates, num_gates);
}

void grad_gate(struct grad_ctx *g)
{
    const int num = g->node->num_inputs;
    struct output *there = arena_array(&g->arena, struct output, num + 1);
    int n = 0;
    for (int i = 0; i < num; i++) {
        if (output_valid(g->dxs[i].values))
            there[n++] = g->dxs[i].values;
    }
    if (n < 2 || !status_ok(&g->error))
        return;
    struct node *gate = make_gate(g, there, n);
    for (int i = 0; i < num && gate; i++) {
        struct output *v = &g->dxs[i].values;
        if (!output_valid(*v))
            continue;
        grad_place_with(g, v->node);
        g->next_name = "tuple/control_dependency";
        *v = grad_node_out(g,
                           grad_node(g, &(struct grad_build){.op = "Identity",
                                                             .inputs = v,
                                                             .num_inputs = 1,
                                                             .control = &(struct output){gate, 0},
                                                             .num_control = 1,
                                                             .control_here = true}),
                           0);
        grad_place_end(g);
    }
}
