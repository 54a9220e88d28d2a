/* SPDX-License-Identifier: Apache-2.0 */
/* What the leat_* layer keeps on a graph: scopes and the first error of each thread, variables, and
 * collected outputs.
 *
 * It hangs on graph->builder and goes with the graph. builder->lock guards the maps; what a
 * thread's own state holds is touched by that thread alone. */
#ifndef LEAT_API_LEAT_BUILDER_H
#define LEAT_API_LEAT_BUILDER_H

#include "api/api_impl.h"
#include "base/mem.h"
#include "grad/grad_walk.h"
#include "leat/op.h"
#include "leat/scope.h"

enum frame_kind {
    FRAME_NAMES,
    FRAME_DEVICE,
    FRAME_CONTROL,
    FRAME_COLOCATE,
    FRAME_FLOW,
    FRAME_ATTR,
    FRAME_HOOK,
    FRAME_GRADIENT
};

struct frame { /* one open scope; what it does not change it has from the one below */
    struct frame *up;
    enum frame_kind kind;
    char *scope;              /* "" or ending with a slash; owned */
    char *variable_scope;     /* as scope, of leat_get_variable; owned */
    int reuse;                /* LEAT_NO_REUSE... */
    char *device;             /* all that strings say, innermost first; owned */
    char *own_device;         /* DEVICE: what it says itself, NULL: nothing of those below; owned */
    leat_device_fn device_fn; /* DEVICE: asked for each node instead */
    void *device_arg;
    bool asks;        /* some function is in force: nodes get their device when they are finished */
    char *class_name; /* COLOCATE: of a node to come; owned */
    char *made_at;    /* NULL: each call says its own; owned */
    struct node **nodes; /* of CONTROL: to wait for; of COLOCATE: the one; owned */
    int num_nodes;
    bool lift;                 /* CONTROL, COLOCATE: those below do not count */
    struct u64map made;        /* CONTROL, FLOW: ids of the nodes made in here, + 1 */
    struct flow *flow;         /* FLOW: the loop or branch that is being built (leat_flow.h) */
    struct grad_ctx *gradient; /* GRADIENT: of which a client's function is called */
    struct attr_scope *attr;   /* ATTR: what nodes carry (leat_hook.c); owned */
    leat_node_fn node_fn;      /* HOOK: told of each node; NULL: those below are not */
    void *node_arg;
    bool busy; /* HOOK: it is being told: what it makes itself is not told to it */
};

struct thread_state { /* freed when it is empty */
    struct frame *top;
    struct status error;
};

struct builder {
    struct lock lock;
    struct u64map threads;   /* thread number -> struct thread_state */
    struct u64map variables; /* node id + 1 of ref or read -> struct leat_variable_parts */
    struct leat_variable_parts **owned; /* them again, once each */
    int64_t num_owned, cap_owned;
    struct flow_record **flows; /* all loops and branches that were begun (leat_flow.h) */
    int64_t num_flows, cap_flows;
    struct strmap gradients; /* that a client gave: leat_user_gradients.c */
    struct u64map flow_of;   /* node id + 1 -> the innermost of them that it is in */
    struct u64map defs; /* node id + 1 of a variable that came with a VariableDef -> its bytes */
};

/* Made at the first use. */
struct builder *builder_get(struct graph *g);
/* The calling thread's; NULL when it has none and make is false. */
struct thread_state *builder_thread(struct graph *g, bool make);
/* A frame that says what the one below it says. */
struct frame *builder_push(TF_Graph *graph, enum frame_kind kind);
/* Gives an empty one back. */
void builder_thread_done(struct graph *g, struct thread_state *t);
/* The innermost frame, or NULL. */
const struct frame *builder_frame(struct graph *g);
/* What the scopes in force say of a node without a device of its own: device for the caller to
 * mem_free. `f->asks` says whether it must be asked; f->device is it elsewhere. */
char *builder_device(struct graph *g, const struct frame *f, const struct node_desc *d);
/* Records what st holds if it is the first error, with where; st is OK after. */
void builder_record(struct graph *g, struct status *st, const char *what, const char *made_at);

/* d is placed with what the colocation scopes in force, innermost f, name. */
void builder_colocation(struct node_desc *d, const struct frame *f);
/* The nodes that a new one with these inputs waits for are added to d; then, when n was made, it is
 * noted. */
void builder_controls(struct graph *g, struct node_desc *d);
void builder_made(struct graph *g, struct node *n);
/* d carries what attribute scopes say; n, made, is told to those who asked. Every node of a leat_*
 * function passes both. */
void builder_attrs(struct graph *g, struct node_desc *d);
void builder_tell(struct graph *g, struct node *n);
/* A client's callback failed: CANCELLED, where it has recorded nothing itself. */
void builder_said_no(TF_Graph *g, const char *what);
/* What the walk asks for a client's gradient; the library's own rule, under the scopes in force. */
enum grad_said builder_gradient(struct graph *graph, struct grad_ctx *g, const char *name,
                                struct status *st);
MUST_CHECK bool builder_call_rule(struct grad_ctx *around, struct grad_one *q, struct status *st);
void builder_gradients_release(struct strmap *m);
/* The gradient of a loop in which a client's function makes nodes, or NULL. */
struct grad_ctx *builder_gradient_loop(struct graph *g);
void builder_attr_free(struct attr_scope *a);
/* in as the loop or branch that is being built has it; a node made for that stands under scope
 * ("a/"; NULL: the one in force). */
TF_Output builder_bring(struct graph *g, TF_Output in, const char *scope);
/* After builder_controls: what that loop or branch asks of a new node. */
void builder_flow_controls(struct graph *g, struct node_desc *d);

void builder_flows_release(struct builder *b);

/* Nothing is known any more of variables whose nodes have ids from `from` on: those nodes go. */
void builder_forget(struct graph *g, int64_t from);

/* The VariableDef that a variable came with, for what leat_variable_parts does not say of it. A
 * variable that has one keeps the first unless it is to be replaced. NULL: it was made here. */
struct pb_variable_def;
void builder_keep_variable_def(struct graph *g, const struct pb_variable_def *d, bool replace);
struct pb_variable_def *builder_variable_def(struct graph *g, TF_Output v, struct arena *a);
/* The same, made of its parts where it came with none. */
struct pb_variable_def *
builder_describe_variable(struct graph *g, const struct leat_variable_parts *v, struct arena *a);

#endif
