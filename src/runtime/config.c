/* SPDX-License-Identifier: Apache-2.0 */
/* ConfigProto and RunOptions, read once when a session is made or a run asks for more than the
 * defaults. Bytes that look like text are tried as text first, others as binary. */
#include "runtime/config.h"

#include <string.h>

#include "base/mem.h"
#include "proto/leat_proto.h"

enum { MAX_CPU_DEVICES = 1024, MAX_FOLDED_BYTES = 10 << 20 };

void config_init(struct config *c)
{
    *c = (struct config){.cpu_devices = 1, .max_plans = CONFIG_MAX_PLANS};
    c->passes = (struct pass_options){.fold = true,
                                      .cse = true,
                                      .arithmetic = true,
                                      .fuse = true,
                                      .dead_branches = true,
                                      .waits = true,
                                      .max_folded_bytes = MAX_FOLDED_BYTES};
}

void config_clear(struct config *c)
{
    mem_free(c->target);
    mem_free(c->proto);
    for (int i = 0; i < c->num_device_filters; i++)
        mem_free(c->device_filters[i]);
    mem_free(c->device_filters);
    config_init(c);
}

struct config config_dup(const struct config *c)
{
    struct config d = *c;
    d.target = c->target ? mem_strdup(c->target) : NULL;
    if (c->proto) { /* bytes, not a text */
        d.proto = mem_alloc(c->proto_bytes + 1);
        memcpy(d.proto, c->proto, c->proto_bytes + 1);
    }
    d.device_filters = mem_new_array(char *, c->num_device_filters + 1);
    for (int i = 0; i < c->num_device_filters; i++)
        d.device_filters[i] = mem_strdup(c->device_filters[i]);
    return d;
}

static bool is_off(int toggle)
{
    return toggle == PB_REWRITER_CONFIG_TOGGLE_OFF;
}

static void read_optimizer(struct config *c, const struct pb_graph_options *g)
{
    const struct pb_optimizer_options *o = g->optimizer_options;
    const struct pb_rewriter_config *r = g->rewrite_options;
    if (o && o->opt_level < 0)
        c->passes = (struct pass_options){.fold = o->do_constant_folding,
                                          .cse = o->do_common_subexpression_elimination};
    c->passes.max_folded_bytes = o && o->max_folded_constant_in_bytes > 0
                                     ? o->max_folded_constant_in_bytes
                                     : MAX_FOLDED_BYTES;
    if (!r)
        return;
    if (r->disable_meta_optimizer)
        c->passes = (struct pass_options){.max_folded_bytes = c->passes.max_folded_bytes};
    c->passes.fold = c->passes.fold && !is_off(r->constant_folding);
    c->passes.cse = c->passes.cse && !is_off(r->arithmetic_optimization);
    c->passes.arithmetic = c->passes.arithmetic && !is_off(r->arithmetic_optimization);
    c->passes.fuse = c->passes.fuse && !is_off(r->remapping);
    c->passes.dead_branches = c->passes.dead_branches && !is_off(r->dependency_optimization) &&
                              !is_off(r->loop_optimization);
    c->passes.waits = c->passes.waits && !is_off(r->dependency_optimization);
}

static bool read_devices(struct config *c, const struct pb_config_proto *p, struct status *st)
{
    for (int64_t i = 0; i < p->device_count.n; i++) {
        const struct pb_config_proto_device_count_entry *e = p->device_count.v[i];
        if (!str_is(e->key, "CPU"))
            continue;
        if (e->value < 0 || e->value > MAX_CPU_DEVICES)
            return status_invalid(
                st, "ConfigProto: device_count[\"CPU\"] is %d, must be between 0 and %d", e->value,
                MAX_CPU_DEVICES);
        c->cpu_devices = e->value > 0 ? e->value : 1;
    }
    for (int64_t i = 0; i < p->device_filters.n; i++) {
        c->device_filters =
            mem_realloc(c->device_filters, sizeof(char *) * (size_t)(c->num_device_filters + 1));
        c->device_filters[c->num_device_filters++] =
            mem_strndup(p->device_filters.v[i].p, p->device_filters.v[i].n);
    }
    return true;
}

