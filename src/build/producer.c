/* SPDX-License-Identifier: Apache-2.0 */
/* Input producers: what is in a tensor, into a queue, epoch after epoch. */
#include <string.h>

#include "base/mem.h"
#include "build/input.h"
#include "leat/constant.h"
#include "leat/leat_ops.h"
#include "leat/variable.h"

void leat_producer_args_init(struct leat_producer_args *args)
{
    *args = (struct leat_producer_args){LEAT_PRODUCER_DEFAULTS_};
}

/* x, after counting an epoch; OUT_OF_RANGE after the last one. */
static TF_Output limit_epochs(const struct leat_producer_args *a, TF_Output x)
{
    TF_Graph *g = a->g;
    TF_Output y = MK_NONE;

    leat_with_scope(g, "limit_epochs") {
        struct leat_variable_args va;

        leat_variable_args_init(&va);
        va.trainable = 0;
        va.collection = LEAT_LOCAL_VARIABLES;
        TF_Output zero = mk_scalar(g, "Const", TF_INT64, 0);
        TF_Output epochs = leat_variable_fn(g, "epochs", zero, &va);
        TF_OperationDescription *d = NULL;

        if (leat_valid(epochs))
            d = leat_begin(g, "CountUpTo", "CountUpTo", NULL);
        if (d) {
            TF_AddInput(d, epochs);
            TF_SetAttrInt(d, "limit", a->num_epochs);
            TF_ColocateWith(d, epochs.oper);
        }
        TF_Operation *count = d ? leat_finish(d) : NULL;

        d = count ? leat_begin(g, "Identity", leat_current_scope(g), NULL) : NULL;
        if (d) {
            leat_add_input(d, x);
            TF_AddControlInput(d, count);
            y = leat_output_of(leat_finish(d), 0);
        }
    }
    return y;
}

static TF_Output shuffled(const struct leat_producer_args *a, TF_Output x)
{
    int64_t seed, seed2;

    leat_get_seed(a->g, a->seed, &seed, &seed2);
    TF_OperationDescription *d =
        leat_valid(x) ? leat_begin(a->g, "RandomShuffle", "RandomShuffle", NULL) : NULL;

    if (!d)
        return MK_NONE;
    leat_add_input(d, x);
    TF_SetAttrInt(d, "seed", seed);
    TF_SetAttrInt(d, "seed2", seed2);
    return leat_output_of(leat_finish(d), 0);
}

static bool check(const struct leat_producer_args *a, const char *what)
{
    const bool limited = a->num_epochs != LEAT_INT_NOT_GIVEN;

    if (a->capacity >= 1 && (!limited || a->num_epochs > 0))
        return true;
    (void)leat_fail(a->g, a->made_at, TF_INVALID_ARGUMENT, "%s: %s", what,
                    a->capacity < 1 ? "capacity must be at least 1"
                                    : "num_epochs must be > 0 not 0");
    return false;
}

/* A queue named as the current scope, of x's rows. */
static TF_Output produce(const struct leat_producer_args *a, TF_Output x)
{
    char *scope = mem_strdup(leat_current_scope(a->g));
    const size_t n = strlen(scope);

    if (n > 0)
        scope[n - 1] = 0;
    const char *slash = strrchr(scope, '/');

    if (a->shuffle)
        x = shuffled(a, x);
    if (a->num_epochs != LEAT_INT_NOT_GIVEN && leat_valid(x))
        x = limit_epochs(a, x);
    const struct input_queue q = {.g = a->g,
                                  .op = "FIFOQueueV2",
                                  .name = leat_current_scope(a->g),
                                  .prefix = slash ? slash + 1 : scope,
                                  .capacity = a->capacity,
                                  .example = {&x, 1},
                                  .rows = true};
    TF_Output queue = leat_valid(x) ? input_queue_make(&q) : MK_NONE;
    TF_Operation *fill = input_enqueue(&q, queue, leat_outputs(x));

    input_run(&q, queue, &fill, 1);
    input_summary(&q, queue);
    mem_free(scope);
    return queue;
}

/* --- strings --- */

static const char NO_STRINGS[] = "string_input_producer requires a non-null input tensor";

