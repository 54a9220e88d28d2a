/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes of a saver, as TensorFlow 1.15's Python makes them: save/Const for the name, SaveV2
 * (for each device: into a folder of its own, then merged), RestoreV2 and an assignment a variable.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/lock.h"
#include "base/map.h"
#include "build/saver.h"

struct build {
    TF_Graph *g;
    const struct leat_saver_args *args;
    TF_Output filename;
    int num_shards;
};

static TF_Output string_const(TF_Graph *g, const char *const *texts, int64_t n, bool scalar,
                              const char *name)
{
    struct leat_const_args a = {.name = name};
    struct leat_shape shape = {&n, scalar ? 0 : 1};
    return leat_const_array_fn(g, TF_STRING, texts, shape, &a);
}

static TF_Output int_const(TF_Graph *g, int32_t value, const char *name)
{
    struct leat_const_args a = {.name = name};
    return leat_const_array_fn(g, TF_INT32, &value, (struct leat_shape){NULL, 0}, &a);
}

/* save/filename/input, save/filename, save/Const. */
static TF_Output filename_nodes(TF_Graph *g)
{
    static const char *const model = "model";
    struct leat_shape scalar = {NULL, 0};
    leat_push_scope(g, "filename");
    TF_Output input = string_const(g, &model, 1, true, "input");
    TF_Output name =
        leat_placeholder_with_default(g, input, .shape = scalar, .name = leat_current_scope(g));
    leat_pop(g);
    return leat_placeholder_with_default(g, name, .shape = scalar, .name = "Const");
}

/* The constants that name the items, under the current scope. */
static void name_consts(TF_Graph *g, const struct saver_item *items, int n, bool v1_save,
                        TF_Output out[2])
{
    const char **texts = mem_new_array(const char *, n);
    for (int i = 0; i < n; i++)
        texts[i] = items[i].name;
    out[0] = string_const(g, texts, n, false, "tensor_names");
    for (int i = 0; i < n; i++)
        texts[i] = items[i].spec;
    out[1] = string_const(g, texts, n, false, v1_save ? "shapes_and_slices" : "shape_and_slices");
    mem_free(texts);
}

static void set_types(TF_OperationDescription *d, const char *attr, const struct saver_item *items,
                      int n)
{
    TF_DataType *types = mem_new_array(TF_DataType, n);
    for (int i = 0; i < n; i++)
        types[i] = items[i].v.dtype;
    TF_SetAttrTypeList(d, attr, types, n);
    mem_free(types);
}

/* The node that saves items under prefix. */
static TF_Operation *save_node(const struct build *b, TF_Output prefix,
                               const struct saver_item *items, int n)
{
    bool v1 = b->args->version == LEAT_SAVER_V1;
    TF_Graph *g = b->g;
    TF_Output names[2], *values = mem_new_array(TF_Output, n);
    leat_push_scope(g, v1 ? "save" : "SaveV2");
    name_consts(g, items, n, v1, names);
    TF_OperationDescription *d =
        leat_begin(g, v1 ? "SaveSlices" : "SaveV2", leat_current_scope(g), NULL);
    leat_add_input(d, prefix);
    leat_add_input(d, names[0]);
    leat_add_input(d, names[1]);
    for (int i = 0; i < n; i++) /* the reference itself, where all of it is saved */
        values[i] = items[i].v.is_resource || items[i].spec[0] ? items[i].v.read : items[i].v.ref;
    if (d && leat_graph_ok(g)) {
        TF_AddInputList(d, values, n);
        set_types(d, v1 ? "T" : "dtypes", items, n);
    }
    TF_Operation *op = leat_finish(d);
    leat_pop(g);
    mem_free(values);
    return op;
}

/* The name, given once op is done; on the device of `name`. */
static TF_Output named_after(const struct build *b, TF_Operation *op, TF_Output name)
{
    leat_push_control_dependencies(b->g, &op, op ? 1 : 0);
    if (leat_valid(name))
        leat_push_colocation(b->g, name.oper);
    TF_Output y = leat_identity(b->g, name, .name = "control_dependency");
    if (leat_valid(name))
        leat_pop(b->g);
    leat_pop(b->g);
    return y;
}

