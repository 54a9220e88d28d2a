/* SPDX-License-Identifier: Apache-2.0 */
/* A loop or branch that is being built, and what is kept of it afterwards. Inside of api/. */
#ifndef LEAT_API_LEAT_FLOW_H
#define LEAT_API_LEAT_FLOW_H

#include "api/leat_builder.h"
#include "leat/control_flow.h"

/* Of each loop and branch, as long as the graph: owned by builder->flows. */
struct flow_record {
    bool loop, back_prop, swap_memory;
    char *name; /* "while/while_context", "cond/cond_text" */
    struct flow_record *outer;
    int64_t parallel;
    TF_Output pred;    /* of a branch */
    TF_Output maximum; /* of a loop; may be invalid */
    int branch;
    struct node *pivot, *pred_pivot, *last_pivot; /* of a loop: LoopCond, Merge, Identity */
    struct node **nodes;                          /* made inside, with those of flows inside */
    int64_t num_nodes, cap_nodes;
    struct brought {
        struct output outside, inside;
        struct output by; /* as the flow around has it */
        bool is_result;   /* of a branch: it is handed on as it is */
    } * brought;
    int64_t num_brought, cap_brought;
    struct node **enters, **exits; /* of a loop: n each */
    int n;
    bool done; /* it was built to its end */
};

struct flow { /* while a frame of kind FLOW is open */
    struct flow_record *r;
    bool at_results;       /* what is brought in now is a result of the branch */
    struct node *pivot;    /* NULL while the loop's own nodes are made */
    struct u64map brought; /* output -> struct output * */
    struct arena arena;
};

/* Opens a frame for it; w stays the caller's. */
struct frame *flow_open(TF_Graph *g, struct flow *w, struct flow_record *r);
/* Ends it with whatever was opened in it and left. */
void flow_close(TF_Graph *g, struct frame *f);
/* A record that the graph keeps; takes name. */
struct flow_record *flow_record_new(TF_Graph *g, bool loop, char *name);
void flow_record_free(struct flow_record *r);
/* Whether the calling thread is building the loop of that frame; whether it was begun without
 * back_prop. */
bool flow_loop_is_open(struct graph *g, struct str frame);
bool flow_loop_is_silent(struct graph *g, const char *frame);
/* n is inside of f and of what is around f. */
void flow_note(struct frame *f, struct node *n);

#endif
