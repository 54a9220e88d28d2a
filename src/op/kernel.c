/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of kernels and the choice of one for a node.
 *
 * Built-in kernels come as an array that the build collects. A map from op names to lists is made
 * once, at the first question; a kernel's type constraints are parsed when it is first a candidate.
 * Choosing happens once per node and session, so a million nodes choose in well under a second. */
#include "op/kernel.h"

#include <pthread.h>
#include <string.h>

#include "base/lock.h"
#include "base/log.h"
#include "base/map.h"
#include "base/mem.h"
#include "op/attr_print.h"
#include "op/kernel_registry.h"
#include "op/op_spec.h"

extern const struct kernel_def
    *const leat_all_kernel_defs[]; /* NULL at the end; made by the build */

struct entry { /* one kernel */
    const struct kernel_def *def;
    struct constraints *constraints; /* atomic; NULL: not parsed yet */
    struct entry *next;              /* of the same op, in the order registered */
};

static pthread_once_t built_in_once = PTHREAD_ONCE_INIT;
static struct strmap built_in; /* op -> struct entry list; never changes once made */

static struct lock plugin_lock = LOCK_INIT("kernel plug-ins", LOCK_RANK_LEAF);
static struct strmap plugins; /* op -> struct entry list; guarded by plugin_lock, entries grow only
                                 at the tail, by an atomic store */
static int num_plugins;       /* atomic */

/* --- constraints --- */

struct constraints *constraints_parse(const struct kernel_def *def, struct status *st)
{
    struct constraints *c = mem_new(struct constraints);
    const char *owner = arena_printf(&c->arena, "Kernel of op '%s'", def->op);
    for (int i = 0; i < KERNEL_MAX_TYPES && def->types[i]; i++) {
        struct scan s = {
            .owner = owner, .text = def->types[i], .p = def->types[i], .arena = &c->arena};
        struct constraint *item = &c->items[c->n++];
        struct str name = scan_word(&s);
        uint8_t list[DT_NUM];
        if (name.n == 0 || !scan_char(&s, ':')) {
            (void)scan_fail(&s, st, "'ATTR: {types}' expected");
            constraints_free(c);
            return NULL;
        }
        if (!scan_type_set(&s, list, &item->n, st) ||
            (!scan_done(&s) && !scan_fail(&s, st, "unexpected text"))) {
            constraints_free(c);
            return NULL;
        }
        item->attr = arena_strndup(&c->arena, name.p, name.n);
        item->list = arena_memdup(&c->arena, list, (size_t)item->n);
        item->set = type_list_set(list, item->n);
    }
    return c;
}

void constraints_free(struct constraints *c)
{
    if (!c)
        return;
    arena_release(&c->arena);
    mem_free(c);
}

