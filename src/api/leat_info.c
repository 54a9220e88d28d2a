/* SPDX-License-Identifier: Apache-2.0 */
/* leat_op_info and leat_kernel_info: the registries as texts. Both lists are made once and
 * never freed, so that callers may keep the texts. */
#include <pthread.h>

#include "base/mem.h"
#include "base/str.h"
#include "leat/info.h"
#include "op/kernel.h"
#include "op/op.h"

/* Made by the build: the ops/ folder of each of leat_all_op_defs. */
extern const struct op_def *const leat_all_op_defs[];
extern const char *const leat_all_op_groups[];

static struct {
    pthread_once_t once;
    struct leat_op_info *ops;
    struct leat_kernel_info *kernels;
    const struct kernel_def **defs; /* of kernels, in the same order */
    int64_t num_ops, cap_ops, num_kernels, cap_defs;
} lists = {.once = PTHREAD_ONCE_INIT};

static const char *op_group(const struct op_def *def)
{
    for (int i = 0; leat_all_op_defs[i]; i++) {
        if (leat_all_op_defs[i] == def)
            return leat_all_op_groups[i];
    }
    return "";
}

/* The first kernel that is for this op, by binary search. */
static int64_t first_kernel(const char *op)
{
    int64_t low = 0, high = lists.num_kernels;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (strcmp(lists.defs[middle]->op, op) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_cpu_kernel_of(int64_t i, const char *op)
{
    return strcmp(lists.defs[i]->op, op) == 0 && strcmp(lists.defs[i]->device, "CPU") == 0;
}

/* The types that any of the op's CPU kernels takes for this attr. */
static dtype_set types_with_kernel(const struct op *op, const struct op_attr *attr, int64_t first)
{
    dtype_set allowed = attr->types ? attr->types : (((dtype_set)1 << DT_NUM) - 2);
    dtype_set found = 0;
    for (int64_t i = first; i < lists.num_kernels && strcmp(lists.defs[i]->op, op->name) == 0;
         i++) {
        for (int t = 1; is_cpu_kernel_of(i, op->name) && t < DT_NUM; t++) {
            dtype_set bit = (dtype_set)1 << t;
            if ((allowed & bit) && !(found & bit) && kernel_allows(lists.defs[i], attr->name, t))
                found |= bit;
        }
    }
    return found;
}

static void add_attr_types(struct strbuf *b, const char *name, dtype_set found)
{
    strbuf_printf(b, "%s%s=", b->n > 0 ? " " : "", name);
    const char *comma = "";
    for (int t = 1; t < DT_NUM; t++) {
        if ((found >> t) & 1) {
            strbuf_printf(b, "%s%s", comma, dtype_name(t));
            comma = ",";
        }
    }
}

/* The text is the caller's. */
static char *cpu_types(const struct op *op)
{
    struct strbuf b = {0};
    int64_t first = first_kernel(op->name);
    bool any = false;
    for (int64_t i = first; i < lists.num_kernels && strcmp(lists.defs[i]->op, op->name) == 0; i++)
        any = any || is_cpu_kernel_of(i, op->name);
    for (int i = 0; any && i < op->num_attrs; i++) {
        if (op->attrs[i].kind == ATTR_TYPE)
            add_attr_types(&b, op->attrs[i].name, types_with_kernel(op, &op->attrs[i], first));
    }
    if (!any)
        strbuf_printf(&b, "none: %s",
                      op->def->no_kernel ? op->def->no_kernel : "no kernel is registered");
    else if (b.n == 0)
        strbuf_puts(&b, "any");
    return strbuf_take(&b);
}

static bool add_op(const struct op *op, void *arg)
{
    (void)arg;
    const struct op_def *def = op->def;
    lists.ops = vec_reserve(lists.ops, &lists.cap_ops, lists.num_ops + 1, sizeof *lists.ops);
    lists.ops[lists.num_ops++] = (struct leat_op_info){
        .name = op->name,
        .group = op_group(def),
        .summary = def->summary ? def->summary : "",
        .cpu_types = cpu_types(op),
        .gradient =
            def->grad ? "yes" : mem_printf("none: %s", def->no_grad ? def->no_grad : "not given"),
    };
    return true;
}

static bool add_kernel(const struct kernel_def *def, void *arg)
{
    (void)arg;
    lists.defs =
        vec_reserve(lists.defs, &lists.cap_defs, lists.num_kernels + 1, sizeof *lists.defs);
    lists.defs[lists.num_kernels++] = def;
    return true;
}

static int by_op(const void *a, const void *b)
{
    const struct kernel_def *x = *(const struct kernel_def *const *)a;
    const struct kernel_def *y = *(const struct kernel_def *const *)b;
    int order = strcmp(x->op, y->op);
    return order != 0 ? order : strcmp(x->device, y->device);
}

static char *kernel_types(const struct kernel_def *def)
{
    struct strbuf b = {0};
    for (int i = 0; i < KERNEL_MAX_TYPES && def->types[i]; i++)
        strbuf_printf(&b, "%s%s", i > 0 ? "; " : "", def->types[i]);
    return b.p ? strbuf_take(&b) : mem_strdup("");
}

static void make_lists(void)
{
    kernel_each(add_kernel, NULL);
    if (lists.num_kernels > 0)
        qsort(lists.defs, (size_t)lists.num_kernels, sizeof *lists.defs, by_op);
    lists.kernels = mem_new_array(struct leat_kernel_info, lists.num_kernels + 1);
    for (int64_t i = 0; i < lists.num_kernels; i++) {
        const struct kernel_def *def = lists.defs[i];
        lists.kernels[i] = (struct leat_kernel_info){def->op, def->device, kernel_types(def),
                                                     def->label ? def->label : "", def->priority};
    }
    op_each(add_op, NULL);
}

int leat_num_ops(void)
{
    pthread_once(&lists.once, make_lists);
    return (int)lists.num_ops;
}

int leat_op_info(int index, struct leat_op_info *out)
{
    if (!out || index < 0 || index >= leat_num_ops())
        return 0;
    *out = lists.ops[index];
    return 1;
}

static int by_name(const void *name, const void *info)
{
    return strcmp(name, ((const struct leat_op_info *)info)->name);
}

static void add_specs(struct strbuf *b, const char *title, const char *const *specs, int n)
{
    for (int i = 0; i < n; i++)
        strbuf_printf(b, "  %-9s %s\n", i == 0 ? title : "", specs[i]);
}

char *leat_op_doc(const char *name)
{
    pthread_once(&lists.once, make_lists);
    const struct leat_op_info *info =
        name && lists.num_ops > 0
            ? bsearch(name, lists.ops, (size_t)lists.num_ops, sizeof *lists.ops, by_name)
            : NULL;
    if (!info)
        return NULL;
    const struct op *op = op_find(name);
    struct strbuf b = {0};
    strbuf_printf(&b, "%s (%s): %s\n", name, info->group, info->summary);
    if (op->def->description)
        strbuf_printf(&b, "%s\n", op->def->description);
    add_specs(&b, "inputs", op->def->inputs, op->num_inputs);
    add_specs(&b, "outputs", op->def->outputs, op->num_outputs);
    add_specs(&b, "attrs", op->def->attrs, op->num_attrs);
    strbuf_printf(&b, "  %-9s %s\n  %-9s %s\n", "CPU", info->cpu_types, "gradient", info->gradient);
    if (op->def->flags & OP_STATEFUL)
        strbuf_puts(&b, "  stateful: never folded, merged or dropped\n");
    if (op->def->deprecated_at > 0)
        strbuf_printf(&b, "  deprecated from GraphDef version %d on: %s\n", op->def->deprecated_at,
                      op->def->deprecated_why ? op->def->deprecated_why : "");
    return strbuf_take(&b);
}

int leat_num_kernels(void)
{
    pthread_once(&lists.once, make_lists);
    return (int)lists.num_kernels;
}

int leat_kernel_info(int index, struct leat_kernel_info *out)
{
    if (!out || index < 0 || index >= leat_num_kernels())
        return 0;
    *out = lists.kernels[index];
    return 1;
}
