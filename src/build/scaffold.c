/* SPDX-License-Identifier: Apache-2.0 */
/* What makes a model ready: the nodes of initialisation and of the questions whether it was. */
#include "base/mem.h"
#include "build/build.h"
#include "build/mk.h"
#include "leat/monitored_session.h"

/* All of a collection, for mem_free. */
static TF_Output *collection(TF_Graph *g, const char *name, int *n)
{
    *n = leat_get_collection(g, name, NULL, NULL, 0);
    TF_Output *items = mem_new_array(TF_Output, *n + 1);
    (void)leat_get_collection(g, name, NULL, items, *n);
    return items;
}

/* 1.15 joins what it knows of: variables, then resources, of which none are made here. */
static TF_Operation *make_init(TF_Graph *g)
{
    TF_Operation *ops[] = {leat_global_variables_initializer(g), NULL};
    ops[1] = ops[0] ? leat_group(g, NULL, 0, "init") : NULL;
    return ops[1] ? leat_group(g, ops, 2, NULL) : NULL;
}

static TF_Operation *init_tables(TF_Graph *g)
{
    int n;
    TF_Output *tables = collection(g, "table_initializer", &n);
    TF_Operation **ops = mem_new_array(TF_Operation *, n + 1);
    for (int i = 0; i < n; i++)
        ops[i] = tables[i].oper;
    TF_Operation *made = leat_group(g, ops, n, "init_all_tables");
    mem_free(ops);
    mem_free(tables);
    return made;
}

static TF_Operation *make_local_init(TF_Graph *g)
{
    int n;
    TF_Output *local = collection(g, LEAT_LOCAL_VARIABLES, &n);
    TF_Operation *ops[3] = {leat_variables_initializer(g, local, n, NULL)};
    mem_free(local);
    ops[1] = ops[0] ? init_tables(g) : NULL;
    ops[2] = ops[1] ? leat_group(g, NULL, 0, "init") : NULL;
    return ops[2] ? leat_group(g, ops, 3, NULL) : NULL;
}

/* Names of variables, and of resources, that are not ready. */
static TF_Output make_ready(TF_Graph *g, bool local_too)
{
    int n;
    TF_Output *global = collection(g, LEAT_GLOBAL_VARIABLES, &n), y = MK_NONE, none = MK_NONE;
    TF_Output unset = leat_report_uninitialized_variables(
        g, local_too ? leat_all_variables() : (struct leat_outputs){global, n}, NULL);
    mem_free(global);
    leat_with_scope(g, "report_uninitialized_resources")
        leat_with_device(g, "/cpu:0")
            none = leat_const_array(g, TF_STRING, NULL, leat_shape(0), .name = "Const");
    leat_with_scope(g, "concat") {
        TF_Output axis = mk_i32(g, "axis", 0);
        y = leat_concat_v2(g, leat_outputs(unset, none).v, 2, axis, .name = leat_current_scope(g));
    }
    return y;
}

static void collect(TF_Graph *g, const char *name, TF_Output y)
{
    if (leat_get_collection(g, name, NULL, NULL, 0) == 0)
        leat_add_to_collection(g, name, y);
}

int leat_scaffold_finalize(TF_Graph *g, struct leat_scaffold *s)
{
    if (!g || !s)
        return 0;
    leat_with_scope(g, NULL) {
        if (!s->init_op)
            s->init_op = make_init(g);
        if (!leat_valid(s->ready_op))
            s->ready_op = make_ready(g, true);
        if (!leat_valid(s->ready_for_local_init_op))
            s->ready_for_local_init_op = make_ready(g, false);
        if (!s->local_init_op)
            s->local_init_op = make_local_init(g);
        if (!leat_valid(s->summary_op))
            s->summary_op = leat_summary_merge_all(g);
        if (!s->saver && leat_get_collection(g, LEAT_GLOBAL_VARIABLES, NULL, NULL, 0) > 0) {
            s->saver = leat_saver_new(g, .sharded = 1);
            s->owns_saver = s->saver != NULL;
        }
    }
    collect(g, "init_op", (TF_Output){s->init_op, 0});
    collect(g, "ready_op", s->ready_op);
    collect(g, "ready_for_local_init_op", s->ready_for_local_init_op);
    collect(g, "local_init_op", (TF_Output){s->local_init_op, 0});
    collect(g, "summary_op", s->summary_op);
    return leat_graph_ok(g);
}

void leat_scaffold_release(struct leat_scaffold *s)
{
    if (!s || !s->owns_saver)
        return;
    leat_saver_free(s->saver);
    s->saver = NULL;
    s->owns_saver = false;
}