/* A text that no other saver gives. */
static void make_token(char token[33])
{
    uint64_t bits[2] = {0};
    if (getrandom(bits, sizeof bits, 0) != (ssize_t)sizeof bits) {
        bits[0] = (uint64_t)clock_now_ns();
        bits[1] = (uint64_t)clock_wall_us();
    }
    snprintf(token, 33, "%016llx%016llx", (unsigned long long)bits[0], (unsigned long long)bits[1]);
}

/* The items of one device: items[begin, end). */
static int shard_end(const struct saver_item *items, int n, int begin)
{
    int end = begin + 1;
    while (end < n && strcmp(items[end].device, items[begin].device) == 0)
        end++;
    return end;
}

/* The device, but a CPU on it. */
static void push_cpu(TF_Graph *g, const char *device)
{
    leat_push_device(g, device[0] ? device : NULL);
    leat_push_device(g, "/device:CPU:0");
}

static void pop_cpu(TF_Graph *g)
{
    leat_pop(g);
    leat_pop(g);
}

/* One shard's name and its save; *sharded is the name. */
static TF_Output save_shard(const struct build *b, TF_Output base, int shard, TF_Output num,
                            const struct saver_item *items, int n, TF_Output *sharded)
{
    TF_Graph *g = b->g;
    leat_push_scope(g, "ShardedFilename");
    TF_Output k = int_const(g, shard, "shard");
    *sharded = leat_sharded_filename(g, base, k, num, .name = leat_current_scope(g));
    leat_pop(g);
    return named_after(b, save_node(b, *sharded, items, n), *sharded);
}

/* Joins the shards: of V2 by a node that makes one checkpoint of them, of V1 in name alone. */
static TF_Output join_shards(const struct build *b, const TF_Output *names, TF_Output *saves,
                             TF_Output num)
{
    TF_Graph *g = b->g;
    int n = b->num_shards;
    TF_Operation **wait = mem_new_array(TF_Operation *, n + 1);
    TF_Output out;
    for (int i = 0; i < n; i++)
        wait[i] = saves[i].oper;
    leat_push_control_dependencies(g, wait, n);
    if (b->args->version == LEAT_SAVER_V1) {
        out = leat_sharded_filespec(g, b->filename, num);
    } else {
        leat_push_scope(g, "MergeV2Checkpoints");
        TF_Output list = leat_pack(g, names, n, .name = "checkpoint_prefixes");
        TF_Operation *merge = leat_merge_v2_checkpoints(g, list, b->filename, .delete_old_dirs = 1,
                                                        .name = leat_current_scope(g));
        leat_pop(g);
        leat_push_control_dependencies(g, &merge, merge ? 1 : 0);
        out = leat_identity(g, b->filename);
        leat_pop(g);
    }
    leat_pop(g);
    mem_free(wait);
    return out;
}

static TF_Output save_sharded(const struct build *b, const struct saver_item *items, int n)
{
    TF_Graph *g = b->g;
    bool v1 = b->args->version == LEAT_SAVER_V1;
    TF_Output base = b->filename;
    if (!v1) {
        char token[33];
        make_token(token);
        char *part = mem_printf("_temp_%s/part", token);
        leat_push_scope(g, "StringJoin");
        TF_Output tail = string_const(g, (const char *const *)&part, 1, true, "inputs_1");
        base = leat_string_join(g, ((TF_Output[]){b->filename, tail}), 2,
                                .name = leat_current_scope(g));
        leat_pop(g);
        mem_free(part);
    }
    TF_Output num = int_const(g, b->num_shards, "num_shards");
    TF_Output *names = mem_new_array(TF_Output, b->num_shards);
    TF_Output *saves = mem_new_array(TF_Output, b->num_shards);
    const char *device = "";
    for (int i = 0, shard = 0; i < n; shard++) {
        int end = shard_end(items, n, i);
        device = items[i].device;
        const char *own = device[0] ? device : NULL;
        leat_push_device(g, own);
        leat_push_device(g, v1 ? own : "/device:CPU:0");
        saves[shard] = save_shard(b, base, shard, num, items + i, end - i, &names[shard]);
        pop_cpu(g);
        i = end;
    }
    if (!v1)
        push_cpu(g, device);
    TF_Output out = join_shards(b, names, saves, num);
    if (!v1)
        pop_cpu(g);
    mem_free(names);
    mem_free(saves);
    return out;
}

/* --- restoring --- */