/* x, once it is known to have an element. */
static TF_Output checked(TF_Graph *g, TF_Output x)
{
    TF_Output some = mk_math(g, "Greater", "Greater", mk_t(mk_size(g, "Size", x)), mk_n(0));
    TF_Operation *check_op = NULL;

    leat_with_scope(g, "Assert") {
        leat_const_string(g, NO_STRINGS, .name = "Const");
        leat_with_scope(g, "Assert") {
            TF_Output text = leat_const_string(g, NO_STRINGS, .name = "data_0");
            TF_OperationDescription *d =
                leat_valid(some) ? leat_begin(g, "Assert", leat_current_scope(g), NULL) : NULL;

            if (d) {
                leat_add_input(d, some);
                leat_add_input_list(d, &text, 1);
                check_op = leat_finish(d);
            }
        }
    }
    TF_OperationDescription *d = check_op ? leat_begin(g, "Identity", "Identity", NULL) : NULL;

    if (!d)
        return MK_NONE;
    leat_add_input(d, x);
    TF_AddControlInput(d, check_op);
    return leat_output_of(leat_finish(d), 0);
}

TF_Output leat_string_input_producer_fn(const struct leat_producer_args *args)
{
    static const char what[] = "input_producer";
    TF_Output y = MK_NONE;

    if (!args || !args->g || !check(args, what))
        return y;
    if (!leat_valid(args->strings) || leat_dtype(args->g, args->strings) != TF_STRING)
        return leat_fail(args->g, args->made_at, TF_INVALID_ARGUMENT,
                         "string_input_producer: .strings must be of strings");
    leat_push_composite(args->g, args->name, what, args->made_at);
    y = produce(args, checked(args->g, args->strings));
    leat_pop(args->g);
    return y;
}

/* --- ranges and slices --- */

static TF_Output range_of(TF_Graph *g, TF_Output limit, int64_t n)
{
    TF_Output y = MK_NONE;

    leat_with_scope(g, "range") {
        TF_Output start = mk_i32(g, "start", 0);

        if (!leat_valid(limit))
            limit = mk_i32(g, "limit", n);
        y = mk_op(g, "Range", leat_current_scope(g),
                  leat_outputs(start, limit, mk_i32(g, "delta", 1)));
    }
    return y;
}

static TF_Output range_producer(const struct leat_producer_args *a, const char *name,
                                TF_Output limit)
{
    leat_push_composite(a->g, name, "input_producer", a->made_at);
    TF_Output y = produce(a, range_of(a->g, limit, a->limit));

    leat_pop(a->g);
    return y;
}

TF_Output leat_range_input_producer_fn(const struct leat_producer_args *args)
{
    if (!args || !args->g || !check(args, "range_input_producer"))
        return MK_NONE;
    return range_producer(args, args->name, MK_NONE);
}

static TF_Output gather_row(TF_Graph *g, TF_Output x, TF_Output row)
{
    TF_Output y = MK_NONE;

    leat_with_scope(g, "GatherV2")
        y = mk_op(g, "GatherV2", leat_current_scope(g), leat_outputs(x, row, mk_i32(g, "axis", 0)));
    return y;
}

static TF_Output row_number(TF_Graph *g, TF_Output queue)
{
    TF_OperationDescription *d =
        leat_valid(queue) ? leat_begin(g, "QueueDequeueV2", "input_producer_Dequeue", NULL) : NULL;

    if (!d)
        return MK_NONE;
    leat_add_input(d, queue);
    TF_SetAttrTypeList(d, "component_types", (TF_DataType[]){TF_INT32}, 1);
    TF_Output row = leat_output_of(leat_finish(d), 0);
    TF_Status *ignored = TF_NewStatus(); /* a scalar fits what is not known */

    if (leat_valid(row))
        TF_GraphSetTensorShape(g, row, NULL, 0, ignored);
    TF_DeleteStatus(ignored);
    return row;
}

TF_Output leat_slice_input_producer_fn(const struct leat_producer_args *args)
{
    if (!args || !args->g || !check(args, "slice_input_producer"))
        return MK_NONE;
    if (args->tensors.n < 1 || !args->out || !leat_valid(args->tensors.v[0]))
        return leat_fail(args->g, args->made_at, TF_INVALID_ARGUMENT,
                         "slice_input_producer: .tensors and .out are required");
    TF_Graph *g = args->g;

    leat_push_composite(g, args->name, "input_producer", args->made_at);
    TF_Output shape = mk_shape(g, "Shape", args->tensors.v[0]);
    TF_Output num = mk_slice1(g, "strided_slice", shape, 0, 1, true);
    TF_Output row = row_number(g, leat_valid(num) ? range_producer(args, NULL, num) : MK_NONE);

    for (int i = 0; i < args->tensors.n; i++)
        args->out[i] = leat_valid(row) ? gather_row(g, args->tensors.v[i], row) : MK_NONE;
    leat_pop(g);
    return args->out[0];
}
