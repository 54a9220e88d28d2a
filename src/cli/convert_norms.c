/* SPDX-License-Identifier: Apache-2.0 */
/* Normalisations that are constants, folded into the convolution before them:
 *
 *   scale * (conv(x, w) - mean) / sqrt(variance + epsilon) + offset
 *     = conv(x, w * k) + (offset - mean * k),   k = scale / sqrt(variance + epsilon)
 *
 * per channel. The normalisation's node becomes the BiasAdd, so that names of outputs stay. */
#include <math.h>

#include "base/map.h"
#include "base/mem.h"
#include "cli/convert.h"
#include "cli/message.h"

struct floats {
    const float *v;
    int64_t n;
};

/* The elements of a constant of floats, in the arena; false: it is none. */
static bool constant(struct arena *a, const struct pb_node_def *n, struct floats *out)
{
    const struct pb_attr_value *v = n && str_is(n->op, "Const") ? message_attr(n, "value") : NULL;
    const struct pb_tensor_proto *t = v ? v->tensor : NULL;
    int64_t elems = 1;
    if (!t || t->dtype != TF_FLOAT || !t->tensor_shape)
        return false;
    for (int64_t i = 0; i < t->tensor_shape->dim.n; i++) {
        if (__builtin_mul_overflow(elems, t->tensor_shape->dim.v[i]->size, &elems) || elems < 0)
            return false;
    }
    if (elems == 0 || elems > ((int64_t)1 << 40))
        return false;
    if (t->tensor_content.n == (size_t)elems * sizeof(float)) {
        *out = (struct floats){arena_memdup(a, t->tensor_content.p, t->tensor_content.n), elems};
        return true;
    }
    if (t->float_val.n == 0 || t->float_val.n > elems || t->tensor_content.n > 0)
        return false;
    float *all = arena_array(a, float, elems);
    for (int64_t i = 0; i < elems; i++)
        all[i] = t->float_val.v[i < t->float_val.n ? i : t->float_val.n - 1];
    *out = (struct floats){all, elems};
    return true;
}

static void set_floats(struct arena *a, struct pb_tensor_proto *t, const float *v, int64_t n)
{
    t->float_val = (struct pb_f32s){0};
    t->tensor_content = pb_str_dup(a, str_make((const char *)v, (size_t)n * sizeof *v));
}

struct norm { /* what a normalisation is made of */
    struct pb_node_def *node, *conv, *filter;
    struct floats w, scale, offset, mean, variance;
    double epsilon;
    int64_t channels;
};

static bool is_norm(const struct pb_node_def *n)
{
    const struct pb_attr_value *training = message_attr(n, "is_training"),
                               *type = message_attr(n, "T");
    return (str_is(n->op, "FusedBatchNorm") || str_is(n->op, "FusedBatchNormV2") ||
            str_is(n->op, "FusedBatchNormV3")) &&
           training && !training->b && n->input.n == 5 && type && type->type == TF_FLOAT;
}

/* Inputs of all nodes that name this one. */
static int64_t num_readers(const struct pb_graph_def *g, const struct strmap *nodes,
                           const struct pb_node_def *of)
{
    int64_t count = 0;
    for (int64_t i = 0; i < g->node.n; i++) {
        for (int64_t k = 0; k < g->node.v[i]->input.n; k++)
            count += convert_find(nodes, g->node.v[i]->input.v[k]) == of;
    }
    return count;
}

/* Outputs but the first are not read. */
static bool only_first_is_read(const struct pb_graph_def *g, const struct pb_node_def *n)
{
    for (int64_t i = 0; i < g->node.n; i++) {
        for (int64_t k = 0; k < g->node.v[i]->input.n; k++) {
            struct str in = g->node.v[i]->input.v[k];
            if (in.n > n->name.n + 1 && in.p[n->name.n] == ':' &&
                str_eq(str_make(in.p, n->name.n), n->name) && !str_ends(in, ":0"))
                return false;
        }
    }
    return true;
}

