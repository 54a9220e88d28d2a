/* SPDX-License-Identifier: Apache-2.0 */
/* The graph: nodes, their edges both ways, inferred shapes, names, scopes, functions.
 *
 * Workload: built node by node from C or read from a GraphDef of up to millions of nodes, then
 * read by sessions while it grows. Nodes are never moved or removed while the graph lives, so a
 * struct node * (TF_Operation *) stays valid and its name, op, attrs and inputs may be read without
 * the lock once node_finish returned. What grows later (consumers, names, shapes) is guarded by
 * graph->lock. All walks are iterative.
 *
 * A graph is counted: its user holds a reference, and each session another. */
#ifndef LEAT_GRAPH_GRAPH_H
#define LEAT_GRAPH_GRAPH_H

#include "base/arena.h"
#include "base/lock.h"
#include "base/map.h"
#include "op/attr.h"
#include "op/grad.h"
#include "op/infer.h"
#include "op/op.h"

struct graph;
struct function;         /* graph/function.h */
struct function_library; /* graph/function.h */

struct input { /* input `index` of a node */
    struct node *node;
    int index;
};

struct node {
    struct graph *graph;
    int id; /* position in graph->nodes */
    char *name;
    const struct op *op;
    char *device;  /* as the user asked; "" for anywhere */
    char *made_at; /* "file.c:12", or NULL */
    struct attrs attrs;
    struct output *inputs; /* num_inputs, expanded */
    int num_inputs;
    struct node **control_inputs;
    int64_t num_control_inputs, cap_control_inputs;
    int num_outputs;
    int *input_types, *output_types; /* references + DT_REF */
    /* --- guarded by graph->lock --- */
    struct shape *shapes;         /* inferred, one per output */
    struct infer_handle *handles; /* behind resource outputs; NULL when none is known */
    struct arena *handle_arena;
    struct input *consumers; /* all outputs' data edges, in the order made */
    int64_t num_consumers, cap_consumers;
    struct node **control_outputs;
    int64_t num_control_outputs, cap_control_outputs;
    bool ran;         /* a session has planned it: may not change any more */
    bool foldable;    /* may follow from constants alone: says where a search for them ends */
    bool name_marked; /* its lower-cased name was put into name_uses when it was added */
    uint8_t
        *extra; /* unknown NodeDef fields and experimental_debug_info kept as bytes; NULL: none */
    size_t extra_bytes;
};

struct graph {
    int refs; /* atomic */
    struct lock lock;
    struct node **nodes; /* in order of creation */
    int64_t num_nodes, cap_nodes;
    struct strmap by_name; /* name -> node */
    /* Lower-cased name or scope -> count, for unique names as Python makes them. Names of nodes
     * that are lower-case anyway are in by_name alone. */
    struct strmap name_uses;
    /* Hashes of "a" and "a/b" for each a/b/c among the first num_scoped nodes. */
    struct u64map scopes;
    int64_t num_scoped;
    struct function_library *library; /* counted; shared with the bodies of its functions */
    struct strmap collections;        /* name -> struct collection */
    struct strmap while_frames;       /* frame names of the loops that TF_FinishWhile made */
    /* GraphDef versions: the least producer and the greatest min_consumer of what was imported. */
    int producer, min_consumer;
    int *bad_consumers; /* rising */
    int num_bad_consumers;
    /* Small values computed so far: node id -> the node's outputs, an empty tensor at the end. */
    struct u64map constants;
    int64_t version; /* grows with each node and each mutation */
    uint64_t seed;
    bool has_seed;
    void *builder; /* the leat_* layer's state: api/ owns it */
    void (*builder_free)(void *builder);
};

/* What TensorFlow 1.15.5 writes into GraphDef.versions.producer. */
enum { GRAPH_PRODUCER = 134, GRAPH_MIN_CONSUMER = 0 };

struct graph *graph_new(void);
struct graph *graph_ref(struct graph *g);
void graph_unref(struct graph *g);

/* --- making a node: a description is filled, then finished --- */
struct node_desc {
    struct graph *graph;
    const struct op *op; /* NULL when op_name is unknown: finish reports it */
    char *op_name, *name, *device, *made_at;
    struct attrs attrs;
    struct output *inputs; /* flat */
    int64_t num_inputs, cap_inputs;
    int *list_sizes; /* per added argument: -1 single, else list length */
    int64_t num_args, cap_args;
    struct node **control;
    int64_t num_control, cap_control;
    struct node **given; /* api: whose outputs were asked for, before they were brought in */
    int64_t num_given, cap_given;
    struct strmap colocate;              /* node names: _class gets "loc:@NAME" for each, sorted */
    struct status first_error;           /* set by a builder above: reported as it is */
    struct strbuf source_errors, errors; /* what else is wrong, a line each */
    int num_errors;                      /* lines of errors */
    bool placed; /* its device is that of what it stands with, though it may be "" */
};
/* Finds ops in the registry, then among the graph's functions. Never NULL. */
struct node_desc *node_desc_new(struct graph *g, const char *op, const char *name);
void node_desc_free(struct node_desc *d);
void node_desc_input(struct node_desc *d, struct output in);
void node_desc_input_list(struct node_desc *d, const struct output *in, int n);
void node_desc_control(struct node_desc *d, struct node *n);
void node_desc_colocate(struct node_desc *d, struct node *n);
void node_desc_attr(struct node_desc *d, const char *name, struct attr_value v); /* takes v */
/* Type and number attrs that follow from the inputs are filled in, then defaults; everything is
 * checked, shapes are inferred, the node is added. Takes d either way. NULL: nothing was added. */
