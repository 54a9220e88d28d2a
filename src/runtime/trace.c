/* SPDX-License-Identifier: Apache-2.0 */
/* Step stats: events are kept as they come and turned into a RunMetadata after the step. */
#include "runtime/trace.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "proto/leat_proto.h"

void trace_init(struct step_trace *t)
{
    memset(t, 0, sizeof *t);
    lock_init(&t->lock, "trace", LOCK_RANK_LEAF);
    t->begin_ns = clock_now_ns();
    t->begin_wall_us = clock_wall_us();
}

void trace_release(struct step_trace *t)
{
    mem_free(t->events);
    lock_release_memory(&t->lock);
}

/* The ops inside a fused node: "[Mul+Add+Tanh]". */
static void fused_label(const struct plan_step *s, struct strbuf *b)
{
    const struct attr_value *v = s->kernel ? attrs_list(s->kernel->attrs, "nodes") : NULL;
    if (!v || v->kind != ATTR_FUNC || v->n == 0)
        return;
    for (int64_t i = 0; i < v->n; i++)
        strbuf_printf(b, "%c%s", i ? '+' : '[', v->funcs[i]->name);
    strbuf_putc(b, ']');
}

/* "MatMul_3 = MatMul(x, w)", which timelines show. */
static void label_add(const struct plan_step *s, struct strbuf *b)
{
    const char *op = s->kernel ? s->kernel->op->name : "?";
    strbuf_printf(b, "%s = %s", s->name, op);
    fused_label(s, b);
    strbuf_putc(b, '(');
    for (int i = 0; s->origin && i < s->origin->num_inputs; i++)
        strbuf_printf(b, "%s%s", i ? ", " : "",
                      s->origin->inputs[i].node ? s->origin->inputs[i].node->name : "?");
    strbuf_putc(b, ')');
}

/* LEAT_DEBUG: a line for a node that ran; from 4 on with the first elements of its outputs. */
static void say_event(const struct trace_event *e, const struct tensor *outputs)
{
    struct strbuf b = {0};
    label_add(e->step, &b);
    strbuf_printf(&b, " on %s in %.1f us", e->part->device->name,
                  (double)(e->end_ns - e->start_ns) * 1e-3);
    for (int i = 0; log_debug_level() >= 4 && i < e->num_outputs; i++) {
        if (outputs[i].dtype == DT_INVALID || dtype_is_ref(outputs[i].dtype))
            continue;
        strbuf_printf(&b, "; output %d: ", i);
        tensor_summarize(&outputs[i], 8, &b);
    }
    log_info("ran %s", b.p);
    strbuf_release(&b);
}

void trace_add(struct step_trace *t, const struct plan_part *part, const struct plan_step *s,
               int64_t start_ns, int64_t end_ns, const struct tensor *outputs)
{
    struct trace_event e = {.step = s, .part = part, .start_ns = start_ns, .end_ns = end_ns};
    e.thread = (uint32_t)syscall(SYS_gettid);
    e.num_outputs = !outputs ? 0 : s->num_out < 4 ? s->num_out : 4;
    for (int i = 0; i < e.num_outputs; i++)
        e.bytes[i] = outputs[i].dtype != DT_INVALID && !dtype_is_ref(outputs[i].dtype)
                         ? (int64_t)tensor_bytes(&outputs[i])
                         : 0;
    if (UNLIKELY(log_debug_level() >= 3))
        say_event(&e, outputs);
    lock_take(&t->lock);
    t->events = vec_reserve(t->events, &t->cap, t->n + 1, sizeof *t->events);
    t->events[t->n++] = e;
    lock_drop(&t->lock);
}

