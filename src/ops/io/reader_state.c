/* SPDX-License-Identifier: Apache-2.0 */
/* What a reader has done, and its state as bytes (a ReaderBaseState): how many files it began and
 * ended, the records it gave, the file in progress. Only readers of whole files can save it. */
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "op/grad.h"
#include "ops/io/reader.h"
#include "proto/leat_proto.h"

static bool put_count(struct kctx *c, bool units, struct status *st)
{
    struct shape scalar = shape_scalar();
    struct reader *r = reader_of_input(c, st);
    struct tensor *out = r ? kernel_out(c, 0, &scalar, st) : NULL;

    if (out) {
        lock_take(&r->lock);
        *tensor_i64(out) = units ? r->ended : r->records;
        lock_drop(&r->lock);
    }
    reader_unref(r);
    return out != NULL;
}

static bool records_run(struct kctx *c, struct status *st)
{
    return put_count(c, false, st);
}

static bool units_run(struct kctx *c, struct status *st)
{
    return put_count(c, true, st);
}

static bool reset_run(struct kctx *c, struct status *st)
{
    struct reader *r = reader_of_input(c, st);

    if (!r)
        return false;
    lock_take(&r->lock);
    reader_reset(r);
    lock_drop(&r->lock);
    reader_unref(r);
    return true;
}

/* --- save and restore --- */

static bool save(struct reader *r, struct strbuf *out, struct status *st)
{
    struct arena a = {0};
    struct pb_reader_base_state *p = pb_reader_base_state_new(&a);

    lock_take(&r->lock);
    p->work_started = r->started;
    p->work_finished = r->ended;
    p->num_records_produced = r->records;
    if (r->work)
        p->current_work = str_of(arena_strdup(&a, r->work));
    lock_drop(&r->lock);
    bool ok = pb_encode(p, out, st);

    arena_release(&a);
    return ok;
}

static bool serialize_run(struct kctx *c, struct status *st)
{
    struct shape scalar = shape_scalar();
    struct reader *r = reader_of_input(c, st);
    struct strbuf bytes = {0};
    struct tensor *out = NULL;
    bool ok = r && (r->kind->saves || status_unimplemented(st, "Reader SerializeState"));

    ok = ok && save(r, &bytes, st) && (out = kernel_out(c, 0, &scalar, st));
    if (ok && !tstr_set(tensor_str(out), strbuf_text(&bytes), bytes.n))
        ok = status_exhausted(st, "no memory for a reader's state");
    strbuf_release(&bytes);
    reader_unref(r);
    return ok;
}

static bool check_state(const struct reader *r, const struct pb_reader_base_state *p,
                        struct status *st)
{
    const char *kind = r->kind->name;
    const struct {
        const char *name;
        int64_t n;
    } counts[] = {{"work_started", p->work_started},
                  {"work_finished", p->work_finished},
                  {"num_records_produced", p->num_records_produced}};
    const int64_t in_progress = p->current_work.n > 0;

    for (int i = 0; i < 3; i++)
        if (counts[i].n < 0)
            return status_invalid(st,
                                  "Unexpected negative value when restoring in %s '%s': %s: %lld",
                                  kind, r->name, counts[i].name, (long long)counts[i].n);
    if (p->work_started < p->work_finished || p->work_started - p->work_finished > 1 ||
        (in_progress && p->work_started == p->work_finished) ||
        (!in_progress && p->work_started != p->work_finished))
        return status_invalid(st,
                              "Inconsistent work started vs. finished when restoring in %s '%s': "
                              "work_started: %lld work_finished: %lld",
                              kind, r->name, (long long)p->work_started,
                              (long long)p->work_finished);
    return !p->current_work.n || !memchr(p->current_work.p, 0, p->current_work.n) ||
           status_invalid(st, "%s '%s': the file in progress has a zero byte in its name", kind,
                          r->name);
}

static bool restore(struct reader *r, struct str bytes, struct status *st)
{
    struct arena a = {0};
    struct status why = {0};
    struct pb_reader_base_state *p;
    bool ok = pb_reader_base_state_decode(&a, bytes.p, bytes.n, PB_BORROW, &p, &why);

    if (!ok)
        status_invalid(st, "Could not parse state for %s '%s': %.*s", r->kind->name, r->name,
                       (int)(bytes.n < 200 ? bytes.n : 200), bytes.p);
    status_clear(&why);
    if (ok && (ok = check_state(r, p, st))) {
        lock_take(&r->lock);
        reader_reset(r);
        r->started = p->work_started;
        r->ended = p->work_finished;
        r->records = p->num_records_produced;
        if (p->current_work.n > 0)
            r->work = mem_strndup(p->current_work.p, p->current_work.n);
        lock_drop(&r->lock);
    }
    arena_release(&a);
    return ok;
}

static bool restore_run(struct kctx *c, struct status *st)
{
    const struct tensor *state = kernel_in(c, 1);
    struct reader *r;
    bool ok;

    if (tensor_rank(state) != 0) {
        struct strbuf shape = {0};

        shape_print(&state->shape, &shape);
        status_invalid(st, "Reader state must be scalar, but had shape: %s", strbuf_text(&shape));
        strbuf_release(&shape);
        return false;
    }
    r = reader_of_input(c, st);
    ok = r && (r->kind->saves || status_unimplemented(st, "Reader RestoreState")) &&
         restore(r, tstr_view(tensor_str(state)), st);
    reader_unref(r);
    return ok;
}

/* --- definitions --- */

static bool scalar_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;

    if (!reader_check_handle(c, 0, st))
        return false;
    if (infer_num_inputs(c) > 1 && !infer_want_rank(c, infer_input(c, 1), 0, &s, st))
        return false;
    if (infer_num_outputs(c) > 0)
        infer_set(c, 0, infer_scalar(c));
    return true;
}

/* clang-format off */
#define ONE_FORM(id, op_name, text, form, op_flags, why, fn, second, ...)                          \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .inputs = {"reader_handle: " form, second},                                                \
        .outputs = {__VA_ARGS__},                                                                  \
        .flags = op_flags,                                                                         \
        .shape = scalar_shape,                                                                     \
        .no_grad = why,                                                                            \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {.op = op_name, .device = "CPU", .flags = KERNEL_BLOCKING, .run = fn}
#define BOTH(id, op_name, text, fn, second, ...)                                                   \
    ONE_FORM(id, op_name, text, "Ref(string)", 0, "counts and states are no numbers to derive",    \
             fn, second, __VA_ARGS__);                                                             \
    ONE_FORM(id##_v2, op_name "V2", text, "resource", OP_STATEFUL,                                 \
             "undefined: files have no gradient", fn, second, __VA_ARGS__)

BOTH(reader_num_records_produced, "ReaderNumRecordsProduced", "How many records a reader has given.",
     records_run, NULL, "records_produced: int64");
BOTH(reader_num_work_units_completed, "ReaderNumWorkUnitsCompleted",
     "How many files a reader has read to their end.", units_run, NULL, "units_completed: int64");
BOTH(reader_reset, "ReaderReset", "Makes a reader as it was when it was new.", reset_run, NULL, NULL);
BOTH(reader_serialize_state, "ReaderSerializeState", "A reader's state as bytes.", serialize_run,
     NULL, "state: string");
BOTH(reader_restore_state, "ReaderRestoreState", "Gives a reader the state that was saved.",
     restore_run, "state: string", NULL);
/* clang-format on */