static const struct constraints *entry_constraints(struct entry *e, struct status *st)
{
    struct constraints *c = __atomic_load_n(&e->constraints, __ATOMIC_ACQUIRE);
    if (LIKELY(c != NULL))
        return c;
    struct constraints *mine = constraints_parse(e->def, st);
    if (!mine)
        return NULL;
    if (__atomic_compare_exchange_n(&e->constraints, &c, mine, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        return mine;
    constraints_free(mine);
    return c;
}

/* --- the registry --- */

static void append(struct strmap *m, struct entry *e)
{
    struct entry *last = strmap_find(m, e->def->op);
    if (!last) {
        strmap_put(m, e->def->op, e);
        return;
    }
    while (last->next)
        last = last->next;
    __atomic_store_n(&last->next, e, __ATOMIC_RELEASE);
}

static void make_built_in(void)
{
    int n = 0;
    while (leat_all_kernel_defs[n])
        n++;
    struct entry *entries = n ? mem_new_array(struct entry, n) : NULL;
    for (int i = 0; i < n; i++) {
        entries[i].def = leat_all_kernel_defs[i];
        append(&built_in, &entries[i]);
    }
}

static struct entry *entry_next(const struct entry *e)
{
    return __atomic_load_n(&e->next, __ATOMIC_ACQUIRE);
}

static struct entry *first_built_in(const char *op)
{
    pthread_once(&built_in_once, make_built_in);
    return strmap_find(&built_in, op);
}

static struct entry *first_plugin(const char *op)
{
    if (__atomic_load_n(&num_plugins, __ATOMIC_ACQUIRE) == 0)
        return NULL;
    lock_take(&plugin_lock);
    struct entry *e = strmap_find(&plugins, op);
    lock_drop(&plugin_lock);
    return e;
}

bool kernel_register(const struct kernel_def *def, struct status *st)
{
    if (!def->op || !def->device || (!def->run && !def->run_async))
        return status_invalid(st, "A kernel needs an op, a device and a function to run");
    struct constraints *parsed = constraints_parse(def, st);
    if (!parsed)
        return false;
    struct entry *e = mem_new(struct entry);
    *e = (struct entry){.def = def, .constraints = parsed};
    lock_take(&plugin_lock);
    append(&plugins, e);
    lock_drop(&plugin_lock);
    __atomic_fetch_add(&num_plugins, 1, __ATOMIC_RELEASE);
    return true;
}

/* --- walks --- */

struct walk {
    bool (*fn)(const struct kernel_def *def, void *arg);
    void *arg;
};

static bool walk_map(const struct strmap *m, const struct walk *w)
{
    const char *key;
    void *value;
    for (int64_t i = 0; strmap_next(m, &i, &key, &value);) {
        for (const struct entry *e = value; e; e = entry_next(e)) {
            if (!w->fn(e->def, w->arg))
                return false;
        }
    }
    return true;
}

/* Plug-ins' definitions as an array of their own, so that fn is called without the lock. */
static const struct kernel_def **copy_plugins(int64_t *n)
{
    const struct kernel_def **defs = NULL;
    int64_t cap = 0;
    const char *key;
    void *value;
    *n = 0;
    lock_take(&plugin_lock);
    for (int64_t i = 0; strmap_next(&plugins, &i, &key, &value);) {
        for (const struct entry *e = value; e; e = entry_next(e)) {
            defs = vec_reserve(defs, &cap, *n + 1, sizeof *defs);
            defs[(*n)++] = e->def;
        }
    }
    lock_drop(&plugin_lock);
    return defs;
}

void kernel_each(bool (*fn)(const struct kernel_def *def, void *arg), void *arg)
{
    pthread_once(&built_in_once, make_built_in);
    if (!walk_map(&built_in, &(struct walk){fn, arg}))
        return;
    int64_t n;
    const struct kernel_def **defs = copy_plugins(&n);
    for (int64_t i = 0; i < n && fn(defs[i], arg); i++)
        continue;
    mem_free(defs);
}

bool kernel_allows(const struct kernel_def *def, const char *attr, int dtype)
{
    struct status st = {0};
    struct constraints *c = constraints_parse(def, &st);
    bool allowed = c != NULL && dtype >= 0 && dtype < DT_NUM;
    for (int i = 0; allowed && i < c->n; i++) {
        if (strcmp(c->items[i].attr, attr) == 0)
            allowed = (c->items[i].set >> dtype) & 1;
    }
    constraints_free(c);
    status_clear(&st);
    return allowed;
}

/* --- choosing --- */

/* Whether the types of a type or list(type) attr are all in the set. */
static bool types_in(const struct attr_value *v, dtype_set set)
{
    if (v->kind != ATTR_TYPE && v->n > 0)
        return false;
    if (!v->is_list)
        return v->kind == ATTR_TYPE && v->type > 0 && v->type < DT_NUM && ((set >> v->type) & 1);
    for (int64_t i = 0; i < v->n; i++) {
        if (v->types[i] <= 0 || v->types[i] >= DT_NUM || !((set >> v->types[i]) & 1))
            return false;
    }
    return true;
}

static bool constraints_hold(const struct constraints *c, const struct op *op,
                             const struct attrs *attrs)
{
    for (int i = 0; i < c->n; i++) {
        const struct attr_value *v = attrs_find(attrs, c->items[i].attr);
        const struct op_attr *a = v ? NULL : op_attr_find(op, c->items[i].attr);
        if (a && a->default_value.kind != ATTR_NONE)
            v = &a->default_value;
        if (!v || !types_in(v, c->items[i].set))
            return false;
    }
    return true;
}

static bool label_is(const struct kernel_def *def, struct str label)
{
    return str_is(label, def->label ? def->label : "");
}

struct choice {
    const struct op *op;
    const char *device;
    const struct attrs *attrs;
    const char *node_name;
    struct str label;
    struct entry *best, *equal; /* equal: fits as well as best does, NULL when none does */
};

/* `op: "X" device_type: "CPU" constraint { ... }` */
static void print_def(struct entry *e, struct strbuf *out)
{
    struct status st = {0};
    const struct constraints *c = entry_constraints(e, &st);
    strbuf_printf(out, "op: \"%s\" device_type: \"%s\"", e->def->op, e->def->device);
    for (int i = 0; c && i < c->n; i++) {
        strbuf_printf(out, " constraint { name: \"%s\" allowed_values { list {", c->items[i].attr);
        for (int j = 0; j < c->items[i].n; j++) {
            strbuf_puts(out, " type: ");
            attr_print_types(&c->items[i].list[j], 1, out);
        }
        strbuf_puts(out, " } } }");
    }
    if (e->def->label)
        strbuf_printf(out, " label: \"%s\"", e->def->label);
    if (e->def->priority)
        strbuf_printf(out, " priority: %d", e->def->priority);
    status_clear(&st);
}

static bool fail_twice(const struct choice *c, struct status *st)
{
    struct strbuf one = {0}, other = {0};
    print_def(c->best, &one);
    print_def(c->equal, &other);
    status_invalid(st, "Multiple OpKernel registrations match NodeDef '{{node %s}}': '%s' and '%s'",
                   c->node_name ? c->node_name : "", strbuf_text(&one), strbuf_text(&other));
    strbuf_release(&one);
    strbuf_release(&other);
    return false;
}

/* A plug-in's constraint may name what the op does not have. */
static bool check_constraint_attrs(struct entry *e, const struct constraints *types,
                                   const struct choice *c, struct status *st)
{
    for (int i = 0; i < types->n; i++) {
        const char *attr = types->items[i].attr;
        if (attrs_find(c->attrs, attr) || op_attr_find(c->op, attr))
            continue;
        struct strbuf attrs = {0}, def = {0};
        attrs_print(c->attrs, &attrs);
        print_def(e, &def);
        status_invalid(st,
                       "OpKernel '%s' has constraint on attr '%s' not in NodeDef '[%s]', "
                       "KernelDef: '%s'",
                       e->def->op, attr, strbuf_text(&attrs), strbuf_text(&def));
        strbuf_release(&attrs);
        strbuf_release(&def);
        return false;
    }
    return true;
}

/* Of built-in kernels that fit equally well the first counts; a plug-in's has no such right. */
static bool consider(struct entry *list, bool plugin, struct choice *c, struct status *st)
{
    for (struct entry *e = list; e; e = entry_next(e)) {
        int lead = c->best ? e->def->priority - c->best->def->priority : 1;
        if (strcmp(e->def->device, c->device) != 0 || !label_is(e->def, c->label) || lead < 0 ||
            (lead == 0 && !plugin))
            continue;
        const struct constraints *types = entry_constraints(e, st);
        if (!types || (plugin && !check_constraint_attrs(e, types, c, st)))
            return false;
        if (!constraints_hold(types, c->op, c->attrs))
            continue;
        c->equal = lead == 0 ? e : NULL;
        c->best = lead == 0 ? c->best : e;
    }
    return true;
}

static void print_kernels(struct entry *list, struct strbuf *out)
{
    for (struct entry *e = list; e; e = entry_next(e)) {
        struct status st = {0};
        strbuf_printf(out, "  device='%s'", e->def->device);
        if (e->def->label)
            strbuf_printf(out, "; label='%s'", e->def->label);
        const struct constraints *c = entry_constraints(e, &st);
        for (int i = 0; c && i < c->n; i++) {
            strbuf_printf(out, "; %s in [", c->items[i].attr);
            attr_print_types(c->items[i].list, c->items[i].n, out);
            strbuf_putc(out, ']');
        }
        strbuf_putc(out, '\n');
        status_clear(&st);
    }
}

static bool add_device(const struct kernel_def *def, void *arg)
{
    struct strmap *seen = arg;
    if (!strmap_has(seen, def->device))
        strmap_put(seen, def->device, seen);
    return true;
}

static void print_devices(struct strbuf *out)
{
    struct strmap seen = {0};
    const char *device;
    void *value;
    kernel_each(add_device, &seen);
    for (int64_t i = 0, n = 0; strmap_next(&seen, &i, &device, &value); n++)
        strbuf_printf(out, "%s%s", n ? ", " : "", device);
    strmap_release(&seen);
}

static void fail_none(const struct choice *c, struct status *st)
{
    struct strbuf attrs = {0}, devices = {0}, kernels = {0};
    attrs_print(c->attrs, &attrs);
    print_devices(&devices);
    print_kernels(first_built_in(c->op->name), &kernels);
    print_kernels(first_plugin(c->op->name), &kernels);
    const char *why = c->op->def->no_kernel;
    status_not_found(st,
                     "No OpKernel was registered to support Op '%s' used by {{node %s}} with these "
                     "attrs: [%s]\nRegistered devices: [%s]\nRegistered kernels:\n%s%s%s",
                     c->op->name, c->node_name ? c->node_name : "", strbuf_text(&attrs),
                     strbuf_text(&devices),
                     kernels.n ? strbuf_text(&kernels) : "  <no registered kernels>\n",
                     why ? "Reason: " : "", why ? why : "");
    strbuf_release(&attrs);
    strbuf_release(&devices);
    strbuf_release(&kernels);
}

const struct kernel_def *kernel_find(const struct op *op, const char *device,
                                     const struct attrs *attrs, const char *node_name,
                                     struct status *st)
{
    struct choice c = {.op = op,
                       .device = device,
                       .attrs = attrs,
                       .node_name = node_name,
                       .label = attrs_string(attrs, "_kernel")};
    if (!consider(first_built_in(op->name), false, &c, st) ||
        !consider(first_plugin(op->name), true, &c, st) || (c.equal && !fail_twice(&c, st)))
        return NULL;
    if (!c.best)
        fail_none(&c, st);
    return c.best ? c.best->def : NULL;
}

ewise_fn kernel_ewise(const struct kernel_def *def, const struct attrs *attrs, const int *in_types,
                      int num_in, int out_type)
{
    if (def->ewise_of)
        return def->ewise_of(attrs, in_types, num_in, out_type);
    for (int i = 0; i < num_in && def->ewise; i++) {
        if (in_types[i] != out_type)
            return NULL;
    }
    return def->ewise ? def->ewise(out_type) : NULL;
}
