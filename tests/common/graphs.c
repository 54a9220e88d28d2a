/* SPDX-License-Identifier: Apache-2.0 */
/* GraphDefs scanned by the wire; see graphs.h. */
#include "common/graphs.h"

#include <stdlib.h>

#include "common/files.h"
#include "common/values.h"
#include "common/wire.h"

/* Field numbers. */
enum { GRAPH_NODE = 1, GRAPH_LIBRARY = 2, LIBRARY_FUNCTION = 1, FUNCTION_NODE = 3 };
enum { NODE_NAME = 1, NODE_OP = 2, NODE_INPUT = 3, NODE_ATTR = 5 };
enum { MAP_KEY = 1, MAP_VALUE = 2, ATTR_LIST = 1, LIST_SHAPE = 7 };

static uint64_t hash(struct bytes s)
{
    uint64_t h = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < s.n; i++)
        h = (h ^ s.p[i]) * UINT64_C(1099511628211);
    return h ^ h >> 29;
}

static size_t count_fields(struct bytes message, uint32_t number)
{
    size_t n = 0;
    for (struct wire_field f; wire_next(&message, &f);)
        n += f.number == number;
    return n;
}

static void index_nodes(struct graph_scan *s)
{
    s->index_size = 16;
    while (s->index_size < 2 * s->num_nodes)
        s->index_size *= 2;
    s->index = test_alloc(s->index_size, sizeof(*s->index));
    for (size_t i = 0; i < s->num_nodes; i++) {
        size_t at = hash(s->nodes[i].name) & (s->index_size - 1);
        while (s->index[at])
            at = (at + 1) & (s->index_size - 1);
        s->index[at] = (uint32_t)i + 1;
    }
}

const struct graph_node *graph_scan_find(const struct graph_scan *s, struct bytes name)
{
    for (size_t at = hash(name) & (s->index_size - 1); s->index[at];
         at = (at + 1) & (s->index_size - 1)) {
        const struct graph_node *node = &s->nodes[s->index[at] - 1];
        if (bytes_eq(node->name, name))
            return node;
    }
    return NULL;
}

static void add_op(struct graph_scan *s, struct bytes op)
{
    for (size_t i = 0; i < s->num_ops; i++)
        if (bytes_eq(s->ops[i], op))
            return;
    s->ops[s->num_ops++] = op;
}

static void remove_op(struct graph_scan *s, struct bytes op)
{
    for (size_t i = 0; i < s->num_ops; i++)
        if (bytes_eq(s->ops[i], op))
            s->ops[i--] = s->ops[--s->num_ops];
}

static void scan_functions(struct graph_scan *s, struct bytes library)
{
    struct bytes rest = library;
    for (struct wire_field f; wire_next(&rest, &f);) {
        if (f.number != LIBRARY_FUNCTION)
            continue;
        for (struct wire_field g; wire_next(&f.bytes, &g);)
            if (g.number == FUNCTION_NODE)
                add_op(s, wire_get_bytes(g.bytes, NODE_OP));
    }
    rest = library; /* a function is an op that the graph brings along */
    for (struct wire_field f; wire_next(&rest, &f);)
        if (f.number == LIBRARY_FUNCTION)
            remove_op(s, wire_get_bytes(wire_get_bytes(f.bytes, 1), 1));
}

static size_t count_body_nodes(struct bytes library)
{
    size_t n = 0;
    for (struct wire_field f; wire_next(&library, &f);)
        if (f.number == LIBRARY_FUNCTION)
            n += count_fields(f.bytes, FUNCTION_NODE);
    return n;
}

void graph_scan_init(struct graph_scan *s, struct bytes graph_def)
{
    *s = (struct graph_scan){0};
    struct bytes library = wire_get_bytes(graph_def, GRAPH_LIBRARY);
    size_t num_nodes = count_fields(graph_def, GRAPH_NODE);
    s->nodes = test_alloc(num_nodes, sizeof(*s->nodes));
    s->ops = test_alloc(num_nodes + count_body_nodes(library), sizeof(*s->ops));
    struct bytes rest = graph_def;
    for (struct wire_field f; wire_next(&rest, &f);) {
        if (f.number != GRAPH_NODE)
            continue;
        struct graph_node *node = &s->nodes[s->num_nodes++];
        node->proto = f.bytes;
        node->name = wire_get_bytes(f.bytes, NODE_NAME);
        node->op = wire_get_bytes(f.bytes, NODE_OP);
        add_op(s, node->op);
    }
    s->ok = rest.n == 0;
    scan_functions(s, library);
    index_nodes(s);
}

