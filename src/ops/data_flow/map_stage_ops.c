/* SPDX-License-Identifier: Apache-2.0 */
/* The ops on staging areas by key, ordered or not. */
#include "ops/data_flow/map_area.h"

static void refuse(struct kctx *c, struct map_area *a, struct map_visit *v, struct status *st)
{
    if (v)
        map_visit_free(v);
    resource_unref(a ? &a->base : NULL);
    kernel_done(c, st);
    status_clear(st);
}

static bool read_key(const struct kctx *c, int64_t *key, struct status *st)
{
    const struct tensor *t = kernel_in(c, 0);

    if (t->num_elems != 1)
        return status_invalid(st, "key must be one number, not %lld", (long long)t->num_elems);
    *key = tensor_i64(t)[0];
    return true;
}

/* --- in --- */

static bool read_values(struct map_visit *v, int first, int n, struct status *st)
{
    for (int i = 0; i < n; i++) {
        if (!kernel_in_keep(v->c, first + i, &v->values[i], st))
            return false;
        v->n++;
        v->bytes += area_bytes(&v->values[i]);
    }
    if (v->indices.num_elems > n)
        return status_invalid(st, "There are %lld indices, but %d values",
                              (long long)v->indices.num_elems, n);
    return true;
}

static void put_start(struct kctx *c)
{
    struct status st = {0};
    struct map_area *a = map_area_find(c, &st);
    const int n = kernel_num_inputs(c) - 2;
    struct map_visit *v = map_visit_new(c, n);

    v->a = a;
    bool ok = a && read_key(c, &v->key, &st) && kernel_in_keep(c, 1, &v->indices, &st) &&
              map_check_indices(v, &st) && read_values(v, 2, n, &st) &&
              area_fits(&a->room, v->bytes, &st);

    if (ok) {
        v->fresh = map_item_new(v->key, v->num_types);
        map_visit_begin(v, map_try_put);
    } else {
        refuse(c, a, v, &st);
    }
}

/* --- out --- */

static void get_start(struct kctx *c, bool any_key, bool stays)
{
    struct status st = {0};
    struct map_area *a = map_area_find(c, &st);
    struct map_visit *v = map_visit_new(c, 0);

    v->a = a;
    v->any_key = any_key;
    v->stays = stays;
    bool ok = a && (any_key || read_key(c, &v->key, &st)) &&
              kernel_in_keep(c, any_key ? 0 : 1, &v->indices, &st) && map_check_indices(v, &st);

    if (ok)
        map_visit_begin(v, map_try_get);
    else
        refuse(c, a, v, &st);
}

static void peek_start(struct kctx *c)
{
    get_start(c, false, true);
}

static void unstage_start(struct kctx *c)
{
    get_start(c, false, false);
}

static void no_key_start(struct kctx *c)
{
    get_start(c, true, false);
}

/* --- without waiting --- */

static bool number_run(struct kctx *c, bool parts, struct status *st)
{
    struct shape scalar = shape_scalar();
    struct map_area *a = map_area_find(c, st);
    struct tensor *out = a ? kernel_out(c, 0, &scalar, st) : NULL;

    if (out) {
        lock_take(&a->waits.lock);
        *tensor_i32(out) = (int32_t)(parts ? a->num_parts : a->num_whole);
        lock_drop(&a->waits.lock);
    }
    resource_unref(a ? &a->base : NULL);
    return out != NULL;
}

static bool size_run(struct kctx *c, struct status *st)
{
    return number_run(c, false, st);
}

static bool parts_run(struct kctx *c, struct status *st)
{
    return number_run(c, true, st);
}

static bool clear_run(struct kctx *c, struct status *st)
{
    struct map_area *a = map_area_find(c, st);

    if (!a)
        return false;
    map_clear(a);
    resource_unref(&a->base);
    return true;
}

/* --- the ops --- */

#define MAP_NO_GRAD "undefined: no gradient is registered for a staging area's ops"
#define MAP_NAMES "container: string = ''", "shared_name: string = ''"
#define MAP_ROOM "capacity: int >= 0 = 0", "memory_limit: int >= 0 = 0"

