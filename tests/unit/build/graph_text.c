/* SPDX-License-Identifier: Apache-2.0 */
/* A graph as a text. */
#include "graph_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/str.h"

int made_setup(void **state)
{
    struct made *m = mem_new(struct made);
    m->g = TF_NewGraph();
    m->st = TF_NewStatus();
    *state = m;
    return 0;
}

int made_teardown(void **state)
{
    struct made *m = *state;
    TF_DeleteGraph(m->g);
    TF_DeleteStatus(m->st);
    mem_free(m);
    return 0;
}

static void print_class(TF_Operation *op, struct strbuf *b)
{
    TF_Status *st = TF_NewStatus();
    TF_AttrMetadata m = TF_OperationGetAttrMetadata(op, "_class", st);
    if (TF_GetCode(st) == TF_OK && m.list_size <= 8) {
        void *values[8];
        size_t lengths[8];
        char storage[1000];
        TF_OperationGetAttrStringList(op, "_class", values, lengths, (int)m.list_size, storage,
                                      sizeof storage, st);
        for (int i = 0; i < m.list_size; i++)
            strbuf_printf(b, " loc:%.*s", (int)lengths[i] - 5, (const char *)values[i] + 5);
    }
    TF_DeleteStatus(st);
}

static void print_node(TF_Operation *op, struct strbuf *b)
{
    TF_Operation *controls[32];
    int inputs = TF_OperationNumInputs(op), n = TF_OperationGetControlInputs(op, controls, 32);
    strbuf_printf(b, "%s %s", TF_OperationName(op), TF_OperationOpType(op));
    for (int i = 0; i < inputs; i++) {
        TF_Output in = TF_OperationInput((TF_Input){op, i});
        strbuf_printf(b, "%s%s", i == 0 ? "(" : ", ", TF_OperationName(in.oper));
        if (in.index > 0)
            strbuf_printf(b, ":%d", in.index);
    }
    for (int i = 0; i < n; i++)
        strbuf_printf(b, "%s^%s", inputs + i == 0 ? "(" : ", ", TF_OperationName(controls[i]));
    if (inputs + n > 0)
        strbuf_putc(b, ')');
    if (TF_OperationDevice(op)[0])
        strbuf_printf(b, " @%s", TF_OperationDevice(op));
    print_class(op, b);
    strbuf_putc(b, '\n');
}

char *graph_text(TF_Graph *g, int first)
{
    struct strbuf b = {0};
    TF_Operation *op;
    size_t pos = 0;
    for (int i = 0; (op = TF_GraphNextOperation(g, &pos)); i++) {
        if (i >= first)
            print_node(op, &b);
    }
    return b.p ? strbuf_take(&b) : mem_strdup("");
}

void assert_graph(TF_Graph *g, const char *text)
{
    char *have = graph_text(g, 0);
    struct str a = str_of(have), b = str_of(text), x, y;
    while (str_split(&a, '\n', &x) && str_split(&b, '\n', &y)) {
        if (!str_eq(x, y))
            fail_msg("is     %.*s\nwanted %.*s", (int)x.n, x.p, (int)y.n, y.p);
    }
    if (strcmp(have, text) != 0)
        fail_msg("is\n%s\nwanted\n%s", have, text);
    mem_free(have);
}

void assert_error(struct made *m, const char *text)
{
    leat_graph_status(m->g, m->st);
    if (TF_GetCode(m->st) == TF_OK || !strstr(TF_Message(m->st), text))
        fail_msg("the error is \"%s\", wanted \"%s\"", TF_Message(m->st), text);
    leat_graph_clear_status(m->g);
}

void assert_no_error(struct made *m)
{
    leat_graph_status(m->g, m->st);
    if (TF_GetCode(m->st) != TF_OK)
        fail_msg("%s", TF_Message(m->st));
}
