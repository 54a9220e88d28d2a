/* SPDX-License-Identifier: Apache-2.0 */
/* The tape: steps in order on the calling thread.
 *
 * Made for graphs without control flow, where dispatch is all the overhead there is: per step one
 * indirect call, input pointers made once per run state, and outputs that go straight into their
 * slots. A slot is cleared after its last consumer, so its buffer is reused a few steps later,
 * while it is still in the cache. */
#include <string.h>

#include "base/mem.h"
#include "op/cancel.h"
#include "op/changes.h"
#include "runtime/plan.h"
#include "runtime/trace.h"

enum { MAX_STACK_DEREFS = 16 };

/* A scalar's where none is known. */
static struct shape declared_shape(const struct variable *v)
{
    return shape_known(&v->shape) ? shape_copy(&v->shape) : shape_make(NULL, 0);
}

bool step_deref(const struct plan_step *s, struct tensor **in, struct tensor *temps,
                struct status *st)
{
    for (int i = 0; i < s->num_in; i++) {
        if (!dtype_is_ref(in[i]->dtype))
            continue;
        struct variable *v = in[i]->data;
        bool wants_ref = dtype_is_ref(s->kernel->input_types[i]);
        if (wants_ref) {
            if (!s->ref_uninit_ok && !variable_initialized(v))
                return status_precondition(st, "Attempting to use uninitialized value %s", v->name);
            continue;
        }
        if (s->uninit_values && !variable_initialized(v))
            temps[i] = (struct tensor){.dtype = v->dtype, .shape = declared_shape(v)};
        else if (!variable_read(v, &temps[i], st))
            return false;
        in[i] = &temps[i];
    }
    return true;
}

void step_explain(const struct plan_step *s, struct tensor *const *in, struct status *st)
{
    if (status_ok(st) || strstr(status_message(st), "[[{{node "))
        return;
    struct strbuf shapes = {0};
    for (int i = 0; i < s->num_in && i < 8; i++) {
        strbuf_puts(&shapes, i ? ", " : "");
        if (dtype_is_ref(in[i]->dtype) || in[i]->dtype == DT_INVALID)
            strbuf_puts(&shapes, dtype_is_ref(in[i]->dtype) ? "ref" : "?");
        else
            shape_print(&in[i]->shape, &shapes);
    }
    const char *made = s->kernel && s->kernel->made_at ? s->kernel->made_at : NULL;
    status_append(st, "\n\t [[{{node %s}}]] (op %s, input shapes: %s%s%s)", s->name,
                  s->kernel ? s->kernel->op->name : "?", strbuf_text(&shapes),
                  made ? ", made at " : "", made ? made : "");
    strbuf_release(&shapes);
}

struct tensor step_arg(struct kernel_env *env, int index)
{
    const struct tensor *value = &env->args[index];
    return env->take_args ? tensor_take((struct tensor *)(uintptr_t)value) : tensor_copy(value);
}

bool step_return(struct kernel_env *env, int index, struct tensor *value, bool take,
                 struct status *st)
{
    struct tensor *out = &env->retvals[index];
    if (dtype_is_ref(value->dtype) && /* plan_run reads those of a step */
        (env->depth > 0 || !variable_initialized(value->data)))
        return variable_read(value->data, out, st);
    *out = take ? tensor_take(value) : tensor_copy(value);
    return true;
}

/* What was read out of a variable for the op does not die with it; its other inputs may. */
static void keep_refs(struct tensor *const *in, int n, uint64_t *last_use)
{
    for (int i = 0; i < n && i < 64; i++)
        if (dtype_is_ref(in[i]->dtype))
            *last_use &= ~((uint64_t)1 << i);
}

bool step_run_derefs(const struct plan_step *s, struct kctx *c, struct status *st)
{
    struct tensor small[MAX_STACK_DEREFS], *temps = small;
    struct tensor *small_in[MAX_STACK_DEREFS], **in = small_in;
    if (UNLIKELY(s->num_in > MAX_STACK_DEREFS)) {
        temps = mem_alloc(mem_array_bytes(s->num_in, sizeof *temps));
        in = mem_alloc(mem_array_bytes(s->num_in, sizeof *in));
    }
    memset(temps, 0, sizeof temps[0] * (size_t)s->num_in);
    memcpy(in, c->in, sizeof in[0] * (size_t)s->num_in);
    struct tensor **direct = c->in;
    c->in = in;
    keep_refs(direct, s->num_in, &c->in_last_use);
    bool ok = step_deref(s, in, temps, st) &&
              (LIKELY(!c->env->changes) || !changes_applies(s->kernel) ? s->kernel->def->run(c, st)
                                                                       : changes_run(c, st));
    for (int i = 0; i < s->num_in; i++)
        tensor_clear(&temps[i]);
    c->in = direct;
    if (temps != small) {
        mem_free(temps);
        mem_free(in);
    }
    return ok;
}

static bool run_step(const struct plan_part *part, const struct plan_step *s, struct kctx *c,
                     struct step_trace *trace, struct status *st)
{
    if (s->kind == STEP_CONST || s->kind == STEP_ARG)
        return true;
    if (s->kind == STEP_RETVAL) {
        struct tensor *v = c->in[0];
        return step_return(c->env, s->arg, v, s->last_use & 1, st);
    }
    if (s->kind == STEP_FORWARD && LIKELY(trace == NULL)) {
        c->out[0] = s->last_use & 1 ? tensor_take(c->in[0]) : tensor_copy(c->in[0]);
        return true;
    }
    int64_t start = UNLIKELY(trace != NULL) ? clock_now_ns() : 0;
    c->kernel = s->kernel;
    c->in_last_use = s->last_use;
    bool ok = UNLIKELY(s->derefs) ? step_run_derefs(s, c, st) : s->kernel->def->run(c, st);
    if (UNLIKELY(c->scratch_head != NULL))
        kernel_scratch_release(c);
    if (UNLIKELY(trace != NULL))
        trace_add(trace, part, s, start, clock_now_ns(), c->out);
    return ok;
}

/* After an error: every slot is emptied but those of constants. */
static void clear_slots(const struct plan_part *part, struct tensor *slots)
{
    for (int i = 0; i < part->num_slots; i++) {
        if (part->constants[i].dtype == DT_INVALID)
            tensor_clear(&slots[i]);
    }
}

bool tape_run(const struct plan_part *part, struct tensor *slots, struct tensor **in,
              struct kernel_env *env, struct step_trace *trace, struct status *st)
{
    struct kctx c = {.env = env, .frame = "", .expected_alive = -1};
    for (int i = 0; i < part->num_steps; i++) {
        const struct plan_step *s = &part->steps[i];
        c.in = in + s->first_in;
        c.out = slots + s->first_out;
        if (s->kind == STEP_ARG)
            slots[s->first_out] = step_arg(env, s->arg);
        bool ok = run_step(part, s, &c, trace, st);
        if (!ok)
            step_explain(s, c.in, st);
        if (ok && env->cancel && (i & 15) == 15)
            ok = cancel_check(env->cancel, st);
        if (UNLIKELY(!ok)) {
            clear_slots(part, slots);
            return false;
        }
        for (int f = 0; f < s->num_free; f++)
            tensor_clear(&slots[part->frees[s->first_free + f]]);
    }
    return true;
}