static void add_event(struct arena *a, struct pb_device_step_stats *dev, const struct step_trace *t,
                      const struct trace_event *e)
{
    struct pb_node_exec_stats *n = pb_node_exec_stats_add(a, &dev->node_stats);
    int64_t start = e->start_ns - t->begin_ns, took = e->end_ns - e->start_ns;
    pb_set_str(a, &n->node_name, e->step->name);
    n->all_start_micros = t->begin_wall_us + start / 1000;
    n->all_start_nanos = t->begin_wall_us * 1000 + start;
    n->op_end_rel_micros = n->all_end_rel_micros = (took + 999) / 1000;
    n->op_end_rel_nanos = n->all_end_rel_nanos = took;
    n->scheduled_micros = n->all_start_micros;
    n->scheduled_nanos = n->all_start_nanos;
    n->thread_id = e->thread;
    struct strbuf label = {0};
    label_add(e->step, &label);
    n->timeline_label = pb_str_dup(a, str_make(label.p, label.n));
    strbuf_release(&label);
    for (int i = 0; i < e->num_outputs; i++) {
        struct pb_node_output *o = pb_node_output_add(a, &n->output);
        o->slot = i;
        o->tensor_description = pb_tensor_description_new(a);
        o->tensor_description->dtype =
            e->step->kernel ? dtype_base(e->step->kernel->output_types[i]) : 0;
        o->tensor_description->allocation_description = pb_allocation_description_new(a);
        o->tensor_description->allocation_description->requested_bytes = e->bytes[i];
        o->tensor_description->allocation_description->allocated_bytes = e->bytes[i];
        pb_set_str(a, &o->tensor_description->allocation_description->allocator_name, "cpu");
    }
}

void trace_metadata(struct step_trace *t, const struct plan *p, struct strbuf *out)
{
    struct arena a = {0};
    struct status st = {0};
    struct pb_run_metadata *m = pb_run_metadata_new(&a);
    m->step_stats = pb_step_stats_new(&a);
    for (int i = 0; i < p->num_parts; i++) {
        struct pb_device_step_stats *dev = pb_device_step_stats_add(&a, &m->step_stats->dev_stats);
        pb_set_str(&a, &dev->device, p->parts[i].device->name);
        for (int64_t k = 0; k < t->n; k++) {
            if (t->events[k].part == &p->parts[i])
                add_event(&a, dev, t, &t->events[k]);
        }
    }
    if (!pb_encode(m, out, &st))
        status_clear(&st); /* nesting is fixed and shallow: cannot fail */
    arena_release(&a);
}

/* --- Chrome's trace event form --- */

static void json_text(struct strbuf *b, struct str s)
{
    strbuf_putc(b, '"');
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c == '"' || c == '\\')
            strbuf_printf(b, "\\%c", c);
        else if (c < 0x20)
            strbuf_printf(b, "\\u%04x", c);
        else
            strbuf_putc(b, (char)c);
    }
    strbuf_putc(b, '"');
}

bool trace_chrome(const void *metadata, size_t n, struct strbuf *out, struct status *st)
{
    struct arena a = {0};
    struct pb_run_metadata *m = NULL;
    if (!pb_run_metadata_decode(&a, metadata, n, PB_BORROW, &m, st)) {
        arena_release(&a);
        return false;
    }
    strbuf_puts(out, "{\"traceEvents\": [");
    const char *comma = "\n";
    for (int64_t d = 0; m->step_stats && d < m->step_stats->dev_stats.n; d++) {
        const struct pb_device_step_stats *dev = m->step_stats->dev_stats.v[d];
        strbuf_printf(
            out,
            "%s{\"ph\": \"M\", \"pid\": %lld, \"name\": \"process_name\", \"args\": {\"name\": ",
            comma, (long long)d);
        json_text(out, dev->device);
        strbuf_puts(out, "}}");
        comma = ",\n";
        for (int64_t k = 0; k < dev->node_stats.n; k++) {
            const struct pb_node_exec_stats *e = dev->node_stats.v[k];
            strbuf_printf(out,
                          ",\n{\"ph\": \"X\", \"pid\": %lld, \"tid\": %u, \"ts\": %lld, \"dur\": "
                          "%lld, \"name\": ",
                          (long long)d, e->thread_id, (long long)e->all_start_micros,
                          (long long)e->all_end_rel_micros);
            json_text(out, e->node_name);
            strbuf_puts(out, ", \"args\": {\"label\": ");
            json_text(out, e->timeline_label);
            strbuf_puts(out, "}}");
        }
    }
    strbuf_puts(out, "\n]}\n");
    arena_release(&a);
    return true;
}