static bool match(struct arena *a, const struct pb_graph_def *g, const struct strmap *nodes,
                  struct pb_node_def *n, struct norm *out)
{
    if (!is_norm(n))
        return false;
    const struct pb_attr_value *e = message_attr(n, "epsilon");
    struct norm m = {.node = n, .epsilon = e ? (double)e->f : 1e-4};
    m.conv = convert_find(nodes, n->input.v[0]);
    bool depthwise = m.conv && str_is(m.conv->op, "DepthwiseConv2dNative");
    if (!m.conv || (!depthwise && !str_is(m.conv->op, "Conv2D")) || m.conv->input.n < 2)
        return false;
    m.filter = convert_find(nodes, m.conv->input.v[1]);
    if (!constant(a, m.filter, &m.w) ||
        !constant(a, convert_find(nodes, n->input.v[1]), &m.scale) ||
        !constant(a, convert_find(nodes, n->input.v[2]), &m.offset) ||
        !constant(a, convert_find(nodes, n->input.v[3]), &m.mean) ||
        !constant(a, convert_find(nodes, n->input.v[4]), &m.variance))
        return false;
    m.channels = m.scale.n;
    *out = m;
    return m.offset.n == m.channels && m.mean.n == m.channels && m.variance.n == m.channels &&
           m.w.n % m.channels == 0 && num_readers(g, nodes, m.conv) == 1 &&
           num_readers(g, nodes, m.filter) == 1 && only_first_is_read(g, n);
}

/* The filter's channels are innermost, those of a depthwise one too (in * multiplier). */
static void fold(struct arena *a, struct pb_graph_def *g, const struct norm *m)
{
    float *w = arena_array(a, float, m->w.n), *bias = arena_array(a, float, m->channels);
    double *k = arena_array(a, double, m->channels);
    for (int64_t c = 0; c < m->channels; c++) {
        k[c] = (double)m->scale.v[c] / sqrt((double)m->variance.v[c] + m->epsilon);
        bias[c] = (float)((double)m->offset.v[c] - (double)m->mean.v[c] * k[c]);
    }
    for (int64_t i = 0; i < m->w.n; i++)
        w[i] = (float)((double)m->w.v[i] * k[i % m->channels]);
    set_floats(a, message_attr(m->filter, "value")->tensor, w, m->w.n);

    struct pb_node_def *b = pb_node_def_add(a, &g->node);
    b->name = str_of(arena_printf(a, "%.*s/folded_bias", (int)m->node->name.n, m->node->name.p));
    b->op = str_of("Const");
    convert_set_type(a, b, "dtype", TF_FLOAT);
    struct pb_tensor_proto *value = pb_tensor_proto_new(a);
    value->dtype = TF_FLOAT;
    value->tensor_shape = pb_tensor_shape_proto_new(a);
    pb_tensor_shape_proto_dim_add(a, &value->tensor_shape->dim)->size = m->channels;
    set_floats(a, value, bias, m->channels);
    convert_set_attr(a, b, "value", ATTR_TENSOR)->tensor = value;

    const struct pb_attr_value *format = message_attr(m->node, "data_format");
    struct str layout = format ? format->s : str_of("NHWC");
    struct str x = m->node->input.v[0];
    convert_make_node(m->node, "BiasAdd");
    pb_add_str(a, &m->node->input, x);
    pb_add_str(a, &m->node->input, b->name);
    convert_set_type(a, m->node, "T", TF_FLOAT);
    convert_set_attr(a, m->node, "data_format", ATTR_STRING)->s = layout;
}

bool convert_fold_norms(struct arena *a, struct pb_graph_def *g, struct status *st)
{
    (void)st;
    struct strmap nodes;
    convert_index(&nodes, g);
    int64_t n = g->node.n; /* biases come behind */
    for (int64_t i = 0; i < n; i++) {
        struct norm m;
        if (match(a, g, &nodes, g->node.v[i], &m))
            fold(a, g, &m);
    }
    strmap_release(&nodes);
    return true;
}
