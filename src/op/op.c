/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of op definitions.
 *
 * Built-in definitions come as an array that the build collects. A map from names to slots is made
 * once, at the first question; a definition is parsed when it is first found, by whichever thread
 * comes first (a second one that raced drops its own copy). So loading the library costs nothing
 * and a program pays for the ops it uses. Plug-ins live in a second map, behind a lock that is
 * looked at only once there are any. */
#include "op/op.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/lock.h"
#include "base/log.h"
#include "base/map.h"
#include "base/mem.h"
#include "op/op_spec.h"

extern const struct op_def *const leat_all_op_defs[]; /* NULL at the end; made by the build */

struct slot {
    const struct op_def *def;
    struct op *op; /* atomic; NULL: not parsed yet */
};

static pthread_once_t built_in_once = PTHREAD_ONCE_INIT;
static struct strmap built_in; /* name -> struct slot; never changes once made */

static struct lock plugin_lock = LOCK_INIT("op plug-ins", LOCK_RANK_LEAF);
static struct strmap plugins; /* name -> struct slot; guarded by plugin_lock */
static int num_plugins;       /* atomic */

/* --- parsing --- */

static int count_texts(const char *const *texts, int max)
{
    int n = 0;
    while (n < max && texts[n])
        n++;
    return n;
}

static struct scan scan_of(const struct op *op, const char *owner, const char *text)
{
    return (struct scan){.owner = owner, .text = text, .p = text, .arena = op->arena};
}

static bool parse_attrs(struct op *op, const char *owner, struct status *st)
{
    int n = count_texts(op->def->attrs, OP_MAX_ATTRS);
    op->attrs = arena_array(op->arena, struct op_attr, n);
    for (int i = 0; i < n; i++) {
        struct scan s = scan_of(op, owner, op->def->attrs[i]);
        op->num_attrs = i + 1; /* so that op_free sees a default that came before an error */
        op->attrs[i].default_value.kind = ATTR_NONE;
        if (!spec_parse_attr(&s, &op->attrs[i], st))
            return false;
        for (int j = 0; j < i; j++) {
            if (strcmp(op->attrs[i].name, op->attrs[j].name) == 0)
                return status_invalid(st, "%s: attr '%s' is declared twice", owner,
                                      op->attrs[i].name);
        }
    }
    return true;
}

static struct op_arg *parse_args(struct op *op, const char *owner, const char *const *texts, int n,
                                 struct status *st)
{
    struct op_arg *args = arena_array(op->arena, struct op_arg, n);
    for (int i = 0; i < n; i++) {
        struct scan s = scan_of(op, owner, texts[i]);
        if (!spec_parse_arg(&s, op, &args[i], st))
            return NULL;
        for (int j = 0; j < i; j++) {
            if (strcmp(args[i].name, args[j].name) != 0)
                continue;
            status_invalid(st, "%s: argument '%s' is declared twice", owner, args[i].name);
            return NULL;
        }
    }
    return args;
}

struct op *op_parse(const struct op_def *def, struct status *st)
{
    if (!def->name || !def->name[0]) {
        status_invalid(st, "An op definition without a name");
        return NULL;
    }
    struct op *op = mem_new(struct op);
    op->arena = mem_new(struct arena);
    op->def = def;
    op->name = arena_strdup(op->arena, def->name);
    const char *owner = arena_printf(op->arena, "Op '%s'", def->name);
    bool ok = parse_attrs(op, owner, st);
    if (ok) {
        op->num_inputs = count_texts(def->inputs, OP_MAX_INPUTS);
        op->inputs = parse_args(op, owner, def->inputs, op->num_inputs, st);
    }
    if (ok && op->inputs) {
        op->num_outputs = count_texts(def->outputs, OP_MAX_OUTPUTS);
        op->outputs = parse_args(op, owner, def->outputs, op->num_outputs, st);
    }
    if (ok && op->inputs && op->outputs)
        return op;
    op_free(op);
    return NULL;
}

