/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes op definitions, as plug-ins bring them: lines of spec texts, each after a letter that says
 * of what, i(nput), o(utput) or a(ttr). An accepted one prints, gives its defaults to a node, and
 * comes back from its OpDef message. */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "graph/graphdef.h"
#include "op/op.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What op_parse is given; the texts are the caller's. */
static void split_lines(char *text, struct op_def *def)
{
    int n[3] = {0};
    for (char *line = text; line;) {
        char *end = strchr(line, '\n');
        if (end)
            *end = 0;
        if (line[0] == 'i' && n[0] < OP_MAX_INPUTS)
            def->inputs[n[0]++] = line + 1;
        else if (line[0] == 'o' && n[1] < OP_MAX_OUTPUTS)
            def->outputs[n[1]++] = line + 1;
        else if (line[0] == 'a' && n[2] < OP_MAX_ATTRS)
            def->attrs[n[2]++] = line + 1;
        line = end ? end + 1 : NULL;
    }
}

/* The types of a node that has the defaults alone. */
static void check_defaults(const struct op *op)
{
    struct attrs attrs = {0};
    struct status st = {0};
    int *types, n;
    op_fill_defaults(op, &attrs);
    if (op_check_attrs(op, &attrs, "fuzz", &st)) {
        if (op_input_types(op, &attrs, &types, &n, &st))
            mem_free(types);
        status_clear(&st);
        if (op_output_types(op, &attrs, &types, &n, &st))
            mem_free(types);
    }
    status_clear(&st);
    attrs_clear(&attrs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = mem_strndup((const char *)data, size);
    struct op_def def = {.name = "Fuzz", .summary = "An op.", .no_grad = "none"};
    struct status st = {0};
    split_lines(text, &def);
    struct op *op = op_parse(&def, &st);
    if (op) {
        struct strbuf shown = {0};
        struct arena a = {0};
        op_print(op, &shown);
        strbuf_release(&shown);
        check_defaults(op);
        struct op *again = op_from_proto(op_to_proto(&a, op), &st);
        if (again && (again->num_inputs != op->num_inputs || again->num_attrs != op->num_attrs ||
                      again->num_outputs != op->num_outputs))
            abort();
        op_free(again);
        arena_release(&a);
    } else if (st.code != STATUS_INVALID_ARGUMENT && st.code != STATUS_RESOURCE_EXHAUSTED) {
        fprintf(stderr, "%s\n", status_message(&st));
        abort();
    }
    status_clear(&st);
    op_free(op);
    mem_free(text);
    return 0;
}