static TF_Operation *restore_node(const struct build *b, const struct saver_item *items, int n)
{
    TF_Graph *g = b->g;
    TF_Output names[2];
    leat_push_scope(g, "RestoreV2");
    name_consts(g, items, n, false, names);
    TF_OperationDescription *d = leat_begin(g, "RestoreV2", leat_current_scope(g), NULL);
    leat_add_input(d, b->filename);
    leat_add_input(d, names[0]);
    leat_add_input(d, names[1]);
    if (d && leat_graph_ok(g))
        set_types(d, "dtypes", items, n);
    TF_Operation *op = leat_finish(d);
    leat_pop(g);
    return op;
}

/* value in the shape of the variable, where all of that is known. */
static TF_Output reshaped(TF_Graph *g, TF_Output value, const struct leat_variable_parts *v)
{
    int64_t dims[254];
    int rank = leat_static_shape(g, v->read, dims, 254);
    for (int i = 0; i < rank; i++)
        if (dims[i] < 0)
            rank = -1;
    if (rank < 0)
        return value;
    leat_push_scope(g, "Reshape");
    TF_Output shape = build_shape_const(g, (struct leat_shape){dims, rank}, "shape");
    TF_Output y = leat_reshape(g, value, shape, .name = leat_current_scope(g));
    leat_pop(g);
    return y;
}

static TF_Operation *assign(const struct build *b, const struct saver_item *item, TF_Output value)
{
    TF_Graph *g = b->g;
    TF_Operation *op;
    if (b->args->reshape)
        value = reshaped(g, value, &item->v);
    if (item->v.is_resource) {
        leat_push_device(g, item->device[0] ? item->device : NULL);
        value = leat_identity(g, value);
        leat_pop(g);
        return leat_assign_variable_op(g, item->v.ref, value);
    }
    leat_push_colocation(g, item->v.ref.oper);
    op = leat_op_assign(g, item->v.ref, value, .use_locking = 1, .validate_shape = 1).oper;
    leat_pop(g);
    return op;
}

/* Restores items; each assignment is put into assigns. */
static void restore_items(const struct build *b, const struct saver_item *items, int n,
                          const char *device, TF_Operation **assigns)
{
    push_cpu(b->g, device);
    TF_Operation *op = restore_node(b, items, n);
    pop_cpu(b->g);
    for (int i = 0; i < n; i++)
        assigns[i] = assign(b, &items[i], leat_output_of(op, i));
}

static TF_Operation *restore_all(const struct build *b, const struct saver_item *items, int n)
{
    TF_Operation **ops = mem_new_array(TF_Operation *, n);
    TF_Graph *g = b->g;
    TF_Operation *all = NULL;
    if (!b->args->sharded) {
        restore_items(b, items, n, "", ops);
        all = leat_graph_ok(g) ? leat_group(g, ops, n, "restore_all") : NULL;
    } else {
        TF_Operation **shards = mem_new_array(TF_Operation *, b->num_shards);
        for (int i = 0, shard = 0; i < n; shard++) {
            int end = shard_end(items, n, i);
            leat_push_device(g, items[i].device[0] ? items[i].device : NULL);
            restore_items(b, items + i, end - i, items[i].device, ops + i);
            leat_push_control_dependencies(g, ops + i, leat_graph_ok(g) ? end - i : 0);
            shards[shard] = leat_no_op(g, .name = "restore_shard");
            leat_pop(g);
            leat_pop(g);
            i = end;
        }
        all = leat_graph_ok(g) ? leat_group(g, shards, b->num_shards, "restore_all") : NULL;
        mem_free(shards);
    }
    mem_free(ops);
    return all;
}

bool saver_build(TF_Graph *g, const struct saver_item *items, int n,
                 const struct leat_saver_args *args, struct saver_nodes *out)
{
    struct build b = {.g = g, .args = args};
    for (int i = 0; i < n; b.num_shards++)
        i = shard_end(items, n, i);
    b.filename = filename_nodes(g);
    TF_Output save = args->sharded
                         ? save_sharded(&b, items, n)
                         : named_after(&b, save_node(&b, b.filename, items, n), b.filename);
    TF_Operation *restore = restore_all(&b, items, n);
    if (!leat_valid(save) || !restore || !leat_graph_ok(g))
        return false;
    *out = (struct saver_nodes){mem_printf("%s:0", TF_OperationName(b.filename.oper)),
                                mem_printf("%s:0", TF_OperationName(save.oper)),
                                mem_strdup(TF_OperationName(restore))};
    return true;
}