void graph_scan_release(struct graph_scan *s)
{
    free(s->nodes);
    free(s->index);
    free(s->ops);
    *s = (struct graph_scan){0};
}

/* ---- ops ---- */

size_t graph_missing_ops(const struct graph_scan *s, struct text *missing)
{
    TF_Graph *empty = TF_NewGraph();
    TF_Status *status = TF_NewStatus();
    size_t num = 0;
    for (size_t i = 0; i < s->num_ops; i++) {
        char *name = test_strndup(s->ops[i].p, s->ops[i].n);
        TF_Buffer *buffer = TF_NewBuffer();
        TF_GraphGetOpDef(empty, name, buffer, status);
        if (TF_GetCode(status) != TF_OK) {
            text_printf(missing, "%s\n", name);
            num++;
        }
        TF_DeleteBuffer(buffer);
        free(name);
    }
    TF_DeleteStatus(status);
    TF_DeleteGraph(empty);
    return num;
}

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

static bool message_has_word(const char *message, struct bytes word)
{
    size_t n = strlen(message);
    for (size_t i = 0; i + word.n <= n; i++)
        if (memcmp(message + i, word.p, word.n) == 0 && (i == 0 || !is_word(message[i - 1])) &&
            !is_word(message[i + word.n]))
            return true;
    return false;
}

struct bytes graph_op_in_message(const struct graph_scan *s, const char *message)
{
    struct bytes best = {(const uint8_t *)"", 0};
    for (size_t i = 0; i < s->num_ops; i++)
        if (s->ops[i].n > best.n && message_has_word(message, s->ops[i]))
            best = s->ops[i];
    return best;
}

void graph_without_attr(struct bytes graph_def, const char *name, struct text *out)
{
    struct text node = {0};
    text_clear(out);
    for (struct wire_field f; wire_next(&graph_def, &f);) {
        if (f.number != GRAPH_NODE) {
            text_add(out, f.whole.p, f.whole.n);
            continue;
        }
        text_clear(&node);
        struct bytes rest = f.bytes;
        for (struct wire_field g; wire_next(&rest, &g);)
            if (g.number != NODE_ATTR || !bytes_are(wire_get_bytes(g.bytes, MAP_KEY), name))
                text_add(&node, g.whole.p, g.whole.n);
        wire_put_bytes(out, GRAPH_NODE, text_bytes(&node));
    }
    text_release(&node);
}

/* ---- names ---- */

struct bytes tensor_node(struct bytes tensor, int *index)
{
    *index = 0;
    if (tensor.n && tensor.p[0] == '^')
        return (struct bytes){tensor.p + 1, tensor.n - 1};
    size_t at = tensor.n;
    while (at > 0 && tensor.p[at - 1] >= '0' && tensor.p[at - 1] <= '9')
        at--;
    if (at == tensor.n || at == 0 || tensor.p[at - 1] != ':' || tensor.n - at > 6)
        return tensor;
    for (size_t i = at; i < tensor.n; i++)
        *index = *index * 10 + (tensor.p[i] - '0');
    return (struct bytes){tensor.p, at - 1};
}

TF_Output graph_output(TF_Graph *graph, struct bytes tensor)
{
    TF_Output out = {NULL, 0};
    struct bytes node = tensor_node(tensor, &out.index);
    char *name = test_strndup(node.p, node.n);
    out.oper = TF_GraphOperationByName(graph, name);
    free(name);
    if (out.oper && out.index >= TF_OperationNumOutputs(out.oper))
        out.oper = NULL;
    return out;
}

TF_Graph *graph_import(struct bytes graph_def, TF_Status *status)
{
    TF_Graph *graph = TF_NewGraph();
    TF_ImportGraphDefOptions *options = TF_NewImportGraphDefOptions();
    TF_Buffer buffer = {graph_def.p, graph_def.n, NULL};
    TF_GraphImportGraphDef(graph, &buffer, options, status);
    TF_DeleteImportGraphDefOptions(options);
    if (TF_GetCode(status) == TF_OK)
        return graph;
    TF_DeleteGraph(graph);
    return NULL;
}

/* ---- phases ---- */

static const struct phase_row {
    const char *op;
    int index;
    enum phase phase;
} phase_rows[] = {
    {"Svd", 1, PHASE_COLUMNS},
    {"Svd", 2, PHASE_COLUMNS},
    {"BatchSvd", 1, PHASE_COLUMNS},
    {"BatchSvd", 2, PHASE_COLUMNS},
    {"Qr", 0, PHASE_COLUMNS},
    {"Qr", 1, PHASE_ROWS},
    {"SelfAdjointEigV2", 1, PHASE_COLUMNS},
    {"BatchSelfAdjointEigV2", 1, PHASE_COLUMNS},
    {"SelfAdjointEig", 0, PHASE_COLUMNS_BELOW_ROW},
    {"BatchSelfAdjointEig", 0, PHASE_COLUMNS_BELOW_ROW},
};

