/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel of a node: its copy of name and attrs, its types, its state.
 *
 * Made once per (session, node) and used by every step from then on, so everything a run needs is
 * laid out here. A kernel owns what it points to: the graph may be rewritten under it. */
#include <string.h>

#include "base/mem.h"
#include "op/kernel.h"
#include "op/kernel_names.h"

struct owned { /* what kernel_new makes: the public part first */
    struct kernel k;
    struct attrs attrs;
    char *name, *device, *container, *shared_name, *private_name;
    char *session_name; /* atomic; NULL: not asked for yet */
    int *input_types, *output_types;
};

static int private_counter; /* atomic: numbers names of kernels that share nothing */

static const struct owned *owned_of(const struct kernel *k)
{
    return (const struct owned *)k;
}

/* Attr `name` as a C text, or NULL. */
static char *text_attr(const struct attrs *attrs, const char *name)
{
    const struct attr_value *v = attrs_find(attrs, name);
    if (!v || v->is_list || v->kind != ATTR_STRING)
        return NULL;
    return mem_strndup(v->s.p, v->s.n);
}

static void set_names(struct owned *o)
{
    o->container = text_attr(&o->attrs, "container");
    o->shared_name = text_attr(&o->attrs, "shared_name");
    if (!o->shared_name)
        return; /* not an op that makes resources */
    int n = __atomic_fetch_add(&private_counter, 1, __ATOMIC_RELAXED);
    o->private_name = mem_printf("_%d_%s", n, o->name);
}

const char *kernel_container(const struct kernel *k)
{
    const struct owned *o = owned_of(k);
    return o->container ? o->container : "";
}

/* Made when it is first asked for, perhaps by two threads at once: a kernel has one session. */
static const char *session_name(struct owned *o, const char *session)
{
    char *name = __atomic_load_n(&o->session_name, __ATOMIC_ACQUIRE), *none = NULL;
    if (name)
        return name;
    name = mem_printf("_%s_%s", session, o->name);
    if (__atomic_compare_exchange_n(&o->session_name, &none, name, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        return name;
    mem_free(name);
    return none;
}

const char *kernel_resource_name(const struct kernel *k, bool use_node_name, const char *session)
{
    struct owned *o = (struct owned *)(uintptr_t)owned_of(k);
    if (o->shared_name && o->shared_name[0])
        return o->shared_name;
    if (use_node_name || !o->private_name)
        return o->name;
    return session && session[0] ? session_name(o, session) : o->private_name;
}

static bool init_state(struct kernel *k, struct status *st)
{
    if (k->def->state_bytes > 0)
        k->state = mem_zalloc(k->def->state_bytes);
    if (!k->def->init || k->def->init(k, k->state, st))
        return true;
    if (status_ok(st))
        status_internal(st, "The kernel of %s could not be made and did not say why", k->op->name);
    return false;
}

struct kernel *kernel_new(const struct kernel_def *def, const struct op *op, const char *node_name,
                          const struct attrs *attrs, const char *device, struct status *st)
{
    struct owned *o = mem_new(struct owned);
    struct kernel *k = &o->k;
    o->name = mem_strdup(node_name ? node_name : "");
    o->device = mem_strdup(device ? device : "");
    o->attrs = attrs_dup(attrs);
    op_fill_defaults(op, &o->attrs);
    *k = (struct kernel){.op = op, .node_name = o->name, .device = o->device, .attrs = &o->attrs};
    if (!op_input_types(op, &o->attrs, &o->input_types, &k->num_inputs, st) ||
        !op_output_types(op, &o->attrs, &o->output_types, &k->num_outputs, st)) {
        kernel_free(k);
        return NULL;
    }
    k->input_types = o->input_types;
    k->output_types = o->output_types;
    k->def = def; /* from here on there may be a state to release */
    set_names(o);
    if (init_state(k, st))
        return k;
    kernel_free(k);
    return NULL;
}

void kernel_free(struct kernel *k)
{
    if (!k)
        return;
    struct owned *o = (struct owned *)k;
    if (k->def && k->def->release)
        k->def->release(k->state);
    mem_free(k->state);
    attrs_clear(&o->attrs);
    mem_free(o->name);
    mem_free(o->device);
    mem_free(o->container);
    mem_free(o->shared_name);
    mem_free(o->private_name);
    mem_free(o->session_name);
    mem_free(o->input_types);
    mem_free(o->output_types);
    mem_free(o);
}

static bool arg_range(const struct kernel *k, const struct op_arg *args, int num_args,
                      const char *arg, int range[2])
{
    int64_t first = 0;
    for (int i = 0; i < num_args; i++) {
        struct status st = {0};
        int64_t n;
        if (!op_arg_len(k->op, &args[i], k->attrs, &n, &st)) {
            status_clear(&st);
            return false;
        }
        if (strcmp(args[i].name, arg) == 0) {
            range[0] = (int)first;
            range[1] = (int)n;
            return true;
        }
        first += n;
    }
    return false;
}

bool kernel_input_range(const struct kernel *k, const char *arg, int *first, int *n)
{
    int range[2];
    if (!arg_range(k, k->op->inputs, k->op->num_inputs, arg, range))
        return false;
    *first = range[0];
    *n = range[1];
    return true;
}

bool kernel_output_range(const struct kernel *k, const char *arg, int *first, int *n)
{
    int range[2];
    if (!arg_range(k, k->op->outputs, k->op->num_outputs, arg, range))
        return false;
    *first = range[0];
    *n = range[1];
    return true;
}