static bool read_config(struct config *c, const struct pb_config_proto *p, struct status *st)
{
    c->intra_threads = p->intra_op_parallelism_threads > 0 ? p->intra_op_parallelism_threads : 0;
    c->inter_threads = p->inter_op_parallelism_threads > 0 ? p->inter_op_parallelism_threads : 0;
    c->soft_placement = p->allow_soft_placement;
    c->log_placement = p->log_device_placement;
    c->isolate = p->isolate_session_state;
    c->per_session_threads = p->use_per_session_threads;
    c->operation_timeout_ms = p->operation_timeout_in_ms;
    if (p->graph_options) {
        c->place_pruned_graph = p->graph_options->place_pruned_graph;
        read_optimizer(c, p->graph_options);
    }
    return read_devices(c, p, st);
}

/* Printable throughout. Hardly a binary message is, but much text can be read as a binary one. */
static bool looks_like_text(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (p[i] == 0x7f ||
            ((unsigned char)p[i] < ' ' && p[i] != '\n' && p[i] != '\t' && p[i] != '\r'))
            return false;
    }
    return n > 0;
}

/* Either form, first the one that the bytes look like, whose error is told when both fail. */
static bool parse_either(struct arena *a, const struct pb_desc *d, const void *bytes, size_t n,
                         void **out, struct status *st)
{
    struct status first = {0}, second = {0};
    if (!bytes) { /* a buffer that nobody filled */
        bytes = "";
        n = 0;
    }
    bool text = looks_like_text(bytes, n);
    bool ok = text ? pb_text_parse(a, d, bytes, n, out, &first)
                   : pb_decode(a, d, bytes, n, 0, out, &first);
    if (!ok)
        ok = text ? pb_decode(a, d, bytes, n, 0, out, &second)
                  : pb_text_parse(a, d, bytes, n, out, &second);
    if (!ok) {
        status_copy(st, &first);
        status_prepend(st, "Unparseable %s proto: ", d->full_name);
    }
    status_clear(&first);
    status_clear(&second);
    return ok;
}

bool config_parse(struct config *c, const void *bytes, size_t n, struct status *st)
{
    struct arena a = {0};
    void *msg = NULL;
    bool ok = parse_either(&a, &pb_config_proto_desc, bytes, n, &msg, st);
    if (ok) {
        char *target = c->target;
        c->target = NULL;
        config_clear(c);
        c->target = target;
        ok = read_config(c, msg, st);
    }
    if (ok) {
        struct strbuf b = {0};
        ok = pb_encode(msg, &b, st);
        c->proto_bytes = b.n;
        c->proto = strbuf_take(&b);
    }
    arena_release(&a);
    return ok;
}

static bool keep_debug(struct run_options *o, const struct pb_debug_options *debug,
                       struct status *st)
{
    struct strbuf b = {0};
    bool ok = pb_encode(debug, &b, st);
    const size_t n = b.n;
    o->debug = str_make(strbuf_take(&b), n);
    return ok;
}

bool run_options_parse(struct run_options *o, const void *bytes, size_t n, struct status *st)
{
    struct arena a = {0};
    void *msg = NULL;
    bool ok = parse_either(&a, &pb_run_options_desc, bytes, n, &msg, st);
    if (ok) {
        const struct pb_run_options *p = msg;
        *o = (struct run_options){.trace_level = p->trace_level,
                                  .timeout_ms = p->timeout_in_ms,
                                  .inter_op_pool = p->inter_op_thread_pool,
                                  .output_partition_graphs = p->output_partition_graphs,
                                  .report_oom_allocations = p->report_tensor_allocations_upon_oom};
        if (p->debug_options && p->debug_options->debug_tensor_watch_opts.n > 0)
            ok = keep_debug(o, p->debug_options, st);
    }
    arena_release(&a);
    return ok;
}

void run_options_clear(struct run_options *o)
{
    mem_free((char *)(uintptr_t)o->debug.p);
    o->debug = (struct str){0};
}