/* clang-format off */
#define MAP_PUT(id, op_name, text)                                                                 \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .inputs = {"key: int64", "indices: int32", "values: fake_dtypes"},                         \
        .attrs = {MAP_ROOM, "dtypes: list(type)", "fake_dtypes: list(type) >= 1", MAP_NAMES},      \
        .flags = OP_STATEFUL,                                                                      \
        .shape = infer_no_outputs,                                                                 \
        .no_grad = MAP_NO_GRAD,                                                                    \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {                                                                       \
        .op = op_name, .device = "CPU", .flags = KERNEL_ASYNC, .run_async = put_start}
#define MAP_GET(id, op_name, text, start)                                                          \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .inputs = {"key: int64", "indices: int32"},                                                \
        .outputs = {"values: dtypes"},                                                             \
        .attrs = {MAP_ROOM, "dtypes: list(type) >= 1", MAP_NAMES},                                 \
        .flags = OP_STATEFUL,                                                                      \
        .shape = infer_unknown_outputs,                                                            \
        .no_grad = MAP_NO_GRAD,                                                                    \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {                                                                       \
        .op = op_name, .device = "CPU", .flags = KERNEL_ASYNC, .run_async = start}
#define MAP_GET_ANY(id, op_name, text)                                                             \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .inputs = {"indices: int32"},                                                              \
        .outputs = {"key: int64", "values: dtypes"},                                               \
        .attrs = {MAP_ROOM, "dtypes: list(type) >= 1", MAP_NAMES},                                 \
        .flags = OP_STATEFUL,                                                                      \
        .shape = infer_unknown_outputs,                                                                     \
        .no_grad = MAP_NO_GRAD,                                                                    \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {                                                                       \
        .op = op_name, .device = "CPU", .flags = KERNEL_ASYNC, .run_async = no_key_start}
#define MAP_SIZE(id, op_name, text, fn)                                                            \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .outputs = {"size: int32"},                                                                \
        .attrs = {MAP_ROOM, "dtypes: list(type)", MAP_NAMES},                                      \
        .flags = OP_STATEFUL,                                                                      \
        .shape = infer_scalars,                                                                    \
        .no_grad = MAP_NO_GRAD,                                                                    \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {.op = op_name, .device = "CPU", .run = fn}
#define MAP_CLEAR(id, op_name, text)                                                               \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .attrs = {MAP_ROOM, "dtypes: list(type)", MAP_NAMES},                                      \
        .flags = OP_STATEFUL,                                                                      \
        .shape = infer_no_outputs,                                                                 \
        .no_grad = MAP_NO_GRAD,                                                                    \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {.op = op_name, .device = "CPU", .run = clear_run}

MAP_PUT(map_stage, "MapStage", "Puts a tuple, or parts of it, under a key of a staging area.");
MAP_GET(map_peek, "MapPeek", "Shows values of the tuple under a key of a staging area.",
        peek_start);
MAP_GET(map_unstage, "MapUnstage", "Takes values of the tuple under a key of a staging area.",
        unstage_start);
MAP_GET_ANY(map_unstage_no_key, "MapUnstageNoKey",
            "Takes a key, no matter which, and values of its tuple from a staging area.");
MAP_SIZE(map_size, "MapSize", "How many whole tuples a staging area holds.", size_run);
MAP_SIZE(map_incomplete_size, "MapIncompleteSize",
         "How many tuples of a staging area still lack values.", parts_run);
MAP_CLEAR(map_clear, "MapClear", "Takes every tuple out of a staging area.");

MAP_PUT(ordered_map_stage, "OrderedMapStage",
        "Puts a tuple, or parts of it, under a key of a staging area ordered by its keys.");
MAP_GET(ordered_map_peek, "OrderedMapPeek",
        "Shows values of the tuple under a key of an ordered staging area.", peek_start);
MAP_GET(ordered_map_unstage, "OrderedMapUnstage",
        "Takes values of the tuple under a key of an ordered staging area.", unstage_start);
MAP_GET_ANY(ordered_map_unstage_no_key, "OrderedMapUnstageNoKey",
            "Takes the smallest key and values of its tuple from an ordered staging area.");
MAP_SIZE(ordered_map_size, "OrderedMapSize",
         "How many whole tuples an ordered staging area holds.", size_run);
MAP_SIZE(ordered_map_incomplete_size, "OrderedMapIncompleteSize",
         "How many tuples of an ordered staging area still lack values.", parts_run);
MAP_CLEAR(ordered_map_clear, "OrderedMapClear",
          "Takes every tuple out of an ordered staging area.");
/* clang-format on */
