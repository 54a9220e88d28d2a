/* SPDX-License-Identifier: Apache-2.0 */
/* The ops that make readers: one lives in the session's container under its shared name, or under
 * one that no other node has. */
#include <string.h>

#include "base/mem.h"
#include "op/grad.h"
#include "op/resource_pair.h"
#include "ops/io/reader_kinds.h"

struct make_state {
    struct lock lock;
    bool made;             /* guarded by lock, like what follows */
    struct tensor handle;  /* V2 */
    struct variable *pair; /* V1: container and name */
};

struct make_args {
    const struct kctx *c;
    const char *name;
};

static const struct reader_kind *kind_of(const char *op)
{
    static const struct reader_kind *const kinds[] = {
        &reader_whole_file, &reader_identity, &reader_lines, &reader_fixed, &reader_records};

    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (strncmp(op, kinds[i]->name, strlen(kinds[i]->name)) == 0)
            return kinds[i];
    return NULL;
}

static struct resource *make(void *arg, struct status *st)
{
    const struct make_args *m = arg;
    const struct kernel *k = m->c->kernel;

    return (struct resource *)reader_new(kind_of(k->op->name), m->name, k->attrs, st);
}

static bool make_init(struct kernel *k, void *state, struct status *st)
{
    (void)k;
    (void)st;
    lock_init(&((struct make_state *)state)->lock, "reader kernel", LOCK_RANK_PLAN);
    return true;
}

static void make_release(void *state)
{
    struct make_state *s = state;

    tensor_clear(&s->handle);
    variable_unref(s->pair);
    lock_release_memory(&s->lock);
}

/* Under the state's lock. */
static bool find_reader(struct kctx *c, struct make_state *s, struct status *st)
{
    const char *container, *name;
    struct tensor t;

    resource_names(c, false, &container, &name);
    struct make_args m = {c, name};
    struct resource *r = resource_find_or_make(c->env->container_resources, container, &reader_type,
                                               name, make, &m, st);

    resource_unref(r);
    if (!r)
        return false;
    if (!dtype_is_ref(c->kernel->output_types[0]))
        return resource_make_handle(c, container, name, &reader_type, &s->handle, st);
    if (!resource_pair(c, container, name, &t, st))
        return false;
    s->pair = variable_new(c->kernel->node_name, DT_STRING);
    variable_assign(s->pair, &t);
    return true;
}

static bool make_run(struct kctx *c, struct status *st)
{
    struct make_state *s = kernel_state(c);

    lock_take(&s->lock);
    s->made = s->made || find_reader(c, s, st);
    bool ok = s->made;
    lock_drop(&s->lock);
    if (!ok)
        return false;
    if (s->pair)
        kernel_out_ref(c, 0, s->pair);
    else
        kernel_out_share(c, 0, &s->handle);
    return true;
}

static bool pair_shape(struct infer_ctx *c, struct status *st)
{
    (void)st;
    infer_set(c, 0, infer_vector(c, 2));
    return true;
}

#define NAMES "container: string = ''", "shared_name: string = ''"
#define WHY "a reader has no inputs"
/* clang-format off */
#define READER(id, op_name, text, form, shape_fn, since, words, ...)                               \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .outputs = {"reader_handle: " form},                                                       \
        .attrs = {__VA_ARGS__},                                                                    \
        .flags = OP_STATEFUL,                                                                      \
        .deprecated_at = since,                                                                    \
        .deprecated_why = words,                                                                   \
        .shape = shape_fn,                                                                         \
        .no_grad = WHY,                                                                            \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {.op = op_name,                                                         \
                            .device = "CPU",                                                       \
                            .state_bytes = sizeof(struct make_state),                              \
                            .init = make_init,                                                     \
                            .release = make_release,                                               \
                            .run = make_run}
#define V1(id, op_name, text, since, words, ...)                                                   \
    READER(id, op_name, text, "Ref(string)", pair_shape, since, words, __VA_ARGS__)
#define V2(id, op_name, text, ...)                                                                 \
    READER(id##_v2, op_name "V2", text, "resource", infer_scalars, 0, NULL, __VA_ARGS__)

#define WHOLE "A reader that gives each file as one record."
V1(whole_file_reader, "WholeFileReader", WHOLE, 0, NULL, NAMES);
V2(whole_file_reader, "WholeFileReader", WHOLE, NAMES);
#define IDENTITY "A reader that gives the names that it is given."
V1(identity_reader, "IdentityReader", IDENTITY, 26, "Use IdentityReaderV2", NAMES);
V2(identity_reader, "IdentityReader", IDENTITY, NAMES);
#define LINES "A reader that gives the lines of files."
V1(text_line_reader, "TextLineReader", LINES, 26, "Use TextLineReaderV2",
   "skip_header_lines: int = 0", NAMES);
V2(text_line_reader, "TextLineReader", LINES, "skip_header_lines: int = 0", NAMES);
#define FIXED "A reader that gives pieces of files, all of one length."
#define FIXED_ATTRS                                                                                \
    "header_bytes: int = 0", "record_bytes: int", "footer_bytes: int = 0", "hop_bytes: int = 0", NAMES
V1(fixed_length_record_reader, "FixedLengthRecordReader", FIXED, 26,
   "Use FixedLengthRecordReaderV2", FIXED_ATTRS);
V2(fixed_length_record_reader, "FixedLengthRecordReader", FIXED, FIXED_ATTRS,
   "encoding: string = ''");
#define RECORDS "A reader that gives the records of TFRecord files."
V1(tf_record_reader, "TFRecordReader", RECORDS, 26, "Use TFRecordReaderV2", NAMES,
   "compression_type: string = ''");
V2(tf_record_reader, "TFRecordReader", RECORDS, NAMES, "compression_type: string = ''");
/* clang-format on */

/* --- LMDB --- */

static bool lmdb_run(struct kctx *c, struct status *st)
{
    (void)c;
    return status_unimplemented(st, "LMDBReader: LMDB databases cannot be read here");
}

OP_DEF(lmdb_reader) = {
    .name = "LMDBReader",
    .summary = "A reader of LMDB databases, which are not supported: it fails when it runs.",
    .outputs = {"reader_handle: Ref(string)"},
    .attrs = {NAMES},
    .flags = OP_STATEFUL,
    .shape = pair_shape,
    .no_grad = WHY,
};
KERNEL_DEF(lmdb_reader_cpu) = {.op = "LMDBReader", .device = "CPU", .run = lmdb_run};