void op_free(struct op *op)
{
    if (!op)
        return;
    for (int i = 0; i < op->num_attrs; i++)
        attr_value_clear(&op->attrs[i].default_value);
    arena_release(op->arena);
    mem_free(op->arena);
    mem_free(op);
}

/* --- finding --- */

static void make_built_in(void)
{
    int n = 0;
    while (leat_all_op_defs[n])
        n++;
    struct slot *slots = n ? mem_new_array(struct slot, n) : NULL;
    for (int i = 0; i < n; i++) {
        slots[i].def = leat_all_op_defs[i];
        if (strmap_put(&built_in, slots[i].def->name, &slots[i]))
            log_error("op '%s' is defined twice; the last one counts", slots[i].def->name);
    }
}

static struct slot *find_slot(const char *name)
{
    pthread_once(&built_in_once, make_built_in);
    struct slot *slot = strmap_find(&built_in, name);
    if (slot || __atomic_load_n(&num_plugins, __ATOMIC_ACQUIRE) == 0)
        return slot;
    lock_take(&plugin_lock);
    slot = strmap_find(&plugins, name);
    lock_drop(&plugin_lock);
    return slot;
}

/* The slot's op, parsed now if need be; NULL when its spec is wrong. */
static const struct op *slot_op(struct slot *slot, struct status *st)
{
    struct op *op = __atomic_load_n(&slot->op, __ATOMIC_ACQUIRE);
    if (LIKELY(op != NULL))
        return op;
    struct op *mine = op_parse(slot->def, st);
    if (!mine)
        return NULL;
    if (__atomic_compare_exchange_n(&slot->op, &op, mine, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        return mine;
    op_free(mine);
    return op;
}

const struct op *op_find(const char *name)
{
    struct slot *slot = name ? find_slot(name) : NULL;
    if (!slot)
        return NULL;
    struct status st = {0};
    const struct op *op = slot_op(slot, &st);
    if (!op)
        log_error("%s", status_message(&st));
    status_clear(&st);
    return op;
}

/* The built-in op that may have been meant, or NULL. */
static const char *nearest_op(const char *name)
{
    const char *key, *near = NULL;
    void *value;
    int best = INT_MAX;
    for (int64_t i = 0; strmap_next(&built_in, &i, &key, &value);) {
        if (str_nearer(name, key, &best))
            near = ((struct slot *)value)->def->name;
    }
    return near;
}

static void fail_unknown(const char *name, struct status *st)
{
    const char *near = nearest_op(name);
    char host[256] = "";
    if (gethostname(host, sizeof host) != 0)
        host[0] = '\0';
    host[sizeof host - 1] = '\0';
    status_not_found(st,
                     "Op type not registered '%s' in binary running on %s. Make sure the Op and "
                     "Kernel are registered in the binary running in this process.%s%s%s",
                     name, host[0] ? host : "this machine", near ? " Did you mean '" : "",
                     near ? near : "", near ? "'?" : "");
}

const struct op *op_get(const char *name, struct status *st)
{
    struct slot *slot = name ? find_slot(name) : NULL;
    if (!slot) {
        fail_unknown(name ? name : "", st);
        return NULL;
    }
    return slot_op(slot, st);
}

/* --- all of them --- */

static int by_name(const void *a, const void *b)
{
    return strcmp((*(struct slot *const *)a)->def->name, (*(struct slot *const *)b)->def->name);
}

static void collect(const struct strmap *m, struct slot ***slots, int64_t *n, int64_t *cap)
{
    const char *key;
    void *value;
    for (int64_t i = 0; strmap_next(m, &i, &key, &value);) {
        *slots = vec_reserve(*slots, cap, *n + 1, sizeof **slots);
        (*slots)[(*n)++] = value;
    }
}

void op_each(bool (*fn)(const struct op *op, void *arg), void *arg)
{
    pthread_once(&built_in_once, make_built_in);
    struct slot **slots = NULL;
    int64_t n = 0, cap = 0;
    collect(&built_in, &slots, &n, &cap);
    lock_take(&plugin_lock);
    collect(&plugins, &slots, &n, &cap);
    lock_drop(&plugin_lock);
    if (n > 0)
        qsort(slots, (size_t)n, sizeof *slots, by_name);
    for (int64_t i = 0; i < n; i++) {
        const struct op *op = op_find(slots[i]->def->name);
        if (op && !fn(op, arg))
            break;
    }
    mem_free(slots);
}

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

/* The first letter may be told from the rest, which are letters, digits and underscores. */
static bool name_ok(const char *name, bool lower_first, bool upper_first, bool upper_inside)
{
    if (!(lower_first && is_lower(*name)) && !(upper_first && is_upper(*name)))
        return false;
    for (const char *p = name + 1; *p; p++) {
        if (!is_lower(*p) && !(upper_inside && is_upper(*p)) && !(*p >= '0' && *p <= '9') &&
            *p != '_')
            return false;
    }
    return true;
}

static bool check_arg_names(const struct op *op, const struct op_arg *args, int n,
                            struct status *st)
{
    for (int i = 0; i < n; i++) {
        if (!name_ok(args[i].name, true, false, false))
            return status_invalid(st,
                                  "Op '%s': an argument is named '%s', where a small letter, then "
                                  "small letters, digits and underscores are wanted",
                                  op->name, args[i].name);
        for (int j = 0; args == op->outputs && j < op->num_inputs; j++) {
            if (strcmp(args[i].name, op->inputs[j].name) == 0)
                return status_invalid(st, "Duplicate name: %s for Op %s", args[i].name, op->name);
        }
    }
    return true;
}

static bool check_names(const struct op *op, struct status *st)
{
    if (op->name[0] != '_' && !name_ok(op->name, false, true, true))
        return status_invalid(st, "Invalid name: %s (Did you use CamelCase?)", op->name);
    for (int i = 0; i < op->num_attrs; i++) {
        if (!name_ok(op->attrs[i].name, true, true, true))
            return status_invalid(st, "Op '%s': '%s' is no name for an attr", op->name,
                                  op->attrs[i].name);
    }
    return check_arg_names(op, op->inputs, op->num_inputs, st) &&
           check_arg_names(op, op->outputs, op->num_outputs, st);
}

/* A number of values, or a list of types, is at least 1 long unless its spec has a minimum. */
static void set_default_minimum(struct op *op, const struct op_arg *args, int n)
{
    for (int i = 0; i < n; i++) {
        int at = args[i].number_attr >= 0 ? args[i].number_attr
                 : args[i].is_list_type   ? args[i].type_attr
                                          : -1;
        if (at >= 0 && !op->attrs[at].has_min) {
            op->attrs[at].has_min = true;
            op->attrs[at].min = 1;
        }
    }
}

bool op_register(const struct op_def *def, struct status *st)
{
    struct op *op = op_parse(def, st);
    if (!op)
        return false;
    if (!check_names(op, st)) {
        op_free(op);
        return false;
    }
    set_default_minimum(op, op->inputs, op->num_inputs);
    set_default_minimum(op, op->outputs, op->num_outputs);
    pthread_once(&built_in_once, make_built_in);
    bool taken = strmap_has(&built_in, def->name);
    if (!taken) {
        lock_take(&plugin_lock);
        taken = strmap_has(&plugins, def->name);
        if (!taken) {
            struct slot *slot = mem_new(struct slot);
            *slot = (struct slot){.def = def, .op = op};
            strmap_put(&plugins, def->name, slot);
            __atomic_fetch_add(&num_plugins, 1, __ATOMIC_RELEASE);
        }
        lock_drop(&plugin_lock);
    }
    if (!taken)
        return true;
    op_free(op);
    return status_fail(st, STATUS_ALREADY_EXISTS, "Op with name %s", def->name);
}

const struct op_attr *op_attr_find(const struct op *op, const char *name)
{
    for (int i = 0; i < op->num_attrs; i++) {
        if (strcmp(op->attrs[i].name, name) == 0)
            return &op->attrs[i];
    }
    return NULL;
}