enum phase graph_phase(const struct graph_scan *s, struct bytes tensor)
{
    for (int hops = 0; hops < 100; hops++) {
        int index;
        const struct graph_node *node = graph_scan_find(s, tensor_node(tensor, &index));
        if (!node)
            return PHASE_NONE;
        for (size_t i = 0; i < sizeof(phase_rows) / sizeof(phase_rows[0]); i++)
            if (phase_rows[i].index == index && bytes_are(node->op, phase_rows[i].op))
                return phase_rows[i].phase;
        if (!bytes_are(node->op, "Identity"))
            return PHASE_NONE;
        struct bytes rest = node->proto;
        struct wire_field f = {0};
        while (wire_next(&rest, &f) && f.number != NODE_INPUT)
            ;
        if (f.number != NODE_INPUT)
            return PHASE_NONE;
        tensor = f.bytes;
    }
    return PHASE_NONE;
}

/* ---- shapes ---- */

enum { MAX_RANK = 254 };

static bool find_attr(struct bytes node, const char *name, struct bytes *value)
{
    for (struct wire_field f; wire_next(&node, &f);)
        if (f.number == NODE_ATTR && bytes_are(wire_get_bytes(f.bytes, MAP_KEY), name)) {
            *value = wire_get_bytes(f.bytes, MAP_VALUE);
            return true;
        }
    return false;
}

/* The rank, -1 when unknown, and the dimensions of a TensorShapeProto. */
static int read_shape(struct bytes shape, int64_t *dims)
{
    int num = 0;
    if (wire_get_number(shape, 3))
        return -1;
    for (struct wire_field f; wire_next(&shape, &f) && num < MAX_RANK;)
        if (f.number == 2)
            dims[num++] = (int64_t)wire_get_number(f.bytes, 1);
    return num;
}

/* Both known and different? */
static bool shapes_contradict(const int64_t *a, int num_a, const int64_t *b, int num_b)
{
    if (num_a < 0 || num_b < 0)
        return false;
    if (num_a != num_b)
        return true;
    for (int i = 0; i < num_a; i++)
        if (a[i] >= 0 && b[i] >= 0 && a[i] != b[i])
            return true;
    return false;
}

static bool compare_shape(TF_Graph *graph, TF_Output output, struct bytes recorded,
                          struct text *why)
{
    int64_t want[MAX_RANK], got[MAX_RANK];
    int num_want = read_shape(recorded, want);
    TF_Status *status = TF_NewStatus();
    int num_got = TF_GraphGetTensorNumDims(graph, output, status);
    if (TF_GetCode(status) == TF_OK && num_got >= 0 && num_got <= MAX_RANK)
        TF_GraphGetTensorShape(graph, output, got, num_got, status);
    bool ok = TF_GetCode(status) == TF_OK && num_got <= MAX_RANK &&
              !shapes_contradict(got, num_got, want, num_want);
    if (!ok && why->n == 0) {
        text_printf(why, "shape of %s:%d (%s): ", TF_OperationName(output.oper), output.index,
                    TF_OperationOpType(output.oper));
        if (TF_GetCode(status) != TF_OK)
            text_puts(why, TF_Message(status));
        else
            shape_print(why, got, num_got);
        text_puts(why, ", recorded ");
        shape_print(why, want, num_want);
    }
    TF_DeleteStatus(status);
    return ok;
}

static void compare_node_shapes(struct graph_node *node, TF_Graph *graph, struct shape_tally *tally,
                                struct text *why)
{
    struct bytes value;
    TF_Output output = graph_output(graph, node->name);
    if (!find_attr(node->proto, "_output_shapes", &value) || !output.oper)
        return;
    int num = TF_OperationNumOutputs(output.oper);
    struct bytes list = wire_get_bytes(value, ATTR_LIST);
    for (struct wire_field f; wire_next(&list, &f) && output.index < num;) {
        if (f.number != LIST_SHAPE)
            continue;
        tally->compared++;
        tally->contradicting += !compare_shape(graph, output, f.bytes, why);
        output.index++;
    }
}

struct shape_tally graph_compare_shapes(const struct graph_scan *s, TF_Graph *graph,
                                        struct text *why)
{
    struct shape_tally tally = {0};
    for (size_t i = 0; i < s->num_nodes; i++)
        compare_node_shapes(&s->nodes[i], graph, &tally, why);
    return tally;
}