struct node *node_finish(struct node_desc *d, struct status *st) MUST_CHECK;

/* --- finding --- */
struct node *graph_find(struct graph *g, const char *name); /* NULL: none; takes the lock */
/* NOT_FOUND with the nearest name. */
struct node *graph_get(struct graph *g, const char *name, struct status *st) MUST_CHECK;
/* "name", "name:1", as feeds and fetches are written. */
MUST_CHECK bool graph_get_output(struct graph *g, const char *name, struct output *out,
                                 struct status *st);
const struct op *graph_find_op(struct graph *g, const char *name); /* registry, then functions */
/* A name no node has: name, name_1, ... as TensorFlow makes them. The caller frees it (mem_free).
 * With mark, the name counts as used from now on. */
char *graph_unique_name(struct graph *g, const char *name, bool mark);
bool graph_name_valid(const char *name);

/* --- shapes --- */
struct shape output_shape(struct output o); /* a copy; the caller clears it */
int output_type(struct output o);           /* with DT_REF */
/* Merges what is known with shape; INVALID_ARGUMENT on contradiction. As in TensorFlow, nodes added
 * later see the result; consumers that are there keep the shapes they have. */
MUST_CHECK bool graph_set_shape(struct graph *g, struct output o, const struct shape *shape,
                                struct status *st);
/* Forgets what was inferred: it is this one. For values that widen it from turn to turn of a loop.
 */
void graph_replace_shape(struct output o, const struct shape *shape);
/* What stands behind a resource output: true with a copy in out->handles[0], which the caller gives
 * back with infer_result_clear; false: nothing is known. */
bool output_handle(struct output o, struct infer_result *out);
/* Replaces it (n 0: nothing known). h is copied. */
void graph_set_handle(struct graph *g, struct output o, struct infer_handle h);
/* The value of o when it can be computed from constants alone (bounded work): true with *out owned
 * by the caller. */
bool graph_constant(struct output o, struct tensor *out);

/* --- changing --- */
MUST_CHECK bool graph_add_control(struct graph *g, struct node *from, struct node *to,
                                  struct status *st);
/* n waits for nothing but its inputs; FAILED_PRECONDITION after n ran. */
MUST_CHECK bool graph_drop_controls(struct node *n, struct status *st);
/* Replaces input `index` of n (import back-edges, while loops); FAILED_PRECONDITION after n ran.
 * Input nodes may come later than n. */
MUST_CHECK bool graph_update_input(struct node *n, int index, struct output to, struct status *st);
MUST_CHECK bool graph_set_attr(struct node *n, const char *name, struct attr_value v,
                               struct status *st); /* takes v */
void graph_set_device(struct node *n, const char *device);
/* Marks n as part of a session's plan: what follows may not change it. */
void graph_mark_ran(struct node *n);
/* INVALID_ARGUMENT naming nodes on a cycle that has no NextIteration, among nodes with id >=
 * from_id. */
MUST_CHECK bool graph_check_cycles(struct graph *g, int64_t from_id, struct status *st);

/* --- collections; read them while nobody adds --- */
enum collection_kind { /* what an item's bytes are; the first item decides for all */
                       COLLECTION_NAMES,  /* of a node or tensor */
                       COLLECTION_BYTES,  /* a message's, for who knows which */
                       COLLECTION_INTS,   /* an int64_t */
                       COLLECTION_FLOATS, /* a float */
                       COLLECTION_ANY,    /* a google.protobuf.Any */
};
struct collection {
    char *name;
    enum collection_kind kind;
    struct strbuf *items; /* each item's bytes */
    int64_t n, cap;
};
void graph_collect(struct graph *g, const char *collection, const char *item, size_t n);
/* The same for items of any kind. False: the collection holds another kind. */
bool graph_collect_kind(struct graph *g, const char *collection, enum collection_kind kind,
                        const void *item, size_t n) MUST_CHECK;
const struct collection *graph_collection(struct graph *g, const char *name); /* NULL: none */

#endif
