/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs in files: which of TensorFlow's messages some bytes are, in binary or text form, and what
 * the commands ask of the nodes. */
#ifndef LEAT_CLI_MESSAGE_H
#define LEAT_CLI_MESSAGE_H

#include "base/arena.h"
#include "proto/leat_proto.h"

enum message_kind { MESSAGE_NONE, MESSAGE_GRAPH, MESSAGE_META_GRAPH, MESSAGE_SAVED_MODEL };

struct message {
    enum message_kind kind;
    bool is_text;
    union { /* by kind; in the arena */
        struct pb_graph_def *graph;
        struct pb_meta_graph_def *meta_graph;
        struct pb_saved_model *saved_model;
    };
    struct arena arena;
};

/* What the bytes are: the message that leaves no unknown field, binary before text. Binary ones
 * are borrowed from, so bytes live as long as the message. No bytes are an empty GraphDef. */
void message_read(const char *bytes, size_t n, struct message *out);
void message_release(struct message *m);

/* The node's attribute; NULL: it has none of this name. */
const struct pb_attr_value *message_attr(const struct pb_node_def *n, const char *name);

#endif
