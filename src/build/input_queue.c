/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes around a queue of an input pipeline, named as TensorFlow 1.15 names them. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "build/input.h"
#include "leat/queue_runner.h"
#include "leat/summary.h"

/* --- the queue --- */

static bool element_shape(const struct input_queue *q, TF_Output y, int64_t *dims, int *rank)
{
    const int skip = q->rows;

    *rank = mk_dims(q->g, y, dims) - skip;
    bool known = *rank >= 0;

    for (int i = 0; known && i < *rank; i++) {
        dims[i] = dims[i + skip];
        known = dims[i] >= 0 || q->partial;
    }
    if (!known)
        (void)leat_fail(q->g, NULL, TF_INVALID_ARGUMENT,
                        "All shapes must be fully defined: an input of %s is not",
                        leat_current_scope(q->g));
    return known;
}

static bool set_shapes(TF_OperationDescription *d, const struct input_queue *q)
{
    const int n = q->example.n;
    int64_t *dims = mem_new_array(int64_t, (int64_t)n * MK_MAX_RANK);
    const int64_t **each = mem_new_array(const int64_t *, n);
    int *ranks = mem_new_array(int, n);
    bool ok = true;

    for (int i = 0; ok && i < n; i++) {
        each[i] = dims + (int64_t)i * MK_MAX_RANK;
        ok = element_shape(q, q->example.v[i], dims + (int64_t)i * MK_MAX_RANK, &ranks[i]);
    }
    if (ok)
        TF_SetAttrShapeList(d, "shapes", each, ranks, n);
    mem_free(dims);
    mem_free(each);
    mem_free(ranks);
    return ok;
}

TF_Output input_queue_make(const struct input_queue *q)
{
    TF_DataType *types = mem_new_array(TF_DataType, q->example.n);
    bool ok = q->example.n > 0;

    for (int i = 0; ok && i < q->example.n; i++) {
        types[i] = leat_dtype(q->g, q->example.v[i]);
        ok = leat_valid(q->example.v[i]);
    }
    if (!ok)
        (void)leat_fail(q->g, NULL, TF_INVALID_ARGUMENT, "%s: there must be valid inputs",
                        leat_current_scope(q->g));
    TF_OperationDescription *d = ok ? leat_begin(q->g, q->op, q->name, NULL) : NULL;

    if (d) {
        TF_SetAttrTypeList(d, "component_types", types, q->example.n);
        TF_SetAttrInt(d, "capacity", q->capacity);
        if (strncmp(q->op, "Random", 6) == 0) {
            TF_SetAttrInt(d, "min_after_dequeue", q->min_after_dequeue);
            TF_SetAttrInt(d, "seed", q->seed);
            TF_SetAttrInt(d, "seed2", q->seed2);
        }
        ok = set_shapes(d, q);
    }
    mem_free(types);
    TF_Output made = d ? leat_output_of(leat_finish(d), 0) : MK_NONE;

    return ok ? made : MK_NONE;
}

static char *op_name(const struct input_queue *q, const char *what)
{
    return mem_printf("%s_%s", q->prefix ? q->prefix : q->name, what);
}

TF_Operation *input_enqueue(const struct input_queue *q, TF_Output queue,
                            struct leat_outputs values)
{
    char *name = op_name(q, q->rows ? "EnqueueMany" : "enqueue");
    TF_OperationDescription *d =
        leat_valid(queue)
            ? leat_begin(q->g, q->rows ? "QueueEnqueueManyV2" : "QueueEnqueueV2", name, NULL)
            : NULL;
    TF_Operation *made = NULL;

    if (d) {
        leat_add_input(d, queue);
        leat_add_input_list(d, values.v, values.n);
        made = leat_finish(d);
    }
    mem_free(name);
    return made;
}

/* --- what fills and closes it --- */

static TF_Operation *close_op(const struct input_queue *q, TF_Output queue, bool cancel)
{
    char *name = op_name(q, "Close");
    TF_OperationDescription *d = leat_begin(q->g, "QueueCloseV2", name, NULL);

    mem_free(name);
    if (!d)
        return NULL;
    leat_add_input(d, queue);
    TF_SetAttrBool(d, "cancel_pending_enqueues", cancel);
    return leat_finish(d);
}

void input_run(const struct input_queue *q, TF_Output queue, TF_Operation *const *fillers, int n)
{
    bool ok = leat_valid(queue);

    for (int i = 0; ok && i < n; i++)
        ok = fillers[i] != NULL;
    if (!ok)
        return;
    TF_Operation *close = close_op(q, queue, false), *cancel = close_op(q, queue, true);

    if (close && cancel)
        leat_add_queue_runner(q->g, (struct leat_queue_runner){.queue = queue.oper,
                                                               .enqueue_ops = {fillers, n},
                                                               .close_op = close,
                                                               .cancel_op = cancel});
}

/* --- the summary --- */

void input_summary(const struct input_queue *q, TF_Output queue)
{
    const bool shuffled = strncmp(q->op, "Random", 6) == 0;
    const int64_t room = shuffled ? q->capacity - q->min_after_dequeue : q->capacity;
    char *size_name = op_name(q, "Size"), *name;
    TF_Output size =
        leat_valid(queue) ? mk_op(q->g, "QueueSizeV2", size_name, leat_outputs(queue)) : MK_NONE;

    mem_free(size_name);
    if (!leat_valid(size))
        return;
    if (shuffled) {
        size = mk_math(q->g, "Sub", "sub", mk_t(size), mk_n((double)q->min_after_dequeue));
        size = mk_math(q->g, "Maximum", "Maximum", mk_n(0), mk_t(size));
        name = mem_printf("fraction_over_%lld_of_%lld_full", (long long)q->min_after_dequeue,
                          (long long)room);
    } else {
        name = mem_printf("fraction_of_%lld_full", (long long)q->capacity);
    }
    struct leat_summary_args a;

    leat_summary_args_init(&a);
    a.g = q->g;
    a.name = name;
    a.x = mk_math(q->g, "Mul", "mul", mk_t(mk_cast(q->g, size, TF_FLOAT)),
                  mk_n(1.0 / (double)(room > 0 ? room : 1)));
    (void)leat_summary_scalar_fn(&a);
    mem_free(name);
}
