/* SPDX-License-Identifier: Apache-2.0 */
/* Telling messages apart: none says what it is, so each is tried. Binary GraphDefs begin with the
 * tag of a node (or of versions or a library), as MetaGraphs may. */
#include "cli/message.h"

#include "base/status.h"

/* The message in the bytes, in the arena, which is empty; NULL: they are none, or have more. */
static void *parse(struct arena *a, const struct pb_desc *d, const char *bytes, size_t n,
                   bool is_text)
{
    struct status st = {0};
    void *msg = NULL;
    bool ok = is_text ? pb_text_parse(a, d, bytes, n, &msg, &st)
                      : pb_decode(a, d, bytes, n, PB_BORROW, &msg, &st);
    ok = ok && !((struct pb_base *)msg)->unknown;
    status_clear(&st);
    if (!ok)
        arena_release(a);
    return ok ? msg : NULL;
}

void message_read(const char *bytes, size_t n, struct message *out)
{
    struct message m = {0};
    for (int text = 0; text < 2 && m.kind == MESSAGE_NONE; text++) {
        m.is_text = text;
        if ((m.graph = parse(&m.arena, &pb_graph_def_desc, bytes, n, text)))
            m.kind = MESSAGE_GRAPH;
        else if ((m.meta_graph = parse(&m.arena, &pb_meta_graph_def_desc, bytes, n, text)))
            m.kind = MESSAGE_META_GRAPH;
        else if ((m.saved_model = parse(&m.arena, &pb_saved_model_desc, bytes, n, text)))
            m.kind = MESSAGE_SAVED_MODEL;
    }
    *out = m;
}

void message_release(struct message *m)
{
    arena_release(&m->arena);
    *m = (struct message){0};
}

const struct pb_attr_value *message_attr(const struct pb_node_def *n, const char *name)
{
    const struct pb_node_def_attr_entry *e = pb_map_find(&n->attr, str_of(name));
    return e ? e->value : NULL;
}
