/* SPDX-License-Identifier: Apache-2.0 */
/* leat/edit.h: changes of nodes that are there. The rules are graph/edit.c's. */
#include "api/leat_builder.h"
#include "base/arena.h"
#include "graph/graphdef.h"
#include "leat/edit.h"
#include "runtime/placer.h"

static bool have(const void *a, const void *b, const char *what, struct status *st)
{
    return (a && b) || status_invalid(st, "%s: NULL for an operation or a name", what);
}

int leat_set_attr(TF_Operation *op, const char *name, const void *value, size_t n,
                  TF_Status *status)
{
    struct status st = {0};
    struct arena a = {0};
    struct pb_attr_value *p = NULL;
    struct attr_value v = {0};
    bool ok = have(op, name, "leat_set_attr", &st);
    if (ok && !value && n > 0)
        ok = status_invalid(&st, "leat_set_attr: %zu bytes at NULL", n);
    if (ok && !pb_attr_value_decode(&a, value ? value : "", n, PB_BORROW, &p, &st)) {
        status_prepend(&st, "Unparseable AttrValue proto: ");
        ok = false;
    }
    ok = ok && attr_from_proto(p, &v, &st) && graph_set_attr(api_node(op), name, v, &st);
    arena_release(&a);
    api_return(status, &st);
    return ok;
}

int leat_set_device(TF_Operation *op, const char *device, TF_Status *status)
{
    struct status st = {0};
    struct device_spec spec;
    if (!device)
        device = "";
    bool ok = have(op, device, "leat_set_device", &st) && device_spec_parse(device, &spec, &st);
    if (ok)
        graph_set_device(api_node(op), device);
    api_return(status, &st);
    return ok;
}

int leat_add_control_input(TF_Operation *op, TF_Operation *before, TF_Status *status)
{
    struct status st = {0};
    bool ok = have(op, before, "leat_add_control_input", &st);
    if (ok && op == before)
        ok = status_invalid(&st, "leat_add_control_input: '%s' cannot wait for itself",
                            api_node(op)->name);
    ok = ok && graph_add_control(api_node(op)->graph, api_node(before), api_node(op), &st);
    api_return(status, &st);
    return ok;
}

int leat_remove_control_inputs(TF_Operation *op, TF_Status *status)
{
    struct status st = {0};
    bool ok =
        have(op, op, "leat_remove_control_inputs", &st) && graph_drop_controls(api_node(op), &st);
    api_return(status, &st);
    return ok;
}

int leat_update_input(TF_Operation *op, int index, TF_Output input, TF_Status *status)
{
    struct status st = {0};
    bool ok = have(op, input.oper, "leat_update_input", &st) && api_check_output(input, &st) &&
              graph_update_input(api_node(op), index, api_output(input), &st);
    api_return(status, &st);
    return ok;
}

char *leat_peek_unique_name(TF_Graph *graph, const char *name)
{
    if (!graph || !name)
        return NULL;
    struct graph *g = api_graph(graph);
    const struct frame *f = builder_frame(g);
    char *full = mem_printf("%s%s", f ? f->scope : "", name);
    char *unique = graph_unique_name(g, full, false);
    mem_free(full);
    return unique;
}
